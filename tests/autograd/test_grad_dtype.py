"""If one of these fails, `Tensor.grad_dtype` says something else than the dtype in which gradients arrive."""
import gc
import weakref

import cygrad
import pytest


class Doubled(cygrad.autograd.Function):
    """Gives a gradient of another dtype than its input has."""

    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, grad):
        return grad.double() * 2


def leaf(dtype):
    x = cygrad.ones(2, requires_grad=True)
    x.grad_dtype = dtype
    return x


def test_by_default_it_is_the_own_dtype():
    x = cygrad.ones(2, requires_grad=True)
    assert x.grad_dtype is cygrad.float32
    Doubled.apply(x).sum().backward()
    assert x.grad.dtype is cygrad.float32


def test_gradients_are_cast():
    x = leaf(cygrad.float16)
    for _ in range(2):
        (x * 2).sum().backward()
    assert x.grad_dtype is x.grad.dtype is cygrad.float16 and x.grad.tolist() == [4, 4]
    assert cygrad.autograd.grad((x * 2).sum(), x)[0].dtype is cygrad.float16


def test_any_dtype_goes():
    x = leaf(None)
    Doubled.apply(x).sum().backward()
    assert x.grad.dtype is cygrad.float64 and x.grad_dtype is None
    (x * 3).sum().backward()
    assert x.grad.tolist() == [5, 5]
    x.grad = cygrad.ones(2, dtype=cygrad.float16)


def test_it_may_be_set_within_a_graph():
    x = cygrad.ones(3, requires_grad=True)
    y = (x.expand(2, 3) * 2).sum()
    x.grad_dtype = cygrad.float64
    y.backward()
    assert x.grad.dtype is cygrad.float64 and x.grad.tolist() == [4, 4, 4]
    x.grad, x.grad_dtype = None, cygrad.float32
    (x * 2).sum().backward()
    assert x.grad.dtype is cygrad.float32


def test_views_and_copies_have_their_own():
    x = leaf(cygrad.float64)
    assert x.detach().grad_dtype is x.data.grad_dtype is cygrad.float32


def test_what_is_refused():
    x = cygrad.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="grad_dtype must be a cygrad.dtype or None, but got str"):
        x.grad_dtype = "float32"
    with pytest.raises(RuntimeError, match="can only be accessed on leaf"):
        (x * 2).grad_dtype
    with pytest.raises(RuntimeError, match="can only be set on leaf"):
        (x * 2).grad_dtype = None
    x.grad = cygrad.ones(2)
    with pytest.raises(RuntimeError, match="Cannot set grad_dtype to 'Double' because .* with dtype 'float'"):
        x.grad_dtype = cygrad.float64
    x.grad_dtype = cygrad.float32
    with pytest.raises(RuntimeError, match="dtype 'float' to a tensor with grad_dtype 'Double'"):
        leaf(cygrad.float64).grad = cygrad.ones(2)


def test_it_goes_with_the_tensor():
    from cygrad.autograd.grad_dtypes import declared
    x = leaf(cygrad.float64)
    (x * 2).sum().backward()
    count, gone = len(declared), weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None and len(declared) == count - 1
    assert all(cygrad.ones(2, requires_grad=True).grad_dtype is cygrad.float32 for _ in range(20))
