"""Scans along the last axis: the outer axis with the smallest step becomes the lanes of kernels/scan.pyx, the others
are walked here. 16-bit floats are scanned in float32 copies."""
from cython.parallel cimport prange

from cygrad.dtype cimport BFLOAT16, FLOAT16, FLOAT32, dtype_of
from cygrad.view cimport View, data, make_view
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.thread_count cimport threads_across, threads_for
from cygrad_cpu.kernels.kernel_tables cimport Lanes, ScanTable
from cygrad_cpu.runtime.temporaries cimport Temporary, converted, copy_views, temporary

cdef enum:
    GRAIN = 32768               # elements a thread should at least get

cdef ScanTable table
install_kernels("scan", &table)

cdef struct Outer:              # the axes around lanes
    int rank
    Py_ssize_t sizes[64]
    Py_ssize_t a[64]
    Py_ssize_t out[64]
    Py_ssize_t index[64]


cdef object cpu_scan(int op, View a, View out, View index):
    cdef Temporary source = None, target = None
    cdef int code = out.dtype.code
    if a.rank == 0:
        a = make_view(a.memory, a.dtype, a.offset, 1, [1], [1])
        out = make_view(out.memory, out.dtype, out.offset, 1, [1], [1])
        if index is not None:
            index = make_view(index.memory, index.dtype, index.offset, 1, [1], [1])
    if code == FLOAT16 or code == BFLOAT16:
        source = converted(a, dtype_of(FLOAT32))
        target = temporary(out.memory.backend, dtype_of(FLOAT32), out.rank, out.sizes)
        scan_views(op, code, source.view, target.view, index)
        copy_views(target.view, out)
        return None
    if table.scan[op][code] == NULL:
        return NotImplemented
    if a.dtype is not out.dtype:
        source = converted(a, out.dtype)
        a = source.view
    scan_views(op, code, a, out, index)


cdef void scan_views(int op, int code, View a, View out, View index) noexcept:
    cdef Lanes lanes
    cdef Outer outer
    cdef int last = out.rank - 1, axis, chosen = -1, threads
    cdef Py_ssize_t n = out.sizes[last], parts, i, rows = 1
    lanes.n = n
    lanes.a_step = a.strides[last]
    lanes.out_step = out.strides[last]
    lanes.index_step = index.strides[last] if index is not None else 0
    lanes.count = 1
    lanes.a_lane = lanes.out_lane = lanes.index_lane = 0
    for axis in range(last):
        if out.sizes[axis] > 1 and (chosen < 0 or out.strides[axis] < out.strides[chosen]):
            chosen = axis
    if chosen >= 0:
        lanes.count = out.sizes[chosen]
        lanes.a_lane = a.strides[chosen]
        lanes.out_lane = out.strides[chosen]
        lanes.index_lane = index.strides[chosen] if index is not None else 0
    outer.rank = 0
    for axis in range(last):
        if axis != chosen and out.sizes[axis] > 1:
            outer.sizes[outer.rank] = out.sizes[axis]
            outer.a[outer.rank] = a.strides[axis]
            outer.out[outer.rank] = out.strides[axis]
            outer.index[outer.rank] = index.strides[axis] if index is not None else 0
            outer.rank += 1
            rows *= out.sizes[axis]
    threads = threads_for(out.elements, GRAIN)
    if rows < threads:
        threads = threads_across(threads, lanes.count * lanes.out_lane * out.dtype.itemsize)
    if threads == 1:
        for i in range(rows):
            scan_part(op, code, a, out, index, &lanes, &outer, i, 0, lanes.count)
        return
    parts = 1 if rows >= threads else min(<Py_ssize_t>threads, lanes.count)
    with nogil:
        for i in prange(rows * parts, num_threads=threads, schedule="static"):
            scan_part(op, code, a, out, index, &lanes, &outer, i // parts, lanes.count * (i % parts) // parts,
                      lanes.count * (i % parts + 1) // parts)


cdef void scan_part(int op, int code, View a, View out, View index, const Lanes *lanes, const Outer *outer,
                    Py_ssize_t row, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Lanes begin ... end of one position of the outer axes."""
    cdef Lanes mine = lanes[0]
    cdef Py_ssize_t x = begin * lanes.a_lane, y = begin * lanes.out_lane, z = begin * lanes.index_lane, at
    cdef int axis
    mine.count = end - begin
    for axis in range(outer.rank - 1, -1, -1):
        at = row % outer.sizes[axis]
        row = row // outer.sizes[axis]
        x += at * outer.a[axis]
        y += at * outer.out[axis]
        z += at * outer.index[axis]
    table.scan[op][code](data(a) + x * a.dtype.itemsize, data(out) + y * out.dtype.itemsize,
                         <long long *>data(index) + z if index is not None else NULL, &mine)
