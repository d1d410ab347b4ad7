# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10
"""Convolutions of 1x1 filters and few channels, or groups of few, side by side (`channels_last`).

Each place sees itself, so that all places of all images are one run, and as many as have whole vectors of channels are
taken for one: the filters are repeated for each, whose channels are groups of their own then; see depthwise_last.pyx.
Those at the end that make no such place are copied, with zeros behind them.
"""
from cython.parallel cimport prange
from libc.string cimport memcpy, memset

from cygrad.dtype cimport FLOAT32
from cygrad.view cimport View, data
from cygrad_cpu.nn.depthwise_last cimport Groups, LastTable, LastTaps, pick_lanes
from cygrad_cpu.nn.few_channels_last cimport time_of
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport Temporary, temporary
from cygrad_cpu.simd.element_types cimport Real

cdef extern from *:
    void fetch "__builtin_prefetch" (const void *address) noexcept nogil

cdef enum:
    CACHED = 24000              # bytes of the places that all filters see before the next ones
    SUMMED = 100000             # ... or that are met for the sums of their gradients
    MANY = 512                  # bytes of a place which takes so long to come back to that it is asked for before

cdef LastTable kernels
install_kernels("depthwise_last", &kernels)


cdef struct Plan:
    int kind
    Py_ssize_t itemsize
    bint turned                 # the gradient's channels are picked, not those of what is seen
    Py_ssize_t seen, made       # channels of a wide place
    Py_ssize_t count            # of wide places, that are whole
    Py_ssize_t rest             # bytes that are left of what is seen
    Py_ssize_t made_rest
    Py_ssize_t blocks, block    # and wide places of one
    Py_ssize_t room             # bytes: a wide place that is seen, and one that is made
    Groups groups


cdef Py_ssize_t wide_place(Groups *g, int groups, Py_ssize_t seen, Py_ssize_t made, int kind) noexcept:
    """How many places are taken for one, 0 where that can't be done."""
    cdef Py_ssize_t lanes = kernels.vector // (4 if kind == 0 else 8), places = 1
    while made * places % lanes and places < lanes:
        places *= 2
    g.seen, g.made = seen // groups, made // groups
    while places <= lanes:
        g.channels = seen * places
        if kernels.group(g, made * places, kind, NULL):
            return places
        places *= 2
    return 0


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
        if groups == 1:
            return g.sources <= 2 and g.seen > 1 and g.made <= lanes // 2
        return g.sources <= 2 and (g.seen <= 2 or g.seen <= lanes // 2 and g.made < lanes)
    return g.made * g.seen * (16 if g.sources > 2 else 8) < 3 * lanes * (time_of(g.made, lanes, g.seen) + 10)


cdef void add_places(const Real *a, Py_ssize_t rows, Py_ssize_t made, Py_ssize_t wide, Real *out) noexcept nogil:
    """Rows (wide places, channels) summed over the places."""
    cdef Py_ssize_t i, j
    for i in range(rows):
        for j in range(wide * made):
            out[i * made + j % made] += a[i * wide * made + j]


cdef void do_block(const Plan *p, Py_ssize_t index, const char *a, const char *weight, const char *bias, char *out,
                   char *sums, char *room) noexcept nogil:
    cdef Py_ssize_t first = min(index * p.block, p.count), zero = 0, i
    cdef Py_ssize_t seen = p.seen * p.itemsize, made = p.made * p.itemsize
    cdef LastTaps g
    cdef char *to = out + first * made
    a += first * seen
    g.count, g.rows, g.seen, g.weight, g.channels = 1, 1, &zero, &zero, p.made
    g.positions, g.step, g.made = [min(p.block, p.count - first), 1], [p.seen, 0], [p.made, 0]
    if index == p.blocks:
        memset(room, 0, p.room)
        memcpy(room, a, p.rest)
        if sums != NULL:
            memcpy(room + seen, to, p.made_rest)
        a, to, g.positions[0] = room, room + seen, 1
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
    cdef Plan p
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
    p.count, n = n // wide, n % wide
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
        weight = data(filters.view)
        bias = weight + p.groups.seen * wide * line if b is not None else NULL
    else:
        added = temporary(made.memory.backend, made.dtype, 2, [threads, p.groups.seen * p.made])
        found, step = data(added.view), p.groups.seen * p.made * p.itemsize
        memset(found, 0, threads * step)
    p.room = (p.seen + p.made) * p.itemsize
    room = temporary(made.memory.backend, made.dtype, 2, [1, p.seen + p.made])
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(p.blocks * t // threads, p.blocks * (t + 1) // threads):
                do_block(&p, i, data(seen), weight, bias, data(made), found + t * step if found != NULL else NULL, NULL)
        if n:
            do_block(&p, p.blocks, data(seen), weight, bias, data(made), found, data(room.view))
    for i in range(threads if found != NULL else 0):
        if p.kind == 0:
            add_places(<float *>(found + i * step), p.groups.seen, made_channels, wide,
                       <float *>data(sums) + i * sums.strides[0])
        else:
            add_places(<double *>(found + i * step), p.groups.seen, made_channels, wide,
                       <double *>data(sums) + i * sums.strides[0])
    return 0
