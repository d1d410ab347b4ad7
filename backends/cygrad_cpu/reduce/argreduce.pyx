"""argmax and argmin of the CPU backend, over the last axis of a view; `axes` says whether by rows or by columns."""
from cython.parallel cimport prange
from libc.string cimport memcpy, memset

from cygrad.dtype cimport BFLOAT16, FLOAT16, FLOAT32, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.reduce.reduced_axes cimport (BUFFER, ROW_BYTES, Axis, Reduction, by_columns, load, position, row_width,
                                             set_axes, units)
from cygrad_cpu.pointwise.blocks cimport conversion, loaded_kernels
from cygrad_cpu.kernels.pointwise_table cimport Kernels
from cygrad_cpu.runtime.thread_count cimport threads_for

cdef enum:
    GRAIN = 32768           # elements a thread
    SERIAL = 16384          # below this many elements the GIL is kept

cdef Kernels *kernels = loaded_kernels()


cdef void argfold_range(const Reduction *r, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Kept elements first to last - 1: the position of the extreme along the one reduced axis."""
    cdef char buffers[3 * BUFFER]
    cdef char best[16]
    cdef char value[16]
    cdef const Axis *inner = &r.reduced.axes[0]
    cdef Py_ssize_t index, start, n, offset, out_offset, step
    cdef long long found, local
    cdef const char *row
    for index in range(first, last):
        offset = position(&r.kept, index, 0, &out_offset)
        row = r.a + offset * r.item
        step = inner.size
        if r.load.steps or inner.stride != 1:
            step = min(step, <Py_ssize_t>(BUFFER // max(r.wide, r.item, <Py_ssize_t>4)))
        found = r.argfold(load(r, row, 0, inner.stride, 1, min(step, inner.size), buffers), min(step, inner.size),
                          best, NULL)
        start = step
        while start < inner.size:
            n = min(step, inner.size - start)
            local = r.argfold(load(r, row + start * inner.stride * r.item, 0, inner.stride, 1, n, buffers), n, value,
                              NULL)
            r.argupdate(value, best, &found, 1, start + local, NULL)
            start += step
        (<long long *>r.out)[out_offset] = found


cdef void argcolumns_range(const Reduction *r, Py_ssize_t width, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    cdef char buffers[3 * BUFFER]
    cdef char best[ROW_BYTES]
    cdef long long found[ROW_BYTES]
    cdef const Axis *inner = &r.kept.axes[0]
    cdef Py_ssize_t blocks = (inner.size + width - 1) // width, step = r.reduced.axes[0].stride * r.item
    cdef Py_ssize_t index, start, n, row, offset, out_offset
    cdef const char *corner
    for index in range(first, last):
        start = index % blocks * width
        n = min(width, inner.size - start)
        offset = position(&r.kept, index // blocks, 1, &out_offset)
        corner = r.a + (offset + start * inner.stride) * r.item
        memcpy(best, load(r, corner, 0, inner.stride, 1, n, buffers), n * r.wide)
        memset(found, 0, n * sizeof(long long))
        for row in range(1, r.reduced.elements):
            r.argupdate(load(r, corner + row * step, 0, inner.stride, 1, n, buffers), best, found, n, row, NULL)
        kernels.move[3](<const char *>found, 0, 1, r.out + (out_offset + start * inner.out_stride) * 8, 0,
                        inner.out_stride, 1, n)


cdef void argreduce_part(const Reduction *r, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    if by_columns(r):
        argcolumns_range(r, row_width(r), first, last)
    else:
        argfold_range(r, first, last)


cdef void argreduce_all(const Reduction *r) noexcept nogil:
    cdef Py_ssize_t total = units(r), share
    cdef int thread, threads = threads_for(r.kept.elements * r.reduced.elements, GRAIN)
    if threads == 1 or total < threads:
        argreduce_part(r, 0, total)
        return
    share = (total + threads - 1) // threads
    for thread in prange(threads, num_threads=threads, schedule="static", chunksize=1):
        argreduce_part(r, min(thread * share, total), min((thread + 1) * share, total))


cdef object cpu_argreduce(int op, View a, View out):
    cdef Reduction r
    cdef int code = a.dtype.code
    if code == FLOAT16 or code == BFLOAT16:
        code = FLOAT32
    r.argfold = kernels.argfold[op][code]
    r.argupdate = kernels.argupdate[op][code]
    if r.argfold == NULL or not conversion(a.dtype.code, code, &r.load):
        return NotImplemented
    r.a = data(a)
    r.out = data(out)
    r.item = a.dtype.itemsize
    r.wide = dtype_of(code).itemsize
    set_axes(&r, a, out)
    if a.elements < SERIAL:
        argreduce_part(&r, 0, units(&r))
    else:
        with nogil:
            argreduce_all(&r)
    return None
