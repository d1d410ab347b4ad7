# distutils: extra_compile_args = -O2 -fpeel-loops -ftree-vectorize -fvect-cost-model=dynamic
"""Convolutions of one channel with one filter, without columns and products.

The channel is copied with its padding into a plane that stays in the level 1 cache, columns with the same remainder by
the stride side by side; so whatever the stride, the outputs of a vector see neighbouring elements of it.
"""
from libc.string cimport memcpy, memset

from cygrad_cpu.nn.depthwise cimport (CorrelateLast, DepthwiseTable, LastStencil, Stencil, TAPS,
                                     WeightLast)
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.simd.vectors cimport Doubles, Floats, Vector, factor, spread

cdef enum:
    TOGETHER = 4            # vectors of outputs that see each element of the kernel at the same time
    SUMS = 5                # elements of the kernel that meet a vector of gradients at the same time
    CHANNELS = 64           # side by side, that are summed in registers


cdef inline void copy_line(const Real *a, Real *out, Py_ssize_t n) noexcept nogil:
    """Few elements, for which a call of memcpy would take as long as the copy."""
    cdef Py_ssize_t i = 0
    while i + 16 <= n:
        memcpy(out + i, a + i, 16 * sizeof(Real))
        i += 16
    while i + 4 <= n:
        memcpy(out + i, a + i, 4 * sizeof(Real))
        i += 4
    while i < n:
        out[i] = a[i]
        i += 1


cdef inline Py_ssize_t steps(Py_ssize_t distance, Py_ssize_t step) noexcept nogil:
    """How many steps it takes to go at least so far."""
    return (distance + step - 1) // step if distance > 0 else 0


cdef void lay_out(const Stencil *g, const Real *a, Real *plane) noexcept nogil:
    """Write the elements of a channel that come to lie in its plane, which holds zeros elsewhere."""
    cdef Py_ssize_t x, y, i, n, parts = g.stride[1], part = g.row // parts, spread = g.spread[1]
    cdef Py_ssize_t left = steps(-g.padding[1], spread), top = steps(-g.padding[0], g.spread[0])
    cdef Py_ssize_t bottom = min(g.size[0], steps(g.rows - g.padding[0], g.spread[0]))
    cdef const Real *line
    cdef Real *to
    for x in range(left, min(left + parts, g.size[1])):         # and every element `parts` from it
        i = g.padding[1] + x * spread
        line = a + top * g.size[1] + x
        to = plane + (g.padding[0] + top * g.spread[0]) * g.row + i % parts * part + i // parts
        n = min(steps(g.size[1] - x, parts), steps(part - i // parts, spread))
        for y in range(top, bottom):
            if parts == 1 and spread == 1:
                copy_line(line, to, n)
            elif parts == 2 and spread == 1:
                for i in range(n):
                    to[i] = line[2 * i]
            else:
                for i in range(n):
                    to[i * spread] = line[i * parts]
            line += g.size[1]
            to += g.spread[0] * g.row


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
    cdef Py_ssize_t lanes = sizeof(Vector), p = 0, q = 0, i
    cdef Py_ssize_t[TAPS] seen
    cdef Vector[TOGETHER] sums
    cdef const char *lines[TOGETHER]
    cdef Py_ssize_t[TOGETHER] made
    cdef Vector x, first = factor[Vector](0, NULL) if bias == NULL else spread[Vector](bias, NULL)
    cdef int j, n
    if Vector is Floats:
        lay_out(g, <const float *>a, <float *>plane)
    else:
        lay_out(g, <const double *>a, <double *>plane)
    places(g, size, seen)
    while p < g.out[0]:
        n = 0
        for j in range(TOGETHER):               # the next vectors, the last one again where there are no more
            sums[j] = first
            if p < g.out[0]:
                lines[j], made[j] = plane + p * g.stride[0] * g.row * size + q, min(lanes, width - q)
                n += 1
                q += lanes
                if q >= width:
                    p += 1
                    q = 0
            else:
                lines[j] = lines[j - 1]
        for i in range(taps):
            x = spread[Vector](weight + i * size, NULL)
            for j in range(TOGETHER):
                sums[j] = sums[j] + x * (<const Vector *>(lines[j] + seen[i]))[0]
        for j in range(n):
            if made[j] == lanes:
                (<Vector *>out)[0] = sums[j]
            else:
                memcpy(out, &sums[j], made[j])
            out += made[j]


cdef void correlate_weight(const Stencil *g, Py_ssize_t images, const char *grad, Py_ssize_t grad_step, const char *a,
                           Py_ssize_t a_step, char *out, char *plane, Vector *tag) noexcept nogil:
    """Every place of the kernel meets the gradient of all outputs, whose rows are copied with zeros behind them where
    they don't end with a vector."""
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, width = g.out[1] * size, lanes = sizeof(Vector), n, p, q, i
    cdef Py_ssize_t padded = (width + lanes - 1) // lanes * lanes, step = g.stride[0] * g.row * size
    cdef Py_ssize_t taps = g.kernel[0] * g.kernel[1]
    cdef Py_ssize_t[TAPS + SUMS] seen
    cdef Vector[TAPS + SUMS] sums
    cdef Vector[SUMS] part
    cdef char *copied = plane + g.rows * g.row * size
    cdef const char *rows
    cdef const char *x
    cdef Vector y
    cdef int j
    places(g, size, seen)
    memset(copied, 0, g.out[0] * padded)
    for i in range(taps + SUMS):
        sums[i] = factor[Vector](0, NULL)
        if i >= taps:
            seen[i] = 0
    for n in range(images):
        if Vector is Floats:
            lay_out(g, <const float *>(a + n * a_step), <float *>plane)
        else:
            lay_out(g, <const double *>(a + n * a_step), <double *>plane)
        rows = grad + n * grad_step
        if padded != width:
            for p in range(g.out[0]):
                memcpy(copied + p * padded, rows + p * width, width)
            rows = copied
        i = 0
        while i < taps:
            for j in range(SUMS):
                part[j] = sums[i + j]
            for p in range(g.out[0]):
                x = plane + p * step
                q = 0
                while q < padded:
                    y = (<const Vector *>(rows + p * padded + q))[0]
                    for j in range(SUMS):
                        part[j] = part[j] + y * (<const Vector *>(x + seen[i + j] + q))[0]
                    q += lanes
            for j in range(SUMS):
                sums[i + j] = part[j]
            i += SUMS
    for i in range(taps):
        if Vector is Floats:
            (<float *>out)[i] = sum_of(<const float *>(sums + i), lanes // size)
        else:
            (<double *>out)[i] = sum_of(<const double *>(sums + i), lanes // size)


cdef inline Real sum_of(const Real *a, Py_ssize_t n) noexcept nogil:
    cdef Real total = 0
    cdef Py_ssize_t i
    for i in range(n):
        total += a[i]
    return total


cdef void correlate_floats(const Stencil *g, const char *a, const char *weight, const char *bias, char *out,
                           char *plane) noexcept nogil:
    correlate[Floats](g, a, weight, bias, out, plane, NULL)


cdef void correlate_doubles(const Stencil *g, const char *a, const char *weight, const char *bias, char *out,
                            char *plane) noexcept nogil:
    correlate[Doubles](g, a, weight, bias, out, plane, NULL)


cdef void weight_floats(const Stencil *g, Py_ssize_t images, const char *grad, Py_ssize_t grad_step, const char *a,
                         Py_ssize_t a_step, char *out, char *plane) noexcept nogil:
    correlate_weight[Floats](g, images, grad, grad_step, a, a_step, out, plane, NULL)


cdef void weight_doubles(const Stencil *g, Py_ssize_t images, const char *grad, Py_ssize_t grad_step, const char *a,
                         Py_ssize_t a_step, char *out, char *plane) noexcept nogil:
    correlate_weight[Doubles](g, images, grad, grad_step, a, a_step, out, plane, NULL)


cdef void lay_out_floats(const Stencil *g, const char *a, char *plane) noexcept nogil:
    lay_out(g, <const float *>a, <float *>plane)


cdef void lay_out_doubles(const Stencil *g, const char *a, char *plane) noexcept nogil:
    lay_out(g, <const double *>a, <double *>plane)


# ---- channels side by side

cdef inline void see_channels(const LastStencil *g, const Real *x, const Real *weight, const Real *bias, Real *y,
                              Py_ssize_t n) noexcept nogil:
    """n channels of an output, CHANNELS at most."""
    cdef Real sums[CHANNELS]
    cdef const Real *seen
    cdef Py_ssize_t r, s, c
    if bias != NULL:
        for c in range(n):
            sums[c] = bias[c]
    else:
        for c in range(n):
            sums[c] = 0
    for r in range(g.kernel[0]):
        for s in range(g.kernel[1]):
            seen = x + r * g.dilation[0] * g.row + s * g.dilation[1] * g.channels
            for c in range(n):
                sums[c] = sums[c] + seen[c] * weight[c]
            weight += g.channels
    for c in range(n):
        y[c] = sums[c]


cdef inline void see_neighbours(const LastStencil *g, const Real *x, Py_ssize_t step, const Real *weight,
                                const Real *bias, Real *y, Vector *tag) noexcept nogil:
    """A vector of channels of four outputs, `step` apart in x: an element of the filters is read once for all."""
    cdef Vector first = factor[Vector](0, NULL)
    cdef Vector second, third, fourth, by
    cdef const Real *seen
    cdef Py_ssize_t r, s
    if bias != NULL:
        first = (<const Vector *>bias)[0]
    second = third = fourth = first
    for r in range(g.kernel[0]):
        seen = x + r * g.dilation[0] * g.row
        for s in range(g.kernel[1]):
            by = (<const Vector *>weight)[0]
            first += (<const Vector *>seen)[0] * by
            second += (<const Vector *>(seen + step))[0] * by
            third += (<const Vector *>(seen + 2 * step))[0] * by
            fourth += (<const Vector *>(seen + 3 * step))[0] * by
            seen += g.dilation[1] * g.channels
            weight += g.channels
    (<Vector *>y)[0] = first
    (<Vector *>(y + g.channels))[0] = second
    (<Vector *>(y + 2 * g.channels))[0] = third
    (<Vector *>(y + 3 * g.channels))[0] = fourth


cdef void correlate_last(const LastStencil *g, const Real *a, const Real *weight, const Real *bias,
                         Real *out) noexcept nogil:
    cdef Py_ssize_t q = 0, c, step = g.stride[1] * g.channels, lanes, whole
    if Real is float:
        lanes = sizeof(Floats) // sizeof(float)
    else:
        lanes = sizeof(Doubles) // sizeof(double)
    whole = g.out if g.channels % lanes == 0 and g.out >= 4 else 0
    while q < whole:
        q = min(q, whole - 4)               # the last four may be partly those before
        c = 0
        while c < g.channels:
            if Real is float:
                see_neighbours[float, Floats](g, a + q * step + c, step, weight + c,
                                              bias + c if bias != NULL else NULL, out + q * g.channels + c, NULL)
            else:
                see_neighbours[double, Doubles](g, a + q * step + c, step, weight + c,
                                                bias + c if bias != NULL else NULL, out + q * g.channels + c, NULL)
            c += lanes
        q += 4
    for q in range(whole, g.out):
        c = 0
        while c + CHANNELS <= g.channels:
            see_channels(g, a + q * step + c, weight + c, bias + c if bias != NULL else NULL, out + q * g.channels + c,
                         CHANNELS)
            c += CHANNELS
        if c < g.channels:
            see_channels(g, a + q * step + c, weight + c, bias + c if bias != NULL else NULL, out + q * g.channels + c,
                         g.channels - c)


cdef inline void add_products(const LastStencil *g, const Real *grad, const Real *x, Real *out,
                              Py_ssize_t n) noexcept nogil:
    """What n channels of a row of outputs add to one element of their filters."""
    cdef Real sums[CHANNELS]
    cdef Py_ssize_t q, c
    for c in range(n):
        sums[c] = out[c]
    for q in range(g.out):
        for c in range(n):
            sums[c] = sums[c] + grad[c] * x[c]
        grad += g.channels
        x += g.stride[1] * g.channels
    for c in range(n):
        out[c] = sums[c]


cdef void weight_last(const LastStencil *g, const Real *grad, const Real *a, Real *out) noexcept nogil:
    cdef Py_ssize_t r, s, c
    cdef const Real *x
    for r in range(g.kernel[0]):
        for s in range(g.kernel[1]):
            x = a + r * g.dilation[0] * g.row + s * g.dilation[1] * g.channels
            c = 0
            while c + CHANNELS <= g.channels:
                add_products(g, grad + c, x + c, out + c, CHANNELS)
                c += CHANNELS
            if c < g.channels:
                add_products(g, grad + c, x + c, out + c, g.channels - c)
            out += g.channels


cdef public void cygrad_install(void *address) noexcept:
    """Fill the DepthwiseTable at `address`."""
    cdef DepthwiseTable *table = <DepthwiseTable *>address
    table.correlate[0] = correlate_floats
    table.correlate[1] = correlate_doubles
    table.weight[0] = weight_floats
    table.weight[1] = weight_doubles
    table.lay_out[0] = lay_out_floats
    table.lay_out[1] = lay_out_doubles
    table.last[0] = <CorrelateLast>correlate_last[float]
    table.last[1] = <CorrelateLast>correlate_last[double]
    table.last_weight[0] = <WeightLast>weight_last[float]
    table.last_weight[1] = <WeightLast>weight_last[double]
