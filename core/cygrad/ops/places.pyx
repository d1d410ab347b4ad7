"""Advanced indexing without autograd: index tensors become places in memory, read by gather and written by scatter.

The axes that index tensors address are walked as one axis of stride 1, along which an element lies at the sum of
``index[k] * stride[k]`` (an axis addressed alone keeps its own stride). So no axes are merged and nothing is copied,
whatever the operand's strides. Index tensors come here as int64; `wrapped` checks and normalises them.
"""
from cpython.long cimport PyLong_CheckExact
from cpython.slice cimport PySlice_Check
from cpython.tuple cimport PyTuple_CheckExact

from cygrad cimport backend as k
from cygrad.autograd.node cimport grad_enabled
from cygrad.backend cimport Backend
from cygrad.dispatch cimport (SAME, binary, cast, dense_copy, empty, expand_to, fill_into, output_like, reduce,
                              scalar_dtype, scalar_value)
from cygrad.dtype cimport BOOL, INT64, dtype_of
from cygrad.ops.views cimport select_, slice_, slice_bounds, unsqueeze_
from cygrad.tensor cimport Tensor, bump_version, new_tensor, requires_grad, version_of
from cygrad.view cimport View, data, fill_strided, same_sizes, size_of

from cygrad.autograd.node import SavedTensor
from cygrad.dispatch import SCALAR_NAMES, gather_into, nonzero_op, scatter_into, where_into

cdef enum:
    FEW = 2048                  # host elements up to which a plain loop beats two reductions


cdef struct Plan:               # the result's axes, as the indexed tensor and the index step through them
    int rank
    int dim                     # the axis along which the kernel adds the index
    Py_ssize_t sizes[64]
    Py_ssize_t strides[64]
    Py_ssize_t index[64]
    Py_ssize_t step             # stride of the walked axis
    Py_ssize_t span             # its length
    bint scalar                 # all index tensors are 0-d: one axis too many


# ------------------------------------------------------------ checking indices

cdef int extremes(Tensor index, Py_ssize_t *low, Py_ssize_t *high) except -1:
    """Smallest and largest element of an int64 tensor that has some."""
    cdef long long *p
    cdef long long least, most
    cdef Py_ssize_t i
    cdef tuple dims
    if index.memory.pointer != NULL and index.dense and index.elements <= FEW:
        p = <long long *>data(index)
        least = most = p[0]
        for i in range(1, index.elements):
            least = min(least, p[i])
            most = max(most, p[i])
        low[0], high[0] = least, most
        return 0
    dims = tuple(range(index.rank))
    low[0] = scalar_value(reduce(k.MIN, index, dims, False, index.dtype))
    high[0] = scalar_value(reduce(k.MAX, index, dims, False, index.dtype))
    return 0


def wrapped(Tensor index not None, Py_ssize_t size, bint negative=True):
    """`index` as int64 places of an axis of `size` elements, counted from the front; None if one is outside.

    Parameters
    ----------
    index : Tensor
        Of an integer dtype.
    size : int
    negative : bool
        Whether places may be counted from the end.
    """
    cdef Py_ssize_t low, high
    index = cast(index, dtype_of(INT64))
    if index.elements == 0:
        return index
    extremes(index, &low, &high)
    if high >= size or low < (-size if negative else 0):
        return None
    return binary(k.REMAINDER, index, size, SAME) if low < 0 else index


def same_shape(Tensor a not None, Tensor b not None):
    """Whether two tensors have one shape."""
    return same_sizes(a, b)


def same_off_axis(Tensor a not None, Tensor b not None, int dim):
    """Whether two tensors have one shape but for axis `dim`."""
    cdef int i
    if a.rank != b.rank:
        return False
    for i in range(a.rank):
        if i != dim and a.sizes[i] != b.sizes[i]:
            return False
    return True


def fits_within(Tensor inner not None, Tensor outer not None, int dim):
    """Whether `inner`, of as many axes, is nowhere longer than `outer`, but along axis `dim` (-1: along none)."""
    cdef int i
    for i in range(min(inner.rank, outer.rank)):
        if i != dim and inner.sizes[i] > outer.sizes[i]:
            return False
    return True


# ------------------------------------------------------------- from index to places

cdef Tensor make_plan(Tensor a, tuple indices, Plan *plan):
    """Fill the plan of ``a[indices]`` and return the tensor of places; None among the indices is a whole axis."""
    cdef Tensor places = None, index
    cdef int i, first = -1, last = -1, count = 0, at = 0, rank
    cdef bint indexed[64]
    plan.span = 1
    for i in range(a.rank):
        indexed[i] = i < len(indices) and indices[i] is not None
        if indexed[i]:
            if first < 0:
                first = i
            last = i
            count += 1
            if a.sizes[i] > 0:
                plan.span += (a.sizes[i] - 1) * a.strides[i]
    if count == 1:
        places = <Tensor>indices[first]
        plan.step, plan.span = a.strides[first], a.sizes[first]
    else:
        plan.step = 1
        check_shapes(indices)
        for i in range(first, last + 1):
            if indexed[i]:
                index = <Tensor>indices[i]
                if a.strides[i] != 1:
                    index = binary(k.MUL, index, a.strides[i], SAME)
                places = index if places is None else binary(k.ADD, places, index, SAME)
    plan.scalar = places.rank == 0
    rank = places.rank if not plan.scalar else 1
    if last - first + 1 != count:                       # not neighbours: their axes come first
        first = 0
    plan.dim = first + rank - 1
    for i in range(a.rank):
        if at == first:
            first = -1
            add_places(plan, places, at)
            at += rank
        if not indexed[i]:
            plan.sizes[at], plan.strides[at], plan.index[at] = a.sizes[i], a.strides[i], 0
            if a.sizes[i] == 1:                         # as if the index had the axis: it matters to the memory order
                plan.index[at] = 1 if first < 0 else places.elements
            at += 1
    plan.rank = at
    return places


cdef int add_places(Plan *plan, Tensor places, int at) noexcept:
    cdef int i
    if places.rank == 0:
        plan.sizes[at], plan.strides[at], plan.index[at] = 1, 0, 1
    for i in range(places.rank):
        plan.sizes[at + i], plan.strides[at + i], plan.index[at + i] = places.sizes[i], 0, places.strides[i]
    return 0


def check_shapes(tuple indices not None):
    """Raise PyTorch's error if the index tensors don't broadcast."""
    cdef Py_ssize_t sizes[64]
    cdef int rank = 0, i
    cdef Tensor t
    for i in range(64):
        sizes[i] = 1
    for index in indices:
        if index is not None:
            t = <Tensor>index
            for i in range(t.rank):
                if t.sizes[t.rank - 1 - i] != 1:
                    if sizes[i] != 1 and sizes[i] != t.sizes[t.rank - 1 - i]:
                        words = ", ".join(str(list(size_of(<View>x))) for x in indices if x is not None)
                        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                                         + words)
                    sizes[i] = t.sizes[t.rank - 1 - i]


cdef Tensor strided(Tensor t, Py_ssize_t offset, int rank, const Py_ssize_t *sizes, const Py_ssize_t *strides):
    cdef Tensor out = new_tensor()
    fill_strided(out, t.memory, t.dtype, offset, rank, sizes, strides)
    return out


cdef Tensor without_axis(Tensor t, int dim):
    """`t` without its axis `dim`, of size 1."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef int i, at = 0
    for i in range(t.rank):
        if i != dim:
            sizes[at], strides[at] = t.sizes[i], t.strides[i]
            at += 1
    return strided(t, t.offset, at, sizes, strides)


def take_at(Tensor a not None, tuple indices not None, bint dense=False):
    """``a[indices]``: for each axis an int64 tensor of places, checked, or None; missing ones are None.

    The result lies in the memory order of `a` and the index, as PyTorch's does, or is row-major (`dense`).
    """
    cdef Plan plan
    cdef Tensor places = make_plan(a, indices, &plan), walked, index, out
    walked = strided(a, a.offset, plan.rank, plan.sizes, plan.strides)
    index = strided(places, places.offset, plan.rank, plan.sizes, plan.index)
    if dense:
        out = empty(a.memory.backend, a.memory.index, a.dtype, plan.rank, plan.sizes)
    else:
        out = output_like(a.dtype, plan.rank, plan.sizes, walked, index, None)
    if out.elements:
        walked.sizes[plan.dim], walked.strides[plan.dim] = plan.span, plan.step
        walked.finish()
        gather_into(walked, index, plan.dim, out)
    return without_axis(out, plan.dim) if plan.scalar else out


def take_into(Tensor a not None, tuple indices not None, Tensor out not None):
    """``out[...] = a[indices]``, whose shape `out` has."""
    cdef Plan plan
    cdef Tensor places = make_plan(a, indices, &plan)
    if out.elements:
        plan.sizes[plan.dim], plan.strides[plan.dim] = plan.span, plan.step
        walked = strided(a, a.offset, plan.rank, plan.sizes, plan.strides)
        plan.sizes[plan.dim] = out.sizes[plan.dim]
        gather_into(walked, strided(places, places.offset, plan.rank, plan.sizes, plan.index), plan.dim, out)


def put_at(Tensor a not None, tuple indices not None, Tensor values not None, int mode):
    """``a[indices] op= values`` in place; values are broadcast. `mode` is an index of backend.SCATTER."""
    cdef Plan plan
    cdef Tensor places = make_plan(a, indices, &plan), walked, index
    cdef int i, rank = plan.rank - plan.scalar, missing
    walked = strided(a, a.offset, plan.rank, plan.sizes, plan.strides)
    index = strided(places, places.offset, plan.rank, plan.sizes, plan.index)
    if plan.scalar:
        check_values(values, without_axis(walked, plan.dim))
        values = unsqueezed(expand_to(values, rank, without_axis(walked, plan.dim).sizes), plan.dim)
    else:
        check_values(values, walked)
        values = expand_to(values, plan.rank, plan.sizes)
    if values.dtype is not a.dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{SCALAR_NAMES[a.dtype.code]} for the destination and {SCALAR_NAMES[values.dtype.code]} "
                           "for the source.")
    if index.elements:
        walked.sizes[plan.dim], walked.strides[plan.dim] = plan.span, plan.step
        walked.finish()
        scatter_into(mode, walked, plan.dim, index, values)


cdef Tensor unsqueezed(Tensor t, int dim):
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef int i
    for i in range(t.rank + 1):
        if i == dim:
            sizes[i], strides[i] = 1, 0
        else:
            sizes[i], strides[i] = t.sizes[i - (i > dim)], t.strides[i - (i > dim)]
    return strided(t, t.offset, t.rank + 1, sizes, strides)


cdef int check_values(Tensor values, Tensor target) except -1:
    cdef int i, missing = target.rank - values.rank
    cdef bint fits = missing >= 0
    for i in range(values.rank):
        if fits and values.sizes[i] != 1 and values.sizes[i] != target.sizes[i + missing]:
            fits = False
    if not fits:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(size_of(values))} cannot be broadcast to "
                           f"indexing result of shape {list(size_of(target))}")
    return 0


# ------------------------------------------- places among the first axes, in row-major order

cdef Tensor flat(Tensor t):
    """A dense tensor as one axis."""
    cdef Py_ssize_t step = 1
    return strided(t, t.offset, 1, &t.elements, &step)


def mask_places(Tensor mask not None):
    """Positions of the true elements of a bool tensor in row-major order; int64, one axis."""
    cdef Tensor found = nonzero_op(flat(mask if mask.dense else dense_copy(mask)))
    return flat(found)


cdef Tensor merged(Tensor a, int axes):
    """`a` with its first axes as one; None where their strides don't allow it. A 0-d tensor gets an axis."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef int i, last = -1
    cdef Py_ssize_t count = 1
    if a.rank == 0:
        return flat(a)
    for i in range(axes - 1, -1, -1):
        if a.sizes[i] != 1:
            if last >= 0 and a.strides[i] != count * a.strides[last]:
                return None
            if last < 0:
                last = i
            count *= a.sizes[i]
    sizes[0], strides[0] = count, a.strides[last] if last >= 0 else 1
    for i in range(axes, a.rank):
        sizes[i - axes + 1], strides[i - axes + 1] = a.sizes[i], a.strides[i]
    return strided(a, a.offset, a.rank - axes + 1, sizes, strides)


def take_rows(Tensor a not None, Tensor places not None, int axes, bint dense=False):
    """What lies at checked int64 positions among the first `axes` axes of `a`, counted in row-major order."""
    cdef Tensor rows = merged(a, axes)
    return take_at(a, unravel(places, a, axes), dense) if rows is None else take_at(rows, (places,), dense)


def put_rows(Tensor a not None, Tensor places not None, int axes, Tensor values not None, int mode):
    """Write `values` (broadcast) to checked positions among the first `axes` axes of `a`, in place."""
    cdef Tensor rows = merged(a, axes)
    if rows is None:
        put_at(a, unravel(places, a, axes), values, mode)
    else:
        put_at(rows, (places,), values, mode)


cdef tuple unravel(Tensor places, Tensor a, int axes):
    """An index tensor for each of the first axes from positions in row-major order."""
    cdef list found = []
    cdef int i
    for i in range(axes - 1, -1, -1):
        if a.sizes[i] == 0:                             # then there is no place at all
            found.append(places)
            continue
        found.append(binary(k.REMAINDER, places, a.sizes[i], SAME) if i else places)
        places = binary(k.FLOOR_DIVIDE, places, a.sizes[i], SAME)
    found.reverse()
    return tuple(found)


# ------------------------------------------------------------ common keys, all in C

cdef class Indices:
    """Index tensors that a node keeps, one or None for each axis; refused if they were changed in place since."""
    cdef tuple tensors, versions

    def __init__(self, tuple tensors not None):
        cdef list versions = []
        for t in tensors:
            versions.append(0 if t is None else version_of(<Tensor>t))
        self.tensors, self.versions = tensors, tuple(versions)

    def read(self):
        """The tensors."""
        cdef Py_ssize_t i
        for i in range(len(self.tensors)):
            t = self.tensors[i]
            if t is not None and version_of(<Tensor>t) != <unsigned int>self.versions[i]:
                saved = SavedTensor(t)
                saved.version = self.versions[i]
                saved.unpack()                              # raises, with the words that every saved tensor has
        return self.tensors


cdef object split_key(Tensor t, object key, list indices):
    """The view that the geometric parts of a key make; appends to `indices` an index tensor or None for its axes.

    For keys of plain integers, slices, None, Ellipsis and tensors of int64 or bool with axes, all of them right. None
    for any other key: the caller has another way, and the errors.
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
            extremes(<Tensor>item, &low, &high)
            if high >= t.sizes[dim] or low < -t.sizes[dim]:
                return None
            indices.append(item if low >= 0 else binary(k.REMAINDER, item, t.sizes[dim], SAME))
            dim += 1
            continue
        indices.append(None)
        dim += 1
    return t


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
    cdef Tensor mask
    if grad_enabled() and requires_grad(self):
        return None
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
    cdef list indices
    cdef Tensor mask, given
    cdef bint number = not isinstance(value, Tensor)
    if not self.dense or self.inference or shares(self, key) or (grad_enabled() and (requires_grad(self) or self.creation != 0)):
        return False
    if number:
        if scalar_dtype(value) is None:
            return False
    else:
        given = <Tensor>value
        if given.dtype is not self.dtype or given.memory is self.memory or given.memory.backend is not \
                self.memory.backend or given.memory.index != self.memory.index or (
                    given.rank and given.sizes[0] == 1) or (grad_enabled() and requires_grad(given)):
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
        if given.rank == 0:
            fill_masked(<Tensor>view, mask, given)
        else:
            put_rows(<Tensor>view, mask_places(mask), mask.rank, given, k.SCATTER_SET)
    else:
        put_at(<Tensor>view, without_masks(indices), given, k.SCATTER_SET)
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
