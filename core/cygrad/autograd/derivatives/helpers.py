"""What formulas of several sections share."""
import operator

import cygrad
from cygrad.autograd.derivative import conj, derivative
from cygrad.autograd.forward_levels import batch_depth, depth, requiring_gradient
from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.programs import where
from cygrad.ops.declare.primitives import own, primitive
from cygrad.ops.reduce.integration import add_number, divide_by_number, multiply_by_number, subtract_number
from cygrad.tensor import Tensor

__all__ = ["complement", "conj", "flat", "fresh", "in_rows", "minus", "negated", "no_derivative", "not_implemented",
           "of_composite", "once", "one_node", "over", "placed", "plus", "quotient", "times", "unchanged", "without",
           "written"]


def not_implemented(name):
    """A formula for an op that PyTorch records, but refuses to differentiate."""
    def formula(grad):
        raise RuntimeError(f"derivative for {name} is not implemented")
    return formula


def no_derivative(name):
    """The same for an op that PyTorch's own table of derivatives says to have none."""
    def formula(grad):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")
    return formula


def unchanged(grad):
    return grad


def negated(grad):
    return -grad


def placed(grad, shape, window, name):
    """Zeros of `shape` with `grad` in a window of them; `name` is that of the view's node."""
    if grad_mode() and not depth() and not batch_depth():
        name += "BackwardBackward0"
        if name not in _placings:
            _placings[name] = primitive(placing, name=name)
            derivative(name, name=name, grad=lambda grad, window: window(grad))
        return _placings[name](grad, shape, window)
    return placing(grad, shape, window)


_placings = {}                          # name of a node: the primitive that makes it


def placing(grad, shape, window):
    out = grad.new_zeros(shape)
    window(out if grad_mode() else out.data).copy_(grad)        # out's version stays 0
    return out


def written(result, times=1):
    """What PyTorch makes by writing into zeros, as its version tells."""
    for _ in range(times):
        result._bump_version()
    return result


def in_rows(grad):
    """A gradient that PyTorch writes in row-major order, whatever the order of its tensor."""
    return grad if grad.is_contiguous() else grad.contiguous()


def fresh(found):
    """A new tensor, or several, as tensors of their own, though they may be views of what was made on the way."""
    return found if grad_mode() else own(tuple(found) if isinstance(found, list) else found, ())


def once(name, formula):
    """A formula of the gradient and one tensor, the first two, whose own derivative PyTorch does not have."""
    refuses = not_implemented(f"aten::{name}_backward")
    node = primitive(lambda grad, self, rest: formula(grad, self, *rest), name=name + "_once")
    derivative(name + "_once", name="NotImplemented", grad=refuses, self=refuses)

    def recorded(grad, self, *rest):
        if grad_mode() and not depth() and not batch_depth():
            return node(grad, self, rest)
        return fresh(formula(grad, self, *rest))
    recorded.__wrapped__ = getattr(formula, "__wrapped__", formula)
    return recorded


def of_composite(function, tensors, grads, needs=None, writes=1):
    """The gradients of ``function(*tensors)``, which is computed again: by all tensors, or those in `needs`.

    Zeros for a tensor that has no influence are at version `writes`, or that of its own; None: it gets no gradient.
    """
    again = grad_mode()
    with cygrad.enable_grad():
        # (views, as one of the tensors may depend on another)
        leaves = [t.view_as(t) if again and t.requires_grad else requiring_gradient(t.detach()) for t in tensors]
        results = function(*leaves)
        results = results if isinstance(results, (tuple, list)) else (results,)
    pairs = [(result, grad) for result, grad in zip(results, grads)
             if result is not None and result.requires_grad and grad is not None]
    wanted = [i for i in range(len(leaves)) if needs is None or needs[i]]
    found = [None] * len(wanted)
    if pairs:
        found = cygrad.autograd.grad([result for result, _ in pairs], [leaves[i] for i in wanted],
                                     [grad for _, grad in pairs], create_graph=again, allow_unused=True)
    made = [None] * len(leaves)
    for i, each in zip(wanted, fresh(found)):
        count = writes[i] if isinstance(writes, tuple) else writes
        if each is None and count is not None:
            each = written(tensors[i].new_zeros(tensors[i].shape), count)
        made[i] = each
    return made


def named(op, recorded):
    """A function of a tensor and a number, whose node has the name that numbers give it in PyTorch's formulas.

    Steps of programs, and what batches go through, are the operators themselves.
    """
    def function(t, number):
        return recorded(t, number) if grad_mode() and isinstance(t, Tensor) and not batch_depth() else op(t, number)
    return function


times, plus = named(operator.mul, multiply_by_number), named(operator.add, add_number)
minus = named(operator.sub, subtract_number)
over = named(operator.truediv, divide_by_number)
complement = named(lambda t, number: number - t, lambda t, number: cygrad.sub(number, t))
quotient = named(lambda t, number: number / t, lambda t, number: cygrad.div(number, t))


def without(t, mask):
    """`t`, 0 where the mask is set; a step of a program, too."""
    return t.masked_fill(mask, 0) if isinstance(t, Tensor) else where(mask, 0, t)


def unchanging(grad, values, shapes):
    """`grad`, recorded as what does not change with `values`."""
    return grad.detach()


_unchanging = {}                        # name of a node: the primitive that makes it
_GRADIENTS = {"ReluBackward0": "ThresholdBackwardBackward0"}        # where PyTorch has another op for the gradient


def flat(formula, *arguments, writes=0):
    """A formula whose value does not change with these of its tensors: recorded, it gives them zeros, as PyTorch's do.

    Without it a second pass would not reach what the tensors come from, and leave no gradient there at all.
    """
    wrapped = getattr(formula, "__wrapped__", formula)
    names = wrapped.__code__.co_varnames[:wrapped.__code__.co_argcount]
    places = [names.index(argument) for argument in arguments]

    def recorded(*values):
        if not grad_mode():
            return formula(*values)
        if not depth() and not batch_depth():
            return recorded.whole(*values)
        from cygrad.batching.levels import bare, dressed    # start-up time
        found, dress = bare(formula(*values))               # in a batch its steps, which have rules, are recorded
        flat_in = [bare(values[place])[0] for place in places]
        return dressed(recorded.node(found, flat_in, [value.shape for value in flat_in]), dress)

    def named_after(row):
        """Give the formula's node the name that PyTorch has for the gradient of this row's."""
        name = _GRADIENTS.get(row, row[:-1] + "Backward0")
        if name not in _unchanging:
            _unchanging[name] = primitive(unchanging, name=name + "_flat")
            derivative(name + "_flat", name=name, grad=unchanged,
                       values=lambda grad, shapes: [grad.new_zeros(shape) for shape in shapes])
        recorded.node = _unchanging[name]
        recorded.whole = one_node(name, formula, "grad", *arguments, writes=writes)
    recorded.__wrapped__, recorded.named_after = wrapped, named_after
    return recorded


_gradients = {}                         # name of a node: the primitive that makes it
_MOST = 6                               # edges of a formula that is one node


def computed(tensors, again, a, b, c, d, e, f):
    """What a formula gives, by the op that PyTorch has for it."""
    found = again(*[t for t in tensors if t is not None])
    return tuple(found) if isinstance(found, list) else found


def differentiated(grads, again, tensors, needs):
    """The gradients of `computed`."""
    if isinstance(again.writes, str):
        no_derivative(again.writes)(None)
    places = [i for i, t in enumerate(tensors) if t is not None]
    found = [None] * len(needs)
    for i, each in zip(places, of_composite(again, [tensors[i] for i in places], grads, [needs[i] for i in places],
                                            again.writes)):
        found[i] = each
    return found


def one_node(name, formula, *arguments, writes=1, twice=None):
    """A formula that is one node of this name where it is recorded, as in PyTorch, which has an op for this gradient.

    A second pass computes the formula again and differentiates it, with respect to these of its tensors (None: to what
    needs no gradient, but has an edge). Inside of transforms it is recorded step by step, which batches and tangents go
    through without a rule of its own. `writes`: see `of_composite`; or the name of PyTorch's op, if a second pass is
    refused. `twice`: what a second pass differentiates instead, where PyTorch's derivative is another at some places.
    """
    wrapped = getattr(formula, "__wrapped__", formula)
    names = wrapped.__code__.co_varnames[:wrapped.__code__.co_argcount]
    places = [names.index(argument) if argument else None for argument in arguments]
    if name not in _gradients:
        _gradients[name] = primitive(computed, name=name)
        derivative(name, name=name, tensors=lambda grads, again, a, b, c, d, e, f, needs:
                   differentiated(grads, again, (a, b, c, d, e, f), needs))
    node = _gradients[name]

    def recorded(*values):
        if not grad_mode() or depth() or batch_depth():
            return formula(*values)
        tensors = [None if place is None else values[place] for place in places]
        given = [place for place in places if place is not None and values[place] is not None]
        others = [None if place in given else value for place, value in enumerate(values)]

        def again(*tensors):
            whole = list(others)
            for place, tensor in zip(given, tensors):
                whole[place] = tensor
            return (twice if twice and grad_mode() else formula)(*whole)
        again.writes = writes
        return node(tensors, again, *tensors, *[None] * (_MOST - len(tensors)))
    recorded.__wrapped__ = wrapped
    return recorded
