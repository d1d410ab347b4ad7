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

from cygrad.backend import REDUCE

from cygrad_gpu.codegen.element_types import ELEMENTS, FLOAT32, FLOAT64, convert
from cygrad_gpu.codegen.formulas import expression
from cygrad_gpu.reduce.accumulators import (COMBINE, LOWEST, accumulator, arrive, columns_kernel, decompose, identity,
                                            rows_kernel)

BLOCK = 2048                # elements that are combined apart
SCATTERED_BLOCK = 512       # the same where they are no neighbours: then lanes may be refused, and a block is one chain
TOGETHER = 4                # short rows in one loop
SHORT = 512                 # elements of the longest of them
WIDTH = 1024                # columns that a group keeps results of, at most


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
    enter = f"SQUARE_{T.suffix}({{0}})".format if name == "square_sum" else "{0}".format
    only = Variable(T.computed, identity(name, T), partial(expression, COMBINE[name], T), enter)
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


def lanes(*codes):
    return 64 // max(int(ELEMENTS[code].computed[1:]) // 8 for code in codes)


def _rows_together(folded, value, store, width):
    """C that takes TOGETHER neighbouring rows of one block at once, as long as there are so many.

    `value` and `store` are functions: of a row's pointer; of a running value and its row's number.
    """
    each = range(TOGETHER)

    def loop(hint, begin, end, name):
        steps = "ANY_ORDER\n" + "\n".join(f"                const VALUE x{j} = {value(f'row{j}')}; "
                                          f"{folded.take(f'{name}{j}', f'x{j}')}" for j in each)
        return f"            {hint}\n            for (int k = {begin}; k < {end}; k++) {{\n{steps}\n            }}"

    return f"""\
        if (repeat == 1 && end - begin <= {SHORT} && left >= {TOGETHER} && o + {TOGETHER} <= last) {{
            const int count = (int)(end - begin), even = count - count % {width};
            FETCH(ELEMENT, a + a_base + {2 * TOGETHER} * strides.s0 + begin, {TOGETHER} * count);
            {"; ".join(f"GLOBAL const ELEMENT *row{j} = a + a_base + {j} * strides.s0 + begin" for j in each)};
            {folded.start(*(f"sum{j}" for j in each))}
{loop(f"LANES({width}, 1)", "0", "even", "sum")}
            if (even < count) {{
            {folded.start(*(f"rest{j}" for j in each))}
{loop(f"MASKED_LANES({width})", "even", "count", "rest")}
            {" ".join(folded.join(f"sum{j}", f"rest{j}") for j in each)}
            }}
            {" ".join(store(folded.result(f"sum{j}"), j) for j in each)}
            NEXT({TOGETHER});
            continue;
        }}
"""


def rows(traits, op, code, out_code, neighbours, parted=False):
    """Each output from axes of its own, in parts or not; see `rows_kernel`."""
    name, element, out = REDUCE[op], ELEMENTS[code], ELEMENTS[out_code]
    work = accumulator(name, out_code)
    total = total_code(traits, name, work)
    inner = work if neighbours else total       # one by one, double costs nothing and saves digits
    folded, whole = fold(name, inner), ELEMENTS[total]
    width = lanes(code, work)

    def value(row):
        return convert(f"LOAD_{element.name}({row}, {'k' if neighbours else 'k * step'})", element.compute_code, inner)

    def store(value, row, code=inner):
        return f"STORE_{out.name}(out, out_base + {row} * out_strides.s0, {convert(value, code, out_code)});"

    decided = {"any": "if (total) break;", "all": "if (!total) break;"}.get(name, "")
    together = _rows_together(folded, value, store, width) if neighbours and not parted else ""
    stored = store("total", 0, total)
    # combining lanes and ends is a chain of its own, which the processor does not see the next row's elements behind
    ahead = f"{' ' * 16}if (end - at <= BLOCK) FETCH(ELEMENT, a + a_base + strides.s0 + begin, count);\n" * neighbours
    return f"""
#define BLOCK {BLOCK if neighbours else SCATTERED_BLOCK}
#define ELEMENT {element.stored}
typedef {ELEMENTS[inner].computed} VALUE;
""" + rows_kernel(element, out, f"""\
{together}\
        {whole.computed} total = {identity(name, whole)};
        for (i64 q = q_begin; q < q_end; q++) {{
            i64 base = a_base;
            {decompose("q", "inner_sizes", {"base": "inner_strides"})}
            for (i64 at = begin; at < end; at += BLOCK) {{
                GLOBAL const ELEMENT *row = a + base + at{'' if neighbours else ' * step'};
                const int count = end - at < BLOCK ? (int)(end - at) : BLOCK, even = count - count % {4 * width};
                {folded.start("sum", "rest")}
{ahead}                LANES({width}, 4)
                for (int k = 0; k < even; k++) {{
                    ANY_ORDER
                    const VALUE x = {value("row")};
                    {folded.take("sum", "x")}
                }}
                MASKED_LANES({width})
                for (int k = even; k < count; k++) {{
                    ANY_ORDER
                    const VALUE x = {value("row")};
                    {folded.take("rest", "x")}
                }}
                {folded.join("sum", "rest")}
                const {whole.computed} block = {folded.result("sum")};
                total = {expression(COMBINE[name], whole, "total", "block")};
                {decided}
            }}
            {decided}
        }}
{arrive(name, whole, stored) if parted else f"        {stored}"}
        NEXT(1);
""", parts=whole if parted else None)


def columns(traits, op, code, out_code, neighbours, parted=False):
    """Neighbouring outputs from elements that are neighbours or ``apart``, in parts or not: ``width`` a group."""
    name, element, out = REDUCE[op], ELEMENTS[code], ELEMENTS[out_code]
    work = accumulator(name, out_code)
    T = ELEMENTS[work]
    kind, first = T.computed, identity(name, T)
    square = f"SQUARE_{T.suffix}({{0}})" if name == "square_sum" else "{0}"

    def combine(a, b):
        return expression(COMBINE[name], T, a, b)

    def value(row):
        return square.format(convert(f"LOAD_{element.name}({row}, {'l' if neighbours else 'l * apart'})",
                                     element.compute_code, work))

    width = lanes(code, work)

    def each_column(indent, *statements):
        """Loops over the columns: those that fill vectors, and the rest."""
        text = "".join(f"{indent}    {line}\n" for line in statements)
        return "".join(f"{indent}{hint}\n{indent}for (int l = {first}; l < {stop}; l++) {{\n{text}{indent}}}\n"
                       for hint, first, stop in ((f"LANES({width}, 4)", 0, "even"),
                                                 (f"MASKED_LANES({width})", "even", "count")))

    fours = ""
    if ELEMENTS[work].kind != "complex":
        four = combine(f"({combine('x0', 'x1')})", f"({combine('x2', 'x3')})")
        fours = f"""        for (; k + 4 <= stop; k += 4, row += 4 * step) {{
{each_column(" " * 12, *(f"const {kind} x{j} = {value(f'row + {j} * step')};" for j in range(4)),
             f"const {kind} x = {four};", f"sum[l] = {combine('sum[l]', 'x')};")}        }}
"""
    arrived = ""
    if parted:                          # the last group of these columns has all parts, and combines them in order
        arrived = f"""\
    GLOBAL {T.stored} *mine = pieces + (which * splits + part) * width;
{each_column(" " * 4, f"STORE_{T.name}(mine, l, kept[l]);")}\
    if (!LAST_ARRIVED(arrivals + which, splits)) return;
    mine -= part * width;
    for (int l = 0; l < count; l++) kept[l] = {first};
    for (i64 other = 0; other < splits; other++, mine += width) {{
{each_column(" " * 8, f"const {kind} x = LOAD_{T.name}(mine, l);", f"kept[l] = {combine('kept[l]', 'x')};")}\
    }}
"""
    return f"""
#define WIDTH {WIDTH}
""" + columns_kernel(element, out, f"""\
    const i64 column = block * width;
    const int count = columns - column < width ? (int)(columns - column) : (int)width;
    const int even = count - count % {4 * width};
    i64 base = column * apart, out_base = column * out_step;
    {kind} kept[WIDTH], sum[WIDTH];
    {decompose("which / blocks", "sizes", {"base": "strides", "out_base": "out_strides"})}
    GLOBAL const {element.stored} *row = a + base + k * step;
    for (int l = 0; l < count; l++) kept[l] = {first};
    while (k < end) {{
        const i64 stop = k + 256 < end ? k + 256 : end;
        for (int l = 0; l < count; l++) sum[l] = {first};
{fours}        for (; k < stop; k++, row += step) {{
{each_column(" " * 12, f"const {kind} x = {value('row')};", f"sum[l] = {combine('sum[l]', 'x')};")}        }}
{each_column(" " * 8, f"kept[l] = {combine('kept[l]', 'sum[l]')};")}\
    }}
{arrived}\
    for (int l = 0; l < count; l++)
        STORE_{out.name}(out, out_base + l * out_step, {convert("kept[l]", work, out_code)});
""", parts=T if parted else None)
