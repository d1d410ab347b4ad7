"""The coordinates of what is not zero: counted a stretch at a time, the counts added up on the host, then written.

Sizes and strides lie in a buffer, so that there may be any number of axes; neighbours are merged first, and coordinates
are worked out only of what was found. A processor's item goes along rows in loops that vectorise: it counts in lanes,
lists the places of a run without a branch, and divides all of them by an axis at once.
"""
from array import array
from itertools import accumulate

from cygrad_gpu.codegen.element_types import ELEMENTS, INT64
from cygrad_gpu.codegen.source import assemble

STRETCH = 4096              # elements of a processor's item, at least
PARTS = 8                   # items of a processor for each of its units, where there are enough elements
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

# The same for a processor, by runs of up to CHUNK elements of a row.
RUNS = """
#define CHUNK 1024
#define EACH_RUN for (i64 at = first, run; at < stop; at += run)
FUNCTION i64 run_at(GLOBAL const i64 *axes, i64 rank, i64 at, i64 stop, i64 *place) {{
    i64 above = at / axes[0];
    const i64 column = at - above * axes[0], left = axes[0] - column < stop - at ? axes[0] - column : stop - at;
    *place = column * axes[1];
    for (i64 axis = 1; axis < rank; axis++) {{
        const i64 rest = above / axes[2 * axis];
        *place += (above - rest * axes[2 * axis]) * axes[2 * axis + 1];
        above = rest;
    }}
    return left < CHUNK ? left : CHUNK;
}}
FUNCTION i32 found_in(GLOBAL const {S} *from, i64 step, i64 run) {{
    i32 found = 0;
    if (step == 1) {{
        LANES(16, 4)
        for (i64 k = 0; k < run; k++) {{ const {S} x = from[k]; found += {test}; }}
    }} else {{
        for (i64 k = 0; k < run; k++) {{ const {S} x = from[k * step]; found += {test}; }}
    }}
    return found;
}}
/* at / size of whole numbers below 2^52 */
FUNCTION i64 quotient(i64 at, i64 size, number inverse) {{
#if FP64
    const i64 near = (i64)((f64)at * inverse), rest = at - near * size;
    return near + (rest >= size) - (rest < 0);
#else
    return at / size;
#endif
}}

KERNEL(count)(ARRAY(i64, counts), ARRAY(const {S}, a), ARRAY(const i64, axes), const i64 rank, const i64 total,
              const i64 each) {{
    OPEN(i64, counts); OPEN(const {S}, a); OPEN(const i64, axes);
    const i64 first = GROUP_ID * each, stop = first + each < total ? first + each : total;
    i64 found = 0, place;
    EACH_RUN {{
        run = run_at(axes, rank, at, stop, &place);
        found += found_in(a + place, axes[1], run);
    }}
    counts[GROUP_ID] = found;
}}

KERNEL(write)(ARRAY(i64, out), ARRAY(const i64, starts), ARRAY(const {S}, a), ARRAY(const i64, axes), const i64 rank,
              const i64 coordinates, const i64 total, const i64 each, const i64 row, const i64 column) {{
    OPEN(i64, out); OPEN(const i64, starts); OPEN(const {S}, a); OPEN(const i64, axes);
    const i64 first = GROUP_ID * each, stop = first + each < total ? first + each : total, step = axes[1];
    i64 to = starts[GROUP_ID] * row, place;
    i32 at_run[CHUNK + 1];
    ALIGNED i64 rest[CHUNK];
    EACH_RUN {{
        run = run_at(axes, rank, at, stop, &place);
        GLOBAL const {S} *from = a + place;
        const i32 found = found_in(from, step, run);
        if (found == 0) continue;
        i32 many = 0;
        UNROLL for (i32 k = 0; k < run; k++) {{
            const {S} x = from[k * step];
            at_run[many] = k;
            many += {test};
        }}
        LANES(8, 2)
        for (i32 j = 0; j < found; j++) rest[j] = at + at_run[j];
        for (i64 axis = coordinates - 1; axis >= 0; axis--) {{
            const i64 size = axes[2 * rank + axis];
            const number inverse = (number)1 / (number)size;
            GLOBAL i64 *line = out + to + axis * column;
            if (axis == 0 && row == 1) {{
                LANES(8, 2)
                for (i32 j = 0; j < found; j++) line[j] = rest[j];
            }} else if (row == 1) {{
                LANES(8, 2)
                for (i32 j = 0; j < found; j++) {{
                    const i64 above = quotient(rest[j], size, inverse);
                    line[j] = rest[j] - above * size;
                    rest[j] = above;
                }}
            }} else
                for (i32 j = 0; j < found; j++) {{
                    const i64 above = rest[j] / size;
                    line[j * row] = rest[j] - above * size;
                    rest[j] = above;
                }}
        }}
        to += found * row;
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
    text, group = (RUNS, 1) if traits.processor else (TEXT, traits.group)
    return name, assemble(traits, group, text.format(S=stored, test=test)), group


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
    each = max(STRETCH, -(-total // (PARTS * traits.units))) if traits.processor else EACH
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
    starts = array("q", accumulate(host, initial=0))
    found = starts.pop()
    out = allocate(found)
    if found:
        backend.put(starts, counts)
        made = backend.kernel(device, ("nonzero", *kind), make, "write", *kind)
        backend.launch(made, groups, out, counts, a, axes, len(walked), len(shape), total, each, *out.stride())
    return None
