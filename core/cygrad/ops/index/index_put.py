"""What is rare about `x[key]` and `x[key] = value`, the primitives that record them, and `index_put`.

`getitem.pyx` reads a key and does what is common. Two pairs of primitives: `index` and `index_put` take a tensor
for each axis; a mask over the first axes alone becomes positions in row-major order, for `index_rows` and `put_rows`.
"""
import operator

from cygrad.devices.home import brought
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.overlap import OVERLAPPED
from cygrad.dispatch.promotion import check_scalar
from cygrad.dispatch.raw import fill_ as raw_fill, step_mode
from cygrad.errors import DeviceMismatch, warn
from cygrad.ops.create.fill_in_place import fill_tensor
from cygrad.ops.declare.primitives import Written, primitive
from cygrad.ops.declare.op_forms import functions, op
from cygrad.ops.index import tensor_places
from cygrad.ops.index.gathering import ADD, SET, warn_if_expanded  # noqa: F401
from cygrad.ops.index.getitem import index_put_, number_tensor, write_arguments
from cygrad.ops.index.tensor_places import WRONG_DTYPE, Indices, is_mask
from cygrad.ops.shape.slices import plain_slice
from cygrad.tensor import Tensor

NOT_AN_INDEX = ("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
                "{})")
LIST_AS_TUPLE = ("Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
                 "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor "
                 "index, x[torch.tensor(seq)], which will result either in an error or a different result")


# ------------------------------------------------------------------- primitives

@primitive
def index(self, indices, first):
    """`first` is one of the index tensors: a node that saves a tensor is refused a second use once it was freed."""
    return tensor_places.take_at(self, indices.read())


@primitive
def index_rows(self, positions, axes, mask):          # which a node keeps, to refuse its changes
    return tensor_places.take_rows(self, positions, axes)


def _index_put(self, indices, values, accumulate):
    tensor_places.put_at(self, indices.read(), values, step_mode(ADD, self) if accumulate else SET)


def _put_rows(self, positions, axes, values, accumulate):
    tensor_places.put_rows(self, positions, axes, values, step_mode(ADD, self) if accumulate else SET)


index_put = Written(_index_put, "index_put")
put_rows = Written(_put_rows, "put_rows")
index_put.may_overlap = put_rows.may_overlap = True
# The same in the gradients of indexing, where PyTorch has another op.
index_put_impl, put_rows_impl = Written(_index_put, "index_put_impl"), Written(_put_rows, "put_rows_impl")


# ---------------------------------------------------------------- reading an index

def as_index(part):
    """A sequence or array as an index tensor: bool and uint8 stay, all else becomes int64."""
    found = functions["tensor"](part)
    if found.dtype.name in ("bool", "uint8", "int64"):
        return found
    return functions["tensor"](part, dtype=found.long().dtype) if isinstance(part, (list, tuple)) else found.long()


def is_sequence(part):
    """What C calls a sequence: whose type has `__getitem__`, but no dict."""
    return hasattr(type(part), "__getitem__") and not isinstance(part, dict)


def stands_for_tuple(index):
    """Whether a sequence other than a tuple means one part of the index each, by PyTorch's old rule."""
    if len(index) >= 32:
        return False
    for part in index:
        if part is None or part is Ellipsis or isinstance(part, (Tensor, slice)) or (
                is_sequence(part) and getattr(part, "shape", None) != ()):
            return True
    return False


def parts_of(key, self=None):
    """The parts of any key, as `getitem.pyx` takes them: int, bool, slice, None, Ellipsis or a tensor with axes."""
    if type(key) is list and key and all([type(part) is int for part in key]):
        return [as_index(key)]
    if not isinstance(key, tuple):
        if not isinstance(key, Tensor) and not hasattr(key, "__array_interface__") and is_sequence(key) \
                and stands_for_tuple(key):
            warn(LIST_AS_TUPLE)
            key = tuple(key)
        else:
            key = (key,)
    try:
        return list(map(part_of, key))
    except TypeError:
        if self is not None:
            refuse_first(self, key, self)
        raise


def part_of(part):
    """One part of a key; sequences and arrays are tensors now, other integers and tensors without axes numbers."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return part
    if isinstance(part, slice):
        return plain_slice(part)
    if isinstance(part, Tensor):
        if part.dim():
            return part
        if is_mask(part):
            return bool(part.item())
        if part.dtype.is_floating_point or part.dtype.is_complex:
            raise IndexError(WRONG_DTYPE)
        return part.item()
    if hasattr(part, "__array_interface__") and not hasattr(part, "__setitem__"):       # a NumPy scalar
        if part.dtype.kind not in "iu":
            raise IndexError(NOT_AN_INDEX.format("numpy." + type(part).__name__.rstrip("_")))
        return int(part)
    if is_sequence(part) or hasattr(part, "__array_interface__"):
        found = as_index(part)
        return found if found.dim() else part_of(found)
    if hasattr(type(part), "__index__"):
        return operator.index(part)
    raise IndexError(NOT_AN_INDEX.format(type(part).__name__))


def near(self, index):
    """An index tensor on self's device: one in host memory or at home is copied there, another refused."""
    if index.device == self.device:
        return index
    if not index._backend().host_memory:
        found = brought(index, self.device)
        if found is not None:
            return found
        raise DeviceMismatch("indices should be either on cpu or on the same device as the indexed tensor "
                             f"({self.device}), but got one on {index.device}; move it with .to()")
    return index.to(self.device)


def truth(self, value):
    """What True and False stand for on a new axis of size 1: its place, or no place."""
    found = empty_near(self, (1 if value else 0,), functions["tensor"](0).dtype)
    raw_fill(found, 0)
    return found


def converted(self, indices, value):
    """The value to write: one element for a mask may have any dtype (others than self's are refused by `put_at`).

    A value without axes comes from any device, others from the home device.
    """
    if not value.dim():
        value = value.to(self.device)
    elif value.device != self.device:
        beside = brought(value, self.device)
        value = value if beside is None else beside
    if value.numel() == 1 and [is_mask(t) for t in indices if t is not None] == [True]:
        if value.dtype is not self.dtype and not value.is_meta:
            check_scalar(self.dtype, value.item())
        return value.to(self.dtype)
    return value


def recorded_index(view, tensors):
    return index(view, Indices(tensors), next(t for t in tensors if t is not None))


# ---------------------------------------------------------------- x[index] = value

def refuse_first(self, key, value):
    """Raise what PyTorch notices about ``self[key] = value`` before it looks at the places that the key names."""
    if not isinstance(value, Tensor):
        number_tensor(self, value)
    axes, parts = 0, key if isinstance(key, tuple) else (key,)
    for part in parts:
        if isinstance(part, Tensor) and part.dtype.name in ("bool", "uint8"):
            axes += part.dim()
        elif part is not None and part is not ... and not isinstance(part, bool):
            axes += 1
    if axes > self.dim():
        raise IndexError(f"too many indices for tensor of dimension {self.dim()}")
    if value is self and any(isinstance(part, Tensor) for part in parts):
        raise RuntimeError(OVERLAPPED)
    if any(isinstance(part, Tensor) and not part.dim() for part in parts):      # it writes before it looks at those
        self._check_inplace()


def assigned_number(self, value):
    """A Python number from a value that is not a tensor."""
    if isinstance(value, (int, float, complex)):
        return value
    if hasattr(value, "__array_interface__") and not hasattr(value, "__setitem__") and value.dtype.kind in "iu":
        return value.item()                     # of NumPy's numbers those that Python's are not the base of
    raise TypeError(f"can't assign a {_type_name(value)} to a {self.type()}")


def _type_name(value):
    name = type(value).__name__
    return "numpy." + name if type(value).__module__ == "numpy" else name


def without_leading_ones(value):
    """A value without the axes of size 1 that it begins with."""
    shape, k = value.shape, 0
    while k < len(shape) and shape[k] == 1:
        k += 1
    return value.view(shape[k:]) if k else value


def assign(view, value):
    """Write a tensor or number, broadcast, to all of a view."""
    if not isinstance(value, Tensor):
        value = number_tensor(view, value)
    if value.shape == view.shape:
        view.copy_(value)
    elif value.dim() == 0:
        fill_tensor.inplace(view, value)
    else:
        value = without_leading_ones(value)
        view.copy_(value if value.shape == view.shape else value.expand(view.shape))


# ----------------------------------------------------------------------- index_put

@op(name="index_put", inplace=index_put_)
def _index_put_copy(input, indices, values, accumulate=False):
    """`input` with `values` written (or added) at the places that index tensors give.

    Parameters
    ----------
    indices : tuple of Tensor
        int64, int32 or masks, for the first axes; broadcast against each other.
    values : Tensor
        Of input's dtype; broadcasts to the shape of ``input[indices]``.
    accumulate : bool
        Add instead of overwriting; places may then repeat.

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> cygrad.zeros(3).index_put((cygrad.tensor([0, 0]),), cygrad.tensor([1., 2.]), accumulate=True)
    tensor([3., 0., 0.])
    """
    found = write_arguments(input, indices, values)
    if len(found) == 3:
        return put_rows(input, *found, accumulate)
    return index_put(input, Indices(found[0]), found[1], accumulate)
