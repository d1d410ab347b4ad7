"""Steps that let gradients through: quantities that a network rounds, but is trained as if it did not.

A step function has derivative 0 almost everywhere, so nothing before it would learn. A straight-through estimator takes
the derivative of something smooth instead (Y. Bengio, N. Leonard, A. Courville, "Estimating or propagating gradients
through stochastic neurons", 2013). So these gradients are deliberately not the functions' derivatives.
"""
import cygrad
from cygrad.autograd import Function


class RoundSTE(Function):
    """round(x), with the derivative of x."""

    @staticmethod
    def forward(ctx, x):
        return cygrad.round(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


def round_ste(x):
    """The nearest integers (halves to even); the gradient passes unchanged.

    Parameters
    ----------
    x : Tensor
        Floating-point.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([0.4, 1.6], requires_grad=True)
    >>> y = cygrad.functions.round_ste(x)
    >>> y.detach()
    tensor([0., 2.])
    >>> cygrad.autograd.grad(y.sum(), x)
    (tensor([1., 1.]),)
    """
    return RoundSTE.apply(x)


class SignSTE(Function):
    """sign(x), with the derivative of clamp(x, -limit, limit)."""

    @staticmethod
    def forward(ctx, x, limit):
        ctx.save_for_backward(cygrad.abs(x) <= limit)
        return cygrad.sign(x)

    @staticmethod
    def backward(ctx, grad):
        (near,) = ctx.saved_tensors
        return grad * near, None                    # None: `limit` is a number


def sign_ste(x, limit=1.0):
    """-1, 0 or 1 by sign; the gradient passes where ``abs(x) <= limit`` and stops elsewhere.

    Parameters
    ----------
    x : Tensor
        Floating-point.
    limit : float
        Without it, weights that are far on one side of zero already would go on growing (I. Hubara et al., "Binarized
        neural networks", 2016).

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([-3.0, -0.5, 0.5], requires_grad=True)
    >>> y = cygrad.functions.sign_ste(x)
    >>> y.detach()
    tensor([-1., -1.,  1.])
    >>> cygrad.autograd.grad(y.sum(), x)
    (tensor([0., 1., 1.]),)
    """
    return SignSTE.apply(x, limit)
