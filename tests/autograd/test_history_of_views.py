"""If one of these fails, second derivatives through a view that was changed in place are wrong or can't be computed, an
edge loses its leaf, or anomaly mode doesn't say which calculation made the node that failed."""
import warnings

import cygrad
import pytest
from cygrad.autograd import Function, grad
from cygrad.autograd.function import once_differentiable


@pytest.mark.parametrize("change", [lambda t: t.relu_(), lambda t: t.sigmoid_(), lambda t: t.exp_(),
                                    lambda t: t.tanh_(), lambda t: t.mul_(3).sqrt_()])
@pytest.mark.parametrize("view", [lambda t: t.view(6), lambda t: t[1], lambda t: t.t(), lambda t: t.view_as(t)])
def test_second_derivatives_through_a_view_that_was_changed(change, view):
    def first(x, in_place):
        y = (x * 2 + 0.5).clone()
        if in_place:
            change(view(y))
        else:
            y = y.clone()
            part = view(y)
            part.data.copy_(part.data)
            changed = change(view(y).clone())
            y = cygrad.where(marks(view), placed(changed, view), y)
        return grad((y ** 2).sum(), x, create_graph=True)[0]

    x = cygrad.arange(1., 7.).reshape(2, 3).div(6).requires_grad_()
    one, other = first(x, True), first(x, False)
    assert one.allclose(other)
    assert grad((one * one).sum(), x)[0].allclose(grad((other * other).sum(), x)[0])


def marks(view):
    found = cygrad.zeros(2, 3, dtype=cygrad.bool)
    view(found).fill_(True)
    return found


def placed(values, view):
    """The values at the view's places of a new tensor, out of place."""
    places = view(cygrad.arange(6).reshape(2, 3)).reshape(-1)
    return cygrad.zeros(6).index_copy(0, places, values.reshape(-1)).reshape(2, 3)


def test_an_edge_stays_when_its_leaf_gets_other_memory():
    x = cygrad.rand(2, requires_grad=True)
    edge = cygrad.autograd.graph.get_gradient_edge(x)
    out = x.clone()
    with cygrad.no_grad():
        x.set_(cygrad.rand(3))
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        grad(out.sum(), x)
    assert grad(out.sum(), edge)[0].tolist() == [1., 1.]


class Second(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        return gradient * float("nan")


class First(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        return Second.apply(gradient) * 2


def test_anomaly_mode_names_the_calculation_around():
    x = cygrad.rand(2, requires_grad=True)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError, match="'SecondBackward' returned nan"), cygrad.autograd.detect_anomaly():
            out = First.apply(x * x) ** 2
            (gradient,) = grad(out.sum(), x, create_graph=True)
            gradient.sum().backward()
    texts = [str(each.message) for each in seen[1:]]
    assert "Error detected in SecondBackward" in texts[0] and "Second.apply" in texts[0]
    assert "Previous calculation was induced by FirstBackward. Traceback of forward call" in texts[1]
    assert "First.apply" in texts[1]


def test_none_is_an_input_of_the_node_that_refuses_second_derivatives():
    class Scaled(Function):
        @staticmethod
        def forward(ctx, x, factor, y):
            return x * factor + y

        @staticmethod
        @once_differentiable
        def backward(ctx, gradient):
            return gradient * 2, None, gradient

    x, y = cygrad.ones(1, requires_grad=True), cygrad.ones(1, requires_grad=True)
    found, other = grad(Scaled.apply(x * 1, 2, y * 1).sum(), [x, y], create_graph=True, grad_outputs=cygrad.ones(
        (), requires_grad=True))
    assert found.item() == 2 and other.item() == 1
    node = other.grad_fn
    while node.name() != "Error":
        node = node.next_functions[0][0]
    assert [edge[0] is None for edge in node.next_functions] == [False, True, False]
