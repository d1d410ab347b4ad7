# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic
"""Trigonometric loops over float32 and float64: sin, cos, tan, their inverses, atan2, hypot.

Assumes contiguous runs (see `loops`). The formulas are branch-free and vectorise (see `elementary` for the grades);
runs that hold an argument beyond their range go to libm element by element. Reductions and the layout of the
float64 formulas follow FreeBSD's msun; polynomials are minimax fits.
"""
from libc.math cimport INFINITY, NAN, atan2, cos, fabs, hypot, sin, sqrt, tan

cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad_cpu.elementary cimport *
from cygrad_cpu.loops cimport BOTH_VECTORS, FIRST_SCALAR, SECOND_SCALAR, Kernels, binary_loop, unary_loop
from cygrad_cpu.numbers cimport Real

cdef struct Sin:
    char tag
cdef struct Cos:
    char tag
cdef struct Tan:
    char tag
cdef struct Asin:
    char tag
cdef struct Acos:
    char tag
cdef struct Atan:
    char tag
cdef struct Atan2:
    char tag
cdef struct Hypot:
    char tag

cdef fused Periodic:
    Sin
    Cos
    Tan

cdef fused Inverse:
    Asin
    Acos
    Atan

cdef fused Plane:
    Atan2
    Hypot

cdef enum:
    RUN = 64                # elements between two looks for rare arguments
    FAR = 1048576           # the reduction by pi/2 holds up to here


# ---- reduction: x = q pi/2 + r, |r| <= pi/4, for |x| < 2^20

cdef inline double quarter_turns(double x) noexcept nogil:
    """q + 1.5 * 2^52: the integer is in the low bits."""
    return x * 0.6366197723675814 + 6755399441055744.0


cdef inline double quick_rest(double x, double q) noexcept nogil:
    return (x - q * 1.57079632673412561417) - q * 6.07710050650619224932e-11


cdef inline Parts full_rest(double x, double q) noexcept nogil:
    """r in two parts, right even where x is near a multiple of pi/2: that is taken in three parts of 33 bits, so that
    their products with q are exact, and a rest."""
    cdef Parts r
    cdef double step = q * 6.07710050630396597660e-11
    cdef double first = x - q * 1.57079632673412561417
    cdef double second = first - step
    cdef double rest = (first - second) - step
    step = q * 2.02226624871116645580e-21
    first = second
    second = first - step
    rest = (q * 8.47842766036889956997e-32 - ((first - second) - step)) - rest
    r.high = second - rest
    r.low = (second - r.high) - rest
    return r


# ---- sine and cosine of a reduced argument

cdef inline float single_sine(float r, float z) noexcept nogil:
    cdef float p = <float>-0.000195166847
    p = p * z + <float>0.0083321738
    p = p * z + <float>-0.166666549
    return r + r * (z * p)


cdef inline float single_cosine(float z) noexcept nogil:
    cdef float p = <float>0.0000244377406
    p = p * z + <float>-0.00138873616
    p = p * z + <float>0.0416666468
    return (<float>1 - <float>0.5 * z) + z * z * p


cdef inline double quick_sine(double r, double z) noexcept nogil:
    cdef double p = 2.7182411959155639195e-6
    p = p * z - 0.00019839327634678075956
    p = p * z + 0.0083333293642534156033
    p = p * z - 0.16666666641450185608
    return r + r * z * p


cdef inline double quick_cosine(double z) noexcept nogil:
    cdef double p = -2.7209563610244265009e-7
    p = p * z + 0.000024799511985130625819
    p = p * z - 0.0013888883723616342319
    p = p * z + 0.041666666622491211316
    return (1 - 0.5 * z) + z * z * p


cdef inline Parts full_sine(Parts r) noexcept nogil:
    """In two parts: the value and what it has lost."""
    cdef Parts sine
    cdef double z = r.high * r.high, p = 1.5896523783068392916e-10, small
    p = p * z - 2.5050753628517372221e-8
    p = p * z + 2.7557313664719514633e-6
    p = p * z - 0.00019841269829734276474
    p = p * z + 0.0083333333333223292393
    small = (r.low - z * (0.5 * r.low - z * r.high * p)) - z * r.high * 0.16666666666666631728
    sine.high = r.high + small
    sine.low = (r.high - sine.high) + small
    return sine


cdef inline Parts full_cosine(Parts r) noexcept nogil:
    cdef Parts cosine
    cdef double z = r.high * r.high, p = -1.1359458305353501562e-11, half, one, small
    p = p * z + 2.0875719761752532726e-9
    p = p * z - 2.7557314327683999294e-7
    p = p * z + 0.000024801587289401372795
    p = p * z - 0.0013888888888874002644
    p = p * z + 0.04166666666666659883
    half = 0.5 * z
    one = 1 - half
    small = ((1 - one) - half) + (z * z * p - r.high * r.low)
    cosine.high = one + small
    cosine.low = (one - cosine.high) + small
    return cosine


cdef inline double full_tangent(Parts sine, Parts cosine, double z, bint odd) noexcept nogil:
    """sine / cosine or -cosine / sine; the lost parts times a rough 1 / divisor correct the quotient."""
    cdef double secant = 1 + z * (0.5 + z * 0.25)
    cdef double top = -cosine.high if odd else sine.high
    cdef double bottom = sine.high if odd else cosine.high
    cdef double y = top / bottom
    cdef double lost = -cosine.low - y * sine.low if odd else sine.low - y * cosine.low
    return y + lost * (-y * secant if odd else secant)


cdef inline Real periodic(Periodic *op, Real x) noexcept nogil:
    cdef double tail = quarter_turns(x)
    cdef double q = tail - 6755399441055744.0, sine, cosine, z, y
    cdef float short, square, w
    cdef unsigned int turns
    cdef unsigned long long quarter
    cdef Parts r
    if Real is float and Periodic is not Tan:
        short = <float>quick_rest(x, q)
        square = short * short
        turns = <unsigned int>bits_of(tail)
        if Periodic is Cos:
            turns += 1
        w = single_cosine(square) if turns & 1 else single_sine(short, square)
        return float_from(bits_of_float(w) ^ ((turns & 2) << 30))
    else:
        quarter = bits_of(tail)
        if Periodic is Cos:
            quarter += 1
        if Real is float:
            z = quick_rest(x, q)
            sine = quick_sine(z, z * z)
            cosine = quick_cosine(z * z)
            return <Real>((-cosine if quarter & 1 else sine) / (sine if quarter & 1 else cosine))
        else:
            r = full_rest(x, q)
            if Periodic is Tan:
                return full_tangent(full_sine(r), full_cosine(r), r.high * r.high, quarter & 1)
            else:
                y = full_cosine(r).high if quarter & 1 else full_sine(r).high
                return double_from(bits_of(y) ^ ((quarter & 2) << 62))


cdef inline Real signed_zero(Periodic *op, Real x, Real y) noexcept nogil:
    """sin(-0) and tan(-0) are -0, of which the reduction to a quarter turn loses the sign."""
    if Periodic is Cos:
        return y
    else:
        return x if x == 0 else y


cdef inline double periodic_slowly(Periodic *op, double x) noexcept nogil:
    if Periodic is Sin:
        return sin(x)
    elif Periodic is Cos:
        return cos(x)
    else:
        return tan(x)


# ---- inverse functions

cdef inline double quick_asin_series(double z) noexcept nogil:
    """(asin(s) / s - 1) / z with z = s^2 <= 1/4."""
    cdef double p = 0.033008506905222571466
    p = p * z + 0.0018873194990827552768
    p = p * z + 0.020681502902769947048
    p = p * z + 0.02185878515032452759
    p = p * z + 0.030427270035019932636
    p = p * z + 0.044640665255053153698
    p = p * z + 0.075000050946915116527
    return p * z + 0.16666666626371024819


cdef inline double full_asin_series(double z) noexcept nogil:
    cdef double p = 0.033813056937939372145
    p = p * z - 0.026435783255585238051
    p = p * z + 0.025042170198527206281
    p = p * z + 0.00058660535544701495479
    p = p * z + 0.010037376017462146275
    p = p * z + 0.0094784696025073150723
    p = p * z + 0.01158645631215030948
    p = p * z + 0.013961827342944292497
    p = p * z + 0.017352948367285981291
    p = p * z + 0.022372151467272178587
    p = p * z + 0.030381944648341657639
    p = p * z + 0.044642857139632575539
    p = p * z + 0.075000000000025694677
    return p * z + 0.16666666666666659532


cdef inline Real asin_(Real x) noexcept nogil:
    """From 1/2 on, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2))."""
    cdef double size = fabs(x), rest, part, y
    cdef bint inner = size < 0.5
    cdef double z = size * size if inner else 0.5 - 0.5 * size
    cdef double s = size if inner else sqrt(z)
    if Real is float:
        y = s + s * z * quick_asin_series(z)
        y = y if inner else 1.5707963267948966 - 2 * y
        return copysignf(<float>y, x)
    else:
        y = z * full_asin_series(z)
        part = double_from(bits_of(s) & <unsigned long long>0xFFFFFFFF00000000)     # its square is exact
        rest = (z - part * part) / (s + part)
        rest = 2 * s * y - (6.12323399573676603587e-17 - 2 * rest)
        rest = 7.85398163397448278999e-01 - (rest - (7.85398163397448278999e-01 - 2 * part))
        rest = 1.5707963267948966 if size == 1 else (rest if size <= 1 else NAN)
        return with_sign(s + s * y if inner else rest, x)


cdef inline Real acos_(Real x) noexcept nogil:
    cdef double size = fabs(x), rest, part, y, above, below
    cdef bint inner = size < 0.5
    cdef double z = size * size if inner else 0.5 - 0.5 * size
    cdef double s = x if inner else sqrt(z)
    if Real is float:
        y = s + s * z * quick_asin_series(z)
        above = 3.141592653589793 - 2 * y if x < 0 else 2 * y
        return <float>(1.5707963267948966 - y if inner else above)
    else:
        y = z * full_asin_series(z)
        part = double_from(bits_of(s) & <unsigned long long>0xFFFFFFFF00000000)
        rest = (z - part * part) / (s + part)
        rest = rest if z > 0 else z
        above = 2 * (part + (y * s + rest))
        below = 3.141592653589793 - 2 * (s + (y * s - 6.12323399573676603587e-17))
        y = 1.57079632679489655800 - (s - (6.12323399573676603587e-17 - s * y))
        return y if inner else (below if x < 0 else above)


cdef inline double quick_atan_series(double t) noexcept nogil:
    """atan(t) - t for |t| <= tan(pi/8)."""
    cdef double z = t * t, p = -0.037928900881540678341
    p = p * z + 0.069916900817639758737
    p = p * z - 0.089969984166105974933
    p = p * z + 0.11104027859947871193
    p = p * z - 0.14285425384288953967
    p = p * z + 0.19999994384947677559
    p = p * z - 0.33333333296384834311
    return t * z * p


cdef inline double full_atan_series(double t) noexcept nogil:
    cdef double z = t * t, p = 0.015189072178912527652
    p = p * z - 0.033469097790445583762
    p = p * z + 0.045033505009899092927
    p = p * z - 0.052183645103282898664
    p = p * z + 0.058770172850707239766
    p = p * z - 0.066662265066350028699
    p = p * z + 0.076922827595501286619
    p = p * z - 0.090909081455931072371
    p = p * z + 0.11111111088245762397
    p = p * z - 0.14285714285389983929
    p = p * z + 0.19999999999997695893
    p = p * z - 0.3333333333333332765
    return t * z * p


cdef inline Real atan_of_ratio(double numerator, double denominator, Real *tag) noexcept nogil:
    """Angle of 0 <= numerator, 0 < denominator: t is the ratio, (n - d) / (n + d) or -d / n, off 0, pi/4 or pi/2."""
    cdef bint small = numerator <= 0.41421356 * denominator
    cdef bint large = numerator > 2.4142135 * denominator
    cdef double top = numerator if small else (-denominator if large else numerator - denominator)
    cdef double bottom = denominator if small else (numerator if large else numerator + denominator)
    cdef double t = top / bottom
    cdef double high = 0.0 if small else (1.57079632679489655800 if large else 7.85398163397448278999e-01)
    cdef double low = 0.0 if small else (6.12323399573676603587e-17 if large else 3.06161699786838301793e-17)
    if Real is float:
        return <Real>(high + (t + quick_atan_series(t)))
    else:
        return high + (t + (full_atan_series(t) + low))


cdef inline Real atan_(Real x) noexcept nogil:
    cdef double size = fabs(x)
    cdef double bounded = 1e300 if size > 1e300 else size
    if Real is float:
        return copysignf(atan_of_ratio[Real](bounded, 1, NULL), x)
    else:
        return with_sign(atan_of_ratio[Real](bounded, 1, NULL), x)


cdef inline Real inverse(Inverse *op, Real x) noexcept nogil:
    if Inverse is Asin:
        return asin_(x)
    elif Inverse is Acos:
        return acos_(x)
    else:
        return atan_(x)


# ---- the plane

cdef inline bint is_rare(Real x, Real y) noexcept nogil:
    """What the plane's formulas leave to libm: zeros, infinities, NaN, and in float64 sizes whose squares don't fit."""
    if Real is float:
        return not ((fabsf(x) < <float>INFINITY) & (fabsf(y) < <float>INFINITY) & (x != 0) & (y != 0))
    else:
        return not ((fabs(x) < 1e150) & (fabs(y) < 1e150) & (fabs(x) > 1e-140) & (fabs(y) > 1e-140))


cdef inline Real plane(Plane *op, Real y, Real x) noexcept nogil:
    cdef double high = fabs(y), wide = fabs(x), angle
    if Plane is Hypot:
        return <Real>sqrt(high * high + wide * wide)
    elif Real is float:
        angle = <double>atan_of_ratio[double](high, wide, NULL)
        angle = 3.141592653589793 - angle if x < 0 else angle
        return copysignf(<float>angle, y)
    else:
        angle = atan_of_ratio[double](high, wide, NULL)
        angle = 3.141592653589793 - (angle - 1.2246467991473532e-16) if x < 0 else angle
        return with_sign(angle, y)


cdef inline Real plane_slowly(Plane *op, Real y, Real x) noexcept nogil:
    if Plane is Hypot:
        return <Real>hypot(y, x)
    else:
        return <Real>atan2(y, x)


# ---- loops

cdef void periodic_loop(const Real *a, Real *out, Py_ssize_t n, Periodic *op) noexcept nogil:
    cdef Py_ssize_t start = 0, stop, i
    cdef int rare
    while start < n:
        stop = min(start + RUN, n)
        rare = 0
        for i in range(start, stop):
            rare |= not fabs(a[i]) < FAR
        if rare:
            for i in range(start, stop):
                out[i] = (signed_zero[Periodic, Real](op, a[i], periodic[Periodic, Real](op, a[i]))
                          if fabs(a[i]) < FAR else <Real>periodic_slowly[Periodic](op, a[i]))
        else:
            for i in range(start, stop):
                out[i] = signed_zero[Periodic, Real](op, a[i], periodic[Periodic, Real](op, a[i]))
        start = stop


cdef void inverse_loop(const Real *a, Real *out, Py_ssize_t n, Inverse *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = inverse[Inverse, Real](op, a[i])


cdef int plane_loop(const Real *a, const Real *b, Real *out, Py_ssize_t n, int form, Plane *op) noexcept nogil:
    cdef Py_ssize_t start = 0, count, i
    cdef Real scalars[RUN]
    cdef const Real *y = a
    cdef const Real *x = b
    cdef int rare
    if form != BOTH_VECTORS:
        for i in range(RUN):
            scalars[i] = a[0] if form == FIRST_SCALAR else b[0]
    while start < n:
        count = min(<Py_ssize_t>RUN, n - start)
        y = <const Real *>&scalars[0] if form == FIRST_SCALAR else a + start
        x = <const Real *>&scalars[0] if form == SECOND_SCALAR else b + start
        rare = 0
        for i in range(count):
            rare |= is_rare(x[i], y[i])
        if rare:
            for i in range(count):
                out[start + i] = (plane_slowly[Plane, Real](op, y[i], x[i]) if is_rare(x[i], y[i])
                                  else plane[Plane, Real](op, y[i], x[i]))
        else:
            for i in range(count):
                out[start + i] = plane[Plane, Real](op, y[i], x[i])
        start += count
    return 0


# ---- table

cdef void put(Kernels *table, int op, int code, unary_loop function) noexcept:
    table.unary[op][code] = function


cdef void put_binary(Kernels *table, int op, int code, binary_loop function) noexcept:
    table.binary[op][code] = function


cdef void install_real(Kernels *table, int code, Real *tag) noexcept:
    put(table, ops.SIN, code, <unary_loop>periodic_loop[Real, Sin])
    put(table, ops.COS, code, <unary_loop>periodic_loop[Real, Cos])
    put(table, ops.TAN, code, <unary_loop>periodic_loop[Real, Tan])
    put(table, ops.ASIN, code, <unary_loop>inverse_loop[Real, Asin])
    put(table, ops.ACOS, code, <unary_loop>inverse_loop[Real, Acos])
    put(table, ops.ATAN, code, <unary_loop>inverse_loop[Real, Atan])
    put_binary(table, ops.ATAN2, code, <binary_loop>plane_loop[Real, Atan2])
    put_binary(table, ops.HYPOT, code, <binary_loop>plane_loop[Real, Hypot])


def install(size_t address):
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_real(table, FLOAT32, <float *>NULL)
    install_real(table, FLOAT64, <double *>NULL)
