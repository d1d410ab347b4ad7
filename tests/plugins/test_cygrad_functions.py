"""If this fails, a function of `plugins/cygrad_functions` computes something else, or its gradient is wrong."""
import doctest
import gc
import math
import re
import warnings
import weakref
from pathlib import Path

import cygrad
import cygrad_functions
import fake_packages
import pytest
from cygrad.autograd import grad, gradcheck, gradgradcheck
from cygrad_functions import checkpoint, fma, log1pexp, reverse_gradient, round_ste, sign_ste

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@pytest.fixture
def declared(tmp_path, monkeypatch):
    """The entry points of pyproject.toml, as an installed package has them: {name: value}."""
    section = PYPROJECT.read_text(encoding="utf-8").partition('[project.entry-points."cygrad.functions"]\n')[2]
    points = dict(re.findall(r'^(\w+) = "([\w.:]+)"$', section.partition("\n[")[0], re.MULTILINE))
    fake_packages.install(tmp_path, "cygrad", {"cygrad.functions": points})
    monkeypatch.syspath_prepend(str(tmp_path))
    return points


def double(*values, shape=None):
    x = cygrad.tensor(values, dtype=cygrad.float64)
    return (x if shape is None else x.view(shape)).requires_grad_()


def weights(*shape):
    return cygrad.randn(shape, dtype=cygrad.float64).requires_grad_()


def passes_checks(function, *inputs):
    return gradcheck(function, inputs) and gradgradcheck(function, inputs)


def test_all_are_declared_and_load(declared):
    assert sorted(declared) == sorted(cygrad_functions.__all__)
    for name in cygrad_functions.__all__:
        assert getattr(cygrad.functions, name) is getattr(cygrad_functions, name)


@pytest.mark.parametrize("name", cygrad_functions.__all__)
def test_examples(declared, name):
    text = getattr(cygrad_functions, name).__doc__
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    report = []
    assert test.examples
    assert doctest.DocTestRunner(verbose=False).run(test, out=report.append).failed == 0, "".join(report)


# ------------------------------------------------------------------ arithmetic

def test_fma():
    a, b, c = double(1, 2, 3), double(4, 5, 6), double(10)
    y = fma(a, b, c)
    assert y.tolist() == [14, 20, 28]                                   # 1 * 4 + 10, 2 * 5 + 10, 3 * 6 + 10
    assert type(y.grad_fn).__name__ == "FusedMultiplyAddBackward"
    assert len(y.grad_fn.saved_tensors) == 2
    y.sum().backward()
    assert (a.grad.tolist(), b.grad.tolist(), c.grad.tolist()) == ([4, 5, 6], [1, 2, 3], [3])


SHAPES = [((3,), (3,), (3,)), ((2, 1), (3,), ()), ((), (2, 3), (2, 1)), ((2, 3), (2, 3), (3,))]


@pytest.mark.parametrize("shapes", SHAPES, ids=repr)
def test_fma_broadcasts(shapes):
    assert passes_checks(fma, *[weights(*shape) for shape in shapes])


def test_fma_of_complex_numbers():
    assert passes_checks(fma, *[cygrad.randn(3, dtype=cygrad.complex128).requires_grad_() for _ in range(3)])


def test_fma_computes_no_gradient_that_nobody_needs():
    a, b = weights(3), cygrad.randn(3, dtype=cygrad.float64)
    assert passes_checks(lambda a: fma(a, b, b), a)
    assert fma(a, b, b).grad_fn.apply(cygrad.ones(3, dtype=cygrad.float64))[1] is None


def test_log1pexp():
    x = double(-800, -40, -1, 0, 1, 40, 800)
    want = [0.0, math.exp(-40), math.log1p(math.exp(-1)), math.log(2), 1 + math.log1p(math.exp(-1)), 40.0, 800.0]
    assert log1pexp(x).tolist() == pytest.approx(want, rel=1e-15)
    extremes = log1pexp(cygrad.tensor([math.inf, -math.inf, math.nan])).tolist()
    assert extremes[:2] == [math.inf, 0] and math.isnan(extremes[2])
    assert passes_checks(log1pexp, double(-30, -1, -0.25, 0, 0.5, 3, 30))
    (slope,) = grad(log1pexp(x).sum(), x)
    assert slope.tolist() == pytest.approx([0, math.exp(-40), 1 / (1 + math.e), 0.5, 1 / (1 + 1 / math.e), 1, 1])


# ------------------------------------------------- gradients that are not the derivative

def differentiable_backward(function, x):
    """Whether the gradient is a differentiable function of the incoming one, with the derivative it claims."""
    return passes_checks(lambda g: grad(function(x), x, g, create_graph=True), weights(*x.shape))


def test_round_ste():
    x = double(-1.5, -0.5, 0.5, 1.4, 2.6)
    y = round_ste(x)
    assert y.tolist() == [-2, 0, 0, 1, 3]
    y.backward(double(1, 2, 3, 4, 5))
    assert x.grad.tolist() == [1, 2, 3, 4, 5]
    assert differentiable_backward(round_ste, x)
    (first,) = grad((round_ste(x) ** 2).sum(), x, create_graph=True)
    assert first.tolist() == [-4, 0, 0, 2, 6]                           # 2 * round(x) * 1
    assert grad(first.sum(), x)[0].tolist() == [2] * 5                  # through the rounding again


def test_sign_ste():
    x = double(-2, -1, -0.5, 0, 0.5, 2)
    assert sign_ste(x).tolist() == [-1, -1, -1, 0, 1, 1]
    assert grad(sign_ste(x).sum(), x)[0].tolist() == [0, 1, 1, 1, 1, 0]
    assert grad(sign_ste(x, 3).sum(), x)[0].tolist() == [1] * 6
    assert grad(sign_ste(x, limit=0.5).sum(), x)[0].tolist() == [0, 0, 1, 1, 1, 0]
    assert differentiable_backward(sign_ste, x)


def test_reverse_gradient():
    x = weights(3)
    y = reverse_gradient(x, 0.5)
    assert y.tolist() == x.tolist() and y.data_ptr() == x.data_ptr()
    assert grad(y.sum(), x)[0].tolist() == [-0.5] * 3
    assert passes_checks(lambda x: reverse_gradient(reverse_gradient(x.sin())), x)          # turned round twice
    assert passes_checks(lambda x: reverse_gradient(x.exp(), -1.0), x)
    assert differentiable_backward(reverse_gradient, x)


# ----------------------------------------------------------------- checkpointing

def layer(weight):
    return lambda x, shift=0.0: cygrad.tanh(x * weight + shift) * x.exp()


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_values_and_gradients_are_those_without(use_reentrant):
    x, weight = weights(3), weights(3)
    results = []
    for call in (lambda *args: layer(weight)(*args), lambda *args: checkpoint(layer(weight), *args,
                                                                            use_reentrant=use_reentrant)):
        x.grad = weight.grad = None
        y = call(x * 2, 0.5)
        (y * y).sum().backward()
        results.append((y.tolist(), x.grad.tolist(), weight.grad.tolist()))
    assert results[0] == results[1]


def test_derivatives_of_parameters_and_arguments_to_any_order():
    x, weight = weights(3), weights(3)
    assert passes_checks(lambda x: checkpoint(layer(weight), x), x)
    assert passes_checks(lambda weight: checkpoint(layer(weight), x * 1), weight)
    assert passes_checks(lambda x, weight: checkpoint(layer(weight), x, shift=x * weight), x, weight)

    def third(y):
        (first,) = grad(y.sum(), x, create_graph=True)
        (second,) = grad(first.sum(), x, create_graph=True)
        return grad(second.sum(), (x, weight))

    for got, want in zip(third(checkpoint(layer(weight), x)), third(layer(weight)(x))):
        assert cygrad.allclose(got, want)


def test_a_tensor_with_history_that_the_function_reaches_by_itself():
    x, weight = weights(3), weights(3)
    hidden = weight.exp()
    y = checkpoint(lambda x: (x * hidden).sin(), x) + hidden
    y.sum().backward()                                                  # walks hidden's history after the replay
    assert cygrad.allclose(weight.grad, ((x * hidden).cos() * x + 1) * hidden)


def test_several_outputs_and_other_objects():
    x = weights(3)
    found = checkpoint(lambda x, factor: (x * factor, "text", x.sin(), x.detach()), x, 3)
    assert found[1] == "text" and not found[3].requires_grad
    (found[0] + found[2]).sum().backward()
    assert cygrad.allclose(x.grad, 3 + x.cos())
    assert grad(checkpoint(lambda x: (x * 2, x * 3), x)[1].sum(), x)[0].tolist() == [3.0] * 3


def test_nested():
    x, weight = weights(3), weights(3)
    inner = layer(weight)
    assert passes_checks(lambda x: checkpoint(lambda x: checkpoint(inner, x) * weight, x), x)


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_random_numbers_are_the_same_twice(use_reentrant):
    x, masks = cygrad.ones(100, requires_grad=True), []

    def dropout(x):
        masks.append(cygrad.rand(100) < 0.5)
        return x * masks[-1]

    checkpoint(dropout, x, use_reentrant=use_reentrant).sum().backward()
    assert len(masks) == 2 and (masks[0] == masks[1]).all()
    assert (x.grad == masks[0]).all()
    after = cygrad.rand(3).tolist()
    cygrad.manual_seed(0)
    cygrad.rand(100)
    assert after == cygrad.rand(3).tolist()                             # the replay left the stream alone
    masks.clear()
    checkpoint(dropout, x, use_reentrant=use_reentrant, preserve_rng_state=False).sum().backward()
    assert not (masks[0] == masks[1]).all()


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_what_is_computed_again_is_not_kept(use_reentrant):
    x, made = weights(3), []

    def function(x):
        y = x.exp()
        made.append(weakref.ref(y))
        return y.sin()

    gc.disable()
    try:
        y = checkpoint(function, x, use_reentrant=use_reentrant)
        assert made[0]() is None
        y.sum().backward()
        assert len(made) == 2 and made[1]() is None
    finally:
        gc.enable()
    assert cygrad.allclose(x.grad, x.exp().cos() * x.exp())


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_memory_is_that_of_one_part(use_reentrant):
    """8 parts of 8 results each: 64 are kept without checkpoints; with them 8, and for a while those of a part."""
    x = cygrad.ones(100_000, requires_grad=True)

    def part(x):
        for _ in range(8):
            x = cygrad.sin(x)
        return x

    def peak(part):
        cygrad.cpu.empty_cache()        # blocks left by other tests may be larger than is asked for
        before, y = cygrad.cpu.memory_allocated(), x
        cygrad.cpu.reset_peak_memory_stats()
        for _ in range(8):
            y = part(y)
        y.sum().backward()
        x.grad = None
        return (cygrad.cpu.max_memory_allocated() - before) / 400_000

    assert 64 <= peak(part) <= 70
    assert peak(lambda x: checkpoint(part, x, use_reentrant=use_reentrant)) <= 22


def test_without_gradients_the_function_is_just_called():
    calls = []
    with cygrad.no_grad():
        y = checkpoint(lambda x: (calls.append(x), x * 2)[1], x := weights(3))
    assert calls[0] is x and not y.requires_grad
    assert not checkpoint(lambda x: x * 2, cygrad.ones(3)).requires_grad


def test_changed_parameters_are_noticed():
    weight = weights(3)
    y = checkpoint(layer(weight), weights(3))
    with cygrad.no_grad():
        weight.mul_(2)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.sum().backward()


def test_reentrant_needs_an_argument_with_a_gradient():
    weight = weights(3)
    with pytest.warns(UserWarning, match="^None of the inputs have requires_grad=True. Gradients will be None$"):
        assert not checkpoint(layer(weight), cygrad.ones(3), use_reentrant=True).requires_grad
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert checkpoint(layer(weight), cygrad.ones(3)).requires_grad
    with pytest.raises(RuntimeError, match="^none of output has requires_grad=True, this checkpoint"):
        checkpoint(lambda x: x.detach(), weight * 1, use_reentrant=True).sum().backward()
    with pytest.raises(RuntimeError, match="differentiate twice"):
        y = checkpoint(layer(1.0), weight * 1, use_reentrant=True)
        (first,) = grad((y * y).sum(), weight, create_graph=True)
        first.sum().backward()
