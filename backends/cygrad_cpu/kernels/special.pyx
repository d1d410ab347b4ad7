"""Special functions over float32 and float64: erf, erfc, erfinv, lgamma, digamma; and GELU of float32.

Assumes contiguous runs (see `pointwise_table`). The formulas are cygrad/formulas/special.h; lgamma of float64 goes to
libm run by run where its formula does not hold, and without fused multiply-add always.
"""
from libc.math cimport lgamma
from libc.string cimport memcpy, memset

cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad_cpu.simd.elementary cimport *
from cygrad_cpu.kernels.pointwise_table cimport Kernels, unary_loop
from cygrad_cpu.simd.element_types cimport Real

cdef extern from *:
    """
    /* Elements of four vectors. */
    #if defined(__AVX512F__)
    #define CYGRAD_STRIP 64
    #elif defined(__AVX__)
    #define CYGRAD_STRIP 32
    #else
    #define CYGRAD_STRIP 16
    #endif
    """
    enum:
        STRIP "CYGRAD_STRIP"

cdef enum:
    LONGEST_STRIP = 64
    RUN = 64                # elements between two looks for rare arguments

cdef struct Erf:
    char tag
cdef struct Erfc:
    char tag
cdef struct Erfinv:
    char tag
cdef struct Digamma:
    char tag

cdef fused Function:
    Erf
    Erfc
    Erfinv
    Digamma


cdef inline Real evaluate(Function *op, Real x) noexcept nogil:
    if Function is Erf:
        return erf_f32(x) if Real is float else erf_f64(x)
    elif Function is Erfc:
        return erfc_f32(x) if Real is float else erfc_f64(x)
    elif Function is Erfinv:
        return erfinv_f32(x) if Real is float else erfinv_f64(x)
    else:
        return digamma_f32(x) if Real is float else digamma_f64(x)


cdef void loop(const Real *a, Real *out, Py_ssize_t n, Function *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = evaluate[Function, Real](op, a[i])


cdef void lgamma_loop(const Real *a, Real *out, Py_ssize_t n, void *op) noexcept nogil:
    cdef Py_ssize_t start = 0, stop, i
    cdef int rare
    while start < n:
        stop = n if Real is float else min(start + RUN, n)
        rare = Real is double and not HAS_FMA
        if Real is double:
            for i in range(start, stop):
                rare |= rare_lgamma_f64(a[i])
        if rare:
            for i in range(start, stop):
                out[i] = <Real>lgamma(a[i])
        else:
            for i in range(start, stop):
                out[i] = lgamma_f32(a[i]) if Real is float else usual_lgamma_f64(a[i])
        start = stop


# ---- GELU, on a strip whose vectors go through each step together: one alone would wait for its own results

cdef inline void multiply_add(float *p, const float *x, float c) noexcept nogil:
    """p = p * x + c."""
    cdef Py_ssize_t k
    for k in range(STRIP):
        p[k] = p[k] * x[k] + c


cdef inline void gelu_strip(const float *a, float *out) noexcept nogil:
    """max(x, 0) - t Phi(-t) with t = |x|; log2 of Phi(-t) is a polynomial; 0 where 1 + erf is 0 in float32."""
    cdef float t[LONGEST_STRIP]
    cdef float q[LONGEST_STRIP]
    cdef float p[LONGEST_STRIP]
    cdef float r[LONGEST_STRIP]
    cdef unsigned int size, limit = bits_of_float(<float>5.5418)
    cdef Py_ssize_t k
    for k in range(STRIP):
        size = bits_of_float(a[k]) & 0x7FFFFFFF         # as integers, positive floats have the same order
        t[k] = float_from(size if size < limit else 0)
    for k in range(STRIP):
        q[k] = <float>6.46629772e-08 * t[k] + <float>-1.93356118e-06
    multiply_add(q, t, <float>2.17225715e-05)
    multiply_add(q, t, <float>-8.88774302e-05)
    multiply_add(q, t, <float>-0.000388399349)
    multiply_add(q, t, <float>0.00739906589)
    multiply_add(q, t, <float>-0.0527250431)
    multiply_add(q, t, <float>-0.45913583)
    multiply_add(q, t, <float>-1.15111351)
    multiply_add(q, t, <float>-0.999999821)
    for k in range(STRIP):
        p[k] = q[k] + <float>12582912.0
    for k in range(STRIP):
        r[k] = q[k] - (p[k] - <float>12582912.0)
    for k in range(STRIP):
        q[k] = t[k] * float_from((bits_of_float(p[k]) << 23) + (<unsigned int>127 << 23))
    for k in range(STRIP):
        p[k] = <float>0.00132647273 * r[k] + <float>0.00967151299
    multiply_add(p, r, <float>0.0555073359)
    multiply_add(p, r, <float>0.240222424)
    multiply_add(p, r, <float>0.693147004)
    multiply_add(p, r, <float>1)
    for k in range(STRIP):
        out[k] = (a[k] * <float>0 if a[k] < 0 else a[k]) - q[k] * p[k]       # NaN comes through here, and of -inf


cdef void gelu_loop(const float *a, float *out, Py_ssize_t n, void *op) noexcept nogil:
    cdef float rest[LONGEST_STRIP]
    cdef Py_ssize_t i = 0
    while i + STRIP <= n:
        gelu_strip(a + i, out + i)
        i += STRIP
    if i < n:
        memset(rest, 0, sizeof(rest))
        memcpy(rest, a + i, (n - i) * sizeof(float))
        gelu_strip(rest, rest)
        memcpy(out + i, rest, (n - i) * sizeof(float))


cdef void put(Kernels *table, int op, int code, unary_loop function) noexcept:
    table.unary[op][code] = function


cdef void install_real(Kernels *table, int code, Real *tag) noexcept:
    put(table, ops.ERF, code, <unary_loop>loop[Real, Erf])
    put(table, ops.ERFC, code, <unary_loop>loop[Real, Erfc])
    put(table, ops.ERFINV, code, <unary_loop>loop[Real, Erfinv])
    put(table, ops.LGAMMA, code, <unary_loop>lgamma_loop[Real])
    put(table, ops.DIGAMMA, code, <unary_loop>loop[Real, Digamma])


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_real(table, FLOAT32, <float *>NULL)
    install_real(table, FLOAT64, <double *>NULL)
    table.gelu[<int>FLOAT32] = <unary_loop>gelu_loop
