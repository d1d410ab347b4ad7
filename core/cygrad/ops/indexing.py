"""Indexing with tensors, masks and lists: `x[index]` and `x[index] = value` beyond geometry, and `index_put`.

`parsed` splits an index: integers, slices and None make a view at once, with PyTorch's nodes; what is left is an
index tensor for some axes of that view. Two pairs of primitives do the rest: `index` and `index_put` take a tensor for
each axis; a mask over the first axes alone becomes positions in row-major order, for `index_rows` and `put_rows`.
"""
from cygrad.autograd.modes import grad_mode
from cygrad.autograd.primitives import primitive
from cygrad.allocation import empty_near
from cygrad.dispatch import where_into
from cygrad.raw import fill_ as raw_fill, refuse_any_overlap
from cygrad.errors import DeviceMismatch, warn
from cygrad.home import brought
from cygrad.ops import places
from cygrad.ops.copying import fill_tensor
from cygrad.ops.gathering import ADD, SET, Written, in_range, overlaps, warn_if_expanded
from cygrad.ops.places import Indices
from cygrad.ops.registry import functions, op
from cygrad.ops.subscripts import checked_position, getitem_basic, getitem_fast, index_put_fast, key_parts, setitem_fast
from cygrad.ops.slices import slice_along
from cygrad.ops.views import alias
from cygrad.tensor import Tensor

NOT_AN_INDEX = ("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
                "{})")
WRONG_DTYPE = "tensors used as indices must be long, int, byte or bool tensors"
BYTE_MASK = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
LIST_AS_TUPLE = ("Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
                 "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor "
                 "index, x[torch.tensor(seq)], which will result either in an error or a different result")


# ------------------------------------------------------------------- primitives

@primitive
def index(self, indices, first):
    """`first` is one of the index tensors: a node that saves a tensor is refused a second use once it was freed."""
    return places.take_at(self, indices.read())


@primitive
def index_rows(self, positions, axes):
    return places.take_rows(self, positions, axes)


def _index_put(self, indices, values, accumulate):
    places.put_at(self, indices.read(), values, ADD if accumulate else SET)


def _put_rows(self, positions, axes, values, accumulate):
    places.put_rows(self, positions, axes, values, ADD if accumulate else SET)


index_put = Written(_index_put, "index_put")
put_rows = Written(_put_rows, "put_rows")
index_put.into_self.may_overlap = put_rows.into_self.may_overlap = True


# ---------------------------------------------------------------- reading an index

def as_index(part):
    """A sequence or array as an index tensor: bool and uint8 stay, all else becomes int64."""
    try:
        found = functions["tensor"](part)
    except (ValueError, TypeError, RuntimeError):
        kind = part
        while isinstance(kind, (list, tuple)) and kind:
            kind = kind[0]
        raise TypeError(f"new(): invalid data type '{type(kind).__name__}'") from None
    return found if found.dtype.name in ("bool", "uint8", "int64") else found.long()


def stands_for_tuple(index):
    """Whether a sequence other than a tuple means one part of the index each, by PyTorch's old rule."""
    if len(index) >= 32:
        return False
    for part in index:
        if part is None or part is Ellipsis or isinstance(part, (Tensor, slice, list, tuple, str)) or (
                hasattr(part, "__len__") and hasattr(part, "__getitem__") and getattr(part, "shape", None) != ()):
            return True
    return False


def parts_of(index):
    """The parts of an index, a tuple; sequences and arrays among them are tensors now."""
    if not isinstance(index, tuple):
        if isinstance(index, Tensor) or hasattr(index, "__array_interface__") or not hasattr(index, "__getitem__") \
                or isinstance(index, dict):
            index = (index,)
        elif stands_for_tuple(index):
            warn(LIST_AS_TUPLE)
            index = tuple(index)
        else:
            index = (index,)
    parts = []
    for part in index:
        if part is None or part is Ellipsis or isinstance(part, (int, slice, Tensor)):
            parts.append(part)
        elif hasattr(part, "__array_interface__") and not hasattr(part, "__setitem__"):       # a NumPy scalar
            if part.dtype.kind not in "iu":
                raise IndexError(NOT_AN_INDEX.format("numpy." + type(part).__name__.rstrip("_")))
            parts.append(int(part))
        elif hasattr(part, "__len__") and hasattr(part, "__getitem__") or hasattr(part, "__array_interface__"):
            parts.append(as_index(part))
        elif hasattr(part, "__index__"):
            parts.append(part.__index__())
        else:
            raise IndexError(NOT_AN_INDEX.format(type(part).__name__))
    return parts


def is_mask(t):
    return t.dtype.name in ("bool", "uint8")


def parsed(self, index):
    """(view, {axis of the view: index tensor}) of an index; a mask has the first of its axes."""
    parts = parts_of(index)
    used = 0
    for part in parts:
        if isinstance(part, Tensor):
            used += part.dim() if is_mask(part) else 1
        elif part is not None and part is not Ellipsis and part is not True and part is not False:
            used += 1
    if used > self.dim():
        raise IndexError(f"too many indices for tensor of dimension {self.dim()}")
    rest, tensors, dim = self.dim() - used, {}, 0
    for place, part in enumerate(parts):                # PyTorch's errors call the place in the key a dimension
        if part is None:
            self = self.unsqueeze(dim)
            dim += 1
        elif part is Ellipsis:
            dim += rest
        elif part is True or part is False:
            self = self.unsqueeze(dim)
            tensors[dim] = _truth(self, part)
            dim += 1
        elif isinstance(part, int):
            self = self.select(dim, checked_position(part, self.shape[dim], place))
        elif isinstance(part, slice):
            if part != slice(None):
                self = slice_along(self, dim, part)
            dim += 1
        elif part.dim():
            tensors[dim] = near(self, part)
            dim += part.dim() if is_mask(part) else 1
        elif is_mask(part):
            self = self.unsqueeze(dim)
            tensors[dim] = _truth(self, bool(part.item()))
            dim += 1
        elif part.dtype.is_floating_point or part.dtype.is_complex:
            raise IndexError(WRONG_DTYPE)
        else:
            self = self.select(dim, checked_position(int(part.item()), self.shape[dim], place))
    return self, tensors


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


def _truth(self, value):
    """What True and False stand for on a new axis of size 1: its place, or no place."""
    found = empty_near(self, (1 if value else 0,), functions["tensor"](0).dtype)
    raw_fill(found, 0)
    return found


def check_mask(self, mask, dim):
    """A mask of bools that fits the axes of `self` from `dim` on."""
    for i, n in enumerate(mask.shape):
        if dim + i >= self.dim() or n != self.shape[dim + i]:
            raise IndexError(f"The shape of the mask {list(mask.shape)} at index {i} does not match the shape of the "
                             f"indexed tensor {list(self.shape)} at index {dim + i}")
    if mask.dtype.name == "uint8":
        warn(BYTE_MASK)
        return mask.bool()
    return mask


def expanded(self, tensors):
    """A tuple of int64 places, checked, or None for each axis; masks become one index tensor for each of their axes.

    Places are checked only if the result has elements, and errors number the axes among the indexed ones, as PyTorch's.
    """
    found = [None] * self.dim()
    for t in tensors.values():
        if t.dtype.name not in ("int64", "bool", "int32", "uint8"):
            raise IndexError(WRONG_DTYPE)
    for dim, t in tensors.items():
        if is_mask(t):
            t = check_mask(self, t, dim)
            if t.dim() == 1:
                found[dim] = places.mask_places(t)
            else:
                found[dim:dim + t.dim()] = functions["nonzero"](t).unbind(1)
        elif dim >= self.dim():
            raise IndexError(f"too many indices for tensor of dimension {self.dim()}")
        else:
            found[dim] = t
    if len(tensors) > 1:
        places.check_shapes(tuple(found))
    shape = self.shape
    if all([t is None or t.numel() for t in found]):
        if any([t is not None and not n for t, n in zip(found, shape)]):
            raise IndexError("index is out of bounds for dimension with size 0")
        if all([t is not None or n for t, n in zip(found, shape)]):
            number = 0
            for dim, t in enumerate(found):
                if t is not None:
                    if dim in tensors and not is_mask(tensors[dim]):
                        found[dim] = in_range(t, shape[dim], number, True, IndexError)
                    number += 1
            return tuple(found)
    return tuple([t if t is None or t.dtype.name == "int64" else t.long() for t in found])


def converted(self, tensors, value):
    """The value to write: one element for a mask may have any dtype (others than self's are refused by `put_at`).

    A value without axes comes from any device.
    """
    if not value.dim():
        value = value.to(self.device)
    if value.dtype is not self.dtype and value.numel() == 1 and len(tensors) == 1 and is_mask(*tensors.values()):
        return value.to(self.dtype)
    return value


def leading_mask(self, tensors):
    """The mask if it is all there is and covers the first axes of `self`, else None."""
    if len(tensors) == 1:
        mask = tensors.get(0)
        if mask is not None and is_mask(mask):
            return check_mask(self, mask, 0)
    return None


# ------------------------------------------------------------------ x[index]

def getitem(self, key):
    """``self[key]`` for a key with tensors, masks, sequences or bools among its parts."""
    if type(key) is list and key and all([type(part) is int for part in key]):
        key = functions["tensor"](key, device=self.device)
    found = getitem_fast(self, key)
    if found is not None:
        return found
    if grad_mode() and self.requires_grad:
        parts = key_parts(self, key)
        if parts is not None:
            view, mask, tensors = parts
            if mask is not None:
                return index_rows(view, places.mask_places(mask), mask.dim())
            return recorded_index(view, tensors)
    view, tensors = parsed(self, key)
    if not tensors:
        return alias(view) if view is self else view
    mask = leading_mask(view, tensors)
    if mask is not None:
        return index_rows(view, places.mask_places(mask), mask.dim())
    found = expanded(view, tensors)
    if grad_mode() and view.requires_grad:
        return recorded_index(view, found)
    return places.take_at(view, found)


def recorded_index(view, tensors):
    return index(view, Indices(tensors), next(t for t in tensors if t is not None))


# ---------------------------------------------------------------- x[index] = value

def assigned_number(self, value):
    """A Python number from a value that is not a tensor."""
    if isinstance(value, (int, float, complex)):
        return value
    if hasattr(value, "__array_interface__") and not hasattr(value, "__setitem__"):
        return value.item()
    raise TypeError(f"can't assign a {_type_name(value)} to a {self.type()}")


def _type_name(value):
    name = type(value).__name__
    return "numpy." + name if type(value).__module__ == "numpy" else name


def number_tensor(like, number):
    """A number as a 0-d tensor of like's dtype."""
    found = empty_near(like, ())
    raw_fill(found, number)
    return found


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
        view.copy_(without_leading_ones(value).expand(view.shape))


def is_whole(self, key):
    """Whether a key stands for the tensor itself: `...`, `[:]`, `()` and tuples of these."""
    if type(key) is tuple:
        return all([is_whole(self, part) for part in key]) and sum(part is not Ellipsis for part in key) <= self.dim()
    return key is Ellipsis or type(key) is slice and key == slice(None) and self.dim() > 0


def setitem(self, key, value):
    """``self[key] = value`` for any key."""
    if key is False or setitem_fast(self, key, value):
        return
    if not isinstance(value, Tensor):
        value = assigned_number(self, value)
    view = self if is_whole(self, key) else getitem_basic(self, key)
    if view is not NotImplemented:
        assign(view, value)
        return
    view, tensors = parsed(self, key)
    if not tensors:
        assign(view, value)
        return
    mask = leading_mask(view, tensors)
    tracked = grad_mode() and (view.requires_grad or isinstance(value, Tensor) and value.requires_grad)
    if isinstance(value, Tensor):
        if value.device != view.device:
            beside = brought(value, view.device)
            value = value if beside is None else beside
        value = converted(view, tensors, value)
        if value.dim() and value.shape[0] == 1:
            value = without_leading_ones(value)
        if mask is not None and not tracked and value.numel() == 1 and value.device == view.device:
            return masked_assign(view, mask, value.reshape(()))
    else:
        value = number_tensor(view, value)
        if mask is not None and not tracked:
            return masked_assign(view, mask, value)
    warn_if_expanded(view, "index_put_", "tensor[indices] = tensor")
    if mask is not None:
        put_rows.inplace(view, places.mask_places(mask), mask.dim(), value, False)
    else:
        found = expanded(view, tensors)
        refuse_any_overlap(view, found)
        index_put.inplace(view, Indices(found), value, False)


def masked_assign(view, mask, value):
    """Write a 0-d value where the mask of the first axes is true, without a graph."""
    view._check_inplace()
    if mask.dim() < view.dim():
        mask = mask.reshape(mask.shape + (1,) * (view.dim() - mask.dim()))
    if overlaps(view):
        warn_if_expanded(view, "index_put_", "tensor[indices] = tensor")
        places.put_rows(view, places.mask_places(mask.expand(view.shape)), view.dim(), value, SET)
    else:
        where_into(mask.expand(view.shape), value.clone().expand(view.shape), view, view)
    view._bump_version()


# ----------------------------------------------------------------------- index_put

def index_put_arguments(self, indices, values, accumulate=False):
    """(the writer, what it takes) of `index_put`."""
    if not isinstance(indices, (tuple, list)):
        raise TypeError("index_put(): argument 'indices' (position 1) must be tuple of Tensors, not "
                        f"{type(indices).__name__}")
    if not isinstance(values, Tensor):
        raise TypeError(f"index_put(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")
    tensors, dim = {}, 0
    for i, t in enumerate(indices):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
        tensors[dim] = near(self, t)
        dim += t.dim() if is_mask(t) else 1
    if dim > self.dim():
        raise IndexError(f"too many indices for tensor of dimension {self.dim()} (got {dim})")
    values = converted(self, tensors, values)
    mask = leading_mask(self, tensors)
    if mask is not None and mask.dim():
        return put_rows, (places.mask_places(mask), mask.dim(), values, accumulate)
    return index_put, (Indices(expanded(self, tensors)), values, accumulate)


def _index_put_(self, indices, values, accumulate=False):
    """In-place version of `index_put`: writes the result into the tensor and returns it."""
    if index_put_fast(self, indices, values, accumulate):
        return self
    writer, arguments = index_put_arguments(self, indices, values, accumulate)
    warn_if_expanded(self, "index_put_", "tensor[indices] = tensor")
    refuse_any_overlap(self, tuple(indices))
    return writer.inplace(self, *arguments)


@op(name="index_put", inplace=_index_put_)
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

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(3).index_put((cygrad.tensor([0, 0]),), cygrad.tensor([1., 2.]), accumulate=True)
    tensor([3., 0., 0.])
    """
    writer, arguments = index_put_arguments(input, indices, values, accumulate)
    return writer(input, *arguments)
