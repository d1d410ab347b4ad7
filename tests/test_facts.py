"""If one of these fails, something that every introduction to tensors and autograd teaches no longer holds: who shares
memory with whom, what a leaf is, when gradients are kept, freed and added, and what in-place changes do to them.
"""
import cygrad as torch
import numpy as np
import pytest


def test_what_shares_memory():
    a = torch.arange(6.)
    array = a.numpy()
    for view in (a.view(2, 3), a.reshape(3, 2), a[1:], a[::2], a.unsqueeze(0), a.view(2, 3).t(), a.expand(2, 6),
                 a.detach(), a.data, a.narrow(0, 0, 2), a.chunk(2)[0], a.unbind()[0], torch.from_numpy(array),
                 torch.as_tensor(array), torch.as_tensor(a), torch.Tensor(a.storage()), a.squeeze(), a.contiguous()):
        assert view.untyped_storage().data_ptr() == a.untyped_storage().data_ptr()
    for copy in (a.clone(), torch.tensor(a.tolist()), torch.tensor(array), a + 0, a[[0, 1]], a[a > 2], a.double(),
                 a.view(2, 3).t().contiguous(), a.view(2, 3).t().reshape(6), a.repeat(2), torch.cat([a, a])):
        assert copy.untyped_storage().data_ptr() != a.untyped_storage().data_ptr()
    array[0] = 100
    assert a[0] == 100
    a[1] = 7
    assert array[1] == 7
    assert torch.from_numpy(np.ones(2)).dtype is torch.float64 and torch.Tensor(np.ones(2)).dtype is torch.float32


def test_the_two_constructors():
    assert torch.Tensor(2, 3).shape == (2, 3) and torch.Tensor([2, 3]).tolist() == [2, 3]
    assert torch.Tensor(torch.Size([2, 3])).shape == (2, 3) and torch.Tensor((2, 3)).tolist() == [2, 3]
    assert torch.tensor([2, 3]).dtype is torch.int64 and torch.Tensor([2, 3]).dtype is torch.float32
    assert torch.tensor(3).shape == () and torch.tensor([3]).shape == (1,) and torch.tensor([]).shape == (0,)


def test_functions_methods_and_in_place_forms():
    a = torch.tensor([-1.5, 0.5, 2.])
    for name in ("abs", "sqrt", "exp", "floor", "ceil", "round", "neg", "sigmoid", "tanh", "sin", "cos", "sign",
                 "frac", "trunc"):
        function, method = getattr(torch, name)(a), getattr(a, name)()
        changed = a.clone()
        assert getattr(changed, name + "_")() is changed
        assert str(function.tolist()) == str(method.tolist()) == str(changed.tolist())
    assert (a % 3 == torch.fmod(a, 3) + torch.tensor([3., 0, 0])).all()       # the divisor's sign, the dividend's sign
    assert (a ** 2).tolist() == torch.pow(a, 2).tolist() == (a * a).tolist()
    assert torch.clamp(a, min=0).tolist() == a.clamp_min(0).tolist() == [0, 0.5, 2]


def test_axes_that_are_reduced():
    a = torch.ones(2, 3)
    assert a.sum(0).shape == (3,) and a.sum(0, keepdim=True).shape == (1, 3) and a.sum().shape == ()
    values, places = torch.max(torch.tensor([[1, 5, 2], [7, 0, 3]]), 1)
    assert values.tolist() == [5, 7] and places.tolist() == [1, 0]
    assert torch.max(torch.tensor([1, 5]), torch.tensor([4, 2])).tolist() == [4, 5]


def test_leaves():
    x, w = torch.ones(2), torch.ones(2, requires_grad=True)
    y = x * w
    assert x.is_leaf and w.is_leaf and not y.is_leaf
    assert not x.requires_grad and y.requires_grad and y.grad_fn is not None and w.grad_fn is None
    assert y.detach().is_leaf and not y.detach().requires_grad
    with torch.no_grad():
        assert not (x * w).requires_grad
    with pytest.raises(RuntimeError, match="leaf"):
        w += 1
    with pytest.raises(RuntimeError, match="leaf"):
        y.requires_grad = False


def test_gradients_add_up_and_belong_to_leaves():
    w = torch.tensor([1., 2.], requires_grad=True)
    for times in (1, 2, 3):
        (w * 3).sum().backward()
        assert w.grad.tolist() == [3. * times] * 2
    w.grad.zero_()
    y = w * 2
    y.sum().backward()
    assert y.grad is None and w.grad.tolist() == [2, 2]
    y = w * 2
    y.retain_grad()
    y.sum().backward()
    assert y.grad.tolist() == [1, 1]


def test_buffers_live_for_one_pass():
    w = torch.tensor(3., requires_grad=True)
    y = w * w
    y.backward(retain_graph=True)
    y.backward()
    assert w.grad == 12
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()
    z = w + 1                   # keeps nothing, so that it can go on for ever
    z.backward(), z.backward()


def test_hooks_see_and_change_gradients():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    seen = []
    handle = y.register_hook(lambda grad: seen.append(grad.tolist()))
    y.register_hook(lambda grad: grad * 10)
    y.sum().backward()
    assert seen == [[1, 1, 1]] and x.grad.tolist() == [20, 20, 20]
    handle.remove()
    (x * 2).sum().backward()
    assert len(seen) == 1


def test_outputs_that_are_no_scalars_need_a_weight():
    x = torch.arange(3., requires_grad=True)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (x * x).backward()
    (x * x).backward(torch.tensor([1., 0.5, 2.]))
    assert x.grad.tolist() == [0, 1, 8]


def test_data_and_detach_share_but_only_one_is_watched():
    a = torch.tensor([1., 2.], requires_grad=True)
    y = a.sigmoid()
    y.data.zero_()              # autograd is not told: the gradient is wrong
    y.sum().backward()
    assert a.grad.tolist() == [0, 0]
    y = a.sigmoid()
    y.detach().zero_()          # it is told: the pass is refused
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_higher_derivatives():
    x = torch.tensor(2., requires_grad=True)
    first, = torch.autograd.grad(x ** 3, x, create_graph=True)
    second, = torch.autograd.grad(first, x, create_graph=True)
    third, = torch.autograd.grad(second, x)
    assert (first, second, third) == (12, 12, 6)


def test_default_dtype_and_scalars():
    assert torch.tensor([1, 2]).dtype is torch.int64 and torch.tensor([1., 2]).dtype is torch.float32
    assert (torch.ones(2, dtype=torch.int64) / 2).dtype is torch.float32
    assert (torch.ones(2, dtype=torch.int64) + torch.tensor(1.5)).dtype is torch.float32
    assert (torch.ones(2) + torch.tensor(1.5, dtype=torch.float64)).dtype is torch.float32     # 0-d tensors count less
    assert f"{torch.tensor(2.5)}" == "2.5" and f"{torch.tensor(2.5):.2f}" == "2.50"
