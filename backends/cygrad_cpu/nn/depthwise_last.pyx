# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10
"""Convolutions of groups of few channels, where channels lie side by side (`channels_last`).

Positions of a row that see the same elements of the kernel make a run: all of them but those at the sides or, for the
gradient of the input with a stride, those with the same remainder. Those at the sides make runs across rows. What a run
sees is a list of distances, from which what lies beyond the image is left out; so nothing is padded, copied or turned.

kernels/depthwise_last.pyx sums the products for as many filters as fill a vector: each meets the channels of its group
one after the other, which are picked from the vectors where they lie. Of one channel and one filter, vectors meet
vectors. Of 1x1 filters, places are taken for one whose channels fill vectors, even without groups: those of each place
are groups of the wide one then, and the filters are repeated. Places at the end that make no wide one are copied.
"""
from cython.parallel cimport prange
from libc.string cimport memcpy, memset

from cygrad.dtype cimport FLOAT32, INT64, dtype_of
from cygrad.view cimport View, data, make_view
from cygrad_cpu.nn.few_channels_last cimport FEWEST, time_of
from cygrad_cpu.nn.neighbours_last cimport few_beside, neighbours_last
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport Temporary, copy_views, temporary
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.simd.element_types cimport Real

cdef extern from *:
    void fetch "__builtin_prefetch" (const void *address) noexcept nogil

cdef enum:
    GRAIN = 250000              # multiplications that a thread should at least get
    TOGETHER = 16               # rows of which those at the sides make runs across rows
    NEAR = 20000                # bytes that positions should see before the next row's do, for the level 1 cache
    WORTH_RUN = 4               # positions: fewer columns make runs across rows, where there are as many
    CACHED = 24000              # bytes of the places that all 1x1 filters see before the next ones
    SUMMED = 100000             # ... or that are met for the sums of their gradients
    MANY = 512                  # bytes of a place which takes so long to come back to that it is asked for before

cdef LastTable kernels
install_kernels("depthwise_last", &kernels)

cdef struct Axis:               # rows, or columns
    Py_ssize_t seen             # places in what is read
    Py_ssize_t made             # ... and written
    Py_ssize_t kernel, stride, padding, dilation
    bint turned                 # what is made is the gradient of what a convolution sees

cdef struct Run:                # of columns that are made: `first`, and `count` in all, at equal distances
    Py_ssize_t first, count
    Py_ssize_t taps             # elements of a row of the kernel that they see: which ones, and where the first does
    Py_ssize_t *tap
    Py_ssize_t *seen

cdef struct Plan:
    int kind                    # 0 float32, 1 float64
    Py_ssize_t itemsize, images
    Py_ssize_t channels         # that are made
    Groups groups
    bint single                 # they have one channel and one filter each
    Py_ssize_t row              # numbers of the filters, or of their gradient's sums, for an element of the kernel
    Py_ssize_t near             # columns that are made of several rows, before the next ones
    Axis[2] axes
    Run *runs
    Py_ssize_t count            # of runs
    Py_ssize_t room             # numbers that a thread needs for its lists


cdef inline Py_ssize_t taps_of(const Axis *g, Py_ssize_t place, Py_ssize_t *tap, Py_ssize_t *seen) noexcept nogil:
    """Which elements of the kernel see something from a place, and where; returns how many.

    They are at equal distances: the first one and their number say which they are."""
    cdef Py_ssize_t i, at, n = 0
    for i in range(g.kernel):
        if g.turned:
            at = place + g.padding - i * g.dilation
            if at % g.stride:
                continue
            at //= g.stride
        else:
            at = place * g.stride - g.padding + i * g.dilation
        if 0 <= at < g.seen:
            tap[n], seen[n] = i, at
            n += 1
    return n


cdef bint sees_itself(const Py_ssize_t *seen, const Py_ssize_t *made, const Py_ssize_t *kernel,
                      tuple stride) except -1:
    """Whether each place, of rows and columns, sees but itself."""
    return (kernel[0] * kernel[1] == 1 and seen[0] == made[0] and seen[1] == made[1] and <Py_ssize_t>stride[0] == 1
            and <Py_ssize_t>stride[1] == 1)


cdef bint few_of_group(int groups, View seen, View made, int kind, const Py_ssize_t *kernel, tuple stride,
                       tuple dilation, bint turned, bint weight) except -1:
    """Whether convolutions (their gradients: `turned`) from the channels of `seen` to those of `made`, or the gradients
    of their weights, are done here."""
    cdef Groups g
    cdef Py_ssize_t few = FEWEST if kind == 0 else FEWEST // 2, lanes = kernels.vector // (4 if kind == 0 else 8)
    g.seen, g.made, g.channels = seen.sizes[1] // groups, made.sizes[1] // groups, seen.sizes[1]
    if (groups == 1 or g.seen * g.made > 1) and sees_itself(seen.sizes + 2, made.sizes + 2, kernel, stride):
        return alike(groups, seen.sizes[1], made.sizes[1], kind, weight)
    if few_beside(groups, g.channels, made.sizes[1], made.sizes[2], made.sizes[3], kind, kernel, stride, dilation,
                  turned, weight):
        return True
    if groups > 1 and g.seen == 1 and g.made == 1:
        return groups >= lanes
    if (groups == 1 or max(g.seen, g.made) + kind > few and min(g.seen, g.made) >= few
            or not kernels.group(&g, max(made.sizes[1], lanes) if weight else made.sizes[1], kind, NULL)
            or g.sources > 4 or not weight and g.channels < g.sources * lanes):
        return False
    if weight:
        return g.seen <= g.made and g.seen < few
    return (turned or min(g.seen, g.made) < few or kernel[0] < 3
            or <Py_ssize_t>stride[0] == <Py_ssize_t>dilation[0])


cdef Temporary pick_lanes(View like, Groups *g, Py_ssize_t channels, int kind):
    """What each vector of so many filters sees."""
    cdef Py_ssize_t lanes = kernels.vector // (4 if kind == 0 else 8)
    cdef Temporary made = temporary(like.memory.backend, dtype_of(INT64), 2,
                                    [(channels + lanes - 1) // lanes, sizeof(Picked) // 8])
    kernels.group(g, channels, kind, NULL)
    kernels.group(g, channels, kind, <Picked *>data(made.view))
    return made


cdef Temporary plan(Plan *p, View seen, View made, const Py_ssize_t *kernel, tuple stride, tuple padding,
                    tuple dilation, bint turned):
    """The runs of a row; seen and made are (N, H, W, C), and `p` has the channels of a group."""
    cdef Py_ssize_t i, x, n, step = stride[1] if turned else 1, width = made.sizes[2], all_taps = 0
    cdef Temporary room
    cdef Py_ssize_t *place
    cdef Run *run
    p.kind, p.itemsize = made.dtype.code - FLOAT32, made.dtype.itemsize
    p.images, p.channels = made.sizes[0], made.sizes[3]
    p.groups.channels = seen.sizes[3]
    p.single = p.groups.seen * p.groups.made == 1
    p.near = (NEAR - kernel[0] * kernel[1] * p.groups.seen * p.channels * p.itemsize) // p.itemsize
    p.near = max(p.near // (kernel[0] * p.groups.channels) // 8 * 8, <Py_ssize_t>8)
    p.row = p.groups.seen * p.channels
    for i in range(2):
        p.axes[i].seen, p.axes[i].made, p.axes[i].kernel = seen.sizes[i + 1], made.sizes[i + 1], kernel[i]
        p.axes[i].stride, p.axes[i].padding, p.axes[i].dilation = stride[i], padding[i], dilation[i]
        p.axes[i].turned = turned
    room = temporary(made.memory.backend, dtype_of(INT64), 2, [width, sizeof(Run) // 8 + 2 * kernel[1]])
    p.runs = <Run *>data(room.view)
    place = <Py_ssize_t *>(p.runs + width)
    run = p.runs - 1
    for i in range(min(step, width)):
        for x in range(i, width, step):
            n = taps_of(&p.axes[1], x, place, place + kernel[1])
            if x > i and n == run.taps and (n == 0 or place[0] == run.tap[0]):
                run.count += 1
                continue
            run += 1
            run.first, run.count, run.taps, run.tap, run.seen = x, 1, n, place, place + kernel[1]
            place += 2 * kernel[1]
            all_taps += n
    p.count = run + 1 - p.runs
    p.room = 2 * kernel[0] * (1 + all_taps)
    return room


cdef void list_taps(const Plan *p, const Py_ssize_t *tap, const Py_ssize_t *seen, Py_ssize_t n,
                    Py_ssize_t *lists) noexcept nogil:
    """For each run what a row sees, of which `n` rows of the kernel see something."""
    cdef const Run *run
    cdef Py_ssize_t i, r, s
    for i in range(p.count):
        run = p.runs + i
        for r in range(n):
            for s in range(run.taps):
                lists[0] = ((seen[r] - seen[0]) * p.axes[1].seen + run.seen[s] - run.seen[0]) * p.groups.channels
                lists[n * run.taps] = (tap[r] * p.axes[1].kernel + run.tap[s]) * p.row
                lists += 1
        lists += n * run.taps


cdef Py_ssize_t rows_alike(const Plan *p, Py_ssize_t row, Py_ssize_t last, Py_ssize_t n, Py_ssize_t first_tap,
                           Py_ssize_t *tap, Py_ssize_t *seen) noexcept nogil:
    """How many rows of an image from `row` on see the same elements of the kernel."""
    cdef Py_ssize_t found = 1, most = min(last - row, p.axes[0].made - row % p.axes[0].made)
    if most > 2 * TOGETHER:
        most = TOGETHER
    while found < most and taps_of(&p.axes[0], (row + found) % p.axes[0].made, tap, seen) == n and (
            n == 0 or tap[0] == first_tap):
        found += 1
    return found


cdef inline void turn(LastTaps *g, Py_ssize_t columns) noexcept nogil:
    """Make the columns runs."""
    g.positions = [g.positions[1], columns]
    g.step, g.made = [g.step[1], g.step[0]], [g.made[1], g.made[0]]


cdef inline void do_runs(const Plan *p, const LastTaps *g, const char *a, char *made, const char *weight,
                         const char *bias, char *sums) noexcept nogil:
    if sums != NULL and p.single:
        kernels.one_weight[p.kind](g, made, a, sums)
    elif sums != NULL:
        kernels.groups_weight[p.kind](g, &p.groups, made, a, sums)
    elif p.single:
        kernels.one[p.kind](g, a, weight, bias, made)
    else:
        kernels.groups[p.kind](g, &p.groups, a, weight, bias, made)


cdef void do_rows(const Plan *p, Py_ssize_t first, Py_ssize_t last, const char *a, const char *weight, const char *bias,
                  char *out, char *sums, Py_ssize_t *room) noexcept nogil:
    """Make rows `first` to `last` of all images or, where `sums` is given, add what they give to the gradient of the
    weights: `out` is that of the rows then."""
    cdef Py_ssize_t pixel = p.channels * p.itemsize, seen_pixel = p.groups.channels * p.itemsize
    cdef Py_ssize_t line = p.axes[1].seen * seen_pixel, i, j, n, held = -1, held_first = -1
    cdef Py_ssize_t *tap = room
    cdef Py_ssize_t *seen = room + p.axes[0].kernel
    cdef Py_ssize_t *lists = seen + p.axes[0].kernel
    cdef const Run *run
    cdef const char *x
    cdef const char *image
    cdef char *made
    cdef LastTaps g
    cdef Py_ssize_t step = (1 if p.axes[1].turned else p.axes[1].stride) * p.groups.channels
    cdef Py_ssize_t made_step = (p.axes[1].stride if p.axes[1].turned else 1) * p.channels
    cdef Py_ssize_t row_step = (1 if p.axes[0].turned else p.axes[0].stride) * line // p.itemsize
    g.channels = p.channels
    cdef Py_ssize_t together, column
    i = first
    while i < last:
        n = taps_of(&p.axes[0], i % p.axes[0].made, tap, seen)
        if n != held or n and tap[0] != held_first:
            list_taps(p, tap, seen, n, lists)
            held, held_first = n, tap[0]
        image = a + (i // p.axes[0].made * p.axes[0].seen + (seen[0] if n else 0)) * line
        made = out + i * p.axes[1].made * pixel
        together = rows_alike(p, i, last, n, held_first, tap, seen)
        g.seen = lists
        for j in range(p.count):
            run = p.runs + j
            g.count, g.rows = n * run.taps, n
            g.weight = g.seen + g.count
            x = image + (run.seen[0] if run.taps else 0) * seen_pixel
            g.step, g.made = [step, row_step], [made_step, p.axes[1].made * p.channels]
            g.positions[1] = together
            if run.count < WORTH_RUN <= together:
                turn(&g, run.count)
                do_runs(p, &g, x, made + run.first * pixel, weight, bias, sums)
            else:
                column = 0
                while column < run.count:
                    g.positions[0] = min(p.near, run.count - column)
                    do_runs(p, &g, x + column * step * p.itemsize,
                            made + run.first * pixel + column * made_step * p.itemsize, weight, bias, sums)
                    column += p.near
            g.seen = g.weight + g.count
        i += together


cdef int run_all(Plan *p, View a, View w, View b, View out, View sums, int threads) except -1:
    """`sums` are (threads, R, S, channels of a group, C), or None."""
    cdef Temporary lists = temporary(a.memory.backend, dtype_of(INT64), 2, [threads, p.room])
    if sums is None and p.axes[0].kernel > 1 and p.axes[0].stride == p.axes[0].dilation:
        p.near = p.axes[1].made                 # rows share what they see
    cdef Py_ssize_t rows = p.images * p.axes[0].made, size = sums.strides[0] * p.itemsize if sums is not None else 0
    cdef const char *weight = data(w) if w is not None else NULL
    cdef const char *bias = data(b) if b is not None else NULL
    cdef char *added = data(sums) if sums is not None else NULL
    cdef int t
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            do_rows(p, rows * t // threads, rows * (t + 1) // threads, data(a), weight, bias, data(out),
                    added + t * size if added != NULL else NULL, <Py_ssize_t *>data(lists.view) + t * p.room)
    return 0


# ---- 1x1 filters: all places are one run, and as many as have whole vectors of channels are taken for one

cdef struct Places:             # where each sees but itself
    int kind
    Py_ssize_t itemsize
    Py_ssize_t seen, made       # channels of a wide place
    Py_ssize_t count            # of wide places
    Py_ssize_t copied           # ... of those that are copied: vectors that are read there go beyond the end
    Py_ssize_t rest             # bytes of what these see
    Py_ssize_t made_rest
    Py_ssize_t blocks, block    # and wide places of one
    Py_ssize_t room             # bytes for what the copied ones see; then comes what they make
    Groups groups


cdef Py_ssize_t wide_place(Groups *g, int groups, Py_ssize_t seen, Py_ssize_t made, int kind) noexcept:
    """How many places are taken for one, 0 where that can't be done."""
    cdef Py_ssize_t lanes = kernels.vector // (4 if kind == 0 else 8), places = 1
    while made * places % lanes and places < lanes:
        places *= 2
    g.seen, g.made, g.channels = seen // groups, made // groups, seen * places
    return places if kernels.group(g, made * places, kind, NULL) else 0


cdef bint alike(int groups, Py_ssize_t seen, Py_ssize_t made, int kind, bint weight) noexcept:
    """Whether it is faster than products of matrices are: measured on Zen 4. In half cycles, a product of picked lanes
    takes 8 / 3, of those of four vectors 16 / 3."""
    cdef Groups g
    cdef Py_ssize_t lanes = kernels.vector // (4 if kind == 0 else 8)
    if weight and seen > made:
        seen, made = made, seen
    if wide_place(&g, groups, seen, made, kind) == 0:
        return False
    if weight:
        if g.sources > 4:
            return False
        if g.seen <= 2:
            return groups > 1 or g.made <= (lanes if g.seen == 1 else lanes // 2)
        return g.sources <= 2 and g.seen <= lanes // 2 and g.made < (lanes if groups > 1 else lanes // 2 + 1)
    if groups == 1 and kind == 0 and 1 < made <= 8 and made % 8 < 5 and seen % 4 == 0 and g.sources > 1 + (made == 4):
        return False                    # `weigh_few` of kernels/depthwise.pyx
    if g.sources > 4:
        return groups > 1 or seen == 8
    if groups == 1 and seen == 1 and made > 2 * lanes:
        return False                    # many sums of one product: they are written as fast as they can be
    return g.made * g.seen * (16 if g.sources > 2 else 8) < 3 * lanes * (time_of(g.made, lanes, g.seen) + 10)


cdef void add_places(const Real *a, Py_ssize_t rows, Py_ssize_t made, Py_ssize_t wide, Real *out) noexcept nogil:
    """Rows (wide places, channels) summed over the places."""
    cdef Py_ssize_t i, j
    for i in range(rows):
        for j in range(wide * made):
            out[i * made + j % made] += a[i * wide * made + j]


cdef void do_places(const Places *p, Py_ssize_t index, const char *a, const char *weight, const char *bias, char *out,
                   char *sums, char *room) noexcept nogil:
    cdef Py_ssize_t first = min(index * p.block, p.count), zero = 0, i
    cdef Py_ssize_t seen = p.seen * p.itemsize, made = p.made * p.itemsize
    cdef LastTaps g
    cdef char *to = out + first * made
    a += first * seen
    g.count, g.rows, g.seen, g.weight, g.channels = 1, 1, &zero, &zero, p.made
    g.positions, g.step, g.made = [min(p.block, p.count - first), 1], [p.seen, 0], [p.made, 0]
    if index == p.blocks:
        memset(room, 0, p.room + p.copied * made)
        memcpy(room, a, p.rest)
        if sums != NULL:
            memcpy(room + p.room, to, p.made_rest)
        a, to, g.positions[0] = room, room + p.room, p.copied
    for i in range(0, g.positions[0] * seen if seen >= MANY else 0, 64):
        fetch(a + i)
    for i in range(0, g.positions[0] * made if made >= MANY and sums != NULL else 0, 64):
        fetch(to + i)
    if sums != NULL:
        kernels.groups_weight[p.kind](&g, &p.groups, to, a, sums)
        return
    kernels.groups[p.kind](&g, &p.groups, a, weight, bias, to)
    if index == p.blocks:
        memcpy(out + first * made, to, p.made_rest)


cdef int places_last(View seen, View w, View b, int groups, View made, View sums, int threads) except -1:
    """`seen` and `made` are (N, H, W, C), w (1, 1, C of seen / groups, C of made), all dense. `sums`: None, or what
    each thread adds what it finds to, (threads, 1, 1, C of a group of fewer channels, C of the other)."""
    cdef Places p
    cdef Temporary filters, added, room, _vectors
    cdef Py_ssize_t channels = seen.sizes[3], made_channels = made.sizes[3], n, wide, line, i, step = 0
    cdef const char *weight = NULL
    cdef const char *bias = NULL
    cdef char *found = NULL
    cdef int t
    p.kind, p.itemsize = made.dtype.code - FLOAT32, made.dtype.itemsize
    wide = wide_place(&p.groups, groups, channels, made_channels, p.kind)
    p.seen, p.made = wide * channels, wide * made_channels
    _vectors = pick_lanes(made, &p.groups, p.made, p.kind)
    n = made.elements // made_channels
    p.room = max(p.seen, <Py_ssize_t>p.groups.sources * kernels.vector // p.itemsize)   # numbers that are read
    p.count = max(n * channels - p.room + p.seen, <Py_ssize_t>0) // p.seen
    n -= p.count * wide
    p.copied = (n + wide - 1) // wide
    p.room = (p.copied * p.seen + p.room) * p.itemsize
    p.rest, p.made_rest = n * channels * p.itemsize, n * made_channels * p.itemsize
    p.block = max((CACHED if sums is None else SUMMED) // ((p.seen + p.made) * p.itemsize), <Py_ssize_t>16)
    p.block = max(min(p.block, p.count // threads), <Py_ssize_t>1)
    p.blocks = (p.count + p.block - 1) // p.block
    line = made_channels * p.itemsize
    if w is not None:
        filters = temporary(made.memory.backend, made.dtype, 2, [p.groups.seen + 1, p.made])
        for i in range((p.groups.seen + (b is not None)) * wide):
            memcpy(data(filters.view) + i * line,
                   data(w) + i // wide * line if i // wide < p.groups.seen else data(b), line)
        for i in range(p.groups.seen * p.made if p.groups.sources > 4 else 0):      # those of a filter side by side
            (<float *>data(filters.view))[i] = (<const float *>data(w))[
                i % p.groups.seen * made_channels + i // p.groups.seen % made_channels]
        weight = data(filters.view)
        bias = weight + p.groups.seen * wide * line if b is not None else NULL
    else:
        added = temporary(made.memory.backend, made.dtype, 2, [threads, p.groups.seen * p.made])
        found, step = data(added.view), p.groups.seen * p.made * p.itemsize
        memset(found, 0, threads * step)
    room = temporary(made.memory.backend, made.dtype, 1, [p.room // p.itemsize + p.copied * p.made])
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(p.blocks * t // threads, p.blocks * (t + 1) // threads):
                do_places(&p, i, data(seen), weight, bias, data(made),
                          found + t * step if found != NULL else NULL, NULL)
        if n:
            do_places(&p, p.blocks, data(seen), weight, bias, data(made), found, data(room.view))
    for i in range(threads if found != NULL else 0):
        if p.kind == 0:
            add_places(<float *>(found + i * step), p.groups.seen, made_channels, wide,
                       <float *>data(sums) + i * sums.strides[0])
        else:
            add_places(<double *>(found + i * step), p.groups.seen, made_channels, wide,
                       <double *>data(sums) + i * sums.strides[0])
    return 0


# ---- the whole

cdef int depthwise_last_threads(View out, Py_ssize_t seen) noexcept:
    """`seen`: elements that an element of `out` sees."""
    return threads_for(out.elements * seen, GRAIN)


cdef View widened(View a, Py_ssize_t channels, list keep):
    """`a` (N, H, W, C) with so many channels at least, in a copy where it has fewer."""
    cdef Py_ssize_t *sizes = [a.sizes[0], a.sizes[1], a.sizes[2], channels]
    cdef Temporary wide
    if a.sizes[3] >= channels:
        return a
    wide = temporary(a.memory.backend, a.dtype, 4, sizes)
    keep.append(wide)
    copy_views(a, make_view(wide.view.memory, a.dtype, wide.view.offset, 4, a.sizes, wide.view.strides))
    return wide.view


cdef int see_wide(Plan *p, View seen, tuple stride, tuple padding, tuple dilation, View made, View sums,
                  int threads) except -1:
    """Gradients of weights, where places may have fewer channels than the vectors that are read of them."""
    cdef list keep = []
    cdef Py_ssize_t filters = made.sizes[3], lanes = kernels.vector // made.dtype.itemsize
    cdef Temporary _runs, _vectors, found = None
    cdef View added = sums
    made = widened(made, lanes, keep)
    kernels.group(&p.groups, made.sizes[3], made.dtype.code - FLOAT32, NULL)
    seen = widened(seen, p.groups.sources * lanes, keep)
    _runs = plan(p, seen, made, sums.sizes + 1, stride, padding, dilation, False)
    _vectors = pick_lanes(made, &p.groups, p.channels, p.kind)
    cdef Py_ssize_t *sizes = [threads, sums.sizes[1], sums.sizes[2], p.row]
    cdef Py_ssize_t *parts = [sums.elements // filters, filters]
    if filters < lanes:
        found = temporary(made.memory.backend, made.dtype, 4, sizes)
        added = found.view
        memset(data(added), 0, added.elements * p.itemsize)
    run_all(p, seen, None, None, made, added, threads)
    if found is not None:
        copy_views(make_view(added.memory, added.dtype, added.offset, 2, parts, [lanes, 1]),
                   make_view(sums.memory, sums.dtype, sums.offset, 2, parts, [filters, 1]))
    return 0


cdef int see(View seen, View w, View b, tuple stride, tuple padding, tuple dilation, int groups, bint turned, View made,
             View sums, int threads) except -1:
    cdef const Py_ssize_t *kernel = w.sizes if w is not None else sums.sizes + 1
    cdef Plan p
    cdef Temporary _runs, _vectors
    if (groups == 1 or groups * groups < seen.sizes[3] * made.sizes[3]) and sees_itself(
            seen.sizes + 1, made.sizes + 1, kernel, stride):
        if sums is not None and seen.sizes[3] > made.sizes[3]:
            seen, made = made, seen
        return places_last(seen, w, b, groups, made, sums, threads)
    if few_beside(groups, seen.sizes[3], made.sizes[3], made.sizes[1], made.sizes[2], made.dtype.code - FLOAT32, kernel,
                  stride, dilation, turned, sums is not None):
        return neighbours_last(seen, w, b, stride, padding, dilation, groups, turned, made, sums, threads)
    p.groups.seen, p.groups.made = seen.sizes[3] // groups, made.sizes[3] // groups
    if sums is not None and p.groups.seen * p.groups.made > 1:
        return see_wide(&p, seen, stride, padding, dilation, made, sums, threads)
    _runs = plan(&p, seen, made, kernel, stride, padding, dilation, turned)
    if not p.single:
        _vectors = pick_lanes(made, &p.groups, p.channels, p.kind)
    return run_all(&p, seen, w, b, made, sums, threads)


cdef int depthwise_last(View x, View w, View b, tuple stride, tuple padding, tuple dilation, int groups,
                        View y) except -1:
    """x (N, H, W, C), w (R, S, C / groups, O), y (N, P, Q, O), all dense."""
    return see(x, w, b, stride, padding, dilation, groups, False, y, None,
               depthwise_last_threads(y, w.elements // y.sizes[3]))


cdef int depthwise_last_input(View grad, View w, tuple stride, tuple padding, tuple dilation, int groups,
                              View y) except -1:
    """grad (N, P, Q, O), w (R, S, O / groups, C), y (N, H, W, C), all dense."""
    return see(grad, w, None, stride, padding, dilation, groups, True, y, None,
               depthwise_last_threads(grad, w.elements // grad.sizes[3]))


cdef int depthwise_last_weight(View grad, View x, tuple stride, tuple padding, tuple dilation, int groups, View sums,
                               int threads) except -1:
    """Adds to sums (threads, R, S, C / groups, O) what each thread's rows give."""
    return see(x, None, None, stride, padding, dilation, groups, False, grad, sums, threads)
