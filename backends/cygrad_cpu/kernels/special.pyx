"""Special functions over float32 and float64: erf, erfc, erfinv, lgamma, digamma.

Assumes contiguous runs (see `loops`). All but lgamma of float64 are branch-free and vectorise. Polynomials are minimax
fits (Remez); float32 results but erf's come from the 30-bit grade of `elementary`.
"""
from libc.math cimport INFINITY, NAN, fabs, lgamma, rint, sqrt
from libc.string cimport memcpy, memset

cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad_cpu.elementary cimport *
from cygrad_cpu.loops cimport Kernels, unary_loop
from cygrad_cpu.numbers cimport Real

cdef extern from *:
    """
    /* Elements of four vectors. */
    #if defined(__AVX512F__)
    #define CYGRAD_STRIP 64
    #elif defined(__AVX__)
    #define CYGRAD_STRIP 32
    #else
    #define CYGRAD_STRIP 16
    #endif
    """
    enum:
        STRIP "CYGRAD_STRIP"

cdef enum:
    LONGEST_STRIP = 64

cdef struct Erf:
    char tag
cdef struct Erfc:
    char tag
cdef struct Erfinv:
    char tag
cdef struct Lgamma:
    char tag
cdef struct Digamma:
    char tag

cdef fused Function:
    Erf
    Erfc
    Erfinv
    Lgamma
    Digamma


# ---- error function

cdef inline double erf_series(double x, Real *grade) noexcept nogil:
    """erf(x) / x - 1 for |x| <= 1."""
    cdef double z = x * x, p
    if Real is float:
        p = -9.6415243908730156383e-6
        p = p * z + 0.00011256950861341705382
        p = p * z - 0.00084828292567361134718
        p = p * z + 0.0052209454612656576995
        p = p * z - 0.026865400052334123343
        p = p * z + 0.11283781974285535671
        p = p * z - 0.37612638434664226592
        return p * z + 0.1283791670580237622
    else:
        p = 5.9452572845328265731e-11
        p = p * z - 1.1365663460445110125e-9
        p = p * z + 1.4657879238739531955e-8
        p = p * z - 1.6350025140912134475e-7
        p = p * z + 1.6460972810247708704e-6
        p = p * z - 0.000014925593506540704548
        p = p * z + 0.000120553310368889494
        p = p * z - 0.00085483269787420512511
        p = p * z + 0.00522397762478086733
        p = p * z - 0.026866170645072895423
        p = p * z + 0.11283791670954857498
        p = p * z - 0.37612638903183747604
        return p * z + 0.1283791670955125737


cdef inline double quick_erfc_far(double x) noexcept nogil:
    """erfc(x) for 1 <= x < 26: e^(x^2) erfc(x) (1 + 2x) is a polynomial in (x - 3) / (x + 3)."""
    cdef double q = (x - 3) / (x + 3), p = -0.00070402542917902747941
    p = p * q + 0.0018206982901060246881
    p = p * q + 0.0025118503949221421552
    p = p * q - 0.023754894311174064424
    p = p * q + 0.06830986144450129842
    p = p * q - 0.11927513449694794303
    p = p * q + 0.12964507616650890779
    p = p * q - 0.047562245833859420718
    p = p * q - 0.13562110498756679698
    p = p * q + 1.2530080580144987646
    return quick_exp(-x * x) * p / (1 + 2 * x)


cdef inline Parts gaussian(double x) noexcept nogil:
    """e^(-x^2) as high * (1 + low). The square of x's first 24 bits is exact; the rest of it goes into `low`."""
    cdef double head = <double><float>x, y = -head * head
    cdef double rest = (head - x) * (head + x)
    cdef double tail = (y if y > -800 else -800.0) * 1.4426950408889634 + 6755399441055744.0
    cdef double k = tail - 6755399441055744.0
    cdef double r = (y - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10
    cdef double lost = k * 1.90821492927058770002e-10
    cdef double minus, value
    cdef Parts bell
    minus = (lost - r * r * full_exp_series(r)) - (y - k * 6.93147180369123816490e-01)
    value = 1 - minus
    bell.high = scaled_down(value, tail)
    bell.low = rest * (1 + rest * (0.5 + rest * 0.16666666666666667)) + ((1 - value) - minus) * (2 - value)
    return bell


cdef inline double full_erfc_far(double x, Parts bell) noexcept nogil:
    """As quick_erfc_far, for x < 28, with bell = e^(-x^2); what each rounding lost is put back to first order."""
    cdef double q = (x - 3) / (x + 3), p, sum_, below, lost, y
    p = -1.8636173517785102024e-8
    p = p * q + 2.76186505311536684e-8
    p = p * q + 1.1932797822471072367e-7
    p = p * q - 1.365248757784961025e-7
    p = p * q - 6.3245678867305173503e-7
    p = p * q + 3.5933719770260362494e-7
    p = p * q + 3.4794243214958895303e-6
    p = p * q - 7.3411257247191567176e-7
    p = p * q - 0.00002010236680965975776
    p = p * q + 4.9504291915718142701e-6
    p = p * q + 0.00012509964086272727215
    p = p * q - 0.00010515998782578765003
    p = p * q - 0.0007798323025253038449
    p = p * q + 0.0018886903810684314816
    p = p * q + 0.0025293918182551514213
    p = p * q - 0.023770514920071527543
    p = p * q + 0.068308027343873548736
    p = p * q - 0.11927366341526289259
    p = p * q + 0.12964515870276338069
    p = p * q - 0.047562294353451303634
    p = p * q - 0.13562110612458119644
    p = p * q
    sum_ = p + 1.2530080582697296531
    lost = ((1.2530080582697296531 - sum_) + p) * 0.8
    below = 1 + 2 * x
    lost = lost - (2 * x - (below - 1)) / below + bell.low
    y = bell.high * (sum_ / below)
    return y + y * lost


cdef inline double erf_full(double x) noexcept nogil:
    cdef double size = fabs(x)
    cdef double far = 6.0 if size > 6 else (size if size > 1 else 1.0)
    far = 1 - full_erfc_far(far, gaussian(far))
    return x + x * erf_series[double](x, NULL) if size < 1 else (with_sign(far, x) if size >= 1 else x)


cdef inline double erfc_(double x, Real *grade) noexcept nogil:
    cdef double size = fabs(x)
    cdef double far = 1.0 if size < 1 else size
    if Real is float:
        far = quick_erfc_far(11.0 if far > 11 else far)
    else:
        far = 28.0 if far > 28 else far
        far = full_erfc_far(far, gaussian(far))
    far = 2 - far if x < 0 else far
    return (1 - x) - x * erf_series[Real](x, grade) if size < 1 else (far if size >= 1 else x)


cdef inline double erfinv_(double y, Real *grade) noexcept nogil:
    """y times a polynomial of w = -log(1 - y^2), from w = 5 on of sqrt(w), as in Giles, "Approximating the erfinv
    function" (2012); for float64 then a step of Halley's method, past erf(1) on erfc, which keeps digits."""
    cdef double size = fabs(y)
    cdef double bounded = size if size < 1 else 0.5
    cdef double w = -quick_log((1 - bounded) * (1 + bounded))
    cdef double near = w - 2.5, far = sqrt(w), p, q, error, x, slope
    cdef Parts bell
    if Real is float:
        far = far - 3
        p = -8.7909419072163868361e-9
        p = p * near + 2.323271222856782473e-8
        p = p * near + 4.6616942685105350056e-7
        p = p * near - 3.4627052176392490628e-6
        p = p * near - 4.9633444010468013821e-6
        p = p * near + 0.00021834443861244728606
        p = p * near - 0.0012527418796388679395
        p = p * near - 0.0041773867736383374259
        p = p * near + 0.2466402861541032942
        p = p * near + 1.5014093592796357387
        q = -0.000030763085859111396194
        q = q * far + 0.00016161661630171614901
        q = q * far - 0.00027531715890898317601
        q = q * far - 0.00012152021745709399208
        q = q * far + 0.0014736718221396157503
        q = q * far - 0.0035664416204371977741
        q = q * far + 0.0056881138410989768355
        q = q * far - 0.0076428594328950181019
        q = q * far + 0.009445260232402231089
        q = q * far + 1.0016752395776233238
        q = q * far + 2.8329768021422253439
    else:
        far = far - 4
        p = 2.8533361129313908601e-8
        p = p * near + 3.437290857058778166e-7
        p = p * near - 3.528840171130969896e-6
        p = p * near - 4.3968070183388073608e-6
        p = p * near + 0.00021860210606316759101
        p = p * near - 0.001253707423582297184
        p = p * near - 0.0041777076011838939691
        p = p * near + 0.2466407260428716577
        p = p * near + 1.5014094215483044878
        q = -1.6048162418939482105e-6
        q = q * far + 0.000019459322018194024619
        q = q * far - 0.000067081661822475975254
        q = q * far + 0.000081351514108462318669
        q = q * far - 0.000057218905349266183863
        q = q * far + 0.0002715759750048381693
        q = q * far - 0.00091447610827062168719
        q = q * far + 0.0012853570650007867924
        q = q * far + 1.009503912047184002
        q = q * far + 3.839781978408631055
    x = bounded * (p if w < 5 else q)
    if Real is double:
        bell = gaussian(x)
        error = (1 - bounded) - full_erfc_far(x, bell) if x > 1 else (x - bounded) + x * erf_series[Real](x, grade)
        error = error / (1.1283791670955126 * bell.high * (1 + bell.low))
        x = x - error / (1 + x * error)
    x = INFINITY if size == 1 else (x if size < 1 else NAN)
    return y * 0.88622692545275801 if size < 1e-9 else with_sign(x, y)


# ---- gamma function

cdef inline double stirling(double y) noexcept nogil:
    """log(gamma(y)) for y >= 7."""
    cdef double r = 1 / y
    cdef double z = r * r
    cdef double p = 0.0064102564102564103 * z - 0.0019175269175269175
    p = p * z + 0.00084175084175084175
    p = p * z - 0.00059523809523809524
    p = p * z + 0.00079365079365079365
    p = p * z - 0.0027777777777777778
    p = p * z + 0.083333333333333333
    return (y - 0.5) * (full_log(y) - 1) + (0.41893853320467274 + r * p)


cdef inline Parts half_turn(double f) noexcept nogil:
    """sin and cos (high and low) of pi f / 2 for |f| <= 1/2."""
    cdef double h = f * 1.5707963267948966
    cdef double z = h * h
    cdef double s = 1.5896523783068392916e-10, c = -1.1359458305353501562e-11
    cdef Parts both
    s = s * z - 2.5050753628517372221e-8
    s = s * z + 2.7557313664719514633e-6
    s = s * z - 0.00019841269829734276474
    s = s * z + 0.0083333333333223292393
    s = s * z - 0.16666666666666631728
    c = c * z + 2.0875719761752532726e-9
    c = c * z - 2.7557314327683999294e-7
    c = c * z + 0.000024801587289401372795
    c = c * z - 0.0013888888888874002644
    c = c * z + 0.04166666666666659883
    both.high = h + h * z * s
    both.low = (1 - 0.5 * z) + z * z * c
    return both


cdef inline double lgamma_for_float(double x) noexcept nogil:
    """In double, so that the zeros at 1 and 2 cost no digit of a float: gamma(x) = gamma(x + 7) / (x ... (x + 6))."""
    cdef double y = 1 - x if x < 0.5 else x
    cdef double product = y * (y + 1) * (y + 2) * (y + 3) * (y + 4) * (y + 5) * (y + 6)
    cdef bint small = y < 7
    cdef double result = stirling(y + 7 if small else y) - (full_log(product) if small else 0.0)
    cdef Parts half = half_turn(x - rint(x))
    cdef double reflected = full_log(1.5707963267948966 / fabs(half.high * half.low)) - result
    result = reflected if x < 0.5 else result
    result = 0.0 if (x == 1) | (x == 2) else result
    return INFINITY if fabs(x) == INFINITY else result


cdef inline double digamma_near_root(double x) noexcept nogil:
    """For |x - 1.4616...| < 0.22: the distance to the root, in full, times a polynomial."""
    cdef double t = (x - 1.4616321449683622) - 9.5499954299656977152e-17, p = -0.001734422076684185278
    p = p * t + 0.0025257626130073952267
    p = p * t - 0.0033565285912192947584
    p = p * t + 0.0049091149441763113593
    p = p * t - 0.0072051199166081752825
    p = p * t + 0.010539521553073668168
    p = p * t - 0.015424751331019192708
    p = p * t + 0.022597631585176640442
    p = p * t - 0.033161126678693343493
    p = p * t + 0.048804288369929202379
    p = p * t - 0.072199561254960095939
    p = p * t + 0.10782405069001448649
    p = p * t - 0.16394270544241137021
    p = p * t + 0.25849976095565389133
    p = p * t - 0.44276316898359210162
    return t * (p * t + 0.96767224544762116934)


cdef inline double digamma_(double x) noexcept nogil:
    """Reflection below 0, digamma(x + 8) less the sum of 1 / (x + i), asymptotic series (Abramowitz, Stegun 6.3.18)."""
    cdef double y = 1 - x if x < 0 else x
    cdef bint small = y < 8
    cdef double product = y, slope = 1, z, p, result, f, tangent
    cdef Parts half
    cdef int i
    for i in range(1, 8):               # (product)' / product is the sum
        slope = slope * (y + i) + product
        product = product * (y + i)
    y = y + 8 if small else y
    z = 1 / (y * y)
    p = 0.083333333333333333 * z - 0.021092796092796093
    p = p * z + 0.0075757575757575758
    p = p * z - 0.0041666666666666667
    p = p * z + 0.0039682539682539683
    p = p * z - 0.0083333333333333333
    p = p * z + 0.083333333333333333
    result = full_log(y) - (0.5 / y + z * p) - (slope / product if small else 0.0)
    f = x - rint(x)
    half = half_turn(f)
    tangent = 2 * half.high * half.low / ((half.low - half.high) * (half.low + half.high))
    result = result - 3.141592653589793 / tangent if x < 0 else result
    result = NAN if (x < 0) & (f == 0) else result
    result = with_sign(INFINITY, -x) if x == 0 else result
    result = digamma_near_root(x) if fabs(x - 1.46163) < 0.21 else result
    return x if x == INFINITY else result


cdef inline float power_of_two_single(float q) noexcept nogil:
    """2^q for -126 <= q < 127."""
    cdef float tail = q + <float>12582912.0
    cdef float r = q - (tail - <float>12582912.0)
    cdef float p = <float>0.000154614475
    p = p * r + <float>0.00133908674
    p = p * r + <float>0.00961805667
    p = p * r + <float>0.055503571
    p = p * r + <float>0.240226509
    p = p * r + <float>0.693147188
    return (p * r + <float>1) * float_from((bits_of_float(tail) << 23) + (<unsigned int>127 << 23))


cdef inline float erf_single(float x) noexcept nogil:
    """An odd polynomial below 1; beyond, 1 - 2^q for a polynomial q of |x|, up to 4, where erf is 1 in float32."""
    cdef float size = fabsf(x), square = x * x
    cdef float t = <float>4 if size > <float>4 else (size if size > <float>1 else <float>1)
    cdef float q = <float>-0.00165970402, p = <float>7.88912294e-05
    q = q * t + <float>0.021320289
    q = q * t + <float>-0.12787199
    q = q * t + <float>-0.944228113
    q = q * t + <float>-1.61212289
    q = q * t + <float>-0.00385447708
    p = p * square + <float>-0.000802084222
    p = p * square + <float>0.00518953567
    p = p * square + <float>-0.0268544443
    p = p * square + <float>0.112836003
    p = p * square + <float>-0.37612626
    p = p * square + <float>0.128379166
    q = copysignf(<float>1 - power_of_two_single(q), x)
    return x + x * p if size < <float>1 else (q if size >= <float>1 else x)


# ---- GELU, on a strip whose vectors go through each step together: one alone would wait for its own results

cdef inline void multiply_add(float *p, const float *x, float c) noexcept nogil:
    """p = p * x + c."""
    cdef Py_ssize_t k
    for k in range(STRIP):
        p[k] = p[k] * x[k] + c


cdef inline void gelu_strip(const float *a, float *out) noexcept nogil:
    """max(x, 0) - t Phi(-t) with t = |x|; log2 of Phi(-t) is a polynomial up to 8, beyond which Phi(-t) is 0."""
    cdef float t[LONGEST_STRIP]
    cdef float q[LONGEST_STRIP]
    cdef float p[LONGEST_STRIP]
    cdef float r[LONGEST_STRIP]
    cdef unsigned int size, eight = bits_of_float(<float>8)
    cdef Py_ssize_t k
    for k in range(STRIP):
        size = bits_of_float(a[k]) & 0x7FFFFFFF         # as integers, positive floats have the same order
        t[k] = float_from(size if size < eight else eight)
    for k in range(STRIP):
        q[k] = <float>6.46629772e-08 * t[k] + <float>-1.93356118e-06
    multiply_add(q, t, <float>2.17225715e-05)
    multiply_add(q, t, <float>-8.88774302e-05)
    multiply_add(q, t, <float>-0.000388399349)
    multiply_add(q, t, <float>0.00739906589)
    multiply_add(q, t, <float>-0.0527250431)
    multiply_add(q, t, <float>-0.45913583)
    multiply_add(q, t, <float>-1.15111351)
    multiply_add(q, t, <float>-0.999999821)
    for k in range(STRIP):
        p[k] = q[k] + <float>12582912.0
    for k in range(STRIP):
        r[k] = q[k] - (p[k] - <float>12582912.0)
    for k in range(STRIP):
        q[k] = t[k] * float_from((bits_of_float(p[k]) << 23) + (<unsigned int>127 << 23))
    for k in range(STRIP):
        p[k] = <float>0.00132647273 * r[k] + <float>0.00967151299
    multiply_add(p, r, <float>0.0555073359)
    multiply_add(p, r, <float>0.240222424)
    multiply_add(p, r, <float>0.693147004)
    multiply_add(p, r, <float>1)
    for k in range(STRIP):
        out[k] = (<float>0 if a[k] < 0 else a[k]) - q[k] * p[k]       # NaN comes through here


cdef void gelu_loop(const float *a, float *out, Py_ssize_t n, void *op) noexcept nogil:
    cdef float rest[LONGEST_STRIP]
    cdef Py_ssize_t i = 0
    while i + STRIP <= n:
        gelu_strip(a + i, out + i)
        i += STRIP
    if i < n:
        memset(rest, 0, sizeof(rest))
        memcpy(rest, a + i, (n - i) * sizeof(float))
        gelu_strip(rest, rest)
        memcpy(out + i, rest, (n - i) * sizeof(float))


cdef inline double evaluate(Function *op, double x, Real *grade) noexcept nogil:
    if Function is Erf:
        return erf_single(<float>x) if Real is float else erf_full(x)
    elif Function is Erfc:
        return erfc_[Real](x, grade)
    elif Function is Erfinv:
        return erfinv_[Real](x, grade)
    elif Function is Lgamma:
        return lgamma_for_float(x) if Real is float else lgamma(x)
    else:
        return digamma_(x)


cdef void loop(const Real *a, Real *out, Py_ssize_t n, Function *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <Real>evaluate[Function, Real](op, a[i], NULL)


cdef void put(Kernels *table, int op, int code, unary_loop function) noexcept:
    table.unary[op][code] = function


cdef void install_real(Kernels *table, int code, Real *tag) noexcept:
    put(table, ops.ERF, code, <unary_loop>loop[Real, Erf])
    put(table, ops.ERFC, code, <unary_loop>loop[Real, Erfc])
    put(table, ops.ERFINV, code, <unary_loop>loop[Real, Erfinv])
    put(table, ops.LGAMMA, code, <unary_loop>loop[Real, Lgamma])
    put(table, ops.DIGAMMA, code, <unary_loop>loop[Real, Digamma])


def install(size_t address):
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_real(table, FLOAT32, <float *>NULL)
    install_real(table, FLOAT64, <double *>NULL)
    table.gelu[<int>FLOAT32] = <unary_loop>gelu_loop
