"""The loops of `cygrad.Generator`: draw words in chunks, write elements with the bits of PyTorch's CPU samplers.

Inline functions only, so that the whole of `run` can be compiled for several instruction sets. Formulas follow PyTorch
2.13 on a machine with AVX2 (its `DistributionTemplates.h` and `avx_mathfun.h`), where the compiler fuses products into
sums: every fused sum is written out as `fma` here, and the module is compiled with contraction off, so its bits do not
depend on the instruction set. Log, sine and cosine of doubles are the C library's, as there.
"""
from libc.math cimport ceil, cos, exp, fma, fmaf, log, log1p, sin, sqrt, sqrtf, tan
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from cygrad.tensors.element_stores cimport bits_float, drawn, element, float_bits, load, to_bfloat, to_half
from cygrad.dtype cimport FLOAT16, FLOAT32, FLOAT64, INT8, INT32, INT64, UINT8
from cygrad.random.mt19937 cimport Engine, draw, draw64

cdef enum Sampler:
    UNIFORM, NORMAL, NORMAL_STRIDED, LOG_NORMAL, CAUCHY, EXPONENTIAL, GEOMETRIC, BERNOULLI, BERNOULLI_TENSOR
    RANDOM, RANDOM_LONG, PERMUTATION, POISSON, BINOMIAL, STANDARD_GAMMA, MULTINOMIAL

cdef enum Status:
    DONE, BAD_PROBABILITY, BAD_RATE, NEGATIVE_ENTRY, INFINITE_ENTRY, ZERO_SUM

cdef enum Kind:             # of drawn values
    FLAGS, INTEGERS, FLOATS, DOUBLES

cdef enum:
    CHUNK = 1024    # elements a round: at most 8 KB of words and 8 KB of values, which stay in the first cache
    HALF = 512

cdef extern from *:
    double PI "3.14159265358979323846"


cdef struct Job:
    Engine* engine
    int sampler
    int dtype
    void* out
    Py_ssize_t n
    double a, b                 # low and high, mean and std, median and sigma, rate, probability
    int64_t base                # of random integers: base + draw % range; range 0 is all of 2**64
    uint64_t range
    const void* source          # of samplers that read a tensor: probabilities, rates, counts, shapes
    const void* source2
    int source_dtype
    Py_ssize_t rows, columns    # of multinomial's probabilities
    void (*store)(Job* job, Py_ssize_t start, const void* values, Py_ssize_t n, int kind) noexcept nogil


cdef inline void store(Job* job, Py_ssize_t start, const drawn* values, Py_ssize_t n) noexcept nogil:
    """out[start:start + n] = values, by a function of its own: inline, an instruction set would have it ten times."""
    if drawn is uint8_t:
        job.store(job, start, values, n, FLAGS)
    elif drawn is int64_t:
        job.store(job, start, values, n, INTEGERS)
    elif drawn is float:
        job.store(job, start, values, n, FLOATS)
    else:
        job.store(job, start, values, n, DOUBLES)


# ---- uniform

cdef inline void unit_doubles(Engine* engine, uint32_t* words, double* out, Py_ssize_t n) noexcept nogil:
    """n uniforms on [0, 1) with 53 bits: 21 of an even word above all 32 of the odd one, both converted as signed."""
    cdef Py_ssize_t i
    draw(engine, words, 2 * n)
    for i in range(n):
        out[i] = (<double> <int32_t> (words[2 * i] & 0x1fffff) * 4294967296.0
                  + (<double> <int32_t> (words[2 * i + 1] ^ 0x80000000u) + 2147483648.0)) * (1.0 / 9007199254740992.0)


cdef inline float unit_float(uint32_t word) noexcept nogil:
    return <float> <int32_t> (word & 0xffffff) * <float> (1.0 / 16777216.0)


cdef inline void uniform_float(Engine* engine, uint32_t* words, float* out, Py_ssize_t n, float low,
                               float high) noexcept nogil:
    """low + u * (high - low), with u of 24 bits."""
    cdef Py_ssize_t i
    cdef float span = high - low
    draw(engine, words, n)
    if low == 0 and span == 1:
        for i in range(n):
            out[i] = unit_float(words[i])
    else:
        for i in range(n):
            out[i] = fmaf(unit_float(words[i]), span, low)


cdef inline void uniform(Job* job) noexcept nogil:
    """A value that was rounded up to `high` becomes `low`."""
    cdef uint32_t words[2 * CHUNK]
    cdef float values[CHUNK]
    cdef double* out64 = <double*> job.out
    cdef float* out32 = <float*> job.out
    cdef uint16_t* out16 = <uint16_t*> job.out
    cdef double low = job.a, high = job.b, span = job.b - job.a
    cdef float lowf = <float> low, highf = <float> high
    cdef uint16_t low16, high16, looked_at
    cdef Py_ssize_t i, start, m
    if job.dtype == FLOAT32:
        for start from 0 <= start < job.n by CHUNK:
            m = min(job.n - start, CHUNK)
            uniform_float(job.engine, words, out32 + start, m, lowf, highf)
            if low != 0 or high != 1:
                for i in range(start, start + m):
                    out32[i] = lowf if out32[i] == highf else out32[i]
        return
    if job.dtype == FLOAT64:
        for start from 0 <= start < job.n by CHUNK:
            m = min(job.n - start, CHUNK)
            unit_doubles(job.engine, words, out64 + start, m)
            if low != 0 or span != 1:
                for i in range(start, start + m):
                    out64[i] = fma(out64[i], span, low)
                    out64[i] = low if out64[i] == high else out64[i]
        return
    high16 = to_half(highf) if job.dtype == FLOAT16 else to_bfloat(highf)
    low16 = to_half(lowf) if job.dtype == FLOAT16 else to_bfloat(lowf)
    looked_at = 0xffff if high16 & 0x7fff else 0x7fff       # zeros of either sign are equal
    for start from 0 <= start < job.n by CHUNK:
        m = min(job.n - start, CHUNK)
        uniform_float(job.engine, words, values, m, lowf, highf)
        store(job, start, &values[0], m)
        for i in range(start, start + m):
            out16[i] = low16 if (out16[i] ^ high16) & looked_at == 0 else out16[i]


# ---- normal

cdef inline float log_float(float x) noexcept nogil:
    """Cephes' logf, with the sums fused; x is positive and not subnormal."""
    cdef uint32_t bits = float_bits(x)
    cdef float e = <float> (<int32_t> (bits >> 23) - 127) + <float> 1
    cdef float m = bits_float((bits & 0x807fffffu) | 0x3f000000u)       # 0.5 <= m < 1
    cdef float y, z
    cdef bint below = m < <float> 0.707106781186547524
    x = (m - <float> 1) + (m if below else <float> 0)
    e = e - (<float> 1 if below else <float> 0)
    z = x * x
    y = fmaf(<float> 7.0376836292E-2, x, <float> -1.1514610310E-1)
    y = fmaf(y, x, <float> 1.1676998740E-1)
    y = fmaf(y, x, <float> -1.2420140846E-1)
    y = fmaf(y, x, <float> 1.4249322787E-1)
    y = fmaf(y, x, <float> -1.6668057665E-1)
    y = fmaf(y, x, <float> 2.0000714765E-1)
    y = fmaf(y, x, <float> -2.4999993993E-1)
    y = fmaf(y, x, <float> 3.3333331174E-1)
    y = y * x
    y = fmaf(y, z, e * <float> -2.12194440e-4)
    y = fmaf(z, <float> -0.5, y)
    return fmaf(e, <float> 0.693359375, x + y)


cdef inline void normal_pairs(float* a, float* b, Py_ssize_t n, float mean, float std) noexcept nogil:
    """Box-Muller in place on uniforms a in (0, 1] and b in [0, 1), with Cephes' sinf and cosf, the sums fused."""
    cdef Py_ssize_t i
    cdef float radius, theta, x, y, z, sine, cosine, s, c
    cdef int32_t octant
    for i in range(n):
        radius = sqrtf(<float> -2 * log_float(a[i]))
        theta = <float> (2 * PI) * b[i]
        octant = (<int32_t> (theta * <float> 1.27323954473516) + 1) & ~1
        y = <float> octant
        x = fmaf(y, <float> -0.78515625, theta)
        x = fmaf(y, <float> -2.4187564849853515625e-4, x)
        x = fmaf(y, <float> -3.77489497744594108e-8, x)
        z = x * x
        c = fmaf(<float> 2.443315711809948E-005, z, <float> -1.388731625493765E-003)
        c = fmaf(c, z, <float> 4.166664568298827E-002)
        c = c * z
        c = fmaf(c, z, z * <float> -0.5) + <float> 1
        s = fmaf(<float> -1.9515295891E-4, z, <float> 8.3321608736E-3)
        s = fmaf(s, z, <float> -1.6666654611E-1)
        s = s * z
        s = fmaf(s, x, x)
        sine = c if octant & 2 else s
        cosine = s if octant & 2 else c
        sine = bits_float(float_bits(sine) ^ (<uint32_t> (octant & 4) << 29))
        cosine = bits_float(float_bits(cosine) ^ (<uint32_t> (~(octant - 2) & 4) << 29))
        a[i] = fmaf(radius * cosine, std, mean)
        b[i] = fmaf(radius * sine, std, mean)


cdef inline void normal_blocks_float(Job* job, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
    """Elements start to start + n, n a multiple of 16: eight cosines, then the eight sines that belong to them."""
    cdef uint32_t words[CHUNK]
    cdef float a[HALF]
    cdef float b[HALF]
    cdef float values[CHUNK]
    cdef float* out
    cdef Py_ssize_t i, j, at, m
    for at from start <= at < start + n by CHUNK:
        m = min(start + n - at, CHUNK)
        draw(job.engine, words, m)
        for i in range(m // 16):
            for j in range(8):
                a[8 * i + j] = <float> 1 - unit_float(words[16 * i + j])
            for j in range(8):
                b[8 * i + j] = unit_float(words[16 * i + 8 + j])
        normal_pairs(a, b, m // 2, <float> job.a, <float> job.b)
        out = <float*> job.out + at if job.dtype == FLOAT32 else values
        for i in range(m // 16):
            for j in range(8):
                out[16 * i + j] = a[8 * i + j]
            for j in range(8):
                out[16 * i + 8 + j] = b[8 * i + j]
        if job.dtype != FLOAT32:
            store(job, at, &values[0], m)


cdef inline void normal_blocks_double(Job* job, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
    cdef uint32_t words[2 * CHUNK]
    cdef double* out
    cdef double radius, theta
    cdef Py_ssize_t i, j, at, m
    for at from start <= at < start + n by CHUNK:
        m = min(start + n - at, CHUNK)
        out = <double*> job.out + at
        unit_doubles(job.engine, words, out, m)
        for i in range(0, m, 16):
            for j in range(i, i + 8):
                radius = sqrt(-2 * log(1 - out[j]))
                theta = 2 * PI * out[j + 8]
                out[j] = fma(radius * cos(theta), job.b, job.a)
                out[j + 8] = fma(radius * sin(theta), job.b, job.a)


cdef inline void normal_doubles(Engine* engine, double* out, Py_ssize_t n, double mean, double std) noexcept nogil:
    """One after the other, at most CHUNK: a cosine first, its sine kept for the next value, in this call or later."""
    cdef uint32_t words[2 * CHUNK + 4]
    cdef double uniforms[CHUNK + 2]
    cdef double radius, theta
    cdef Py_ssize_t i = 0, pair = 0
    if n > 0 and engine.has_next_double:
        engine.has_next_double = False
        out[0] = fma(engine.next_double, std, mean)
        i = 1
    unit_doubles(engine, words, uniforms, (n - i + 1) // 2 * 2)
    while i < n:
        radius = sqrt(-2.0 * log1p(-uniforms[pair + 1]))
        theta = 2 * PI * uniforms[pair]
        out[i] = fma(radius * cos(theta), std, mean)
        if i + 1 < n:
            out[i + 1] = fma(radius * sin(theta), std, mean)
        else:
            engine.has_next_double = True
            engine.next_double = radius * sin(theta)
        i += 2
        pair += 2


cdef inline void normal(Job* job) noexcept nogil:
    """Blocks from 16 elements on. If the last block is incomplete, the last 16 elements are drawn anew; before that its
    uniforms are passed over (float32, float64) or are not (16-bit floats)."""
    cdef Py_ssize_t start = 0, n = job.n - job.n % 16, tail = job.n % 16
    while True:
        if job.dtype == FLOAT64:
            normal_blocks_double(job, start, n)
        else:
            normal_blocks_float(job, start, n)
        if tail == 0:
            return
        if job.dtype >= FLOAT32:
            draw(job.engine, NULL, 2 * tail if job.dtype == FLOAT64 else tail)
        start, n, tail = job.n - 16, 16, 0


# ---- other distributions of one uniform or normal double an element

cdef inline void transformed(Job* job) noexcept nogil:
    cdef uint32_t words[2 * CHUNK]
    cdef double values[CHUNK]
    cdef Py_ssize_t i, start, m
    cdef double scale
    for start from 0 <= start < job.n by CHUNK:
        m = min(job.n - start, CHUNK)
        if job.sampler == NORMAL or job.sampler == NORMAL_STRIDED:
            normal_doubles(job.engine, values, m, job.a, job.b)
        elif job.sampler == LOG_NORMAL:
            normal_doubles(job.engine, values, m, job.a, job.b)
            for i in range(m):
                values[i] = exp(values[i])
        else:
            unit_doubles(job.engine, words, values, m)
            if job.sampler == EXPONENTIAL:
                scale = -1.0 / job.a
                for i in range(m):
                    values[i] = scale * log1p(-values[i])
            elif job.sampler == GEOMETRIC:
                scale = log1p(-job.a)
                for i in range(m):
                    values[i] = ceil(log(values[i]) / scale)
            else:   # CAUCHY
                for i in range(m):
                    values[i] = fma(job.b, tan(PI * (values[i] - 0.5)), job.a)
        store(job, start, &values[0], m)


cdef inline void bernoulli(Job* job) noexcept nogil:
    cdef uint32_t words[2 * CHUNK]
    cdef double values[CHUNK]
    cdef uint8_t flags[CHUNK]
    cdef Py_ssize_t i, start, m
    for start from 0 <= start < job.n by CHUNK:
        m = min(job.n - start, CHUNK)
        unit_doubles(job.engine, words, values, m)
        for i in range(m):
            flags[i] = values[i] < job.a
        store(job, start, &flags[0], m)


cdef inline int bernoulli_tensor(Job* job) noexcept nogil:
    """Double probabilities meet 53-bit uniforms, all others 24-bit ones. A bad one stops the drawing there."""
    cdef uint32_t words[2 * CHUNK]
    cdef double values[CHUNK]
    cdef double p[CHUNK]
    cdef uint8_t flags[CHUNK]
    cdef Py_ssize_t i, start, m, good
    for start from 0 <= start < job.n by CHUNK:
        m = min(job.n - start, CHUNK)
        good = m
        for i in range(m):
            p[i] = load(job.source, job.source_dtype, start + i)
        for i in range(m - 1, -1, -1):
            good = good if 0 <= p[i] <= 1 else i
        if job.source_dtype == FLOAT64:
            unit_doubles(job.engine, words, values, good)
        else:
            draw(job.engine, words, good)
            for i in range(good):
                values[i] = unit_float(words[i])
        for i in range(good):
            flags[i] = values[i] < p[i]
        store(job, start, &flags[0], good)
        if good < m:
            return BAD_PROBABILITY
    return DONE


# ---- integers

cdef inline void random(Job* job) noexcept nogil:
    """base + draw % range, a word a draw: x % range by a multiplication (Granlund, Montgomery 1994, figure 4.1)."""
    cdef uint32_t words[CHUNK]
    cdef int64_t values[CHUNK]
    cdef uint32_t d = <uint32_t> job.range, t, q, x
    cdef uint64_t bits = 0
    cdef uint32_t shift1, shift2, factor
    cdef Py_ssize_t i, start, count
    while (<uint64_t> 1 << bits) < d:
        bits += 1
    factor = <uint32_t> ((((<uint64_t> 1 << bits) - d) << 32) / d + 1)
    shift1 = 1 if bits > 0 else 0
    shift2 = <uint32_t> bits - shift1
    for start from 0 <= start < job.n by CHUNK:
        count = min(job.n - start, CHUNK)
        draw(job.engine, words, count)
        for i in range(count):
            x = words[i]
            t = <uint32_t> ((<uint64_t> factor * x) >> 32)
            q = (t + ((x - t) >> shift1)) >> shift2
            words[i] = x - q * d
        for i in range(count):
            values[i] = <int64_t> (<uint64_t> words[i] + <uint64_t> job.base)
        store(job, start, &values[0], count)


cdef inline void random_long(Job* job) noexcept nogil:
    """base + draw % range, two words a draw."""
    cdef uint32_t words[2 * CHUNK]
    cdef int64_t values[CHUNK]
    cdef uint64_t x
    cdef Py_ssize_t i, start, count
    for start from 0 <= start < job.n by CHUNK:
        count = min(job.n - start, CHUNK)
        draw(job.engine, words, 2 * count)
        for i in range(count):
            x = (<uint64_t> words[2 * i] << 32) | words[2 * i + 1]
            if job.range != 0:
                x %= job.range
            values[i] = <int64_t> (x + <uint64_t> job.base)
        store(job, start, &values[0], count)


cdef inline void shuffle(Engine* engine, element* out, Py_ssize_t n) noexcept nogil:
    """Fisher-Yates from the front, on out = 0, 1, ..."""
    cdef uint32_t words[CHUNK]
    cdef Py_ssize_t i, start, m, other
    cdef element kept
    for start from 0 <= start < n - 1 by CHUNK:
        m = min(n - 1 - start, CHUNK)
        draw(engine, words, m)
        for i in range(start, start + m):
            other = i + words[i - start] % <uint32_t> (n - i)
            kept = out[i]
            out[i] = out[other]
            out[other] = kept


cdef inline void permutation(Job* job) noexcept nogil:
    """From 2**32 / 20 elements on, 32 bits would be too few: there PyTorch builds the permutation from 64-bit draws."""
    cdef int64_t values[CHUNK]
    cdef int64_t* out64 = <int64_t*> job.out
    cdef int32_t* out32 = <int32_t*> job.out
    cdef double* reals = <double*> job.out
    cdef Py_ssize_t i, start, m, other
    if job.n >= 214748364:
        for i in range(job.n):
            other = <Py_ssize_t> (draw64(job.engine) % <uint64_t> (i + 1))
            if job.dtype == INT64:
                out64[i] = out64[other]
                out64[other] = i
            elif job.dtype == FLOAT64:
                reals[i] = reals[other]
                reals[other] = <double> i
            else:
                out32[i] = out32[other]
                out32[other] = <int32_t> i
        return
    for start from 0 <= start < job.n by CHUNK:
        m = min(job.n - start, CHUNK)
        for i in range(m):
            values[i] = start + i
        store(job, start, &values[0], m)
    if job.dtype == INT64 or job.dtype == FLOAT64:
        shuffle(job.engine, out64, job.n)
    elif job.dtype == INT32 or job.dtype == FLOAT32:
        shuffle(job.engine, out32, job.n)
    elif job.dtype == UINT8 or job.dtype == INT8:
        shuffle(job.engine, <uint8_t*> job.out, job.n)
    else:
        shuffle(job.engine, <int16_t*> job.out, job.n)


# ---- all of them

cdef inline bint runs_wide(Job* job) noexcept nogil:
    """Whether its loops gain from vectors of 64 bytes: others wait for functions of one number."""
    cdef int sampler = job.sampler
    return (sampler == UNIFORM or sampler == NORMAL and job.n >= 16 or sampler == BERNOULLI
            or sampler == BERNOULLI_TENSOR or sampler == RANDOM)


cdef inline int run_wide(Job* job) noexcept nogil:
    cdef int sampler = job.sampler
    if sampler == UNIFORM:
        uniform(job)
    elif sampler == NORMAL:
        normal(job)
    elif sampler == BERNOULLI:
        bernoulli(job)
    elif sampler == RANDOM:
        random(job)
    else:
        return bernoulli_tensor(job)
    return DONE


cdef inline int run(Job* job) noexcept nogil:
    if runs_wide(job):
        return run_wide(job)
    if job.sampler == RANDOM_LONG:
        random_long(job)
    elif job.sampler == PERMUTATION:
        permutation(job)
    else:
        transformed(job)
    return DONE
