/* Functions over $T. Conditions are selections between computed values wherever that can be, so that they vectorise. */
FUNCTION $T sqrt_$S($T x) { return SQRT_$S(x); }
FUNCTION $T rsqrt_$S($T x) { return ($T)1 / SQRT_$S(x); }
FUNCTION $T floor_$S($T x) { return FLOOR_$S(x); }
FUNCTION $T ceil_$S($T x) { return CEIL_$S(x); }
FUNCTION $T trunc_$S($T x) { return TRUNC_$S(x); }
FUNCTION $T round_$S($T x) { return RINT_$S(x); }
FUNCTION $T exp_$S($T x) { return exp(x); }
FUNCTION $T exp2_$S($T x) { return exp2(x); }
FUNCTION $T expm1_$S($T x) { return expm1(x); }
FUNCTION $T log_$S($T x) { return log(x); }
FUNCTION $T log2_$S($T x) { return log2(x); }
FUNCTION $T log10_$S($T x) { return log10(x); }
FUNCTION $T log1p_$S($T x) { return log1p(x); }
FUNCTION $T sin_$S($T x) { return sin(x); }
FUNCTION $T cos_$S($T x) { return cos(x); }
FUNCTION $T tan_$S($T x) { return tan(x); }
FUNCTION $T asin_$S($T x) { return asin(x); }
FUNCTION $T acos_$S($T x) { return acos(x); }
FUNCTION $T atan_$S($T x) { return atan(x); }
FUNCTION $T sinh_$S($T x) { return sinh(x); }
FUNCTION $T cosh_$S($T x) { return cosh(x); }
FUNCTION $T tanh_$S($T x) { return tanh(x); }
FUNCTION $T asinh_$S($T x) { return asinh(x); }
FUNCTION $T acosh_$S($T x) { return acosh(x); }
FUNCTION $T atanh_$S($T x) { return atanh(x); }
FUNCTION $T erf_$S($T x) { return erf(x); }
FUNCTION $T erfc_$S($T x) { return erfc(x); }
FUNCTION $T lgamma_$S($T x) { return lgamma(x); }
FUNCTION $T atan2_$S($T y, $T x) { return atan2(y, x); }
FUNCTION $T hypot_$S($T y, $T x) { return hypot(y, x); }
FUNCTION $T nextafter_$S($T x, $T y) { return nextafter(x, y); }
FUNCTION $T pow_$S($T x, $T y) { return pow(x, y); }
FUNCTION $T sigmoid_$S($T x) {
    $T z = exp_$S(-FABS_$S(x));
    return (x < 0 ? z : ($T)1) / (1 + z);
}
FUNCTION $T maximum_$S($T a, $T b) { return (a > b) | (a != a) ? a : b; }
FUNCTION $T minimum_$S($T a, $T b) { return (a < b) | (a != a) ? a : b; }
/* Integers that are ordered as floats are, zeros alike, NaN beyond all: above for a maximum, below for a minimum. */
FUNCTION i$WIDTH key_$S($T x) {
    i$WIDTH bits = (i$WIDTH)BITS$WIDTH(x);
    bits = x == 0 ? 0 : bits;
    return bits ^ (i$WIDTH)((u$WIDTH)(bits >> ($WIDTH - 1)) >> 1);
}
FUNCTION i$WIDTH key_max_$S($T x) { return x != x ? (i$WIDTH)((u$WIDTH)-1 >> 1) : key_$S(x); }
FUNCTION i$WIDTH key_min_$S($T x) { return x != x ? (i$WIDTH)((u$WIDTH)1 << ($WIDTH - 1)) : key_$S(x); }
FUNCTION $T from_key_$S(i$WIDTH key) { return FROM_BITS$WIDTH(key ^ (i$WIDTH)((u$WIDTH)(key >> ($WIDTH - 1)) >> 1)); }
/* Extremes, which NaN comes through, from those of the bits: the greatest as a signed integer, the least and the greatest
   as an unsigned one. A vector folds each of these in one instruction. */
FUNCTION int nan_in_bits_$S(i$WIDTH high, u$WIDTH top) {
    return (high > (i$WIDTH)BITS$WIDTH(($T)INFINITY)) | (top > BITS$WIDTH(-($T)INFINITY));
}
FUNCTION $T max_of_bits_$S(i$WIDTH high, u$WIDTH low, u$WIDTH top) {
    return nan_in_bits_$S(high, top) ? ($T)NAN : FROM_BITS$WIDTH(high >= 0 ? (u$WIDTH)high : low);
}
FUNCTION $T min_of_bits_$S(i$WIDTH high, u$WIDTH low, u$WIDTH top) {
    return nan_in_bits_$S(high, top) ? ($T)NAN : FROM_BITS$WIDTH(top >> ($WIDTH - 1) ? top : low);
}

/* Divisions with a whole quotient, floored from the exact remainder since a / b may round up to it. */
FUNCTION $T fmod_$S($T a, $T b) { return fmod(a, b); }
FUNCTION $T remainder_$S($T a, $T b) {
    $T rest = fmod_$S(a, b);
    return (rest != 0) & ((b < 0) != (rest < 0)) ? rest + b : rest;
}
FUNCTION $T floor_divide_$S($T a, $T b) {
    $T rest = fmod_$S(a, b), quotient = (a - rest) / b, whole;
    quotient = (rest != 0) & ((b < 0) != (rest < 0)) ? quotient - 1 : quotient;
    whole = FLOOR_$S(quotient);
    whole = quotient - whole > ($T)0.5 ? whole + 1 : whole;
    whole = quotient == 0 ? COPYSIGN_$S(($T)0, a / b) : whole;
    return b == 0 ? a / b : whole;
}

/* Giles, "Approximating the erfinv function" (2012), then Newton's steps on erf or, near 1, erfc. */
FUNCTION $T erfinv_$S($T y) {
    $T size = FABS_$S(y), bounded = size < 1 ? size : ($T)0.5;
    $T w = -log((1 - bounded) * (1 + bounded)), near = w - (($T)2.5), far = SQRT_$S(w) - 3, p, q, x;
    int i;
    p = ($T)2.81022636e-08 * near + ($T)3.43273939e-07;
    p = p * near - ($T)3.5233877e-06;
    p = p * near - ($T)4.39150654e-06;
    p = p * near + ($T)0.00021858087;
    p = p * near - ($T)0.00125372503;
    p = p * near - ($T)0.00417768164;
    p = p * near + ($T)0.246640727;
    p = p * near + ($T)1.50140941;
    q = ($T)-0.000200214257 * far + ($T)0.000100950558;
    q = q * far + ($T)0.00134934322;
    q = q * far - ($T)0.00367342844;
    q = q * far + ($T)0.00573950773;
    q = q * far - ($T)0.0076224613;
    q = q * far + ($T)0.00943887047;
    q = q * far + ($T)1.00167406;
    q = q * far + ($T)2.83297682;
    x = bounded * (w < 5 ? p : q);
    for (i = 0; i < 2; i++) {
        $T error = bounded > ($T)0.5 ? (1 - bounded) - erfc(x) : erf(x) - bounded;
        error = error / (($T)1.1283791670955126 * exp(-x * x));
        x = x - error / (1 + x * error);
    }
    x = size == 1 ? ($T)INFINITY : size < 1 ? x : ($T)NAN;
    return size < ($T)1e-9 ? y * ($T)0.88622692545275801 : COPYSIGN_$S(x, y);
}

/* Reflection below 0 (by the distance to the nearest pole, which is exact), recurrence up to 8, asymptotic series
   (Abramowitz, Stegun 6.3.18). */
FUNCTION $T digamma_$S($T x) {
    $T y = x < 0 ? 1 - x : x, sum = 0, z, p, result;
    $T fraction = x - RINT_$S(x);
    int i;
    if (x == 0)
        return COPYSIGN_$S(($T)INFINITY, -x);
    if (x < 0 && fraction == 0)
        return ($T)NAN;
    if (x == ($T)INFINITY)
        return x;
    for (i = 0; i < 8; i++) {
        sum += y < 8 ? 1 / y : 0;
        y += y < 8 ? 1 : 0;
    }
    z = 1 / (y * y);
    p = ($T)0.083333333333333333 * z - ($T)0.021092796092796093;
    p = p * z + ($T)0.0075757575757575758;
    p = p * z - ($T)0.0041666666666666667;
    p = p * z + ($T)0.0039682539682539683;
    p = p * z - ($T)0.0083333333333333333;
    p = p * z + ($T)0.083333333333333333;
    result = log(y) - (($T)0.5 / y + z * p) - sum;
    return x < 0 ? result - ($T)3.141592653589793 / tan(($T)3.141592653589793 * fraction) : result;
}
