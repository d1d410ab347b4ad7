"""If one of these fails, a custom Function inside `cygrad.func`'s transforms has wrong derivatives, or what transforms
refuse (hooks, leaves made inside, outputs that are no tensors) goes through."""
import pytest

import cygrad
from cygrad.autograd import Function
from cygrad.autograd import functional
from cygrad.func import functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap

X = cygrad.tensor([1., 2., 3., 4.])


class Cube(Function):
    """x ** 3 with a derivative of its own, 5 * x, that tells whether it was asked."""
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.kept = inputs[0]

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        assert x.shape == ctx.kept.shape == grad.shape
        return 5 * grad * x

    @staticmethod
    def jvp(ctx, tangent):
        return 7 * tangent


class Ruled(Cube):
    """The same with a rule: the examples are shifted by 100 first, so that one sees whether it was asked."""
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, x):
        return Ruled.apply(x.movedim(in_dims[0], 0) + 100), 0


@pytest.mark.parametrize("derivative", [
    lambda f: vmap(grad(f))(X),
    lambda f: grad(lambda x: vmap(f)(x).sum())(X),
    lambda f: jacrev(f)(X).diagonal(),
    lambda f: grad(lambda x: vmap(vmap(f))(x.reshape(2, 2)).sum())(X),
    lambda f: vmap(vmap(grad(f)))(X.reshape(2, 2)).reshape(4),
])
def test_backward_of_a_function_is_the_users_inside_vmap(derivative):
    assert derivative(Cube.apply).tolist() == [5., 10., 15., 20.]


def test_jvp_of_a_function_is_the_users_inside_vmap():
    assert vmap(lambda x: jvp(Cube.apply, (x,), (x,))[1])(X).tolist() == [7., 14., 21., 28.]
    assert jvp(vmap(Cube.apply), (X,), (X,))[1].tolist() == [7., 14., 21., 28.]
    assert jacfwd(Cube.apply)(X).diagonal().tolist() == [7.] * 4


def test_second_derivatives_of_a_function_inside_vmap():
    assert vmap(grad(grad(Cube.apply)))(X).tolist() == [5.] * 4
    assert hessian(lambda x: Cube.apply(x).sum())(X).diagonal().tolist() == [5.] * 4


def test_a_rule_is_what_vmap_calls():
    assert vmap(Ruled.apply)(X).tolist() == [(x + 100) ** 3 for x in X.tolist()]
    assert vmap(grad(Ruled.apply))(X).tolist() == [5., 10., 15., 20.]                 # of forward as it is
    assert grad(lambda x: vmap(Ruled.apply)(x).sum())(X).tolist() == [505., 510., 515., 520.]    # of what the rule does


def test_what_a_rule_is_told():
    seen = []

    class Told(Cube):
        generate_vmap_rule = False

        @staticmethod
        def vmap(info, in_dims, x):
            seen.append((info.batch_size, info.randomness, in_dims, x.shape))
            return x, in_dims[0]

    x = cygrad.rand(3, 4)
    assert vmap(Told.apply, in_dims=1, randomness="same")(x).equal(x.T)
    assert seen == [(4, "same", (1,), (3, 4))]


def test_arguments_that_are_the_same_for_all_get_summed_gradients():
    class Scaled(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, factor):
            return x * factor, x + 1

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad, other):
            x, factor = ctx.saved_tensors
            return grad * factor + other, grad * x

    factor = cygrad.tensor(3.)
    found = grad(lambda x, k: sum(part.sum() for part in vmap(Scaled.apply, (0, None))(x, k)), (0, 1))(X, factor)
    assert found[0].tolist() == [4.] * 4
    assert found[1].item() == 10.


def test_an_argument_that_is_written_in_place():
    class Doubled(Function):
        @staticmethod
        def forward(x):
            return x.mul_(2)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_dirty(inputs[0])

        @staticmethod
        def vmap(info, in_dims, x):
            x.mul_(2)
            return x, in_dims[0]

    def through(x):
        y = x.clone()
        assert Doubled.apply(y) is y
        return y
    assert vmap(through)(X).tolist() == [2., 4., 6., 8.]


class Bare(Function):
    @staticmethod
    def forward(x):
        return x * 1

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass


def test_functions_that_vmap_refuses():
    with pytest.raises(RuntimeError, match="does not have vmap support"):
        vmap(Bare.apply)(X)
    with pytest.raises(RuntimeError, match="both generate_vmap_rule=True and an overridden vmap"):
        vmap(type("Both", (Ruled,), {"generate_vmap_rule": True}).apply)(X)
    for result, words in ((lambda x: x, "to have two returns, .* Got a <class"),
                          (lambda x: (x, 0, 0), "Got 3 returns"), (lambda x: (x, (0,)), "returned an incompatible")):
        rule = staticmethod(lambda info, in_dims, x, result=result: result(x))
        with pytest.raises(RuntimeError, match=words):
            vmap(type("Wrong", (Bare,), {"vmap": rule}).apply)(X)
    assert vmap(lambda x: x * Bare.apply(cygrad.tensor(2.)))(X).tolist() == [2., 4., 6., 8.]    # not of the batch


def test_a_function_with_its_context_first_is_refused():
    class Old(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

    for transformed in (grad(Old.apply), vmap(Old.apply), functionalize(Old.apply), lambda x: vjp(Old.apply, x),
                        lambda x: jvp(Old.apply, (x,), (x,)), jacrev(Old.apply), jacfwd(Old.apply)):
        with pytest.raises(RuntimeError, match="must override the setup_context staticmethod"):
            transformed(X)
    assert Old.apply(X).equal(X)


def test_leaves_are_not_made_inside_of_transforms():
    y = cygrad.ones(2)
    for transform in (lambda f: grad(lambda x: f(x).sum()), vmap, lambda f: lambda x: jvp(f, (x,), (x,))):
        for need in (True, False):
            with pytest.raises(RuntimeError, match=r"call Tensor.requires_grad_\(\) \(or perhaps"):
                transform(lambda x, need=need: (y.requires_grad_(need), x)[1])(X)
        with pytest.raises(RuntimeError, match="torch.autograd.functional"):
            transform(lambda x: functional.vjp(lambda x: x.sum(), x)[1])(X)
        assert transform(lambda x: x * cygrad.nn.Parameter(cygrad.ones(())))(X) is not None
    assert grad(lambda x: (x * cygrad.rand_like(x, requires_grad=True)).sum())(X).shape == X.shape
    with pytest.raises(RuntimeError, match=r"call Tensor.retain_grad\(\) inside"):
        grad(lambda x: ((x * 2).retain_grad(), x.sum())[1])(X)
    assert not y.requires_grad
    assert y.requires_grad_().requires_grad                 # outside again


def test_hooks_on_saved_tensors_are_refused():
    with cygrad.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        for call in (lambda: grad(cygrad.sin)(X[0]), lambda: vjp(cygrad.sin, X), lambda: jacrev(cygrad.sin)(X)):
            with pytest.raises(RuntimeError, match="don't yet support saved tensor hooks"):
                call()
        assert vmap(cygrad.sin)(X).equal(X.sin())


def test_what_goes_with_an_output_is_a_nest_of_tensors():
    for aux in (1, None, (X, 2.0)):
        def both(x, aux=aux):
            return x.sum(), aux
        for call in (lambda: grad(both, has_aux=True)(X), lambda: grad_and_value(both, has_aux=True)(X),
                     lambda: vjp(both, X, has_aux=True), lambda: jvp(both, (X,), (X,), has_aux=True),
                     lambda: jacrev(both, has_aux=True)(X), lambda: jacfwd(both, has_aux=True)(X)):
            with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type"):
                call()
    assert grad(lambda x: (x.sum(), {"a": [x * 2]}), has_aux=True)(X)[1]["a"][0].equal(X * 2)


def test_the_mode_counts_where_a_product_is_asked_for():
    x = cygrad.tensor(3., requires_grad=True)
    out, product = vjp(lambda x: x ** 2, x)
    with cygrad.no_grad():
        assert not product(cygrad.tensor(1.))[0].requires_grad
        inside, product = vjp(lambda x: x ** 2, x)
    assert out.requires_grad and not inside.requires_grad
    (y,) = product(cygrad.tensor(1.))
    assert cygrad.autograd.grad(y, x)[0].item() == 2.


def test_how_batches_are_shown():
    shown = []
    vmap(vmap(lambda x: (shown.append(repr(x)), x)[1], in_dims=1))(cygrad.arange(4.).reshape(1, 2, 2))
    text = "".join(shown[0].split())
    assert text.startswith("BatchedTensor(lvl=2,bdim=1,value=BatchedTensor(lvl=1,bdim=0,value=tensor")
    vmap(lambda x: (shown.append(repr(x)), x)[1])(cygrad.ones(2))
    assert shown[1] == "BatchedTensor(lvl=1, bdim=0, value=\n    tensor([1., 1.])\n)"


def test_batches_of_gradients_are_no_transforms():
    class Old(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return Old.apply(grad)

        @staticmethod
        def jvp(ctx, tangent):
            return Old.apply(tangent)

    x = cygrad.rand(3, requires_grad=True, dtype=cygrad.float64)
    (rows,) = cygrad.autograd.grad(Old.apply(x), x, cygrad.eye(3, dtype=cygrad.float64), is_grads_batched=True)
    assert rows.equal(2 * cygrad.eye(3, dtype=cygrad.float64))
    assert cygrad.autograd.gradcheck(Old.apply, (x,), check_forward_ad=True, check_batched_grad=True,
                                     check_batched_forward_grad=True)

    class Noisy(Old):
        @staticmethod
        def jvp(ctx, tangent):
            cygrad.randn_like(tangent)
            return tangent * 2
    with pytest.raises(RuntimeError, match="do not yet support calling random operations inside of vmap"):
        cygrad.autograd.gradcheck(Noisy.apply, (x,), check_forward_ad=True, check_batched_forward_grad=True)


def test_names_of_nodes_inside_of_transforms():
    names = []

    def named(x):
        y = Cube.apply(x)
        names.append((type(y.grad_fn).__name__, y.grad_fn.name()))
        return y
    grad(named)(X[0])
    named(X[0].clone().requires_grad_())
    assert names == [("CubeGeneratedBackward",) * 2, ("CubeBackward",) * 2]
