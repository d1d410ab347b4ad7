"""Sums of rows by an index, shared among threads by results; kernels/gather_sum.pyx has the loops."""
from cython.parallel cimport prange

from cygrad.dtype cimport FLOAT32, FLOAT64, INT64, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.kernels.kernel_tables cimport GatherSumTable
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport copy_views, dense, writable
from cygrad_cpu.runtime.thread_count cimport threads_for

cdef enum:
    GRAIN = 16384               # elements that a thread should at least add up

cdef GatherSumTable table
install_kernels("gather_sum", &table)


cdef object cpu_gather_sum(View a, View index, View starts, View weights, View out):
    cdef list keep = []
    cdef View source = a, places, bounds, factors, target
    cdef Py_ssize_t bags = out.sizes[0], width = out.sizes[1], count = index.elements
    cdef Py_ssize_t row
    cdef const char *by = NULL
    cdef int i, threads = threads_for(count * width, GRAIN), double_ = a.dtype.code == FLOAT64
    if a.dtype.code != FLOAT32 and not double_:
        return NotImplemented
    if a.strides[1] != 1 and width > 1:                 # rows with gaps between them are read as they lie
        source = dense(a, a.dtype, keep)
    row = source.strides[0]
    places = dense(index, dtype_of(INT64), keep)
    bounds = dense(starts, dtype_of(INT64), keep)
    factors = dense(weights, a.dtype, keep)
    if factors is not None:
        by = data(factors)
    target = writable(out, a.dtype, keep)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            table.rows[double_](data(source), row, width, <const long long *>data(places),
                                <const long long *>data(bounds), count, by, data(target), bags * i // threads,
                                bags * (i + 1) // threads)
    if target is not out:
        copy_views(target, out)
