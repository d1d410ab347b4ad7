"""Reading and writing single elements along an axis: `gather` and `take`, and what writing ops share.

An index is int64 (or int32 where PyTorch takes it); a place outside its axis raises before anything is written.
"""
from cygrad.autograd.inplace cimport check_inplace
from cygrad.dispatch.allocation cimport empty
from cygrad.dispatch.overlap cimport refuse_self_overlap, shows_a_place_twice
from cygrad.dispatch.raw cimport gather_looking, step_mode
from cygrad.dtype cimport INT32, INT64, plain_of
from cygrad.ops.index.tensor_places cimport fits_within, take_rows
from cygrad.view cimport wrap_dim
from cygrad.tensor cimport Tensor

from cygrad.ops.declare.primitives import Written, primitive
from cygrad.dispatch.allocation import empty_near
from cygrad.devices.determinism import alert
from cygrad.errors import warn
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import gather_op
from cygrad.ops.index.tensor_places import in_range, put_rows
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.views import wrap

SET, ADD, PROD, MAX, MIN = range(5)         # modes of scatter_into


# -------------------------------------------------------------- what the ops share

def in_place(written, arguments):
    """The in-place method of a writer: `arguments` checks what follows self and returns what the writer takes."""
    copying = arguments.__name__.removesuffix("_arguments")
    name = copying + "_"

    def method(self, *args, **kwargs):
        check_inplace(<Tensor?>self)
        try:
            checked = arguments(self, *args, **kwargs)
        except NotImplementedError:
            refuse_self_overlap(<Tensor>self)       # told before what a kernel does not take
            raise
        return written.inplace(self, *checked)
    method.__name__ = method.__qualname__ = name
    method.__module__ = "cygrad"
    method.__doc__ = f"In-place version of `{copying}`: writes the result into the tensor and returns it."
    return method


def overlaps(t):
    """Whether elements of a tensor share memory because it is expanded."""
    return shows_a_place_twice(<Tensor?>t)


def warn_if_expanded(target, name, also=""):
    """PyTorch still writes to a tensor whose elements share memory here, with a warning."""
    if overlaps(target):
        warn(f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing "
             f"this operation. This also applies to advanced indexing e.g. {also}")


def one_axis(Tensor t not None):
    """A 0-d tensor as one of a single axis; others as they are."""
    return t if t.rank else t.reshape(1)


def need_tensor(value, str name, str argument, int position):
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not "
                        f"{type(value).__name__}")


def scalar_name(t):
    return SCALAR_NAMES[t.dtype.code]


def int_index(Tensor index not None, str name):
    if plain_of(index.dtype).code != INT64 and plain_of(index.dtype).code != INT32:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


# ------------------------------------------------------------------ gather and take

@primitive
def gather(Tensor self not None, int dim, Tensor index not None):
    cdef Tensor source = one_axis(self), places = one_axis(index), out
    if not places.elements:
        return empty_near(self, index.shape)
    out = empty(self.memory.backend, self.memory.index, self.dtype, places.rank, places.sizes)
    if places.dtype.code != INT64 or not gather_looking(source, places, dim, out):
        out = gather_op(source, in_range(places, source.sizes[dim], dim), dim)
    return out if index.rank else out.reshape(())


@op(name="gather", out="exact")
def _gather(Tensor input not None, dim, index, *, sparse_grad=False):
    """Elements of `input` at places along an axis: ``out[i][j] = input[index[i][j]][j]`` for dim 0, and so on.

    Parameters
    ----------
    dim : int
    index : Tensor
        int64 or int32, as many axes as `input` and no longer but along `dim`; no negative places.
    sparse_grad : bool
        Gradients are dense in any case.

    Returns
    -------
    Tensor
        Of index's shape and input's dtype.

    Raises
    ------
    RuntimeError
        If a place is out of range, or index's shape does not fit.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([[1, 2], [3, 4]]).gather(1, cygrad.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    cdef int axis
    cdef Tensor places
    need_tensor(index, "gather", "index", 2)
    places, axis = <Tensor>index, wrap_dim(dim, input.rank)
    if places.elements:
        int_index(places, "gather")
        if max(input.rank, 1) != max(places.rank, 1):
            raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
        if not fits_within(places, input, axis):
            d = [d for d in range(places.rank) if d != axis and places.sizes[d] > input.sizes[d]][0]
            raise RuntimeError(f"Size does not match at dimension {d} expected index {list(places.shape)} to be no "
                               f"larger than self {list(input.shape)} apart from dimension {axis}")
    return gather(input, axis, places)


def from_the_front(indices, size):
    """Places of an axis; as PyTorch, those outside it begin again at the other end."""
    return indices.remainder(size) if size else indices


@op(out="exact")
def take_along_dim(Tensor input not None, Tensor indices not None, dim=None):
    """Elements of `input` at places along an axis, as `gather` reads them, with broadcasting off that axis.

    Parameters
    ----------
    indices : Tensor
        int64; with a dim, the remainder of each is taken.
    dim : int, optional
        Without it both are taken as one axis.

    Returns
    -------
    Tensor
        Of input's dtype; of index's shape, broadcast against input's off the axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.take_along_dim(cygrad.tensor([[3, 1, 2]]), cygrad.tensor([[1, 2, 0]]), 1)
    tensor([[1, 2, 3]])
    """
    cdef int axis, d, code = plain_of(indices.dtype).code
    cdef Py_ssize_t m, n
    cdef list shape, places
    if code != INT64 and (dim is not None or code != INT32 and indices.elements):
        raise RuntimeError("cygrad.take_along_dim(): dtype of indices should be Long but got " + scalar_name(indices))
    if dim is None:
        return _gather(input.view(-1), 0, indices.view(-1))
    if input.rank != indices.rank:
        raise RuntimeError("cygrad.take_along_dim(): input and indices should have the same number of dimensions, but "
                           f"got {input.rank} dimensions for input, and {indices.rank} dimensions for indices")
    axis = wrap(dim, input.rank)
    if not input.rank:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    shape, places = list(input.shape), list(indices.shape)
    for d in range(input.rank):
        m, n = input.sizes[d], indices.sizes[d]
        if d != axis and m != n:
            if m != 1 and n != 1:
                raise RuntimeError(f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                                   f"dimension {d}")
            shape[d] = places[d] = n if m == 1 else m
    return _gather(input.expand(shape), axis, from_the_front(indices, input.sizes[axis]).expand(places))


BEYOND = "out of range: tried to access index {} on a tensor of {} elements."


def flat_places(self, index):
    """An index into all elements as int64 places from the front."""
    return in_range(index, self.numel(), self.numel(), True, IndexError, BEYOND)


@primitive
def take(Tensor self not None, Tensor index not None):
    cdef Tensor found = take_rows(self, index, self.rank, True, False)
    return take_rows(self, flat_places(self, index), self.rank, True) if found is None else found


@op(name="take", out="exact")
def _take(Tensor input not None, index):
    """The elements of `input` at places in row-major order; the result has index's shape.

    Parameters
    ----------
    index : Tensor
        int64; negative places count from the end.

    Returns
    -------
    Tensor
        Of input's dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([[1, 2], [3, 4]]).take(cygrad.tensor([0, -1]))
    tensor([1, 4])
    """
    need_tensor(index, "take", "index", 1)
    if plain_of((<Tensor>index).dtype).code != INT64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {scalar_name(index)}")
    if not input.elements and (<Tensor>index).elements:
        raise IndexError("take(): tried to take from an empty tensor")
    return take(input, index)


def _put(self, index, source, accumulate):
    if index.numel():
        places = flat_places(self, index.reshape(-1))
        put_rows(self, places, self.dim(), source.reshape(-1), step_mode(ADD, self) if accumulate else SET)


put = Written(_put, "put")


def put_arguments(self, index, source, accumulate=False):
    need_tensor(index, "put", "index", 1)
    need_tensor(source, "put", "source", 2)
    if index.dtype.name != "int64":
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {scalar_name(index)}")
    if self.dtype is not source.dtype:
        raise RuntimeError("put_(): self and source expected to have the same dtype, but got self.dtype = "
                           f"{scalar_name(self)} and source.dtype = {scalar_name(source)}")
    if index.numel() != source.numel():
        raise IndexError("put_(): Expected source and index to have the same number of elements, but got "
                         f"source.numel() = {source.numel()}, index.numel() = {index.numel()}")
    if not accumulate:
        alert("put_")
    if not self.numel() and index.numel():
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    return index, source, accumulate


@op(name="put", inplace=in_place(put, put_arguments))
def _put_copy(input, index, source, accumulate=False):
    """`input` with the elements of `source` at places in row-major order.

    Parameters
    ----------
    index : Tensor
        int64; negative places count from the end.
    source : Tensor
        Of input's dtype, as many elements as `index`.
    accumulate : bool
        Add instead of overwriting.

    Returns
    -------
    Tensor
        A copy of input's shape.

    Raises
    ------
    RuntimeError
        If dtypes or numbers of elements differ.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.put(cygrad.zeros(2, 2), cygrad.tensor([0, 3]), cygrad.tensor([1., 2.]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    return put(input, *put_arguments(input, index, source, accumulate))
