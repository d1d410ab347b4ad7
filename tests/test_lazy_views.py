"""If one of these fails, a lazy conjugate or negative is taken for the memory that it shows.

What each op makes of such a view is compared with PyTorch in `parity/test_lazy_views_parity.py`.
"""

import copy
import io
import pickle

import cygrad
import numpy as np
import pytest
from cygrad.autograd import gradcheck, gradgradcheck

VALUES = np.array([[1 + 2j, 3 - 1j], [0.5j, 2]], "complex64")


@pytest.fixture
def x(device):
    return cygrad.tensor(VALUES, device=device)


def same(found, wanted):
    np.testing.assert_allclose(found.detach().resolve_conj().resolve_neg().cpu().numpy(), wanted, rtol=1e-6)


# ------------------------------------------------------------------------------ the views

def test_a_conjugate_is_a_view_with_a_flag(x):
    y = x.conj()
    assert y.is_conj() and not x.is_conj() and not y.is_neg()
    assert y.data_ptr() == x.data_ptr() and y._is_view() and y._base is x
    assert y.dtype is cygrad.complex64 and y.is_contiguous() and y.stride() == x.stride()
    same(y, VALUES.conj())


def test_the_conjugate_of_one_has_no_flag(x):
    y = x.conj().conj()
    assert not y.is_conj() and y._base is x
    same(y, VALUES)


def test_a_real_tensor_is_its_own_conjugate():
    x = cygrad.ones(2)
    assert x.conj() is x and x.resolve_conj() is x and x.conj_physical() is x


@pytest.mark.parametrize("name", ["mH", "H", "adjoint"])
def test_adjoints_are_views(x, name):
    y = x.adjoint() if name == "adjoint" else getattr(x, name)
    assert y.is_conj() and y._base is x and not y.is_contiguous()
    same(y, VALUES.conj().T)


def test_parts_of_a_conjugate(x):
    real, imag = x.conj().real, x.conj().imag
    assert not real.is_neg() and not real.is_conj() and imag.is_neg() and not imag.is_conj()
    assert real._base is x and imag._base is x
    same(real, VALUES.real)
    same(imag, -VALUES.imag)


def test_both_flags(x):
    y = x._neg_view().conj()
    assert y.is_neg() and y.is_conj()
    same(y, -VALUES.conj())
    assert not y.imag.is_neg() and y.real.is_neg()
    same(y.imag, VALUES.imag)
    z = y.resolve_conj()
    assert not z.is_conj() and not z.is_neg()


@pytest.mark.parametrize("name", ["bool", "uint8", "int64", "uint16", "float16", "bfloat16", "float64", "complex128"])
def test_negatives_of_every_dtype(name):
    x = cygrad.tensor([0, 1, 1] if name == "bool" else [0, 3, 5]).to(getattr(cygrad, name))
    y = x._neg_view()
    assert y.is_neg() and y.dtype is x.dtype and y.data_ptr() == x.data_ptr()
    if name == "bool":
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            y.resolve_neg()
    else:
        assert y.tolist() == (-x).tolist() and not (y + 0).is_neg()


@pytest.mark.parametrize("view", [
    lambda t: t[0], lambda t: t.t(), lambda t: t.view(4), lambda t: t.expand(3, 2, 2), lambda t: t.diagonal(),
    lambda t: t.unbind()[1], lambda t: t.as_strided((2,), (1,), 1), lambda t: t.detach(), lambda t: t.data,
    lambda t: t.contiguous(), lambda t: t.to(cygrad.complex64), lambda t: t.requires_grad_(),
    lambda t: cygrad.nn.Parameter(t), lambda t: t.unfold(0, 1, 1), lambda t: copy.copy(t), lambda t: t[None, ..., :1]])
def test_views_of_one_are_lazy(x, view):
    y = view(x.conj())
    assert y.is_conj()
    same(y, view(x.conj_physical()).detach().cpu().numpy())


@pytest.mark.parametrize("made", [
    lambda t: t.clone(), lambda t: t + 0, lambda t: t.t().contiguous(), lambda t: t.to(cygrad.complex128),
    lambda t: t.resolve_conj(), lambda t: copy.deepcopy(t), lambda t: t[cygrad.tensor([0, 1])], lambda t: t.flip(0),
    lambda t: cygrad.cat([t, t]), lambda t: cygrad.where(t.real > 0, t, 0), lambda t: t.tril(),
    lambda t: t.t().reshape(4), lambda t: t.unsafe_chunk(2)[0],
    lambda t: cygrad.zeros_like(t), lambda t: t.conj_physical(), lambda t: t @ t])
def test_what_is_computed_is_not(x, made):
    y = made(x.conj())
    assert not y.is_conj()
    same(y, made(x.conj_physical()).cpu().numpy())


# ------------------------------------------------------------------------------ writing

def on(t, values):
    """A tensor on t's device."""
    return cygrad.tensor(values, device=t.device)


@pytest.mark.parametrize("change", [
    lambda t: t.mul_(1j), lambda t: t.copy_(on(t, [1j, 2])), lambda t: t.zero_(), lambda t: t.fill_(2j),
    lambda t: t.exp_(), lambda t: t.__setitem__(0, 3j), lambda t: t.__setitem__(on(t, [1, 0]), t.clone()),
    lambda t: t.__setitem__(t.real > 1, 1j), lambda t: t.conj_physical_(), lambda t: t.imag.add_(1),
    lambda t: t.real.fill_(7), lambda t: t.addmm_(t.clone(), t.clone()), lambda t: t.cumsum_(0), lambda t: t.tril_(),
    lambda t: t.index_put_((on(t, [0, 0]),), on(t, [1j, 2]), accumulate=True), lambda t: t.t_(),
    lambda t: t.scatter_(0, on(t, [[0, 0]]), 5j), lambda t: t.masked_fill_(on(t, [True, False]), 1j),
    lambda t: t.index_add_(0, on(t, [1]), t[:1].clone()), lambda t: t.imag.clamp_(0)])
def test_in_place(x, change):
    plain = x.conj_physical()
    change(plain)
    lazy = x.conj()
    change(lazy)
    assert lazy.is_conj() and lazy._version == x._version > 0
    same(lazy, plain.cpu().numpy())
    same(x, np.asarray((plain.t() if lazy.stride() == (1, 2) else plain).cpu()).conj())


def test_out(x):
    memory = cygrad.zeros_like(x)
    out = memory.conj()
    assert cygrad.mul(x, 2, out=out) is out and out.is_conj() and out._version == memory._version == 1
    same(out, 2 * VALUES)
    same(memory, 2 * VALUES.conj())
    cygrad.matmul(x, x, out=out)
    np.testing.assert_allclose(memory.cpu().numpy(), (VALUES @ VALUES).conj(), rtol=1e-5)


def test_a_tensor_takes_its_own_conjugate(x):
    x.copy_(x.conj())
    same(x, VALUES.conj())


def test_indices_of_several_tensors_write_into_one():
    x = cygrad.arange(24.).reshape(2, 3, 4) * (1 + 1j)
    lazy, plain = x.conj(), x.conj_physical()
    for t in (lazy, plain):
        t[cygrad.tensor([0, 1]), cygrad.tensor([2, 0])] = 5j
        t[:, cygrad.tensor([0, 2]), cygrad.tensor([1, 1])] += 1j
    assert lazy.tolist() == plain.tolist() and x.tolist() == plain.conj().tolist()


def test_a_change_that_fails_changes_nothing():
    x = cygrad.tensor([4, 2])
    y = x._neg_view()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        y //= cygrad.tensor([1, 0])
    assert x.tolist() == [4, 2] and y.tolist() == [-4, -2]


# ------------------------------------------------------------------------------ what reads memory

def test_numbers(x):
    y = x.conj()
    assert y[0, 0].item() == 1 - 2j and y.tolist() == VALUES.conj().tolist() and complex(y[0, 1]) == 3 + 1j
    assert y.imag[0, 0].item() == -2 and repr(y) == repr(x.conj_physical())
    assert (1 - 2j) in y and cygrad.equal(y, x.conj_physical())


def test_other_libraries():
    y = cygrad.tensor([1 + 2j]).conj()
    with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that has conjugate bit set. Use "
                                           "tensor.resolve_conj\\(\\).numpy\\(\\) instead."):
        y.numpy()
    with pytest.raises(RuntimeError, match="negative bit set. Use tensor.resolve_neg"):
        np.asarray(y.imag)
    assert y.numpy(force=True) == [1 - 2j]
    with pytest.raises(BufferError, match="Can't export tensors with the conjugate bit set"):
        y.__dlpack__()
    with pytest.raises(BufferError, match="negative bit"):
        np.from_dlpack(y.imag)


def test_bytes_of_another_dtype():
    y = cygrad.tensor([1 + 2j]).conj()
    with pytest.raises(RuntimeError, match="not supported for conjugate view tensors"):
        y.view(cygrad.float32)
    with pytest.raises(RuntimeError, match="not supported for tensors with negative bit set"):
        y.imag.view(cygrad.int32)
    with pytest.raises(RuntimeError, match="view_as_real doesn't work on unresolved conjugated tensors"):
        cygrad.view_as_real(y)


def test_storages(x):
    y = x.conj()
    assert y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert y.storage().tolist() == x.flatten().tolist()                 # of the memory
    assert not cygrad.empty(0, dtype=x.dtype, device=x.device).set_(y).is_conj()


@pytest.mark.parametrize("way", ["save", "pickle"])
def test_files(way):
    x = cygrad.tensor(VALUES)
    for y in (x.conj(), x.conj().imag, x._neg_view().conj(), cygrad.tensor([3, 4], dtype=cygrad.uint16)._neg_view()):
        if way == "pickle":
            z = pickle.loads(pickle.dumps(y))
        else:
            file = io.BytesIO()
            cygrad.save(y, file)
            file.seek(0)
            z = cygrad.load(file)
        assert (z.is_conj(), z.is_neg(), z.stride()) == (y.is_conj(), y.is_neg(), y.stride())
        assert z.tolist() == y.tolist() and not z._is_view()


def test_random_numbers_are_what_the_view_shows():
    memory = cygrad.zeros(2, 2, dtype=cygrad.complex64)
    drawn = memory.conj().normal_(generator=cygrad.Generator().manual_seed(3))
    assert drawn.tolist() == cygrad.zeros_like(memory).normal_(generator=cygrad.Generator().manual_seed(3)).tolist()
    assert memory.tolist() == drawn.conj().tolist()


def test_meta():
    y = cygrad.empty(2, 3, dtype=cygrad.complex64, device="meta").mH
    assert y.is_conj() and (y @ y.mT).shape == (3, 3) and not (y + 1).is_conj()


# ------------------------------------------------------------------------------ autograd

def names(t):
    found, node = [], t.grad_fn
    while node is not None:
        found.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    return found


def test_nodes():
    x = cygrad.tensor(VALUES, requires_grad=True)
    assert names(x.conj())[:1] == ["ConjBackward0"] and names(x.mH)[:2] == ["ConjBackward0", "TransposeBackward0"]
    assert names(x.conj().imag)[:4] == ["SelectBackward0", "NegViewBackward0", "ViewAsRealBackward0", "ConjBackward0"]
    assert names(x.conj().resolve_conj())[:2] == ["CloneBackward0", "ConjBackward0"]


@pytest.mark.parametrize("function", [
    lambda x: x.conj() * x, lambda x: x.mH @ x, lambda x: x.conj().imag * 2, lambda x: x.conj()[0].real.exp(),
    lambda x: (x * 1).conj().mul_(x), lambda x: changed(x * 1, lambda y: y.conj().imag.mul_(3)),
    lambda x: changed(x * 1, lambda y: y.conj()[0].mul_(1j)), lambda x: x._neg_view().conj().imag + x.real,
    lambda x: changed((x * 1).conj(), lambda y: y.real.mul_(2)), lambda x: seen_after(x * 1)])
def test_gradients(function):
    x = cygrad.tensor(VALUES.astype("complex128"), requires_grad=True)
    assert gradcheck(function, (x,), check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(function, (x,))


def changed(y, change):
    change(y)
    return y


def seen_after(y):
    """A view whose base changes."""
    view = y.conj()
    y.mul_(2j)
    return view * view


def test_versions():
    x = cygrad.tensor(VALUES, requires_grad=True)
    y = x * 1
    z = y.conj().exp() * y.conj()
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.abs().sum().backward()


def test_lazy_leaves_and_gradients():
    x = cygrad.tensor(VALUES).conj().requires_grad_()
    assert x.is_leaf and x.is_conj()
    (x * x).sum().abs().backward()
    plain = cygrad.tensor(VALUES.conj(), requires_grad=True)
    (plain * plain).sum().abs().backward()
    same(x.grad, plain.grad.numpy())
    cygrad.optim.SGD([x], lr=0.1).step()
    cygrad.optim.SGD([plain], lr=0.1).step()
    same(x, plain.detach().numpy())


def test_vmap(x):
    y = cygrad.vmap(lambda v: v.conj())(x)
    assert y.is_conj()
    same(y, VALUES.conj())
    same(cygrad.vmap(lambda v: v.conj() * v)(x), VALUES.conj() * VALUES)


def test_named_axes():
    y = cygrad.tensor(VALUES, names=("N", "C")).conj()
    assert y.is_conj() and y.names == ("N", "C") and y.imag.names == ("N", "C")


def test_subclasses_see_the_call():
    class Sub(cygrad.Tensor):
        pass
    y = cygrad.tensor(VALUES).as_subclass(Sub).conj()
    assert type(y) is Sub and y.is_conj()


def test_bools_in_bytes_of_another_dtype():
    memory = cygrad.tensor([0, 1, 7, 255, 2, 0], dtype=cygrad.uint8)
    x = memory.view(cygrad.bool)
    wanted = cygrad.tensor([False, True, True, True, True, False])
    assert x.dtype is cygrad.bool and x.is_leaf and not x.is_neg() and not x.is_conj()
    assert x.tolist() == wanted.tolist() and x[2].item() is True and str(x) == str(wanted)
    assert x.sum() == 4 and x.float().sum() == 4 and x.long().max() == 1 and x.count_nonzero() == 4
    assert (x == wanted).all() and (~x).nonzero().flatten().tolist() == [0, 5]
    assert x.nonzero().flatten().tolist() == [1, 2, 3, 4] and memory[x].tolist() == [1, 7, 255, 2]
    assert x[1:4].clone().view(cygrad.uint8).tolist() == x.expand(2, 6).clone()[1, 1:4].byte().tolist() == [1, 1, 1]
    assert x.view(cygrad.uint8).data_ptr() == memory.data_ptr() and x.view(cygrad.bool).int().max() == 1
    assert x.view(2, 3).t().contiguous().view(cygrad.uint8).max() == 1


def test_bools_in_bytes_are_written_as_0_and_1():
    memory = cygrad.tensor([0, 1, 7, 255], dtype=cygrad.uint8)
    x = memory.view(cygrad.bool)
    x[3] = True
    assert memory.tolist() == [0, 1, 7, 1]
    x.logical_not_()
    assert memory.tolist() == [1, 0, 0, 0]
    x.copy_(cygrad.tensor([5, 0, 3, 0]))
    assert memory.tolist() == [1, 0, 1, 0]


def test_bools_in_bytes_share_their_memory_with_others():
    memory = cygrad.tensor([0, 7], dtype=cygrad.uint8)
    x = memory.view(cygrad.bool)
    np.testing.assert_array_equal(x.numpy().view(np.uint8), [0, 7])
    assert cygrad.from_dlpack(x).data_ptr() == memory.data_ptr()
    copied = copy.copy(x)
    memory[0] = 3
    assert copied.int().tolist() == [1, 1]
    assert copy.deepcopy(x).int().tolist() == pickle.loads(pickle.dumps(copy.deepcopy(x))).int().tolist() == [1, 1]
