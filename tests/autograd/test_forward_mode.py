"""If one of these fails, a tangent is wrong: forward mode disagrees with backward, or with a closed form."""

import cygrad
import pytest
from cygrad.autograd import forward_ad as fw
from op_db import OPS, tensors_of
from test_gradcheck import CHECKED, problems, replaced

pytestmark = pytest.mark.filterwarnings("ignore")  # samples include what PyTorch warns of
FAMILIES = [CHECKED[i::12] for i in range(12)]


def outputs_of(op, sample, leaves):
    """All results of the op that have a derivative."""
    args, kwargs = sample.build(cygrad, leaves)
    return [t for t in tensors_of(cygrad, op.function(cygrad)(*args, **kwargs)) if t.is_floating_point()]


@pytest.mark.parametrize("ops", FAMILIES, ids=[ops[0].name for ops in FAMILIES])
def test_tangents_agree_with_gradients(ops):
    """<u, J v> is <J^T u, v> for random u and v, for every sample of every differentiable op."""
    cygrad.manual_seed(0)
    for op in ops:
        for _, inputs, sample in problems(op):
            leaves = sample.leaves(cygrad, requires_grad=True)
            vectors = [cygrad.randn(x.shape, dtype=x.dtype) for x in inputs]
            old = dict(leaves)
            outputs = outputs_of(op, sample, replaced(old, inputs))
            seeds = [cygrad.randn(y.shape, dtype=y.dtype) for y in outputs]
            pairs = [(y, u) for y, u in zip(outputs, seeds) if y.requires_grad]
            gradients = cygrad.autograd.grad([y for y, _ in pairs], inputs, [u for _, u in pairs], allow_unused=True)
            expected = sum((g * v).sum().item() for g, v in zip(gradients, vectors) if g is not None)
            with fw.dual_level():
                duals = [fw.make_dual(x.detach(), v) for x, v in zip(inputs, vectors)]
                tangents = [fw.unpack_dual(y).tangent for y in outputs_of(op, sample, replaced(old, duals))]
                found = sum((t * u).sum().item() for t, u in zip(tangents, seeds) if t is not None)
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-8), (op.name, sample)


def test_the_table_names_ops():
    from cygrad.autograd.derivative import rows
    from cygrad.autograd.derivatives.tangents import TANGENTS
    assert set(TANGENTS) <= set(rows())
    assert OPS


def test_tangent_of_a_product():
    with fw.dual_level():
        x = fw.make_dual(cygrad.tensor([1.0, 2.0]), cygrad.tensor([1.0, 10.0]))
        y, tangent = fw.unpack_dual(x * x.exp())
    e = cygrad.tensor([1.0, 2.0]).exp()
    assert cygrad.allclose(tangent, cygrad.tensor([1.0, 10.0]) * (e + cygrad.tensor([1.0, 2.0]) * e))
    assert cygrad.allclose(y, cygrad.tensor([1.0, 2.0]) * e)


def test_no_grad_keeps_tangents_and_records_nothing():
    weight = cygrad.tensor([2.0], requires_grad=True)
    with fw.dual_level():
        x = fw.make_dual(cygrad.tensor([3.0]), cygrad.tensor([1.0]))
        with cygrad.no_grad():
            assert not cygrad.is_grad_enabled()
            y = x * weight
        assert not y.requires_grad and y.grad_fn is None
        assert fw.unpack_dual(y).tangent.tolist() == [2.0]
        weight.requires_grad_(False)
        with cygrad.no_grad():
            weight.add_(1)      # a leaf may be changed here


def test_tangents_are_differentiable_backward():
    x = cygrad.tensor(0.5, dtype=cygrad.float64, requires_grad=True)
    with fw.dual_level():
        tangent = fw.unpack_dual(fw.make_dual(x, cygrad.tensor(1.0, dtype=cygrad.float64)).sin()).tangent
        (second,) = cygrad.autograd.grad(tangent, x)
    assert cygrad.allclose(second, -x.detach().sin())


def test_gradients_have_tangents():
    with fw.dual_level():
        x = fw.make_dual(cygrad.tensor(0.5), cygrad.tensor(1.0)).requires_grad_()
        (slope,) = cygrad.autograd.grad(x.exp() * x, x)
        assert cygrad.allclose(fw.unpack_dual(slope).tangent, cygrad.tensor(0.5).exp() * 2.5)


def test_views_of_duals_change_with_them():
    with fw.dual_level():
        x = fw.make_dual(cygrad.ones(3), cygrad.tensor([2.0, 2.0, 2.0]))
        y = cygrad.ones(3)
        part = y[:2]
        part.mul_(x[:2])
        assert fw.unpack_dual(y).tangent.tolist() == [2, 2, 0]
        z = x * 1
        z[1:].mul_(3)
        assert fw.unpack_dual(z).tangent.tolist() == [2, 6, 6]
        z.zero_()
        assert fw.unpack_dual(z).tangent.tolist() == [0, 0, 0]


def test_a_level_ends_and_tangents_with_it():
    with fw.dual_level():
        x = fw.make_dual(cygrad.ones(2), cygrad.ones(2))
    assert fw.unpack_dual(x).tangent is None
    with fw.dual_level():
        assert fw.unpack_dual(x).tangent is None
        assert fw.unpack_dual(x * 2).tangent is None
        assert "tangent" not in repr(x)


def test_tangents_do_not_live_longer_than_their_tensor():
    import gc
    import weakref
    with fw.dual_level():
        x = fw.make_dual(cygrad.ones(2), cygrad.ones(2))
        y = x * 2
        gone = weakref.ref(fw.unpack_dual(y).tangent)
        del y
        gc.collect()
        assert gone() is None


class Scale(cygrad.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        ctx.factor = factor
        return x * x * factor

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x * ctx.factor, None

    @staticmethod
    def jvp(ctx, tangent, _):
        (x,) = ctx.saved_tensors
        return tangent * 2 * x * ctx.factor


def test_the_jvp_of_a_function():
    with fw.dual_level():
        x = fw.make_dual(cygrad.tensor([1.0, 3.0]), cygrad.tensor([1.0, 1.0]))
        assert fw.unpack_dual(Scale.apply(x, 2)).tangent.tolist() == [4, 12]


def test_a_function_without_jvp_is_refused():
    class Silent(cygrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with fw.dual_level(), pytest.raises(NotImplementedError, match="must implement the jvp function"):
        Silent.apply(fw.make_dual(cygrad.ones(2), cygrad.ones(2)))


def test_gradcheck_of_forward_mode():
    x = cygrad.tensor([0.5, 2.0], dtype=cygrad.float64, requires_grad=True)
    assert cygrad.autograd.gradcheck(lambda x: x.exp() * x.sum(), (x,), check_forward_ad=True, check_batched_grad=True,
                                     check_batched_forward_grad=True)
    assert cygrad.autograd.gradgradcheck(lambda x: x.exp() * x, (x,), check_fwd_over_rev=True)
    z = cygrad.tensor([0.5 + 1j, 2 - 0.5j], requires_grad=True).to(cygrad.complex128).detach().requires_grad_()
    assert cygrad.autograd.gradcheck(lambda z: (z * z).sin() * z.abs(), (z,), check_forward_ad=True)

    class Wrong(Scale):
        @staticmethod
        def jvp(ctx, tangent, _):
            return tangent
    with pytest.raises(cygrad.autograd.gradcheck.__globals__["GradcheckError"], match="forward mode"):
        cygrad.autograd.gradcheck(lambda x: Wrong.apply(x, 2), (x,), check_forward_ad=True)
