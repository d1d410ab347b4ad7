"""Branch-free formulas of exp and log that compilers vectorise, for the modules of kernels/.

Three grades: `single_*` compute float32 in float32; `quick_*` compute about 30 bits in double, for float32 results
that must be right after cancellations; `full_*` compute float64. Polynomials are minimax fits (Remez) to the
functions named beside them. Nothing here branches: conditions are selections between computed values.
NaN passes through; special values are right unless a docstring narrows the domain.
"""
from libc.math cimport INFINITY, NAN, fabs, rint, sqrt

cdef extern from *:
    """
    #ifndef CYGRAD_ELEMENTARY
    #define CYGRAD_ELEMENTARY
    /* A formula that is not inlined is not vectorised: the compiler's own judgement of size is not wanted here. */
    #if defined(__GNUC__) && !defined(CYGRAD_DEBUG)
    #undef CYTHON_INLINE
    #define CYTHON_INLINE inline __attribute__((always_inline, unused))
    #endif

    #if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    #define CYGRAD_HAS_FMA 1
    #else
    #define CYGRAD_HAS_FMA 0
    #endif

    #include <stdint.h>
    #include <string.h>
    static inline double cygrad_double_from(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
    static inline uint64_t cygrad_bits_of(double x) { uint64_t bits; memcpy(&bits, &x, 8); return bits; }
    static inline float cygrad_float_from(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
    static inline uint32_t cygrad_bits_of_float(float x) { uint32_t bits; memcpy(&bits, &x, 4); return bits; }
    #endif
    """
    enum:
        HAS_FMA "CYGRAD_HAS_FMA"        # fma() is an instruction
    double double_from "cygrad_double_from" (unsigned long long bits) noexcept nogil
    unsigned long long bits_of "cygrad_bits_of" (double x) noexcept nogil
    float float_from "cygrad_float_from" (unsigned int bits) noexcept nogil
    unsigned int bits_of_float "cygrad_bits_of_float" (float x) noexcept nogil

cdef extern from "<math.h>" nogil:
    double fma(double, double, double)
    float copysignf(float, float)
    float fabsf(float)
    float rintf(float)
    float sqrtf(float)

cdef struct Parts:          # a value and what its rounding has lost
    double high
    double low


cdef inline double with_sign(double magnitude, double sign) noexcept nogil:
    return double_from((bits_of(magnitude) & <unsigned long long>0x7FFFFFFFFFFFFFFF)
                       | (bits_of(sign) & <unsigned long long>0x8000000000000000))


# ---- 2^k for integers k. Adding 1.5 * 2^52 (or 2^23) rounds to an integer and leaves it in the low bits: a "tail".

cdef inline double power_of_two(double k) noexcept nogil:
    """2^k for an integer -1022 <= k <= 1023."""
    return double_from((bits_of(k + 6755399441055744.0) << 52) + (<unsigned long long>1023 << 52))


cdef inline double scaled(double y, double tail) noexcept nogil:
    """y * 2^k rounded once, for -1500 < k < 1500, tail = k + 1.5 * 2^52: 2^(k +- 512), then the rest."""
    cdef bint below = tail < 6755399441055744.0
    cdef double power = double_from((bits_of(tail) << 52) + (
        <unsigned long long>(1023 + 512) << 52 if below else <unsigned long long>(1023 - 512) << 52))
    return y * power * (7.458340731200207e-155 if below else 1.3407807929942597e154)


cdef inline double scaled_down(double y, double tail) noexcept nogil:
    """`scaled` for k <= 0."""
    return y * double_from((bits_of(tail) << 52) + (<unsigned long long>(1023 + 512) << 52)) * 7.458340731200207e-155


cdef inline float power_of_two_float(float k) noexcept nogil:
    return float_from((bits_of_float(k + <float>12582912.0) << 23) + (<unsigned int>127 << 23))


cdef inline float scaled_float(float y, float tail) noexcept nogil:
    cdef bint below = tail < <float>12582912.0
    cdef float power = float_from((bits_of_float(tail) << 23) + (
        <unsigned int>(127 + 64) << 23 if below else <unsigned int>(127 - 64) << 23))
    return y * power * (<float>5.421010862427522e-20 if below else <float>1.8446744073709552e19)


cdef inline float scaled_down_float(float y, float tail) noexcept nogil:
    return y * float_from((bits_of_float(tail) << 23) + (<unsigned int>(127 + 64) << 23)) * <float>5.421010862427522e-20


# ---- (e^r - 1 - r) / r^2 for |r| <= log(2) / 2

cdef inline float single_exp_series(float r) noexcept nogil:
    cdef float p = <float>0.00139465303
    p = p * r + <float>0.00836663147
    p = p * r + <float>0.0416662811
    p = p * r + <float>0.166665427
    return p * r + <float>0.500000006


cdef inline double quick_exp_series(double r) noexcept nogil:
    cdef double p = 0.00019914258350783086152
    p = p * r + 0.0013941064657267099505
    p = p * r + 0.0083332729098554802381
    p = p * r + 0.041666354163511987578
    p = p * r + 0.16666666817585667878
    return p * r + 0.50000000464357177006


cdef inline double full_exp_series(double r) noexcept nogil:
    cdef double p = 2.0924502979856323623e-9
    p = p * r + 2.5109125553265329642e-8
    p = p * r + 2.7557242574906180915e-7
    p = p * r + 2.7557243978998941526e-6
    p = p * r + 0.000024801587360758928447
    p = p * r + 0.00019841269886328251986
    p = p * r + 0.0013888888888866745575
    p = p * r + 0.008333333333321563381
    p = p * r + 0.041666666666666701512
    p = p * r + 0.16666666666666676642
    return p * r + 0.5


# ---- exp and expm1: x = k log(2) + r, and e^x - 1 = 2^k (e^r - 1 + 1 - 2^-k)
# r is kept as high - low, so that its rounding does not show.

cdef inline float single_exp_of_reduced(float x, float k) noexcept nogil:
    cdef float r = (x - k * <float>0.693359375) - k * <float>-2.12194440e-4
    return (single_exp_series(r) * r + <float>1) * r + <float>1


cdef inline double full_exp_of_parts(double high, double low) noexcept nogil:
    cdef double r = high - low
    return 1 - ((low - r * r * full_exp_series(r)) - high)


cdef inline float single_exp(float x) noexcept nogil:
    cdef float tail, k
    x = <float>-105 if x < -105 else x
    tail = x * <float>1.44269504 + <float>12582912.0
    tail = <float>12583042.0 if tail > <float>12583042.0 else tail          # k <= 130
    k = tail - <float>12582912.0
    return scaled_float(single_exp_of_reduced(x, k), tail)


cdef inline float single_exp_of_negative(float x) noexcept nogil:
    """e^x for x <= 0."""
    cdef float tail, k
    x = <float>-105 if x < -105 else x
    tail = x * <float>1.44269504 + <float>12582912.0
    k = tail - <float>12582912.0
    return scaled_down_float(single_exp_of_reduced(x, k), tail)


cdef inline float single_expm1(float x) noexcept nogil:
    cdef float tail, k, r, high, low
    x = <float>-20 if x < -20 else x
    tail = x * <float>1.44269504 + <float>12582912.0
    tail = <float>12583042.0 if tail > <float>12583042.0 else tail          # k <= 130
    k = tail - <float>12582912.0
    high = x - k * <float>0.693359375
    low = k * <float>-2.12194440e-4
    r = high - low
    r = scaled_float((high - (low - r * r * single_exp_series(r)))
                     + (<float>1 - power_of_two_float(-k if k < 100 else <float>-100)), tail)
    return x if fabsf(x) < <float>1e-9 else r


cdef inline double quick_expm1(double x) noexcept nogil:
    """For -700 < x < 700."""
    cdef double k = rint(x * 1.4426950408889634)
    cdef double scale = power_of_two(k)
    cdef double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10
    return scale * (r + r * r * quick_exp_series(r)) + (scale - 1)


cdef inline double quick_exp(double x) noexcept nogil:
    """For -700 < x < 700."""
    cdef double k = rint(x * 1.4426950408889634)
    cdef double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10
    return power_of_two(k) * ((quick_exp_series(r) * r + 1) * r + 1)


cdef inline double full_exp_scaled(double x, double shift) noexcept nogil:
    """e^x * 2^shift, for an integer shift near 0."""
    cdef double tail, k
    x = -750 if x < -750 else x
    tail = x * 1.4426950408889634 + 6755399441055744.0
    tail = 6755399441056770.0 if tail > 6755399441056770.0 else tail         # k <= 1026
    k = tail - 6755399441055744.0
    return scaled(full_exp_of_parts(x - k * 6.93147180369123816490e-01, k * 1.90821492927058770002e-10), tail + shift)


cdef inline double full_exp(double x) noexcept nogil:
    return full_exp_scaled(x, 0)


cdef inline double full_exp_of_negative(double x) noexcept nogil:
    """e^x for x <= 0."""
    cdef double tail, k
    x = -750 if x < -750 else x
    tail = x * 1.4426950408889634 + 6755399441055744.0
    k = tail - 6755399441055744.0
    return scaled_down(full_exp_of_parts(x - k * 6.93147180369123816490e-01, k * 1.90821492927058770002e-10), tail)


cdef inline double full_expm1(double x) noexcept nogil:
    cdef double tail, k, r, high, low
    x = -40 if x < -40 else x
    tail = x * 1.4426950408889634 + 6755399441055744.0
    tail = 6755399441056770.0 if tail > 6755399441056770.0 else tail         # k <= 1026
    k = tail - 6755399441055744.0
    high = x - k * 6.93147180369123816490e-01
    low = k * 1.90821492927058770002e-10
    r = high - low
    r = scaled((high - (low - r * r * full_exp_series(r))) + (1 - power_of_two(-k if k < 500 else -500.0)), tail)
    return x if fabs(x) < 1e-17 else r


# ---- log: x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2)

cdef inline float single_log(float x) noexcept nogil:
    cdef float scale = <float>8388608 if x < <float>1.17549435e-38 else <float>1
    cdef int bits = <int>bits_of_float(x * scale) - 0x3F3504F3
    cdef float e = <float>(bits >> 23) - (<float>23 if scale > 1 else <float>0)
    cdef float f = float_from(<unsigned int>((bits & 0x007FFFFF) + 0x3F3504F3)) - <float>1
    cdef float p = <float>-0.0786052167, y
    p = p * f + <float>0.128855895
    p = p * f + <float>-0.131300986
    p = p * f + <float>0.141807263
    p = p * f + <float>-0.166243911
    p = p * f + <float>0.200023021
    p = p * f + <float>-0.250008146
    p = p * f + <float>0.333333166
    y = f * f * (f * p - <float>0.5) + e * <float>-2.12194440e-4
    y = (f + y) + e * <float>0.693359375
    y = x if x == <float>INFINITY else y
    y = <float>-INFINITY if x == 0 else y
    return y if x >= 0 else <float>NAN


cdef inline double exponent_of(double x) noexcept nogil:
    """e for a normal x > 0."""
    cdef unsigned long long bits = (bits_of(x) - <unsigned long long>0x3FE6A09E667F3BCD
                                    + (<unsigned long long>1023 << 52))
    return double_from((bits >> 52) | <unsigned long long>0x4330000000000000) - 4503599627371519.0


cdef inline double fraction_of(double x) noexcept nogil:
    """1 + f for a normal x > 0."""
    cdef unsigned long long bits = bits_of(x) - <unsigned long long>0x3FE6A09E667F3BCD
    return double_from((bits & <unsigned long long>0x000FFFFFFFFFFFFF) + <unsigned long long>0x3FE6A09E667F3BCD)


cdef inline double quick_log_of_fraction(double f) noexcept nogil:
    """log(1 + f) for sqrt(1/2) <= 1 + f <= sqrt(2), without a division."""
    cdef double p = 0.069164033000913781639
    p = p * f - 0.11793247838338021431
    p = p * f + 0.11874210536087500902
    p = p * f - 0.12383903500497078576
    p = p * f + 0.14218473450601440199
    p = p * f - 0.16669267914458037701
    p = p * f + 0.20002233612456878482
    p = p * f - 0.2499998638879201525
    p = p * f + 0.33333310393753027432
    return f + f * f * (f * p - 0.5)


cdef inline double quick_log(double x) noexcept nogil:
    """For normal x > 0."""
    return quick_log_of_fraction(fraction_of(x) - 1) + exponent_of(x) * 0.6931471805599453


cdef inline double quick_log1p(double x) noexcept nogil:
    """For x > -1, 1 + x finite."""
    cdef double u = 1 + x
    cdef double e = exponent_of(u)
    cdef double f = x if e == 0 else fraction_of(u) - 1
    return quick_log_of_fraction(f) + e * 0.6931471805599453


cdef inline double full_log_series(double f) noexcept nogil:
    """log(1 + f) - (f - f^2 / 2), by s = f / (2 + f): log(1 + f) = 2 atanh(s)."""
    cdef double s = f / (2 + f)
    cdef double z = s * s, p = 0.14795065978928628618
    p = p * z + 0.1531418473617678143
    p = p * z + 0.18183556961209241852
    p = p * z + 0.22222198765004301964
    p = p * z + 0.28571428739885338299
    p = p * z + 0.39999999999429935247
    p = p * z + 0.66666666666667311355
    return s * (0.5 * f * f + z * p)


cdef inline double log_specials(double y, double x) noexcept nogil:
    """y = log(x), with what zeros, negatives, infinity and NaN give."""
    y = x if x == INFINITY else y
    y = -INFINITY if x == 0 else y
    return y if x >= 0 else NAN


cdef inline double full_log(double x) noexcept nogil:
    cdef bint tiny = x < 2.2250738585072014e-308
    cdef double normal = x * 4503599627370496.0 if tiny else x
    cdef double e = exponent_of(normal) - (52.0 if tiny else 0.0)
    cdef double f = fraction_of(normal) - 1
    cdef double y = e * 6.93147180369123816490e-01 - (
        (0.5 * f * f - (full_log_series(f) + e * 1.90821492927058770002e-10)) - f)
    return log_specials(y, x)


cdef inline double full_log1p(double x) noexcept nogil:
    """For x > -1; what 1 + x rounds away comes back as a first-order term."""
    cdef double u = 1 + x
    cdef double e = exponent_of(u)
    cdef double lost = (x - (u - 1) if x < 1 else 1 - (u - x)) / u
    cdef double f = x if e == 0 else fraction_of(u) - 1
    cdef double correction = 0.0 if e == 0 else lost
    return e * 6.93147180369123816490e-01 - (
        (0.5 * f * f - (full_log_series(f) + (e * 1.90821492927058770002e-10 + correction))) - f)
