"""Other shapes for the same elements: `view`, `reshape`, `flatten`, and the sizes that such calls are given.

A view shares the storage, and no kernel runs: each function ends with the tensor it makes and, when the input is
tracked, `Op.record`, which gives it a node.
"""
from cpython.long cimport PyLong_CheckExact

from cygrad.dispatch.kernel_calls cimport dense_copy
from cygrad.dispatch.sizes cimport multiply_overflows, product
from cygrad.dtype cimport DType
from cygrad.ops.declare.op cimport Op, tracked
from cygrad.storage cimport VersionCounter
from cygrad.tensor cimport CREATED_NORMALLY, Tensor, new_tensor, subclass_view, view_of
from cygrad.view cimport MAX_RANK, fill_dense, size_of, tuple_of, wrap_dim

from cygrad.ops.declare.op_forms import op


cdef Op VIEW = Op("view", "self", "size")
cdef Op ALIAS = Op("alias", "self")
cdef Op PRIMAL = Op("primal", "self")
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


def unsafe_strided_view(Tensor t not None, shape):
    """A tensor under another shape, in its order in memory, which counts by itself; None where that needs a copy."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Tensor out
    cdef int rank = 0
    cdef Py_ssize_t elements = 1
    if len(shape) > 64:
        return None
    for n in shape:
        sizes[rank] = n
        elements = product(elements, n)
        rank += 1
    if elements != t.elements or not view_strides(t, rank, sizes, strides):     # a subclass may lie about its shape
        return None
    out = view_of(t, t.offset, rank, sizes, strides)
    out.base, out.creation = None, CREATED_NORMALLY
    if not out.inference:
        out.counter = VersionCounter.__new__(VersionCounter)
    if tracked(t):
        UNSAFE_VIEW.record(out, (t, None))
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


def primal(Tensor self not None):
    """The same of a dual tensor, for its value."""
    cdef Tensor out = view_of(self, self.offset, self.rank, self.sizes, self.strides)
    if tracked(self):
        PRIMAL.record(out, (self,))
    return out


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


# ------------------------------------------------------------------ registration

for _function in (reshape, flatten):
    op(_function)
for _function in (view, view_as, reshape_as):
    op(_function, only_method=True)
