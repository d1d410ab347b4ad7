"""Layer and group normalisation: rows shared among threads, kernels/normalization.pyx inside.

16-bit floats are computed in float32, and what is not contiguous is copied.
"""
from cython.parallel cimport prange
from libc.string cimport memset

from cygrad.backend cimport SUM
from cygrad.dtype cimport DType, FLOAT64
from cygrad.view cimport View, data, make_view
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.reduce.reduce cimport cpu_reduce
from cygrad_cpu.kernels.kernel_tables cimport NormalizationTable
from cygrad_cpu.runtime.temporaries cimport Temporary, computed, copy_views, dense, temporary, writable

cdef enum:
    GRAIN = 8192                # elements a thread should at least get

cdef NormalizationTable table
install_kernels("normalization", &table)


cdef object cpu_layer_norm(View a, View weight, View bias, double eps, View out, View mean, View rstd):
    cdef DType dtype = computed(out.dtype)
    cdef list keep = []
    cdef View x, w, b, y, m, r
    cdef Py_ssize_t rows = a.sizes[0], n = a.sizes[1], size, begin, end
    cdef int threads = threads_for(a.elements, GRAIN), kind, i
    if dtype is None:
        return NotImplemented
    kind = dtype.code == FLOAT64
    size = dtype.itemsize
    x = dense(a, dtype, keep)
    w = dense(weight, dtype, keep)
    b = dense(bias, dtype, keep)
    y = writable(out, dtype, keep)
    m = writable(mean, dtype, keep)
    r = writable(rstd, dtype, keep)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            begin = rows * i // threads
            end = rows * (i + 1) // threads
            table.norm[kind](data(x) + begin * n * size, data(w) if w is not None else NULL,
                             data(b) if b is not None else NULL, eps, data(y) + begin * n * size,
                             data(m) + begin * size, data(r) + begin * size, end - begin, n)
    if y is not out:
        copy_views(y, out)
    if m is not mean:
        copy_views(m, mean)
    if r is not rstd:
        copy_views(r, rstd)


cdef object cpu_layer_norm_backward(View grad, View a, View mean, View rstd, View weight, View grad_a,
                                    View grad_weight, View grad_bias):
    """Each thread sums the weight's and the bias's gradient over its rows; then the threads' sums are added."""
    cdef DType dtype = computed(a.dtype)
    cdef list keep = []
    cdef View g, x, m, r, w, y = None
    cdef Temporary sums
    cdef Py_ssize_t rows = a.sizes[0], n = a.sizes[1], size, begin, end
    cdef int threads = threads_for(a.elements, GRAIN), kind, i
    cdef char *partial
    if dtype is None:
        return NotImplemented
    kind = dtype.code == FLOAT64
    size = dtype.itemsize
    g, x, w = dense(grad, dtype, keep), dense(a, dtype, keep), dense(weight, dtype, keep)
    m, r = dense(mean, dtype, keep), dense(rstd, dtype, keep)
    if grad_a is not None:
        y = writable(grad_a, dtype, keep)
    sums = temporary(a.memory.backend, dtype, 2, [2 * threads, n])
    partial = data(sums.view)
    memset(partial, 0, 2 * threads * n * size)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            begin = rows * i // threads
            end = rows * (i + 1) // threads
            table.norm_backward[kind](
                data(g) + begin * n * size, data(x) + begin * n * size, data(m) + begin * size,
                data(r) + begin * size, data(w) if w is not None else NULL,
                data(y) + begin * n * size if y is not None else NULL,
                partial + i * n * size if grad_weight is not None else NULL,
                partial + (threads + i) * n * size if grad_bias is not None else NULL, end - begin, n)
    if y is not None and y is not grad_a:
        copy_views(y, grad_a)
    if grad_weight is not None:
        add_rows(sums.view, 0, threads, grad_weight, keep)
    if grad_bias is not None:
        add_rows(sums.view, threads, threads, grad_bias, keep)


cdef object cpu_group_norm(View a, View weight, View bias, double eps, View out, View mean, View rstd):
    cdef DType dtype = computed(out.dtype)
    cdef list keep = []
    cdef View x, w, b, y, m, r
    cdef Py_ssize_t groups = a.sizes[1], channels = a.sizes[2], places = a.sizes[3], rows = a.sizes[0] * groups
    cdef int threads = threads_for(a.elements, GRAIN), kind, i
    if dtype is None:
        return NotImplemented
    kind = dtype.code == FLOAT64
    x, w, b = dense(a, dtype, keep), dense(weight, dtype, keep), dense(bias, dtype, keep)
    y, m, r = writable(out, dtype, keep), writable(mean, dtype, keep), writable(rstd, dtype, keep)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            table.group[kind](data(x), data(w) if w is not None else NULL, data(b) if b is not None else NULL, eps,
                              data(y), data(m), data(r), groups, channels, places, rows * i // threads,
                              rows * (i + 1) // threads)
    for made, target in ((y, out), (m, mean), (r, rstd)):
        if made is not target:
            copy_views(made, target)


cdef bint alike(View a, View b) noexcept:
    """Whether two views of one shape have the same dtype and strides."""
    cdef int i
    for i in range(a.rank):
        if a.strides[i] != b.strides[i]:
            return False
    return a.dtype is b.dtype


cdef object cpu_group_norm_backward(View grad, View a, View mean, View rstd, View weight, View grad_a,
                                    View grad_weight, View grad_bias):
    """As `cpu_layer_norm_backward`. Operands whose places lie side by side, in one order, are read as they lie."""
    cdef DType dtype = computed(a.dtype)
    cdef list keep = []
    cdef View g, x, m, r, w, y = None
    cdef Temporary sums
    cdef Py_ssize_t groups = a.sizes[1], channels = a.sizes[2], places = a.sizes[3], rows = a.sizes[0] * groups
    cdef Py_ssize_t n = groups * channels
    cdef int threads = threads_for(a.elements, GRAIN), kind, i
    cdef char *partial
    if dtype is None:
        return NotImplemented
    kind = dtype.code == FLOAT64
    w, m, r = dense(weight, dtype, keep), dense(mean, dtype, keep), dense(rstd, dtype, keep)
    if dtype is a.dtype and a.strides[3] == 1 and alike(a, grad) and (grad_a is None or alike(a, grad_a)):
        g, x, y = grad, a, grad_a
    else:
        g, x = dense(grad, dtype, keep), dense(a, dtype, keep)
        if grad_a is not None:
            y = writable(grad_a, dtype, keep)
    sums = temporary(a.memory.backend, dtype, 2, [2 * threads, n])
    partial = data(sums.view)
    memset(partial, 0, 2 * threads * n * dtype.itemsize)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            table.group_backward[kind](
                data(g), data(x), data(m), data(r), data(w) if w is not None else NULL,
                data(y) if y is not None else NULL,
                partial + i * n * (4 << kind) if grad_weight is not None else NULL,
                partial + (threads + i) * n * (4 << kind) if grad_bias is not None else NULL, groups, channels, places,
                x.strides, rows * i // threads, rows * (i + 1) // threads)
    if y is not None and y is not grad_a:
        copy_views(y, grad_a)
    if grad_weight is not None:
        add_rows(sums.view, 0, threads, grad_weight, keep)
    if grad_bias is not None:
        add_rows(sums.view, threads, threads, grad_bias, keep)


cdef int add_rows(View a, Py_ssize_t first, Py_ssize_t rows, View out, list keep) except -1:
    """out = the sum of rows first, first + 1, ... of a matrix."""
    cdef View target = writable(out, a.dtype, keep)
    cpu_reduce(SUM, make_view(a.memory, a.dtype, a.offset + first * a.strides[0], 2, [a.sizes[1], rows],
                              [a.strides[1], a.strides[0]]),
               make_view(target.memory, a.dtype, target.offset, 1, a.sizes + 1, a.strides + 1))
    if target is not out:
        copy_views(target, out)
    return 0
