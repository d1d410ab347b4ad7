"""Resampling along an axis and sampling by grids: operands made dense, the work shared among threads.

kernels/resampling.pyx has the loops. Points of grids are shared; the gradient by the images is added up where points
say, so it is shared by images, or by channels.
"""
from cython.parallel cimport prange
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cygrad.dtype cimport DType, FLOAT32, FLOAT64, INT64, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.kernels.kernel_tables cimport ResamplingTable, Sampling
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport copy_views, dense, writable
from cygrad_cpu.runtime.thread_count cimport threads_for

cdef enum:
    GRAIN = 8192                # products that a thread should at least compute
    MOST_PLACES = 0x7FFFFFF0    # of a plane, for places as ints

cdef ResamplingTable table
install_kernels("resampling", &table)


cdef object cpu_resample(View a, View places, View weights, View out):
    cdef list keep = []
    cdef DType dtype = out.dtype
    cdef int i, threads, double_ = dtype.code == FLOAT64
    cdef Py_ssize_t size = a.sizes[1], taps = weights.sizes[0], outputs = out.sizes[1], n = out.sizes[2]
    cdef Py_ssize_t lines = out.sizes[0] * (outputs if n > 1 else 1), q
    cdef int *near = NULL
    cdef const long long *far
    cdef View source, at, by, target
    if (dtype.code != FLOAT32 and not double_) or size > MOST_PLACES:
        return NotImplemented
    source = dense(a, dtype, keep)
    by = dense(weights, dtype, keep)
    at = dense(places, dtype_of(INT64), keep)
    target = writable(out, dtype, keep)
    far = <const long long *>data(at)
    if n == 1:
        near = <int *>malloc(taps * outputs * sizeof(int))
        if near == NULL:
            raise MemoryError()
        for q in range(taps * outputs):
            near[q] = <int>far[q]
    threads = threads_for(out.elements * taps, GRAIN)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            if near == NULL:
                table.rows[double_](data(source), far, data(by), data(target), size, taps, outputs, n,
                                    lines * i // threads, lines * (i + 1) // threads)
            else:
                table.lines[double_](data(source), near, data(by), data(target), size, taps, outputs,
                                     lines * i // threads, lines * (i + 1) // threads)
    free(near)
    if target is not out:
        copy_views(target, out)


cdef bint describe(Sampling *s, int mode, int padding, bint align, View a, View grid) noexcept:
    """Whether the kernels take such operands."""
    cdef int i
    s.axes = a.rank - 2
    s.reach = 1 << mode
    s.taps = 1
    s.padding = padding
    s.align = align
    s.channels = a.sizes[1]
    s.plane = s.points = 1
    for i in range(s.axes):
        s.sizes[i] = a.sizes[a.rank - 1 - i]
        s.taps *= s.reach
        s.plane *= a.sizes[2 + i]
        s.points *= grid.sizes[1 + i]
    return (a.dtype.code == FLOAT32 or a.dtype.code == FLOAT64) and s.plane <= MOST_PLACES


cdef object cpu_grid_sample(int mode, int padding, bint align, View a, View grid, View out):
    cdef Sampling s
    cdef list keep = []
    cdef int i, threads, double_ = a.dtype.code == FLOAT64
    cdef Py_ssize_t image, images = a.sizes[0], size = a.dtype.itemsize
    cdef View source, points, target
    cdef char *x
    cdef char *g
    cdef char *y
    if not describe(&s, mode, padding, align, a, grid):
        return NotImplemented
    source = dense(a, a.dtype, keep)
    points = dense(grid, a.dtype, keep)
    target = writable(out, a.dtype, keep)
    threads = threads_for(s.points * s.channels * s.taps, GRAIN)
    for image in range(images):
        x = <char *>data(source) + image * s.channels * s.plane * size
        g = <char *>data(points) + image * s.points * s.axes * size
        y = <char *>data(target) + image * s.channels * s.points * size
        with nogil:
            for i in prange(threads, num_threads=threads, schedule="static"):
                table.forward[double_](&s, x, g, y, s.points * i // threads, s.points * (i + 1) // threads)
    if target is not out:
        copy_views(target, out)


cdef object cpu_grid_sample_backward(int mode, int padding, bint align, View grad, View a, View grid, View grad_a,
                                     View grad_grid):
    cdef Sampling s
    cdef list keep = []
    cdef int i, threads, double_ = a.dtype.code == FLOAT64
    cdef Py_ssize_t image, images = a.sizes[0], size = a.dtype.itemsize
    cdef View source, points, slopes, by_a = None, by_grid = None
    cdef char *x
    cdef char *p
    cdef char *g
    cdef char *to_a = NULL
    cdef char *to_grid = NULL
    if not describe(&s, mode, padding, align, a, grid):
        return NotImplemented
    source = dense(a, a.dtype, keep)
    points = dense(grid, a.dtype, keep)
    slopes = dense(grad, a.dtype, keep)
    if grad_a is not None:
        by_a = writable(grad_a, a.dtype, keep)
        memset(<char *>data(by_a), 0, a.elements * size)
    if grad_grid is not None:
        by_grid = writable(grad_grid, a.dtype, keep)
        if mode == 0:
            memset(<char *>data(by_grid), 0, grid.elements * size)
    threads = threads_for(s.points * s.channels * s.taps, GRAIN)
    for image in range(images):
        x = <char *>data(source) + image * s.channels * s.plane * size
        p = <char *>data(points) + image * s.points * s.axes * size
        g = <char *>data(slopes) + image * s.channels * s.points * size
        if by_a is not None:
            to_a = <char *>data(by_a) + image * s.channels * s.plane * size
        if by_grid is not None and mode != 0:
            to_grid = <char *>data(by_grid) + image * s.points * s.axes * size
        if threads == 1:
            with nogil:
                table.backward[double_](&s, g, x, p, to_a, to_grid, 0, s.channels, 0, s.points)
            continue
        with nogil:
            if to_a != NULL:
                for i in prange(threads, num_threads=threads, schedule="static"):
                    table.backward[double_](&s, g, x, p, to_a, NULL, s.channels * i // threads,
                                            s.channels * (i + 1) // threads, 0, s.points)
            if to_grid != NULL:
                for i in prange(threads, num_threads=threads, schedule="static"):
                    table.backward[double_](&s, g, x, p, NULL, to_grid, 0, s.channels, s.points * i // threads,
                                            s.points * (i + 1) // threads)
    if by_a is not None and by_a is not grad_a:
        copy_views(by_a, grad_a)
    if by_grid is not None and by_grid is not grad_grid:
        copy_views(by_grid, grad_grid)
