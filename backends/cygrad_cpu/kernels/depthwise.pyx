# distutils: extra_compile_args = -O2
"""Convolutions of one channel with one filter, without columns and products.

The channel is copied with its padding into a plane that stays in the level 1 cache, columns with the same remainder by
the stride side by side; so whatever the stride, the outputs of a vector see neighbouring elements of it.
"""
from libc.string cimport memcpy, memset

from cygrad_cpu.depthwise cimport DepthwiseTable, Stencil, TAPS
from cygrad_cpu.numbers cimport Real
from cygrad_cpu.vectors cimport Doubles, Floats, Vector, factor, spread


cdef inline Py_ssize_t steps(Py_ssize_t distance, Py_ssize_t step) noexcept nogil:
    """How many steps it takes to go at least so far."""
    return (distance + step - 1) // step if distance > 0 else 0


cdef void lay_out(const Stencil *g, const Real *a, Real *plane) noexcept nogil:
    """The plane of a channel: zeros where no element comes to lie, and nothing of elements that lie outside it."""
    cdef Py_ssize_t y, x, i, n, place, parts = g.stride[1], part = g.row // parts, spread = g.spread[1]
    cdef Py_ssize_t first = steps(-g.padding[1], spread)
    cdef const Real *line
    cdef Real *to
    memset(plane, 0, g.rows * g.row * sizeof(Real))
    for y in range(steps(-g.padding[0], g.spread[0]), g.size[0]):
        place = g.padding[0] + y * g.spread[0]
        if place >= g.rows:
            break
        for x in range(first, min(first + parts, g.size[1])):       # and every element `parts` from it
            line = a + y * g.size[1] + x
            to = plane + place * g.row + (g.padding[1] + x * spread) % parts * part
            i = (g.padding[1] + x * spread) // parts
            n = min(steps(g.size[1] - x, parts), steps(part - i, spread))
            to += i
            if parts == 1 and spread == 1:
                memcpy(to, line, n * sizeof(Real))
            elif parts == 2 and spread == 1:
                for i in range(n):
                    to[i] = line[2 * i]
            else:
                for i in range(n):
                    to[i * spread] = line[i * parts]


cdef void places(const Stencil *g, Py_ssize_t size, Py_ssize_t *found) noexcept nogil:
    """Where the first output finds what each place of the kernel sees, in bytes from its row of the plane."""
    cdef Py_ssize_t r, s, place
    for r in range(g.kernel[0]):
        for s in range(g.kernel[1]):
            place = s * g.dilation[1]
            place = place % g.stride[1] * (g.row // g.stride[1]) + place // g.stride[1]
            found[r * g.kernel[1] + s] = (r * g.dilation[0] * g.row + place) * size


cdef void correlate(const Stencil *g, const char *a, const char *weight, const char *bias, char *out, char *plane,
                    Vector *tag) noexcept nogil:
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, width = g.out[1] * size, taps = g.kernel[0] * g.kernel[1]
    cdef Py_ssize_t lanes = sizeof(Vector), p, q, i
    cdef Py_ssize_t[TAPS] seen
    cdef Vector sums, first = factor[Vector](0, NULL) if bias == NULL else spread[Vector](bias, NULL)
    cdef const char *line
    if Vector is Floats:
        lay_out(g, <const float *>a, <float *>plane)
    else:
        lay_out(g, <const double *>a, <double *>plane)
    places(g, size, seen)
    for p in range(g.out[0]):
        line = plane + p * g.stride[0] * g.row * size
        q = 0
        while q < width:
            sums = first
            for i in range(taps):
                sums = sums + spread[Vector](weight + i * size, NULL) * (<const Vector *>(line + seen[i] + q))[0]
            if q + lanes <= width:
                (<Vector *>(out + q))[0] = sums
            else:
                memcpy(out + q, &sums, width - q)
            q += lanes
        out += width


cdef void correlate_weight(const Stencil *g, const char *grad, const char *a, char *out, char *plane,
                           Vector *tag) noexcept nogil:
    """Every place of the kernel meets the gradient of all outputs, whose rows are copied with zeros behind them."""
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, width = g.out[1] * size, lanes = sizeof(Vector)
    cdef Py_ssize_t padded = (width + lanes - 1) // lanes * lanes, step = g.stride[0] * g.row * size, p, q, i, j
    cdef Py_ssize_t[TAPS] seen
    cdef char *rows = plane + g.rows * g.row * size
    cdef const char *x
    cdef Vector sums
    if Vector is Floats:
        lay_out(g, <const float *>a, <float *>plane)
    else:
        lay_out(g, <const double *>a, <double *>plane)
    places(g, size, seen)
    memset(rows, 0, g.out[0] * padded)
    for p in range(g.out[0]):
        memcpy(rows + p * padded, grad + p * width, width)
    for i in range(g.kernel[0] * g.kernel[1]):
        sums = factor[Vector](0, NULL)
        for p in range(g.out[0]):
            x = plane + p * step + seen[i]
            q = 0
            while q < padded:
                sums = sums + (<const Vector *>(x + q))[0] * (<const Vector *>(rows + p * padded + q))[0]
                q += lanes
        for j in range(lanes // size):
            if Vector is Floats:
                (<float *>out)[i] += (<float *>&sums)[j]
            else:
                (<double *>out)[i] += (<double *>&sums)[j]


cdef void correlate_floats(const Stencil *g, const char *a, const char *weight, const char *bias, char *out,
                           char *plane) noexcept nogil:
    correlate[Floats](g, a, weight, bias, out, plane, NULL)


cdef void correlate_doubles(const Stencil *g, const char *a, const char *weight, const char *bias, char *out,
                            char *plane) noexcept nogil:
    correlate[Doubles](g, a, weight, bias, out, plane, NULL)


cdef void weight_floats(const Stencil *g, const char *grad, const char *a, char *out, char *plane) noexcept nogil:
    correlate_weight[Floats](g, grad, a, out, plane, NULL)


cdef void weight_doubles(const Stencil *g, const char *grad, const char *a, char *out, char *plane) noexcept nogil:
    correlate_weight[Doubles](g, grad, a, out, plane, NULL)


cdef void lay_out_floats(const Stencil *g, const char *a, char *plane) noexcept nogil:
    lay_out(g, <const float *>a, <float *>plane)


cdef void lay_out_doubles(const Stencil *g, const char *a, char *plane) noexcept nogil:
    lay_out(g, <const double *>a, <double *>plane)


def install(size_t address):
    """Fill the DepthwiseTable at `address`."""
    cdef DepthwiseTable *table = <DepthwiseTable *>address
    table.correlate[0] = correlate_floats
    table.correlate[1] = correlate_doubles
    table.weight[0] = weight_floats
    table.weight[1] = weight_doubles
    table.lay_out[0] = lay_out_floats
    table.lay_out[1] = lay_out_doubles
