"""Ops that show a part of a tensor: an index or a stretch of an axis, a diagonal, windows. Geometry alone."""
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject

from cygrad.ops.declare.op cimport Op, tracked
from cygrad.dispatch.sizes cimport add_overflows, multiply_overflows
from cygrad.ops.shape.views cimport parse_shape
from cygrad.dispatch.kernel_calls cimport cast
from cygrad.dtype cimport plain_of
from cygrad.storage cimport VersionCounter
from cygrad.tensor cimport CREATED_BY_MULTI_OUTPUT, Tensor, view_of
from cygrad.view cimport check_inside, size_of, tuple_of, wrap_dim

from cygrad.ops.declare.op_forms import op

cdef extern from "Python.h":
    ctypedef struct PySlice "PySliceObject":
        PyObject *start
        PyObject *stop
        PyObject *step

cdef Op SELECT = Op("select", "self", "dim", "index")
cdef Op SLICE = Op("slice", "self", "dim", "start", "stop", "step")
cdef Op DIAGONAL = Op("diagonal", "self", "offset", "dim1", "dim2")
cdef Op UNFOLD = Op("unfold", "self", "dimension", "size", "step")
cdef Op AS_STRIDED = Op("as_strided", "self", "size", "stride", "storage_offset")
cdef Op UNBIND = Op("unbind", "self", "dim")
cdef Op SPLIT = Op("split_with_sizes", "self", "split_sizes", "dim")
cdef Op SPLIT_EVENLY = Op("split", "self", "split_size", "dim")
cdef Op UNSAFE_SPLIT = Op("unsafe_split", "self", "split_size", "dim")
cdef Op UNSAFE_SPLIT_WITH_SIZES = Op("unsafe_split_with_sizes", "self", "split_sizes", "dim")


cdef Tensor select_(Tensor t, int dim, Py_ssize_t index):
    """The slice at `index` (checked by the caller, not negative) of axis `dim`."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef int i
    cdef Tensor out
    for i in range(t.rank - 1):
        sizes[i] = t.sizes[i if i < dim else i + 1]
        strides[i] = t.strides[i if i < dim else i + 1]
    out = view_of(t, t.offset + index * t.strides[dim], t.rank - 1, sizes, strides)
    if tracked(t):
        SELECT.record(out, (t, dim, index))
    return out


def select(Tensor input not None, Py_ssize_t dim, Py_ssize_t index):
    """The view of `input` at one index of axis `dim`, which is removed.

    Parameters
    ----------
    dim : int
        The axis.
    index : int
        The place; negative ones count from the end.

    Returns
    -------
    Tensor
        A view with one axis fewer.

    Raises
    ------
    IndexError
        If the place is out of range, or there is no axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.select(cygrad.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([3, 4])
    """
    if input.rank == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.rank)
    cdef Py_ssize_t size = input.sizes[dim]
    if index < -size or index >= size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(size_of(input))} at dimension "
                         f"{dim}")
    return select_(input, dim, index + size if index < 0 else index)


cdef Tensor slice_(Tensor t, int dim, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t step):
    """Every step-th element of axis `dim` from start to stop (normalised by the caller)."""
    cdef Py_ssize_t reach, stride
    if add_overflows(stop - start, step - 1, &reach) or multiply_overflows(t.strides[dim], step, &stride):
        raise too_far(t, dim, step)
    cdef Tensor out = view_of(t, t.offset + start * t.strides[dim], t.rank, t.sizes, t.strides)
    out.sizes[dim] = reach // step
    out.strides[dim] = stride
    out.finish()
    if tracked(t):
        SLICE.record(out, (t, dim, start, stop, step))
    return out


cdef object too_far(Tensor t, int dim, object step):
    """PyTorch's error where the step of a slice leaves the range of an address."""
    sizes, strides = list(size_of(t)), list(tuple_of(t.strides, t.rank))
    sizes[dim], strides[dim] = -1, (strides[dim] * step + (1 << 63)) % (1 << 64) - (1 << 63)    # it wraps around there
    if strides[dim] < 0:
        return RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {strides}")
    return RuntimeError(f"Storage size calculation overflowed with sizes={sizes} and strides={strides}")


cdef int slice_bounds(object index, Py_ssize_t size, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t *step) except -1:
    """Bounds of a Python slice on an axis, by PyTorch's rules: clamped, steps positive."""
    cdef object first = <object>(<PySlice *>index).start, last = <object>(<PySlice *>index).stop
    cdef object by = <object>(<PySlice *>index).step
    step[0] = 1 if by is None else slice_number(by)
    if step[0] == 0:
        raise ValueError("slice step cannot be zero")
    if step[0] <= 0:
        raise ValueError("step must be greater than zero")
    start[0] = 0 if first is None else slice_number(first)
    stop[0] = size if last is None else slice_number(last)
    if start[0] < 0:
        start[0] = max(start[0] + size, 0)
    if stop[0] < 0:
        stop[0] = max(stop[0] + size, 0)
    start[0] = min(start[0], size)
    stop[0] = min(max(stop[0], start[0]), size)
    return 0


cdef bint counts_back(object index) except -1:
    """Whether a slice counts from the end: it is a view even where it shows all, as in PyTorch."""
    cdef object first = <object>(<PySlice *>index).start, last = <object>(<PySlice *>index).stop
    return PyLong_CheckExact(first) and first < 0 or PyLong_CheckExact(last) and last < 0


cdef bint is_plain_slice(object index) noexcept:
    """Whether a slice holds nothing but ints and None: then reading it runs no code that could change a tensor."""
    cdef PySlice *s = <PySlice *>index
    return ((s.start == <PyObject *>None or PyLong_CheckExact(<object>s.start))
            and (s.stop == <PyObject *>None or PyLong_CheckExact(<object>s.stop))
            and (s.step == <PyObject *>None or PyLong_CheckExact(<object>s.step)))


def plain_slice(index):
    """A slice of ints and None for any slice."""
    return slice(*[None if x is None else slice_number(x) for x in (index.start, index.stop, index.step)])


cdef Py_ssize_t slice_number(object x) except? -1:
    if PyLong_CheckExact(x):
        if x > <Py_ssize_t>0x7fffffffffffffff:
            return <Py_ssize_t>0x7fffffffffffffff
        if x < -<Py_ssize_t>0x7fffffffffffffff:
            return -<Py_ssize_t>0x7fffffffffffffff
        return x
    try:
        return x.__index__()
    except (AttributeError, TypeError):
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None


def slice_along(Tensor self not None, Py_ssize_t dim, index):
    """`self` with a Python slice applied to axis `dim`."""
    cdef Py_ssize_t start, stop, step
    dim = wrap_dim(dim, self.rank)
    slice_bounds(index, self.sizes[dim], &start, &stop, &step)
    return slice_(self, dim, start, stop, step)


def narrow(Tensor input not None, Py_ssize_t dim, start, Py_ssize_t length):
    """The view of `length` elements of axis `dim` from `start` on.

    Parameters
    ----------
    dim : int
        The axis.
    start : int or 0-d Tensor
        The first element; negative places count from the end.
    length : int
        How many elements.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    RuntimeError
        If the part reaches beyond the axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.narrow(cygrad.arange(5), 0, 1, 3)
    tensor([1, 2, 3])
    """
    if isinstance(start, Tensor) and (
            (<Tensor>start).rank or (<Tensor>start).dtype.is_floating_point or (<Tensor>start).dtype.name == "bool"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    cdef Py_ssize_t first = int(start), size           # before a look at the tensor, which __int__ may change
    if input.rank == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = wrap_dim(dim, input.rank)
    size = input.sizes[dim]
    if first < -size or first > size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {first})")
    if first < 0:
        first += size
    if length > size - first:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return slice_(input, dim, first, first + length, 1)


# ------------------------------------------------------- several parts at once

cdef mark_multi_output(list outs):
    for t in outs:
        if (<Tensor>t).creation == 0:
            (<Tensor>t).creation = CREATED_BY_MULTI_OUTPUT


def unbind(Tensor input not None, Py_ssize_t dim=0):
    """Tuple of the slices of `input` along an axis, which is removed.

    Parameters
    ----------
    dim : int
        The axis.

    Returns
    -------
    tuple of Tensor
        Views, one for each place.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.unbind(cygrad.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    cdef Py_ssize_t i
    cdef list outs = []
    if input.rank == 0 and -1 <= dim <= 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = wrap_dim(dim, input.rank)
    for i in range(input.sizes[dim]):
        outs.append(plain_view(input, dim, i, -1))
    if tracked(input):
        UNBIND.record(tuple(outs), (input, dim))
    mark_multi_output(outs)
    return tuple(outs)


cdef Tensor plain_view(Tensor t, int dim, Py_ssize_t start, Py_ssize_t length):
    """Unrecorded select (length -1) or slice."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef int i
    if length >= 0:
        out = view_of(t, t.offset + start * t.strides[dim], t.rank, t.sizes, t.strides)
        (<Tensor>out).sizes[dim] = length
        (<Tensor>out).finish()
        return out
    for i in range(t.rank - 1):
        sizes[i] = t.sizes[i if i < dim else i + 1]
        strides[i] = t.strides[i if i < dim else i + 1]
    return view_of(t, t.offset + start * t.strides[dim], t.rank - 1, sizes, strides)


def split_with_sizes(Tensor input not None, split_sizes, Py_ssize_t dim=0):
    """Views of consecutive parts of an axis, of the sizes given, which add up to the axis.

    Parameters
    ----------
    split_sizes : sequence of int
        Their sum is the axis' size.
    dim : int
        The axis.

    Returns
    -------
    tuple of Tensor
        Views.

    Raises
    ------
    RuntimeError
        If the sizes don't add up.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.split_with_sizes(cygrad.arange(4), [1, 3])
    (tensor([0]), tensor([1, 2, 3]))
    """
    return split_at(input, split_sizes, dim, False)


def split_at(Tensor input not None, split_sizes, Py_ssize_t dim, bint apart):
    """`split_with_sizes`, or with `apart` its parts as no views (`parts`)."""
    if input.rank == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = wrap_dim(dim, input.rank)
    lengths = tuple(split_sizes)
    for n in lengths:
        if n < 0:
            raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, but got "
                               f"split_sizes={list(lengths)}")
    if sum(lengths) != input.sizes[dim]:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {input.sizes[dim]} (input tensor's "
                           f"size at dimension {dim}), but got split_sizes={list(lengths)}")
    return parts(input, dim, lengths, UNSAFE_SPLIT_WITH_SIZES if apart else SPLIT, (input, lengths, dim), apart)


cdef tuple parts(Tensor t, int dim, tuple lengths, Op op, tuple args, bint apart):
    """Consecutive parts of an axis, outputs of one node: views, or `apart`, which autograd does not take for views."""
    cdef Py_ssize_t start = 0
    cdef list outs = []
    cdef Tensor out, source = cast(t, plain_of(t.dtype)) if apart else t        # PyTorch resolves lazy ones for these
    for n in lengths:
        out = plain_view(source, dim, start, n)
        if apart:
            out.base, out.creation, out.counter = None, 0, VersionCounter.__new__(VersionCounter)
        outs.append(out)
        start += n
    if tracked(t):
        op.record(tuple(outs), args)
    if not apart:
        mark_multi_output(outs)
    return tuple(outs)


def split_evenly(Tensor input not None, Py_ssize_t split_size, Py_ssize_t dim, bint apart=False):
    """Parts of an axis (`parts`), of `split_size` each; the last may be smaller."""
    cdef Py_ssize_t size, count
    if input.rank == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    dim = wrap_dim(dim, input.rank)
    size = input.sizes[dim]
    if split_size == 0 and size != 0:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
    count = max((size + split_size - 1) // split_size, 1) if split_size else 1
    lengths = (split_size,) * (count - 1) + (size - split_size * (count - 1),)
    return parts(input, dim, lengths, UNSAFE_SPLIT if apart else SPLIT_EVENLY, (input, split_size, dim), apart)


# --------------------------------------- parts of planes, windows, any strides

def diagonal(Tensor input not None, Py_ssize_t offset=0, Py_ssize_t dim1=0, Py_ssize_t dim2=1):
    """The view of a diagonal of the planes of axes dim1 and dim2, as a new last axis.

    Parameters
    ----------
    offset : int
        Which diagonal: 0 the main one, positive ones above it.
    dim1, dim2 : int
        The plane.

    Returns
    -------
    Tensor
        A view without axes `dim1` and `dim2`, and with the diagonal as its last axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.diagonal(cygrad.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t length, start = input.offset
    cdef int i, kept = 0
    cdef Tensor out
    given = dim1, dim2
    dim1, dim2 = wrap_dim(dim1, input.rank), wrap_dim(dim2, input.rank)
    if dim1 == dim2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {given[0]}, {given[1]}")
    if offset >= 0:
        length = max(min(input.sizes[dim1], input.sizes[dim2] - offset), 0)
        if length:
            start += offset * input.strides[dim2]
    else:
        length = max(min(input.sizes[dim1] + offset, input.sizes[dim2]), 0)
        if length:
            start -= offset * input.strides[dim1]
    for i in range(input.rank):
        if i != dim1 and i != dim2:
            sizes[kept], strides[kept] = input.sizes[i], input.strides[i]
            kept += 1
    sizes[kept] = length
    strides[kept] = input.strides[dim1] + input.strides[dim2]
    out = view_of(input, start, input.rank - 1, sizes, strides)
    if tracked(input):
        DIAGONAL.record(out, (input, offset, dim1, dim2))
    return out


def unfold(Tensor self not None, Py_ssize_t dimension, Py_ssize_t size, Py_ssize_t step):
    """The view of all windows of `size` elements, `step` apart, along an axis; the window is a new last axis.

    Parameters
    ----------
    dimension : int
        The axis.
    size, step : int
        Of a window, and from one window to the next.

    Returns
    -------
    Tensor
        A view with one axis more.

    Raises
    ------
    RuntimeError
        If the axis is shorter than a window.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    cdef Py_ssize_t sizes[65]
    cdef Py_ssize_t strides[65]
    cdef int i
    cdef Tensor out
    dimension = wrap_dim(dimension, self.rank)
    cdef Py_ssize_t length = self.sizes[dimension] if self.rank else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dimension} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    for i in range(self.rank):
        sizes[i], strides[i] = self.sizes[i], self.strides[i]
    sizes[self.rank] = size
    strides[self.rank] = self.strides[dimension] if self.rank else 1
    if self.rank:
        sizes[dimension] = (length - size) // step + 1
        strides[dimension] = self.strides[dimension] * step
    out = view_of(self, self.offset, self.rank + 1, sizes, strides)
    if tracked(self):
        UNFOLD.record(out, (self, dimension, size, step))
    return out


def as_strided(Tensor input not None, size, stride, storage_offset=None):
    """A view of input's storage with any sizes, strides and offset (in elements).

    Parameters
    ----------
    size, stride : sequence of int
        Sizes, and steps in elements.
    storage_offset : int, optional
        Where the first element is in the storage; where input's is when omitted.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    RuntimeError
        If the geometry reaches beyond the storage.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.arange(5).as_strided((3, 3), (1, 1))
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t first
    cdef int rank = parse_shape((tuple(size),), sizes, "as_strided")
    cdef Tensor out
    if parse_shape((tuple(stride),), strides, "as_strided") != rank:
        raise RuntimeError("mismatch in length of strides and shape")
    first = input.offset if storage_offset is None else storage_offset
    check_inside(input.memory, input.dtype, first, rank, sizes, strides)
    out = view_of(input, first, rank, sizes, strides)
    if tracked(input):
        AS_STRIDED.record(out, (input, tuple_of(sizes, rank), tuple_of(strides, rank), first))
    return out


for _function in (select, narrow, unbind, split_with_sizes, diagonal, as_strided):
    op(_function)
op(unfold, only_method=True)
