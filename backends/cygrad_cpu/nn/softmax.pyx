"""Softmax over the last axis: rows shared among threads, kernels/softmax.pyx inside.

A view whose last axis is not contiguous is read by columns where its other axes make them contiguous, else copied.
16-bit floats are computed in float32, but where PyTorch rounds on the way: its rows' sums and their logarithms, and
the exponentials of columns that make no whole vector.
"""
from cython.parallel cimport prange

from cygrad.dtype cimport DType, FLOAT16, FLOAT64
from cygrad.view cimport View, data
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.thread_count cimport threads_across, threads_for
from cygrad_cpu.kernels.kernel_tables cimport AS_BFLOAT, AS_HALF, SoftmaxTable
from cygrad_cpu.runtime.temporaries cimport computed, copy_views, dense, writable

from cygrad_cpu.runtime.instruction_sets import candidates

cdef enum:
    GRAIN = 8192                # elements a thread should at least get

cdef SoftmaxTable table
install_kernels("softmax", &table)
cdef Py_ssize_t WIDE = 32 if candidates()[0] == "v4" else 16        # 16-bit floats of a vector of PyTorch's


cdef bint column_axis(View a) noexcept:
    """Whether all axes but the last are those of a dense array, so that rows start next to each other."""
    cdef Py_ssize_t step = 1
    cdef int i
    for i in range(a.rank - 2, -1, -1):
        if a.sizes[i] != 1:
            if a.strides[i] != step:
                return False
            step *= a.sizes[i]
    return step > 1


cdef void rows_from(char *a, char *out, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t n, Py_ssize_t inner, int log,
                    int rounded, int kind) noexcept nogil:
    """Some rows, of which `inner` start next to each other in the result; `rounded`: AS_HALF, AS_BFLOAT or 0."""
    cdef Py_ssize_t stop, at, whole = inner - inner % WIDE, size = n * (8 if kind else 4)
    if log:
        whole = 0 if inner == 1 else inner
    elif inner == 1:
        whole = 1
    while begin < end:                                          # of each `inner` rows the first `whole` are not rounded
        at = begin % inner
        stop = end if not rounded or not whole or whole == inner else min(
            end, begin - at + (whole if at < whole else inner))
        table.rows[kind](a + begin * size, out + begin * size, stop - begin, n, log if at < whole else log | rounded)
        begin = stop


cdef object cpu_softmax(View a, bint log, View out):
    cdef DType dtype = computed(out.dtype)
    cdef list keep = []
    cdef View source, target
    cdef Py_ssize_t n = out.sizes[out.rank - 1] if out.rank else 1, rows = out.elements // n
    cdef Py_ssize_t size = out.dtype.itemsize, begin, end, i, inner = 1
    cdef int threads = threads_for(out.elements, GRAIN), kind, rounded = 0
    if dtype is None:
        return NotImplemented
    kind = dtype.code == FLOAT64
    if out.dtype is not dtype:
        rounded = AS_HALF if out.dtype.code == FLOAT16 else AS_BFLOAT
        inner = out.strides[out.rank - 1] if n > 1 else 1
    if a.dtype is dtype and out.dtype is dtype and not a.dense and column_axis(a) and column_axis(out):
        threads = threads_across(threads, rows * size)
        if threads == 1:
            table.columns[kind](data(a), a.strides[a.rank - 1], data(out), out.strides[a.rank - 1], rows, n, log)
            return None
        with nogil:
            for i in prange(threads, num_threads=threads, schedule="static"):
                begin = rows * i // threads
                end = rows * (i + 1) // threads
                table.columns[kind](data(a) + begin * size, a.strides[a.rank - 1], data(out) + begin * size,
                                    out.strides[a.rank - 1], end - begin, n, log)
        return None
    source = dense(a, dtype, keep)
    target = writable(out, dtype, keep)
    if threads == 1:
        rows_from(data(source), data(target), 0, rows, n, inner, log, rounded, kind)
    else:
        with nogil:
            for i in prange(threads, num_threads=threads, schedule="static"):
                begin = rows * i // threads
                end = rows * (i + 1) // threads
                rows_from(data(source), data(target), begin, end, n, inner, log, rounded, kind)
    if target is not out:
        copy_views(target, out)


cdef object cpu_softmax_backward(View grad, View result, bint log, View out):
    cdef DType dtype = computed(out.dtype)
    cdef list keep = []
    cdef View g, y, target
    cdef Py_ssize_t n = out.sizes[out.rank - 1] if out.rank else 1, rows = out.elements // n, begin, end, size
    cdef int threads = threads_for(out.elements, GRAIN), kind, i
    if dtype is None:
        return NotImplemented
    kind = dtype.code == FLOAT64
    size = n * dtype.itemsize
    g = dense(grad, dtype, keep)
    y = dense(result, dtype, keep)
    target = writable(out, dtype, keep)
    if threads == 1:
        table.backward[kind](data(g), data(y), data(target), rows, n, log)
    else:
        with nogil:
            for i in prange(threads, num_threads=threads, schedule="static"):
                begin = rows * i // threads
                end = rows * (i + 1) // threads
                table.backward[kind](data(g) + begin * size, data(y) + begin * size, data(target) + begin * size,
                                     end - begin, n, log)
    if target is not out:
        copy_views(target, out)
