"""Splitting a tensor along an axis into views: `split`, `chunk`, `tensor_split` and the shorter names made of them."""
import cygrad
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.slices import slice_along, split_evenly
from cygrad.ops.shape.views import wrap
from cygrad.tensor import Tensor

MOST_PARTS = 1 << 28        # of which the tensor objects alone take some 64 GB


@op(method=False)
def split(tensor, split_size_or_sections, dim=0):
    """Views of consecutive parts of an axis.

    Parameters
    ----------
    tensor : Tensor
        What is split.
    split_size_or_sections : int or sequence of int
        The size of each part (the last may be smaller), or all sizes.
    dim : int

    Returns
    -------
    tuple of Tensor
        Views.

    Raises
    ------
    RuntimeError
        If sizes are given that don't add up to the axis'.

    Examples
    --------
    >>> cygrad.tensor([1, 2, 3]).split(2)
    (tensor([1, 2]), tensor([3]))
    """
    return _split(tensor, split_size_or_sections, dim) if isinstance(tensor, Tensor) else \
        tensor.split(split_size_or_sections, dim)


@op(only_method=True, name="split")
def split_method(self, split_size, dim=0):
    """Views of consecutive parts of an axis.

    Parameters
    ----------
    split_size : int or sequence of int
        The size of each part (the last may be smaller), or all sizes.
    dim : int

    Returns
    -------
    tuple of Tensor
        Views.

    Examples
    --------
    >>> cygrad.tensor([1, 2, 3]).split(split_size=2)
    (tensor([1, 2]), tensor([3]))
    """
    return _split(self, split_size, dim)


def _split(input, size, dim):
    if type(size) is int and type(dim) is int:          # the usual call
        return split_evenly(input, size, dim)
    if isinstance(dim, bool) or isinstance(size, bool):
        raise TypeError(f"split() received an invalid combination of arguments - got (Tensor, {type(size).__name__}, "
                        f"{type(dim).__name__}), but expected one of:\n * (Tensor input, int split_size, int dim = 0)\n"
                        " * (Tensor input, tuple of ints split_size, int dim = 0)\n")
    if isinstance(size, int):
        return split_evenly(input, size, dim)
    if isinstance(size, Tensor) and not size.dim():
        return split_evenly(input, int(size), dim)
    if not isinstance(size, (list, tuple)):
        raise TypeError("split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not "
                        f"{type(size).__name__}")
    return input.split_with_sizes(size, dim)


@op
def chunk(input, chunks, dim=0):
    """At most `chunks` views of consecutive parts of an axis, equally long but for the last.

    Parameters
    ----------
    chunks : int
        At least 1.
    dim : int
        The axis.

    Returns
    -------
    tuple of Tensor
        Views.

    Examples
    --------
    >>> cygrad.tensor([1, 2, 3]).chunk(2)
    (tensor([1, 2]), tensor([3]))
    """
    if input.dim() == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input.shape[wrap(dim, input.dim())]
    if size == 0:
        return input.split_with_sizes((0,) * chunks, dim)
    return split_evenly(input, (size + chunks - 1) // chunks, dim)


@op
def tensor_split(input, indices_or_sections=None, dim=0, *, indices=None, sections=None):
    """Views of consecutive parts of an axis, cut at indices or into sections that differ by at most one.

    Parameters
    ----------
    indices_or_sections : int, sequence of int or Tensor
        How many sections; or where to cut, as slices count.
    dim : int
        The axis.
    indices, sections : optional
        The same by a name that says which it is.

    Returns
    -------
    tuple of Tensor
        Views.

    Examples
    --------
    >>> cygrad.tensor([1, 2, 3]).tensor_split(2)
    (tensor([1, 2]), tensor([3]))
    """
    at, = [given for given in (indices_or_sections, indices, sections) if given is not None]
    if input.dim() == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    if isinstance(at, Tensor):
        if at.dtype is not cygrad.int64:
            raise RuntimeError("tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                               f"{SCALAR_NAMES[at.dtype.code]}")
        if at.dim() > 1:
            raise RuntimeError("tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                               f"one-dimensional tensor, but got a tensor with {at.dim()} dims")
        at = at.tolist()
    dim = wrap(dim, input.dim())
    size = input.shape[dim]
    if isinstance(at, int):
        if at <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {at}")
        if at > MOST_PARTS:
            raise MemoryError(f"tensor_split(): no memory for {at} tensors")
        small, larger = divmod(size, at)
        at = [(i + 1) * small + min(i + 1, larger) for i in range(at - 1)]
    if any(place is None for place in at):
        raise TypeError("tensor_split() received an invalid combination of arguments - got (Tensor, "
                        f"{type(at).__name__}), but expected one of: (Tensor input, tuple of ints indices, int dim = "
                        "0), (Tensor input, int sections, int dim = 0)")
    bounds = [0, *at, size]
    return tuple([slice_along(input, dim, slice(start, stop)) for start, stop in zip(bounds, bounds[1:])])


def _splitter(name, axis_words, axis, least):
    def function(input, indices_or_sections):
        if input.dim() < least:
            raise RuntimeError(f"cygrad.{name} requires a tensor with at least {least} dimension, but got a tensor "
                               f"with {input.dim()} dimensions!")
        dim = 0 if name == "hsplit" and input.dim() == 1 else axis
        if isinstance(indices_or_sections, int):
            size = input.shape[dim]
            if indices_or_sections == 0 or size % indices_or_sections:
                raise RuntimeError(f"cygrad.{name} attempted to split along dimension {dim}, but the size of the "
                                   f"dimension {size} is not divisible by the split_size {indices_or_sections}!")
        return tensor_split(input, indices_or_sections, dim)
    function.__doc__ = f"""Views of consecutive parts of {axis_words}, as `tensor_split` makes them.

    Parameters
    ----------
    indices_or_sections : int or sequence of int
        How many equal sections, or where to cut.

    Returns
    -------
    tuple of Tensor
        Views.

    Raises
    ------
    RuntimeError
        If there is no such axis, or it can't be cut into so many equal sections.

    Examples
    --------
    >>> import cygrad
    >>> [part.shape for part in cygrad.{name}(cygrad.zeros(2, 2, 2), 2)]
    [{', '.join(['cygrad.Size(' + str([1 if i == axis else 2 for i in range(3)]) + ')'] * 2)}]
    """
    op(function, name=name)


_splitter("hsplit", "the second axis (the only one of a vector)", 1, 1)
_splitter("vsplit", "the first axis", 0, 2)
_splitter("dsplit", "the third axis", 2, 3)
