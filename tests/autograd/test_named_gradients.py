"""If one of these fails, names get lost in gradients, or change them."""

import cygrad
import pytest
from hypothesis import given, strategies as st
from naming import named, raises


def test_gradients_have_names():
    w = named(2, 3, names="NC", dtype=cygrad.float64).requires_grad_()
    loss = (w * w.detach()).sum("C").softmax("N").select("N", 0)
    loss.backward()
    plain = w.detach().rename(None).requires_grad_()
    (plain * plain.detach()).sum(1).softmax(0).select(0, 0).backward()
    assert w.grad.names == ("N", "C") and w.grad.rename(None).equal(plain.grad)
    first = w.grad
    (w * 2).sum().backward()
    assert w.grad is first and w.grad.names == ("N", "C") and w.grad.rename(None).equal(plain.grad + 2)


def test_grad_by_input():
    x, y = named(2, 3, names="NC").requires_grad_(), named(3, names="C").requires_grad_()
    z = x * y
    for mate in (cygrad.ones(2, 3), cygrad.ones(2, 3, names=("N", "C"))):
        found = cygrad.autograd.grad(z, (x, y, z), mate, retain_graph=True)
        assert [g.names for g in found] == [("N", "C"), ("C",), ("N", "C")]
        assert found[1].tolist() == [3, 5, 7]
    with raises("Error when attempting to match dims ['N', 'C'] and dims ['N', 'D']..."):
        z.backward(cygrad.ones(2, 3, names=("N", "D")))
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        z.backward(cygrad.ones(3, names=("C",)))


def test_jacobians_and_checks():
    x = cygrad.rand(2, 3, dtype=cygrad.float64, names=("N", "C"))
    functional, plain = cygrad.autograd.functional, x.rename(None)
    found = functional.jacobian(lambda t: (t * t).sum("C"), x)
    assert found.equal(functional.jacobian(lambda t: (t * t).sum(1), plain))
    assert functional.hessian(lambda t: (t ** 3).sum(), x).equal(functional.hessian(lambda t: (t ** 3).sum(), plain))
    assert functional.vjp(lambda t: t.sum("C"), x, cygrad.ones(2, dtype=x.dtype))[1].names == ("N", "C")
    x.requires_grad_()
    assert cygrad.autograd.gradcheck(lambda t: t.exp().align_to("C", "N").softmax("N"), x)
    assert cygrad.autograd.gradgradcheck(lambda t: t.exp().sum("C"), x)


def test_second_order():
    x = named(3, names="C", dtype=cygrad.float64).requires_grad_()
    g, = cygrad.autograd.grad((x ** 3).sum(), x, create_graph=True)
    assert g.names == ("C",)
    h, = cygrad.autograd.grad((g * cygrad.ones(3, names=("C",), dtype=cygrad.float64)).sum("C"), x)
    assert h.names == ("C",) and h.tolist() == [0, 6, 12]


def test_gradients_through_renaming_and_aligning():
    x = named(2, 3, names="NC").requires_grad_()
    y = x.rename(C="D").align_to("D", "K", "N").flatten(["D", "K"], "Q").unflatten("Q", (("D", 3), ("K", 1)))
    assert y.names == ("D", "K", "N")
    (y[2] * cygrad.tensor([[1.0, 2.0]])).sum().backward()
    assert x.grad.names == ("N", "C") and x.grad.tolist() == [[0, 0, 1], [0, 0, 2]]


def test_views_of_named_tensors_share_history():
    x = named(2, 3, names="NC").requires_grad_()
    y = x * 1
    y.select("N", 0).mul_(5)
    y[1, :2] = 0
    y.t()[2] += y.t()[2]
    assert y.names == ("N", "C")
    y.sum().backward()
    assert x.grad.tolist() == [[5, 5, 10], [0, 0, 2]]
    leaf = cygrad.ones(2, 3, names=("N", "C"), requires_grad=True)
    with raises("a view of a leaf Variable that requires grad is being used in an in-place operation."):
        leaf.select("N", 0).mul_(2)
    with raises("a leaf Variable that requires grad is being used in an in-place operation."):
        leaf.mul_(2)
    assert leaf.t()._base is leaf and leaf[0]._base is leaf and leaf.align_to("C", "N")._base is leaf


def test_saved_tensors_are_watched():
    x = named(3, names="C").requires_grad_()
    y = x * 2
    z = (y * y).sum()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_hooks_see_names():
    x = named(3, names="C").requires_grad_()
    y = x * 2
    seen = []
    x.register_hook(lambda grad: seen.append(grad.names))
    y.register_hook(lambda grad: seen.append(grad.names) or grad * grad.align_as(y))
    y.retain_grad()
    (y * 3).sum().backward()
    assert seen == [("C",), ("C",)] and y.grad.names == ("C",) and x.grad.tolist() == [18, 18, 18]


def test_function_with_names():
    class Twice(cygrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            x, = ctx.saved_tensors
            return grad * (x * 0 + 2)                       # has names, which the engine does not mind

    x = named(3, names="C").requires_grad_()
    y = Twice.apply(x)
    assert y.names == ("C",)
    y.sum().backward()
    assert x.grad.names == ("C",) and x.grad.tolist() == [2, 2, 2]


def test_nodes_are_those_without_names():
    x = named(2, 3, names="NC").requires_grad_()
    y = x.exp().sum("C")
    assert y.grad_fn.name() == "SumBackward1" and y.grad_fn.next_functions[0][0].name() == "ExpBackward0"
    assert y.grad_fn.next_functions[0][0].next_functions[0][0].variable is x


SHAPE = st.lists(st.integers(1, 3), min_size=1, max_size=4)


@given(shape=SHAPE, data=st.data())
def test_by_name_is_by_number(shape, data):
    """Permuted, reduced and scanned by names and by numbers: the same, forward and backward."""
    names = tuple("ABCD"[:len(shape)])
    x = cygrad.rand(shape, dtype=cygrad.float64, names=names, requires_grad=True)
    plain = x.detach().rename(None).requires_grad_()
    order = data.draw(st.permutations(range(len(shape))))
    some = data.draw(st.lists(st.sampled_from(range(len(shape))), min_size=1, unique=True))
    one = data.draw(st.sampled_from(range(len(shape))))
    keep = data.draw(st.booleans())
    y = x.cumsum(names[one]).align_to(*(names[i] for i in order)).sum([names[i] for i in some], keepdim=keep)
    z = plain.cumsum(one).permute(order).sum([order.index(i) for i in some], keepdim=keep)
    assert y.names == tuple(names[i] for i in order if keep or i not in some) and y.rename(None).equal(z)
    (y * y).sum().backward()
    (z * z).sum().backward()
    assert x.grad.names == names and x.grad.rename(None).equal(plain.grad)
