"""If this fails, a tensor prints other text than PyTorch's.

Every case prints the same numbers with both libraries, under the same print options, and wants the same characters
but for the package's name.
"""

import contextlib
import random

import cygrad
import pytest
from cygrad.tensors.printing import get_printoptions, printoptions
from hypothesis import given, settings, strategies as st

torch = pytest.importorskip("torch")
torch_str = pytest.importorskip("torch._tensor_str")

FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEXES = ["complex64", "complex128"]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
DTYPES = [*FLOATS, *COMPLEXES, *INTEGERS, "bool"]
LARGEST = {"uint8": 255, "int8": 127, "int16": 32767, "int32": 2**31 - 1, "int64": 2**63 - 1}

SHAPES = [
    *[(), (1,), (2,), (3,), (7,), (13,), (50,), (260,)],
    *[(1, 1), (2, 3), (3, 1), (1, 9), (3, 30), (8, 8), (2, 2, 2), (3, 1, 12), (1, 4, 1, 3), (2, 1, 3, 1, 2)],
    *[(1000,), (1001,), (1, 1001), (1001, 1), (34, 30), (6, 200), (7, 150), (3, 400), (11, 12, 13), (2, 7, 5, 20)],
]
SMALL_SHAPES = [shape for shape in SHAPES if len(shape) < 4 and max((1, *shape)) <= 50]

OPTIONS = {
    "default": {},
    "short": {"profile": "short"},
    "full": {"profile": "full"},
    "precision 0": {"precision": 0},
    "precision 2": {"precision": 2},
    "precision 10": {"precision": 10},
    "threshold 5": {"threshold": 5},
    "threshold 0": {"threshold": 0},
    "edgeitems 1": {"edgeitems": 1, "threshold": 4},
    "edgeitems 5": {"edgeitems": 5, "threshold": 20},
    "edgeitems 0": {"edgeitems": 0, "threshold": 10},
    "linewidth 30": {"linewidth": 30},
    "linewidth 5": {"linewidth": 5},
    "linewidth 200": {"linewidth": 200},
    "scientific": {"sci_mode": True},
    "not scientific": {"sci_mode": False},
    "short scientific": {"profile": "short", "sci_mode": True, "linewidth": 60, "threshold": 30},
}

SPECIAL = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0]


def _whole(rng):
    return float(rng.randint(-50, 50))


STYLES = {
    "whole": _whole,
    "whole, wide": lambda rng: float(rng.randint(-30000, 30000)),
    "whole, special": lambda rng: rng.choice([*SPECIAL, _whole(rng), _whole(rng)]),
    "special": lambda rng: rng.choice(SPECIAL),
    "zeros": lambda rng: rng.choice([0.0, -0.0]),
    "unit": lambda rng: rng.random(),
    "normal": lambda rng: rng.gauss(0, 1),
    "normal, special": lambda rng: rng.choice([*SPECIAL, rng.gauss(0, 10), rng.gauss(0, 10)]),
    "halves": lambda rng: rng.randint(-9, 9) / 2,
    "ties": lambda rng: rng.randint(-99999, 99999) / 32768,
    "any exponent": lambda rng: rng.gauss(0, 1) * 10.0 ** rng.randint(-12, 12),
    "extreme exponent": lambda rng: rng.gauss(0, 1) * 10.0 ** rng.randint(-320, 300),
    "negative, large": lambda rng: -rng.random() * 3e4,
    "around 1e8": lambda rng: 1e8 + rng.randint(-1, 1),
    "around 1e-4": lambda rng: rng.choice([1e-4, 0.99999e-4, 1.00001e-4, 1e-3]),
    "around ratio 1000": lambda rng: rng.choice([1.0, 1000.0, 1.0]) if rng.random() < 0.97 else 1001.0,
    "around ratio 1000, fractions": lambda rng: rng.choice([0.25, 250.0, -0.5]) if rng.random() < 0.97 else -250.5,
}


def _clip(value, dtype):
    if dtype == "float16" and value - value == 0:
        return max(-65504.0, min(65504.0, value))
    return value


def _values(rng, style, dtype, count):
    if dtype == "bool":
        return [rng.random() < 0.5 for _ in range(count)]
    if dtype in LARGEST:
        top = rng.choice([1, 9, 120, LARGEST[dtype]])
        return [rng.randint(0 if dtype == "uint8" else -top, top) for _ in range(count)]
    draw = STYLES[style]
    if dtype in COMPLEXES:
        other = STYLES[rng.choice(list(STYLES))]
        return [complex(draw(rng), other(rng)) for _ in range(count)]
    return [_clip(draw(rng), dtype) for _ in range(count)]


def _count(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def _nest(values, shape):
    """Nested lists of `shape` from a flat list."""
    for size in shape[:0:-1]:
        values = [values[i : i + size] for i in range(0, len(values), size)]
    return values if shape else values[0]


@contextlib.contextmanager
def _options(**options):
    with printoptions(**options), torch_str.printoptions(**options):
        yield


def _same(ours, theirs):
    wanted = repr(theirs)
    assert repr(ours).replace("cygrad.", "torch.") == wanted
    assert str(ours).replace("cygrad.", "torch.") == wanted


def _check(values, dtype):
    theirs = torch.tensor(values, dtype=getattr(torch, dtype))
    ours = cygrad.tensor(theirs.tolist(), dtype=getattr(cygrad, dtype))
    _same(ours, theirs)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_random(dtype, options):
    """Twelve draws of shape and kind of number for each of 12 dtypes and 17 sets of options: 2,448 cases."""
    rng = random.Random(f"{dtype} {options}")
    with _options(**OPTIONS[options]):
        for _ in range(12):
            shape = rng.choice(SHAPES)
            style = rng.choice(list(STYLES))
            _check(_nest(_values(rng, style, dtype, _count(shape)), shape), dtype)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEXES])
def test_every_kind_of_number(dtype, style):
    rng = random.Random(f"{dtype} {style}")
    for shape in SMALL_SHAPES:
        _check(_nest(_values(rng, style, dtype, _count(shape)), shape), dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_shape(shape):
    rng = random.Random(str(shape))
    for dtype in ("float32", "int64", "bool", "complex64"):
        _check(_nest(_values(rng, "normal", dtype, _count(shape)), shape), dtype)


@pytest.mark.parametrize(
    "values",
    [
        1e-4, 0.0001001, 9.9e-5, 1e8, 100000008.0, 1.0000001, 16777216.0, 0.1, 1 / 3, -1 / 3, 1e38, 1e-38, 1e-45,
        [0.0, 1e-5], [1.0, 1001.0], [1.0, 1000.0], [0.5, 500.5], [-1e-5, 1.0], [1.5, float("nan")],
        [0.00005, 1.0], [0.99995, 0.99994], [9.99995, 1.0], [99999.99999, 1.5], [-0.00001, 0.01],
        [float("nan")] * 3, [float("inf"), 1.0], [float("-inf"), 0.5], [-0.0, 0.0], [-0.0, 1.5], [1e10, float("inf")],
        [1e30] * 7, [12345678.0, 1.0], [2.0**24, 2.0**24 + 2], [1e8 + 0.5], [99999999.5, 0.5], [5e-324, 1e308],
    ],
    ids=repr,
)  # fmt: skip
def test_picked_floats(values):
    for dtype in ("float32", "float64", "bfloat16"):
        _check(values, dtype)


@pytest.mark.parametrize(
    "values",
    [
        1j, -1j, 1 - 1j, complex(0.0, -0.0), complex(-0.0, 0.0), complex(1, float("nan")), complex(float("nan"), 1),
        complex(0, float("inf")), complex(0, float("-inf")), [1 + 2j, 3.5 - 4j], [1e-9 + 1j, 1 + 1e9j], [1j] * 30,
    ],
    ids=repr,
)  # fmt: skip
def test_picked_complex(values):
    for dtype in COMPLEXES:
        _check(values, dtype)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4), (0, 0), (1, 0, 1, 1)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_empty(shape, dtype):
    ours = cygrad.empty(shape, dtype=getattr(cygrad, dtype))
    theirs = torch.empty(shape, dtype=getattr(torch, dtype))
    for options in ({}, {"edgeitems": 0}, {"linewidth": 20}):
        with _options(**options):
            _same(ours, theirs)


@pytest.mark.parametrize("default", FLOATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_default_dtype(default, dtype):
    """The dtype shows unless it is the default one, the complex dtype that goes with it, int64 or bool."""
    before = cygrad.get_default_dtype(), torch.get_default_dtype()
    try:
        cygrad.set_default_dtype(getattr(cygrad, default))
        torch.set_default_dtype(getattr(torch, default))
        for values in (1, [1, 0], [[1], [0]]):
            _check(values, dtype)
        _same(cygrad.empty(0, dtype=getattr(cygrad, dtype)), torch.empty(0, dtype=getattr(torch, dtype)))
    finally:
        cygrad.set_default_dtype(before[0])
        torch.set_default_dtype(before[1])


GRADIENTS = {
    "leaf": lambda x: x,
    "exp": lambda x: x.exp(),
    "mul": lambda x: x * 2,
    "div": lambda x: x / 3,
    "sum": lambda x: x.sum(),
    "reshape": lambda x: x.exp().reshape(-1, 1),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "empty": lambda x: x[:0],
    "detached": lambda x: x.exp().detach(),
}


@pytest.mark.parametrize("expression", GRADIENTS)
@pytest.mark.parametrize("count", [1, 4, 6, 7, 8, 9, 10, 1200])
def test_gradient(expression, count):
    """requires_grad or grad_fn follow, on a line of their own where the first has no room."""
    values = [index / 8 - 1 for index in range(count)]
    ours = GRADIENTS[expression](cygrad.tensor(values, requires_grad=True))
    theirs = GRADIENTS[expression](torch.tensor(values, requires_grad=True))
    for linewidth in (20, 60, 80, 100):
        with _options(linewidth=linewidth):
            _same(ours, theirs)


def test_line_breaks_before_suffixes():
    """Every line width, through all points where a suffix no longer fits on the line of the one before."""
    for count in range(1, 40, 3):
        values = [1.0] * count
        ours = cygrad.tensor(values, dtype=cygrad.float64, requires_grad=True)
        theirs = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        for linewidth in range(20, 100):
            with _options(linewidth=linewidth, edgeitems=count % 2):
                _same(ours, theirs)
                _same(ours * 2, theirs * 2)


def test_layouts():
    """Views print what they show, not what lies in memory."""
    values = _nest([float(index) / 4 for index in range(1200)], (40, 30))
    ours, theirs = cygrad.tensor(values), torch.tensor(values)
    for view in (
        lambda x: x.t(),
        lambda x: x[::2, 3:9],
        lambda x: x[:, 5],
        lambda x: x[7],
        lambda x: x[:1, :1].expand(50, 40),
        lambda x: x.reshape(8, 5, 30).permute(2, 0, 1),
        lambda x: x[3, 4],
    ):
        _same(view(ours), view(theirs))


FINITE_OR_NOT = st.one_of(st.floats(), st.floats(-1000, 1000), st.integers(-1000, 1000).map(float))
CHOSEN_OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 12),
        "threshold": st.integers(0, 40),
        "edgeitems": st.integers(0, 5),
        "linewidth": st.integers(1, 150),
        "sci_mode": st.booleans(),
        "profile": st.sampled_from(["default", "short", "full", "unheard of"]),
    },
)


@st.composite
def _arrays(draw, elements):
    shape = tuple(draw(st.lists(st.integers(1, 5), max_size=4)))
    count = _count(shape)
    return _nest(draw(st.lists(elements, min_size=count, max_size=count)), shape)


@settings(max_examples=300, deadline=None)
@given(_arrays(FINITE_OR_NOT), st.sampled_from(["float64", "float32", "bfloat16"]), CHOSEN_OPTIONS)
def test_any_floats(values, dtype, options):
    with _options(**options):
        assert get_printoptions() == torch_str.get_printoptions()
        _check(torch.tensor(values, dtype=torch.float64).to(getattr(torch, dtype)).tolist(), dtype)


@settings(max_examples=150, deadline=None)
@given(_arrays(st.builds(complex, FINITE_OR_NOT, FINITE_OR_NOT)), CHOSEN_OPTIONS)
def test_any_complex(values, options):
    with _options(**options):
        _check(values, "complex128")


@settings(max_examples=150, deadline=None)
@given(_arrays(st.integers(-(2**63), 2**63 - 1)), CHOSEN_OPTIONS)
def test_any_integers(values, options):
    with _options(**options):
        _check(values, "int64")
