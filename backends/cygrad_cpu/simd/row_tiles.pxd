"""Sums of products for a tile of places, of which those below one another share what they see."""
from cygrad_cpu.simd.vectors cimport Doubles, Floats

cdef extern from *:
    """
    /* The lanes `which` + `more` of the vector at an address, or of two vectors there. */
    #if defined(__GNUC__) && !defined(__clang__) && CYGRAD_VECTOR > 16
    #define CYGRAD_PICKS 1
    typedef int cygrad_lanes __attribute__((vector_size(CYGRAD_VECTOR), aligned(8), may_alias));
    static inline cygrad_floats cygrad_pick(const char *a, const char *which, int more, int two) {
        const cygrad_floats *x = (const cygrad_floats *)a;
        cygrad_lanes mask = *(const cygrad_lanes *)which + more;
        return two ? __builtin_shuffle(x[0], x[1], mask) : __builtin_shuffle(x[0], mask);
    }
    #else
    #define CYGRAD_PICKS 0
    static inline cygrad_floats cygrad_pick(const char *a, const char *which, int more, int two) {
        return *(const cygrad_floats *)a;
    }
    #endif
    #define CYGRAD_READ(a, which, more) *a

    /* Each vector of a row meets as many elements of a column of the kernel as there are places above it that see it:
       it is read, and its lanes are picked, once for all. Loops have to be unrolled for sums to stay in registers. */
    #define CYGRAD_DOWN 4           /* places of a tile below one another, and side by side */
    #define CYGRAD_BESIDE 2
    #if defined(__GNUC__) && !defined(__clang__)
    #define CYGRAD_UNROLLED _Pragma("GCC unroll 16")
    #else
    #define CYGRAD_UNROLLED
    #endif
    #if defined(__GNUC__) && defined(__AVX__)
    #define CYGRAD_HOLD(x) __asm__("" : "+v"(x))    /* in a register: it isn't read again for each product */
    #define CYGRAD_ANEW(a) __asm__("" : "+r"(a))    /* what lies there isn't kept, in memory, for the next call */
    #else
    #define CYGRAD_HOLD(x)
    #define CYGRAD_ANEW(a)
    #endif
    #define CYGRAD_MEET_ROWS(function, type, kernel, rows, read)                                                      \
        static inline void function(const char *a, Py_ssize_t row, Py_ssize_t place, const char *weight,              \
                                    Py_ssize_t weight_row, const char *which, int more, type *sums) {                 \
            type by[kernel];                                                                                          \
            int i, j, r;                                                                                              \
            CYGRAD_UNROLLED for (r = 0; r < kernel; r++) by[r] = *(const type *)(weight + r * weight_row);            \
            CYGRAD_UNROLLED for (i = 0; i < rows + kernel - 1; i++, a += row) {                                       \
                CYGRAD_UNROLLED for (j = 0; j < CYGRAD_BESIDE; j++) {                                                 \
                    type x = read(((const type *)(a + j * place)), which, more);                                      \
                    CYGRAD_HOLD(x);                                                                                   \
                    CYGRAD_UNROLLED for (r = 0; r < kernel; r++)                                                      \
                        if (i >= r && i - r < rows) sums[(i - r) * CYGRAD_BESIDE + j] += x * by[r];                   \
                }                                                                                                     \
            }                                                                                                         \
        }
    #define CYGRAD_MEET(name, type, kernel, read)                                                                     \
        CYGRAD_MEET_ROWS(cygrad_meet_##name##_##kernel, type, kernel, CYGRAD_DOWN, read)
    /* `most`: 3, or 5 where that is worth its code; a column of 4, or what is left of 7, are made of 2 */
    #define CYGRAD_MEETS(name, type, most, read)                                                                      \
        CYGRAD_MEET(name, type, 2, read) CYGRAD_MEET(name, type, 3, read)                                             \
        static inline void cygrad_meet_##name(Py_ssize_t kernel, const char *a, Py_ssize_t row, Py_ssize_t place,     \
                                              const char *weight, Py_ssize_t weight_row, const char *which, int more, \
                                              type *sums) {                                                           \
            int n;                                                                                                    \
            for (; kernel; kernel -= n, a += n * row, weight += n * weight_row) {                                     \
                n = kernel >= most && kernel != most + 1 ? most : kernel == 2 || kernel == 4 ? 2 : 3;                 \
                if (n == 2) cygrad_meet_##name##_2(a, row, place, weight, weight_row, which, more, sums);             \
                else if (n == 3) cygrad_meet_##name##_3(a, row, place, weight, weight_row, which, more, sums);        \
                else cygrad_meet_##name##_##most(a, row, place, weight, weight_row, which, more, sums);               \
            }                                                                                                         \
        }
    CYGRAD_MEET(floats, cygrad_floats, 5, CYGRAD_READ)
    CYGRAD_MEETS(floats, cygrad_floats, 5, CYGRAD_READ)
    CYGRAD_MEETS(doubles, cygrad_doubles, 3, CYGRAD_READ)
    #define CYGRAD_PICK(a, which, more) cygrad_pick((const char *)a, which, more, 0)
    #define CYGRAD_PICK_TWO(a, which, more) cygrad_pick((const char *)a, which, more, 1)
    CYGRAD_MEETS(picked, cygrad_floats, 3, CYGRAD_PICK)
    CYGRAD_MEETS(picked_of_two, cygrad_floats, 3, CYGRAD_PICK_TWO)
    /* Columns of 3 by tiles twice as high: fewer lanes are picked for as many products. A tile as `see_rows` of
       kernels/depthwise_last.pyx makes it, for a vector of channels; what it sees is read anew for each. */
    CYGRAD_MEET_ROWS(cygrad_meet_tall, cygrad_floats, 3, 2 * CYGRAD_DOWN, CYGRAD_PICK)
    CYGRAD_MEET_ROWS(cygrad_meet_tall_of_two, cygrad_floats, 3, 2 * CYGRAD_DOWN, CYGRAD_PICK_TWO)
    __attribute__((noinline)) static void cygrad_see_tall(
            const char *a, Py_ssize_t row, Py_ssize_t place, const Py_ssize_t *places, const char *weight,
            Py_ssize_t weight_row, Py_ssize_t weight_step, const Py_ssize_t *weights, Py_ssize_t taps,
            const char *which, int more, int seen, int two, const cygrad_floats *start, char *out,
            Py_ssize_t out_row, Py_ssize_t out_place) {
        cygrad_floats sums[4 * CYGRAD_DOWN];
        int i, j;
        CYGRAD_UNROLLED for (i = 0; i < 4 * CYGRAD_DOWN; i++) sums[i] = *start;
        for (; taps; taps--, places++, weights++) {
            const char *x = a + *places * 4, *w = weight + *weights * 4;
            for (j = 0; j < seen; j++, w += weight_step) {
                CYGRAD_ANEW(x);
                if (two) cygrad_meet_tall_of_two(x, row, place, w, weight_row, which, more + j, sums);
                else cygrad_meet_tall(x, row, place, w, weight_row, which, more + j, sums);
            }
        }
        CYGRAD_UNROLLED for (i = 0; i < 2 * CYGRAD_DOWN; i++, out += out_row) {
            *(cygrad_floats *)out = sums[2 * i];
            *(cygrad_floats *)(out + out_place) = sums[2 * i + 1];
        }
    }
    /* 16 places of one channel to as many filters, or of as many to one: 2, 4, 8 or 16, which the weights and the bias
       are repeated for in a vector. Of sums, neighbouring lanes of two vectors are added, until one is left. */
    #if CYGRAD_PICKS && CYGRAD_VECTOR == 64
    #define CYGRAD_PLACES 16
    __attribute__((noinline)) static void cygrad_spread_places(const float *a, int filters, const char *which,
                                                               const float *weight, const float *bias, float *out) {
        cygrad_floats by = *(const cygrad_floats *)weight, start = *(const cygrad_floats *)bias;
        int i, places = 16 / filters;
        for (i = 0; i < 16; i += places, out += 16)
            *(cygrad_floats *)out = cygrad_pick((const char *)a, which, i, 0) * by + start;
    }
    #define CYGRAD_ADD_PLACES(channels)                                                                               \
        __attribute__((noinline)) static void cygrad_add_places_##channels(const float *a, const float *weight,       \
                                                                           const float *bias, float *out) {           \
            cygrad_floats x[channels], by = *(const cygrad_floats *)weight;                                           \
            const cygrad_lanes even = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};                    \
            int i, n;                                                                                                 \
            CYGRAD_UNROLLED for (i = 0; i < channels; i++) x[i] = *(const cygrad_floats *)(a + 16 * i) * by;          \
            CYGRAD_UNROLLED for (n = channels / 2; n; n /= 2)                                                         \
                CYGRAD_UNROLLED for (i = 0; i < n; i++)                                                               \
                    x[i] = __builtin_shuffle(x[2 * i], x[2 * i + 1], even)                                            \
                           + __builtin_shuffle(x[2 * i], x[2 * i + 1], even + 1);                                     \
            *(cygrad_floats *)out = x[0] + *(const cygrad_floats *)bias;                                              \
        }
    CYGRAD_ADD_PLACES(4) CYGRAD_ADD_PLACES(8)
    #else
    #define CYGRAD_PLACES 0
    #define cygrad_spread_places(a, filters, which, weight, bias, out)
    #define cygrad_add_places_4(a, weight, bias, out)
    #define cygrad_add_places_8(a, weight, bias, out)
    #endif
    #define CYGRAD_TALL (CYGRAD_PICKS && CYGRAD_VECTOR == 64)
    """
    enum:
        PICKS "CYGRAD_PICKS"
        DOWN "CYGRAD_DOWN"
        BESIDE "CYGRAD_BESIDE"
        PLACES "CYGRAD_PLACES"      # 0: these functions are not there
        TALL "CYGRAD_TALL"          # whether there are registers for tiles twice as high
    Floats pick "cygrad_pick" (const char *a, const char *which, int more, bint two) noexcept nogil
    # `kernel`: elements of a column; distances in bytes
    void meet_floats "cygrad_meet_floats" (Py_ssize_t kernel, const char *a, Py_ssize_t row, Py_ssize_t place,
                                           const char *weight, Py_ssize_t weight_row, const char *which, int more,
                                           Floats *sums) noexcept nogil
    void meet_doubles "cygrad_meet_doubles" (Py_ssize_t kernel, const char *a, Py_ssize_t row, Py_ssize_t place,
                                             const char *weight, Py_ssize_t weight_row, const char *which, int more,
                                             Doubles *sums) noexcept nogil
    void meet_picked "cygrad_meet_picked" (Py_ssize_t kernel, const char *a, Py_ssize_t row, Py_ssize_t place,
                                           const char *weight, Py_ssize_t weight_row, const char *which, int more,
                                           Floats *sums) noexcept nogil
    void meet_picked_of_two "cygrad_meet_picked_of_two" (Py_ssize_t kernel, const char *a, Py_ssize_t row,
                                                         Py_ssize_t place, const char *weight, Py_ssize_t weight_row,
                                                         const char *which, int more, Floats *sums) noexcept nogil
    void see_tall "cygrad_see_tall" (const char *a, Py_ssize_t row, Py_ssize_t place, const Py_ssize_t *places,
                                     const char *weight, Py_ssize_t weight_row, Py_ssize_t weight_step,
                                     const Py_ssize_t *weights, Py_ssize_t taps, const char *which, int more, int seen,
                                     bint two, const Floats *start, char *out, Py_ssize_t out_row,
                                     Py_ssize_t out_place) noexcept nogil
    void spread_places "cygrad_spread_places" (const float *a, int filters, const char *which, const float *weight,
                                               const float *bias, float *out) noexcept nogil
    void add_places_4 "cygrad_add_places_4" (const float *a, const float *weight, const float *bias,
                                             float *out) noexcept nogil
    void add_places_8 "cygrad_add_places_8" (const float *a, const float *weight, const float *bias,
                                             float *out) noexcept nogil
