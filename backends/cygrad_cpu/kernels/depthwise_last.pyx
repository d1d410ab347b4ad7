# distutils: extra_compile_args = -O2 -fpeel-loops -ftree-vectorize -fvect-cost-model=dynamic
"""Convolutions of groups of few channels with few filters, where channels lie side by side; see nn/depthwise_last.pyx.

A vector of channels of several places is summed in registers. Places below one another that see neighbouring rows share
what they read (simd/row_tiles.pxd); others read an element of the filters together.
"""
from cygrad_cpu.nn.depthwise_last cimport Groups, LastTable, LastTaps, Picked
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.simd.parted cimport regroup
from cygrad_cpu.simd.row_tiles cimport (BESIDE, DOWN, MET, PICKS, TALL, meet_doubles, meet_floats, meet_picked,
                                         meet_picked_of_two, see_tall, sees, sums_of_products)
from cygrad_cpu.simd.vectors cimport Doubles, Floats, Vector, factor

cdef enum:
    ABREAST = 8             # positions whose channels see each element of the kernel at the same time
    PAGE = 2048             # rows at multiples of it fall on the same places of the cache


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


# ---- which channels groups see

cdef enum:
    LANES = sizeof(Floats) // sizeof(float)


cdef extern from *:
    int logarithm "__builtin_ctz" (unsigned x) noexcept nogil


cdef inline Py_ssize_t lanes_of(int kind) noexcept nogil:
    return LANES if kind == 0 else LANES // 2


cdef inline Py_ssize_t common(Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """The greatest common divisor."""
    while b:
        a, b = b, a % b
    return a


cdef bint group(Groups *g, Py_ssize_t channels, int kind, Picked *vectors) noexcept nogil:
    cdef Py_ssize_t lanes = lanes_of(kind), most = 4 if TALL else 2, c = 0, i, span
    cdef Picked *found = vectors
    if vectors == NULL:
        span = (lanes - common(lanes, g.made) + g.made - 1) // g.made + 1       # groups that a vector of filters is of
        span = (min(span, channels // g.made) * g.seen + lanes - 1) // lanes
        g.sources = 4 if span > 2 else <int>span
        if TALL and kind == 0 and g.made == 1 and (g.seen == 8 or g.seen == 16) and channels >= lanes:
            g.sources = <int>g.seen
            return True
        return PICKS and (kind == 0 or TALL) and channels >= lanes and span <= most
    while c < channels:
        c = min(c, channels - lanes)
        found.first = max(min(c // g.made * g.seen, g.channels - g.sources * lanes), <Py_ssize_t>0)
        for i in range(lanes):
            span = (c + i) // g.made * g.seen - found.first
            if kind == 0:
                found.which[i] = <int>span
            else:
                (<long long *>found.which)[i] = span
        found += 1
        c += lanes
    g.vectors = vectors
    return True


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
    cdef Py_ssize_t size = sizeof(float), taps = g.count // 3, x, y = 0, c, row = g.step[1] * size
    cdef Py_ssize_t place = g.step[0] * size, weight_row = order * (g.weight[taps] - g.weight[0]) * size
    cdef Py_ssize_t out_row = g.made[1] * size, out_place = g.made[0] * size
    cdef const Py_ssize_t *places = g.seen + (0 if order > 0 else g.count - taps)
    cdef const Py_ssize_t *weights = g.weight + (0 if order > 0 else g.count - taps)
    cdef Floats start = factor[Floats](0, NULL)
    cdef const Picked *v
    while y + 2 * DOWN <= g.positions[1]:
        x = 0
        while x < g.positions[0]:
            x = min(x, g.positions[0] - BESIDE)
            c, v = 0, s.vectors
            while c < g.channels:
                c = min(c, g.channels - LANES)
                if bias != NULL:
                    start = (<const Floats *>(bias + c * size))[0]
                see_tall(input + y * row + x * place + v.first * size, row, place, places, filters + c * size,
                         weight_row, g.channels * size, weights, taps, <const char *>v.which, <int>s.seen,
                         s.sources > 1, &start, made + y * out_row + x * out_place + c * size, out_row, out_place)
                c += LANES
                v += 1
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
    cdef const Picked *v = NULL
    cdef Vector[8] sums
    cdef Vector start
    cdef const char *a
    cdef const char *w
    cdef const char *x_first
    cdef char *out
    cdef int i, j, seen = 1
    if s != NULL:
        seen = <int>s.seen
        if TALL and rows == 3 and row % PAGE:
            y = see_tall_rows(g, s, order, input, filters, bias, made)
    while y < g.positions[1]:
        y = min(y, g.positions[1] - DOWN)
        x = 0
        while x < g.positions[0]:
            x = min(x, g.positions[0] - BESIDE)
            c = 0
            v = s.vectors - 1 if s != NULL else NULL
            while c < channels:
                c = first = min(c, channels - lanes)        # the last channels may be partly those before
                if s != NULL:
                    v += 1
                    first = v.first
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
                        elif s.sources > 1:
                            meet_picked_of_two(rows, a, row, place, w, weight_row, <const char *>v.which, j, sums)
                        else:
                            meet_picked(rows, a, row, place, w, weight_row, <const char *>v.which, j, sums)
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


# ---- groups of few channels

cdef inline void see_groups(const LastTaps *g, const Groups *s, int kind, const char *input, const char *filters,
                            const char *bias, char *made) noexcept nogil:
    """As `see_last`, for each channel of the groups."""
    cdef Py_ssize_t size = 8 if kind else 4, lanes = lanes_of(kind), c = 0, r
    cdef Py_ssize_t order = rows_shared(g) if kind == 0 and s.sources < 4 else 0
    cdef Floats zero = factor[Floats](0, NULL)
    cdef const Picked *v = s.vectors
    if PICKS and order:
        see_rows[Floats](g, s, order, input, filters, bias, made, NULL)
        return
    while PICKS and (kind == 0 or TALL) and c < g.channels:
        c = min(c, g.channels - lanes)
        for r in range(g.positions[1]):
            sees[kind][logarithm(s.sources)](
                input + (r * g.step[1] + v.first) * size, g.step[0] * size, g.positions[0], g.seen, g.weight, g.count,
                filters + c * size * (s.seen if s.sources > 4 else 1), g.channels * size, s.seen,
                <const char *>v.which, bias + c * size if bias != NULL else <const char *>&zero,
                made + (r * g.made[1] + c) * size, g.made[0] * size)
        c += lanes
        v += 1


cdef void meet_picked_lanes(const LastTaps *g, const Groups *s, int kind, const Picked *v, Py_ssize_t c,
                            Py_ssize_t done, Py_ssize_t apart, const char *grad, const char *a,
                            char *out) noexcept nogil:
    cdef Py_ssize_t size = 8 if kind else 4, terms = g.count * s.seen, i = 0, j, q, place
    cdef bint few = terms <= 4
    cdef Py_ssize_t met = 4 if few else MET
    cdef Floats[MET] sums
    cdef Py_ssize_t[MET] seen, grads, more
    cdef Py_ssize_t *counts = [g.positions[0] // apart, g.positions[1]]
    cdef Py_ssize_t *steps = [g.step[0] * size * apart, g.step[1] * size]
    cdef Py_ssize_t *grad_steps = [g.made[0] * size * apart, g.made[1] * size]
    while i < terms:
        for j in range(met):
            q, place = min(i + j, terms - 1), 0
            if few and j < apart * terms:
                q, place = j % terms, j // terms
            seen[j], more[j] = (g.seen[q % g.count] + place * g.step[0]) * size, q // g.count
            grads[j] = place * g.made[0] * size
        sums_of_products[kind][s.sources // 2][few](grad + c * size, grad_steps, a + v.first * size, steps, counts,
                                                    seen, grads, more, <const char *>v.which, sums)
        for j in range(min(met, apart * terms if few else terms - i)):
            q = j % terms if few else i + j
            q = g.weight[q % g.count] + q // g.count * g.channels + c
            if kind == 0:
                add_vector[Floats](sums[j], out + q * size, done)
            else:
                add_vector[Doubles]((<Doubles *>sums)[j], out + q * size, done)
        i += met


cdef inline void meet_groups(const LastTaps *g, const Groups *s, int kind, const char *grad, const char *a,
                             char *out) noexcept nogil:
    """As `meet_last`, for each channel of the groups, of which there are no more than filters."""
    cdef Py_ssize_t size = 8 if kind else 4, lanes = lanes_of(kind), c = 0, done, terms = g.count * s.seen, apart, rest
    cdef LastTaps first = g[0]
    cdef const Picked *v = s.vectors
    apart = 4 // terms if 0 < terms <= 2 else 1     # neighbouring places that are met at the same time
    rest = g.positions[0] % apart
    first.positions[0] -= rest
    while PICKS and (kind == 0 or TALL) and c < g.channels and terms:
        done = max(c + lanes - g.channels, <Py_ssize_t>0)   # channels of the vector that were met before
        c -= done
        meet_picked_lanes(&first, s, kind, v, c, done, apart, grad, a, out)
        if rest:
            first.positions[0] = rest
            meet_picked_lanes(&first, s, kind, v, c, done, 1, grad + (g.positions[0] - rest) * g.made[0] * size,
                              a + (g.positions[0] - rest) * g.step[0] * size, out)
            first.positions[0] = g.positions[0] - rest
        c += lanes
        v += 1


cdef void see_floats(const LastTaps *g, const Groups *s, const char *a, const char *weight, const char *bias,
                     char *out) noexcept nogil:
    see_groups(g, s, 0, a, weight, bias, out)


cdef void see_doubles(const LastTaps *g, const Groups *s, const char *a, const char *weight, const char *bias,
                      char *out) noexcept nogil:
    see_groups(g, s, 1, a, weight, bias, out)


cdef void meet_floats_of_groups(const LastTaps *g, const Groups *s, const char *grad, const char *a,
                                char *out) noexcept nogil:
    meet_groups(g, s, 0, grad, a, out)


cdef void meet_doubles_of_groups(const LastTaps *g, const Groups *s, const char *grad, const char *a,
                                 char *out) noexcept nogil:
    meet_groups(g, s, 1, grad, a, out)


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
    table.groups[0] = see_floats
    table.groups[1] = see_doubles
    table.groups_weight[0] = meet_floats_of_groups
    table.groups_weight[1] = meet_doubles_of_groups
