/* erf, erfc, erfinv, lgamma and digamma, as exponential.h says; after it. float32 results but erf's come from the
   30-bit grade. A function that holds for most arguments only is usual_NAME, and rare_NAME says for which it does not. */

/* erf(x) / x - 1 for |x| <= 1. */
FUNCTION f64 quick_erf_series(f64 x) {
    f64 z = x * x, p = -9.641524390873016e-06;
    p = p * z + 0.00011256950861341705;
    p = p * z - 0.0008482829256736113;
    p = p * z + 0.005220945461265658;
    p = p * z - 0.026865400052334124;
    p = p * z + 0.11283781974285535;
    p = p * z - 0.37612638434664225;
    return p * z + 0.12837916705802377;
}
FUNCTION f64 full_erf_series(f64 x) {
    f64 z = x * x, p = 5.945257284532827e-11;
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
    return size < 1 ? x + x * full_erf_series(x) : size >= 1 ? with_sign(far, x) : x;
}

FUNCTION f64 quick_erfc(f64 x) {
    f64 size = FABS_f64(x);
    f64 far = size < 1 ? 1.0 : size;
    far = quick_erfc_far(far > 11 ? 11.0 : far);
    far = x < 0 ? 2 - far : far;
    return size < 1 ? 1 - x - x * quick_erf_series(x) : size >= 1 ? far : x;
}
FUNCTION f32 erfc_f32(f32 x) { return (f32)quick_erfc(x); }

FUNCTION f64 erfc_f64(f64 x) {
    f64 size = FABS_f64(x);
    f64 far = size < 1 ? 1.0 : size;
    far = far > 28 ? 28.0 : far;
    far = full_erfc_far(far, gaussian(far));
    far = x < 0 ? 2 - far : far;
    return size < 1 ? 1 - x - x * full_erf_series(x) : size >= 1 ? far : x;
}

/* y times a polynomial of w = -log(1 - y^2), from w = 5 on of sqrt(w), as in Giles, "Approximating the erfinv
   function" (2012); for float64 then a step of Halley's method, past erf(1) on erfc, which keeps digits. */
FUNCTION f64 quick_erfinv(f64 y) {
    f64 size = FABS_f64(y);
    f64 bounded = size < 1 ? size : 0.5;
    f64 w = -quick_log((1 - bounded) * (1 + bounded));
    f64 near = w - 2.5, far = SQRT_f64(w) - 3, p, q, x;
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
FUNCTION f32 erfinv_f32(f32 x) { return (f32)quick_erfinv(x); }
FUNCTION f64 erfinv_f64(f64 y) {
    f64 size = FABS_f64(y);
    f64 bounded = size < 1 ? size : 0.5;
    f64 w = -quick_log((1 - bounded) * (1 + bounded));
    f64 near = w - 2.5, far = SQRT_f64(w) - 4, p, q, error, x;
    parts bell;
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
    error = x > 1 ? 1 - bounded - full_erfc_far(x, bell) : x - bounded + x * full_erf_series(x);
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
    return (y - 0.5) * (log_f64(y) - 1) + (0.4189385332046727 + r * p);
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
    f64 result = stirling(small ? y + 7 : y) - (small ? log_f64(product) : 0.0);
    parts halved = half_turn(x - RINT_f64(x));
    f64 reflected = log_f64(1.5707963267948966 / FABS_f64(halved.high * halved.low)) - result;
    result = x < 0.5 ? reflected : result;
    result = (x == 1) | (x == 2) ? 0.0 : result;
    return FABS_f64(x) == INFINITY ? INFINITY : result;
}
FUNCTION f32 lgamma_f32(f32 x) { return (f32)lgamma_for_float(x); }

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
    f64 reflected = log_f64(1.5707963267948966 / (y * FABS_f64(halved.high * halved.low))) - result;
    result = x < 0 ? reflected : result;
    result = y < 1e-20 ? -log_f64(y) : result;
    return y == INFINITY ? y : x != x ? x : result;
}

/* Without the reflection. */
FUNCTION f64 usual_lgamma_f64(f64 x) { return lgamma_of_positive(x); }
FUNCTION int rare_lgamma_f64(f64 x) { return !(x > 1e-300); }

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
    result = log_f64(y) - (0.5 / y + z * p) - (small ? slope / product : 0.0);
    f = x - RINT_f64(x);
    halved = half_turn(f);
    tangent = 2 * halved.high * halved.low / ((halved.low - halved.high) * (halved.low + halved.high));
    result = x < 0 ? result - 3.141592653589793 / tangent : result;
    result = (x < 0) & (f == 0) ? NAN : result;
    result = x == 0 ? with_sign(INFINITY, -x) : result;
    result = FABS_f64(x - 1.46163) < 0.21 ? digamma_near_root(x) : result;
    return x == INFINITY ? x : result;
}
FUNCTION f32 digamma_f32(f32 x) { return (f32)digamma_f64(x); }
