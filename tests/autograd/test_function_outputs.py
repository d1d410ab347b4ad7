"""If this fails, what a user's own function returns or changes in place has the wrong history or gradient."""

import cygrad
import pytest
from made_functions import make


def test_several_outputs(a):
    seen = []

    def backward(ctx, first, second):
        seen.append((first.tolist(), second.tolist()))
        return first * 2 + second * 3

    Made = make(lambda ctx, x: (x * 2, x * 3), backward)
    first, second = Made.apply(a)
    assert first.grad_fn is second.grad_fn
    (first * 10).sum().backward(retain_graph=True)
    (first + second).sum().backward()
    assert seen == [([10.0, 10.0], [0.0, 0.0]), ([1.0, 1.0], [1.0, 1.0])]
    assert a.grad.tolist() == [25.0, 25.0]


def test_undefined_gradients_stay_none_on_request(a):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    Made = make(forward, lambda ctx, first, second: (seen.append(first), second * 3)[1])
    Made.apply(a)[1].sum().backward()
    assert seen == [None]
    assert a.grad.tolist() == [3.0, 3.0]


def test_outputs_that_are_no_tensors(a):
    seen = []
    Made = make(lambda ctx, x: (x * 2, "text", None, x.long()), lambda ctx, *grads: (seen.append(grads), grads[0])[1])
    y, text, nothing, integers = Made.apply(a)
    assert (text, nothing) == ("text", None)
    assert not integers.requires_grad
    y.sum().backward()
    first, second, third, fourth = seen[0]
    assert first.tolist() == [1.0, 1.0]
    assert second is None and third is None
    assert fourth.tolist() == [0, 0]
    assert make(lambda ctx, x: 3).apply(a) == 3
    assert make(lambda ctx, x: None).apply(a) is None
    assert not make(lambda ctx, x: [x * 2]).apply(a)[0].requires_grad  # only a tuple means several outputs


def test_a_tuple_of_one(a):
    (y,) = make(lambda ctx, x: (x * 2,), lambda ctx, grad: grad * 2).apply(a)
    y.sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]


def test_one_tensor_returned_twice(a):
    def forward(ctx, x):
        y = x * 2
        return y, y

    first, second = make(forward, lambda ctx, g, h: g * 2 + h * 2).apply(a)
    assert first is second
    (first + second).sum().backward()
    assert a.grad.tolist() == [4.0, 4.0]


def test_non_differentiable_outputs(a):
    seen = []

    def forward(ctx, x):
        rounded = x.round()
        ctx.mark_non_differentiable(rounded)
        return x * 2, rounded

    Made = make(forward, lambda ctx, grad, none: (seen.append(none.tolist()), grad * 2)[1])
    y, rounded = Made.apply(a)
    assert y.requires_grad
    assert not rounded.requires_grad
    assert rounded.grad_fn is None
    y.sum().backward()
    assert seen == [[0.0, 0.0]]
    with pytest.raises(RuntimeError, match="^mark_non_differentiable .*accept"):
        make(lambda ctx, x: (ctx.mark_non_differentiable(3), x * 1)[1]).apply(a)


def test_an_input_marked_non_differentiable(a):
    y = make(lambda ctx, x: (ctx.mark_non_differentiable(x), x)[1]).apply(a)
    assert not y.requires_grad
    assert a.requires_grad


def test_an_input_returned_as_it_is(a):
    identity = make(lambda ctx, x: x, lambda ctx, grad: grad * 2, name="Identity")
    y = identity.apply(a)
    assert y is not a
    assert y.data_ptr() == a.data_ptr()
    assert type(y.grad_fn).__name__ == "IdentityBackward"
    assert a.is_leaf and a.grad_fn is None
    y.sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]
    plain = cygrad.ones(2)
    assert identity.apply(plain) is not plain
    assert not identity.apply(plain).requires_grad


def test_a_view_of_an_input(a):
    y = make(lambda ctx, x: x.view(2, 1), lambda ctx, grad: grad.view(2) * 2).apply(a)
    assert y.shape == (2, 1)
    assert type(y.grad_fn).__name__ == "MadeBackward"
    y.sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("forward", [lambda ctx, x: x, lambda ctx, x: x.view(2, 1)])
def test_views_made_in_a_function_cannot_be_changed_in_place(a, forward):
    y = make(forward, name="Maker").apply(a * 1)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace. This view was created inside a"):
        y.add_(1)
    assert y.flatten().tolist() == [1.0, 2.0]


def test_outputs_can_be_changed_in_place(a):
    y = make(lambda ctx, x: x * 2, lambda ctx, grad: grad * 2).apply(a)
    y.mul_(3)
    y.sum().backward()
    assert a.grad.tolist() == [6.0, 6.0]


# -- in-place functions


def doubles(ctx, x):
    x.mul_(2)
    ctx.mark_dirty(x)
    return x


Double = make(doubles, lambda ctx, grad: grad * 2, name="Double")


def test_a_dirty_input_is_the_output(a):
    x = a * 1
    y = Double.apply(x)
    assert y is x
    assert x.tolist() == [2.0, 4.0]
    assert type(x.grad_fn).__name__ == "DoubleBackward"
    (x * 3).sum().backward()
    assert a.grad.tolist() == [6.0, 6.0]


def test_a_dirty_input_gets_a_gradient_from_another(a):
    def forward(ctx, target, source):
        target.add_(source)
        ctx.mark_dirty(target)
        return target

    target = cygrad.zeros(2)
    y = make(forward, lambda ctx, grad: (grad, grad * 1)).apply(target, a)
    assert y is target
    assert target.requires_grad
    target.sum().backward()
    assert a.grad.tolist() == [1.0, 1.0]


def test_a_dirty_view_changes_the_history_of_its_base(a):
    base = a * 1
    view = base[:1]
    assert Double.apply(view) is view
    assert base.tolist() == [2.0, 2.0]
    base.sum().backward()
    assert a.grad.tolist() == [2.0, 1.0]


def test_a_dirty_leaf_is_refused(a):
    with pytest.raises(RuntimeError, match="^a leaf Variable that requires grad has been used in an in-place"):
        Double.apply(a)


def test_a_dirty_input_without_gradient_is_just_changed():
    x = cygrad.ones(2)
    assert Double.apply(x) is x
    assert x.tolist() == [2.0, 2.0]
    assert not x.requires_grad


def test_a_dirty_input_invalidates_what_was_saved_of_it(a):
    x = a * 1
    y = x * x
    Double.apply(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_dirty_tensors_must_be_returned(a):
    with pytest.raises(RuntimeError, match="^Some elements marked as dirty during the forward method were not"):
        make(lambda ctx, x: (ctx.mark_dirty(x), x * 2)[1]).apply(a * 1)
    with pytest.raises(RuntimeError, match="^mark_dirty can only accept variables, but argument"):
        make(lambda ctx, x: (ctx.mark_dirty(3), x * 2)[1]).apply(a * 1)
