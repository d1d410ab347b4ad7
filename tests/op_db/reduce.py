"""Reductions, scans and softmax."""

import numpy as np

from .samplers import PLACEMENTS, along_dim, chain, reduction
from .table import ALL, COMPLEX, REAL, Attr, ErrorSample, Op, Sample as S

SUMS = "a sum's rounding depends on the order of its terms"
OPS = []

dim_errors = [
    ErrorSample(lambda m: m.sum(m.ones(2, 3), dim=2), "dim out of range"),
    ErrorSample(lambda m: m.sum(m.ones(2, 3), dim=(0, 0)), "dim twice"),
    ErrorSample(lambda m: m.sum(m.ones(2, 3), dim=(0, -2)), "the same dim under two names"),
    ErrorSample(lambda m: m.sum(m.ones(()), dim=1), "0-d has only dims 0 and -1"),
]
empty_errors = [
    ErrorSample(lambda m: m.zeros(0).max(), "max of nothing"),
    ErrorSample(lambda m: m.zeros(2, 0).max(dim=1), "max over an empty axis"),
    ErrorSample(lambda m: m.zeros(2, 0).amax(dim=1), "amax over an empty axis"),
    ErrorSample(lambda m: m.zeros(0).argmax(), "argmax of nothing"),
]


def logsumexps(make):
    """Complex ones in a row of their own: into a real ``out=`` PyTorch writes the logarithm of another sum."""
    yield from (S(make(*s, layout=k), dim=d, keepdim=b) for s, k in PLACEMENTS for d in (0, -1) for b in (False, True))


OPS += [
    Op("sum", reduction(dtype_arg=True), out=True, tolerance=4.0, reason=SUMS, errors=dim_errors),
    Op("nansum", reduction(), out=True, tolerance=4.0, reason=SUMS),
    Op("mean", reduction(dtype_arg=True), out=True, tolerance=4.0, reason=SUMS, errors=[
        ErrorSample(lambda m: m.mean(m.ones(2, dtype=m.int64)), "mean of integers")]),
    Op("prod", reduction(several=False, low=0.5, high=2, dtype_arg=True), out=True, tolerance=8.0,
    reason="a product of 41 numbers"),
    Op("amax", reduction(distinct=True), out=True, exact=True, errors=empty_errors[2:3]),
    Op("amin", reduction(distinct=True), out=True, exact=True),
    Op("max", reduction(several=False, distinct=True), exact=True, out=False, errors=empty_errors[:2]),
    Op("min", reduction(several=False, distinct=True), exact=True, out=False),
    Op("argmax", reduction(several=False, distinct=True), exact=True, out=True, diff=False, errors=empty_errors[3:]),
    Op("argmin", reduction(several=False, distinct=True), exact=True, out=True, diff=False),
    Op("aminmax", lambda make: [S(make(2, 3)), S(make(2, 3), dim=1), S(make(3, 2, layout="transposed"), dim=0,
    keepdim=True)],
       exact=True, out=True),
    Op("any", reduction(), exact=True, diff=False, out=False),
    Op("all", reduction(), exact=True, diff=False, out=False),
    Op("count_nonzero", chain(
        lambda make: (S(make(*s, layout=k, low=-1, high=1)) for s, k in PLACEMENTS),
        lambda make: [S(make(2, 3, low=-1, high=1), dim=d) for d in (0, -1, (0, 1), 2)]), exact=True, diff=False),
    Op("logsumexp", logsumexps, out=True, tolerance=4.0, reason=SUMS, dtypes=[d for d in ALL if d not in COMPLEX]),
    Op("logsumexp.complex", logsumexps, lambda m, *a, **k: m.logsumexp(*a, **k), tolerance=4.0, reason=SUMS,
       dtypes=COMPLEX),
]  # fmt: skip


def empty_max(make):
    """The two-tensor and the keepdim forms of max; ties go to the first."""
    yield S(make(2, 3), make(2, 3))
    yield S(make(2, 3), make(3))
    yield S(make.of([[1, 1, 0], [0, 1, 1]]), 1).kink()
    yield S(make.of([[1, 1, 0], [0, 1, 1]]), 0, True).kink()
    yield S(make.of([1, 1, 0])).kink()


OPS += [
    Op("max.ties", empty_max, lambda m, *a: m.max(*a), exact=True),
    Op("min.ties", empty_max, lambda m, *a: m.min(*a), exact=True),
    Op("amax.ties", lambda make: [S(make.of([[1, 1, 0], [0, 1, 1]]), 1).kink(), S(make.of([1, 1, 0]), 0).kink()],
       lambda m, *a: m.amax(*a), exact=True, gradcheck=False),
    Op("prod.zeros", lambda make: [
        S(make.of(x), *d) for x in ([2, 0, 3], [0, 0, 3], [0, 1, 2]) for d in ((), (0,))],
       lambda m, *a: m.prod(*a), exact=True),
]  # fmt: skip


def variance(make):
    """Not over ``dim=()``: PyTorch 2.13 divides by zero in that backward."""
    yield from (s for s in reduction(specials=False)(make) if s.kwargs.get("dim") != ())
    for kwargs in ({"unbiased": False}, {"correction": 0}, {"correction": 2}, {"correction": 1}):
        yield S(make(3, 4), **kwargs)
        yield S(make(3, 4), dim=1, **kwargs)
        yield S(make(4, 3, layout="transposed"), dim=(0, 1), keepdim=True, **kwargs)
    yield S(make(3, 4), 1, False)
    yield S(make(3, 4), 1, True, True)


VARIANCE = "the mean is subtracted first, so rounding adds up"
OPS += [
    Op("var", variance, out=False, tolerance=8.0, reason=VARIANCE, gradgradcheck=True),
    Op("std", variance, out=False, tolerance=8.0, reason=VARIANCE),
    Op("var_mean", variance, tolerance=8.0, reason=VARIANCE, method=False),
    Op("std_mean", variance, tolerance=8.0, reason=VARIANCE, method=False),
]


def norms(make):
    for p in (2, 1, 0, 3, 2.5, float("inf"), -float("inf"), "fro"):
        yield S(make(2, 3), p)
        yield S(make(2, 3), p, dim=1)
        yield S(make(3, 2, layout="transposed"), p, dim=0, keepdim=True)
        yield S(make(2, 3, 2), p, dim=(0, 2)) if p != "fro" else S(make(2, 3), p, dim=(0, 1))
    yield S(make(2, 3))
    yield S(make())
    yield S(make(0))
    yield S(make(41))
    yield S(make(2, 3, layout="sliced"), dim=1)
    yield S(make(2, 3), dtype=Attr("float64"))
    yield S(make.of([0, 0])).kink()


def vector_norms(make):
    for ord_ in (2, 1, 0, 3, 2.5, -1, float("inf"), -float("inf")):
        yield S(make(2, 3, low=1), ord_)
        yield S(make(2, 3, low=1), ord_, dim=1)
        yield S(make(3, 2, layout="transposed", low=1), ord_, dim=(0,), keepdim=True)
    yield S(make(2, 3))
    yield S(make(0))
    yield S(make(2, 0), dim=1)
    yield S(make(2, 3), dtype=Attr("float64"))


OPS += [
    Op("norm", norms, tolerance=8.0, reason=SUMS),
    Op("linalg.vector_norm", vector_norms, out=True, method=False, tolerance=8.0, reason=SUMS),
    Op("dist", lambda make: [S(make(2, 3), make(2, 3)), S(make(2, 3), make(3), 1), S(make(4), make(4), p=3)],
       tolerance=8.0, reason=SUMS),
    Op("renorm", lambda make: [S(make(3, 4), 2, 0, 1.0), S(make(3, 4, layout="sliced"), 1, -1, 2.5)],
       inplace=True, out=True, tolerance=8.0, reason=SUMS),
]  # fmt: skip


def cumulative(make):
    yield from along_dim(low=0.5, high=2)(make)
    yield S(make(2, 3), 1)
    for name in ("float64", "float32", "int64", "bool"):
        yield S(make(2, 3), dim=0, dtype=Attr(name))


def with_zeros(make):
    yield S(make.of([[2, 0, 3, 1], [0, 2, 0, 1], [1, 2, 3, 4]]), 1)
    yield S(make.of([[2, 0, 3, 1], [0, 2, 0, 1], [1, 2, 3, 4]]), 0)


OPS += [
    Op("cumsum", cumulative, inplace=True, out=True, tolerance=4.0, reason=SUMS),
    Op("cumprod", chain(cumulative, with_zeros), inplace=True, out=True, tolerance=8.0,
    reason="a product of 37 numbers",
       gradgradcheck=True),
    Op("cummax", along_dim(distinct=True), out=True, exact=True), Op("cummin", along_dim(distinct=True), out=True,
    exact=True),
    Op("logcumsumexp", along_dim(specials=False), out=True, tolerance=8.0, reason=SUMS),
    Op("diff", lambda make: [S(make(5)), S(make(2, 4), dim=0), S(make(2, 5), n=2),
    S(make(2, 4, layout="sliced"), 1, -1)],
       out=True, exact=True),
]  # fmt: skip


def softmaxes(make):
    yield from along_dim()(make)
    yield S(make(2, 3), 1, Attr("float64"))
    yield S(make(2, 3), dim=0, dtype=Attr("float32"))
    yield S(make.of([[-1000, 0, 1000], [1000, 1000, 1000]]), 1) if not make.is_int else S(make(2, 2), 1)


OPS += [
    Op("softmax", softmaxes, out=True, tolerance=4.0, reason=SUMS),
    Op("log_softmax", softmaxes, out=True, tolerance=4.0, reason=SUMS),
]


def medians(make):
    """Not along a broadcast axis: of integers there, PyTorch 2.13 returns uninitialised memory."""
    yield from reduction(several=False, distinct=True, expanded=False)(make)


OPS += [
    Op("median", medians, out=False, exact=True, errors=[
        ErrorSample(lambda m: m.median(m.zeros(2, 0), dim=1), "median over an empty axis")]),
    Op("nanmedian", medians, exact=True),
    # Up to 16 numbers: beyond, PyTorch's sort is not stable, and any index may come back.
    Op("mode", lambda make: [
        S(make(*s, layout=k, low=0, high=3), **kw).kink()
        for s, k in PLACEMENTS if s and max(s) < 16 for kw in ({}, {"dim": 0}, {"dim": -1, "keepdim": True})],
        exact=True, out=True,
        gradcheck=False),
]  # fmt: skip


def quantiles(make):
    for q in (0.5, 0.0, 1.0, 0.3):
        yield S(make(7), q)
        yield S(make(3, 4), q, dim=1)
    yield S(make(3, 4), make.of([0.25, 0.75], grad=False), dim=0, keepdim=True)


OPS += [
    Op("quantile", quantiles, out=True, tolerance=4.0, reason="interpolates between two entries"),
    Op("cov", lambda make: [S(make(3, 5)), S(make(5)), S(make(3, 5), correction=0)], tolerance=8.0, reason=SUMS),
    Op("corrcoef", lambda make: [S(make(3, 5))], tolerance=16.0, reason=SUMS),
]

REFERENCES = {
    "sum": np.sum, "prod": np.prod, "amax": np.max, "amin": np.min, "argmax": np.argmax, "argmin": np.argmin,
    "any": np.any,
    "all": np.all, "mean": np.mean, "cumsum": np.cumsum, "cumprod": np.cumprod, "count_nonzero": np.count_nonzero,
}  # fmt: skip
for op in OPS:
    op.reference = REFERENCES.get(op.name)
OPS.append(Op("gradient", lambda make: [
    S(make(5)), S(make(4, 5), dim=1), S(make(4, 5), spacing=2.0), S(make(4, 5), edge_order=2),
    S(make(4, 5), spacing=[0.5, 2.0], dim=(1, 0)),
    S(make(5), spacing=[make.of([0, 1, 3, 4, 7], "float64", grad=False)]),
    S(make(5, 2), spacing=[make.of([0, 1, 3, 4, 7], "float64", grad=False)], dim=0, edge_order=2),
    S(make(1)), S(make(3, 3), dim=(0, 0)), S(make(3, 3), spacing=[1.0]), S(make(3), edge_order=3)],
   method=False, dtypes=REAL + ("int64", "complex64")))  # fmt: skip
