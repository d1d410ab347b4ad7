"""What formulas of several sections share."""
import cygrad
from cygrad.autograd.derivative import conj  # noqa: F401
from cygrad.autograd.modes import grad_mode


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
    window(out).copy_(grad)
    return out


def of_composite(function, tensors, grad):
    """The gradients of ``function(*tensors)``, a composite that is computed again, by all of the tensors."""
    again = grad_mode()
    with cygrad.enable_grad():
        leaves = [t if again and t.requires_grad else t.detach().requires_grad_() for t in tensors]
        return cygrad.autograd.grad(function(*leaves), leaves, grad, create_graph=again)
