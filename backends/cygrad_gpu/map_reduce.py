"""Reductions of what programs make of their operands: the entry `map_reduce`, and its kernels; see mapped.py.

They are cut as those of `reduce`: a group owns an output, or some, or a stretch of neighbouring ones (`columns`), and
where outputs are few a second launch, of a program that only loads, reduces the first one's results and finishes them.
"""
from functools import partial
from math import prod

from cygrad.view import View

from cygrad_gpu import folds, trees
from cygrad_gpu.accumulators import COMBINE, decompose, identity
from cygrad_gpu.dtypes import BOOL, ELEMENTS
from cygrad_gpu.formulas import expression
from cygrad_gpu.indexing import reversed_axes
from cygrad_gpu.mapped import Mapped
from cygrad_gpu.reduction import SHORT, columns_of_group, dense_strides, elements_of_group, owned_rows, parts_wanted
from cygrad_gpu.source import assemble
from cygrad_gpu.statements import Declined

HEAVY = 5                   # statements of a program that is computed for fewer vectors at a time
ROWS = """const i64 outputs, const i64 owned, const i64 n, const i64 splits, const i64 chunk, const i64 repeat,
             const i64 q_splits, const i64 q_chunk, const axes sizes, const axes out_strides, const axes inner_sizes"""
COLUMNS = """const i64 columns, const i64 blocks, const i64 width, const i64 n, const i64 splits, const i64 chunk,
             const i64 out_step, const axes sizes, const axes out_strides"""


# ---- sources

def make_rows(traits, mapped):
    """Each output from axes of its own."""
    body = (_rows_in_lanes if traits.processor else _rows_in_trees)(traits, mapped)
    bases = {f"{i}_base": f"{i}_strides" for i in mapped.operands()} | {"out_base": "out_strides"}
    start = " ".join(f"i64 {base} = {'part' if base == 'out_base' else 0};" for base in bases)
    walk = f"""\
    const i64 all_splits = splits * q_splits, part = GROUP_ID % all_splits, first = GROUP_ID / all_splits * owned;
    const i64 last = first + owned < outputs ? first + owned : outputs;
    const i64 begin = part % splits * chunk, end = begin + chunk < n ? begin + chunk : n;
    const i64 q_begin = part / splits * q_chunk, q_end = q_begin + q_chunk < repeat ? q_begin + q_chunk : repeat;
{"" if traits.processor else _shared(mapped)}\
    for (i64 o = first; o < last; o++) {{
        {start}
        {decompose("o", "sizes", bases)}
{body}    }}
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
    i64 k = part * chunk, out_base = part + column * out_step;
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
    text = mapped.kernel(name, common, each, body)
    group = 1 if traits.processor else traits.group
    return name, assemble(traits, group, text if traits.processor else trees.DEFINES + text), group


def _combined(name, code, a, b):
    return expression(COMBINE[name], ELEMENTS[code], a, b)


def _declared(names, codes, variable):
    """C that declares a variable for each result, with what its reduction starts from; `variable` has its number."""
    return " ".join(f"{ELEMENTS[code].computed} {variable.format(j)} = {identity(name, ELEMENTS[code])};"
                    for j, (name, code) in enumerate(zip(names, codes)))


def _rows_in_lanes(traits, mapped):
    """For a processor, see folds.py."""
    names, work = mapped.names, mapped.work
    neighbours = "s" not in mapped.steps
    totals = [folds.total_code(traits, name, work) for name in names]
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

    decided = {"any": "if (total0) break;", "all": "if (!total0) break;"}.get(names[0], "") if len(names) == 1 else ""
    block = folds.BLOCK if neighbours else folds.SCATTERED_BLOCK
    return f"""\
        {_declared(names, totals, "total{}")}
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
        {mapped.store([f"total{j}" for j in range(len(names))], totals)}
"""


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
    for (int l = 0; l < count; l++)
        {{ {mapped.store([f"kept{j}[l]" for j in results], [work] * len(names), "out_base + l * out_step")} }}
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
    """For a GPU, see trees.py."""
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
{"".join(trees.folded(traits, ELEMENTS[work], f"kept{j}[0]", f"shared{j}_", partial(_combined, name, work))
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


# ---- the entry

class MapReduce:
    """An entry's programs and reductions, for operands of any dtype and geometry; numbers come when it is run."""

    def __init__(self, program, ops, finish, outs):
        self.program, self.ops, self.finish, self.outs = program, ops, finish, outs
        self.declined = set()

    def run(self, backend, device, *given):
        """Launch; `given`: outs, operands, then the numbers of both programs."""
        views = [view for view in given if isinstance(view, View)]
        outs, ins, numbers = views[:self.outs], views[self.outs:], given[len(views):]
        codes, out_code = tuple(view.dtype.code for view in ins), outs[0].dtype.code
        number = ELEMENTS[next((code for code in codes if code != BOOL), out_code)].compute_code
        mapped = Mapped(self.program, number, codes, self.ops, self.finish, len(outs), out_code)
        if mapped in self.declined:
            return NotImplemented
        count = sum(step[0] == "number" for step in self.program)
        numbers = [_arguments(number, numbers[:count]), _arguments(mapped.work, numbers[count:])]
        walks = [_Walk(view, len(outs[0].shape)) for view in ins]
        sizes, inner_sizes, lead = walks[0].sizes, walks[0].inner_sizes, walks[0]
        launch, traits = _rows, backend.traits(device)
        if len(inner_sizes) == 1 and sizes and sizes[-1] >= 16:
            lead = next((walk for walk in walks if walk.strides[-1] and walk.inner[0]), lead)
            if lead.strides[-1] == 1 != lead.inner[0] or traits.processor and inner_sizes[0] <= SHORT:
                launch = _columns
        try:
            return launch(backend, device, traits, mapped, outs, walks, numbers)
        except Declined:
            self.declined.add(mapped)
            return NotImplemented


def _arguments(code, numbers):
    """Numbers as a kernel takes them that computes in a dtype."""
    kind = ELEMENTS[code].kind
    if kind == "complex":
        return [part for number in numbers for part in (complex(number).real, complex(number).imag)]
    return [float(number) if kind == "real" else int(number) for number in numbers]


class _Walk:
    """An operand's way: strides of the kept axes, and of the reduced ones."""

    def __init__(self, view, kept):
        self.view = view
        shape, strides = list(view.shape), list(view.stride())
        self.sizes, self.strides = shape[:kept], strides[:kept]
        self.inner_sizes, self.inner = shape[kept:], strides[kept:]


def _letter(step):
    return "1" if step == 1 else "0" if step == 0 else "s"


def _rows(backend, device, traits, mapped, outs, walks, numbers):
    sizes, inner_sizes = walks[0].sizes, walks[0].inner_sizes
    n, outputs, repeat = inner_sizes[-1], prod(sizes), prod(inner_sizes[:-1])
    wanted, least = parts_wanted(traits), elements_of_group(traits, walks[0].view.dtype.itemsize * len(walks))
    splits = q_splits = 1
    if outputs < wanted:
        parts = min(-(-wanted // outputs), n * repeat // least)
        if repeat >= parts > 1:
            q_splits = parts
        elif parts > 1:
            splits = min(parts, max(n // 256, 1))
    chunk, q_chunk = -(-n // splits), -(-repeat // q_splits)
    if splits > 1:
        chunk = -(-chunk // 64) * 64
    splits, q_splits = -(-n // chunk), -(-repeat // q_chunk)
    owned, parts = owned_rows(traits, outputs, n * repeat), splits * q_splits
    first, targets, strides, given = _first(backend, device, mapped, outs, sizes, parts, numbers)
    compiled = first._replace(steps="".join(_letter(walk.inner[-1]) for walk in walks))
    kernel = backend.kernel(device, ("map_rows", compiled), make_rows, compiled)
    geometry = [value for walk in walks for value in (walk.inner[-1], reversed_axes(walk.strides, 0),
                                                      reversed_axes(walk.inner[:-1], 0))]
    backend.launch(kernel, -(-outputs // owned) * parts, *targets, *(walk.view for walk in walks), *given,
                   outputs, owned, n, splits, chunk, repeat, q_splits, q_chunk, reversed_axes(sizes, 1),
                   reversed_axes(strides, 0), reversed_axes(inner_sizes[:-1], 1), *geometry)
    if parts > 1:
        _second(backend, device, traits, mapped, outs, targets, numbers)


def _first(backend, device, mapped, outs, sizes, parts, numbers):
    """(what the first launch is compiled for, where it writes the results of so many parts, strides, its numbers)."""
    if parts == 1:
        return mapped, outs, list(outs[0].stride()), numbers[0] + numbers[1]
    work = backend.dtype_of(mapped.work)
    targets = [backend.scratch(device, work, *sizes, parts) for _ in mapped.ops]
    return mapped.unfinished(), targets, dense_strides(sizes, parts), numbers[0]


def _second(backend, device, traits, mapped, outs, parts, numbers):
    walks = [_Walk(view, len(outs[0].shape)) for view in parts]
    _rows(backend, device, traits, mapped.parts(), outs, walks, [[], numbers[1]])


def _columns(backend, device, traits, mapped, outs, walks, numbers):
    sizes, n = walks[0].sizes, walks[0].inner_sizes[0]
    outer = prod(sizes[:-1])
    width, blocks = columns_of_group(traits, sizes)
    parts = max(1, min(-(-parts_wanted(traits) // (blocks * outer)), n // 64,
                       n * width // elements_of_group(traits, walks[0].view.dtype.itemsize)))
    chunk = -(-n // parts)
    parts = -(-n // chunk)
    first, targets, strides, given = _first(backend, device, mapped, outs, sizes, parts, numbers)
    compiled = first._replace(steps="".join(_letter(walk.strides[-1]) for walk in walks))
    kernel = backend.kernel(device, ("map_columns", compiled), make_columns, compiled)
    geometry = [value for walk in walks for value in (walk.inner[0], walk.strides[-1],
                                                      reversed_axes(walk.strides[:-1], 0))]
    backend.launch(kernel, blocks * outer * parts, *targets, *(walk.view for walk in walks), *given, sizes[-1],
                   blocks, width, n, parts, chunk, strides[-1], reversed_axes(sizes[:-1], 1),
                   reversed_axes(strides[:-1], 0), *geometry)
    if parts > 1:
        _second(backend, device, traits, mapped, outs, targets, numbers)
