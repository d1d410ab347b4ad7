"""Largest and smallest elements, and where they are: max, min, amax, amin, aminmax, argmax, argmin."""
import cygrad
from cygrad import return_types
from cygrad.autograd.node import primitive
from cygrad.backend import ARGREDUCE
from cygrad.dispatch import argreduce, clone_like, gather_op, reduce_dims
from cygrad.ops.composite import BOOL, refused
from cygrad.ops.reductions import EVERY, MAX, MIN, axes_of, axis_of
from cygrad.ops.registry import op
from cygrad.tensor import Tensor

ARGMAX, ARGMIN = ARGREDUCE.index("argmax"), ARGREDUCE.index("argmin")


def need_elements(input, axes, name, text="{}(): Expected reduction dim {} to have non-zero size."):
    """Raise unless every axis to be reduced has elements."""
    if input.numel() == 0 and input.dim():
        for axis in axes:
            if input.size(axis) == 0:
                raise IndexError(text.format(name, axis))


def refuse_empty(input, name, error=RuntimeError, more=" Specify the reduction dim with the 'dim' argument."):
    if input.numel() == 0:
        raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{more}")


@primitive(name="amax")
def _amax(self, dim, keepdim):
    return reduce_dims(MAX, self, dim, keepdim, self.dtype)


@primitive(name="amin")
def _amin(self, dim, keepdim):
    return reduce_dims(MIN, self, dim, keepdim, self.dtype)


def extreme_of_axes(primitive_, name, kernel, input, dim, keepdim):
    rank = input.dim()
    axes = () if dim is None else axes_of(dim, rank, name)
    if not axes:
        refuse_empty(input, name)
        axes = EVERY[rank]
    need_elements(input, axes, name)
    if input.is_complex():
        raise refused(kernel, input.dtype)
    return primitive_(input, axes, keepdim)


@op(axis=True, out="exact")
def amax(input, dim=(), keepdim=False):
    """The largest element, of all or along some axes; equal ones share the gradient.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int or tuple of int
        Axes to reduce; () for all.
    keepdim : bool
        Keep the axes, with size 1.
    """
    return extreme_of_axes(_amax, "amax", "max_values_cpu", input, dim, keepdim)


@op(axis=True, out="exact")
def amin(input, dim=(), keepdim=False):
    """The smallest element, of all or along some axes; equal ones share the gradient.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int or tuple of int
        Axes to reduce; () for all.
    keepdim : bool
        Keep the axes, with size 1.
    """
    return extreme_of_axes(_amin, "amin", "min_values_cpu", input, dim, keepdim)


@primitive(name="max")
def _max(self):
    return reduce_dims(MAX, self, EVERY[self.dim()], False, self.dtype)


@primitive(name="min")
def _min(self):
    return reduce_dims(MIN, self, EVERY[self.dim()], False, self.dtype)


@primitive(name="max_dim")
def _max_dim(self, dim, keepdim):
    return along(ARGMAX, self, dim, keepdim)


@primitive(name="min_dim")
def _min_dim(self, dim, keepdim):
    return along(ARGMIN, self, dim, keepdim)


def along(code, t, dim, keepdim):
    """(values, indices) of the extremes along an axis."""
    indices = argreduce(code, t, dim, keepdim)
    return take_along(t, indices, dim, keepdim), indices


def take_along(t, indices, dim, keepdim):
    """The elements of `t` at one index along an axis for each place of the others."""
    if t.dim() == 0:
        return clone_like(t)
    if keepdim:
        return gather_op(t, indices, dim)
    values = gather_op(t, indices.detach().unsqueeze(dim), dim)
    return values.view(tuple(indices.shape)).detach()


def extreme(name, whole, some, input, dim, keepdim, other):
    """`max` or `min` in its three forms."""
    if isinstance(dim, Tensor):
        other = dim
    if other is not None:
        return (cygrad.maximum if name == "max" else cygrad.minimum)(input, other)
    if dim is None:
        refuse_empty(input, name)
        if input.is_complex():
            raise refused(f"{name}_all", input.dtype)
        return whole(input)
    dim = axis_of(dim, input.dim(), name)
    need_elements(input, (dim,), name)
    if input.is_complex():
        raise RuntimeError(f"{name}(): does not support complex input")
    return getattr(return_types, name)(some(input, dim, keepdim))


@op(name="max", axis=True, out="exact")
def max_(input, dim=None, keepdim=False, *, other=None):
    """The largest element; along an axis: the largest ones and where they are; of two tensors: `maximum`.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int or Tensor, optional
        An axis, or the second tensor.
    keepdim : bool
        Keep the axis, with size 1.

    Returns
    -------
    Tensor, or return_types.max
        With `dim`: values and indices; of equal elements the first counts, and NaN is the largest.

    Examples
    --------
    >>> import cygrad
    >>> values, indices = cygrad.max(cygrad.tensor([[1., 3.], [5., 2.]]), dim=1)
    >>> indices
    tensor([1, 0])
    """
    return extreme("max", _max, _max_dim, input, dim, keepdim, other)


@op(name="min", axis=True, out="exact")
def min_(input, dim=None, keepdim=False, *, other=None):
    """The smallest element; along an axis: the smallest ones and where they are; of two tensors: `minimum`.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int or Tensor, optional
        An axis, or the second tensor.
    keepdim : bool
        Keep the axis, with size 1.

    Returns
    -------
    Tensor, or return_types.min
        With `dim`: values and indices; of equal elements the first counts, and NaN is the smallest.
    """
    return extreme("min", _min, _min_dim, input, dim, keepdim, other)


@primitive(name="aminmax")
def _aminmax(self, dim, keepdim):
    axes = EVERY[self.dim()] if dim is None else (dim,)
    return reduce_dims(MIN, self, axes, keepdim, self.dtype), reduce_dims(MAX, self, axes, keepdim, self.dtype)


@op(axis=True, out="exact")
def aminmax(input, *, dim=None, keepdim=False):
    """The smallest and the largest element, of all or along an axis.

    Returns
    -------
    return_types.aminmax
        (min, max).
    """
    if input.is_complex():
        raise refused("aminmax_cpu", input.dtype)
    if dim is None:
        if input.numel() == 0:
            raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
                               "identity.")
    else:
        dim = axis_of(dim, input.dim(), "aminmax")
        need_elements(input, (dim,), "aminmax", "{}: Expected reduction dim {} to have non-zero size.")
    return return_types.aminmax(_aminmax(input, dim, keepdim))


def position(code, name, input, dim, keepdim):
    """`argmax` or `argmin`."""
    if input.is_complex() or input.dtype is BOOL:
        raise RuntimeError(f"{name}(): does not support {'bool' if input.dtype is BOOL else 'complex'} input")
    if dim is None:
        refuse_empty(input, name, IndexError, "")
        flat = input.detach().reshape(-1)
        found = argreduce(code, flat, 0, False)
        return found.view((1,) * input.dim()).detach() if keepdim else found
    dim = axis_of(dim, input.dim(), name)
    need_elements(input, (dim,), name)
    return argreduce(code, input, dim, keepdim)


@op(axis=True, out="exact")
def argmax(input, dim=None, keepdim=False):
    """The index of the largest element, in the flattened tensor or along an axis; the first of equal ones.

    Returns
    -------
    Tensor
        Of dtype int64.
    """
    return position(ARGMAX, "argmax", input, dim, keepdim)


@op(axis=True, out="exact")
def argmin(input, dim=None, keepdim=False):
    """The index of the smallest element, in the flattened tensor or along an axis; the first of equal ones.

    Returns
    -------
    Tensor
        Of dtype int64.
    """
    return position(ARGMIN, "argmin", input, dim, keepdim)
