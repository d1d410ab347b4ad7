"""Sums of products for a run of places, and for a tile of which those below one another share what they see."""
from cygrad_cpu.simd.vectors cimport Doubles, Floats

cdef extern from *:
    """
    /* The lanes `which` + `more` of the vector at an address, or of two vectors there. */
    #if defined(__GNUC__) && !defined(__clang__) && CYGRAD_VECTOR > 16
    #define CYGRAD_PICKS 1
    typedef int cygrad_lanes __attribute__((vector_size(CYGRAD_VECTOR), aligned(8), may_alias));
    typedef long long cygrad_long_lanes __attribute__((vector_size(CYGRAD_VECTOR), aligned(8), may_alias));
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
    __attribute__((noinline, aligned(64))) static void cygrad_see_tall(
            const char *a, Py_ssize_t row, Py_ssize_t place, const Py_ssize_t *places, const char *weight,
            Py_ssize_t weight_row, Py_ssize_t weight_step, const Py_ssize_t *weights, Py_ssize_t taps,
            const char *which, int seen, int two, const cygrad_floats *start, char *out,
            Py_ssize_t out_row, Py_ssize_t out_place) {
        cygrad_floats sums[4 * CYGRAD_DOWN];
        int i, j;
        CYGRAD_UNROLLED for (i = 0; i < 4 * CYGRAD_DOWN; i++) sums[i] = *start;
        for (; taps; taps--, places++, weights++) {
            const char *x = a + *places * 4, *w = weight + *weights * 4;
            for (j = 0; j < seen; j++, w += weight_step) {
                CYGRAD_ANEW(x);
                if (two) cygrad_meet_tall_of_two(x, row, place, w, weight_row, which, j, sums);
                else cygrad_meet_tall(x, row, place, w, weight_row, which, j, sums);
            }
        }
        CYGRAD_UNROLLED for (i = 0; i < 2 * CYGRAD_DOWN; i++, out += out_row) {
            *(cygrad_floats *)out = sums[2 * i];
            *(cygrad_floats *)(out + out_place) = sums[2 * i + 1];
        }
    }
    /* A run of places, a vector of filters of each: `which` says the lanes that they meet, of one, two or four vectors.
       What is seen of an element of the kernel is read once for `terms` channels. `seen` tells where, `weights` where
       the filters lie, in numbers; all else is in bytes.
       And what CYGRAD_MET elements of the kernel and channels, or four, give to their weights' gradients: where they
       are seen and how much further the lanes are; of four, where the gradients that they meet are, too. */
    #define CYGRAD_MET 9
    #if CYGRAD_PICKS
    #define CYGRAD_OF_1(x, mask) __builtin_shuffle((x)[0], mask)
    #define CYGRAD_OF_2(x, mask) __builtin_shuffle((x)[0], (x)[1], mask)
    #define CYGRAD_OF_4(x, mask) ({                                                                                   \
        __typeof__(mask) above = mask >= (int)(2 * sizeof(*(x)) / sizeof((x)[0][0]));                                 \
        (__typeof__((x)[0]))(((__typeof__(mask))CYGRAD_OF_2((x) + 2, mask) & above)                                   \
                             | ((__typeof__(mask))CYGRAD_OF_2(x, mask) & ~above)); })
    #define CYGRAD_SEE(name, type, lanes, sources, of)                                                                \
        __attribute__((noinline)) static void cygrad_see_##name(                                                      \
                const char *a, Py_ssize_t step, Py_ssize_t n, const Py_ssize_t *seen, const Py_ssize_t *weights,      \
                Py_ssize_t taps, const char *filters, Py_ssize_t row, Py_ssize_t terms, const char *which,            \
                const char *start, char *out, Py_ssize_t out_step) {                                                  \
            const Py_ssize_t size = sizeof((*(type *)0)[0]), next = n < 4 ? 0 : step;                                 \
            const Py_ssize_t out_next = n < 4 ? 0 : out_step;                                                         \
            Py_ssize_t p, t, k;                                                                                       \
            int i, s;                                                                                                 \
            for (p = 0; p < n; p += n < 4 ? 1 : 4) {                                                                  \
                type sums[4], x[4][sources];                                                                          \
                if (p > n - 4 && n >= 4) p = n - 4;                                                                   \
                CYGRAD_UNROLLED for (i = 0; i < 4; i++) sums[i] = *(const type *)start;                               \
                for (t = 0; t < taps; t++) {                                                                          \
                    const char *b = a + p * step + seen[t] * size, *w = filters + weights[t] * size;                  \
                    lanes mask = *(const lanes *)which;                                                               \
                    CYGRAD_UNROLLED for (i = 0; i < 4; i++)                                                           \
                        CYGRAD_UNROLLED for (s = 0; s < sources; s++) x[i][s] = ((const type *)(b + i * next))[s];    \
                    for (k = 0; k < terms; k++, w += row, mask += 1) {                                                \
                        type by = *(const type *)w;                                                                   \
                        CYGRAD_UNROLLED for (i = 0; i < 4; i++) sums[i] += of(x[i], mask) * by;                       \
                    }                                                                                                 \
                }                                                                                                     \
                CYGRAD_UNROLLED for (i = 0; i < 4; i++) *(type *)(out + p * out_step + i * out_next) = sums[i];       \
            }                                                                                                         \
        }
    #define CYGRAD_SUM(name, type, lanes, of, met, given)                                                             \
        __attribute__((noinline)) static void cygrad_sum_##name(                                                      \
                const char *grad, const Py_ssize_t *grad_steps, const char *a, const Py_ssize_t *steps,               \
                const Py_ssize_t *counts, const Py_ssize_t *seen, const Py_ssize_t *grads, const Py_ssize_t *more,    \
                const char *which, void *out) {                                                                       \
            type sums[met];                                                                                           \
            lanes mask[met];                                                                                          \
            Py_ssize_t p, r;                                                                                          \
            int j;                                                                                                    \
            CYGRAD_UNROLLED for (j = 0; j < met; j++) {                                                               \
                sums[j] = (type){0};                                                                                  \
                mask[j] = *(const lanes *)which + (int)more[j];                                                       \
            }                                                                                                         \
            for (r = 0; r < counts[1]; r++) {                                                                         \
                const char *x = a + r * steps[1], *y = grad + r * grad_steps[1];                                      \
                for (p = 0; p < counts[0]; p++, x += steps[0], y += grad_steps[0])                                    \
                    CYGRAD_UNROLLED for (j = 0; j < met; j++)                                                         \
                        sums[j] += of((const type *)(x + seen[j]), mask[j]) * *(const type *)(y + given(j));          \
            }                                                                                                         \
            CYGRAD_UNROLLED for (j = 0; j < met; j++) ((type *)out)[j] = sums[j];                                     \
        }
    #define CYGRAD_SAME(j) 0
    #define CYGRAD_APART_BY(j) grads[j]
    #define CYGRAD_SUMS(name, type, lanes, of)                                                                        \
        CYGRAD_SUM(name, type, lanes, of, CYGRAD_MET, CYGRAD_SAME)                                                    \
        CYGRAD_SUM(few_##name, type, lanes, of, 4, CYGRAD_APART_BY)
    CYGRAD_SEE(floats_of_1, cygrad_floats, cygrad_lanes, 1, CYGRAD_OF_1)
    CYGRAD_SEE(floats_of_2, cygrad_floats, cygrad_lanes, 2, CYGRAD_OF_2)
    CYGRAD_SUMS(floats_of_1, cygrad_floats, cygrad_lanes, CYGRAD_OF_1)
    CYGRAD_SUMS(floats_of_2, cygrad_floats, cygrad_lanes, CYGRAD_OF_2)
    #if CYGRAD_VECTOR == 64
    CYGRAD_SEE(floats_of_4, cygrad_floats, cygrad_lanes, 4, CYGRAD_OF_4)
    CYGRAD_SEE(doubles_of_1, cygrad_doubles, cygrad_long_lanes, 1, CYGRAD_OF_1)
    CYGRAD_SEE(doubles_of_2, cygrad_doubles, cygrad_long_lanes, 2, CYGRAD_OF_2)
    CYGRAD_SEE(doubles_of_4, cygrad_doubles, cygrad_long_lanes, 4, CYGRAD_OF_4)
    CYGRAD_SUMS(doubles_of_1, cygrad_doubles, cygrad_long_lanes, CYGRAD_OF_1)
    CYGRAD_SUMS(doubles_of_2, cygrad_doubles, cygrad_long_lanes, CYGRAD_OF_2)
    /* ... of one filter for each group of 8 or 16 channels: all that a vector of filters sees meets weights in the same
       order, and neighbouring lanes of two vectors are added, until one is left. */
    #define CYGRAD_FOLD(sources)                                                                                      \
        __attribute__((noinline)) static void cygrad_fold_##sources(                                                  \
                const char *a, Py_ssize_t step, Py_ssize_t n, const Py_ssize_t *seen, const Py_ssize_t *weights,      \
                Py_ssize_t taps, const char *filters, Py_ssize_t row, Py_ssize_t terms, const char *which,            \
                const char *start, char *out, Py_ssize_t out_step) {                                                  \
            const cygrad_lanes even = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};                    \
            cygrad_floats by[sources];                                                                                \
            int i, m;                                                                                                 \
            CYGRAD_UNROLLED for (i = 0; i < sources; i++) by[i] = ((const cygrad_floats *)filters)[i];                \
            for (; n > 0; n--, a += step, out += out_step) {                                                          \
                cygrad_floats x[sources];                                                                             \
                CYGRAD_UNROLLED for (i = 0; i < sources; i++) x[i] = ((const cygrad_floats *)a)[i] * by[i];           \
                CYGRAD_UNROLLED for (m = sources / 2; m; m /= 2)                                                      \
                    CYGRAD_UNROLLED for (i = 0; i < m; i++)                                                           \
                        x[i] = __builtin_shuffle(x[2 * i], x[2 * i + 1], even)                                        \
                               + __builtin_shuffle(x[2 * i], x[2 * i + 1], even + 1);                                 \
                *(cygrad_floats *)out = x[0] + *(const cygrad_floats *)start;                                         \
            }                                                                                                         \
        }
    CYGRAD_FOLD(8) CYGRAD_FOLD(16)
    #define CYGRAD_WIDE(name) cygrad_##name
    #else
    #define CYGRAD_WIDE(name) NULL
    #endif
    #define CYGRAD_ANY(name) cygrad_##name
    #else
    #define CYGRAD_WIDE(name) NULL
    #define CYGRAD_ANY(name) NULL
    #endif
    typedef void (*cygrad_see)(const char *, Py_ssize_t, Py_ssize_t, const Py_ssize_t *, const Py_ssize_t *, Py_ssize_t,
                               const char *, Py_ssize_t, Py_ssize_t, const char *, const char *, char *, Py_ssize_t);
    typedef void (*cygrad_sum)(const char *, const Py_ssize_t *, const char *, const Py_ssize_t *, const Py_ssize_t *,
                               const Py_ssize_t *, const Py_ssize_t *, const Py_ssize_t *, const char *, void *);
    /* by kind, and by log2 of the sources */
    static const cygrad_see cygrad_sees[2][5] = {
        {CYGRAD_ANY(see_floats_of_1), CYGRAD_ANY(see_floats_of_2), CYGRAD_WIDE(see_floats_of_4),
         CYGRAD_WIDE(fold_8), CYGRAD_WIDE(fold_16)},
        {CYGRAD_WIDE(see_doubles_of_1), CYGRAD_WIDE(see_doubles_of_2), CYGRAD_WIDE(see_doubles_of_4)}};
    static const cygrad_sum cygrad_sums[2][2][2] = {
        {{CYGRAD_ANY(sum_floats_of_1), CYGRAD_ANY(sum_few_floats_of_1)},
         {CYGRAD_ANY(sum_floats_of_2), CYGRAD_ANY(sum_few_floats_of_2)}},
        {{CYGRAD_WIDE(sum_doubles_of_1), CYGRAD_WIDE(sum_few_doubles_of_1)},
         {CYGRAD_WIDE(sum_doubles_of_2), CYGRAD_WIDE(sum_few_doubles_of_2)}}};

    #define CYGRAD_TALL (CYGRAD_PICKS && CYGRAD_VECTOR == 64)
    """
    enum:
        PICKS "CYGRAD_PICKS"
        DOWN "CYGRAD_DOWN"
        BESIDE "CYGRAD_BESIDE"
        TALL "CYGRAD_TALL"          # whether there are registers for tiles twice as high
        MET "CYGRAD_MET"
    ctypedef void (*See "cygrad_see")(const char *a, Py_ssize_t step, Py_ssize_t n, const Py_ssize_t *seen,
                                      const Py_ssize_t *weights, Py_ssize_t taps, const char *filters, Py_ssize_t row,
                                      Py_ssize_t terms, const char *which, const char *start, char *out,
                                      Py_ssize_t out_step) noexcept nogil
    ctypedef void (*Sum "cygrad_sum")(const char *grad, const Py_ssize_t *grad_steps, const char *a,
                                      const Py_ssize_t *steps, const Py_ssize_t *counts, const Py_ssize_t *seen,
                                      const Py_ssize_t *grads, const Py_ssize_t *more, const char *which,
                                      void *out) noexcept nogil
    const See[2][5] sees "cygrad_sees"
    const Sum[2][2][2] sums_of_products "cygrad_sums"
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
                                     const Py_ssize_t *weights, Py_ssize_t taps, const char *which, int seen, bint two,
                                     const Floats *start, char *out, Py_ssize_t out_row,
                                     Py_ssize_t out_place) noexcept nogil
