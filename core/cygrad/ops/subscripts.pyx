"""`x[key]` and `x[key] = value` in C: keys of geometry alone, and the common ones with index tensors or masks.

A key of integers, slices, None and Ellipsis makes a view, part by part, with PyTorch's nodes. Of the others those are
done here that need no conversion and raise nothing, where nothing is tracked; `ops/indexing` does the rest.
"""
from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from cpython.slice cimport PySlice_Check
from cpython.tuple cimport PyTuple_CheckExact

from cygrad cimport backend as k
from cygrad.autograd.inplace cimport check_overlap
from cygrad.autograd.modes cimport grad_enabled
from cygrad.allocation cimport empty
from cygrad.dispatch cimport binary, copy_into, expand_to, fill_into
from cygrad.promotion cimport SAME, scalar_dtype
from cygrad.dtype cimport BOOL, INT64
from cygrad.ops.places cimport all_inside, extremes, put_at, strided, take_at, take_rows
from cygrad.ops.slices cimport select_, slice_, slice_bounds
from cygrad.ops.views cimport alias_, unsqueeze_
from cygrad.tensor cimport Tensor, bump_version, requires_grad
from cygrad.view cimport same_sizes

from cygrad.dispatch import where_into
from cygrad.raw import nonzero_op
from cygrad.ops.places import mask_places, put_rows


# ---------------------------------------------------------------- keys of geometry alone

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
        if t.rank == 0 and index == 0:
            raise IndexError(ZERO_DIM)
        return select_(t, 0, checked_index(index, t.sizes[0] if t.rank else 0, 0))
    if PySlice_Check(index):
        slice_bounds(index, t.sizes[0] if t.rank else 0, &start, &stop, &step)
        if t.rank == 0:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
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


# --------------------------------------------- common keys with index tensors or masks

cdef object split_key(Tensor t, object key, list indices, bint checked=True):
    """The view that the geometric parts of a key make; appends to `indices` an index tensor or None for its axes.

    For keys of plain integers, slices, None, Ellipsis and tensors of int64 or bool with axes, all of them right and on
    t's device. None for any other key: the caller has another way, and the errors. Not `checked`, the places in index
    tensors may be wrong, or negative.
    """
    cdef tuple parts = <tuple>key if PyTuple_CheckExact(key) else (key,)
    cdef int used = 0, dim = 0, dots = 0, i
    cdef Py_ssize_t start, stop, step, low, high
    cdef Tensor part
    cdef bint found = False
    for item in parts:
        if isinstance(item, Tensor):
            part = <Tensor>item
            if part.rank == 0 or not (part.dtype.code == INT64 or part.dtype.code == BOOL) or part.elements == 0:
                return None
            if part.memory.backend is not t.memory.backend or part.memory.index != t.memory.index:
                return None
            used += part.rank if part.dtype.code == BOOL else 1
            found = True
        elif PyLong_CheckExact(item) or PySlice_Check(item):
            used += 1
        elif item is Ellipsis:
            dots += 1
        elif item is not None:
            return None
    if not found or used > t.rank or dots > 1 or t.elements == 0:
        return None
    dots = t.rank - used
    for item in parts:
        if item is None:
            t = unsqueeze_(t, dim)
        elif item is Ellipsis:
            for i in range(dots):
                indices.append(None)
            dim += dots
            continue
        elif PySlice_Check(item):
            slice_bounds(item, t.sizes[dim], &start, &stop, &step)
            if start != 0 or stop != t.sizes[dim] or step != 1:
                t = slice_(t, dim, start, stop, step)
                if t.elements == 0:
                    return None
        elif PyLong_CheckExact(item):
            start = item if -(1 << 62) < item < (1 << 62) else -(1 << 62)
            if start < -t.sizes[dim] or start >= t.sizes[dim]:
                return None
            t = select_(t, dim, start + t.sizes[dim] if start < 0 else start)
            continue
        elif (<Tensor>item).dtype.code == BOOL:
            part = <Tensor>item
            for i in range(part.rank):
                if part.sizes[i] != t.sizes[dim + i]:
                    return None
                indices.append(part if i == 0 else None)
            dim += part.rank
            continue
        else:
            if checked and not all_inside(<Tensor>item, t.sizes[dim]):
                extremes(<Tensor>item, &low, &high)
                if high >= t.sizes[dim] or low < -t.sizes[dim]:
                    return None
                if low < 0:
                    item = binary(k.REMAINDER, item, t.sizes[dim], SAME)
            indices.append(item)
            dim += 1
            continue
        indices.append(None)
        dim += 1
    return t


cdef bint has_one_index(object key):
    """Whether exactly one part of a key is a tensor, and that one of int64."""
    cdef int found = 0
    if isinstance(key, Tensor):
        return (<Tensor>key).dtype.code == INT64
    if not PyTuple_CheckExact(key):
        return False
    for part in <tuple>key:
        if isinstance(part, Tensor):
            found += 1 if (<Tensor>part).dtype.code == INT64 else 2
    return found == 1


cdef Tensor sole_mask(list indices):
    """The mask if it is the only index and covers the first axes, else None."""
    cdef Tensor first
    if indices[0] is None:
        return None
    first = <Tensor>indices[0]
    if first.dtype.code != BOOL:
        return None
    for other in indices[1:]:
        if other is not None:
            return None
    return first


cdef tuple without_masks(list indices):
    """Each mask replaced by the places of its true elements, an index tensor for each of its axes."""
    cdef int i, j
    cdef Tensor part, found
    for i in range(len(indices)):
        if indices[i] is not None and (<Tensor>indices[i]).dtype.code == BOOL:
            part = <Tensor>indices[i]
            if part.rank == 1:
                indices[i] = mask_places(part)
                continue
            found = nonzero_op(part)
            for j in range(part.rank):
                indices[i + j] = strided(found, found.offset + j * found.strides[1], 1, found.sizes, found.strides)
    return tuple(indices)


def getitem_fast(Tensor self not None, key):
    """``self[key]`` where nothing is tracked and the key is a common one; None otherwise."""
    cdef list indices
    cdef Tensor mask, found
    if grad_enabled() and requires_grad(self):
        return None
    indices = []
    if has_one_index(key):                                  # the kernel looks at the places as it reads them
        view = split_key(self, key, indices, False)
        found = None if view is None else take_at(<Tensor>view, tuple(indices), False, False)
        if found is not None:
            return found
        indices = []
    view = split_key(self, key, indices)
    if view is None:
        return None
    mask = sole_mask(indices)
    if mask is not None:
        return take_rows(<Tensor>view, mask_places(mask), mask.rank)
    return take_at(<Tensor>view, without_masks(indices))


def key_parts(Tensor self not None, key):
    """(view, mask of its first axes or None, index tensors) of a common key; None for another one."""
    cdef list indices = []
    view = split_key(self, key, indices)
    if view is None:
        return None
    mask = sole_mask(indices)
    return view, mask, None if mask is not None else without_masks(indices)


cdef bint shares(Tensor t, object key):
    """Whether an index tensor of a key lies in t's storage."""
    if isinstance(key, Tensor):
        return (<Tensor>key).memory is t.memory
    if PyTuple_CheckExact(key):
        for part in <tuple>key:
            if isinstance(part, Tensor) and (<Tensor>part).memory is t.memory:
                return True
    return False


def setitem_fast(Tensor self not None, key, value):
    """``self[key] = value`` where nothing is tracked and all is common: whether it was done."""
    return write_fast(self, key, value, k.SCATTER_SET)


def index_put_fast(Tensor self not None, indices, values, accumulate):
    """`index_put_` where nothing is tracked and all is common: whether it was done."""
    if not isinstance(values, Tensor) or not isinstance(indices, (tuple, list)):
        return False
    for part in indices:
        if not isinstance(part, Tensor):
            return False
    return write_fast(self, tuple(indices), values, k.SCATTER_ADD if accumulate else k.SCATTER_SET)


def masked_scatter_fast(Tensor self not None, mask, source):
    """`masked_scatter_` where nothing is tracked and all is common: whether it was done."""
    cdef Tensor marked, given, positions
    cdef Py_ssize_t step = 1
    if not isinstance(mask, Tensor) or not isinstance(source, Tensor):
        return False
    marked, given = <Tensor>mask, <Tensor>source
    if marked.dtype.code != BOOL or not same_sizes(marked, self) or not is_plain(self, mask) or not given.dense \
            or not is_plain_value(self, given):
        return False
    positions = mask_places(marked)
    if positions.elements > given.elements:
        return False
    if positions.elements:
        put_rows(self, positions, self.rank, strided(given, given.offset, 1, &positions.elements, &step), k.SCATTER_SET)
    bump_version(self)
    return True


cdef bint is_plain(Tensor t, object key) except -1:
    """Whether a write into t at a key is nothing but that."""
    return t.dense and not t.inference and not shares(t, key) and not (
        grad_enabled() and (requires_grad(t) or t.creation != 0))


cdef bint is_plain_value(Tensor t, Tensor value) except -1:
    return value.dtype is t.dtype and value.memory is not t.memory and value.memory.backend is t.memory.backend and \
        value.memory.index == t.memory.index and not (grad_enabled() and requires_grad(value))


cdef bint write_fast(Tensor self, object key, object value, int mode) except -1:
    cdef list indices
    cdef Tensor mask, given
    cdef bint number = not isinstance(value, Tensor)
    if not is_plain(self, key):
        return False
    if number:
        if scalar_dtype(value) is None:
            return False
    else:
        given = <Tensor>value
        if not is_plain_value(self, given) or given.rank and given.sizes[0] == 1:
            return False
    indices = []
    view = split_key(self, key, indices)
    if view is None:
        return False
    if number:
        given = empty(self.memory.backend, self.memory.index, self.dtype, 0, NULL)
        fill_into(given, value)
    mask = sole_mask(indices)
    if mask is not None:
        if given.rank == 0 and mode == k.SCATTER_SET:
            fill_masked(<Tensor>view, mask, given)
        else:
            put_rows(<Tensor>view, mask_places(mask), mask.rank, given, mode)
    else:
        put_at(<Tensor>view, without_masks(indices), given, mode)
    bump_version(self)
    return True


cdef int fill_masked(Tensor t, Tensor mask, Tensor value) except -1:
    """Write a 0-d value where the mask of the first axes is true."""
    cdef Py_ssize_t strides[64]
    cdef int i
    for i in range(t.rank):
        strides[i] = mask.strides[i] if i < mask.rank else 0
    where_into(strided(mask, mask.offset, t.rank, t.sizes, strides), expand_to(value, t.rank, t.sizes), t, t)
    return 0
