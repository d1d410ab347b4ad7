"""Sorting along the last axis on processors: a group sorts whole rows by the bytes of their keys, the lowest first.

Stable; bytes that all elements share are passed over. Bytes are counted in four tables in turn, so that neighbours that
are alike don't wait for each other. Keys of 64 bits that differ in their lower halves alone are sorted by those. Rows
go to different groups, a row is one group's: reading and writing it four times takes less than the merges of many
groups would. Short rows are for sorting_network_processor.py.
"""
from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.rows import to_sort
from cygrad_gpu.codegen.source import assemble

# `E` is an element, its key of type `K` and its place: a word of 64 bits or two. What is returned has the sorted ones.
PASSES = """
typedef struct {{ {K} key; i32 place; }} {E};
FUNCTION GLOBAL {E} *sorted_{K}(GLOBAL {E} *from, GLOBAL {E} *to, i64 n, {K} differing) {{
    for (int shift = 0; shift < {bits}; shift += 8) {{
        if ((differing >> shift & 255) == 0) continue;
        u32 counts[4][256];
        for (int j = 0; j < 256; j++) counts[0][j] = counts[1][j] = counts[2][j] = counts[3][j] = 0;
        i64 k = 0;
        for (; k + 4 <= n; k += 4) {{
            counts[0][from[k].key >> shift & 255]++;
            counts[1][from[k + 1].key >> shift & 255]++;
            counts[2][from[k + 2].key >> shift & 255]++;
            counts[3][from[k + 3].key >> shift & 255]++;
        }}
        for (; k < n; k++) counts[0][from[k].key >> shift & 255]++;
        u32 before = 0;
        for (int j = 0; j < 256; j++) {{
            const u32 many = counts[0][j] + counts[1][j] + counts[2][j] + counts[3][j];
            counts[0][j] = before;
            before += many;
        }}
        for (k = 0; k < n; k++) {{
            const {E} x = from[k];
            to[counts[0][x.key >> shift & 255]++] = x;
        }}
        GLOBAL {E} *other = from;
        from = to;
        to = other;
    }}
    return from;
}}
"""
SORTED = """{{
            GLOBAL {E} *from = (GLOBAL {E} *)(elements + row * n * {words});
            LANES({width}, 2)
            for (i64 k = 0; k < n; k++) {{
                from[k].key = ({K})(key_of(LOAD_{dtype}(a, base + k * step)) ^ ({long})flip);
                from[k].place = (i32)k;
            }}
            from = sorted_{K}(from, (GLOBAL {E} *)(spare + row * n * {words}), n, ({K})differing);
            for (i64 k = 0; k < count; k++) {{
                const i64 place = from[first + k].place;
                const {long} x = (same | from[first + k].key) ^ ({long})flip;
                if ({exact}) STORE_{dtype}(values, values_base + k * values_step, {value});
                else values[values_base + k * values_step] = a[base + place * step];
                index[index_base + k * index_step] = place;
            }}
        }}"""
# What an element was, of a key `x`; all zeros have one key, and all NaN, so those are read again.
VALUES = {
    "u8": ("(u8)x", "1"), "i8": ("(i8)(i32)(x ^ 0x80000000u)", "1"), "i16": ("(i16)(i32)(x ^ 0x80000000u)", "1"),
    "i32": ("(i32)(x ^ 0x80000000u)", "1"), "i64": ("(i64)(x ^ 0x8000000000000000ul)", "1"),
    "f32": ("FROM_BITS32(x >> 31 ? x ^ 0x80000000u : ~x)", "(x != 0x80000000u) & (x != 0xffffffffu)"),
    "f64": ("FROM_BITS64(x >> 63 ? x ^ 0x8000000000000000ul : ~x)",
            "(x != 0x8000000000000000ul) & (x != 0xfffffffffffffffful)"),
}

TEXT = """
FUNCTION {K} key_of({T} x) {{ return {key}; }}

KERNEL(sort_rows)(ARRAY({S}, values), ARRAY(i64, index), ARRAY(const {S}, a), ARRAY(u64, elements),
                  ARRAY(u64, spare), const i64 rows, const i64 owned, const i64 n, const i64 first, const i64 count,
                  const i64 flip, const i64 step, const i64 values_step, const i64 index_step, const axes sizes,
                  const axes strides, const axes values_strides, const axes index_strides) {{
    OPEN({S}, values); OPEN(i64, index); OPEN(const {S}, a); OPEN(u64, elements); OPEN(u64, spare);
    const i64 last = (GROUP_ID + 1) * owned < rows ? (GROUP_ID + 1) * owned : rows;
    for (i64 row = GROUP_ID * owned; row < last; row++) {{
        i64 rest = row, base = 0, values_base = 0, index_base = 0;
        {walk}
        const {K} one = key_of(LOAD_{dtype}(a, base));
        {K} differing = 0;
        LANES({width}, 2)
        for (i64 k = 0; k < n; k++) differing |= key_of(LOAD_{dtype}(a, base + k * step)) ^ one;
        const {K} same = (one ^ ({K})flip) & ~{low};     /* the bits that are not sorted by */
        {sorted}
    }}
}}
"""


def make(traits, code, key_type, key):
    """`key` is the expression of an element's key, an unsigned number of C type `key_type` that is ordered as it is."""
    element = ELEMENTS[code]
    wide = key_type == "u64"
    value, exact = VALUES[element.computed]

    def written(text, K):
        bits = int(K[1:])
        return text.format(K=K, E=f"E{bits}", bits=bits, width=256 // bits, long=key_type, dtype=element.name,
                           value=value, exact=exact, words=2 if wide else 1)

    sorted_ = written(SORTED, "u32")
    if wide:                            # the upper halves may be all the same, as those of indices are
        sorted_ = f"if (differing >> 32 == 0) {sorted_} else {written(SORTED, 'u64')}"
    text = written(PASSES, "u32") + written(PASSES, "u64") * wide + TEXT.format(
        K=key_type, T=element.computed, S=element.stored, key=key, dtype=element.name, walk=to_sort(),
        sorted=sorted_,
        width=4 if wide else 8,
        low="(differing >> 32 == 0 ? (u64)0xffffffffu : (u64)-1)" if wide else "(u32)-1")
    return "sort_rows", assemble(traits, 1, text), 1
