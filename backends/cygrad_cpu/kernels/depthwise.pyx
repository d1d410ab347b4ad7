# distutils: extra_compile_args = -O2 -fpeel-loops -ftree-vectorize -fvect-cost-model=dynamic
"""Convolutions of one channel with one filter, without columns and products.

The channel is copied with its padding into a plane that stays in the level 1 cache, columns with the same remainder by
the stride side by side; so whatever the stride, the outputs of a vector see neighbouring elements of it.
"""
from libc.string cimport memcpy, memset

from cygrad_cpu.nn.depthwise cimport DepthwiseTable, Stencil, TAPS, Turn
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.simd.tiles cimport STRIP, STRIPS, TILES, from_rows, tile_4_small, tile_8, to_rows, weigh_strip
from cygrad_cpu.simd.vectors cimport Doubles, Floats, Vector, factor, spread

cdef enum:
    LONGEST_STRIP = 8
    TOGETHER = 4            # vectors of outputs that see each element of the kernel at the same time
    SUMS = 5                # elements of the kernel that meet a vector of gradients at the same time


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


# ---- channels side by side that are put into rows, and back; the last ones of a strip may be partly those before

cdef void channels_to_rows(const float *a, const Turn *g, float *out) noexcept nogil:
    cdef Py_ssize_t i, j, c, p, y, n = g.places, width = STRIP if n >= STRIP else 4
    for y in range(g.lines):
        if not TILES or n < 4 or g.channels < 4:
            for c in range(g.channels):
                for i in range(n):
                    out[c * g.row + i] = a[i * g.pixel + c]
        else:
            j = 0
            while True:
                c = min(j, g.channels - 4)
                i = 0
                while True:
                    p = min(i, n - width)
                    if width == STRIP:
                        to_rows(a + p * g.pixel + c, g.pixel, out + c * g.row + p, g.row)
                    else:
                        tile_4_small(a + p * g.pixel + c, g.pixel, out + c * g.row + p, g.row)
                    i += width
                    if i >= n:
                        break
                j += 4
                if j >= g.channels:
                    break
        a += g.line
        out += g.out_line


cdef void rows_to_channels(const float *a, Py_ssize_t row, Py_ssize_t n, Py_ssize_t channels, const float *bias,
                           float *out, Py_ssize_t pixel) noexcept nogil:
    """Of fewer channels than four, what is written too much of a place is written over by the next one."""
    cdef Py_ssize_t i = 0, j, c
    cdef float *added = [0, 0, 0, 0]
    for c in range(min(channels, <Py_ssize_t>4) if bias != NULL else 0):
        added[c] = bias[c]
    while TILES and STRIP <= n and (channels >= 4 and i < n or channels == pixel and i < n - STRIP):
        i = min(i, n - STRIP)
        j = 0
        while j < channels:
            c = max(min(j, channels - 4), <Py_ssize_t>0)
            from_rows(a + c * row + i, row, bias + c if bias != NULL and c else added, out + i * pixel + c, pixel)
            j += 4
        i += STRIP
    while i < n:
        for c in range(channels):
            out[i * pixel + c] = a[c * row + i] + (bias[c] if bias != NULL else 0)
        i += 1


cdef void turn_doubles(const double *a, Py_ssize_t a_row, Py_ssize_t n, Py_ssize_t m, double *out,
                       Py_ssize_t out_row) noexcept nogil:
    cdef Py_ssize_t i = 0, j, x, y, side = 4 if TILES and n >= 4 and m >= 4 else 1
    while i < n:
        x, j = min(i, n - side), 0
        while j < m:
            y = min(j, m - side)
            if side > 1:
                tile_8(a + x * a_row + y, a_row, out + y * out_row + x, out_row)
            else:
                out[y * out_row + x] = a[x * a_row + y]
            j += side
        i += side


cdef bint weigh_few(const float *a, Py_ssize_t n, Py_ssize_t channels, const float *weight, Py_ssize_t filters,
                    const float *bias, float *out) noexcept nogil:
    """Each strip is put into rows and back in registers; what is written too much is written over by the next one."""
    cdef Py_ssize_t i = 0, f, places = STRIP if filters == 1 else STRIP * STRIPS
    cdef float[16 * LONGEST_STRIP] last
    cdef float *added = [0, 0, 0, 0, 0, 0, 0, 0]
    if not TILES or n < places or channels % (STRIP if filters == 1 else 4) or (
            filters > 4 and (filters != 8 or STRIPS == 1)):
        return False
    for f in range(filters if bias != NULL else 0):
        added[f] = bias[f]
    while i < n:
        i = min(i, n - places)
        weigh_strip(a + i * channels, channels, weight, filters, added, out + i * filters if i + places < n else last)
        i += places
    memcpy(out + (n - places) * filters, last, places * filters * sizeof(float))
    return True


cdef public void cygrad_install(void *address) noexcept:
    """Fill the DepthwiseTable at `address`."""
    cdef DepthwiseTable *table = <DepthwiseTable *>address
    table.correlate[0] = correlate_floats
    table.correlate[1] = correlate_doubles
    table.weight[0] = weight_floats
    table.weight[1] = weight_doubles
    table.lay_out[0] = lay_out_floats
    table.lay_out[1] = lay_out_doubles
    table.to_rows = channels_to_rows
    table.from_rows = rows_to_channels
    table.turn = turn_doubles
    table.weigh_few = weigh_few
