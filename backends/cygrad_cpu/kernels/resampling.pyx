# distutils: extra_compile_args = -O2 -fpeel-loops -ftree-vectorize -fvect-cost-model=dynamic
"""Sums of a few places times weights: resampling along an axis, and images looked at where a grid says.

Points of a grid go in blocks: their places and weights are computed for a block, axis by axis, and then used for all
channels. A place that isn't seen is place 0 with weight 0; where the element there is no number the weight doesn't
help, and the channel goes place by place.
"""
from cygrad_cpu.kernels.kernel_tables cimport ResamplingTable, SampleBackward, SampleForward, Sampling, WeighLines, \
    WeighRows
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.simd.tiles cimport TILES, tile_4, tile_8
from libc.math cimport floor, floorf, rint, rintf
from libc.string cimport memcpy

cdef enum:
    BLOCK = 128                 # points of a grid that go together
    AXES = 3
    TAPS = 16                   # places of a point: 4 x 4, or 2 x 2 x 2
    STRIP = 64                  # elements of rows that are summed in registers
    RUN = 512                   # elements of lines that are summed in the first-level cache
    LINES = 16                  # lines that are summed together
    NEAR = 1024                 # elements of a line at most, for that

cdef enum:                      # backend.SAMPLING_PADDING
    ZEROS
    BORDER
    REFLECTION


# ---- along an axis

cdef void weigh_rows(const Real *a, const long long *places, const Real *weights, Real *out, Py_ssize_t size,
                     Py_ssize_t taps, Py_ssize_t outputs, Py_ssize_t n, Py_ssize_t begin,
                     Py_ssize_t end) noexcept nogil:
    """Rows begin to end of out (L, outputs, n): sums of rows of a (L, size, n) times weights (taps, outputs)."""
    cdef Py_ssize_t row, q, t, i, j, count
    cdef const Real *plane
    cdef const Real *x
    cdef Real *y
    cdef Real w
    cdef Real found[STRIP]
    for row in range(begin, end):
        q = row % outputs
        plane = a + row // outputs * size * n
        y = out + row * n
        i = 0
        while i + STRIP <= n:
            for j in range(STRIP):
                found[j] = 0
            for t in range(taps):
                x = plane + places[t * outputs + q] * n + i
                w = weights[t * outputs + q]
                for j in range(STRIP):
                    found[j] = found[j] + w * x[j]
            for j in range(STRIP):
                y[i + j] = found[j]
            i += STRIP
        count = n - i
        if count == 0:
            continue
        y = y + i
        for j in range(count):
            y[j] = 0
        for t in range(taps):
            x = plane + places[t * outputs + q] * n + i
            w = weights[t * outputs + q]
            for j in range(count):
                y[j] = y[j] + w * x[j]


cdef inline void weigh_together(const Real *a, const int *places, const Real *weights, Real *out, Py_ssize_t size,
                                Py_ssize_t taps, Py_ssize_t outputs) noexcept nogil:
    """LINES lines: their elements side by side, so that nothing is gathered."""
    cdef Real turned[NEAR * LINES]
    cdef Real found[LINES * LINES]
    cdef Real sums[LINES]
    cdef Py_ssize_t p, q, t, i, j, n, side = 32 // sizeof(Real)
    cdef const Real *x
    cdef Real w
    p = 0
    if TILES:
        while p + side <= size:
            for i in range(LINES // side):
                j = i * side
                if Real is float:
                    tile_4(a + j * size + p, size, turned + p * LINES + j, LINES)
                else:
                    tile_8(a + j * size + p, size, turned + p * LINES + j, LINES)
            p += side
    while p < size:
        for j in range(LINES):
            turned[p * LINES + j] = a[j * size + p]
        p += 1
    q = 0
    while q < outputs:
        n = min(outputs - q, <Py_ssize_t>LINES)
        for i in range(n):
            for j in range(LINES):
                sums[j] = 0
            for t in range(taps):
                x = turned + places[t * outputs + q + i] * LINES
                w = weights[t * outputs + q + i]
                for j in range(LINES):
                    sums[j] = sums[j] + w * x[j]
            for j in range(LINES):
                found[i * LINES + j] = sums[j]
        for j in range(LINES):
            for i in range(n):
                out[j * outputs + q + i] = found[i * LINES + j]
        q += n


cdef void weigh_lines(const Real *a, const int *places, const Real *weights, Real *out, Py_ssize_t size,
                      Py_ssize_t taps, Py_ssize_t outputs, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Lines begin to end of out (L, outputs): sums of elements of a (L, size) times weights (taps, outputs)."""
    cdef Py_ssize_t line, q, t, first, n
    cdef const Real *x
    cdef const int *p
    cdef const Real *w
    cdef Real found[RUN]        # which no operand overlaps, as a compiler can see
    if taps > 1 and size <= NEAR:
        while begin + LINES <= end:
            weigh_together(a + begin * size, places, weights, out + begin * outputs, size, taps, outputs)
            begin += LINES
    for line in range(begin, end):
        x = a + line * size
        first = 0
        while first < outputs:
            n = min(outputs - first, <Py_ssize_t>RUN)
            p = places + first
            w = weights + first
            t = taps % 2
            if t:
                for q in range(n):
                    found[q] = w[q] * x[p[q]]
            else:
                for q in range(n):
                    found[q] = w[q] * x[p[q]] + w[outputs + q] * x[p[outputs + q]]
                t = 2
            while t < taps:
                p = places + first + t * outputs
                w = weights + first + t * outputs
                for q in range(n):
                    found[q] = found[q] + (w[q] * x[p[q]] + w[outputs + q] * x[p[outputs + q]])
                t += 2
            memcpy(out + line * outputs + first, found, n * sizeof(Real))
            first += n


# ---- points of a grid

cdef inline Real down(Real x) noexcept nogil:
    if Real is float:
        return floorf(x)
    else:
        return floor(x)


cdef inline Real nearest(Real x) noexcept nogil:
    if Real is float:
        return rintf(x)
    else:
        return rint(x)


cdef inline void see(Real *at, Real *slope, Py_ssize_t n, Real size, int padding, bint align) noexcept nogil:
    """Points as the padding has them, and how they change with what they were."""
    cdef Py_ssize_t q
    cdef Real low = 0 if align else -0.5, one = 1, zero = 0
    cdef Real span = size - one if align else size, top = size - one
    cdef Real x, times, rest
    if padding == REFLECTION:
        if span == 0:
            for q in range(n):
                at[q] = at[q] * zero
                slope[q] = 0
        else:
            for q in range(n):
                x = at[q] - low
                slope[q] = -one if x < zero else one
                x = -x if x < zero else x
                times = down(x / span)
                rest = x - times * span
                x = times - <Real>2 * down(times * <Real>0.5)       # whether it's odd
                at[q] = rest + low if x == zero else span - rest + low
                slope[q] = slope[q] if x == zero else -slope[q]
    else:
        for q in range(n):
            slope[q] = 1
    if padding != ZEROS:
        for q in range(n):
            x = at[q]
            slope[q] = slope[q] if (x > zero) & (x < top) else zero
            x = x if x < top else top if x == x else zero
            at[q] = x if x > zero else zero


cdef inline Real near_weight(Real x) noexcept nogil:
    """Keys's cubic convolution with a = -0.75 for 0 <= x <= 1, and below for 1 <= x <= 2."""
    return (<Real>1.25 * x - <Real>2.25) * x * x + <Real>1


cdef inline Real far_weight(Real x) noexcept nogil:
    return ((<Real>-0.75 * x + <Real>3.75) * x - <Real>6) * x + <Real>3


cdef inline Real near_slope(Real x) noexcept nogil:
    return (<Real>3.75 * x - <Real>4.5) * x


cdef inline Real far_slope(Real x) noexcept nogil:
    return (<Real>-2.25 * x + <Real>7.5) * x - <Real>6


cdef inline void whole(const Real *at, int *place, Py_ssize_t n, Py_ssize_t size, Py_ssize_t step) noexcept nogil:
    """at + step as ints; -1 where that's no place, or no number."""
    cdef Py_ssize_t q
    cdef Real x, low = -4, high = <Real>size + 4
    cdef int found, limit = <int>size, more = <int>step
    for q in range(n):
        x = at[q] if at[q] > low else low
        x = x if x < high else high
        found = <int>x + more
        place[q] = found if (found >= 0) & (found < limit) else -1


cdef inline void lay_out(const Sampling *s, int axis, const Real *grid, Py_ssize_t n, int *places, Real *weights,
                         Real *slopes) noexcept nogil:
    """Places, weights and their slopes by the grid, of n points along an axis: `reach` runs of BLOCK each."""
    cdef Py_ssize_t q, k, size = s.sizes[axis]
    cdef Real at[BLOCK]
    cdef Real moved[BLOCK]
    cdef Real slope[BLOCK]
    cdef Real f, one = 1, half = 0.5, width = <Real>size, scale = (width - one if s.align else width) * half
    if s.axes == 2:
        for q in range(n):
            at[q] = grid[q * 2 + axis]
    else:
        for q in range(n):
            at[q] = grid[q * 3 + axis]
    if s.align:
        for q in range(n):
            at[q] = (at[q] + one) * half * (width - one)
    else:
        for q in range(n):
            at[q] = ((at[q] + one) * width - one) * half
    if s.reach == 4:
        for q in range(n):
            moved[q] = down(at[q])
            f = at[q] - moved[q]
            weights[q] = far_weight(f + one)
            weights[BLOCK + q] = near_weight(f)
            weights[2 * BLOCK + q] = near_weight(one - f)
            weights[3 * BLOCK + q] = far_weight(<Real>2 - f)
            slopes[q] = far_slope(f + one) * scale
            slopes[BLOCK + q] = near_slope(f) * scale
            slopes[2 * BLOCK + q] = -near_slope(one - f) * scale
            slopes[3 * BLOCK + q] = -far_slope(<Real>2 - f) * scale
        for k in range(4):
            if s.padding == ZEROS:
                whole(moved, places + k * BLOCK, n, size, k - 1)
            else:
                for q in range(n):
                    at[q] = moved[q] + <Real>(k - 1)
                see(at, slope, n, width, s.padding, s.align)
                whole(at, places + k * BLOCK, n, size, 0)
        return
    see(at, slope, n, width, s.padding, s.align)
    if s.reach == 1:
        for q in range(n):
            at[q] = nearest(at[q])
            weights[q] = 1
        whole(at, places, n, size, 0)
        return
    for q in range(n):
        moved[q] = down(at[q])
        weights[q] = moved[q] + one - at[q]
        weights[BLOCK + q] = at[q] - moved[q]
        slopes[q] = -slope[q] * scale
        slopes[BLOCK + q] = slope[q] * scale
    whole(moved, places, n, size, 0)
    whole(moved, places + BLOCK, n, size, 1)


cdef inline void combine(const Sampling *s, const int *places, const Real *weights, Py_ssize_t n, int *flat,
                         Real *products, int *seen) noexcept nogil:
    """Place, weight and whether it's seen, of each of the taps; runs of BLOCK. The last axis counts fastest."""
    cdef Py_ssize_t t, q, i, j, k
    cdef int width = <int>s.sizes[0], height = <int>s.sizes[1], place, inside
    cdef const int *x
    cdef const int *y
    cdef const int *z
    cdef const Real *by_x
    cdef const Real *by_y
    cdef const Real *by_z
    cdef Real zero = 0
    for t in range(s.taps):
        i = t % s.reach
        j = t // s.reach % s.reach
        k = t // (s.reach * s.reach)
        x = places + i * BLOCK
        y = places + (4 + j) * BLOCK
        z = places + (8 + k) * BLOCK
        by_x = weights + i * BLOCK
        by_y = weights + (4 + j) * BLOCK
        by_z = weights + (8 + k) * BLOCK
        if s.axes == 2:
            for q in range(n):
                inside = (x[q] | y[q]) >= 0
                place = y[q] * width + x[q]
                flat[t * BLOCK + q] = place if inside else 0
                seen[t * BLOCK + q] = inside
                products[t * BLOCK + q] = by_y[q] * by_x[q] if inside else zero
        else:
            for q in range(n):
                inside = (x[q] | y[q] | z[q]) >= 0
                place = (z[q] * height + y[q]) * width + x[q]
                flat[t * BLOCK + q] = place if inside else 0
                seen[t * BLOCK + q] = inside
                products[t * BLOCK + q] = by_z[q] * by_y[q] * by_x[q] if inside else zero


cdef inline void four(const Real *x, const int *p, const Real *w, Real *y, Py_ssize_t n, bint more) noexcept nogil:
    """The next four taps of n points. What is not seen may be -0, and becomes 0."""
    cdef Py_ssize_t q
    cdef Real zero = 0
    if more:
        for q in range(n):
            y[q] = y[q] + (w[q] * x[p[q]] + w[BLOCK + q] * x[p[BLOCK + q]] + w[2 * BLOCK + q] * x[p[2 * BLOCK + q]]
                           + w[3 * BLOCK + q] * x[p[3 * BLOCK + q]])
    else:
        for q in range(n):
            y[q] = zero + (w[q] * x[p[q]] + w[BLOCK + q] * x[p[BLOCK + q]] + w[2 * BLOCK + q] * x[p[2 * BLOCK + q]]
                           + w[3 * BLOCK + q] * x[p[3 * BLOCK + q]])


cdef void sample_forward(const Sampling *s, const Real *a, const Real *grid, Real *out, Py_ssize_t begin,
                         Py_ssize_t end) noexcept nogil:
    """Points begin to end of an image: out (channels, points) from a (channels, plane) and grid (points, axes)."""
    cdef int places[AXES * 4 * BLOCK]
    cdef Real weights[AXES * 4 * BLOCK]
    cdef Real slopes[4 * BLOCK]
    cdef int flat[TAPS * BLOCK]
    cdef Real products[TAPS * BLOCK]
    cdef int seen[TAPS * BLOCK]
    cdef Real found[BLOCK]
    cdef Real zero = 0
    cdef Py_ssize_t n, q, t, c
    cdef int axis
    cdef const Real *x
    while begin < end:
        n = min(end - begin, <Py_ssize_t>BLOCK)
        for axis in range(s.axes):
            lay_out(s, axis, grid + begin * s.axes, n, places + axis * 4 * BLOCK, weights + axis * 4 * BLOCK, slopes)
        combine(s, places, weights, n, flat, products, seen)
        for c in range(s.channels):
            x = a + c * s.plane
            if s.taps == 1:
                for q in range(n):
                    found[q] = x[flat[q]]
                for q in range(n):
                    found[q] = found[q] if seen[q] else zero
            elif x[0] - x[0] != 0:
                for q in range(n):
                    found[q] = 0
                for t in range(s.taps):
                    for q in range(n):
                        if seen[t * BLOCK + q]:
                            found[q] = found[q] + products[t * BLOCK + q] * x[flat[t * BLOCK + q]]
            else:
                four(x, flat, products, found, n, False)
                t = 4
                while t < s.taps:
                    four(x, flat + t * BLOCK, products + t * BLOCK, found, n, True)
                    t += 4
            memcpy(out + c * s.points + begin, found, n * sizeof(Real))
        begin += n


cdef inline void slope_of(const Sampling *s, int axis, const Real *weights, const Real *slopes, const Real *dots,
                          Py_ssize_t n, Real *out) noexcept nogil:
    """The gradient by the points' places along an axis, from that by the weights of the taps."""
    cdef Py_ssize_t t, q, other, left, run, k
    cdef const Real *w
    cdef Real found[BLOCK]
    cdef Real part[BLOCK]
    for q in range(n):
        found[q] = 0
    for t in range(s.taps):
        for q in range(n):
            part[q] = dots[t * BLOCK + q]
        left = t
        run = s.taps
        for other in range(s.axes - 1, -1, -1):
            run = run // s.reach
            k = left // run
            left = left % run
            w = (slopes if other == axis else weights) + (other * 4 + k) * BLOCK
            for q in range(n):
                part[q] = part[q] * w[q]
        for q in range(n):
            found[q] = found[q] + part[q]
    for q in range(n):
        out[q * s.axes + axis] = found[q]


cdef void sample_backward(const Sampling *s, const Real *grad, const Real *a, const Real *grid, Real *grad_a,
                          Real *grad_grid, Py_ssize_t first, Py_ssize_t last, Py_ssize_t begin,
                          Py_ssize_t end) noexcept nogil:
    """Of channels first to last and points begin to end of an image; grad_a, or NULL, is added to."""
    cdef int places[AXES * 4 * BLOCK]
    cdef Real weights[AXES * 4 * BLOCK]
    cdef Real slopes[AXES * 4 * BLOCK]
    cdef int flat[TAPS * BLOCK]
    cdef Real products[TAPS * BLOCK]
    cdef int seen[TAPS * BLOCK]
    cdef Real dots[TAPS * BLOCK]
    cdef Real shares[4 * BLOCK]
    cdef Real zero = 0
    cdef Py_ssize_t n, q, t, c, k
    cdef int axis, together
    cdef const Real *x
    cdef const Real *g
    cdef const int *p
    cdef Real *y
    together = 4 if s.taps >= 4 else 1
    while begin < end:
        n = min(end - begin, <Py_ssize_t>BLOCK)
        for axis in range(s.axes):
            lay_out(s, axis, grid + begin * s.axes, n, places + axis * 4 * BLOCK, weights + axis * 4 * BLOCK,
                    slopes + axis * 4 * BLOCK)
        combine(s, places, weights, n, flat, products, seen)
        if grad_grid != NULL:
            for t in range(s.taps):
                for q in range(n):
                    dots[t * BLOCK + q] = 0
        for c in range(first, last):
            g = grad + c * s.points + begin
            x = a + c * s.plane
            if grad_grid != NULL:
                for t in range(s.taps):
                    p = flat + t * BLOCK
                    for q in range(n):
                        dots[t * BLOCK + q] = dots[t * BLOCK + q] + g[q] * x[p[q]]
            if grad_a == NULL:
                continue
            y = grad_a + c * s.plane
            t = 0
            while t < s.taps:
                p = flat + t * BLOCK
                for k in range(together):
                    for q in range(n):
                        shares[k * BLOCK + q] = (products[(t + k) * BLOCK + q] * g[q] if seen[(t + k) * BLOCK + q]
                                                 else zero)
                if together == 4:
                    for q in range(n):
                        y[p[q]] += shares[q]
                        y[p[BLOCK + q]] += shares[BLOCK + q]
                        y[p[2 * BLOCK + q]] += shares[2 * BLOCK + q]
                        y[p[3 * BLOCK + q]] += shares[3 * BLOCK + q]
                else:
                    for q in range(n):
                        y[p[q]] += shares[q]
                t += together
        if grad_grid != NULL:
            for t in range(s.taps):
                for q in range(n):
                    dots[t * BLOCK + q] = dots[t * BLOCK + q] if seen[t * BLOCK + q] else zero
            for axis in range(s.axes):
                slope_of(s, axis, weights, slopes, dots, n, grad_grid + begin * s.axes)
        begin += n


cdef public void cygrad_install(void *address) noexcept:
    """Fill the ResamplingTable at `address`."""
    cdef ResamplingTable *table = <ResamplingTable *>address
    table.rows[0] = <WeighRows>weigh_rows[float]
    table.rows[1] = <WeighRows>weigh_rows[double]
    table.lines[0] = <WeighLines>weigh_lines[float]
    table.lines[1] = <WeighLines>weigh_lines[double]
    table.forward[0] = <SampleForward>sample_forward[float]
    table.forward[1] = <SampleForward>sample_forward[double]
    table.backward[0] = <SampleBackward>sample_backward[float]
    table.backward[1] = <SampleBackward>sample_backward[double]
