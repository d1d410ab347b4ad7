"""Scatters of few long lines on a GPU: places are sorted first, so that all that goes to one place is one item's.

An item that took a line would write its elements one after the other while the device waits. A stable sort keeps their
order, so results are the same to the bit, whatever the mode.
"""
import math

from cygrad.tensor import as_tensor_view

from cygrad_gpu.codegen.element_types import INT64
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.index.gather_scatter import class_of, each_element, group_of, reversed_axes, written
from cygrad_gpu.sort.sort import sort

LONG = 128                  # elements of a line from which sorting is quicker, by the latency of as many writes
LINES = 8                   # lines for each group that the device holds: more keep it busy as they are

BODY = """        const i64 place = places[sorted_at];
        if (k_at == 0 || places[sorted_at - 1] != place)
            for (i64 j = 0; k_at + j < length && places[sorted_at + j] == place; j++) {{
                const i64 to = out_at + place * out_along, at_from = src_at + order[sorted_at + j] * src_along;
                {write}
            }}
"""


def make(traits, mode, code, rank):
    """The kernel: an item for each sorted place, and the first of equal ones does what goes there."""
    (group, _), (T, write) = group_of(traits), written(mode, code)
    places = {"out": "out_strides", "sorted": "sorted_strides", "src": "src_strides", "k": "k_strides"}
    loop = each_element(traits, rank, places, BODY.format(write=write("out", "to", "src", "at_from")))
    text = f"""KERNEL(scatter_ordered)(ARRAY({T}, out), ARRAY(const i64, places), ARRAY(const i64, order),
    ARRAY(const {T}, src), const i64 total, const i64 span, const i64 length, const i64 out_along, const i64 src_along,
    const axes sizes, const axes out_strides, const axes sorted_strides, const axes src_strides,
    const axes k_strides) {{
    OPEN({T}, out); OPEN(const i64, places); OPEN(const i64, order); OPEN(const {T}, src);
    const i64 first = GROUP_ID * span, stop = first + span < total ? first + span : total;{loop}}}
"""
    return "scatter_ordered", assemble(traits, group, text), group


def pays(traits, length, lines):
    """Whether so many lines of so many elements are better sorted."""
    return not traits.processor and length >= LONG and lines <= LINES * traits.units


def scatter(backend, device, mode, code, dim, views, axes):
    """As `gather_scatter._scatter`, of views with an axis `dim`; `axes` are those that are walked."""
    out, index, src = views
    traits, at = backend.traits(device), axes.index(dim)
    rank = class_of(traits, len(axes))
    sizes, length = [index.shape[axis] for axis in axes], index.shape[dim]
    # Lines that have their places in common, as those of a table's rows, are sorted once.
    keys, shared = as_tensor_view(index), {axis for axis in axes if axis != dim and index.stride()[axis] == 0}
    for axis in shared:
        keys = keys.narrow(axis, 0, 1)
    keys = keys.movedim(dim, -1)
    sorted_, order = (backend.scratch(device, backend.dtype_of(INT64), *keys.shape) for _ in range(2))
    if sort(backend, device, keys, False, 0, sorted_, order) is NotImplemented:
        return False
    kept = list(sorted_.stride())
    kept.insert(dim, kept.pop())                # the last axis is `dim` again
    strides = [[view.stride()[axis] for axis in axes] for view in (out, src)]
    steps = [each[at] for each in strides]
    for each in strides:
        each[at] = 0
    sorted_strides = [0 if axis in shared else kept[axis] for axis in axes]
    k_strides = [int(axis == dim) for axis in axes]
    total, span = math.prod(sizes), group_of(traits)[1]
    kernel = backend.kernel(device, ("scatter_ordered", mode, code, rank), make, mode, code, rank)
    backend.launch(kernel, -(-total // span), out, sorted_, order, src, total, span, length, *steps,
                   reversed_axes(sizes, 1), *(reversed_axes(each, 0) for each in (
                       strides[0], sorted_strides, strides[1], k_strides)))
    return True
