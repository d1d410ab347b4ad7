"""Sorting, searching and counting."""

import numpy as np

from .samplers import along_dim
from .table import SOME, Attr, ErrorSample, Op, Sample as S

OPS = []


def op(name, samples, **kwargs):
    kwargs.setdefault("dtypes", [*SOME, "int8", "float16"])
    OPS.append(Op(name, samples, exact=True, **kwargs))


def sorts(make):
    if make.dtype == "bool":  # two values tie, and only a stable sort says in which order they stay
        for kwargs in ({"dim": -1}, {"dim": 0, "descending": True}, {}):
            yield S(make(37), stable=True, **kwargs)
            yield S(make(4, 5), stable=True, **kwargs)
    else:
        yield from along_dim(distinct=True)(make)
    for kwargs in ({"descending": True}, {"dim": 0, "descending": True}, {"dim": -1, "stable": True},
        {"stable": True, "descending": True}):
        yield S(make(4, 5, distinct=True), **kwargs)
        yield S(make(5, 4, distinct=True, layout="transposed"), **kwargs)
    yield S(make(4, 5, distinct=True))
    yield S(make(4, 5, distinct=True), 0)
    yield S(make(4, 5, distinct=True), 0, True)
    ties = make(3, 9, low=0, high=2) if make.is_int or make.dtype == "bool" else make.of([[1, 0, 1, 2, 0, 1, 2, 2, 0]])
    yield S(ties, stable=True).kink()
    yield S(ties, dim=-1, stable=True, descending=True).kink()



op("sort", sorts, out=True, errors=[ErrorSample(lambda m: m.sort(m.ones(2, 3), dim=2), "dim out of range")])
op("argsort", sorts, diff=False, out=False)
op("msort", lambda make: [S(make(4, 5, distinct=True)), S(make(3, distinct=True))], out=True)


def tops(make):
    x = make(4, 5, distinct=True)
    for k in (0, 1, 3, 5):
        yield S(x, k)
        yield S(x, k, largest=False)
    yield S(x, 2, 0)
    yield S(x, 2, dim=-1, largest=True, sorted=True)
    yield S(x, 2, 0, False, True)
    yield S(make(5, 4, distinct=True, layout="transposed"), 3)
    yield S(x, 6)
    yield S(x, -1)
    yield S(x, 1, 2)
    yield S(make(distinct=True), 1)
    yield S(make(0, distinct=True), 0)
    if make.is_float:
        yield S(make.special(), 5).kink()


def kths(make):
    x = make(4, 5, distinct=True)
    for k in (1, 3, 5, 0, 6):
        yield S(x, k)
    yield S(x, 2, 0)
    yield S(x, 2, dim=-1, keepdim=True)
    yield S(make(5, 4, distinct=True, layout="transposed"), 3)
    yield S(make(distinct=True), 1)
    yield S(x, 1, 2)


op("topk", tops, out=True, errors=[ErrorSample(lambda m: m.topk(m.ones(3), 4), "k too large")])
op("kthvalue", kths, out=True, errors=[ErrorSample(lambda m: m.kthvalue(m.ones(3), 4), "k too large")])


def uniques(make):
    x = make(3, 6, low=0, high=3) if make.is_int or make.dtype == "bool" else make.of([[2, 0, 1, 2], [0, 0, 3, 1]])
    for kwargs in ({}, {"return_inverse": True}, {"return_counts": True},
        {"return_inverse": True, "return_counts": True}):
        yield S(x, **kwargs)
        yield S(make(0), **kwargs)
        yield S(make(), **kwargs)
    rows = make.of([[1, 0], [0, 1], [1, 0], [0, 0]])
    for dim in (0, 1, -1):
        yield S(rows, dim=dim)
        yield S(rows, dim=dim, return_inverse=True, return_counts=True)


def runs(make):
    x = make.of([1, 1, 0, 0, 0, 1, 1])
    for kwargs in ({}, {"return_inverse": True}, {"return_counts": True},
        {"return_inverse": True, "return_counts": True}):
        yield S(x, **kwargs)
    yield S(make.of([[1, 1], [0, 0]]), dim=0)


op("unique", uniques, diff=False, gradcheck=False)
op("unique_consecutive", runs, diff=False, gradcheck=False)


def searches(make):
    edges = make.of([-3, -1, 0, 2, 5] if make.dtype not in ("uint8", "bool") else [0, 1, 1, 2,
        5][: 2 if make.dtype == "bool" else 5])
    rows = make.of([[0, 1, 3], [1, 1, 2]])
    yield S(edges, make(4))
    yield S(edges, make(2, 3, layout="sliced"))
    yield S(edges, edges)
    yield S(edges, edges, right=True)
    yield S(edges, edges, side="right")
    yield S(edges, edges, side="left", out_int32=True)
    yield S(edges, 1)
    yield S(edges, 1.5)
    yield S(rows, make(2, 4))
    yield S(rows, make(3, 4))
    yield S(edges, make(3), right=True, side="left")
    yield S(edges, make(2, dtype="float64"))
    yield S(edges, make(0))


op("searchsorted", searches, diff=False, out=True, method=False)
op("bucketize", lambda make: [S(make(2, 3), make.of([0, 1, 3])), S(make(4), make.of([0, 1, 3]), right=True),
    S(2, make.of([0, 1, 3]))], diff=False, method=False)
op("isin", lambda make: [S(make(3, 4), make(3)), S(make(3), make(2), invert=True), S(make(3), 1), S(1, make(3))],
    diff=False, method=False)
op("bincount", lambda make: [
    S(make(7, low=0)), S(make(7, low=0), minlength=9), S(make(0)), S(make(7, low=0),
    make(7, dtype="float64", grad=False)), S(make(7, low=0), make(7, dtype="int64")),
    S(make(7, low=0), make(7, dtype="float32", grad=False)), S(make(2, 2, low=0)),
    S(make.of([-1, 2]) if make.dtype != "uint8" else make(2)), S(make(3, low=0), make(2, dtype="float32"))],
   diff=False, errors=[ErrorSample(lambda m: m.bincount(m.tensor([-1])), "negative"),
                       ErrorSample(lambda m: m.bincount(m.ones(2, 2, dtype=m.int64)), "two axes"),
                       ErrorSample(lambda m: m.bincount(m.ones(2)), "floats")])  # fmt: skip
op("histc", lambda make: [
    S(make(9)), S(make(9), bins=4), S(make(9), 4, -2, 3), S(make(3, 4), bins=3, min=-1, max=2), S(make(9), bins=0),
    S(make(9), 3, 2, 1), S(make(0), bins=2),
    S(make.of([2, 2, 2]), bins=3)], diff=False, out=True)  # fmt: skip
op("histogram", lambda make: [S(make(9), 4), S(make(9), make.of([-3, 0, 1, 2]))], diff=False,
    dtypes=("float32", "float64", "int64"))


def dtype_row(make):
    """What a dtype says of itself."""
    yield S(make.D)


INFO = ("is_floating_point", "is_complex", "is_signed", "itemsize")
op("dtype", dtype_row, call=lambda m, d: [getattr(d, name) for name in INFO], diff=False,
    dtypes=("bool", "uint8", "int64", "float16", "float32", "complex64"))
op("finfo", dtype_row, call=lambda m, d: [getattr(m.finfo(d), n) for n in ("bits", "max", "min", "eps", "tiny",
    "smallest_normal", "resolution", "dtype")],
   diff=False)  # fmt: skip
op("iinfo", dtype_row, call=lambda m, d: [getattr(m.iinfo(d), n) for n in ("bits", "max", "min", "dtype")], diff=False)
op("from_numpy", lambda make: [S(np.arange(6).reshape(2, 3)[:, ::2].astype(make.dtype
    if make.dtype != "bfloat16" else "float32"))],
   method=False, diff=False)  # fmt: skip
op("Tensor.__array__", lambda make: [S(make(2, 3)), S(make(3, 2, layout="transposed"))],
   call=lambda m, x: np.asarray(x.detach()) if x.dtype != m.bfloat16 else x.dtype, diff=False)  # fmt: skip
op("as_tensor", lambda make: [S(make(2, 3)), S(make(2, 3), dtype=Attr("float64")), S([1, 2]),
    S([1.5, 2], dtype=make.D), S(np.ones(3)), S(3)], method=False,
   gradcheck=False)  # fmt: skip
op("histogramdd", lambda make: [S(make(9, 2), [3, 4]), S(make(9, 2), 3), S(make(2, 5, 3), [2, 1, 2]),
    S(make(9, 2), [2, 2], range=[-1.0, 1.0, -2.0, 0.0], density=True), S(make(9, 2), [2, 2], weight=make(9)),
    S(make(9, 2), [make.of([-3, 0, 2]), make.of([-1, 0, 1, 2])]), S(make(0, 2), [2, 2]),
    S(make(9, 2), [2]), S(make(9, 2), [2, 0]), S(make(9, 2), [2, 2],
    weight=make(3))], diff=False, method=False, dtypes=("float32", "float64", "int64"))  # fmt: skip
