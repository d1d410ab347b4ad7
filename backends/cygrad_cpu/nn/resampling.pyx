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


cdef struct Images:             # operands of all images
    int kind                    # 0 float32, 1 float64
    Py_ssize_t itemsize
    const char *a
    const char *grid
    const char *grad
    char *out
    char *grad_a                # or NULL
    char *grad_grid             # or NULL


cdef void sample(const Sampling *s, const Images *x, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Points begin to end, counted over all images."""
    cdef Py_ssize_t image, first, last, size = x.itemsize
    while begin < end:
        image, first = begin // s.points, begin % s.points
        last = min(s.points, first + end - begin)
        table.forward[x.kind](s, x.a + image * s.channels * s.plane * size, x.grid + image * s.points * s.axes * size,
                              x.out + image * s.channels * s.points * size, first, last)
        begin += last - first


cdef void slope(const Sampling *s, const Images *x, Py_ssize_t image, char *grad_a, char *grad_grid, Py_ssize_t channel,
                Py_ssize_t channels, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """The gradients of an image's share of channels and points; NULL: not wanted."""
    cdef Py_ssize_t size = x.itemsize
    if grad_a != NULL:
        grad_a += image * s.channels * s.plane * size
    if grad_grid != NULL:
        grad_grid += image * s.points * s.axes * size
    table.backward[x.kind](s, x.grad + image * s.channels * s.points * size,
                           x.a + image * s.channels * s.plane * size, x.grid + image * s.points * s.axes * size,
                           grad_a, grad_grid, channel, channels, first, last)


cdef object cpu_grid_sample(int mode, int padding, bint align, View a, View grid, View out):
    cdef Sampling s
    cdef Images x
    cdef list keep = []
    cdef int i, threads
    cdef Py_ssize_t points
    cdef View source, by, target
    if not describe(&s, mode, padding, align, a, grid):
        return NotImplemented
    source, by, target = dense(a, a.dtype, keep), dense(grid, a.dtype, keep), writable(out, a.dtype, keep)
    x.kind, x.itemsize = a.dtype.code - FLOAT32, a.dtype.itemsize
    x.a, x.grid, x.out = data(source), data(by), data(target)
    points = a.sizes[0] * s.points
    threads = threads_for(points * s.channels * s.taps, GRAIN)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            sample(&s, &x, points * i // threads, points * (i + 1) // threads)
    if target is not out:
        copy_views(target, out)


cdef object cpu_grid_sample_backward(int mode, int padding, bint align, View grad, View a, View grid, View grad_a,
                                     View grad_grid):
    """Threads take images; where there are fewer than threads, channels of each for the one gradient and points of each
    for the other."""
    cdef Sampling s
    cdef Images x
    cdef list keep = []
    cdef int i, threads
    cdef Py_ssize_t image, images = a.sizes[0]
    cdef View source, by, slopes, by_a = None, by_grid = None
    if not describe(&s, mode, padding, align, a, grid):
        return NotImplemented
    source, by, slopes = dense(a, a.dtype, keep), dense(grid, a.dtype, keep), dense(grad, a.dtype, keep)
    x.kind, x.itemsize = a.dtype.code - FLOAT32, a.dtype.itemsize
    x.a, x.grid, x.grad = data(source), data(by), data(slopes)
    x.grad_a = x.grad_grid = NULL
    if grad_a is not None:
        by_a = writable(grad_a, a.dtype, keep)
        x.grad_a = data(by_a)
        memset(x.grad_a, 0, a.elements * x.itemsize)
    if grad_grid is not None:
        by_grid = writable(grad_grid, a.dtype, keep)
        if mode:
            x.grad_grid = data(by_grid)
        else:
            memset(data(by_grid), 0, grid.elements * x.itemsize)
    threads = threads_for(images * s.points * s.channels * s.taps, GRAIN)
    with nogil:
        if threads <= images:
            for i in prange(threads, num_threads=threads, schedule="static"):
                for image in range(images * i // threads, images * (i + 1) // threads):
                    slope(&s, &x, image, x.grad_a, x.grad_grid, 0, s.channels, 0, s.points)
        else:
            for i in prange(threads, num_threads=threads, schedule="static"):
                for image in range(images):
                    if x.grad_a != NULL:
                        slope(&s, &x, image, x.grad_a, NULL, s.channels * i // threads,
                              s.channels * (i + 1) // threads, 0, s.points)
                    if x.grad_grid != NULL:
                        slope(&s, &x, image, NULL, x.grad_grid, 0, s.channels, s.points * i // threads,
                              s.points * (i + 1) // threads)
    if by_a is not None and by_a is not grad_a:
        copy_views(by_a, grad_a)
    if by_grid is not None and by_grid is not grad_grid:
        copy_views(by_grid, grad_grid)
