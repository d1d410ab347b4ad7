"""Connectionist temporal classification: sequences shared among threads; kernels/ctc.pyx has the loops."""
from cython.parallel cimport prange

from cygrad.dtype cimport FLOAT32, FLOAT64, INT64, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.kernels.kernel_tables cimport CtcTable, LabelRows
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport copy_views, dense, writable
from cygrad_cpu.runtime.thread_count cimport threads_for

cdef enum:
    GRAIN = 1024                # states of all steps that a thread should at least go through

cdef CtcTable table
install_kernels("ctc", &table)


cdef bint describe(LabelRows *rows, View a, View labels, View starts, View counts, View steps, int blank, View sums,
                   list keep) except -1:
    """Whether the kernels take such operands."""
    if a.dtype.code != FLOAT32 and a.dtype.code != FLOAT64:
        return False
    rows.steps, rows.batch, rows.classes = a.sizes[0], a.sizes[1], a.sizes[2]
    rows.longest = (sums.sizes[2] - 1) // 2
    rows.blank = blank
    rows.labels = <const long long *>data(dense(labels, dtype_of(INT64), keep))
    rows.starts = <const long long *>data(dense(starts, dtype_of(INT64), keep))
    rows.counts = <const long long *>data(dense(counts, dtype_of(INT64), keep))
    rows.lengths = <const long long *>data(dense(steps, dtype_of(INT64), keep))
    return True


cdef object cpu_ctc_loss(View a, View labels, View starts, View counts, View steps, int blank, View out, View sums,
                         View outside):
    cdef LabelRows rows
    cdef list keep = []
    cdef View logs, losses, paths
    cdef long long wrong = 0
    cdef Py_ssize_t n, k
    cdef int i, threads, double_ = a.dtype.code == FLOAT64
    if not describe(&rows, a, labels, starts, counts, steps, blank, sums, keep):
        return NotImplemented
    logs = dense(a, a.dtype, keep)
    losses = writable(out, a.dtype, keep)
    paths = writable(sums, a.dtype, keep)
    for n in range(rows.batch):
        for k in range(rows.counts[n]):
            wrong += not 0 <= rows.labels[rows.starts[n] + k] < rows.classes
    threads = threads_for(sums.elements, GRAIN)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            table.forward[double_](&rows, data(logs), data(losses), data(paths), rows.batch * i // threads,
                                   rows.batch * (i + 1) // threads)
    (<long long *>data(outside))[0] = wrong
    if losses is not out:
        copy_views(losses, out)
    if paths is not sums:
        copy_views(paths, sums)


cdef object cpu_ctc_loss_backward(View grad, View a, View labels, View starts, View counts, View steps, int blank,
                                  View losses, View sums, bint zero_infinity, View grad_a):
    cdef LabelRows rows
    cdef list keep = []
    cdef View given, logs, found, paths, slopes
    cdef int i, threads, double_ = a.dtype.code == FLOAT64
    if not describe(&rows, a, labels, starts, counts, steps, blank, sums, keep):
        return NotImplemented
    given, logs, found, paths = (dense(grad, a.dtype, keep), dense(a, a.dtype, keep), dense(losses, a.dtype, keep),
                                 dense(sums, a.dtype, keep))
    slopes = writable(grad_a, a.dtype, keep)
    threads = threads_for(sums.elements, GRAIN)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            table.backward[double_](&rows, data(given), data(logs), data(found), data(paths), zero_infinity,
                                    data(slopes), rows.batch * i // threads, rows.batch * (i + 1) // threads)
    if slopes is not grad_a:
        copy_views(slopes, grad_a)
