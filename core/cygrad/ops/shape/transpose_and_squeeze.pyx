"""Views with axes in another order, and with axes of size 1 added or dropped: `transpose`, `permute`, `squeeze`."""
from cygrad.ops.declare.op cimport Op, tracked
from cygrad.tensor cimport Tensor, view_of
from cygrad.tensors.operators cimport Plain, Swap, operators
from cygrad.view cimport wrap_dim

from cygrad.ops.declare.op_forms import op

cdef Op T = Op("t", "self")
cdef Op TRANSPOSE = Op("transpose", "self", "dim0", "dim1")
cdef Op PERMUTE = Op("permute", "self", "dims")
cdef Op SQUEEZE = Op("squeeze", "self")
cdef Op SQUEEZE_DIM = Op("squeeze_dim", "self", "dim")
cdef Op SQUEEZE_DIMS = Op("squeeze_dims", "self", "dims")
cdef Op UNSQUEEZE = Op("unsqueeze", "self", "dim")


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
        T.record_pair(out, t, None, None)
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

for _function in (t, transpose, permute, squeeze, unsqueeze):
    op(_function)

operators.transpose, operators.reverse = <Swap>transpose_, <Plain>permute_reversed
