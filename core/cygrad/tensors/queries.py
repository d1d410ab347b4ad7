"""What can be asked of a tensor as an object, and small conveniences."""
import math

import cygrad
from cygrad.autograd.function import Function
from cygrad.dispatch.allocation import axes_in_memory
from cygrad.errors import warn
from cygrad.ops.declare.op_forms import methods, op


@op
def get_device(input):
    """The index of the tensor's device; -1 on the CPU.

    Returns
    -------
    int
        The number in ``cuda:1``.

    Examples
    --------
    >>> cygrad.get_device(cygrad.ones(1, device="cpu"))
    -1
    """
    return -1 if input.device.type == "cpu" else input.device.index


@op
def is_same_size(input, other):
    """Whether two tensors have the same shape.

    Parameters
    ----------
    other : Tensor
        The other tensor.

    Returns
    -------
    bool
        Whether all sizes are equal.

    Examples
    --------
    >>> cygrad.is_same_size(cygrad.ones(2, 3), cygrad.ones(3, 2))
    False
    """
    return input.shape == other.shape


@op(only_method=True)
def is_shared(self):
    """Whether the memory is shared between processes; memory of devices always is said to be.

    Returns
    -------
    bool
        True after `share_memory_`.

    Examples
    --------
    >>> cygrad.ones(1, device="cpu").is_shared()
    False
    """
    return self.untyped_storage().is_shared()


@op(only_method=True)
def share_memory_(self):
    """Move the storage, with all tensors on it, into memory that is shared with the processes that get the tensor.

    Examples
    --------
    >>> x = cygrad.zeros(4)
    >>> x[:2].share_memory_().is_shared(), x.is_shared()
    (True, True)
    """
    self.untyped_storage().share_memory_()
    return self


@op(only_method=True)
def to_dense(self, dtype=None, *, masked_grad=None):
    """The tensor itself: all layouts here are strided.

    Parameters
    ----------
    masked_grad : bool, optional
        Concerns sparse tensors only.
    dtype : dtype, optional
        What to convert to.

    Returns
    -------
    Tensor
        The tensor itself where nothing changes.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).to_dense()
    tensor([1, 2])
    """
    return self if dtype is None else self.to(dtype)


@op(only_method=True)
def dense_dim(self):
    """The number of axes that are stored densely.

    Returns
    -------
    int
        All axes, where a sparse tensor would keep the last few.

    Examples
    --------
    >>> cygrad.ones(2, 3).dense_dim()
    2
    """
    return self.dim()


@op(only_method=True)
def sparse_dim(self):
    """The number of axes that are stored sparsely.

    Returns
    -------
    int
        Always 0.

    Examples
    --------
    >>> cygrad.ones(2, 3).sparse_dim()
    0
    """
    return 0


class Resize(Function):
    """The tensor in another shape of as many elements; PyTorch has it as a Function of Python, too."""

    @staticmethod
    def forward(ctx, self, sizes):
        if math.prod(sizes) != self.numel():
            raise RuntimeError(f"requested resize to {'x'.join(map(str, sizes))} ({math.prod(sizes)} elements in "
                               f"total), but the given tensor has a size of {'x'.join(map(str, self.shape))} "
                               f"({self.numel()} elements). autograd's resize can only change the shape of a given "
                               "tensor, while preserving the number of elements. ")
        ctx.sizes = self.shape
        return self.contiguous().view(*sizes)

    @staticmethod
    def backward(ctx, grad):
        return grad.contiguous().view(ctx.sizes), None


def _reshaped(self, sizes, name):
    warn(f"non-inplace {name} is deprecated")
    return Resize.apply(self, sizes)


@op(only_method=True)
def resize(self, *sizes):
    """The same elements in another shape; deprecated, use `reshape`.

    Parameters
    ----------
    *sizes : int
        The new shape.

    Returns
    -------
    Tensor
        A view where the elements lie in row-major order, else a copy.

    Raises
    ------
    RuntimeError
        If it has another number of elements.

    Examples
    --------
    >>> cygrad.arange(4).resize(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    return _reshaped(self, sizes, "resize")


@op(only_method=True)
def resize_as(self, tensor):
    """The same elements in the shape of another tensor; deprecated, use `reshape_as`.

    Parameters
    ----------
    tensor : Tensor
        Of the new shape.

    Returns
    -------
    Tensor
        A view where the elements lie in row-major order, else a copy.

    Raises
    ------
    RuntimeError
        If it has another number of elements.

    Examples
    --------
    >>> cygrad.arange(4).resize_as(cygrad.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return _reshaped(self, tensor.size(), "resize_as")


@op(method=False)
def is_inference(input):
    """Whether the tensor was made in inference mode.

    Returns
    -------
    bool
        Autograd never takes such a tensor.

    Examples
    --------
    >>> with cygrad.inference_mode():
    ...     x = cygrad.ones(1)
    >>> cygrad.is_inference(x)
    True
    """
    return input.is_inference()


# Kinds of tensors and places where they may lie that PyTorch has, and no tensor here.
for _name in ("ipu", "maia", "mkldnn", "mps", "mtia", "nested", "sparse_csr", "vulkan", "xla", "xpu"):
    methods["is_" + _name] = property(lambda self: False, doc="Always False: there are no such tensors here.")


@op
def is_distributed(input):
    """Whether the tensor's parts lie in several processes.

    Returns
    -------
    bool
        Always False.

    Examples
    --------
    >>> cygrad.is_distributed(cygrad.ones(1))
    False
    """
    return False


@op(only_method=True)
def dim_order(self, *, ambiguity_check=False):
    """The axes as they lie in memory, from that with the longest steps to that with the shortest.

    Parameters
    ----------
    ambiguity_check : bool or list of memory_format
        True: raise where strides leave the order open. Memory formats: raise unless the tensor is in exactly one.

    Returns
    -------
    tuple of int
        Each axis once.

    Raises
    ------
    RuntimeError
        Where the order is not clear and was to be checked.

    Examples
    --------
    >>> cygrad.empty(2, 3, 4).transpose(0, 2).dim_order()
    (2, 1, 0)
    """
    if not isinstance(ambiguity_check, (bool, list)) or isinstance(ambiguity_check, list) and not all(
            isinstance(each, cygrad.memory_format) for each in ambiguity_check):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    rows, last = self.is_contiguous(), self.dim() == 4 and self.is_contiguous(memory_format=cygrad.channels_last)
    if rows == last:
        found = axes_in_memory(self)
    else:
        found = tuple(range(self.dim())) if rows else (0, 2, 3, 1)
    several = len(set(self.stride())) < self.dim() or 1 in self.shape
    if isinstance(ambiguity_check, list):
        several = several and sum(self.is_contiguous(memory_format=each) for each in ambiguity_check) != 1
    if ambiguity_check and several:
        raise RuntimeError("The tensor does not have unique dim order, or cannot map to exact one of the given memory "
                           "formats.")
    return found


@op(only_method=True)
def __rdiv__(self, other):
    """``other / self``, by the name of Python 2.

    Parameters
    ----------
    other : number or Tensor
        What is divided.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([2.]).__rdiv__(1)
    tensor([0.5000])
    """
    return self.reciprocal() * other
