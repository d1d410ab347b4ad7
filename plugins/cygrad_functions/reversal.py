"""A layer that does nothing forwards and turns gradients round: one half of a network learns against the other."""
from cygrad.autograd import Function


class ReverseGradient(Function):
    """The identity, with derivative -scale."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale                           # anything but a tensor is simply an attribute of the context
        return x                                    # an input returned as it is: autograd makes a view of it

    @staticmethod
    def backward(ctx, grad):
        return -ctx.scale * grad, None


def reverse_gradient(x, scale=1.0):
    """`x` itself; its gradient is multiplied by ``-scale``.

    Between features and a classifier of domains it makes the features such that the domains can't be told apart
    (Y. Ganin, V. Lempitsky, "Unsupervised domain adaptation by backpropagation", 2015).

    Parameters
    ----------
    x : Tensor
        Floating-point or complex.
    scale : float
        Often raised from 0 to 1 during training.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1.0, 2.0], requires_grad=True)
    >>> (cygrad.functions.reverse_gradient(x, 0.5) * 3).sum().backward()
    >>> x.grad
    tensor([-1.5000, -1.5000])
    """
    return ReverseGradient.apply(x, scale)
