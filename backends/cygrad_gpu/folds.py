"""Source of reductions for processors: a group is one item; the elements it combines go through vectors of lanes.

The compiler makes vectors of a loop that folds into one variable if it knows the operation: sums, products, least and
greatest integers, bits. Floats are compared as integers that are ordered as they are (`key_max_f32`), NaN beyond all.
Sums are cascaded: BLOCK elements are summed in lanes, blocks in double where the device has it.
"""
from cygrad.backend import ARGREDUCE, REDUCE

from cygrad_gpu.accumulators import COMBINE, accumulator, decompose, identity
from cygrad_gpu.dtypes import ELEMENTS, FLOAT32, FLOAT64, convert
from cygrad_gpu.formulas import expression
from cygrad_gpu.source import assemble

BLOCK, FAR_BLOCK = 4096, 512        # elements that are combined apart; such that are no neighbours go one by one
SCATTERED_BLOCK = 512       # the same where they are no neighbours: then lanes may be refused, and a block is one chain
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


def make_rows(traits, op, code, out_code, neighbours):
    """As `reduction.make_rows`: each output from axes of its own, ``n`` elements `step` apart, `repeat` times."""
    name, element, out = REDUCE[op], ELEMENTS[code], ELEMENTS[out_code]
    work = accumulator(name, out_code)
    T = ELEMENTS[work]
    kind, first, combine, enter, leave = fold(name, work)
    total = total_code(traits, name, work)
    whole = ELEMENTS[total]
    if not neighbours and total != work:        # one by one, so that double costs nothing and saves digits
        kind = whole.computed
    place = "row, k" if neighbours else "row, k * step"
    value = enter(convert(f"LOAD_{element.name}({place})", element.compute_code, work))
    width = lanes(code, work)
    decided = {"any": "if (total) break;", "all": "if (!total) break;"}.get(name, "")
    body = f"""
#define BLOCK {BLOCK if neighbours else SCATTERED_BLOCK}
KERNEL(rows)(ARRAY({out.stored}, out), ARRAY(const {element.stored}, a), const i64 outputs,
             const i64 owned, const i64 n, const i64 splits, const i64 chunk, const i64 repeat, const i64 q_splits,
             const i64 q_chunk, const i64 step, const axes sizes, const axes strides, const axes out_strides,
             const axes inner_sizes, const axes inner_strides) {{
    OPEN({out.stored}, out);
    OPEN(const {element.stored}, a);
    const i64 all_splits = splits * q_splits, part = GROUP_ID % all_splits, first = GROUP_ID / all_splits * owned;
    const i64 last = first + owned < outputs ? first + owned : outputs;
    const i64 begin = part % splits * chunk, end = begin + chunk < n ? begin + chunk : n;
    const i64 q_begin = part / splits * q_chunk, q_end = q_begin + q_chunk < repeat ? q_begin + q_chunk : repeat;
    i64 a_base = 0, out_base = part, left = 0;                  /* outputs left on the last of their axes */
    for (i64 o = first; o < last; o++) {{
        if (left == 0) {{
            a_base = 0;
            out_base = part;
            {decompose("o", "sizes", {"a_base": "strides", "out_base": "out_strides"})}
            left = sizes.s0 - o % sizes.s0;
        }}
        {whole.computed if total != work else kind} total = {first};
        for (i64 q = q_begin; q < q_end; q++) {{
            i64 base = a_base;
            {decompose("q", "inner_sizes", {"base": "inner_strides"})}
            GLOBAL const {element.stored} *row = a + base;
            for (i64 at = begin; at < end; at += BLOCK) {{
                const i64 stop = at + BLOCK < end ? at + BLOCK : end, even = stop - (stop - at) % {4 * width};
                {kind} sum = {first}, rest = {first};
                LANES({width}, 4)
                for (i64 k = at; k < even; k++) {{
                    const {kind} x = {value};
                    sum = {combine("sum", "x")};
                }}
                MASKED_LANES({width})
                for (i64 k = even; k < stop; k++) {{
                    const {kind} x = {value};
                    rest = {combine("rest", "x")};
                }}
                sum = {combine("sum", "rest")};
                total = {expression(COMBINE[name], whole, "total", "sum") if total != work
                         else combine("total", "sum")};
                {decided}
            }}
            {decided}
        }}
        STORE_{out.name}(out, out_base, {convert(leave("total"), total, out_code)});
        a_base += strides.s0;
        out_base += out_strides.s0;
        left--;
    }}
}}
"""
    return "rows", assemble(traits, 1, body), 1


def make_columns(traits, op, code, out_code):
    """As `reduction.make_columns`: ``n`` rows `step` apart are combined column by column, `width` of them a group."""
    name, element, out = REDUCE[op], ELEMENTS[code], ELEMENTS[out_code]
    work = accumulator(name, out_code)
    T = ELEMENTS[work]
    kind, first, combine, enter, leave = fold(name, work)

    def value(row):
        return enter(convert(f"LOAD_{element.name}({row}, l)", element.compute_code, work))

    width = lanes(code, work)

    def each_column(indent, *statements):
        """Loops over the columns: those that fill vectors, and the rest."""
        text = "".join(f"{indent}    {line}\n" for line in statements)
        return "".join(f"{indent}{hint}\n{indent}for (int l = {first}; l < {stop}; l++) {{\n{text}{indent}}}\n"
                       for hint, first, stop in ((f"LANES({width}, 4)", 0, "even"),
                                                 (f"MASKED_LANES({width})", "even", "count")))

    fours = ""
    if T.kind != "complex":
        four = combine(f"({combine('x0', 'x1')})", f"({combine('x2', 'x3')})")
        fours = f"""        for (; k + 4 <= stop; k += 4, row += 4 * step) {{
{each_column(" " * 12, *(f"const {kind} x{j} = {value(f'row + {j} * step')};" for j in range(4)),
             f"const {kind} x = {four};", f"sum[l] = {combine('sum[l]', 'x')};")}        }}
"""
    body = f"""
#define WIDTH {WIDTH}
KERNEL(columns)(ARRAY({out.stored}, out), ARRAY(const {element.stored}, a), const i64 columns, const i64 blocks,
                const i64 width, const i64 n, const i64 splits, const i64 chunk, const i64 step, const i64 out_step,
                const axes sizes, const axes strides, const axes out_strides) {{
    OPEN({out.stored}, out);
    OPEN(const {element.stored}, a);
    const i64 part = GROUP_ID % splits, which = GROUP_ID / splits, block = which % blocks, column = block * width;
    const int count = columns - column < width ? (int)(columns - column) : (int)width;
    const int even = count - count % {4 * width};
    i64 k = part * chunk, base = column, out_base = part + column * out_step;
    const i64 end = k + chunk < n ? k + chunk : n;
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
}}
"""
    return "columns", assemble(traits, 1, body), 1


def make_places(traits, op, code, neighbours, second):
    """As `reduction.make_places`: the block with the extreme is kept, and looked through for it at last."""
    element = ELEMENTS[code]
    name, work = ARGREDUCE[op][3:], element.compute_code
    kind, first, combine, enter, _ = fold(name, work)
    place = "found[o * splits_before + k]" if second else "k"
    offset = place if neighbours else f"({place}) * step"
    value = enter(f"LOAD_{element.name}(row, {offset})")
    ahead = ">" if name == "max" else "<"
    width = lanes(code, work)
    step = f"""{{
                const {kind} x = {value};
                top = {combine("top", "x")};
            }}"""
    body = f"""
#define BLOCK 1024
#define LOOK 64
KERNEL(places)(ARRAY(i64, out), ARRAY(const {element.stored}, a), ARRAY(const i64, found), const i64 splits_before,
               const i64 n, const i64 splits, const i64 chunk, const i64 step, const axes sizes, const axes strides,
               const axes out_strides) {{
    OPEN(i64, out);
    OPEN(const {element.stored}, a);
    OPEN(const i64, found);
    const i64 part = GROUP_ID % splits, o = GROUP_ID / splits;
    const i64 begin = part * chunk, end = begin + chunk < n ? begin + chunk : n;
    i64 base = 0, out_base = part, best_at = begin, k;
    {decompose("o", "sizes", {"base": "strides", "out_base": "out_strides"})}
    GLOBAL const {element.stored} *row = a + base;
    {kind} best = {first};
    for (i64 at = begin; at < end; at += BLOCK) {{
        {kind} top = {first};
        if (end - at >= BLOCK) {{
            LANES({width}, 4)
            for (i64 k = at; k < at + BLOCK; k++) {step}
        }} else {{
            MASKED_LANES({width})
            for (i64 k = at; k < end; k++) {step}
        }}
        if (top {ahead} best) {{ best = top; best_at = at; }}
    }}
    for (k = best_at; k + LOOK < end; k += LOOK) {{
        const i64 at = k;
        int here = 0;
        LANES({width}, 1)
        for (i64 k = at; k < at + LOOK; k++) here |= {value} == best;
        if (here) break;
    }}
    while (k < end - 1 && {value} != best) k++;
    out[out_base] = {place};
}}
"""
    return "places", assemble(traits, 1, body), 1


def make_place_columns(traits, op, code):
    """The places of the extremes of neighbouring columns, whose ``n`` elements lie `step` apart."""
    element = ELEMENTS[code]
    name, work = ARGREDUCE[op][3:], element.compute_code
    kind, first, _, enter, _ = fold(name, work)
    body = f"""
#define WIDTH {WIDTH}
KERNEL(place_columns)(ARRAY(i64, out), ARRAY(const {element.stored}, a), const i64 columns, const i64 blocks,
                      const i64 width, const i64 n, const i64 step, const i64 out_step, const axes sizes,
                      const axes strides, const axes out_strides) {{
    OPEN(i64, out);
    OPEN(const {element.stored}, a);
    const i64 column = GROUP_ID % blocks * width;
    const int count = columns - column < width ? (int)(columns - column) : (int)width;
    i64 base = column, out_base = column * out_step;
    {kind} best[WIDTH];
    i32 at[WIDTH];
    {decompose("GROUP_ID / blocks", "sizes", {"base": "strides", "out_base": "out_strides"})}
    GLOBAL const {element.stored} *row = a + base;
    for (int l = 0; l < count; l++) {{
        best[l] = {first};
        at[l] = 0;
    }}
    for (i64 k = 0; k < n; k++, row += step) {{
        MASKED_LANES({lanes(code, work)})
        for (int l = 0; l < count; l++) {{
            const {kind} x = {enter(f"LOAD_{element.name}(row, l)")};
            const int ahead = x {">" if name == "max" else "<"} best[l];
            best[l] = ahead ? x : best[l];
            at[l] = ahead ? (i32)k : at[l];
        }}
    }}
    for (int l = 0; l < count; l++) out[out_base + l * out_step] = at[l];
}}
"""
    return "place_columns", assemble(traits, 1, body), 1
