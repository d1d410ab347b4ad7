/* Sine, cosine, tangent, their inverses and the plane, as exponential.h says; after it. A function that holds for most
   arguments only is usual_NAME, and rare_NAME says for which it does not. Reductions and the layout of the float64
   formulas follow FreeBSD's msun. */

/* x = q pi/2 + r, |r| <= pi/4, for |x| < 2^20. This is q + 1.5 * 2^52: the integer is in the low bits. */
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

FUNCTION f32 single_sine(f32 r, f32 z) {
    f32 p = (f32)-0.000195166847;
    p = p * z + 0.0083321738f;
    p = p * z + (f32)-0.166666549;
    return r + r * (z * p);
}

FUNCTION f32 single_cosine(f32 z) {
    f32 p = 2.44377406e-05f;
    p = p * z + (f32)-0.00138873616;
    p = p * z + 0.0416666468f;
    return 1.0f - 0.5f * z + z * z * p;
}

FUNCTION f64 quick_sine(f64 r, f64 z) {
    f64 p = 2.718241195915564e-06;
    p = p * z - 0.00019839327634678077;
    p = p * z + 0.008333329364253416;
    p = p * z - 0.16666666641450187;
    return r + r * z * p;
}

FUNCTION f64 quick_cosine(f64 z) {
    f64 p = -2.7209563610244266e-07;
    p = p * z + 2.4799511985130626e-05;
    p = p * z - 0.0013888883723616342;
    p = p * z + 0.04166666662249121;
    return 1 - 0.5 * z + z * z * p;
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
FUNCTION int rare_sin_f64(f64 x) { return !(FABS_f64(x) < 1048576); }
FUNCTION int rare_cos_f32(f32 x) { return !(FABS_f32(x) < 1048576); }
FUNCTION int rare_cos_f64(f64 x) { return !(FABS_f64(x) < 1048576); }
FUNCTION int rare_tan_f32(f32 x) { return !(FABS_f32(x) < 1048576); }
FUNCTION int rare_tan_f64(f64 x) { return !(FABS_f64(x) < 1048576); }

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

/* From 1/2 on, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)). */
FUNCTION f32 asin_f32(f32 x) {
    f64 size = FABS_f64(x), y;
    int inner = size < 0.5;
    f64 z = inner ? size * size : 0.5 - 0.5 * size;
    f64 s = inner ? size : SQRT_f64(z);
    y = s + s * z * quick_asin_series(z);
    y = inner ? y : 1.5707963267948966 - 2 * y;
    return COPYSIGN_f32((f32)y, x);
}

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
    f64 size = FABS_f64(x), y, result;
    int inner = size < 0.5;
    f64 z = inner ? size * size : 0.5 - 0.5 * size;
    f64 s = inner ? x : SQRT_f64(z);
    y = s + s * z * quick_asin_series(z);
    result = x < 0 ? 3.141592653589793 - 2 * y : 2 * y;
    if (inner)                      /* GCC makes an eighth less time of it than of a selection in one expression */
        result = 1.5707963267948966 - y;
    return (f32)result;
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

/* The plane. In double the squares of floats fit; in float64 zeros, infinities, NaN and large exponents are rare. */
FUNCTION f32 hypot_f32(f32 y, f32 x) {
    f64 high = y, wide = x;
    f32 size = (f32)SQRT_f64(high * high + wide * wide);
    return (FABS_f32(y) == (f32)INFINITY) | (FABS_f32(x) == (f32)INFINITY) ? (f32)INFINITY : size;
}

FUNCTION f32 atan2_f32(f32 y, f32 x) {
    f64 abscissa = x, high = FABS_f64(y), wide = FABS_f64(x);
    f64 angle = atan_of_ratio_f64(high > 1e300 ? 1e300 : high, wide > 1e300 ? 1e300 : wide);
    angle = (high == 0) & (wide == 0) ? 0.0 : angle;
    angle = BITS64(abscissa) >> 63 ? 3.141592653589793 - angle : angle;
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
