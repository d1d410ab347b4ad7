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

    /* Four neighbouring numbers of each of as many places as fill a vector: to four rows of places, and back. Vectors
       are made of parts of four numbers; two rounds of interleaving in these transpose them. */
    typedef float cygrad_part __attribute__((vector_size(16), aligned(4), may_alias));
    typedef float cygrad_pair __attribute__((vector_size(32), aligned(4), may_alias));
    #if defined(__AVX512F__)
    #define CYGRAD_STRIP 16
    #define CYGRAD_LOW 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
    #define CYGRAD_HIGH 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
    #define CYGRAD_JOINED(x) __builtin_shufflevector(CYGRAD_PAIR(x, 0, 4), CYGRAD_PAIR(x, 8, 12), 0, 1, 2, 3, 4, 5, 6, \
                                                     7, 8, 9, 10, 11, 12, 13, 14, 15)
    #define CYGRAD_SPREAD(x) x(0) x(1) x(2) x(3)
    #elif defined(__AVX__)
    #define CYGRAD_STRIP 8
    #define CYGRAD_LOW 0, 8, 1, 9, 4, 12, 5, 13
    #define CYGRAD_HIGH 2, 10, 3, 11, 6, 14, 7, 15
    #define CYGRAD_JOINED(x) CYGRAD_PAIR(x, 0, 4)
    #define CYGRAD_SPREAD(x) x(0) x(1)
    #else
    #define CYGRAD_STRIP 4
    #define CYGRAD_LOW 0, 4, 1, 5
    #define CYGRAD_HIGH 2, 6, 3, 7
    #define CYGRAD_JOINED(x) x(0)
    #define CYGRAD_SPREAD(x) x(0)
    #endif
    typedef float cygrad_strip __attribute__((vector_size(4 * CYGRAD_STRIP), aligned(4), may_alias));
    #define CYGRAD_PAIR(x, i, j) __builtin_shufflevector(x(i), x(j), 0, 1, 2, 3, 4, 5, 6, 7)
    static inline void cygrad_mix(cygrad_strip *rows) {
        int round;
        for (round = 0; round < 2; round++) {
            cygrad_strip a = rows[0], b = rows[1];
            rows[0] = __builtin_shufflevector(a, rows[2], CYGRAD_LOW);
            rows[1] = __builtin_shufflevector(a, rows[2], CYGRAD_HIGH);
            a = rows[3];
            rows[2] = __builtin_shufflevector(b, a, CYGRAD_LOW);
            rows[3] = __builtin_shufflevector(b, a, CYGRAD_HIGH);
        }
    }
    static inline void cygrad_to_rows(const float *a, ptrdiff_t place, float *out, ptrdiff_t row) {
        cygrad_strip rows[4];
        int i;
    #define CYGRAD_AT(k) (*(const cygrad_part *)(a + (i + k) * place))
        for (i = 0; i < 4; i++) rows[i] = CYGRAD_JOINED(CYGRAD_AT);
    #undef CYGRAD_AT
        cygrad_mix(rows);
        for (i = 0; i < 4; i++) *(cygrad_strip *)(out + i * row) = rows[i];
    }
    /* `bias`: four numbers that are added */
    static inline void cygrad_from_rows(const float *a, ptrdiff_t row, const float *bias, float *out, ptrdiff_t place) {
        cygrad_strip rows[4];
        cygrad_part added = *(const cygrad_part *)bias;
        int i;
        for (i = 0; i < 4; i++) rows[i] = *(const cygrad_strip *)(a + i * row);
        cygrad_mix(rows);
    #define CYGRAD_BIAS(k) added
    #define CYGRAD_AT(k) *(cygrad_part *)(out + (i + 4 * k) * place) =                                                \
            __builtin_shufflevector(rows[i], rows[i], 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
        for (i = 0; i < 4; i++) {
            rows[i] += CYGRAD_JOINED(CYGRAD_BIAS);
            CYGRAD_SPREAD(CYGRAD_AT)
        }
    #undef CYGRAD_AT
    }
    #else
    #define CYGRAD_TILES 0
    static inline void cygrad_tile_1(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    static inline void cygrad_tile_2(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    static inline void cygrad_tile_4(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    #define CYGRAD_STRIP 4
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
    void tile_1 "cygrad_tile_1" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void tile_2 "cygrad_tile_2" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void tile_4 "cygrad_tile_4" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void tile_4_small "cygrad_tile_4_small" (const void *a, Py_ssize_t a_column, void *out,
                                             Py_ssize_t out_row) noexcept nogil         # 4 x 4
    void tile_8 "cygrad_tile_8" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void to_rows "cygrad_to_rows" (const float *a, Py_ssize_t place, float *out, Py_ssize_t row) noexcept nogil
    void from_rows "cygrad_from_rows" (const float *a, Py_ssize_t row, const float *bias, float *out,
                                       Py_ssize_t place) noexcept nogil
