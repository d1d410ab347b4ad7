"""Operands that share memory: elements that lie on one place, and what an op writes to while it still reads it."""
from cygrad.dtype cimport lazy_flags
from cygrad.view cimport View

OVERLAPPED = ("unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
              "memory location. Please clone() the tensor before performing the operation.")


cdef bint has_no_gaps(View v):
    """Whether the elements fill a stretch of memory, each place once, in any order of the axes."""
    cdef Py_ssize_t step = 1
    cdef bint found = True
    cdef bint used[64]
    cdef int i
    if v.dense:
        return True
    for i in range(v.rank):
        used[i] = v.sizes[i] == 1
    while found:
        found = False
        for i in range(v.rank):
            if not used[i] and v.strides[i] == step:
                used[i] = found = True
                step *= v.sizes[i]
    return step == v.elements


cdef bint shows_a_place_twice(View v) noexcept:
    """Whether elements share a place in memory because an axis was expanded, which is what PyTorch notices."""
    cdef int i
    if not v.dense:
        for i in range(v.rank):
            if v.strides[i] == 0 and v.sizes[i] > 1:
                return True
    return False


cdef int refuse_self_overlap(View out) except -1:
    """Raise where an op would write to elements that share a place."""
    if shows_a_place_twice(out):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                           "memory location. Please clone() the tensor before performing the operation.")
    return 0


cdef int refuse_overlap(View out, View other, bint whole) except -1:
    """Raise where an op would write to memory that it still reads: `other` is partly `out`'s (or wholly, if asked).

    As in PyTorch this is only noticed for operands without gaps that are not lazy; the caller copies others that share
    a storage.
    """
    cdef Py_ssize_t start, stop, i
    cdef bint same = True
    if out.memory is not other.memory or (not whole if out is other else not (out.elements and other.elements)):
        return 0
    if lazy_flags(out.dtype) | lazy_flags(other.dtype):         # written out first
        return 0
    if out is not other and not (has_no_gaps(out) and has_no_gaps(other)):
        return 0
    start, stop = out.offset * out.dtype.itemsize, other.offset * other.dtype.itemsize
    if out is not other and (start + out.elements * out.dtype.itemsize <= stop
                             or stop + other.elements * other.dtype.itemsize <= start):
        return 0
    if start == stop and out.elements == other.elements and out.rank == other.rank:
        for i in range(out.rank):               # the strides of axes of size 1, too, as PyTorch compares them
            same = same and out.sizes[i] == other.sizes[i] and out.strides[i] == other.strides[i]
        if same and not whole:
            return 0
    raise RuntimeError(OVERLAPPED)


def refuse_shared(View target not None, View operand, bint whole=True):
    """`refuse_overlap` for ops in Python; `whole`: also where both are the same elements. Of None: within `target`."""
    if operand is None:
        refuse_self_overlap(target)
    else:
        refuse_overlap(target, operand, whole)
