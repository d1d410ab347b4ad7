# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic
"""Loops over complex64 and complex128, seen as pairs of reals.

Assumes contiguous runs (see `pointwise_table`); `n` counts complex elements. Functions are C99's, computed in double;
products are the plain textbook ones (as PyTorch's), quotients Smith's, so that large and small divisors don't overflow.
"""
from libc.math cimport atan2, cos, exp, expm1, fabs, hypot, log1p, sin, sqrt

cdef extern from *:
    """
    /* No fused multiply-add: with it the real part of (x + xi)^2 would not be 0. */
    #if defined(__clang__)
    #pragma STDC FP_CONTRACT OFF
    #elif defined(__GNUC__)
    #pragma GCC optimize ("fp-contract=off")
    #endif
    """

cimport cygrad.backend as ops
from cygrad.dtype cimport COMPLEX64, COMPLEX128
from cygrad_cpu.simd.elementary cimport *     # inlining
from cygrad_cpu.kernels.pointwise_table cimport (BOTH_VECTORS, FIRST_SCALAR, IN_PROGRAM, SECOND_SCALAR,
                                                 Kernels, binary_loop, unary_loop)
from cygrad_cpu.simd.element_types cimport Real, uint8

cdef extern from "<math.h>" nogil:
    float fmaf(float, float, float)

cdef extern from "<complex.h>" nogil:
    double complex cacos(double complex)
    double complex cacosh(double complex)
    double complex casin(double complex)
    double complex casinh(double complex)
    double complex catan(double complex)
    double complex catanh(double complex)
    double complex ccos(double complex)
    double complex ccosh(double complex)
    double complex cexp(double complex)
    double complex clog(double complex)
    double complex cpow(double complex, double complex)
    double complex csin(double complex)
    double complex csinh(double complex)
    double complex csqrt(double complex)
    double complex ctan(double complex)
    double complex ctanh(double complex)

cdef struct Pair:
    double re
    double im

cdef union Complex:         # one number, two ways to see it
    double complex whole
    Pair parts

cdef struct Neg:
    char tag
cdef struct Conj:
    char tag
cdef struct Sign:
    char tag
cdef struct Square:
    char tag
cdef struct Reciprocal:
    char tag
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
cdef struct Sqrt:
    char tag
cdef struct Rsqrt:
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
cdef struct Sigmoid:
    char tag

cdef fused Simple:              # pair to pair
    Neg
    Conj
    Square
    Reciprocal
    Sign

cdef fused Function:
    Exp
    Exp2
    Expm1
    Log
    Log2
    Log10
    Log1p
    Sqrt
    Rsqrt
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
    Sigmoid

cdef struct Add:
    char tag
cdef struct Sub:
    char tag
cdef struct Mul:
    char tag
cdef struct Div:
    char tag
cdef struct Pow:
    char tag
cdef struct Equal:
    char tag
cdef struct NotEqual:
    char tag
cdef struct LogicalAnd:
    char tag
cdef struct LogicalOr:
    char tag
cdef struct LogicalXor:
    char tag

cdef fused Arithmetic:
    Add
    Sub
    Mul
    Div
    Pow

cdef fused Comparison:
    Equal
    NotEqual
    LogicalAnd
    LogicalOr
    LogicalXor


# ---- formulas

cdef inline double complex join(double re, double im) noexcept nogil:
    cdef Complex z
    z.parts.re = re
    z.parts.im = im
    return z.whole


cdef inline Pair split(double complex value) noexcept nogil:
    cdef Complex z
    z.whole = value
    return z.parts


cdef inline double minus_one(void *op) noexcept nogil:
    """-1, which the compiler can't know (tags are NULL): GCC 12 fuses a - b * c in pairs even where it must not."""
    return -1 if op == NULL else 1


cdef inline Real multiply_add(Real a, Real b, Real c) noexcept nogil:
    """a * b + c, in one rounding where that is one instruction."""
    if HAS_FMA:
        return fmaf(a, b, c) if Real is float else fma(a, b, c)
    return a * b + c


cdef inline void divide(Real a, Real b, Real c, Real d, Real *out) noexcept nogil:
    """(a + bi) / (c + di) by Smith's method."""
    cdef Real ratio, scale
    if fabs(c) >= fabs(d):
        if c == 0 and d == 0:
            out[0] = a / fabs(c)
            out[1] = b / fabs(c)
            return
        ratio = d / c
        scale = <Real>1 / multiply_add(d, ratio, c)
        out[0] = multiply_add(b, ratio, a) * scale
        out[1] = multiply_add(-a, ratio, b) * scale
    else:
        ratio = c / d
        scale = <Real>1 / multiply_add(c, ratio, d)
        out[0] = multiply_add(a, ratio, b) * scale
        out[1] = multiply_add(b, ratio, -a) * scale


cdef inline void simple(Simple *op, Real re, Real im, Real minus, Real *out) noexcept nogil:
    cdef Real size
    if Simple is Neg:
        out[0] = -re
        out[1] = -im
    elif Simple is Conj:
        out[0] = re
        out[1] = -im
    elif Simple is Square:
        out[0] = re * re + minus * (im * im)
        out[1] = re * im + im * re
    elif Simple is Reciprocal:
        divide[Real](1, 0, re, im, out)
    else:
        size = <Real>hypot(re, im)
        out[0] = re / size if size != 0 else size
        out[1] = im / size if size != 0 else size


cdef double complex evaluate(Function *op, double complex z) noexcept nogil:
    cdef double re = split(z).re, im = split(z).im
    cdef double pair[2]
    if Function is Exp:
        return cexp(z)
    elif Function is Exp2:
        return cexp(join(re * 0.6931471805599453, im * 0.6931471805599453))
    elif Function is Log:
        return clog(z)
    elif Function is Log2:
        z = clog(z)
        return join(split(z).re * 1.4426950408889634, split(z).im * 1.4426950408889634)
    elif Function is Log10:
        z = clog(z)
        return join(split(z).re * 0.4342944819032518, split(z).im * 0.4342944819032518)
    elif Function is Log1p:
        if fabs(re) > 0.5 or fabs(im) > 0.5:
            return clog(join(1 + re, im))
        return join(0.5 * log1p(re * (2 + re) + im * im), atan2(im, 1 + re))
    elif Function is Sqrt:
        return csqrt(z)
    elif Function is Rsqrt:
        z = csqrt(z)
        divide[double](1, 0, split(z).re, split(z).im, pair)
        return join(pair[0], pair[1])
    elif Function is Sin:
        return csin(z)
    elif Function is Cos:
        return ccos(z)
    elif Function is Tan:
        return ctan(z)
    elif Function is Asin:
        return casin(z)
    elif Function is Acos:
        return cacos(z)
    elif Function is Atan:
        return catan(z)
    elif Function is Sinh:
        return csinh(z)
    elif Function is Cosh:
        return ccosh(z)
    elif Function is Tanh:
        return ctanh(z)
    elif Function is Asinh:
        return casinh(z)
    elif Function is Acosh:
        return cacosh(z)
    elif Function is Atanh:
        return catanh(z)
    else:
        return cexp(join(-re, -im))             # of the sigmoid 1 / (1 + exp(-z))


# ---- loops

cdef void simple_loop(const Real *a, Real *out, Py_ssize_t n, Simple *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef Real minus = <Real>minus_one(op)
    for i in range(n):
        simple[Simple, Real](op, a[2 * i], a[2 * i + 1], minus, out + 2 * i)


cdef inline bint is_plain(double x, double y) noexcept nogil:
    """Whether x^2 + y^2 stays in range and neither is NaN."""
    cdef double larger = fabs(x) if fabs(x) > fabs(y) else fabs(y)
    return (larger < 1e150) & (larger > 1e-140) & (y == y) & (x == x)


cdef inline double plain_size(double x, double y) noexcept nogil:
    return sqrt(x * x + y * y)


cdef void abs_loop(const Real *a, Real *out, Py_ssize_t n, void *op) noexcept nogil:
    cdef Py_ssize_t i, start = 0, stop
    cdef int rare
    while start < n:
        stop = min(start + 64, n)
        rare = 0
        for i in range(start, stop):
            rare |= not is_plain(a[2 * i], a[2 * i + 1])
        if rare:
            for i in range(start, stop):
                out[i] = <Real>(plain_size(a[2 * i], a[2 * i + 1]) if is_plain(a[2 * i], a[2 * i + 1])
                                else hypot(a[2 * i], a[2 * i + 1]))
        else:
            for i in range(start, stop):
                out[i] = <Real>plain_size(a[2 * i], a[2 * i + 1])
        start = stop


cdef void angle_loop(const Real *a, Real *out, Py_ssize_t n, void *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <Real>atan2(a[2 * i + 1], a[2 * i])


cdef void function_loop(const Real *a, Real *out, Py_ssize_t n, Function *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef double half
    cdef Pair result
    for i in range(n):
        if Function is Expm1:               # its factors, and the sigmoid's, overflow where PyTorch's do
            half = sin(a[2 * i + 1] / 2)
            result.re = <Real>expm1(a[2 * i]) * cos(a[2 * i + 1]) - 2 * half * half
            result.im = <Real>exp(a[2 * i]) * sin(a[2 * i + 1])
        else:
            result = split(evaluate[Function](op, join(a[2 * i], a[2 * i + 1])))
        if Function is Sigmoid:
            divide[Real](1, 0, 1 + <Real>result.re, <Real>result.im, out + 2 * i)
        else:
            out[2 * i] = <Real>result.re
            out[2 * i + 1] = <Real>result.im


cdef bint plain_power(const Real *a, Real re, Real im, Real *out, Py_ssize_t n) noexcept nogil:
    """The exponents that PyTorch does without logarithms; whether this was one."""
    if im != 0:
        return False
    if re == 2:
        simple_loop[Real, Square](a, out, n, NULL)
    elif re == -1:
        simple_loop[Real, Reciprocal](a, out, n, NULL)
    elif re == 0.5:
        function_loop[Real, Sqrt](a, out, n, NULL)
    elif re == -0.5:
        function_loop[Real, Rsqrt](a, out, n, NULL)
    else:
        return False
    return True


cdef inline void arithmetic_run(const Real *a, Py_ssize_t a_step, const Real *b, Py_ssize_t b_step, Real *out,
                                Py_ssize_t n,
                                Arithmetic *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef Real x, y, u, v, minus = <Real>minus_one(op)
    cdef Pair result
    for i in range(n):
        x = a[i * a_step]
        y = a[i * a_step + 1]
        u = b[i * b_step]
        v = b[i * b_step + 1]
        if Arithmetic is Add:                           # PyTorch's other is multiplied by a complex 1 ...
            out[2 * i] = x + (u - 0 * v)
            out[2 * i + 1] = y + (v + 0 * u)
        elif Arithmetic is Sub:                         # ... or -1: its infinite and undefined parts reach both
            out[2 * i] = x + (-u - 0 * v)
            out[2 * i + 1] = y + (0 * u - v)
        elif Arithmetic is Mul:
            out[2 * i] = x * u + minus * (y * v)
            out[2 * i + 1] = x * v + y * u
        elif Arithmetic is Div:
            divide[Real](x, y, u, v, out + 2 * i)
        else:
            result = split(cpow(join(x, y), join(u, v)))
            out[2 * i] = <Real>result.re
            out[2 * i + 1] = <Real>result.im


cdef void plain_sum(const Real *a, Py_ssize_t a_step, const Real *b, Py_ssize_t b_step, Real *out, Py_ssize_t n,
                    Real sign) noexcept nogil:
    """a + sign * b, part by part."""
    cdef Py_ssize_t i
    for i in range(n):
        out[2 * i] = a[i * a_step] + sign * b[i * b_step]
        out[2 * i + 1] = a[i * a_step + 1] + sign * b[i * b_step + 1]


cdef int arithmetic_loop(const Real *a, const Real *b, Real *out, Py_ssize_t n, int form,
                         Arithmetic *op) noexcept nogil:
    if Arithmetic is Pow:
        if form == SECOND_SCALAR and plain_power(a, b[0], b[1], out, n):
            return 0
    if Arithmetic is Add or Arithmetic is Sub:
        if form >= IN_PROGRAM:
            plain_sum(a, 0 if form == IN_PROGRAM + FIRST_SCALAR else 2, b,
                      0 if form == IN_PROGRAM + SECOND_SCALAR else 2, out, n, 1 if Arithmetic is Add else -1)
            return 0
    if form == BOTH_VECTORS:
        arithmetic_run[Real, Arithmetic](a, 2, b, 2, out, n, op)
    elif Arithmetic is Add and form == FIRST_SCALAR:    # a number that comes first is PyTorch's second operand
        arithmetic_run[Real, Arithmetic](b, 2, a, 0, out, n, op)
    elif form == FIRST_SCALAR:
        arithmetic_run[Real, Arithmetic](a, 0, b, 2, out, n, op)
    else:
        arithmetic_run[Real, Arithmetic](a, 2, b, 0, out, n, op)
    return 0


cdef int compare_loop(const Real *a, const Real *b, uint8 *out, Py_ssize_t n, int form, Comparison *op) noexcept nogil:
    cdef Py_ssize_t i, a_step = 0 if form == FIRST_SCALAR else 2, b_step = 0 if form == SECOND_SCALAR else 2
    cdef bint first, second
    cdef Real x, y, u, v
    for i in range(n):
        x = a[i * a_step]
        y = a[i * a_step + 1]
        u = b[i * b_step]
        v = b[i * b_step + 1]
        if Comparison is Equal:
            out[i] = (x == u) & (y == v)
        elif Comparison is NotEqual:
            out[i] = (x != u) | (y != v)
        else:
            first = (x != 0) | (y != 0)
            second = (u != 0) | (v != 0)
            if Comparison is LogicalAnd:
                out[i] = first & second
            elif Comparison is LogicalOr:
                out[i] = first | second
            else:
                out[i] = first ^ second
    return 0


# ---- table

cdef void put(Kernels *table, int op, int code, unary_loop loop) noexcept:
    table.unary[op][code] = loop


cdef void put_binary(Kernels *table, int op, int code, binary_loop loop) noexcept:
    table.binary[op][code] = loop


cdef void install_complex(Kernels *table, int code, Real *tag) noexcept:
    put(table, ops.NEG, code, <unary_loop>simple_loop[Real, Neg])
    put(table, ops.CONJ, code, <unary_loop>simple_loop[Real, Conj])
    put(table, ops.SQUARE, code, <unary_loop>simple_loop[Real, Square])
    put(table, ops.RECIPROCAL, code, <unary_loop>simple_loop[Real, Reciprocal])
    put(table, ops.SIGN, code, <unary_loop>simple_loop[Real, Sign])
    put(table, ops.ABS, code, <unary_loop>abs_loop[Real])
    put(table, ops.ANGLE, code, <unary_loop>angle_loop[Real])
    put(table, ops.EXP, code, <unary_loop>function_loop[Real, Exp])
    put(table, ops.EXP2, code, <unary_loop>function_loop[Real, Exp2])
    put(table, ops.EXPM1, code, <unary_loop>function_loop[Real, Expm1])
    put(table, ops.LOG, code, <unary_loop>function_loop[Real, Log])
    put(table, ops.LOG2, code, <unary_loop>function_loop[Real, Log2])
    put(table, ops.LOG10, code, <unary_loop>function_loop[Real, Log10])
    put(table, ops.LOG1P, code, <unary_loop>function_loop[Real, Log1p])
    put(table, ops.SQRT, code, <unary_loop>function_loop[Real, Sqrt])
    put(table, ops.RSQRT, code, <unary_loop>function_loop[Real, Rsqrt])
    put(table, ops.SIN, code, <unary_loop>function_loop[Real, Sin])
    put(table, ops.COS, code, <unary_loop>function_loop[Real, Cos])
    put(table, ops.TAN, code, <unary_loop>function_loop[Real, Tan])
    put(table, ops.ASIN, code, <unary_loop>function_loop[Real, Asin])
    put(table, ops.ACOS, code, <unary_loop>function_loop[Real, Acos])
    put(table, ops.ATAN, code, <unary_loop>function_loop[Real, Atan])
    put(table, ops.SINH, code, <unary_loop>function_loop[Real, Sinh])
    put(table, ops.COSH, code, <unary_loop>function_loop[Real, Cosh])
    put(table, ops.TANH, code, <unary_loop>function_loop[Real, Tanh])
    put(table, ops.ASINH, code, <unary_loop>function_loop[Real, Asinh])
    put(table, ops.ACOSH, code, <unary_loop>function_loop[Real, Acosh])
    put(table, ops.ATANH, code, <unary_loop>function_loop[Real, Atanh])
    put(table, ops.SIGMOID, code, <unary_loop>function_loop[Real, Sigmoid])
    put_binary(table, ops.ADD, code, <binary_loop>arithmetic_loop[Real, Add])
    put_binary(table, ops.SUB, code, <binary_loop>arithmetic_loop[Real, Sub])
    put_binary(table, ops.MUL, code, <binary_loop>arithmetic_loop[Real, Mul])
    put_binary(table, ops.DIV, code, <binary_loop>arithmetic_loop[Real, Div])
    put_binary(table, ops.POW, code, <binary_loop>arithmetic_loop[Real, Pow])
    put_binary(table, ops.EQ, code, <binary_loop>compare_loop[Real, Equal])
    put_binary(table, ops.NE, code, <binary_loop>compare_loop[Real, NotEqual])
    put_binary(table, ops.LOGICAL_AND, code, <binary_loop>compare_loop[Real, LogicalAnd])
    put_binary(table, ops.LOGICAL_OR, code, <binary_loop>compare_loop[Real, LogicalOr])
    put_binary(table, ops.LOGICAL_XOR, code, <binary_loop>compare_loop[Real, LogicalXor])


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_complex(table, COMPLEX64, <float *>NULL)
    install_complex(table, COMPLEX128, <double *>NULL)
