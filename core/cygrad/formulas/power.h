/* pow, as exponential.h says; after it. usual_pow holds for most arguments, rare_pow says for which it does not. */

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
