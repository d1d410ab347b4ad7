"""Gather and scatter: elements addressed by an index along one axis.

A group owns a stretch of the result, counted row-major. In a gather every element of it is one item's; in a scatter
every line along the indexed axis is, so that writes to one place keep their order and need no atomics; few long ones
are sorted first (ordered_scatter_gpu.py).
On processors an item goes along rows; where a row has one place, as in `index_select`, that is a loop in lanes.
Compiled in is a number of axes, of 1, 2, 4 and 8 the next one, on processors 8; beyond, a launch takes a part with
fewer axes.
"""
import math

from cygrad.backend import SCATTER

from cygrad_gpu.codegen.element_types import COMPLEX128, ELEMENTS, INT16, INT32, INT64, UINT8
from cygrad_gpu.codegen.formulas import expression
from cygrad_gpu.codegen.high_rank import RANK, parts
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.codegen.walks import walk

COMBINE = {"add": "add", "prod": "mul", "max": "maximum", "min": "minimum"}
MOVED = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}     # what moves elements of a size
SAME_BYTES = {1: UINT8, 2: INT16, 4: INT32, 8: INT64, 16: COMPLEX128}
SPAN = 4096                                                     # elements of a group on a processor
LEAST = 64                                                      # lines of a group there


def reversed_axes(values, missing):
    """Sizes or strides from the last axis on, as kernels take them."""
    return (*values[::-1], *(missing,) * (RANK - len(values)))


def class_of(traits, rank):
    """How many axes a kernel for `rank` axes is compiled for: all that there may be, where it has a loop over them."""
    return RANK if traits.processor else next(n for n in (1, 2, 4, RANK) if n >= rank)


def each_element(traits, rank, places, body):
    """C that does `body` for the elements first to stop - 1 of a row-major count over `sizes`.

    `places`: {name: strides}; in the body ``NAME_at`` is the offset there. On processors it is done for a row's part of
    `run` elements; ``NAME_at`` is that of the first, ``NAME_step`` the stride between them.
    """
    bases = "".join(f"        i64 {name}_at = 0;\n" for name in places)
    above = "".join(f"        {{ const i64 at_axis = rest % sizes.s{axis}; rest /= sizes.s{axis};"
                    + "".join(f" {name}_at += at_axis * {strides}.s{axis};" for name, strides in places.items())
                    + " }\n"
                    for axis in range(1, rank))
    if traits.processor:
        above = walk({f"{name}_at": strides for name, strides in places.items()}, first=1)
    offsets = "".join(f"        const i64 {name}_step = {strides}.s0;\n        {name}_at += column * {name}_step;\n"
                      for name, strides in places.items())
    return f"""
    for (i64 at = first + ITEM, run; at < stop; at += PROCESSOR ? run : GROUP) {{
        i64 rest = at / sizes.s0;
        const i64 column = at - rest * sizes.s0;
        run = stop - at < sizes.s0 - column ? stop - at : sizes.s0 - column;
{bases}{above}{offsets}{body}    }}
"""


def group_of(traits):
    """(items of a group, elements of a group)"""
    return (1, SPAN) if traits.processor else (traits.group, 4 * traits.group)


# ---- gather

GATHERED_ROW = """        GLOBAL {T} *to = out + out_at;
        GLOBAL const i64 *places = index + index_at;
        GLOBAL const {T} *from = src + src_at;
        {look}
        if (index_step == 0) {{
            from += places[0] * step;
            if (out_step == 1 && src_step == 1) {{
                LANES({width}, 4)
                for (i64 k = 0; k < run; k++) to[k] = from[k];
            }} else
                for (i64 k = 0; k < run; k++) to[k * out_step] = from[k * src_step];
        }} else if (index_step == 1 && out_step == 1 && src_step == 0 && step == 1)
            UNROLL for (i64 k = 0; k < run; k++) to[k] = from[places[k]];      /* a vector's gather takes longer */
        else if (index_step == 1 && out_step == 1) {{
            LANES(8, 4)
            for (i64 k = 0; k < run; k++) to[k] = from[k * src_step + places[k] * step];
        }} else
            for (i64 k = 0; k < run; k++) to[k * out_step] = from[k * src_step + places[k * index_step] * step];
"""
# A processor looks at a row's places before it reads there; `inside` has the same loop without the rest.
LOOKED = """i64 signs = 0;                      /* of the places and of their distances from the last one */
        if (index_step == 0)
            signs = places[0] | (length - 1 - places[0]);
        else if (index_step == 1) {
            LANES(8, 4)
            for (i64 k = 0; k < run; k++) signs |= places[k] | (length - 1 - places[k]);
        } else
            for (i64 k = 0; k < run; k++) signs |= places[k * index_step] | (length - 1 - places[k * index_step]);
        outside |= signs < 0;"""
GATHERED = """        i64 place = index[index_at];
        {look}
        out[out_at] = src[src_at + place * step];
"""
LOOK = "outside |= (u64)place >= (u64)length; place = (u64)place < (u64)length ? place : 0;"
# Every group says whether one of its items has seen a place outside.
SEEN = """
#if GROUP > 1
    LOCAL int some;
    if (ITEM == 0) some = 0;
    BARRIER;
    if (outside) some = 1;
    BARRIER;
    outside = some;
#endif
    if (ITEM == 0) seen[GROUP_ID] = outside;
"""


def make_gather(traits, size, rank, look):
    T, (group, _) = MOVED[size], group_of(traits)
    if traits.processor:
        body = GATHERED_ROW.format(T=T, width=64 // size, look=(LOOKED + "\n        if (outside) continue;") * look)
    else:
        body = GATHERED.format(look=LOOK * look)
    loop = each_element(traits, rank, {"out": "out_strides", "index": "index_strides", "src": "src_strides"}, body)
    text = f"""KERNEL(gather)(ARRAY({T}, out), ARRAY(const i64, index), ARRAY(const {T}, src),
    {"ARRAY(u8, seen), " * look}const i64 total, const i64 span, const i64 length, const i64 step, const axes sizes,
    const axes out_strides, const axes index_strides, const axes src_strides) {{
    OPEN({T}, out); OPEN(const i64, index); OPEN(const {T}, src); {"OPEN(u8, seen);" * look}
    const i64 first = GROUP_ID * span, stop = first + span < total ? first + span : total;
    int outside = 0;{loop}{SEEN * look}}}
"""
    return "gather", assemble(traits, group, text), group


def gather(backend, device, src, index, dim, out, look=False):
    """Whether all places were inside, if they are to be looked at."""
    inside = True
    for piece_dim, views, axes in parts(tuple(out.shape), dim, (out, index, src)):
        inside = _gather(backend, device, piece_dim, views, axes, look) and inside
    return inside


def gather_inside(backend, device, src, index, out, dim):
    """The same by places that are known to be inside."""
    gather(backend, device, src, index, dim, out)


def _gather(backend, device, dim, views, axes, look):
    out, index, src = views
    size, traits = out.dtype.itemsize, backend.traits(device)
    rank = class_of(traits, len(axes) or 1)
    sizes = [out.shape[axis] for axis in axes]
    strides = [[view.stride()[axis] for axis in axes] for view in views]
    step, length = 1, src.shape[dim] if src.shape else 1
    if axes:
        step, strides[2][axes.index(dim)] = strides[2][axes.index(dim)], 0
    kernel = backend.kernel(device, ("gather", size, rank, look), make_gather, size, rank, look)
    total, span = math.prod(sizes), group_of(traits)[1]
    groups = -(-total // span)
    seen = backend.scratch(device, backend.dtype_of(UINT8), groups) if look else None
    backend.launch(kernel, groups, out, index, src, *((seen,) if look else ()), total, span, length, step,
                   reversed_axes(sizes, 1), *(reversed_axes(each, 0) for each in strides))
    return not look or not any(fetched(backend, seen, groups))


def fetched(backend, view, size):
    """The bytes of a view; waits."""
    host = bytearray(size)
    backend.fetch(view, host)
    return host


# ---- scatter

WRITE_ROW = """        GLOBAL {T} *to = out + out_at;
        GLOBAL const {T} *from = src + src_at;
        GLOBAL const i64 *places = index + index_at;
        if (run == 1)
            for (i64 j = 0; j < length; j++) {{
                const i64 place = places[j * index_along] * out_along, at_from = j * src_along;
                {write}
            }}
        else if (index_step == 0 && out_step == 1 && src_step == 1)
            for (i64 j = 0; j < length; j++) {{
                GLOBAL {T} *to_row = to + places[j * index_along] * out_along;
                LANES({width}, 2)
                for (i64 k = 0; k < run; k++) {{ {lane} }}
                from += src_along;
            }}
        else
            for (i64 j = 0; j < length; j++)
                for (i64 k = 0; k < run; k++) {{
                    const i64 place = k * out_step + places[j * index_along + k * index_step] * out_along;
                    const i64 at_from = j * src_along + k * src_step;
                    {write}
                }}
"""
WRITE_LINE = """        for (i64 j = 0; j < length; j++) {{
            const i64 place = out_at + index[index_at + j * index_along] * out_along, at_from = src_at + j * src_along;
            {write}
        }}
"""


def written(mode, code):
    """The stored type of a dtype code, and a function that gives C for one write: of out, the place, src, its place."""
    element = ELEMENTS[code]

    def write(out, place, src, at):
        if mode == "set":
            return f"{out}[{place}] = {src}[{at}];"
        combined = expression(COMBINE[mode], element, "old", "more")
        return (f"const {element.computed} old = LOAD_{element.name}({out}, {place}), "
                f"more = LOAD_{element.name}({src}, {at}); STORE_{element.name}({out}, {place}, {combined});")
    return element.stored, write


def make_scatter(traits, mode, code, rank):
    (group, _), (T, write) = group_of(traits), written(mode, code)
    if traits.processor:
        body = WRITE_ROW.format(T=T, width=512 // int(ELEMENTS[code].computed[1:]),
                                lane=write("to_row", "k", "from", "k"), write=write("to", "place", "from", "at_from"))
    else:
        body = WRITE_LINE.format(write=write("out", "place", "src", "at_from"))
    loop = each_element(traits, rank, {"out": "out_strides", "index": "index_strides", "src": "src_strides"}, body)
    text = f"""KERNEL(scatter)(ARRAY({T}, out), ARRAY(const i64, index), ARRAY(const {T}, src), const i64 total,
    const i64 span, const i64 length, const i64 out_along, const i64 index_along, const i64 src_along, const axes sizes,
    const axes out_strides, const axes index_strides, const axes src_strides) {{
    OPEN({T}, out); OPEN(const i64, index); OPEN(const {T}, src);
    const i64 first = GROUP_ID * span, stop = first + span < total ? first + span : total;{loop}}}
"""
    return "scatter", assemble(traits, group, text), group


def make_inside(traits, rank):
    group, _ = group_of(traits)
    body = "        outside |= (u64)index[index_at] >= (u64)length;\n"
    if traits.processor:
        body = f"        GLOBAL const i64 *places = index + index_at;\n        {LOOKED}\n"
    text = f"""KERNEL(inside)(ARRAY(const i64, index), ARRAY(u8, seen), const i64 total, const i64 span,
    const i64 length, const axes sizes, const axes index_strides) {{
    OPEN(const i64, index); OPEN(u8, seen);
    const i64 first = GROUP_ID * span, stop = first + span < total ? first + span : total;
    int outside = 0;{each_element(traits, rank, {"index": "index_strides"}, body)}{SEEN}}}
"""
    return "inside", assemble(traits, group, text), group


def inside(backend, device, dim, index, length):
    """Whether an index has no places but 0 to length - 1; waits."""
    return all(_inside(backend, device, view, axes, length)
               for _, (view,), axes in parts(tuple(index.shape), dim, (index,)))


def _inside(backend, device, index, axes, length):
    traits = backend.traits(device)
    rank = class_of(traits, len(axes) or 1)
    sizes, strides = [index.shape[axis] for axis in axes], [index.stride()[axis] for axis in axes]
    kernel = backend.kernel(device, ("inside", rank), make_inside, rank)
    total, span = math.prod(sizes), group_of(traits)[1]
    groups = -(-total // span)
    seen = backend.scratch(device, backend.dtype_of(UINT8), groups)
    backend.launch(kernel, groups, index, seen, total, span, length, reversed_axes(sizes, 1), reversed_axes(strides, 0))
    return not any(fetched(backend, seen, groups))


def scatter(backend, device, mode, out, dim, index, src, look=False):
    """None; NotImplemented; False if places are to be looked at and one is outside."""
    name, code = SCATTER[mode], out.dtype.code
    if name in ("max", "min") and ELEMENTS[code].kind == "complex":
        return NotImplemented
    if look and not inside(backend, device, dim, index, out.shape[dim] if out.shape else 1):
        return False
    if name == "set":                   # of bytes, whatever they stand for
        code = SAME_BYTES[out.dtype.itemsize]
    for piece_dim, views, axes in parts(tuple(index.shape), dim, (out, index, src)):
        _scatter(backend, device, name, code, piece_dim, views, axes)
    return None


def _scatter(backend, device, name, code, dim, views, axes):
    from cygrad_gpu.index import ordered_scatter_gpu        # knot: it needs this module
    out, index, src = views
    traits = backend.traits(device)
    rank = class_of(traits, len(axes) or 1)
    if axes and ordered_scatter_gpu.pays(traits, index.shape[dim], index.numel() // index.shape[dim]) \
            and ordered_scatter_gpu.scatter(backend, device, name, code, dim, views, axes):
        return
    sizes = [index.shape[axis] for axis in axes] or [1]
    strides = [[view.stride()[axis] for axis in axes] or [1] for view in views]
    at = axes.index(dim) if axes else 0
    steps, length = [each[at] for each in strides], sizes[at]
    for each in strides:
        each[at] = 0
    sizes[at] = 1
    total = math.prod(sizes)
    group, span = group_of(traits)
    span = max(LEAST, span // length) if traits.processor else group
    kernel = backend.kernel(device, ("scatter", name, code, rank), make_scatter, name, code, rank)
    backend.launch(kernel, -(-total // span), out, index, src, total, span, length, *steps, reversed_axes(sizes, 1),
                   *(reversed_axes(each, 0) for each in strides))
