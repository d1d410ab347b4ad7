"""Reductions: sum, mean, prod, max, min, any, all and their relatives.

`dim` is an int, a tuple or None; `axes_of` turns it into axes counted from the front, and is the one place that does.
Public ops choose between the primitives for the whole tensor and for some axes, which have nodes of their own.
"""
import cygrad
from cygrad.autograd.node import primitive
from cygrad.backend import ARGREDUCE, REDUCE
from cygrad.dispatch import SCALAR_NAMES, argreduce, cast_to, clone_like, gather_op, reduce_dims
from cygrad.dtype import DType, can_cast
from cygrad.operands import select
from cygrad import return_types
from cygrad.ops.composite import BOOL, DTYPES, is_integral, refused
from cygrad.ops.registry import op
from cygrad.ops.views import wrap
from cygrad.tensor import Tensor

SUM, PROD, MAX, MIN, ANY, ALL = (REDUCE.index(name) for name in ("sum", "prod", "max", "min", "any", "all"))
ARGMAX, ARGMIN = ARGREDUCE.index("argmax"), ARGREDUCE.index("argmin")
EVERY = tuple(tuple(range(rank)) for rank in range(65))          # all axes of a tensor of each rank
INT64, UINT8 = DTYPES["int64"], DTYPES["uint8"]


def axes_of(dim, rank, name):
    """The axes that `dim` (an int, or a tuple of them) names, counted from the front."""
    if type(dim) is int:
        return (wrap(dim, rank),)
    if isinstance(dim, (tuple, list)):
        axes = tuple([axis_of(d, rank, name) for d in dim])
        if len(set(axes)) < len(axes):
            twice = next(a for i, a in enumerate(axes) if a in axes[:i])
            raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
        return axes
    return (axis_of(dim, rank, name),)


def axis_of(dim, rank, name):
    """One axis, counted from the front."""
    if isinstance(dim, int):
        return wrap(dim, rank)
    try:
        return wrap(dim.__index__(), rank)
    except (AttributeError, TypeError):
        raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}") from None


def sum_dtype(t, dtype):
    """The dtype of a sum or product: int64 for integers, unless one is asked for."""
    if dtype is not None:
        if t.requires_grad and not (dtype.is_floating_point or dtype.is_complex) and cygrad.is_grad_enabled():
            raise RuntimeError(f"Autograd not support dtype: {SCALAR_NAMES[dtype.code]}")
        return dtype
    return INT64 if is_integral(t) else t.dtype


# ---------------------------------------------------------------------- sum and mean

@primitive(name="sum")
def _sum(self, dtype):
    return reduce_dims(SUM, self, EVERY[self.dim()], False, dtype)


@primitive(name="sum_dim")
def _sum_dim(self, dim, keepdim, dtype):
    return reduce_dims(SUM, self, dim, keepdim, dtype)


def some_axis(out, input, dim=None, *args, axis=None, **kwargs):
    """`out=` needs a `dim`, as in PyTorch; the sum is computed in its dtype."""
    if dim is None and axis is None:
        raise TypeError("received an invalid combination of arguments: out= needs dim")
    return "dtype"


@op(name="sum", axis=True, out=some_axis)
def sum_(input, dim=None, keepdim=False, *, dtype=None):
    """The sum of all elements, or of those along some axes.

    Parameters
    ----------
    input : Tensor
    dim : int or tuple of int, optional
        Axes to sum over; None or () for all.
    keepdim : bool
        Keep the axes, with size 1.
    dtype : dtype, optional
        Of the result, and in which it is computed; int64 for integers by default.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.sum(cygrad.tensor([[1, 2], [3, 4]]), dim=0)
    tensor([4, 6])
    """
    if isinstance(dim, DType):
        dim, dtype = None, dim
    dtype = sum_dtype(input, dtype)
    if dim is None and not keepdim:
        return _sum(input, dtype)
    rank = input.dim()
    return _sum_dim(input, axes_of(dim, rank, "sum") or EVERY[rank] if dim is not None else EVERY[rank], keepdim, dtype)


def count_of(t, axes):
    """Number of elements along some axes."""
    n = 1
    if t.dim():
        for axis in axes:
            n *= t.size(axis)
    return n


@primitive(name="mean")
def _mean(self, dtype):
    total = reduce_dims(SUM, self, EVERY[self.dim()], False, dtype)
    return total / self.numel() if self.numel() else total / 0.0


@primitive(name="mean_dim")
def _mean_dim(self, dim, keepdim, dtype):
    total = reduce_dims(SUM, self, dim, keepdim, dtype)
    return total / float(count_of(self, dim))


def mean_dtype(out, input, dim=None, *args, axis=None, **kwargs):
    """The mean is computed in the dtype of `out`, which over the whole tensor must be able to hold it."""
    if dim is None and axis is None and not can_cast(input.dtype, out.dtype):
        raise RuntimeError("mean.dtype_out(): input types can't be cast to the desired output type "
                           f"{SCALAR_NAMES[out.dtype.code]}")
    return "dtype"


@op(axis=True, out=mean_dtype)
def mean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of all elements, or of those along some axes.

    Parameters
    ----------
    input : Tensor
        Of a floating-point or complex dtype, unless `dtype` is given.
    dim : int or tuple of int, optional
        Axes to average over; None or () for all.
    keepdim : bool
        Keep the axes, with size 1.
    dtype : dtype, optional
        Of the result, and in which it is computed.
    """
    if dtype is None:
        dtype = input.dtype
        if not (dtype.is_floating_point or dtype.is_complex):
            raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or "
                               f"complex dtype. Got: {SCALAR_NAMES[dtype.code]}")
    elif not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError("mean(): could not infer output dtype. Optional dtype must be either a floating point or "
                           f"complex dtype. Got: {SCALAR_NAMES[dtype.code]}")
    if dim is None and not keepdim:
        return _mean(input, dtype)
    rank = input.dim()
    return _mean_dim(input, axes_of(dim, rank, "mean") or EVERY[rank] if dim is not None else EVERY[rank], keepdim,
                     dtype)


@primitive(name="nansum")
def _nansum(self, dim, keepdim, dtype):
    values = self if is_integral(self) else select(self.isnan(), 0, self)
    return reduce_dims(SUM, values, dim, keepdim, dtype)


@op(axis=True, out="dtype")
def nansum(input, dim=None, keepdim=False, *, dtype=None):
    """`sum` in which NaN counts as 0."""
    rank = input.dim()
    axes = EVERY[rank] if dim is None else axes_of(dim, rank, "nansum") or EVERY[rank]
    if input.is_complex():
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if dtype is not None and (dtype is BOOL or dtype.is_complex) and not is_integral(input) and input.numel():
        raise refused("nansum_cpu", dtype)
    return _nansum(input, axes, keepdim, sum_dtype(input, dtype))


@op(axis=True, out=True)
def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of the elements that are not NaN."""
    if is_integral(input):
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype but got "
                           f"{SCALAR_NAMES[input.dtype.code]}")
    return nansum(input, dim, keepdim, dtype=dtype) / input.isnan().logical_not().sum(dim, keepdim)


@op(only_method=True)
def sum_to_size(self, *size):
    """The tensor summed down to a shape from which it can be expanded: the gradient of `expand`.

    Parameters
    ----------
    *size : int, or one tuple of them
    """
    shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    missing = self.dim() - len(shape)
    if missing < 0 or any(n != 1 and n != m for n, m in zip(shape, self.shape[missing:])):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}.")
    axes = tuple([i for i, m in enumerate(self.shape) if i < missing or (shape[i - missing] == 1 and m != 1)])
    if not axes:
        return self
    out = _sum_dim(self, axes, True, self.dtype) if not is_integral(self) else sum_(self, axes, True)
    return out.view(shape) if missing else out


# ---------------------------------------------------------------------------- products

@primitive(name="prod")
def _prod(self, dtype):
    return reduce_dims(PROD, self, EVERY[self.dim()], False, dtype)


@primitive(name="prod_dim")
def _prod_dim(self, dim, keepdim, dtype):
    return reduce_dims(PROD, self, (dim,), keepdim, dtype)


@op(axis=True, out=some_axis)
def prod(input, dim=None, keepdim=False, *, dtype=None):
    """The product of all elements, or of those along one axis.

    Parameters
    ----------
    input : Tensor
    dim : int, optional
    keepdim : bool
        Keep the axis, with size 1.
    dtype : dtype, optional
        Of the result, and in which it is computed; int64 for integers by default.
    """
    if isinstance(dim, DType):
        dim, dtype = None, dim
    if dim is None:
        return _prod(input, sum_dtype(input, dtype))
    return _prod_dim(input, axis_of(dim, input.dim(), "prod"), keepdim, sum_dtype(input, dtype))


# ------------------------------------------------------------------------- any and all

def logical(code, name, input, dim, keepdim):
    rank = input.dim()
    dtype = UINT8 if input.dtype is UINT8 else BOOL
    if isinstance(dim, (tuple, list)) and not dim:
        out = input != 0
    else:
        out = reduce_dims(code, input, EVERY[rank] if dim is None else axes_of(dim, rank, name), keepdim, BOOL)
    return cast_to(out, dtype)


@op(name="any", axis=True, out="exact")
def any_(input, dim=None, keepdim=False):
    """Whether any element (of all, or along some axes) is not zero.

    Returns
    -------
    Tensor
        Of dtype bool; uint8 for uint8.
    """
    return logical(ANY, "any", input, dim, keepdim)


@op(name="all", axis=True, out="exact")
def all_(input, dim=None, keepdim=False):
    """Whether all elements (or all along some axes) are not zero.

    Returns
    -------
    Tensor
        Of dtype bool; uint8 for uint8.
    """
    return logical(ALL, "all", input, dim, keepdim)


@op(axis=True)
def count_nonzero(input, dim=None):
    """Number of elements that are not zero, in all or along some axes."""
    rank = input.dim()
    return reduce_dims(SUM, input != 0, EVERY[rank] if dim is None else axes_of(dim, rank, "count_nonzero") or EVERY[rank],
                       False, INT64)


# --------------------------------------------------------------------------- extremes

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
