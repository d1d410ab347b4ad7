"""What a pass calls beside formulas: hooks in PyTorch's order, callbacks at its end, hooks on saved tensors."""
import pytest

import cygrad
from cygrad.autograd import Function, Variable
from cygrad.autograd import forward_ad as forward


def test_a_node_whose_tensor_wants_its_grad_runs_its_prehooks():
    log = []
    a = cygrad.tensor(1.0, requires_grad=True)
    b = a.clone()
    b.register_hook(lambda g: log.append("tensor") or g * 3)
    b.grad_fn.register_prehook(lambda gs: log.append("node"))
    (b * 1).sum().backward(inputs=(b,))
    assert log == ["tensor", "node"] and b.grad.item() == 3


def test_a_pass_for_some_inputs_computes_no_others_gradients():
    image, kernel, bias = (cygrad.ones(*sizes, requires_grad=True) for sizes in ((1, 2, 4, 4), (3, 2, 3, 3), (3,)))
    y, seen = cygrad.nn.functional.conv2d(image, kernel, bias), []
    y.grad_fn.register_hook(lambda ins, outs: seen.append([g is not None for g in ins]))
    cygrad.autograd.grad(y.sum(), image, retain_graph=True)
    cygrad.autograd.grad(y.sum(), (kernel, bias), retain_graph=True)
    y.sum().backward(inputs=[bias], retain_graph=True)
    y.sum().backward()
    assert seen == [[True, False, False], [False, True, True], [False, False, True], [True, True, True]]


def test_a_posthook_of_a_leaf_sees_its_grad():
    x = cygrad.ones(3, requires_grad=True)
    node = x.view_as(x).grad_fn.next_functions[0][0]
    x.register_hook(lambda g: g - 2)
    node.register_prehook(lambda gs: (gs[0] / 4,))

    def add_half(t):
        t.grad.add_(0.5)

    x.register_post_accumulate_grad_hook(add_half)
    node.register_hook(lambda ins, outs: setattr(x, "grad", outs[0] * 10))
    x.sum().backward()
    assert x.grad.tolist() == [2.5] * 3             # ((1 - 2) / 4 + 0.5) * 10


def test_hooks_of_outputs_that_nothing_was_computed_from_get_none():
    seen = []
    x = cygrad.arange(3.0, requires_grad=True)
    first, second, _ = x.unbind()
    first.register_hook(seen.append)
    second.backward(retain_graph=True)
    assert seen == [None]
    first.register_hook(lambda g: cygrad.ones(()))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        second.backward()


def test_callbacks_at_the_end_of_a_pass():
    called = []

    class Calls(Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            queue = Variable._execution_engine.queue_callback
            queue(lambda: called.append(1) or queue(lambda: called.append(2)))
            called.append(0)
            return grad

    Calls.apply(cygrad.ones(2, requires_grad=True)).sum().backward()
    assert called == [0, 1, 2]
    with pytest.raises(RuntimeError, match="only be installed during backward pass"):
        Variable._execution_engine.queue_callback(print)


def test_gradients_of_several_seeds_at_once():
    x = cygrad.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (found,) = cygrad.autograd.grad(x * x, x, cygrad.eye(3), is_grads_batched=True)
    assert found.tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
    with pytest.raises(RuntimeError, match="we interpret the first dimension of each grad_output as the batch"):
        cygrad.autograd.grad(x * x, x, cygrad.ones(3), is_grads_batched=True)


def test_grad_refuses_no_inputs_and_zeros_for_an_edge():
    x, y = (cygrad.ones(2, requires_grad=True).clone() for _ in range(2))
    with pytest.raises(RuntimeError, match="cannot be empty"):
        cygrad.autograd.grad(x.sum(), [])
    edge = cygrad.autograd.graph.get_gradient_edge(y)
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used"):
        cygrad.autograd.grad(x.sum(), (x, edge), allow_unused=True, materialize_grads=True)


def test_an_edge_to_an_output_that_a_node_has_not():
    x = cygrad.ones(2, requires_grad=True)
    y, made = x * 2, type(x.clone().grad_fn).__new__(type(x.clone().grad_fn))
    for node, number in ((y.grad_fn, 99), (y.grad_fn, -1), (y.grad_fn, 1), (x.unbind()[0].grad_fn, 2), (made, 0)):
        edge = cygrad.autograd.graph.GradientEdge(node, number, None)
        with pytest.raises(RuntimeError, match="has no output"):
            cygrad.autograd.grad(y.sum(), edge)
        with pytest.raises(RuntimeError, match="has no output"):
            cygrad.autograd.backward(edge, cygrad.ones(2))


def test_zeros_for_one_number_that_is_not_used():
    x, y = (cygrad.tensor(2.0, requires_grad=True) for _ in range(2))
    assert cygrad.autograd.grad(x * x, y, materialize_grads=True)[0].item() == 0


def test_hooks_on_what_one_node_saves():
    a = cygrad.tensor([1.0, 2.0], requires_grad=True)
    y = a * a
    y.grad_fn._raw_saved_self.register_hooks(lambda x: 2 * x, lambda x: x)
    assert y.grad_fn._saved_self.tolist() == [2, 4]
    with pytest.raises(RuntimeError, match="already been set"):
        y.grad_fn._raw_saved_self.register_hooks(lambda x: x, lambda x: x)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        y.grad_fn._raw_saved_other.register_hooks(1, 1)
    y.sum().backward()
    assert a.grad.tolist() == [3, 6]
    with pytest.raises(RuntimeError, match="after it has been freed"):
        y.grad_fn._raw_saved_self.register_hooks(lambda x: x, lambda x: x)
    e = a.exp()
    e.grad_fn._raw_saved_result.register_hooks(lambda x: x, lambda x: x)
    assert e.grad_fn._saved_result.grad_fn is e.grad_fn
    with pytest.raises(RuntimeError, match="from Python is forbidden"):
        cygrad.autograd.SavedTensor()


def test_hooks_on_what_a_function_saves():
    class Keeps(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    a = cygrad.tensor([1.0, 2.0], requires_grad=True)
    y = Keeps.apply(a)
    kept, nothing = y.grad_fn._raw_saved_tensors
    kept.register_hooks(lambda x: x + 1, lambda x: x)
    with pytest.raises(RuntimeError, match="None is forbidden"):
        nothing.register_hooks(lambda x: x, lambda x: x)
    y.sum().backward()
    assert a.grad.tolist() == [2, 3]
    with pytest.raises(RuntimeError, match="already been freed"):
        y.grad_fn._raw_saved_tensors


class Scale(Function):
    @staticmethod
    def forward(ctx, x, y, wrong):
        ctx.wrong = wrong
        if wrong == "dirty":
            ctx.mark_dirty(x)
            return x.mul_(2)
        if wrong in ("view", "other view"):
            return x.narrow(0, 0, 2)
        if wrong == "constant":
            out = y.clone()
            ctx.mark_non_differentiable(out)
            return x * 2, out
        return x * y

    @staticmethod
    def jvp(ctx, x, y, _):
        if ctx.wrong == "constant":
            return x, x.clone()
        if ctx.wrong == "view":
            return x.narrow(0, 0, 2).clone()
        if ctx.wrong == "other view":
            return x.clone().narrow(0, 0, 2)
        return x + y


@pytest.mark.parametrize("wrong, message", [
    ("dirty", "must modify the corresponding gradient inplace"), ("view", "jvp is not returning a view."),
    ("other view", "not returning a view of the given grad input"), ("constant", "You should return None at that")])
def test_tangents_that_a_function_may_not_return(wrong, message):
    with forward.dual_level():
        x = forward.make_dual(cygrad.ones(4), cygrad.ones(4))
        with pytest.raises(RuntimeError, match=message):
            Scale.apply(x, cygrad.ones(4), wrong)


def test_arguments_without_a_tangent_get_zeros():
    with forward.dual_level():
        x = forward.make_dual(cygrad.ones(2), cygrad.ones(2))
        assert forward.unpack_dual(Scale.apply(x, cygrad.ones(2), None)).tangent.tolist() == [1, 1]
        with pytest.raises(RuntimeError, match="itself has a forward gradient at the same level"):
            forward.make_dual(cygrad.ones(2), x)


def test_a_function_without_recording_gives_views_as_ops_do():
    class Part(Function):
        @staticmethod
        def forward(ctx, x):
            return x[:1]

    x = cygrad.ones(2, requires_grad=True)
    with cygrad.no_grad():
        y = Part.apply(x)
    assert y.requires_grad == x[:1].requires_grad
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        y.zero_()
