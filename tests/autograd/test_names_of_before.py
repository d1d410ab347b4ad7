"""Names of PyTorch's that begin with an underscore, or are of before, and that other people's optimisers import."""
import pytest

import cygrad
from cygrad import _vmap_internals
from cygrad.autograd import functional


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


def test_jacobian_by_its_parts():
    x, y = cygrad.arange(2.).requires_grad_(), cygrad.ones(1, 2, requires_grad=True)
    is_tuple, outputs = functional._as_tuple((x * y, y.sum()), "outputs", "jacobian")
    sizes = tuple(o.numel() for o in outputs)
    basis = functional._construct_standard_basis_for(outputs, sizes)
    assert [b.tolist() for b in basis] == [[[1, 0], [0, 1], [0, 0]], [[0], [0], [1]]]
    flat = tuple(o.reshape(-1) for o in outputs)
    rows = _vmap_internals._vmap(lambda v: cygrad.autograd.grad(flat, (x, y), v))(basis)
    assert is_tuple and [r.tolist() for r in rows] == [[[1, 0], [0, 1], [0, 0]], [[[0, 0]], [[0, 1]], [[1, 1]]]]


def test_results_as_the_arguments_came():
    a, b = cygrad.ones(1, requires_grad=True), cygrad.zeros(1)
    assert functional._tuple_postprocess((a,), False) is a
    assert functional._tuple_postprocess(((a, b),), (False, True)) == (a, b)
    assert functional._tuple_postprocess(((a,), (b,)), (True, False)) == (a, b)
    (detached,), = functional._grad_postprocess(((a,),), create_graph=False)
    assert not detached.requires_grad and functional._grad_postprocess((a,), create_graph=True)[0] is a
