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
USUAL = ("to float32", "orders", "one buffer", "sizes", "drawn")
OFTEN = ("neg", "exp", "relu", "add", "mul", "div", "lt", "a mask")     # of which each has every third one
# Layouts that copies to every dtype have, and of other entries the ops used OFTEN.
BROADCAST = {"copy": ("stride 0", "transposed"), "binary": ("second repeated alike", "number beside turned")}
# What every op has: dense operands, also where they share memory.
PLAIN = ("contiguous", "contiguous swapped", "edges", "0-d", "in place", "into the second", "one operand twice",
         "offset", "side by side", "large", "rows", "all", "long rows")
GAPS = ("three axes", "five axes", "seven axes")        # in which operands and results are not dense
TURNS = {"op": 24, "dtype": 8}          # of the pairs with layouts that few need, of ALIKE entries one of so many stays
WHOLE = ("copy", "unary", "binary", "reduce")               # of which every op has each of its dtypes
TWINS = ("binary_scalar",)              # whose arithmetic another entry has with every dtype
SMALL = ("float16", "bfloat16")         # computed alike, and slowest to compile: they take ops and layouts by turns
GOLDEN = 0.6180339887                   # multiples of it, without their whole part, keep step with no list's order


def family(op):
    """An op without what its cases differ in: "add" for "add negative"."""
    return op.partition(" ")[0]


def covering(cases):
    """Of the cases of one entry, in their order, some in which every pair of op, dtype and layout occurs that can.

    Every op has every dtype in its first layout, which is the plain one (of TWINS those that programs use most, the
    others by turns), and the other layouts in one dtype of its own, which ops take by turns: layouts that need one
    kernel then share it. In float32 the first op has every layout, and along rows every op, in the other dtypes that
    programs use most a part of them. Of entries whose ops and dtypes walk memory ALIKE only those that are USUAL, or
    float32, have every layout, those used OFTEN a third of them, of the others one in TURNS, and each op of one or
    two operands one with GAPS; of other entries the SMALL dtypes share ops and layouts. Of drawn calls three quarters
    are there in the first COMMON dtypes, bytes and the entry's usual one, in the others, which need kernels of their
    own, a fifth. The choice is the same in every run.
    """
    count, drawn = Counter(), Counter(case.key.dtype for case in cases if case.key.op == "drawn")
    common = {*COMMON[:2], "bool", "uint8", *(dtype for dtype, _ in drawn.most_common(1))}

    def stays(case):
        usual = case.key.dtype in common
        count[usual] += case.key.op == "drawn"
        return case.key.op != "drawn" or count[usual] * GOLDEN % 1 < (3 / 4 if usual else 1 / 5)

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

    dtypes = {op: list(dict.fromkeys(case.key.dtype for case in group)) for (op,), group in groups("op")}
    entry = cases[0].key.entry if cases else ""
    alike, walks = entry in ALIKE, entry in WALKERS
    first = "to float32" if entry == "copy" else next(iter(dtypes), "")
    named = family if entry in POINTWISE + WALKERS else str
    families = list(dict.fromkeys(map(named, dtypes)))
    kinds = list(dict.fromkeys(case.key.dtype for case in cases))
    own = {}
    for op, found in dtypes.items():
        wide = [dtype for dtype in found if dtype not in SMALL] or found
        own[op] = [wide[families.index(named(op)) % len(wide)]]
        if entry == "copy" and op.startswith("to "):
            own[op] = [op.removeprefix("to ")]
        elif not alike and not walks and "float32" in found:
            own[op] = ["float32"]

    walked = {pair for pair, _ in groups("dtype", "layout")}

    def left_out(kind, number, layout, turns=None):
        shared = kind == "dtype" and kinds[number] in SMALL and all((dtype, layout) in walked for dtype in SMALL)
        turns = turns or TURNS[kind] if alike else 2 if shared else 1
        return layout not in PLAIN and (number + layouts.index(layout)) % turns

    def by_turns(op, dtype):
        """Whether another dtype stands for this one, with this op."""
        if entry in TWINS and dtype not in common | {*SMALL} and len(dtypes[op]) > 1:
            return (families.index(named(op)) + kinds.index(dtype)) % 2
        return (dtype in SMALL and entry not in WHOLE and len(families) > 1 and {*SMALL} <= {*dtypes[op]}
                and (families.index(named(op)) + SMALL.index(dtype)) % 2)

    for (op, dtype), group in groups("op", "dtype"):
        if not by_turns(op, dtype):
            take(group[0])
    for pair, group in groups("op", "layout"):
        name = named(pair[0])
        if pair[1] in BROADCAST.get(entry, ()) and (entry == "copy" or name in OFTEN):
            take(next((case for case in group if case.key.dtype in own[pair[0]]), group[0]))
        rare = alike and name not in USUAL and left_out(
            "op", families.index(name), pair[1], 3 if name in OFTEN else None) or (
            walks and name != pair[0] and (len(pair[0]) + layouts.index(pair[1])) % 2)
        whole = alike and pair[0] == first and COMMON[0] in dtypes[first]       # which has every layout in float32
        if not seen[("op", *pair)] and not rare and not whole:
            best = COMMON[:2] if "swapped" in pair[1] else own[pair[0]]         # drawn calls have swapped ones in these
            if pair[1] == "one operand twice" and COMMON[0] in dtypes[pair[0]]:
                best = COMMON[:1]                                               # which has NaN
            rarest = min(group, key=lambda case: seen["dtype", case.key.dtype, case.key.layout])
            take(next((case for case in group if case.key.dtype in best), rarest))
    for case in cases:
        key = case.key
        if walks or key.op == first:
            turn = list(dtypes).index(key.op) + layouts.index(key.layout)
            turns = 3 if alike and key.op not in USUAL else 2
            if key.dtype == "float32" or key.dtype in COMMON and (turn + COMMON.index(key.dtype)) % turns == 0:
                take(case)
        if key.op == "drawn" or key.layout == "edges" or walks and key.layout == "large":
            take(case)
    for (op,), group in groups("op") if entry in ("unary", "binary") else ():
        if not any(seen["op", op, layout] for layout in GAPS) and group[0].key.layout == layouts[0]:
            take(next((case for case in group if case.key.layout in GAPS and case.key.dtype in own[op]), group[0]))
    for pair, group in groups("dtype", "layout"):
        rare = pair[0] != "float32" and left_out("dtype", kinds.index(pair[0]), pair[1])
        if not seen[("dtype", *pair)] and not rare:
            take(group[0])
    return [case for case in cases if id(case) in chosen]
