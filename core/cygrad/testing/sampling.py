"""The choice of cases that `python -m cygrad.testing` runs without ``--thorough``: all pairs instead of all triples.

A kernel computes an op of a dtype, and walks memory whatever it computes. So what is wrong shows where an op meets a
dtype, an op a layout or a dtype a layout; these pairs are in the choice, next to nothing else is. Devices that
compile a kernel for each op, dtype and kind of layout would need hours for all triples.
"""
from collections import Counter

# Entries in which each op walks memory, or the words of random numbers, in a way of its own.
WALKERS = ("reduce", "argreduce", "scan", "sort", "random")
COMMON = ("float32", "int64", "float16")
POINTWISE = ("unary", "binary", "binary_scalar")         # of which an op has cases with words behind its name
# Those whose ops and dtypes walk memory alike, and the ops that have every layout.
ALIKE = ("fill", "copy", "unary", "binary", "where", "binary_scalar", "elementwise", "map_reduce")
USUAL = ("neg", "exp", "sqrt", "relu", "add", "mul", "div", "maximum", "lt", "sizes", "drawn")
# What every op has: dense operands, also where they share memory.
PLAIN = ("contiguous", "contiguous swapped", "edges", "0-d", "in place", "into the second", "one operand twice",
         "offset", "side by side", "large", "rows", "all", "long rows")
TURNS = 6
GOLDEN = 0.6180339887                   # multiples of it, without their whole part, keep step with no list's order


def family(op):
    """An op without what its cases differ in: "add" for "add negative"."""
    return op.partition(" ")[0]


def covering(cases):
    """Of the cases of one entry, in their order, some in which every pair of op, dtype and layout occurs that can.

    Every op has every dtype in its first layout, which is the plain one, and the other layouts in one dtype of its own,
    which ops take by turns: layouts that need one kernel then share it. In the dtypes that programs use most the first
    op has every layout, and along rows every op. Of entries whose ops and dtypes walk memory ALIKE only those that are
    USUAL or COMMON have every layout, the others a sixth of them, by TURNS. Of drawn calls two thirds are there in the
    COMMON dtypes, bytes and the entry's usual one, in the others, which need kernels of their own, a fifth. The choice
    is the same in every run.
    """
    count, drawn = Counter(), Counter(case.key.dtype for case in cases if case.key.op == "drawn")
    common = {*COMMON, "bool", "uint8", *(dtype for dtype, _ in drawn.most_common(1))}

    def stays(case):
        usual = case.key.dtype in common
        count[usual] += case.key.op == "drawn"
        return case.key.op != "drawn" or count[usual] * GOLDEN % 1 < (2 / 3 if usual else 1 / 5)

    cases = list(filter(stays, cases))
    seen, chosen = Counter(), set()
    layouts = list(dict.fromkeys(case.key.layout for case in cases))

    def groups(*names):
        found = {}
        for case in cases:
            found.setdefault(tuple(getattr(case.key, name) for name in names), []).append(case)
        return found.items()

    def take(case):
        key = case.key
        chosen.add(id(case))
        seen.update([("op", key.op, key.layout), ("dtype", key.dtype, key.layout)])

    for _, group in groups("op", "dtype"):
        take(group[0])

    dtypes = {op: list(dict.fromkeys(case.key.dtype for case in group)) for (op,), group in groups("op")}
    named = family if cases and cases[0].key.entry in POINTWISE + WALKERS else str
    families = list(dict.fromkeys(map(named, dtypes)))
    kinds = list(dict.fromkeys(case.key.dtype for case in cases))
    own = {op: found[families.index(named(op)) % len(found)] for op, found in dtypes.items()}

    def left_out(names, name, usual, layout):
        rare = cases[0].key.entry in ALIKE and name not in usual and layout not in PLAIN
        return rare and (names.index(name) + layouts.index(layout)) % TURNS

    for pair, group in groups("op", "layout"):
        if not seen[("op", *pair)] and not left_out(families, named(pair[0]), USUAL, pair[1]):
            rarest = min(group, key=lambda case: seen["dtype", case.key.dtype, case.key.layout])
            take(next((case for case in group if case.key.dtype == own[pair[0]]), rarest))
    for case in cases:
        walks = case.key.entry in WALKERS
        usual = case.key.dtype in COMMON and (walks or case.key.op == cases[0].key.op)
        if usual or case.key.op == "drawn" or walks and case.key.layout == "large":
            take(case)
    for pair, group in groups("dtype", "layout"):
        if not seen[("dtype", *pair)] and not left_out(kinds, pair[0], COMMON, pair[1]):
            take(group[0])
    return [case for case in cases if id(case) in chosen]
