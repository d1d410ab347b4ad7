"""If this fails, a user's own differentiable function is recorded wrongly, or its mistakes are not reported."""

import gc
import weakref

import cygrad
import pytest
from cygrad.autograd import Function
from cygrad.autograd.function import once_differentiable
from made_functions import make, saving


class MulAdd(Function):
    @staticmethod
    def forward(ctx, weight, x, bias):
        ctx.save_for_backward(weight, x)
        return weight * x + bias

    @staticmethod
    def backward(ctx, grad):
        weight, x = ctx.saved_tensors
        return grad * x, grad * weight, grad


# -- the graph


def test_forward_and_backward(a, b):
    c = cygrad.tensor([7.0, 7.0], requires_grad=True)
    y = MulAdd.apply(a, b, c)
    assert y.tolist() == [10.0, 17.0]
    y.sum().backward()
    assert a.grad.tolist() == [3.0, 5.0]
    assert b.grad.tolist() == [1.0, 2.0]
    assert c.grad.tolist() == [1.0, 1.0]


def test_the_node_is_named_after_the_function(a, b):
    y = MulAdd.apply(a, b, b)
    node = y.grad_fn
    assert type(node).__name__ == "MulAddBackward"
    assert type(node).__module__ == f"{cygrad.__name__}.autograd.function"
    assert node.name() == "MulAddBackward"
    assert repr(node).startswith(f"<{cygrad.__name__}.autograd.function.MulAddBackward object at 0x")
    assert "grad_fn=<MulAddBackward>" in repr(y)


def test_edges_are_those_of_tensor_arguments(a):
    inner = a * 2
    y = make(lambda ctx, x, factor, c: x * factor, lambda ctx, grad: (grad * 3, None, None)).apply(inner, 3, a.detach())
    assert y.grad_fn.next_functions == ((inner.grad_fn, 0), (None, 0))
    assert y.grad_fn.needs_input_grad == (True, False, False)
    y.sum().backward()
    assert a.grad.tolist() == [6.0, 6.0]


def test_the_context_is_the_node(a):
    seen = []
    Made = make(lambda ctx, x: (seen.append(ctx), x * 1)[1], lambda ctx, grad: (seen.append(ctx), grad)[1])
    y = Made.apply(a)
    y.sum().backward()
    assert seen == [y.grad_fn, y.grad_fn]


def test_attributes_of_the_context(a):
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    make(forward, lambda ctx, grad: (grad * ctx.factor, None)).apply(a, 4.0).sum().backward()
    assert a.grad.tolist() == [4.0, 4.0]
    with pytest.raises(AttributeError, match="'MadeBackward' object has no attribute 'missing'"):
        make(lambda ctx, x: ctx.missing).apply(a)


def test_forward_does_not_record_and_backward_does_when_asked(a):
    seen = []

    def forward(ctx, x):
        seen.append((x is a, x.requires_grad, cygrad.is_grad_enabled(), (x * 2).requires_grad))
        return x * 1

    def backward(ctx, grad):
        seen.append(cygrad.is_grad_enabled())
        return grad

    Made = make(forward, backward)
    Made.apply(a).sum().backward()
    cygrad.autograd.grad(Made.apply(a).sum(), a, create_graph=True)
    assert seen == [(True, True, False, False), False, (True, True, False, False), True]


def test_without_gradients_nothing_is_recorded(a):
    assert not MulAdd.apply(a.detach(), a.detach(), a.detach()).requires_grad
    with cygrad.no_grad():
        y = MulAdd.apply(a, a, a)
    assert not y.requires_grad
    assert y.grad_fn is None


def test_an_exception_in_forward_restores_the_grad_mode(a):
    with pytest.raises(ZeroDivisionError):
        make(lambda ctx, x: 1 / 0).apply(a)
    assert cygrad.is_grad_enabled()


def test_an_exception_in_backward_comes_out_unchanged(a):
    def backward(ctx, grad):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        make(lambda ctx, x: x * 1, backward).apply(a).sum().backward()


def test_second_derivatives(a):
    cube = saving(lambda x: x**3, lambda grad, x: grad * 3 * x**2)
    (first,) = cygrad.autograd.grad(cube.apply(a).sum(), a, create_graph=True)
    (second,) = cygrad.autograd.grad(first.sum(), a, create_graph=True)
    (third,) = cygrad.autograd.grad(second.sum(), a)
    assert first.tolist() == [3.0, 12.0]
    assert second.tolist() == [6.0, 12.0]
    assert third.tolist() == [6.0, 6.0]


def test_hooks_of_the_node(a):
    seen = []
    y = make(lambda ctx, x: x * 2, lambda ctx, grad: grad * 2).apply(a)
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs[0].tolist(), outputs[0].tolist())))
    y.sum().backward()
    assert seen == [([2.0, 2.0], [1.0, 1.0])]


def test_apply_works_on_an_instance_but_calling_one_does_not(a, b):
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = MulAdd()
    assert instance.apply(a, b, a).tolist() == [4.0, 12.0]
    with pytest.raises(RuntimeError, match="^Legacy autograd function with non-static forward method is deprecated."):
        instance(a, b, a)


def test_subclasses_have_nodes_of_their_own(a):
    class Child(MulAdd):
        pass

    assert type(Child.apply(a, a, a).grad_fn).__name__ == "ChildBackward"
    assert type(MulAdd.apply(a, a, a).grad_fn).__name__ == "MulAddBackward"


def test_an_output_whose_class_has_a_view_as_of_its_own():
    class Odd(cygrad.Tensor):
        def view_as(self, other):
            return None

    x = cygrad.ones(2, requires_grad=True).as_subclass(Odd)
    with pytest.raises(TypeError):
        make(lambda ctx, x: x, lambda ctx, grad: grad).apply(x)


@pytest.mark.parametrize("name", ["to_save", "dirty_tensors", "non_differentiable"])
def test_what_is_written_to_the_context_must_be_a_tuple(a, name):
    for wrong in (5, [a], "ab"):
        with pytest.raises(RuntimeError, match=f"{name} attribute is expected to be a tuple"):
            make(lambda ctx, x: (setattr(ctx, name, wrong), x * 1)[1], lambda ctx, grad: grad).apply(a)
    make(lambda ctx, x: (setattr(ctx, name, None), x * 1)[1], lambda ctx, grad: grad).apply(a).sum().backward()


def test_missing_methods():
    x = cygrad.ones(1, requires_grad=True)
    with pytest.raises(NotImplementedError, match="^You must implement the forward function for custom autograd.Funct"):
        type("Empty", (Function,), {}).apply(x)
    forward_only = type("ForwardOnly", (Function,), {"forward": staticmethod(lambda ctx, x: x * 1)})
    with pytest.raises(NotImplementedError, match="^You must implement either the backward or vjp method for your cus"):
        forward_only.apply(x).sum().backward()
    with pytest.raises(NotImplementedError, match="^You must implement the jvp function"):
        forward_only.jvp(None)
    with pytest.raises(NotImplementedError, match="vmap staticmethod"):
        forward_only.vmap(None, None)
    with pytest.raises(NotImplementedError, match="^setup_context is not implemented"):
        Function.setup_context(None, None, None)


def test_vjp_is_another_name_of_backward(a):
    only = type("Only", (Function,), {
        "forward": staticmethod(lambda ctx, x: x * 2), "vjp": staticmethod(lambda ctx, grad: grad * 2)
    })
    only.apply(a).sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]
    both = make(lambda ctx, x: x * 2, vjp=lambda ctx, grad: grad)
    with pytest.raises(RuntimeError, match="^Implementing both 'backward' and 'vjp' for a custom Function is not"):
        both.apply(a).sum().backward()


def test_jacobian_through_a_function(a):
    square = saving(lambda x: x * x, lambda grad, x: grad * 2 * x)
    assert cygrad.autograd.functional.jacobian(square.apply, a).tolist() == [[2.0, 0.0], [0.0, 4.0]]


# -- setup_context


class Scale(Function):
    @staticmethod
    def forward(x, factor=2):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.factor = inputs
        ctx.save_for_backward(x, output)
        ctx.recorded = cygrad.is_grad_enabled(), output.requires_grad

    @staticmethod
    def backward(ctx, grad):
        x, output = ctx.saved_tensors
        assert output.tolist() == (x * ctx.factor).tolist()
        return grad * ctx.factor, None


def test_setup_context(a):
    y = Scale.apply(a, 5)
    assert y.grad_fn.recorded == (False, False)
    y.sum().backward()
    assert a.grad.tolist() == [5.0, 5.0]


def test_setup_context_sees_defaults_and_keywords(a):
    Scale.apply(a).sum().backward()
    Scale.apply(a, factor=3).sum().backward()
    Scale.apply(x=a, factor=10).sum().backward()
    assert a.grad.tolist() == [15.0, 15.0]
    with pytest.raises(TypeError, match="unexpected keyword argument 'wrong'"):
        Scale.apply(a, wrong=3)
    with pytest.raises(TypeError, match="'x'"):
        Scale.apply()


def test_keywords_count_as_arguments(a):
    Made = make(lambda ctx, x, factor=2: x * factor, lambda ctx, grad: (grad * 3, None))
    y = Made.apply(a, factor=3)
    assert y.grad_fn.needs_input_grad == (True, False)
    y.sum().backward()
    assert a.grad.tolist() == [3.0, 3.0]


# -- saved tensors


def test_saved_tensors_are_what_was_saved(a, b):
    y = MulAdd.apply(a, b, b)
    weight, x = y.grad_fn.saved_tensors
    assert weight is a
    assert x is b


def test_none_may_be_saved(a):
    Made = make(lambda ctx, x: (ctx.save_for_backward(x, None), x * 1)[1])
    x, nothing = Made.apply(a).grad_fn.saved_tensors
    assert x is a
    assert nothing is None


def test_saving_again_replaces(a, b):
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        ctx.save_for_backward(y)
        return x * y

    (saved,) = make(forward).apply(a, b).grad_fn.saved_tensors
    assert saved is b


def test_a_saved_output_is_part_of_the_graph(a):
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    exp = make(forward, lambda ctx, grad: grad * ctx.saved_tensors[0])
    y = exp.apply(a)
    (saved,) = y.grad_fn.saved_tensors
    assert saved.grad_fn is y.grad_fn
    (first,) = cygrad.autograd.grad(y.sum(), a, create_graph=True)
    (second,) = cygrad.autograd.grad(first.sum(), a)
    assert cygrad.allclose(first.detach(), a.detach().exp())
    assert cygrad.allclose(second, a.detach().exp())


def test_a_saved_output_makes_no_cycle(a):
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(x, y)
        return y

    y = make(forward).apply(a)
    node = weakref.ref(y.grad_fn) if type(y.grad_fn).__weakrefoffset__ else None
    gc.disable()
    try:
        watch = weakref.ref(y)
        del y
        assert watch() is None
        assert node is None or node() is None
    finally:
        gc.enable()


def test_saved_tensors_are_empty_during_forward(a):
    seen = []

    def forward(ctx, x):
        ctx.save_for_backward(x)
        seen.append(ctx.saved_tensors)
        return x * 1

    make(forward).apply(a)
    assert seen == [()]


def test_saved_tensors_are_freed_after_backward(a):
    y = saving(lambda x: x * x, lambda grad, x: grad * 2 * x).apply(a)
    y.sum().backward(retain_graph=True)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert a.grad.tolist() == [6.0, 12.0]
    message = "^Trying to backward through the graph a second time .or directly access saved tensors after they have"
    with pytest.raises(RuntimeError, match=message):
        y.sum().backward()
    with pytest.raises(RuntimeError, match=message):
        y.grad_fn.saved_tensors


def test_without_saved_tensors_backward_may_run_again(a):
    y = make(lambda ctx, x: x * 2, lambda ctx, grad: grad * 2).apply(a)
    assert y.grad_fn.saved_tensors == ()
    y.backward(cygrad.ones(2))
    y.backward(cygrad.ones(2))
    assert a.grad.tolist() == [4.0, 4.0]


def test_a_saved_tensor_must_not_change(a):
    x = a * 1
    y = saving(lambda x: x * x, lambda grad, x: grad * 2 * x).apply(x)
    x.add_(1)
    with pytest.raises(RuntimeError, match="one of the variables needed for gradient computation has been modified by "
                                           "an inplace operation.*is at version 1; expected version 0"):
        y.sum().backward()


@pytest.mark.parametrize(("value", "kind"), [(3, "int"), ([1], "list"), ("x", "str")])
def test_only_tensors_can_be_saved(a, value, kind):
    with pytest.raises(TypeError, match=f"save_for_backward can only save variables, but argument 1 is of type {kind}"):
        make(lambda ctx, x: (ctx.save_for_backward(x, value), x * 1)[1]).apply(a)


# -- mistakes in backward


@pytest.mark.parametrize("returned", [lambda g: g, lambda g: (g,), lambda g: (g, g, g), lambda g: None])
def test_a_wrong_number_of_gradients(a, b, returned):
    result = returned(0)
    count = len(result) if isinstance(result, tuple) else 1
    Made = make(lambda ctx, x, y: x + y, lambda ctx, grad: returned(grad), name="Bad")
    with pytest.raises(RuntimeError, match="^function BadBackward returned an incorrect number of gradients .expected "
                                           f"2, got {count}."):
        Made.apply(a, b).sum().backward()


def test_the_error_names_the_inputs(a, b):
    class Bad(MulAdd):
        @staticmethod
        def backward(ctx, grad):
            return grad

    with pytest.raises(RuntimeError, match=r"Bad.forward takes \(weight, x, bias\): .* None for"):
        Bad.apply(a, b, a).sum().backward()


def test_nones_too_many_are_dropped(a):
    make(lambda ctx, x: x * 1, lambda ctx, grad: (grad, None, None)).apply(a).sum().backward()
    assert a.grad.tolist() == [1.0, 1.0]


def test_none_means_no_gradient(a):
    assert cygrad.autograd.grad(make(lambda ctx, x: x * 1, lambda ctx, grad: None).apply(a).sum(), a,
                                allow_unused=True) == (None,)


def test_a_gradient_for_what_is_no_tensor(a):
    Made = make(lambda ctx, x, factor: x * factor, lambda ctx, grad: (grad, grad), name="Bad")
    with pytest.raises(RuntimeError, match="^function BadBackward returned a gradient different than None at position "
                                           "2, but the corresponding forward input was not a Variable"):
        Made.apply(a, 2.0).sum().backward()


@pytest.mark.parametrize(("value", "kind"), [(3.0, "float"), ([1], "list")])
def test_gradients_must_be_tensors(a, value, kind):
    with pytest.raises(RuntimeError, match=rf"^expected Variable or None \(got {kind}\)"):
        make(lambda ctx, x: x * 1, lambda ctx, grad: value).apply(a).sum().backward()


def test_gradients_must_have_their_inputs_shapes(a):
    Made = make(lambda ctx, x: x * 1, lambda ctx, grad: cygrad.ones(3), name="Bad")
    with pytest.raises(RuntimeError, match=r"^Function BadBackward returned an invalid gradient at index 0 - got \[3\] "
                                           r"but expected shape compatible with \[2\]"):
        Made.apply(a).sum().backward()


def test_gradients_are_summed_and_cast_to_their_inputs(a):
    make(lambda ctx, x: x * 1, lambda ctx, grad: cygrad.ones(5, 2)).apply(a).sum().backward()
    make(lambda ctx, x: x * 1, lambda ctx, grad: grad.double()).apply(a).sum().backward()
    assert a.grad.tolist() == [6.0, 6.0]
    assert a.grad.dtype == cygrad.float32


# -- once_differentiable


def test_once_differentiable(a):
    @once_differentiable
    def backward(ctx, grad):
        assert not cygrad.is_grad_enabled()
        return grad * 2 * ctx.saved_tensors[0]

    Square = make(lambda ctx, x: (ctx.save_for_backward(x), x * x)[1], backward)
    Square.apply(a).sum().backward()
    assert a.grad.tolist() == [2.0, 4.0]
    (first,) = cygrad.autograd.grad((Square.apply(a) ** 2).sum(), a, create_graph=True)
    assert first.tolist() == [4.0, 32.0]  # 4 x^3
    with pytest.raises(RuntimeError, match="^trying to differentiate twice a function that was marked with @once"):
        first.sum().backward()


def test_once_differentiable_with_several_inputs(a, b):
    @once_differentiable
    def backward(ctx, grad):
        return grad * 1, grad * 2, None

    Made = make(lambda ctx, x, y, factor: x + y * factor, backward)
    Made.apply(a, b, 2).sum().backward()
    assert a.grad.tolist() == [1.0, 1.0]
    assert b.grad.tolist() == [2.0, 2.0]
    _, second = cygrad.autograd.grad((Made.apply(a, b, 2) ** 2).sum(), (a, b), create_graph=True)
    with pytest.raises(RuntimeError, match="twice"):
        second.sum().backward()


# -- memory


def test_a_function_call_leaves_nothing_behind(a):
    Square = saving(lambda x: x * x, lambda grad, x: grad * 2 * x)
    y = Square.apply(a * 1)
    gc.disable()
    try:
        watch = weakref.ref(y)
        y.sum().backward()
        del y
        assert watch() is None
    finally:
        gc.enable()
