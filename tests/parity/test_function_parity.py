"""If this fails, a user's own `autograd.Function` does otherwise than in PyTorch: results, graph, warnings or errors.

Each case is a function of the module; what it returns, raises and warns of is compared.
"""
import re
import warnings

import cygrad
import pytest
import torch


class Case:
    """What a case has at hand: a module, its Function, two leaves, and a way to make Functions of plain functions."""

    def __init__(self, module):
        self.m = module
        self.Function = module.autograd.Function
        self.a = module.ones(3, requires_grad=True)
        self.b = module.ones(3, requires_grad=True)
        self.log = []

    def make(self, forward, backward=lambda ctx, grad: grad, name="Made", **methods):
        methods.update(forward=forward, backward=backward)
        return type(name, (self.Function,), {key: staticmethod(value) for key, value in methods.items()})

    def run(self, forward, backward=lambda ctx, grad: grad, *args, backwards=True, **methods):
        """The result of a call on (a, *args), and a's gradient."""
        out = self.make(forward, backward, **methods).apply(self.a, *args)
        if backwards:
            (out[0] if isinstance(out, tuple) else out).sum().backward()
        return out, self.a.grad

    def logged(self, value):
        """`value`, noted for the comparison."""
        self.log.append(value)
        return value


def after(*values):
    """The last of several expressions, for lambdas that do one thing after another."""
    return values[-1]


CASES = {
    "plain": lambda c: c.run(lambda ctx, x: x * 2, lambda ctx, g: g * 2),
    "several inputs": lambda c: c.run(lambda ctx, x, y, k: x * y * k, lambda ctx, g: (g * 3, g * 3, None), c.b, 3.0),
    "needs_input_grad": lambda c: c.run(
        lambda ctx, x, y, z, n: after(c.logged(ctx.needs_input_grad), x * 1),
        lambda ctx, g: after(c.logged(ctx.needs_input_grad), (g, None, None, None)), c.b, c.b.detach(), 3),
    "no input needs": lambda c: c.make(lambda ctx, x: after(c.logged(ctx.needs_input_grad), x * 1)).apply(c.a.detach()),
    "no_grad": lambda c: no_grad(c, lambda: c.run(
        lambda ctx, x: after(c.logged(ctx.needs_input_grad), x * 1), backwards=False)),
    "saved in forward": lambda c: c.run(
        lambda ctx, x: after(ctx.save_for_backward(x), c.logged(ctx.saved_tensors), x * 1)),
    "saved in backward": lambda c: c.run(
        lambda ctx, x: after(ctx.save_for_backward(x, None, x * 2), x * 1),
        lambda ctx, g: after(c.logged(ctx.saved_tensors), c.logged(ctx.saved_tensors[2].requires_grad), g)),
    "saved number": lambda c: c.run(lambda ctx, x: after(ctx.save_for_backward(x, 3), x * 1)),
    "saved twice": lambda c: c.run(
        lambda ctx, x: after(ctx.save_for_backward(x), ctx.save_for_backward(x, x), x * 1),
        lambda ctx, g: after(c.logged(len(ctx.saved_tensors)), g)),
    "saved_variables": lambda c: c.run(
        lambda ctx, x: after(ctx.save_for_backward(x), x * 1), backwards=False)[0].grad_fn.saved_variables,
    "save_for_forward": lambda c: c.run(lambda ctx, x: after(ctx.save_for_forward(x, None), x * 1)),
    "save_for_forward number": lambda c: c.run(lambda ctx, x: after(ctx.save_for_forward(x, 3), x * 1)),
    "mark_shared_storage": lambda c: c.run(lambda ctx, x: after(ctx.mark_shared_storage((x, x)), x * 1)),
    "saved and changed": lambda c: changed(c),
    "materialized": lambda c: c.run(
        lambda ctx, x: (x * 1, x * 2, c.m.tensor([1, 2])),
        lambda ctx, *g: after(c.logged(g), g[0])),
    "not materialized": lambda c: c.run(
        lambda ctx, x: after(ctx.set_materialize_grads(False), (x * 1, x * 2, c.m.tensor([1, 2]))),
        lambda ctx, *g: after(c.logged(g), g[0])),
    "set_materialize_grads of an int": lambda c: c.run(lambda ctx, x: after(ctx.set_materialize_grads(0), x * 1)),
    "non-differentiable": lambda c: c.run(
        lambda ctx, x: (lambda y: after(ctx.mark_non_differentiable(y), (x * 1, y)))(x * 2),
        lambda ctx, g, h: after(c.logged(h), g)),
    "non-differentiable input": lambda c: c.run(
        lambda ctx, x: after(ctx.mark_non_differentiable(x), x), backwards=False),
    "dirty": lambda c: dirty(c, lambda ctx, x: after(x.add_(1), ctx.mark_dirty(x), x)),
    "dirty and not changed": lambda c: dirty(c, lambda ctx, x: after(ctx.mark_dirty(x), x)),
    "dirty returned twice": lambda c: dirty(
        c, lambda ctx, x: after(ctx.mark_dirty(x), (x, x)), lambda ctx, g, h: g + h),
    "dirty and another": lambda c: dirty(c, lambda ctx, x: after(x.add_(1), ctx.mark_dirty(x), (x, x * 2)),
                                         lambda ctx, g, h: g + h),
    "dirty and non-differentiable": lambda c: dirty(
        c, lambda ctx, x: after(ctx.mark_dirty(x), ctx.mark_non_differentiable(x), x), backwards=False),
    "dirty not returned": lambda c: dirty(c, lambda ctx, x: after(ctx.mark_dirty(x), x * 2)),
    "dirty no input": lambda c: c.run(lambda ctx, x: (lambda y: after(ctx.mark_dirty(y), y))(x * 1)),
    "dirty leaf": lambda c: c.run(lambda ctx, x: after(ctx.mark_dirty(x), x)),
    "dirty number": lambda c: c.run(lambda ctx, x: after(ctx.mark_dirty(3), x)),
    "dirty view": lambda c: dirty(c, lambda ctx, x: after(x.add_(1), ctx.mark_dirty(x), x), view=True),
    "dirty view and another": lambda c: dirty(
        c, lambda ctx, x: after(x.add_(1), ctx.mark_dirty(x), (x, x * 2)), lambda ctx, g, h: g, view=True),
    "input returned": lambda c: c.run(lambda ctx, x: x),
    "input returned twice": lambda c: c.run(lambda ctx, x: (x, x), lambda ctx, g, h: g + h),
    "other outputs": lambda c: c.run(
        lambda ctx, x: (x * 1, None, "text", [x * 2]), lambda ctx, *g: after(c.logged(g), g[0])),
    "list returned": lambda c: c.run(lambda ctx, x: [x * 1], backwards=False)[0][0].requires_grad,
    "too few": lambda c: c.run(lambda ctx, w, x, b: w * x + b, lambda ctx, g: g, c.b, c.b, name="MulAdd"),
    "too many": lambda c: c.run(lambda ctx, x: x * 1, lambda ctx, g: (g, g)),
    "too many Nones": lambda c: c.run(lambda ctx, x: x * 1, lambda ctx, g: (g, None, None)),
    "list from backward": lambda c: c.run(lambda ctx, x, y: x * 1, lambda ctx, g: [g, g], c.b),
    "number from backward": lambda c: c.run(lambda ctx, x: x * 1, lambda ctx, g: 3.0),
    "gradient for a number": lambda c: c.run(lambda ctx, x, n: x * n, lambda ctx, g: (g, g), 2.0),
    "wrong shape": lambda c: c.run(lambda ctx, x: x * 1, lambda ctx, g: c.m.ones(2)),
    "shape that sums": lambda c: c.run(lambda ctx, x: x * 1, lambda ctx, g: c.m.ones(2, 3)),
    "wrong dtype": lambda c: c.run(lambda ctx, x: x * 1, lambda ctx, g: g.double()),
    "None": lambda c: c.run(lambda ctx, x: x * 1, lambda ctx, g: None),
    "error in backward": lambda c: c.run(lambda ctx, x: x * 1, lambda ctx, g: {}["missing"]),
    "no forward": lambda c: type("Empty", (c.Function,), {}).apply(c.a),
    "no backward": lambda c: type("Half", (c.Function,), {"forward": staticmethod(lambda ctx, x: x * 1)}).apply(
        c.a).sum().backward(),
    "setup_context": lambda c: c.run(
        lambda x, k=2: x * k, lambda ctx, g: (g * ctx.k, None),
        setup_context=lambda ctx, inputs, output: after(
            c.logged(inputs), c.logged(output), setattr(ctx, "k", inputs[1]))),
    "setup_context saves": lambda c: c.run(
        lambda x: x * 2, lambda ctx, g: after(c.logged(ctx.saved_tensors), g * 2),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs, output)),
    "keyword": lambda c: c.make(lambda ctx, x, k=2: x * k, lambda ctx, g: (g, None)).apply(c.a, k=3),
    "instance": lambda c: c.make(lambda ctx, x: x * 1)()(c.a),
    "node's attributes": lambda c: node_attributes(c),
    "class attributes": lambda c: c.Function.generate_vmap_rule,
    "twice": lambda c: twice(c),
    "once_differentiable": lambda c: once(c, False),
    "once_differentiable, twice": lambda c: once(c, True),
}


def no_grad(c, call):
    with c.m.no_grad():
        return call()


def changed(c):
    x = c.a * 1
    y = c.make(lambda ctx, x: after(ctx.save_for_backward(x), x * 2), lambda ctx, g: g * ctx.saved_tensors[0]).apply(x)
    x.add_(1)
    y.sum().backward()


def dirty(c, forward, backward=lambda ctx, grad: grad, view=False, backwards=True):
    x = c.a * 1
    part = x[:2] if view else x
    out = c.make(forward, backward).apply(part)
    first = out[0] if isinstance(out, tuple) else out
    if backwards:
        (x * 2).sum().backward()
    return out, first is part, x, x._version, c.a.grad


def node_attributes(c):
    Made = c.make(lambda ctx, x, n: after(ctx.save_for_backward(x), setattr(ctx, "mine", n), x * 1))
    node = Made.apply(c.a, 5).grad_fn
    return (node.name(), type(node).__name__, node.mine, node.saved_tensors, node.needs_input_grad, node.requires_grad,
            node.metadata, [type(behind).__name__ for behind, _ in node.next_functions])


def twice(c):
    y, _ = c.run(lambda ctx, x: after(ctx.save_for_backward(x), x * 1), lambda ctx, g: g * ctx.saved_tensors[0],
                 backwards=False)
    y.sum().backward()
    y.sum().backward()


def once(c, again):
    module = __import__(f"{c.m.__name__}.autograd.function", fromlist=["once_differentiable"])
    backward = module.once_differentiable(lambda ctx, g: after(c.logged(c.m.is_grad_enabled()), g * 2))
    y = c.make(lambda ctx, x: x * 2, backward).apply(c.a)
    (first,) = c.m.autograd.grad((y * y).sum(), c.a, create_graph=True)
    if again:
        first.sum().backward()
    return first


def shown(value, m):
    """A value as text that both modules would print."""
    if isinstance(value, m.Tensor):
        node = type(value.grad_fn).__name__ if value.grad_fn is not None else None
        return f"{value.tolist()} {value.dtype} {value.requires_grad} {node}".replace("cygrad.", "torch.")
    if isinstance(value, (tuple, list)):
        return type(value)(shown(item, m) for item in value)
    return value


def outcome(m, case):
    """What a case returns or raises, logs, and warns of."""
    c = Case(m)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = shown(case(c), m)
        except Exception as error:
            text = str(error).replace("cygrad", "torch")
            text = re.sub("(mark_dirty can only accept variables).*", r"\1", text, flags=re.DOTALL)  # garbled in torch
            result = f"{type(error).__name__}: {first_sentence(text)}"
    kinds = sorted({f"{each.category.__name__}: {first_sentence(str(each.message))}" for each in caught})
    return result, shown(c.log, m), [text.replace("cygrad", "torch") for text in kinds]


def first_sentence(text):
    text = text.replace("got (int), but", "got (), but").replace("`", "")       # torch forgets to say what it got
    return re.split(r"\. |\.?\n", text)[0].rstrip(".")


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    assert outcome(cygrad, CASES[name]) == outcome(torch, CASES[name])


def test_the_contexts_have_the_same_methods():
    def names(m):
        return {name for name in dir(m.autograd.function.FunctionCtx) if not name.startswith("_")}

    import cygrad.autograd.function
    assert names(torch) - names(cygrad) == set()
