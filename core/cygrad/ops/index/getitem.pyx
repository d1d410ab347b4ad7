"""`x[key]` and `x[key] = value`: a key is read once, into a view and an index tensor for some of the view's axes.

`read_key` applies what is geometry (integers, slices, None, Ellipsis) part by part, with PyTorch's nodes, and keeps
tensors and masks. What they pick is then gathered or scattered (`take`, `write`): a mask of the first axes by
positions in row-major order, all else by checked int64 places (`tensor_places.pyx`). Only after that comes the graph,
by the primitives of `index_put.py`, which also has what is rare about keys and values.
"""
from cpython.bool cimport PyBool_Check
from cpython.complex cimport PyComplex_Check
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from cpython.slice cimport PySlice_Check
from cpython.tuple cimport PyTuple_CheckExact

from cygrad cimport backend as k
from cygrad.autograd.inplace cimport check_inplace
from cygrad.autograd.forward_levels cimport forward_used
from cygrad.autograd.modes cimport grad_enabled
from cygrad.autograd.recording cimport refuse_before_writing
from cygrad.dispatch.allocation cimport empty
from cygrad.dispatch.overlap cimport refuse_overlap, refuse_self_overlap, shows_a_place_twice
from cygrad.dispatch.kernel_calls cimport copy_into, dense_copy, expand_to, fill_into
from cygrad.dispatch.raw cimport step_mode
from cygrad.dtype cimport BOOL, CATEGORY_FLOAT, INT64, UINT8, plain_of
from cygrad.ops.index.tensor_places cimport (fitting_mask, is_mask, leading_mask, places, put_at, strided,
                                              take_at, take_rows)
from cygrad.ops.shape.slices cimport counts_back, is_plain_slice, select_, slice_, slice_bounds
from cygrad.ops.shape.transpose_and_squeeze cimport unsqueeze_
from cygrad.ops.shape.views cimport alias_
from cygrad.tensor cimport Tensor, bump_version, requires_grad
from cygrad.tensors.operators cimport Pair, Store, operators
from cygrad.tensors.overriding cimport hand_over_named
from cygrad.view cimport same_sizes, wrap_dim

from cygrad.dispatch.kernel_calls import where_into
from cygrad.dispatch.overlap import OVERLAPPED
from cygrad.ops.index.tensor_places import mask_places, put_rows
from cygrad.tensors.overriding import any_overridden

ZERO_DIM = ("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number")

cdef object _general = None


cdef object general():
    """`index_put`, whose primitives can't be made before Tensor is."""
    global _general
    if _general is None:
        from cygrad.ops.index import index_put      # knot: it needs this module
        _general = index_put
    return _general


cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

# -------------------------------------------------------------------- reading a key

cdef tuple parts_of_key(Tensor t, object key, int *used, int *tensors):
    """The parts of a key: int, bool, slice, None, Ellipsis or tensor with axes; how many axes, and kernels, they need.

    What else may stand in a key (sequences, arrays, NumPy's and other integers, tensors without axes) is one of these
    afterwards.
    """
    cdef tuple parts = <tuple>key if PyTuple_CheckExact(key) else (key,)
    if type(key) is not list and are_known(parts, used, tensors):
        return parts
    parts = tuple(general().parts_of(key, t))
    if not are_known(parts, used, tensors):             # its `__class__` is another than its type
        raise IndexError("a part of a key is none of the types that it says it is")
    return parts


cdef bint are_known(tuple parts, int *used, int *tensors):
    """Whether all parts are what `parts_of_key` gives; counts them."""
    cdef Tensor index
    used[0] = tensors[0] = 0
    for part in parts:
        if PyLong_CheckExact(part) or PySlice_Check(part) and is_plain_slice(part):
            used[0] += 1
        elif isinstance(part, Tensor) and (<Tensor>part).rank:
            index = <Tensor>part
            used[0] += index.rank if is_mask(index) else 1
            tensors[0] += 1
        elif PyBool_Check(part):
            tensors[0] += 1
        elif part is not None and part is not Ellipsis:
            return False
    return True


cdef Tensor read_key(Tensor t, object key, tuple parts, int used, list indices):
    """The view that the geometric parts of a key make, `t` itself if they change nothing.

    `indices` gets None or a tensor for each axis of the view up to the last indexed one, a mask at the first of its.
    """
    cdef Tensor out = t
    cdef int dim = 0, place = -1
    cdef Py_ssize_t start, stop, step, size
    if used > t.rank:
        too_many(t, parts[0] if t.rank == 0 and not isinstance(key, tuple) else None)
    for part in parts:
        place += 1                                          # what PyTorch's errors call the dimension
        size = out.sizes[dim] if dim < out.rank else 0      # a second ellipsis may lead past the last axis
        if part is None:
            out = unsqueeze_(out, wrap_dim(dim, out.rank + 1))
            dim += 1
        elif part is Ellipsis:
            dim += t.rank - used
        elif PySlice_Check(part):
            slice_bounds(part, size if dim < out.rank else PY_SSIZE_T_MAX, &start, &stop, &step)
            if start != 0 or (stop != size and dim < out.rank) or step != 1 or counts_back(part) \
                    or size == 0 and part.start:
                out = slice_(out, wrap_dim(dim, out.rank), start, stop, step)       # raises past the last axis
            dim += 1
        elif PyLong_CheckExact(part):
            out = select_(out, dim, checked_index(part, size, place))
        else:
            while len(indices) < dim:
                indices.append(None)
            if isinstance(part, Tensor):
                if dim >= out.rank:
                    raise IndexError(f"too many indices for tensor of dimension {out.rank} (got {dim + 1})")
                part = beside(out, <Tensor>part)
                step = (<Tensor>part).rank if is_mask(<Tensor>part) else 1
            else:
                out = unsqueeze_(out, wrap_dim(dim, out.rank + 1))
                part, step = general().truth(out, part), 1
            indices.append(part)
            dim += <int>step
    return out


cdef int too_many(Tensor t, object lone) except -1:
    """Raise what PyTorch does for a key of more parts than `t` has axes; `lone` is the only part, for a 0-d tensor."""
    cdef Py_ssize_t start, stop, step
    if PySlice_Check(lone):
        slice_bounds(lone, 0, &start, &stop, &step)         # a step that can't be is refused first
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if PyLong_CheckExact(lone):
        if lone == 0:
            raise IndexError(ZERO_DIM)
        checked_index(lone, 0, 0)
    raise IndexError(f"too many indices for tensor of dimension {t.rank}")


cdef inline Tensor beside(Tensor t, Tensor index):
    """An index tensor on t's device."""
    if index.memory.backend is t.memory.backend and index.memory.index == t.memory.index:
        return index
    return general().near(t, index)


cdef Py_ssize_t checked_index(object index, Py_ssize_t size, int dim) except? -1:
    """An index of an axis counted from the front; raises IndexError outside it."""
    cdef Py_ssize_t i
    try:
        i = index
    except OverflowError:
        raise ValueError("Overflow when unpacking long long") from None
    if i < -size or i >= size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return i + size if i < 0 else i


cdef bint names_batch(object key):
    """Whether a tensor in a key stands in for a batch, inside `vmap`."""
    cdef tuple parts = <tuple>key if PyTuple_CheckExact(key) else (key,)
    for part in parts:
        if isinstance(part, Tensor) and (<Tensor>part).names_ is not None and type((<Tensor>part).names_) is not tuple:
            return True
    return False


# -------------------------------------------------------------------- x[key]

cdef object getitem_(Tensor t, object key):
    """``t[key]``."""
    cdef Py_ssize_t start, stop, step
    if PyLong_CheckExact(key) and t.rank:
        return select_(t, 0, checked_index(key, t.sizes[0], 0))
    if PySlice_Check(key) and t.rank and is_plain_slice(key):       # a node even for the whole axis, as in PyTorch
        slice_bounds(key, t.sizes[0], &start, &stop, &step)
        return slice_(t, 0, start, stop, step)
    if key is None:
        return unsqueeze_(t, 0)
    return picked(t, key)


cdef Tensor picked(Tensor t, object key):
    """``t[key]`` for any key."""
    if forward_used and names_batch(key):
        from cygrad.batching.keys import getitem      # start-up time
        return getitem(t, key)
    cdef int used = 0, tensors = 0
    cdef tuple parts = parts_of_key(t, key, &used, &tensors)
    cdef list indices = [] if tensors else None
    if tensors and any_overridden(parts):
        return hand_over_named("__getitem__", (t, key))
    cdef Tensor view = read_key(t, key, parts, used, indices)
    if tensors:
        return take(view, indices)
    return alias_(t) if view is t else view


cdef Tensor take(Tensor view, list indices):
    """What index tensors and masks pick from a view."""
    cdef Tensor mask = leading_mask(view, indices), found
    cdef bint tracked = grad_enabled() and requires_grad(view)
    if mask is not None:
        if tracked:
            return general().index_rows(view, mask_places(mask), mask.rank, mask)
        return take_rows(view, mask_places(mask), mask.rank)
    if not tracked and is_lone_index(indices):              # the kernel looks at the places as it reads them
        found = take_at(view, tuple(indices), False, False)
        if found is not None:
            return found
    if tracked:
        return general().recorded_index(view, places(view, indices))
    return take_at(view, places(view, indices))


cdef bint is_lone_index(list indices) noexcept:
    """Whether one index tensor of int64 is all there is."""
    cdef Py_ssize_t i
    for i in range(len(indices) - 1):
        if indices[i] is not None:
            return False
    return (<Tensor>indices[len(indices) - 1]).dtype.code == INT64


# ---------------------------------------------------------------- x[key] = value

cdef int setitem_(Tensor t, object key, object value) except -1:
    """``t[key] = value``."""
    cdef Tensor view, given = <Tensor>value if isinstance(value, Tensor) else None
    cdef list indices
    cdef int used = 0, tensors = 0
    cdef Py_ssize_t start, stop, step
    cdef tuple parts
    if given is None and not (PyFloat_CheckExact(value) or PyLong_Check(value)):
        value = general().assigned_number(t, value)
    if PyLong_CheckExact(key) and t.rank:
        view = select_(t, 0, checked_index(key, t.sizes[0], 0))
    elif PySlice_Check(key) and t.rank and is_plain_slice(key):
        slice_bounds(key, t.sizes[0], &start, &stop, &step)
        view = (t if start == 0 and stop == t.sizes[0] and step == 1 and not counts_back(key)
                else slice_(t, 0, start, stop, step))
    elif key is False:
        if given is None:
            number_tensor(t, value)
        return 0
    elif key is True:
        view = unsqueeze_(t, 0)
    else:
        if forward_used and names_batch(key):
            from cygrad.batching.keys import setitem      # start-up time
            setitem(t, key, value)
            return 0
        try:
            parts = parts_of_key(t, key, &used, &tensors)
            indices = [] if tensors else None
            view = read_key(t, key, parts, used, indices)
        except (IndexError, TypeError):
            general().refuse_first(t, key, value)
            raise
        if tensors:
            return write(view, indices, fitting_value(view, indices, value, True), False)
    return assign(view, given, value)


cdef inline bint is_tracked(Tensor t, Tensor value) noexcept:
    """Whether a write of a value (or None, a number) into `t` concerns autograd."""
    return grad_enabled() and (requires_grad(t) or t.creation != 0 or value is not None and requires_grad(value))


cdef int assign(Tensor view, Tensor given, object value) except -1:
    """Write a value, broadcast, to all of a view: the tensor `given`, or a number."""
    if view.inference or is_tracked(view, given) or given is not None and not (
            given.rank and same_sizes(view, given) and given.memory is not view.memory
            and given.memory.backend is view.memory.backend and given.memory.index == view.memory.index):
        general().assign(view, value)
        return 0
    refuse_self_overlap(view)
    if (given is None and view.dtype.itemsize == 2 and view.dtype.category == CATEGORY_FLOAT
            and not PyComplex_Check(value) and not -65504 <= value <= 65504):
        copy_into(expand_to(number_tensor(view, value), view.rank, view.sizes), view)     # too large is infinite
    elif given is None:
        fill_into(view, value)
    else:
        copy_into(given, view)
    bump_version(view)
    return 0


cpdef Tensor number_tensor(Tensor like, object number):
    """A number as a 0-d tensor of like's dtype; one that it can't hold is refused."""
    cdef Tensor found = empty(like.memory.backend, like.memory.index, like.dtype, 0, NULL)
    fill_into(found, number)
    return found


cdef Tensor fitting_value(Tensor view, list indices, object value, bint cropped):
    """A value as a tensor on the view's device; `cropped`: without the axes of size 1 that it begins with."""
    cdef Tensor given
    if not isinstance(value, Tensor):
        return number_tensor(view, value)
    given = <Tensor>value
    if given.memory.backend is not view.memory.backend or given.memory.index != view.memory.index \
            or plain_of(given.dtype) is not plain_of(view.dtype):
        given = general().converted(view, indices, given)
    return general().without_leading_ones(given) if cropped and given.rank and given.sizes[0] == 1 else given


cdef int refuse_byte_mask(Tensor view, list indices) except -1:
    """One value goes by a mask, if that is the only index, as `masked_fill_` would write it: it takes no uint8."""
    cdef Tensor mask = None
    cdef int place = 0, i
    for i in range(len(indices)):
        if indices[i] is not None:
            if mask is not None or (<Tensor>indices[i]).dtype.code != UINT8:
                return 0
            mask, place = <Tensor>indices[i], i
    if mask is not None:
        fitting_mask(view, mask, place)
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    return 0


cdef Tensor first_index(list indices):
    """The first index that is a tensor."""
    for index in indices:
        if index is not None:
            return <Tensor>index


cdef tuple places_for(Tensor view, list indices, Tensor value):
    """`places`; where one lies outside, PyTorch notices first whether the value fits."""
    try:
        return places(view, indices)
    except IndexError as error:
        outside = error
    if view.elements:
        try:
            inside = places(view, [t if t is None or is_mask(t) else t * 0 for t in indices])
            general().index_put(view.detach(), general().Indices(inside), value.detach(), False)
        except IndexError:
            pass
    raise outside


cdef int write(Tensor view, list indices, Tensor value, bint accumulate) except -1:
    """Write a value, broadcast, to the places that index tensors and masks pick, or add it to what is there."""
    cdef Tensor mask, positions
    cdef bint tracked = is_tracked(view, value)
    cdef int mode = step_mode(k.SCATTER_ADD, view) if accumulate else k.SCATTER_SET
    cdef tuple found
    check_inplace(view)
    if grad_enabled() and requires_grad(value):
        refuse_before_writing(view)
    if value.elements == 1 and not accumulate:
        refuse_byte_mask(view, indices)
    mask = first_index(indices)
    if mask is None or value.elements != 1 or accumulate or mask.dtype.code != BOOL:
        if value is view:                           # PyTorch refuses that without elements, too
            raise RuntimeError(OVERLAPPED)
        refuse_overlap(view, value, True)           # before it is looked at what the indices are
    mask = leading_mask(view, indices)
    if not tracked:
        if mask is not None and value.rank == 0 and not accumulate:
            fill_masked(view, mask, dense_copy(value) if value.memory is view.memory else value)
            bump_version(view)
            return 0
    if not view.dense:
        general().warn_if_expanded(view, "index_put_", "tensor[indices] = tensor")
    for index in indices:
        if index is not None:
            refuse_overlap(view, <Tensor>index, True)
    if mask is not None:
        positions = mask_places(mask)
        if tracked:
            put = general().put_rows
            put = put.inplace_on_itself if value.elements == 1 and not accumulate else put.inplace  # masked_fill_
            put(view, positions, mask.rank, value, accumulate)
            return 0
        refuse_overlap(view, value, True)
        put_rows(view, positions, mask.rank, value, mode)
    else:
        found = places_for(view, indices, value)
        if tracked:
            general().index_put.inplace(view, general().Indices(found), value, accumulate)
            return 0
        refuse_overlap(view, value, True)
        put_at(view, found, value, mode)
    bump_version(view)
    return 0


cdef int fill_masked(Tensor t, Tensor mask, Tensor value) except -1:
    """Write a 0-d value where the mask of the first axes is true."""
    cdef Py_ssize_t strides[64]
    cdef int i
    if shows_a_place_twice(t):               # a kernel may write what it has read before another write
        general().warn_if_expanded(t, "index_put_", "tensor[indices] = tensor")
        put_rows(t, mask_places(mask), mask.rank, value, k.SCATTER_SET)
        return 0
    for i in range(t.rank):
        strides[i] = mask.strides[i] if i < mask.rank else 0
    where_into(strided(mask, mask.offset, t.rank, t.sizes, strides), expand_to(value, t.rank, t.sizes), t, t)
    return 0


# ------------------------------------------------------------------------- index_put

cdef list axes_of(Tensor t, object indices, object values):
    """The index tensors and masks of `index_put` by axis, as `write` takes them."""
    cdef list found = []
    cdef Tensor index
    cdef int i, dim = 0
    if not isinstance(indices, (tuple, list)):
        raise TypeError("index_put(): argument 'indices' (position 1) must be tuple of Tensors, not "
                        f"{type(indices).__name__}")
    if not isinstance(values, Tensor):
        raise TypeError(f"index_put(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")
    for i, each in enumerate(indices):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(each).__name__}")
        index = <Tensor>each
        if index.rank or not is_mask(index):                            # a mask without axes says nothing
            while len(found) < dim:
                found.append(None)
            found.append(beside(t, index))
            dim += index.rank if is_mask(index) else 1
    if dim > t.rank or not (found or t.rank) and indices:
        raise IndexError(f"too many indices for tensor of dimension {t.rank} (got {dim})")
    if not found:
        raise RuntimeError("index_put(): expected at least one index tensor with axes, or of integers, in 'indices'")
    return found


def index_put_(Tensor self not None, indices, values, bint accumulate=False):
    """In-place version of `index_put`: writes the result into the tensor and returns it."""
    cdef list found = axes_of(self, indices, values)
    write(self, found, fitting_value(self, found, values, False), accumulate)
    return self


def write_arguments(Tensor self not None, indices, values):
    """(positions, axes, values) of `index_put` if a mask of the first axes is all there is, else (places, values)."""
    cdef list found = axes_of(self, indices, values)
    cdef Tensor mask = leading_mask(self, found)
    values = fitting_value(self, found, values, False)
    return (places_for(self, found, values), values) if mask is None else (mask_places(mask), mask.rank, values)


operators.getitem, operators.setitem = <Pair>getitem_, <Store>setitem_
