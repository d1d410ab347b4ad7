# distutils: extra_compile_args = -O2 -fpeel-loops -ftree-vectorize -fvect-cost-model=dynamic
"""Convolutions of groups of few channels with few filters, where channels lie side by side; see nn/depthwise_last.pyx.

A vector of channels of several places is summed in registers. Places below one another that see neighbouring rows share
what they read (simd/row_tiles.pxd); others read an element of the filters together.
"""
from cygrad_cpu.nn.depthwise_last cimport Groups, LastTable, LastTaps
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.simd.parted cimport regroup
from cygrad_cpu.simd.row_tiles cimport (BESIDE, DOWN, PICKS, TALL, meet_doubles, meet_floats, meet_picked,
                                         meet_picked_of_two, pick, see_tall)
from cygrad_cpu.simd.vectors cimport Doubles, Floats, Vector, factor

cdef enum:
    ABREAST = 8             # positions whose channels see each element of the kernel at the same time
    WIDE = 8                # filters of a group from which on products of matrices have no empty vectors
    PAGE = 2048             # rows at multiples of it fall on the same places of the cache
    MET = 9                 # elements of the kernel that meet a vector of channels of the gradient at the same time


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
    cdef Py_ssize_t order = rows_shared(g)
    if order:
        see_rows[Vector](g, NULL, order, a, weight, bias, out, NULL)
        return
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


# ---- which channels groups see, in float32

cdef enum:
    LANES = sizeof(Floats) // sizeof(float)


cdef bint group(Groups *g, Py_ssize_t channels) noexcept nogil:
    """Whether a vector of filters sees at most two vectors of channels, and all vectors alike: then which of these
    channels each filter meets first. The next ones follow there."""
    cdef int i
    if (not PICKS or g.made > WIDE or g.made == WIDE and g.seen > WIDE or LANES % g.made or g.seen > 2 * g.made
            or channels < LANES or g.channels < (2 * LANES if g.seen > g.made else LANES)):
        return False
    for i in range(LANES):
        g.first[i] = <int>(i // g.made * g.seen)
    return True


cdef inline Floats picked(const char *a, const Groups *g, Py_ssize_t more, bint two) noexcept nogil:
    return pick(a, <const char *>g.first, <int>more, two)


cdef inline Py_ssize_t first_seen(const Groups *g, Py_ssize_t channel) noexcept nogil:
    """The first channel of the vectors that filters from `channel` on see."""
    return min(channel // g.made * g.seen, g.channels - (2 * LANES if g.seen > g.made else LANES))


cdef inline Py_ssize_t rows_shared(const LastTaps *g) noexcept nogil:
    """1 if runs lie below one another as rows of the kernel see, -1 if as they do from the last one on, else 0."""
    cdef Py_ssize_t down
    if g.rows < 2 or g.positions[1] < DOWN or g.positions[0] < BESIDE:
        return 0
    down = g.seen[g.count // g.rows] - g.seen[0]
    return 1 if down == g.step[1] else -1 if down == -g.step[1] else 0


cdef Py_ssize_t see_tall_rows(const LastTaps *g, const Groups *s, Py_ssize_t order, const char *input,
                              const char *filters, const char *bias, char *made) noexcept nogil:
    """As `see_rows`, by tiles twice as high; returns how many rows are done."""
    cdef Py_ssize_t size = sizeof(float), taps = g.count // 3, x, y = 0, c, first, row = g.step[1] * size
    cdef Py_ssize_t place = g.step[0] * size, weight_row = order * (g.weight[taps] - g.weight[0]) * size
    cdef Py_ssize_t out_row = g.made[1] * size, out_place = g.made[0] * size
    cdef const Py_ssize_t *places = g.seen + (0 if order > 0 else g.count - taps)
    cdef const Py_ssize_t *weights = g.weight + (0 if order > 0 else g.count - taps)
    cdef Floats start = factor[Floats](0, NULL)
    while y + 2 * DOWN <= g.positions[1]:
        x = 0
        while x < g.positions[0]:
            x = min(x, g.positions[0] - BESIDE)
            c = 0
            while c < g.channels:
                c = min(c, g.channels - LANES)
                first = first_seen(s, c)
                if bias != NULL:
                    start = (<const Floats *>(bias + c * size))[0]
                see_tall(input + y * row + x * place + first * size, row, place, places, filters + c * size, weight_row,
                         g.channels * size, weights, taps, <const char *>s.first, <int>(c // s.made * s.seen - first),
                         <int>s.seen, s.seen > s.made, &start, made + y * out_row + x * out_place + c * size, out_row,
                         out_place)
                c += LANES
            x += BESIDE
        y += 2 * DOWN
    return y


cdef void see_rows(const LastTaps *g, const Groups *s, Py_ssize_t order, const char *input, const char *filters,
                   const char *bias, char *made, Vector *tag) noexcept nogil:
    """As `see_last`, or `see_groups` where `s` is given, by tiles of places that share what they see; `order` is
    `rows_shared`."""
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, lanes = <Py_ssize_t>sizeof(Vector) // size
    cdef Py_ssize_t rows = g.rows, taps = g.count // rows, channels = g.channels, x, y = 0, c, t, first
    cdef Py_ssize_t row = g.step[1] * size, place = g.step[0] * size, out_row = g.made[1] * size
    cdef Py_ssize_t out_place = g.made[0] * size, weight_row = order * (g.weight[taps] - g.weight[0]) * size
    cdef const Py_ssize_t *places = g.seen + (0 if order > 0 else g.count - taps)
    cdef const Py_ssize_t *weights = g.weight + (0 if order > 0 else g.count - taps)
    cdef const char *which = NULL
    cdef Vector[8] sums
    cdef Vector start
    cdef const char *a
    cdef const char *w
    cdef const char *x_first
    cdef char *out
    cdef int i, j, more = 0, seen = 1
    if s != NULL:
        which, seen = <const char *>s.first, <int>s.seen
        if TALL and rows == 3 and row % PAGE:
            y = see_tall_rows(g, s, order, input, filters, bias, made)
    while y < g.positions[1]:
        y = min(y, g.positions[1] - DOWN)
        x = 0
        while x < g.positions[0]:
            x = min(x, g.positions[0] - BESIDE)
            c = 0
            while c < channels:
                c = first = min(c, channels - lanes)        # the last channels may be partly those before
                if s != NULL:
                    first = first_seen(s, c)
                    more = <int>(c // s.made * s.seen - first)
                start = (<const Vector *>(bias + c * size))[0] if bias != NULL else factor[Vector](0, NULL)
                for i in range(8):
                    sums[i] = start
                x_first = input + y * row + x * place + first * size
                for t in range(taps):
                    a, w = x_first + places[t] * size, filters + (weights[t] + c) * size
                    for j in range(seen):
                        if Vector is Doubles:
                            meet_doubles(rows, a, row, place, w, weight_row, NULL, 0, sums)
                        elif s == NULL:
                            meet_floats(rows, a, row, place, w, weight_row, NULL, 0, sums)
                        elif s.seen > s.made:
                            meet_picked_of_two(rows, a, row, place, w, weight_row, which, more + j, sums)
                        else:
                            meet_picked(rows, a, row, place, w, weight_row, which, more + j, sums)
                        w += channels * size
                out = made + y * out_row + x * out_place + c * size
                for i in range(4):
                    (<Vector *>out)[0] = sums[2 * i]
                    (<Vector *>(out + out_place))[0] = sums[2 * i + 1]
                    out += out_row
                c += lanes
            x += BESIDE
        y += DOWN


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
    cdef Py_ssize_t order = rows_shared(g)
    if order:
        see_rows[Floats](g, s, order, input, filters, bias, made, NULL)
        return
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
    """Fill the LastTable at `address`."""
    cdef LastTable *table = <LastTable *>address
    table.one[0] = correlate_last_floats
    table.one[1] = correlate_last_doubles
    table.one_weight[0] = weight_last_floats
    table.one_weight[1] = weight_last_doubles
    table.vector = sizeof(Floats)
    table.regroup = regroup
    table.group = group
    table.groups = see_groups
    table.groups_weight = meet_groups
