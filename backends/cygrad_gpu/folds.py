"""Source of reductions for processors: a group is one item; the elements it combines go through vectors of lanes.

The compiler makes vectors of a loop that folds into one variable if it knows the operation: sums, products, least and
greatest integers, bits. Floats are compared as integers that are ordered as they are (`key_max_f32`), NaN beyond all.
Sums are cascaded: BLOCK elements are summed in lanes, blocks in double where the device has it. Rows of one block are
taken TOGETHER, so that the loop's head and the ends of the chains of additions are not waited for row by row.
"""
from cygrad.backend import REDUCE

from cygrad_gpu.accumulators import COMBINE, accumulator, columns_kernel, decompose, identity, rows_kernel
from cygrad_gpu.dtypes import ELEMENTS, FLOAT32, FLOAT64, convert
from cygrad_gpu.formulas import expression

BLOCK = 4096                # elements that are combined apart
SCATTERED_BLOCK = 512       # the same where they are no neighbours: then lanes may be refused, and a block is one chain
TOGETHER = 8                # short rows in one loop
WIDTH = 1024                # columns that a group keeps results of, at most
NATIVE = "{0} > {1} ? {0} : {1}", "{0} < {1} ? {0} : {1}"


def fold(name, work):
    """(C type of the running value, its start, how two are combined, how an element gets in, and how it gets out)."""
    T = ELEMENTS[work]
    start = identity(name, T)
    if name in ("max", "min") and T.kind == "real":
        key = "i" + T.computed[1:]
        return (key, f"key_{name}_{T.suffix}({start})", NATIVE[name == "min"].format,
                f"key_{name}_{T.suffix}({{0}})".format, f"from_key_{T.suffix}({{0}})".format)
    if name in ("max", "min"):
        return T.computed, start, NATIVE[name == "min"].format, "{0}".format, "{0}".format
    square = f"SQUARE_{T.suffix}({{0}})".format if name == "square_sum" else "{0}".format
    return (T.computed, start, lambda a, b: expression(COMBINE[name], T, a, b), square, "{0}".format)


def total_code(traits, name, work):
    """The dtype code that blocks are added up in."""
    return FLOAT64 if work == FLOAT32 and traits.fp64 and name in ("sum", "square_sum") else work


def lanes(*codes):
    return 64 // max(int(ELEMENTS[code].computed[1:]) // 8 for code in codes)


def _rows_together(kind, first, combine, value, store, width):
    """C that takes TOGETHER neighbouring rows of one block at once, as long as there are so many.

    `value` and `store` are functions: of a row's pointer; of a result and its row's number.
    """
    each = range(TOGETHER)

    def loop(hint, begin, end, name):
        steps = "ANY_ORDER\n" + "\n".join(f"                const {kind} x{j} = {value(f'row{j}')}; "
                          f"{name}{j} = {combine(f'{name}{j}', f'x{j}')};" for j in each)
        return f"            {hint}\n            for (i64 k = {begin}; k < {end}; k++) {{\n{steps}\n            }}"

    def starts(name):
        return f"{kind} " + ", ".join(f"{name}{j} = {first}" for j in each)

    return f"""\
        if (repeat == 1 && end - begin <= BLOCK && left >= {TOGETHER} && o + {TOGETHER} <= last) {{
            const i64 even = end - (end - begin) % {width};
            FETCH(ELEMENT, a + a_base + {4 * TOGETHER} * strides.s0, {TOGETHER} * (end - begin));
            {"; ".join(f"GLOBAL const ELEMENT *row{j} = a + a_base + {j} * strides.s0" for j in each)};
            {starts("sum")};
{loop(f"LANES({width}, 1)", "begin", "even", "sum")}
            if (even < end) {{
            {starts("rest")};
{loop(f"MASKED_LANES({width})", "even", "end", "rest")}
            {" ".join(f"sum{j} = {combine(f'sum{j}', f'rest{j}')};" for j in each)}
            }}
            {" ".join(store(f"sum{j}", j) for j in each)}
            NEXT({TOGETHER});
            continue;
        }}
"""


def rows(traits, op, code, out_code, neighbours):
    """Each output from axes of its own; see `rows_kernel`."""
    name, element, out = REDUCE[op], ELEMENTS[code], ELEMENTS[out_code]
    work = accumulator(name, out_code)
    kind, first, combine, enter, leave = fold(name, work)
    total = total_code(traits, name, work)
    whole = ELEMENTS[total]
    if not neighbours and total != work:        # one by one, so that double costs nothing and saves digits
        kind = whole.computed
    width = lanes(code, work)

    def value(row):
        return enter(convert(f"LOAD_{element.name}({row}, {'k' if neighbours else 'k * step'})",
                             element.compute_code, work))

    def store(value, row, code=work):
        return f"STORE_{out.name}(out, out_base + {row} * out_strides.s0, {convert(leave(value), code, out_code)});"

    added = expression(COMBINE[name], whole, "total", "sum") if total != work else combine("total", "sum")
    decided = {"any": "if (total) break;", "all": "if (!total) break;"}.get(name, "")
    together = _rows_together(kind, first, combine, value, store, width) if neighbours else ""
    return f"""
#define BLOCK {BLOCK if neighbours else SCATTERED_BLOCK}
#define ELEMENT {element.stored}
""" + rows_kernel(element, out, f"""\
{together}\
        {whole.computed if total != work else kind} total = {first};
        for (i64 q = q_begin; q < q_end; q++) {{
            i64 base = a_base;
            {decompose("q", "inner_sizes", {"base": "inner_strides"})}
            GLOBAL const ELEMENT *row = a + base;
            for (i64 at = begin; at < end; at += BLOCK) {{
                const i64 stop = at + BLOCK < end ? at + BLOCK : end, even = stop - (stop - at) % {4 * width};
                {kind} sum = {first}, rest = {first};
                LANES({width}, 4)
                for (i64 k = at; k < even; k++) {{
                    ANY_ORDER
                    const {kind} x = {value("row")};
                    sum = {combine("sum", "x")};
                }}
                MASKED_LANES({width})
                for (i64 k = even; k < stop; k++) {{
                    ANY_ORDER
                    const {kind} x = {value("row")};
                    rest = {combine("rest", "x")};
                }}
                sum = {combine("sum", "rest")};
                total = {added};
                {decided}
            }}
            {decided}
        }}
        {store("total", 0, total)}
        NEXT(1);
""")


def columns(traits, op, code, out_code, neighbours):
    """Neighbouring outputs from elements that are neighbours or ``apart``, see `columns_kernel`: ``width`` a group."""
    name, element, out = REDUCE[op], ELEMENTS[code], ELEMENTS[out_code]
    work = accumulator(name, out_code)
    kind, first, combine, enter, leave = fold(name, work)

    def value(row):
        return enter(convert(f"LOAD_{element.name}({row}, {'l' if neighbours else 'l * apart'})",
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
    return f"""
#define WIDTH {WIDTH}
""" + columns_kernel(element, out, f"""\
    const i64 column = block * width;
    const int count = columns - column < width ? (int)(columns - column) : (int)width;
    const int even = count - count % {4 * width};
    i64 base = column * apart, out_base = part + column * out_step;
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
    for (int l = 0; l < count; l++)
        STORE_{out.name}(out, out_base + l * out_step, {convert(leave("kept[l]"), work, out_code)});
""")
