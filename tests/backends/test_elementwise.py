"""If this fails, fused pointwise programs compute something else than their ops one after the other."""

import math

import cygrad
import numpy as np
import pytest
from cygrad.backend import BINARY, UNARY, run_stepwise as stepwise
from cygrad.dispatch.programs import Term, program, steps_of, where
from hypothesis import given, settings, strategies as st

DTYPES = ["float32", "float64", "float16", "bfloat16", "int32", "complex64"]
TOLERANCE = {"float32": 1e-4, "float64": 1e-10, "float16": 1e-2, "bfloat16": 4e-2, "int32": 0, "complex64": 1e-4}
UNARIES = {"float": ["neg", "abs", "tanh", "sigmoid", "sin", "relu", "floor", "square"],
           "int": ["neg", "abs", "square"], "complex": ["neg", "sigmoid", "square"]}  # fmt: skip
BINARIES = {"float": ["add", "sub", "mul", "maximum", "minimum", "atan2"], "int": ["add", "sub", "mul", "maximum"],
            "complex": ["add", "sub", "mul"]}  # fmt: skip


def code(table, name):
    return table.index(name)


def kind_of(dtype):
    return "float" if "float" in dtype else "int" if "int" in dtype else "complex"


def values(rng, shape, dtype):
    """Small numbers, so that products of a few of them lose no digits and integers don't overflow."""
    if dtype == "int32":
        return cygrad.from_numpy(np.asarray(rng.integers(-3, 4, shape), "int32"))
    if dtype == "complex64":
        return cygrad.from_numpy(np.asarray(rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape), "complex64"))
    return cygrad.from_numpy(np.asarray(rng.uniform(-1.5, 1.5, shape))).to(getattr(cygrad, dtype))


LAYOUTS = {
    "dense": lambda rng, n, dtype: values(rng, (n, 7), dtype),
    "transposed": lambda rng, n, dtype: values(rng, (7, n), dtype).t(),
    "every second": lambda rng, n, dtype: values(rng, (n, 14), dtype)[:, ::2],
    "a row": lambda rng, n, dtype: values(rng, (7,), dtype).expand(n, 7),
    "a column": lambda rng, n, dtype: values(rng, (n, 1), dtype).expand(n, 7),
    "one": lambda rng, n, dtype: values(rng, (), dtype).expand(n, 7),
}


@st.composite
def programs(draw, kind):
    """Steps of a random formula of three inputs and a parameter, with shared parts, one or two results."""
    pool = [Term(("in", i)) for i in range(4)]
    for _ in range(draw(st.integers(1, 9))):
        pick = lambda: pool[draw(st.integers(0, len(pool) - 1))]  # noqa: E731
        form = draw(st.sampled_from(["unary", "binary", "binary", "number", "where"]))
        if form == "unary":
            pool.append(getattr(pick(), draw(st.sampled_from(UNARIES[kind])))())
        elif form == "binary":
            pool.append(getattr(pick(), draw(st.sampled_from(BINARIES[kind])))(pick()))
        elif form == "number":
            number = draw(st.sampled_from([1, 2, -1] if kind == "int" else [0.5, 1.0, -0.25]))
            pool.append(number + pick() if draw(st.booleans()) else pick() * number)
        elif kind != "complex":  # what is compared are inputs: a rounding elsewhere must not change the branch
            pool.append(where(pool[draw(st.integers(0, 2))] > pool[draw(st.integers(0, 3))], pick(), pick()))
    return steps_of(pool[-draw(st.integers(1, min(2, len(pool) - 4))) :] if len(pool) > 4 else [pool[0] + pool[1]])


def outputs_of(steps):
    return sum(step[0] == "out" for step in steps)


def agree(got, want, dtype):
    got, want = (t.to(cygrad.complex128 if dtype == "complex64" else cygrad.float64).numpy() for t in (got, want))
    largest = np.abs(want[np.isfinite(want)]).max(initial=1)
    assert np.allclose(got, want, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * largest, equal_nan=True)


def run(steps, ins, outs):
    assert ins[0]._backend().elementwise(steps, ins, outs) is None
    return outs


def run_stepwise(steps, ins, outs):
    assert stepwise(ins[0]._backend(), steps, ins, outs) is None
    return outs


@pytest.mark.parametrize("dtype", DTYPES)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_random_programs(dtype, data):
    steps = data.draw(programs(kind_of(dtype)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    rows = data.draw(st.sampled_from([1, 5, 300, 900]))
    ins = [LAYOUTS[data.draw(st.sampled_from(sorted(LAYOUTS)))](rng, rows, dtype) for _ in range(3)]
    ins = (*ins, 1 if dtype == "int32" else 0.75)
    results = outputs_of(steps)
    want = run_stepwise(steps, ins, tuple(cygrad.empty(rows, 7, dtype=ins[0].dtype) for _ in range(results)))
    outs = tuple(cygrad.empty(7, rows, dtype=ins[0].dtype).t() if data.draw(st.booleans())
                 else cygrad.empty(rows, 7, dtype=ins[0].dtype) for _ in range(results))  # fmt: skip
    for got, expected in zip(run(steps, ins, outs), want):
        agree(got, expected, dtype)


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_outputs_may_be_inputs(data):
    steps = data.draw(programs("float"))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    n = data.draw(st.sampled_from([3, 5000]))
    ins = (*(values(rng, (n,), "float32") for _ in range(3)), 0.75)
    results = outputs_of(steps)
    want = run_stepwise(steps, ins, tuple(cygrad.empty_like(ins[0]) for _ in range(results)))
    mine = tuple(x.clone() if isinstance(x, cygrad.Tensor) else x for x in ins)
    for got, expected in zip(run(steps, mine, mine[:results]), want):
        agree(got, expected, "float32")
    theirs = tuple(x.clone() if isinstance(x, cygrad.Tensor) else x for x in ins)
    for got, expected in zip(run_stepwise(steps, theirs, theirs[:results]), want):
        agree(got, expected, "float32")


def test_results_change_places():
    x, y = cygrad.arange(5.0), cygrad.ones(5)
    for form in (run, run_stepwise):
        a, b = x.clone(), y.clone()
        form((("in", 1), ("out", 0), ("in", 0), ("out", 1)), (a, b), (a, b))
        assert cygrad.equal(a, y) and cygrad.equal(b, x)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("n", [0, 1, 15, 2048, 2049, 100_003])
def test_sizes(threads, dtype, n):
    rng = np.random.default_rng(n)
    x, y = values(rng, (n,), dtype), values(rng, (n,), dtype)
    got = program(lambda x, y: (x * y + 1).tanh() * where(x > y, x, 0.5))(x, y)
    wide, high = x.float(), y.float()
    want = (wide * high + 1).tanh() * cygrad.where(wide > high, wide, 0.5)
    assert got.dtype is x.dtype and got.shape == (n,)
    agree(got, want.to(x.dtype), dtype)


def test_a_shared_part_is_not_lost_in_an_idiom():
    x, y, z = (cygrad.tensor([v, 2 * v]) for v in (1.0, 4.0, 32.0))

    def shared(x, y, z):
        apart, double = x - y, x * 2
        return apart * 0.5 + z, apart * 3, double + z, double * y

    for got, want in zip(program(shared)(x, y, z), shared(x, y, z)):
        assert cygrad.equal(got, want)


@pytest.mark.parametrize("n", [7, 5000, 100_003])
def test_values_computed_in_the_place_of_an_output(n):
    """What goes to an output and on to other steps is not kept apart, unless an input lies there that is still read."""
    rng = np.random.default_rng(n)
    x, y, z = (values(rng, (n,), "float32") for _ in "xyz")

    def formula(x, y, z):
        mean, square = x * 0.9 + z * 0.1, y * 0.99 + z * z * 0.01
        return mean, square, z * 0.5 + mean / (square.abs() + 1) * 2, x - mean

    steps, want = program(formula).steps, formula(x, y, z)
    for places in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        ins = tuple(t.clone() for t in (x, y, z))
        outs = (*(ins[i] for i in places), cygrad.empty(n))
        for got, expected in zip(run(steps, ins, outs), want):
            agree(got, expected, "float32")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1000, 1024, 1031, 100_003])
@pytest.mark.parametrize("stride", [1, 2])
def test_tiles_round_as_steps_do(threads, dtype, n, stride):
    """A program that goes over tiles gives bit for bit what its steps give as programs of their own."""
    rng = np.random.default_rng(n)
    p, m, v, g = (values(rng, (n * stride,), dtype)[::stride] for _ in "pmvg")
    mean = program(lambda m, g: m * 0.9 + g * 0.1)(m, g)
    square = program(lambda v, g: v * v * 0.99 + g * 0.01)(v, g).abs()
    bottom = square.sqrt() + 0.5
    want = program(lambda p, m, bottom: p * 0.75 + m / bottom * 0.25)(p, mean, bottom), mean, square

    def step(p, m, v, g):
        m, v = m * 0.9 + g * 0.1, (v * v * 0.99 + g * 0.01).abs()
        return p * 0.75 + m / (v.sqrt() + 0.5) * 0.25, m, v

    assert all(map(cygrad.equal, program(step)(p, m, v, g), want))
    run(program(step).steps, (p, m, v, g), (p, m, v))
    assert all(map(cygrad.equal, (p, m, v), want))


@pytest.mark.parametrize("step", [
    lambda a, b, c: a + b, lambda a, b, c: a - b, lambda a, b, c: a * b, lambda a, b, c: a / b,
    lambda a, b, c: 2.0 - a, lambda a, b, c: a * 3.0, lambda a, b, c: a - 0.3, lambda a, b, c: 1.0 / a,
    lambda a, b, c: a * b + c, lambda a, b, c: a * 0.3 + c, lambda a, b, c: a * 0.3 + 0.7,
    lambda a, b, c: (a - b) * 0.3 + c, lambda a, b, c: (a * b) * 0.3 + c, lambda a, b, c: (a / b) * 0.3 + c * 0.7,
    lambda a, b, c: a.sqrt(), lambda a, b, c: a.exp(), lambda a, b, c: a.maximum(b)])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_steps_over_tiles(dtype, step):
    rng = np.random.default_rng(0)
    a, b, c = (values(rng, (1511,), dtype) for _ in "abc")
    got = program(lambda a, b, c: ((step(a, b, c) / c - a) / b).sqrt())(a, b, c)
    want = ((program(step)(a, b, c) / c - a) / b).sqrt()
    assert np.array_equal(got.numpy(), want.numpy(), equal_nan=True)


@pytest.mark.parametrize("count", [8, 9, 12])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tiles_of_many_values_at_once(dtype, count):
    """As many buffers as a plan may have, in a size that one thread runs from beginning to end."""
    def added(a, b):
        quotients = [(a + float(i)) / b for i in range(count)]
        total = quotients.pop()
        while quotients:
            total = quotients.pop() - total
        return total

    rng = np.random.default_rng(0)
    a, b = values(rng, (4000,), dtype), values(rng, (4000,), dtype)
    assert np.array_equal(program(added)(a, b).numpy(), added(a, b).numpy(), equal_nan=True)


def test_without_axes():
    assert program(lambda x, y: x * y + 1)(cygrad.tensor(3.0), cygrad.tensor([2.0, 4.0])).tolist() == [7.0, 13.0]
    assert program(lambda x: x + 1)(cygrad.tensor(3.0)).shape == ()


def test_twelve_axes(threads):
    rng = np.random.default_rng(5)
    x = values(rng, (2, 3) * 6, "float32").permute(*range(11, -1, -1))[..., :1]
    y = values(rng, (3, 2) * 6, "float32")[..., :1]
    got = program(lambda x, y: x * y + x)(x, y)
    agree(got, x * y + x, "float32")


def test_a_transposed_operand(threads):
    rng = np.random.default_rng(3)
    x, y = values(rng, (257, 300), "float32"), values(rng, (300, 257), "float32")
    got = program(lambda x, y: (x - y).abs() * 2)(x.t(), y)
    assert cygrad.equal(got, (x.t() - y).abs() * 2)


def test_masks_and_predicates():
    x = cygrad.tensor([1.0, math.nan, -2.0, math.inf])
    mask = cygrad.tensor([True, False, True, False])
    chosen, finite = program(lambda m, x: (where(m, x, 0), x.isfinite()))(mask, x)
    assert chosen.tolist() == [1.0, 0.0, -2.0, 0.0] and finite.dtype is cygrad.bool
    assert finite.tolist() == [True, False, True, False]
    assert program(lambda x: (x > 0) * x)(cygrad.tensor([3.0, -3.0])).tolist() == [3.0, 0.0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_idioms_are_what_they_stand_for(dtype):
    """Loops for several steps at once, beside the steps with another op between them, which no idiom fits."""
    rng = np.random.default_rng(1)
    x, y, z = (values(rng, (4000,), dtype) * 4 for _ in "xyz")

    def huber(d, between=lambda a: a):
        m = d.maximum(-1).minimum(0.5)
        return between(m * -0.5 + d) * m

    pairs = [
        (lambda x, y, z: x * y + z, lambda x, y, z: z - -(x * y)),
        (lambda x, y, z: 3 * x + y, lambda x, y, z: y - -(x * 3)),
        (lambda x, y, z: z + x * 0.25, lambda x, y, z: z - -(x * 0.25)),
        (lambda x, y, z: (x - y) * 0.3 + y, lambda x, y, z: y - -((x - y).neg().neg() * 0.3)),
        (lambda x, y, z: z + 0.5 * (x * y), lambda x, y, z: z - -((x * y).neg().neg() * 0.5)),
        (lambda x, y, z: x / (y.abs() + 1) * 2 + z, lambda x, y, z: z - -((x / (y.abs() + 1)).neg().neg() * 2)),
        (lambda x, y, z: (x - y) * 0.3 + z + (x - y).abs(), lambda x, y, z: z - (y - x) * 0.3 + (x - y).abs()),
        (lambda x, y, z: x * 0.25 + y * 0.5, lambda x, y, z: -(x * 0.25).neg().neg() * -1 - (y * -0.5)),
        (lambda x, y, z: 0.5 * y + x * y * 0.3, lambda x, y, z: y * 0.5 - -((x * y).neg().neg() * 0.3)),
        (lambda x, y, z: z * 2 + x / (y.abs() + 1) * 3,
         lambda x, y, z: z * 2 - -((x / (y.abs() + 1)).neg().neg() * 3)),
        (lambda x, y, z: (z * 2).abs() + (x * 0.25 + z * 2), lambda x, y, z: (z + z).abs() - -(x * 0.25 - z * -2)),
        (lambda x, y, z: x * 0.25 + 2, lambda x, y, z: 2 - -(x * 0.25)),
        (lambda x, y, z: x.maximum(-1).minimum(0.5), lambda x, y, z: (-(x.maximum(-1))).maximum(-0.5).neg()),
        (lambda x, y, z: huber(x - y), lambda x, y, z: huber(x - y, lambda a: a.neg().neg())),
        (lambda x, y, z: x.sigmoid() * x, lambda x, y, z: x * x.sigmoid().neg().neg()),
        (lambda x, y, z: ((x * math.sqrt(0.5)).erf() + 1) * 0.5 * x,
         lambda x, y, z: ((x * math.sqrt(0.5)).erf() + 1) * 0.5 * -x * -1),
    ]  # fmt: skip
    for idiom, plain in pairs:
        agree(program(idiom)(x, y, z), program(plain)(x, y, z), dtype)
    edges = cygrad.tensor([-math.inf, -1e30, -100.0, -0.0, 0.0, 100.0, 1e30, math.inf, math.nan])
    gelu = program(pairs[-1][0])(edges, edges, edges)
    assert gelu.tolist()[3:8] == [0.0, 0.0, 100.0, float(cygrad.tensor(1e30)), math.inf]
    assert all(abs(gelu[k].item()) < 1e-14 for k in (1, 2)) and math.isnan(gelu[8].item())


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int32"])
@pytest.mark.parametrize("n", [9, 70, 20_000])
def test_a_number_below_a_threshold(threads, dtype, n):
    """A comparison and what it chooses are one loop where nobody else wants the mask."""
    x, y = (values(np.random.default_rng(i), (n,), dtype) for i in range(2))
    if dtype != "int32":
        x[:3] = cygrad.tensor([math.nan, math.inf, -math.inf])
    wants = cygrad.where(x <= 1, 2, y), cygrad.where(x <= 1, y, 2), cygrad.where(x <= 1, 0, x)
    below = cygrad.where(x <= 1, 0, y) + cygrad.where(x <= 1, 3, x)
    formulas = (lambda x, y, t: where(x <= t, 2, y), lambda x, y, t: where(x <= t, y, 2),
                lambda x, y, t: where(x <= t, 0, x))  # fmt: skip
    for formula, want in zip(formulas, wants):
        for places in ((), (0,), (1,)):
            ins = x.clone(), y.clone(), 1
            got = program(formula).into(ins[places[0]], *ins) if places else program(formula)(*ins)
            assert np.array_equal(got.double().numpy(), want.double().numpy(), equal_nan=True)

    def twice(x, y, t):
        mask = x <= t
        return where(mask, 0, y) + where(mask, 3, x)

    assert np.array_equal(program(twice)(x, y, 1).double().numpy(), below.double().numpy(), equal_nan=True)


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_program_written_by_hand(layout):
    x = cygrad.tensor([[-1.0, 0.5, 2.0], [3.0, -4.0, 0.25]])
    y = cygrad.tensor([[2.0, 2.0, 2.0], [0.5, 0.5, 0.5]])
    if layout == "columns":
        x, y = x.t(), y.t()
    product, chosen = cygrad.empty(x.shape), cygrad.empty(x.shape)
    steps = (
        ("in", 0), ("in", 1), ("binary", code(BINARY, "mul")), ("keep", 0), ("number", 1.0),
        ("binary", code(BINARY, "add")), ("unary", code(UNARY, "exp")), ("kept", 0), ("binary", code(BINARY, "mul")),
        ("out", 0),                                                               # exp(x * y + 1) * x * y
        ("in", 0), ("in", 2), ("binary", code(BINARY, "gt")), ("in", 0), ("in", 1), ("where",), ("out", 1),
    )  # fmt: skip
    for form in (run, run_stepwise):
        form(steps, (x, y, 0.0), (product, chosen))
        assert cygrad.allclose(product, cygrad.exp(x * y + 1) * x * y)
        assert cygrad.equal(chosen, cygrad.where(x > 0, x, y))


def test_more_than_a_plan_holds():
    """A program with more values at once than there are buffers still runs, a step at a time."""
    x = cygrad.arange(4.0)
    terms = [Term(("in", 0)) + k for k in range(20)]
    chain = terms[-1]
    for term in reversed(terms[:-1]):
        chain = term.atan2(chain)
    got = cygrad.empty(4)
    run(steps_of([chain]), (x,), (got,))
    want = x + 19
    for k in reversed(range(19)):
        want = cygrad.atan2(x + k, want)
    assert cygrad.allclose(got, want)


def test_unknown_step():
    x = cygrad.ones(2)
    with pytest.raises(ValueError, match="unknown step"):
        x._backend().elementwise((("swap",),), (x,), (x.clone(),))


def test_integer_division_by_zero():
    x = cygrad.tensor([4, 6])
    divide = program(lambda x, y: x.floor_divide(y) + 1)
    assert divide(x, cygrad.tensor([2, 4])).tolist() == [3, 2]
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        divide(x, cygrad.tensor([2, 0]))
