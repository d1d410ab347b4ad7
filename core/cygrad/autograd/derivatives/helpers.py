"""What formulas of several sections share."""
import cygrad
from cygrad.autograd.derivative import conj, derivative
from cygrad.autograd.forward_levels import requiring_gradient
from cygrad.autograd.modes import grad_mode
from cygrad.ops.declare.primitives import primitive

__all__ = ["conj", "flat", "negated", "no_derivative", "not_implemented", "of_composite", "placed", "unchanged"]


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


def placed(grad, shape, window):
    """Zeros of `shape` with `grad` in a window of them."""
    out = grad.new_zeros(shape)
    window(out if grad_mode() else out.data).copy_(grad)        # out's version stays 0
    return out


def of_composite(function, tensors, grad):
    """The gradients of ``function(*tensors)``, a composite that is computed again, by all of the tensors."""
    again = grad_mode()
    with cygrad.enable_grad():
        leaves = [t if again and t.requires_grad else requiring_gradient(t.detach()) for t in tensors]
        return cygrad.autograd.grad(function(*leaves), leaves, grad, create_graph=again)


@primitive
def flat_backward(grad, values, shapes):
    """`grad`, recorded as what does not change with `values`."""
    return grad.detach()


derivative("flat_backward", grad=unchanged, values=lambda grad, shapes: [grad.new_zeros(shape) for shape in shapes])


def flat(formula, *arguments):
    """A formula whose value does not change with these of its tensors: recorded, it gives them zeros, as PyTorch's do.

    Without it a second pass would not reach what the tensors come from, and leave no gradient there at all.
    """
    wrapped = getattr(formula, "__wrapped__", formula)
    names = wrapped.__code__.co_varnames[:wrapped.__code__.co_argcount]
    places = [names.index(argument) for argument in arguments]

    def recorded(*values):
        found = formula(*values)
        if not grad_mode():
            return found
        flat_in = [values[place] for place in places]
        return flat_backward(found, flat_in, [value.shape for value in flat_in])
    recorded.__wrapped__ = wrapped
    return recorded
