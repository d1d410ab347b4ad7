"""If one of these fails, a tangent, a gradient's place or a stack of hooks is shared with what only looks the same."""
import pytest

import cygrad
from cygrad.autograd import forward_ad
from cygrad.autograd.graph import get_gradient_edge, saved_tensors_hooks


@pytest.mark.parametrize("call", (
    lambda x: x + 1, lambda x: 1 + x, lambda x: x - 0, lambda x: cygrad.zeros(2).add_(x),
    lambda x: cygrad.zeros(2).copy_(x), lambda x: cygrad.zeros(1, 2).squeeze(0).copy_(x), lambda x: x.clone()))
def test_a_result_that_is_changed_leaves_its_operands_tangent(call):
    with forward_ad.dual_level():
        x = forward_ad.make_dual(cygrad.tensor([1., 2.]), cygrad.tensor([1., 1.]))
        y = call(x)
        y.mul_(3)
        assert forward_ad.unpack_dual(x).tangent.tolist() == [1, 1]
        assert forward_ad.unpack_dual(y).tangent.tolist() == [3, 3]


def test_a_tangent_lies_in_memory_as_its_tensor_does():
    part, tangent = cygrad.randn(5)[:4], cygrad.randn(4)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(part, tangent)
        found = forward_ad.unpack_dual(dual).tangent
        assert found is not tangent and (found == tangent).all()
        assert dual.as_strided((5,), (1,), 0).shape == (5,)
        same = cygrad.randn(4)
        assert forward_ad.unpack_dual(forward_ad.make_dual(cygrad.randn(4), same)).tangent is same


class Doubled(cygrad.autograd.Function):
    """Doubles in place; `honest` says whether its jvp does, too."""

    honest = True

    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def jvp(ctx, tangent):
        return tangent.mul_(2) if Doubled.honest else tangent


def test_jvp_of_a_change_in_place_changes_the_tangent(monkeypatch):
    with forward_ad.dual_level():
        x = forward_ad.make_dual(cygrad.tensor(1.), cygrad.tensor(1.))
        assert forward_ad.unpack_dual(Doubled.apply(x)).tangent == 2
        monkeypatch.setattr(Doubled, "honest", False)
        with pytest.raises(RuntimeError, match="must modify the corresponding gradient inplace"):
            Doubled.apply(x)


def test_gradcheck_sees_a_wrong_tangent():
    def wrong(x, y):
        if forward_ad._current_level >= 0:
            value, tangent = forward_ad.unpack_dual(y)
            y = forward_ad.make_dual(value, tangent * 1.1)
        return x + y
    x, y = (cygrad.rand(2, dtype=cygrad.float64, requires_grad=True) for _ in range(2))
    assert cygrad.autograd.gradcheck(lambda x, y: x + y, (x, y), check_forward_ad=True)
    with pytest.raises(RuntimeError, match="forward mode mismatch for output 0 with respect to input 1"):
        cygrad.autograd.gradcheck(wrong, (x, y), check_forward_ad=True)


def test_a_leaf_that_is_set_to_other_memory_has_another_place():
    x = cygrad.ones(16, requires_grad=True)
    for size in (15, 14):
        with cygrad.no_grad():
            x.set_(x[1:])
            x.grad = None
        cygrad.cat((x, x)).sum().backward()
        assert x.grad.tolist() == [2.] * size
    before, y = get_gradient_edge(x), x.clone()
    with cygrad.no_grad():
        x.set_(cygrad.ones(14))
    assert get_gradient_edge(x).node is not before.node
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        cygrad.autograd.grad(y.sum(), x)


def test_hooks_that_a_pass_pushes_or_pops_are_its_own():
    popped = []

    def unpack(x):
        popped.append(1)
        inner.__exit__()
        return x

    inner, outer = saved_tensors_hooks(lambda x: x, unpack), saved_tensors_hooks(lambda x: x * 0, lambda x: x)
    with outer:
        inner.__enter__()
        cygrad.ones(2, requires_grad=True).sin().sum().backward()
        inner.__exit__()
        x = cygrad.ones(2, requires_grad=True)
        (x * x).sum().backward()
        assert popped and x.grad.tolist() == [0, 0]         # the outer hooks still hold
    inner.__exit__()            # one too many does nothing
    (x * x).sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_complex_powers():
    exponent = cygrad.tensor([1 + 1j, 0.5 - 1j], dtype=cygrad.complex128, requires_grad=True)
    for base in (-2., 2., -1):
        assert cygrad.autograd.gradcheck(lambda e, b=base: cygrad.pow(b, e), (exponent,))
    zero = cygrad.zeros(1, dtype=cygrad.float64, requires_grad=True)
    none = cygrad.zeros(1, dtype=cygrad.complex128, requires_grad=True)
    gradients = cygrad.autograd.grad(cygrad.pow(zero, none).real.sum(), (zero, none))
    assert [g.tolist() for g in gradients] == [[0.], [0j]]


@pytest.mark.parametrize("name, source", (("scatter_reduce", "src"), ("index_reduce", "source")))
def test_products_with_two_zeros_have_one_derivative(name, source):
    x = cygrad.ones(1, dtype=cygrad.float64, requires_grad=True)
    for values, twice in (([0., 2.], True), ([0., 0.], False)):
        factors = cygrad.tensor(values, dtype=cygrad.float64, requires_grad=True)
        out = getattr(cygrad, name)(x, 0, cygrad.tensor([0, 0]), factors, "prod")
        first = cygrad.autograd.grad(out.sum(), (x, factors), create_graph=True)
        total = first[0].sum() + first[1].sum()
        if twice:
            assert [g.tolist() for g in cygrad.autograd.grad(total, (x, factors))] == [[2.], [3., 1.]]
        else:
            with pytest.raises(RuntimeError, match=f"{name}..: Double backward is unsupported for {source} when"):
                cygrad.autograd.grad(total, (x, factors))


def test_views_say_where_they_come_from():
    class View(cygrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return grad

    more = cygrad.ones(2, requires_grad=True)
    for view, words in ((View.apply(cygrad.ones(2)), "created inside a custom Function"),
                        (cygrad.ones(2, 2).unbind(0)[0], "output of a function that returns multiple views")):
        with pytest.raises(RuntimeError, match=words):
            view += more


def test_inference_mode_decorates_by_keyword():
    assert cygrad.inference_mode(mode=lambda x: x * 2)(cygrad.ones(1)).is_inference()


def test_forward_mode_says_what_it_lacks():
    with forward_ad.dual_level():
        x, y = forward_ad.make_dual(cygrad.rand(2), cygrad.rand(2)), cygrad.rand(2)
        with pytest.raises(NotImplementedError, match="forward AD with add_out that does not support it because it is"):
            cygrad.add(x, y, out=y)
        with pytest.raises(NotImplementedError, match="forward AD with igamma that does not support it"):
            cygrad.igamma(x, x)


def test_graphs_of_changed_tensors_belong_to_their_block():
    from cygrad.autograd.graph import allow_mutation_on_saved_tensors
    with allow_mutation_on_saved_tensors():
        out = (cygrad.rand(2, requires_grad=True) ** 2).sum()
    with pytest.raises(AssertionError, match="outside of the 'allow_mutation_on_saved_tensors' context"):
        out.backward(retain_graph=True)
    with allow_mutation_on_saved_tensors(), pytest.raises(AssertionError, match="originally recorded"):
        out.backward()


@pytest.mark.parametrize("wrong", (lambda t: t, lambda t: t * 2))
def test_jvp_of_an_input_that_is_returned_is_a_view(wrong):
    class Both(cygrad.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y, x

        @staticmethod
        def jvp(ctx, x, y):
            return x + y, Both.second(x)

    with forward_ad.dual_level():
        tangent = cygrad.ones(2)
        for needs in (False, True):
            x = forward_ad.make_dual(cygrad.rand(2, requires_grad=needs), tangent)
            Both.second = lambda t: t.view_as(t)
            assert forward_ad.unpack_dual(Both.apply(x, cygrad.rand(2))[1]).tangent._base is tangent
            Both.second = wrong
            with pytest.raises(RuntimeError, match="is returning a view .or an input as-is. but the jvp is not"):
                Both.apply(x, cygrad.rand(2))
