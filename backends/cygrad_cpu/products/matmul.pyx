"""Matrix products: the way a product takes.

Small ones run in plain loops (small_matmul.pyx), of every dtype but the 16-bit floats; float ones that are a little
larger, and batches of them, in a kernel that packs one operand. Larger float and complex ones are cut into blocks for
the threads, each a product of gemm.pyx; operands that BLAS would have to read and can't are copied first. Larger
integer ones are blocked for the cache. 16-bit floats are products in float32.
"""
from cython.parallel cimport prange
from libc.limits cimport INT_MAX

from cygrad.dtype cimport BFLOAT16, BOOL, DType, FLOAT16, FLOAT32, FLOAT64, dtype_of
from cygrad.view cimport View, data, make_view
from cygrad_cpu.runtime.allocator cimport give, take
from cygrad_cpu.products.serial_product cimport Product, ROOM, any_strides, load_blas, matrix_layout, multiply
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.products.small_matmul cimport SMALL, bool_batch, loop_addmm, loop_batch
from cygrad_cpu.kernels.kernel_tables cimport IntegerProduct, MatmulTable, SmallProducts
from cygrad_cpu.runtime.temporaries cimport Temporary, converted, copy_views, temporary

cdef enum:
    CHAIN = 256             # longest dot product in plain loops: a chain of dependent additions
    RELEASE = 1000000       # multiplications from which the GIL is worth releasing
    SHORT = 16              # side of matrices up to which the kernel for small ones is the fastest
    VECTORS = 125           # multiplications from which it beats plain loops
    GRAIN = 250000          # multiplications that a thread should at least get

cdef MatmulTable table
install_kernels("small_matmul", &table)


cdef View packed(View a, DType dtype, list keep):
    """A dense copy of `a` in `dtype`, with a batch stride of 0 where `a` has one; `keep` owns its memory."""
    cdef Py_ssize_t *one = [1, a.sizes[1], a.sizes[2]]
    cdef Py_ssize_t *strides = [0, a.sizes[2], 1]
    cdef bint once = a.strides[0] == 0 and a.sizes[0] > 1
    cdef View source = make_view(a.memory, a.dtype, a.offset, 3, one, a.strides) if once else a
    cdef Temporary made = converted(source, dtype)
    keep.append(made)
    return make_view(made.view.memory, dtype, 0, 3, a.sizes, strides) if once else made.view


cdef View blank(View like, DType dtype, list keep):
    """A dense temporary with the sizes of `like`."""
    cdef Temporary made = temporary(like.memory.backend, dtype, 3, like.sizes)
    keep.append(made)
    return made.view


cdef object cpu_matmul(View a, View b, View out):
    cdef Py_ssize_t m = out.sizes[1], n = out.sizes[2], k = a.sizes[2], work = m * n * k
    cdef int code = out.dtype.code
    cdef bint short_sides = (code == FLOAT32 or code == FLOAT64) and n > 1 and m <= SHORT and n <= SHORT and k <= SHORT
    if work <= (VECTORS if short_sides else SMALL) and (m * n >= 4 or k <= CHAIN) and code != FLOAT16 \
            and code != BFLOAT16 and out.sizes[0] * work <= 16 * SMALL:
        loop_batch(a, b, out)
        return None
    if short_sides:
        small_batch(table.small[code - FLOAT32], a, b, out)
        return None
    return product(a, b, out, 0.0, 1.0)


cdef object cpu_addmm(View bias, View a, View b, double beta, double alpha, View out):
    """Products of our own add the bias as they store; BLAS adds to a copy of it."""
    cdef Py_ssize_t m = out.sizes[0], n = out.sizes[1], k = a.sizes[1], work = m * n * k
    cdef int code = out.dtype.code
    if work <= SMALL and (m * n >= 4 or k <= CHAIN) and code != FLOAT16 and code != BFLOAT16 and code != BOOL:
        loop_addmm(bias, a, b, beta, alpha, out)
        return None
    if code < FLOAT32:
        return NotImplemented
    if beta == 0.0 or same_place(bias, out):
        bias = None
    elif not (code >= FLOAT32 and any_strides(code - FLOAT32, m, n) and bias.dtype is out.dtype
              and bias.strides[1] == 1 and out.strides[1] == 1 and out.strides[0] >= n
              and bias.memory is not out.memory):
        copy_views(bias, out)
        bias = None
    return product(as_batch(a), as_batch(b), as_batch(out), beta, alpha, bias)


cdef inline View as_batch(View a):
    return make_view(a.memory, a.dtype, a.offset, 3, [1, a.sizes[0], a.sizes[1]], [0, a.strides[0], a.strides[1]])


cdef inline bint same_place(View a, View b) noexcept nogil:
    return (data(a) == data(b) and a.strides[0] == b.strides[0] and a.strides[1] == b.strides[1])


cdef object product(View a, View b, View out, double beta, double alpha, View start=None):
    """out = beta * out + alpha * a @ b, of any size and layout; beta times `start`, if our kernel is given one."""
    cdef int code = out.dtype.code, ld
    cdef bint rows, ours
    cdef list keep = []
    cdef View target = out, x = a, y = b
    cdef DType dtype = out.dtype
    if code < FLOAT16:
        return integer_product(a, b, out)
    if code < FLOAT32:
        dtype = dtype_of(FLOAT32)
    ours = any_strides(dtype.code - FLOAT32, out.sizes[1], out.sizes[2])
    if dtype is not a.dtype or not ours and not matrix_layout(a.sizes + 1, a.strides + 1, &rows, &ld):
        x = packed(a, dtype, keep)
    if dtype is not b.dtype or not ours and not matrix_layout(b.sizes + 1, b.strides + 1, &rows, &ld):
        y = packed(b, dtype, keep)
    if dtype is not out.dtype or not matrix_layout(out.sizes + 1, out.strides + 1, &rows, &ld):
        if beta != 0.0:
            target = packed(out, dtype, keep)
        else:
            target = blank(out, dtype, keep)
    if not ours and (target.sizes[1] > INT_MAX or target.sizes[2] > INT_MAX or x.sizes[2] > INT_MAX):
        raise RuntimeError(f"matmul: BLAS takes at most {INT_MAX} rows or columns, got ({x.sizes[1]}, {x.sizes[2]}) @ "
                           f"({y.sizes[1]}, {y.sizes[2]})")
    float_batch(x, y, target, beta, alpha, ours, start)
    if target is not out:
        copy_views(target, out)


cdef struct Job:                # a batch of products, each cut into a grid of blocks
    Product first
    Py_ssize_t itemsize
    Py_ssize_t[3] steps         # in bytes, of a, b and out from product to product
    Py_ssize_t down             # blocks of rows
    Py_ssize_t across           # blocks of columns


cdef int float_batch(View a, View b, View out, double beta, double alpha, bint ours, View start) except -1:
    """Every product of a batch, folded into one where `a` and `out` allow it; the blocks are shared among threads."""
    cdef Job job
    cdef Product *g = &job.first
    cdef Py_ssize_t batch = out.sizes[0], i, count, size
    cdef int threads, axis, t
    cdef char *room
    if not ours:
        load_blas()
    size = job.itemsize = out.dtype.itemsize
    g.kind = out.dtype.code - FLOAT32
    g.a, g.b, g.out = data(a), data(b), data(out)
    g.m, g.n, g.k = out.sizes[1], out.sizes[2], a.sizes[2]
    g.alpha, g.beta, g.start = alpha, beta, NULL
    if start is not None:
        g.start, g.start_row = data(start), start.strides[0]
    job.steps[0], job.steps[1], job.steps[2] = a.strides[0] * size, b.strides[0] * size, out.strides[0] * size
    for axis in range(2):
        g.a_strides[axis] = a.strides[axis + 1]
        g.b_strides[axis] = b.strides[axis + 1]
        g.out_strides[axis] = out.strides[axis + 1]
    if (batch > 1 and b.strides[0] == 0 and a.strides[2] == 1 and a.strides[0] == a.sizes[1] * a.strides[1]
            and a.strides[1] >= a.sizes[2] and out.strides[2] == 1 and out.strides[0] == out.sizes[1] * out.strides[1]
            and out.strides[1] >= out.sizes[2] and batch * out.sizes[1] <= INT_MAX):
        g.m *= batch
        batch = 1
    threads = threads_for(batch * g.m * g.n * g.k, GRAIN)
    set_grid(&job, (threads + batch - 1) // batch)
    count = batch * job.down * job.across
    room = <char *>take(threads * ROOM)
    if batch * g.m * g.n * g.k < RELEASE:
        for i in range(count):
            float_block(&job, i, room)
    else:
        with nogil:
            for t in prange(threads, num_threads=threads, schedule="static"):
                for i in range(count * t // threads, count * (t + 1) // threads):
                    float_block(&job, i, room + t * ROOM)
    give(room, threads * ROOM)
    return 0


cdef void set_grid(Job *job, Py_ssize_t parts) noexcept nogil:
    """Cut a product into `parts` blocks, as square as can be: each reads its rows of `a` and its columns of `b`."""
    cdef Py_ssize_t down, across, cost, least = -1
    job.down = job.across = 1
    for down in range(1, parts + 1):
        across = parts // down
        if down * across == parts and down <= job.first.m and across <= job.first.n:
            cost = job.first.m // down + job.first.n // across
            if least < 0 or cost < least:
                least = cost
                job.down = down
                job.across = across


cdef inline Py_ssize_t cut(Py_ssize_t size, Py_ssize_t part, Py_ssize_t parts) noexcept nogil:
    """Where a part begins: at multiples of 16, which kernels like."""
    return size if part == parts else size * part // parts // 16 * 16 if size >= 64 * parts else size * part // parts


cdef void float_block(const Job *job, Py_ssize_t index, char *room) noexcept nogil:
    cdef Py_ssize_t column = index % job.across, row = index // job.across % job.down
    cdef Py_ssize_t q = index // (job.across * job.down), size = job.itemsize
    cdef Product g = job.first
    cdef Py_ssize_t top = cut(g.m, row, job.down), left = cut(g.n, column, job.across)
    g.m, g.n = cut(g.m, row + 1, job.down) - top, cut(g.n, column + 1, job.across) - left
    g.a += q * job.steps[0] + top * g.a_strides[0] * size
    g.b += q * job.steps[1] + left * g.b_strides[1] * size
    g.out += q * job.steps[2] + (top * g.out_strides[0] + left * g.out_strides[1]) * size
    if g.start != NULL:
        g.start += (top * g.start_row + left) * size
    g.room = room
    multiply(&g)


cdef void small_batch(SmallProducts kernel, View a, View b, View out):
    """Matrices so small that a call of BLAS would cost more than the product."""
    cdef Py_ssize_t batch = out.sizes[0], m = out.sizes[1], n = out.sizes[2], k = a.sizes[2]
    cdef int threads = threads_for(batch * m * n * k, GRAIN), i
    if threads == 1:
        kernel(data(a), a.strides, data(b), b.strides, data(out), out.strides, m, n, k, 0, batch)
        return
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            kernel(data(a), a.strides, data(b), b.strides, data(out), out.strides, m, n, k, batch * i // threads,
                   batch * (i + 1) // threads)


# ---- integers

cdef object integer_product(View a, View b, View out):
    """Ranges of rows in parallel; rows of b and out are made contiguous first. Bool is a product of small numbers."""
    cdef list keep = []
    cdef View y = b, z = out
    cdef Py_ssize_t size = out.dtype.itemsize, m = out.sizes[1], n = out.sizes[2], k = a.sizes[2], batch = out.sizes[0]
    cdef Py_ssize_t i, q, r, parts, rows
    cdef int code = out.dtype.code, threads
    cdef IntegerProduct kernel
    if code == BOOL:
        bool_batch(a, b, out)
        return None
    kernel = table.integer[code]
    if b.strides[2] != 1 and n > 1:
        y = packed(b, b.dtype, keep)
    if out.strides[2] != 1 and n > 1:
        z = blank(out, out.dtype, keep)
    threads = threads_for(batch * m * n * k, GRAIN)
    parts = 1 if threads <= batch else min(m, (threads + batch - 1) // batch)
    rows = (m + parts - 1) // parts
    with nogil:
        for i in prange(batch * parts, num_threads=threads, schedule="static"):
            q = i // parts
            r = i % parts * rows
            if r < m:
                kernel(data(a) + (q * a.strides[0] + r * a.strides[1]) * size, a.strides[1], a.strides[2],
                       data(y) + q * y.strides[0] * size, y.strides[1],
                       data(z) + (q * z.strides[0] + r * z.strides[1]) * size, z.strides[1], min(rows, m - r), n, k)
    if z is not out:
        copy_views(z, out)
