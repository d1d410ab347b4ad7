"""If one of these fails, a transform of `cygrad.func` gives a wrong derivative, or mixes those of nested ones."""

from collections import namedtuple

import cygrad
import pytest
from cygrad import func
from cygrad.utils import _pytree

Pair = namedtuple("Pair", "first second")


def close(a, b):
    return cygrad.allclose(a, b, atol=1e-6)


def test_closed_forms():
    x = cygrad.tensor([0.5, 2.0])
    assert close(func.grad(lambda x: (x**3).sum())(x), 3 * x**2)
    value, product = func.vjp(lambda x: x**2, x)
    assert close(value, x**2) and close(product(cygrad.tensor([1.0, 10.0]))[0], 2 * x * cygrad.tensor([1.0, 10.0]))
    assert close(func.jvp(cygrad.exp, (x,), (x,))[1], x * x.exp())
    for jacobian in (func.jacrev, func.jacfwd):
        assert close(jacobian(lambda x: x.outer(x))(x)[0], cygrad.tensor([[1.0, 0.0], [2.0, 0.5]]))
    assert close(func.hessian(lambda x: (x**3).sum())(x), (6 * x).diag())


def test_nested_derivatives():
    x = cygrad.tensor(0.7)
    d = func.grad
    assert close(d(d(d(cygrad.sin)))(x), -x.cos())

    def push(f):
        return lambda x: func.jvp(f, (x,), (cygrad.ones_like(x),))[1]
    assert close(push(push(cygrad.sin))(x), -x.sin())
    assert close(d(push(cygrad.exp))(x), x.exp()) and close(push(d(cygrad.exp))(x), x.exp())


@pytest.mark.parametrize("jacobian", [func.jacrev, func.jacfwd])
def test_jacobians_of_outputs_without_elements(jacobian):
    x = cygrad.ones(3, 2)
    assert jacobian(lambda x: x[:0])(x).shape == (0, 2, 3, 2)
    assert jacobian(lambda x: x[:, :0].exp() ** 2)(x).shape == (3, 0, 3, 2)


@pytest.mark.parametrize("outer", [func.jacrev, func.jacfwd])
@pytest.mark.parametrize("inner", [func.jacrev, func.jacfwd])
def test_hessians_in_every_mode(outer, inner):
    x = cygrad.randn(4)

    def f(x):
        return (x.sin() * x.roll(1).exp()).sum() + x.prod()
    expected = cygrad.autograd.functional.hessian(f, x)
    assert cygrad.allclose(outer(inner(f))(x), expected, atol=1e-5)


def test_perturbations_are_not_confused():
    one = cygrad.tensor(1.0)

    def push(f, x):
        return func.jvp(f, (x,), (cygrad.tensor(1.0),))[1]
    assert push(lambda x: x * push(lambda y: x + y, one), one).item() == 1
    assert func.grad(lambda x: x * func.grad(lambda y: x + y)(one))(one).item() == 1
    assert push(lambda x: x * func.grad(lambda y: x * y)(one), cygrad.tensor(3.0)).item() == 6


def test_arguments_by_number_and_nests():
    x, y = cygrad.randn(3), cygrad.randn(3)

    def f(a, pair, scale=1.0):
        return (a["x"] * pair.first * pair.second[0]).sum() * scale
    pair = Pair(y, [x, 2])
    pair = Pair(y, [x])
    by_a, by_pair = func.grad(f, argnums=(0, 1))({"x": x}, pair, scale=2.0)
    assert close(by_a["x"], 2 * x * y) and type(by_pair) is Pair and close(by_pair.second[0], 2 * x * y)
    gradient, (value, aux) = func.grad_and_value(lambda x: ((x * x).sum(), {"kept": x * 3}), has_aux=True)(x)
    assert close(gradient, 2 * x) and close(value, (x * x).sum()) and close(aux["kept"], x * 3)
    assert not value.requires_grad and not aux["kept"].requires_grad
    found = func.jacrev(lambda x, y: {"p": x * y, "s": (x.sum(),)}, argnums=(0, 1))(x, y)
    assert close(found["p"][0], y.diag()) and close(found["s"][0][1], cygrad.zeros(3))
    other, aux = func.jacfwd(lambda x: (x * x, x + 1), has_aux=True)(x)
    assert close(other, (2 * x).diag()) and close(aux, x + 1)
    for size in (1, 2, 100):
        assert close(func.jacrev(lambda x: x * x, chunk_size=size)(x), (2 * x).diag())


def test_graphs_around_a_derivative():
    weight = cygrad.tensor(3.0, requires_grad=True)
    slope = func.grad(lambda x: weight * x * x)(cygrad.tensor(2.0))
    slope.backward()
    assert weight.grad.item() == 4
    x = cygrad.tensor(2.0, requires_grad=True)
    func.grad(lambda x: x**3)(x).backward()
    assert x.grad.item() == 12
    with cygrad.no_grad():
        found = func.grad(lambda x: x**3)(x)
    assert found.item() == 12 and not found.requires_grad
    assert not func.grad(lambda x: x**3)(x.detach()).requires_grad


def test_products_of_several_vectors_at_once():
    x = cygrad.randn(3)
    _, product = func.vjp(lambda x: x.sin() * x.sum(), x)
    (rows,) = func.vmap(product)(cygrad.eye(3))
    assert close(rows, cygrad.stack([product(row)[0] for row in cygrad.eye(3)]))
    y, linear = func.linearize(lambda x: x * x, x)
    assert close(linear(x), 2 * x * x) and close(y, x * x)


def test_modules_as_functions():
    models = [cygrad.nn.Sequential(cygrad.nn.Linear(3, 4), cygrad.nn.ReLU(), cygrad.nn.Linear(4, 2)) for _ in range(3)]
    x = cygrad.randn(5, 3)
    parameters, buffers = func.stack_module_state(models)
    found = func.vmap(lambda p, b: func.functional_call(models[0], (p, b), (x,)))(parameters, buffers)
    assert close(found, cygrad.stack([model(x) for model in models]))
    named = {name: p.detach() for name, p in models[0].named_parameters()}

    def loss(named, x):
        return func.functional_call(models[0], named, (x,)).pow(2).sum()
    each = func.vmap(func.grad(loss), in_dims=(None, 0))(named, x)
    for i in range(5):
        alone = func.grad(loss)(named, x[i])
        assert all(cygrad.allclose(each[name][i], alone[name], atol=1e-5) for name in named)


def test_a_convolution_for_each_example():
    weight, x = cygrad.randn(4, 3, 3, 3), cygrad.randn(5, 3, 8, 8)

    def loss(weight, x):
        return cygrad.conv2d(x.unsqueeze(0), weight, padding=1).relu().sum()
    found = func.vmap(func.grad(loss), in_dims=(None, 0))(weight, x)
    assert cygrad.allclose(found, cygrad.stack([func.grad(loss)(weight, each) for each in x]), atol=1e-4)


def test_nests_are_put_together_again():
    nest = {"b": [1, (2, Pair(3, None))], "a": {}}
    leaves, spec = _pytree.tree_flatten(nest)
    assert leaves == [1, 2, 3, None] and _pytree.tree_unflatten(leaves, spec) == nest
    assert _pytree.tree_map(lambda x, y: x + y, [1, (2,)], [10, (20,)]) == [11, (22,)]
    assert _pytree.tree_structure([1, {"x": 2}]) == _pytree.tree_structure([5, {"x": 6}])
    assert _pytree.tree_structure([1, 2]) != _pytree.tree_structure((1, 2))
    with pytest.raises(ValueError):
        _pytree.tree_unflatten([1], spec)
