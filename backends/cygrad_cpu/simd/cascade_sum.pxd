"""Sums of contiguous floats in PyTorch's order, so that they round alike.

Vectors of 32 bytes, four of them side by side; partial sums of 16 or more steps are added up in levels (a cascade).
"""
from cygrad_cpu.simd.element_types cimport Real

cdef extern from *:
    """
    /* 32 bytes of floats or doubles that add as one. */
    #if defined(__GNUC__)
    typedef float cygrad_float_lanes __attribute__((vector_size(32), aligned(4), may_alias));
    typedef double cygrad_double_lanes __attribute__((vector_size(32), aligned(8), may_alias));
    #endif
    static inline cygrad_float_lanes cygrad_float_zeros(void) { cygrad_float_lanes x = {0}; return x; }
    static inline cygrad_double_lanes cygrad_double_zeros(void) { cygrad_double_lanes x = {0}; return x; }
    """
    ctypedef float FloatLanes "cygrad_float_lanes"
    ctypedef double DoubleLanes "cygrad_double_lanes"
    FloatLanes float_zeros "cygrad_float_zeros" () noexcept nogil
    DoubleLanes double_zeros "cygrad_double_zeros" () noexcept nogil
    void fetch "__builtin_prefetch" (const void *address) noexcept nogil

cdef fused Lanes:
    FloatLanes
    DoubleLanes

cdef enum:
    LEVELS = 3              # of a cascade, above the running sum


cdef inline int cascade_power(Py_ssize_t steps) noexcept nogil:
    """2^power steps make a partial sum: 16, or about the fourth root of their number."""
    cdef int log = 0
    while (<Py_ssize_t>1 << log) < steps:
        log += 1
    return max(4, log // 4)


cdef inline Lanes no_lanes(Lanes *tag) noexcept nogil:
    if Lanes is FloatLanes:
        return float_zeros()
    else:
        return double_zeros()


cdef inline Lanes add_few_vectors(const Lanes *a, Py_ssize_t vectors) noexcept nogil:
    """Sum of too few vectors to cascade, in four chains."""
    cdef Lanes zero = no_lanes[Lanes](NULL)
    cdef Lanes first = zero, second = zero, third = zero, fourth = zero
    cdef Py_ssize_t i
    for i in range(0, vectors - 3, 4):
        first = first + a[i]
        second = second + a[i + 1]
        third = third + a[i + 2]
        fourth = fourth + a[i + 3]
    for i in range(vectors // 4 * 4, vectors):
        first = first + a[i]
    return ((first + second) + third) + fourth


cdef inline void overflow(Lanes *levels, const Lanes *sums, Py_ssize_t steps, int power) noexcept nogil:
    """sums joins the first level; after so many steps full levels join the next."""
    cdef int j, k
    for j in range(4):
        levels[j] = levels[j] + sums[j]
    for k in range(1, LEVELS):
        if steps & (((<Py_ssize_t>1 << power) - 1) << (k * power)):
            break
        for j in range(4):
            levels[4 * k + j] = levels[4 * k + j] + levels[4 * k - 4 + j]
            levels[4 * k - 4 + j] = no_lanes[Lanes](NULL)


cdef inline Lanes add_vectors(const Lanes *a, Py_ssize_t vectors) noexcept nogil:
    """Sum of the vectors in four chains, with partial sums; memory is fetched 4 KB ahead."""
    cdef Lanes zero = no_lanes[Lanes](NULL)
    cdef Lanes levels[LEVELS * 4]
    cdef Lanes sums[4]
    cdef Lanes a0 = zero, a1 = zero, a2 = zero, a3 = zero
    cdef Py_ssize_t steps = vectors // 4, i = 0, r
    cdef int power = 4 if steps <= 524288 else cascade_power(steps), j, k
    cdef Py_ssize_t stride = <Py_ssize_t>1 << power
    cdef int used = 1 if steps < stride * stride else LEVELS
    for j in range(used * 4):
        levels[j] = zero
    while i + stride <= steps:
        for r in range(4 * i, 4 * (i + stride), 4):
            fetch(a + r + 128)
            fetch(a + r + 130)
            a0 = a0 + a[r]
            a1 = a1 + a[r + 1]
            a2 = a2 + a[r + 2]
            a3 = a3 + a[r + 3]
        sums[0], sums[1], sums[2], sums[3] = a0, a1, a2, a3
        a0 = a1 = a2 = a3 = zero
        i += stride
        overflow(levels, sums, i, power)
    for r in range(4 * i, 4 * steps, 4):
        fetch(a + r + 128)
        fetch(a + r + 130)
        a0 = a0 + a[r]
        a1 = a1 + a[r + 1]
        a2 = a2 + a[r + 2]
        a3 = a3 + a[r + 3]
    for k in range(used):
        a0 = a0 + levels[4 * k]
        a1 = a1 + levels[4 * k + 1]
        a2 = a2 + levels[4 * k + 2]
        a3 = a3 + levels[4 * k + 3]
    for r in range(4 * steps, vectors):
        a0 = a0 + a[r]
    return ((a0 + a1) + a2) + a3


cdef inline Real add_scalars(const Real *a, Py_ssize_t n) noexcept nogil:
    """Fewer than a vector: in four chains too."""
    cdef Real first = 0, second = 0, third = 0, fourth = 0
    cdef Py_ssize_t i
    if n >= 4:
        first += a[0]
        second = a[1]
        third = a[2]
        fourth = a[3]
    for i in range(n // 4 * 4, n):
        first += a[i]
    return ((first + second) + third) + fourth


cdef inline void spread(const Real *a, Py_ssize_t vectors, Real *total) noexcept nogil:
    """total[lanes] = the sum of the vectors."""
    if Real is float:
        if vectors < 64:
            (<FloatLanes *>total)[0] = add_few_vectors(<const FloatLanes *>a, vectors)
        else:
            (<FloatLanes *>total)[0] = add_vectors(<const FloatLanes *>a, vectors)
    else:
        if vectors < 64:
            (<DoubleLanes *>total)[0] = add_few_vectors(<const DoubleLanes *>a, vectors)
        else:
            (<DoubleLanes *>total)[0] = add_vectors(<const DoubleLanes *>a, vectors)
