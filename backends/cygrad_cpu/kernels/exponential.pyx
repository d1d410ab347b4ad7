# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic
"""Unary loops of the exponential family over float32 and float64: exp, log, hyperbolic functions, sigmoid.

Assumes contiguous runs (see `loops`). All formulas are branch-free, at most 2 ULP off; see `elementary`.
"""
cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad_cpu.elementary cimport *
from cygrad_cpu.loops cimport Kernels, unary_loop
from cygrad_cpu.numbers cimport Real

cdef struct Exp:
    char tag
cdef struct Exp2:
    char tag
cdef struct Expm1:
    char tag
cdef struct Log:
    char tag
cdef struct Log2:
    char tag
cdef struct Log10:
    char tag
cdef struct Log1p:
    char tag
cdef struct Sinh:
    char tag
cdef struct Cosh:
    char tag
cdef struct Tanh:
    char tag
cdef struct Asinh:
    char tag
cdef struct Acosh:
    char tag
cdef struct Atanh:
    char tag
cdef struct Sigmoid:
    char tag
cdef struct Silu:
    char tag

cdef fused Function:
    Exp
    Exp2
    Expm1
    Log
    Log2
    Log10
    Log1p
    Sinh
    Cosh
    Tanh
    Asinh
    Acosh
    Atanh
    Sigmoid
    Silu


# ---- exp2

cdef inline float exp2_single(float x) noexcept nogil:
    cdef float tail, r
    x = <float>-152 if x < -152 else x
    tail = x + <float>12582912.0
    tail = <float>12583042.0 if tail > <float>12583042.0 else tail
    r = (x - (tail - <float>12582912.0)) * <float>0.693147181
    return scaled_float((single_exp_series(r) * r + <float>1) * r + <float>1, tail)


cdef inline double exp2_full(double x) noexcept nogil:
    cdef double tail, r
    x = -1080 if x < -1080 else x
    tail = x + 6755399441055744.0
    tail = 6755399441056770.0 if tail > 6755399441056770.0 else tail
    r = (x - (tail - 6755399441055744.0)) * 0.6931471805599453
    return scaled((full_exp_series(r) * r + 1) * r + 1, tail)


# ---- logarithms to other bases: the fraction's logarithm in two parts, so that the product loses nothing

cdef inline double log_base(double x, double inverse_high, double inverse_low, double two_high,
                            double two_low) noexcept nogil:
    """log(x) * (inverse_high + inverse_low), where two_high + two_low is the logarithm of 2 in that base."""
    cdef bint tiny = x < 2.2250738585072014e-308
    cdef double normal = x * 4503599627370496.0 if tiny else x
    cdef double e = exponent_of(normal) - (52.0 if tiny else 0.0)
    cdef double f = fraction_of(normal) - 1
    cdef double square = 0.5 * f * f
    cdef double high = double_from(bits_of(f - square) & <unsigned long long>0xFFFFFFFF00000000)
    cdef double low = (f - high) - square + full_log_series(f)
    cdef double big = e * two_high
    cdef double part = high * inverse_high
    cdef double small = e * two_low + (low + high) * inverse_low + low * inverse_high
    cdef double total = big + part
    return log_specials(total + (small + ((big - total) + part)), x)


cdef inline Real log2_(Real x) noexcept nogil:
    if Real is float:
        return <float>log_specials(quick_log_of_fraction(fraction_of(x) - 1) * 1.4426950408889634 + exponent_of(x), x)
    else:
        return log_base(x, 1.44269504072144627571e+00, 1.67517131648865118353e-10, 1, 0)


cdef inline Real log10_(Real x) noexcept nogil:
    if Real is float:
        return <float>log_specials(quick_log(x) * 0.4342944819032518, x)
    else:
        return log_base(x, 4.34294481878168880939e-01, 2.50829467116452752298e-11, 3.01029995663611771306e-01,
                        3.69423907715893078616e-13)


cdef inline Real log1p_(Real x) noexcept nogil:
    cdef Real y = <Real>(quick_log1p(x) if Real is float else full_log1p(x))
    y = x if x == <Real>INFINITY else y
    y = <Real>-INFINITY if x == -1 else y
    y = x if x == 0 else y
    return y if x >= -1 else <Real>NAN


# ---- hyperbolic functions

cdef inline float tanh_single(float x) noexcept nogil:
    """1 - 2 z / (1 + z) with z = e^(-2|x|); an odd polynomial below 0.625."""
    cdef float size = fabsf(x)
    cdef float z = single_exp_of_negative(<float>-2 * size), square = x * x
    cdef float p = <float>-0.0057175003
    p = p * square + <float>0.0206510476
    p = p * square + <float>-0.053743662
    p = p * square + <float>0.133314937
    p = p * square + <float>-0.33333284
    return copysignf(size + size * square * p if size < <float>0.625 else <float>1 - <float>2 * z / (<float>1 + z), x)


cdef inline double tanh_full(double x) noexcept nogil:
    cdef double size = fabs(x)
    cdef double z = full_exp_of_negative(-2 * size), square = x * x
    cdef double p = 6.0569459157751655494e-6
    p = p * square - 0.000030221129051013779347
    p = p * square + 0.000091593148463780884373
    p = p * square - 0.00023703216454132131529
    p = p * square + 0.00058945941776433769087
    p = p * square - 0.0014557278226689205504
    p = p * square + 0.0035921143071388572478
    p = p * square - 0.0088632343456528676692
    p = p * square + 0.021869488470962343411
    p = p * square - 0.053968253966148127667
    p = p * square + 0.1333333333332992141
    p = p * square - 0.33333333333333314086
    return with_sign(size + size * square * p if size < 0.625 else 1 - 2 * z / (1 + z), x)


cdef inline Real sinh_(Real x) noexcept nogil:
    cdef double size = fabs(x), t, half, square, p
    if Real is float:
        t = quick_expm1(100.0 if size > 100 else size)
        return copysignf(<float>(0.5 * (t + t / (t + 1))), x)
    else:
        square = x * x
        p = 7.7604328444069851978e-13
        p = p * square + 1.6057204241127779575e-10
        p = p * square + 2.5052123850417164699e-8
        p = p * square + 2.7557319152575425468e-6
        p = p * square + 0.00019841269841446135129
        p = p * square + 0.00833333333333312705
        p = p * square + 0.16666666666666667483
        half = full_exp_scaled(size, -1)
        return with_sign(half - 0.25 / half, x) if size > 1 else x + x * square * p


cdef inline Real cosh_(Real x) noexcept nogil:
    cdef double size = fabs(x), half
    if Real is float:
        half = 0.5 * quick_expm1(100.0 if size > 100 else size) + 0.5
        return <float>(half + 0.25 / half)
    else:
        half = full_exp_scaled(size, -1)
        return half + 0.25 / half


cdef inline Real asinh_(Real x) noexcept nogil:
    """log(1 + |x| + x^2 / (1 + sqrt(1 + x^2)))."""
    cdef double size = fabs(x), inner
    if Real is float:
        inner = 1.0 if size == INFINITY else size
        inner = quick_log1p(inner + inner * inner / (1 + sqrt(1 + inner * inner)))
    else:
        inner = 1.0 if size > 1e10 else size
        inner = full_log1p(inner + inner * inner / (1 + sqrt(1 + inner * inner)))
        inner = full_log(size) + 0.6931471805599453 if size > 1e10 else inner
    inner = inner if size < INFINITY else size
    return copysignf(<float>inner, x) if Real is float else with_sign(inner, x)


cdef inline Real acosh_(Real x) noexcept nogil:
    """log(1 + t + sqrt(2 t + t^2)) with t = x - 1."""
    cdef double t = <double>x - 1, y
    if Real is float:
        y = quick_log1p(t + sqrt(2 * t + t * t))
    else:
        t = 1.0 if x > 1e10 else t
        y = full_log1p(t + sqrt(2 * t + t * t))
        y = full_log(x) + 0.6931471805599453 if x > 1e10 else y
    y = x if x == <Real>INFINITY else y
    return <Real>(y if x >= 1 else NAN)


cdef inline Real atanh_(Real x) noexcept nogil:
    """log(1 + 2|x| / (1 - |x|)) / 2."""
    cdef double size = fabs(x), y
    y = 2 * size / (1 - size)
    y = 0.5 * (quick_log1p(y) if Real is float else full_log1p(y))
    y = INFINITY if size == 1 else y
    y = y if size <= 1 else NAN
    return copysignf(<float>y, x) if Real is float else with_sign(y, x)


cdef inline float sigmoid_single(float x) noexcept nogil:
    """z / (1 + z) or 1 / (1 + z) with z = e^-|x|."""
    cdef float z = single_exp_of_negative(-fabsf(x))
    return (z if x < 0 else <float>1) / (<float>1 + z)


cdef inline double sigmoid_full(double x) noexcept nogil:
    cdef double z = full_exp_of_negative(-fabs(x))
    cdef double lost = z - ((1 + z) - 1)        # what 1 + z rounded away, put back to first order
    cdef double y = (z if x < 0 else 1.0) / (1 + z)
    return y - y * lost * (1 - y if x < 0 else y)


cdef inline float silu_single(float x) noexcept nogil:
    """x sigmoid(x), by one division."""
    cdef float z = single_exp_of_negative(-fabsf(x))
    return (x * z if x < 0 else x) / (<float>1 + z)


cdef inline Real evaluate(Function *op, Real x) noexcept nogil:
    if Function is Exp:
        return single_exp(x) if Real is float else full_exp(x)
    elif Function is Exp2:
        return exp2_single(x) if Real is float else exp2_full(x)
    elif Function is Expm1:
        return single_expm1(x) if Real is float else full_expm1(x)
    elif Function is Log:
        return single_log(x) if Real is float else full_log(x)
    elif Function is Log2:
        return log2_(x)
    elif Function is Log10:
        return log10_(x)
    elif Function is Log1p:
        return log1p_(x)
    elif Function is Sinh:
        return sinh_(x)
    elif Function is Cosh:
        return cosh_(x)
    elif Function is Tanh:
        return tanh_single(x) if Real is float else tanh_full(x)
    elif Function is Asinh:
        return asinh_(x)
    elif Function is Acosh:
        return acosh_(x)
    elif Function is Atanh:
        return atanh_(x)
    elif Function is Sigmoid:
        return sigmoid_single(x) if Real is float else sigmoid_full(x)
    else:
        return silu_single(x) if Real is float else x * sigmoid_full(x)


cdef void loop(const Real *a, Real *out, Py_ssize_t n, Function *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = evaluate[Function, Real](op, a[i])


cdef void put(Kernels *table, int op, int code, unary_loop function) noexcept:
    table.unary[op][code] = function


cdef void install_real(Kernels *table, int code, Real *tag) noexcept:
    put(table, ops.EXP, code, <unary_loop>loop[Real, Exp])
    put(table, ops.EXP2, code, <unary_loop>loop[Real, Exp2])
    put(table, ops.EXPM1, code, <unary_loop>loop[Real, Expm1])
    put(table, ops.LOG, code, <unary_loop>loop[Real, Log])
    put(table, ops.LOG2, code, <unary_loop>loop[Real, Log2])
    put(table, ops.LOG10, code, <unary_loop>loop[Real, Log10])
    put(table, ops.LOG1P, code, <unary_loop>loop[Real, Log1p])
    put(table, ops.SINH, code, <unary_loop>loop[Real, Sinh])
    put(table, ops.COSH, code, <unary_loop>loop[Real, Cosh])
    put(table, ops.TANH, code, <unary_loop>loop[Real, Tanh])
    put(table, ops.ASINH, code, <unary_loop>loop[Real, Asinh])
    put(table, ops.ACOSH, code, <unary_loop>loop[Real, Acosh])
    put(table, ops.ATANH, code, <unary_loop>loop[Real, Atanh])
    put(table, ops.SIGMOID, code, <unary_loop>loop[Real, Sigmoid])
    table.silu[code] = <unary_loop>loop[Real, Silu]


def install(size_t address):
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_real(table, FLOAT32, <float *>NULL)
    install_real(table, FLOAT64, <double *>NULL)
