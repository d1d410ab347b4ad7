"""Sixteen lanes to one, for loops that fold a row in so many independent chains."""
from cygrad_cpu.simd.element_types cimport Real

cdef extern from *:
    """
    /* Sixteen lanes to one by way of four, whose loads are no wider than the stores before them. */
    #if defined(__GNUC__)
    #define CYGRAD_FOURS(type, name)                                                                                  \
        typedef type name __attribute__((vector_size(4 * sizeof(type)), aligned(sizeof(type)), may_alias));           \
        static inline name cygrad_higher_##name(name a, name b) {                                                     \
            __typeof__(a > b) above = a > b;                                                                          \
            return (name)(((__typeof__(above))a & above) | ((__typeof__(above))b & ~above));                          \
        }                                                                                                             \
        static inline type cygrad_highest_##type(const type *a) {                                                     \
            const name *v = (const name *)a;                                                                          \
            name four = cygrad_higher_##name(cygrad_higher_##name(v[0], v[2]), cygrad_higher_##name(v[1], v[3]));     \
            type first = four[0] > four[2] ? four[0] : four[2], second = four[1] > four[3] ? four[1] : four[3];       \
            return first > second ? first : second;                                                                   \
        }                                                                                                             \
        static inline type cygrad_total_##type(const type *a) {                                                       \
            const name *v = (const name *)a;                                                                          \
            name four = (v[0] + v[2]) + (v[1] + v[3]);                                                                \
            return (four[0] + four[2]) + (four[1] + four[3]);                                                         \
        }
    #else
    #define CYGRAD_FOURS(type, name)                                                                                  \
        static inline type cygrad_highest_##type(const type *a) {                                                     \
            type best = a[0];                                                                                         \
            for (int i = 1; i < 16; i++) best = a[i] > best ? a[i] : best;                                            \
            return best;                                                                                              \
        }                                                                                                             \
        static inline type cygrad_total_##type(const type *a) {                                                       \
            type four[4];                                                                                             \
            for (int i = 0; i < 4; i++) four[i] = (a[i] + a[i + 8]) + (a[i + 4] + a[i + 12]);                         \
            return (four[0] + four[2]) + (four[1] + four[3]);                                                         \
        }
    #endif
    CYGRAD_FOURS(float, cygrad_four_floats)
    CYGRAD_FOURS(double, cygrad_four_doubles)
    """
    float highest_float "cygrad_highest_float" (const float *a) noexcept nogil
    double highest_double "cygrad_highest_double" (const double *a) noexcept nogil
    float total_float "cygrad_total_float" (const float *a) noexcept nogil
    double total_double "cygrad_total_double" (const double *a) noexcept nogil


cdef inline Real top_of(const Real *best) noexcept nogil:
    """The largest; NaN may be lost."""
    if Real is float:
        return highest_float(best)
    else:
        return highest_double(best)


cdef inline Real total_of(const Real *partial) noexcept nogil:
    if Real is float:
        return total_float(partial)
    else:
        return total_double(partial)


cdef enum:
    LANES = 16


cdef inline Real row_sum(const Real *a, Py_ssize_t n) noexcept nogil:
    """Sixteen partial sums, which vectorise and are more accurate than one after the other."""
    cdef Real[LANES] partial
    cdef Py_ssize_t i = 0, j
    for j in range(LANES):
        partial[j] = 0
    while i + LANES <= n:
        for j in range(LANES):
            partial[j] += a[i + j]
        i += LANES
    j = 0
    while i < n:
        partial[j] += a[i]
        i += 1
        j += 1
    return total_of(<const Real *>partial)
