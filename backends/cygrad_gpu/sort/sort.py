"""Sorting along the last axis by merging: always stable, parallel within a row.

Elements become unsigned keys whose order is theirs (NaN above all, the bits complemented if descending). An item sorts
a BLOCK of them; then runs are merged two by two, an item finding by bisection where its BLOCK of the result begins
(merge path: Odeh, Green, Mwassi, Shmueli, Birk 2012). At last values and places are written, all or a part. Processors
have kernels of their own: sorting_network_processor.py for short rows and for a part, radix_processor.py for the
others.
"""
import math

from cygrad_gpu.codegen import rows
from cygrad_gpu.codegen.element_types import ELEMENTS, INT32, INT64
from cygrad_gpu.codegen.high_rank import RANK, by_rows
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.codegen.walks import walk
from cygrad_gpu.index.gather_scatter import reversed_axes
from cygrad_gpu.sort import radix_processor, sorting_network_processor

BLOCK = 16

KEYS = {            # what an element's key is, and its C type
    "u8": ("u32", "x"), "i8": ("u32", "(u32)(i32)x ^ 0x80000000u"), "i16": ("u32", "(u32)(i32)x ^ 0x80000000u"),
    "i32": ("u32", "(u32)x ^ 0x80000000u"), "i64": ("u64", "(u64)x ^ 0x8000000000000000ul"),
    "f32": ("u32", ("x != x ? 0xffffffffu : x == 0 ? 0x80000000u : "
                    "(BITS32(x) >> 31 ? ~BITS32(x) : BITS32(x) | 0x80000000u)")),
    "f64": ("u64", ("x != x ? 0xfffffffffffffffful : x == 0 ? 0x8000000000000000ul : "
                    "(BITS64(x) >> 63 ? ~BITS64(x) : BITS64(x) | 0x8000000000000000ul)")),
}

TEXT = """
#define BLOCK %(block)d
#define ITEMS const i64 t = GROUP_ID * GROUP + ITEM; if (t < items)
FUNCTION %(K)s key_of(%(T)s x) { return %(key)s; }

KERNEL(sort_blocks)(ARRAY(%(K)s, keys), ARRAY(i32, places), ARRAY(const %(S)s, a), const i64 items,
                    const i64 n, const i64 blocks, const i64 flip, const i64 step, const axes sizes,
                    const axes strides) {
    OPEN(%(K)s, keys); OPEN(i32, places); OPEN(const %(S)s, a);
    ITEMS {
        const i64 row = t / blocks, first = (t - row * blocks) * BLOCK, to = row * n + first;
        const int count = n - first < BLOCK ? (int)(n - first) : BLOCK;
        i64 rest = row, base = first * step;
        %(walk)s
        %(K)s key[BLOCK]; i32 place[BLOCK];
        for (int i = 0; i < count; i++) {
            const %(K)s x = key_of(LOAD_%(dtype)s(a, base + i * step)) ^ (%(K)s)flip;
            int j = i;
            for (; j > 0 && key[j - 1] > x; j--) { key[j] = key[j - 1]; place[j] = place[j - 1]; }
            key[j] = x;
            place[j] = (i32)(first + i);
        }
        for (int i = 0; i < count; i++) { keys[to + i] = key[i]; places[to + i] = place[i]; }
    }
}

KERNEL(merge_runs)(ARRAY(%(K)s, keys), ARRAY(i32, places), ARRAY(const %(K)s, old_keys), ARRAY(const i32, old_places),
                   const i64 items, const i64 n, const i64 blocks, const i64 width) {
    OPEN(%(K)s, keys); OPEN(i32, places); OPEN(const %(K)s, old_keys); OPEN(const i32, old_places);
    ITEMS {
        const i64 row = t / blocks, first = (t - row * blocks) * BLOCK, start = first / (2 * width) * (2 * width);
        const i64 middle = start + width < n ? start + width : n, end = middle + width < n ? middle + width : n;
        const i64 last = first + BLOCK < end ? first + BLOCK : end, before = first - start;
        GLOBAL const %(K)s *left = old_keys + row * n + start, *right = old_keys + row * n + middle;
        i64 low = before > end - middle ? before - (end - middle) : 0;
        i64 high = before < middle - start ? before : middle - start;
        while (low < high) {
            const i64 half_ = (low + high) / 2;
            if (left[half_] <= right[before - 1 - half_]) low = half_ + 1; else high = half_;
        }
        i64 i = low, j = before - low;
        for (i64 k = first; k < last; k++) {
            const int from_left = i < middle - start && (j >= end - middle || left[i] <= right[j]);
            const i64 from = row * n + (from_left ? start + i : middle + j);
            keys[row * n + k] = old_keys[from];
            places[row * n + k] = old_places[from];
            if (from_left) i++; else j++;
        }
    }
}

KERNEL(write_sorted)(ARRAY(%(S)s, values), ARRAY(i64, index), ARRAY(const %(S)s, a), ARRAY(const i32, places),
                     const i64 items, const i64 n, const i64 first, const i64 count, const i64 step,
                     const i64 values_step, const i64 index_step, const axes sizes, const axes strides,
                     const axes values_strides, const axes index_strides) {
    OPEN(%(S)s, values); OPEN(i64, index); OPEN(const %(S)s, a); OPEN(const i32, places);
    ITEMS {
        const i64 row = t / count, k = t - row * count, place = places[row * n + first + k];
        i64 rest = row, base = place * step, values_base = k * values_step, index_base = k * index_step;
        %(walk_all)s
        values[values_base] = a[base];
        index[index_base] = place;
    }
}
"""


def make(traits, name, code):
    element = ELEMENTS[code]
    K, key = KEYS[element.computed]
    text = TEXT % {"K": K, "key": key, "T": element.computed, "S": element.stored, "dtype": element.name,
                   "block": BLOCK, "walk": walk({"base": "strides"}, last=RANK - 1), "walk_all": rows.to_sort()}
    return name, assemble(traits, traits.group, text), traits.group


def sort(backend, device, a, descending, first, values, index):
    """The places first, first + 1, ... of the order of the last axis; as many as values and index have."""
    shape, code, traits = tuple(a.shape) or (1,), a.dtype.code, backend.traits(device)
    n, kept = shape[-1], [axis for axis, size in enumerate(shape[:-1]) if size != 1]
    if ELEMENTS[code].kind == "complex" or n >= 2 ** 31:
        return NotImplemented
    if len(kept) >= RANK:
        return by_rows(lambda a, *outs: sort(backend, device, a, descending, first, *outs), a, values, index)
    straight, back = rows.straight(backend, device, {"values": values, "index": index, "a": a}, ("values", "index"))
    values, index, a = straight.values()
    outer = [shape[axis] for axis in kept]
    many, count = math.prod(outer), values.shape[-1] if shape and values.shape else 1
    key_name, key = KEYS[ELEMENTS[code].computed]

    def scratch(dtype_code, *sizes):
        return backend.scratch(device, backend.dtype_of(dtype_code), *sizes)

    def steps(view):
        strides = tuple(view.stride()) or (1,)
        return strides[-1], reversed_axes([strides[axis] for axis in kept], 0)

    (a_step, a_strides), (values_step, values_strides), (index_step, index_strides) = map(steps, (a, values, index))
    sizes, flip = reversed_axes(outer, 1), -1 if descending else 0
    if traits.processor:
        owned = max(1, min(4096 // n, -(-many // traits.units)))
        groups = -(-many // owned)
        if key_name == "u32" and sorting_network_processor.fits(n, count):
            name, family = "sort_few", sorting_network_processor
            room = [scratch(INT32, groups, n) if sorting_network_processor.selects(n, count) else values]
        else:
            name, family = "sort_rows", radix_processor
            room = [scratch(INT64, many, n if key_name == "u32" else 2 * n) for _ in range(2)]
        made = backend.kernel(device, (name, code), family.make, code, key_name, key)
        backend.launch(made, groups, values, index, a, *room, many, owned, n, first, count, flip, a_step, values_step,
                       index_step, sizes, a_strides, values_strides, index_strides)
        for copy, view in back:
            backend.copy(copy, view)
        return None
    keys = [scratch(INT64 if key_name == "u64" else INT32, many, n) for _ in range(2)]
    places = [scratch(INT32, many, n) for _ in range(2)]
    blocks = -(-n // BLOCK)
    items, group = many * blocks, traits.group
    kernels = [backend.kernel(device, (name, code), make, name, code)
               for name in ("sort_blocks", "merge_runs", "write_sorted")]
    backend.launch(kernels[0], -(-items // group), keys[0], places[0], a, items, n, blocks, flip, a_step, sizes,
                   a_strides)
    width, now = BLOCK, 0
    while width < n:
        backend.launch(kernels[1], -(-items // group), keys[1 - now], places[1 - now], keys[now], places[now], items,
                       n, blocks, width)
        width, now = 2 * width, 1 - now
    backend.launch(kernels[2], -(-(many * count) // group), values, index, a, places[now], many * count, n, first,
                   count, a_step, values_step, index_step, sizes, a_strides, values_strides, index_strides)
    return None
