/* fmod, remainder and floor_divide, as exponential.h says; after it. usual_NAME holds for most arguments, rare_NAME says
   for which it does not. */

/* The whole quotient and the rest. At worst the quotient rounds up to a whole number: then the remainder has the wrong
   sign; both are put right. */
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
