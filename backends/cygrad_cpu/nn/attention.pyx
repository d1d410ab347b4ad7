"""Attention: blocks of ROWS queries, whose scores are all that is ever held, shared among threads.

A block is a product with the keys, the mask, kernels/softmax.pyx, and a product with the values; under `causal` the
keys after the block's last row take no part. Computed in float32 and float64 (16-bit floats in float32).
"""
from cython.parallel cimport prange
from libc.limits cimport INT_MAX
from libc.math cimport INFINITY
from libc.string cimport memset

from cygrad.dtype cimport BOOL, DType, FLOAT32
from cygrad.view cimport View, data
from cygrad_cpu.products.serial_product cimport Product, ROOM, any_strides, load_blas, multiply
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.kernels.kernel_tables cimport SoftmaxTable
from cygrad_cpu.runtime.temporaries cimport Temporary, computed, copy_views, dense, temporary, writable

cdef enum:
    ROWS = 64                   # queries of a block
    GRAIN = 250000              # multiplications that a thread should at least get

cdef SoftmaxTable table
install_kernels("softmax", &table)


cdef struct Call:
    int kind                    # 0 float32, 1 float64
    Py_ssize_t itemsize
    Py_ssize_t rows             # queries
    Py_ssize_t keys
    Py_ssize_t inner            # length of a query
    Py_ssize_t width            # length of a value
    bint causal
    double scale
    const char *mask
    bint flags                  # the mask is bool
    Py_ssize_t[3] strides       # of the mask


cdef void apply_mask(Real *scores, const Call *call, const char *mask, Py_ssize_t seen) noexcept nogil:
    """Add the mask of one row, or hide where it is False."""
    cdef const Real *numbers = <const Real *>mask
    cdef Py_ssize_t i, step = call.strides[2]
    if call.flags:
        for i in range(seen):
            scores[i] = scores[i] if mask[i * step] else -INFINITY
    else:
        for i in range(seen):
            scores[i] += numbers[i * step]


cdef bint nothing_seen(const Real *scores, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if scores[i] != -INFINITY:
            return False
    return True


cdef void soften(Real *scores, const Call *call, Py_ssize_t batch, Py_ssize_t first, Py_ssize_t rows,
                 Py_ssize_t keys) noexcept nogil:
    """Mask and softmax of a block of scores (rows, keys); what is hidden becomes 0."""
    cdef Py_ssize_t i, seen
    cdef Real *row
    for i in range(rows):
        row = scores + i * keys
        seen = min(keys, first + i + 1) if call.causal else keys
        if call.mask != NULL:
            apply_mask(row, call, call.mask + (batch * call.strides[0] + (first + i) * call.strides[1])
                       * (1 if call.flags else call.itemsize), seen)
        if nothing_seen(row, seen):
            memset(row, 0, keys * sizeof(Real))
        else:
            table.rows[call.kind](<const char *>row, <char *>row, 1, seen, False)
            memset(row + seen, 0, (keys - seen) * sizeof(Real))


cdef void attend(const Call *call, Py_ssize_t batch, Py_ssize_t block, const char *query, const char *key,
                 const char *value, char *out, char *scores, char *room) noexcept nogil:
    """One block of queries of one batch."""
    cdef Py_ssize_t first = block * ROWS, size = call.itemsize, rows = min(<Py_ssize_t>ROWS, call.rows - first)
    cdef Py_ssize_t keys = min(call.keys, first + rows) if call.causal else call.keys
    cdef Product g
    g.kind, g.room, g.beta, g.start = call.kind, room, 0, NULL
    g.m, g.n, g.k, g.alpha = rows, keys, call.inner, call.scale             # scores = scale * query @ key^T
    g.a = query + (batch * call.rows + first) * call.inner * size
    g.b = key + batch * call.keys * call.inner * size
    g.out = scores
    g.a_strides[0], g.a_strides[1], g.b_strides[0], g.b_strides[1] = call.inner, 1, 1, call.inner
    g.out_strides[0], g.out_strides[1] = keys, 1
    multiply(&g)
    if call.kind == 0:
        soften(<float *>scores, call, batch, first, rows, keys)
    else:
        soften(<double *>scores, call, batch, first, rows, keys)
    g.n, g.k, g.alpha = call.width, keys, 1                                 # out = chances @ value
    g.a = scores
    g.b = value + batch * call.keys * call.width * size
    g.out = out + (batch * call.rows + first) * call.width * size
    g.a_strides[0], g.a_strides[1], g.b_strides[0], g.b_strides[1] = keys, 1, call.width, 1
    g.out_strides[0] = call.width
    multiply(&g)


cdef object cpu_attention(View query, View key, View value, View mask, bint causal, double scale, View out):
    cdef DType dtype = computed(out.dtype)
    cdef list keep = []
    cdef Call call
    cdef View q, k, v, m, y
    cdef Temporary room
    cdef Py_ssize_t i, size, count, scores, blocks = (query.sizes[1] + ROWS - 1) // ROWS
    cdef int threads, t
    if dtype is None or max(query.sizes[1], query.sizes[2], key.sizes[1], value.sizes[2]) > INT_MAX:
        return NotImplemented
    q, k, v = dense(query, dtype, keep), dense(key, dtype, keep), dense(value, dtype, keep)
    y = writable(out, dtype, keep)
    call.kind, call.itemsize = dtype.code - FLOAT32, dtype.itemsize
    call.rows, call.keys, call.inner, call.width = q.sizes[1], k.sizes[1], q.sizes[2], v.sizes[2]
    if not any_strides(call.kind, call.rows, call.keys):
        load_blas()
    call.causal, call.scale, call.mask = causal, scale, NULL
    if mask is not None:
        call.flags = mask.dtype.code == BOOL
        m = mask if call.flags or mask.dtype is dtype else dense(mask, dtype, keep)
        call.mask = data(m)
        for t in range(3):
            call.strides[t] = m.strides[t]
    count = q.sizes[0] * blocks
    threads = threads_for(q.sizes[0] * call.rows * call.keys * (call.inner + call.width), GRAIN)
    if threads > count:
        threads = <int>count
    scores = (min(<Py_ssize_t>ROWS, call.rows) * call.keys * call.itemsize + 63) // 64 * 64
    size = scores + ROOM
    room = temporary(out.memory.backend, dtype, 2, [threads, size // call.itemsize])
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            for i in range(count * t // threads, count * (t + 1) // threads):
                attend(&call, i // blocks, i % blocks, data(q), data(k), data(v), data(y), data(room.view) + t * size,
                       data(room.view) + t * size + scores)
    if y is not out:
        copy_views(y, out)
