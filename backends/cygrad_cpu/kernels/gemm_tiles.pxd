"""Tiles of a product: a few rows and up to three vectors that stay in registers while a block of k goes by."""
from libc.string cimport memcpy

from cygrad_cpu.simd.vectors cimport Doubles, Floats, Vector, factor, spread

cdef extern from *:
    """
    #if CYGRAD_VECTOR == 64
    #define CYGRAD_ROWS 8           /* 24 sums and the three vectors of b, in 32 registers */
    #else
    #define CYGRAD_ROWS 4           /* 12 sums, in 16 registers */
    #endif
    #if defined(__GNUC__) && CYGRAD_VECTOR == 64
    #define CYGRAD_HALVED 1         /* half a vector: where products of 32 bytes take half the time, or no longer */
    typedef float cygrad_halves __attribute__((vector_size(32), aligned(4), may_alias));
    #else
    #define CYGRAD_HALVED 0
    typedef cygrad_floats cygrad_halves;
    #endif
    static inline cygrad_halves cygrad_spread_half(float x) { return x - (cygrad_halves){0}; }

    /* The first bytes, whole numbers, of a vector. */
    #if CYGRAD_HALVED
    #include <immintrin.h>
    #define cygrad_keep_apart(a) __asm__ volatile("" : "+r"(a))     /* it isn't computed from another address */
    #define CYGRAD_PART(name, type, vector, mm)                                                                       \
        static inline type cygrad_get_##name(const char *a, Py_ssize_t nbytes) {                                      \
            return (type)mm##_maskz_loadu_ps((1u << (nbytes / 4)) - 1, a);                                            \
        }                                                                                                             \
        static inline void cygrad_put_##name(char *out, type x, Py_ssize_t nbytes) {                                  \
            mm##_mask_storeu_ps(out, (1u << (nbytes / 4)) - 1, (vector)x);                                            \
        }
    #else
    #define cygrad_keep_apart(a)
    #define CYGRAD_PART(name, type, vector, mm)                                                                       \
        static inline type cygrad_get_##name(const char *a, Py_ssize_t nbytes) {                                      \
            type x = {0};                                                                                             \
            memcpy(&x, a, nbytes);                                                                                    \
            return x;                                                                                                 \
        }                                                                                                             \
        static inline void cygrad_put_##name(char *out, type x, Py_ssize_t nbytes) { memcpy(out, &x, nbytes); }
    #endif
    CYGRAD_PART(floats, cygrad_floats, __m512, _mm512)
    CYGRAD_PART(doubles, cygrad_doubles, __m512, _mm512)
    CYGRAD_PART(half, cygrad_halves, __m256, _mm256)
    """
    enum:
        ROWS "CYGRAD_ROWS"              # of a tile
        HALVED "CYGRAD_HALVED"
    ctypedef long double Halves "cygrad_halves"         # another type than Floats, to Cython
    Halves spread_half "cygrad_spread_half" (float x) noexcept nogil
    void keep_apart "cygrad_keep_apart" (const char *a) noexcept nogil
    Floats get_floats "cygrad_get_floats" (const char *a, Py_ssize_t nbytes) noexcept nogil
    Doubles get_doubles "cygrad_get_doubles" (const char *a, Py_ssize_t nbytes) noexcept nogil
    Halves get_half "cygrad_get_half" (const char *a, Py_ssize_t nbytes) noexcept nogil
    void put_floats "cygrad_put_floats" (char *out, Floats x, Py_ssize_t nbytes) noexcept nogil
    void put_doubles "cygrad_put_doubles" (char *out, Doubles x, Py_ssize_t nbytes) noexcept nogil
    void put_half "cygrad_put_half" (char *out, Halves x, Py_ssize_t nbytes) noexcept nogil
    void fetch "__builtin_prefetch" (const void *address, int write) noexcept nogil

cdef enum:
    PAGE = 4096             # rows at multiples of it fall on the same places of the cache
    AHEAD = 6               # lines of a factor, each in another line of the cache, that are asked for before their turn
    LONG = 32               # terms from which it pays to ask for all of a tile's result

cdef struct Whole:
    char tag
cdef struct Half:
    char tag
cdef struct Tall:
    char tag
cdef struct One:
    char tag
cdef struct Two:
    char tag
cdef struct Three:
    char tag

cdef fused Height:          # of a tile: ROWS, or half of them or, of half a vector, twice
    Whole
    Half
    Tall

cdef fused Width:           # of a tile, in vectors
    One
    Two
    Three

cdef fused Lanes:           # of a tile
    Floats
    Doubles
    Halves

cdef struct Segment:        # neighbouring elements, in bytes
    Py_ssize_t begin
    Py_ssize_t nbytes

# The last three arguments are for the choice of the variant only.
ctypedef void (*Tile)(const char *a, Py_ssize_t a_row, Py_ssize_t a_column, const Segment *a_runs, int a_count,
                      const char *b, Py_ssize_t b_row, const Py_ssize_t *b_rows, const Py_ssize_t *b_columns, char *out,
                      Py_ssize_t out_row, const char *before, Py_ssize_t before_row, Py_ssize_t k, double alpha,
                      double beta, Py_ssize_t rows, Py_ssize_t width, const void *height, const void *vectors,
                      const void *tag) noexcept nogil


cdef inline Py_ssize_t ahead_of(Py_ssize_t step) noexcept nogil:
    """How far ahead of lines `step` bytes apart to ask for them: not where they fall on each other's places."""
    return AHEAD * step if step % PAGE else 0


cdef inline Lanes spread_lanes(const char *number, Lanes *tag) noexcept nogil:
    if Lanes is Halves:
        return spread_half((<const float *>number)[0])
    else:
        return spread[Lanes](number, NULL)


cdef inline Lanes factor_lanes(double x, Lanes *tag) noexcept nogil:
    if Lanes is Halves:
        return spread_half(<float>x)
    else:
        return factor[Lanes](x, NULL)


cdef inline void term(const char *a, Py_ssize_t a_row, const char *b, Py_ssize_t first, Py_ssize_t second,
                      Py_ssize_t third, Lanes *sums, Height *height, Width *vectors) noexcept nogil:
    """Add a column of a tile's rows times its vectors of b, at the bytes first, second and third."""
    cdef int m = ROWS if Height is Whole else ROWS // 2 if Height is Half else 2 * ROWS
    cdef int n = 1 if Width is One else 2 if Width is Two else 3
    cdef Lanes[3] y
    cdef Lanes x
    cdef int i, j
    y[0] = (<const Lanes *>(b + first))[0]
    if n > 1:
        y[1] = (<const Lanes *>(b + second))[0]
    if n > 2:
        y[2] = (<const Lanes *>(b + third))[0]
    for i in range(m):
        x = spread_lanes[Lanes](a + i * a_row, NULL)
        for j in range(n):
            sums[i * n + j] = sums[i * n + j] + x * y[j]


cdef inline void clear_row(Lanes *sums, Width *vectors) noexcept nogil:
    cdef int n = 1 if Width is One else 2 if Width is Two else 3
    cdef Lanes zero = factor_lanes[Lanes](0, NULL)
    sums[0] = zero
    if n > 1:
        sums[1] = zero
    if n > 2:
        sums[2] = zero


cdef inline void clear(Lanes *sums, Height *height, Width *vectors) noexcept nogil:
    """Rows are named one by one here and in `store`: with a loop over them, GCC keeps the sums in memory between the
    parts of `tile`."""
    cdef int m = ROWS if Height is Whole else ROWS // 2 if Height is Half else 2 * ROWS
    cdef int n = 1 if Width is One else 2 if Width is Two else 3
    clear_row[Lanes, Width](sums, NULL)
    clear_row[Lanes, Width](sums + n, NULL)
    if m > 2:
        clear_row[Lanes, Width](sums + 2 * n, NULL)
        clear_row[Lanes, Width](sums + 3 * n, NULL)
    if m > 4:
        clear_row[Lanes, Width](sums + 4 * n, NULL)
        clear_row[Lanes, Width](sums + 5 * n, NULL)
        clear_row[Lanes, Width](sums + 6 * n, NULL)
        clear_row[Lanes, Width](sums + 7 * n, NULL)
    if m > 8:
        clear[Lanes, Whole, Width](sums + 8 * n, NULL, NULL)


cdef inline void scale_row(Lanes *sums, Lanes alpha, Width *vectors) noexcept nogil:
    cdef int n = 1 if Width is One else 2 if Width is Two else 3
    sums[0] = sums[0] * alpha
    if n > 1:
        sums[1] = sums[1] * alpha
    if n > 2:
        sums[2] = sums[2] * alpha


cdef inline void scale(Lanes *sums, Lanes alpha, Height *height, Width *vectors) noexcept nogil:
    cdef int m = ROWS if Height is Whole else ROWS // 2 if Height is Half else 2 * ROWS
    cdef int n = 1 if Width is One else 2 if Width is Two else 3
    scale_row[Lanes, Width](sums, alpha, NULL)
    scale_row[Lanes, Width](sums + n, alpha, NULL)
    if m > 2:
        scale_row[Lanes, Width](sums + 2 * n, alpha, NULL)
        scale_row[Lanes, Width](sums + 3 * n, alpha, NULL)
    if m > 4:
        scale_row[Lanes, Width](sums + 4 * n, alpha, NULL)
        scale_row[Lanes, Width](sums + 5 * n, alpha, NULL)
        scale_row[Lanes, Width](sums + 6 * n, alpha, NULL)
        scale_row[Lanes, Width](sums + 7 * n, alpha, NULL)
    if m > 8:
        scale[Lanes, Whole, Width](sums + 8 * n, alpha, NULL, NULL)


cdef inline void store_row(const Lanes *sums, char *out, const char *before, Lanes beta, bint added,
                           Width *vectors) noexcept nogil:
    cdef int n = 1 if Width is One else 2 if Width is Two else 3
    cdef Lanes *line = <Lanes *>out
    cdef const Lanes *start = <const Lanes *>before
    line[0] = sums[0] + start[0] * beta if added else sums[0]
    if n > 1:
        line[1] = sums[1] + start[1] * beta if added else sums[1]
    if n > 2:
        line[2] = sums[2] + start[2] * beta if added else sums[2]


cdef inline void store(const Lanes *sums, char *out, Py_ssize_t out_row, const char *before, Py_ssize_t before_row,
                       Lanes beta, bint added, Height *height, Width *vectors) noexcept nogil:
    cdef int m = ROWS if Height is Whole else ROWS // 2 if Height is Half else 2 * ROWS
    cdef int n = 1 if Width is One else 2 if Width is Two else 3
    cdef Py_ssize_t o = out_row, b = before_row
    store_row[Lanes, Width](sums, out, before, beta, added, NULL)
    store_row[Lanes, Width](sums + n, out + o, before + b, beta, added, NULL)
    if m > 2:
        store_row[Lanes, Width](sums + 2 * n, out + 2 * o, before + 2 * b, beta, added, NULL)
        store_row[Lanes, Width](sums + 3 * n, out + 3 * o, before + 3 * b, beta, added, NULL)
    if m > 4:
        store_row[Lanes, Width](sums + 4 * n, out + 4 * o, before + 4 * b, beta, added, NULL)
        store_row[Lanes, Width](sums + 5 * n, out + 5 * o, before + 5 * b, beta, added, NULL)
        store_row[Lanes, Width](sums + 6 * n, out + 6 * o, before + 6 * b, beta, added, NULL)
        store_row[Lanes, Width](sums + 7 * n, out + 7 * o, before + 7 * b, beta, added, NULL)
    if m > 8:
        store[Lanes, Whole, Width](sums + 8 * n, out + 8 * o, o, before + 8 * b, b, beta, added, NULL, NULL)


cdef inline void finish(const Lanes *sums, int n, char *out, Py_ssize_t out_row, const char *before,
                        Py_ssize_t before_row, double beta, Py_ssize_t rows, Py_ssize_t width) noexcept nogil:
    """Store a tile at the edge of the result."""
    cdef Py_ssize_t i, j, part
    cdef Lanes total, start
    for i in range(rows):
        j = 0
        while j < width:
            part = min(width - j, <Py_ssize_t>sizeof(Lanes))
            total = sums[j // <Py_ssize_t>sizeof(Lanes)]
            if beta != 0:
                if Lanes is Halves:
                    start = get_half(before + j, part)
                elif Lanes is Floats:
                    start = get_floats(before + j, part)
                else:
                    start = get_doubles(before + j, part)
                total = total + start * factor_lanes[Lanes](beta, NULL)
            if Lanes is Halves:
                put_half(out + j, total, part)
            elif Lanes is Floats:
                put_floats(out + j, total, part)
            else:
                put_doubles(out + j, total, part)
            j += sizeof(Lanes)
        sums += n
        out += out_row
        before += before_row


cdef inline void tile(const char *a, Py_ssize_t a_row, Py_ssize_t a_column, const Segment *a_runs, int a_count,
                      const char *b, Py_ssize_t b_row, const Py_ssize_t *b_rows, const Py_ssize_t *b_columns, char *out,
                      Py_ssize_t out_row, const char *before, Py_ssize_t before_row, Py_ssize_t k, double alpha,
                      double beta, Py_ssize_t rows, Py_ssize_t width, Height *height, Width *vectors,
                      Lanes *tag) noexcept nogil:
    """`rows` rows and `width` bytes of the result, of whole tiles of `a` and `b`. Columns of `a` lie in runs, a_column
    bytes apart. Rows of `b` are b_row bytes apart, or at the elements b_rows (then `a` is one run); its vectors of
    columns lie at the bytes b_columns of each. What beta is the factor of is `before`, which may be `out`."""
    cdef int m = ROWS if Height is Whole else ROWS // 2 if Height is Half else 2 * ROWS
    cdef int n = 1 if Width is One else 2 if Width is Two else 3
    cdef Lanes sums[24]
    cdef Lanes edge[24]
    cdef Lanes zero = factor_lanes[Lanes](0, NULL)
    cdef const char *x_column
    cdef const char *beyond
    cdef const char *next
    cdef Py_ssize_t p, count, step = a_column, size = 8 if Lanes is Doubles else 4
    cdef int i, run
    if rows == m:
        for i in range(m):
            fetch(out + i * out_row, 1)
        if n > 1 and k >= LONG:
            for i in range(m):
                for p in range(64, n * <Py_ssize_t>sizeof(Lanes), 64):
                    fetch(out + i * out_row + p, 1)
    clear[Lanes, Height, Width](sums, NULL, NULL)
    # Four terms a turn: where threads share a processor's front end, a branch taken costs as much as four products.
    if Height is Tall:
        for run in range(a_count):
            x_column = a + a_runs[run].begin
            beyond = x_column + ROWS * a_row
            for p in range(a_runs[run].nbytes // 4):
                term[Lanes, Whole, Width](x_column, a_row, b, 0, 0, 0, sums, NULL, NULL)
                term[Lanes, Whole, Width](beyond, a_row, b, 0, 0, 0, sums + ROWS, NULL, NULL)
                x_column += 4
                beyond += 4
                b += b_row
                keep_apart(beyond)
    elif b_rows == NULL:
        for run in range(a_count):
            x_column = a + a_runs[run].begin
            beyond = x_column + m // 2 * a_row          # the lower rows; by one address there are too few registers
            next = x_column + ahead_of(a_column)
            if a_row == k * size:                       # rows without gaps: those of the next tile
                next, step = x_column + m * a_row, m * size
            count = a_runs[run].nbytes // size
            p = 0
            while p < count - 3:
                for i in range(4):
                    if ROWS == 8:           # of four there are so few products for a line that asking costs more
                        fetch(next, 0)
                        next += step
                    if Height is Whole and ROWS == 8:
                        term[Lanes, Half, Width](x_column, a_row, b, 0, <Py_ssize_t>sizeof(Lanes),
                                                 2 * <Py_ssize_t>sizeof(Lanes), sums, NULL, NULL)
                        term[Lanes, Half, Width](beyond, a_row, b, 0, <Py_ssize_t>sizeof(Lanes),
                                                 2 * <Py_ssize_t>sizeof(Lanes), sums + m // 2 * n, NULL, NULL)
                    else:
                        term[Lanes, Height, Width](x_column, a_row, b, 0, <Py_ssize_t>sizeof(Lanes),
                                                    2 * <Py_ssize_t>sizeof(Lanes), sums, NULL, NULL)
                    x_column += a_column
                    beyond += a_column
                    b += b_row
                    keep_apart(beyond)
                p += 4
            while p < count:
                term[Lanes, Height, Width](x_column, a_row, b, 0, <Py_ssize_t>sizeof(Lanes),
                                            2 * <Py_ssize_t>sizeof(Lanes), sums, NULL, NULL)
                x_column += a_column
                b += b_row
                p += 1
    else:
        for p in range(k):
            term[Lanes, Height, Width](a, a_row, b + b_rows[p] * (8 if Lanes is Doubles else 4), b_columns[0],
                                       b_columns[1], b_columns[2], sums, NULL, NULL)
            a += a_column
    if alpha != 1:
        scale[Lanes, Height, Width](sums, factor_lanes[Lanes](alpha, NULL), NULL, NULL)
    if rows < m or width < n * <Py_ssize_t>sizeof(Lanes):
        store[Lanes, Height, Width](sums, <char *>edge, n * <Py_ssize_t>sizeof(Lanes), NULL, 0, zero, False, NULL, NULL)
        finish[Lanes](edge, n, out, out_row, before, before_row, beta, rows, width)
    elif beta == 0:
        store[Lanes, Height, Width](sums, out, out_row, NULL, 0, zero, False, NULL, NULL)
    else:
        store[Lanes, Height, Width](sums, out, out_row, before, before_row, factor_lanes[Lanes](beta, NULL), True, NULL,
                                    NULL)
