"""Sums, means and products: `sum`, `nansum`, `mean`, `prod`.

`dim` is an int, a tuple or None; `axes_of` turns it into axes counted from the front, and is the one place that does.
The whole tensor and some of its axes are two ops with nodes of their own, as in PyTorch.
"""
from cpython.long cimport PyLong_CheckExact

from cygrad cimport backend as k
from cygrad.backend cimport Backend
from cygrad.autograd.modes cimport grad_enabled
from cygrad.dispatch.kernel_calls cimport cast, scalar_into
from cygrad.dispatch.axis_reductions cimport reduce
from cygrad.dtype cimport (BFLOAT16, BOOL as BOOL_CODE, CATEGORY_FLOAT, CATEGORY_INTEGER, DType, FLOAT16, FLOAT32,
                           INT64 as INT64_CODE, dtype_of, plain_of)
from cygrad.ops.declare.op cimport Op
from cygrad.dispatch.programs cimport Program
from cygrad.view cimport wrap_dim
from cygrad.tensor cimport Tensor, requires_grad

from cygrad.ops.declare.primitives import primitive
from cygrad.backend import REDUCE
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import in_steps, reduce_dims
from cygrad.dispatch.kernel_calls import warn_of_discarded
from cygrad.dtype import can_cast
from cygrad.dispatch.operands import select
from cygrad.ops.declare.operand_types import is_integral, refused
from cygrad.ops.declare.op_forms import op
from cygrad.dispatch.programs import program

SUM, PROD, MAX, MIN, ANY, ALL, SQUARE_SUM = [REDUCE.index(name) for name in ("sum", "prod", "max", "min", "any", "all",
                                                                              "square_sum")]
cdef tuple ALL_AXES = tuple([tuple(range(rank)) for rank in range(65)])      # of a tensor of each rank
EVERY = ALL_AXES
cdef tuple ONE_AXIS = tuple([(axis,) for axis in range(64)])     # one axis
cdef DType BOOL = dtype_of(BOOL_CODE), INT64 = dtype_of(INT64_CODE)

cdef Program ITSELF = program(lambda x: x)
MEAN = program(lambda total, n: total / n)                      # a finish of reduced programs

cdef Op WHOLE_SUM = Op("sum", "self", "dtype")
cdef Op SUM_ALONG = Op("sum_dim", "self", "dim", "keepdim", "dtype")
cdef Op WHOLE_MEAN = Op("mean", "self", "dtype")
cdef Op MEAN_ALONG = Op("mean_dim", "self", "dim", "keepdim", "dtype")
cdef Op WHOLE_PROD = Op("prod", "self", "dtype")
cdef Op PROD_ALONG = Op("prod_dim", "self", "dim", "keepdim", "dtype")


cdef tuple every_axis(Tensor t):
    return <tuple>ALL_AXES[t.rank]


cdef tuple axes_of(object dim, int rank, str name):
    """The axes that `dim` (an int, or a tuple of them) names, counted from the front."""
    if PyLong_CheckExact(dim):
        return <tuple>ONE_AXIS[wrap_dim(dim, rank)]
    if isinstance(dim, (tuple, list)):
        axes = tuple([axis_of(d, rank, name) for d in dim])
        if len(set(axes)) < len(axes):
            twice = [a for i, a in enumerate(axes) if a in axes[:i]][0]
            raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
        return axes
    return (axis_of(dim, rank, name),)


def axes(dim, int rank, str name):
    """The axes that `dim` names, for modules in Python."""
    return axes_of(dim, rank, name)


cdef tuple some_axes(object dim, Tensor t, str name):
    """The axes that `dim` names; None and () stand for all."""
    return every_axis(t) if dim is None else axes_of(dim, t.rank, name) or every_axis(t)


def axis_of(dim, rank, name):
    """One axis, counted from the front."""
    if isinstance(dim, int):
        return wrap_dim(dim, rank)
    try:
        return wrap_dim(dim.__index__(), rank)
    except (AttributeError, TypeError):
        raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}") from None


cpdef DType sum_dtype(Tensor t, DType dtype):
    """The dtype of a sum or product: int64 for integers, unless one is asked for."""
    if dtype is not None:
        if dtype.category < CATEGORY_FLOAT and grad_enabled() and requires_grad(t):
            raise RuntimeError(f"Autograd not support dtype: {SCALAR_NAMES[dtype.code]}")
        warn_of_discarded(t, dtype)
        return dtype
    return INT64 if t.dtype.category <= CATEGORY_INTEGER else t.dtype


# ------------------------------------------------------------------- reduce, and record

cdef Tensor folded(int code, Op op, Tensor input, DType dtype):
    """A reduction of the whole tensor, whose arguments are the tensor and the dtype."""
    return op.result(reduce(code, input, every_axis(input), False, dtype), input, dtype, ())


cdef Tensor folded_along(int code, Op op, Tensor input, tuple dims, bint keepdim, DType dtype):
    """A reduction of some axes, whose arguments are these."""
    return op.result(reduce(code, input, dims, keepdim, dtype), input, dims, (keepdim, dtype))


# ---------------------------------------------------------------------- sum and mean


def some_axis(out, input, *args, **kwargs):
    """`out=` needs a `dim`, if only None, as in PyTorch; the sum is computed in its dtype."""
    if not args and "dim" not in kwargs and "axis" not in kwargs:
        raise TypeError("received an invalid combination of arguments: out= needs dim")
    return "dtype"


@op(name="sum", axis=True, out=some_axis)
def sum_(Tensor input not None, dim=None, bint keepdim=False, *, dtype=None):
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

    Returns
    -------
    Tensor
        input's shape without the axes that were summed.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.sum(cygrad.tensor([[1, 2], [3, 4]]), dim=0)
    tensor([4, 6])
    """
    if isinstance(dim, DType):
        dim, dtype = None, dim
    if dim is None and not keepdim:
        return folded(k.SUM, WHOLE_SUM, input, sum_dtype(input, dtype))
    return folded_along(k.SUM, SUM_ALONG, input, some_axes(dim, input, "sum"), keepdim, sum_dtype(input, dtype))


cpdef Py_ssize_t count_of(Tensor t, tuple axes) except -1:
    """Number of elements along some axes."""
    cdef Py_ssize_t n = 1
    if t.rank:
        for axis in axes:
            n *= t.sizes[<int>axis]
    return n


cdef Tensor average(Tensor input, tuple dims, bint keepdim, DType dtype):
    """The mean along some axes, raw. A device divides where it has added up: there another kernel costs a launch."""
    cdef Tensor total
    dtype = plain_of(dtype)
    if dtype.code == FLOAT16 or dtype.code == BFLOAT16:     # the sum is not rounded
        return cast(average(input, dims, keepdim, dtype_of(FLOAT32)), dtype)
    if dtype.category == CATEGORY_FLOAT and not (<Backend>input.memory.backend).host_memory:
        return ITSELF.reduced((k.SUM,), dims, keepdim, dtype, (input,), MEAN)
    total = reduce(k.SUM, input, dims, keepdim, dtype)
    scalar_into(k.DIV, total, <double>count_of(input, dims), False, total)
    return total


def mean_dtype(out, input, dim=None, *args, axis=None, **kwargs):
    """The mean is computed in the dtype of `out`, which must be able to hold it."""
    cdef bint everything = dim is None and axis is None
    if not (input.is_floating_point() or input.is_complex()) and kwargs.get("dtype") is None:
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or "
                           f"complex dtype. Got: {SCALAR_NAMES[input.dtype.code]}")
    if not everything:
        some_axes(dim if axis is None else axis, input, "mean")
    if not can_cast(input.dtype, out.dtype) and (everything or not (input.is_complex() and out.is_floating_point())):
        words = f"result type {SCALAR_NAMES[input.dtype.code]} can't be cast to the desired output type "
        if everything:
            words = "mean.dtype_out(): input types can't be cast to the desired output type "
        raise RuntimeError(words + SCALAR_NAMES[out.dtype.code])
    return "dtype"


@op(axis=True, out=mean_dtype)
def mean(Tensor input not None, dim=None, bint keepdim=False, *, DType dtype=None):
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

    Returns
    -------
    Tensor
        input's shape without the axes that were averaged.

    Raises
    ------
    RuntimeError
        For integers and bools, unless a floating-point `dtype` is given.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.mean(cygrad.tensor([[1., 2.], [3., 6.]]), dim=0)
    tensor([2., 4.])
    """
    cdef tuple dims
    if dtype is None:
        dtype = input.dtype
        if dtype.category < CATEGORY_FLOAT:
            raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or "
                               f"complex dtype. Got: {SCALAR_NAMES[dtype.code]}")
    elif dtype.category < CATEGORY_FLOAT:
        raise RuntimeError("mean(): could not infer output dtype. Optional dtype must be either a floating point or "
                           f"complex dtype. Got: {SCALAR_NAMES[dtype.code]}")
    else:
        warn_of_discarded(input, dtype)
    if dim is None and not keepdim:
        return WHOLE_MEAN.result(average(input, every_axis(input), False, dtype), input, dtype, ())
    dims = some_axes(dim, input, "mean")
    return MEAN_ALONG.result(average(input, dims, keepdim, dtype), input, dims, (keepdim, dtype))


@primitive(name="nansum")
def _nansum(self, dim, keepdim, dtype):
    total = reduce_dims(SUM, self, dim, keepdim, dtype)
    if is_integral(self) or not bool(total.isnan().any()):
        return total
    return reduce_dims(SUM, select(self.isnan(), 0, self), dim, keepdim, dtype)


def nansum_dtype(out, input, *args, **kwargs):
    """The dtype of `out` is that of the kernel, which knows floats alone; with `dtype=` the input is cast before."""
    if not out.is_floating_point() and input.is_floating_point() and input.numel() and kwargs.get("dtype") is None:
        raise refused("nansum_cpu", out.dtype)
    return "dtype"


@op(axis=True, out=nansum_dtype)
def nansum(input, dim=None, keepdim=False, *, dtype=None):
    """`sum` in which NaN counts as 0.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int or tuple of int, optional
        Axes to sum over; None or () for all.
    keepdim : bool
        Keep the axes, with size 1.
    dtype : dtype, optional
        Of the result, and in which it is computed; int64 for integers by default.

    Returns
    -------
    Tensor
        input's shape without the axes that were summed.

    Raises
    ------
    RuntimeError
        For a complex tensor.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nansum(cygrad.tensor([1., float("nan"), 2.]))
    tensor(3.)
    """
    axes = some_axes(dim, input, "nansum")
    if input.is_complex():
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if dtype is not None and dtype.is_complex and not is_integral(input) and input.numel():
        raise refused("nansum_cpu", dtype)
    return _nansum(input, axes, keepdim, sum_dtype(input, dtype))


def nanmean_dtype(out, input, *args, **kwargs):
    """The quotient is written over the sum."""
    nansum_dtype(out, input)
    if input.is_floating_point():
        in_steps(out)
    return kwargs.get("dtype") is None or "exact"


@op(axis=True, out=nanmean_dtype)
def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of the elements that are not NaN.

    Parameters
    ----------
    input : Tensor
        Of a floating-point or complex dtype.
    dim : int or tuple of int, optional
        Axes to average over; None for all.
    keepdim : bool
        Keep the axes, with size 1.
    dtype : dtype, optional
        Of the result, and in which it is computed.

    Returns
    -------
    Tensor
        input's shape without the axes that were averaged; NaN where nothing but NaN was.

    Raises
    ------
    RuntimeError
        For integers and bools.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nanmean(cygrad.tensor([1., float("nan"), 2.]))
    tensor(1.5000)
    """
    if is_integral(input):
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype but got "
                           f"{SCALAR_NAMES[input.dtype.code]}")
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError("nanmean(): could not infer output dtype. Optional dtype must be either a floating point or "
                           f"complex dtype. Got: {SCALAR_NAMES[dtype.code]}")
    return nansum(input, dim, keepdim, dtype=dtype) / input.isnan().logical_not().sum(dim, keepdim)


@op(only_method=True)
def sum_to_size(Tensor self not None, *size):
    """The tensor summed down to a shape from which it can be expanded: the gradient of `expand`.

    Parameters
    ----------
    *size : int, or one tuple of them

    Returns
    -------
    Tensor
        Of this shape; the tensor itself if it has it.

    Raises
    ------
    RuntimeError
        If no tensor of this shape expands to the tensor's.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    cdef int i, missing
    cdef bint fits
    cdef list axes = []
    cdef tuple shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    missing = self.rank - len(shape)
    fits = missing >= 0
    for i in range(self.rank if fits else 0):
        if i < missing or shape[i - missing] != self.sizes[i]:
            axes.append(i)
            fits = fits and (i < missing or shape[i - missing] == 1)
    if not fits:
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}.")
    if not axes and shape:
        return self
    if not shape:
        return sum_(self)
    out = folded_along(k.SUM, SUM_ALONG, self, tuple(axes), True, sum_dtype(self, None))
    return out.view(shape) if missing else out


# ---------------------------------------------------------------------------- products

@op(axis=True, out=some_axis)
def prod(Tensor input not None, dim=None, bint keepdim=False, *, dtype=None):
    """The product of all elements, or of those along one axis.

    Parameters
    ----------
    input : Tensor
    dim : int, optional
        The axis; None for all elements.
    keepdim : bool
        Keep the axis, with size 1.
    dtype : dtype, optional
        Of the result, and in which it is computed; int64 for integers by default.

    Returns
    -------
    Tensor
        input's shape without the axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.prod(cygrad.tensor([[1, 2], [3, 4]]), dim=1)
    tensor([ 2, 12])
    """
    if isinstance(dim, DType):
        dim, dtype = None, dim
    if dim is None:
        return folded(k.PROD, WHOLE_PROD, input, sum_dtype(input, dtype))
    axis = axis_of(dim, input.rank, "prod")
    dtype = sum_dtype(input, dtype)
    return PROD_ALONG.result(reduce(k.PROD, input, (axis,), keepdim, dtype), input, axis, (keepdim, dtype))
