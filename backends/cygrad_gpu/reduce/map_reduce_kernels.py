"""Kernels of reductions of programs; map_reduce_programs.py has the words in them."""
from functools import partial

from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.formulas import expression
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.codegen.statements import Declined
from cygrad_gpu.reduce import fold_gpu, fold_processor as folds
from cygrad_gpu.reduce.accumulators import COMBINE, decompose, each_output, identity

HEAVY = 5                   # statements of a program that is computed for fewer vectors at a time
ROWS = """const i64 outputs, const i64 owned, const i64 n, const i64 splits, const i64 chunk, const i64 repeat,
             const i64 q_splits, const i64 q_chunk, const axes sizes, const axes out_strides, const axes inner_sizes"""
COLUMNS = """const i64 columns, const i64 blocks, const i64 width, const i64 n, const i64 splits, const i64 chunk,
             const i64 out_step, const axes sizes, const axes out_strides"""


def make_rows(traits, mapped):
    """Each output from axes of its own."""
    body = (_rows_in_lanes if traits.processor else _rows_in_trees)(traits, mapped)
    walk = f"""\
    const i64 all_splits = splits * q_splits, part = GROUP_ID % all_splits, first = GROUP_ID / all_splits * owned;
    const i64 last = first + owned < outputs ? first + owned : outputs;
    const i64 begin = part % splits * chunk, end = begin + chunk < n ? begin + chunk : n;
    const i64 q_begin = part / splits * q_chunk, q_end = q_begin + q_chunk < repeat ? q_begin + q_chunk : repeat;
{"" if traits.processor else _shared(mapped)}\
{each_output(f"{body}        NEXT(1);{chr(10)}", "0" if mapped.parted else "part",
             {f"{i}_base": f"{i}_strides" for i in mapped.operands()})}\
"""
    return _made(traits, "map_rows", mapped, ROWS,
                 "const i64 {0}_step, const axes {0}_strides, const axes {0}_inner", walk)


def make_columns(traits, mapped):
    """Neighbouring outputs from elements that are neighbours, or ``apart``, or all the same."""
    body = (_columns_in_lanes if traits.processor else _columns_of_items)(mapped)
    bases = {f"{i}_base": f"{i}_strides" for i in mapped.operands()} | {"out_base": "out_strides"}
    text = f"""\
    const i64 part = GROUP_ID % splits, which = GROUP_ID / splits;
    const i64 column = which % blocks * width{"" if traits.processor else " + ITEM"};
    i64 k = part * chunk, out_base = column * out_step{"" if mapped.parted else " + part"};
    const i64 end = k + chunk < n ? k + chunk : n;
    {" ".join(f"i64 {i}_base = column * {i}_apart + k * {i}_step;" for i in mapped.operands())}
    {decompose("which / blocks", "sizes", bases)}
    {mapped.pointers("{0}_base")}
{body}"""
    return _made(traits, "map_columns", mapped, COLUMNS,
                 "const i64 {0}_step, const i64 {0}_apart, const axes {0}_strides", text)


def _made(traits, name, mapped, common, each, body):
    if traits.processor and mapped.has_rare():
        raise Declined("functions with a fast form for most arguments, which elementwise takes")
    work = [mapped.work] * len(mapped.ops)
    pieces = totals_of(traits, mapped) if name == "map_rows" else work
    text = mapped.kernel(name, common, each, body, pieces if mapped.parted else ())
    group = 1 if traits.processor else traits.group
    return name, assemble(traits, group, text if traits.processor else fold_gpu.DEFINES + text), group


def totals_of(traits, mapped):
    """The dtype codes of what blocks of rows add up to on a processor."""
    return [folds.total_code(traits, name, mapped.work) for name in mapped.names]


def _combined(name, code, a, b):
    return expression(COMBINE[name], ELEMENTS[code], a, b)


def _declared(names, codes, variable):
    """C that declares a variable for each result, with what its reduction starts from; `variable` has its number."""
    return " ".join(f"{ELEMENTS[code].computed} {variable.format(j)} = {identity(name, ELEMENTS[code])};"
                    for j, (name, code) in enumerate(zip(names, codes)))


def _rows_in_lanes(traits, mapped):
    """For a processor, see fold_processor.py."""
    names, work = mapped.names, mapped.work
    neighbours = "s" not in mapped.steps
    totals = totals_of(traits, mapped)
    inner = [work] * len(names) if neighbours else totals       # one by one, double costs nothing and saves digits
    folded = [folds.fold(name, code) for name, code in zip(names, inner)]
    width = folds.lanes(work, mapped.number, *mapped.ins)
    streams = 4 if len(mapped.program) <= HEAVY else 2
    values = mapped.values(inner, {"1": "k", "0": "0", "s": "k * {0}_step"}.get)

    def each(text):
        return " ".join(text(j) for j in range(len(names)))

    def loop(hint, first, stop, into):
        taken = each(lambda j: folded[j].take(f"{into}{j}", f"s{j}"))
        return (f"                {hint}\n                for (int k = {first}; k < {stop}; k++) "
                f"{{ {values} {{ ANY_ORDER {taken} }} }}\n")

    together = _rows_together(mapped, folded, inner, width) if neighbours and not mapped.parted else ""
    decided = {"any": "if (total0) break;", "all": "if (!total0) break;"}.get(names[0], "") if len(names) == 1 else ""
    block = folds.BLOCK if neighbours else folds.SCATTERED_BLOCK
    return f"""\
{together}        {_declared(names, totals, "total{}")}
        for (i64 q = q_begin; q < q_end; q++) {{
            {" ".join(f"i64 {i}_row = {i}_base;" for i in mapped.operands())}
            {decompose("q", "inner_sizes", {f"{i}_row": f"{i}_inner" for i in mapped.operands()})}
            for (i64 at = begin; at < end; at += {block}) {{
                {mapped.pointers("{0}_row + at * {0}_step")}
                const int count = end - at < {block} ? (int)(end - at) : {block};
                const int even = count - count % {streams * width};
                {each(lambda j: folded[j].start(f"sum{j}", f"rest{j}"))}
{loop(f"LANES({width}, {streams})", "0", "even", "sum")}{loop(f"MASKED_LANES({width})", "even", "count", "rest")}\
                {each(lambda j: folded[j].join(f"sum{j}", f"rest{j}"))}
                {each(lambda j: f"const {ELEMENTS[totals[j]].computed} block{j} = {folded[j].result(f'sum{j}')}; "
                                f"total{j} = {_combined(names[j], totals[j], f'total{j}', f'block{j}')};")}
                {decided}
            }}
            {decided}
        }}
        {_stored_row(mapped, totals)}
"""


def _rows_together(mapped, folded, codes, width):
    """C that takes some short rows that are neighbours at once, as fold_processor.py does."""
    each, results = range(folds.TOGETHER), range(len(folded))
    taken = [mapped.values(codes, {"1": "k", "0": "0"}.get, f"{{0}}_{row}") for row in each]

    def loop(hint, first, stop, into):
        text = " ".join(f"{{ {taken[row]} {{ ANY_ORDER "
                        f"{' '.join(folded[j].take(f'{into}{j}_{row}', f's{j}') for j in results)} }} }}"
                        for row in each)
        return f"            {hint}\n            for (int k = {first}; k < {stop}; k++) {{ {text} }}\n"

    def starts(into):
        return " ".join(folded[j].start(*(f"{into}{j}_{row}" for row in each)) for j in results)

    pointers = " ".join(mapped.pointers(f"{{0}}_base + {row} * {{0}}_strides.s0 + begin * {{0}}_step", f"_{row}")
                        for row in each)
    fetched = " ".join(f"FETCH({ELEMENTS[code].stored}, {i}_0 + {2 * folds.TOGETHER} * {i}_strides.s0, "
                       f"{folds.TOGETHER} * count);"
                       for i, code, step in zip(mapped.operands(), mapped.ins, mapped.steps) if step == "1")
    ends = " ".join(folded[j].join(f"sum{j}_{row}", f"rest{j}_{row}") for row in each for j in results)
    stored = " ".join(mapped.store([folded[j].result(f"sum{j}_{row}") for j in results], codes,
                                   f"out_base + {row} * out_strides.s0") for row in each)
    return f"""\
        if (repeat == 1 && end - begin <= {folds.SHORT} && left >= {folds.TOGETHER} && o + {folds.TOGETHER} <= last) {{
            const int count = (int)(end - begin), even = count - count % {width};
            {pointers}
            {fetched}
            {starts("sum")}
{loop(f"LANES({width}, 1)", "0", "even", "sum")}            if (even < count) {{
            {starts("rest")}
{loop(f"MASKED_LANES({width})", "even", "count", "rest")}            {ends}
            }}
            {stored}
            NEXT({folds.TOGETHER});
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
    take = " ".join(f"{total} = {_combined(name, code, total, f'p{j}[at]')};"
                    for j, (name, code, total) in enumerate(zip(mapped.names, codes, totals)))
    return (f"{keep} if (LAST_ARRIVED(arrivals + o, all_splits)) {{ {start} "
            f"for (i64 at = o * all_splits; at < (o + 1) * all_splits; at++) {{ {take} }} {store} }}")


def _columns_in_lanes(mapped):
    """For a processor: ROUNDS rows, kept apart, then added up; four rows of one are combined among themselves first."""
    names, work = mapped.names, mapped.work
    T, results = ELEMENTS[work], range(len(names))
    width = folds.lanes(work, mapped.number, *mapped.ins)
    fours = 4 if T.kind != "complex" else 1

    def taken(row):
        values = mapped.values([work] * len(names), {"1": f"{row} * {{0}}_step + l", "0": f"{row} * {{0}}_step",
                                                     "s": f"{row} * {{0}}_step + l * {{0}}_apart"}.get)
        entered = " ".join(f"x{j}_{row} = {_entered(names[j], T, f's{j}')};" for j in results)
        return f"{{ {values} {entered} }}"

    def loops(count):
        xs = " ".join(f"{T.computed} {', '.join(f'x{j}_{row}' for row in range(count))};" for j in results)

        def all_of(j, rows):
            return rows[0] if len(rows) == 1 else _combined(
                names[j], work, f"({all_of(j, rows[:len(rows) // 2])})", f"({all_of(j, rows[len(rows) // 2:])})")

        ends = " ".join(f"{{ const {T.computed} x = {all_of(j, [f'x{j}_{row}' for row in range(count)])}; "
                        f"sum{j}[l] = {_combined(names[j], work, f'sum{j}[l]', 'x')}; }}" for j in results)
        text = f"{{ {xs} {' '.join(taken(row) for row in range(count))} {ends} }}"
        return "".join(f"            {hint}\n            for (int l = {begin}; l < {stop}; l++) {text}\n"
                       for hint, begin, stop in ((f"LANES({width}, {2 if len(names) == 1 else 1})", 0, "even"),
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
    const int even = count - count % {2 * width};
    {T.computed} {", ".join(f"kept{j}[{folds.WIDTH}], sum{j}[{folds.WIDTH}]" for j in results)};
    for (int l = 0; l < count; l++) {{ {start} }}
    while (k < end) {{
        const i64 stop = k + 256 < end ? k + 256 : end;
        for (int l = 0; l < count; l++) {{ {start.replace("kept", "sum")} }}
{together}        for (; k < stop; k++) {{
{loops(1)}            {forth(1)}
        }}
        LANES({width}, 1)
        for (int l = 0; l < count; l++) {{
            {" ".join(f"kept{j}[l] = {_combined(names[j], work, f'kept{j}[l]', f'sum{j}[l]')};" for j in results)}
        }}
    }}
{_PARTS_OF_COLUMNS.format(
    keep=" ".join(f"p{j}[(which * splits + part) * width + l] = kept{j}[l];" for j in results), start=start,
    take=" ".join(f"kept{j}[l] = {_combined(names[j], work, f'kept{j}[l]', f'p{j}[from + l]')};" for j in results),
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


def _entered(name, T, value):
    return f"SQUARE_{T.suffix}({value})" if name == "square_sum" else value


def _taken(mapped, place, target):
    """C that takes the element at `place` into the variables `target`, which has the result's number."""
    T = ELEMENTS[mapped.work]
    values = mapped.values([mapped.work] * len(mapped.names), place)
    folding = " ".join(f"{{ const {T.computed} x = {_entered(name, T, f's{j}')}; "
                       f"{target.format(j)} = {_combined(name, mapped.work, target.format(j), 'x')}; }}"
                       for j, name in enumerate(mapped.names))
    return f"{{ {values} {folding} }}"


def _shared(mapped):
    return "".join(f"    LOCAL {ELEMENTS[mapped.work].computed} shared{j}_[GROUP];\n" for j in range(len(mapped.names)))


def _rows_in_trees(traits, mapped):
    """For a GPU, see fold_gpu.py."""
    names, work = mapped.names, mapped.work
    codes = [work] * len(names)

    def each(text):
        return " ".join(text(j) for j in range(len(names)))

    def lanes(variable):
        kinds = f"{ELEMENTS[work].computed} " + ", ".join(f"{variable}{j}[LANES]" for j in range(len(names)))
        starts = each(lambda j: f"{variable}{j}[l] = {identity(names[j], ELEMENTS[work])};")
        return f"{kinds}; UNROLL for (int l = 0; l < LANES; l++) {{ {starts} }}"

    at = {"1": "at", "0": "0", "s": "at * {0}_step"}.get
    return f"""\
        {lanes("kept")}
        for (i64 q = q_begin; q < q_end; q++) {{
            {" ".join(f"i64 {i}_row = {i}_base;" for i in mapped.operands())}
            {decompose("q", "inner_sizes", {f"{i}_row": f"{i}_inner" for i in mapped.operands()})}
            {mapped.pointers("{0}_row")}
            i64 k = begin;
            while (k + LANES * GROUP <= end) {{
                const i64 stop = k + (i64)BLOCK * LANES * GROUP <= end ? k + (i64)BLOCK * LANES * GROUP : end;
                {lanes("sum")}
                for (; k + LANES * GROUP <= stop; k += LANES * GROUP)
                    UNROLL for (int l = 0; l < LANES; l++) {{
                        const i64 at = k + l * GROUP + ITEM;
                        {_taken(mapped, at, "sum{}[l]")}
                    }}
                UNROLL for (int l = 0; l < LANES; l++) {{
                    {each(lambda j: f"kept{j}[l] = {_combined(names[j], work, f'kept{j}[l]', f'sum{j}[l]')};")}
                }}
            }}
            UNROLL for (int l = 0; l < LANES; l++) {{       /* less than LANES * GROUP are left */
                const i64 at = k + l * GROUP + ITEM;
                if (at < end) {_taken(mapped, at, "kept{}[l]")}
            }}
        }}
        UNROLL for (int w = LANES / 2; w > 0; w /= 2)
            UNROLL for (int l = 0; l < w; l++) {{
                {each(lambda j: f"kept{j}[l] = {_combined(names[j], work, f'kept{j}[l]', f'kept{j}[l + w]')};")}
            }}
{"".join(fold_gpu.folded(traits, ELEMENTS[work], f"kept{j}[0]", f"shared{j}_", partial(_combined, name, work))
         for j, name in enumerate(names))}\
        if (ITEM == 0) {{ {mapped.store([f"kept{j}[0]" for j in range(len(names))], codes)} }}
"""


def _columns_of_items(mapped):
    """For a GPU: a column an item."""
    names, work = mapped.names, mapped.work
    codes = [work] * len(names)
    place = {"1": "0", "0": "0", "s": "0"}.get          # the pointer goes on
    return f"""\
    {_declared(names, codes, "kept{}")}
    if (column >= columns) return;
    while (k < end) {{
        const i64 stop = k + BLOCK < end ? k + BLOCK : end;
        {_declared(names, codes, "sum{}")}
        for (; k < stop; k++) {{
            {_taken(mapped, place, "sum{}")}
            {" ".join(f"{i} += {i}_step;" for i in mapped.operands())}
        }}
        {" ".join(f"kept{j} = {_combined(name, work, f'kept{j}', f'sum{j}')};" for j, name in enumerate(names))}
    }}
    {mapped.store([f"kept{j}" for j in range(len(names))], codes)}
"""
