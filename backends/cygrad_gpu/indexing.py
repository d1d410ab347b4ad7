"""Gather and scatter: elements addressed by an index along one axis.

A group owns a stretch of the result, counted row-major. In a gather every element of it is one item's; in a scatter
every line along the indexed axis is, so that writes to one place keep their order and need no atomics.
"""
from cygrad.backend import SCATTER

from cygrad_gpu.dtypes import ELEMENTS
from cygrad_gpu.formulas import expression
from cygrad_gpu.source import assemble

COMBINE = {"add": "add", "prod": "mul", "max": "maximum", "min": "minimum"}
MOVED = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}     # what moves elements of a size
SPAN = 4096                                                     # elements of a group on a processor
RANK = 8


def reversed_axes(values, rank, missing):
    """Sizes or strides from the last axis on, as kernels take them."""
    return tuple(values[::-1]) + (missing,) * (RANK - rank)


def walk(rank, places, body):
    """C that does `body` for the elements first to stop - 1 of a row-major count over `sizes`.

    `places`: {name: strides}; in the body ``NAME_at`` is the offset there. A processor's item goes along rows, which
    takes a division for each row; elsewhere neighbouring items take neighbouring elements.
    """
    bases = "".join(f"        i64 {name}_base = 0;\n" for name in places)
    above = "".join(f"        {{ const i64 at_axis = rest % sizes.s{axis}; rest /= sizes.s{axis};"
                    + "".join(f" {name}_base += at_axis * {strides}.s{axis};" for name, strides in places.items())
                    + " }\n"
                    for axis in range(1, rank))
    offsets = "".join(f"            const i64 {name}_at = {name}_base + (column + k) * {strides}.s0;\n"
                      for name, strides in places.items())
    return f"""
    for (i64 at = first + ITEM; at < stop; ) {{
        i64 rest = at / sizes.s0;
        const i64 column = at - rest * sizes.s0;
{bases}{above}#if PROCESSOR
        const i64 run = stop - at < sizes.s0 - column ? stop - at : sizes.s0 - column;
#else
        const i64 run = 1;
#endif
        for (i64 k = 0; k < run; k++) {{
{offsets}{body}        }}
        at += PROCESSOR ? run : GROUP;
    }}
"""


def group_of(traits):
    """(items of a group, elements of a group)"""
    return (1, SPAN) if traits.processor else (traits.group, 4 * traits.group)


# ---- gather

def make_gather(traits, size, rank):
    T, (group, _) = MOVED[size], group_of(traits)
    body = "            out[out_at] = src[src_at + index[index_at] * step];\n"
    loop = walk(rank, {"out": "out_strides", "index": "index_strides", "src": "src_strides"}, body)
    text = f"""KERNEL(gather)(ARRAY({T}, out), ARRAY(const i64, index), ARRAY(const {T}, src), const i64 total,
    const i64 span, const i64 step, const axes sizes, const axes out_strides, const axes index_strides,
    const axes src_strides) {{
    OPEN({T}, out); OPEN(const i64, index); OPEN(const {T}, src);
    const i64 first = GROUP_ID * span, stop = first + span < total ? first + span : total;{loop}}}
"""
    return "gather", assemble(traits, group, text), group


def gather(backend, device, src, index, dim, out):
    rank, shape = max(len(out.shape), 1), tuple(out.shape)
    if rank > RANK:
        return NotImplemented
    size, traits = out.dtype.itemsize, backend.traits(device)
    strides = list(src.stride())
    step = strides[dim] if strides else 1
    if strides:
        strides[dim] = 0
    kernel = backend.kernel(device, ("gather", size, rank), make_gather, size, rank)
    total, span = out.numel(), group_of(traits)[1]
    backend.launch(kernel, -(-total // span), out, index, src, total, span, step, reversed_axes(shape, rank, 1),
                   *(reversed_axes(s, rank, 0) for s in (tuple(out.stride()), tuple(index.stride()), tuple(strides))))
    return None


# ---- scatter

def make_scatter(traits, mode, code, rank):
    element, (group, _) = ELEMENTS[code], group_of(traits)
    T = element.stored
    if mode == "set":
        write = "out[place] = src[from];"
    else:
        combined = expression(COMBINE[mode], element, "old", "more")
        write = (f"const {element.computed} old = LOAD_{element.name}(out, place), "
                 f"more = LOAD_{element.name}(src, from); "
                 f"STORE_{element.name}(out, place, {combined});")
    body = f"""            for (i64 j = 0; j < length; j++) {{
                const i64 place = out_at + index[index_at + j * index_step] * out_step, from = src_at + j * src_step;
                {write}
            }}
"""
    loop = walk(rank, {"out": "out_strides", "index": "index_strides", "src": "src_strides"}, body)
    text = f"""KERNEL(scatter)(ARRAY({T}, out), ARRAY(const i64, index), ARRAY(const {T}, src), const i64 total,
    const i64 span, const i64 length, const i64 out_step, const i64 index_step, const i64 src_step, const axes sizes,
    const axes out_strides, const axes index_strides, const axes src_strides) {{
    OPEN({T}, out); OPEN(const i64, index); OPEN(const {T}, src);
    const i64 first = GROUP_ID * span, stop = first + span < total ? first + span : total;{loop}}}
"""
    return "scatter", assemble(traits, group, text), group


def scatter(backend, device, mode, out, dim, index, src):
    rank, shape, traits = max(len(index.shape), 1), list(index.shape), backend.traits(device)
    code = out.dtype.code
    if rank > RANK or mode and ELEMENTS[code].kind == "complex" and SCATTER[mode] in ("max", "min"):
        return NotImplemented
    views = [list(v.stride()) or [1] for v in (out, index, src)]
    shape = shape or [1]
    steps = [strides[dim] for strides in views]
    length, shape[dim] = shape[dim], 1
    for strides in views:
        strides[dim] = 0
    total = 1
    for n in shape:
        total *= n
    group, span = group_of(traits)
    span = max(1, span // length) if traits.processor else group
    kernel = backend.kernel(device, ("scatter", mode, code, rank), make_scatter, SCATTER[mode], code, rank)
    backend.launch(kernel, -(-total // span), out, index, src, total, span, length, *steps,
                   reversed_axes(shape, rank, 1), *(reversed_axes(strides, rank, 0) for strides in views))
    return None
