"""Ops that only change geometry: each computes sizes, strides and an offset, shares the storage and runs no kernel.

Every function here ends in `recorded`, which makes the tensor and, when the input is tracked, its node. Basic
indexing (integers, slices, None, Ellipsis) is one pass over the index when nothing is tracked, and one op a step, with
PyTorch's nodes, when something is.
"""
from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from cpython.slice cimport PySlice_Check
from cpython.tuple cimport PyTuple_CheckExact

from cygrad.autograd.node cimport Derivative, OpNode, attach, check_inplace, check_overlap, find_row, grad_enabled, record
from cygrad.dispatch cimport copy_into, dense_copy, fill_into
from cygrad.dtype cimport DType
from cygrad.tensor cimport CREATED_BY_MULTI_OUTPUT, Tensor, bump_version, new_tensor, requires_grad, view_of
from cygrad.view cimport MAX_RANK, View, fill_dense, fill_strided, same_sizes, size_of, tuple_of

from cygrad.dispatch import SCALAR_NAMES
from cygrad.ops.registry import add_op, op


cdef class ViewOp:
    """An op's derivative row, looked up when first needed."""
    cdef str name
    cdef tuple arguments
    cdef Derivative row

    def __init__(self, name, *arguments):
        self.name, self.arguments = name, arguments

    cdef Derivative derivative(self):
        if self.row is None:
            self.row = find_row(self.name, self.arguments)
        return self.row


cdef ViewOp VIEW = ViewOp("view", "self", "size")
cdef ViewOp T = ViewOp("t", "self")
cdef ViewOp TRANSPOSE = ViewOp("transpose", "self", "dim0", "dim1")
cdef ViewOp PERMUTE = ViewOp("permute", "self", "dims")
cdef ViewOp EXPAND = ViewOp("expand", "self", "size")
cdef ViewOp SELECT = ViewOp("select", "self", "dim", "index")
cdef ViewOp SLICE = ViewOp("slice", "self", "dim", "start", "stop", "step")
cdef ViewOp SQUEEZE = ViewOp("squeeze", "self")
cdef ViewOp SQUEEZE_DIM = ViewOp("squeeze_dim", "self", "dim")
cdef ViewOp SQUEEZE_DIMS = ViewOp("squeeze_dims", "self", "dims")
cdef ViewOp UNSQUEEZE = ViewOp("unsqueeze", "self", "dim")
cdef ViewOp DIAGONAL = ViewOp("diagonal", "self", "offset", "dim1", "dim2")
cdef ViewOp UNFOLD = ViewOp("unfold", "self", "dimension", "size", "step")
cdef ViewOp AS_STRIDED = ViewOp("as_strided", "self", "size", "stride", "storage_offset")
cdef ViewOp ALIAS = ViewOp("alias", "self")
cdef ViewOp UNBIND = ViewOp("unbind", "self", "dim")
cdef ViewOp SPLIT = ViewOp("split_with_sizes", "self", "split_sizes", "dim")
cdef ViewOp SPLIT_EVENLY = ViewOp("split", "self", "split_size", "dim")
cdef ViewOp RESHAPE_COPY = ViewOp("clone", "self")
cdef ViewOp RESHAPE_ALIAS = ViewOp("reshape_alias", "self", "size")
cdef ViewOp UNSAFE_VIEW = ViewOp("unsafe_view", "self", "size")


cdef inline bint tracked(Tensor t) noexcept:
    return grad_enabled() and requires_grad(t)


cdef int recorded(Tensor out, ViewOp op, tuple args) except -1:
    cdef OpNode node = record(op.derivative(), args)
    attach(node, out)
    return 0


# --------------------------------------------------------------------- helpers

cdef int wrap_dim(Py_ssize_t dim, int rank) except -1:
    """A dim counted from the front; a 0-d tensor has the dims -1 and 0."""
    cdef int span = rank if rank > 0 else 1
    if dim < -span or dim >= span:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but got {dim})")
    return <int>(dim + span if dim < 0 else dim)


def wrap(dim, int rank):
    """A dim counted from the front, with PyTorch's error."""
    return wrap_dim(dim, rank)


cdef int parse_shape(tuple args, Py_ssize_t *sizes, str name) except -1:
    """Sizes given as `f(2, 3)`, `f((2, 3))` or `f([2, 3])`; returns how many."""
    cdef int rank = 0
    shape = args
    if len(args) == 1 and not PyLong_CheckExact(args[0]):
        if isinstance(args[0], (tuple, list)):
            shape = args[0]
    if len(shape) > MAX_RANK:
        raise RuntimeError(f"tensor has too many (>{MAX_RANK}) dims: {len(shape)}")
    for n in shape:
        if PyLong_CheckExact(n):
            sizes[rank] = n
        else:
            try:
                sizes[rank] = n.__index__()
            except (AttributeError, TypeError):
                raise TypeError(f"{name}(): argument 'size' must be tuple of ints, but found element of type "
                                f"{type(n).__name__} at pos {rank}") from None
        rank += 1
    return rank


cdef int infer_size(Tensor t, int rank, Py_ssize_t *sizes) except -1:
    """Replace a -1 among the sizes and check that they hold t's elements."""
    cdef Py_ssize_t known = 1
    cdef int i, unknown = -1
    for i in range(rank):
        if sizes[i] == -1:
            if unknown >= 0:
                raise RuntimeError("only one dimension can be inferred")
            unknown = i
        elif sizes[i] < 0:
            raise RuntimeError(f"invalid shape dimension {sizes[i]} at index {i} of shape "
                               f"{list(tuple_of(sizes, rank))}")
        else:
            known *= sizes[i]
    if unknown >= 0 and known > 0 and t.elements % known == 0:
        sizes[unknown] = t.elements // known
    elif unknown >= 0 and known == 0 and t.elements == 0:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(tuple_of(sizes, rank))} because the "
                           "unspecified dimension size -1 can be any value and is ambiguous")
    elif unknown >= 0 or known != t.elements:
        raise RuntimeError(f"shape '{list(tuple_of(sizes, rank))}' is invalid for input of size {t.elements}")
    return 0


cdef bint view_strides(Tensor t, int rank, const Py_ssize_t *sizes, Py_ssize_t *strides) noexcept:
    """Strides that show t's elements in row-major order under these sizes; False where a copy is needed."""
    cdef Py_ssize_t block = 1, seen = 1, base, step
    cdef int i, last = rank - 1
    if t.dense or t.elements == 0:
        step = 1
        if t.elements == 0 and same_shape(t, rank, sizes):
            for i in range(rank):
                strides[i] = t.strides[i]
            return True
        for i in range(rank - 1, -1, -1):
            strides[i] = step
            if sizes[i] > 1:
                step *= sizes[i]
        return True
    base = t.strides[t.rank - 1]
    for i in range(t.rank - 1, -1, -1):
        block *= t.sizes[i]
        if i == 0 or (t.sizes[i - 1] != 1 and t.strides[i - 1] != block * base):
            while last >= 0 and (seen < block or sizes[last] == 1):     # new axes that fill this block
                strides[last] = seen * base
                seen *= sizes[last]
                last -= 1
            if seen != block:
                return False
            if i > 0:
                base = t.strides[i - 1]
                block = seen = 1
    return last == -1


cdef bint same_shape(Tensor t, int rank, const Py_ssize_t *sizes) noexcept:
    cdef int i
    if t.rank != rank:
        return False
    for i in range(rank):
        if t.sizes[i] != sizes[i]:
            return False
    return True


# ------------------------------------------------------------- view and reshape

cdef Tensor view_sizes(Tensor t, int rank, Py_ssize_t *sizes):
    cdef Py_ssize_t strides[64]
    cdef Tensor out
    infer_size(t, rank, sizes)
    if not view_strides(t, rank, sizes, strides):
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension "
                           "spans across two contiguous subspaces). Use .reshape(...) instead.")
    out = view_of(t, t.offset, rank, sizes, strides)
    if tracked(t):
        recorded(out, VIEW, (t, None))
    return out


cdef Tensor reshape_(Tensor t, int rank, Py_ssize_t *sizes):
    """A view where one exists, else a view of a row-major copy."""
    cdef Py_ssize_t strides[64]
    cdef Tensor out, copy
    infer_size(t, rank, sizes)
    if view_strides(t, rank, sizes, strides):
        out = view_of(t, t.offset, rank, sizes, strides)
        if tracked(t):
            recorded(out, VIEW if t.dense else RESHAPE_ALIAS, (t, None))
        return out
    copy = dense_copy(t)
    if tracked(t):
        recorded(copy, RESHAPE_COPY, (t,))
    out = new_tensor()                                     # not a view: nothing else shows the copy
    fill_dense(out, copy.memory, copy.dtype, rank, sizes)
    if copy.node is not None:
        recorded(out, UNSAFE_VIEW, (copy, None))
    return out


def view(Tensor self not None, *shape, dtype=None):
    """The same elements in row-major order under another shape (or, given a dtype, the same bytes).

    Parameters
    ----------
    *shape : int
        One size may be -1 and is inferred.

    Returns
    -------
    Tensor
        Shares self's storage.

    Raises
    ------
    RuntimeError
        If the sizes don't fit, or the strides would need a copy (`reshape` makes one).
    """
    cdef Py_ssize_t sizes[64]
    cdef int rank
    if dtype is not None or (len(shape) == 1 and isinstance(shape[0], DType)):
        from cygrad.ops.shape import view_dtype
        return view_dtype(self, shape[0] if dtype is None else dtype)
    try:
        if not shape:
            raise TypeError
        rank = parse_shape(shape, sizes, "view")
    except TypeError:
        raise TypeError("view() received an invalid combination of arguments - got ("
                        f"{', '.join([type(n).__name__ for n in shape])}), but expected one of: a dtype; sizes") from None
    return view_sizes(self, rank, sizes)


def reshape(Tensor input not None, *shape):
    """The elements of `input` in row-major order under another shape: a view where possible, else a copy.

    Parameters
    ----------
    *shape : int, or one tuple of them
        One size may be -1 and is inferred.
    """
    cdef Py_ssize_t sizes[64]
    if not shape:
        raise TypeError("reshape() missing 1 required positional arguments: \"shape\"")
    return reshape_(input, parse_shape(shape, sizes, "reshape"), sizes)


def flatten(Tensor input not None, Py_ssize_t start_dim=0, Py_ssize_t end_dim=-1):
    """The axes from `start_dim` to `end_dim` as one: a view where there is one, else a copy.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(2, 3, 4).flatten(1).shape
    cygrad.Size([2, 12])
    """
    cdef Py_ssize_t sizes[64]
    cdef int start = wrap_dim(start_dim, input.rank), end = wrap_dim(end_dim, input.rank), i, rank = 0
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if input.rank == 0:
        sizes[0] = 1
        return reshape_(input, 1, sizes)
    if start == end:
        return input
    for i in range(input.rank):
        if start < i <= end:
            sizes[start] *= input.sizes[i]
        else:
            sizes[rank] = input.sizes[i]
            rank += 1
    return reshape_(input, rank, sizes)


def view_as(Tensor self not None, Tensor other not None):
    """`self.view(other.shape)`."""
    return view(self, size_of(other))


def reshape_as(Tensor self not None, Tensor other not None):
    """`self.reshape(other.shape)`."""
    return reshape(self, size_of(other))


cdef Tensor alias_(Tensor t):
    """A view of the whole tensor."""
    cdef Tensor out = view_of(t, t.offset, t.rank, t.sizes, t.strides)
    if tracked(t):
        recorded(out, ALIAS, (t,))
    return out


def alias(Tensor self not None):
    """A view of the whole tensor."""
    return alias_(self)


# --------------------------------------------------------------------- expand

cdef Tensor expand_sizes(Tensor t, int rank, Py_ssize_t *sizes):
    cdef Py_ssize_t strides[64]
    cdef int i, j, missing = rank - t.rank
    cdef Tensor out
    if missing < 0:
        raise RuntimeError(f"expand({type_words(t)}, size={list(tuple_of(sizes, rank))}): the number of sizes provided "
                           f"({rank}) must be greater or equal to the number of dimensions in the tensor ({t.rank})")
    for i in range(rank - 1, -1, -1):
        j = i - missing
        if j < 0:
            if sizes[i] < 0:
                raise RuntimeError(f"The expanded size of the tensor ({sizes[i]}) isn't allowed in a leading, "
                                   f"non-existing dimension {i}")
            strides[i] = 0
        elif sizes[i] == -1 or sizes[i] == t.sizes[j]:
            sizes[i] = t.sizes[j]
            strides[i] = t.strides[j]
        elif t.sizes[j] == 1:
            if sizes[i] < 0:
                raise RuntimeError("numel: integer multiplication overflow")
            strides[i] = 0
        else:
            raise RuntimeError(
                f"The expanded size of the tensor ({sizes[i]}) must match the existing size ({t.sizes[j]}) at "
                f"non-singleton dimension {i}.  Target sizes: {list(tuple_of(sizes, rank))}.  Tensor sizes: "
                f"{list(size_of(t))}")
    out = view_of(t, t.offset, rank, sizes, strides)
    if tracked(t):
        recorded(out, EXPAND, (t, None))
    return out


cdef str type_words(Tensor t):
    """A tensor's type and shape as PyTorch's messages give them: the newer dtypes by another kind of name."""
    cdef str name = SCALAR_NAMES[t.dtype.code]
    if name in ("Bool", "BFloat16", "ComplexFloat", "ComplexDouble"):
        kind = f"{t.device.type.upper()}{name}Type"
    else:
        kind = t.type().replace("cygrad", "torch")
    return kind + "{" + repr(list(size_of(t))) + "}"


def expand(Tensor self not None, *sizes):
    """A view in which axes of size 1 are repeated (stride 0) to the sizes given; -1 keeps a size.

    Raises
    ------
    RuntimeError
        If an axis that is not of size 1 would change.
    """
    cdef Py_ssize_t wanted[64]
    return expand_sizes(self, parse_shape(sizes, wanted, "expand"), wanted)


def expand_as(Tensor self not None, Tensor other not None):
    """`self.expand(other.shape)`."""
    return expand(self, size_of(other))


def broadcast_to(Tensor input not None, size):
    """`input` broadcast to the shape `size`, as a view."""
    return expand(input, size)


# ---------------------------------------------------------- order of the axes

cdef Tensor transpose_(Tensor t, int dim0, int dim1):
    cdef Tensor out
    out = view_of(t, t.offset, t.rank, t.sizes, t.strides)
    if t.rank:
        out.sizes[dim0], out.sizes[dim1] = t.sizes[dim1], t.sizes[dim0]
        out.strides[dim0], out.strides[dim1] = t.strides[dim1], t.strides[dim0]
    out.finish()
    if tracked(t):
        recorded(out, TRANSPOSE, (t, dim0, dim1))
    return out


cdef Tensor t_(Tensor t):
    cdef Tensor out
    if t.rank > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {t.rank}D")
    out = view_of(t, t.offset, t.rank, t.sizes, t.strides)
    if t.rank == 2:
        out.sizes[0], out.sizes[1] = t.sizes[1], t.sizes[0]
        out.strides[0], out.strides[1] = t.strides[1], t.strides[0]
        out.finish()
    if tracked(t):
        recorded(out, T, (t,))
    return out


def t(Tensor input not None):
    """The transpose of a matrix; tensors of fewer axes are returned as they are (as a view)."""
    return t_(input)


def transpose(Tensor input not None, Py_ssize_t dim0, Py_ssize_t dim1):
    """A view with two axes swapped."""
    return transpose_(input, wrap_dim(dim0, input.rank), wrap_dim(dim1, input.rank))


cdef Tensor permute_(Tensor t, tuple dims):
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef bint seen[64]
    cdef int i, d
    cdef Tensor out
    if len(dims) != t.rank:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                           f"the desired ordering of dimensions i.e. input.dim() = {t.rank} is not equal to len(dims) "
                           f"= {len(dims)}")
    for i in range(t.rank):
        seen[i] = False
    wrapped = []
    for i in range(t.rank):
        d = wrap_dim(dims[i], t.rank)
        if seen[d]:
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        seen[d] = True
        sizes[i] = t.sizes[d]
        strides[i] = t.strides[d]
        wrapped.append(d)
    out = view_of(t, t.offset, t.rank, sizes, strides)
    if tracked(t):
        recorded(out, PERMUTE, (t, tuple(wrapped)))
    return out


def permute(Tensor input not None, *dims):
    """A view with the axes in another order.

    Parameters
    ----------
    *dims : int, or one tuple of them
        The axes of `input` in their new order.
    """
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = tuple(dims[0])
    return permute_(input, dims)


cdef Tensor permute_reversed(Tensor t):
    """All axes in reverse order."""
    return permute_(t, tuple(range(t.rank - 1, -1, -1)))


# ------------------------------------------------------- axes of size 1

cdef Tensor unsqueeze_(Tensor t, int dim):
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef int i
    cdef Tensor out
    for i in range(t.rank + 1):
        if i < dim:
            sizes[i], strides[i] = t.sizes[i], t.strides[i]
        elif i == dim:
            sizes[i] = 1
            strides[i] = t.sizes[i] * t.strides[i] if i < t.rank else 1
        else:
            sizes[i], strides[i] = t.sizes[i - 1], t.strides[i - 1]
    out = view_of(t, t.offset, t.rank + 1, sizes, strides)
    if tracked(t):
        recorded(out, UNSQUEEZE, (t, dim))
    return out


def unsqueeze(Tensor input not None, Py_ssize_t dim):
    """A view with a new axis of size 1 before axis `dim`."""
    return unsqueeze_(input, wrap_dim(dim, input.rank + 1))


def squeeze(Tensor input not None, dim=None):
    """A view without the axes of size 1: all of them, or those among `dim` (an int or a tuple)."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef bint chosen[64]
    cdef int i, kept = 0
    cdef Tensor out
    for i in range(64):
        chosen[i] = dim is None
    if dim is not None:
        if isinstance(dim, (tuple, list)):
            dim = tuple([wrap_dim(d, input.rank) for d in dim])
            for d in dim:
                if chosen[<int>d]:
                    raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
                chosen[<int>d] = True
        else:
            dim = wrap_dim(dim, input.rank)
            chosen[<int>dim] = True
    for i in range(input.rank):
        if not (chosen[i] and input.sizes[i] == 1):
            sizes[kept], strides[kept] = input.sizes[i], input.strides[i]
            kept += 1
    out = view_of(input, input.offset, kept, sizes, strides)
    if tracked(input):
        if dim is None:
            recorded(out, SQUEEZE, (input,))
        elif isinstance(dim, tuple):
            recorded(out, SQUEEZE_DIMS, (input, dim))
        else:
            recorded(out, SQUEEZE_DIM, (input, dim))
    return out


# ---------------------------------------------------------- parts of an axis

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
        recorded(out, SELECT, (t, dim, index))
    return out


def select(Tensor input not None, Py_ssize_t dim, Py_ssize_t index):
    """The view of `input` at one index of axis `dim`, which is removed."""
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
    cdef Tensor out = view_of(t, t.offset + start * t.strides[dim], t.rank, t.sizes, t.strides)
    out.sizes[dim] = (stop - start + step - 1) // step
    out.strides[dim] = t.strides[dim] * step
    out.finish()
    if tracked(t):
        recorded(out, SLICE, (t, dim, start, stop, step))
    return out


cdef int slice_bounds(object index, Py_ssize_t size, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t *step) except -1:
    """Bounds of a Python slice on an axis, by PyTorch's rules: clamped, steps positive."""
    first, last, by = index.start, index.stop, index.step
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
    """The view of `length` elements of axis `dim` from `start` on."""
    cdef Py_ssize_t first, size
    if input.rank == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = wrap_dim(dim, input.rank)
    size = input.sizes[dim]
    first = int(start)
    if first < -size or first > size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {first})")
    if first < 0:
        first += size
    if first + length > size:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return slice_(input, dim, first, first + length, 1)


cdef mark_multi_output(list outs, Tensor source):
    for t in outs:
        if (<Tensor>t).creation == 0:
            (<Tensor>t).creation = CREATED_BY_MULTI_OUTPUT


def unbind(Tensor input not None, Py_ssize_t dim=0):
    """Tuple of the slices of `input` along an axis, which is removed."""
    cdef Py_ssize_t i
    cdef list outs = []
    cdef OpNode node = None
    if input.rank == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = wrap_dim(dim, input.rank)
    if tracked(input):
        node = record(UNBIND.derivative(), (input, dim))
    for i in range(input.sizes[dim]):
        outs.append(plain_view(input, dim, i, -1))
    if node is not None:
        attach(node, tuple(outs))
    mark_multi_output(outs, input)
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
    """Views of consecutive parts of an axis, of the sizes given, which add up to the axis."""
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
    return parts(input, dim, lengths, SPLIT, (input, lengths, dim))


cdef tuple parts(Tensor t, int dim, tuple lengths, ViewOp op, tuple args):
    """Views of consecutive parts of an axis, outputs of one node."""
    cdef Py_ssize_t start = 0
    cdef list outs = []
    cdef OpNode node = None
    if tracked(t):
        node = record(op.derivative(), args)
    for n in lengths:
        outs.append(plain_view(t, dim, start, n))
        start += n
    if node is not None:
        attach(node, tuple(outs))
    mark_multi_output(outs, t)
    return tuple(outs)


def split_evenly(Tensor input not None, Py_ssize_t split_size, Py_ssize_t dim):
    """Views of consecutive parts of an axis, of `split_size` each; the last may be smaller."""
    cdef Py_ssize_t size, count
    if input.rank == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = wrap_dim(dim, input.rank)
    size = input.sizes[dim]
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    if split_size == 0 and size != 0:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
    count = max((size + split_size - 1) // split_size, 1) if split_size else 1
    lengths = (split_size,) * (count - 1) + (size - split_size * (count - 1),)
    return parts(input, dim, lengths, SPLIT_EVENLY, (input, split_size, dim))


def diagonal(Tensor input not None, Py_ssize_t offset=0, Py_ssize_t dim1=0, Py_ssize_t dim2=1):
    """The view of a diagonal of the planes of axes dim1 and dim2, as a new last axis."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t length, start = input.offset
    cdef int i, kept = 0
    cdef Tensor out
    dim1, dim2 = wrap_dim(dim1, input.rank), wrap_dim(dim2, input.rank)
    if dim1 == dim2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
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
        recorded(out, DIAGONAL, (input, offset, dim1, dim2))
    return out


def unfold(Tensor self not None, Py_ssize_t dimension, Py_ssize_t size, Py_ssize_t step):
    """The view of all windows of `size` elements, `step` apart, along an axis; the window is a new last axis."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
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
        recorded(out, UNFOLD, (self, dimension, size, step))
    return out


def as_strided(Tensor input not None, size, stride, storage_offset=None):
    """A view of input's storage with any sizes, strides and offset (in elements)."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t first, last, low = 0, high = 0
    cdef int rank = parse_shape((tuple(size),), sizes, "as_strided"), i
    cdef Tensor out
    if parse_shape((tuple(stride),), strides, "as_strided") != rank:
        raise RuntimeError("mismatch in length of strides and shape")
    first = input.offset if storage_offset is None else storage_offset
    empty = False
    for i in range(rank):
        if sizes[i] < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {sizes[i]}: "
                               f"{list(tuple_of(sizes, rank))}")
        if strides[i] < 0:
            raise RuntimeError("as_strided: Negative strides are not supported at the moment, got strides: "
                               f"{list(tuple_of(strides, rank))}")
        empty = empty or sizes[i] == 0
        high += (sizes[i] - 1) * strides[i]
    if first < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {first}")
    needed = (first + high + 1) * input.dtype.itemsize
    if not empty and needed > input.memory.nbytes_:
        raise RuntimeError(
            f"setStorage: sizes {list(tuple_of(sizes, rank))}, strides {list(tuple_of(strides, rank))}, storage offset "
            f"{first}, and itemsize {input.dtype.itemsize} requiring a storage size of {needed} are out of bounds for "
            f"storage of size {input.memory.nbytes_}")
    out = view_of(input, first, rank, sizes, strides)
    if tracked(input):
        recorded(out, AS_STRIDED, (input, tuple_of(sizes, rank), tuple_of(strides, rank), first))
    return out


# ------------------------------------- other geometry or dtype for the same tensor or bytes

def take_geometry(Tensor self not None, Tensor other not None, ViewOp row not None, tuple args):
    """Give `self` the geometry of a view of it, in place, recorded as the op of `row` with these arguments."""
    cdef OpNode node = None
    check_inplace(self)
    if tracked(self):
        node = record(row.derivative(), args)
    fill_strided(self, other.memory, other.dtype, other.offset, other.rank, other.sizes, other.strides)
    bump_version(self)
    if node is not None:
        attach(node, self)
    return self


def reinterpreted(Tensor self not None, DType dtype not None):
    """The same bytes as elements of another dtype; the last axis grows or shrinks with the size of an element."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t offset = self.offset, ratio
    cdef int i
    cdef Tensor out
    words = f"to view {SCALAR_NAMES[self.dtype.code]} as {SCALAR_NAMES[dtype.code]} (different element sizes)"
    for i in range(self.rank):
        sizes[i], strides[i] = self.sizes[i], self.strides[i]
    if self.dtype.itemsize != dtype.itemsize:
        if self.rank == 0:
            raise RuntimeError(f"self.dim() cannot be 0 {words}")
        if strides[self.rank - 1] != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 {words}, but got {strides[self.rank - 1]}")
    if self.dtype.itemsize > dtype.itemsize:
        ratio = self.dtype.itemsize // dtype.itemsize
        offset *= ratio
        for i in range(self.rank):
            strides[i] *= ratio
        sizes[self.rank - 1] *= ratio
        strides[self.rank - 1] = 1
    elif self.dtype.itemsize < dtype.itemsize:
        ratio = dtype.itemsize // self.dtype.itemsize
        if sizes[self.rank - 1] % ratio:
            raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {words}, but got {sizes[self.rank - 1]}")
        if offset % ratio:
            raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} {words}, but got {offset}")
        for i in range(self.rank - 1):
            if strides[i] % ratio:
                raise RuntimeError(f"self.stride({i}) must be divisible by {ratio} {words}, but got {strides[i]}")
            strides[i] //= ratio
        offset //= ratio
        sizes[self.rank - 1] //= ratio
    if requires_grad(self):
        out = new_tensor()
        fill_strided(out, self.memory, dtype, offset, self.rank, sizes, strides)
        out.counter = self.counter
        return out
    out = view_of(self, offset, self.rank, sizes, strides)
    out.dtype = dtype
    return out


def window(Tensor self not None, DType dtype, offset, size, stride=None):
    """A plain tensor on self's storage, of any dtype (None: self's) and geometry; row-major unless given strides."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Tensor out = new_tensor()
    cdef int rank = parse_shape((tuple(size),), sizes, "as_strided")
    if dtype is None:
        dtype = self.dtype
    fill_dense(out, self.memory, dtype, rank, sizes)
    if stride is not None:
        parse_shape((tuple(stride),), strides, "as_strided")
        fill_strided(out, self.memory, dtype, offset, rank, sizes, strides)
    out.offset = offset
    return out


# ------------------------------------------------------------- basic indexing

cdef enum:
    BASIC, ADVANCED


cdef bint is_advanced(object index):
    """Whether one part of an index needs a kernel (a tensor, array, list, bool) rather than geometry."""
    if PyLong_CheckExact(index) or PySlice_Check(index) or index is None or index is Ellipsis:
        return False
    if PyBool_Check(index) or isinstance(index, (Tensor, list, tuple)):
        return True
    if hasattr(index, "__array_interface__"):
        return getattr(index, "shape", ()) != () or index.dtype.kind not in "iu"
    return not hasattr(index, "__index__")


cdef Py_ssize_t checked_index(object index, Py_ssize_t size, int dim) except? -1:
    cdef Py_ssize_t i
    try:
        i = index
    except OverflowError:
        raise ValueError("Overflow when unpacking long long") from None
    if i < -size or i >= size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return i + size if i < 0 else i


cdef object basic_getitem(Tensor t, object index):
    """t[index] as a view; NotImplemented when the index has an advanced part."""
    cdef Tensor out
    cdef Py_ssize_t start, stop, step
    if PyLong_CheckExact(index):
        if t.rank == 0:
            raise IndexError(ZERO_DIM)
        return select_(t, 0, checked_index(index, t.sizes[0], 0))
    if PySlice_Check(index):
        if t.rank == 0:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        slice_bounds(index, t.sizes[0], &start, &stop, &step)
        return slice_(t, 0, start, stop, step)
    if index is None:
        return unsqueeze_(t, 0)
    if index is Ellipsis:
        return alias_(t)
    if PyTuple_CheckExact(index):
        for part in <tuple>index:
            if is_advanced(part):
                return NotImplemented
        out = index_axes(t, <tuple>index)
        return alias_(t) if out is t else out
    if is_advanced(index):
        if isinstance(index, tuple):
            return basic_getitem(t, tuple(index))
        return NotImplemented
    if t.rank == 0:
        raise IndexError(ZERO_DIM)
    return select_(t, 0, checked_index(index.__index__(), t.sizes[0], 0))


ZERO_DIM = ("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number")


cdef Tensor index_axes(Tensor t, tuple index):
    """Apply the parts of a basic index one after the other; full slices are passed over."""
    cdef Tensor out = t
    cdef int dim = 0, used = 0, place = -1
    cdef Py_ssize_t start, stop, step
    for part in index:
        if part is not None and part is not Ellipsis:
            used += 1
    if used > t.rank:
        raise IndexError(f"too many indices for tensor of dimension {t.rank}")
    for part in index:
        place += 1                                          # what PyTorch's errors call the dimension
        if part is None:
            out = unsqueeze_(out, dim)
            dim += 1
        elif part is Ellipsis:
            dim += t.rank - used
        elif PySlice_Check(part):
            slice_bounds(part, out.sizes[dim], &start, &stop, &step)
            if not (start == 0 and stop == out.sizes[dim] and step == 1):
                out = slice_(out, dim, start, stop, step)
            dim += 1
        else:
            out = select_(out, dim, checked_index(part.__index__(), out.sizes[dim], place))
    return out


def checked_position(index, Py_ssize_t size, int dim):
    """An index of an axis counted from the front; raises IndexError outside it."""
    return checked_index(index, size, dim)


cdef bint basic_setitem(Tensor t, object index, object value) except -1:
    """t[index] = value where the index is geometry, the value fits as it is and nothing tracked; False: not done."""
    cdef object target
    cdef Tensor given = None
    if isinstance(value, Tensor):
        given = <Tensor>value
        if (given.memory is t.memory or given.memory.backend is not t.memory.backend
                or given.memory.index != t.memory.index or (grad_enabled() and requires_grad(given))):
            return False
    elif not (PyFloat_CheckExact(value) or PyLong_Check(value)):
        return False
    if t.inference:
        return False
    if grad_enabled() and (requires_grad(t) or t.creation != 0):
        return False
    target = basic_getitem(t, index)
    if target is NotImplemented:
        return False
    if given is None:
        fill_into(<Tensor>target, value)
    elif given.rank != 0 and same_sizes(<Tensor>target, given):
        check_overlap(<Tensor>target)
        copy_into(given, <Tensor>target)
    else:
        return False
    bump_version(t)
    return True


def getitem_basic(Tensor self not None, index):
    """self[index] for an index without advanced parts; NotImplemented otherwise."""
    return basic_getitem(self, index)


# ------------------------------------------------------------------ registration

for _function in (reshape, flatten, t, transpose, permute, squeeze, unsqueeze, select, narrow, unbind, split_with_sizes,
                  diagonal, as_strided, broadcast_to):
    add_op(_function.__name__, _function, None)
for _function in (view, view_as, reshape_as, expand, expand_as, unfold):
    op(_function, only_method=True)
