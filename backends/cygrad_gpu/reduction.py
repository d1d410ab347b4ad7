"""Reductions: sums, products, extremes, and the places of extremes.

A group owns one output, or some on a processor, or a stretch of neighbouring outputs (`columns`); where outputs are few
the reduced axis is split, and a second launch reduces the splits' results. An item keeps LANES accumulators: on a
processor, where GROUP is 1, they are the lanes of vectors, elsewhere they hide latency. Sums are cascaded: BLOCK steps
are summed apart and then added, which keeps float32 as exact as pairwise summation does.
"""
from cygrad.backend import ARGREDUCE, REDUCE
from cygrad.tensor import as_tensor_view

from cygrad_gpu import folds
from cygrad_gpu.accumulators import COMBINE, accumulator, decompose, identity
from cygrad_gpu.dtypes import BOOL, ELEMENTS, INT64, convert
from cygrad_gpu.formulas import expression
from cygrad_gpu.parts import RANK
from cygrad_gpu.source import assemble

BLOCK = 64
LANES = 4                   # accumulators of an item


def elements_of_group(traits):
    """How many elements a group should have before an axis is split for more groups.

    A processor's launch is dear. A GPU needs about 2 MB of loads under way at once, which 2048 elements a group, 8 an
    item, give from 1e6 elements on.
    """
    return 131072 if traits.processor else 2048


_WARPS = """
    for (int half_ = 16; half_ > 0; half_ /= 2) {{
        EXCHANGED({T}, other_, total, half_, shared_);
        total = {exchanged};
    }}
    if (ITEM % 32 == 0) shared_[ITEM / 32] = total;
    BARRIER;
    total = shared_[0];
    UNROLL for (int w_ = 1; w_ < GROUP / 32; w_++) {{
        const {T} other_ = shared_[w_];
        total = {exchanged};
    }}
    BARRIER;
"""
_TREE = """
    shared_[ITEM] = total;
    for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {{
        BARRIER;
        if (ITEM < half_) shared_[ITEM] = {shared};
    }}
    BARRIER;
    total = shared_[0];
    BARRIER;
"""


def make_rows(traits, op, code, out_code, neighbours):
    """Each output from axes of its own: ``n`` elements `step` apart, `repeat` times."""
    if traits.processor:
        return folds.make_rows(traits, op, code, out_code, neighbours)
    name, group = REDUCE[op], traits.group
    work, element = accumulator(name, out_code), ELEMENTS[code]
    T = ELEMENTS[work]
    load = convert(f"LOAD_{element.name}(row, {{0}})" if neighbours else f"LOAD_{element.name}(row, ({{0}}) * step)",
                   element.compute_code, work)
    start = identity(name, T)

    def combine(a, b):
        return expression(COMBINE[name], T, a, b)

    def taken(place):
        """The element that is combined, or its square."""
        value = load.format(place)
        return f"SQUARE_{T.suffix}({value})" if name == "square_sum" else value

    form = _WARPS if traits.dialect == "cuda" and T.kind != "complex" else _TREE
    tree = form.format(T=T.computed, shared=combine("shared_[ITEM]", "shared_[ITEM + half_]"),
                       exchanged=combine("total", "other_"))
    body = f"""
#define LANES {LANES}
KERNEL(rows)(ARRAY({ELEMENTS[out_code].stored}, out), ARRAY(const {element.stored}, a), const i64 outputs,
             const i64 owned, const i64 n, const i64 splits, const i64 chunk, const i64 repeat, const i64 q_splits,
             const i64 q_chunk, const i64 step, const axes sizes, const axes strides, const axes out_strides,
             const axes inner_sizes, const axes inner_strides) {{
    OPEN({ELEMENTS[out_code].stored}, out);
    OPEN(const {element.stored}, a);
    LOCAL {T.computed} shared_[GROUP];
    const i64 all_splits = splits * q_splits, part = GROUP_ID % all_splits, first = GROUP_ID / all_splits * owned;
    const i64 last = first + owned < outputs ? first + owned : outputs;
    const i64 begin = part % splits * chunk, end = begin + chunk < n ? begin + chunk : n;
    const i64 q_begin = part / splits * q_chunk, q_end = q_begin + q_chunk < repeat ? q_begin + q_chunk : repeat;
    for (i64 o = first; o < last; o++) {{
    i64 a_base = 0, out_base = part;
    {decompose("o", "sizes", {"a_base": "strides", "out_base": "out_strides"})}
    {T.computed} total, kept[LANES];
    UNROLL for (int l = 0; l < LANES; l++) kept[l] = {start};
    for (i64 q = q_begin; q < q_end; q++) {{
        i64 base = a_base;
        {decompose("q", "inner_sizes", {"base": "inner_strides"})}
        GLOBAL const {element.stored} *row = a + base;
        i64 k = begin;
        while (k + LANES * GROUP <= end) {{
            const i64 stop = k + (i64)BLOCK * LANES * GROUP <= end ? k + (i64)BLOCK * LANES * GROUP : end;
            {T.computed} sum[LANES];
            UNROLL for (int l = 0; l < LANES; l++) sum[l] = {start};
            for (; k + LANES * GROUP <= stop; k += LANES * GROUP)
                UNROLL for (int l = 0; l < LANES; l++) {{
                    const {T.computed} x = {taken("k + l * GROUP + ITEM")};
                    sum[l] = {combine("sum[l]", "x")};
                }}
            UNROLL for (int l = 0; l < LANES; l++) kept[l] = {combine("kept[l]", "sum[l]")};
        }}
        UNROLL for (int l = 0; l < LANES; l++) {{       /* less than LANES * GROUP are left */
            const i64 at = k + l * GROUP + ITEM;
            if (at < end) {{
                const {T.computed} x = {taken("at")};
                kept[l] = {combine("kept[l]", "x")};
            }}
        }}
    }}
    UNROLL for (int width = LANES / 2; width > 0; width /= 2)
        UNROLL for (int l = 0; l < width; l++) kept[l] = {combine("kept[l]", "kept[l + width]")};
    total = kept[0];
    {tree}
    if (ITEM == 0) STORE_{ELEMENTS[out_code].name}(out, out_base, {convert("total", work, out_code)});
    }}
}}
"""
    return "rows", assemble(traits, group, f"#define BLOCK {BLOCK}\n" + body), group


def make_columns(traits, op, code, out_code):
    """Neighbouring outputs from neighbouring elements: ``n`` rows `step` apart are combined column by column."""
    if traits.processor:
        return folds.make_columns(traits, op, code, out_code)
    name, group, lanes = REDUCE[op], traits.group, 1
    work, element = accumulator(name, out_code), ELEMENTS[code]
    T, out = ELEMENTS[work], ELEMENTS[out_code]
    load = convert(f"LOAD_{element.name}(row, k * step + {{0}})", element.compute_code, work)
    start = identity(name, T)

    def combine(a, b):
        return expression(COMBINE[name], T, a, b)

    def taken(place):
        """The element that is combined, or its square."""
        value = load.format(place)
        return f"SQUARE_{T.suffix}({value})" if name == "square_sum" else value


    def loop(bound):
        return f"""
        while (k < end) {{
            const i64 stop = k + BLOCK < end ? k + BLOCK : end;
            {T.computed} sum[LANES];
            for (int l = 0; l < {bound}; l++) sum[l] = {start};
            for (; k < stop; k++)
                for (int l = 0; l < {bound}; l++) {{
                    const {T.computed} x = {taken("l")};
                    sum[l] = {combine("sum[l]", "x")};
                }}
            for (int l = 0; l < {bound}; l++) kept[l] = {combine("kept[l]", "sum[l]")};
        }}
        for (int l = 0; l < {bound}; l++)
            STORE_{out.name}(out, out_base + l * out_step, {convert("kept[l]", work, out_code)});"""

    body = f"""
#define LANES {lanes}
KERNEL(columns)(ARRAY({out.stored}, out), ARRAY(const {element.stored}, a), const i64 columns, const i64 blocks,
                const i64 width, const i64 n, const i64 splits, const i64 chunk, const i64 step, const i64 out_step,
                const axes sizes,
                const axes strides, const axes out_strides) {{
    OPEN({out.stored}, out);
    OPEN(const {element.stored}, a);
    const i64 part = GROUP_ID % splits, which = GROUP_ID / splits, block = which % blocks;
    const i64 column = (block * GROUP + ITEM) * LANES;
    const i64 count = columns - column;
    i64 k = part * chunk, base = column, out_base = part + column * out_step;
    const i64 end = k + chunk < n ? k + chunk : n;
    {T.computed} kept[LANES];
    {decompose("which / blocks", "sizes", {"base": "strides", "out_base": "out_strides"})}
    GLOBAL const {element.stored} *row = a + base;
    for (int l = 0; l < LANES; l++) kept[l] = {start};
    if (count >= LANES) {{{loop("LANES")}
    }} else if (count > 0) {{{loop("count")}
    }}
}}
"""
    return "columns", assemble(traits, group, f"#define BLOCK {BLOCK}\n" + body), group


def _reversed(values, missing):
    values = list(values)[::-1]
    return tuple(values + [missing] * (8 - len(values)))


def reduce(backend, device, op, a, out):
    """The entry `Backend.reduce`."""
    traits = backend.traits(device)
    code, out_code = a.dtype.code, out.dtype.code
    name, kind = REDUCE[op], ELEMENTS[out_code].kind
    if name not in COMBINE or name in ("any", "all") and out_code != BOOL or name == "square_sum" and kind != "real" \
            or name in ("max", "min") and kind == "complex":
        return NotImplemented
    if len(a.shape) > RANK:             # contiguous: others come with fewer axes
        a, out = as_tensor_view(a).view(out.numel(), -1), as_tensor_view(out).view(-1)
    shape, strides, kept = list(a.shape), list(a.stride()), len(out.shape)
    sizes, kept_strides = shape[:kept], strides[:kept]
    inner_sizes, inner_strides = shape[kept:] or [1], strides[kept:] or [1]
    if len(inner_sizes) == 1 and kept and kept_strides[-1] == 1 and inner_strides[0] != 1 and sizes[-1] >= 16:
        return _columns(backend, device, traits, op, a, out, sizes, kept_strides, inner_sizes[0], inner_strides[0])
    return _rows(backend, device, traits, op, a, out, sizes, kept_strides, inner_sizes, inner_strides)


def _product(values):
    result = 1
    for value in values:
        result *= value
    return result


def _dense_strides(sizes, last=1):
    strides = []
    for size in sizes[::-1]:
        strides.append(last)
        last *= size
    return strides[::-1]


def _rows(backend, device, traits, op, a, out, sizes, strides, inner_sizes, inner_strides):
    n, step = inner_sizes[-1], inner_strides[-1]
    outputs, repeat = _product(sizes), _product(inner_sizes[:-1])
    code, out_code = a.dtype.code, out.dtype.code
    work = accumulator(REDUCE[op], out_code)
    wanted, least = traits.units * 4, elements_of_group(traits)
    splits = q_splits = 1
    if outputs < wanted:
        parts = min(-(-wanted // outputs), n * repeat // least)
        if repeat >= parts > 1 and repeat > 1:
            q_splits = parts
        elif parts > 1:
            splits = min(parts, max(n // 256, 1))
    chunk, q_chunk = -(-n // splits), -(-repeat // q_splits)
    if splits > 1:
        chunk = -(-chunk // 64) * 64
    splits, q_splits = -(-n // chunk), -(-repeat // q_chunk)
    owned = max(1, min(16384 // max(n * repeat, 1), -(-outputs // wanted))) if traits.processor else 1
    groups = -(-outputs // owned) * splits * q_splits
    target, target_code, target_strides = out, out_code, out.stride()
    parts = splits * q_splits
    if parts > 1:
        target = backend.scratch(device, backend.dtype_of(work), outputs, parts)
        target_code, target_strides = work, _dense_strides(sizes, parts)
    neighbours = step == 1
    kernel = backend.kernel(device, ("rows", op, code, target_code, neighbours), make_rows, op, code, target_code,
                            neighbours)
    backend.launch(kernel, groups, target, a, outputs, owned, n, splits, chunk, repeat, q_splits, q_chunk, step,
                   _reversed(sizes, 1), _reversed(strides, 0), _reversed(target_strides, 0),
                   _reversed(inner_sizes[:-1], 1), _reversed(inner_strides[:-1], 0))
    if parts > 1:
        again = REDUCE.index("sum") if REDUCE[op] == "square_sum" else op
        _rows(backend, device, traits, again, target, out, sizes, _dense_strides(sizes, parts), [parts], [1])


def _columns_of_group(traits, sizes):
    """(columns that a group reduces, groups side by side); a processor's are wide, if all units have work then."""
    width = traits.group
    if traits.processor:
        width = max(64, min(folds.WIDTH, -(-_product(sizes) // traits.units) + 63 & ~63))
    return width, -(-sizes[-1] // width)


def _columns(backend, device, traits, op, a, out, sizes, strides, n, step):
    code, out_code = a.dtype.code, out.dtype.code
    work = accumulator(REDUCE[op], out_code)
    outer, wanted = _product(sizes[:-1]), traits.units * 4
    width, blocks = _columns_of_group(traits, sizes)
    parts = max(1, min(-(-wanted // (blocks * outer)), n // 64, n * width // elements_of_group(traits)))
    chunk = -(-n // parts)
    parts = -(-n // chunk)
    target, target_code, target_strides = out, out_code, list(out.stride())
    if parts > 1:
        target = backend.scratch(device, backend.dtype_of(work), _product(sizes), parts)
        target_code, target_strides = work, _dense_strides(sizes, parts)
    kernel = backend.kernel(device, ("columns", op, code, target_code), make_columns, op, code, target_code)
    backend.launch(kernel, blocks * outer * parts, target, a, sizes[-1], blocks, width, n, parts, chunk, step,
                   target_strides[-1], _reversed(sizes[:-1], 1), _reversed(strides[:-1], 0),
                   _reversed(target_strides[:-1], 0))
    if parts > 1:
        again = REDUCE.index("sum") if REDUCE[op] == "square_sum" else op
        _rows(backend, device, traits, again, target, out, sizes, _dense_strides(sizes, parts), [parts], [1])


# ---- places of extremes

def make_places(traits, op, code, neighbours, second):
    """The place of the extreme of ``n`` elements `step` apart; a second launch looks at the places the first found."""
    if traits.processor:
        return folds.make_places(traits, op, code, neighbours, second)
    group, lanes = traits.group, 2
    element = ELEMENTS[code]
    T = element.computed
    load = f"LOAD_{element.name}(row, {{0}})" if neighbours else f"LOAD_{element.name}(row, ({{0}}) * step)"
    sign = ">" if ARGREDUCE[op] == "argmax" else "<"
    real = element.kind == "real"

    def better(x, at, v, v_at):         # earlier places win among equals
        nan = f" | (({x} != {x}) & ({v} == {v}))" if real else ""
        same = f"({x} == {v})" + (f" | (({x} != {x}) & ({v} != {v}))" if real else "")
        return f"({x} {sign} {v}){nan} | (({same}) & ({at} < {v_at}))"

    def ahead(x, v):                    # for places that come in order
        return f"({x} {sign} {v})" + (f" | (({x} != {x}) & ({v} == {v}))" if real else "")

    place = "found[o * splits_before + ({0})]" if second else "{0}"
    tree = f"""
    LOCAL {T} values_[GROUP];
    LOCAL i64 places_[GROUP];
    values_[ITEM] = value[0];
    places_[ITEM] = at[0];
    for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {{
        BARRIER;
        if (ITEM < half_) {{
            const {T} x = values_[ITEM + half_];
            const i64 x_at = places_[ITEM + half_];
            if ({better("x", "x_at", "values_[ITEM]", "places_[ITEM]")}) {{ values_[ITEM] = x; places_[ITEM] = x_at; }}
        }}
    }}
    BARRIER;
    at[0] = places_[0];
    BARRIER;
"""
    body = f"""
#define LANES {lanes}
KERNEL(places)(ARRAY(i64, out), ARRAY(const {element.stored}, a), ARRAY(const i64, found), const i64 splits_before,
               const i64 n, const i64 splits, const i64 chunk, const i64 step, const axes sizes, const axes strides,
               const axes out_strides) {{
    OPEN(i64, out);
    OPEN(const {element.stored}, a);
    OPEN(const i64, found);
    const i64 part = GROUP_ID % splits, o = GROUP_ID / splits;
    const i64 begin = part * chunk, end = begin + chunk < n ? begin + chunk : n;
    i64 base = 0, out_base = part;
    {decompose("o", "sizes", {"base": "strides", "out_base": "out_strides"})}
    GLOBAL const {element.stored} *row = a + base;
    {T} value[LANES];
    i64 at[LANES], k = begin;
    for (int l = 0; l < LANES; l++) {{
        at[l] = begin + l * GROUP + ITEM < end ? begin + l * GROUP + ITEM : begin;
        at[l] = {place.format("at[l]")};
        value[l] = {load.format("at[l]")};
    }}
    for (; k + LANES * GROUP <= end; k += LANES * GROUP)
        UNROLL for (int l = 0; l < LANES; l++) {{
            const i64 x_at = {place.format("k + l * GROUP + ITEM")};
            const {T} x = {load.format("x_at")};
            const int ahead = {ahead("x", "value[l]")};
            value[l] = ahead ? x : value[l];
            at[l] = ahead ? x_at : at[l];
        }}
    for (k += ITEM; k < end; k += GROUP) {{
        const i64 x_at = {place.format("k")};
        const {T} x = {load.format("x_at")};
        if ({better("x", "x_at", "value[0]", "at[0]")}) {{ value[0] = x; at[0] = x_at; }}
    }}
    for (int l = 1; l < LANES; l++)
        if ({better("value[l]", "at[l]", "value[0]", "at[0]")}) {{ value[0] = value[l]; at[0] = at[l]; }}
    {tree}
    if (ITEM == 0) out[out_base] = at[0];
}}
"""
    return "places", assemble(traits, group, body), group


def argreduce(backend, device, op, a, out):
    """The entry `Backend.argreduce`."""
    traits, code = backend.traits(device), a.dtype.code
    if ELEMENTS[code].kind == "complex":
        return NotImplemented
    if len(a.shape) > RANK:
        a, out = as_tensor_view(a).view(out.numel(), -1), as_tensor_view(out).view(-1)
    sizes, n = list(a.shape)[:-1], a.shape[-1]
    strides, step = list(a.stride())[:-1], a.stride()[-1]
    outputs = _product(sizes)
    if traits.processor and step != 1 and sizes and strides[-1] == 1 and sizes[-1] >= 16 and n < 1 << 31:
        width, blocks = _columns_of_group(traits, sizes)
        kernel = backend.kernel(device, ("place_columns", op, code), folds.make_place_columns, op, code)
        backend.launch(kernel, blocks * (outputs // sizes[-1]), out, a, sizes[-1], blocks, width, n, step,
                       out.stride()[-1], _reversed(sizes[:-1], 1), _reversed(strides[:-1], 0),
                       _reversed(out.stride()[:-1], 0))
        return
    least = elements_of_group(traits)
    parts = max(1, min(-(-traits.units * 4 // outputs), n // least)) if outputs < traits.units * 4 else 1
    chunk = -(-n // parts)
    parts = -(-n // chunk)
    target, target_strides = out, list(out.stride())
    if parts > 1:
        target = backend.scratch(device, backend.dtype_of(INT64), outputs, parts)
        target_strides = _dense_strides(sizes, parts)
    geometry = (_reversed(sizes, 1), _reversed(strides, 0))

    def launch(second, target, found, before, n, splits, chunk, target_strides):
        neighbours = step == 1
        kernel = backend.kernel(device, ("places", op, code, neighbours, second), make_places, op, code, neighbours,
                                second)
        backend.launch(kernel, outputs * splits, target, a, found, before, n, splits, chunk, step, *geometry,
                       _reversed(target_strides, 0))

    launch(False, target, target, 0, n, parts, chunk, target_strides)
    if parts > 1:
        launch(True, out, target, parts, parts, 1, parts, list(out.stride()))
