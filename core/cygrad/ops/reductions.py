"""Reductions: sum, mean, prod, any, all and their relatives (the extremes are in `extremes`).

`dim` is an int, a tuple or None; `axes_of` turns it into axes counted from the front, and is the one place that does.
Public ops choose between the primitives for the whole tensor and for some axes, which have nodes of their own.
"""
import cygrad
from cygrad.autograd.node import primitive
from cygrad.backend import REDUCE
from cygrad.dispatch import SCALAR_NAMES, cast_to, reduce_dims
from cygrad.dtype import DType, can_cast
from cygrad.operands import select
from cygrad.ops.composite import BOOL, DTYPES, is_integral, refused
from cygrad.ops.registry import op
from cygrad.ops.views import wrap

SUM, PROD, MAX, MIN, ANY, ALL, SQUARE_SUM = (REDUCE.index(name) for name in ("sum", "prod", "max", "min", "any", "all",
                                                                               "square_sum"))
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
    total = reduce_dims(SUM, self, dim, keepdim, dtype)
    if is_integral(self) or not bool(total.isnan().any()):
        return total
    return reduce_dims(SUM, select(self.isnan(), 0, self), dim, keepdim, dtype)


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
    axes = EVERY[rank] if dim is None else axes_of(dim, rank, "count_nonzero") or EVERY[rank]
    return reduce_dims(SUM, input != 0, axes, False, INT64)
