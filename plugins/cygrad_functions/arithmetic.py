"""Two functions of numbers: what `forward` saves, what `backward` returns, and why one writes a Function at all."""
import cygrad
from cygrad.autograd import Function


class FusedMultiplyAdd(Function):
    """a * b + c as one node: the product is not kept, and what nobody asks for is not computed."""

    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return cygrad.addcmul(c, a, b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        for_a, for_b, _ = ctx.needs_input_grad
        # A gradient may have the shape of the result: what broadcasting repeated is summed by autograd.
        return grad * b.conj() if for_a else None, grad * a.conj() if for_b else None, grad


def fma(a, b, c):
    """``a * b + c`` of tensors that broadcast, in one pass where the backend has one, and as one node of the graph.

    Parameters
    ----------
    a, b, c : Tensor
        Floating-point or complex.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.functions.fma(cygrad.tensor([1., 2.]), cygrad.tensor([3., 4.]), cygrad.tensor(10.))
    tensor([13., 18.])
    """
    return FusedMultiplyAdd.apply(a, b, c)


class Log1pExp(Function):
    """log(1 + exp(x)), whose derivative is the logistic function."""

    @staticmethod
    def forward(x):
        return cygrad.clamp(x, min=0) + cygrad.log1p(cygrad.exp(-cygrad.abs(x)))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * cygrad.sigmoid(x)


def log1pexp(x):
    """``log(1 + exp(x))`` without overflow for large `x`, nor loss of digits for very negative ones.

    Parameters
    ----------
    x : Tensor
        Floating-point.

    Notes
    -----
    With m = max(x, 0) it is m + log1p(exp(-abs(x))), whose exponential lies in (0, 1]. Left to itself autograd would
    differentiate the maximum and the absolute value, which have no derivative at 0; here it is sigmoid(x) everywhere.
    (M. Maechler, "Accurately computing log(1 - exp(-|a|))", 2012, has the same function by cases.)

    Examples
    --------
    >>> import cygrad
    >>> cygrad.functions.log1pexp(cygrad.tensor([-100., 0., 1000.]))
    tensor([3.7835e-44, 6.9315e-01, 1.0000e+03])
    """
    return Log1pExp.apply(x)
