"""The choice of cases that `python -m cygrad.testing` runs without ``--thorough``: all pairs instead of all triples.

A kernel computes an op of a dtype, and walks memory whatever it computes. So what is wrong shows where an op meets a
dtype, an op a layout or a dtype a layout; these pairs are in the choice, next to nothing else is. Devices that
compile a kernel for each op, dtype and kind of layout would need hours for all triples.
"""
from collections import Counter

# Entries in which each op walks memory, or the words of random numbers, in a way of its own.
WALKERS = ("reduce", "argreduce", "scan", "sort", "random")
COMMON = ("float32", "int64", "float16")
POINTWISE = ("unary", "binary", "binary_scalar")         # those that have many ops, which walk memory alike
USUAL = ("neg", "exp", "sqrt", "relu", "add", "mul", "div", "maximum", "lt")
# What every op has: dense operands, also where they share memory.
PLAIN = ("contiguous", "contiguous swapped", "edges", "0-d", "in place", "into the second", "one operand twice",
         "offset", "side by side", "large")
TURNS = 4


def family(op):
    """An op without what its cases differ in: "add" for "add negative"."""
    return op.partition(" ")[0]


def covering(cases):
    """Of the cases of one entry, in their order, some in which every pair of op, dtype and layout occurs that can.

    Every op has every dtype in its first layout, which is the plain one, and the other layouts in one dtype of its own,
    which ops take by turns: layouts that need one kernel then share it. In the dtypes that programs use most the first
    op has every layout, and along rows every op. Of the many pointwise ops only those that are USUAL have every layout,
    the others a fourth of them, by TURNS; of drawn calls each entry has a fourth. The choice is the same in every run.
    """
    cases = list(cases)
    drawn = [case for case in cases if case.key.op == "drawn"]
    left = set(map(id, drawn)) - set(map(id, drawn[::TURNS]))
    cases = [case for case in cases if id(case) not in left]
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
    families = list(dict.fromkeys(map(family, dtypes)))
    own = {op: found[families.index(family(op)) % len(found)] for op, found in dtypes.items()}

    def left_out(op, layout):
        rare = (cases[0].key.entry in POINTWISE and family(op) not in USUAL and layout not in PLAIN
                and op not in ("sizes", "drawn"))
        return rare and (families.index(family(op)) + layouts.index(layout)) % TURNS

    for pair, group in groups("op", "layout"):
        if not seen[("op", *pair)] and not left_out(*pair):
            rarest = min(group, key=lambda case: seen["dtype", case.key.dtype, case.key.layout])
            take(next((case for case in group if case.key.dtype == own[pair[0]]), rarest))
    for case in cases:
        if case.key.dtype in COMMON and (case.key.entry in WALKERS or case.key.op == cases[0].key.op):
            take(case)
    for pair, group in groups("dtype", "layout"):
        if not seen[("dtype", *pair)]:
            take(group[0])
    return [case for case in cases if id(case) in chosen]
