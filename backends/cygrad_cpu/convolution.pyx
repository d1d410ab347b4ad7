"""Convolutions as matrix products: what each output position sees is copied into a column.

The unit of work is a block of output rows of one image and group, small enough for its columns to stay in the cache;
the blocks are shared among threads, each with columns of its own. Kernels of one element that move by one read their
columns where they lie. Computed in float32 and float64 (16-bit floats in float32); other dtypes are declined, and the
core composes them.
"""
from cython.parallel cimport prange
from libc.limits cimport INT_MAX
from libc.string cimport memcpy, memset

from cygrad.backend cimport SUM
from cygrad.dtype cimport DType, FLOAT32
from cygrad.view cimport View, data, make_view
from cygrad_cpu.depthwise cimport depthwise, depthwise_input, depthwise_weight, is_depthwise
from cygrad_cpu.gemm cimport Product, ROOM, any_strides, load_blas, multiply
from cygrad_cpu.numbers cimport Real
from cygrad_cpu.parallel cimport threads_for
from cygrad_cpu.reduction cimport cpu_reduce
from cygrad_cpu.temporary cimport Temporary, computed, copy_views, dense, temporary, writable

cdef enum:
    GRAIN = 250000              # multiplications that a thread should at least get
    CACHED = 1 << 17            # elements of a block's columns
    POSITIONS = 64              # ... but at least so many columns, for the products' sake
    PARTIAL = 1 << 25           # most elements of the threads' sums of the weight's gradient


cdef struct Geometry:
    int kind                    # 0 float32, 1 float64
    Py_ssize_t itemsize
    Py_ssize_t images
    Py_ssize_t groups
    Py_ssize_t channels         # of a group
    Py_ssize_t filters          # of a group
    Py_ssize_t height, width    # of the input
    Py_ssize_t r, s             # of the kernel
    Py_ssize_t p, q             # of the output
    Py_ssize_t[2] stride
    Py_ssize_t[2] padding
    Py_ssize_t[2] dilation
    Py_ssize_t inside           # channels * r * s
    Py_ssize_t rows             # output rows of a block
    Py_ssize_t blocks           # of one image
    bint plain                  # the columns are the input itself
    Py_ssize_t columns          # bytes of a block's columns


# ---- geometry

cdef bint describe(Geometry *g, View a, View weight, View out, tuple stride, tuple padding, tuple dilation, int groups,
                   DType dtype) except -1:
    """Fill in everything but `rows` and `blocks`; False where BLAS can't count the elements."""
    cdef int i
    g.kind = dtype.code - FLOAT32
    g.itemsize = dtype.itemsize
    g.images, g.groups = a.sizes[0], groups
    g.channels, g.filters = a.sizes[1] // groups, weight.sizes[0] // groups
    g.height, g.width = a.sizes[2], a.sizes[3]
    g.r, g.s = weight.sizes[2], weight.sizes[3]
    g.p, g.q = out.sizes[2], out.sizes[3]
    for i in range(2):
        g.stride[i], g.padding[i], g.dilation[i] = stride[i], padding[i], dilation[i]
    g.inside = g.channels * g.r * g.s
    if not any_strides(g.kind, g.filters, g.p * g.q):
        load_blas()
    g.plain = (g.r == 1 and g.s == 1 and g.stride[0] == 1 and g.stride[1] == 1 and g.padding[0] == 0
               and g.padding[1] == 0)
    return g.p * g.q <= INT_MAX and g.inside <= INT_MAX and g.filters <= INT_MAX and g.height * g.width <= INT_MAX


cdef int plan(Geometry *g, Py_ssize_t units) noexcept:
    """Choose the blocks for `units` independent parts of an image's work; returns the number of threads."""
    cdef int threads = threads_for(g.images * g.groups * g.filters * g.p * g.q * g.inside, GRAIN)
    cdef Py_ssize_t positions = max(<Py_ssize_t>CACHED // g.inside, <Py_ssize_t>POSITIONS)
    g.rows = min(g.p, (positions + g.q - 1) // g.q)
    if units * ((g.p + g.rows - 1) // g.rows) < threads:
        g.rows = max(1, units * g.p // threads)
    g.blocks = (g.p + g.rows - 1) // g.rows
    return threads


cdef Temporary work_room(View like, Geometry *g, DType dtype, int threads):
    """For each thread the columns of a block, and the room of a product."""
    g.columns = 0 if g.plain else (g.inside * g.rows * g.q * g.itemsize + 63) // 64 * 64
    cdef Py_ssize_t *sizes = [threads, (g.columns + ROOM) // g.itemsize]
    return temporary(like.memory.backend, dtype, 2, sizes)


# ---- columns

cdef inline void valid_range(const Geometry *g, Py_ssize_t s, Py_ssize_t *first, Py_ssize_t *last) noexcept nogil:
    """Output columns first .. last - 1 see the input, not the padding, at column s of the kernel."""
    cdef Py_ssize_t shift = s * g.dilation[1] - g.padding[1], step = g.stride[1]
    first[0] = 0 if shift >= 0 else min(g.q, (-shift + step - 1) // step)
    last[0] = 0 if g.width <= shift else min(g.q, (g.width - shift + step - 1) // step)
    if last[0] < first[0]:
        last[0] = first[0]


cdef inline void copy_line(const Real *a, Real *out, Py_ssize_t n) noexcept nogil:
    """Few elements, for which a call of memcpy would take as long as the copy."""
    cdef Py_ssize_t i = 0
    while i + 8 <= n:
        memcpy(out + i, a + i, 8 * sizeof(Real))
        i += 8
    while i < n:
        out[i] = a[i]
        i += 1


cdef void make_columns(const Real *a, const Geometry *g, Py_ssize_t row, Py_ssize_t rows, Real *out) noexcept nogil:
    """(inside, rows * q): what output rows row, row + 1, ... see of the channels from `a` on."""
    cdef Py_ssize_t c, r, s, p, q, y, first, last, shift, step = g.stride[1]
    cdef const Real *line
    for c in range(g.channels):
        for r in range(g.r):
            for s in range(g.s):
                valid_range(g, s, &first, &last)
                shift = s * g.dilation[1] - g.padding[1]
                for p in range(row, row + rows):
                    y = p * g.stride[0] - g.padding[0] + r * g.dilation[0]
                    if y < 0 or y >= g.height:
                        memset(out, 0, g.q * sizeof(Real))
                    else:
                        line = a + (c * g.height + y) * g.width + shift
                        for q in range(first):
                            out[q] = 0
                        if step == 1:
                            copy_line(line + first, out + first, last - first)
                        elif step == 2:
                            for q in range(first, last):
                                out[q] = line[2 * q]
                        else:
                            for q in range(first, last):
                                out[q] = line[q * step]
                        for q in range(last, g.q):
                            out[q] = 0
                    out += g.q


cdef void add_columns(const Real *columns, const Geometry *g, Py_ssize_t channels, Py_ssize_t row, Py_ssize_t rows,
                      Real *out) noexcept nogil:
    """Add columns (channels * r * s, rows * q) to the places of `out` that they were copied from."""
    cdef Py_ssize_t c, r, s, p, q, y, first, last, shift, step = g.stride[1]
    cdef Real *line
    for c in range(channels):
        for r in range(g.r):
            for s in range(g.s):
                valid_range(g, s, &first, &last)
                shift = s * g.dilation[1] - g.padding[1]
                for p in range(row, row + rows):
                    y = p * g.stride[0] - g.padding[0] + r * g.dilation[0]
                    if 0 <= y < g.height:
                        line = out + (c * g.height + y) * g.width + shift
                        if step == 1:
                            for q in range(first, last):
                                line[q] += columns[q]
                        else:
                            for q in range(first, last):
                                line[q * step] += columns[q]
                    columns += g.q


cdef const char *columns_of(const char *a, const Geometry *g, Py_ssize_t unit, Py_ssize_t row, Py_ssize_t rows,
                            char *room, int *ld) noexcept nogil:
    """The columns of a block, made in `room` or found in the input; `ld` elements from row to row."""
    a += unit * g.channels * g.height * g.width * g.itemsize
    if g.plain:
        ld[0] = <int>(g.height * g.width)
        return a + row * g.width * g.itemsize
    ld[0] = <int>(rows * g.q)
    if g.kind == 0:
        make_columns(<const float *>a, g, row, rows, <float *>room)
    else:
        make_columns(<const double *>a, g, row, rows, <double *>room)
    return room


cdef void matrices(const Geometry *g, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const char *a, Py_ssize_t a_row,
                   Py_ssize_t a_column, const char *b, Py_ssize_t b_row, Py_ssize_t b_column, bint add, char *out,
                   Py_ssize_t out_row, char *room) noexcept nogil:
    """out (m, n) = or += a (m, k) @ b (k, n); the room is that of the columns, behind which a product has its own."""
    cdef Product product
    product.kind, product.m, product.n, product.k = g.kind, m, n, k
    product.a, product.b, product.out, product.room = a, b, out, room + g.columns
    product.a_strides[0], product.a_strides[1] = a_row, a_column
    product.b_strides[0], product.b_strides[1] = b_row, b_column
    product.out_strides[0], product.out_strides[1] = out_row, 1
    product.alpha, product.beta = 1, (1 if add else 0)
    multiply(&product)


# ---- forward

cdef void fill_rows(const Real *bias, Real *out, Py_ssize_t filters, Py_ssize_t step, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t o, i
    for o in range(filters):
        for i in range(count):
            out[o * step + i] = bias[o]


cdef void forward_block(const Geometry *g, Py_ssize_t index, const char *a, const char *weight, const char *bias,
                        char *out, char *room) noexcept nogil:
    cdef Py_ssize_t unit = index // g.blocks, group = unit % g.groups, row = index % g.blocks * g.rows
    cdef Py_ssize_t rows = min(g.rows, g.p - row), area = g.p * g.q
    cdef int ld
    cdef const char *columns
    if rows <= 0:
        return
    columns = columns_of(a, g, unit, row, rows, room, &ld)
    out += (unit * g.filters * area + row * g.q) * g.itemsize
    if bias != NULL:
        bias += group * g.filters * g.itemsize
        if g.kind == 0:
            fill_rows(<const float *>bias, <float *>out, g.filters, area, rows * g.q)
        else:
            fill_rows(<const double *>bias, <double *>out, g.filters, area, rows * g.q)
    matrices(g, g.filters, rows * g.q, g.inside, weight + group * g.filters * g.inside * g.itemsize, g.inside, 1,
             columns, ld, 1, bias != NULL, out, area, room)


cdef object cpu_conv2d(View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups,
                       View out):
    cdef DType dtype = computed(out.dtype)
    cdef Geometry g
    cdef list keep = []
    cdef View x, w, b, y
    if dtype is None or not describe(&g, a, weight, out, stride, padding, dilation, groups, dtype):
        return NotImplemented
    x, w, b, y = dense(a, dtype, keep), dense(weight, dtype, keep), dense(bias, dtype, keep), writable(out, dtype, keep)
    if is_depthwise(a, weight, groups):
        depthwise(x, w, b, stride, padding, dilation, y)
    else:
        products(&g, x, w, b, y)
    if y is not out:
        copy_views(y, out)


cdef int products(Geometry *g, View x, View w, View b, View y) except -1:
    cdef Temporary room
    cdef Py_ssize_t i, count, size
    cdef int threads, t
    threads = plan(g, g.images * g.groups)
    room = work_room(x, g, x.dtype, threads)
    size = room.view.strides[0] * g.itemsize
    count = g.images * g.groups * g.blocks
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                forward_block(g, i, data(x), data(w), data(b) if b is not None else NULL, data(y),
                              data(room.view) + t * size)
    return 0


# ---- backward

cdef void input_block(const Geometry *g, Py_ssize_t index, Py_ssize_t parts, const char *grad, const char *weight,
                      char *out, char *room) noexcept nogil:
    """The gradient of one part of the channels of one image and group, zero before."""
    cdef Py_ssize_t unit = index // parts, group = unit % g.groups, row = 0, area = g.p * g.q, rows
    cdef Py_ssize_t first = g.channels * (index % parts) // parts
    cdef Py_ssize_t channels = g.channels * (index % parts + 1) // parts - first, taps = g.r * g.s
    if channels == 0:
        return
    grad += unit * g.filters * area * g.itemsize
    weight += (group * g.filters * g.inside + first * taps) * g.itemsize
    out += (unit * g.channels + first) * g.height * g.width * g.itemsize
    if g.plain:
        matrices(g, channels, area, g.filters, weight, 1, g.inside, grad, area, 1, False, out, area, room)
        return
    memset(out, 0, channels * g.height * g.width * g.itemsize)
    while row < g.p:
        rows = min(g.rows, g.p - row)
        matrices(g, channels * taps, rows * g.q, g.filters, weight, 1, g.inside, grad + row * g.q * g.itemsize, area,
                 1, False, room, rows * g.q, room)
        if g.kind == 0:
            add_columns(<const float *>room, g, channels, row, rows, <float *>out)
        else:
            add_columns(<const double *>room, g, channels, row, rows, <double *>out)
        row += rows


cdef void weight_block(const Geometry *g, Py_ssize_t index, const char *grad, const char *a, char *out,
                       char *room) noexcept nogil:
    """Add what one block contributes to the gradient of its group's weights."""
    cdef Py_ssize_t unit = index // g.blocks, group = unit % g.groups, row = index % g.blocks * g.rows
    cdef Py_ssize_t rows = min(g.rows, g.p - row), area = g.p * g.q
    cdef int ld
    cdef const char *columns
    if rows <= 0:
        return
    columns = columns_of(a, g, unit, row, rows, room, &ld)
    matrices(g, g.filters, g.inside, rows * g.q, grad + (unit * g.filters * area + row * g.q) * g.itemsize, area, 1,
             columns, 1, ld, True, out + group * g.filters * g.inside * g.itemsize, g.inside, room)


cdef int grad_of_input(Geometry *g, View grad, View weight, View y, DType dtype) except -1:
    cdef Temporary room
    cdef Py_ssize_t i, size, units = g.images * g.groups, parts, count
    cdef int threads, t
    threads = plan(g, units * g.channels)
    parts = 1 if units >= threads else min(g.channels, (threads + units - 1) // units)
    room = work_room(grad, g, dtype, threads)
    size = room.view.strides[0] * g.itemsize
    count = units * parts
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                input_block(g, i, parts, data(grad), data(weight), data(y), data(room.view) + t * size)
    return 0


cdef int grad_of_weight(Geometry *g, View grad, View a, View y, DType dtype) except -1:
    """Sums of the threads first, each over its share of the blocks; then the sum of those."""
    cdef View whole
    cdef Temporary room, sums
    cdef Py_ssize_t i, size, count, n = y.elements
    cdef int threads, t
    threads = <int>min(<Py_ssize_t>plan(g, g.images * g.groups), max(1, PARTIAL // n))
    room = work_room(grad, g, dtype, threads)
    sums = temporary(grad.memory.backend, dtype, 2, [threads, n])
    memset(data(sums.view), 0, threads * n * g.itemsize)
    size = room.view.strides[0] * g.itemsize
    count = g.images * g.groups * g.blocks
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                weight_block(g, i, data(grad), data(a), data(sums.view) + t * n * g.itemsize,
                             data(room.view) + t * size)
    whole = make_view(y.memory, dtype, y.offset, 1, [n], [1])
    if threads == 1:
        memcpy(data(y), data(sums.view), n * g.itemsize)
    else:
        cpu_reduce(SUM, make_view(sums.view.memory, dtype, sums.view.offset, 2, [n, threads], [1, n]), whole)
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
    cdef int i
    if dtype is None or not describe(&g, a, weight, grad, stride, padding, dilation, groups, dtype):
        return NotImplemented
    dy = dense(grad, dtype, keep)
    if grad_bias is not None:
        for i in range(4):
            sizes[i], strides[i] = dy.sizes[order[i]], dy.strides[order[i]]
        sums = writable(grad_bias, dtype, keep)
        cpu_reduce(SUM, make_view(dy.memory, dtype, dy.offset, 4, sizes, strides), sums)
        if sums is not grad_bias:
            copy_views(sums, grad_bias)
    if grad_weight is not None:
        x, y = dense(a, dtype, keep), writable(grad_weight, dtype, keep)
        if is_depthwise(a, weight, groups):
            depthwise_weight(dy, x, stride, padding, dilation, y)
        else:
            grad_of_weight(&g, dy, x, y, dtype)
        if y is not grad_weight:
            copy_views(y, grad_weight)
    if grad_a is not None:
        x, y = dense(weight, dtype, keep), writable(grad_a, dtype, keep)
        if not (is_depthwise(a, weight, groups) and depthwise_input(dy, x, stride, padding, dilation, y)):
            grad_of_input(&g, dy, x, y, dtype)
        if y is not grad_a:
            copy_views(y, grad_a)
