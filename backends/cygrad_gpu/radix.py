"""Sorting along the last axis on processors: a group sorts whole rows by the bytes of their keys, the lowest first.

Stable, with a count of all bytes made in the pass that makes the keys; bytes that all elements share are passed over.
Rows go to different groups, a row is one group's: reading and writing it four times takes less than the merges of many
groups would.
"""
from cygrad_gpu.dtypes import ELEMENTS
from cygrad_gpu.source import assemble

RANK = 8

TEXT = """
FUNCTION {K} key_of({T} x) {{ return {key}; }}

KERNEL(sort_rows)(ARRAY({S}, values), ARRAY(i64, index), ARRAY(const {S}, a), ARRAY({K}, keys), ARRAY({K}, spare_keys),
                  ARRAY(i32, places), ARRAY(i32, spare_places), const i64 rows, const i64 owned, const i64 n,
                  const i64 first, const i64 count, const i64 flip, const i64 step, const i64 values_step,
                  const i64 index_step, const axes sizes, const axes strides, const axes values_strides,
                  const axes index_strides) {{
    OPEN({S}, values); OPEN(i64, index); OPEN(const {S}, a); OPEN({K}, keys); OPEN({K}, spare_keys);
    OPEN(i32, places); OPEN(i32, spare_places);
    const i64 last = (GROUP_ID + 1) * owned < rows ? (GROUP_ID + 1) * owned : rows;
    for (i64 row = GROUP_ID * owned; row < last; row++) {{
        i64 rest = row, base = 0, values_base = 0, index_base = 0;
        {walk}
        GLOBAL {K} *from = keys + row * n, *to = spare_keys + row * n;
        GLOBAL i32 *place_from = places + row * n, *place_to = spare_places + row * n;
        u32 counts[{bytes}][256];
        for (int b = 0; b < {bytes}; b++)
            for (int j = 0; j < 256; j++) counts[b][j] = 0;
        for (i64 k = 0; k < n; k++) {{
            const {K} x = key_of(LOAD_{dtype}(a, base + k * step)) ^ ({K})flip;
            from[k] = x;
            place_from[k] = (i32)k;
            for (int b = 0; b < {bytes}; b++) counts[b][(x >> (8 * b)) & 255]++;
        }}
        for (int b = 0; b < {bytes}; b++) {{
            if (counts[b][(from[0] >> (8 * b)) & 255] == n) continue;
            u32 before = 0;
            for (int j = 0; j < 256; j++) {{
                const u32 many = counts[b][j];
                counts[b][j] = before;
                before += many;
            }}
            for (i64 k = 0; k < n; k++) {{
                const {K} x = from[k];
                const u32 at = counts[b][(x >> (8 * b)) & 255]++;
                to[at] = x;
                place_to[at] = place_from[k];
            }}
            GLOBAL {K} *other = from; from = to; to = other;
            GLOBAL i32 *other_place = place_from; place_from = place_to; place_to = other_place;
        }}
        for (i64 k = 0; k < count; k++) {{
            const i64 place = place_from[first + k];
            values[values_base + k * values_step] = a[base + place * step];
            index[index_base + k * index_step] = place;
        }}
    }}
}}
"""


def make(traits, code, key_type, key):
    """`key` is the expression of an element's key, an unsigned number of C type `key_type` that is ordered as it is."""
    element = ELEMENTS[code]
    bases = ("base", "strides"), ("values_base", "values_strides"), ("index_base", "index_strides")
    walk = "\n        ".join(
        f"if (rest != 0) {{ const i64 above = rest / sizes.s{d}, at = rest - above * sizes.s{d}; rest = above; "
        + " ".join(f"{base} += at * {strides}.s{d};" for base, strides in bases) + " }" for d in range(RANK - 1))
    size = element.stored[1:]
    return "sort_rows", assemble(traits, 1, TEXT.format(
        K=key_type, T=element.computed, S=element.stored, key=key, dtype=element.name, walk=walk,
        bytes=8 if size == "64" else 4)), 1
