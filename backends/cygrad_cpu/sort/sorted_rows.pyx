"""Sorting along the last axis: threads share the rows, which go to kernels/sort_algorithms.pyx. It is always stable."""
from cython.parallel cimport prange, threadid

from cygrad.view cimport View, data, make_view
from cygrad_cpu.runtime.allocator cimport give, take
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.kernels.kernel_tables cimport Rows, SortTable
from cygrad_cpu.runtime.temporaries cimport Temporary, converted, copy_views, temporary

cdef enum:
    GRAIN = 4096                # elements a thread should at least get
    RELEASE = 65536             # elements from which the GIL is worth releasing
    FAR = 4096                  # elements of a block from which distant elements are gathered into rows first

cdef SortTable table
install_kernels("sort_algorithms", &table)


cdef object cpu_sort(View a, bint descending, Py_ssize_t first, View values, View index):
    """The places of the order from `first` on, as many as values and index have."""
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
        v = temporary(a.memory.backend, a.dtype, a.rank, values.sizes)
        i = temporary(a.memory.backend, index.dtype, a.rank, values.sizes)
        sort_rows(source.view, descending, first, v.view, i.view)
        copy_views(v.view, values)
        copy_views(i.view, index)
    else:
        sort_rows(a, descending, first, values, index)


cdef inline bint near(View a) noexcept nogil:
    return a.strides[a.rank - 1] <= 1


cdef int sort_rows(View a, bint descending, Py_ssize_t first, View values, View index) except -1:
    """Runs of the rows along the innermost outer axis (all rows of dense operands) are one call of the kernel each."""
    cdef Rows rows
    cdef int last = a.rank - 1, threads
    cdef bint flat = a.dense and values.dense and index.dense
    cdef Py_ssize_t n = a.sizes[last], count = a.elements // n, run = 1, part, parts, room
    cdef unsigned long long *work
    rows.n, rows.first, rows.count, rows.descending = n, first, values.sizes[last], descending
    rows.a_step, rows.values_step, rows.index_step = a.strides[last], values.strides[last], index.strides[last]
    rows.a_row = n
    rows.values_row = rows.index_row = rows.count
    if flat:
        run = count
    elif last:
        run = a.sizes[last - 1]
        rows.a_row, rows.values_row = a.strides[last - 1], values.strides[last - 1]
        rows.index_row = index.strides[last - 1]
    threads = <int>min(count, threads_for(a.elements, GRAIN))
    if flat and threads > 1:
        run = (count + threads - 1) // threads
    parts = (count + run - 1) // run
    room = 2 * n + 8                                        # 8: the threads' rooms in different cache lines
    work = <unsigned long long *>take(room * threads * 8)
    if threads == 1 and a.elements < RELEASE:
        for part in range(parts):
            sort_run(a, values, index, &rows, part * run, min(run, count - part * run), work)
    else:
        with nogil:
            for part in prange(parts, num_threads=threads, schedule="static"):
                sort_run(a, values, index, &rows, part * run, min(run, count - part * run), work + threadid() * room)
    give(work, room * threads * 8)
    return 0


cdef void sort_run(View a, View values, View index, const Rows *rows, Py_ssize_t row, Py_ssize_t count,
                   unsigned long long *work) noexcept nogil:
    """`count` rows from number `row` on."""
    cdef int axis
    cdef Py_ssize_t x = 0, y = 0, z = 0, at
    for axis in range(a.rank - 2, -1, -1):
        at = row % a.sizes[axis]
        row = row // a.sizes[axis]
        x += at * a.strides[axis]
        y += at * values.strides[axis]
        z += at * index.strides[axis]
    table.sort[a.dtype.code](data(a) + x * a.dtype.itemsize, data(values) + y * a.dtype.itemsize,
                             <long long *>data(index) + z, rows, count, work)
