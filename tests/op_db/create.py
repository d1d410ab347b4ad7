"""Making tensors, and random numbers: the streams are PyTorch's, so equal seeds give equal numbers."""

import numpy as np

from .samplers import PLACEMENTS
from .table import ALL, Attr, ErrorSample, Op, Sample as S

OPS = []
SIZES = [(), (3,), (2, 3), (0,), (2, 0, 3)]


def op(name, samples, **kwargs):
    kwargs.setdefault("method", False)
    kwargs.setdefault("diff", False)
    kwargs.setdefault("exact", True)
    OPS.append(Op(name, samples, **kwargs))


def sizes(*rest):
    """A size as a tuple and as several integers, with a dtype and without."""

    def generate(make):
        for size in SIZES:
            yield S(size, *rest, dtype=make.D)
        if not rest:
            yield S(2, 3, dtype=make.D)
            yield S(2, 3)
            yield S([2, 3], dtype=make.D)
            yield S(dtype=make.D)
            yield S(2.5)
        yield S((2, 3), *rest)
        yield S((-1,), *rest)

    return generate


for name in ("zeros", "ones"):
    op(name, sizes(), out=True)
op("empty", sizes(), call=lambda m, *a, **k: m.empty(*a, **k).zero_(), errors=[
    ErrorSample(lambda m: m.empty(-1), "negative size"),
    ErrorSample(lambda m: m.empty(10**15), "more memory than there is")])  # fmt: skip
op("empty_strided", lambda make: [S((2, 3), (1, 2), dtype=make.D), S((2,), (0,)), S((2, 3), (3,))], call=lambda m, *a,
    **k: m.empty_strided(*a, **k).zero_())


def fulls(make):
    for value in (2, 1.5, True, float("inf"), 2 + 1j):
        yield S((2, 3), value)
        if not (make.dtype == "bool" or make.is_int) or value in (2, True):
            yield S((2, 3), value, dtype=make.D)
    yield S((), 3)
    yield S((0,), 3, dtype=make.D)


op("full", fulls, out=True, reference=None)

VALUES = [
    1, 1.5, True, 2 + 1j, [], [1, 2], [1.5, 2], [True, False], [1, True], [1, 2.5, True], [1j, 2], [[1, 2], [3, 4]],
    [[]], [[], []], ((1, 2), (3, 4)), [[1], [2, 3]], [1, [2]],
    "a", ["a"], None, [None], 2**40, 2**70, -(2**63), 2**63, [2**40, 1.5], float("nan"), {"a": 1}, [[[1.5]]], range(3),
    {1, 2},
    np.float32(1.5), np.int16(3), np.array(2), np.array([1, 2], dtype="int32"), np.array([[1.5]]), np.array([True]),
    [np.float64(1), 2], [np.array([1, 2]), np.array([3, 4])],
    np.array(["a"]), np.arange(6).reshape(2, 3).T, np.arange(6)[::2],
]  # fmt: skip


# With a dtype given: numbers that every dtype can hold, so that no conversion is undefined in C.
TYPED = [
    1, 1.5, True, [], [1, 2], [1.5, 2], [True, False], [[1, 2], [3, 4]], [[]], ((1, 2), (3, 4)), [1, [2]], "a", None,
    np.int16(3), np.array([1, 2], dtype="int32"),
    np.array([[1.5]]), np.arange(6).reshape(2, 3).T,
]  # fmt: skip


def values(make):
    for value in VALUES:
        yield S(value)
    for value in TYPED:
        yield S(value, dtype=make.D)
    if make.is_complex:
        yield S([1j, 2], dtype=make.D)
    yield S(make(2, 3))
    yield S(make())
    yield S([make(), make()])
    yield S([make(1), make(1)])


op("tensor", values, errors=[
    ErrorSample(lambda m: m.tensor([[1], [2, 3]]), "ragged"),
    ErrorSample(lambda m: m.tensor("a"), "a string"),
    ErrorSample(lambda m: m.tensor(["a"]), "strings"),
    ErrorSample(lambda m: m.tensor([1, 2], requires_grad=True), "integers cannot require gradients"),
    ErrorSample(lambda m: m.tensor(2**70), "too large"),
    ErrorSample(lambda m: m.tensor(None), "None"),
    ErrorSample(lambda m: m.tensor([m.ones(2), m.ones(2)]), "tensors of several elements"),
    ErrorSample(lambda m: m.tensor(1, 2), "too many arguments")])  # fmt: skip
op("asarray", values, diff=True, gradcheck=False)
op("scalar_tensor", lambda make: [S(1.5, dtype=make.D), S(2)])


def aranges(make):
    for args in ((5,), (2, 5), (0, 10, 3), (5, 0, -2), (0,), (1.5,), (0.0, 1.0, 0.25), (0, 5, 2.5), (5, 5),
        (0, 1, 0.1), (2**31, 2**31 + 3), (True,), (-3, 3, 2)):
        yield S(*args)
        if make.dtype not in ("bool", "complex64", "complex128") and max(abs(a)
            for a in args) < 100 and not (make.dtype == "uint8" and min(args) < 0):
            yield S(*args, dtype=make.D)
    yield S(0, 5, dtype=make.D) if make.dtype in ("bool", "complex64") else S(start=1, end=4)
    yield S(0, 5, -1)
    yield S(0, 5, 0)
    yield S(5, 0)
    yield S(float("inf"))


op("arange", aranges, errors=[
    ErrorSample(lambda m: m.arange(0, 5, -1), "wrong sign"), ErrorSample(lambda m: m.arange(0, 5, 0),
    "zero step")])  # fmt: skip


def spaces(make):
    for args in ((0, 1, 5), (1, -1, 4), (2.5, 7.5, 1), (0, 1, 0), (3, 3, 3), (-2, 10, 7), (0, 10, 37), (0, 1, -1)):
        yield S(*args)
        if make.dtype != "bool" and not (make.dtype == "uint8" and min(args[:2]) < 0):
            yield S(*args, dtype=make.D)
    yield S(start=0, end=2, steps=3)


STEPS = "the steps are counted from both ends, in a vector register's order"
op("linspace", spaces, exact=False, tolerance=4.0, reason=STEPS, out=False)
op("logspace", lambda make: [S(0, 2, 3), S(-1, 1, 5), S(0, 3, 4, 2.0), S(0, 2, 3, dtype=make.D), S(0, 2, 0),
    S(0, 3, 4, base=2, dtype=make.D)], exact=False,
   tolerance=16.0, reason=STEPS)  # fmt: skip
op("eye", lambda make: [S(3, dtype=make.D), S(2, 3, dtype=make.D), S(0), S(3, 0), S(3), S(-1), S(1, -1)], out=True)
op("complex", lambda make: [S(make(3), make(3)), S(make(2, 1), make(3)), S(make(2), make(2, dtype="float64"))],
    diff=True, gradcheck=False, out=True)
op("polar", lambda make: [S(make(3), make(3))], diff=True, gradcheck=False, out=True, exact=False,
    dtypes=("float32", "float64"), strides=False)
op("view_as_real", lambda make: [S(make(3)), S(make(3, 2, layout="transposed"))], diff=True,
    dtypes=("complex64", "complex128"))
op("view_as_complex", lambda make: [S(make(3, 2)), S(make(3)), S(make(2, 4, 2, layout="offset"))], diff=True,
    gradcheck=False, dtypes=("float32", "float64"))

for name in ("zeros_like", "ones_like", "empty_like"):
    op(name, lambda make: (S(make(*s, layout=k), **kw) for s, k in PLACEMENTS
        for kw in ({}, {"dtype": Attr("float64")})),
       call=(lambda m, x, **k: m.empty_like(x, **k).zero_()) if name == "empty_like" else None)  # fmt: skip
op("full_like", lambda make: [S(make(*s, layout=k), 2) for s, k in PLACEMENTS] + [S(make(2), 1.5),
    S(make(2), 1.5, dtype=Attr("float32"))])


def new(name):
    def call(m, x, *args, **kwargs):
        made = getattr(x, name)(*args, **kwargs)
        return made.zero_() if "empty" in name else made

    return call


for name in ("new_zeros", "new_ones", "new_empty"):
    op("Tensor." + name, lambda make: [S(make(2), 2, 3), S(make(2), (2, 3)), S(make(2), ()),
        S(make(2), 3, dtype=Attr("int32")), S(make(2), (-1,))], call=new(name))
op("Tensor.new_full", lambda make: [S(make(2), (2, 3), 1), S(make(2), (2,), 2, dtype=Attr("float64"))],
    call=new("new_full"))
op("Tensor.new_tensor", lambda make: [S(make(2), [1, 2]), S(make(2), 3, dtype=Attr("float64")), S(make(2), [[1, 0]])],
    call=new("new_tensor"))
op("from_numpy.memory", lambda make: [S()], call=lambda m: shared(m), dtypes=("float32",))


def shared(m):
    """A write on either side is seen on the other."""
    array = np.arange(6.0).reshape(2, 3)
    tensor = m.from_numpy(array.T)
    array[0, 0] = 50
    tensor[2, 1] = -1
    return tensor, array, tensor.t().numpy(), np.shares_memory(tensor.numpy(), array)


# ---- random numbers: bit for bit -------------------------------------------------------------------------------------


def seeded(function, seed=1000):
    """Two draws in a row, so the state between them counts."""

    def call(m, *args, **kwargs):
        m.manual_seed(seed)
        return function(m, *args, **kwargs), function(m, *args, **kwargs)

    return call


RANDOM_SIZES = [(), (1,), (7,), (15,), (16,), (17,), (31,), (2, 3), (5, 7), (100,), (0,)]


def random_sizes(make):
    for size in RANDOM_SIZES:
        yield S(size, dtype=make.D)


for name in ("rand", "randn"):
    op(name, random_sizes, call=seeded(lambda m, *a, name=name, **k: getattr(m, name)(*a, **k)))
    op(name + "_like", lambda make: [S(make(2, 3)), S(make(3, 2, layout="transposed")),
        S(make(5, 7), dtype=Attr("float64"))],
       call=seeded(lambda m, *a, name=name, **k: getattr(m, name + "_like")(*a, **k)))  # fmt: skip
op("randint", lambda make: [
    S(5, (7,), dtype=make.D), S(-3, 3, (2, 3), dtype=make.D), S(0, 2, (40,), dtype=make.D), S(10, (4,)),
    S(2**40, (3,)), S(5, 5, (2,)), S(5, 2, (2,)), S(0, 3, (0,))],
   call=seeded(lambda m, *a, **k: m.randint(*a, **k)), dtypes=[d for d in ALL if d != "uint8"])  # fmt: skip
op("randint_like", lambda make: [S(make(2, 3), 5), S(make(2, 3), 2, 7)], call=seeded(lambda m, *a: m.randint_like(*a)))
op("randperm", lambda make: [S(n, dtype=make.D) for n in (0, 1, 5, 20, 100)] + [S(10), S(-1)],
    call=seeded(lambda m, *a, **k: m.randperm(*a, **k)))
op("normal", lambda make: [
    S(0.0, 1.0, (5,)), S(1.5, 2.0, (20,)), S(make(5), make(5, low=0.5)), S(make(20), 2.0), S(0.5, make(17, low=0.5)),
    S(make(2, 3), make(3, low=0.5)), S(0.0, -1.0, (3,)), S(make(3))],
   call=seeded(lambda m, *a: m.normal(*a)), diff=True, gradcheck=False)  # fmt: skip
op("bernoulli", lambda make: [S(make(7, low=0, high=1)), S(make(3, 2, low=0, high=1, layout="transposed")),
    S(make(40, low=0, high=1), 0.3), S(make(2), 1.5), S(make.of([0, 1]))],
   call=seeded(lambda m, *a: m.bernoulli(*a)), diff=True, gradcheck=False)  # fmt: skip
for name, arguments in [
    ("uniform_", [(), (-1, 2), (3, 1)]), ("normal_", [(), (2, 0.5), (0, -1)]),
    ("random_", [(), (7,), (-2, 5), (5, 5)]), ("bernoulli_", [(), (0.2,), (2,)]),
    ("exponential_", [(), (2,)]), ("cauchy_", [(), (1, 2)]), ("log_normal_", [(), (0.5, 0.5)]),
    ("geometric_", [(0.3,)]),
]:  # fmt: skip
    op("Tensor." + name, lambda make, arguments=arguments: (S(make(*s, layout=k), *a) for a in arguments for s, k in [
        ((7,), "contiguous"), ((20,), "contiguous"), ((3, 2), "transposed"), ((20,), "sliced"), ((), "contiguous"),
        ((3, 2), "expanded")]),
       call=seeded(lambda m, x, *a, name=name: getattr(x, name)(*a).clone()))  # fmt: skip
op("multinomial", lambda make: [S(make.of([0.1, 0.2, 0.7]), 2), S(make.of([0.1, 0.2, 0.7]), 9, True),
    S(make(2, 5, low=0.1, high=1), 3), S(make.of([0.5, 0.5]), 3)],
   call=seeded(lambda m, *a: m.multinomial(*a)), dtypes=("float32", "float64", "int64"))  # fmt: skip
op("poisson", lambda make: [S(make(7, low=0, high=9))], call=seeded(lambda m, *a: m.poisson(*a)), diff=True,
    gradcheck=False, dtypes=("float32", "float64"))


def states(m, case):
    """Seeds, generators, states saved and restored."""
    m.manual_seed(7)
    if case == "initial_seed":
        return m.initial_seed(), m.manual_seed(2**40).initial_seed(), m.initial_seed(), m.manual_seed(-5).initial_seed()
    if case == "restore":
        state = m.get_rng_state()
        first = m.randn(3), m.rand(20)
        m.set_rng_state(state)
        return first, (m.randn(3), m.rand(20)), state.dtype, state.shape
    if case == "half of a pair":  # randn(1) leaves the second normal of its pair for the next call
        first = m.randn(1)
        state = m.get_rng_state()
        second = m.randn(1)
        m.set_rng_state(state)
        return first, second, m.randn(1), m.rand(2)
    if case == "generator":
        g = m.Generator()
        g.manual_seed(3)
        return m.rand(3, generator=g), m.randn(20, generator=g), m.randperm(6, generator=g), m.rand(2), g.initial_seed()
    if case == "generator state":
        g, h = m.Generator(), m.Generator()
        g.manual_seed(3)
        h.set_state(g.get_state())
        return m.rand(3, generator=g), m.rand(3, generator=h), g.get_state(), m.default_generator.initial_seed()
    with m.random.fork_rng():
        inside = m.rand(2)
    return inside, m.rand(2)


op("rng", lambda make: [S(c) for c in ("initial_seed", "restore", "half of a pair", "generator", "generator state",
    "fork_rng")], call=states, dtypes=("float32",))
