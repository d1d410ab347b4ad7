"""How neighbouring axes become one: a function of C for the core and the backends, which keep axes each their way."""


cdef inline int merge_neighbours(int rank, Py_ssize_t *sizes, Py_ssize_t *strides, Py_ssize_t apart, int operands,
                                 bint inner_first, int along) noexcept nogil:
    """Drop axes of size 1 and merge neighbours that all operands step through alike; returns how many are left.

    Axis i has the size ``sizes[i * along]`` and, for operand k, the stride ``strides[k * apart + i * along]``. The
    outermost axis comes first or, if `inner_first`, the innermost.
    """
    cdef int i, k, kept = 0
    cdef Py_ssize_t *last = sizes       # of the axis before, as `size` is of this one
    cdef Py_ssize_t *size
    cdef Py_ssize_t *stride
    cdef bint fits
    for i in range(rank):
        size = sizes + i * along
        if size[0] == 1:
            continue
        fits = kept > 0
        for k in range(operands if fits else 0):
            stride = strides + k * apart
            if inner_first:
                fits = stride[i * along] == stride[(kept - 1) * along] * last[0]
            else:
                fits = stride[(kept - 1) * along] == stride[i * along] * size[0]
            if not fits:
                break
        if fits:
            last[0] *= size[0]
        else:
            last = sizes + kept * along
            last[0] = size[0]
            kept += 1
        if kept - 1 != i and not (fits and inner_first):
            for k in range(operands):
                strides[k * apart + (kept - 1) * along] = strides[k * apart + i * along]
    return kept
