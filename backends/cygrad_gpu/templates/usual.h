/* As elementary.h, functions with a form for most arguments that vectorises, ``usual_NAME``, and a test for arguments
   on
   which that does not hold, ``rare_NAME``; for those NAME itself is taken. They are the CPU backend's formulas
   (cygrad_cpu: kernels/power.pyx, division.pyx, trigonometric.pyx). Some need no such test and take NAME's place. */

/* For normal x > 0 and finite y. */
FUNCTION f32 quick_power(f32 x, f32 y) {
    f64 f = fraction_of(x) - 1, t, k, p = 0.045205119636138824;
    p = p * f - 0.0863786883466738;
    p = p * f + 0.0869073775393627;
    p = p * f - 0.08262926708520738;
    p = p * f + 0.08959429766173156;
    p = p * f - 0.09994441266379206;
    p = p * f + 0.11119180707274809;
    p = p * f - 0.12500606155641103;
    p = p * f + 0.14285466581090017;
    p = p * f - 0.1666664855039099;
    p = p * f + 0.20000003494325733;
    p = p * f - 0.2500000016487772;
    p = p * f + 0.3333333331725978;
    t = y * ((f + f * f * (f * p - 0.5)) * 1.4426950408889634 + exponent_of(x));
    t = t > 200 ? 200.0 : t;
    t = t < -200 ? -200.0 : t;
    k = RINT_f64(t);
    t = (t - k) * 0.6931471805599453;
    return (f32)(power_of_two(k) * ((quick_exp_series(t) * t + 1) * t + 1));
}

/* For normal x > 0 and |y| < 2^60. Pairs of names ending in 1 and 2 are sums of two doubles. */
FUNCTION f64 full_power(f64 x, f64 y) {
    f64 f = fraction_of(x) - 1;
    f64 below1 = 2 + f;
    f64 below2 = f - (below1 - 2);
    f64 inverse = 1 / below1;
    f64 s1 = f * inverse;
    f64 s2 = (FMA_f64(-s1, below1, f) - s1 * below2) * inverse;
    f64 z1 = s1 * s1;
    f64 z2 = FMA_f64(s1, s1, -z1) + 2 * s1 * s2;
    f64 u1, u2, w1, w2, l1, l2, t1, t2, k, r, e;
    f64 p = 0.11973512855457148;
    p = p * z1 + 0.11676907401563394;
    p = p * z1 + 0.13336200761175768;
    p = p * z1 + 0.15384560351610477;
    p = p * z1 + 0.18181818810813902;
    p = p * z1 + 0.2222222221811394;
    p = p * z1 + 0.28571428571442203;
    p = p * z1 + 0.39999999999999986;
    u1 = 0.6666666666666666 * z1;
    u2 = FMA_f64(0.6666666666666666, z1, -u1) + (0.6666666666666666 * z2 + 3.700743415417189e-17 * z1);
    p = z1 * z1 * p;
    w1 = u1 + p;
    w2 = u1 - w1 + p + u2;
    u1 = s1 * w1;
    u2 = FMA_f64(s1, w1, -u1) + (s1 * w2 + s2 * w1);
    l1 = 2 * s1 + u1;
    l2 = 2 * s1 - l1 + u1 + (2 * s2 + u2);
    u1 = l1 * 1.4426950408889634;
    u2 = FMA_f64(l1, 1.4426950408889634, -u1) + (l1 * 2.0355273740931033e-17 + l2 * 1.4426950408889634);
    e = exponent_of(x);
    w1 = e + u1;
    w2 = e - w1 + u1 + u2;
    t1 = y * w1;
    t2 = FMA_f64(y, w1, -t1) + y * w2;
    t2 = FABS_f64(t1) < 1100 ? t2 : 0.0;
    t1 = t1 > 1100 ? 1100.0 : t1;
    t1 = t1 < -1100 ? -1100.0 : t1;
    k = RINT_f64(t1);
    r = (t1 - k + t2) * 0.6931471805599453;
    return scaled((full_exp_series(r) * r + 1) * r + 1, k + 6755399441055744.0);
}

/* Of a negative base: NaN but for whole exponents, negative for odd ones. */
FUNCTION f32 usual_pow_f32(f32 x, f32 y) {
    f32 halved, power, with_its_sign;
    halved = y * 0.5f;
    power = quick_power(FABS_f32(x), y);
    with_its_sign = halved != RINT_f32(halved) ? -power : power;
    with_its_sign = y == RINT_f32(y) ? with_its_sign : (f32)NAN;
    return x < 0 ? with_its_sign : power;
}
FUNCTION f64 usual_pow_f64(f64 x, f64 y) {
    f64 halved, power, with_its_sign;
    halved = y * 0.5;
    power = full_power(FABS_f64(x), y);
    with_its_sign = halved != RINT_f64(halved) ? -power : power;
    with_its_sign = y == RINT_f64(y) ? with_its_sign : NAN;
    return x < 0 ? with_its_sign : power;
}

/* Zeros, subnormals, infinities, NaN, and exponents too large. */
FUNCTION int rare_pow_f32(f32 x, f32 y) {
    return !((FABS_f32(x) >= 1.17549435e-38f) & (FABS_f32(x) < (f32)INFINITY) & (FABS_f32(y) < (f32)INFINITY));
}
FUNCTION int rare_pow_f64(f64 x, f64 y) {
    return !((FABS_f64(x) >= 2.2250738585072014e-308) & (FABS_f64(x) < INFINITY) & (FABS_f64(y) <
            1152921504606846976.0));
}

/* Divisions with a whole quotient. At worst that rounds up to a whole number: then the remainder has the wrong sign;
   both
   are put right. */
FUNCTION parts divided_f32(f64 x, f64 y) {
    f64 quotient = TRUNC_f64(x / y), rest = x - quotient * y, step = with_sign(1, quotient);
    int over = rest * x < 0;
    parts both;
    both.high = over ? quotient - step : quotient;
    both.low = with_sign(over ? rest + step * y : rest, x);
    return both;
}
FUNCTION parts divided_f64(f64 x, f64 y) {
    f64 quotient = TRUNC_f64(x / y), rest = FMA_f64(-quotient, y, x), step = with_sign(1, quotient);
    int over = rest * x < 0;
    parts both;
    both.high = over ? quotient - step : quotient;
    both.low = with_sign(over ? rest + step * y : rest, x);
    return both;
}
FUNCTION f32 usual_fmod_f32(f32 a, f32 b) { return (f32)divided_f32(a, b).low; }
FUNCTION f32 usual_remainder_f32(f32 a, f32 b) {
    f32 rest = (f32)divided_f32(a, b).low;
    return (rest != 0) & ((rest < 0) != (b < 0)) ? rest + b : rest;
}
FUNCTION f32 usual_floor_divide_f32(f32 a, f32 b) {
    parts both = divided_f32(a, b);
    f64 quotient = (both.low != 0) & ((both.low < 0) != (b < 0)) ? both.high - 1 : both.high;
    return (f32)(quotient == 0 ? with_sign(0, a) * with_sign(1, b) : quotient);
}
FUNCTION f64 usual_fmod_f64(f64 a, f64 b) { return (f64)divided_f64(a, b).low; }
FUNCTION f64 usual_remainder_f64(f64 a, f64 b) {
    f64 rest = (f64)divided_f64(a, b).low;
    return (rest != 0) & ((rest < 0) != (b < 0)) ? rest + b : rest;
}
FUNCTION f64 usual_floor_divide_f64(f64 a, f64 b) {
    parts both = divided_f64(a, b);
    f64 quotient = (both.low != 0) & ((both.low < 0) != (b < 0)) ? both.high - 1 : both.high;
    return (f64)(quotient == 0 ? with_sign(0, a) * with_sign(1, b) : quotient);
}

/* A quotient too large, or none; b = 0; not finite. */
FUNCTION int rare_fmod_f32(f32 a, f32 b) {
    return !((FABS_f32(a) < 16777216.0f * FABS_f32(b)) & (FABS_f32(b) < 1e30f));
}
FUNCTION int rare_fmod_f64(f64 a, f64 b) {
    return !((FABS_f64(a) < 9007199254740992.0 * FABS_f64(b)) & (FABS_f64(b) < 1e290) & (FABS_f64(b) > 1e-270));
}
FUNCTION int rare_remainder_f32(f32 a, f32 b) { return rare_fmod_f32(a, b); }
FUNCTION int rare_remainder_f64(f64 a, f64 b) { return rare_fmod_f64(a, b); }
FUNCTION int rare_floor_divide_f32(f32 a, f32 b) { return rare_fmod_f32(a, b); }
FUNCTION int rare_floor_divide_f64(f64 a, f64 b) { return rare_fmod_f64(a, b); }

/* Integers: 24 bits of a float hold what 16-bit operands need, 53 of a double what others do that are not wide. A
   divisor
   of 0 is taken for 1: the host has looked before and raises. */
FUNCTION u8 trunc_divide_u8(u8 a, u8 b) { return (u8)(i32)((f32)a / (f32)(b == 0 ? (u8)1 : b)); }
FUNCTION i8 trunc_divide_i8(i8 a, i8 b) { return (i8)(i32)((f32)a / (f32)(b == 0 ? (i8)1 : b)); }
FUNCTION i16 trunc_divide_i16(i16 a, i16 b) { return (i16)(i32)((f32)a / (f32)(b == 0 ? (i16)1 : b)); }
FUNCTION i32 trunc_divide_i32(i32 a, i32 b) { return (i32)(i64)((f64)a / (f64)(b == 0 ? 1 : b)); }
FUNCTION i64 usual_trunc_divide_i64(i64 a, i64 b) { return (i64)((f64)a / (f64)(b == 0 ? 1 : b)); }
FUNCTION i64 usual_fmod_i64(i64 a, i64 b) { return a - usual_trunc_divide_i64(a, b) * b; }
FUNCTION i64 usual_floor_divide_i64(i64 a, i64 b) {
    i64 quotient = usual_trunc_divide_i64(a, b), rest = a - quotient * b;
    return quotient - ((rest != 0) & ((rest < 0) != (b < 0)));
}
FUNCTION i64 usual_remainder_i64(i64 a, i64 b) {
    i64 rest = usual_fmod_i64(a, b);
    return (rest != 0) & ((rest < 0) != (b < 0)) ? rest + b : rest;
}
/* A double may not hold it, or not tell a quotient of such numbers from the next integer. */
FUNCTION int is_wide(i64 x) { return (u64)(x + ((i64)1 << 52)) > (u64)1 << 53; }
FUNCTION int rare_trunc_divide_i64(i64 a, i64 b) { return is_wide(a) | is_wide(b); }
FUNCTION int rare_fmod_i64(i64 a, i64 b) { return is_wide(a) | is_wide(b); }
FUNCTION int rare_floor_divide_i64(i64 a, i64 b) { return is_wide(a) | is_wide(b); }
FUNCTION int rare_remainder_i64(i64 a, i64 b) { return is_wide(a) | is_wide(b); }

/* Sine, cosine and tangent: x = q pi/2 + r, |r| <= pi/4, for |x| < 2^20. */

/* q + 1.5 * 2^52: the integer is in the low bits. */
FUNCTION f64 quarter_turns(f64 x) {
    return x * 0.6366197723675814 + 6755399441055744.0;
}
FUNCTION f64 quick_rest(f64 x, f64 q) {
    return x - q * 1.5707963267341256 - q * 6.077100506506192e-11;
}

/* r in two parts, right even where x is near a multiple of pi/2: that is taken in three parts of 33 bits, so that
   their products with q are exact, and a rest. */
FUNCTION parts full_rest(f64 x, f64 q) {
    parts r;
    f64 step = q * 6.077100506303966e-11;
    f64 first = x - q * 1.5707963267341256;
    f64 second = first - step;
    f64 rest = first - second - step;
    step = q * 2.0222662487111665e-21;
    first = second;
    second = first - step;
    rest = q * 8.4784276603689e-32 - (first - second - step) - rest;
    r.high = second - rest;
    r.low = second - r.high - rest;
    return r;
}

/* In two parts: the value and what it has lost. */
FUNCTION parts full_sine(parts r) {
    parts sine;
    f64 z = r.high * r.high, p = 1.5896523783068393e-10, small;
    p = p * z - 2.505075362851737e-08;
    p = p * z + 2.7557313664719513e-06;
    p = p * z - 0.00019841269829734277;
    p = p * z + 0.00833333333332233;
    small = r.low - z * (0.5 * r.low - z * r.high * p) - z * r.high * 0.16666666666666632;
    sine.high = r.high + small;
    sine.low = r.high - sine.high + small;
    return sine;
}
FUNCTION parts full_cosine(parts r) {
    parts cosine;
    f64 z = r.high * r.high, p = -1.13594583053535e-11, halved, one, small;
    p = p * z + 2.087571976175253e-09;
    p = p * z - 2.7557314327684e-07;
    p = p * z + 2.4801587289401374e-05;
    p = p * z - 0.0013888888888874003;
    p = p * z + 0.0416666666666666;
    halved = 0.5 * z;
    one = 1 - halved;
    small = 1 - one - halved + (z * z * p - r.high * r.low);
    cosine.high = one + small;
    cosine.low = one - cosine.high + small;
    return cosine;
}

/* sine / cosine or -cosine / sine; the lost parts times a rough 1 / divisor correct the quotient. */
FUNCTION f64 full_tangent(parts sine, parts cosine, f64 z, int odd) {
    f64 secant = 1 + z * (0.5 + z * 0.25);
    f64 top = odd ? -cosine.high : sine.high;
    f64 bottom = odd ? sine.high : cosine.high;
    f64 y = top / bottom;
    f64 lost = odd ? -cosine.low - y * sine.low : sine.low - y * cosine.low;
    return y + lost * (odd ? -y * secant : secant);
}
FUNCTION f32 usual_sin_f32(f32 x) {
    f64 tail = quarter_turns(x);
    f32 r = (f32)quick_rest(x, tail - 6755399441055744.0), square = r * r;
    u32 turns = (u32)BITS64(tail);
    f32 y = turns & 1 ? single_cosine(square) : single_sine(r, square);
    return x == 0 ? x : FROM_BITS32(BITS32(y) ^ ((turns & 2) << 30));
}
FUNCTION f64 usual_sin_f64(f64 x) {
    f64 tail = quarter_turns(x);
    parts r = full_rest(x, tail - 6755399441055744.0);
    u64 turns = BITS64(tail);
    f64 y = turns & 1 ? full_cosine(r).high : full_sine(r).high;
    return x == 0 ? x : FROM_BITS64(BITS64(y) ^ ((turns & 2) << 62));
}
FUNCTION f32 usual_cos_f32(f32 x) {
    f64 tail = quarter_turns(x);
    f32 r = (f32)quick_rest(x, tail - 6755399441055744.0), square = r * r;
    u32 turns = (u32)BITS64(tail) + 1;
    f32 y = turns & 1 ? single_cosine(square) : single_sine(r, square);
    return FROM_BITS32(BITS32(y) ^ ((turns & 2) << 30));
}
FUNCTION f64 usual_cos_f64(f64 x) {
    f64 tail = quarter_turns(x);
    parts r = full_rest(x, tail - 6755399441055744.0);
    u64 turns = BITS64(tail) + 1;
    f64 y = turns & 1 ? full_cosine(r).high : full_sine(r).high;
    return FROM_BITS64(BITS64(y) ^ ((turns & 2) << 62));
}
FUNCTION f32 usual_tan_f32(f32 x) {
    f64 tail = quarter_turns(x), r = quick_rest(x, tail - 6755399441055744.0);
    f64 sine = quick_sine(r, r * r), cosine = quick_cosine(r * r);
    int odd = (int)BITS64(tail) & 1;
    return x == 0 ? x : (f32)((odd ? -cosine : sine) / (odd ? sine : cosine));
}
FUNCTION f64 usual_tan_f64(f64 x) {
    f64 tail = quarter_turns(x);
    parts r = full_rest(x, tail - 6755399441055744.0);
    f64 y = full_tangent(full_sine(r), full_cosine(r), r.high * r.high, (int)BITS64(tail) & 1);
    return x == 0 ? x : y;
}
FUNCTION int rare_sin_f32(f32 x) { return !(FABS_f32(x) < 1048576); }
FUNCTION int rare_cos_f32(f32 x) { return !(FABS_f32(x) < 1048576); }
FUNCTION int rare_tan_f32(f32 x) { return !(FABS_f32(x) < 1048576); }
FUNCTION int rare_sin_f64(f64 x) { return !(FABS_f64(x) < 1048576); }
FUNCTION int rare_cos_f64(f64 x) { return !(FABS_f64(x) < 1048576); }
FUNCTION int rare_tan_f64(f64 x) { return !(FABS_f64(x) < 1048576); }


/* The plane. In double the squares of floats fit; in float64 zeros, infinities, NaN and large exponents are rare. */
FUNCTION f32 hypot_f32(f32 y, f32 x) {
    f64 high = y, wide = x;
    f32 size = (f32)SQRT_f64(high * high + wide * wide);
    return (FABS_f32(y) == (f32)INFINITY) | (FABS_f32(x) == (f32)INFINITY) ? (f32)INFINITY : size;
}
FUNCTION f32 atan2_f32(f32 y, f32 x) {
    f64 high = FABS_f64(y), wide = FABS_f64(x);
    f64 angle = atan_of_ratio_f64(high > 1e300 ? 1e300 : high, wide > 1e300 ? 1e300 : wide);
    angle = (high == 0) & (wide == 0) ? 0 : angle;
    angle = BITS32(x) >> 31 ? 3.141592653589793 - angle : angle;
    return COPYSIGN_f32((f32)angle, y);
}
FUNCTION f64 usual_hypot_f64(f64 y, f64 x) { return SQRT_f64(y * y + x * x); }
FUNCTION f64 usual_atan2_f64(f64 y, f64 x) {
    f64 angle = atan_of_ratio_f64(FABS_f64(y), FABS_f64(x));
    angle = x < 0 ? 3.141592653589793 - (angle - 1.2246467991473532e-16) : angle;
    return with_sign(angle, y);
}
FUNCTION int rare_hypot_f64(f64 y, f64 x) {
    return !((FABS_f64(x) < 1e150) & (FABS_f64(y) < 1e150) & (FABS_f64(x) > 1e-140) & (FABS_f64(y) > 1e-140));
}
FUNCTION int rare_atan2_f64(f64 y, f64 x) { return rare_hypot_f64(y, x); }
FUNCTION f32 nextafter_f32(f32 a, f32 b) {
    u32 bits = BITS32(a), outwards = (b > a) == (a > 0) ? bits + 1 : bits - 1;
    f32 next = FROM_BITS32(a == 0 ? (b > 0 ? 1 : 0x80000001u) : outwards);
    next = a == b ? b : next;
    return (a != a) | (b != b) ? a + b : next;
}
FUNCTION f64 nextafter_f64(f64 a, f64 b) {
    u64 bits = BITS64(a), outwards = (b > a) == (a > 0) ? bits + 1 : bits - 1;
    f64 next = FROM_BITS64(a == 0 ? (b > 0 ? 1 : (u64)0x8000000000000001ul) : outwards);
    next = a == b ? b : next;
    return (a != a) | (b != b) ? a + b : next;
}

/* Without the reflection. */
FUNCTION f64 usual_lgamma_f64(f64 x) { return lgamma_of_positive(x); }
FUNCTION int rare_lgamma_f64(f64 x) { return !(x > 1e-300); }
