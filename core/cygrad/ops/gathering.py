"""Reading and writing along one axis: `gather`, `scatter` and their relatives, and those that take whole slices (`index_*`).

An index is int64 (or int32 where PyTorch takes it); a place outside its axis raises before anything is written.
Writers come in two primitives of one derivative row: a copy that is written to, and the tensor itself (`Written`).
"""
import functools

from cygrad.autograd.node import primitive
from cygrad.dispatch import SCALAR_NAMES, binary_op, clone_like, empty_near, fill_ as raw_fill, gather_op, scatter_into
from cygrad.ops.places import put_at, put_rows, take_at, take_rows, wrapped
from cygrad.ops.registry import op
from cygrad.ops.views import wrap
from cygrad.tensor import Tensor

SET, ADD, PROD, MAX, MIN = range(5)         # modes of scatter_into
INDEX_DTYPES = ("int64", "int32")


# -------------------------------------------------------------- what the ops share

class Written:
    """An op that writes into its first argument: called, it writes into a copy; `inplace`, into the tensor itself.

    Parameters
    ----------
    writer : callable
        ``writer(self, *arguments)`` writes raw values into `self`.
    name : str, optional
        Of the derivative's row.
    """

    def __init__(self, writer, name=None):
        @functools.wraps(writer)
        def into_copy(self, *arguments):
            out = clone_like(self)
            writer(out, *arguments)
            return out

        @functools.wraps(writer)
        def into_self(self, *arguments):
            writer(self, *arguments)
            self._bump_version()
        self.into_copy, self.into_self = primitive(name=name)(into_copy), primitive(name=name)(into_self)

    def __call__(self, *arguments):
        return self.into_copy(*arguments)

    def inplace(self, target, *arguments):
        if not target.is_contiguous():
            refuse_overlap(target)
        return self.into_self.inplace(target, *arguments)


def refuse_overlap(target):
    """Raise if several elements of a tensor to be written share memory."""
    if any(s == 0 and n > 1 for s, n in zip(target.stride(), target.shape)):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                           "memory location. Please clone() the tensor before performing the operation.")


def in_place(written, arguments):
    """The in-place method of a writer: `arguments` checks what follows self and returns what the writer takes."""
    name = arguments.__name__.removesuffix("_arguments") + "_"

    def method(self, *args, **kwargs):
        return written.inplace(self, *arguments(self, *args, **kwargs))
    method.__name__ = method.__qualname__ = name
    method.__module__ = "cygrad"
    method.__doc__ = f"In-place version of `{name[:-1]}`: writes the result into the tensor and returns it."
    return method


def in_range(index, size, dim, negative=False, error=RuntimeError, words=None):
    """`index` as int64 counted from the front; raises if a place lies outside an axis of `size` elements."""
    found = wrapped(index, size, negative)
    if found is None:
        value = next(i for i in index.reshape(-1).tolist() if not (-size if negative else 0) <= i < size)
        raise error((words or "index {} is out of bounds for dimension {} with size {}").format(value, dim, size))
    return found


def one_axis(t):
    """A 0-d tensor as one of a single axis; others as they are."""
    return t if t.dim() else t.reshape(1)


def along(dim, index):
    """What `take_at` and `put_at` want of an index for one axis."""
    return (None,) * dim + (index,)


def need_tensor(value, name, argument, position):
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not "
                        f"{type(value).__name__}")


def scalar_name(t):
    return SCALAR_NAMES[t.dtype.code]


# ------------------------------------------------------------------- index_select

@primitive
def index_select(self, dim, index):
    source = one_axis(self)
    places = in_range(one_axis(index), source.shape[dim], dim, error=IndexError, words="index out of range in self")
    out = take_at(source, along(dim, places), True)
    return out if self.dim() else out.reshape(())


@op(name="index_select", out=True)
def _index_select(input, dim, index):
    """The slices of `input` at the places `index` of an axis.

    Parameters
    ----------
    dim : int
    index : Tensor
        int64 or int32, one axis (or none); no negative places.

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
    need_tensor(index, "index_select", "index", 2)
    dim = wrap(dim, input.dim())
    if index.dim() > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.name not in INDEX_DTYPES:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if input.dim() == 0 and index.numel() != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.numel()} value(s)")
    return index_select(input, dim, index)


# ---------------------------------------------------------------------- index_add

def _add_slices(self, dim, index, source, alpha):
    target = one_axis(self)
    places = in_range(one_axis(index), target.shape[dim], dim)
    if alpha != 1:
        if not (self.dtype.is_floating_point or self.dtype.is_complex):
            alpha = int(alpha)
        source = binary_op(2, source, alpha)                    # mul
    put_at(target, along(dim, places), source if self.dim() else source.reshape(-1), ADD)


add_slices = Written(_add_slices, "index_add")


def index_add_arguments(self, dim, index, source, *, alpha=1):
    need_tensor(index, "index_add", "index", 2)
    need_tensor(source, "index_add", "source", 3)
    dim = wrap(dim, self.dim())
    if index.dim() > 1:
        raise IndexError(f"index_add_(): Index is supposed to be a vector, but got dim: {index.dim()} with type: "
                         f"{scalar_name(index)} and size: {list(index.shape)}")
    if index.dtype.name not in INDEX_DTYPES:
        raise RuntimeError(f"index_add_(): Expected dtype int32/int64 for index but got: {scalar_name(index)}")
    if self.dtype is not source.dtype:
        raise RuntimeError(f"index_add_(): self ({scalar_name(self)}) and source ({scalar_name(source)}) must have the "
                           "same scalar type")
    count = source.shape[dim] if dim < source.dim() else 1
    if self.dim() and index.numel() != count:
        raise RuntimeError(f"index_add_(): Number of indices ({index.numel()}) should be equal to source.size(dim): "
                           f"({count}), for dim: {dim}")
    rest = self.shape[:dim] + self.shape[dim + 1:]
    if source.dim() != self.dim() or source.shape[:dim] + source.shape[dim + 1:] != rest:
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                           f"self.shape = {list(self.shape)} source.shape = {list(source.shape)}")
    return dim, index, source, alpha


@op(out=True, inplace=in_place(add_slices, index_add_arguments))
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

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(3).index_add(0, cygrad.tensor([0, 2, 0]), cygrad.tensor([1., 2., 3.]))
    tensor([4., 0., 2.])
    """
    return add_slices(input, *index_add_arguments(input, dim, index, source, alpha=alpha))
