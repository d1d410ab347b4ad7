"""If one of these fails, hooks on saved tensors are left behind, leak, reach other threads, or keep too much."""
import gc
import threading
import weakref

import pytest

import cygrad as torch
from cygrad.autograd.graph import disable_saved_tensors_hooks, saved_tensors_hooks
from cygrad.utils.checkpoint import CheckpointError, checkpoint


def leaf():
    return torch.tensor([1., 2.], requires_grad=True)


def test_hooks_end_with_their_block_also_after_an_error():
    calls = []
    with pytest.raises(ZeroDivisionError), saved_tensors_hooks(lambda t: calls.append(1) or t, lambda t: t):
        leaf().exp()
        1 / 0
    leaf().exp()
    assert len(calls) == 1


def test_the_innermost_pair_applies():
    calls = []
    with saved_tensors_hooks(lambda t: calls.append("outer") or t, lambda t: t):
        with saved_tensors_hooks(lambda t: calls.append("inner") or t, lambda t: t):
            leaf().exp()
        leaf().exp()
    assert calls == ["inner", "outer"]


def test_hooks_are_of_one_thread():
    calls = []
    with saved_tensors_hooks(lambda t: calls.append(1) or t, lambda t: t):
        thread = threading.Thread(target=lambda: leaf().exp())
        thread.start()
        thread.join()
    assert not calls


def test_an_error_in_a_hook_leaves_the_caller_as_it_was():
    x = leaf()
    with pytest.raises(ZeroDivisionError), saved_tensors_hooks(lambda t: 1 / 0, lambda t: t):
        x.exp()
    assert torch.is_grad_enabled() and x.exp().grad_fn is not None
    with saved_tensors_hooks(lambda t: t.detach(), lambda t: 1 / 0):
        y = x.exp()
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()


def test_hooks_that_are_refused_stay_refused_in_the_block_only():
    with disable_saved_tensors_hooks("outer"):
        with disable_saved_tensors_hooks("inner"):
            pass
        with pytest.raises(RuntimeError, match="outer"), saved_tensors_hooks(lambda t: t, lambda t: t):
            pass
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        pass


def test_what_was_packed_goes_with_the_graph():
    class Packed:
        def __init__(self, tensor):
            self.tensor = tensor.detach().clone()

    kept = []

    def pack(tensor):
        packed = Packed(tensor)
        kept.append(weakref.ref(packed))
        return packed

    with saved_tensors_hooks(pack, lambda packed: packed.tensor):
        y = leaf().exp().sin()
    assert all(reference() is not None for reference in kept)
    y.sum().backward()
    gc.collect()
    assert all(reference() is None for reference in kept)


def test_a_checkpoint_keeps_no_inner_result():
    kept = []

    def part(x):
        for _ in range(5):
            x = x.sin()
            kept.append(weakref.ref(x))
        return x * 1

    x = leaf()
    y = checkpoint(part, x, use_reentrant=False)
    gc.collect()
    assert all(reference() is None for reference in kept)
    y.sum().backward()
    again = leaf()
    part(again).sum().backward()
    assert torch.equal(x.grad, again.grad)


def test_an_argument_changed_since_is_refused():
    x = leaf().clone()
    y = checkpoint(torch.exp, x, use_reentrant=False)
    with torch.no_grad():
        x.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_part_that_does_something_else_the_second_time():
    count = []

    def part(x):
        count.append(1)
        return (x if len(count) == 1 else x[:1]).sin()

    with pytest.raises(CheckpointError, match="tensor at position 0"):
        checkpoint(part, leaf(), use_reentrant=False).sum().backward()


class Asks(torch.autograd.Function):
    """Squares; asks twice for what it saved."""

    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, _ = ctx.saved_tensors
        with pytest.raises(CheckpointError, match="was already unpacked once"):
            ctx.saved_tensors
        return 2 * x * grad


def test_a_checkpoint_gives_a_tensor_once_a_pass():
    x = leaf()
    y = checkpoint(Asks.apply, x, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4, 8]


@pytest.mark.parametrize("format", [torch.contiguous_format, torch.channels_last])
def test_a_tensor_is_unpacked_once_for_a_node(format):
    """Whose formulas read it for the input, for the weight and for the bias."""
    asked = []
    x = torch.rand(2, 3, 4, 4).to(memory_format=format).requires_grad_()
    layers = torch.nn.BatchNorm2d(3), torch.nn.Conv2d(3, 2, 3), torch.nn.Linear(2, 3), torch.nn.LayerNorm(3)
    with saved_tensors_hooks(lambda t: (len(asked), t), lambda pair: asked.append(pair) or pair[1]):
        y = x
        for layer in layers:
            y = layer(y)
        (y * y / 3).sum().backward()
    assert len({id(pair) for pair in asked}) == len(asked)
    gradient, x.grad = x.grad, None
    y = x
    for layer in layers:
        y = checkpoint(layer, y, use_reentrant=False)
    (y * y / 3).sum().backward()
    assert torch.allclose(x.grad, gradient, atol=1e-6)


def test_what_was_unpacked_goes_when_the_node_has_run():
    kept = []

    def unpack(t):
        again = t.clone()
        kept.append(weakref.ref(again))
        return again

    class Look(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            assert kept and all(reference() is None for reference in kept)
            return grad

    x, w = leaf(), leaf()
    with saved_tensors_hooks(lambda t: t, unpack):
        (Look.apply(x) * w).sum().backward()
