"""Small matrix products of every dtype but the 16-bit floats: one term after the other along k, no call, no packing.

Single columns of float32 are summed in double, so they are the same on every processor; PyTorch's BLAS takes an order
that depends on the processor; the digits that the tutorials print for their regressions come out of this one.
"""
from cygrad.dtype cimport COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8
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
    cdef double exact
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
            if number is float:
                exact = 0.0
                for p in range(k):
                    exact += <double>x[p * sa[1]] * <double>y[p * sb[0]]
                s0 = <float>exact
            else:
                s0 = x[0] * y[0]
                for p in range(1, k):
                    s0 = s0 + x[p * sa[1]] * y[p * sb[0]]
            out[i * so[0] + j * so[1]] = s0
            j += 1


cdef void typed_batch(number *a, number *b, View x, View y, View out) noexcept nogil:
    cdef Py_ssize_t i
    cdef number *z = <number *>data(out)
    for i in range(out.sizes[0]):
        loop_product(a + i * x.strides[0], x.strides + 1, b + i * y.strides[0], y.strides + 1, z + i * out.strides[0],
                     out.strides + 1, out.sizes[1], out.sizes[2], x.sizes[2])


cdef void loop_batch(View a, View b, View out) noexcept nogil:
    cdef int code = out.dtype.code
    cdef char *x = data(a)
    cdef char *y = data(b)
    if code == FLOAT32:
        typed_batch(<float *>x, <float *>y, a, b, out)
    elif code == FLOAT64:
        typed_batch(<double *>x, <double *>y, a, b, out)
    elif code == COMPLEX64:
        typed_batch(<float complex *>x, <float complex *>y, a, b, out)
    elif code == COMPLEX128:
        typed_batch(<double complex *>x, <double complex *>y, a, b, out)
    elif code == INT64:
        typed_batch(<long long *>x, <long long *>y, a, b, out)
    elif code == INT32:
        typed_batch(<int *>x, <int *>y, a, b, out)
    elif code == INT16:
        typed_batch(<short *>x, <short *>y, a, b, out)
    elif code == INT8:
        typed_batch(<signed char *>x, <signed char *>y, a, b, out)
    elif code == UINT8:
        typed_batch(<unsigned char *>x, <unsigned char *>y, a, b, out)
    else:
        bool_batch(a, b, out)


cdef void bool_batch(View a, View b, View out) noexcept nogil:
    """any over k of a and b."""
    cdef Py_ssize_t q, i, j, p
    cdef char *x
    cdef char *y
    cdef char found
    for q in range(out.sizes[0]):
        for i in range(out.sizes[1]):
            for j in range(out.sizes[2]):
                x = data(a) + q * a.strides[0] + i * a.strides[1]
                y = data(b) + q * b.strides[0] + j * b.strides[2]
                found = 0
                for p in range(a.sizes[2]):
                    found |= x[p * a.strides[2]] & y[p * b.strides[1]]
                data(out)[q * out.strides[0] + i * out.strides[1] + j * out.strides[2]] = found


cdef void typed_addmm(number *bias, number *a, number *b, number *out, View c, View x, View y, View z, double beta_,
                      double alpha_) noexcept nogil:
    cdef Py_ssize_t i, j, m = z.sizes[0], n = z.sizes[1]
    cdef number[SMALL] sums
    cdef Py_ssize_t[2] steps
    cdef number alpha = <number>alpha_, beta = <number>beta_, s
    steps[0] = n
    steps[1] = 1
    loop_product(a, x.strides, b, y.strides, sums, steps, m, n, x.sizes[1])
    for i in range(m):
        for j in range(n):
            s = sums[i * n + j]
            if alpha_ != 1.0:
                s = alpha * s
            if beta_ == 1.0:            # no product: of a complex 1 and a NaN in one part it has NaN in both
                s = bias[i * c.strides[0] + j * c.strides[1]] + s
            elif beta_ != 0.0:
                s = beta * bias[i * c.strides[0] + j * c.strides[1]] + s
            out[i * z.strides[0] + j * z.strides[1]] = s


cdef void loop_addmm(View bias, View a, View b, double beta, double alpha, View out) noexcept nogil:
    cdef int code = out.dtype.code
    cdef char *c = data(bias)
    cdef char *x = data(a)
    cdef char *y = data(b)
    cdef char *z = data(out)
    if code == FLOAT32:
        typed_addmm(<float *>c, <float *>x, <float *>y, <float *>z, bias, a, b, out, beta, alpha)
    elif code == FLOAT64:
        typed_addmm(<double *>c, <double *>x, <double *>y, <double *>z, bias, a, b, out, beta, alpha)
    elif code == COMPLEX64:
        typed_addmm(<float complex *>c, <float complex *>x, <float complex *>y, <float complex *>z, bias, a, b, out,
                    beta, alpha)
    elif code == COMPLEX128:
        typed_addmm(<double complex *>c, <double complex *>x, <double complex *>y, <double complex *>z, bias, a, b,
                    out, beta, alpha)
    elif code == INT64:
        typed_addmm(<long long *>c, <long long *>x, <long long *>y, <long long *>z, bias, a, b, out, beta, alpha)
    elif code == INT32:
        typed_addmm(<int *>c, <int *>x, <int *>y, <int *>z, bias, a, b, out, beta, alpha)
    elif code == INT16:
        typed_addmm(<short *>c, <short *>x, <short *>y, <short *>z, bias, a, b, out, beta, alpha)
    elif code == INT8:
        typed_addmm(<signed char *>c, <signed char *>x, <signed char *>y, <signed char *>z, bias, a, b, out, beta,
                    alpha)
    else:
        typed_addmm(<unsigned char *>c, <unsigned char *>x, <unsigned char *>y, <unsigned char *>z, bias, a, b, out,
                    beta, alpha)
