"""Square tiles of elements transposed in vector registers."""

cdef extern from *:
    """
    #include <stddef.h>

    /* Transpose of a square tile of n x n elements, as many as fill a vector: log2(n) rounds of interleaving row i with
       row i + n / 2. Columns of `a` are a_column apart, rows of `out` out_row. */
    #if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
    #define CYGRAD_TILES 1
    #define CYGRAD_TILE(name, type, n, bytes, low, high)                                                              \
        static inline void cygrad_tile_##name(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) {      \
            typedef type vector __attribute__((vector_size(bytes), aligned(1), may_alias));                           \
            vector rows[n], mixed[n];                                                                                 \
            int i, round;                                                                                             \
            for (i = 0; i < n; i++) rows[i] = *(const vector *)((const type *)a + i * a_column);                      \
            for (round = 1; round < n; round *= 2) {                                                                  \
                for (i = 0; i < n / 2; i++) {                                                                         \
                    mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + n / 2], low);                            \
                    mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + n / 2], high);                       \
                }                                                                                                     \
                for (i = 0; i < n; i++) rows[i] = mixed[i];                                                           \
            }                                                                                                         \
            for (i = 0; i < n; i++) *(vector *)((type *)out + i * out_row) = rows[i];                                 \
        }
    #define CYGRAD_LIST(...) __VA_ARGS__
    CYGRAD_TILE(1, unsigned char, 16, 16, CYGRAD_LIST(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
                CYGRAD_LIST(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31))
    CYGRAD_TILE(2, unsigned short, 8, 16, CYGRAD_LIST(0, 8, 1, 9, 2, 10, 3, 11),
                CYGRAD_LIST(4, 12, 5, 13, 6, 14, 7, 15))
    CYGRAD_TILE(4, unsigned int, 8, 32, CYGRAD_LIST(0, 8, 1, 9, 2, 10, 3, 11), CYGRAD_LIST(4, 12, 5, 13, 6, 14, 7, 15))
    CYGRAD_TILE(4_small, unsigned int, 4, 16, CYGRAD_LIST(0, 4, 1, 5), CYGRAD_LIST(2, 6, 3, 7))
    CYGRAD_TILE(8, unsigned long long, 4, 32, CYGRAD_LIST(0, 4, 1, 5), CYGRAD_LIST(2, 6, 3, 7))

    /* Four neighbouring numbers of each of as many places as fill a vector of 32 bytes, or of 16: to four rows of
       places, and back. Vectors are made of parts of four numbers; two rounds of interleaving in these transpose them.
       Vectors of 64 bytes are no faster: their parts have to be put together, and taken apart. */
    typedef float cygrad_part __attribute__((vector_size(16), aligned(4), may_alias));
    #if defined(__AVX__)
    #define CYGRAD_STRIP 8
    #define CYGRAD_LOW 0, 8, 1, 9, 4, 12, 5, 13
    #define CYGRAD_HIGH 2, 10, 3, 11, 6, 14, 7, 15
    #define CYGRAD_JOINED(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7)
    #define CYGRAD_FOLDED(x, i) (__builtin_shufflevector(x[i], x[i + 4], 0, 1, 2, 3, 8, 9, 10, 11)                    \
                                 + __builtin_shufflevector(x[i], x[i + 4], 4, 5, 6, 7, 12, 13, 14, 15))
    #else
    #define CYGRAD_STRIP 4
    #define CYGRAD_LOW 0, 4, 1, 5
    #define CYGRAD_HIGH 2, 6, 3, 7
    #define CYGRAD_JOINED(x, y) x
    #define CYGRAD_FOLDED(x, i) x[i]
    #endif
    typedef float cygrad_strip __attribute__((vector_size(4 * CYGRAD_STRIP), aligned(4), may_alias));
    static inline void cygrad_mix(cygrad_strip *rows) {
        cygrad_strip a = __builtin_shufflevector(rows[0], rows[2], CYGRAD_LOW);
        cygrad_strip b = __builtin_shufflevector(rows[0], rows[2], CYGRAD_HIGH);
        cygrad_strip c = __builtin_shufflevector(rows[1], rows[3], CYGRAD_LOW);
        cygrad_strip d = __builtin_shufflevector(rows[1], rows[3], CYGRAD_HIGH);
        rows[0] = __builtin_shufflevector(a, c, CYGRAD_LOW);
        rows[1] = __builtin_shufflevector(a, c, CYGRAD_HIGH);
        rows[2] = __builtin_shufflevector(b, d, CYGRAD_LOW);
        rows[3] = __builtin_shufflevector(b, d, CYGRAD_HIGH);
    }
    #define CYGRAD_APART __attribute__((noinline)) static       /* within loops, GCC keeps addresses in vectors */
    CYGRAD_APART void cygrad_to_rows(const float *a, ptrdiff_t place, float *out, ptrdiff_t row) {
        cygrad_strip rows[4];
        const float *b = a + 4 * place;
        int i;
        for (i = 0; i < 4; i++, a += place, b += place)
            rows[i] = CYGRAD_JOINED(*(const cygrad_part *)a, *(const cygrad_part *)b);
        cygrad_mix(rows);
        for (i = 0; i < 4; i++, out += row) *(cygrad_strip *)out = rows[i];
    }
    /* `bias`: four numbers that are added; places are written in their order */
    static inline void cygrad_put_rows(cygrad_strip *rows, const float *bias, float *out, ptrdiff_t place) {
        cygrad_part first = *(const cygrad_part *)bias;
        cygrad_strip added = CYGRAD_JOINED(first, first);
        int i;
        cygrad_mix(rows);
        for (i = 0; i < 4; i++, out += place) {
            rows[i] += added;
            *(cygrad_part *)out = __builtin_shufflevector(rows[i], rows[i], 0, 1, 2, 3);
        }
        for (i = 0; i < (CYGRAD_STRIP > 4 ? 4 : 0); i++, out += place)
            *(cygrad_part *)out = __builtin_shufflevector(rows[i], rows[i], CYGRAD_STRIP - 4, CYGRAD_STRIP - 3,
                                                          CYGRAD_STRIP - 2, CYGRAD_STRIP - 1);
    }
    CYGRAD_APART void cygrad_from_rows(const float *a, ptrdiff_t row, const float *bias, float *out, ptrdiff_t place) {
        cygrad_strip rows[4];
        int i;
        for (i = 0; i < 4; i++, a += row) rows[i] = *(const cygrad_strip *)a;
        cygrad_put_rows(rows, bias, out, place);
    }
    /* Two to four sums of products for each place of CYGRAD_STRIPS strips, side by side; of two strips eight, too.
       The channels of a place, a multiple of four, meet weights (channels, filters). `parts` sums of each at a time, so
       that none waits for the one before. Loops have to be unrolled for sums to stay in registers. The next strips are
       asked for. */
    #if defined(__AVX512VL__)
    #define CYGRAD_STRIPS 2
    #else
    #define CYGRAD_STRIPS 1
    #endif
    #if defined(__clang__)
    #define CYGRAD_EACH(i, n) for (i = 0; i < n; i++)
    #else
    #define CYGRAD_EACH(i, n) _Pragma("GCC unroll 16") for (i = 0; i < n; i++)
    #endif
    #define CYGRAD_WEIGH(filters, parts)                                                                              \
        CYGRAD_APART void cygrad_weigh_##filters(const float *a, ptrdiff_t channels, const float *weight,             \
                                                 const float *bias, float *out) {                                     \
            cygrad_strip sums[CYGRAD_STRIPS][filters * parts], rows[CYGRAD_STRIPS][4];                                \
            const float *next = a + CYGRAD_STRIPS * CYGRAD_STRIP * channels;                                          \
            ptrdiff_t c;                                                                                              \
            int f, g, i, s;                                                                                           \
            CYGRAD_EACH(s, CYGRAD_STRIPS) CYGRAD_EACH(i, filters * parts) sums[s][i] = (cygrad_strip){0};             \
            for (c = 0; c < channels; c += 4, a += 4, weight += 4 * filters) {                                        \
                CYGRAD_EACH(s, CYGRAD_STRIPS) {                                                                       \
                    const float *b = a + s * CYGRAD_STRIP * channels;                                                 \
                    CYGRAD_EACH(i, CYGRAD_STRIP / 4) __builtin_prefetch(next + i * 16);                               \
                    next += CYGRAD_STRIP * 4;                                                                         \
                    CYGRAD_EACH(i, 4)                                                                                 \
                        rows[s][i] = CYGRAD_JOINED(*(const cygrad_part *)(b + i * channels),                          \
                                                   *(const cygrad_part *)(b + (i + 4) * channels));                   \
                    cygrad_mix(rows[s]);                                                                              \
                }                                                                                                     \
                CYGRAD_EACH(i, 4) CYGRAD_EACH(f, filters) {                                                           \
                    cygrad_strip by = weight[i * filters + f] - (cygrad_strip){0};                                    \
                    CYGRAD_EACH(s, CYGRAD_STRIPS) sums[s][f * parts + i % parts] += rows[s][i] * by;                  \
                }                                                                                                     \
            }                                                                                                         \
            CYGRAD_EACH(s, CYGRAD_STRIPS) CYGRAD_EACH(g, (filters + 3) / 4) {                                         \
                CYGRAD_EACH(f, 4) rows[s][f] = (cygrad_strip){0};                                                     \
                CYGRAD_EACH(f, (filters < 4 ? filters : 4))                                                           \
                    CYGRAD_EACH(i, parts) rows[s][f] += sums[s][(4 * g + f) * parts + i];                             \
                cygrad_put_rows(rows[s], bias + 4 * g, out + s * CYGRAD_STRIP * filters + 4 * g, filters);            \
            }                                                                                                         \
        }
    CYGRAD_WEIGH(2, 4) CYGRAD_WEIGH(3, 2) CYGRAD_WEIGH(4, 2)
    #if CYGRAD_STRIPS == 2
    CYGRAD_WEIGH(8, 1)
    #else
    #define cygrad_weigh_8 cygrad_weigh_4
    #endif
    /* ... and of one filter: channels are a multiple of a strip, and are summed last */
    CYGRAD_APART void cygrad_weigh_1(const float *a, ptrdiff_t channels, const float *weight, const float *bias,
                                     float *out) {
        cygrad_strip sums[CYGRAD_STRIP] = {{0}}, rows[4];
        ptrdiff_t c;
        int i;
        for (c = 0; c < channels; c += CYGRAD_STRIP) {
            cygrad_strip by = *(const cygrad_strip *)(weight + c);
            for (i = 0; i < CYGRAD_STRIP; i++) sums[i] += *(const cygrad_strip *)(a + i * channels + c) * by;
        }
        for (i = 0; i < 4; i++) rows[i] = CYGRAD_FOLDED(sums, i);
        cygrad_mix(rows);
        *(cygrad_strip *)out = (rows[0] + rows[1]) + (rows[2] + rows[3]) + *bias;
    }
    static inline void cygrad_weigh_strip(const float *a, ptrdiff_t channels, const float *weight, ptrdiff_t filters,
                                          const float *bias, float *out) {
        if (filters == 1) cygrad_weigh_1(a, channels, weight, bias, out);
        else if (filters == 2) cygrad_weigh_2(a, channels, weight, bias, out);
        else if (filters == 3) cygrad_weigh_3(a, channels, weight, bias, out);
        else if (filters == 4) cygrad_weigh_4(a, channels, weight, bias, out);
        else cygrad_weigh_8(a, channels, weight, bias, out);
    }
    #else
    #define CYGRAD_TILES 0
    static inline void cygrad_weigh_strip(const float *a, ptrdiff_t channels, const float *weight, ptrdiff_t filters,
                                          const float *bias, float *out) { }
    static inline void cygrad_tile_1(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    static inline void cygrad_tile_2(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    static inline void cygrad_tile_4(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    #define CYGRAD_STRIP 4
    #define CYGRAD_STRIPS 1
    static inline void cygrad_tile_4_small(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    static inline void cygrad_to_rows(const float *a, ptrdiff_t place, float *out, ptrdiff_t row) { }
    static inline void cygrad_from_rows(const float *a, ptrdiff_t row, const float *bias, float *out,
                                        ptrdiff_t place) { }
    static inline void cygrad_tile_8(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    #endif
    """
    enum:
        TILES "CYGRAD_TILES"
        STRIP "CYGRAD_STRIP"
        STRIPS "CYGRAD_STRIPS"
    void tile_1 "cygrad_tile_1" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void tile_2 "cygrad_tile_2" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void tile_4 "cygrad_tile_4" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void tile_4_small "cygrad_tile_4_small" (const void *a, Py_ssize_t a_column, void *out,
                                             Py_ssize_t out_row) noexcept nogil         # 4 x 4
    void tile_8 "cygrad_tile_8" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void to_rows "cygrad_to_rows" (const float *a, Py_ssize_t place, float *out, Py_ssize_t row) noexcept nogil
    void from_rows "cygrad_from_rows" (const float *a, Py_ssize_t row, const float *bias, float *out,
                                       Py_ssize_t place) noexcept nogil
    void weigh_strip "cygrad_weigh_strip" (const float *a, Py_ssize_t channels, const float *weight, Py_ssize_t filters,
                                           const float *bias, float *out) noexcept nogil
