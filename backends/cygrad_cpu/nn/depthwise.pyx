# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10
"""Convolutions of every channel with a filter of its own: `groups` equal to the channels of input and output.

As products they would be of matrices with one row; kernels/depthwise.pyx computes them directly. Operands are dense
and all of float32, or of float64; channels are shared among threads.
"""
from cython.parallel cimport prange
from libc.string cimport memset

from cygrad.dtype cimport FLOAT32
from cygrad.view cimport View, data
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.runtime.temporaries cimport Temporary, temporary

cdef enum:
    GRAIN = 250000              # multiplications that a thread should at least get
    LANES = 16                  # most outputs in a vector

cdef DepthwiseTable table
install_kernels("depthwise", &table)


cdef bint is_depthwise(View a, View weight, int groups):
    return groups > 1 and groups == a.sizes[1] == weight.sizes[0] and weight.sizes[2] * weight.sizes[3] <= TAPS


cdef Stencil stencil(View a, const Py_ssize_t *kernel, tuple stride, tuple padding, tuple dilation, View out):
    cdef Stencil g
    cdef Py_ssize_t lanes = (out.sizes[3] + LANES - 1) // LANES * LANES
    cdef int i
    for i in range(2):
        g.size[i], g.out[i], g.kernel[i], g.spread[i] = a.sizes[i + 2], out.sizes[i + 2], kernel[i], 1
        g.stride[i], g.padding[i], g.dilation[i] = stride[i], padding[i], dilation[i]
    g.rows = (g.out[0] - 1) * g.stride[0] + (g.kernel[0] - 1) * g.dilation[0] + 1
    g.row = (lanes + (g.kernel[1] - 1) * g.dilation[1] // g.stride[1]) * g.stride[1]
    return g


cdef Temporary planes(View like, const Stencil *g, int threads):
    """Room for each thread's plane, and the rows of an output."""
    cdef Py_ssize_t *sizes = [threads, g.rows * g.row + g.out[0] * (g.out[1] + LANES)]
    return temporary(like.memory.backend, like.dtype, 2, sizes)


cdef inline int threads_of(const Stencil *g, Py_ssize_t planes) noexcept:
    return threads_for(planes * g.out[0] * g.out[1] * g.kernel[0] * g.kernel[1], GRAIN)


cdef int run(const Stencil *g, View a, View weight, View bias, View out) except -1:
    """Every channel of every image."""
    cdef Py_ssize_t size = out.dtype.itemsize, channels = out.sizes[1], count = out.sizes[0] * channels, i, c, step
    cdef Py_ssize_t seen = g.size[0] * g.size[1] * size, made = g.out[0] * g.out[1] * size
    cdef Py_ssize_t taps = g.kernel[0] * g.kernel[1] * size
    cdef int threads = threads_of(g, count), t
    cdef Temporary room = planes(out, g, threads)
    cdef Correlate correlate = table.correlate[out.dtype.code - FLOAT32]
    step = room.view.strides[0] * size
    memset(data(room.view), 0, threads * step)
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                c = i % channels
                correlate(g, data(a) + i * seen, data(weight) + c * taps,
                          data(bias) + c * size if bias is not None else NULL, data(out) + i * made,
                          data(room.view) + t * step)
    return 0


cdef int depthwise(View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, View out) except -1:
    cdef Stencil g = stencil(a, weight.sizes + 2, stride, padding, dilation, out)
    return run(&g, a, weight, bias, out)


cdef int depthwise_input(View grad, View weight, tuple stride, tuple padding, tuple dilation, View out) except -1:
    """The gradient laid out at the distances of the stride, seen through the kernel turned by half."""
    cdef Py_ssize_t r = weight.sizes[2], s = weight.sizes[3], taps = r * s, c, i
    cdef Py_ssize_t top = dilation[0] * (r - 1) - padding[0], left = dilation[1] * (s - 1) - padding[1]
    cdef Stencil g
    cdef Temporary turned
    g = stencil(grad, weight.sizes + 2, (1, 1), (top, left), dilation, out)
    g.spread[0], g.spread[1] = stride[0], stride[1]
    turned = temporary(weight.memory.backend, weight.dtype, 4, weight.sizes)
    for c in range(weight.sizes[0]):
        for i in range(taps):
            if weight.dtype.code == FLOAT32:
                (<float *>data(turned.view))[c * taps + i] = (<float *>data(weight))[(c + 1) * taps - 1 - i]
            else:
                (<double *>data(turned.view))[c * taps + i] = (<double *>data(weight))[(c + 1) * taps - 1 - i]
    return run(&g, grad, turned.view, None, out)


cdef int depthwise_weight(View grad, View a, tuple stride, tuple padding, tuple dilation, View out) except -1:
    """A thread sums its channels over all images."""
    cdef Stencil g = stencil(a, out.sizes + 2, stride, padding, dilation, grad)
    cdef Py_ssize_t size = out.dtype.itemsize, channels = out.sizes[0], images = a.sizes[0], c, step
    cdef Py_ssize_t seen = g.size[0] * g.size[1] * size, made = g.out[0] * g.out[1] * size
    cdef Py_ssize_t taps = g.kernel[0] * g.kernel[1] * size
    cdef int threads = threads_of(&g, images * channels), t
    cdef Temporary room = planes(out, &g, threads)
    cdef CorrelateWeight correlate = table.weight[out.dtype.code - FLOAT32]
    step = room.view.strides[0] * size
    memset(data(room.view), 0, threads * step)
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for c in range(channels * t // threads, channels * (t + 1) // threads):
                correlate(&g, images, data(grad) + c * made, channels * made, data(a) + c * seen, channels * seen,
                          data(out) + c * taps, data(room.view) + t * step)
    return 0
