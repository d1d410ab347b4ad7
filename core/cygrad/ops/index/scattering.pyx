# distutils: extra_compile_args = -Os
"""Writing single elements along an axis: `scatter`, `scatter_add` and `scatter_reduce`."""
from cygrad.dispatch.raw cimport scatter_into, scatter_looking
from cygrad.dtype cimport INT64, plain_of
from cygrad.ops.index.tensor_places cimport fits_within, same_shape
from cygrad.view cimport wrap_dim
from cygrad.tensor cimport Tensor

from cygrad.dispatch.allocation import empty_near
from cygrad.errors import warn
from cygrad.dispatch.promotion import check_scalar
from cygrad.dispatch.raw import binary_op, copy_ as raw_copy, fill_ as raw_fill
from cygrad.dtype import iinfo
from cygrad.ops.declare.primitives import Written
from cygrad.ops.index.gathering import (ADD, MAX, MIN, PROD, SET, in_place, int_index, need_tensor, one_axis,
                                  scalar_name)
from cygrad.ops.index.tensor_places import in_range
from cygrad.ops.declare.op_forms import op


cdef int scattered(Tensor self, int dim, Tensor index, Tensor src, int mode) except -1:
    """Combine `src` (cropped to index's shape; or a 0-d value) into `self` along an axis."""
    cdef Tensor target, places
    if not index.elements:
        return 0
    target, places = one_axis(self), one_axis(index)
    if src.rank == 0:
        src = src.expand(places.shape)
    elif not same_shape(src, places):
        src = src[tuple([slice(n) for n in places.shape])]
    if places.dtype.code != INT64 or not scatter_looking(mode, target, dim, places, src):
        scatter_into(mode, target, dim, in_range(places, target.sizes[dim], dim), src)
    return 0


def _scatter(self, dim, index, src):
    scattered(self, dim, index, src, SET)


def _scatter_value(self, dim, index, value):
    number = empty_near(self, ())
    raw_fill(number, value)
    scattered(self, dim, index, number, SET)


def _scatter_add(self, dim, index, src):
    scattered(self, dim, index, src, ADD)


def _scatter_with(self, dim, index, src, reduce):
    if not isinstance(src, Tensor):
        number = empty_near(self, ())
        raw_fill(number, src)
        src = number
    scattered(self, dim, index, src, ADD if reduce == "add" else PROD)


scatter = Written(_scatter, "scatter", True)
scatter_value = Written(_scatter_value, "scatter_value", True)
scatter_add = Written(_scatter_add, "scatter_add", True)
scatter_with = Written(_scatter_with, "scatter_with", True)


def check_scatter(Tensor self not None, where, Tensor index not None, Tensor src=None):
    """The wrapped dim, once the shapes and dtypes fit."""
    cdef int dim = wrap_dim(where, self.rank), rank = max(self.rank, 1)
    cdef bint fits
    if index.elements:                          # no place needs no dtype
        int_index(index, "scatter")
    if src is not None and plain_of(self.dtype) is not plain_of(src.dtype):
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.elements:
        return dim
    if rank != max(index.rank, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    fits = fits_within(index, self, dim)
    if src is None:
        if not fits:
            raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than self {list(self.shape)} apart "
                               f"from dimension {dim}")
        return dim
    if fits and 0 < src.rank < rank and all([index.sizes[d] <= src.sizes[d] for d in range(src.rank)]):
        wrap_dim(src.rank, src.rank)                                # PyTorch's IndexError
    if fits and max(src.rank, 1) != rank:
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if not fits or not fits_within(index, src, -1) or index.rank > src.rank and index.elements > 1:
        raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than self {list(self.shape)} apart "
                           f"from dimension {dim} and to be no larger size than src {list(src.shape)}")
    return dim


def scatter_call(self, dim, index, src=None, *, value=None, reduce=None):
    """(the writer, what it takes) of `scatter`."""
    need_tensor(index, "scatter", "index", 2)
    if src is None:
        src = value
    tensor = isinstance(src, Tensor)
    if not tensor and not isinstance(src, (int, float, complex)):
        raise TypeError("scatter() received an invalid combination of arguments - src must be a Tensor or a number, "
                        f"not {type(src).__name__}")
    dim = check_scatter(self, dim, index, src if tensor else None)
    if not tensor:
        check_scalar(self.dtype, src)
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        if tensor:
            warn("The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a "
                 "future PyTorch release. Use torch.scatter_reduce instead for more reduction options.")
        return scatter_with, (dim, index, src, reduce)
    return scatter if tensor else scatter_value, (dim, index, src)


def _scatter_(self, *args, **kwargs):
    """In-place version of `scatter`: writes the result into the tensor and returns it."""
    writer, arguments = scatter_call(self, *args, **kwargs)
    return writer.inplace(self, *arguments)


@op(name="scatter", out="exact", inplace=_scatter_)
def _scatter_copy(input, dim, index, src=None, *, value=None, reduce=None):
    """`input` with elements written along an axis: ``out[index[i][j]][j] = src[i][j]`` for dim 0, and so on.

    Parameters
    ----------
    dim : int
    index : Tensor
        int64 or int32, as many axes as `input` and no longer but along `dim`; no negative places.
    src : Tensor or number
        A tensor of input's dtype, nowhere shorter than `index`; of its elements those are used that index has.
    value : number
        Instead of `src`.
    reduce : {"add", "multiply"}, optional
        Combine with what is there instead (no gradient; see `scatter_reduce`).

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(2, 2).scatter(1, cygrad.tensor([[1], [0]]), 5)
    tensor([[0., 5.],
            [5., 0.]])
    """
    writer, arguments = scatter_call(input, dim, index, src, value=value, reduce=reduce)
    return writer(input, *arguments)


def scatter_add_arguments(self, dim, index, src):
    need_tensor(index, "scatter_add", "index", 2)
    need_tensor(src, "scatter_add", "src", 3)
    return check_scatter(self, dim, index, src), index, src


@op(name="scatter_add", out="exact", inplace=in_place(scatter_add, scatter_add_arguments))
def _scatter_add_copy(input, dim, index, src):
    """`input` with the elements of `src` added along an axis at the places of `index`, which may repeat.

    Parameters
    ----------
    dim : int
    index : Tensor
        int64 or int32, as many axes as `input` and no longer but along `dim`; no negative places.
    src : Tensor
        Of input's dtype, nowhere shorter than `index`.

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(3).scatter_add(0, cygrad.tensor([0, 0, 2]), cygrad.ones(3))
    tensor([2., 0., 1.])
    """
    return scatter_add(input, *scatter_add_arguments(input, dim, index, src))


# -------------------------------------------------------------------- scatter_reduce

MODES = {"sum": ADD, "prod": PROD, "mean": ADD, "amax": MAX, "amin": MIN}
OTHER_NAMES = {"max": "amax", "min": "amin"}


def neutral(dtype, reduce):
    """The number that changes nothing when it is combined."""
    if reduce == "prod":
        return 1
    if reduce in ("sum", "mean"):
        return 0
    if dtype.name == "bool":
        return reduce == "amin"
    if dtype.is_floating_point:
        return float("-inf") if reduce == "amax" else float("inf")
    limits = iinfo(dtype)
    return limits.min if reduce == "amax" else limits.max


def reduce_into(self, dim, index, src, reduce, include_self, mode, counting):
    """Combine `src` into `self`, as `mode` of scatter says; `index` is checked. A mean counts as `counting` says."""
    if not index.numel():
        return
    if not include_self:
        number = empty_near(self, ())
        raw_fill(number, neutral(self.dtype, reduce))
        scatter_into(SET, self, dim, index, number.expand(index.shape))
    scatter_into(mode, self, dim, index, src)
    if reduce == "mean":
        count = empty_near(self, self.shape)
        raw_fill(count, 1 if include_self else 0)
        one = empty_near(self, ())
        raw_fill(one, 1)
        scatter_into(counting, count, dim, index, one.expand(index.shape))
        count = count.masked_fill(count == 0, 1)
        exact = self.dtype.is_floating_point or self.dtype.is_complex
        raw_copy(self, binary_op(3 if exact else 4, self, count))                # div, floor_divide


def _scatter_reduce(self, dim, index, src, reduce, include_self):
    target, places = one_axis(self), one_axis(index)
    if not places.numel():
        return
    places = in_range(places, target.shape[dim], dim)
    src = one_axis(src)
    if not same_shape(src, places):
        src = src[tuple([slice(n) for n in places.shape])]
    reduce_into(target, dim, places, src, reduce, include_self, MODES[reduce], ADD)


scatter_reduce = Written(_scatter_reduce, "scatter_reduce", True)


def scatter_reduce_arguments(self, dim, index, src, reduce, *, include_self=True):
    need_tensor(index, "scatter_reduce", "index", 2)
    need_tensor(src, "scatter_reduce", "src", 3)
    axis = check_scatter(self, dim, index, src)
    reduce = OTHER_NAMES.get(reduce, reduce)
    if reduce not in MODES:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    refuse_reduction(self, index, reduce)
    return axis, index, src, reduce, include_self


def refuse_reduction(self, used, reduce):
    """Raise where PyTorch has no kernel: for complex extremes, if any are `used`; for means of bools, which it divides."""
    if self.dtype.name == "bool" and reduce == "mean" or self.dtype.is_complex and reduce[0] == "a" and used.numel():
        kernel = f"scatter_gather_tensor_cpu_reduce_{reduce}" if used.numel() else "div_floor_cpu"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(self)}'")


@op(name="scatter_reduce", out="exact", inplace=in_place(scatter_reduce, scatter_reduce_arguments))
def _scatter_reduce_copy(input, dim, index, src, reduce, *, include_self=True):
    """`input` with the elements of `src` combined into it along an axis at the places of `index`, which may repeat.

    Parameters
    ----------
    dim : int
    index : Tensor
        int64 or int32, as many axes as `input` and no longer but along `dim`; no negative places.
    src : Tensor
        Of input's dtype, nowhere shorter than `index`.
    reduce : {"sum", "prod", "mean", "amax", "amin"}
    include_self : bool
        Whether input's own elements take part.

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(2).scatter_reduce(0, cygrad.tensor([0, 0, 1]), cygrad.tensor([1., 3., 2.]), "amax")
    tensor([3., 2.])
    """
    axis, places, src, *how = scatter_reduce_arguments(input, dim, index, src, reduce, include_self=include_self)
    if input.is_complex() and (input._tracked() or src._tracked()):
        scatter_reduce(input.detach(), axis, places, src.detach(), *how)        # it may fail otherwise
        raise RuntimeError("scatter_reduce does not support automatic differentiation for outputs with complex dtype.")
    return scatter_reduce(input, axis, places, src, *how)
