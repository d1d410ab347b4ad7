"""What formulas of several sections share."""
from cygrad.autograd.derivative import conj  # noqa: F401


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
