# distutils: extra_compile_args = -Os
"""Reading and writing whole slices at places of an axis: `index_select`, `index_add` and the other `index_*`."""
from cygrad.dispatch.overlap cimport refuse_overlap
from cygrad.dispatch.promotion cimport check_scalar
from cygrad.dispatch.raw cimport step_mode
from cygrad.dtype cimport INT32, INT64, plain_of
from cygrad.ops.index.tensor_places cimport put_at, same_off_axis, take_at
from cygrad.view cimport wrap_dim
from cygrad.tensor cimport Tensor

from cygrad.ops.declare.primitives import Written, primitive
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.raw import binary_op, fill_ as raw_fill
from cygrad.errors import warn_once
from cygrad.ops.index.gathering import ADD, SET, in_place, need_tensor, one_axis, scalar_name, warn_if_expanded
from cygrad.ops.index.tensor_places import in_range
from cygrad.ops.declare.op_forms import op
from cygrad.ops.index.scattering import MODES, reduce_into, refuse_reduction


cdef tuple along(int dim, Tensor index):
    """What `take_at` and `put_at` want of an index for one axis."""
    return (index,) if dim == 0 else (None,) * dim + (index,)


cdef bint is_index(Tensor t) noexcept:
    return plain_of(t.dtype).code == INT64 or plain_of(t.dtype).code == INT32


cdef int refuse_no_slices(Tensor self, int axis, Tensor places) except -1:
    """Refuse places along an axis that is empty, of which PyTorch wants a slice before it looks at them."""
    if self.rank and not self.sizes[axis] and places.elements:
        sizes = list(self.shape)
        sizes[axis] = 1
        if 0 not in sizes:
            raise RuntimeError(f"setStorage: sizes {sizes} are out of bounds for storage of size 0")
    return 0


# ------------------------------------------------------------------- index_select

@primitive
def index_select(Tensor self not None, int dim, Tensor index not None):
    cdef Tensor source = one_axis(self), places = one_axis(index), out = None
    if source.sizes[dim] == 0 and places.elements:
        if self.rank == 1:
            raise IndexError("index out of range in self")
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if places.dtype.code == INT64:
        out = take_at(source, along(dim, places), True, False)
    if out is None:
        error, words = IndexError, "index out of range in self"
        if dim == 1:                            # in PyTorch a way of its own
            error, words = RuntimeError, "INDICES element is out of DATA bounds"
        places = in_range(places, source.sizes[dim], dim, error=error, words=words)
        out = take_at(source, along(dim, places), True)
    return out if self.rank else out.reshape(())


@op(name="index_select", out="exact")
def _index_select(Tensor input not None, dim, index):
    """The slices of `input` at the places `index` of an axis.

    Parameters
    ----------
    dim : int
    index : Tensor
        int64 or int32, one axis (or none); no negative places.

    Returns
    -------
    Tensor
        A copy of input's shape, but for axis `dim`, which is as long as `index`.

    Raises
    ------
    IndexError
        If a place is out of range.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([[1, 2], [3, 4], [5, 6]]).index_select(0, cygrad.tensor([2, 0]))
    tensor([[5, 6],
            [1, 2]])
    """
    cdef int axis
    cdef Tensor places
    need_tensor(index, "index_select", "index", 2)
    places, axis = <Tensor>index, wrap_dim(dim, input.rank)
    if places.rank > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not is_index(places):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if input.rank == 0 and places.elements != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {places.elements} value(s)")
    return index_select(input, axis, places)


# ---------------------------------------------------------------------- index_add

cdef int adding(Tensor target, int dim, Tensor places, bint scaled) except -1:
    """The mode of scatter: of several 16-bit additions PyTorch rounds each, but where it has `scatter_add` do them."""
    if not scaled and target.rank > 1 and (dim == 0 or dim == target.rank - 1) and plain_of(places.dtype).code == INT64:
        return ADD
    return step_mode(ADD, target)


def _add_slices(Tensor self not None, int dim, index, source, alpha):
    cdef Tensor target = one_axis(self)
    cdef bint few = dim or target.rank == 1
    cdef Tensor places = one_axis(index)
    cdef int mode = adding(target, dim, places, alpha != 1)
    if alpha != 1:
        check_scalar(self.dtype, alpha)
        if not (self.dtype.is_floating_point or self.dtype.is_complex):
            alpha = bool(alpha) if self.dtype.name == "bool" else int(alpha)
        if mode != ADD:                                         # PyTorch rounds alpha, too
            number = empty_near(self, ())
            raw_fill(number, alpha)
            alpha = number.item()
        source = binary_op(2, source, alpha)                    # mul
    source = source if self.rank else source.reshape(-1)
    if target.rank > 1 and target.elements == 0:                # then PyTorch doesn't look at the places
        return
    if places.dtype.code != INT64 or not put_at(target, along(dim, places), source, mode, False):
        places = in_range(places, target.sizes[dim], dim, False, IndexError if few else RuntimeError,
                          "index out of range in self" if few else None)
        put_at(target, along(dim, places), source, mode)


add_slices = Written(_add_slices, "index_add", True)


def index_add_arguments(self, dim, index, source, *, alpha=1):
    need_tensor(index, "index_add", "index", 2)
    need_tensor(source, "index_add", "source", 3)
    cdef Tensor target = self, places = index, added = source
    cdef int axis = wrap_dim(dim, target.rank)
    if places.rank > 1:
        raise IndexError(f"index_add_(): Index is supposed to be a vector, but got dim: {index.dim()} with type: "
                         f"{scalar_name(index)} and size: {list(index.shape)}")
    if not is_index(places):
        raise RuntimeError(f"index_add_(): Expected dtype int32/int64 for index but got: {scalar_name(index)}")
    if plain_of(target.dtype) is not plain_of(added.dtype):
        raise RuntimeError(f"index_add_(): self ({scalar_name(self)}) and source ({scalar_name(source)}) must have the "
                           "same scalar type")
    cdef Py_ssize_t count = added.sizes[axis] if axis < added.rank else 1
    if axis and axis >= added.rank:
        raise RuntimeError(f"index_add_(): Indexing dim {axis} is out of bounds of the source tensor with dim "
                           f"{added.rank}")
    if added.rank == 0 and places.elements != 1:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if target.rank and places.elements != count:
        raise RuntimeError(f"index_add_(): Number of indices ({index.numel()}) should be equal to source.size(dim): "
                           f"({count}), for dim: {axis}")
    if not same_off_axis(target, added, axis):
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                           f"self.shape = {list(self.shape)} source.shape = {list(source.shape)}")
    return axis, index, source, alpha


@op(out="exact", inplace=in_place(add_slices, index_add_arguments))
def index_add(input, dim, index, source, *, alpha=1):
    """`input` with ``alpha * source`` added to its slices at the places `index` of an axis; places may repeat.

    Parameters
    ----------
    dim : int
    index : Tensor
        int64 or int32, one axis (or none); no negative places.
    source : Tensor
        Of input's dtype and shape, but for axis `dim`, which is as long as `index`.
    alpha : number

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(3).index_add(0, cygrad.tensor([0, 2, 0]), cygrad.tensor([1., 2., 3.]))
    tensor([4., 0., 2.])
    """
    return add_slices(input, *index_add_arguments(input, dim, index, source, alpha=alpha))


# --------------------------------------------------------------------- index_copy

def _copy_slices(self, dim, index, source):
    target = one_axis(self)
    places = in_range(one_axis(index), target.shape[dim], dim, error=IndexError,
                      words="index_copy_(): index {} is out of bounds for dimension {} with size {}")
    put_at(target, along(dim, places), source.reshape(places.shape) if target.dim() == 1 else source, SET)


copy_slices = Written(_copy_slices, "index_copy", True)


cdef str off_axis(Tensor t, int axis):
    return " ".join([str(t.sizes[d]) for d in range(t.rank) if d != axis])


def index_copy_arguments(Tensor self not None, dim, index, source):
    need_tensor(index, "index_copy", "index", 2)
    need_tensor(source, "index_copy", "source", 3)
    cdef Tensor places = index, copied = source
    cdef int axis = wrap_dim(dim, self.rank)
    cdef Py_ssize_t count = places.elements
    if places.rank > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {places.rank})")
    if copied.rank == 0 and count != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {count})")
    if copied.rank != self.rank and copied.rank != 0 and self.rank != 0:
        raise IndexError("index_copy_(): When source and destination are not scalars, their dimensionality must match. "
                         f"Source dimensionality ({copied.rank}), destination dimensionality ({self.rank})")
    if plain_of(places.dtype).code != INT64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {scalar_name(index)}")
    if plain_of(self.dtype) is not plain_of(copied.dtype):
        raise RuntimeError("index_copy_(): self and source expected to have the same dtype, but got (self) "
                           f"{scalar_name(self)} and (source) {scalar_name(source)}")
    if not same_off_axis(self, copied, axis) and (self.rank > 1 or copied.rank > 1):
        raise RuntimeError("index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
                           f"shape: {off_axis(self, axis)} at dimension {axis} and source slice shape: "
                           f"{off_axis(copied, axis)} at dimension 0.")
    if copied.rank and count != copied.sizes[axis]:
        raise IndexError(f"index_copy_(): Number of indices ({count}) should be equal to source.size(dim) "
                         f"({copied.sizes[axis]})")
    refuse_no_slices(self, axis, places)
    return axis, index, source


@op(out="exact", inplace=in_place(copy_slices, index_copy_arguments))
def index_copy(input, dim, index, source):
    """`input` with the slices at the places `index` of an axis replaced by those of `source`.

    Parameters
    ----------
    dim : int
    index : Tensor
        int64, one axis (or none); no negative places.
    source : Tensor
        Of input's dtype and shape, but for axis `dim`, which is as long as `index`.

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(3).index_copy(0, cygrad.tensor([0, 2]), cygrad.tensor([1., 2.]))
    tensor([1., 0., 2.])
    """
    return copy_slices(input, *index_copy_arguments(input, dim, index, source))


# --------------------------------------------------------------------- index_fill

def _fill_slices(self, dim, index, value):
    target = one_axis(self)
    if not target.numel():
        return
    places = in_range(one_axis(index), target.shape[dim], dim, True, IndexError)
    number = empty_near(self, ())
    raw_fill(number, value.item() if isinstance(value, Tensor) else value)
    put_at(target, along(dim, places), number, SET)


fill_slices = Written(_fill_slices, "index_fill")


@Written
def index_fill_tensor(self, dim, index, value):
    _fill_slices(self, dim, index, value)


fill_slices.may_overlap = index_fill_tensor.may_overlap = True


def index_fill_arguments(Tensor self not None, dim, index, value):
    need_tensor(index, "index_fill", "index", 2)
    cdef Tensor places = index
    cdef bint as_tensor = isinstance(value, Tensor)
    if as_tensor and (<Tensor>value).rank:
        raise RuntimeError("index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{(<Tensor>value).rank} dimension(s).")
    cdef int axis = wrap_dim(dim, self.rank)
    if plain_of(places.dtype).code != INT64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if places.rank > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if not self.dtype.is_complex and ((<Tensor>value).dtype.is_complex if as_tensor else isinstance(value, complex)):
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    if not as_tensor:
        check_scalar(self.dtype, value)
    refuse_no_slices(self, axis, places)
    return axis, index, value


def _index_fill_(self, dim, index, value):
    """In-place version of `index_fill`: writes the result into the tensor and returns it."""
    arguments = index_fill_arguments(self, dim, index, value)
    writer = index_fill_tensor if isinstance(value, Tensor) else fill_slices
    warn_if_expanded(self, "index_fill_", "tensor[mask] = scalar")
    refuse_overlap(self, <Tensor>arguments[1], True)
    return writer.inplace_on_itself(self, *arguments)


@op(inplace=_index_fill_)
def index_fill(input, dim, index, value):
    """`input` with the slices at the places `index` of an axis filled with one number.

    Parameters
    ----------
    dim : int
    index : Tensor
        int64, one axis (or none); negative places count from the end.
    value : number or 0-d Tensor

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(3).index_fill(0, cygrad.tensor([0, 2]), 5)
    tensor([5., 0., 5.])
    """
    arguments = index_fill_arguments(input, dim, index, value)
    return (index_fill_tensor if isinstance(value, Tensor) else fill_slices)(input, *arguments)


# ------------------------------------------------------------------- index_reduce

def _reduce_slices(self, dim, index, source, reduce, include_self):
    target = one_axis(self)
    places = in_range(one_axis(index), target.shape[dim], dim, False, IndexError if target.dim() == 1 else RuntimeError)
    source = one_axis(source)
    wide = places.view((-1,) + (1,) * (target.dim() - dim - 1)).expand(source.shape)
    reduce_into(target, dim, wide, source, reduce, include_self, step_mode(MODES[reduce], target),
                adding(target, dim, places, False))


reduce_slices = Written(_reduce_slices, "index_reduce", True)


def index_reduce_arguments(self, dim, index, source, reduce, *, include_self=True):
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    arguments = index_add_arguments(self, dim, index, source)[:3]
    warn_once("index_reduce() is in beta and the API may change at any time.")
    if (not include_self or self.dim() < 2) and (self.dtype.is_complex or self.dtype.name == "bool"):
        kernel = "index_func_" if include_self else "index_reduce_func_exclude_input_init"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(self)}'")
    if not include_self:
        refuse_no_slices(self, arguments[0], index)
    if index.numel():
        refuse_reduction(self, index, reduce)
    return (*arguments, reduce, include_self)


@op(out="exact", inplace=in_place(reduce_slices, index_reduce_arguments))
def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    """`input` with the slices of `source` combined into its slices at the places `index` of an axis.

    Parameters
    ----------
    dim : int
    index : Tensor
        int64 or int32, one axis (or none); no negative places.
    source : Tensor
        Of input's dtype and shape, but for axis `dim`, which is as long as `index`.
    reduce : {"prod", "mean", "amax", "amin"}
    include_self : bool
        Whether input's own elements take part.

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.ones(2).index_reduce(0, cygrad.tensor([0, 0]), cygrad.tensor([2., 3.]), "prod")
    tensor([6., 1.])
    """
    arguments = index_reduce_arguments(input, dim, index, source, reduce, include_self=include_self)
    if input.dtype.is_complex and (input._tracked() or source._tracked()):
        raise RuntimeError("index_reduce does not support automatic differentiation for outputs with complex dtype.")
    return reduce_slices(input, *arguments)
