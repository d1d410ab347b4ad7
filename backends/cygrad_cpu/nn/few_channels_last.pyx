# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10
"""Convolutions that make few channels, which lie side by side (`channels_last`), and gradients of such inputs.

Channels would leave most of a vector empty. So products of the output's gradient with the weights are made for all
elements of the kernel (positions, elements and channels), whose vectors are full, and each place of the input sums
those that belong to it. This is done for some rows of the input at a time, whose products stay in the caches. A
convolution that moves by one is such a gradient, with the kernel turned round. Names are those of the gradient.
"""
from cython.parallel cimport prange
from libc.string cimport memcpy, memmove, memset

from cygrad.dtype cimport FLOAT32, INT64, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.products.serial_product cimport Product, ROOM, VECTOR_BYTES, multiply, vector_bytes
from cygrad_cpu.runtime.temporaries cimport Temporary, temporary
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.simd.vectors cimport Doubles, Floats, Vector

cdef enum:
    GRAIN = 250000              # multiplications that a thread should at least get
    HALF = VECTOR_BYTES // 2    # which products have tiles of
    CACHED = 1 << 16            # products of a block

cdef struct Geometry:
    int kind                    # 0 float32, 1 float64
    Py_ssize_t itemsize
    Py_ssize_t channels, filters
    Py_ssize_t[2] size          # of the input
    Py_ssize_t[2] out
    Py_ssize_t[2] kernel
    Py_ssize_t[2] stride
    Py_ssize_t[2] padding
    Py_ssize_t[2] dilation
    Py_ssize_t inside           # products of a position, filled up to half a vector
    Py_ssize_t rows             # of the input in a block
    Py_ssize_t blocks           # of an image
    Py_ssize_t products         # of a block, at most
    const char *start           # of the sums, for each channel, with zeros behind them
    const Py_ssize_t *counts    # of products that each column of the input sums of a row of positions and of the kernel
    const Py_ssize_t *places    # ... and where they are, `kernel[1]` for each


cdef inline Py_ssize_t first_seen(const Geometry *g, Py_ssize_t row) noexcept nogil:
    """The first row of positions that sees a row of the input, or one behind it."""
    cdef Py_ssize_t last = row + g.padding[0] - (g.kernel[0] - 1) * g.dilation[0]
    return (last + g.stride[0] - 1) // g.stride[0] if last > 0 else 0


cdef void sum_row(const Geometry *g, Py_ssize_t row, Py_ssize_t first, const char *products, char *out,
                  Py_ssize_t *lines, Vector *tag) noexcept nogil:
    """A row of the input's gradient, from products of the rows of positions from `first` on; `lines` lists those that
    it sees. Whole vectors are written, but at the row's end, each over what was too much before it."""
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, lanes = <Py_ssize_t>sizeof(Vector) // size, n = 0
    cdef Py_ssize_t x, r, p, c, i
    cdef const Py_ssize_t *places = g.places
    cdef const char *a
    cdef Vector total
    for r in range(g.kernel[0]):
        p = row + g.padding[0] - r * g.dilation[0]
        if p >= 0 and p % g.stride[0] == 0 and p // g.stride[0] < g.out[0]:
            lines[n] = ((p // g.stride[0] - first) * g.out[1] * g.inside + r * g.kernel[1] * g.channels) * size
            n += 1
    for x in range(g.size[1]):
        c = 0
        while c < g.channels:
            total = (<const Vector *>(g.start + c * size))[0]
            for r in range(n):
                a = products + lines[r] + c * size
                for i in range(g.counts[x]):
                    total = total + (<const Vector *>(a + places[i] * size))[0]
            if (g.size[1] - x) * g.channels >= c + lanes:
                (<Vector *>(out + c * size))[0] = total
            else:
                memcpy(out + c * size, &total, min(lanes, g.channels - c) * size)
            c += lanes
        out += g.channels * size
        places += g.kernel[1]


cdef struct Held:               # rows of positions whose products a thread has
    Py_ssize_t block            # which needed them; behind it there may be one that needs some of them
    Py_ssize_t first, behind


cdef void do_block(const Geometry *g, Py_ssize_t index, const char *grad, const char *weight, char *out,
                   Py_ssize_t *lines, char *room, Held *held) noexcept nogil:
    cdef Py_ssize_t image = index // g.blocks, row = index % g.blocks * g.rows, last = min(row + g.rows, g.size[0]), i
    cdef Py_ssize_t first = first_seen(g, row), line = g.size[1] * g.channels * g.itemsize
    cdef Py_ssize_t behind = min((last - 1 + g.padding[0]) // g.stride[0] + 1, g.out[0])
    cdef Py_ssize_t kept = max(held.behind - first, <Py_ssize_t>0) if row and held.block == index - 1 else 0
    cdef Py_ssize_t made = g.out[1] * g.inside * g.itemsize
    cdef char *products = room + ROOM
    cdef Product x
    if kept:
        memmove(products, products + (first - held.first) * made, kept * made)
    held.block, held.first, held.behind = index, first, max(behind, first)
    first += kept
    x.kind, x.m, x.n, x.k, x.alpha, x.beta = g.kind, (behind - first) * g.out[1], g.inside, g.filters, 1, 0
    x.a, x.b = grad + (image * g.out[0] + first) * g.out[1] * g.filters * g.itemsize, weight
    x.out, x.start, x.room = products + kept * made, NULL, room
    x.a_strides[0], x.a_strides[1], x.b_strides[0], x.b_strides[1] = g.filters, 1, g.inside, 1
    x.out_strides[0], x.out_strides[1] = g.inside, 1
    if x.m > 0:
        multiply(&x)
    out += (image * g.size[0] + row) * line
    for i in range(row, last):
        if g.kind == 0:
            sum_row[Floats](g, i, held.first, products, out, lines, NULL)
        else:
            sum_row[Doubles](g, i, held.first, products, out, lines, NULL)
        out += line


cdef int few_channels(View grad, View weight, View bias, tuple stride, tuple padding, tuple dilation, bint turned,
                      View out) except -1:
    """grad (N, P, Q, O), weight (O, R, S, C), bias (C) or None, out (N, H, W, C), all dense; our own product does all
    of them. `turned`: the weight is taken turned round."""
    cdef Geometry g
    cdef Py_ssize_t x, q, s, i, count, size, used, images = grad.sizes[0], span, tap
    cdef Temporary lists, room, filled
    cdef Py_ssize_t *counts
    cdef Py_ssize_t *places
    cdef Py_ssize_t *lines
    cdef Held *held
    cdef int t, threads
    g.kind, g.itemsize = out.dtype.code - FLOAT32, out.dtype.itemsize
    g.channels, g.filters = out.sizes[3], grad.sizes[3]
    for i in range(2):
        g.size[i], g.out[i], g.kernel[i] = out.sizes[i + 1], grad.sizes[i + 1], weight.sizes[i + 1]
        g.stride[i], g.padding[i], g.dilation[i] = stride[i], padding[i], dilation[i]
    tap = g.channels * g.itemsize
    used = g.kernel[0] * g.kernel[1]
    g.inside = (used * tap + HALF - 1) // HALF * (HALF // g.itemsize)
    size = g.inside * g.itemsize
    filled = temporary(out.memory.backend, out.dtype, 2, [g.filters + 2, g.inside])
    memset(data(filled.view), 0, (g.filters + 2) * size)
    for i in range(g.filters):
        for x in range(used):
            memcpy(data(filled.view) + i * size + x * tap,
                   data(weight) + (i * used + (used - 1 - x if turned else x)) * tap, tap)
    g.start = data(filled.view) + g.filters * size
    if bias is not None:
        memcpy(data(filled.view) + g.filters * size, data(bias), tap)
    threads = threads_for(images * g.out[0] * g.out[1] * g.inside * g.filters, GRAIN)
    span = (g.kernel[0] - 1) * g.dilation[0]
    g.rows = max(<Py_ssize_t>1, min(g.size[0], CACHED // (g.out[1] * g.inside) * g.stride[0] - span))
    if images * ((g.size[0] + g.rows - 1) // g.rows) < threads:
        g.rows = max(<Py_ssize_t>1, images * g.size[0] // threads)
    g.blocks = (g.size[0] + g.rows - 1) // g.rows
    g.products = min(g.out[0], (g.rows - 1 + span) // g.stride[0] + 2) * g.out[1] * g.inside
    lists = temporary(out.memory.backend, dtype_of(INT64), 1,
                      [g.size[1] * (1 + g.kernel[1]) + threads * (g.kernel[0] + 3)])
    counts = <Py_ssize_t *>data(lists.view)
    places = counts + g.size[1]
    g.counts, g.places = counts, places
    held = <Held *>(places + g.size[1] * g.kernel[1])
    lines = <Py_ssize_t *>(held + threads)
    for x in range(g.size[1]):
        counts[x] = 0
        for s in range(g.kernel[1]):
            q = x + g.padding[1] - s * g.dilation[1]
            if q >= 0 and q % g.stride[1] == 0 and q // g.stride[1] < g.out[1]:
                places[x * g.kernel[1] + counts[x]] = q // g.stride[1] * g.inside + s * g.channels
                counts[x] += 1
    size = ROOM + (g.products * g.itemsize + VECTOR_BYTES + 63) // 64 * 64
    room = temporary(out.memory.backend, out.dtype, 2, [threads, size // g.itemsize])
    count = images * g.blocks
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                if i == count * t // threads:
                    held[t].block = -2
                do_block(&g, i, data(grad), data(filled.view), data(out), lines + t * g.kernel[0],
                         data(room.view) + t * size, held + t)
    return 0


# ---- when it is worth it

cdef Py_ssize_t time_of(Py_ssize_t columns, Py_ssize_t lanes, Py_ssize_t depth) noexcept:
    """Half cycles of a product with so many columns; kernels/gemm.pyx halves the last vector of 16, which takes two
    thirds of its time, or half where it is the only one, and tiles of one vector of 32 bytes have so few sums that each
    waits for the one before."""
    cdef Py_ssize_t halves = (columns + 7) // 8, vectors = (columns + lanes - 1) // lanes
    if lanes == 16:
        return (halves * 10 + (1 if halves == 1 else halves % 2 * 3)) * depth // 10
    return vectors * (4 if vectors == 1 and vector_bytes() < 64 else 2) * depth


cdef Way best_way(int kind, Py_ssize_t made, Py_ssize_t seen, Py_ssize_t taps, bint strided) noexcept:
    """The fastest way of a convolution without groups.

    In half cycles for each position, as measured on Zen 4: a product of vectors takes 2, and 40 for reading and storing
    them, or 20 where they lie; a further panel of products here 90, and a vector of them that is stored or added 8, all
    half as long again in float64; an element that is put into rows, or back, 2 more than where it lies in rows, 1 where
    it is laid out there too, in float64 3. A row-major product has tiles of four filters, and takes 15 and a seventh
    more to lay out what it sees; one of one filter is BLAS's, which takes 1 for each element of a matrix."""
    cdef Py_ssize_t lanes = vector_bytes() // (4 if kind == 0 else 8), here, sums, copies, most
    cdef bint plain = taps == 1 and not strided
    if lanes == 0:
        return ROW_MAJOR
    here = time_of(made, lanes, taps * seen) + (20 if plain else 40)
    sums = (time_of(made * taps, lanes, seen + 4) + (made * taps - 1) // (3 * lanes) * 90
            + (made + lanes - 1) // lanes * taps * 8) * (2 + kind) // 2
    copies = (made + 3) // 4 * 4 * seen * taps * 16 // (lanes * 7) if made > 1 or plain else seen * taps
    copies += 2 * (seen + made) if plain and kind == 0 else (1 + 2 * kind) * (seen + made) + 15
    if plain:                               # `weigh_few` of the kernels makes up to four
        most = 4 if seen % 4 == 0 and kind == 0 else 1
        return ROW_MAJOR if made > most and copies < here else PRODUCTS
    if sums < here and (strided or sums < copies) or made < FEWEST and sums < copies:
        return SUMS
    return ROW_MAJOR if copies < here and not strided else PRODUCTS
