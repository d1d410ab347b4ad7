"""POW over integers and real floats.

Assumes contiguous runs (see `pointwise_table`). Exponents that are one number go through multiplication, square root
and division where PyTorch's do. Else floats take cygrad/formulas/power.h, float64 only where the processor multiplies
and adds in one rounding. Zeros, subnormals and what is not finite go to libm.
"""
from libc.math cimport pow, sqrt

cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8
from cygrad_cpu.simd.elementary cimport *
from cygrad_cpu.kernels.pointwise_table cimport BOTH_VECTORS, FIRST_SCALAR, SECOND_SCALAR, Kernels, binary_loop
from cygrad_cpu.simd.element_types cimport Integer, Number, Real, int16, int32, int64, int8, uint8

cdef extern from "<math.h>" nogil:
    float powf(float, float)

cdef enum:
    RUN = 64                # elements between two looks for rare arguments


# ---- integers

cdef inline Integer integer_power(Integer base, Integer exponent) noexcept nogil:
    """Square and multiply; a negative exponent leaves 0 but for bases 1 and -1."""
    cdef Integer result = 1
    cdef unsigned long long left
    if exponent < 0:
        if base == 1:
            return 1
        if base == -1:
            return -1 if exponent & 1 else 1
        return 0
    left = <unsigned long long>exponent
    while left:
        if left & 1:
            result = <Integer>(result * base)
        base = <Integer>(base * base)
        left >>= 1
    return result


# ---- floats

cdef inline int is_rare(Real x, Real y) noexcept nogil:
    return rare_pow_f32(x, y) if Real is float else rare_pow_f64(x, y)


cdef inline Real usual_power(Real x, Real y) noexcept nogil:
    return usual_pow_f32(x, y) if Real is float else usual_pow_f64(x, y)


cdef inline Real any_power(Real x, Real y) noexcept nogil:
    if is_rare(x, y) or (Real is double and not HAS_FMA):
        return powf(x, y) if Real is float else pow(x, y)
    return usual_power(x, y)


# ---- loops

cdef inline bint plain_power(const Number *a, Number exponent, Number *out, Py_ssize_t n) noexcept nogil:
    """The exponents that PyTorch does by multiplication, square root and division; whether this was one."""
    cdef Py_ssize_t i
    if exponent == 2:
        for i in range(n):
            out[i] = <Number>(a[i] * a[i])
        return True
    if exponent == 3:
        for i in range(n):
            out[i] = <Number>(<Number>(a[i] * a[i]) * a[i])
        return True
    if Number is float or Number is double:
        if exponent == 0.5:
            for i in range(n):
                out[i] = sqrtf(a[i]) if Number is float else sqrt(a[i])
            return True
        if exponent == -0.5:
            for i in range(n):
                out[i] = <Number>1 / sqrtf(a[i]) if Number is float else 1 / sqrt(a[i])
            return True
        if exponent == -1:
            for i in range(n):
                out[i] = <Number>1 / a[i]
            return True
        if exponent == -2:
            for i in range(n):
                out[i] = <Number>1 / (a[i] * a[i])
            return True
    return False


cdef int integer_loop(const Integer *a, const Integer *b, Integer *out, Py_ssize_t n, int form,
                      void *op) noexcept nogil:
    cdef Py_ssize_t i
    if form == SECOND_SCALAR and plain_power(a, b[0], out, n):
        return 0
    for i in range(n):
        out[i] = integer_power(a[0 if form == FIRST_SCALAR else i], b[0 if form == SECOND_SCALAR else i])
    return 0


cdef int real_loop(const Real *a, const Real *b, Real *out, Py_ssize_t n, int form, void *op) noexcept nogil:
    cdef Py_ssize_t start = 0, count, i
    cdef Real scalars[RUN]
    cdef const Real *x
    cdef const Real *y
    cdef int rare
    if form == SECOND_SCALAR and plain_power(a, b[0], out, n):
        return 0
    if form != BOTH_VECTORS:
        for i in range(RUN):
            scalars[i] = a[0] if form == FIRST_SCALAR else b[0]
    while start < n:
        count = min(<Py_ssize_t>RUN, n - start)
        x = <const Real *>&scalars[0] if form == FIRST_SCALAR else a + start
        y = <const Real *>&scalars[0] if form == SECOND_SCALAR else b + start
        rare = Real is double and not HAS_FMA
        for i in range(count):
            rare |= is_rare(x[i], y[i])
        if rare:
            for i in range(count):
                out[start + i] = any_power(x[i], y[i])
        else:
            for i in range(count):
                out[start + i] = usual_power(x[i], y[i])
        start += count
    return 0


# ---- table

cdef void put(Kernels *table, int code, binary_loop loop) noexcept:
    table.binary[<int>ops.POW][code] = loop


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    put(table, UINT8, <binary_loop>integer_loop[uint8])
    put(table, INT8, <binary_loop>integer_loop[int8])
    put(table, INT16, <binary_loop>integer_loop[int16])
    put(table, INT32, <binary_loop>integer_loop[int32])
    put(table, INT64, <binary_loop>integer_loop[int64])
    put(table, FLOAT32, <binary_loop>real_loop[float])
    put(table, FLOAT64, <binary_loop>real_loop[double])
