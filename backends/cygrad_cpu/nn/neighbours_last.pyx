# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10
"""Convolutions of fewer channels than fill a vector, side by side (`channels_last`): neighbouring places become one.

Places that are taken for one (a `wide` place) have as many channels, and the filters are repeated for each. Channels
see one of their own, or all: those of a place are a group of the wide one then, see depthwise_last.pyx, and where more
are seen than made, they are laid out in pieces of as many, one after the other. What a block of
rows sees is laid out with its padding, columns with the same remainder by the stride side by side; so all positions see
alike. Of the gradient of the input with a stride, columns that see alike are made side by side, and put apart after.
"""
from cython.parallel cimport prange
from libc.string cimport memcpy, memset

from cygrad.dtype cimport FLOAT32, INT64, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.nn.depthwise_last cimport Groups, LastTable, LastTaps, Parted, pick_lanes
from cygrad_cpu.nn.few_channels_last cimport FEWEST
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport Temporary, temporary
from cygrad_cpu.simd.element_types cimport Real

cdef enum:
    CACHED = 24000              # bytes of a block's rows, for the level 1 cache
    PAGE = 2048                 # bytes: rows at multiples of it fall on the same places of the cache
    TILE = 8                    # rows of a tile of wide places with groups, of kernels with three rows
    WORTH_VECTOR = 64           # bytes: smaller ones lead to tiles for which it is faster to put channels into rows
    MOST = 8                    # times more channels that are seen than made: others are faster as sums of products
    WORTH_RUN = 4               # positions: fewer wide places make runs across rows

cdef LastTable kernels
install_kernels("depthwise_last", &kernels)

cdef struct Axis:               # rows, or columns
    Py_ssize_t seen             # places in what is read
    Py_ssize_t made             # ... and written
    Py_ssize_t kernel, stride, padding, dilation
    Py_ssize_t phases           # that see other elements of the kernel
    Py_ssize_t before           # zeros before what is seen
    Py_ssize_t reach            # from the first place that a position sees to the last one

cdef struct Plan:
    int kind                    # 0 float32, 1 float64
    Py_ssize_t itemsize, images
    bint single                 # channels see one of their own
    bint turned                 # what is made is the gradient of what a convolution sees
    Py_ssize_t seen, made       # channels of a place; those seen are read together
    Py_ssize_t pieces           # of what a place has, which are as many
    Py_ssize_t unit             # channels that stay side by side when the pieces are laid out
    Py_ssize_t wide             # places that are taken for one
    Groups groups               # of a wide place
    Axis[2] axes
    Py_ssize_t parts, part      # of a row that is laid out, and places of a part
    Py_ssize_t line             # numbers of such a row
    Py_ssize_t width            # places of a row that see alike
    Py_ssize_t row              # numbers of the filters, or of their gradient's sums, for an element of the kernel
    Py_ssize_t rows, blocks     # rows of a block, and blocks of an image
    Py_ssize_t plane, sorted    # bytes of what a block sees, and of what it makes where that is put apart after
    const Py_ssize_t *first     # by phase: its first tap, in the lists, and how many rows of the kernel it sees
    const Py_ssize_t *taps


cdef inline Py_ssize_t lanes_of(int kind) noexcept nogil:
    return kernels.vector // (4 if kind == 0 else 8)


cdef Py_ssize_t wide_place(Groups *g, int groups, Py_ssize_t seen, Py_ssize_t made, int kind) noexcept:
    """How many places have channels that fill vectors; 0 where that is not done. `g.seen`: how many channels of a group
    are read together."""
    cdef Py_ssize_t lanes = lanes_of(kind), places = 1
    cdef bint single = groups == seen == made and groups > 1
    seen, made = seen // groups, made // groups
    g.seen, g.made = min(seen, made), made
    while seen % g.seen:
        g.seen -= 1
    if g.seen == 1:                     # pieces of one channel are too small to be put anywhere
        g.seen = seen
    while groups * made * places % lanes or not single and groups * g.seen * places % lanes:
        places *= 2
        if places > lanes:
            return 0
    g.channels = groups * g.seen * places
    return places if single or (made <= FEWEST and kernels.group(g, groups * made * places, kind, NULL)
                                and g.sources <= 4 and g.channels >= g.sources * lanes) else 0


cdef bint few_beside(int groups, Py_ssize_t seen, Py_ssize_t made, Py_ssize_t height, Py_ssize_t width, int kind,
                     const Py_ssize_t *kernel, tuple stride, tuple dilation, bint turned, bint weight) except -1:
    """Whether convolutions (their gradients: `turned`) from so many channels to so many, which are made for `height`
    rows of `width` places, or the gradients of their weights, are done here."""
    cdef Groups g
    cdef Py_ssize_t lanes = lanes_of(kind), wide
    width //= <Py_ssize_t>stride[1] if turned else 1
    if groups > 1 and groups == seen == made:
        return groups < lanes and width * groups >= lanes + groups - 1
    if (kind or weight or kernels.vector < WORTH_VECTOR or kernel[0] != 3 or height < TILE or stride[0] != 1
            or stride[1] != 1 or dilation[0] != 1):
        return False
    wide = wide_place(&g, groups, seen, made, kind)
    return wide and (groups > 1 or g.seen > 1 < made) and seen <= MOST * made and width >= 2 * wide


cdef void measure(Plan *p, View seen, View made, const Py_ssize_t *kernel, tuple stride, tuple padding, tuple dilation,
                  bint turned, int threads) except *:
    cdef Axis *g
    cdef int i
    cdef Py_ssize_t pixels, step
    for i in range(2):
        g = &p.axes[i]
        g.seen, g.made, g.kernel = seen.sizes[i + 1], made.sizes[i + 1], kernel[i]
        g.stride, g.padding, g.dilation = stride[i], padding[i], dilation[i]
        g.reach, g.phases, g.before = (g.kernel - 1) * g.dilation, 1, g.padding
        if turned:
            g.before = max(g.reach - g.padding, <Py_ssize_t>0) // g.stride
            g.phases = g.stride
            g.reach = (g.stride - 1 + g.padding) // g.stride + g.before
    step = p.axes[1].phases
    p.parts = p.pieces if turned else p.axes[1].stride * p.pieces
    p.width = (p.axes[1].made + step - 1) // step
    p.part = p.width + p.axes[1].reach // (p.parts // p.pieces)
    if p.parts * p.part * p.seen * p.itemsize % PAGE == 0:
        p.part += 1
    p.line = p.parts * p.part * p.seen
    step = 1 if turned else p.axes[0].stride
    pixels = p.line * step * p.itemsize // p.axes[0].phases
    p.rows = min(p.axes[0].made, max(CACHED // max(pixels, <Py_ssize_t>1), <Py_ssize_t>TILE))
    if p.images * ((p.axes[0].made + p.rows - 1) // p.rows) < threads:
        p.rows = max(<Py_ssize_t>1, p.images * p.axes[0].made // threads)
    p.blocks = (p.axes[0].made + p.rows - 1) // p.rows
    p.rows = (p.axes[0].made + p.blocks - 1) // p.blocks
    if p.rows > TILE and not p.single:
        p.rows = (p.rows + TILE - 1) // TILE * TILE
    p.rows = (p.rows + p.axes[0].phases - 1) // p.axes[0].phases * p.axes[0].phases
    p.plane = (rows_seen(p, p.rows) * p.line * p.itemsize + 63) // 64 * 64
    p.sorted = p.rows * p.axes[1].phases * p.width * p.made * p.itemsize if p.axes[1].phases > 1 else 0


cdef inline Py_ssize_t rows_seen(const Plan *p, Py_ssize_t rows) noexcept nogil:
    cdef const Axis *g = &p.axes[0]
    return ((rows - 1) // g.stride if p.turned else (rows - 1) * g.stride) + g.reach + 1


cdef inline Py_ssize_t place_of(const Axis *g, Py_ssize_t phase, Py_ssize_t i, bint turned) noexcept:
    """Where the first position of a phase sees an element of the kernel; below 0: nowhere."""
    cdef Py_ssize_t distance = phase + g.padding - i * g.dilation
    if not turned:
        return i * g.dilation
    return distance // g.stride + g.before if distance % g.stride == 0 else -1


cdef Temporary list_taps(View like, Plan *p):
    """For each phase of rows and of columns its elements of the kernel: where they are seen, and their filters."""
    cdef const Axis *y = &p.axes[0]
    cdef const Axis *x = &p.axes[1]
    cdef Py_ssize_t phases = y.phases * x.phases, taps = y.kernel * x.kernel * p.pieces, n = 0, i, r, s, down, across
    cdef Py_ssize_t found
    cdef Temporary made = temporary(like.memory.backend, dtype_of(INT64), 1, [2 * phases + 1 + 2 * taps])
    cdef Py_ssize_t *first = <Py_ssize_t *>data(made.view)
    cdef Py_ssize_t *tap = first + 2 * phases + 1
    p.first, p.taps = first, tap
    for i in range(phases):
        first[0], first[1] = n, 0
        for r in range(y.kernel):
            down, found = place_of(y, i // x.phases, r, p.turned), n
            for s in range(x.kernel * p.pieces):
                across = place_of(x, i % x.phases, s // p.pieces, p.turned)
                if down >= 0 and across >= 0:
                    across = across * p.pieces + s % p.pieces
                    tap[n] = down * p.line + (across % p.parts * p.part + across // p.parts) * p.seen
                    tap[taps + n] = (r * x.kernel * p.pieces + s) * (p.row // p.pieces)
                    n += 1
            first[1] += n > found
        first += 2
    first[0] = n
    return made


cdef inline void do_run(const Plan *p, LastTaps *g, const char *a, char *made, const char *weight, const char *bias,
                        char *sums) noexcept nogil:
    cdef bint shared = g.rows > 1 and g.positions[0] > 1 and g.positions[1] >= WORTH_RUN and (
        g.seen[g.count // g.rows] - g.seen[0] in (g.step[1], -g.step[1]))
    if not shared and g.positions[1] >= WORTH_RUN and g.positions[0] % WORTH_RUN:       # make columns runs
        g.positions = [g.positions[1], g.positions[0]]
        g.step, g.made = [g.step[1], g.step[0]], [g.made[1], g.made[0]]
    if sums != NULL:
        kernels.one_weight[p.kind](g, made, a, sums)
    elif p.single:
        kernels.one[p.kind](g, a, weight, bias, made)
    else:
        kernels.groups[p.kind](g, &p.groups, a, weight, bias, made)


cdef void do_rows(const Plan *p, LastTaps *g, Py_ssize_t rows, Py_ssize_t seen_row, Py_ssize_t made_row, const char *a,
                  char *made, const char *weight, const char *bias, char *sums) noexcept nogil:
    """Rows that see alike. Those places at the end that make no wide one are made with some before them again, or their
    sums are."""
    cdef Py_ssize_t lanes = lanes_of(p.kind), whole = p.width // p.wide, rest = p.width % p.wide, numbers
    g.channels = p.wide * p.made
    if whole:
        g.positions, g.step, g.made = [whole, rows], [p.wide * p.seen, seen_row], [p.wide * p.made, made_row]
        do_run(p, g, a, made, weight, bias, sums)
    if rest == 0:
        return
    if sums != NULL and rest * p.made < lanes:
        numbers = lanes
        sums += g.channels * p.itemsize
    elif p.single:
        numbers = max(rest, (lanes + p.made - 1) // p.made) * p.made
    else:
        numbers = g.channels
    g.channels, g.positions, g.step, g.made = numbers, [1, rows], [0, seen_row], [0, made_row]
    numbers = p.width * p.made - numbers
    a += (numbers if p.single else numbers // p.made * p.seen) * p.itemsize
    do_run(p, g, a, made + numbers * p.itemsize, weight, bias, sums)


cdef void lay_out(const Plan *p, const char *image, Py_ssize_t row, Py_ssize_t rows, char *room) noexcept nogil:
    """What lies beside the image was cleared at first."""
    cdef const Axis *x = &p.axes[1]
    cdef Py_ssize_t line = p.line * p.itemsize, before = min(max(-row, <Py_ssize_t>0), rows), i
    cdef Py_ssize_t units = p.seen // p.unit                # of a place in a part
    cdef Parted g
    g.back, g.lines, g.unit = False, min(rows, p.axes[0].seen - row) - before, p.unit * p.itemsize
    g.line, g.parted, g.first = x.seen * p.pieces * units * g.unit, line, x.before * p.pieces * units
    g.parts, g.part = p.parts, p.part * units
    g.places = min(x.seen * p.pieces * units, g.parts * g.part - g.first)
    if g.lines > 0 and g.places > 0:
        kernels.regroup(&g, image + (row + before) * g.line, room + before * line)
    for i in range(rows):
        if not 0 <= row + i < p.axes[0].seen:
            memset(room + i * line, 0, line)


cdef void do_block(const Plan *p, Py_ssize_t index, const char *a, const char *weight, const char *bias, char *out,
                   char *sums, char *room) noexcept nogil:
    """Make the rows of a block or, where `sums` is given, add what they give to the gradient of the weights: `out` is
    that of the rows then."""
    cdef const Axis *y = &p.axes[0]
    cdef const Axis *x = &p.axes[1]
    cdef Py_ssize_t image = index // p.blocks, row = index % p.blocks * p.rows, rows = min(p.rows, y.made - row), i, j
    cdef Py_ssize_t unit = p.made * p.itemsize, across = p.width * (x.phases if p.sorted else 1) * p.made, count
    cdef Py_ssize_t step = 1 if p.turned else y.stride, taps = y.kernel * x.kernel * p.pieces
    cdef char *made
    cdef LastTaps g
    cdef Parted columns
    if rows <= 0:
        return
    out += (image * y.made + row) * x.made * unit
    made = room + p.plane if p.sorted else out
    lay_out(p, a + image * y.seen * x.seen * p.pieces * p.seen * p.itemsize,
            (row // y.stride if p.turned else row * y.stride) - y.before, rows_seen(p, rows), room)
    for i in range(y.phases * x.phases):
        g.seen, g.weight = p.taps + p.first[2 * i], p.taps + taps + p.first[2 * i]
        g.count, g.rows = p.first[2 * i + 2] - p.first[2 * i], p.first[2 * i + 1]
        j = i // x.phases
        count = (rows - j + y.phases - 1) // y.phases
        if count > 0:
            do_rows(p, &g, count, step * p.line, y.phases * across, room,
                    made + (j * across + i % x.phases * p.width * p.made) * p.itemsize, weight, bias, sums)
    if p.sorted:
        columns.back, columns.lines, columns.line, columns.parted = True, rows, x.made * unit, across * p.itemsize
        columns.places, columns.first, columns.parts, columns.part = x.made, 0, x.phases, p.width
        columns.unit = unit
        kernels.regroup(&columns, made, out)


cdef Temporary repeated(View a, Py_ssize_t rows, const Plan *p):
    """Rows of the filters or the bias for each of the places that are taken for one."""
    cdef Py_ssize_t line = p.made * p.itemsize, i
    cdef Temporary made = temporary(a.memory.backend, a.dtype, 2, [rows, p.wide * p.made])
    for i in range(rows * p.wide):
        memcpy(data(made.view) + i * line, data(a) + i // p.wide * line, line)
    return made


cdef void add_places(const Plan *p, const Real *a, Real *out) noexcept nogil:
    """The sums of all places, and those of what is left of rows, to the gradient."""
    cdef Py_ssize_t lanes = lanes_of(p.kind), filled = p.wide * p.made, rest = p.width % p.wide * p.made, i, j
    for i in range(p.axes[0].kernel * p.axes[1].kernel):
        for j in range(filled):
            out[j % p.made] += a[j]
        for j in range(rest if rest < lanes else 0):
            out[j % p.made] += a[filled + lanes - rest + j]
        a += p.row
        out += p.made


cdef int neighbours_last(View seen, View w, View b, tuple stride, tuple padding, tuple dilation, int groups,
                         bint turned, View made, View sums, int threads) except -1:
    """`seen` and `made` are (N, H, W, C), w (R, S, C of seen / groups, C of made), all dense. `sums`: None, or what
    each thread adds what it finds to, (threads, R, S, 1, C)."""
    cdef Plan p
    cdef Temporary filters, biases, places, room, _taps, _vectors
    cdef const Py_ssize_t *kernel = w.sizes if w is not None else sums.sizes + 1
    cdef Py_ssize_t taps = kernel[0] * kernel[1], i, size, count, step = 0
    cdef const char *weight = NULL
    cdef const char *bias = NULL
    cdef char *added = NULL
    cdef int t
    p.kind, p.itemsize, p.images = made.dtype.code - FLOAT32, made.dtype.itemsize, made.sizes[0]
    p.turned, p.seen, p.made = turned, seen.sizes[3], made.sizes[3]
    p.single = groups == p.seen == p.made and groups > 1
    p.wide = wide_place(&p.groups, groups, p.seen, p.made, p.kind)
    if not p.single:
        _vectors = pick_lanes(made, &p.groups, p.wide * p.made, p.kind)
    p.pieces = p.seen // (groups * p.groups.seen)
    p.row = p.wide * p.made * (p.seen // groups) + (0 if sums is None else lanes_of(p.kind))
    p.seen = groups * p.groups.seen
    p.unit = p.seen if p.single or p.pieces == 1 else p.groups.seen
    measure(&p, seen, made, kernel, stride, padding, dilation, turned, threads)
    _taps = list_taps(made, &p)
    if w is not None:
        filters = repeated(w, taps * w.sizes[2], &p)
        weight = data(filters.view)
    if b is not None:
        biases = repeated(b, 1, &p)
        bias = data(biases.view)
    if sums is not None:
        places = temporary(made.memory.backend, made.dtype, 2, [threads, taps * p.row])
        added, step = data(places.view), taps * p.row * p.itemsize
        memset(added, 0, threads * step)
    size = (p.plane + p.sorted + 127) // 64 * 64
    room = temporary(made.memory.backend, made.dtype, 2, [threads, size // p.itemsize])
    count = p.images * p.blocks
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            memset(data(room.view) + t * size, 0, p.plane)
            for i in range(count * t // threads, count * (t + 1) // threads):
                do_block(&p, i, data(seen), weight, bias, data(made), added + t * step if added != NULL else NULL,
                         data(room.view) + t * size)
    for i in range(threads if added != NULL else 0):
        if p.kind == 0:
            add_places(&p, <float *>(added + i * step), <float *>data(sums) + i * sums.strides[0])
        else:
            add_places(&p, <double *>(added + i * step), <double *>data(sums) + i * sums.strides[0])
    return 0
