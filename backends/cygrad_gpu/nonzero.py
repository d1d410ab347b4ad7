"""The coordinates of what is not zero: counted a stretch at a time, the counts added up on the host, then written.

Sizes and strides lie in a buffer, so that there may be any number of axes; neighbours are merged first, and coordinates
are worked out only of what was found.
"""
from array import array

from cygrad_gpu.dtypes import ELEMENTS, INT64
from cygrad_gpu.source import assemble

STRETCH = 4096              # elements of a processor's item
EACH = 16                   # elements of another device's item

# `axes` holds (size, stride) of the merged axes from the last one on, then the sizes of the tensor's own
TEXT = """
FUNCTION int found_at(GLOBAL const {S} *a, GLOBAL const i64 *axes, i64 rank, i64 at) {{
    i64 place = 0;
    for (i64 axis = 0; axis < rank - 1; axis++) {{
        const i64 above = at / axes[2 * axis];
        place += (at - above * axes[2 * axis]) * axes[2 * axis + 1];
        at = above;
    }}
    const {S} x = a[place + at * axes[2 * rank - 1]];
    return {test};
}}

KERNEL(count)(ARRAY(i64, counts), ARRAY(const {S}, a), ARRAY(const i64, axes), const i64 rank, const i64 total,
              const i64 each) {{
    OPEN(i64, counts); OPEN(const {S}, a); OPEN(const i64, axes);
    const i64 item = GROUP_ID * GROUP + ITEM, first = item * each, stop = first + each < total ? first + each : total;
    i64 found = 0;
    for (i64 at = first; at < stop; at++) found += found_at(a, axes, rank, at);
    if (first < total) counts[item] = found;
}}

KERNEL(write)(ARRAY(i64, out), ARRAY(const i64, starts), ARRAY(const {S}, a), ARRAY(const i64, axes), const i64 rank,
              const i64 coordinates, const i64 total, const i64 each, const i64 row, const i64 column) {{
    OPEN(i64, out); OPEN(const i64, starts); OPEN(const {S}, a); OPEN(const i64, axes);
    const i64 item = GROUP_ID * GROUP + ITEM, first = item * each, stop = first + each < total ? first + each : total;
    i64 to = first < total ? starts[item] * row : 0;
    for (i64 at = first; at < stop; at++)
        if (found_at(a, axes, rank, at)) {{
            i64 rest = at;
            for (i64 axis = coordinates - 1; axis >= 0; axis--) {{
                const i64 size = axes[2 * rank + axis], above = rest / size;
                out[to + axis * column] = rest - above * size;
                rest = above;
            }}
            to += row;
        }}
}}
"""


def compared(code):
    """(stored type, test for not zero) of a dtype; all of one width and kind of zero share a kernel."""
    element = ELEMENTS[code]
    if element.kind == "complex":
        return element.stored, "(x.x != 0) | (x.y != 0)"
    if element.stored == "u16" and element.kind == "real":
        return "u16", "(x & 0x7fff) != 0"
    return element.stored.replace("i", "u"), "x != 0"


def make(traits, name, stored, test):
    group = 1 if traits.processor else traits.group
    return name, assemble(traits, group, TEXT.format(S=stored, test=test)), group


def merged(shape, strides):
    """(size, stride) pairs, from the last axis on, of as few axes as go through the elements in this order."""
    axes = []
    for size, stride in zip(reversed(shape), reversed(strides)):
        if axes and stride == axes[-1][0] * axes[-1][1]:
            axes[-1] = (axes[-1][0] * size, axes[-1][1])
        elif size != 1:
            axes.append((size, stride))
    return axes or [(1, 0)]


def nonzero(backend, device, a, allocate):
    traits, shape, total = backend.traits(device), tuple(a.shape), a.numel()
    each = STRETCH if traits.processor else EACH
    items = -(-total // each)
    groups = items if traits.processor else -(-items // traits.group)
    walked, integers = merged(shape, tuple(a.stride())), backend.dtype_of(INT64)
    geometry = array("q", [number for axis in walked for number in axis] + list(shape))
    axes = backend.scratch(device, integers, len(geometry))
    backend.put(geometry, axes)
    counts = backend.scratch(device, integers, items)
    kind = compared(a.dtype.code)
    made = backend.kernel(device, ("count", *kind), make, "count", *kind)
    backend.launch(made, groups, counts, a, axes, len(walked), total, each)
    host = array("q", bytes(8 * items))
    backend.fetch(counts, host)
    found = 0
    for k in range(items):
        host[k], found = found, found + host[k]
    out = allocate(found)
    if found:
        backend.put(host, counts)
        made = backend.kernel(device, ("nonzero", *kind), make, "write", *kind)
        backend.launch(made, groups, out, counts, a, axes, len(walked), len(shape), total, each, *out.stride())
    return None
