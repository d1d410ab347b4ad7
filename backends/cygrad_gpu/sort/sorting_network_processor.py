"""Sorting on processors without branches: rows that fit into the first-level cache, and the few that `topk` wants.

An element is one 64-bit number, its key above its place, so that no two are equal and order by it is stable. A network
of minima and maxima sorts them: runs of k are merged into runs of 2 k, first against the other run backwards, then at
distances k / 2, k / 4, ... (Batcher's bitonic sorter, every run ascending). Vectors of 8 are compared as wholes down to
distance 8, below that with their own elements exchanged. What lies beyond the row would stay there and is passed over.

If places first to first + count - 1 of the order are wanted of a long row, keys are found between which they lie, by
bisection with a count of the row in lanes at each step, until few are left; these are sorted.
"""
from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.rows import to_sort
from cygrad_gpu.codegen.source import assemble

ROOM = 4096                 # elements that are sorted at once, at most
WHOLE = 256                 # elements of rows that are sorted as a whole, however few are wanted
FEW = 64                    # up to so many, or twice what is wanted, the bisection goes on

TEXT = """
#define AT(i) VLOAD(, long8, row + (i))
#define PUT(i, v) VSTORE(long8, v, row + (i))
#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) < (b) ? (b) : (a))
#define REVERSED(v) (v).s76543210
#define EXCHANGE(v, order, p0, p1, p2, p3, p4, p5, p6, p7) {{ \\
    const long8 other = (v).order, low = LESSER(v, other), high = GREATER(v, other); \\
    v = (long8)(p0.s0, p1.s1, p2.s2, p3.s3, p4.s4, p5.s5, p6.s6, p7.s7); }}
#define BY_1(v) EXCHANGE(v, s10325476, low, high, low, high, low, high, low, high)
#define BY_2(v) EXCHANGE(v, s23016745, low, low, high, high, low, low, high, high)
#define BY_4(v) EXCHANGE(v, s45670123, low, low, low, low, high, high, high, high)
#define FOLD_4(v) EXCHANGE(v, s32107654, low, low, high, high, low, low, high, high)
#define FOLD_8(v) EXCHANGE(v, s76543210, low, low, low, low, high, high, high, high)

FUNCTION void sort_row(i64 *row, int n) {{
    const int end = (n + 7) & ~7;
    for (int i = n; i < end; i++) row[i] = 0x7fffffffffffffffl;
    for (int i = 0; i < end; i += 8) {{
        long8 v = AT(i);
        BY_1(v) FOLD_4(v) BY_1(v) FOLD_8(v) BY_2(v) BY_1(v)
        PUT(i, v);
    }}
    for (int k = 8; k < end; k *= 2) {{
        for (int base = 0; base + k < end; base += 2 * k) {{
            const int above = base + 2 * k - 8;
            for (int i = above < end ? 0 : above - end + 8; i < k; i += 8) {{
                const long8 a = AT(base + i), b = REVERSED(AT(above - i)), high = GREATER(a, b);
                PUT(base + i, LESSER(a, b));
                PUT(above - i, REVERSED(high));
            }}
        }}
        for (int d = k / 2; d >= 8; d /= 2)
            for (int base = 0; base + d < end; base += 2 * d) {{
                const int many = end - base - d < d ? end - base - d : d;
                for (int i = base; i < base + many; i += 8) {{
                    const long8 a = AT(i), b = AT(i + d);
                    PUT(i, LESSER(a, b));
                    PUT(i + d, GREATER(a, b));
                }}
            }}
        for (int i = 0; i < end; i += 8) {{
            long8 v = AT(i);
            BY_4(v) BY_2(v) BY_1(v)
            PUT(i, v);
        }}
    }}
}}
FUNCTION u32 key_of({T} x) {{ return {key}; }}
#define PACKED(key, place) ((i64)((u64)((key) ^ 0x80000000u) << 32 | (u32)(place)))

/* How many keys of a row are at most `bound`. */
FUNCTION i64 counted(GLOBAL const u32 *keys, i64 n, u32 bound) {{
    i64 all = 0;
    for (i64 start = 0; start < n; start += 1 << 16) {{
        const i64 stop = n - start < 1 << 16 ? n : start + (1 << 16);
        i32 found = 0;
        LANES(16, 4)
        for (i64 k = start; k < stop; k++) found += keys[k] <= bound;
        all += found;
    }}
    return all;
}}

/* The elements of a row at places `first` to first + count - 1 of its order, sorted, and no more than ROOM; returns
   where in `row` they begin. */
FUNCTION int selected(GLOBAL const u32 *keys, i64 n, i64 first, i64 count, i64 *row) {{
    const i64 past = first + count, few = 2 * count < {few} ? {few} : 2 * count;
    u32 low = 0xffffffffu, high = 0;
    LANES(16, 2)
    for (i64 k = 0; k < n; k++) {{
        low = keys[k] < low ? keys[k] : low;
        high = keys[k] > high ? keys[k] : high;
    }}
    i64 below = 0, upto = n;                            /* keys less than low; keys up to high */
    u32 lower = high, upper = low;                      /* the least high and the greatest low that hold all wanted */
    while (upto - below > few && low < high) {{
        const int lows = low < lower;                   /* which end to bring nearer */
        u32 middle;
        if (lower == high && upper == low) middle = low + (high - low) / 2;
        else if (lows) middle = low + (lower - low) / 2;
        else if (upper < high) middle = upper + (high - upper) / 2;
        else break;
        const i64 found = counted(keys, n, middle);
        if (found <= first) {{ low = middle + 1; below = found; upper = upper < low ? low : upper; }}
        else if (found >= past) {{ high = middle; upto = found; lower = lower > high ? high : lower; }}
        else {{ lower = middle < lower ? middle : lower; upper = middle + 1 > upper ? middle + 1 : upper; }}
    }}
    int many = 0;
    i64 skipped = 0;
    if (upto - below <= few) {{
        u64 marks[64];                                  /* a byte for each of 512 keys */
        for (i64 start = 0; start < n; start += 512) {{
            const int stop = n - start < 512 ? (int)(n - start) : 512;
            marks[(stop - 1) / 8] = 0;
            u8 *mark = (u8 *)marks;
            LANES(16, 4)
            for (int k = 0; k < stop; k++) mark[k] = (keys[start + k] >= low) & (keys[start + k] <= high);
            for (int eight = 0; 8 * eight < stop; eight++)
                if (marks[eight] != 0)
                    UNROLL for (int k = 8 * eight; k < 8 * eight + 8; k++) {{
                        row[many] = PACKED(keys[start + (k < stop ? k : 0)], start + k);
                        many += mark[k];
                    }}
        }}
        skipped = first - below;
    }} else {{                                      /* many are equal to an end: the first ones of those, in order */
        i64 lows = 0, highs = past - upto;
        if (low < high) for (i64 k = 0; k < n; k++) highs += keys[k] == high;
        for (i64 k = 0; k < n; k++) {{
            const u32 key = keys[k];
            int wanted = (key > low) & (key < high);
            if (key == low) {{ wanted = (lows >= first - below) & (lows < past - below); lows++; }}
            else if (key == high) wanted = highs-- > 0;
            row[many] = PACKED(key, k);
            many += wanted;
        }}
    }}
    sort_row(row, many);
    return (int)skipped;
}}

KERNEL(sort_few)(ARRAY({S}, values), ARRAY(i64, index), ARRAY(const {S}, a), ARRAY(u32, keys), const i64 rows,
                 const i64 owned, const i64 n, const i64 first, const i64 count, const i64 flip, const i64 step,
                 const i64 values_step, const i64 index_step, const axes sizes, const axes strides,
                 const axes values_strides, const axes index_strides) {{
    OPEN({S}, values); OPEN(i64, index); OPEN(const {S}, a); OPEN(u32, keys);
    const i64 last = (GROUP_ID + 1) * owned < rows ? (GROUP_ID + 1) * owned : rows;
    ALIGNED i64 row[{room} + 8];
    for (i64 r = GROUP_ID * owned; r < last; r++) {{
        i64 rest = r, base = 0, values_base = 0, index_base = 0;
        {walk}
        GLOBAL const {S} *from = a + base;
        i64 start = first;
        if (n <= {whole} || 2 * count >= n) {{
            if (step == 1) {{
                LANES(8, 2)
                for (i64 k = 0; k < n; k++) row[k] = PACKED(key_of(LOAD_{dtype}(from, k)) ^ (u32)flip, k);
            }} else
                for (i64 k = 0; k < n; k++) row[k] = PACKED(key_of(LOAD_{dtype}(from, k * step)) ^ (u32)flip, k);
            sort_row(row, (int)n);
        }} else {{
            GLOBAL u32 *mine = keys + GROUP_ID * n;
            LANES(16, 2)
            for (i64 k = 0; k < n; k++) mine[k] = key_of(LOAD_{dtype}(from, k * step)) ^ (u32)flip;
            start = selected(mine, n, first, count, row);
        }}
        if (values_step == 1 && index_step == 1) {{
            LANES(8, 2)
            for (i64 k = 0; k < count; k++) {{
                const i64 place = row[start + k] & 0xffffffffl;
                values[values_base + k] = from[place * step];
                index[index_base + k] = place;
            }}
        }} else
            for (i64 k = 0; k < count; k++) {{
                const i64 place = row[start + k] & 0xffffffffl;
                values[values_base + k * values_step] = from[place * step];
                index[index_base + k * index_step] = place;
            }}
    }}
}}
"""


def fits(n, count):
    """Whether rows of n elements of which `count` are wanted are for this kernel."""
    return n <= ROOM or 2 * count <= ROOM


def selects(n, count):
    """Whether the few that are wanted are sought first: the kernel then has the row's keys in a buffer."""
    return n > WHOLE and 2 * count < n


def make(traits, code, key_type, key):
    """`key` is the expression of an element's key, of type u32 and ordered as it is."""
    element = ELEMENTS[code]
    return "sort_few", assemble(traits, 1, TEXT.format(
        T=element.computed, S=element.stored, key=key, dtype=element.name, walk=to_sort(), room=ROOM, few=FEW,
        whole=WHOLE)), 1
