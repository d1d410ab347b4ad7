"""Vectors as wide as the instruction set's that a kernel is compiled for; plain numbers where the compiler has none."""

cdef extern from *:
    """
    #if defined(__AVX512F__)
    #define CYGRAD_VECTOR 64
    #elif defined(__AVX2__)
    #define CYGRAD_VECTOR 32
    #else
    #define CYGRAD_VECTOR 16
    #endif
    #if defined(__GNUC__)
    typedef float cygrad_floats __attribute__((vector_size(CYGRAD_VECTOR), aligned(4), may_alias));
    typedef double cygrad_doubles __attribute__((vector_size(CYGRAD_VECTOR), aligned(8), may_alias));
    #else
    typedef float cygrad_floats;
    typedef double cygrad_doubles;
    #endif
    static inline cygrad_floats cygrad_spread_float(float x) { return x - (cygrad_floats){0}; }
    static inline cygrad_doubles cygrad_spread_double(double x) { return x - (cygrad_doubles){0}; }
    """
    ctypedef float Floats "cygrad_floats"
    ctypedef double Doubles "cygrad_doubles"
    Floats spread_float "cygrad_spread_float" (float x) noexcept nogil
    Doubles spread_double "cygrad_spread_double" (double x) noexcept nogil

cdef fused Vector:
    Floats
    Doubles


cdef inline Vector spread(const char *number, Vector *tag) noexcept nogil:
    """A vector of copies of the number at an address."""
    if Vector is Floats:
        return spread_float((<const float *>number)[0])
    else:
        return spread_double((<const double *>number)[0])


cdef inline Vector factor(double x, Vector *tag) noexcept nogil:
    if Vector is Floats:
        return spread_float(<float>x)
    else:
        return spread_double(x)
