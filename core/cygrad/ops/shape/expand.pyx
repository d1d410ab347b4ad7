# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Views in which axes of size 1 are repeated: `expand`, `broadcast_to`."""
from cygrad.ops.declare.op cimport Op, tracked
from cygrad.ops.shape.views cimport parse_shape
from cygrad.tensor cimport Tensor, view_of
from cygrad.view cimport size_of, tuple_of

from cygrad.devices.home import stands_for_cpu
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.op_forms import op

cdef Op EXPAND = Op("expand", "self", "size")


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


def expand(Tensor self not None, *sizes, implicit=False):
    """A view in which axes of size 1 are repeated (stride 0) to the sizes given; -1 keeps a size.

    Parameters
    ----------
    *sizes : int, or one tuple of them
        More of them than axes add axes in front.
    implicit : bool
        Changes nothing: it tells tracers that nobody asked for the view.

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


op(broadcast_to)
for _function in (expand, expand_as):
    op(_function, only_method=True)
