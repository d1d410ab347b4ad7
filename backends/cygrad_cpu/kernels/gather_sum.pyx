# distutils: extra_compile_args = --param=max-completely-peel-times=8
"""Sums of rows that an index names: BLOCK columns at a time, whose sums stay in registers."""
from cygrad_cpu.kernels.kernel_tables cimport GatherSumTable, SumOfRows
from cygrad_cpu.simd.element_types cimport Real

cdef enum:
    BLOCK = 64


cdef inline void sum_block(const Real *a, Py_ssize_t row, const long long *index, const Real *weights, Py_ssize_t count,
                           Real *out, Py_ssize_t width) noexcept nogil:
    """`width` columns, BLOCK at most."""
    cdef Real[BLOCK] sums
    cdef Py_ssize_t j, w
    cdef const Real *x
    cdef Real factor
    for w in range(width):
        sums[w] = 0
    for j in range(count):
        x = a + index[j] * row
        if weights == NULL:
            for w in range(width):
                sums[w] += x[w]
        else:
            factor = weights[j]
            for w in range(width):
                sums[w] += factor * x[w]
    for w in range(width):
        out[w] = sums[w]


cdef void sum_rows(const Real *a, Py_ssize_t row, Py_ssize_t width, const long long *index, const long long *starts,
                   Py_ssize_t count, const Real *weights, Real *out, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t b, w, first, last, n
    cdef const Real *factors = NULL
    for b in range(begin, end):
        first = min(max(starts[b], <long long>0), <long long>count)
        last = min(max(starts[b + 1], <long long>first), <long long>count)
        n = last - first
        if weights != NULL:
            factors = weights + first
        w = 0
        while w < width:
            if width - w >= BLOCK:              # a number of columns that the compiler knows
                sum_block(a + w, row, index + first, factors, n, out + b * width + w, BLOCK)
            else:
                sum_block(a + w, row, index + first, factors, n, out + b * width + w, width - w)
            w += BLOCK


cdef public void cygrad_install(void *address) noexcept:
    """Fill the GatherSumTable at `address`."""
    cdef GatherSumTable *table = <GatherSumTable *>address
    table.rows[0] = <SumOfRows>sum_rows[float]
    table.rows[1] = <SumOfRows>sum_rows[double]
