"""If this fails, autograd.functional differs from PyTorch's: in a value, in how results nest, or in what it refuses.

Every function of the table is differentiated by both libraries at the same points, in all modes.
"""

import itertools

import cygrad
import pytest

torch = pytest.importorskip("torch")

MODES = [{"strict": strict, "create_graph": graph} for strict, graph in itertools.product((False, True), repeat=2)]

ONE = ([0.5, -1.5],)
TWO = ([0.5, -1.5], [2.0, 0.25])
MATRIX = ([[0.5, -1.5, 1.0], [2.0, 0.25, -1.0]],)
SCALAR = (0.75,)

# name: (inputs, function of the library and the inputs)
FUNCTIONS = {
    "cube": (ONE, lambda lib, x: x**3),
    "linear": (ONE, lambda lib, x: x * 2),
    "constant": (ONE, lambda lib, x: lib.ones(3)),
    "detached": (ONE, lambda lib, x: x.detach() * 2),
    "identity": (ONE, lambda lib, x: x),
    "of a scalar": (SCALAR, lambda lib, x: x.exp() * lib.tensor([1.0, 2.0])),
    "scalar to scalar": (SCALAR, lambda lib, x: x**3),
    "scalar identity": (SCALAR, lambda lib, x: x),
    "matrix": (MATRIX, lambda lib, x: x.t() @ x),
    "product": (TWO, lambda lib, a, b: a * b),
    "two outputs": (TWO, lambda lib, a, b: (a.sum() * b, a.exp())),
    "tuple of one": (ONE, lambda lib, x: (x**2,)),
    "ignores an input": (TWO, lambda lib, a, b: a * a),
    "partly linear": (TWO, lambda lib, a, b: a * 2 + b * b),
    "sum of cubes": (ONE, lambda lib, x: (x**3).sum()),
    "sum of squares": (ONE, lambda lib, x: (x**2).sum()),
    "sum": (ONE, lambda lib, x: (x * 2).sum()),
    "sum of a detached": (ONE, lambda lib, x: x.detach().sum()),
    "constant sum": (ONE, lambda lib, x: lib.ones(())),
    "sum of products": (TWO, lambda lib, a, b: (a * a * b).sum()),
    "sum ignores an input": (TWO, lambda lib, a, b: (a * a * a).sum()),
    "sum partly linear": (TWO, lambda lib, a, b: (a * 2).sum() + (b * b).sum()),
    "one element": (ONE, lambda lib, x: (x**3).sum().reshape(1, 1)),
    "matrix to scalar": (MATRIX, lambda lib, x: (x.t() @ x).exp().sum()),
    "list": (ONE, lambda lib, x: [x]),
    "number": (ONE, lambda lib, x: 3.0),
    "tuple with a number": (ONE, lambda lib, x: (x, 3.0)),
}


def values(result):
    """Results as nested tuples of plain values, shapes and whether they require a gradient."""
    if isinstance(result, tuple):
        return tuple(values(item) for item in result)
    return tuple(result.shape), result.requires_grad, result.detach().double().reshape(-1).tolist()


def same(found, expected):
    if isinstance(expected, list):
        return found == pytest.approx(expected, rel=1e-5, abs=1e-6)
    if isinstance(expected, tuple):
        return isinstance(found, tuple) and len(found) == len(expected) and all(map(same, found, expected))
    return found == expected


def outcome(call):
    try:
        return values(call())
    except Exception as error:
        return type(error).__name__, str(error).replace("torch", "cygrad")


def run(lib, name, function, with_v, as_leaf, mode):
    numbers, body = FUNCTIONS[name]
    inputs = tuple(lib.tensor(value, requires_grad=as_leaf) for value in numbers)
    arguments = ()
    if with_v:
        shaped_as = inputs
        if function == "vjp":
            shaped_as = body(lib, *inputs)
            shaped_as = shaped_as if isinstance(shaped_as, tuple) else (shaped_as,)
            if not all(isinstance(value, lib.Tensor) for value in shaped_as):
                shaped_as = inputs
        v = tuple((lib.arange(value.numel()) + 1.0).reshape(value.shape) for value in shaped_as)
        arguments = (v if len(v) > 1 else v[0],)
    inputs = inputs if len(inputs) > 1 else inputs[0]
    called = getattr(lib.autograd.functional, function)
    return outcome(lambda: called(lambda *tensors: body(lib, *tensors), inputs, *arguments, **mode))


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: ", ".join(key for key in mode if mode[key]) or "default")
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("function", ["jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"])
def test_functional(function, name, mode):
    for as_leaf in (False, True):
        for with_v in (False, True) if function not in ("jacobian", "hessian") else (False,):
            found = run(cygrad, name, function, with_v, as_leaf, mode)
            expected = run(torch, name, function, with_v, as_leaf, mode)
            assert same(found, expected), f"as_leaf={as_leaf}, with_v={with_v}: {found} instead of {expected}"


@pytest.mark.parametrize("function", ["jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"])
@pytest.mark.parametrize("inputs", [lambda lib: [lib.ones(2)], lambda lib: 3.0, lambda lib: (lib.ones(2), None)])
def test_bad_inputs(function, inputs):
    def call(lib):
        return outcome(lambda: getattr(lib.autograd.functional, function)(lambda *x: x[0].sum(), inputs(lib)))

    assert call(cygrad) == call(torch)


@pytest.mark.parametrize("function", ["vjp", "jvp", "vhp", "hvp"])
@pytest.mark.parametrize(
    "v", [lambda lib: lib.ones(3), lambda lib: (lib.ones(2), lib.ones(2)), lambda lib: 2.0, lambda lib: (lib.ones(2),)]
)
def test_bad_vectors(function, v):
    def call(lib):
        def body(x):
            return (x**3).sum() if function.startswith(("vh", "hv")) else x**3

        return outcome(lambda: getattr(lib.autograd.functional, function)(body, lib.ones(2), v(lib)))

    assert same(call(cygrad), call(torch))


@pytest.mark.parametrize("function", ["jvp", "vhp", "hvp"])
def test_vectors_for_several_inputs(function):
    def call(lib, *v):
        inputs = (lib.ones(2), lib.ones(3))
        return outcome(
            lambda: getattr(lib.autograd.functional, function)(lambda a, b: (a**2).sum() * (b**2).sum(), inputs, v)
        )

    for lengths in [(2, 3), (2,), (2, 3, 1), (3, 3), (2, 2)]:
        assert same(call(cygrad, *map(cygrad.ones, lengths)), call(torch, *map(torch.ones, lengths)))
