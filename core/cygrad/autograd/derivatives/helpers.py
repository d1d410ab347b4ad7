"""What formulas of several sections share."""
import cygrad
from cygrad.autograd.derivative import conj, derivative
from cygrad.autograd.forward_levels import requiring_gradient
from cygrad.autograd.modes import grad_mode
from cygrad.ops.declare.primitives import primitive

__all__ = ["conj", "flat", "negated", "no_derivative", "not_implemented", "of_composite", "placed", "unchanged",
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


def placed(grad, shape, window):
    """Zeros of `shape` with `grad` in a window of them."""
    out = grad.new_zeros(shape)
    window(out if grad_mode() else out.data).copy_(grad)        # out's version stays 0
    return out


def written(result, times=1):
    """What PyTorch makes by writing into zeros, as its version tells."""
    for _ in range(times):
        result._bump_version()
    return result


def of_composite(function, tensors, grad):
    """The gradients of ``function(*tensors)``, a composite that is computed again, by all of the tensors."""
    again = grad_mode()
    with cygrad.enable_grad():
        leaves = [t if again and t.requires_grad else requiring_gradient(t.detach()) for t in tensors]
        return cygrad.autograd.grad(function(*leaves), leaves, grad, create_graph=again)


def unchanging(grad, values, shapes):
    """`grad`, recorded as what does not change with `values`."""
    return grad.detach()


_unchanging = {}                        # name of a node: the primitive that makes it
_GRADIENTS = {"ReluBackward0": "ThresholdBackwardBackward0"}        # where PyTorch has another op for the gradient


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
        return recorded.node(found, flat_in, [value.shape for value in flat_in])

    def named_after(row):
        """Give the formula's node the name that PyTorch has for the gradient of this row's."""
        name = _GRADIENTS.get(row, row[:-1] + "Backward0")
        if name not in _unchanging:
            _unchanging[name] = primitive(unchanging, name=name)
            derivative(name, name=name, grad=unchanged,
                       values=lambda grad, shapes: [grad.new_zeros(shape) for shape in shapes])
        recorded.node = _unchanging[name]
    recorded.__wrapped__, recorded.named_after = wrapped, named_after
    return recorded
