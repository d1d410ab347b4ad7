"""Samplers that draw until a value is accepted, and multinomial: one element after the other, nothing to vectorise.

Inline functions only. The methods are those of PyTorch 2.13 (its `Distributions.cpp`, `Distributions.h` and
`MultinomialKernel.cpp`), with its mixture of float32 and float64 arithmetic and without fused sums: that part of it is
compiled for any x86-64.
"""
from libc.math cimport ceil, exp, fabs, floor, floorf, isfinite, lgamma, log, log1p, log1pf, pow, sqrt, sqrtf
from libc.stdint cimport int64_t

from cygrad.tensors.element_stores cimport load
from cygrad.dtype cimport FLOAT64
from cygrad.random.mt19937 cimport Engine, draw_double
from cygrad.random.samplers cimport (BAD_RATE, BINOMIAL, DONE, INFINITE_ENTRY, NEGATIVE_ENTRY, POISSON, ZERO_SUM, Job,
                              normal_doubles, store)

cdef extern from *:
    """
    static const double cygrad_stirling_tail[10] = {
        0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
        0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287};
    """
    const double STIRLING_TAIL "cygrad_stirling_tail"[10]

ctypedef fused real:
    float
    double


cdef inline int64_t poisson_one(Engine* engine, double rate) noexcept nogil:
    """Transformed rejection (PTRS; Hoermann 1993) from rate 10 on, below it a product of uniforms (Knuth)."""
    cdef double slam, loglam, a, b, invalpha, vr, u, v, us, product, limit
    cdef int64_t k
    if rate == 0:
        return 0
    if rate < 10:
        limit = exp(-rate)
        product = draw_double(engine)
        k = 0
        while product > limit:
            k += 1
            product *= draw_double(engine)
        return k
    slam = sqrt(rate)
    loglam = log(rate)
    b = 0.931 + 2.53 * slam
    a = -0.059 + 0.02483 * b
    invalpha = 1.1239 + 1.1328 / (b - 3.4)
    vr = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = draw_double(engine) - 0.5
        v = draw_double(engine)
        us = 0.5 - fabs(u)
        k = <int64_t> floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= vr:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        if log(v) + log(invalpha) - log(a / (us * us) + b) <= -rate + k * loglam - lgamma(<double> k + 1):
            return k


cdef inline double stirling_tail(double k) noexcept nogil:
    """log(k!) less Stirling's approximation of it."""
    cdef double square = (k + 1) * (k + 1)
    if k >= 10:
        return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    return STIRLING_TAIL[<int> k]


cdef inline real binomial_small(Engine* engine, real count, real p) noexcept nogil:
    """Geometric gaps until their sum exceeds count; for p <= 0.5 and count * p < 10."""
    cdef double total = 0, scale = log1pf(-p) if real is float else log1p(-p)
    cdef real found = 0
    while True:
        total += ceil(log(draw_double(engine)) / scale)
        if total > count:
            return found
        found += 1


cdef inline real binomial_large(Engine* engine, real count, real p) noexcept nogil:
    """Transformed rejection (BTRS; Hoermann 1993, algorithm BTRD's simpler form), for p <= 0.5 and count * p >= 10."""
    cdef double stddev = sqrtf(count * p * (1 - p)) if real is float else sqrt(count * p * (1 - p))
    cdef double b = 1.15 + 2.53 * stddev
    cdef double a = -0.0873 + 0.0248 * b + 0.01 * p
    cdef double c = count * p + 0.5
    cdef double vr = 0.92 - 4.2 / b
    cdef double r = p / (1 - p)
    cdef double alpha = (2.83 + 5.1 / b) * stddev
    cdef double m = floorf((count + 1) * p) if real is float else floor((count + 1) * p)
    cdef double u, v, us, bound
    cdef real k
    while True:
        u = draw_double(engine) - 0.5
        v = draw_double(engine)
        us = 0.5 - fabs(u)
        k = <real> floor((2 * a / us + b) * u + c)
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= vr:
            return k
        v = log(v * alpha / (a / (us * us) + b))
        bound = ((m + 0.5) * log((m + 1) / (r * (count - m + 1)))
                 + (count + 1) * log((count - m + 1) / (count - k + 1))
                 + (k + 0.5) * log(r * (count - k + 1) / (k + 1))
                 + stirling_tail(m) + stirling_tail(count - m) - stirling_tail(k) - stirling_tail(count - k))
        if v <= bound:
            return k


cdef inline real binomial_half(Engine* engine, real count, real p) noexcept nogil:
    return binomial_large(engine, count, p) if count * p >= 10 else binomial_small(engine, count, p)


cdef inline real binomial_one(Engine* engine, real count, real p) noexcept nogil:
    if count <= 0 or p <= 0:
        return 0
    if p >= 1:
        return count
    if p <= 0.5:
        return binomial_half(engine, count, p)
    if p > 0.5:
        return count - binomial_half(engine, count, <real> (1.0 - p))
    return p    # NaN


cdef inline real gamma_one(Engine* engine, real alpha) noexcept nogil:
    """Marsaglia and Tsang (2000); a shape below 1 is raised by one and the value scaled. Constants are float32's."""
    cdef double scale = 1, c, d, v, x, xx, y, u
    if alpha < 1:
        if alpha == 0:
            return 0
        scale = pow(1 - draw_double(engine), <float> 1 / alpha)
        alpha += 1
    d = alpha - <float> 1 / <float> 3
    c = 1 / sqrt(9 * d)
    while True:
        y = 0
        while y <= 0:
            normal_doubles(engine, &x, 1, 0, 1)
            y = 1 + c * x
        v = y * y * y
        u = 1 - draw_double(engine)
        xx = x * x
        if u < 1 - <double> <float> 0.0331 * xx * xx or log(u) < 0.5 * xx + d * (1 - v + log(v)):
            return <real> (scale * d * v)


cdef inline int rejection(Job* job) noexcept nogil:
    cdef Py_ssize_t i
    cdef double x, y, result
    cdef int64_t count
    for i in range(job.n):
        x = load(job.source, job.source_dtype, i)
        if job.sampler == POISSON:
            if not x >= 0:
                return BAD_RATE
            count = poisson_one(job.engine, x)
            store(job, i, &count, 1)
            continue
        if job.sampler == BINOMIAL:
            y = load(job.source2, job.source_dtype, i)
            if job.source_dtype == FLOAT64:
                result = binomial_one(job.engine, x, y)
            else:
                result = binomial_one(job.engine, <float> x, <float> y)
        elif job.source_dtype == FLOAT64:
            result = max(gamma_one(job.engine, x), 2.2250738585072014e-308)
        else:
            result = max(gamma_one(job.engine, <float> x), <float> 1.1754943508222875e-38)
        store(job, i, &result, 1)
    return DONE


cdef inline int multinomial_row(Job* job, real* cumulative, Py_ssize_t row, Py_ssize_t samples) noexcept nogil:
    """Draws with replacement from one row of weights: 53-bit uniforms looked up in the cumulative distribution."""
    cdef Py_ssize_t i, left, right, middle, columns = job.columns
    cdef int64_t* out = <int64_t*> job.out + row * samples
    cdef real total = 0, weight
    cdef double u
    for i in range(columns):
        weight = <real> load(job.source, job.source_dtype, row * columns + i)
        if not weight >= 0:
            return NEGATIVE_ENTRY
        if not isfinite(weight):
            return INFINITE_ENTRY
        total += weight
        cumulative[i] = total
    if not total > 0:
        return ZERO_SUM
    for i in range(columns):
        cumulative[i] /= total
    cumulative[columns - 1] = 1
    for i in range(samples):
        u = draw_double(job.engine)
        left = 0
        right = columns
        while left < right:
            middle = left + (right - left) // 2
            if cumulative[middle] < u:
                left = middle + 1
            else:
                right = middle
        out[i] = left
    return DONE


cdef inline int multinomial(Job* job, void* scratch) noexcept nogil:
    """rows x (n / rows) indices; `scratch` holds a row of the weights' dtype, float32 for 16-bit floats."""
    cdef Py_ssize_t row, samples = job.n // job.rows
    cdef int status
    for row in range(job.rows):
        if job.source_dtype == FLOAT64:
            status = multinomial_row(job, <double*> scratch, row, samples)
        else:
            status = multinomial_row(job, <float*> scratch, row, samples)
        if status != DONE:
            return status
    return DONE
