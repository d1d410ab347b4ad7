/* Branch-free formulas of the elementary functions, for devices on which a work-item is a lane of a vector
   instruction: a call of the driver's library would be one call for each lane. They are the CPU backend's, which says
   where they are from (cygrad_cpu: elementary.pxd, kernels/exponential.pyx, special.pyx, trigonometric.pyx).
   Grades: single_ computes f32 in f32, quick_ about 30 bits in f64 for f32 results, full_ f64. */
FUNCTION f64 with_sign(f64 magnitude, f64 sign) {
    return FROM_BITS64(BITS64(magnitude) & (u64)0x7ffffffffffffffful | BITS64(sign) & (u64)0x8000000000000000ul);
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
FUNCTION f32 single_exp_of_reduced(f32 x, f32 k) {
    f32 r = x - k * 0.693359375f - k * (f32)-0.00021219444;
    return (single_exp_series(r) * r + 1.0f) * r + 1.0f;
}
FUNCTION f64 full_exp_of_parts(f64 high, f64 low) {
    f64 r = high - low;
    return 1 - (low - r * r * full_exp_series(r) - high);
}
FUNCTION f32 single_exp(f32 x) {
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
FUNCTION f32 single_expm1(f32 x) {
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
FUNCTION f64 full_exp(f64 x) {
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
FUNCTION f64 full_expm1(f64 x) {
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
FUNCTION f32 single_log(f32 x) {
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

/* For x > -1, 1 + x finite. */
FUNCTION f64 quick_log1p(f64 x) {
    f64 u = 1 + x;
    f64 e = exponent_of(u);
    f64 f = e == 0 ? x : fraction_of(u) - 1;
    return quick_log_of_fraction(f) + e * 0.6931471805599453;
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

/* y = log(x), with what zeros, negatives, infinity and NaN give. */
FUNCTION f64 log_specials(f64 y, f64 x) {
    y = x == INFINITY ? x : y;
    y = x == 0 ? -INFINITY : y;
    return x >= 0 ? y : NAN;
}
FUNCTION f64 full_log(f64 x) {
    int tiny = x < 2.2250738585072014e-308;
    f64 normal = tiny ? x * 4503599627370496.0 : x;
    f64 e = exponent_of(normal) - (tiny ? 52.0 : 0.0);
    f64 f = fraction_of(normal) - 1;
    f64 y = e * 0.6931471803691238 - (0.5 * f * f - (full_log_series(f) + e * 1.9082149292705877e-10) - f);
    return log_specials(y, x);
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
FUNCTION f32 log1p_f32(f32 x) {
    f32 y = (f32)quick_log1p(x);
    y = x == (f32)INFINITY ? x : y;
    y = x == -1 ? (f32)-INFINITY : y;
    y = x == 0 ? x : y;
    return x >= -1 ? y : (f32)NAN;
}
FUNCTION f64 log1p_f64(f64 x) {
    f64 y = (f64)full_log1p(x);
    y = x == (f64)INFINITY ? x : y;
    y = x == -1 ? (f64)-INFINITY : y;
    y = x == 0 ? x : y;
    return x >= -1 ? y : (f64)NAN;
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
    return size < 0.625f ? x + x * square * p : COPYSIGN_f32(1.0f - 2.0f * z / (1.0f + z), x);
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
    return size < 0.625 ? x + x * square * p : with_sign(1 - 2 * z / (1 + z), x);
}
FUNCTION f32 sinh_f32(f32 x) {
    f64 size = FABS_f64(x), t, halved, square, p;
    t = quick_expm1(size > 100 ? 100.0 : size);
    return COPYSIGN_f32((f32)(0.5 * (t + t / (t + 1))), x);
}
FUNCTION f64 sinh_f64(f64 x) {
    f64 size = FABS_f64(x), t, halved, square, p;
    square = x * x;
    p = 7.760432844406985e-13;
    p = p * square + 1.605720424112778e-10;
    p = p * square + 2.5052123850417166e-08;
    p = p * square + 2.7557319152575425e-06;
    p = p * square + 0.00019841269841446135;
    p = p * square + 0.008333333333333127;
    p = p * square + 0.16666666666666669;
    halved = full_exp_scaled(size, -1);
    return size > 1 ? with_sign(halved - 0.25 / halved, x) : x + x * square * p;
}
FUNCTION f32 cosh_f32(f32 x) {
    f64 size = FABS_f64(x), halved;
    halved = 0.5 * quick_expm1(size > 100 ? 100.0 : size) + 0.5;
    return (f32)(halved + 0.25 / halved);
}
FUNCTION f64 cosh_f64(f64 x) {
    f64 size = FABS_f64(x), halved;
    halved = full_exp_scaled(size, -1);
    return halved + 0.25 / halved;
}

/* log(1 + |x| + x^2 / (1 + sqrt(1 + x^2))). */
FUNCTION f32 asinh_f32(f32 x) {
    f64 size = FABS_f64(x), inner;
    inner = size == INFINITY ? 1.0 : size;
    inner = quick_log1p(inner + inner * inner / (1 + SQRT_f64(1 + inner * inner)));
    inner = size < INFINITY ? inner : size;
    return COPYSIGN_f32((f32)inner, x);
}

/* log(1 + |x| + x^2 / (1 + sqrt(1 + x^2))). */
FUNCTION f64 asinh_f64(f64 x) {
    f64 size = FABS_f64(x), inner;
    inner = size > 10000000000.0 ? 1.0 : size;
    inner = full_log1p(inner + inner * inner / (1 + SQRT_f64(1 + inner * inner)));
    inner = size > 10000000000.0 ? full_log(size) + 0.6931471805599453 : inner;
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

/* log(1 + t + sqrt(2 t + t^2)) with t = x - 1. */
FUNCTION f64 acosh_f64(f64 x) {
    f64 t = (f64)x - 1, y;
    t = x > 10000000000.0 ? 1.0 : t;
    y = full_log1p(t + SQRT_f64(2 * t + t * t));
    y = x > 10000000000.0 ? full_log(x) + 0.6931471805599453 : y;
    y = x == (f64)INFINITY ? x : y;
    return (f64)(x >= 1 ? y : NAN);
}

/* log(1 + 2|x| / (1 - |x|)) / 2. */
FUNCTION f32 atanh_f32(f32 x) {
    f64 size = FABS_f64(x), y;
    y = 2 * size / (1 - size);
    y = 0.5 * quick_log1p(y);
    y = size == 1 ? INFINITY : y;
    y = size <= 1 ? y : NAN;
    return COPYSIGN_f32((f32)y, x);
}

/* log(1 + 2|x| / (1 - |x|)) / 2. */
FUNCTION f64 atanh_f64(f64 x) {
    f64 size = FABS_f64(x), y;
    y = 2 * size / (1 - size);
    y = 0.5 * full_log1p(y);
    y = size == 1 ? INFINITY : y;
    y = size <= 1 ? y : NAN;
    return with_sign(y, x);
}

/* z / (1 + z) or 1 / (1 + z) with z = e^-|x|. */
FUNCTION f32 sigmoid_f32(f32 x) {
    f32 one = 1, y;
    f32 z = single_exp_of_negative(-FABS_f32(x));
    f32 lost = z - (one + z - one);
    y = (x < 0 ? z : one) / (one + z);
    return y - y * lost * (x < 0 ? one - y : y);
}

/* z / (1 + z) or 1 / (1 + z) with z = e^-|x|. */
FUNCTION f64 sigmoid_f64(f64 x) {
    f64 one = 1, y;
    f64 z = full_exp_of_negative(-FABS_f64(x));
    f64 lost = z - (one + z - one);
    y = (x < 0 ? z : one) / (one + z);
    return y - y * lost * (x < 0 ? one - y : y);
}
FUNCTION f32 exp_f32(f32 x) { return single_exp(x); }
FUNCTION f32 expm1_f32(f32 x) { return single_expm1(x); }
FUNCTION f32 log_f32(f32 x) { return single_log(x); }
FUNCTION f64 exp_f64(f64 x) { return full_exp(x); }
FUNCTION f64 expm1_f64(f64 x) { return full_expm1(x); }
FUNCTION f64 log_f64(f64 x) { return full_log(x); }

/* erf(x) / x - 1 for |x| <= 1. */
FUNCTION f64 erf_series_f32(f64 x) {
    f64 z = x * x, p;
    p = -9.641524390873016e-06;
    p = p * z + 0.00011256950861341705;
    p = p * z - 0.0008482829256736113;
    p = p * z + 0.005220945461265658;
    p = p * z - 0.026865400052334124;
    p = p * z + 0.11283781974285535;
    p = p * z - 0.37612638434664225;
    return p * z + 0.12837916705802377;
}

/* erf(x) / x - 1 for |x| <= 1. */
FUNCTION f64 erf_series_f64(f64 x) {
    f64 z = x * x, p;
    p = 5.945257284532827e-11;
    p = p * z - 1.136566346044511e-09;
    p = p * z + 1.4657879238739532e-08;
    p = p * z - 1.6350025140912135e-07;
    p = p * z + 1.6460972810247708e-06;
    p = p * z - 1.4925593506540704e-05;
    p = p * z + 0.0001205533103688895;
    p = p * z - 0.0008548326978742052;
    p = p * z + 0.005223977624780867;
    p = p * z - 0.026866170645072896;
    p = p * z + 0.11283791670954857;
    p = p * z - 0.3761263890318375;
    return p * z + 0.1283791670955126;
}

/* erfc(x) for 1 <= x < 26: e^(x^2) erfc(x) (1 + 2x) is a polynomial in (x - 3) / (x + 3). */
FUNCTION f64 quick_erfc_far(f64 x) {
    f64 q = (x - 3) / (x + 3), p = -0.0007040254291790274;
    p = p * q + 0.0018206982901060246;
    p = p * q + 0.0025118503949221422;
    p = p * q - 0.023754894311174064;
    p = p * q + 0.0683098614445013;
    p = p * q - 0.11927513449694795;
    p = p * q + 0.12964507616650892;
    p = p * q - 0.04756224583385942;
    p = p * q - 0.1356211049875668;
    p = p * q + 1.2530080580144987;
    return quick_exp(-x * x) * p / (1 + 2 * x);
}

/* e^(-x^2) as high * (1 + low). The square of x's first 24 bits is exact; the rest of it goes into `low`. */
FUNCTION parts gaussian(f64 x) {
    f64 head = (f64)(f32)x, y = -head * head;
    f64 rest = (head - x) * (head + x);
    f64 tail = (y > -800 ? y : -800.0) * 1.4426950408889634 + 6755399441055744.0;
    f64 k = tail - 6755399441055744.0;
    f64 r = y - k * 0.6931471803691238 - k * 1.9082149292705877e-10;
    f64 lost = k * 1.9082149292705877e-10;
    f64 minus, value;
    parts bell;
    minus = lost - r * r * full_exp_series(r) - (y - k * 0.6931471803691238);
    value = 1 - minus;
    bell.high = scaled_down(value, tail);
    bell.low = rest * (1 + rest * (0.5 + rest * 0.16666666666666666)) + (1 - value - minus) * (2 - value);
    return bell;
}

/* As quick_erfc_far, for x < 28, with bell = e^(-x^2); what each rounding lost is put back to first order. */
FUNCTION f64 full_erfc_far(f64 x, parts bell) {
    f64 q = (x - 3) / (x + 3), p, sum_, below, lost, y;
    p = -1.86361735177851e-08;
    p = p * q + 2.7618650531153667e-08;
    p = p * q + 1.1932797822471072e-07;
    p = p * q - 1.365248757784961e-07;
    p = p * q - 6.324567886730518e-07;
    p = p * q + 3.5933719770260365e-07;
    p = p * q + 3.4794243214958896e-06;
    p = p * q - 7.341125724719157e-07;
    p = p * q - 2.010236680965976e-05;
    p = p * q + 4.950429191571814e-06;
    p = p * q + 0.00012509964086272727;
    p = p * q - 0.00010515998782578765;
    p = p * q - 0.0007798323025253038;
    p = p * q + 0.0018886903810684315;
    p = p * q + 0.0025293918182551513;
    p = p * q - 0.02377051492007153;
    p = p * q + 0.06830802734387355;
    p = p * q - 0.1192736634152629;
    p = p * q + 0.12964515870276339;
    p = p * q - 0.0475622943534513;
    p = p * q - 0.1356211061245812;
    p = p * q;
    sum_ = p + 1.2530080582697296;
    lost = (1.2530080582697296 - sum_ + p) * 0.8;
    below = 1 + 2 * x;
    lost = lost - (2 * x - (below - 1)) / below + bell.low;
    y = bell.high * (sum_ / below);
    return y + y * lost;
}
/* 2^q for -126 <= q < 127. */
FUNCTION f32 power_of_two_single(f32 q) {
    f32 tail = q + 12582912.0f;
    f32 r = q - (tail - 12582912.0f);
    f32 p = 0.000154614475f;
    p = p * r + 0.00133908674f;
    p = p * r + 0.00961805667f;
    p = p * r + 0.055503571f;
    p = p * r + 0.240226509f;
    p = p * r + 0.693147188f;
    return (p * r + 1.0f) * FROM_BITS32((BITS32(tail) << 23) + ((u32)127 << 23));
}
/* An odd polynomial below 1; beyond, 1 - 2^q for a polynomial q of |x|, up to 4, where erf is 1 in float32. */
FUNCTION f32 erf_f32(f32 x) {
    f32 size = FABS_f32(x), square = x * x;
    f32 t = size > 4.0f ? 4.0f : size > 1.0f ? size : 1.0f;
    f32 q = (f32)-0.00165970402, p = 7.88912294e-05f;
    q = q * t + 0.021320289f;
    q = q * t + (f32)-0.12787199;
    q = q * t + (f32)-0.944228113;
    q = q * t + (f32)-1.61212289;
    q = q * t + (f32)-0.00385447708;
    p = p * square + (f32)-0.000802084222;
    p = p * square + 0.00518953567f;
    p = p * square + (f32)-0.0268544443;
    p = p * square + 0.112836003f;
    p = p * square + (f32)-0.37612626;
    p = p * square + 0.128379166f;
    q = COPYSIGN_f32(1.0f - power_of_two_single(q), x);
    return size < 1.0f ? x + x * p : size >= 1.0f ? q : x;
}
FUNCTION f64 erf_f64(f64 x) {
    f64 size = FABS_f64(x);
    f64 far = size > 6 ? 6.0 : size > 1 ? size : 1.0;
    far = 1 - full_erfc_far(far, gaussian(far));
    return size < 1 ? x + x * erf_series_f64(x) : size >= 1 ? with_sign(far, x) : x;
}
FUNCTION f64 wide_erfc_f32(f64 x) {
    f64 size = FABS_f64(x);
    f64 far = size < 1 ? 1.0 : size;
    far = quick_erfc_far(far > 11 ? 11.0 : far);
    far = x < 0 ? 2 - far : far;
    return size < 1 ? 1 - x - x * erf_series_f32(x) : size >= 1 ? far : x;
}
FUNCTION f32 erfc_f32(f32 x) { return (f32)wide_erfc_f32(x); }
FUNCTION f64 erfc_f64(f64 x) {
    f64 size = FABS_f64(x);
    f64 far = size < 1 ? 1.0 : size;
    far = far > 28 ? 28.0 : far;
    far = full_erfc_far(far, gaussian(far));
    far = x < 0 ? 2 - far : far;
    return size < 1 ? 1 - x - x * erf_series_f64(x) : size >= 1 ? far : x;
}

/* y times a polynomial of w = -log(1 - y^2), from w = 5 on of sqrt(w), as in Giles, "Approximating the erfinv
   function" (2012); for float64 then a step of Halley's method, past erf(1) on erfc, which keeps digits. */
FUNCTION f64 wide_erfinv_f32(f64 y) {
    f64 size = FABS_f64(y);
    f64 bounded = size < 1 ? size : 0.5;
    f64 w = -quick_log((1 - bounded) * (1 + bounded));
    f64 near = w - 2.5, far = SQRT_f64(w), p, q, error, x, slope;
    parts bell;
    far = far - 3;
    p = -8.790941907216387e-09;
    p = p * near + 2.3232712228567825e-08;
    p = p * near + 4.661694268510535e-07;
    p = p * near - 3.462705217639249e-06;
    p = p * near - 4.963344401046801e-06;
    p = p * near + 0.0002183444386124473;
    p = p * near - 0.001252741879638868;
    p = p * near - 0.004177386773638337;
    p = p * near + 0.2466402861541033;
    p = p * near + 1.5014093592796358;
    q = -3.0763085859111396e-05;
    q = q * far + 0.00016161661630171616;
    q = q * far - 0.00027531715890898316;
    q = q * far - 0.00012152021745709399;
    q = q * far + 0.0014736718221396157;
    q = q * far - 0.0035664416204371978;
    q = q * far + 0.005688113841098977;
    q = q * far - 0.007642859432895018;
    q = q * far + 0.009445260232402232;
    q = q * far + 1.0016752395776234;
    q = q * far + 2.8329768021422255;
    x = bounded * (w < 5 ? p : q);
    x = size == 1 ? INFINITY : size < 1 ? x : NAN;
    return size < 1e-09 ? y * 0.886226925452758 : with_sign(x, y);
}
FUNCTION f32 erfinv_f32(f32 x) { return (f32)wide_erfinv_f32(x); }

/* y times a polynomial of w = -log(1 - y^2), from w = 5 on of sqrt(w), as in Giles, "Approximating the erfinv
   function" (2012); for float64 then a step of Halley's method, past erf(1) on erfc, which keeps digits. */
FUNCTION f64 erfinv_f64(f64 y) {
    f64 size = FABS_f64(y);
    f64 bounded = size < 1 ? size : 0.5;
    f64 w = -quick_log((1 - bounded) * (1 + bounded));
    f64 near = w - 2.5, far = SQRT_f64(w), p, q, error, x, slope;
    parts bell;
    far = far - 4;
    p = 2.853336112931391e-08;
    p = p * near + 3.437290857058778e-07;
    p = p * near - 3.52884017113097e-06;
    p = p * near - 4.396807018338807e-06;
    p = p * near + 0.00021860210606316759;
    p = p * near - 0.0012537074235822972;
    p = p * near - 0.004177707601183894;
    p = p * near + 0.24664072604287166;
    p = p * near + 1.5014094215483045;
    q = -1.6048162418939482e-06;
    q = q * far + 1.9459322018194026e-05;
    q = q * far - 6.708166182247598e-05;
    q = q * far + 8.135151410846232e-05;
    q = q * far - 5.7218905349266184e-05;
    q = q * far + 0.0002715759750048382;
    q = q * far - 0.0009144761082706216;
    q = q * far + 0.0012853570650007869;
    q = q * far + 1.009503912047184;
    q = q * far + 3.839781978408631;
    x = bounded * (w < 5 ? p : q);
    bell = gaussian(x);
    error = x > 1 ? 1 - bounded - full_erfc_far(x, bell) : x - bounded + x * erf_series_f64(x);
    error = error / (1.1283791670955126 * bell.high * (1 + bell.low));
    x = x - error / (1 + x * error);
    x = size == 1 ? INFINITY : size < 1 ? x : NAN;
    return size < 1e-09 ? y * 0.886226925452758 : with_sign(x, y);
}

/* log(gamma(y)) for y >= 7. */
FUNCTION f64 stirling(f64 y) {
    f64 r = 1 / y;
    f64 z = r * r;
    f64 p = 0.00641025641025641 * z - 0.0019175269175269174;
    p = p * z + 0.0008417508417508417;
    p = p * z - 0.0005952380952380953;
    p = p * z + 0.0007936507936507937;
    p = p * z - 0.002777777777777778;
    p = p * z + 0.08333333333333333;
    return (y - 0.5) * (full_log(y) - 1) + (0.4189385332046727 + r * p);
}

/* sin and cos (high and low) of pi f / 2 for |f| <= 1/2. */
FUNCTION parts half_turn(f64 f) {
    f64 h = f * 1.5707963267948966;
    f64 z = h * h;
    f64 s = 1.5896523783068393e-10, c = -1.13594583053535e-11;
    parts both;
    s = s * z - 2.505075362851737e-08;
    s = s * z + 2.7557313664719513e-06;
    s = s * z - 0.00019841269829734277;
    s = s * z + 0.00833333333332233;
    s = s * z - 0.16666666666666632;
    c = c * z + 2.087571976175253e-09;
    c = c * z - 2.7557314327684e-07;
    c = c * z + 2.4801587289401374e-05;
    c = c * z - 0.0013888888888874003;
    c = c * z + 0.0416666666666666;
    both.high = h + h * z * s;
    both.low = 1 - 0.5 * z + z * z * c;
    return both;
}

/* In double, so that the zeros at 1 and 2 cost no digit of a float: gamma(x) = gamma(x + 7) / (x ... (x + 6)). */
FUNCTION f64 lgamma_for_float(f64 x) {
    f64 y = x < 0.5 ? 1 - x : x;
    f64 product = y * (y + 1) * (y + 2) * (y + 3) * (y + 4) * (y + 5) * (y + 6);
    int small = y < 7;
    f64 result = stirling(small ? y + 7 : y) - (small ? full_log(product) : 0.0);
    parts halved = half_turn(x - RINT_f64(x));
    f64 reflected = full_log(1.5707963267948966 / FABS_f64(halved.high * halved.low)) - result;
    result = x < 0.5 ? reflected : result;
    result = x == 1 | x == 2 ? 0.0 : result;
    return FABS_f64(x) == INFINITY ? INFINITY : result;
}

/* log(gamma(x)) for x > 1e-300: near 2 a polynomial, to which the recurrence adds the logarithm of a product, from 8 on
   Stirling's series. The two large terms are added exactly, so that the zeros at 1 and 2 cost no digits. */
FUNCTION f64 lgamma_of_positive(f64 x) {
    int far = x >= 8, i;
    f64 n = RINT_f64(far ? 8.0 : x);
    f64 t = x - n, r = 1 / (far ? x : 8.0), product = 1, p, q, e, f, high, low, times, large, sum, rest;
    UNROLL for (i = 1; i < 7; i++) product = n > i + 1 ? product * (x - i) : product;
    product = n == 1 ? x : product;
    product = n == 0 ? x * x + x : product;
    product = far ? x : product;
    e = exponent_of(product);
    f = fraction_of(product) - 1;
    high = e * 0.6931471803691238 + f;
    low = e * 0.6931471803691238 - high + f + (full_log_series(f) + e * 1.9082149292705877e-10 - 0.5 * f * f);
    q = r * r;
    p = -0.0016526004455595122;
    p = p * q + 0.0008372834512071336;
    p = p * q - 0.0005952025951802712;
    p = p * q + 0.0007936506649488252;
    p = p * q - 0.002777777777606244;
    p = p * q + 0.0833333333333333;
    rest = p * r + 0.4189385332046728;
    p = -1.3029870239068415e-07;
    p = p * t + 2.7475390051909663e-07;
    p = p * t - 4.3454173670260496e-07;
    p = p * t + 9.242852225162277e-07;
    p = p * t - 2.043022895180944e-06;
    p = p * t + 4.3828545383846665e-06;
    p = p * t - 9.43891959627718e-06;
    p = p * t + 2.050601970174762e-05;
    p = p * t - 4.492628637818162e-05;
    p = p * t + 9.945761692157133e-05;
    p = p * t - 0.00022315475602710603;
    p = p * t + 0.0005096695196526673;
    p = p * t - 0.00119275391176255;
    p = p * t + 0.002890510330865901;
    p = p * t - 0.007385551028673429;
    p = p * t + 0.02058080842778338;
    p = p * t - 0.0673523010531981;
    p = p * t + 0.3224670334241132;
    large = t * 0.42278433509846713;
    rest = far ? rest : FMA_f64(t, 0.42278433509846713, -large) + (t * t * p + t * 4.942915152430645e-18);
    large = far ? 0.0 : large;
    times = far ? x - 0.5 : n < 2 ? -1.0 : 1.0;
    e = far ? high - 1 : high;
    low += far ? high - e - 1 : 0.0;
    high = e;
    q = times * high;
    rest += FMA_f64(times, high, -q) + times * low;
    sum = q + large;
    e = sum - q;
    rest += q - (sum - e) + (large - e);
    return x > 2.5563481638716906e305 ? INFINITY : sum + rest;
}

/* Below 0 by reflection. */
FUNCTION f64 lgamma_f64(f64 x) {
    f64 y = FABS_f64(x);
    f64 result = lgamma_of_positive(y);
    parts halved = half_turn(y - RINT_f64(y));
    f64 reflected = full_log(1.5707963267948966 / (y * FABS_f64(halved.high * halved.low))) - result;
    result = x < 0 ? reflected : result;
    result = y < 1e-20 ? -full_log(y) : result;
    return y == INFINITY ? y : x != x ? x : result;
}

/* For |x - 1.4616...| < 0.22: the distance to the root, in full, times a polynomial. */
FUNCTION f64 digamma_near_root(f64 x) {
    f64 t = x - 1.4616321449683622 - 9.549995429965697e-17, p = -0.0017344220766841853;
    p = p * t + 0.0025257626130073953;
    p = p * t - 0.0033565285912192946;
    p = p * t + 0.004909114944176311;
    p = p * t - 0.007205119916608175;
    p = p * t + 0.010539521553073668;
    p = p * t - 0.015424751331019193;
    p = p * t + 0.02259763158517664;
    p = p * t - 0.033161126678693344;
    p = p * t + 0.0488042883699292;
    p = p * t - 0.07219956125496009;
    p = p * t + 0.10782405069001448;
    p = p * t - 0.16394270544241138;
    p = p * t + 0.2584997609556539;
    p = p * t - 0.4427631689835921;
    return t * (p * t + 0.9676722454476212);
}

/* Reflection below 0, digamma(x + 8) less the sum of 1 / (x + i), asymptotic series (Abramowitz, Stegun 6.3.18). */
FUNCTION f64 digamma_f64(f64 x) {
    f64 y = x < 0 ? 1 - x : x;
    int small = y < 8;
    f64 product = y, slope = 1, z, p, result, f, tangent;
    parts halved;
    int i;
    UNROLL for (i = 1; i < 8; i++) {
        slope = slope * (y + i) + product;
        product = product * (y + i);
    }
    y = small ? y + 8 : y;
    z = 1 / (y * y);
    p = 0.08333333333333333 * z - 0.021092796092796094;
    p = p * z + 0.007575757575757576;
    p = p * z - 0.004166666666666667;
    p = p * z + 0.003968253968253968;
    p = p * z - 0.008333333333333333;
    p = p * z + 0.08333333333333333;
    result = full_log(y) - (0.5 / y + z * p) - (small ? slope / product : 0.0);
    f = x - RINT_f64(x);
    halved = half_turn(f);
    tangent = 2 * halved.high * halved.low / ((halved.low - halved.high) * (halved.low + halved.high));
    result = x < 0 ? result - 3.141592653589793 / tangent : result;
    result = x < 0 & f == 0 ? NAN : result;
    result = x == 0 ? with_sign(INFINITY, -x) : result;
    result = FABS_f64(x - 1.46163) < 0.21 ? digamma_near_root(x) : result;
    return x == INFINITY ? x : result;
}
FUNCTION f32 lgamma_f32(f32 x) { return (f32)lgamma_for_float(x); }
FUNCTION f32 digamma_f32(f32 x) { return (f32)digamma_f64(x); }

/* (asin(s) / s - 1) / z with z = s^2 <= 1/4. */
FUNCTION f64 quick_asin_series(f64 z) {
    f64 p = 0.03300850690522257;
    p = p * z + 0.0018873194990827553;
    p = p * z + 0.020681502902769947;
    p = p * z + 0.02185878515032453;
    p = p * z + 0.030427270035019934;
    p = p * z + 0.044640665255053155;
    p = p * z + 0.07500005094691511;
    return p * z + 0.16666666626371024;
}
FUNCTION f64 full_asin_series(f64 z) {
    f64 p = 0.03381305693793937;
    p = p * z - 0.026435783255585238;
    p = p * z + 0.025042170198527208;
    p = p * z + 0.000586605355447015;
    p = p * z + 0.010037376017462147;
    p = p * z + 0.009478469602507315;
    p = p * z + 0.01158645631215031;
    p = p * z + 0.013961827342944292;
    p = p * z + 0.017352948367285983;
    p = p * z + 0.02237215146727218;
    p = p * z + 0.03038194464834166;
    p = p * z + 0.04464285713963258;
    p = p * z + 0.0750000000000257;
    return p * z + 0.1666666666666666;
}

/* atan(t) - t for |t| <= tan(pi/8). */
FUNCTION f64 quick_atan_series(f64 t) {
    f64 z = t * t, p = -0.037928900881540675;
    p = p * z + 0.06991690081763977;
    p = p * z - 0.08996998416610598;
    p = p * z + 0.11104027859947871;
    p = p * z - 0.14285425384288955;
    p = p * z + 0.19999994384947678;
    p = p * z - 0.3333333329638483;
    return t * z * p;
}
FUNCTION f64 full_atan_series(f64 t) {
    f64 z = t * t, p = 0.015189072178912527;
    p = p * z - 0.03346909779044559;
    p = p * z + 0.04503350500989909;
    p = p * z - 0.0521836451032829;
    p = p * z + 0.05877017285070724;
    p = p * z - 0.06666226506635003;
    p = p * z + 0.07692282759550129;
    p = p * z - 0.09090908145593107;
    p = p * z + 0.11111111088245762;
    p = p * z - 0.14285714285389983;
    p = p * z + 0.19999999999997695;
    p = p * z - 0.33333333333333326;
    return t * z * p;
}

/* From 1/2 on, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)). */
FUNCTION f32 asin_f32(f32 x) {
    f64 size = FABS_f64(x), rest, part, y;
    int inner = size < 0.5;
    f64 z = inner ? size * size : 0.5 - 0.5 * size;
    f64 s = inner ? size : SQRT_f64(z);
    y = s + s * z * quick_asin_series(z);
    y = inner ? y : 1.5707963267948966 - 2 * y;
    return COPYSIGN_f32((f32)y, x);
}

/* From 1/2 on, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)). */
FUNCTION f64 asin_f64(f64 x) {
    f64 size = FABS_f64(x), rest, part, y;
    int inner = size < 0.5;
    f64 z = inner ? size * size : 0.5 - 0.5 * size;
    f64 s = inner ? size : SQRT_f64(z);
    y = z * full_asin_series(z);
    part = FROM_BITS64(BITS64(s) & (u64)0xffffffff00000000ul);
    rest = (z - part * part) / (s + part);
    rest = 2 * s * y - (6.123233995736766e-17 - 2 * rest);
    rest = 0.7853981633974483 - (rest - (0.7853981633974483 - 2 * part));
    rest = size == 1 ? 1.5707963267948966 : size <= 1 ? rest : NAN;
    return with_sign(inner ? s + s * y : rest, x);
}
FUNCTION f32 acos_f32(f32 x) {
    f64 size = FABS_f64(x), rest, part, y, above, below;
    int inner = size < 0.5;
    f64 z = inner ? size * size : 0.5 - 0.5 * size;
    f64 s = inner ? x : SQRT_f64(z);
    y = s + s * z * quick_asin_series(z);
    above = x < 0 ? 3.141592653589793 - 2 * y : 2 * y;
    return (f32)(inner ? 1.5707963267948966 - y : above);
}
FUNCTION f64 acos_f64(f64 x) {
    f64 size = FABS_f64(x), rest, part, y, above, below;
    int inner = size < 0.5;
    f64 z = inner ? size * size : 0.5 - 0.5 * size;
    f64 s = inner ? x : SQRT_f64(z);
    y = z * full_asin_series(z);
    part = FROM_BITS64(BITS64(s) & (u64)0xffffffff00000000ul);
    rest = (z - part * part) / (s + part);
    rest = z > 0 ? rest : z;
    above = 2 * (part + (y * s + rest));
    below = 3.141592653589793 - 2 * (s + (y * s - 6.123233995736766e-17));
    y = 1.5707963267948966 - (s - (6.123233995736766e-17 - s * y));
    return inner ? y : x < 0 ? below : above;
}

/* Angle of 0 <= numerator, 0 < denominator: t is the ratio, (n - d) / (n + d) or -d / n, off 0, pi/4 or pi/2. */
FUNCTION f32 atan_of_ratio_f32(f64 numerator, f64 denominator) {
    int small = numerator <= 0.41421356 * denominator;
    int large = numerator > 2.4142135 * denominator;
    f64 top = small ? numerator : large ? -denominator : numerator - denominator;
    f64 bottom = small ? denominator : large ? numerator : numerator + denominator;
    f64 t = top / bottom;
    f64 high = small ? 0.0 : large ? 1.5707963267948966 : 0.7853981633974483;
    f64 low = small ? 0.0 : large ? 6.123233995736766e-17 : 3.061616997868383e-17;
    return (f32)(high + (t + quick_atan_series(t)));
}
FUNCTION f32 atan_f32(f32 x) {
    f64 size = FABS_f64(x);
    f64 bounded = size > 1e+300 ? 1e+300 : size;
    return COPYSIGN_f32(atan_of_ratio_f32(bounded, 1), x);
}

/* Angle of 0 <= numerator, 0 < denominator: t is the ratio, (n - d) / (n + d) or -d / n, off 0, pi/4 or pi/2. */
FUNCTION f64 atan_of_ratio_f64(f64 numerator, f64 denominator) {
    int small = numerator <= 0.41421356 * denominator;
    int large = numerator > 2.4142135 * denominator;
    f64 top = small ? numerator : large ? -denominator : numerator - denominator;
    f64 bottom = small ? denominator : large ? numerator : numerator + denominator;
    f64 t = top / bottom;
    f64 high = small ? 0.0 : large ? 1.5707963267948966 : 0.7853981633974483;
    f64 low = small ? 0.0 : large ? 6.123233995736766e-17 : 3.061616997868383e-17;
    return high + (t + (full_atan_series(t) + low));
}
FUNCTION f64 atan_f64(f64 x) {
    f64 size = FABS_f64(x);
    f64 bounded = size > 1e+300 ? 1e+300 : size;
    return with_sign(atan_of_ratio_f64(bounded, 1), x);
}
