"""If this fails, the graph is freed too late, too early, or not at all."""

import gc

import pytest

import cygrad
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
