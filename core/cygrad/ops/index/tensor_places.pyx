# distutils: extra_compile_args = -Os
# distutils: extra_compile_args = -ftree-vectorize -fvect-cost-model=dynamic
"""Advanced indexing without autograd: index tensors become places in memory, read by gather and written by scatter.

The axes that index tensors address are walked as one axis of stride 1, along which an element lies at the sum of
``index[k] * stride[k]`` (an axis addressed alone keeps its own stride). So no axes are merged and nothing is copied,
whatever the operand's strides. Index tensors come here as int64; `wrapped` checks and normalises them, or the kernel
looks at them as it reads.
"""
from cygrad cimport backend as k
from cygrad.backend cimport Backend
from cygrad.dispatch.allocation cimport empty, ordered_output, output_like
from cygrad.dispatch.axes cimport leading_merged
from cygrad.dispatch.kernel_calls cimport binary, cast, dense_copy, expand_to
from cygrad.dispatch.axis_reductions cimport reduce
from cygrad.tensors.elements cimport scalar_value
from cygrad.dispatch.promotion cimport SAME
from cygrad.dispatch.raw cimport gather_looking, scatter_into, scatter_looking
from cygrad.dtype cimport BOOL, INT32, INT64, UINT8, dtype_of, plain_of
from cygrad.tensor cimport Tensor, new_tensor, version_of
from cygrad.view cimport MAX_RANK, View, data, fill_strided, same_sizes, size_of

from cygrad.autograd.saved import SavedTensor
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import gather_into, nonzero_op
from cygrad.errors import warn

WRONG_DTYPE = "tensors used as indices must be long, int, byte or bool tensors"
BYTE_MASK = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."


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

cdef bint all_inside(Tensor index, Py_ssize_t size) noexcept:
    """Whether an int64 tensor is seen to hold places 0 to size - 1 only: at once if it is dense and in host memory.

    A place is one if neither it nor its distance to the last one is negative: the sign bits of all tell, without a
    comparison, which vectors of 64-bit integers don't have everywhere.
    """
    cdef unsigned long long *p
    cdef unsigned long long last = size - 1, signs = 0
    cdef Py_ssize_t i
    if index.memory.pointer == NULL or not index.dense or index.dtype.code != INT64:
        return False
    p = <unsigned long long *>data(index)
    for i in range(index.elements):
        signs |= p[i] | (last - p[i])
    return not signs >> 63


cdef int extremes(Tensor index, Py_ssize_t *low, Py_ssize_t *high) except -1:
    """Smallest and largest element of an int64 tensor that has some."""
    cdef tuple dims = tuple(range(index.rank))
    if (<Backend>index.memory.backend).name == "meta":      # there are none: all are right
        low[0] = high[0] = 0
        return 0
    low[0] = scalar_value(reduce(k.MIN, index, dims, False, index.dtype))
    high[0] = scalar_value(reduce(k.MAX, index, dims, False, index.dtype))
    return 0


cpdef Tensor wrapped(Tensor index, Py_ssize_t size, bint negative=True):
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
    if index.elements == 0 or all_inside(index, size):
        return index
    extremes(index, &low, &high)
    if high >= size or low < (-size if negative else 0):
        return None
    return binary(k.REMAINDER, index, size, SAME) if low < 0 else index


cpdef bint same_shape(Tensor a, Tensor b) noexcept:
    """Whether two tensors have one shape."""
    return same_sizes(a, b)


cpdef bint same_off_axis(Tensor a, Tensor b, int dim) noexcept:
    """Whether two tensors have one shape but for axis `dim`."""
    cdef int i
    if a.rank != b.rank:
        return False
    for i in range(a.rank):
        if i != dim and a.sizes[i] != b.sizes[i]:
            return False
    return True


cpdef bint fits_within(Tensor inner, Tensor outer, int dim) noexcept:
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
    refuse_change(a, len(indices))
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
    if a.rank - count + rank > MAX_RANK:
        raise RuntimeError(f"tensor has too many (>{MAX_RANK}) dims: {a.rank - count + rank}")
    plan.dim = first + rank - 1
    for i in range(a.rank):
        if at == first:
            first = -1
            add_places(plan, places, at)
            at += rank
        if not indexed[i]:
            plan.sizes[at], plan.strides[at], plan.index[at] = a.sizes[i], a.strides[i], 0
            if a.sizes[i] == 1:                         # as if the index had the axis: it matters to the memory order
                plan.index[at] = 1 if first < 0 else max(places.elements, 1)
            at += 1
    plan.rank = at
    return places


cdef int refuse_change(Tensor t, Py_ssize_t axes) except -1:
    """Raise if `t` has fewer axes than when its key was read: Python code that ran since has changed it."""
    if axes > t.rank:
        raise RuntimeError("a tensor changed its shape while it was indexed")
    return 0


cdef bint is_spread(const Plan *plan) noexcept:
    """Whether the index is broadcast to the shape of the result."""
    cdef int i
    for i in range(plan.rank):
        if plan.index[i] == 0:
            return True
    return False


cdef int add_places(Plan *plan, Tensor places, int at) noexcept:
    cdef int i
    if places.rank == 0:
        plan.sizes[at], plan.strides[at], plan.index[at] = 1, 0, 1
    for i in range(places.rank):
        plan.sizes[at + i], plan.strides[at + i], plan.index[at + i] = places.sizes[i], 0, places.strides[i]
    return 0


cdef int check_shapes(tuple indices) except -1:
    """Raise PyTorch's error if the index tensors don't broadcast."""
    cdef Py_ssize_t sizes[64]
    cdef int i
    cdef Tensor t
    for i in range(64):
        sizes[i] = 1
    for index in indices:
        if index is not None:
            t = <Tensor>index
            for i in range(t.rank):
                if t.sizes[t.rank - 1 - i] != 1:
                    if sizes[i] != 1 and sizes[i] != t.sizes[t.rank - 1 - i]:
                        words = ", ".join([str(list(size_of(<View>x))) for x in indices if x is not None])
                        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                                         + words)
                    sizes[i] = t.sizes[t.rank - 1 - i]
    return 0


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


cpdef Tensor take_at(Tensor a, tuple indices, bint dense=False, bint checked=True):
    """``a[indices]``: for each axis an int64 tensor of places or None; missing ones are None.

    The result lies in the memory order of `a` and the index, as PyTorch's does, or is row-major (`dense`). Not
    `checked` may be an only index; then the answer is None where a place is outside or where nobody looked.
    """
    cdef Plan plan
    cdef Tensor places = make_plan(a, indices, &plan), walked, index, out
    walked = strided(a, a.offset, plan.rank, plan.sizes, plan.strides)
    index = strided(places, places.offset, plan.rank, plan.sizes, plan.index)
    if dense:
        out = empty(a.memory.backend, a.memory.index, a.dtype, plan.rank, plan.sizes)
    elif walked.elements or not is_spread(&plan):
        out = output_like(a.dtype, plan.rank, plan.sizes, walked, index, None)
    else:                                                   # dense as they are, both would leave it row-major
        out = ordered_output(a.dtype, plan.rank, plan.sizes, walked, index, None)
    if out.elements or not checked:
        walked.sizes[plan.dim], walked.strides[plan.dim] = plan.span, plan.step
        walked.finish()
        if checked:
            gather_into(walked, index, plan.dim, out)
        elif out.elements == 0 or not gather_looking(walked, index, plan.dim, out):
            return None
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


cpdef bint put_at(Tensor a, tuple indices, Tensor values, int mode, bint checked=True) except -1:
    """``a[indices] op= values`` in place; values are broadcast. `mode` is an index of backend.SCATTER.

    Not `checked` may be an only index; then the answer is False where a place is outside or where nobody looked.
    """
    cdef Plan plan
    cdef Tensor places = make_plan(a, indices, &plan), walked, index
    cdef int rank = plan.rank - plan.scalar
    walked = strided(a, a.offset, plan.rank, plan.sizes, plan.strides)
    index = strided(places, places.offset, plan.rank, plan.sizes, plan.index)
    if plan.scalar:
        check_values(values, without_axis(walked, plan.dim))
        values = unsqueezed(expand_to(values, rank, without_axis(walked, plan.dim).sizes), plan.dim)
    else:
        check_values(values, walked)
        values = expand_to(values, plan.rank, plan.sizes)
    if plain_of(values.dtype) is not plain_of(a.dtype):
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{SCALAR_NAMES[a.dtype.code]} for the destination and {SCALAR_NAMES[values.dtype.code]} "
                           "for the source.")
    if index.elements:
        walked.sizes[plan.dim], walked.strides[plan.dim] = plan.span, plan.step
        walked.finish()
        if not checked:
            return scatter_looking(mode, walked, plan.dim, index, values)
        scatter_into(mode, walked, plan.dim, index, values)
    return True


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


cpdef Tensor take_rows(Tensor a, Tensor places, int axes, bint dense=False, bint checked=True):
    """What lies at int64 positions among the first `axes` axes of `a`, counted in row-major order (see `take_at`)."""
    cdef Tensor rows = leading_merged(a, axes)
    if rows is not None:
        return take_at(rows, (places,), dense, checked)
    return take_at(a, unravel(places, a, axes), dense) if checked else None


def put_rows(Tensor a not None, Tensor places not None, int axes, Tensor values not None, int mode):
    """Write `values` (broadcast) to checked positions among the first `axes` axes of `a`, in place."""
    cdef Tensor rows = leading_merged(a, axes)
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


# --------------------------------------------------------------- index tensors that a node keeps

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


def in_range(index, size, dim, negative=False, error=RuntimeError, words=None):
    """`index` as int64 counted from the front; raises if a place lies outside an axis of `size` elements."""
    found = wrapped(index, size, negative)
    if found is None:
        value = [i for i in index.reshape(-1).tolist() if not (-size if negative else 0) <= i < size][0]
        raise error((words or "index {} is out of bounds for dimension {} with size {}").format(value, dim, size))
    return found


# ------------------------------------------------------------- from a key's tensors to places

cpdef bint is_mask(Tensor t) noexcept:
    """Whether an index tensor marks places instead of naming them."""
    return plain_of(t.dtype).code == BOOL or plain_of(t.dtype).code == UINT8


cdef Tensor leading_mask(Tensor t, list indices):
    """The mask if it is the only index and covers the first axes of `t`, else None."""
    if indices[0] is None or len(indices) > 1 or not is_mask(<Tensor>indices[0]):
        return None
    return fitting_mask(t, <Tensor>indices[0], 0)


cdef Tensor fitting_mask(Tensor t, Tensor mask, int dim):
    """A mask of bools that fits the axes of `t` from `dim` on."""
    cdef int i
    for i in range(mask.rank):
        if dim + i >= t.rank or mask.sizes[i] != t.sizes[dim + i]:
            raise IndexError(f"The shape of the mask {list(size_of(mask))} at index {i} does not match the shape of "
                             f"the indexed tensor {list(size_of(t))} at index {dim + i}")
    if plain_of(mask.dtype).code == UINT8:
        warn(BYTE_MASK)
        return cast(mask, dtype_of(BOOL))
    return mask


cdef tuple places(Tensor t, list indices):
    """Checked int64 places, or None, for each axis of `t`; a mask becomes an index tensor for each of its axes.

    Places are looked at only if the result has elements; errors number the axes among the indexed ones, as PyTorch's.
    """
    cdef list found = [None] * max(t.rank, len(indices))
    cdef Tensor index, rows, mask
    cdef int dim, j, count = 0, number = 0
    cdef bint some = True
    refuse_change(t, len(found))
    for each in indices:
        if each is not None:
            index = <Tensor>each
            count += 1
            if not (plain_of(index.dtype).code == INT64 or plain_of(index.dtype).code == INT32 or is_mask(index)):
                raise IndexError(WRONG_DTYPE)
    for dim in range(len(indices)):
        if indices[dim] is None:
            continue
        index = <Tensor>indices[dim]
        if not is_mask(index):
            found[dim] = index
            continue
        mask = fitting_mask(t, index, dim)
        if mask.rank == 1:
            found[dim] = mask_places(mask)
            continue
        rows = nonzero_op(mask)
        for j in range(mask.rank):
            found[dim + j] = strided(rows, rows.offset + j * rows.strides[1], 1, rows.sizes, rows.strides)
    if count > 1:
        check_shapes(tuple(found))
    for each in found:
        some = some and (each is None or (<Tensor>each).elements > 0)
    for dim in range(len(found) if some else 0):
        if t.sizes[dim] == 0:
            if found[dim] is not None:
                raise IndexError("index is out of bounds for dimension with size 0")
            some = False
    for dim in range(len(found)):
        if found[dim] is None:
            continue
        index = <Tensor>found[dim]
        if some and dim < len(indices) and index is indices[dim]:       # not made of a mask
            found[dim] = wrapped(index, t.sizes[dim])
            if found[dim] is None:
                in_range(index, t.sizes[dim], number, True, IndexError)         # raises
        else:
            found[dim] = cast(index, dtype_of(INT64))
        number += 1
    return tuple(found)
