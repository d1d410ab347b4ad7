# distutils: extra_compile_args = -O2 -fpeel-loops -ftree-vectorize -fvect-cost-model=dynamic
"""Convolutions of one channel with one filter or, side by side, of few with few, without columns and products.

The channel is copied with its padding into a plane that stays in the level 1 cache, columns with the same remainder by
the stride side by side; so whatever the stride, the outputs of a vector see neighbouring elements of it.
"""
from libc.string cimport memcpy, memset

from cygrad_cpu.nn.depthwise cimport DepthwiseTable, Groups, LastTaps, Stencil, TAPS, Turn
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.simd.tiles cimport STRIP, TILES, from_rows, tile_4_small, to_rows
from cygrad_cpu.simd.vectors cimport Doubles, Floats, Vector, factor, spread

cdef extern from *:
    """
    /* The lanes `which` + `more` of the vector at an address, or of two vectors there. */
    #if defined(__GNUC__) && !defined(__clang__) && CYGRAD_VECTOR > 16
    #define CYGRAD_PICKS 1
    typedef int cygrad_lanes __attribute__((vector_size(CYGRAD_VECTOR), aligned(8), may_alias));
    static inline cygrad_floats cygrad_pick(const char *a, const char *which, int more, int two) {
        const cygrad_floats *x = (const cygrad_floats *)a;
        cygrad_lanes mask = *(const cygrad_lanes *)which + more;
        return two ? __builtin_shuffle(x[0], x[1], mask) : __builtin_shuffle(x[0], mask);
    }
    #else
    #define CYGRAD_PICKS 0
    static inline cygrad_floats cygrad_pick(const char *a, const char *which, int more, int two) {
        return *(const cygrad_floats *)a;
    }
    #endif
    """
    enum:
        PICKS "CYGRAD_PICKS"
    Floats pick "cygrad_pick" (const char *a, const char *which, int more, bint two) noexcept nogil

cdef enum:
    TOGETHER = 4            # vectors of outputs that see each element of the kernel at the same time
    SUMS = 5                # elements of the kernel that meet a vector of gradients at the same time
    ABREAST = 8             # positions whose channels see each element of the kernel at the same time
    WIDE = 8                # filters of a group for which products of matrices have no empty vectors
    MET = 9                 # elements of the kernel that meet a vector of channels of the gradient at the same time


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


# ---- channels side by side, at least as many as a vector holds

cdef inline Py_ssize_t beside(const LastTaps *g) noexcept nogil:
    """How many positions of a run are made together; those of two places, or of one twice, are made abreast."""
    return ABREAST // 2 if g.positions[0] >= ABREAST // 2 else 1


cdef inline Py_ssize_t places_abreast(const LastTaps *g) noexcept nogil:
    return (g.positions[0] + beside(g) - 1) // beside(g) * g.positions[1]


cdef struct Place:              # of positions that are made together, in elements
    Py_ssize_t seen, made       # where what the first one sees begins, and it is made
    Py_ssize_t step, made_step  # from one to the next; 0: it is one position, made several times


cdef inline Place place(const LastTaps *g, Py_ssize_t i) noexcept nogil:
    """The last of a run may be partly the one before. It divides: not for every vector of channels."""
    cdef Py_ssize_t count = beside(g), n = (g.positions[0] + count - 1) // count, run, first
    cdef Place found
    i = min(i, n * g.positions[1] - 1)
    run = i // n
    first = min((i - run * n) * count, g.positions[0] - count)
    found.seen, found.made = run * g.step[1] + first * g.step[0], run * g.made[1] + first * g.made[0]
    found.step, found.made_step = g.step[0] if count > 1 else 0, g.made[0] if count > 1 else 0
    return found


cdef void see_last(const LastTaps *g, const char *a, const char *weight, const char *bias, char *out,
                   Vector *tag) noexcept nogil:
    """A vector of channels of ABREAST positions reads an element of the filters once for all."""
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, width = g.channels * size, lanes = sizeof(Vector)
    cdef Py_ssize_t p, c, i, step, made
    cdef Vector[ABREAST] sums
    cdef Vector start, by
    cdef Place first, second
    cdef const char *x
    cdef const char *y
    cdef char *to
    cdef char *beyond
    cdef int j
    for p in range(0, places_abreast(g), 2):
        first, second = place(g, p), place(g, p + 1)
        step, made = first.step * size, first.made_step * size
        c = 0
        while c < width:
            c = min(c, width - lanes)                       # the last channels may be partly those before
            start = (<const Vector *>(bias + c))[0] if bias != NULL else factor[Vector](0, NULL)
            for j in range(ABREAST):
                sums[j] = start
            for i in range(g.count):
                x, y = a + (g.seen[i] + first.seen) * size + c, a + (g.seen[i] + second.seen) * size + c
                by = (<const Vector *>(weight + g.weight[i] * size + c))[0]
                for j in range(ABREAST // 2):
                    sums[j] = sums[j] + by * (<const Vector *>(x + j * step))[0]
                    sums[j + ABREAST // 2] = sums[j + ABREAST // 2] + by * (<const Vector *>(y + j * step))[0]
            to, beyond = out + first.made * size + c, out + second.made * size + c
            for j in range(ABREAST // 2):
                (<Vector *>(to + j * made))[0] = sums[j]
                (<Vector *>(beyond + j * made))[0] = sums[j + ABREAST // 2]
            c += lanes


cdef void correlate_last_floats(const LastTaps *g, const char *a, const char *weight, const char *bias,
                                char *out) noexcept nogil:
    see_last[Floats](g, a, weight, bias, out, NULL)


cdef void correlate_last_doubles(const LastTaps *g, const char *a, const char *weight, const char *bias,
                                 char *out) noexcept nogil:
    see_last[Doubles](g, a, weight, bias, out, NULL)


cdef inline void add_channels(const Real *a, Real *out, Py_ssize_t first, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(first, n):
        out[i] += a[i]


cdef inline void add_vector(Vector a, char *out, Py_ssize_t first) noexcept nogil:
    """The lanes from `first` on."""
    if first == 0:
        (<Vector *>out)[0] += a
    elif Vector is Floats:
        add_channels(<const float *>&a, <float *>out, first, sizeof(Vector) // 4)
    else:
        add_channels(<const double *>&a, <double *>out, first, sizeof(Vector) // 8)


cdef void meet_last(const LastTaps *g, const char *grad, const char *a, char *out, Vector *tag) noexcept nogil:
    """A vector of channels of the gradient meets MET elements of the kernel at the same time."""
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, width = g.channels * size, lanes = sizeof(Vector)
    cdef Py_ssize_t step = g.step[0] * size, made = g.made[0] * size, c, k, i, q, r, done
    cdef Vector[MET] sums
    cdef Py_ssize_t[MET] seen
    cdef const char *x
    cdef const char *y
    cdef Vector by
    cdef int j
    for k in range((width + lanes - 1) // lanes):
        c = min(k * lanes, width - lanes)
        done = (k * lanes - c) // size              # channels of the vector that were met before
        i = 0
        while i < g.count:
            for j in range(MET):
                seen[j] = g.seen[min(i + j, g.count - 1)] * size
                sums[j] = factor[Vector](0, NULL)
            for r in range(g.positions[1]):
                x, y = a + r * g.step[1] * size + c, grad + r * g.made[1] * size + c
                for q in range(g.positions[0]):
                    by = (<const Vector *>y)[0]
                    for j in range(MET):
                        sums[j] = sums[j] + by * (<const Vector *>(x + seen[j]))[0]
                    x += step
                    y += made
            for j in range(<int>min(<Py_ssize_t>MET, g.count - i)):
                add_vector(sums[j], out + g.weight[i + j] * size + c, done)
            i += MET


cdef void weight_last_floats(const LastTaps *g, const char *grad, const char *a, char *out) noexcept nogil:
    meet_last[Floats](g, grad, a, out, NULL)


cdef void weight_last_doubles(const LastTaps *g, const char *grad, const char *a, char *out) noexcept nogil:
    meet_last[Doubles](g, grad, a, out, NULL)


# ---- groups of few channels, in float32

cdef enum:
    LANES = sizeof(Floats) // sizeof(float)


cdef bint group(Groups *g, Py_ssize_t channels) noexcept nogil:
    """Whether a vector of filters sees at most two vectors of channels, and all vectors alike: then which of these
    channels each filter meets first. The next ones follow there."""
    cdef int i
    if (not PICKS or g.made >= WIDE or LANES % g.made or g.seen > 2 * g.made or channels < LANES
            or g.channels < (2 * LANES if g.seen > g.made else LANES)):
        return False
    for i in range(LANES):
        g.first[i] = <int>(i // g.made * g.seen)
    return True


cdef inline Floats picked(const char *a, const Groups *g, Py_ssize_t more, bint two) noexcept nogil:
    return pick(a, <const char *>g.first, <int>more, two)


cdef inline Py_ssize_t first_seen(const Groups *g, Py_ssize_t channel) noexcept nogil:
    """The first channel of the vectors that filters from `channel` on see."""
    return min(channel // g.made * g.seen, g.channels - (2 * LANES if g.seen > g.made else LANES))


cdef inline void see_some(const LastTaps *g, const Groups *s, const float *a, const float *b, Py_ssize_t step,
                          const float *weight, Py_ssize_t more, bint two, Floats *sums) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef const float *w
    cdef const float *x
    cdef const float *y
    cdef Floats by
    cdef int k
    for i in range(g.count):
        w, x, y = weight + g.weight[i], a + g.seen[i], b + g.seen[i]
        for j in range(s.seen):
            by = (<const Floats *>w)[0]
            for k in range(ABREAST // 2):
                sums[k] = sums[k] + by * picked(<const char *>(x + k * step), s, more + j, two)
                sums[k + ABREAST // 2] = (sums[k + ABREAST // 2]
                                          + by * picked(<const char *>(y + k * step), s, more + j, two))
            w += g.channels


cdef inline void see_four(const LastTaps *g, const Groups *s, const float *a, const float *b, Py_ssize_t step,
                          const float *weight, Py_ssize_t more, Floats *sums) noexcept nogil:
    """As `see_some` where groups have four channels: what a position sees is read once for all of them."""
    cdef Py_ssize_t i, j
    cdef const float *x
    cdef const float *y
    cdef Floats[4] by
    cdef int k
    for i in range(g.count):
        x, y = a + g.seen[i], b + g.seen[i]
        for j in range(4):
            by[j] = (<const Floats *>(weight + g.weight[i] + j * g.channels))[0]
        for k in range(ABREAST // 2):
            for j in range(4):
                sums[k] = sums[k] + by[j] * picked(<const char *>(x + k * step), s, more + j, False)
                sums[k + ABREAST // 2] = (sums[k + ABREAST // 2]
                                          + by[j] * picked(<const char *>(y + k * step), s, more + j, False))


cdef void see_groups(const LastTaps *g, const Groups *s, const char *input, const char *filters, const char *bias,
                     char *made) noexcept nogil:
    """As `see_last`, for each channel of the groups."""
    cdef const float *a = <const float *>input
    cdef const float *weight = <const float *>filters
    cdef float *out = <float *>made
    cdef Py_ssize_t p, c, first, more
    cdef Place here, there
    cdef Floats[ABREAST] sums
    cdef Floats start
    cdef float *y
    cdef float *z
    cdef int j
    for p in range(0, places_abreast(g) if PICKS else 0, 2):
        here, there = place(g, p), place(g, p + 1)
        c = 0
        while c < g.channels:
            c = min(c, g.channels - LANES)
            start = (<const Floats *>(<const float *>bias + c))[0] if bias != NULL else factor[Floats](0, NULL)
            for j in range(ABREAST):
                sums[j] = start
            first = first_seen(s, c)
            more = c // s.made * s.seen - first
            if s.seen > s.made:
                see_some(g, s, a + here.seen + first, a + there.seen + first, here.step, weight + c, more, True, sums)
            elif s.seen == 4:
                see_four(g, s, a + here.seen + first, a + there.seen + first, here.step, weight + c, more, sums)
            else:
                see_some(g, s, a + here.seen + first, a + there.seen + first, here.step, weight + c, more, False, sums)
            y, z = out + here.made + c, out + there.made + c
            for j in range(ABREAST // 2):
                (<Floats *>(y + j * here.made_step))[0] = sums[j]
                (<Floats *>(z + j * here.made_step))[0] = sums[j + ABREAST // 2]
            c += LANES


cdef void meet_groups(const LastTaps *g, const Groups *s, const char *grad, const char *a, char *out) noexcept nogil:
    """As `meet_last`, for each channel of the groups, of which there are no more than filters."""
    cdef Py_ssize_t size = sizeof(float), c = 0, i, k, q, r, first, done, more
    cdef Floats[MET] sums
    cdef Py_ssize_t[MET] seen
    cdef const char *x
    cdef const char *y
    cdef Floats by
    cdef int j
    while PICKS and c < g.channels:
        done = max(c + LANES - g.channels, <Py_ssize_t>0)   # channels of the vector that were met before
        c -= done
        first = first_seen(s, c)
        more = c // s.made * s.seen - first
        i = 0
        while i < g.count:
            for j in range(MET):
                seen[j] = g.seen[min(i + j, g.count - 1)] * size
            for k in range(s.seen):
                for j in range(MET):
                    sums[j] = factor[Floats](0, NULL)
                for r in range(g.positions[1]):
                    x, y = a + (r * g.step[1] + first) * size, grad + (r * g.made[1] + c) * size
                    for q in range(g.positions[0]):
                        by = (<const Floats *>y)[0]
                        for j in range(MET):
                            sums[j] = sums[j] + by * picked(x + seen[j], s, more + k, False)
                        x += g.step[0] * size
                        y += g.made[0] * size
                for j in range(<int>min(<Py_ssize_t>MET, g.count - i)):
                    add_vector(sums[j], out + (g.weight[i + j] + k * g.channels + c) * size, done)
            i += MET
        c += LANES


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
    table.last[0] = correlate_last_floats
    table.last[1] = correlate_last_doubles
    table.last_weight[0] = weight_last_floats
    table.last_weight[1] = weight_last_doubles
    table.vector = sizeof(Floats)
    table.group = group
    table.groups = see_groups
    table.groups_weight = meet_groups
