"""Indexing, get and set, and the gather and scatter families."""

import numpy as np

from .samplers import PLACEMENTS, calls
from .table import SOME, ErrorSample, Op, Sample as S

OPS = []


def op(name, samples, **kwargs):
    kwargs.setdefault("dtypes", SOME)
    kwargs.setdefault("exact", True)
    OPS.append(Op(name, samples, **kwargs))


def long(make, values, dtype="int64"):
    return make.of(np.array(values, dtype=dtype), dtype, grad=False)


def mask(make, values):
    return make.of(np.array(values, dtype=bool), "bool", grad=False)


def keys(make):
    """(shape, key): every kind of key that NumPy knows, and those PyTorch refuses."""
    s = slice
    yield from [((3, 4), k) for k in (
        0, -1, 2, 3, -4, s(None), s(1, 3), s(None, None, 2), s(5, 9), s(-2, None), s(2, 1), (0, 1), (0, s(1, 3)),
        (s(None), -1), (s(1, None), s(None, 2)),
        None, (None, 0), (0, None), (s(None), None), Ellipsis, (Ellipsis, 0), (0, Ellipsis), (Ellipsis, None),
        (None, Ellipsis, None), True, False,
        (0, 0, 0), (Ellipsis, Ellipsis), s(None, None, -1), s(None, None, 0), 1.5, "x", (s(None), s(None), s(None)),
        (0, Ellipsis, 1), (),
    )]  # fmt: skip
    yield from [((), k) for k in ((), Ellipsis, None, 0, s(None), True, False)]
    yield from [((2, 3, 4), k) for k in ((1, Ellipsis, 2), (Ellipsis, s(1, 3), 0), (s(None), 1),
        (s(None, None, 2), None, 1, Ellipsis), -1)]
    yield from [((0, 3), k) for k in (s(None), s(0, 2), (s(None), 1), 0, None)]
    one, two = long(make, [0, 2, 1, 0]), long(make, [[0, 1], [2, 0]])
    yield from [((3, 4), k) for k in (
        one, two, (one,), (one, 1), (1, one), (s(None), one), (one, s(1, 3)), (s(0, 2), two), (one, one),
        (two, long(make, [3, 1])), (None, one), (one, None),
        (Ellipsis, one), (one, Ellipsis), long(make, [-1, -3]), long(make, [3]), long(make, [-4]), long(make, 1),
        (long(make, 1), 2), long(make, []),
        [0, 2], [[0, 1], [2, 0]], ([0, 1], [2, 3]), (s(None), [0, 1]), [True, False, True], ([0, 2], None), [],
        [0, 1.5],
        long(make, [0, 1], "int32"), long(make, [0, 1], "int16"), long(make, [0, 1], "uint8"),
        make.of([0.0, 1.0], "float32", grad=False),
        (long(make, [0, 1]), long(make, [0, 1, 2])), (np.array([0, 2]), 1), np.int64(1), np.array([True, False, True]),
    )]  # fmt: skip
    yield from [((2, 3, 4), k) for k in (
        (long(make, [0, 1]), s(None), long(make, [1, 3])), (s(None), long(make, [0, 1]), long(make, [1, 3])),
        (1, s(None), long(make, [0, 3])),
        (long(make, [[0], [1]]), long(make, [0, 2]), s(1, 3)), (long(make, [0, 1]), Ellipsis, long(make, [1, 3])),
        (long(make, [0]), None, long(make, [1])),
        (s(None), two, 0), (0, two), (Ellipsis, two, s(None)),
    )]  # fmt: skip
    rows = mask(make, [True, False, True])
    full = mask(make, [[True, False, True, False], [False, False, False, True], [True, True, False, False]])
    yield from [((3, 4), k) for k in (
        rows, full, (rows, 1), (rows, s(1, 3)), (s(None), mask(make, [True, False, False, True])),
        (rows, mask(make, [True, False, True, False])),
        (rows, long(make, [1, 2])), mask(make, [False] * 3), mask(make, [True, False]),
        mask(make, [[True, False], [False, True]]), mask(make, True),
        mask(make, False), (full, 0), (None, full), (full, None), (rows, Ellipsis),
    )]  # fmt: skip
    yield ((0, 3), mask(make, []))
    yield ((0, 3), long(make, []))


def get(make):
    for shape, key in keys(make):
        yield S(make(*shape), key)
    for layout in ("transposed", "sliced", "expanded"):
        for key in (1, slice(1, 3), (slice(None), long(make, [0, 2])), long(make, [[0, 1], [2, 0]]),
            (Ellipsis, slice(None, None, 2)), make(3, 4, dtype="bool")):
            yield S(make(3, 4, layout=layout), key)


def put(make):
    for shape, key in keys(make):
        yield S(make(*shape), key, 2)
    target = make(3, 4, layout="transposed")
    for key, shape in [
        (0, (4,)), (0, ()), (slice(0, 2), (4,)), (slice(0, 2), (2, 1)), ((slice(None), 1), (3,)),
        (long(make, [0, 2]), (2, 4)), (long(make, [0, 2]), (4,)),
        ((slice(None), long(make, [0, 2])), (3, 2)), (mask(make, [True, False, True]), (2, 4)), (Ellipsis, (3, 4)),
        (None, (3, 4)), (0, (1, 4)), (0, (1, 1, 4)),
        (0, (3,)), (0, (2, 4)), (slice(0, 2), (3, 4)), (long(make, [0, 2]), (3, 4)),
        (mask(make, [True, False, True]), (3, 4)), (slice(0, 0), (0, 4)), (slice(0, 0), (4,)),
        ((long(make, [0, 1]), long(make, [1, 3])), (2,)),
    ]:  # fmt: skip
        yield S(make(3, 4), key, make(*shape))
        yield S(target, key, make(*shape))
        yield S(make(3, 4), key, make(*shape, dtype="float64"))
    for value in (1.5, True, -1, 3 + 1j, "x", None, [1, 2, 3, 4]):
        yield S(make(3, 4), 0, value)
        yield S(make(3, 4), long(make, [0, 2]), value)


def set_item(m, x, key, value):
    x = x.clone()
    x[key] = value
    return x


op("x[key]", get, call=lambda m, x, key: x[key], errors=[
    ErrorSample(lambda m: m.ones(3)[3], "out of range"),
    ErrorSample(lambda m: m.ones(3)[::-1], "negative step"),
    ErrorSample(lambda m: m.ones(3)[0, 0], "too many indices"),
    ErrorSample(lambda m: m.ones(())[0], "0-d"),
    ErrorSample(lambda m: m.ones(3)[m.tensor([5])], "index tensor out of range"),
    ErrorSample(lambda m: m.ones(3)[m.tensor([True, False])], "mask of another shape"),
    ErrorSample(lambda m: m.ones(3, 3)[m.tensor([0, 1]), m.tensor([0, 1, 2])], "indices do not broadcast"),
    ErrorSample(lambda m: m.ones(3)[m.tensor([0.5])], "float index"),
    ErrorSample(lambda m: m.ones(3)["a"], "not an index"),
    ErrorSample(lambda m: m.ones(3)[1.0], "float"),
])  # fmt: skip
op("x[key]=y", put, call=set_item, errors=[
    ErrorSample(lambda m: set_item(m, m.ones(3, 4), 0, m.ones(3)), "value does not broadcast"),
    ErrorSample(lambda m: set_item(m, m.ones(3, 4), m.tensor([0, 1]), m.ones(3)),
    "value does not broadcast, index tensor"),
    ErrorSample(lambda m: set_item(m, m.ones(3), slice(None, None, -1), 1), "negative step"),
    ErrorSample(lambda m: set_item(m, m.ones(3), 5, 1), "out of range"),
])  # fmt: skip
op("del x[key]", lambda make: [S(make(3))], call=lambda m, x: x.__delitem__(0), diff=False, gradcheck=False)
op("len(x)", lambda make: [S(make(3, 2)), S(make()), S(make(0))], call=lambda m, x: len(x), diff=False)
op("iter(x)", lambda make: [S(make(3, 2)), S(make()), S(make(0, 2)), S(make(2, layout="sliced"))], call=lambda m,
    x: list(x))
op("y in x", lambda make: [S(make.of([1, 0, 1]), v) for v in (1, 0, 5, 1.5)], call=lambda m, x, v: v in x, diff=False)
op("bool(x)", lambda make: [S(make.of(v)) for v in (0, 1, [1], [], [1, 0], [[0]])], call=lambda m, x: bool(x),
    diff=False)
op("int(x)", lambda make: [S(make.of(v)) for v in (0, 1, [1], [], [1, 0])], call=lambda m, x: int(x), diff=False)
op("float(x)", lambda make: [S(make.of(v)) for v in (0, 1, [1], [], [1, 0])], call=lambda m, x: float(x), diff=False)
op("complex(x)", lambda make: [S(make.of(v)) for v in (0, 1, [1], [1, 0])], call=lambda m, x: complex(x), diff=False)
op("index(x)", lambda make: [S(make.of(v)) for v in (0, 1, [1], [1, 0])], call=lambda m, x: [0, 1, 2][x], diff=False)


def gathers(make):
    for dim in (0, 1, -1):
        for shape in ((2, 3), (1, 2), (2, 5) if dim else (5, 3), (0, 3)):
            high = 2 if dim == 0 else 3
            yield S(make(2, 3), dim, make.index(*shape, high=high))
    yield S(make(2, 3), 0, long(make, [[0, 1, 2]]))
    yield S(make(2, 3), 0, long(make, [[-1, 0, 0]]))
    yield S(make(2, 3), 1, long(make, [0, 1]))
    yield S(make(2, 3), 1, long(make, [[0, 1], [1, 0], [1, 1]]))
    yield S(make(2, 3), 2, make.index(2, 3, high=2))
    yield S(make(2, 3), 0, make.index(2, 3, high=2, dtype="int32"))
    yield S(make(3, 2, layout="transposed"), 1, make.index(3, 2, high=2, layout="transposed"))
    yield S(make(3, 2, layout="expanded"), 0, make.index(3, 2, high=3, layout="expanded"))
    yield S(make(), 0, long(make, 0))
    yield S(make(3), 0, long(make, [2, 0]))
    yield S(make(3), 0, long(make, 1))
    yield S(make(3), 0, long(make, []))


op("gather", gathers, out=True, errors=[
    ErrorSample(lambda m: m.gather(m.ones(2, 3), 0, m.tensor([[2]])), "index out of range"),
    ErrorSample(lambda m: m.gather(m.ones(2, 3), 0, m.tensor([0])), "ranks differ"),
    ErrorSample(lambda m: m.gather(m.ones(2, 3), 0, m.tensor([[0.0]])), "index not int64"),
    ErrorSample(lambda m: m.gather(m.ones(2, 3), 1, m.zeros(3, 1, dtype=m.int64)),
    "index larger off the axis")])  # fmt: skip
op("take_along_dim", lambda make: [S(make(2, 3), make.index(2, 2, high=3), 1),
    S(make(2, 3), make.index(1, 2, high=3), dim=1), S(make(2, 3), make.index(4, high=6))],
   out=True)  # fmt: skip
op("take", lambda make: [S(make(2, 3), make.index(4, high=6)), S(make(3, 2, layout="transposed"),
    long(make, [[0, -1], [5, 2]])), S(make(2), long(make, [2])),
                         S(make(2), long(make, [])), S(make(2), long(make, 1))], out=True)  # fmt: skip
op("index_select", lambda make: [
    S(make(3, 4), 0, long(make, [0, 2, 0])), S(make(3, 4), -1, long(make, [3, 1])),
    S(make(4, 3, layout="transposed"), 1, long(make, [2])), S(make(3), 0, long(make, [])),
    S(make(3, 4), 0, long(make, [3])), S(make(3, 4), 0, long(make, [-1])), S(make(3, 4), 0, long(make, [[0]])),
    S(make(), 0, long(make, [0])), S(make(), 0, long(make, 0)),
    S(make(3, 4), 0, long(make, 1)), S(make(3, 4), 0, long(make, [0, 1], "int32")), S(make(3, 4), 2, long(make, [0]))],
    out=True, errors=[
        ErrorSample(lambda m: m.index_select(m.ones(3), 0, m.tensor([3])), "out of range")])  # fmt: skip


def scatters(make):
    """Index and source; no index twice along the axis, so the order of writes does not matter.

    A source larger than its index has no derivative in PyTorch.
    """
    yield S(make(3, 4), 0, long(make, [[0, 1, 2, 0]]), make(1, 4))
    yield S(make(3, 4), 1, long(make, [[0, 1], [3, 2], [1, 0]]), make(3, 2))
    yield S(make(3, 4), -1, long(make, [[0], [3]]), make(2, 3)).kink()
    yield S(make(4, 3, layout="transposed"), 0, long(make, [[0, 1, 2], [1, 0, 3]]),
        make(4, 3, layout="transposed")).kink()
    yield S(make(3), 0, long(make, [2, 0]), make(3)).kink()
    yield S(make(3), 0, long(make, [2, 0]), make(2))
    yield S(make(3), 0, long(make, []), make(3)).kink()
    yield S(make(), 0, long(make, 0), make())
    yield S(make(3, 4), 0, long(make, [[3]]), make(1, 1))
    yield S(make(3, 4), 0, long(make, [[-1]]), make(1, 1))
    yield S(make(3, 4), 0, long(make, [[0, 1]]), make(1, 1))
    yield S(make(3, 4), 0, long(make, [0]), make(1))
    yield S(make(3, 4), 0, long(make, [[0]]), make(1, 1, dtype="float64"))
    yield S(make(3, 4), 2, long(make, [[0]]), make(1, 1))


def scatter_values(make):
    yield from scatters(make)
    for value in (2, 1.5, True):
        yield S(make(3, 4), 0, long(make, [[0, 1, 2, 0]]), value)


def scatter_adds(make):
    yield from scatters(make)
    yield S(make(3, 4), 0, long(make, [[0, 0, 2, 0], [0, 1, 2, 0]]), make(2, 4))
    yield S(make(3), 0, long(make, [1, 1, 1]), make(3))


def scatter_reduces(make):
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            yield S(make(3, 4), 0, long(make, [[0, 0, 2, 0], [0, 1, 2, 0]]), make(2, 4), reduce,
                include_self=include_self)
            yield S(make(3, low=1), 0, long(make, [1, 1, 2]), make(3, low=1), reduce=reduce, include_self=include_self)


op("scatter", scatter_values, inplace=True, out=True, errors=[
    ErrorSample(lambda m: m.scatter(m.zeros(3), 0, m.tensor([3]), m.ones(1)), "index out of range"),
    ErrorSample(lambda m: m.scatter(m.zeros(3), 0, m.tensor([0]), m.ones(1, dtype=m.float64)), "dtypes differ"),
    ErrorSample(lambda m: m.scatter(m.zeros(3), 0, m.tensor([0, 1]), m.ones(1)),
    "index larger than source")])  # fmt: skip
op("scatter.reduce", lambda make: [
    S(make(3, 4), 0, long(make, [[0, 0, 2, 0]]), make(1, 4), reduce=r) for r in ("add", "multiply")],
   call=lambda m, x, *a, **k: m.scatter(x.detach(), *(t.detach() if hasattr(t, "detach") else t for t in a), **k),
   diff=False)  # fmt: skip
op("scatter_add", scatter_adds, inplace=True, out=True)
op("scatter_reduce", scatter_reduces, inplace=True, out=True, exact=False, gradgradcheck=False)
op("index_add", lambda make: [
    S(make(3, 4), 0, long(make, [0, 2, 0]), make(3, 4)), S(make(3, 4), 1, long(make, [1]), make(3, 1), alpha=2),
    S(make(4, 3, layout="transposed"), 1, long(make, [1, 1]), make(4, 2)),
    S(make(3), 0, long(make, [3]), make(1)), S(make(3), 0, long(make, [0, 1]), make(1)),
    S(make(), 0, long(make, [0]), make()), S(make(3), 0, long(make, []), make(0)),
    S(make(3), 0, long(make, [0]), make(1, dtype="float64"))], inplace=True, out=True)  # fmt: skip
op("index_copy", lambda make: [
    S(make(3, 4), 0, long(make, [0, 2]), make(2, 4)), S(make(3, 4), -1, long(make, [1, 0]), make(3, 2)),
    S(make(4, 3, layout="transposed"), 1, long(make, [1]), make(4, 1)),
    S(make(3), 0, long(make, [3]), make(1)), S(make(3), 0, long(make, [0, 1]), make(1)),
    S(make(), 0, long(make, [0]), make(1)),
    S(make(3), 0, long(make, [0]), make(1, dtype="float64"))], inplace=True, out=True)  # fmt: skip
op("index_fill", lambda make: [
    S(make(3, 4), d, long(make, [0, 2]), v) for d in (0, 1, -1, 2) for v in (2, 1.5)] + [S(make(3, 4), 0,
    long(make, [3]), 1), S(make(3, 4), 0, long(make, [-1]), 1),
    S(make(3, 4), 0, long(make, [1]), make()), S(make(), 0, long(make, [0]), 1),
    S(make(4, 3, layout="transposed"), 0, long(make, [0]), 1), S(make(3), 0, long(make, [0]), make(1))],
   inplace=True)  # fmt: skip
op("index_put", lambda make: [
    S(make(3, 4), (long(make, [0, 2]),), make(4)), S(make(3, 4), (long(make, [0, 2]), long(make, [1, 1])), make(2)),
    S(make(3, 4), (long(make, [0, 0]), long(make, [1, 1])), make(2), accumulate=True),
    S(make(3, 4), (mask(make, [True, False, True]),), make(2, 4)),
    S(make(3, 4), (long(make, [3]),), make(4)), S(make(3, 4), (long(make, [0]),), make(3)),
    S(make(3), (long(make, [0]),), make(1, dtype="float64"))], inplace=True)  # fmt: skip
op("put", lambda make: [
    S(make(3, 4), long(make, [0, 11, -2]), make(3)), S(make(4, 3, layout="transposed"), long(make, [[0, 5]]),
    make(1, 2)), S(make(3), long(make, [0, 0]), make(2), accumulate=True),
    S(make(3), long(make, [3]), make(1)), S(make(3), long(make, [0, 1]), make(3)),
    S(make(3), long(make, [0]), make(1, dtype="float64"))], inplace=True)  # fmt: skip


def masks(make):
    for shape, layout in PLACEMENTS:
        yield S(make(*shape, layout=layout), make(*shape, dtype="bool"))
    yield S(make(2, 3), make(3, dtype="bool"))
    yield S(make(3), make(2, 3, dtype="bool"))
    yield S(make(2, 3), make(dtype="bool"))
    yield S(make(2, 3), make(2, dtype="bool"))
    yield S(make(2, 3), make(2, 3, dtype="uint8", high=1))
    yield S(make(2, 3), make(2, 3, dtype="int64"))


def fills(make):
    for sample in masks(make):
        yield S(*sample.args, 2)
    for value in (1.5, True, float("inf")):
        yield S(make(2, 3), make(2, 3, dtype="bool"), value)
    yield S(make(2, 3), make(2, 3, dtype="bool"), make())
    yield S(make(2, 3), make(2, 3, dtype="bool"), make(1))
    yield S(make(2, 3), make(2, 3, dtype="bool"), make(dtype="float64"))


op("masked_select", masks, out=True)
op("masked_fill", fills, inplace=True, errors=[
    ErrorSample(lambda m: m.ones(2).masked_fill(m.tensor([1, 0]), 1), "mask is not bool"),
    ErrorSample(lambda m: m.ones(2).masked_fill(m.tensor([True, False]), m.ones(2)), "value is not 0-d")])  # fmt: skip
op("masked_scatter", lambda make: [S(make(2, 3), make(2, 3, dtype="bool"), make(6)),
    S(make(2, 3), make(3, dtype="bool"), make(7)),
                                   S(make(2), mask(make, [True, True]), make(1))], inplace=True)  # fmt: skip


def few(make):
    for shape, layout in PLACEMENTS:
        yield S(make(*shape, layout=layout, low=-1, high=1))


op("nonzero", few, out=True, diff=False)
op("nonzero.tuple", few, call=lambda m, x: m.nonzero(x, as_tuple=True), diff=False)
op("argwhere", few, diff=False)
op("Tensor.where", lambda make: [S(make(2, 3), make(2, 3, dtype="bool"), make(2, 3)),
    S(make(3), make(2, 3, dtype="bool"), 0)],
   call=lambda m, x, c, y: x.where(c, y))  # fmt: skip
op("select_scatter", lambda make: [S(make(2, 3), make(3), 0, 1), S(make(2, 3), make(2), -1, -1)])
op("slice_scatter", lambda make: [S(make(4, 3), make(2, 3), start=1, end=3), S(make(4, 3), make(2, 3), 0, 0, 4, 2)])
op("diagonal_scatter", lambda make: [S(make(3, 3), make(3)), S(make(3, 3), make(2), 1)])
op("Tensor.fill_", calls(((2, 3), 2), ((3,), 1.5), ((0,), 1), ((), True)), call=lambda m, x, v: x.clone().fill_(v))
op("Tensor.zero_", calls(((2, 3),), ((),)), call=lambda m, x: x.clone().zero_())
op("Tensor.fill_diagonal_", calls(((3, 3), 1), ((4, 2), 2), ((4, 2), 2, True)), call=lambda m, x,
    *a: x.clone().fill_diagonal_(*a))
# PyTorch's gradient of the input is nonzero inside the window and zero outside: the wrong way round.
op("as_strided_scatter", lambda make: [
    S(make(2, 3, grad=False), make(2), (2,), (2,)), S(make(2, 3, grad=False), make(2, 2), (2, 2), (1, 3), 1),
    S(make(3, 2, layout="transposed", grad=False), make(2, grad=False), (2,), (2,)),
    S(make(2, 3), make(3), (2,), (2,))])  # fmt: skip
op("nonzero_static", lambda make: [S(make.of([[0, 1], [2, 0]]), size=n, fill_value=v) for n, v in (
    (0, -1), (1, -1), (2, 0), (5, -3), (-1, 0))] + [S(make(), size=2), S(make(0, 2), size=2)], diff=False)
