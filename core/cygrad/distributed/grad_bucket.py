"""`GradBucket`: the gradients of some parameters side by side, as communication hooks are given them."""

__all__ = ["GradBucket"]


class GradBucket:
    """
    Gradients of some parameters in one tensor.

    Parameters
    ----------
    index : int
        Its number; buckets are reduced in this order.
    buffer : Tensor
        Of one axis: the gradients one behind the other.
    parameters : list of Tensor
    last : bool
        Whether no other comes behind it.
    """

    def __init__(self, index, buffer, parameters, last):
        self._index, self._buffer, self._parameters, self._last = index, buffer, list(parameters), last

    def index(self):
        """The bucket's number."""
        return self._index

    def buffer(self):
        """The gradients, one behind the other."""
        return self._buffer

    def set_buffer(self, buffer):
        """Use this tensor instead."""
        self._buffer = buffer

    def gradients(self):
        """Views of the buffer, one for each parameter, in its shape."""
        views, start = [], 0
        for parameter in self._parameters:
            views.append(self._buffer[start:start + parameter.numel()].view(parameter.shape))
            start += parameter.numel()
        return views

    def parameters(self):
        """The parameters whose gradients these are."""
        return list(self._parameters)

    def is_last(self):
        """Whether no other bucket comes behind it."""
        return self._last
