# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10
"""Convolutions of images whose channels lie side by side (`channels_last`): nothing is put into another order.

What a row of the kernel sees are neighbouring elements, so a position's row of the first factor is found in a block of
padded rows (a `Lattice`), and the product (positions, filters) lies as the result does. The gradient of the input is
such a convolution of the output's gradient with the kernel turned round or, where there is a stride, one for each
phase, see convolution.pyx. That of the weight is a product of the output's gradient with the same lattice. Each group
is a product of its own, of the same rows from its first channel on. Groups of few channels: depthwise_last.pyx.
Functions return False for what they don't do, which the row-major ones of convolution.pyx then do.
"""
from cython.parallel cimport prange
from libc.limits cimport INT_MAX
from libc.string cimport memcpy, memset

from cygrad.backend cimport SUM
from cygrad.dtype cimport DType, FLOAT32, INT64, dtype_of
from cygrad.view cimport View, data, make_view
from cygrad_cpu.nn.convolution_blocks cimport last
from cygrad_cpu.nn.depthwise cimport DepthwiseTable
from cygrad_cpu.nn.depthwise_last cimport (depthwise_last, depthwise_last_input, depthwise_last_threads,
                                           depthwise_last_weight, few_of_group, sees_itself)
from cygrad_cpu.nn.few_channels_last cimport FEWEST, PRODUCTS, ROW_MAJOR, SUMS, Way, best_way, few_channels
from cygrad_cpu.products.serial_product cimport (Lattice, Product, ROOM, VECTOR_BYTES, any_strides, load_blas,
                                                 multiply, multiply_lattice, multiply_packed, pack_factor, packed_size)
from cygrad_cpu.reduce.reduce cimport cpu_reduce
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport Temporary, converted, copy_views, dense, temporary, writable
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.simd.element_types cimport Real

cdef extern from *:
    void fetch "__builtin_prefetch" (const void *address) noexcept nogil

cdef enum:
    GRAIN = 250000              # multiplications that a thread should at least get
    CACHED = 1 << 16            # elements of a block of padded rows
    GROUPED = 64                # positions that each group goes over, of a block that stays in the level 1 cache

cdef DepthwiseTable kernels
install_kernels("depthwise", &kernels)

cdef struct Geometry:
    int kind                    # 0 float32, 1 float64
    Py_ssize_t itemsize
    Py_ssize_t images, groups
    Py_ssize_t channels, filters    # of all groups
    Py_ssize_t[2] size
    Py_ssize_t[2] kernel
    Py_ssize_t[2] stride
    Py_ssize_t[2] padding
    Py_ssize_t[2] dilation
    Py_ssize_t[2] out
    Py_ssize_t inside           # elements that a filter sees
    Py_ssize_t row              # elements of a padded row
    Py_ssize_t run              # neighbours that a position sees
    bint plain                  # a position sees itself
    Py_ssize_t rows             # of positions in a block
    Py_ssize_t blocks           # of an image
    Py_ssize_t plane            # bytes of a block's padded rows


cdef int describe(Geometry *g, View a, const Py_ssize_t *weight, View out, tuple stride, tuple padding, tuple dilation,
                  int groups, DType dtype) except -1:
    """Whether the sizes allow it; weight are the sizes (O, C / groups, R, S). BLAS does plain products with vectors."""
    cdef int i
    g.kind, g.itemsize = dtype.code - FLOAT32, dtype.itemsize
    g.images, g.groups, g.channels, g.filters = a.sizes[0], groups, a.sizes[1], out.sizes[1]
    for i in range(2):
        g.size[i], g.kernel[i], g.out[i] = a.sizes[i + 2], weight[i + 2], out.sizes[i + 2]
        g.stride[i], g.padding[i], g.dilation[i] = stride[i], padding[i], dilation[i]
        if g.padding[i] < 0:
            return False
    g.plain = g.kernel[0] * g.kernel[1] == 1 and g.stride[0] * g.stride[1] == 1 and g.padding[0] + g.padding[1] == 0
    g.run = g.channels // groups * (g.kernel[1] if g.dilation[1] == 1 and groups == 1 else 1)
    g.inside = g.channels // groups * g.kernel[0] * g.kernel[1]
    g.row = (g.size[1] + 2 * g.padding[1]) * g.channels
    if g.plain and (g.filters == groups or g.inside == 1 or not any_strides(g.kind, 2, 2)):
        load_blas()
    return (g.inside <= INT_MAX and g.row * (g.size[0] + 2 * g.padding[0]) <= INT_MAX
            and g.images * g.out[0] * g.out[1] <= INT_MAX and (g.plain or any_strides(g.kind, 2, 2)))


cdef inline bint sees(Geometry *g, View a, const Py_ssize_t *weight, View out, tuple stride, tuple padding,
                      tuple dilation, int groups, DType dtype) except -1:
    """The same of a convolution of `a`, not of the gradient of its weight."""
    return (describe(g, a, weight, out, stride, padding, dilation, groups, dtype)
            and (g.plain and groups == 1
                 or g.filters >= FEWEST * groups and any_strides(g.kind, g.out[0] * g.out[1], FEWEST)))


cdef int by_sums(View seen, View weight, View bias, tuple stride, tuple padding, tuple dilation, bint turned, View made,
                 DType dtype) except -1:
    """As `few_channels`; the weight is (seen, R, S, made)."""
    cdef list keep = []
    cdef View x = dense(last(seen), dtype, keep), target = last(made), y = writable(target, dtype, keep)
    cdef Temporary w = converted(weight, dtype)
    few_channels(x, w.view, dense(bias, dtype, keep), stride, padding, dilation, turned, y)
    if y is not target:
        copy_views(y, target)
    return 0


cdef inline Py_ssize_t rows_seen(const Geometry *g, Py_ssize_t rows) noexcept nogil:
    return (rows - 1) * g.stride[0] + (g.kernel[0] - 1) * g.dilation[0] + 1


cdef int plan(Geometry *g, Py_ssize_t positions) noexcept:
    """Choose the blocks, of about so many positions at most; returns the number of threads."""
    cdef int threads = threads_for(g.images * g.out[0] * g.out[1] * g.inside * g.filters, GRAIN)
    if g.plain:                                             # images are rows one below the other
        g.size[0], g.out[0], g.images = g.images * g.size[0], g.images * g.out[0], 1
    g.rows = min(g.out[0], max(<Py_ssize_t>1, min(CACHED // (g.row * g.stride[0]), positions // g.out[1])))
    if g.images * ((g.out[0] + g.rows - 1) // g.rows) < threads:
        g.rows = max(<Py_ssize_t>1, g.images * g.out[0] // threads)
    g.blocks = (g.out[0] + g.rows - 1) // g.rows
    g.rows = (g.out[0] + g.blocks - 1) // g.blocks
    g.plane = 0 if g.plain else (rows_seen(g, g.rows) * g.row * g.itemsize + 2 * VECTOR_BYTES) // 64 * 64
    return threads


cdef Temporary lattice(View like, const Geometry *g, bint turned, Lattice *seen):
    """Where a block has what its positions see or, turned, the elements that its rows of positions do."""
    cdef Py_ssize_t line = g.out[1] if turned else 1, run = 1 if turned else g.run, runs = g.inside // run, i, y, x
    cdef Py_ssize_t positions = 0 if g.plain else g.rows * g.out[1] // line
    cdef Py_ssize_t across = g.inside // g.run // g.kernel[0]       # runs of a row of the kernel
    cdef Temporary made = temporary(like.memory.backend, dtype_of(INT64), 1, [positions + runs])
    cdef Py_ssize_t *place = <Py_ssize_t *>data(made.view)
    seen.rows, seen.runs, seen.run = place, place + positions, g.run
    if turned:
        seen.rows, seen.runs, seen.run = seen.runs, seen.rows, line
    for i in range(positions):
        place[i] = i * line // g.out[1] * g.stride[0] * g.row + i * line % g.out[1] * g.stride[1] * g.channels
    place += positions
    for i in range(runs):
        y, x = i * run // g.run // across, i * run // g.run % across
        place[i] = y * g.dilation[0] * g.row + x * g.dilation[1] * g.channels + i * run % g.run
    return made


cdef void lay_out(const Geometry *g, const char *image, Py_ssize_t row, Py_ssize_t rows, char *plane) noexcept nogil:
    """The padded rows that positions of rows row, row + 1, ... see."""
    cdef Py_ssize_t size = g.channels * g.itemsize, left = g.padding[1] * size, line = g.size[1] * size, i
    cdef Py_ssize_t right = g.row * g.itemsize - left - line
    cdef Py_ssize_t y = row * g.stride[0] - g.padding[0]
    for i in range(rows_seen(g, rows)):
        if 0 <= y < g.size[0]:
            memset(plane, 0, left)
            memcpy(plane + left, image + y * line, line)
            memset(plane + left + line, 0, right)
        else:
            memset(plane, 0, left + line + right)
        plane += left + line + right
        y += 1


# ---- forward, and the gradient of the input

cdef inline bint heavy(View a, View weight, View out) noexcept:
    """Whether it takes longer to lay out the weights than to put what is seen into rows, and what is made back."""
    return 2 * weight.elements > a.elements + out.elements


cdef inline Py_ssize_t columns_of(const Geometry *g, Py_ssize_t group) noexcept nogil:
    """How many columns a group's product makes: those that fill its last half vector are the next groups', which are
    made after it."""
    cdef Py_ssize_t made = g.filters // g.groups, lanes = VECTOR_BYTES // 8, whole = (made + lanes - 1) // lanes * lanes
    return whole if made > 1 and group * made + whole <= g.filters else made


cdef void fill_column(Real *out, Py_ssize_t step, Py_ssize_t n, Real number) noexcept nogil:
    """The bias of one filter: BLAS adds to what it finds."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i * step] = number


cdef void forward_block(const Geometry *g, const Lattice *seen, Py_ssize_t index, const char *a, const char *weight,
                        const char *packed, const char *bias, char *out, char *room) noexcept nogil:
    """`packed`: the weights of all groups as products take them, or NULL."""
    cdef Py_ssize_t image = index // g.blocks, row = index % g.blocks * g.rows, rows = min(g.rows, g.out[0] - row), i
    cdef Py_ssize_t made = g.filters // g.groups * g.itemsize
    cdef Product x
    if rows <= 0:
        return
    a += image * g.size[0] * g.size[1] * g.channels * g.itemsize
    x.kind, x.m, x.n, x.k, x.alpha = g.kind, rows * g.out[1], g.filters // g.groups, g.inside, 1
    x.beta, x.start, x.start_row, x.room = (0 if bias == NULL else 1), bias, 0, room + g.plane
    x.a, x.b, x.out = room, weight, out + (image * g.out[0] + row) * g.out[1] * g.filters * g.itemsize
    x.a_strides[0], x.a_strides[1], x.b_strides[0], x.b_strides[1] = g.channels, 1, g.filters, 1
    x.out_strides[0], x.out_strides[1] = g.filters, 1
    if g.plain:
        x.a = a + row * g.size[1] * g.channels * g.itemsize
        # Each group reads a part of every place, which is slow from beyond the caches.
        for i in range(0, rows * g.row * g.itemsize if g.groups > 1 else 0, 64):
            fetch(x.a + i)
    else:
        lay_out(g, a, row, rows, room)
    if (g.plain and g.groups == 1 and g.kind == 0
            and kernels.weigh_few(<const float *>x.a, x.m, g.channels, <const float *>weight, g.filters,
                                  <const float *>bias, <float *>x.out)):
        return
    for i in range(g.groups):
        x.n = columns_of(g, i)
        if x.n == 1 and bias != NULL:
            if g.kind == 0:
                fill_column(<float *>x.out, g.filters, x.m, (<const float *>x.start)[0])
            else:
                fill_column(<double *>x.out, g.filters, x.m, (<const double *>x.start)[0])
            x.start = NULL
        if g.plain:
            multiply_packed(&x, packed)
            if packed != NULL:
                packed += packed_size(&x)
        else:
            multiply_lattice(&x, seen, NULL)
        x.a += g.channels // g.groups * g.itemsize
        x.b += made
        x.out += made
        x.start = bias + (i + 1) * made if bias != NULL else NULL


cdef int forward(Geometry *g, View x, View w, View b, View y) except -1:
    """x (N, H, W, C), w (R, S, C / groups, O), y (N, P, Q, O)."""
    cdef Lattice seen
    cdef int t, threads = plan(g, GROUPED if g.plain and g.groups > 1 else CACHED)
    cdef Temporary _places = lattice(x, g, False, &seen)
    cdef Py_ssize_t size = g.plane + ROOM, count = g.images * g.blocks, i
    cdef Temporary room = temporary(x.memory.backend, x.dtype, 2, [threads, size // g.itemsize]), packed = None
    cdef Py_ssize_t most = 0, used = 0
    cdef Product p
    if g.plain and g.groups > 1 and count > 2:
        p.kind, p.m, p.k, p.b = g.kind, 2, g.inside, data(w)
        p.b_strides[0], p.b_strides[1] = g.filters, 1
        for i in range(g.groups):
            p.n = columns_of(g, i)
            most += packed_size(&p)
        packed = temporary(x.memory.backend, x.dtype, 1, [most // g.itemsize])
        for i in range(g.groups if most else 0):
            p.n = columns_of(g, i)
            pack_factor(&p, data(packed.view) + used)
            used += packed_size(&p)
            p.b += g.filters // g.groups * g.itemsize
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                forward_block(g, &seen, i, data(x), data(w), data(packed.view) if packed is not None else NULL,
                              data(b) if b is not None else NULL, data(y), data(room.view) + t * size)
    return 0


cdef inline tuple around(View weight, tuple padding, tuple dilation):
    """The padding of the convolution that is the gradient of another one's input, and the other way round."""
    return dilation[0] * (weight.sizes[2] - 1) - padding[0], dilation[1] * (weight.sizes[3] - 1) - padding[1]


cdef bint conv2d_last(View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups, View out,
                      DType dtype) except -1:
    cdef Geometry g
    cdef list keep = []
    cdef View x, b, y, target
    cdef Temporary w
    cdef bint few = few_of_group(groups, a, out, dtype.code - FLOAT32, weight.sizes + 2, stride, dilation, False, False)
    cdef bint strided = stride[0] != 1 or stride[1] != 1
    cdef Way way = PRODUCTS if few or strided else best_way(
        dtype.code - FLOAT32, out.sizes[1] // groups, weight.sizes[1], weight.sizes[2] * weight.sizes[3], False)
    if way == SUMS and groups == 1:
        by_sums(a, make_view(weight.memory, weight.dtype, weight.offset, 4,
                             [weight.sizes[1], weight.sizes[2], weight.sizes[3], weight.sizes[0]],
                             [weight.strides[1], weight.strides[2], weight.strides[3], weight.strides[0]]),
                bias, stride, around(weight, padding, dilation), dilation, True, out, dtype)
        return True
    if way == ROW_MAJOR or not few and (heavy(a, weight, out) or not sees(
            &g, a, weight.sizes, out, stride, padding, dilation, groups, dtype)):
        return False
    x, b, target = dense(last(a), dtype, keep), dense(bias, dtype, keep), last(out)
    y = writable(target, dtype, keep)
    w = converted(make_view(weight.memory, weight.dtype, weight.offset, 4,
                            [weight.sizes[2], weight.sizes[3], weight.sizes[1], weight.sizes[0]],
                            [weight.strides[2], weight.strides[3], weight.strides[1], weight.strides[0]]), dtype)
    if few:
        depthwise_last(x, w.view, b, stride, padding, dilation, groups, y)
    else:
        forward(&g, x, w.view, b, y)
    if y is not target:
        copy_views(y, target)
    return True


cdef bint input_last(View grad, View weight, tuple stride, tuple padding, tuple dilation, int groups, View out,
                     DType dtype) except -1:
    """out = the gradient of the input."""
    cdef Geometry g
    cdef list keep = []
    cdef View x, y, target
    cdef Temporary w, turned
    cdef Py_ssize_t r = weight.sizes[2], s = weight.sizes[3], made = weight.sizes[0] // groups, line, i
    cdef bint few = few_of_group(groups, grad, out, dtype.code - FLOAT32, weight.sizes + 2, stride, dilation, True,
                                 False)
    cdef bint strided = stride[0] != 1 or stride[1] != 1
    cdef Way way = PRODUCTS if few else best_way(dtype.code - FLOAT32, weight.sizes[1], made, r * s, strided)
    if way == SUMS and groups == 1:
        by_sums(grad, make_view(weight.memory, weight.dtype, weight.offset, 4, [made, r, s, weight.sizes[1]],
                                [weight.strides[0], weight.strides[2], weight.strides[3], weight.strides[1]]),
                None, stride, padding, dilation, False, out, dtype)
        return True
    if (way == ROW_MAJOR
            or not few and not sees(&g, grad, weight.sizes, out, (1, 1),
                                    (0, 0) if strided else around(weight, padding, dilation), dilation, groups, dtype)
            or strided and not few and not to_phases(&g, stride, padding, dilation)):
        return False
    x, target = dense(last(grad), dtype, keep), last(out)
    y = writable(target, dtype, keep)
    # (R, S, O / groups, C): a filter for each channel is seen by the channel that it makes.
    w = converted(make_view(weight.memory, weight.dtype, weight.offset, 5, [r, s, made, groups, weight.sizes[1]],
                            [weight.strides[2], weight.strides[3], weight.strides[0], made * weight.strides[0],
                             weight.strides[1]]), dtype)
    if few:
        depthwise_last_input(x, w.view, stride, padding, dilation, groups, y)
    elif strided:
        by_phases(&g, x, w.view, stride, padding, dilation, y)
    else:
        turned = w if r * s == 1 else temporary(weight.memory.backend, dtype, 5, w.view.sizes)
        line = weight.sizes[0] * weight.sizes[1] * dtype.itemsize
        for i in range(r * s if r * s > 1 else 0):
            memcpy(data(turned.view) + i * line, data(w.view) + (r * s - 1 - i) * line, line)
        forward(&g, x, turned.view, None, y)
    if y is not target:
        copy_views(y, target)
    return True


# ---- gradient of the input, with a stride

cdef struct Phases:             # inputs whose places have the same remainders by the stride, row by row of remainders
    Py_ssize_t[2] stride
    Py_ssize_t[2] size          # of the input
    const Py_ssize_t *first     # element of the kernel of each, in the phases' order; behind the last their number
    const Py_ssize_t *runs      # where the first input sees them


cdef bint to_phases(Geometry *g, tuple stride, tuple padding, tuple dilation) except -1:
    """From the geometry of all inputs, which see the output's gradient, to that of one phase; see `turned` in
    convolution.pyx."""
    cdef Py_ssize_t reach, step, pad
    cdef int i
    for i in range(2):
        step, pad = stride[i], padding[i]
        reach = (g.kernel[i] - 1) * <Py_ssize_t>dilation[i]
        if reach < pad:
            return False
        g.padding[i], g.out[i], g.dilation[i] = (reach - pad) // step, (g.out[i] + step - 1) // step, 1
        g.kernel[i] = g.padding[i] + (step - 1 + pad) // step + 1
    g.run, g.plain = g.channels // g.groups, False
    g.row = max(g.size[1] + 2 * g.padding[1], g.out[1] + g.kernel[1] - 1) * g.channels
    return True


cdef void put_phase(const Geometry *g, const Phases *p, Py_ssize_t phase, Py_ssize_t row, Py_ssize_t rows,
                    const char *a, char *out) noexcept nogil:
    """The gradients of one phase to their places in the input's; zeros where `a` is NULL."""
    cdef Py_ssize_t i, x, y, size = g.filters * g.itemsize
    for i in range(rows):
        y, x = (row + i) * p.stride[0] + phase // p.stride[1], phase % p.stride[1]
        while y < p.size[0] and x < p.size[1]:
            if a != NULL:
                memcpy(out + (y * p.size[1] + x) * size, a + (i * g.out[1] + x // p.stride[1]) * size, size)
            else:
                memset(out + (y * p.size[1] + x) * size, 0, size)
            x += p.stride[1]


cdef void phases_block(const Geometry *g, const Phases *p, const Lattice *all, Py_ssize_t index, const char *grad,
                       const char *weight, char *out, char *room) noexcept nogil:
    cdef Py_ssize_t image = index // g.blocks, row = index % g.blocks * g.rows, rows = min(g.rows, g.out[0] - row), i, j
    cdef char *made = room + g.plane + ROOM
    cdef Lattice seen = all[0]
    cdef Product x
    if rows <= 0:
        return
    lay_out(g, grad + image * g.size[0] * g.size[1] * g.channels * g.itemsize, row, rows, room)
    out += image * p.size[0] * p.size[1] * g.filters * g.itemsize
    x.kind, x.m, x.n, x.alpha, x.beta = g.kind, rows * g.out[1], g.filters // g.groups, 1, 0
    x.start, x.room = NULL, room + g.plane
    x.a_strides[0], x.a_strides[1], x.b_strides[0], x.b_strides[1] = g.channels, 1, g.filters, 1
    x.out_strides[0], x.out_strides[1] = g.filters, 1
    for i in range(p.stride[0] * p.stride[1]):
        seen.runs = p.runs + p.first[i]
        x.k = (p.first[i + 1] - p.first[i]) * g.run
        for j in range(g.groups if x.k else 0):
            x.a, x.b = room + j * g.run * g.itemsize, weight + (p.first[i] * g.run * g.filters + j * x.n) * g.itemsize
            x.out = made + j * x.n * g.itemsize
            multiply_lattice(&x, &seen, NULL)
        put_phase(g, p, i, row, rows, made if x.k else NULL, out)


cdef int by_phases(Geometry *g, View grad, View w, tuple stride, tuple padding, tuple dilation, View out) except -1:
    """grad (N, P, Q, O), w (R, S, O / groups, C), out (N, H, W, C)."""
    cdef Py_ssize_t[2] step, pad
    cdef Py_ssize_t taps = w.sizes[0] * w.sizes[1], line = w.elements // taps * g.itemsize, i, r, s, x, y, n = 0
    cdef int t, threads = plan(g, CACHED)
    cdef Py_ssize_t count = g.images * g.blocks, made = g.rows * g.out[1] * g.filters * g.itemsize
    cdef Py_ssize_t size = (g.plane + ROOM + made + 63) // 64 * 64
    cdef Temporary sorted = temporary(grad.memory.backend, grad.dtype, w.rank, w.sizes), places, room
    cdef Py_ssize_t *place
    cdef Lattice seen
    cdef Phases p
    for i in range(2):
        step[i], pad[i] = stride[i], padding[i]
        p.stride[i], p.size[i] = step[i], out.sizes[i + 1]
    places = temporary(grad.memory.backend, dtype_of(INT64), 1, [step[0] * step[1] + 1 + taps + g.rows * g.out[1]])
    place = <Py_ssize_t *>data(places.view)
    p.first, p.runs = place, place + step[0] * step[1] + 1
    for i in range(step[0] * step[1]):
        place[i] = n
        for r in range(w.sizes[0]):
            for s in range(w.sizes[1]):
                y = i // step[1] + pad[0] - r * <Py_ssize_t>dilation[0]
                x = i % step[1] + pad[1] - s * <Py_ssize_t>dilation[1]
                if y % step[0] == 0 and x % step[1] == 0:
                    y, x = y // step[0] + g.padding[0], x // step[1] + g.padding[1]
                    place[step[0] * step[1] + 1 + n] = y * g.row + x * g.channels
                    memcpy(data(sorted.view) + n * line, data(w) + (r * w.sizes[1] + s) * line, line)
                    n += 1
    place[step[0] * step[1]] = n
    place += step[0] * step[1] + 1 + taps
    seen.rows, seen.run = place, g.run
    for i in range(g.rows * g.out[1]):
        place[i] = i // g.out[1] * g.row + i % g.out[1] * g.channels
    room = temporary(grad.memory.backend, grad.dtype, 2, [threads, size // g.itemsize])
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                phases_block(g, &p, &seen, i, data(grad), data(sorted.view), data(out), data(room.view) + t * size)
    return 0


# ---- gradient of the weight

cdef bint better_turned(const Geometry *g) noexcept:
    """Whether filters fill more of the product's vectors, or more vectors, than what a position sees, or lie side by
    side where what it sees would have to be put together."""
    cdef Py_ssize_t lanes = VECTOR_BYTES // g.itemsize, filters = g.filters // g.groups
    cdef Py_ssize_t seen = (g.inside + lanes - 1) // lanes, made = (filters + lanes - 1) // lanes
    if not g.plain:
        return g.run % lanes != 0 and g.run % 8 == 0 and g.groups > 1 and filters > 8
    return (made * 8 + (made == 1)) * ((g.inside + 3) // 4) < (seen * 8 + (seen == 1)) * ((filters + 3) // 4)


cdef void weight_block(const Geometry *g, const Lattice *seen, bint turned, Py_ssize_t index, const char *grad,
                       const char *a, char *out, char *room) noexcept nogil:
    """Adds a block's part to out (O, R, S, C / groups) or, turned, (groups, R, S, C / groups, O / groups)."""
    cdef Py_ssize_t image = index // g.blocks, row = index % g.blocks * g.rows, rows = min(g.rows, g.out[0] - row), i
    cdef Product x
    if rows <= 0:
        return
    a += image * g.size[0] * g.size[1] * g.channels * g.itemsize
    x.kind, x.m, x.n, x.k, x.alpha, x.beta = g.kind, g.filters // g.groups, g.inside, rows * g.out[1], 1, 1
    x.a, x.b = grad + (image * g.out[0] + row) * g.out[1] * g.filters * g.itemsize, room
    x.out, x.start, x.room = out, NULL, room + g.plane
    x.a_strides[0], x.a_strides[1], x.b_strides[0], x.b_strides[1] = 1, g.filters, g.channels, 1
    x.out_strides[0], x.out_strides[1] = g.inside, 1
    if g.plain:
        x.b = a + row * g.size[1] * g.channels * g.itemsize
    else:
        lay_out(g, a, row, rows, room)
    if turned:
        x.a, x.b, x.m, x.n, x.out_strides[0] = x.b, x.a, x.n, x.m, x.m
        x.a_strides[1], x.b_strides[0] = g.stride[1] * g.channels, g.filters
    for i in range(g.groups):
        if g.plain:
            multiply(&x)
        elif turned:
            multiply_lattice(&x, seen, NULL)
        else:
            multiply_lattice(&x, NULL, seen)
        x.a += (g.channels // g.groups if turned else x.m) * g.itemsize
        x.b += (x.n if turned else g.channels // g.groups) * g.itemsize
        x.out += x.m * x.n * g.itemsize


cdef bint weight_last(View grad, View a, tuple stride, tuple padding, tuple dilation, int groups, View out,
                      DType dtype) except -1:
    cdef Geometry g
    cdef Lattice seen
    cdef list keep = []
    cdef View x, dy, y, target
    cdef Temporary room, sums, _places
    cdef Py_ssize_t size, count, n = out.elements, made = out.sizes[0] // groups, seen_by = out.sizes[1], i
    cdef int t, threads
    cdef bint few = few_of_group(groups, a, grad, dtype.code - FLOAT32, out.sizes + 2, stride, dilation, False, True)
    cdef bint turned = False
    if not few and (not describe(&g, a, out.sizes, grad, stride, padding, dilation, groups, dtype)
                    or groups > 1 and not any_strides(g.kind, made, g.inside)):
        return False
    x, dy = dense(last(a), dtype, keep), dense(last(grad), dtype, keep)
    threads = (depthwise_last_threads(dy, n // out.sizes[0]) if few
               else plan(&g, GROUPED if g.plain and groups > 1 else CACHED))
    # (threads, O, R, S, C / groups); of few, (threads, R, S, C / groups, O)
    cdef Py_ssize_t *sizes = [groups, made, seen_by, out.sizes[2], out.sizes[3], threads]
    cdef Py_ssize_t *strides = [made, 1, out.sizes[0], out.sizes[3] * seen_by * out.sizes[0],
                                seen_by * out.sizes[0], n]
    cdef Py_ssize_t *order = [threads, out.sizes[2], out.sizes[3], n // (out.sizes[2] * out.sizes[3])]
    sums = temporary(x.memory.backend, dtype, 4, order)
    memset(data(sums.view), 0, threads * n * dtype.itemsize)
    if few:
        depthwise_last_weight(dy, x, stride, padding, dilation, groups, sums.view, threads)
        if seen_by > made and sees_itself(a.sizes + 2, grad.sizes + 2, out.sizes + 2, stride):
            strides[0], strides[1], strides[2] = seen_by, seen_by * groups, 1
    else:
        turned = better_turned(&g)
        strides[0], strides[1], strides[2] = made * g.inside, 1 if turned else g.inside, made if turned else 1
        strides[3], strides[4] = strides[2] * out.sizes[3] * seen_by, strides[2] * seen_by
        _places = lattice(x, &g, turned, &seen)
        size, count = g.plane + ROOM, g.images * g.blocks
        room = temporary(x.memory.backend, dtype, 2, [threads, size // g.itemsize])
        with nogil:
            for t in prange(threads, num_threads=threads, schedule="static"):
                for i in range(count * t // threads, count * (t + 1) // threads):
                    weight_block(&g, &seen, turned, i, data(dy), data(x), data(sums.view) + t * n * g.itemsize,
                                 data(room.view) + t * size)
    target = make_view(out.memory, out.dtype, out.offset, 5, sizes,
                       [made * out.strides[0], out.strides[0], out.strides[1], out.strides[2], out.strides[3]])
    if threads == 1:
        copy_views(make_view(sums.view.memory, dtype, sums.view.offset, 5, sizes, strides), target)
        return True
    y = writable(target, dtype, keep)
    cpu_reduce(SUM, make_view(sums.view.memory, dtype, sums.view.offset, 6, sizes, strides), y)
    if y is not target:
        copy_views(y, target)
    return True
