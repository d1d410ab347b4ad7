"""Gather and scatter: elements addressed by an index along one axis.

A group owns a stretch of the result, counted row-major. In a gather every element of it is one item's; in a scatter
every line along the indexed axis is, so that writes to one place keep their order and need no atomics.
Compiled in is a number of axes, of 1, 2, 4 and 8 the next one; beyond, a launch takes a part with fewer axes.
"""
import math

from cygrad.backend import SCATTER

from cygrad_gpu.dtypes import COMPLEX128, ELEMENTS, INT16, INT32, INT64, UINT8
from cygrad_gpu.formulas import expression
from cygrad_gpu.parts import RANK, parts
from cygrad_gpu.source import assemble

COMBINE = {"add": "add", "prod": "mul", "max": "maximum", "min": "minimum"}
MOVED = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}     # what moves elements of a size
SAME_BYTES = {1: UINT8, 2: INT16, 4: INT32, 8: INT64, 16: COMPLEX128}
SPAN = 4096                                                     # elements of a group on a processor


def reversed_axes(values, missing):
    """Sizes or strides from the last axis on, as kernels take them."""
    return (*values[::-1], *(missing,) * (RANK - len(values)))


def class_of(rank):
    """How many axes a kernel for `rank` axes is compiled for."""
    return next(n for n in (1, 2, 4, RANK) if n >= rank)


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
    for piece_dim, views, axes in parts(tuple(out.shape), dim, (out, index, src)):
        _gather(backend, device, piece_dim, views, axes)
    return None


def _gather(backend, device, dim, views, axes):
    out, index, src = views
    size, traits, rank = out.dtype.itemsize, backend.traits(device), class_of(len(axes) or 1)
    sizes = [out.shape[axis] for axis in axes]
    strides = [[view.stride()[axis] for axis in axes] for view in views]
    step = 1
    if axes:
        step, strides[2][axes.index(dim)] = strides[2][axes.index(dim)], 0
    kernel = backend.kernel(device, ("gather", size, rank), make_gather, size, rank)
    total, span = math.prod(sizes), group_of(traits)[1]
    backend.launch(kernel, -(-total // span), out, index, src, total, span, step, reversed_axes(sizes, 1),
                   *(reversed_axes(each, 0) for each in strides))


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
    name, code = SCATTER[mode], out.dtype.code
    if name in ("max", "min") and ELEMENTS[code].kind == "complex":
        return NotImplemented
    if name == "set":                   # of bytes, whatever they stand for
        code = SAME_BYTES[out.dtype.itemsize]
    for piece_dim, views, axes in parts(tuple(index.shape), dim, (out, index, src)):
        _scatter(backend, device, name, code, piece_dim, views, axes)
    return None


def _scatter(backend, device, name, code, dim, views, axes):
    out, index, src = views
    traits, rank = backend.traits(device), class_of(len(axes) or 1)
    sizes = [index.shape[axis] for axis in axes] or [1]
    strides = [[view.stride()[axis] for axis in axes] or [1] for view in views]
    at = axes.index(dim) if axes else 0
    steps, length = [each[at] for each in strides], sizes[at]
    for each in strides:
        each[at] = 0
    sizes[at] = 1
    total = math.prod(sizes)
    group, span = group_of(traits)
    span = max(1, span // length) if traits.processor else group
    kernel = backend.kernel(device, ("scatter", name, code, rank), make_scatter, name, code, rank)
    backend.launch(kernel, -(-total // span), out, index, src, total, span, length, *steps, reversed_axes(sizes, 1),
                   *(reversed_axes(each, 0) for each in strides))
