"""`vmap` under its earlier names."""
import pytest

import cygrad
from cygrad import _vmap_internals


def test_products_with_a_jacobian():
    x = cygrad.arange(3.).requires_grad_()
    y = x ** 2
    rows = _vmap_internals._vmap(lambda v: cygrad.autograd.grad(y, x, v, retain_graph=True)[0])(cygrad.eye(3))
    assert rows.tolist() == [[0, 0, 0], [0, 2, 0], [0, 0, 4]]


def test_results_that_are_none():
    x = cygrad.arange(3.)

    def call(function, **options):
        return _vmap_internals._vmap(function, **options)(x)
    first, none = call(lambda v: (v + 1, None), allow_none_pass_through=True)
    assert first.tolist() == [1, 2, 3] and none is None
    assert call(lambda v: None, allow_none_pass_through=True) is None
    assert call(lambda v: v * 2, allow_none_pass_through=True).tolist() == [0, 2, 4]
    with pytest.raises(ValueError, match="must only return Tensors"):
        call(lambda v: (v, None))


def test_the_earlier_name_says_so():
    with pytest.warns(FutureWarning, match="Please use `torch.vmap`"):
        doubled = _vmap_internals.vmap(lambda v: v * 2)
    assert doubled(cygrad.ones(2)).tolist() == [2, 2]


def test_volatile():
    x = cygrad.ones(1)
    with pytest.warns(UserWarning, match="volatile was removed and now has no effect"):
        x.volatile = True
    with pytest.warns(UserWarning, match="Variable.volatile is always False"):
        assert x.volatile is False
