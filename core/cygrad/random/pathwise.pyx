# distutils: extra_compile_args = -O2
"""How a draw moves with its distribution's parameter when its probability stays: derivatives of quantiles.

With F(x, a) the distribution function and f its density, the draw x as a function of a has the derivative

    dx/da = -(dF/da) / f                                            (implicit reparameterization)

For the gamma and beta distributions F is a power times a sum. Divided by f the powers cancel, so that what remains are
sums of positive terms, each with its derivative beside it; they are taken from the side of x on which they converge.
Sources: Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients", 2018; NIST's Digital Library of
Mathematical Functions, 8.11.4, 8.9.2 and 8.17.8 with 15.8.1. All of it in double precision, to some 13 digits.
"""
from libc.math cimport INFINITY, NAN, fabs, isinf, isnan, log, log1p

cdef enum:
    MOST_TERMS = 200000

cdef double EPSILON = 2.2e-16


cdef double digamma(double x) noexcept nogil:
    """For positive x: DLMF 5.11.2 from 10 on, 5.5.2 below."""
    cdef double shift = 0, inverse
    while x < 10:
        shift -= 1 / x
        x += 1
    inverse = 1 / (x * x)
    return (shift + log(x) - 0.5 / x
            - inverse * (1. / 12 - inverse * (1. / 120 - inverse * (1. / 252 - inverse * (1. / 240 - inverse * (
                1. / 132 - inverse * (691. / 32760 - inverse / 12)))))))


cdef double gamma_below(double a, double x) noexcept nogil:
    """-(dP/da) / p by the series of P: the sum of x^n / ((a + 1) ... (a + n))."""
    cdef double term = 1, total = 1, harmonic = 0, change = 0
    cdef Py_ssize_t n
    for n in range(1, MOST_TERMS):
        term *= x / (a + n)
        harmonic += 1 / (a + n)
        total += term
        change += term * harmonic
        if term * (1 + harmonic) < EPSILON * total and x < a + n:
            break
    return -x / a * (total * (log(x) - digamma(a + 1)) - change)


cdef double gamma_above(double a, double x) noexcept nogil:
    """(dQ/da) / p by the continued fraction of Q, evaluated with its derivative by Lentz's recurrence."""
    cdef double b = x + 1 - a, db = -1, step, dstep
    cdef double d = 1 / b, dd = 1 / (b * b), c = 1e300, dc = 0, value = d, dvalue = dd
    cdef double factor, dfactor, e
    cdef Py_ssize_t n
    for n in range(1, MOST_TERMS):
        step = -n * (n - a)
        dstep = n
        b += 2
        e = step * d + b
        dd = -(dstep * d + step * dd + db) / (e * e)
        d = 1 / e
        dc = db + dstep / c - step * dc / (c * c)
        c = b + step / c
        factor = c * d
        dfactor = dc * d + c * dd
        dvalue = dvalue * factor + value * dfactor
        value *= factor
        if fabs(factor - 1) < EPSILON and fabs(dfactor) < EPSILON * (1 + fabs(dvalue / value)):
            break
    return x * (value * (log(x) - digamma(a)) + dvalue)


cdef double gamma_one(double a, double x) noexcept nogil:
    if isnan(a) or isnan(x) or a <= 0 or x < 0:
        return NAN
    if x == 0:
        return 0
    if isinf(x):
        return INFINITY
    return gamma_below(a, x) if x < a + 1 else gamma_above(a, x)


cdef double beta_below(double a, double b, double x) noexcept nogil:
    """-(dI/da) / p by the sum of x^n (a + b)_n / (a + 1)_n."""
    cdef double term = 1, total = 1, change = 0, harmonic = 0
    cdef Py_ssize_t n
    for n in range(MOST_TERMS):
        term *= x * (a + b + n) / (a + 1 + n)
        harmonic += 1 / (a + b + n) - 1 / (a + 1 + n)
        total += term
        change += term * harmonic
        if term * (1 + fabs(harmonic)) < EPSILON * total * (1 - x):
            break
    return -x * (1 - x) / a * (total * (log(x) - digamma(a) + digamma(a + b) - 1 / a) + change)


cdef double beta_above(double a, double b, double x) noexcept nogil:
    """(dJ/da) / p of J = 1 - I, by the sum of (1 - x)^n (a + b)_n / (b + 1)_n."""
    cdef double term = 1, total = 1, change = 0, harmonic = 0, y = 1 - x
    cdef Py_ssize_t n
    for n in range(MOST_TERMS):
        term *= y * (a + b + n) / (b + 1 + n)
        harmonic += 1 / (a + b + n)
        total += term
        change += term * harmonic
        if term * (1 + harmonic) < EPSILON * total * x:
            break
    return x * y / b * (total * (log1p(-y) + digamma(a + b) - digamma(a)) + change)


cdef double beta_one(double a, double b, double x) noexcept nogil:
    if isnan(a) or isnan(b) or isnan(x) or a <= 0 or b <= 0 or x < 0 or x > 1:
        return NAN
    if x == 0 or x == 1:
        return 0
    return beta_below(a, b, x) if x * (a + b) <= a else beta_above(a, b, x)


def gamma_gradients(Py_ssize_t shapes, Py_ssize_t draws, Py_ssize_t out, Py_ssize_t n):
    """Write dx/da of n draws x of gamma distributions with shapes a; addresses of doubles."""
    cdef const double* a = <const double*>shapes
    cdef const double* x = <const double*>draws
    cdef double* found = <double*>out
    cdef Py_ssize_t i
    with nogil:
        for i in range(n):
            found[i] = gamma_one(a[i], x[i])


def beta_gradients(Py_ssize_t firsts, Py_ssize_t seconds, Py_ssize_t draws, Py_ssize_t out, Py_ssize_t n):
    """Write dx/da of n draws x of beta distributions with parameters a and b; addresses of doubles."""
    cdef const double* a = <const double*>firsts
    cdef const double* b = <const double*>seconds
    cdef const double* x = <const double*>draws
    cdef double* found = <double*>out
    cdef Py_ssize_t i
    with nogil:
        for i in range(n):
            found[i] = beta_one(a[i], b[i], x[i])
