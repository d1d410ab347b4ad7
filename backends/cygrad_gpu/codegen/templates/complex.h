/* Functions over $T. */
FUNCTION $T mul_$S($T a, $T b) { return $MAKE(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
/* Smith's method. */
FUNCTION $T div_$S($T p, $T q) {
    $R ratio, scale;
    if (FABS_$RS(q.x) >= FABS_$RS(q.y)) {
        if (q.x == 0 && q.y == 0)
            return $MAKE(p.x / FABS_$RS(q.x), p.y / FABS_$RS(q.x));
        ratio = q.y / q.x;
        scale = ($R)1 / FMA_$RS(q.y, ratio, q.x);
        return $MAKE(FMA_$RS(p.y, ratio, p.x) * scale, FMA_$RS(-p.x, ratio, p.y) * scale);
    }
    ratio = q.x / q.y;
    scale = ($R)1 / FMA_$RS(q.x, ratio, q.y);
    return $MAKE(FMA_$RS(p.x, ratio, p.y) * scale, FMA_$RS(p.y, ratio, -p.x) * scale);
}
FUNCTION $T sign_$S($T z) {
    $R size = hypot_$RS(z.x, z.y);
    return size != 0 ? $MAKE(z.x / size, z.y / size) : $MAKE(size, size);
}
FUNCTION $T reciprocal_$S($T z) { return div_$S($MAKE(1, 0), z); }
/* exp(re) * (cos(im), sin(im)), with the zeros and infinities of C99. */
FUNCTION $T exp_$S($T z) {
    $R size = exp_$RS(z.x);
    if (z.y == 0)
        return $MAKE(size, z.y);
    if (!(FABS_$RS(z.y) < ($R)INFINITY)) {
        if (z.x == ($R)-INFINITY)
            return $MAKE(0, COPYSIGN_$RS(($R)0, z.y));
        return $MAKE(z.x == ($R)INFINITY ? z.x : ($R)NAN, ($R)NAN);
    }
    if (size == ($R)INFINITY && z.x < ($R)INFINITY) {         /* the product may still be finite */
        $R half_size = exp_$RS(z.x * ($R)0.5);
        return $MAKE(half_size * cos_$RS(z.y) * half_size, half_size * sin_$RS(z.y) * half_size);
    }
    return $MAKE(size * cos_$RS(z.y), size * sin_$RS(z.y));
}
FUNCTION $T log_$S($T z) {
    $R a = FABS_$RS(z.x), b = FABS_$RS(z.y), large = a > b ? a : b, small = a > b ? b : a, size;
    if (large > ($R)0.5 && large < ($R)2)                     /* near 1: from the square less 1, without cancellation */
        size = ($R)0.5 * log1p_$RS((large - 1) * (large + 1) + small * small);
    else
        size = log_$RS(hypot_$RS(z.x, z.y));
    return $MAKE(size, atan2_$RS(z.y, z.x));
}
FUNCTION $T scaled_$S($T z, $R s) { return $MAKE(z.x * s, z.y * s); }
FUNCTION $T exp2_$S($T z) { return exp_$S(scaled_$S(z, ($R)0.6931471805599453)); }
FUNCTION $T expm1_$S($T z) {
    $R half_sine = sin_$RS(z.y / 2);
    return $MAKE(expm1_$RS(z.x) * cos_$RS(z.y) - 2 * half_sine * half_sine, exp_$RS(z.x) * sin_$RS(z.y));
}
FUNCTION $T log2_$S($T z) { return scaled_$S(log_$S(z), ($R)1.4426950408889634); }
FUNCTION $T log10_$S($T z) { return scaled_$S(log_$S(z), ($R)0.4342944819032518); }
FUNCTION $T log1p_$S($T z) {
    if (FABS_$RS(z.x) > ($R)0.5 || FABS_$RS(z.y) > ($R)0.5)
        return log_$S($MAKE(1 + z.x, z.y));
    return $MAKE(($R)0.5 * log1p_$RS(z.x * (2 + z.x) + z.y * z.y), atan2_$RS(z.y, 1 + z.x));
}
/* The larger part from the modulus, the other by division (Kahan, "Branch cuts for complex elementary functions"). */
FUNCTION $T sqrt_$S($T z) {
    $R a = FABS_$RS(z.x), b = FABS_$RS(z.y), root, other, scale = 1;
    if (b == ($R)INFINITY)
        return $MAKE(b, z.y);
    if (z.x != z.x || z.y != z.y)
        return $MAKE(z.x == ($R)INFINITY ? z.x : ($R)NAN, z.x == ($R)-INFINITY ? ($R)INFINITY : ($R)NAN);
    if (a == ($R)INFINITY)
        return z.x > 0 ? $MAKE(z.x, COPYSIGN_$RS(($R)0, z.y)) : $MAKE(0, COPYSIGN_$RS(a, z.y));
    if (a == 0 && b == 0)
        return $MAKE(0, z.y);
    if (a > ($R)1e30 || b > ($R)1e30) {
        a /= 16;
        b /= 16;
        scale = 4;
    } else if (a < ($R)1e-30 && b < ($R)1e-30) {
        a *= ($R)1.8446744073709552e19;
        b *= ($R)1.8446744073709552e19;
        scale = ($R)2.3283064365386963e-10;
    }
    root = SQRT_$RS((a + hypot_$RS(a, b)) / 2);
    other = b / (2 * root) * scale;
    root *= scale;
    return z.x >= 0 ? $MAKE(root, COPYSIGN_$RS(other, z.y)) : $MAKE(other, COPYSIGN_$RS(root, z.y));
}
FUNCTION $T rsqrt_$S($T z) { return reciprocal_$S(sqrt_$S(z)); }
FUNCTION $T sigmoid_$S($T z) {
    $T e = exp_$S($MAKE(-z.x, -z.y));
    return reciprocal_$S($MAKE(1 + e.x, e.y));
}
/* exp(re) / 2 * (cos(im), sin(im)), for an exponential that overflows where the product need not. */
FUNCTION $T half_exp_$S($R re, $R im) {
    $R root = exp_$RS(re * ($R)0.5);
    return $MAKE(root * ($R)0.5 * cos_$RS(im) * root, root * ($R)0.5 * sin_$RS(im) * root);
}
/* Zeros, infinities and NaN of these and of the inverse functions are those of C99's Annex G. Where that leaves a sign
   open, it is the one that glibc gives, whose functions the CPU backend calls. */
FUNCTION $T sinh_$S($T z) {
    if (z.y == 0)
        return $MAKE(sinh_$RS(z.x), z.y);
    if (!(FABS_$RS(z.y) < ($R)INFINITY))
        return $MAKE(z.x == 0 ? z.x : FABS_$RS(z.x) == ($R)INFINITY ? ($R)INFINITY : ($R)NAN, ($R)NAN);
    if (FABS_$RS(z.x) > ($R)(sizeof($R) == 4 ? 88 : 709)) {
        $T far = half_exp_$S(FABS_$RS(z.x), z.y);
        return $MAKE(z.x < 0 ? -far.x : far.x, far.y);
    }
    return $MAKE(sinh_$RS(z.x) * cos_$RS(z.y), cosh_$RS(z.x) * sin_$RS(z.y));
}
FUNCTION $T cosh_$S($T z) {
    if (z.y == 0)
        return $MAKE(cosh_$RS(z.x), z.x == z.x ? COPYSIGN_$RS(($R)1, z.x) * z.y : z.y);
    if (!(FABS_$RS(z.y) < ($R)INFINITY))
        return $MAKE(FABS_$RS(z.x) == ($R)INFINITY ? ($R)INFINITY : ($R)NAN, z.x == 0 ? ($R)0 : ($R)NAN);
    if (FABS_$RS(z.x) > ($R)(sizeof($R) == 4 ? 88 : 709)) {
        $T far = half_exp_$S(FABS_$RS(z.x), z.y);
        return $MAKE(far.x, z.x < 0 ? -far.y : far.y);
    }
    return $MAKE(cosh_$RS(z.x) * cos_$RS(z.y), sinh_$RS(z.x) * sin_$RS(z.y));
}
/* Kahan's form, which overflows nowhere: t = tan(im), s = sinh(re). */
FUNCTION $T tanh_$S($T z) {
    $R t, beta, s, rho;
    if (!(FABS_$RS(z.y) < ($R)INFINITY)) {
        if (FABS_$RS(z.x) == ($R)INFINITY)
            return $MAKE(COPYSIGN_$RS(($R)1, z.x), COPYSIGN_$RS(($R)0, z.y));
        return $MAKE(z.x == 0 ? z.x : ($R)NAN, ($R)NAN);
    }
    if (FABS_$RS(z.x) > ($R)(sizeof($R) == 4 ? 10 : 20))
        return $MAKE(COPYSIGN_$RS(($R)1, z.x), 2 * sin_$RS(2 * z.y) * exp_$RS(-2 * FABS_$RS(z.x)));
    if (z.y == 0)
        return $MAKE(tanh_$RS(z.x), z.y);
    t = tan_$RS(z.y);
    beta = 1 + t * t;
    s = sinh_$RS(z.x);
    rho = SQRT_$RS(1 + s * s);
    return $MAKE(beta * rho * s / (1 + beta * s * s), t / (1 + beta * s * s));
}
/* By multiplication with i: sin(z) = -i sinh(iz), and so on. */
FUNCTION $T sin_$S($T z) { $T w = sinh_$S($MAKE(-z.y, z.x)); return $MAKE(w.y, -w.x); }
FUNCTION $T cos_$S($T z) { return cosh_$S($MAKE(-z.y, z.x)); }
FUNCTION $T tan_$S($T z) { $T w = tanh_$S($MAKE(-z.y, z.x)); return $MAKE(w.y, -w.x); }
/* Inverse functions after Kahan, as above. */
FUNCTION $T asinh_$S($T z) {
    if (z.y == 0 && z.x != z.x)
        return z;
    $T p = sqrt_$S($MAKE(1 + z.y, -z.x)), q = sqrt_$S($MAKE(1 - z.y, z.x));     /* sqrt(1 - iz), sqrt(1 + iz) */
    if (FABS_$RS(z.x) > ($R)1e8 || FABS_$RS(z.y) > ($R)1e8) {
        $T far = log_$S($MAKE(FABS_$RS(z.x), FABS_$RS(z.y)));
        return $MAKE(COPYSIGN_$RS(far.x + ($R)0.6931471805599453, z.x), COPYSIGN_$RS(far.y, z.y));
    }
    return $MAKE(asinh_$RS(p.x * q.y - p.y * q.x), atan2_$RS(z.y, p.x * q.x - p.y * q.y));
}
FUNCTION $T asin_$S($T z) { $T w = asinh_$S($MAKE(-z.y, z.x)); return $MAKE(w.y, -w.x); }
FUNCTION $T acos_$S($T z) {
    $T p = sqrt_$S($MAKE(1 - z.x, -z.y)), q = sqrt_$S($MAKE(1 + z.x, z.y));
    if (FABS_$RS(z.x) > ($R)1e8 || FABS_$RS(z.y) > ($R)1e8) {
        $T far = log_$S($MAKE(z.x, FABS_$RS(z.y)));
        return $MAKE(far.y, COPYSIGN_$RS(far.x + ($R)0.6931471805599453, -z.y));
    }
    if (z.x == 0 && z.y != z.y)
        return $MAKE(($R)1.5707963267948966, z.y);
    return $MAKE(2 * atan2_$RS(p.x, q.x), asinh_$RS(q.x * p.y - q.y * p.x));
}
FUNCTION $T acosh_$S($T z) {
    $T w = acos_$S(z);
    $R turn = COPYSIGN_$RS(w.x, z.y);
    return $MAKE(FABS_$RS(w.y), turn);
}
/* The real part from |re|, which keeps the argument of log1p away from -1. */
FUNCTION $T atanh_$S($T z) {
    $R a = FABS_$RS(z.x), b = z.y, below = 1 - a, quarter;
    if (a != a || b != b) {
        if (FABS_$RS(b) == ($R)INFINITY)
            return $MAKE(COPYSIGN_$RS(($R)0, z.x), COPYSIGN_$RS(($R)1.5707963267948966, b));
        return $MAKE(a == 0 || a == ($R)INFINITY ? COPYSIGN_$RS(($R)0, z.x) : ($R)NAN, ($R)NAN);
    }
    if (a > ($R)1e8 || FABS_$RS(b) > ($R)1e8) {
        $T inverse = div_$S($MAKE(1, 0), z);
        return $MAKE(COPYSIGN_$RS(a < ($R)INFINITY && FABS_$RS(b) < ($R)INFINITY ? inverse.x : ($R)0, z.x),
                     COPYSIGN_$RS(($R)1.5707963267948966, b));
    }
    if (below == 0 && FABS_$RS(b) < ($R)1e-9)                 /* next to the pole, where the square of b may vanish */
        quarter = (($R)0.6931471805599453 - log_$RS(FABS_$RS(b))) / 2;
    else
        quarter = log1p_$RS(4 * a / (below * below + b * b)) / 4;
    return $MAKE(COPYSIGN_$RS(quarter, z.x), atan2_$RS(2 * b, below * (1 + a) - b * b) / 2);
}
FUNCTION $T atan_$S($T z) { $T w = atanh_$S($MAKE(-z.y, z.x)); return $MAKE(w.y, -w.x); }
FUNCTION $T pow_$S($T a, $T b) {
    if (b.x == 0 && b.y == 0)
        return $MAKE(1, 0);
    if (a.x == 0 && a.y == 0)
        return b.y == 0 && b.x > 0 ? $MAKE(0, 0) : exp_$S(mul_$S(b, log_$S(a)));
    return exp_$S(mul_$S(b, log_$S(a)));
}
