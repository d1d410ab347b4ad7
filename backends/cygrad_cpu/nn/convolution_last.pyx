"""Convolutions of images whose channels lie side by side (`channels_last`): nothing is put into another order.

What a row of the kernel sees are neighbouring elements, so a position's row of the first factor is found in a block of
padded rows (a `Lattice`), and the product (positions, filters) lies as the result does. The gradient of the input is
such a convolution of the output's gradient with the kernel turned round, where the stride is 1; that of the weight a
product of the output's gradient with the same lattice. Each channel with a filter of its own: kernels/depthwise.pyx.
Functions return False for what they don't do, which the row-major ones of convolution.pyx then do.
"""
from cython.parallel cimport prange
from libc.limits cimport INT_MAX
from libc.string cimport memcpy, memset

from cygrad.backend cimport SUM
from cygrad.dtype cimport DType, FLOAT32, INT64, dtype_of
from cygrad.view cimport View, data, make_view
from cygrad_cpu.nn.depthwise cimport DepthwiseTable, LastStencil
from cygrad_cpu.products.serial_product cimport (Lattice, Product, ROOM, VECTOR_BYTES, any_strides, multiply,
                                                 multiply_lattice)
from cygrad_cpu.reduce.reduce cimport cpu_reduce
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport Temporary, converted, copy_views, dense, temporary, writable
from cygrad_cpu.runtime.thread_count cimport threads_for

cdef enum:
    GRAIN = 250000              # multiplications that a thread should at least get
    CACHED = 1 << 16            # elements of a block of padded rows
    FEWEST = 8                  # filters: fewer would leave most of a vector empty

cdef DepthwiseTable kernels
install_kernels("depthwise", &kernels)

cdef struct Geometry:
    int kind                    # 0 float32, 1 float64
    Py_ssize_t itemsize
    Py_ssize_t images, channels, filters
    Py_ssize_t[2] size
    Py_ssize_t[2] kernel
    Py_ssize_t[2] stride
    Py_ssize_t[2] padding
    Py_ssize_t[2] dilation
    Py_ssize_t[2] out
    Py_ssize_t inside           # elements that a position sees
    Py_ssize_t row              # elements of a padded row
    Py_ssize_t run              # neighbours that a position sees
    bint plain                  # a position sees itself
    bint single                 # a filter for each channel
    Py_ssize_t rows             # of positions in a block
    Py_ssize_t blocks           # of an image
    Py_ssize_t plane            # bytes of a block's padded rows


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


cdef int describe(Geometry *g, View a, const Py_ssize_t *weight, View out, tuple stride, tuple padding, tuple dilation,
                  int groups, DType dtype) except -1:
    """Whether it is done here; weight are the sizes (O, C / groups, R, S)."""
    cdef int i
    g.kind, g.itemsize = dtype.code - FLOAT32, dtype.itemsize
    g.images, g.channels, g.filters = a.sizes[0], a.sizes[1], out.sizes[1]
    g.single = groups > 1 and groups == g.channels and groups == g.filters
    if groups != 1 and not g.single or g.filters < FEWEST and not g.single:
        return False
    for i in range(2):
        g.size[i], g.kernel[i], g.out[i] = a.sizes[i + 2], weight[i + 2], out.sizes[i + 2]
        g.stride[i], g.padding[i], g.dilation[i] = stride[i], padding[i], dilation[i]
        if g.padding[i] < 0:
            return False
    g.plain = (g.kernel[0] * g.kernel[1] == 1 and g.stride[0] * g.stride[1] == 1 and g.padding[0] + g.padding[1] == 0
               and not g.single)
    g.run = g.channels * (g.kernel[1] if g.dilation[1] == 1 else 1)
    g.inside = g.channels * g.kernel[0] * g.kernel[1]
    g.row = (g.size[1] + 2 * g.padding[1]) * g.channels
    return (g.inside <= INT_MAX and g.row * (g.size[0] + 2 * g.padding[0]) <= INT_MAX
            and g.images * g.out[0] * g.out[1] <= INT_MAX
            and (g.single or any_strides(g.kind, g.images * g.out[0] * g.out[1], g.filters)))


cdef inline Py_ssize_t rows_seen(const Geometry *g, Py_ssize_t rows) noexcept nogil:
    return (rows - 1) * g.stride[0] + (g.kernel[0] - 1) * g.dilation[0] + 1


cdef int plan(Geometry *g) noexcept:
    """Choose the blocks; returns the number of threads."""
    cdef int threads = threads_for(g.images * g.out[0] * g.out[1] * g.inside * (1 if g.single else g.filters), GRAIN)
    g.rows = min(g.out[0], max(<Py_ssize_t>1, CACHED // (g.row * g.stride[0])))
    if g.images * ((g.out[0] + g.rows - 1) // g.rows) < threads:
        g.rows = max(<Py_ssize_t>1, g.images * g.out[0] // threads)
    g.blocks = (g.out[0] + g.rows - 1) // g.rows
    g.rows = (g.out[0] + g.blocks - 1) // g.blocks
    g.plane = 0 if g.plain else (rows_seen(g, g.rows) * g.row * g.itemsize + 2 * VECTOR_BYTES) // 64 * 64
    return threads


cdef Temporary lattice(View like, const Geometry *g, Lattice *seen):
    """Where a block has what its positions see."""
    cdef Py_ssize_t positions = 0 if g.plain else g.rows * g.out[1], runs = g.inside // g.run, i, y, x
    cdef Py_ssize_t across = runs // g.kernel[0]            # runs of a row of the kernel
    cdef Temporary made = temporary(like.memory.backend, dtype_of(INT64), 1, [positions + runs])
    cdef Py_ssize_t *place = <Py_ssize_t *>data(made.view)
    seen.rows, seen.runs, seen.run = place, place + positions, g.run
    for i in range(positions):
        place[i] = i // g.out[1] * g.stride[0] * g.row + i % g.out[1] * g.stride[1] * g.channels
    place += positions
    for i in range(runs):
        y, x = i // across, i % across
        place[i] = y * g.dilation[0] * g.row + x * g.dilation[1] * g.channels
    return made


cdef void lay_out(const Geometry *g, const char *image, Py_ssize_t row, Py_ssize_t rows, char *plane) noexcept nogil:
    """The padded rows that positions of rows row, row + 1, ... see."""
    cdef Py_ssize_t size = g.channels * g.itemsize, left = g.padding[1] * size, line = g.size[1] * size, i
    cdef Py_ssize_t y = row * g.stride[0] - g.padding[0]
    for i in range(rows_seen(g, rows)):
        if 0 <= y < g.size[0]:
            memset(plane, 0, left)
            memcpy(plane + left, image + y * line, line)
            memset(plane + left + line, 0, left)
        else:
            memset(plane, 0, 2 * left + line)
        plane += 2 * left + line
        y += 1


cdef inline LastStencil stencil(const Geometry *g) noexcept nogil:
    cdef LastStencil s
    cdef int i
    for i in range(2):
        s.kernel[i], s.stride[i], s.dilation[i] = g.kernel[i], g.stride[i], g.dilation[i]
    s.out, s.channels, s.row = g.out[1], g.channels, g.row
    return s


# ---- a filter for each channel

cdef struct Sides:              # of an image, beside the positions of a row that see nothing beyond it
    bint apart                  # they are laid out by themselves, not the whole rows
    Py_ssize_t[4] edges         # positions: the left side from [0] on, the middle from [1], the right side from [2]
    Py_ssize_t[3] widths        # columns of the strips that the sides see
    char *strips[3]

cdef struct Piece:              # of the positions of a row of the output
    Py_ssize_t first
    const char *seen            # what the first one sees
    LastStencil stencil


cdef void lay_sides(const Geometry *g, const char *image, Py_ssize_t row, Py_ssize_t rows, char *room,
                    Sides *s) noexcept nogil:
    """What positions of rows row, row + 1, ... see that reaches beyond the image: the sides, or all padded rows."""
    cdef Py_ssize_t size = g.channels * g.itemsize, y = row * g.stride[0] - g.padding[0], x, left, count, i, side
    cdef Py_ssize_t reach = (g.kernel[1] - 1) * g.dilation[1]
    s.edges[0], s.edges[3] = 0, g.out[1]
    s.edges[1] = (g.padding[1] + g.stride[1] - 1) // g.stride[1]
    s.edges[2] = min((g.size[1] - 1 + g.padding[1] - reach) // g.stride[1] + 1, g.out[1])
    for side in range(0, 3, 2):
        count = s.edges[side + 1] - s.edges[side]
        s.widths[side] = (count - 1) * g.stride[1] + reach + 1 if count > 0 else 0
    s.apart = (s.edges[1] < s.edges[2] and (s.widths[0] + s.widths[2]) * g.channels <= g.row
               and rows_seen(g, 1) * g.row * g.itemsize <= ROOM)
    if not s.apart:
        lay_out(g, image, row, rows, room)
        s.strips[0] = room
        return
    for side in range(0, 3, 2):
        s.strips[side] = room
        x = s.edges[side] * g.stride[1] - g.padding[1]
        left = max(<Py_ssize_t>0, -x)
        count = max(<Py_ssize_t>0, min(g.size[1], x + s.widths[side]) - (x + left))
        for i in range(y, y + (rows_seen(g, rows) if s.widths[side] else 0)):
            if 0 <= i < g.size[0]:
                memset(room, 0, s.widths[side] * size)
                memcpy(room + left * size, image + (i * g.size[1] + x + left) * size, count * size)
            room += s.widths[side] * size


cdef int pieces(const Geometry *g, const Sides *s, const char *image, Py_ssize_t row, Py_ssize_t i,
                Piece *found) noexcept nogil:
    """Where positions of row + i, of the rows that were laid out from `row` on, see what they do; how many pieces."""
    cdef Py_ssize_t y = (row + i) * g.stride[0] - g.padding[0], size = g.channels * g.itemsize, part
    cdef char *room = s.strips[0] + g.plane
    cdef int n = 0
    found[0].first, found[0].stencil = 0, stencil(g)
    if not s.apart:
        found[0].seen = s.strips[0] + i * g.stride[0] * g.row * g.itemsize
        return 1
    if y < 0 or y + (g.kernel[0] - 1) * g.dilation[0] >= g.size[0]:
        lay_out(g, image, row + i, 1, room)
        found[0].seen = room
        return 1
    for part in range(3):
        if s.edges[part] == s.edges[part + 1]:
            continue
        found[n].first, found[n].stencil = s.edges[part], stencil(g)
        found[n].stencil.out = s.edges[part + 1] - s.edges[part]
        if part == 1:
            found[n].stencil.row = g.size[1] * g.channels
            found[n].seen = image + (y * g.size[1] + s.edges[1] * g.stride[1] - g.padding[1]) * size
        else:
            found[n].stencil.row = s.widths[part] * g.channels
            found[n].seen = s.strips[part] + i * g.stride[0] * s.widths[part] * size
        n += 1
    return n


# ---- forward, and the gradient of the input

cdef void forward_block(const Geometry *g, const Lattice *seen, Py_ssize_t index, const char *a, const char *weight,
                        const char *bias, char *out, char *room) noexcept nogil:
    cdef Py_ssize_t image = index // g.blocks, row = index % g.blocks * g.rows, rows = min(g.rows, g.out[0] - row), i
    cdef Py_ssize_t line = g.filters * g.itemsize, width = g.out[1] * line
    cdef Piece[3] parts
    cdef Sides sides
    cdef Product x
    cdef int j
    if rows <= 0:
        return
    out += (image * g.out[0] + row) * width
    a += image * g.size[0] * g.size[1] * g.channels * g.itemsize
    if g.single:
        lay_sides(g, a, row, rows, room, &sides)
        for i in range(rows):
            for j in range(pieces(g, &sides, a, row, i, parts)):
                kernels.last[g.kind](&parts[j].stencil, parts[j].seen, weight, bias,
                                     out + i * width + parts[j].first * line)
        return
    if not g.plain:
        lay_out(g, a, row, rows, room)
    x.kind, x.m, x.n, x.k, x.alpha, x.beta = g.kind, rows * g.out[1], g.filters, g.inside, 1, (0 if bias == NULL else 1)
    x.a, x.b, x.out, x.start, x.start_row, x.room = room, weight, out, bias, 0, room + g.plane
    x.a_strides[0], x.a_strides[1], x.b_strides[0], x.b_strides[1] = g.channels, 1, g.filters, 1
    x.out_strides[0], x.out_strides[1] = g.filters, 1
    if g.plain:
        x.a = a + row * g.size[1] * g.channels * g.itemsize
        multiply(&x)
    else:
        multiply_lattice(&x, seen, NULL)


cdef int forward(Geometry *g, View x, View w, View b, View y) except -1:
    """x (N, H, W, C), w (R, S, C, O), or (R, S, C) for a filter a channel, y (N, P, Q, O)."""
    cdef Lattice seen
    cdef int t, threads = plan(g)
    cdef Temporary _places = lattice(x, g, &seen)
    cdef Py_ssize_t size = g.plane + ROOM, count = g.images * g.blocks, i
    cdef Temporary room = temporary(x.memory.backend, x.dtype, 2, [threads, size // g.itemsize])
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                forward_block(g, &seen, i, data(x), data(w), data(b) if b is not None else NULL, data(y),
                              data(room.view) + t * size)
    return 0


cdef bint conv2d_last(View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups, View out,
                      DType dtype) except -1:
    cdef Geometry g
    cdef list keep = []
    cdef View x, b, y, target
    cdef Temporary w
    if not describe(&g, a, weight.sizes, out, stride, padding, dilation, groups, dtype):
        return False
    x, b, target = dense(last(a), dtype, keep), dense(bias, dtype, keep), last(out)
    y = writable(target, dtype, keep)
    w = converted(make_view(weight.memory, weight.dtype, weight.offset, 4,
                            [g.kernel[0], g.kernel[1], weight.sizes[1], g.filters],
                            [weight.strides[2], weight.strides[3], weight.strides[1], weight.strides[0]]), dtype)
    forward(&g, x, w.view, b, y)
    if y is not target:
        copy_views(y, target)
    return True


cdef bint input_last(View grad, View weight, tuple stride, tuple padding, tuple dilation, int groups, View out,
                     DType dtype) except -1:
    """out = the gradient of the input, where the stride is 1."""
    cdef Geometry g
    cdef list keep = []
    cdef View x, y, target
    cdef Temporary w, turned
    cdef Py_ssize_t r = weight.sizes[2], s = weight.sizes[3], line, i
    if stride[0] != 1 or stride[1] != 1:
        return False
    padding = dilation[0] * (r - 1) - padding[0], dilation[1] * (s - 1) - padding[1]
    if not describe(&g, grad, weight.sizes, out, stride, padding, dilation, groups, dtype):
        return False
    x, target = dense(last(grad), dtype, keep), last(out)
    y = writable(target, dtype, keep)
    # (R, S, O, C): a filter for each channel is seen by the channel that it makes.
    w = converted(make_view(weight.memory, weight.dtype, weight.offset, 4, [r, s, weight.sizes[0], weight.sizes[1]],
                            [weight.strides[2], weight.strides[3], weight.strides[0], weight.strides[1]]), dtype)
    turned = temporary(weight.memory.backend, dtype, 4, w.view.sizes)
    line = weight.sizes[0] * weight.sizes[1] * dtype.itemsize
    for i in range(r * s):
        memcpy(data(turned.view) + i * line, data(w.view) + (r * s - 1 - i) * line, line)
    forward(&g, x, turned.view, None, y)
    if y is not target:
        copy_views(y, target)
    return True


# ---- gradient of the weight

cdef void weight_block(const Geometry *g, const Lattice *seen, Py_ssize_t index, const char *grad, const char *a,
                       char *out, char *room) noexcept nogil:
    """Adds a block's part to out (O, R, S, C), or (R, S, C) for a filter a channel."""
    cdef Py_ssize_t image = index // g.blocks, row = index % g.blocks * g.rows, rows = min(g.rows, g.out[0] - row), i
    cdef Py_ssize_t line = g.filters * g.itemsize, width = g.out[1] * line
    cdef Piece[3] parts
    cdef Sides sides
    cdef Product x
    cdef int j
    if rows <= 0:
        return
    grad += (image * g.out[0] + row) * width
    a += image * g.size[0] * g.size[1] * g.channels * g.itemsize
    if g.single:
        lay_sides(g, a, row, rows, room, &sides)
        for i in range(rows):
            for j in range(pieces(g, &sides, a, row, i, parts)):
                kernels.last_weight[g.kind](&parts[j].stencil, grad + i * width + parts[j].first * line, parts[j].seen,
                                            out)
        return
    if not g.plain:
        lay_out(g, a, row, rows, room)
    x.kind, x.m, x.n, x.k, x.alpha, x.beta = g.kind, g.filters, g.inside, rows * g.out[1], 1, 1
    x.a, x.b, x.out, x.start, x.room = grad, room, out, NULL, room + g.plane
    x.a_strides[0], x.a_strides[1], x.b_strides[0], x.b_strides[1] = 1, g.filters, g.channels, 1
    x.out_strides[0], x.out_strides[1] = g.inside, 1
    if g.plain:
        x.b = a + row * g.size[1] * g.channels * g.itemsize
        multiply(&x)
    else:
        multiply_lattice(&x, NULL, seen)


cdef bint weight_last(View grad, View a, tuple stride, tuple padding, tuple dilation, int groups, View out,
                      DType dtype) except -1:
    cdef Geometry g
    cdef Lattice seen
    cdef list keep = []
    cdef View x, dy, y
    cdef Temporary room, sums, _places
    cdef Py_ssize_t size, count, n = out.elements, i
    cdef int t, threads
    if not describe(&g, a, out.sizes, grad, stride, padding, dilation, groups, dtype):
        return False
    if not g.single and not any_strides(g.kind, g.filters, g.inside):
        return False
    x, dy = dense(last(a), dtype, keep), dense(last(grad), dtype, keep)
    threads = plan(&g)
    _places = lattice(x, &g, &seen)
    size = g.plane + ROOM
    count = g.images * g.blocks
    room = temporary(x.memory.backend, dtype, 2, [threads, size // g.itemsize])
    sums = temporary(x.memory.backend, dtype, 2, [threads, n])
    memset(data(sums.view), 0, threads * n * g.itemsize)
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                weight_block(&g, &seen, i, data(dy), data(x), data(sums.view) + t * n * g.itemsize,
                             data(room.view) + t * size)
    # (threads, O, R, S, C), or (threads, R, S, C), as (O, C, R, S)
    cdef Py_ssize_t *sizes = [out.sizes[0], out.sizes[1], out.sizes[2], out.sizes[3], threads]
    cdef Py_ssize_t *strides = [g.inside, 1, g.kernel[1] * g.channels, g.channels, n]
    if g.single:
        strides[0] = 1
    if threads == 1:
        copy_views(make_view(sums.view.memory, dtype, sums.view.offset, 4, sizes, strides), out)
        return True
    y = writable(out, dtype, keep)
    cpu_reduce(SUM, make_view(sums.view.memory, dtype, sums.view.offset, 5, sizes, strides), y)
    if y is not out:
        copy_views(y, out)
    return True
