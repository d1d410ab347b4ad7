"""`Variable`, by which programs older than PyTorch 0.4 name tensors."""
from cygrad.errors import warn
from cygrad.tensor import Tensor

__all__ = ["Variable"]


class VariableMeta(type):
    """Every tensor is an instance."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)


class _Engine:
    """What code written for PyTorch's engine object calls."""

    @staticmethod
    def queue_callback(callback):
        """Call a function at the end of the pass that runs in this thread.

        Parameters
        ----------
        callback : callable
            Takes nothing.

        Raises
        ------
        RuntimeError
            Outside of a backward pass.
        """
        from cygrad.autograd.engine import queue_callback      # knot: it needs this module
        queue_callback(callback)


class Variable(metaclass=VariableMeta):
    """A tensor on the memory of another, without its graph: what code from before tensors had gradients calls.

    Every tensor is an instance.

    Parameters
    ----------
    data : Tensor
    requires_grad : bool
        Whether the new tensor requires a gradient.
    volatile : bool, optional
        It once meant that no graph was made; `no_grad` does that.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.autograd.Variable(cygrad.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    _execution_engine = _Engine()

    def __new__(cls, data, requires_grad=False, volatile=None):
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        out = data.detach()
        out.requires_grad = bool(requires_grad)
        return out
