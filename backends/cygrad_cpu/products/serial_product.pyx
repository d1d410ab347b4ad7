"""One product of matrices on one thread: by our own kernel, or by BLAS.

Ours does float32 and float64 where vectors have 32 bytes or more: OpenBLAS picks its kernels by the processor's name
and runs at half the speed of the vector units on those that its release does not know, while kernels/gemm.pyx asks for
the instruction set alone. It takes any strides. BLAS does the rest: complex numbers, products with vectors, and all of
them on other machines; it wants rows or columns that are contiguous.
"""
from libc.limits cimport INT_MAX
from libc.string cimport memset

from cygrad_cpu.runtime.openblas cimport Blas, blas
from cygrad_cpu.runtime.instruction_sets cimport install_if_built
from cygrad_cpu.simd.element_types cimport Real

cdef GemmTable table
install_if_built("gemm", &table)

cdef Blas *routines = NULL


cdef bint any_strides(int kind, Py_ssize_t m, Py_ssize_t n) noexcept nogil:
    return kind < 2 and table.product[kind] != NULL and m > 1 and n > 1


cdef Py_ssize_t vector_bytes() noexcept nogil:
    return table.vector


cdef int load_blas() except -1:
    global routines
    if routines == NULL:
        routines = blas()
    return 0


cdef bint matrix_layout(const Py_ssize_t *sizes, const Py_ssize_t *strides, bint *rows, int *ld) noexcept nogil:
    """Whether BLAS can read this matrix where it lies: `rows` for row-major, and the distance of rows (or columns)."""
    cdef Py_ssize_t step
    if (strides[1] == 1 or sizes[1] == 1) and (strides[0] >= sizes[1] or sizes[0] == 1):
        rows[0] = True
        step = strides[0] if sizes[0] > 1 else sizes[1]
    elif (strides[0] == 1 or sizes[0] == 1) and (strides[1] >= sizes[0] or sizes[1] == 1):
        rows[0] = False
        step = strides[1] if sizes[1] > 1 else sizes[0]
    else:
        return False
    ld[0] = <int>step
    return step <= INT_MAX and sizes[0] <= INT_MAX and sizes[1] <= INT_MAX


cdef Py_ssize_t packed_size(const Product *g) noexcept nogil:
    cdef Py_ssize_t size = 4 if g.kind == 0 else 8
    if not any_strides(g.kind, g.m, g.n):
        return 0
    return (g.n * size + VECTOR_BYTES - 1) // VECTOR_BYTES * VECTOR_BYTES * g.k


cdef void pack_factor(const Product *g, char *out) noexcept nogil:
    """Lay out `b`, as products of any m > 1 take it whose results have contiguous columns."""
    table.pack[g.kind](g, out)


cdef void multiply_packed(const Product *g, const char *packed) noexcept nogil:
    if packed == NULL or g.m == 1:
        multiply(g)
    else:
        table.packed[g.kind](g, packed)


cdef void multiply(const Product *g) noexcept nogil:
    cdef Product turned
    if not any_strides(g.kind, g.m, g.n) and routines != NULL and g.start == NULL and by_blas(g):
        return
    if g.out_strides[1] == 1 or g.start != NULL or g.n == 1 and g.out_strides[0] != 1:
        table.product[g.kind](g, NULL, NULL)
    else:
        turned = g[0]                               # the transposed result, of the transposed factors
        turned.a, turned.b, turned.m, turned.n = g.b, g.a, g.n, g.m
        turned.a_strides[0], turned.a_strides[1] = g.b_strides[1], g.b_strides[0]
        turned.b_strides[0], turned.b_strides[1] = g.a_strides[1], g.a_strides[0]
        turned.out_strides[0], turned.out_strides[1] = g.out_strides[1], g.out_strides[0]
        table.product[g.kind](&turned, NULL, NULL)


cdef void multiply_lattice(const Product *g, const Lattice *a, const Lattice *b) noexcept nogil:
    table.product[g.kind](g, a, b)


# ---- BLAS

cdef struct Scale:          # a factor in the dtype of the product
    double real
    double imag


cdef inline void set_scale(void *scale, int kind, double value) noexcept nogil:
    memset(scale, 0, sizeof(Scale))
    if kind % 2 == 0:
        (<float *>scale)[0] = <float>value
    else:
        (<double *>scale)[0] = value


cdef inline bint vector_layout(Py_ssize_t step, Py_ssize_t size) noexcept nogil:
    return size == 1 or 1 <= step <= INT_MAX


cdef inline void add_scaled(Real *out, Real sum, Real alpha, Real beta) noexcept nogil:
    out[0] = sum * alpha if beta == 0 else sum * alpha + out[0] * beta


cdef bint by_blas(const Product *g) noexcept nogil:
    """Whether BLAS could do it. It is column-major: a row-major result is computed as its transpose, b^T a^T."""
    cdef Scale alpha, beta
    cdef int m = <int>g.m, n = <int>g.n, k = <int>g.k, lda = 1, ldb = 1, ldo = 1, ix, iy
    cdef bint arows = True, brows = True, orows = True
    cdef const Py_ssize_t *sa = <const Py_ssize_t *>g.a_strides
    cdef const Py_ssize_t *sb = <const Py_ssize_t *>g.b_strides
    cdef const Py_ssize_t *so = <const Py_ssize_t *>g.out_strides
    set_scale(&alpha, g.kind, g.alpha)
    set_scale(&beta, g.kind, g.beta)
    if not (matrix_layout([g.m, g.k], sa, &arows, &lda) and matrix_layout([g.k, g.n], sb, &brows, &ldb)
            and matrix_layout([g.m, g.n], so, &orows, &ldo)):
        return False
    if m == 1 and n == 1 and g.kind < 2 and vector_layout(sa[1], k) and vector_layout(sb[0], k):
        ix, iy = <int>sa[1] if k > 1 else 1, <int>sb[0] if k > 1 else 1
        if g.kind == 0:
            add_scaled(<float *>g.out, routines.sdot(&k, g.a, &ix, g.b, &iy), <float>g.alpha, <float>g.beta)
        else:
            add_scaled(<double *>g.out, routines.ddot(&k, g.a, &ix, g.b, &iy), g.alpha, g.beta)
    elif n == 1 and vector_layout(sb[0], k) and vector_layout(so[0], m):
        ix = <int>sb[0] if k > 1 else 1
        iy = <int>so[0] if m > 1 else 1
        if arows:
            routines.gemv[g.kind](b"T", &k, &m, &alpha, g.a, &lda, g.b, &ix, &beta, g.out, &iy)
        else:
            routines.gemv[g.kind](b"N", &m, &k, &alpha, g.a, &lda, g.b, &ix, &beta, g.out, &iy)
    elif m == 1 and vector_layout(sa[1], k) and vector_layout(so[1], n):
        ix = <int>sa[1] if k > 1 else 1
        iy = <int>so[1] if n > 1 else 1
        if brows:
            routines.gemv[g.kind](b"N", &n, &k, &alpha, g.b, &ldb, g.a, &ix, &beta, g.out, &iy)
        else:
            routines.gemv[g.kind](b"T", &k, &n, &alpha, g.b, &ldb, g.a, &ix, &beta, g.out, &iy)
    elif orows:
        routines.gemm[g.kind](b"N" if brows else b"T", b"N" if arows else b"T", &n, &m, &k, &alpha, g.b, &ldb, g.a,
                              &lda, &beta, g.out, &ldo)
    else:
        routines.gemm[g.kind](b"T" if arows else b"N", b"T" if brows else b"N", &m, &n, &k, &alpha, g.a, &lda, g.b,
                              &ldb, &beta, g.out, &ldo)
    return True
