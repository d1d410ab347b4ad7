/* Functions over $T. A divisor of 0 is taken for 1: the host has looked before and raises. */
FUNCTION $T abs_$S($T x) { return ($T)(x < 0 ? -x : x); }
FUNCTION $T trunc_divide_$S($T a, $T b) {
    $T divisor = b == 0 ? ($T)1 : b;
    return b == ($T)-1 && ($T)-1 < 0 ? ($T)-a : ($T)(a / divisor);      /* the least integer over -1 traps */
}
FUNCTION $T fmod_$S($T a, $T b) { return ($T)(a - trunc_divide_$S(a, b) * b); }
FUNCTION $T floor_divide_$S($T a, $T b) {
    $T quotient = trunc_divide_$S(a, b), rest = ($T)(a - quotient * b);
    return ($T)(quotient - ((rest != 0) & ((rest < 0) != (b < 0))));
}
FUNCTION $T remainder_$S($T a, $T b) {
    $T rest = fmod_$S(a, b);
    return ($T)((rest != 0) & ((rest < 0) != (b < 0)) ? rest + b : rest);
}
FUNCTION $T left_shift_$S($T a, $T b) {
    int outside = (b < 0) | (b >= $WIDTH);
    return ($T)(outside ? 0 : (u64)a << (outside ? 0 : b));
}
FUNCTION $T right_shift_$S($T a, $T b) {
    int outside = (b < 0) | (b >= $WIDTH);
    return ($T)(outside ? (a < 0 ? -1 : 0) : a >> (outside ? 0 : b));
}
/* Euclid's algorithm on the magnitudes, unsigned since the least integer has none of its own type. */
FUNCTION $T gcd_$S($T a, $T b) {
    u64 x = a < 0 ? -(u64)a : (u64)a, y = b < 0 ? -(u64)b : (u64)b;
    while (x != 0) {
        u64 rest = y % x;
        y = x;
        x = rest;
    }
    return ($T)y;
}
FUNCTION $T lcm_$S($T a, $T b) {
    $T divisor = gcd_$S(a, b);
    if (divisor == 0)
        return 0;
    i64 product = (i64)trunc_divide_$S(a, divisor) * b;
    if ($WIDTH > 16)
        product = ($T)product;
    return ($T)(product < 0 ? -product : product);
}
/* Square and multiply; a negative exponent leaves 0 but for bases 1 and -1. */
FUNCTION $T pow_$S($T base, $T exponent) {
    $T result = 1;
    u64 left = (u64)exponent;
    if (exponent < 0)
        return base == 1 ? 1 : base == ($T)-1 ? (exponent & 1 ? -1 : 1) : 0;
    while (left) {
        if (left & 1)
            result = ($T)(result * base);
        base = ($T)(base * base);
        left >>= 1;
    }
    return result;
}
