"""Source of reductions for processors: a group is one item; the elements it combines go through vectors of lanes.

The compiler makes vectors of a loop that folds into one variable if it knows the operation: sums, products, least and
greatest integers, bits. It does not know those of floats, where NaN must come through: their extremes follow from three
of their bits as integers (`max_of_bits_f32`). Sums are cascaded: BLOCK elements are summed in lanes, blocks in double
where the device has it. Short rows are taken TOGETHER, so that the loop's head and the ends of the chains of additions
are not waited for row by row; of long ones one at a time is a stream that the processor sees ahead.
"""
from functools import partial
from collections.abc import Callable
from typing import NamedTuple

from cygrad_gpu.codegen.element_types import ELEMENTS, FLOAT32, FLOAT64
from cygrad_gpu.codegen.walks import walk
from cygrad_gpu.reduce.accumulators import LOWEST, combined, declared, entered, identity

BLOCK = 2048                # elements that are combined apart
SCATTERED_BLOCK = 512       # the same where they are no neighbours: then lanes may be refused, and a block is one chain
TOGETHER = 4                # short rows in one loop
SHORT = 512                 # elements of the longest of them
WIDTH = 1024                # columns that a group keeps results of, at most
HEAVY = 5                   # statements of a program that is computed for fewer vectors at a time


class Variable(NamedTuple):
    """What lanes keep of the elements they have seen."""

    kind: str               # C type
    start: str
    combine: Callable       # C for two of them
    enter: Callable         # C that makes one of an element


class Fold(NamedTuple):
    """How elements are combined: variables of lanes, each by a loop's operation, and what they mean together."""

    variables: tuple
    value: Callable         # C that makes the result of the variables

    def names(self, name):
        return [f"{name}_{v}" for v in range(len(self.variables))]

    def start(self, *names):
        """C that declares running values."""
        return " ".join(f"{variable.kind} {', '.join(f'{name}_{v} = {variable.start}' for name in names)};"
                        for v, variable in enumerate(self.variables))

    def take(self, name, x):
        """C that takes an element, `x`, into a running value."""
        return " ".join(f"{mine} = {variable.combine(mine, variable.enter(x))};"
                        for mine, variable in zip(self.names(name), self.variables))

    def join(self, name, other):
        """C that takes another running value into one."""
        return " ".join(f"{mine} = {variable.combine(mine, its)};" for mine, its, variable
                        in zip(self.names(name), self.names(other), self.variables))

    def result(self, name):
        return self.value(*self.names(name))


def _larger(a, b):
    return f"{a} > {b} ? {a} : {b}"


def _smaller(a, b):
    return f"{a} < {b} ? {a} : {b}"


def fold(name, work):
    """The `Fold` of a reduction whose elements are computed as dtype code `work`."""
    T = ELEMENTS[work]
    if name in ("max", "min") and T.kind == "real":
        bits = T.computed[1:]
        unsigned = f"BITS{bits}({{0}})"
        variables = (Variable(f"i{bits}", LOWEST[f"i{bits}"], _larger, f"(i{bits}){unsigned}".format),
                     Variable(f"u{bits}", f"(u{bits})-1", _smaller, unsigned.format),
                     Variable(f"u{bits}", "0", _larger, unsigned.format))
        return Fold(variables, f"{name}_of_bits_{T.suffix}({{0}}, {{1}}, {{2}})".format)
    only = Variable(T.computed, identity(name, T), partial(combined, name, work), partial(entered, name, work))
    return Fold((only,), "{0}".format)


def keys(name, work):
    """(C type of running extremes, their start, C that makes one of an element): integers of the elements' order."""
    T = ELEMENTS[work]
    start = identity(name, T)
    if T.kind != "real":
        return T.computed, start, "{0}".format
    return f"i{T.computed[1:]}", f"key_{name}_{T.suffix}({start})", f"key_{name}_{T.suffix}({{0}})".format


def total_code(traits, name, work):
    """The dtype code that blocks are added up in."""
    return FLOAT64 if work == FLOAT32 and traits.fp64 and name in ("sum", "square_sum") else work


def totals_of(traits, mapped):
    """The dtype codes of what blocks of rows add up to on a processor."""
    return [total_code(traits, name, mapped.work) for name in mapped.names]


def lanes(*codes):
    return 64 // max(int(ELEMENTS[code].computed[1:]) // 8 for code in codes)


def rows(traits, mapped):
    """Each output from axes of its own, in parts or not."""
    names, work = mapped.names, mapped.work
    neighbours = "s" not in mapped.steps
    totals = totals_of(traits, mapped)
    inner = [work] * len(names) if neighbours else totals       # one by one, double costs nothing and saves digits
    folded = list(map(fold, names, inner))
    width = lanes(work, mapped.number, *mapped.ins)
    streams = 4 if len(mapped.program) <= HEAVY else 2
    values = mapped.values(inner, {"1": "k", "0": "0", "s": "k * {0}_step"}.get)

    def each(text):
        return " ".join(map(text, range(len(names))))

    def loop(hint, first, stop, into):
        taken = each(lambda j: folded[j].take(f"{into}{j}", f"s{j}"))
        return (f"                {hint}\n                for (int k = {first}; k < {stop}; k++) "
                f"{{ {values} {{ ANY_ORDER {taken} }} }}\n")

    together = _rows_together(mapped, folded, inner, width) if neighbours and not mapped.parted else ""
    decided = {"any": "if (total0) break;", "all": "if (!total0) break;"}.get(names[0], "") if len(names) == 1 else ""
    block = BLOCK if neighbours else SCATTERED_BLOCK
    # combining lanes and ends is a chain of its own, which the processor does not see the next row's elements behind
    fetched = mapped.fetched("{0}_base + {0}_strides.s0 + begin", "count")
    ahead = f"if (end - at <= {block}) {{ {fetched} }}" if neighbours else ""
    return f"""\
{together}        {declared(names, totals, "total{}")}
        for (i64 q = q_begin; q < q_end; q++) {{
            {" ".join(f"i64 {i}_row = {i}_base;" for i in mapped.operands())}
            {walk({f"{i}_row": f"{i}_inner" for i in mapped.operands()}, "q", "inner_sizes")}
            for (i64 at = begin; at < end; at += {block}) {{
                {mapped.pointers("{0}_row + at * {1}")}
                const int count = end - at < {block} ? (int)(end - at) : {block};
                const int even = count - count % {streams * width};
                {each(lambda j: folded[j].start(f"sum{j}", f"rest{j}"))}
                {ahead}
{loop(f"LANES({width}, {streams})", "0", "even", "sum")}{loop(f"MASKED_LANES({width})", "even", "count", "rest")}\
                {each(lambda j: folded[j].join(f"sum{j}", f"rest{j}"))}
                {each(lambda j: f"const {ELEMENTS[totals[j]].computed} block{j} = {folded[j].result(f'sum{j}')}; "
                                f"total{j} = {combined(names[j], totals[j], f'total{j}', f'block{j}')};")}
                {decided}
            }}
            {decided}
        }}
        {_stored_row(mapped, totals)}
"""


def _rows_together(mapped, folded, codes, width):
    """C that takes some short rows that are neighbours at once."""
    each, results = range(TOGETHER), range(len(folded))
    taken = [mapped.values(codes, {"1": "k", "0": "0"}.get, f"{{0}}_{row}") for row in each]

    def loop(hint, first, stop, into):
        text = " ".join(f"{{ {taken[row]} {{ ANY_ORDER "
                        f"{' '.join(folded[j].take(f'{into}{j}_{row}', f's{j}') for j in results)} }} }}"
                        for row in each)
        return f"            {hint}\n            for (int k = {first}; k < {stop}; k++) {{ {text} }}\n"

    def starts(into):
        return " ".join(folded[j].start(*(f"{into}{j}_{row}" for row in each)) for j in results)

    pointers = " ".join(mapped.pointers(f"{{0}}_base + {row} * {{0}}_strides.s0 + begin * {{1}}", f"_{row}")
                        for row in each)
    fetched = mapped.fetched(f"{{0}}_base + {2 * TOGETHER} * {{0}}_strides.s0 + begin", f"{TOGETHER} * count")
    ends = " ".join(folded[j].join(f"sum{j}_{row}", f"rest{j}_{row}") for row in each for j in results)
    stored = " ".join(mapped.store([folded[j].result(f"sum{j}_{row}") for j in results], codes,
                                   f"out_base + {row} * out_strides.s0") for row in each)
    return f"""\
        if (repeat == 1 && end - begin <= {SHORT} && left >= {TOGETHER} && o + {TOGETHER} <= last) {{
            const int count = (int)(end - begin), even = count - count % {width};
            {pointers}
            {fetched}
            {starts("sum")}
{loop(f"LANES({width}, 1)", "0", "even", "sum")}            if (even < count) {{
            {starts("rest")}
{loop(f"MASKED_LANES({width})", "even", "count", "rest")}            {ends}
            }}
            {stored}
            NEXT({TOGETHER});
            continue;
        }}
"""


def _stored_row(mapped, codes):
    """C that stores an output, or keeps a part of it; whoever kept the last one combines them, in order, and stores."""
    totals = [f"total{j}" for j in range(len(codes))]
    store = mapped.store(totals, codes)
    if not mapped.parted:
        return store
    keep = " ".join(f"p{j}[o * all_splits + part] = {total};" for j, total in enumerate(totals))
    start = " ".join(f"{total} = {identity(name, ELEMENTS[code])};"
                     for name, code, total in zip(mapped.names, codes, totals))
    take = " ".join(f"{total} = {combined(name, code, total, f'p{j}[at]')};"
                    for j, (name, code, total) in enumerate(zip(mapped.names, codes, totals)))
    return (f"{keep} if (LAST_ARRIVED(arrivals + o, all_splits)) {{ {start} "
            f"for (i64 at = o * all_splits; at < (o + 1) * all_splits; at++) {{ {take} }} {store} }}")


def columns(mapped):
    """Neighbouring outputs from elements that are neighbours or apart, in parts or not: ``width`` a group.

    256 rows are combined apart, then with the others; of them four rows among themselves first.
    """
    names, work = mapped.names, mapped.work
    T, results = ELEMENTS[work], range(len(names))
    width = lanes(work, mapped.number, *mapped.ins)
    fours = 4 if T.kind != "complex" else 1
    streams = 1 if len(names) > 1 else 4 if len(mapped.program) <= HEAVY else 2

    def taken(row):
        values = mapped.values([work] * len(names), {"1": f"{row} * {{0}}_step + l", "0": f"{row} * {{0}}_step",
                                                     "s": f"{row} * {{0}}_step + l * {{0}}_apart"}.get)
        kept = " ".join(f"x{j}_{row} = {entered(names[j], work, f's{j}')};" for j in results)
        return f"{{ {values} {kept} }}"

    def loops(count):
        xs = " ".join(f"{T.computed} {', '.join(f'x{j}_{row}' for row in range(count))};" for j in results)

        def all_of(j, rows):
            return rows[0] if len(rows) == 1 else combined(
                names[j], work, f"({all_of(j, rows[:len(rows) // 2])})", f"({all_of(j, rows[len(rows) // 2:])})")

        ends = " ".join(f"{{ const {T.computed} x = {all_of(j, [f'x{j}_{row}' for row in range(count)])}; "
                        f"sum{j}[l] = {combined(names[j], work, f'sum{j}[l]', 'x')}; }}" for j in results)
        text = f"{{ {xs} {' '.join(map(taken, range(count)))} {ends} }}"
        return "".join(f"            {hint}\n            for (int l = {begin}; l < {stop}; l++) {text}\n"
                       for hint, begin, stop in ((f"LANES({width}, {streams})", 0, "even"),
                                                 (f"MASKED_LANES({width})", "even", "count")))

    def forth(count):
        return " ".join(f"{i} += {count} * {i}_step;" for i in mapped.operands())

    together = f"""        for (; k + {fours} <= stop; k += {fours}) {{
{loops(fours)}            {forth(fours)}
        }}
""" if fours > 1 else ""
    start = " ".join(f"kept{j}[l] = {identity(names[j], T)};" for j in results)
    return f"""\
    const int count = columns - column < width ? (int)(columns - column) : (int)width;
    const int even = count - count % {streams * width};
    ALIGNED {T.computed} {", ".join(f"kept{j}[{WIDTH}], sum{j}[{WIDTH}]" for j in results)};
    for (int l = 0; l < count; l++) {{ {start} }}
    while (k < end) {{
        const i64 stop = k + 256 < end ? k + 256 : end;
        for (int l = 0; l < count; l++) {{ {start.replace("kept", "sum")} }}
{together}        for (; k < stop; k++) {{
{loops(1)}            {forth(1)}
        }}
        LANES({width}, 1)
        for (int l = 0; l < count; l++) {{
            {" ".join(f"kept{j}[l] = {combined(names[j], work, f'kept{j}[l]', f'sum{j}[l]')};" for j in results)}
        }}
    }}
{_PARTS_OF_COLUMNS.format(
    keep=" ".join(f"p{j}[(which * splits + part) * width + l] = kept{j}[l];" for j in results), start=start,
    take=" ".join(f"kept{j}[l] = {combined(names[j], work, f'kept{j}[l]', f'p{j}[from + l]')};" for j in results),
    width=width) if mapped.parted else ""}\
    for (int l = 0; l < count; l++) {{
        {mapped.store([f"kept{j}[l]" for j in results], [work] * len(names), "out_base + l * out_step")}
    }}
"""


# As for rows, but that a group which is not the last leaves.
_PARTS_OF_COLUMNS = """\
    for (int l = 0; l < count; l++) {{ {keep} }}
    if (!LAST_ARRIVED(arrivals + which, splits)) return;
    for (int l = 0; l < count; l++) {{ {start} }}
    for (i64 other = 0; other < splits; other++) {{
        const i64 from = (which * splits + other) * width;
        LANES({width}, 1)
        for (int l = 0; l < count; l++) {{ {take} }}
    }}
"""
