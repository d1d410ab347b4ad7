"""POW over integers and real floats.

Assumes contiguous runs (see `loops`). Exponents that are one number go through multiplication, square root and division
where PyTorch's do. Else floats take 2^(y log2(x)): float32 in double; float64 with the logarithm in two doubles, where
the processor multiplies and adds in one rounding, else by libm. Zeros, subnormals and what is not finite go to libm.
"""
from libc.math cimport INFINITY, NAN, fabs, pow, rint, sqrt

cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8
from cygrad_cpu.elementary cimport *
from cygrad_cpu.loops cimport BOTH_VECTORS, FIRST_SCALAR, SECOND_SCALAR, Kernels, binary_loop
from cygrad_cpu.numbers cimport Integer, Number, Real, int16, int32, int64, int8, uint8

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

cdef inline float quick_power(float x, float y) noexcept nogil:
    """For normal x > 0 and finite y."""
    cdef double f = fraction_of(x) - 1, t, k, p = 0.045205119636138825776
    p = p * f - 0.086378688346673797735
    p = p * f + 0.086907377539362695895
    p = p * f - 0.082629267085207381349
    p = p * f + 0.089594297661731555842
    p = p * f - 0.099944412663792059629
    p = p * f + 0.11119180707274808782
    p = p * f - 0.12500606155641102943
    p = p * f + 0.14285466581090018377
    p = p * f - 0.16666648550390989407
    p = p * f + 0.20000003494325732286
    p = p * f - 0.25000000164877720157
    p = p * f + 0.33333333317259777789
    t = y * ((f + f * f * (f * p - 0.5)) * 1.4426950408889634 + exponent_of(x))
    t = 200.0 if t > 200 else t
    t = -200.0 if t < -200 else t
    k = rint(t)
    t = (t - k) * 0.6931471805599453
    return <float>(power_of_two(k) * ((quick_exp_series(t) * t + 1) * t + 1))


cdef inline double full_power(double x, double y) noexcept nogil:
    """For normal x > 0 and |y| < 2^60. Pairs of names ending in 1 and 2 are sums of two doubles."""
    cdef double f = fraction_of(x) - 1
    cdef double below1 = 2 + f
    cdef double below2 = f - (below1 - 2)
    cdef double inverse = 1 / below1
    cdef double s1 = f * inverse                                    # s = f / (2 + f)
    cdef double s2 = (fma(-s1, below1, f) - s1 * below2) * inverse
    cdef double z1 = s1 * s1                                        # z = s^2
    cdef double z2 = fma(s1, s1, -z1) + 2 * s1 * s2
    cdef double u1, u2, w1, w2, l1, l2, t1, t2, k, r, e
    # log(1 + f) = s (2 + 2/3 z + z^2 p)
    cdef double p = 0.11973512855457148047
    p = p * z1 + 0.11676907401563394295
    p = p * z1 + 0.13336200761175768974
    p = p * z1 + 0.15384560351610476216
    p = p * z1 + 0.18181818810813901921
    p = p * z1 + 0.22222222218113939359
    p = p * z1 + 0.28571428571442201564
    p = p * z1 + 0.39999999999999983263
    u1 = 0.6666666666666666 * z1
    u2 = fma(0.6666666666666666, z1, -u1) + (0.6666666666666666 * z2 + 3.7007434154171886e-17 * z1)
    p = z1 * z1 * p
    w1 = u1 + p
    w2 = (u1 - w1) + p + u2
    u1 = s1 * w1
    u2 = fma(s1, w1, -u1) + (s1 * w2 + s2 * w1)
    l1 = 2 * s1 + u1
    l2 = (2 * s1 - l1) + u1 + (2 * s2 + u2)
    # to base 2, plus the exponent, times y
    u1 = l1 * 1.4426950408889634
    u2 = fma(l1, 1.4426950408889634, -u1) + (l1 * 2.0355273740931033e-17 + l2 * 1.4426950408889634)
    e = exponent_of(x)
    w1 = e + u1
    w2 = (e - w1) + u1 + u2
    t1 = y * w1
    t2 = fma(y, w1, -t1) + y * w2
    t2 = t2 if fabs(t1) < 1100 else 0.0
    t1 = 1100.0 if t1 > 1100 else t1
    t1 = -1100.0 if t1 < -1100 else t1
    k = rint(t1)
    r = ((t1 - k) + t2) * 0.6931471805599453
    return scaled((full_exp_series(r) * r + 1) * r + 1, k + 6755399441055744.0)


cdef inline bint is_rare(Real x, Real y) noexcept nogil:
    """Zeros, subnormals, infinities, NaN, and exponents too large for the fast way."""
    if Real is float:
        return not ((fabsf(x) >= <float>1.17549435e-38) & (fabsf(x) < <float>INFINITY) & (fabsf(y) < <float>INFINITY))
    else:
        return not ((fabs(x) >= 2.2250738585072014e-308) & (fabs(x) < INFINITY) & (fabs(y) < 1152921504606846976.0))


cdef inline Real usual_power(Real x, Real y) noexcept nogil:
    """Of a negative base: NaN but for whole exponents, negative for odd ones."""
    cdef Real half, power, signed
    if Real is float:
        half = y * <float>0.5
        power = quick_power(fabsf(x), y)
        signed = -power if half != rintf(half) else power
        signed = signed if y == rintf(y) else <float>NAN
    else:
        half = y * 0.5
        power = full_power(fabs(x), y)
        signed = -power if half != rint(half) else power
        signed = signed if y == rint(y) else NAN
    return signed if x < 0 else power


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


def install(size_t address):
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    put(table, UINT8, <binary_loop>integer_loop[uint8])
    put(table, INT8, <binary_loop>integer_loop[int8])
    put(table, INT16, <binary_loop>integer_loop[int16])
    put(table, INT32, <binary_loop>integer_loop[int32])
    put(table, INT64, <binary_loop>integer_loop[int64])
    put(table, FLOAT32, <binary_loop>real_loop[float])
    put(table, FLOAT64, <binary_loop>real_loop[double])
