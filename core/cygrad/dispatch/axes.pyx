"""The axes of an op's operands: their order in memory, and merging.

An op on operands of one shape has one list of sizes and, for each operand, one of strides. Axes of size 1 are dropped,
the others ordered as the first operand lies in memory and merged where every operand allows it, so that a kernel gets
as few and as long axes as there are. Pure geometry: nothing here computes on elements.
"""
from cpython.ref cimport PyObject

from cygrad.dispatch.merging cimport merge_neighbours
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport INLINE_RANK, View, fill_strided, make_view


cdef void add_operand(Axes *axes, View v) noexcept:
    """One more operand, stretched to the sizes of the axes, which it fits."""
    cdef int i, missing = axes.rank - v.rank
    cdef Py_ssize_t *strides = axes.strides[axes.operands]
    for i in range(missing):
        strides[i] = 0
    for i in range(v.rank):
        strides[missing + i] = v.strides[i] if v.sizes[i] == axes.sizes[missing + i] else 0
    axes.operands += 1


cdef void start_axes(Axes *axes, View shape_of) noexcept:
    cdef int i
    axes.rank = shape_of.rank
    axes.operands = 0
    for i in range(shape_of.rank):
        axes.sizes[i] = shape_of.sizes[i]


cdef void move_axis(Axes *axes, int source, int target) noexcept nogil:
    cdef int k
    axes.sizes[target] = axes.sizes[source]
    for k in range(axes.operands):
        axes.strides[k][target] = axes.strides[k][source]


cdef void drop_ones(Axes *axes) noexcept nogil:
    cdef int i, kept = 0
    for i in range(axes.rank):
        if axes.sizes[i] != 1:
            if kept != i:
                move_axis(axes, i, kept)
            kept += 1
    axes.rank = kept


cdef bint swaps(Axes *axes, int first, int second, int *order) noexcept nogil:
    """Whether axis `first` must lie outside axis `second`, by the operands' strides in turn; order: -1, 0, 1."""
    cdef int k
    cdef Py_ssize_t s0, s1
    order[0] = 0
    for k in range(axes.operands):
        s0 = axes.strides[k][first]
        s1 = axes.strides[k][second]
        if s0 == 0 or s1 == 0:
            continue
        if s0 < s1:
            order[0] = -1
            return False
        if s0 > s1:
            order[0] = 1
            return True
        if axes.sizes[first] > axes.sizes[second]:
            order[0] = 1
            return True
    return False


cdef void memory_order(Axes *axes, int *permutation) noexcept nogil:
    """Axes from the innermost to the outermost, as the operands lie in memory (insertion sort, nearly sorted)."""
    cdef int i, first, second, order
    for i in range(axes.rank):
        permutation[i] = axes.rank - 1 - i
    for i in range(1, axes.rank):
        second = i
        for first in range(i - 1, -1, -1):
            swaps(axes, permutation[first], permutation[second], &order)
            if order > 0:
                permutation[first], permutation[second] = permutation[second], permutation[first]
                second = first
            elif order < 0:
                break


cdef void sort_axes(Axes *axes, int start, int stop) noexcept nogil:
    """Order axes start..stop so that memory is walked forwards: the largest stride of the first operand outside."""
    cdef int i, j, k, order
    cdef Py_ssize_t held
    for i in range(start + 1, stop):
        j = i
        while j > start:
            swaps(axes, j, j - 1, &order)
            if order <= 0:
                break
            axes.sizes[j], axes.sizes[j - 1] = axes.sizes[j - 1], axes.sizes[j]
            for k in range(axes.operands):
                held = axes.strides[k][j]
                axes.strides[k][j] = axes.strides[k][j - 1]
                axes.strides[k][j - 1] = held
            j -= 1


cdef int merge_axes(Axes *axes, int start, int stop) noexcept nogil:
    """Merge neighbours among axes start..stop where every operand allows it; returns the new stop."""
    cdef int i, left = start + merge_neighbours(stop - start, axes.sizes + start, axes.strides[0] + start, 64,
                                                axes.operands, False, 1)
    if left != stop:
        for i in range(stop, axes.rank):
            move_axis(axes, i, left + i - stop)
        axes.rank -= stop - left
    return left


cdef void collapse(Axes *axes) noexcept nogil:
    drop_ones(axes)
    sort_axes(axes, 0, axes.rank)
    merge_axes(axes, 0, axes.rank)


cdef int kept_first(Axes *axes, PyObject **operands, int count, View out, const bint *reduced, bint keepdim) noexcept:
    """The axes of operands of one shape and of `out`, the last operand: first its own, then the reduced ones, sorted.

    Both are merged; returns how many are kept.
    """
    cdef View like = <View>operands[0]
    cdef int i, k, part, place, rank = 0, stop = 0
    axes.operands = count + 1
    for part in range(2):
        place = 0
        for i in range(like.rank):
            if reduced[i] == part and like.sizes[i] != 1:
                axes.sizes[rank] = like.sizes[i]
                for k in range(count):
                    axes.strides[k][rank] = (<View>operands[k]).strides[i]
                axes.strides[count][rank] = 0 if part else out.strides[place]
                rank += 1
            place += not reduced[i] or keepdim
        if part == 0:
            stop = rank
    axes.rank = rank
    sort_axes(axes, stop, rank)
    merge_axes(axes, stop, rank)
    return merge_axes(axes, 0, stop)


cdef View operand(Axes *axes, int k, View v):
    """Operand k as the axes have become: `v` itself where they are its own."""
    if is_geometry(axes, k, axes.rank, v):
        return v
    return make_view(v.memory, v.dtype, v.offset, axes.rank, axes.sizes, axes.strides[k])


cdef bint is_geometry(Axes *axes, int k, int rank, View v) noexcept nogil:
    """Whether the first `rank` axes are v's own, with the strides of operand k: then it needs no other View."""
    cdef int i
    if v.rank != rank:
        return False
    for i in range(rank):
        if axes.sizes[i] != v.sizes[i] or axes.strides[k][i] != v.strides[i]:
            return False
    return True


cdef tuple split(PyObject **operands, Axes *axes):
    """Slices along the outermost axes, for the rare call that keeps more than eight axes: a tuple of operand tuples."""
    cdef int outer = axes.rank - INLINE_RANK, d, k
    cdef Py_ssize_t count = 1, n, left, offset
    cdef View v
    cdef list found = [], each
    for d in range(outer):
        count *= axes.sizes[d]
    for n in range(count):
        each = []
        for k in range(axes.operands):
            v, left = <View>operands[k], n
            offset = v.offset
            for d in range(outer - 1, -1, -1):
                offset += left % axes.sizes[d] * axes.strides[k][d]
                left //= axes.sizes[d]
            each.append(make_view(v.memory, v.dtype, offset, INLINE_RANK, axes.sizes + outer, axes.strides[k] + outer))
        found.append(tuple(each))
    return tuple(found)


cdef Tensor leading_merged(Tensor a, int count):
    """`a` with its first `count` axes as one (a new one if there are none); None where their strides don't allow it."""
    cdef Py_ssize_t sizes[65]
    cdef Py_ssize_t strides[65]
    cdef int i, left
    cdef Tensor out
    count = min(count, a.rank)
    for i in range(count):
        sizes[i], strides[i] = a.sizes[i], a.strides[i]
    left = merge_neighbours(count, sizes, strides, 0, 1, False, 1)
    if left > 1:
        return None
    if left == 0:
        sizes[0] = strides[0] = 1
    for i in range(count, a.rank):
        sizes[i - count + 1], strides[i - count + 1] = a.sizes[i], a.strides[i]
    out = new_tensor()
    fill_strided(out, a.memory, a.dtype, a.offset, a.rank - count + 1, sizes, strides)
    return out
