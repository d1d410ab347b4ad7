"""Sorting along the last axis: rows go to kernels/sort.pyx, shared among threads. The sort is always stable."""
from cython.parallel cimport prange, threadid

from cygrad.view cimport View, data, make_view
from cygrad_cpu.allocator cimport give, take
from cygrad_cpu.isa cimport install_kernels
from cygrad_cpu.parallel cimport threads_for
from cygrad_cpu.tables cimport SortTable
from cygrad_cpu.temporary cimport Temporary, converted, copy_views, temporary

cdef enum:
    GRAIN = 4096                # elements a thread should at least get
    FAR = 4096                  # elements of a block from which distant elements are gathered into rows first

cdef SortTable table
install_kernels("sort", &table)


cdef object cpu_sort(View a, bint descending, bint stable, View values, View index):
    cdef Temporary source, v, i
    if table.sort[a.dtype.code] == NULL:
        return NotImplemented
    if a.rank == 0:
        a = make_view(a.memory, a.dtype, a.offset, 1, [1], [1])
        values = make_view(values.memory, values.dtype, values.offset, 1, [1], [1])
        index = make_view(index.memory, index.dtype, index.offset, 1, [1], [1])
    if a.sizes[a.rank - 1] > 0xFFFFFFFE:
        raise RuntimeError(f"sort: an axis has at most {0xFFFFFFFE} elements, got {a.sizes[a.rank - 1]}")
    if a.elements >= FAR and a.elements > a.sizes[a.rank - 1] and not (
            near(a) and near(values) and near(index)):
        source = converted(a, a.dtype)
        v = temporary(a.memory.backend, a.dtype, a.rank, a.sizes)
        i = temporary(a.memory.backend, index.dtype, a.rank, a.sizes)
        sort_rows(source.view, descending, v.view, i.view)
        copy_views(v.view, values)
        copy_views(i.view, index)
    else:
        sort_rows(a, descending, values, index)


cdef inline bint near(View a) noexcept nogil:
    return a.strides[a.rank - 1] <= 1


cdef int sort_rows(View a, bint descending, View values, View index) except -1:
    cdef int last = a.rank - 1, axis, threads
    cdef Py_ssize_t n = a.sizes[last], rows = a.elements // n, row, room
    cdef unsigned long long *work
    threads = <int>min(rows, threads_for(a.elements, GRAIN))
    room = 2 * n + 8                                        # 8: the threads' rooms in different cache lines
    work = <unsigned long long *>take(room * threads * 8)
    if threads == 1 and a.elements < 16 * GRAIN:
        for row in range(rows):
            sort_row(a, descending, values, index, row, work)
    else:
        with nogil:
            for row in prange(rows, num_threads=threads, schedule="static"):
                sort_row(a, descending, values, index, row, work + threadid() * room)
    give(work, room * threads * 8)
    return 0


cdef void sort_row(View a, bint descending, View values, View index, Py_ssize_t row,
                   unsigned long long *work) noexcept nogil:
    cdef int last = a.rank - 1, axis
    cdef Py_ssize_t x = 0, y = 0, z = 0, at
    for axis in range(last - 1, -1, -1):
        at = row % a.sizes[axis]
        row = row // a.sizes[axis]
        x += at * a.strides[axis]
        y += at * values.strides[axis]
        z += at * index.strides[axis]
    table.sort[a.dtype.code](data(a) + x * a.dtype.itemsize, a.strides[last], data(values) + y * a.dtype.itemsize,
                             values.strides[last], <long long *>data(index) + z, index.strides[last], a.sizes[last],
                             descending, work)
