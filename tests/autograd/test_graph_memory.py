"""If this fails, the graph is freed too late, too early, or not at all."""

import gc
import weakref

import cygrad
import pytest
from cygrad.autograd import Function
from cygrad.autograd.node import Node


class Scale(Function):
    @staticmethod
    def forward(ctx, x, keep):
        ctx.save_for_backward(x)
        y = x * 2
        if keep:
            ctx.output = y  # a cycle: the output's node is the context
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None


def tracked():
    """How many tensors and nodes are alive."""
    gc.collect()
    return sum(issubclass(type(item), (cygrad.Tensor, Node)) for item in gc.get_objects())


@pytest.fixture
def leaf():
    return cygrad.tensor([1.0, 2.0], requires_grad=True)


def test_a_leaf_outlives_a_graph_that_the_garbage_collector_took(leaf):
    for _ in range(20):
        cycle = [leaf * 2]
        cycle.append(cycle)
    del cycle
    gc.collect()
    others = [cygrad.ones(2, requires_grad=True) * 2 for _ in range(100)]  # take the place of what was freed
    (accumulator, _), *_ = (leaf * 3).grad_fn.next_functions
    assert accumulator.variable is leaf
    (leaf * 3).sum().backward()
    assert leaf.grad.tolist() == [3.0, 3.0]
    del others


@pytest.mark.parametrize("keep", [False, True])
def test_graphs_are_freed(leaf, keep):
    Scale.apply(leaf, keep).sum().backward()
    before = tracked()
    for _ in range(50):
        Scale.apply(leaf, keep)
        Scale.apply(leaf * 3, keep).sum().backward()
        cygrad.autograd.grad(Scale.apply(leaf, keep).sum(), leaf, create_graph=True)
    assert tracked() <= before + 2


def test_graphs_are_freed_after_exceptions(leaf):
    class Fails(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ValueError

    def fail():
        with pytest.raises(ValueError):
            (Fails.apply(leaf * 2) * 3).sum().backward()

    fail()
    before = tracked()
    for _ in range(50):
        fail()
    assert tracked() <= before + 2
    assert cygrad.is_grad_enabled()


@pytest.mark.parametrize("step", [lambda x: x * 1, lambda x: Scale.apply(x, False)], ids=["op", "Function"])
def test_long_chains_neither_recurse_nor_overflow(step):
    x = cygrad.tensor(1.0, requires_grad=True)
    for backward in (True, False):
        y = x
        for _ in range(100_000):
            y = step(y)
        if backward:
            y.backward()
        del y
    assert x.grad is not None


def test_a_tensor_that_takes_a_freed_ones_place_knows_nothing_of_it():
    for _ in range(3):
        old = cygrad.ones(2, 1, 1, 1, 1, 1, 1, 1, 1, 1, requires_grad=True)
        old.register_hook(lambda grad: grad)
        old.register_post_accumulate_grad_hook(lambda leaf: None)
        old.remark = "set by the user"
        view = old[0] * 2
        view.sum().backward()
        reference = weakref.ref(old)
        del old, view
        assert reference() is None
        new = cygrad.zeros(3)
        assert new.grad is None and new.grad_fn is None and not new.requires_grad and new.is_leaf
        assert new.shape == (3,) and new.__dict__ == {} and not new._is_view() and new._version == 0
        new.requires_grad_()
        (new * 2).sum().backward()
        assert new.grad.tolist() == [2.0, 2.0, 2.0]


def test_a_context_that_takes_a_freed_ones_place_knows_nothing_of_it():
    class Remembers(Function):
        @staticmethod
        def forward(ctx, x, first):
            seen.append((dict(ctx.__dict__), ctx.needs_input_grad, ctx.saved_tensors))
            if first:
                ctx.remark = x
                ctx.save_for_backward(x, None)
                ctx.mark_non_differentiable()
                ctx.set_materialize_grads(False)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    seen = []
    Remembers.apply(cygrad.ones(2, requires_grad=True), True)
    Remembers.apply(cygrad.ones(2), False)
    assert seen == [({}, (True, False), ()), ({}, (False, False), ())]


def test_a_gradient_that_a_hook_kept_is_not_the_leafs():
    leaf = cygrad.ones(2, requires_grad=True)
    kept = []
    leaf.register_hook(kept.append)
    (leaf * 3).sum().backward()
    (leaf * 3).sum().backward()
    assert [grad.tolist() for grad in kept] == [[3.0, 3.0], [3.0, 3.0]]
    assert leaf.grad.tolist() == [6.0, 6.0]


def test_a_sum_of_gradients_does_not_change_one_that_is_held():
    kept = []
    x = cygrad.ones(2, requires_grad=True)
    y = x * 1
    a, b, c = y * 2, y * 3, y * 4
    for t in (a, b, c):
        t.register_hook(lambda grad: kept.append(grad))
    (a + b + c).sum().backward()
    assert [grad.tolist() for grad in kept] == [[1.0, 1.0]] * 3
    assert x.grad.tolist() == [9.0, 9.0]
