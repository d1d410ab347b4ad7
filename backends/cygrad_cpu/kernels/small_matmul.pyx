"""Matrix products that BLAS does not do, or not well: integers, and batches of small float matrices.

Integers are blocked for the cache and their sums wrap around as PyTorch's do: `b` and `out` have contiguous rows, `a`
any strides (in elements). Small float matrices, at most SIDE long and wide, have any strides: `b` is packed into rows
of whole vectors, four rows of the result are summed in registers.
"""
from libc.string cimport memset

from cygrad.dtype cimport INT16, INT32, INT64, INT8, UINT8
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.kernels.kernel_tables cimport SMALL_SIDE, IntegerProduct, MatmulTable, SmallProducts

cdef enum:
    COLUMNS = 512           # of a block of b, which stays in the level 2 cache
    DEPTH = 64
    SIDE = SMALL_SIDE
    LANES = 16              # columns of the result that go together

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


cdef inline void four_rows(const Real *a, Py_ssize_t row, Py_ssize_t column, const Real *b, Py_ssize_t b_row, Real *out,
                           Py_ssize_t out_row, Py_ssize_t out_column, Py_ssize_t rows, Py_ssize_t columns,
                           Py_ssize_t k) noexcept nogil:
    """Up to four rows and LANES columns of the result."""
    cdef Real[LANES] s0
    cdef Real[LANES] s1
    cdef Real[LANES] s2
    cdef Real[LANES] s3
    cdef Real x0, x1, x2, x3
    cdef const Real *y
    cdef Py_ssize_t p, j, r1 = row if rows > 1 else 0, r2 = 2 * row if rows > 2 else 0, r3 = 3 * row if rows > 3 else 0
    for j in range(LANES):
        s0[j] = s1[j] = s2[j] = s3[j] = 0
    for p in range(k):
        y = b + p * b_row
        x0 = a[p * column]
        x1 = a[p * column + r1]
        x2 = a[p * column + r2]
        x3 = a[p * column + r3]
        for j in range(LANES):
            s0[j] += x0 * y[j]
            s1[j] += x1 * y[j]
            s2[j] += x2 * y[j]
            s3[j] += x3 * y[j]
    store(s0, out, out_column, columns)
    if rows > 1:
        store(s1, out + out_row, out_column, columns)
    if rows > 2:
        store(s2, out + 2 * out_row, out_column, columns)
    if rows > 3:
        store(s3, out + 3 * out_row, out_column, columns)


cdef inline void store(const Real *sums, Real *out, Py_ssize_t step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    if n == LANES and step == 1:
        for j in range(LANES):
            out[j] = sums[j]
    else:
        for j in range(n):
            out[j * step] = sums[j]


cdef void small_products(const Real *a, const Py_ssize_t *sa, const Real *b, const Py_ssize_t *sb, Real *out,
                         const Py_ssize_t *so, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, Py_ssize_t begin,
                         Py_ssize_t end) noexcept nogil:
    """Products begin ... end of a batch; strides are of batch, row and column."""
    cdef Real[SIDE * SIDE] packed
    cdef Py_ssize_t q, i, j, p, width = (n + LANES - 1) // LANES * LANES
    cdef const Real *x
    cdef const Real *y
    cdef Real *z
    for i in range(k * width):
        packed[i] = 0
    for q in range(begin, end):
        x = a + q * sa[0]
        y = b + q * sb[0]
        z = out + q * so[0]
        if q == begin or sb[0] != 0:
            for p in range(k):
                if sb[2] == 1:
                    for j in range(n):
                        packed[p * width + j] = y[p * sb[1] + j]
                else:
                    for j in range(n):
                        packed[p * width + j] = y[p * sb[1] + j * sb[2]]
        i = 0
        while i < m:
            j = 0
            while j < n:
                four_rows(x + i * sa[1], sa[1], sa[2], packed + j, width, z + i * so[1] + j * so[2], so[1], so[2],
                          min(<Py_ssize_t>4, m - i), min(<Py_ssize_t>LANES, n - j), k)
                j += LANES
            i += 4


cdef public void cygrad_install(void *address) noexcept:
    """Fill the MatmulTable at `address`."""
    cdef MatmulTable *table = <MatmulTable *>address
    table.integer[<int>UINT8] = <IntegerProduct>product["unsigned char"]
    table.integer[<int>INT8] = <IntegerProduct>product["signed char"]
    table.integer[<int>INT16] = <IntegerProduct>product[short]
    table.integer[<int>INT32] = <IntegerProduct>product[int]
    table.integer[<int>INT64] = <IntegerProduct>product["long long"]
    table.small[0] = <SmallProducts>small_products[float]
    table.small[1] = <SmallProducts>small_products[double]
