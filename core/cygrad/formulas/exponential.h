/* exp, log, hyperbolic functions and sigmoid of f32 and f64, as text for every compiler: the CPU backend's loops
   include it, devices are given it by cygrad_gpu. No formula branches, conditions are selections between computed
   values: so loops vectorise, where a call of a library is one call for each element. At most 2 ULP off.

   A dialect (cygrad_cpu/simd/host.h; cygrad_gpu's templates) says what FUNCTION, f64, BITS64, SQRT_f64 and their kind
   are. Grades: single_ computes f32 in f32, quick_ about 30 bits in f64, for f32 results that must be right after
   cancellations, full_ computes f64. Polynomials are minimax fits (Remez) to the functions named beside them. NaN comes
   through; special values are right unless a comment narrows the domain. */
FUNCTION f64 with_sign(f64 magnitude, f64 sign) {
    return FROM_BITS64((BITS64(magnitude) & (u64)0x7ffffffffffffffful) | (BITS64(sign) & (u64)0x8000000000000000ul));
}

/* 2^k for an integer -1022 <= k <= 1023. */
FUNCTION f64 power_of_two(f64 k) {
    return FROM_BITS64((BITS64(k + 6755399441055744.0) << 52) + ((u64)1023 << 52));
}

/* y * 2^k rounded once, for -1500 < k < 1500, tail = k + 1.5 * 2^52: 2^(k +- 512), then the rest. */
FUNCTION f64 scaled(f64 y, f64 tail) {
    int below = tail < 6755399441055744.0;
    f64 power = FROM_BITS64((BITS64(tail) << 52) + (below ? (u64)(1023 + 512) << 52 : (u64)(1023 - 512) << 52));
    return y * power * (below ? 7.458340731200207e-155 : 1.3407807929942597e+154);
}

/* `scaled` for k <= 0. */
FUNCTION f64 scaled_down(f64 y, f64 tail) {
    return y * FROM_BITS64((BITS64(tail) << 52) + ((u64)(1023 + 512) << 52)) * 7.458340731200207e-155;
}
FUNCTION f32 power_of_two_float(f32 k) {
    return FROM_BITS32((BITS32(k + 12582912.0f) << 23) + ((u32)127 << 23));
}
FUNCTION f32 scaled_float(f32 y, f32 tail) {
    int below = tail < 12582912.0f;
    f32 power = FROM_BITS32((BITS32(tail) << 23) + (below ? (u32)(127 + 64) << 23 : (u32)(127 - 64) << 23));
    return y * power * (below ? 5.421010862427522e-20f : 1.8446744073709552e+19f);
}
FUNCTION f32 scaled_down_float(f32 y, f32 tail) {
    return y * FROM_BITS32((BITS32(tail) << 23) + ((u32)(127 + 64) << 23)) * 5.421010862427522e-20f;
}

/* (e^r - 1 - r) / r^2 for |r| <= log(2) / 2. */
FUNCTION f32 single_exp_series(f32 r) {
    f32 p = 0.00139465303f;
    p = p * r + 0.00836663147f;
    p = p * r + 0.0416662811f;
    p = p * r + 0.166665427f;
    return p * r + 0.500000006f;
}
FUNCTION f64 quick_exp_series(f64 r) {
    f64 p = 0.00019914258350783087;
    p = p * r + 0.00139410646572671;
    p = p * r + 0.00833327290985548;
    p = p * r + 0.041666354163511984;
    p = p * r + 0.16666666817585668;
    return p * r + 0.5000000046435717;
}
FUNCTION f64 full_exp_series(f64 r) {
    f64 p = 2.0924502979856322e-09;
    p = p * r + 2.5109125553265328e-08;
    p = p * r + 2.755724257490618e-07;
    p = p * r + 2.755724397899894e-06;
    p = p * r + 2.480158736075893e-05;
    p = p * r + 0.0001984126988632825;
    p = p * r + 0.0013888888888866746;
    p = p * r + 0.008333333333321563;
    p = p * r + 0.0416666666666667;
    p = p * r + 0.16666666666666677;
    return p * r + 0.5;
}

/* x = k log(2) + r, where r is kept as high - low, so that its rounding does not show. */
FUNCTION f32 single_exp_of_reduced(f32 x, f32 k) {
    f32 r = x - k * 0.693359375f - k * (f32)-0.00021219444;
    return (single_exp_series(r) * r + 1.0f) * r + 1.0f;
}
FUNCTION f64 full_exp_of_parts(f64 high, f64 low) {
    f64 r = high - low;
    return 1 - (low - r * r * full_exp_series(r) - high);
}

/* k stays below 131, in float64 below 1027. */
FUNCTION f32 exp_f32(f32 x) {
    f32 tail, k;
    x = x < -105 ? (f32)-105 : x;
    tail = x * 1.44269504f + 12582912.0f;
    tail = tail > 12583042.0f ? 12583042.0f : tail;
    k = tail - 12582912.0f;
    return scaled_float(single_exp_of_reduced(x, k), tail);
}

/* e^x for x <= 0. */
FUNCTION f32 single_exp_of_negative(f32 x) {
    f32 tail, k;
    x = x < -105 ? (f32)-105 : x;
    tail = x * 1.44269504f + 12582912.0f;
    k = tail - 12582912.0f;
    return scaled_down_float(single_exp_of_reduced(x, k), tail);
}

/* For -700 < x < 700. */
FUNCTION f64 quick_exp(f64 x) {
    f64 k = RINT_f64(x * 1.4426950408889634);
    f64 r = x - k * 0.6931471803691238 - k * 1.9082149292705877e-10;
    return power_of_two(k) * ((quick_exp_series(r) * r + 1) * r + 1);
}

/* e^x * 2^shift, for an integer shift near 0. */
FUNCTION f64 full_exp_scaled(f64 x, f64 shift) {
    f64 tail, k;
    x = x < -750 ? -750 : x;
    tail = x * 1.4426950408889634 + 6755399441055744.0;
    tail = tail > 6755399441056770.0 ? 6755399441056770.0 : tail;
    k = tail - 6755399441055744.0;
    return scaled(full_exp_of_parts(x - k * 0.6931471803691238, k * 1.9082149292705877e-10), tail + shift);
}

FUNCTION f64 exp_f64(f64 x) {
    return full_exp_scaled(x, 0);
}

/* e^x for x <= 0. */
FUNCTION f64 full_exp_of_negative(f64 x) {
    f64 tail, k;
    x = x < -750 ? -750 : x;
    tail = x * 1.4426950408889634 + 6755399441055744.0;
    k = tail - 6755399441055744.0;
    return scaled_down(full_exp_of_parts(x - k * 0.6931471803691238, k * 1.9082149292705877e-10), tail);
}

/* e^x - 1 = 2^k (e^r - 1 + 1 - 2^-k). */
FUNCTION f32 expm1_f32(f32 x) {
    f32 tail, k, r, high, low;
    x = x < -20 ? (f32)-20 : x;
    tail = x * 1.44269504f + 12582912.0f;
    tail = tail > 12583042.0f ? 12583042.0f : tail;
    k = tail - 12582912.0f;
    high = x - k * 0.693359375f;
    low = k * (f32)-0.00021219444;
    r = high - low;
    r = scaled_float(high - (low - r * r * single_exp_series(r)) + (1.0f - power_of_two_float(k < 100 ? -k :
            (f32)-100)), tail);
    return FABS_f32(x) < 1e-09f ? x : r;
}

/* For -700 < x < 700. */
FUNCTION f64 quick_expm1(f64 x) {
    f64 k = RINT_f64(x * 1.4426950408889634);
    f64 scale = power_of_two(k);
    f64 r = x - k * 0.6931471803691238 - k * 1.9082149292705877e-10;
    return scale * (r + r * r * quick_exp_series(r)) + (scale - 1);
}

FUNCTION f64 expm1_f64(f64 x) {
    f64 tail, k, r, high, low;
    x = x < -40 ? -40 : x;
    tail = x * 1.4426950408889634 + 6755399441055744.0;
    tail = tail > 6755399441056770.0 ? 6755399441056770.0 : tail;
    k = tail - 6755399441055744.0;
    high = x - k * 0.6931471803691238;
    low = k * 1.9082149292705877e-10;
    r = high - low;
    r = scaled(high - (low - r * r * full_exp_series(r)) + (1 - power_of_two(k < 500 ? -k : -500.0)), tail);
    return FABS_f64(x) < 1e-17 ? x : r;
}

FUNCTION f32 exp2_f32(f32 x) {
    f32 tail, r;
    x = x < -152 ? (f32)-152 : x;
    tail = x + 12582912.0f;
    tail = tail > 12583042.0f ? 12583042.0f : tail;
    r = (x - (tail - 12582912.0f)) * 0.693147181f;
    return scaled_float((single_exp_series(r) * r + 1.0f) * r + 1.0f, tail);
}

FUNCTION f64 exp2_f64(f64 x) {
    f64 tail, r;
    x = x < -1080 ? -1080 : x;
    tail = x + 6755399441055744.0;
    tail = tail > 6755399441056770.0 ? 6755399441056770.0 : tail;
    r = (x - (tail - 6755399441055744.0)) * 0.6931471805599453;
    return scaled((full_exp_series(r) * r + 1) * r + 1, tail);
}

/* e for a normal x > 0. */
FUNCTION f64 exponent_of(f64 x) {
    u64 bits = BITS64(x) - (u64)0x3fe6a09e667f3bcdul + ((u64)1023 << 52);
    return FROM_BITS64(bits >> 52 | (u64)0x4330000000000000ul) - 4503599627371519.0;
}

/* 1 + f for a normal x > 0. */
FUNCTION f64 fraction_of(f64 x) {
    u64 bits = BITS64(x) - (u64)0x3fe6a09e667f3bcdul;
    return FROM_BITS64((bits & (u64)0xffffffffffffful) + (u64)0x3fe6a09e667f3bcdul);
}

/* y = log(x), with what zeros, negatives, infinity and NaN give. */
FUNCTION f64 log_specials(f64 y, f64 x) {
    y = x == INFINITY ? x : y;
    y = x == 0 ? -INFINITY : y;
    return x >= 0 ? y : NAN;
}

/* x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). */
FUNCTION f32 log_f32(f32 x) {
    f32 scale = x < 1.17549435e-38f ? 8388608.0f : 1.0f;
    int bits = (int)BITS32(x * scale) - 1060439283;
    f32 e = (f32)(bits >> 23) - (scale > 1 ? 23.0f : 0.0f);
    f32 f = FROM_BITS32((u32)((bits & 8388607) + 1060439283)) - 1.0f;
    f32 p = (f32)-0.0786052167, y;
    p = p * f + 0.128855895f;
    p = p * f + (f32)-0.131300986;
    p = p * f + 0.141807263f;
    p = p * f + (f32)-0.166243911;
    p = p * f + 0.200023021f;
    p = p * f + (f32)-0.250008146;
    p = p * f + 0.333333166f;
    y = f * f * (f * p - 0.5f) + e * (f32)-0.00021219444;
    y = f + y + e * 0.693359375f;
    y = x == (f32)INFINITY ? x : y;
    y = x == 0 ? (f32)-INFINITY : y;
    return x >= 0 ? y : (f32)NAN;
}

/* log(1 + f) for sqrt(1/2) <= 1 + f <= sqrt(2), without a division. */
FUNCTION f64 quick_log_of_fraction(f64 f) {
    f64 p = 0.06916403300091378;
    p = p * f - 0.11793247838338021;
    p = p * f + 0.11874210536087501;
    p = p * f - 0.12383903500497079;
    p = p * f + 0.1421847345060144;
    p = p * f - 0.16669267914458039;
    p = p * f + 0.2000223361245688;
    p = p * f - 0.24999986388792014;
    p = p * f + 0.3333331039375303;
    return f + f * f * (f * p - 0.5);
}

/* For normal x > 0. */
FUNCTION f64 quick_log(f64 x) {
    return quick_log_of_fraction(fraction_of(x) - 1) + exponent_of(x) * 0.6931471805599453;
}

/* log(1 + f) - (f - f^2 / 2), by s = f / (2 + f): log(1 + f) = 2 atanh(s). */
FUNCTION f64 full_log_series(f64 f) {
    f64 s = f / (2 + f);
    f64 z = s * s, p = 0.1479506597892863;
    p = p * z + 0.1531418473617678;
    p = p * z + 0.1818355696120924;
    p = p * z + 0.22222198765004303;
    p = p * z + 0.2857142873988534;
    p = p * z + 0.39999999999429936;
    p = p * z + 0.6666666666666731;
    return s * (0.5 * f * f + z * p);
}

FUNCTION f64 log_f64(f64 x) {
    int tiny = x < 2.2250738585072014e-308;
    f64 normal = tiny ? x * 4503599627370496.0 : x;
    f64 e = exponent_of(normal) - (tiny ? 52.0 : 0.0);
    f64 f = fraction_of(normal) - 1;
    f64 y = e * 0.6931471803691238 - (0.5 * f * f - (full_log_series(f) + e * 1.9082149292705877e-10) - f);
    return log_specials(y, x);
}

/* For x > -1, 1 + x finite. */
FUNCTION f64 quick_log1p(f64 x) {
    f64 u = 1 + x;
    f64 e = exponent_of(u);
    f64 f = e == 0 ? x : fraction_of(u) - 1;
    return quick_log_of_fraction(f) + e * 0.6931471805599453;
}

/* For x > -1; what 1 + x rounds away comes back as a first-order term. */
FUNCTION f64 full_log1p(f64 x) {
    f64 u = 1 + x;
    f64 e = exponent_of(u);
    f64 lost = (x < 1 ? x - (u - 1) : 1 - (u - x)) / u;
    f64 f = e == 0 ? x : fraction_of(u) - 1;
    f64 correction = e == 0 ? 0.0 : lost;
    return e * 0.6931471803691238 - (0.5 * f * f - (full_log_series(f) + (e * 1.9082149292705877e-10 + correction)) -
            f);
}

FUNCTION f32 log1p_f32(f32 x) {
    f32 y = (f32)quick_log1p(x);
    y = x == (f32)INFINITY ? x : y;
    y = x == -1 ? (f32)-INFINITY : y;
    y = x == 0 ? x : y;
    return x >= -1 ? y : (f32)NAN;
}

FUNCTION f64 log1p_f64(f64 x) {
    f64 y = full_log1p(x);
    y = x == INFINITY ? x : y;
    y = x == -1 ? -INFINITY : y;
    y = x == 0 ? x : y;
    return x >= -1 ? y : NAN;
}

/* log(x) * (inverse_high + inverse_low), where two_high + two_low is the logarithm of 2 in that base. */
FUNCTION f64 log_base(f64 x, f64 inverse_high, f64 inverse_low, f64 two_high, f64 two_low) {
    int tiny = x < 2.2250738585072014e-308;
    f64 normal = tiny ? x * 4503599627370496.0 : x;
    f64 e = exponent_of(normal) - (tiny ? 52.0 : 0.0);
    f64 f = fraction_of(normal) - 1;
    f64 square = 0.5 * f * f;
    f64 high = FROM_BITS64(BITS64(f - square) & (u64)0xffffffff00000000ul);
    f64 low = f - high - square + full_log_series(f);
    f64 big = e * two_high;
    f64 part = high * inverse_high;
    f64 small = e * two_low + (low + high) * inverse_low + low * inverse_high;
    f64 total = big + part;
    return log_specials(total + (small + (big - total + part)), x);
}

FUNCTION f32 log2_f32(f32 x) {
    return (f32)log_specials(quick_log_of_fraction(fraction_of(x) - 1) * 1.4426950408889634 + exponent_of(x), x);
}

FUNCTION f64 log2_f64(f64 x) {
    return log_base(x, 1.4426950407214463, 1.6751713164886512e-10, 1, 0);
}

FUNCTION f32 log10_f32(f32 x) {
    return (f32)log_specials(quick_log(x) * 0.4342944819032518, x);
}

FUNCTION f64 log10_f64(f64 x) {
    return log_base(x, 0.4342944818781689, 2.5082946711645275e-11, 0.30102999566361177, 3.694239077158931e-13);
}

FUNCTION f32 sinh_f32(f32 x) {
    f32 size = FABS_f32(x);
    f64 t = quick_expm1(size > 100.0f ? 100.0f : size);
    return COPYSIGN_f32((f32)(0.5 * (t + t / (t + 1))), x);
}

FUNCTION f64 sinh_f64(f64 x) {
    f64 size = FABS_f64(x), halved = full_exp_scaled(size, -1), square = x * x, p = 7.760432844406985e-13;
    p = p * square + 1.605720424112778e-10;
    p = p * square + 2.5052123850417166e-08;
    p = p * square + 2.7557319152575425e-06;
    p = p * square + 0.00019841269841446135;
    p = p * square + 0.008333333333333127;
    p = p * square + 0.16666666666666669;
    return size > 1 ? with_sign(halved - 0.25 / halved, x) : x + x * square * p;
}

FUNCTION f32 cosh_f32(f32 x) {
    f32 size = FABS_f32(x);
    f64 halved = 0.5 * quick_expm1(size > 100.0f ? 100.0f : size) + 0.5;
    return (f32)(halved + 0.25 / halved);
}

FUNCTION f64 cosh_f64(f64 x) {
    f64 halved = full_exp_scaled(FABS_f64(x), -1);
    return halved + 0.25 / halved;
}

/* 1 - 2 z / (1 + z) with z = e^(-2|x|); an odd polynomial below 0.625. */
FUNCTION f32 tanh_f32(f32 x) {
    f32 size = FABS_f32(x);
    f32 z = single_exp_of_negative((f32)-2 * size), square = x * x;
    f32 p = (f32)-0.0057175003;
    p = p * square + 0.0206510476f;
    p = p * square + (f32)-0.053743662;
    p = p * square + 0.133314937f;
    p = p * square + (f32)-0.33333284;
    return COPYSIGN_f32(size < 0.625f ? size + size * square * p : 1.0f - 2.0f * z / (1.0f + z), x);
}

FUNCTION f64 tanh_f64(f64 x) {
    f64 size = FABS_f64(x);
    f64 z = full_exp_of_negative(-2 * size), square = x * x;
    f64 p = 6.056945915775166e-06;
    p = p * square - 3.022112905101378e-05;
    p = p * square + 9.159314846378089e-05;
    p = p * square - 0.00023703216454132133;
    p = p * square + 0.0005894594177643377;
    p = p * square - 0.0014557278226689206;
    p = p * square + 0.0035921143071388573;
    p = p * square - 0.008863234345652869;
    p = p * square + 0.021869488470962345;
    p = p * square - 0.05396825396614813;
    p = p * square + 0.13333333333329922;
    p = p * square - 0.33333333333333315;
    return with_sign(size < 0.625 ? size + size * square * p : 1 - 2 * z / (1 + z), x);
}

/* log(1 + |x| + x^2 / (1 + sqrt(1 + x^2))). */
FUNCTION f32 asinh_f32(f32 x) {
    f64 size = FABS_f64(x), inner;
    inner = size == INFINITY ? 1.0 : size;
    inner = quick_log1p(inner + inner * inner / (1 + SQRT_f64(1 + inner * inner)));
    inner = size < INFINITY ? inner : size;
    return COPYSIGN_f32((f32)inner, x);
}
FUNCTION f64 asinh_f64(f64 x) {
    f64 size = FABS_f64(x), inner;
    inner = size > 10000000000.0 ? 1.0 : size;
    inner = full_log1p(inner + inner * inner / (1 + SQRT_f64(1 + inner * inner)));
    inner = size > 10000000000.0 ? log_f64(size) + 0.6931471805599453 : inner;
    inner = size < INFINITY ? inner : size;
    return with_sign(inner, x);
}

/* log(1 + t + sqrt(2 t + t^2)) with t = x - 1. */
FUNCTION f32 acosh_f32(f32 x) {
    f64 t = (f64)x - 1, y;
    y = quick_log1p(t + SQRT_f64(2 * t + t * t));
    y = x == (f32)INFINITY ? x : y;
    return (f32)(x >= 1 ? y : NAN);
}
FUNCTION f64 acosh_f64(f64 x) {
    f64 t = x - 1, y;
    t = x > 10000000000.0 ? 1.0 : t;
    y = full_log1p(t + SQRT_f64(2 * t + t * t));
    y = x > 10000000000.0 ? log_f64(x) + 0.6931471805599453 : y;
    y = x == INFINITY ? x : y;
    return x >= 1 ? y : NAN;
}

/* log(1 + 2|x| / (1 - |x|)) / 2. */
FUNCTION f32 atanh_f32(f32 x) {
    f64 size = FABS_f64(x), y = 2 * size / (1 - size);
    y = 0.5 * quick_log1p(y);
    y = size == 1 ? INFINITY : y;
    y = size <= 1 ? y : NAN;
    return COPYSIGN_f32((f32)y, x);
}
FUNCTION f64 atanh_f64(f64 x) {
    f64 size = FABS_f64(x), y = 2 * size / (1 - size);
    y = 0.5 * full_log1p(y);
    y = size == 1 ? INFINITY : y;
    y = size <= 1 ? y : NAN;
    return with_sign(y, x);
}

/* z / (1 + z) or 1 / (1 + z) with z = e^-|x|; in float64 what 1 + z rounded away is put back to first order. */
FUNCTION f32 sigmoid_f32(f32 x) {
    f32 z = single_exp_of_negative(-FABS_f32(x));
    return (x < 0 ? z : 1.0f) / (1.0f + z);
}
FUNCTION f64 sigmoid_f64(f64 x) {
    f64 z = full_exp_of_negative(-FABS_f64(x));
    f64 lost = z - ((1 + z) - 1);
    f64 y = (x < 0 ? z : 1.0) / (1 + z);
    return y - y * lost * (x < 0 ? 1 - y : y);
}

/* x sigmoid(x), in float32 by one division. */
FUNCTION f32 silu_f32(f32 x) {
    f32 z = single_exp_of_negative(-FABS_f32(x));
    return (x < 0 ? x * z : x) / (1.0f + z);
}
FUNCTION f64 silu_f64(f64 x) { return x * sigmoid_f64(x); }
