"""The coordinates of what is not zero: counted a stretch at a time, the counts added up on the host, then written."""
from array import array

from cygrad_gpu.dtypes import ELEMENTS, INT64
from cygrad_gpu.indexing import RANK, reversed_axes
from cygrad_gpu.source import assemble

STRETCH = 4096              # elements of a processor's item
EACH = 16                   # elements of another device's item

TEXT = """
KERNEL(%(name)s)(ARRAY(i64, out), ARRAY(const i64, starts), ARRAY(const %(S)s, a), const i64 total, const i64 each,
    const i64 row, const i64 column, const axes sizes, const axes strides) {
    OPEN(i64, out); OPEN(const i64, starts); OPEN(const %(S)s, a);
    const i64 item = GROUP_ID * GROUP + ITEM, first = item * each, stop = first + each < total ? first + each : total;
    i64 found = 0;
    %(begin)s
    for (i64 at = first; at < stop; at++) {
        i64 rest = at, place = 0;
        %(walk)s
        const %(T)s x = LOAD_%(dtype)s(a, place);
        if (%(test)s) { %(write)s found++; }
    }
    %(end)s
}
"""


def make(traits, name, code, rank):
    element, group = ELEMENTS[code], 1 if traits.processor else traits.group
    walk = " ".join(f"const i64 above{d} = rest / sizes.s{d}, at{d} = rest - above{d} * sizes.s{d}; rest = above{d}; "
                    f"place += at{d} * strides.s{d};" for d in range(rank))
    counts = name == "count"
    write = "" if counts else " ".join(
        f"out[(begin + found) * row + {rank - 1 - d} * column] = at{d};" for d in range(rank))
    text = TEXT % {"name": name, "S": element.stored, "T": element.computed, "dtype": element.name, "walk": walk,
                   "write": write, "test": "(x.x != 0) | (x.y != 0)" if element.kind == "complex" else "x != 0",
                   "begin": "" if counts else "const i64 begin = first < total ? starts[item] : 0;",
                   "end": "if (first < total) out[item] = found;" if counts else ""}
    return name, assemble(traits, group, text), group


def nonzero(backend, device, a, allocate):
    traits, rank, total = backend.traits(device), len(a.shape), a.numel()
    if rank > RANK:
        return NotImplemented
    each = STRETCH if traits.processor else EACH
    items = -(-total // each)
    groups = items if traits.processor else -(-items // traits.group)
    counts = backend.scratch(device, backend.dtype_of(INT64), items)
    code = a.dtype.code
    geometry = (reversed_axes(tuple(a.shape), rank, 1), reversed_axes(tuple(a.stride()), rank, 0))
    made = backend.kernel(device, ("count", code, rank), make, "count", code, rank)
    backend.launch(made, groups, counts, counts, a, total, each, 0, 0, *geometry)
    host = array("q", bytes(8 * items))
    backend.fetch(counts, host)
    found = 0
    for k in range(items):
        host[k], found = found, found + host[k]
    out = allocate(found)
    if found:
        backend.put(host, counts)
        made = backend.kernel(device, ("nonzero", code, rank), make, "nonzero", code, rank)
        backend.launch(made, groups, out, counts, a, total, each, *out.stride(), *geometry)
    return None
