"""Integer matrix products, blocked for the cache; sums wrap around as PyTorch's do.

`b` and `out` have contiguous rows, `a` any strides (in elements). Called for one range of rows of `out`.
"""
from libc.string cimport memset

from cygrad.dtype cimport INT16, INT32, INT64, INT8, UINT8
from cygrad_cpu.tables cimport IntegerProduct, MatmulTable

cdef enum:
    COLUMNS = 512           # of a block of b, which stays in the level 2 cache
    DEPTH = 64

ctypedef fused integer:
    unsigned char
    signed char
    short
    int
    long long


cdef void block(const integer *a, Py_ssize_t row, Py_ssize_t column, const integer *b, Py_ssize_t b_row, integer *out,
                Py_ssize_t out_row, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    """out += a @ b, four rows of b at a time."""
    cdef Py_ssize_t i, j, p
    cdef integer x0, x1, x2, x3
    cdef integer *z
    cdef const integer *x
    cdef const integer *y
    for i in range(m):
        z = out + i * out_row
        x = a + i * row
        p = 0
        while p + 4 <= k:
            x0 = x[p * column]
            x1 = x[(p + 1) * column]
            x2 = x[(p + 2) * column]
            x3 = x[(p + 3) * column]
            y = b + p * b_row
            for j in range(n):
                z[j] = <integer>(z[j] + x0 * y[j] + x1 * y[b_row + j] + x2 * y[2 * b_row + j] + x3 * y[3 * b_row + j])
            p += 4
        while p < k:
            x0 = x[p * column]
            y = b + p * b_row
            for j in range(n):
                z[j] = <integer>(z[j] + x0 * y[j])
            p += 1


cdef void product(const integer *a, Py_ssize_t row, Py_ssize_t column, const integer *b, Py_ssize_t b_row, integer *out,
                  Py_ssize_t out_row, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t i, j, p
    for i in range(m):
        memset(out + i * out_row, 0, n * sizeof(integer))
    p = 0
    while p < k:
        j = 0
        while j < n:
            block(a + p * column, row, column, b + p * b_row + j, b_row, out + j, out_row, m, min(COLUMNS, n - j),
                  min(DEPTH, k - p))
            j += COLUMNS
        p += DEPTH


def install(size_t address):
    """Fill the MatmulTable at `address`."""
    cdef MatmulTable *table = <MatmulTable *>address
    table.integer[<int>UINT8] = <IntegerProduct>product["unsigned char"]
    table.integer[<int>INT8] = <IntegerProduct>product["signed char"]
    table.integer[<int>INT16] = <IntegerProduct>product[short]
    table.integer[<int>INT32] = <IntegerProduct>product[int]
    table.integer[<int>INT64] = <IntegerProduct>product["long long"]
