"""If this fails, a derivative's shortcut in C computes something else than the row of the table it stands for."""

import cygrad
import pytest
from cygrad.autograd.derivative import shortcuts
from cygrad.ops.reduce.integration import multiply_by_number

# What reaches each row with a shortcut; inputs are a: (3, 4), b: (4,), and positive.
CALLS = {
    "add": [lambda a, b: a + b, lambda a, b: b + a],
    "sub": [lambda a, b: a - b, lambda a, b: cygrad.sub(b, a), lambda a, b: cygrad.sub(a, b, alpha=3)],
    "scalar_sub": [lambda a, b: 2 - a],
    "mul": [lambda a, b: a * b, lambda a, b: a * 3, lambda a, b: b * a, lambda a, b: a * a],
    "multiply_by_number": [lambda a, b: multiply_by_number(a, 3), lambda a, b: multiply_by_number(a, 0.5) * b],
    "div": [lambda a, b: a / b, lambda a, b: a / 3],
    "pow": [lambda a, b: a ** 2, lambda a, b: a ** 3, lambda a, b: a ** -0.5, lambda a, b: a ** 1, lambda a, b: a ** 0],
    "exp": [lambda a, b: a.exp()],
    "log": [lambda a, b: a.log()],
    "sqrt": [lambda a, b: a.sqrt()],
    "tanh": [lambda a, b: a.tanh()],
    "relu": [lambda a, b: (a - 1).relu(), lambda a, b: (a - 1).t().relu()],
    "sum": [lambda a, b: a.sum() * b, lambda a, b: b[0].sum()],
    "sum_dim": [lambda a, b: a.sum(0), lambda a, b: a.sum((0, 1), True), lambda a, b: a.sum(1, keepdim=True),
                lambda a, b: b[0].sum(0)],
    "mean": [lambda a, b: a.mean() * b, lambda a, b: b[0].mean()],
    "mean_dim": [lambda a, b: a.mean(0), lambda a, b: a.mean((-1,)), lambda a, b: a.mean(1, keepdim=True)],
    "view": [lambda a, b: a.view(2, 6), lambda a, b: a.view(-1).t()],
    "reshape_alias": [lambda a, b: a[:, ::2].reshape(3, 2, 1)],
    "unsafe_view": [lambda a, b: a.t().reshape(-1), lambda a, b: (a.view(1, 3, 4) @ b.view(4, 1))],
    "squeeze": [lambda a, b: a[None].squeeze()],
    "squeeze_dim": [lambda a, b: a[None].squeeze(0), lambda a, b: a.squeeze(0)],
    "unsqueeze": [lambda a, b: a.unsqueeze(1), lambda a, b: a.t().unsqueeze(-1)],
    "t": [lambda a, b: a.t() * 2, lambda a, b: b.t()],
    "transpose": [lambda a, b: a.transpose(0, 1) * 2, lambda a, b: a[None].transpose(-1, 1), lambda a, b: a.mT],
    "expand": [lambda a, b: b.expand(2, 3, 4), lambda a, b: a[:, :1].expand(3, 5), lambda a, b: b[0].expand(2)],
    "select": [lambda a, b: a[1], lambda a, b: a[:, -1], lambda a, b: b[2], lambda a, b: a[1, 2]],
    "slice": [lambda a, b: a[1:], lambda a, b: a[:, 1:4:2], lambda a, b: b[:0]],
    "mm": [lambda a, b: a.mm(a.t()), lambda a, b: a.t() @ a],
    "addmm": [lambda a, b: cygrad.addmm(b, a.t(), a), lambda a, b: cygrad.addmm(b, a.t(), a, beta=2, alpha=3),
              lambda a, b: cygrad.addmm(b[0], a[:, :2], a[:2])],
    "dot": [lambda a, b: b.dot(a[0]), lambda a, b: b.dot(b)],
}


def gradients(call, dtype, create_graph, uniform):
    cygrad.manual_seed(0)
    a = (cygrad.rand(3, 4, dtype=cygrad.float64) + 0.5).to(dtype).requires_grad_()
    b = (cygrad.rand(4, dtype=cygrad.float64) + 0.5).to(dtype).requires_grad_()
    out = call(a, b)
    weights = cygrad.randn(() if uniform else out.shape, dtype=cygrad.float64).to(dtype).expand(out.shape)
    return cygrad.autograd.grad(out, (a, b), weights, create_graph=create_graph, allow_unused=True)


def test_every_shortcut_is_compared():
    assert set(CALLS) == set(shortcuts())


DTYPES = [cygrad.float64, cygrad.float32, cygrad.float16, cygrad.complex64]
REAL_ONLY = {"relu"}


@pytest.mark.parametrize("uniform", [False, True])      # True: one number in the place of all, as from a sum
@pytest.mark.parametrize("op, number, dtype", [
    (op, number, dtype) for op, calls in CALLS.items() for number in range(len(calls)) for dtype in DTYPES
    if not (dtype.is_complex and op in REAL_ONLY)])
def test_a_shortcut_computes_what_the_formula_does(op, number, dtype, uniform):
    quick = gradients(CALLS[op][number], dtype, False, uniform)
    by_formula = gradients(CALLS[op][number], dtype, True, uniform)      # recorded passes run the table's formulas
    for found, expected in zip(quick, by_formula):
        assert (found is None) == (expected is None)
        if found is not None:
            assert found.dtype is expected.dtype and found.shape == expected.shape
            assert cygrad.allclose(found, expected, rtol=1e-2 if dtype is cygrad.float16 else 1e-5, equal_nan=True)


def test_a_shortcut_refuses_what_was_freed_or_changed():
    for call in (lambda x: x.exp(), lambda x: x * x, lambda x: x.mm(x)):
        x = cygrad.rand(2, 2, requires_grad=True)
        out = call(x).sum()
        out.backward()
        with pytest.raises(RuntimeError, match="a second time"):
            out.backward()
        y = x * 1
        out = call(y)
        (out if call(y).grad_fn.name() == "ExpBackward0" else y).add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            out.sum().backward()


def test_formulas_that_give_the_gradient_or_its_negative_are_known():
    x = cygrad.rand(3, requires_grad=True)
    for call in (lambda x: x.clone(), lambda x: -x, lambda x: x - 1, lambda x: x + 1, lambda x: x.frac()):
        g = cygrad.randn(3)
        expected = cygrad.autograd.grad(call(x), x, g, create_graph=True)[0]
        assert cygrad.equal(cygrad.autograd.grad(call(x), x, g)[0], expected)
