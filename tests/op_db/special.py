"""Special functions: Bessel and Airy functions, the normal distribution, orthogonal polynomials, zeta."""

from .table import HALF, REAL, Op, Sample as S

SERIES = "another series: PyTorch's are good for 7 digits in places"
OPS = []
TYPES = REAL + ("int64", "uint8", "bool")


def op(name, samples, **kwargs):
    kwargs.setdefault("dtypes", TYPES)
    kwargs.setdefault("method", False)
    OPS.append(Op(name, samples, out=True, **kwargs))


def elements(low, high, special=()):
    def generate(make):
        for layout in ("contiguous", "transposed", "sliced", "expanded"):
            yield S(make(3, 4, low=low, high=high, layout=layout))
        yield S(make(40, low=low, high=high))
        yield S(make(0))
        yield S(make(low=low, high=high))
        if make.is_float:
            yield S(make.of([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, -1.0, *special])).kink()
    return generate


for name in ("i0e", "i1", "i1e"):
    op("special." + name, elements(-20, 20, (8.0, 8.5)), tolerance=8.0, reason=SERIES)
op("i0", elements(-20, 20, (8.0, 8.5)), tolerance=8.0, reason=SERIES, method=True, inplace=True, also=("special.i0",))
op("special.erfcx", elements(-3, 20, (50.0, 1e10)), tolerance=8.0, reason=SERIES)
op("special.ndtr", elements(-8, 8, (40.0, -40.0)), tolerance=8.0, reason=SERIES)
op("special.log_ndtr", lambda make: [S(make(3, 4)), S(make(40, low=-5, high=8)), S(make(3, 4, layout="transposed")),
    S(make(0))], tolerance=20.0, reason="PyTorch's derivative cancels in the tail")  # fmt: skip
op("special.ndtri", elements(0.001, 0.999, (0.5, 1e-30, 2.0)), tolerance=8.0, reason=SERIES)
op("special.entr", elements(0.1, 5, (2.0,)))
for name in ("modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1",
             "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0"):
    op("special." + name, elements(0.1, 20, (2.0, 8.0, 0.5)), diff=False, tolerance=20.0, reason=SERIES)
for name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai"):
    op("special." + name, elements(-20, 4.5 if name == "airy_ai" else 4.9, (2.0, 3.0)), diff=False, tolerance=3e7,
       reason=SERIES, dtypes=("float64",))
    OPS[-1].dtypes = ("float64",)


def places_and_degrees(make):
    for layout in ("contiguous", "transposed", "expanded"):
        yield S(make(3, 4, low=-1.5, high=1.5, layout=layout), make(3, 4, low=0, high=12, grad=False))
    yield S(make(3, 4), make.index(4, high=9))
    yield S(make(5), 3)
    yield S(make(5), 30)
    yield S(make(3, 4, low=-1.5, high=1.5), make.index(4, high=25))
    yield S(make(5), -1)
    yield S(2, make.index(5, high=7))
    yield S(make.of([1, 0, 1, 0, 2, 3]), make.index(6, high=9))
    yield S(2, 3)
    yield S(make(3), make(2))


for name in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
             "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"):
    for prefix in ("", "shifted_") if name.startswith("chebyshev") else ("",):
        op(f"special.{prefix}{name}", places_and_degrees, diff=False, tolerance=100.0,
           reason="rounding grows with the degree", dtypes=REAL + ("int64",))
op("special.xlog1py", lambda make: [S(make(3, 4), make(3, 4, low=-0.9, high=4)), S(make(3, 4), make(4, low=0)),
    S(make(3, layout="expanded_scalar"), 2), S(2, make(3, low=0)), S(make.of([0, 1]), make.of([-1, -1])).kink(),
    S(make(2), make(3)), S(2, 3)], tolerance=4.0, reason=SERIES)  # fmt: skip
op("special.zeta", lambda make: [S(make(3, 4, low=1.1, high=9, grad=False), make(3, 4, low=0.5, high=12)),
    S(make(3, low=2, high=9, grad=False), 2), S(3, make(4, low=0.5)), S(make.of([1, 2, 0, 2], grad=False), 1),
    S(make.of([2, 3, 2], grad=False), make.of([0, -1, -2])).kink(), S(2, 3), S(make(2), make(3))],
   tolerance=20.0, reason=SERIES)  # fmt: skip
op("kaiser_window", lambda make: [S(n, dtype=make.D) for n in (0, 1, 5, 8)] + [S(7, False), S(6, True, 3.0),
    S(6, True, 0.0, dtype=make.D), S(-1)], dtypes=REAL, diff=False, tolerance=8.0, reason=SERIES)  # fmt: skip
OPS[-1].out = False


def gammas(make):
    """Both of every size: series, fractions and expansions."""
    for layout in ("contiguous", "transposed", "expanded"):
        yield S(make(3, 4, low=0.1, high=6, layout=layout, grad=False), make(3, 4, low=0.1, high=9))
    yield S(make(4, 40, low=0.1, high=60, grad=False), make(40, low=0.1, high=60))
    yield S(make(40, low=20, high=60, grad=False), make(40, low=20, high=60))
    yield S(make(40, low=0.01, high=2, grad=False), make(40, low=0.001, high=1.5))
    yield S(make(0), make(0))
    yield S(make(2), make(3))
    edges = [0.0, 0.0, -1.0, 1.0, 2.0, float("inf"), 1.0, float("nan"), 3.0]
    yield S(make.of(edges, grad=False), make.of([
        0.0, 1.0, 1.0, -1.0, float("inf"), 1.0, float("nan"), 1.0, 0.0])).kink()


EXPANSION = "PyTorch's expansion for large numbers is good for 9 digits"
for name in ("igamma", "igammac"):
    op(name, gammas, tolerance=5e3, reason=EXPANSION, dtypes=REAL, method=True, inplace=True, gradcheck=False,
       also=("special.gammainc" + name[6:],))
    OPS[-1].coarsest = "float32"
op("frexp", lambda make: [S(make(3, 4)), S(make(3, 4, layout="transposed")), S(make(0)), S(make.special()).kink()],
   dtypes=HALF + REAL + ("int64", "complex64"), method=True, exact=True)
OPS[-1].out = False
