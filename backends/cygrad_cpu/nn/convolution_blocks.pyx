"""What convolutions as products work on: the geometry, blocks of rows in padded planes, and one product of a block.

convolution.pyx says how they go together. Channels that lie side by side are read and written where they lie.
"""
from libc.limits cimport INT_MAX
from libc.string cimport memcpy, memset

from cygrad.dtype cimport DType, FLOAT32, INT64, dtype_of
from cygrad.view cimport View, data, make_view
from cygrad_cpu.nn.depthwise cimport DepthwiseTable, Stencil, Turn
from cygrad_cpu.products.serial_product cimport (Lattice, Product, ROOM, VECTOR_BYTES, any_strides, load_blas,
                                                 multiply, multiply_lattice)
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport Temporary, temporary
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.simd.element_types cimport Real

cdef enum:
    GRAIN = 250000              # multiplications that a thread should at least get
    CACHED = 1 << 17            # elements of a block's planes, or of its matrix
    POSITIONS = 64              # ... but at least so many columns, for the products' sake

cdef DepthwiseTable kernels
install_kernels("depthwise", &kernels)


# ---- orders of axes

cdef bint lie_last(View out):
    """Whether the channels are next to each other, and more than one place is."""
    return (out.rank == 4 and out.strides[1] == 1 and out.sizes[1] > 1 and out.sizes[2] * out.sizes[3] > 1
            and out.strides[3] == out.sizes[1])


cdef View last(View t):
    """(N, C, H, W) as (N, H, W, C)."""
    cdef int *order = [0, 2, 3, 1]
    cdef Py_ssize_t[4] sizes
    cdef Py_ssize_t[4] strides
    cdef int i
    for i in range(4):
        sizes[i], strides[i] = t.sizes[order[i]], t.strides[order[i]]
    return make_view(t.memory, t.dtype, t.offset, 4, sizes, strides)


# ---- geometry

cdef bint describe(Geometry *g, View a, View weight, View out, tuple stride, tuple padding, tuple dilation, int groups,
                   DType dtype) except -1:
    """All but the blocks and their memory; False where BLAS can't count the elements."""
    cdef Stencil *seen = &g.seen
    cdef int i
    g.kind, g.itemsize = dtype.code - FLOAT32, dtype.itemsize
    g.images, g.groups = a.sizes[0], groups
    g.channels, g.filters = a.sizes[1] // groups, weight.sizes[0] // groups
    g.seen_pixel = g.made_pixel = 0
    for i in range(2):
        seen.size[i], seen.kernel[i], seen.out[i] = a.sizes[i + 2], weight.sizes[i + 2], out.sizes[i + 2]
        seen.stride[i], seen.padding[i], seen.dilation[i], seen.spread[i] = stride[i], padding[i], dilation[i], 1
        g.reach[i] = (seen.kernel[i] - 1) * seen.dilation[i]
    g.plain = (seen.kernel[0] == 1 and seen.kernel[1] == 1 and seen.stride[0] == 1 and seen.stride[1] == 1
               and seen.padding[0] == 0 and seen.padding[1] == 0)
    measure(g)
    return g.area <= INT_MAX and g.inside <= INT_MAX and g.filters <= INT_MAX and seen.size[0] * seen.size[1] <= INT_MAX


cdef void measure(Geometry *g) noexcept nogil:
    """What follows from the other sizes. A row of a plane has `stride` parts, of elements at this distance."""
    cdef Stencil *seen = &g.seen
    g.taps = seen.kernel[0] * seen.kernel[1]
    g.inside = g.channels * g.taps
    g.area = seen.out[0] * seen.out[1]
    seen.row = (seen.out[1] + g.reach[1] // seen.stride[1]) * seen.stride[1]


cdef Geometry turned(const Geometry *g) noexcept nogil:
    """The geometry of the input's gradient: input `i * stride + phase` sees outputs i + (phase + padding - place in the
    kernel) / stride, where that is a whole number; `padding` is what the least of these distances is below 0."""
    cdef Geometry t = g[0]
    cdef Py_ssize_t step
    cdef int i
    t.channels, t.filters = g.filters, g.channels
    for i in range(2):
        step = g.seen.stride[i]
        t.seen.stride[i] = 1
        t.seen.size[i], t.seen.out[i] = g.seen.out[i], (g.seen.size[i] + step - 1) // step
        t.seen.padding[i] = floor_divided(g.reach[i] - g.seen.padding[i], step)
        t.reach[i] = t.seen.padding[i] + (step - 1 + g.seen.padding[i]) // step
    measure(&t)
    return t


cdef inline Py_ssize_t floor_divided(Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    return a // b if a >= 0 else -((b - 1 - a) // b)


cdef inline Py_ssize_t rows_seen(const Geometry *g, Py_ssize_t rows) noexcept nogil:
    return (rows - 1) * g.seen.stride[0] + g.reach[0] + 1


cdef inline Py_ssize_t lines(Py_ssize_t nbytes) noexcept nogil:
    return (nbytes + 63) // 64 * 64


cdef int plan(Geometry *g, Py_ssize_t m, Py_ssize_t n, Py_ssize_t work) except -1:
    """Choose the blocks, for products that make (m, n) at most; returns the number of threads for so much work."""
    cdef int threads = threads_for(work, GRAIN)
    cdef Py_ssize_t p = g.seen.out[0], q = g.seen.out[1], units = g.images * g.groups, row
    g.copied = not g.plain and not any_strides(g.kind, m, n)
    if not any_strides(g.kind, m, n):
        load_blas()
    row = g.inside * q if g.copied else g.channels * g.seen.row * g.seen.stride[0]
    g.rows = min(p, max(CACHED // row, (POSITIONS + q - 1) // q))
    if units * ((p + g.rows - 1) // g.rows) < threads:
        g.rows = max(1, units * p // threads)
    g.blocks = (p + g.rows - 1) // g.rows
    g.rows = (p + g.blocks - 1) // g.blocks
    g.plane = (lines(rows_seen(g, g.rows) * g.seen.row * g.itemsize) | 64) // g.itemsize    # odd: all over the cache
    return threads


cdef Temporary work_room(View like, Geometry *g, DType dtype, int threads, Py_ssize_t images, Py_ssize_t extra):
    """For each thread the planes of a block of so many images, the matrix if there is one, the room of a product, and
    `extra` elements."""
    cdef Py_ssize_t[2] sizes
    g.planes = 0 if g.plain else lines(images * g.channels * g.plane * g.itemsize + VECTOR_BYTES)
    g.matrix = lines(images * g.inside * g.rows * g.seen.out[1] * g.itemsize) if g.copied else 0
    sizes[0], sizes[1] = threads, (g.planes + g.matrix + ROOM + lines(extra * g.itemsize)) // g.itemsize
    return temporary(like.memory.backend, dtype, 2, sizes)


# ---- what positions see

cdef Temporary lattice(View like, const Geometry *g, Py_ssize_t images, Order order, Lattice *seen):
    """Where the planes of so many images have what the first position sees, and the rows of positions."""
    cdef const Stencil *s = &g.seen
    cdef Temporary made = temporary(like.memory.backend, dtype_of(INT64), 1, [g.inside + images * g.rows])
    cdef Py_ssize_t *place = <Py_ssize_t *>data(made.view)
    cdef Py_ssize_t c, y, x, i, tap
    seen.rows, seen.runs, seen.run = place, place + g.inside, s.out[1]
    for c in range(g.channels):
        for y in range(s.kernel[0]):
            for i in range(s.kernel[1]):
                x = i * s.dilation[1]
                tap = y * s.kernel[1] + i
                if order == TURNED_TAPS:
                    tap = g.taps - 1 - tap
                place[c * g.taps + tap if order == CHANNELS else tap * g.channels + c] = (
                    c * g.plane + y * s.dilation[0] * s.row + x % s.stride[1] * (s.row // s.stride[1])
                    + x // s.stride[1])
    place += g.inside
    for i in range(images):
        for y in range(g.rows):
            place[0] = i * g.channels * g.plane + y * s.stride[0] * s.row
            place += 1
    return made


cdef Py_ssize_t unit_seen(const Geometry *g, Py_ssize_t unit) noexcept nogil:
    """Where the first channel of a group of an image begins, in bytes."""
    cdef Py_ssize_t size = g.seen.size[0] * g.seen.size[1] * g.itemsize
    if g.seen_pixel:
        return unit // g.groups * g.seen_pixel * size + unit % g.groups * g.channels * g.itemsize
    return unit * g.channels * size


cdef void lay_out(const Geometry *g, const char *a, Py_ssize_t row, Py_ssize_t rows, char *planes) noexcept nogil:
    """What rows row, row + 1, ... of the positions see in the channels from `a` on."""
    cdef Stencil seen = g.seen
    cdef Py_ssize_t c, size = seen.size[0] * seen.size[1] * g.itemsize
    seen.padding[0] -= row * seen.stride[0]
    seen.rows = rows_seen(g, rows)
    memset(planes, 0, g.channels * g.plane * g.itemsize)
    if g.seen_pixel:
        turn_rows(g, &seen, a, planes)
        return
    for c in range(g.channels):
        kernels.lay_out[g.kind](&seen, a + c * size, planes + c * g.plane * g.itemsize)


cdef void turn_rows(const Geometry *g, const Stencil *seen, const char *a, char *planes) noexcept nogil:
    """As `lay_out` of the kernels for each channel, of channels that lie side by side."""
    cdef Py_ssize_t parts = seen.stride[1], part = seen.row // parts, x, i, y
    cdef Py_ssize_t first = max(<Py_ssize_t>0, -seen.padding[0]), left = max(<Py_ssize_t>0, -seen.padding[1])
    cdef Turn t
    cdef const char *line
    cdef char *to
    t.lines, t.channels = min(seen.size[0], seen.rows - seen.padding[0]) - first, g.channels
    t.line, t.pixel, t.row, t.out_line = seen.size[1] * g.seen_pixel, g.seen_pixel * parts, g.plane, seen.row
    for x in range(left, min(left + parts, seen.size[1])):
        i = seen.padding[1] + x
        t.places = min((seen.size[1] - x + parts - 1) // parts, part - i // parts)
        if t.places > 0:
            line = a + (first * seen.size[1] + x) * g.seen_pixel * g.itemsize
            to = planes + ((seen.padding[0] + first) * seen.row + i % parts * part + i // parts) * g.itemsize
            if g.kind == 0:
                kernels.to_rows(<const float *>line, &t, <float *>to)
            for y in range(t.lines if g.kind else 0):
                kernels.turn(<const double *>line + y * t.line, t.pixel, t.places, t.channels,
                             <double *>to + y * t.out_line, t.row)


cdef void write_matrix(const Real *planes, const Lattice *seen, Py_ssize_t m, Py_ssize_t n, Real *out) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(m):
        for j in range(n // seen.run):
            memcpy(out, planes + seen.rows[i] + seen.runs[j], seen.run * sizeof(Real))
            out += seen.run


cdef const char *matrix_of(const Geometry *g, const Lattice *seen, Py_ssize_t k, Py_ssize_t positions,
                           char *room) noexcept nogil:
    """The matrix (k, positions) for BLAS, behind the planes that it is found in."""
    if g.kind == 0:
        write_matrix(<const float *>room, seen, k, positions, <float *>(room + g.planes))
    else:
        write_matrix(<const double *>room, seen, k, positions, <double *>(room + g.planes))
    return room + g.planes


cdef void weigh(const Geometry *g, const Lattice *seen, const char *weight, Py_ssize_t weight_row, Py_ssize_t k,
                Py_ssize_t positions, const char *b, bint add, char *out, Py_ssize_t out_row,
                char *room) noexcept nogil:
    """out (filters, positions) = or += weight (filters, k) @ what is seen: in the planes at the room's beginning or, by
    a plain convolution, in `b`."""
    cdef Product x
    x.kind, x.m, x.n, x.k, x.alpha, x.beta = g.kind, g.filters, positions, k, 1, (1 if add else 0)
    x.a, x.b, x.out, x.start, x.room = weight, b, out, NULL, room + g.planes + g.matrix
    x.a_strides[0], x.a_strides[1], x.b_strides[0], x.b_strides[1] = weight_row, 1, g.area, 1
    x.out_strides[0], x.out_strides[1] = out_row, 1
    if not g.plain and not g.copied:
        x.b = room
        multiply_lattice(&x, NULL, seen)
        return
    if g.copied:
        x.b, x.b_strides[0] = matrix_of(g, seen, k, positions, room), positions
    multiply(&x)


cdef Py_ssize_t unit_made(const Geometry *g, Py_ssize_t unit, Py_ssize_t row) noexcept nogil:
    """Where a row of the first filter of a group of an image begins, in bytes."""
    cdef Py_ssize_t position = row * g.seen.out[1]
    if g.made_pixel:
        position = (unit // g.groups * g.area + position) * g.made_pixel + unit % g.groups * g.filters
    else:
        position += unit // g.groups * g.out[0] + unit % g.groups * g.filters * g.out[1]
    return position * g.itemsize


cdef Py_ssize_t row_made(const Geometry *g, Py_ssize_t positions) noexcept nogil:
    """From row to row of what is put back later: they don't fall on the same places of the cache."""
    return (lines(positions * g.itemsize) | 64) // g.itemsize


cdef Py_ssize_t room_made(const Geometry *g, Py_ssize_t images) noexcept nogil:
    """Elements of what a block of so many images makes; of fewer filters than four there are rows that are read for
    nothing."""
    return max(g.filters, <Py_ssize_t>4) * row_made(g, images * g.rows * g.seen.out[1])


cdef void turn_back(const Geometry *g, Py_ssize_t positions, const char *made, const char *bias,
                    char *out) noexcept nogil:
    """(filters, positions) to filters that lie side by side, the bias added, which float64 has had."""
    if g.kind:
        kernels.turn(<const double *>made, row_made(g, positions), g.filters, positions, <double *>out, g.made_pixel)
        return
    kernels.from_rows(<const float *>made, row_made(g, positions), positions, g.filters, <const float *>bias,
                      <float *>out, g.made_pixel)
