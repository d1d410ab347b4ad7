"""Ops that only change geometry: each computes sizes, strides and an offset, shares the storage and runs no kernel.

Every function here ends with the tensor it makes and, when the input is tracked, `Op.record`, which gives it a node.
"""
from cpython.long cimport PyLong_CheckExact

from cygrad.dispatch.kernel_calls cimport dense_copy
from cygrad.dispatch.sizes cimport multiply_overflows, product
from cygrad.dtype cimport DType
from cygrad.ops.declare.op cimport Op, tracked
from cygrad.tensor cimport Tensor, new_tensor, subclass_view, view_of
from cygrad.tensors.operators cimport Plain, Swap, operators
from cygrad.view cimport MAX_RANK, fill_dense, size_of, tuple_of, wrap_dim

from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.registry import op
from cygrad.devices.home import stands_for_cpu


cdef Op VIEW = Op("view", "self", "size")
cdef Op T = Op("t", "self")
cdef Op TRANSPOSE = Op("transpose", "self", "dim0", "dim1")
cdef Op PERMUTE = Op("permute", "self", "dims")
cdef Op EXPAND = Op("expand", "self", "size")
cdef Op SQUEEZE = Op("squeeze", "self")
cdef Op SQUEEZE_DIM = Op("squeeze_dim", "self", "dim")
cdef Op SQUEEZE_DIMS = Op("squeeze_dims", "self", "dims")
cdef Op UNSQUEEZE = Op("unsqueeze", "self", "dim")
cdef Op ALIAS = Op("alias", "self")
CLONE = Op("clone", "self")
cdef Op RESHAPE_ALIAS = Op("reshape_alias", "self", "size")
UNSAFE_VIEW = Op("unsafe_view", "self", "size")


# --------------------------------------------------------------------- helpers

def wrap(dim, int rank):
    """A dim counted from the front, with PyTorch's error."""
    return wrap_dim(dim, rank)


cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1


cdef int parse_shape(tuple args, Py_ssize_t *sizes, str name) except -1:
    """Sizes given as `f(2, 3)`, `f((2, 3))` or `f([2, 3])`; returns how many."""
    cdef int rank = 0, overflow = 0
    cdef bint listed = len(args) == 1 and not PyLong_CheckExact(args[0]) and isinstance(args[0], (tuple, list))
    shape = args[0] if listed else args
    if len(shape) > MAX_RANK:
        raise RuntimeError(f"tensor has too many (>{MAX_RANK}) dims: {len(shape)}")
    for n in shape:
        sizes[rank] = PyLong_AsLongLongAndOverflow(n, &overflow) if PyLong_CheckExact(n) else size_of_index(
            n, name, rank, listed)
        if overflow:
            raise too_long(name, rank)
        rank += 1
    return rank


cdef object too_long(str name, int position):
    return TypeError(f"{name}(): argument 'size' failed to unpack the object at pos {position + 1} with error "
                     '"Overflow when unpacking long long"')


cdef Py_ssize_t size_of_index(object n, str name, int position, bint listed) except? -1:
    """A size that is no plain int: a 0-d tensor, a NumPy integer."""
    kind = type(n).__name__
    try:
        return n.__index__()
    except OverflowError:
        raise too_long(name, position) from None
    except (AttributeError, TypeError):
        pass
    if listed:
        raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, but found element of type "
                        f"{kind} at pos {position}")
    if position == 0:
        raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not {kind}")
    raise TypeError(f"{name}(): argument 'size' failed to unpack the object at pos {position + 1} with error "
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
            multiply_overflows(known, sizes[i], &known)     # wraps as PyTorch's; whoever makes the view counts again
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
    if t.elements == 0 or t.rank == 0 or t.dense and t.strides[t.rank - 1] == 1:
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
        VIEW.record(out, (t, None))
    return out


cdef Tensor reshape_(Tensor t, int rank, Py_ssize_t *sizes):
    """A view where one exists, else a view of a row-major copy."""
    cdef Py_ssize_t strides[64]
    cdef Tensor out, copy
    infer_size(t, rank, sizes)
    if view_strides(t, rank, sizes, strides):
        out = view_of(t, t.offset, rank, sizes, strides)
        if tracked(t):
            (VIEW if t.dense else RESHAPE_ALIAS).record(out, (t, None))
        return out
    copy = dense_copy(t)
    if tracked(t):
        CLONE.record(copy, (t,))
    out = new_tensor()                                     # not a view: nothing else shows the copy
    fill_dense(out, copy.memory, copy.dtype, rank, sizes)
    if tracked(copy):
        UNSAFE_VIEW.record(out, (copy, None))
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

    Examples
    --------
    >>> import cygrad
    >>> cygrad.arange(4).view(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    cdef Py_ssize_t sizes[64]
    cdef int rank
    if dtype is not None or (len(shape) == 1 and isinstance(shape[0], DType)):
        from cygrad.ops.shape.unflatten_and_atleast import view_dtype      # knot: it needs this module
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

    Returns
    -------
    Tensor
        A view where there is one, else a copy.

    Raises
    ------
    RuntimeError
        If the sizes don't hold as many elements.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.reshape(cygrad.arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    cdef Py_ssize_t sizes[64]
    if not shape:
        raise TypeError("reshape() missing 1 required positional arguments: \"shape\"")
    return reshape_(input, parse_shape(shape, sizes, "reshape"), sizes)


def flatten(Tensor input not None, Py_ssize_t start_dim=0, Py_ssize_t end_dim=-1):
    """The axes from `start_dim` to `end_dim` as one: a view where there is one, else a copy.

    Parameters
    ----------
    start_dim, end_dim : int
        The first and the last axis to merge.

    Returns
    -------
    Tensor
        A view where there is one, else a copy; one axis for a tensor without axes.

    Raises
    ------
    RuntimeError
        If the axes are out of order.

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
            sizes[start] = product(sizes[start], input.sizes[i])
        else:
            sizes[rank] = input.sizes[i]
            rank += 1
    return reshape_(input, rank, sizes)


def view_as(Tensor self not None, Tensor other not None):
    """`self.view(other.shape)`.

    Parameters
    ----------
    other : Tensor
        Whose shape is taken.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.arange(4).view_as(cygrad.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return view(self, size_of(other))


def reshape_as(Tensor self not None, Tensor other not None):
    """`self.reshape(other.shape)`.

    Parameters
    ----------
    other : Tensor
        Whose shape is taken.

    Returns
    -------
    Tensor
        A view where there is one, else a copy.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.arange(4).reshape_as(cygrad.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return reshape(self, size_of(other))


cdef Tensor alias_(Tensor t):
    """A view of the whole tensor."""
    cdef Tensor out = view_of(t, t.offset, t.rank, t.sizes, t.strides)
    if tracked(t):
        ALIAS.record(out, (t,))
    return out


def alias(Tensor self not None):
    """A view of the whole tensor."""
    return alias_(self)


@op(only_method=True)
def as_subclass(Tensor self not None, cls):
    """A view of the whole tensor that is an instance of a subclass of Tensor, with its place in the graph.

    Parameters
    ----------
    cls : type
        The subclass; its `__init__` is not called.

    Returns
    -------
    Tensor
        On the same memory.

    Raises
    ------
    TypeError
        If `cls` is no subclass of Tensor.

    Examples
    --------
    >>> import cygrad
    >>> class Named(cygrad.Tensor):
    ...     pass
    >>> (cygrad.ones(2).as_subclass(Named) + 1)
    Named([2., 2.])
    """
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise TypeError("Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. "
                        "Make sure your class inherits from Tensor.")
    cdef Tensor out = subclass_view(cls, self)
    out.names_ = self.names_
    if tracked(self):
        ALIAS.record(out, (self,))
    return out


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
            if sizes[i] < -1 or sizes[i] < 0 and t.rank == 0:
                raise RuntimeError("numel: integer multiplication overflow")
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
        EXPAND.record(out, (t, None))
    return out


cdef str type_words(Tensor t):
    """A tensor's type and shape as PyTorch's messages give them: the newer dtypes by another kind of name."""
    cdef str name = SCALAR_NAMES[t.dtype.code]
    if name in ("Bool", "BFloat16", "ComplexFloat", "ComplexDouble"):
        kind = f"{'CPU' if stands_for_cpu(t.device) else t.device.type.upper()}{name}Type"
    else:
        kind = t.type().replace("cygrad", "torch")
    return kind + "{" + repr(list(size_of(t))) + "}"


def expand(Tensor self not None, *sizes):
    """A view in which axes of size 1 are repeated (stride 0) to the sizes given; -1 keeps a size.

    Parameters
    ----------
    *sizes : int, or one tuple of them
        More of them than axes add axes in front.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    RuntimeError
        If an axis that is not of size 1 would change.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([[1], [2]]).expand(-1, 2)
    tensor([[1, 1],
            [2, 2]])
    """
    cdef Py_ssize_t wanted[64]
    if not sizes:
        raise TypeError('expand() missing 1 required positional arguments: "size"')
    return expand_sizes(self, parse_shape(sizes, wanted, "expand"), wanted)


def expand_as(Tensor self not None, Tensor other not None):
    """`self.expand(other.shape)`.

    Parameters
    ----------
    other : Tensor
        Whose shape is taken.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([1, 2]).expand_as(cygrad.zeros(2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return expand(self, size_of(other))


def broadcast_to(Tensor input not None, size):
    """`input` broadcast to the shape `size`, as a view.

    Parameters
    ----------
    size : sequence of int
        The shape; -1 keeps an axis' size.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    RuntimeError
        If `input` does not expand to it.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.broadcast_to(cygrad.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    cdef Py_ssize_t wanted[64]
    return expand_sizes(input, parse_shape((size,), wanted, "broadcast_to"), wanted)


# ---------------------------------------------------------- order of the axes

cdef Tensor transpose_(Tensor t, int dim0, int dim1):
    cdef Tensor out
    out = view_of(t, t.offset, t.rank, t.sizes, t.strides)
    if t.rank:
        out.sizes[dim0], out.sizes[dim1] = t.sizes[dim1], t.sizes[dim0]
        out.strides[dim0], out.strides[dim1] = t.strides[dim1], t.strides[dim0]
    out.finish()
    if tracked(t):
        TRANSPOSE.record(out, (t, dim0, dim1))
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
        T.record(out, (t,))
    return out


def t(Tensor input not None):
    """The transpose of a matrix; tensors of fewer axes are returned as they are (as a view).

    Parameters
    ----------
    input : Tensor
        At most two axes.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    RuntimeError
        For more than two axes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.t(cygrad.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """
    return t_(input)


def transpose(Tensor input not None, Py_ssize_t dim0, Py_ssize_t dim1):
    """A view with two axes swapped.

    Parameters
    ----------
    dim0, dim1 : int
        The two axes.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.transpose(cygrad.zeros(2, 3, 4), 0, 2).shape
    cygrad.Size([4, 3, 2])
    """
    return transpose_(input, wrap_dim(dim0, input.rank), wrap_dim(dim1, input.rank))


cdef Tensor permute_(Tensor t, tuple dims):
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t named[64]
    cdef bint seen[64]
    cdef int i, d, count = 0
    cdef Tensor out
    for axis in dims:
        if count < 64:
            named[count] = axis             # before a look at the tensor, which __index__ may change
        count += 1
    if count != t.rank:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                           f"the desired ordering of dimensions i.e. input.dim() = {t.rank} is not equal to len(dims) "
                           f"= {count}")
    for i in range(t.rank):
        seen[i] = False
    for i in range(t.rank):
        named[i] = d = wrap_dim(named[i], t.rank)
        if seen[d]:
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        seen[d] = True
        sizes[i] = t.sizes[d]
        strides[i] = t.strides[d]
    out = view_of(t, t.offset, t.rank, sizes, strides)
    if tracked(t):
        PERMUTE.record(out, (t, tuple([named[i] for i in range(t.rank)])))
    return out


def permute(Tensor input not None, *dims):
    """A view with the axes in another order.

    Parameters
    ----------
    *dims : int, or one tuple of them
        The axes of `input` in their new order.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    RuntimeError
        If an axis is missing or named twice.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.permute(cygrad.zeros(2, 3, 4), (2, 0, 1)).shape
    cygrad.Size([4, 2, 3])
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
    cdef Py_ssize_t sizes[65]
    cdef Py_ssize_t strides[65]
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
        UNSQUEEZE.record(out, (t, dim))
    return out


def unsqueeze(Tensor input not None, Py_ssize_t dim):
    """A view with a new axis of size 1 before axis `dim`.

    Parameters
    ----------
    dim : int
        Where the new axis comes.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.unsqueeze(cygrad.tensor([1, 2]), 0)
    tensor([[1, 2]])
    """
    return unsqueeze_(input, wrap_dim(dim, input.rank + 1))


def squeeze(Tensor input not None, dim=None):
    """A view without the axes of size 1: all of them, or those among `dim` (an int or a tuple).

    Parameters
    ----------
    dim : int or tuple of int, optional
        Which axes to drop if their size is 1; None for all.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.squeeze(cygrad.zeros(2, 1, 3)).shape
    cygrad.Size([2, 3])
    """
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef bint chosen[64]
    cdef int i, kept = 0
    cdef Tensor out
    for i in range(64):
        chosen[i] = dim is None
    if dim is not None:
        if isinstance(dim, (tuple, list)):
            dim = tuple([<Py_ssize_t>d for d in dim])
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
            SQUEEZE.record(out, (input,))
        elif isinstance(dim, tuple):
            SQUEEZE_DIMS.record(out, (input, dim))
        else:
            SQUEEZE_DIM.record(out, (input, dim))
    return out


# ------------------------------------------------------------------ registration

for _function in (reshape, flatten, t, transpose, permute, squeeze, unsqueeze, broadcast_to):
    op(_function)
for _function in (view, view_as, reshape_as, expand, expand_as):
    op(_function, only_method=True)


operators.transpose, operators.reverse = <Swap>transpose_, <Plain>permute_reversed
