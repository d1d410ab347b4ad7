"""A reduction as two groups of axes, kept and reduced: geometry, the choice of direction, loading of blocks.

Each group is sorted by the input's strides and merged. Where the reduced axis is the contiguous one, rows are folded to
one element each; where a kept axis is, columns are, so that memory is read in order in both cases.
"""
from cygrad.dispatch.merging cimport merge_neighbours
from cygrad.view cimport View
from cygrad_cpu.pointwise.blocks cimport convert, loaded_kernels, log_of_item
from cygrad_cpu.kernels.pointwise_table cimport Kernels

cdef enum:
    SHORT = 16              # a reduced axis this short is folded by columns where there are many
    MANY = 512

cdef Kernels *kernels = loaded_kernels()


cdef void tidy(Group *group) noexcept nogil:
    """Sort by the input's strides, drop axes of size 1, merge neighbours."""
    cdef int i, j
    cdef Axis axis
    for i in range(1, group.rank):
        axis = group.axes[i]
        j = i
        while j > 0 and magnitude(axis.stride) < magnitude(group.axes[j - 1].stride):
            group.axes[j] = group.axes[j - 1]
            j -= 1
        group.axes[j] = axis
    group.elements = 1
    for i in range(group.rank):
        group.elements *= group.axes[i].size
    group.rank = merge_neighbours(group.rank, &group.axes[0].size, &group.axes[0].stride, 1, 2, True,
                                  sizeof(Axis) // sizeof(Py_ssize_t))
    if group.rank == 0:
        group.axes[0].size = group.axes[0].stride = group.axes[0].out_stride = group.rank = 1


cdef void set_axes(Reduction *r, View a, View out) noexcept:
    cdef int i
    cdef Py_ssize_t kept = out.elements
    if a.dense and out.dense:
        r.kept.rank = r.reduced.rank = 1
        r.kept.axes[0].size = kept
        r.kept.axes[0].stride = a.elements // kept
        r.kept.axes[0].out_stride = 1
        r.reduced.axes[0].size = a.elements // kept
        r.reduced.axes[0].stride = 1
        r.reduced.axes[0].out_stride = 0
    else:
        r.kept.rank = out.rank
        for i in range(out.rank):
            r.kept.axes[i].size = a.sizes[out.rank - 1 - i]
            r.kept.axes[i].stride = a.strides[out.rank - 1 - i]
            r.kept.axes[i].out_stride = out.strides[out.rank - 1 - i]
        r.reduced.rank = a.rank - out.rank
        for i in range(r.reduced.rank):
            r.reduced.axes[i].size = a.sizes[a.rank - 1 - i]
            r.reduced.axes[i].stride = a.strides[a.rank - 1 - i]
            r.reduced.axes[i].out_stride = 0
    tidy(&r.kept)
    tidy(&r.reduced)


cdef const char *load(const Reduction *r, const char *a, Py_ssize_t row, Py_ssize_t stride, Py_ssize_t rows,
                      Py_ssize_t n, char *buffers) noexcept nogil:
    """A block of rows x n as a contiguous run of the compute dtype. `buffers`: three of BUFFER bytes."""
    if (stride != 1 and n > 1) or (row != n and rows > 1):
        kernels.move[log_of_item(r.item)](a, row, stride, buffers, n, 1, rows, n)
        a = buffers
    return convert(&r.load, a, rows * n, buffers + BUFFER, buffers + 2 * BUFFER)


cdef bint by_columns(const Reduction *r) noexcept nogil:
    """Whether a kept axis is the contiguous one, or the reduced one is so short that rows don't pay."""
    cdef const Axis *kept = &r.kept.axes[0]
    cdef const Axis *reduced = &r.reduced.axes[0]
    if r.reduced.elements < SHORT and kept.size >= MANY and not (r.ordered and direct(r, reduced)):
        return True
    return kept.size > 1 and magnitude(kept.stride) < magnitude(reduced.stride)


cdef Py_ssize_t row_width(const Reduction *r) noexcept nogil:
    """Columns of a block: a row of accumulators, or a sixteenth of a buffer."""
    cdef Py_ssize_t widest = max(r.wide, r.item, <Py_ssize_t>4)
    return ROW_BYTES // widest if direct(r, &r.kept.axes[0]) else BUFFER // 16 // widest


cdef Py_ssize_t units(const Reduction *r) noexcept nogil:
    """Independent pieces of work: kept elements, or blocks of them."""
    cdef Py_ssize_t width = row_width(r), size = r.kept.axes[0].size
    if by_columns(r):
        return r.kept.elements // size * ((size + width - 1) // width)
    return r.kept.elements
