# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10
"""Convolutions as products of a matrix of weights with one of what each position sees.

That second matrix is not made. What a block of rows sees is laid out in padded planes (kernels/depthwise.pyx), in
which every position sees the same elements at the same distances from it, and the product finds them there: a
`Lattice` of serial_product.pxd. Only where BLAS does the product is the matrix written out. Blocks are shared among
threads, each with planes of its own. Kernels of one element that move by one read the input where it lies. Computed in
float32 and float64 (16-bit floats in float32); other dtypes are declined, and the core composes them.

Where the images are small, several make a block together.

The gradient of the input is such a convolution too, of the output's gradient with the weights the other way round. With
a stride, inputs see different elements of the kernel, as their place is modulo the stride: a product for each of these
phases.

Few channels that lie side by side (`channels_last`) are put into the planes' rows as a block is laid out,
and what is made from them is put back, with the bias added, from rows that stay in the cache.
"""
from cython.parallel cimport prange
from libc.limits cimport INT_MAX
from libc.string cimport memcpy, memset

from cygrad.backend cimport SUM
from cygrad.dtype cimport DType, INT64, dtype_of
from cygrad.view cimport View, data, make_view
from cygrad_cpu.nn.convolution_blocks cimport (CHANNELS, Geometry, Order, TAPS, TURNED_TAPS, describe, last, lattice,
                                               lay_out, lie_last, matrix_of, plan, room_made, row_made, turn_back,
                                               turned, unit_made, unit_seen, weigh, work_room)
from cygrad_cpu.nn.convolution_last cimport conv2d_last, input_last, weight_last
from cygrad_cpu.nn.depthwise cimport Stencil, depthwise, depthwise_input, depthwise_weight, is_depthwise
from cygrad_cpu.products.serial_product cimport Lattice, Product, ROOM, multiply, multiply_lattice
from cygrad_cpu.reduce.reduce cimport cpu_reduce
from cygrad_cpu.runtime.temporaries cimport Temporary, computed, converted, copy_views, dense, temporary, writable
from cygrad_cpu.simd.element_types cimport Real

cdef enum:
    SUMMED = 384                # positions that one product of the weight's gradient should at least sum over
    STACKED = 256               # positions that one product should make, if several images give so many
    STACKED_FILTERS = 32        # ... of so many filters
    PARTIAL = 1 << 25           # most elements of the threads' sums of the weight's gradient


# ---- forward

cdef void fill_rows(const Real *bias, Real *out, Py_ssize_t filters, Py_ssize_t step, Py_ssize_t count) noexcept nogil:
    """Each row in parts twice as long as before: a loop of single numbers is as fast as it happens to be aligned."""
    cdef Py_ssize_t o, i, done
    for o in range(filters):
        done = min(count, <Py_ssize_t>16)
        for i in range(done):
            out[i] = bias[o]
        while done < count:
            i = min(done, count - done)
            memcpy(out + done, out, i * sizeof(Real))
            done += i
        out += step


cdef void forward_block(const Geometry *g, const Lattice *seen, Py_ssize_t together, Py_ssize_t index, const char *a,
                        const char *weight, const char *bias, char *out, char *room) noexcept nogil:
    """A block of rows of an image or, of images that are small, `together` whole ones."""
    cdef Py_ssize_t group = index // g.blocks % g.groups, image = index // g.blocks // g.groups * together, i, o
    cdef Py_ssize_t row = index % g.blocks * g.rows, rows = min(g.rows, g.seen.out[0] - row)
    cdef Py_ssize_t images = min(together, g.images - image), unit = image * g.groups + group
    cdef Py_ssize_t positions = images * rows * g.seen.out[1], line = rows * g.seen.out[1] * g.itemsize
    cdef bint apart = g.made_pixel or together > 1          # it is made in memory of its own
    cdef Py_ssize_t step = row_made(g, positions) if apart else g.out[1]
    cdef char *made = room + g.planes + g.matrix + ROOM if apart else out + unit_made(g, unit, row)
    if rows <= 0:
        return
    if g.plain:
        a += unit_seen(g, unit) + row * g.seen.out[1] * g.itemsize
    else:
        for i in range(images):
            lay_out(g, a + unit_seen(g, unit + i * g.groups), row, rows, room + i * g.channels * g.plane * g.itemsize)
    if bias != NULL:
        bias += group * g.filters * g.itemsize
        if g.kind == 0 and not g.made_pixel:
            fill_rows(<const float *>bias, <float *>made, g.filters, step, positions)
        elif g.kind:
            fill_rows(<const double *>bias, <double *>made, g.filters, step, positions)
    weigh(g, seen, weight + group * g.filters * g.inside * g.itemsize, g.inside, g.inside, positions, a,
          bias != NULL and (g.kind or not g.made_pixel), made, step, room)
    if g.made_pixel:
        turn_back(g, positions, made, bias, out + unit_made(g, unit, row))
        return
    for i in range(images if apart else 0):
        for o in range(g.filters):
            memcpy(out + unit_made(g, unit + i * g.groups, row) + o * g.out[1] * g.itemsize,
                   made + o * step * g.itemsize + i * line, line)


cdef Py_ssize_t stacked(const Geometry *g, int threads) noexcept:
    """How many images to make together: of one the last vector of positions may be mostly empty."""
    cdef Py_ssize_t most = min(STACKED // g.area, g.images * g.groups // threads, g.images), stacks
    if g.copied or g.blocks > 1 or most < 2 or g.filters < STACKED_FILTERS:
        return 1
    if g.plain and min(g.filters, g.inside) < STACKED:      # to lay it out would take as long as it saves
        return 1
    stacks = (g.images + most - 1) // most
    return (g.images + stacks - 1) // stacks


cdef int forward(Geometry *g, View x, View w, View b, View y, Order order) except -1:
    cdef Temporary room, _places
    cdef Lattice seen
    cdef Py_ssize_t i, count, size, together
    cdef int t, threads = plan(g, g.filters, g.area, g.images * g.groups * g.filters * g.area * g.inside)
    together = stacked(g, threads) if g.images > 1 and g.area > 0 else 1
    g.plain = g.plain and together == 1
    _places = lattice(x, g, together, order, &seen)
    room = work_room(x, g, x.dtype, threads, together, room_made(g, together) if g.made_pixel or together > 1 else 0)
    size = room.view.strides[0] * g.itemsize
    count = (g.images + together - 1) // together * g.groups * g.blocks
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                forward_block(g, &seen, together, i, data(x), data(w), data(b) if b is not None else NULL, data(y),
                              data(room.view) + t * size)
    return 0


cdef inline Py_ssize_t pixel_of(View t, DType dtype):
    """The channels of what is read or written where they lie, side by side; 0 if it is copied where they do."""
    return t.sizes[1] if t.dtype is dtype and lie_last(t) and last(t).dense else 0


cdef object cpu_conv2d(View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups,
                       View out):
    cdef DType dtype = computed(out.dtype)
    cdef Geometry g
    cdef list keep = []
    cdef View x, w, b, y
    cdef bint by_taps
    if dtype is None or not describe(&g, a, weight, out, stride, padding, dilation, groups, dtype):
        return NotImplemented
    if (lie_last(out) or out.sizes[1] == 1 and lie_last(a)) and conv2d_last(
            a, weight, bias, stride, padding, dilation, groups, out, dtype):
        return
    if not is_depthwise(a, weight, groups):
        g.seen_pixel, g.made_pixel = pixel_of(a, dtype), pixel_of(out, dtype)
        g.plain = g.plain and not g.seen_pixel
    by_taps = lie_last(weight) and not is_depthwise(a, weight, groups)
    x = a if g.seen_pixel else dense(a, dtype, keep)
    w, b, y = dense(last(weight) if by_taps else weight, dtype, keep), dense(bias, dtype, keep), out
    if not (g.made_pixel or dtype is out.dtype and out.strides[3] == 1 and out.strides[2] == out.sizes[3]
            and out.strides[1] >= g.area and out.strides[0] > 0 and out.strides[1] <= INT_MAX
            and not is_depthwise(a, weight, groups)):
        y = writable(out, dtype, keep)
    g.out[0], g.out[1] = y.strides[0], y.strides[1]
    if is_depthwise(a, weight, groups):
        depthwise(x, w, b, stride, padding, dilation, y)
    else:
        forward(&g, x, w, b, y, TAPS if by_taps else CHANNELS)
    if y is not out:
        copy_views(y, out)


# ---- gradient of the input

cdef struct Phases:             # inputs whose places have the same remainders by the stride, row by row of remainders
    Py_ssize_t[2] stride
    Py_ssize_t[2] size          # of the input
    const Py_ssize_t *first     # row of the weights of each, and behind the last their number
    Lattice seen                # rows of all of them, one after another


cdef Temporary phases(View like, const Geometry *g, const Geometry *t, Phases *found, list taps):
    """What the inputs of each phase see; appends which elements of a kernel these are."""
    cdef const Stencil *s = &g.seen
    cdef Py_ssize_t count = s.stride[0] * s.stride[1], i, f, r, q, y, x
    cdef Temporary made = temporary(like.memory.backend, dtype_of(INT64), 1, [count + 1 + t.inside + t.rows])
    cdef Py_ssize_t *first = <Py_ssize_t *>data(made.view)
    cdef Py_ssize_t *place = first + count + 1
    for i in range(2):
        found.stride[i], found.size[i] = s.stride[i], s.size[i]
    found.first, found.seen.rows, found.seen.runs, found.seen.run = first, place, place + t.inside, t.seen.out[1]
    for i in range(count):
        first[i] = place - found.seen.rows
        for r in range(s.kernel[0]):
            for q in range(s.kernel[1]):
                y = i // s.stride[1] + s.padding[0] - r * s.dilation[0]
                x = i % s.stride[1] + s.padding[1] - q * s.dilation[1]
                if y % s.stride[0] == 0 and x % s.stride[1] == 0:
                    taps.append(r * s.kernel[1] + q)
                    y, x = y // s.stride[0] + t.seen.padding[0], x // s.stride[1] + t.seen.padding[1]
                    for f in range(t.channels):
                        place[f] = f * t.plane + y * t.seen.row + x
                    place += t.channels
    first[count] = place - found.seen.rows
    for i in range(t.rows):
        place[i] = i * t.seen.row
    return made


cdef Temporary turned_weights(View weight, const Geometry *g, list taps):
    """(groups, channels, taps, filters), the taps in the order of their phases."""
    cdef Py_ssize_t *sizes = [g.groups, g.channels, g.taps, g.filters]
    cdef Py_ssize_t *strides = [g.filters * g.inside, g.taps, 1, g.inside]
    cdef View whole = make_view(weight.memory, weight.dtype, weight.offset, 4, sizes, strides)
    cdef Temporary made = converted(whole, weight.dtype), sorted
    cdef Py_ssize_t i, k, line = g.filters * g.itemsize
    if taps == list(range(g.taps)):
        return made
    sorted = temporary(weight.memory.backend, weight.dtype, 4, sizes)
    for k in range(g.taps):
        for i in range(g.groups * g.channels):
            memcpy(data(sorted.view) + (i * g.taps + k) * line,
                   data(made.view) + (i * g.taps + <Py_ssize_t>taps[k]) * line, line)
    return sorted


cdef void put_phase(const Real *a, const Geometry *t, const Phases *p, Py_ssize_t phase, Py_ssize_t row,
                    Py_ssize_t rows, Real *out) noexcept nogil:
    """The gradients of one phase to their places in the input's; zeros where `a` is NULL."""
    cdef Py_ssize_t c, i, j, y, x = phase % p.stride[1], width = t.seen.out[1]
    cdef Real *line
    for c in range(t.filters):
        for i in range(rows):
            y = (row + i) * p.stride[0] + phase // p.stride[1]
            if y < p.size[0]:
                line = out + (c * p.size[0] + y) * p.size[1] + x
                for j in range((p.size[1] - x + p.stride[1] - 1) // p.stride[1]):
                    line[j * p.stride[1]] = a[(c * rows + i) * width + j] if a != NULL else 0


cdef void input_block(const Geometry *t, const Phases *p, Py_ssize_t index, const char *grad, const char *weight,
                      char *out, char *room) noexcept nogil:
    cdef Py_ssize_t unit = index // t.blocks, group = unit % t.groups, row = index % t.blocks * t.rows, i, k
    cdef Py_ssize_t rows = min(t.rows, t.seen.out[0] - row), positions = rows * t.seen.out[1]
    cdef char *made = room + t.planes + t.matrix + ROOM
    cdef Lattice seen = p.seen
    if rows <= 0:
        return
    weight += group * t.filters * t.inside * t.itemsize
    out += unit * t.filters * p.size[0] * p.size[1] * t.itemsize
    lay_out(t, grad + unit_seen(t, unit), row, rows, room)
    for i in range(p.stride[0] * p.stride[1]):
        k = p.first[i + 1] - p.first[i]
        seen.rows = p.seen.rows + p.first[i]
        if k:
            weigh(t, &seen, weight + p.first[i] * t.itemsize, t.inside, k, positions, NULL, False, made, positions,
                  room)
        if t.kind == 0:
            put_phase(<const float *>made if k else NULL, t, p, i, row, rows, <float *>out)
        else:
            put_phase(<const double *>made if k else NULL, t, p, i, row, rows, <double *>out)


cdef int grad_of_input(Geometry *g, View grad, View weight, View y, DType dtype) except -1:
    """Of a `g` whose pixels are those of the two, where they are read or written so."""
    cdef Geometry t = turned(g)
    cdef Phases found
    cdef Temporary room, _places, turned_weight
    cdef list taps = []
    cdef Py_ssize_t i, size, count
    cdef int j, threads
    if g.seen.stride[0] * g.seen.stride[1] == 1:
        t.out[0], t.out[1] = t.groups * t.filters * t.area, t.area
        turned_weight = turned_weights(weight, g, list(range(g.taps)))
        return forward(&t, grad, turned_weight.view, None, y, TURNED_TAPS)
    threads = plan(&t, t.filters, t.area, g.images * g.groups * g.filters * g.area * g.inside)
    _places = phases(grad, g, &t, &found, taps)
    turned_weight = turned_weights(weight, g, taps)
    room = work_room(grad, &t, dtype, threads, 1, room_made(&t, 1))
    size = room.view.strides[0] * g.itemsize
    count = t.images * t.groups * t.blocks
    with nogil:
        for j in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * j // threads, count * (j + 1) // threads):
                input_block(&t, &found, i, data(grad), data(turned_weight.view), data(y), data(room.view) + j * size)
    return 0


# ---- gradient of the weight

cdef void weight_block(const Geometry *g, const Lattice *seen, Py_ssize_t together, Py_ssize_t index, const char *grad,
                       const char *a, char *out, char *room) noexcept nogil:
    """Add what a block of `together` images gives to the turned gradient of its group's weights: what is seen (inside,
    positions) @ the gradient (positions, filters). Of a plain convolution, the other way round."""
    cdef Py_ssize_t stacks = (g.images + together - 1) // together, row = index % g.blocks * g.rows, i
    cdef Py_ssize_t image = index // g.blocks % stacks * together, group = index // g.blocks // stacks
    cdef Py_ssize_t rows = min(g.rows, g.seen.out[0] - row), images = min(together, g.images - image)
    cdef Py_ssize_t unit = image * g.groups + group, area = g.channels * g.seen.size[0] * g.seen.size[1] * g.itemsize
    cdef Product x
    if rows <= 0:
        return
    a += unit * area
    x.kind, x.alpha, x.beta, x.start, x.room = g.kind, 1, 1, NULL, room + g.planes + g.matrix
    x.out = out + group * g.filters * g.inside * g.itemsize
    x.k = images * rows * g.seen.out[1]
    if together == 1:
        grad += (unit * g.filters * g.area + row * g.seen.out[1]) * g.itemsize
    else:
        grad += (group * g.images + image) * g.area * g.filters * g.itemsize
    if g.plain:
        x.m, x.n, x.a, x.b = g.filters, g.inside, grad, a + row * g.seen.out[1] * g.itemsize
        x.a_strides[0], x.a_strides[1], x.b_strides[0], x.b_strides[1] = g.area, 1, 1, g.area
        x.out_strides[0], x.out_strides[1] = g.inside, 1
        multiply(&x)
        return
    x.m, x.n, x.a, x.b, x.out_strides[0], x.out_strides[1] = g.inside, g.filters, room, grad, g.filters, 1
    x.a_strides[1], x.b_strides[0] = 1, 1 if together == 1 else g.filters
    x.b_strides[1] = g.area if together == 1 else 1
    for i in range(images):
        lay_out(g, a + i * g.groups * area, row, rows, room + i * g.channels * g.plane * g.itemsize)
    if not g.copied:
        multiply_lattice(&x, seen, NULL)
        return
    x.a, x.a_strides[0], x.a_strides[1] = matrix_of(g, seen, g.inside, x.k, room), x.k, 1
    multiply(&x)


cdef int grad_of_weight(Geometry *g, View grad, View a, View y, DType dtype) except -1:
    """Sums of the threads first, each over its share of the blocks; then the sum of those. Several images that are
    small make a block together, with their gradients turned."""
    cdef Temporary room, _places, sums, turned = None
    cdef Lattice seen
    cdef Py_ssize_t i, size, count, together = 1, n = y.elements
    cdef Py_ssize_t *sizes = [g.groups, g.images, g.area, g.filters]
    cdef Py_ssize_t *strides = [g.filters * g.area, g.groups * g.filters * g.area, 1, g.area]
    cdef int t, threads = plan(g, g.inside, g.filters, g.images * g.groups * g.filters * g.area * g.inside)
    threads = <int>min(<Py_ssize_t>threads, max(1, PARTIAL // n))
    if not g.plain and g.blocks == 1:
        together = max(1, min(SUMMED // g.area, g.images * g.groups // threads, g.images))
    if together > 1:
        turned = converted(make_view(grad.memory, dtype, grad.offset, 4, sizes, strides), dtype)
        grad = turned.view
    _places = lattice(grad, g, together, TAPS, &seen)
    room = work_room(grad, g, dtype, threads, together, 0)
    sums = temporary(grad.memory.backend, dtype, 2, [threads, n])
    memset(data(sums.view), 0, threads * n * g.itemsize)
    size = room.view.strides[0] * g.itemsize
    count = g.groups * ((g.images + together - 1) // together) * g.blocks
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                weight_block(g, &seen, together, i, data(grad), data(a), data(sums.view) + t * n * g.itemsize,
                             data(room.view) + t * size)
    return add_sums(g, sums.view, make_view(y.memory, dtype, y.offset, 4, [g.groups, g.filters, g.channels, g.taps],
                                            [n // g.groups, g.inside, g.taps, 1]))


cdef int add_sums(const Geometry *g, View sums, View y) except -1:
    """y (groups, filters, channels, taps) = the sum of all (groups, taps, channels, filters); those of a plain one lie
    like y."""
    cdef Py_ssize_t *sizes = [g.groups, g.filters, g.channels, g.taps, sums.sizes[0]]
    cdef Py_ssize_t *strides = [g.filters * g.inside, 1, g.filters, g.channels * g.filters, sums.strides[0]]
    if g.plain:
        strides[1], strides[2] = g.inside, 1
    if sums.sizes[0] == 1:
        copy_views(make_view(sums.memory, sums.dtype, sums.offset, 4, sizes, strides), y)
    else:
        cpu_reduce(SUM, make_view(sums.memory, sums.dtype, sums.offset, 5, sizes, strides), y)
    return 0


cdef object cpu_conv2d_backward(View grad, View a, View weight, tuple stride, tuple padding, tuple dilation, int groups,
                                View grad_a, View grad_weight, View grad_bias):
    cdef DType dtype = computed(grad.dtype)
    cdef Geometry g
    cdef list keep = []
    cdef View dy, sums, x, y
    cdef Py_ssize_t *order = [1, 0, 2, 3]
    cdef Py_ssize_t[4] sizes
    cdef Py_ssize_t[4] strides
    cdef bint beside
    cdef int i
    if dtype is None or not describe(&g, a, weight, grad, stride, padding, dilation, groups, dtype):
        return NotImplemented
    beside = lie_last(grad) or grad.sizes[1] == 1 and lie_last(a)
    if beside:
        dy = grad if grad.dtype is dtype else dense(grad, dtype, keep)
    else:
        dy = dense(grad, dtype, keep)
    if grad_bias is not None:
        for i in range(4):
            sizes[i], strides[i] = dy.sizes[order[i]], dy.strides[order[i]]
        sums = writable(grad_bias, dtype, keep)
        cpu_reduce(SUM, make_view(dy.memory, dtype, dy.offset, 4, sizes, strides), sums)
        if sums is not grad_bias:
            copy_views(sums, grad_bias)
    if grad_weight is not None and beside and weight_last(grad, a, stride, padding, dilation, groups, grad_weight,
                                                           dtype):
        grad_weight = None
    if grad_a is not None and beside and input_last(grad, weight, stride, padding, dilation, groups, grad_a, dtype):
        grad_a = None
    if grad_weight is None and grad_a is None:
        return
    if grad_weight is not None or is_depthwise(a, weight, groups):
        dy = dense(dy, dtype, keep)
    if grad_weight is not None:
        x, y = dense(a, dtype, keep), writable(grad_weight, dtype, keep)
        if is_depthwise(a, weight, groups):
            depthwise_weight(dy, x, stride, padding, dilation, y)
        else:
            grad_of_weight(&g, dy, x, y, dtype)
        if y is not grad_weight:
            copy_views(y, grad_weight)
    if grad_a is not None:
        if not is_depthwise(a, weight, groups):
            g.seen_pixel, g.plain = pixel_of(dy, dtype), g.plain and not pixel_of(dy, dtype)
            g.made_pixel = pixel_of(grad_a, dtype) if g.seen.stride[0] * g.seen.stride[1] == 1 else 0
            dy = dy if g.seen_pixel else dense(dy, dtype, keep)
        x, y = dense(weight, dtype, keep), grad_a if g.made_pixel else writable(grad_a, dtype, keep)
        if is_depthwise(a, weight, groups):
            depthwise_input(dy, x, stride, padding, dilation, y)
        else:
            grad_of_input(&g, dy, x, y, dtype)
        if y is not grad_a:
            copy_views(y, grad_a)
