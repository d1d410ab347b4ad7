"""Ops that only change geometry: each computes sizes, strides and an offset, shares the storage and runs no kernel.

Every function here ends in `recorded`, which makes the tensor and, when the input is tracked, its node.
"""
from cpython.long cimport PyLong_CheckExact

from cygrad.autograd.modes cimport grad_enabled
from cygrad.autograd.recording cimport attach, record
from cygrad.autograd.rows cimport Derivative, OpNode, find_row
from cygrad.dispatch cimport dense_copy
from cygrad.dtype cimport DType
from cygrad.tensor cimport CREATED_BY_MULTI_OUTPUT, Tensor, new_tensor, requires_grad, view_of
from cygrad.view cimport MAX_RANK, View, check_inside, fill_dense, size_of, tuple_of

from cygrad.dispatch import SCALAR_NAMES
from cygrad.ops.registry import add_op, op


cdef class ViewOp:
    """An op's derivative row, looked up when first needed."""

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
    cdef bint listed = False
    if len(args) == 1 and not PyLong_CheckExact(args[0]):
        if isinstance(args[0], (tuple, list)):
            shape = args[0]
            listed = True
    if len(shape) > MAX_RANK:
        raise RuntimeError(f"tensor has too many (>{MAX_RANK}) dims: {len(shape)}")
    for n in shape:
        try:
            sizes[rank] = n if PyLong_CheckExact(n) else n.__index__()
        except (AttributeError, TypeError):
            raise TypeError(size_error(name, n, rank, listed)) from None
        except OverflowError:
            raise TypeError(f"{name}(): argument 'size' failed to unpack the object at pos {rank + 1} with error "
                            '"Overflow when unpacking long long"') from None
        rank += 1
    return rank


cdef str size_error(str name, object n, int position, bint listed):
    kind = type(n).__name__
    if listed:
        return (f"{name}(): argument 'size' (position 1) must be tuple of ints, but found element of type {kind} "
                f"at pos {position}")
    if position == 0:
        return f"{name}(): argument 'size' (position 1) must be tuple of ints, not {kind}"
    return (f"{name}(): argument 'size' failed to unpack the object at pos {position + 1} with error "
            f'"type must be tuple of ints,but got {kind}"')


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
        step = t.strides[t.rank - 1] if t.elements == 1 and t.rank else 1      # PyTorch goes on from a single element's
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
                        f"{', '.join([type(n).__name__ for n in shape])}), but expected one of: a dtype; "
                        "sizes") from None
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
    given = None
    if missing < 0:
        raise RuntimeError(f"expand({type_words(t)}, size={list(tuple_of(sizes, rank))}): the number of sizes provided "
                           f"({rank}) must be greater or equal to the number of dimensions in the tensor ({t.rank})")
    for i in range(rank - 1, -1, -1):
        j = i - missing
        if j < 0:
            if sizes[i] < 0:
                raise RuntimeError(f"The expanded size of the tensor ({sizes[i]}) isn't allowed in a leading, "
                                   f"non-existing dimension {i}")
            strides[i] = 0 if sizes[i] != 1 or t.rank == 0 else sizes[i + 1] * strides[i + 1]
        elif sizes[i] == -1 or sizes[i] == t.sizes[j]:
            if sizes[i] == -1:
                given = given or list(tuple_of(sizes, rank))
            sizes[i] = t.sizes[j]
            strides[i] = t.strides[j]
        elif t.sizes[j] == 1:
            if sizes[i] < 0:
                raise RuntimeError("numel: integer multiplication overflow")
            strides[i] = 0
        else:
            raise RuntimeError(
                f"The expanded size of the tensor ({sizes[i]}) must match the existing size ({t.sizes[j]}) at "
                f"non-singleton dimension {i}.  Target sizes: {given or list(tuple_of(sizes, rank))}.  Tensor sizes: "
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
    if not sizes:
        raise TypeError('expand() missing 1 required positional arguments: "size"')
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
    elif not dims:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
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
    cdef Py_ssize_t first
    cdef int rank = parse_shape((tuple(size),), sizes, "as_strided")
    cdef Tensor out
    if parse_shape((tuple(stride),), strides, "as_strided") != rank:
        raise RuntimeError("mismatch in length of strides and shape")
    first = input.offset if storage_offset is None else storage_offset
    check_inside(input.memory, input.dtype, first, rank, sizes, strides)
    out = view_of(input, first, rank, sizes, strides)
    if tracked(input):
        recorded(out, AS_STRIDED, (input, tuple_of(sizes, rank), tuple_of(strides, rank), first))
    return out


# ------------------------------------------------------------------ registration

for _function in (reshape, flatten, t, transpose, permute, squeeze, unsqueeze, select, narrow, unbind, split_with_sizes,
                  diagonal, as_strided, broadcast_to):
    add_op(_function.__name__, _function, None)
for _function in (view, view_as, reshape_as, expand, expand_as, unfold):
    op(_function, only_method=True)
