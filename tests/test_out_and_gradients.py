"""If one of these fails, `out=` is taken where PyTorch refuses it for a gradient's sake, or the reverse."""

import warnings

import cygrad
import numpy as np
import pytest

REFUSED = "arguments don't support automatic differentiation, but one of the arguments requires grad"
REAL = "fft rfft rfft2 rfftn fft2 fftn ifft2 ifftn ihfft2 ihfftn irfft hfft irfftn hfftn".split()


def run(name, dtype):
    x = cygrad.rand(4, 4, dtype=dtype, requires_grad=True)
    op = getattr(cygrad.fft, name)
    made = op(x.detach())
    out = cygrad.empty_like(made)
    assert op(x.detach(), out=out) is out and cygrad.equal(out, made)
    with cygrad.no_grad():
        op(x, out=out)
    return op(x, out=out)


@pytest.mark.parametrize("name", REAL)
def test_transforms_of_real_tensors(name):
    with pytest.raises(RuntimeError, match=REFUSED):
        run(name, cygrad.float32)


@pytest.mark.parametrize("name", ["fft", "ifft", "fftn", "ifft2"])
def test_transforms_of_complex_tensors(name):
    with pytest.raises(RuntimeError, match=REFUSED):
        run(name, cygrad.complex64)


@pytest.mark.parametrize("name", ["ifft", "ihfft"])
def test_conjugates_of_transforms_are_written(name):
    assert run(name, cygrad.float32).requires_grad          # of a node that has no formula, as in PyTorch


@pytest.mark.parametrize("op, more", [(cygrad.split_copy, (2,)), (cygrad.split_with_sizes_copy, ([2, 2],)),
                                      (cygrad.unbind_copy, ())])
def test_copies_of_parts_are_written(op, more):
    x = cygrad.rand(4, 3, requires_grad=True)
    wanted = op(x.detach(), *more)
    outs = [cygrad.empty_like(each) for each in wanted]
    assert op(x, *more, out=outs) is None
    assert all(map(cygrad.equal, outs, wanted)) and not outs[0].requires_grad


def test_lu_unpack_into():
    packed = cygrad.linalg.lu_factor(cygrad.rand(3, 3))
    outs = tuple(cygrad.empty(0) for _ in range(3))
    found = cygrad.lu_unpack(*packed, out=outs)
    assert all(a is b for a, b in zip(found, outs))
    assert all(map(cygrad.equal, outs, cygrad.lu_unpack(*packed)))
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float, but got double instead"):
        cygrad.lu_unpack(*packed, out=(cygrad.empty(3, 3, dtype=cygrad.float64), *outs[1:]))
    with pytest.raises(RuntimeError, match=REFUSED):
        cygrad.lu_unpack(packed[0].requires_grad_(), packed[1], out=outs)


@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide"])
def test_a_division_by_zero_leaves_out_as_it_was(name):
    out = cygrad.tensor([3, 0])
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        getattr(cygrad, name)(cygrad.tensor([7, 8]), out, out=out)
    assert out.tolist() == [3, 0]


def test_gather_looks_for_overlaps_once_out_is_resized():
    """`out` grown over the index or the input is refused and left alone; over the index exactly it may lie."""
    base = cygrad.tensor([2, 1, 0])
    out = base[:1]
    with pytest.raises(RuntimeError, match="unsupported operation"):
        cygrad.gather(cygrad.arange(3), 0, base[1:], out=out)
    assert out.shape == (1,) and base.tolist() == [2, 1, 0]
    with pytest.warns(UserWarning, match="was resized"):
        cygrad.gather(cygrad.tensor([5, 6, 7]), 0, base, out=out)
    assert out.tolist() == [7, 6, 5] == base.tolist()
    values = cygrad.arange(6)
    with pytest.raises(RuntimeError, match="unsupported operation"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cygrad.gather(values, 0, cygrad.tensor([2, 1, 0]), out=values)
    assert values.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("op", [cygrad.frexp, cygrad.qr, cygrad.svd, lambda x, out: cygrad.max(x, 0, out=out)])
def test_what_is_refused_of_one_result_leaves_the_others(op):
    outs = cygrad.zeros(2, 3), cygrad.zeros(2, 3, dtype=cygrad.uint8), cygrad.zeros(2, 3)
    with pytest.raises(RuntimeError):
        op(cygrad.ones(5, 5), out=outs[:3 if op is cygrad.svd else 2])
    assert all(t.shape == (2, 3) and not t.any() for t in outs)


def test_a_result_in_memory_that_does_not_grow_leaves_the_others():
    outs = cygrad.zeros(2), cygrad.from_numpy(np.zeros(2, "int64"))
    with pytest.raises(RuntimeError, match="not resizable"):
        cygrad.max(cygrad.ones(5, 5), 0, out=outs)
    assert outs[0].tolist() == [0, 0]


def test_a_leaf_that_may_not_be_written_to_keeps_its_shape():
    x = cygrad.ones((), requires_grad=True)
    with pytest.raises(RuntimeError, match="in-place"):
        x.addbmm_(cygrad.ones(2, 3, 3), cygrad.ones(2, 3, 4))
    assert x.shape == ()
