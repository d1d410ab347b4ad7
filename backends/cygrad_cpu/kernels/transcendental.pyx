"""Unary loops of the elementary and special functions over float32 and float64.

Assumes contiguous runs (see `loops`).
"""
from libc.math cimport (INFINITY, acos, acosh, asin, asinh, atan, atanh, copysign, cos, cosh, erf, erfc, exp, exp2, expm1, fabs,
                        floor, lgamma, log, log1p, log2, log10, sin, sinh, sqrt, tan, tanh)

cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad_cpu.loops cimport Kernels, unary_loop

cdef fused Real:
    float
    double

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
cdef struct Sin:
    char tag
cdef struct Cos:
    char tag
cdef struct Tan:
    char tag
cdef struct Asin:
    char tag
cdef struct Acos:
    char tag
cdef struct Atan:
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
cdef struct Erf:
    char tag
cdef struct Erfc:
    char tag
cdef struct Erfinv:
    char tag
cdef struct Lgamma:
    char tag
cdef struct Digamma:
    char tag
cdef struct Sigmoid:
    char tag

cdef fused Function:
    Exp
    Exp2
    Expm1
    Log
    Log2
    Log10
    Log1p
    Sin
    Cos
    Tan
    Asin
    Acos
    Atan
    Sinh
    Cosh
    Tanh
    Asinh
    Acosh
    Atanh
    Erf
    Erfc
    Erfinv
    Lgamma
    Digamma
    Sigmoid


cdef inline double erfinv(double y) noexcept nogil:
    """Giles' polynomial start ("Approximating the erfinv function", 2012), then two Newton steps on erf."""
    cdef double w, x, slope
    cdef int step
    if not fabs(y) < 1:
        return copysign(1 / (1 - fabs(y)), y) if fabs(y) == 1 else (y - y) / (y - y)
    w = -log((1 - y) * (1 + y))
    if w < 5:
        w -= 2.5
        x = 2.81022636e-08
        x = 3.43273939e-07 + x * w
        x = -3.5233877e-06 + x * w
        x = -4.39150654e-06 + x * w
        x = 0.00021858087 + x * w
        x = -0.00125372503 + x * w
        x = -0.00417768164 + x * w
        x = 0.246640727 + x * w
        x = 1.50140941 + x * w
    else:
        w = sqrt(w) - 3
        x = -0.000200214257
        x = 0.000100950558 + x * w
        x = 0.00134934322 + x * w
        x = -0.00367342844 + x * w
        x = 0.00573950773 + x * w
        x = -0.0076224613 + x * w
        x = 0.00943887047 + x * w
        x = 1.00167406 + x * w
        x = 2.83297682 + x * w
    x *= y
    for step in range(2):
        slope = 1.1283791670955126 * exp(-x * x)
        if fabs(y) < 0.5:
            x -= (erf(x) - y) / slope
        else:           # near 1 erf has lost the digits that erfc keeps
            x -= copysign((1 - fabs(y)) - erfc(fabs(x)), y) / slope
    return x


cdef inline double digamma(double x) noexcept nogil:
    """Reflection below 0, recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.18)."""
    cdef double shift = 0, whole, square, pi = 3.141592653589793
    if x == 0:
        return copysign(INFINITY, -x)
    if x < 0:
        whole = floor(x)
        if x == whole:
            return (x - x) / (x - x)
        shift = -pi / tan(pi * (x - whole))
        x = 1 - x
    while x < 10:
        shift -= 1 / x
        x += 1
    square = 1 / (x * x)
    return shift + log(x) - 0.5 / x - square * (
        8.33333333333333333333e-2 - square * (8.33333333333333333333e-3 - square * (
            3.96825396825396825397e-3 - square * (4.16666666666666666667e-3 - square * (
                7.57575757575757575758e-3 - square * (2.10927960927960927961e-2 - square * 8.33333333333333333333e-2))))))


cdef inline double evaluate(Function *op, double x) noexcept nogil:
    if Function is Exp:
        return exp(x)
    elif Function is Exp2:
        return exp2(x)
    elif Function is Expm1:
        return expm1(x)
    elif Function is Log:
        return log(x)
    elif Function is Log2:
        return log2(x)
    elif Function is Log10:
        return log10(x)
    elif Function is Log1p:
        return log1p(x)
    elif Function is Sin:
        return sin(x)
    elif Function is Cos:
        return cos(x)
    elif Function is Tan:
        return tan(x)
    elif Function is Asin:
        return asin(x)
    elif Function is Acos:
        return acos(x)
    elif Function is Atan:
        return atan(x)
    elif Function is Sinh:
        return sinh(x)
    elif Function is Cosh:
        return cosh(x)
    elif Function is Tanh:
        return tanh(x)
    elif Function is Asinh:
        return asinh(x)
    elif Function is Acosh:
        return acosh(x)
    elif Function is Atanh:
        return atanh(x)
    elif Function is Erf:
        return erf(x)
    elif Function is Erfc:
        return erfc(x)
    elif Function is Erfinv:
        return erfinv(x)
    elif Function is Lgamma:
        return lgamma(x)
    elif Function is Digamma:
        return digamma(x)
    else:
        return 1 / (1 + exp(-x))


cdef void loop(const Real *a, Real *out, Py_ssize_t n, Function *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <Real>evaluate[Function](op, a[i])


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
    put(table, ops.SIN, code, <unary_loop>loop[Real, Sin])
    put(table, ops.COS, code, <unary_loop>loop[Real, Cos])
    put(table, ops.TAN, code, <unary_loop>loop[Real, Tan])
    put(table, ops.ASIN, code, <unary_loop>loop[Real, Asin])
    put(table, ops.ACOS, code, <unary_loop>loop[Real, Acos])
    put(table, ops.ATAN, code, <unary_loop>loop[Real, Atan])
    put(table, ops.SINH, code, <unary_loop>loop[Real, Sinh])
    put(table, ops.COSH, code, <unary_loop>loop[Real, Cosh])
    put(table, ops.TANH, code, <unary_loop>loop[Real, Tanh])
    put(table, ops.ASINH, code, <unary_loop>loop[Real, Asinh])
    put(table, ops.ACOSH, code, <unary_loop>loop[Real, Acosh])
    put(table, ops.ATANH, code, <unary_loop>loop[Real, Atanh])
    put(table, ops.ERF, code, <unary_loop>loop[Real, Erf])
    put(table, ops.ERFC, code, <unary_loop>loop[Real, Erfc])
    put(table, ops.ERFINV, code, <unary_loop>loop[Real, Erfinv])
    put(table, ops.LGAMMA, code, <unary_loop>loop[Real, Lgamma])
    put(table, ops.DIGAMMA, code, <unary_loop>loop[Real, Digamma])
    put(table, ops.SIGMOID, code, <unary_loop>loop[Real, Sigmoid])


def install(size_t address):
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_real(table, FLOAT32, <float *>NULL)
    install_real(table, FLOAT64, <double *>NULL)
