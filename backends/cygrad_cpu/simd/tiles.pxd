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
    CYGRAD_TILE(8, unsigned long long, 4, 32, CYGRAD_LIST(0, 4, 1, 5), CYGRAD_LIST(2, 6, 3, 7))
    #else
    #define CYGRAD_TILES 0
    static inline void cygrad_tile_1(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    static inline void cygrad_tile_2(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    static inline void cygrad_tile_4(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    static inline void cygrad_tile_8(const void *a, ptrdiff_t a_column, void *out, ptrdiff_t out_row) { }
    #endif
    """
    enum:
        TILES "CYGRAD_TILES"
    void tile_1 "cygrad_tile_1" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void tile_2 "cygrad_tile_2" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void tile_4 "cygrad_tile_4" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
    void tile_8 "cygrad_tile_8" (const void *a, Py_ssize_t a_column, void *out, Py_ssize_t out_row) noexcept nogil
