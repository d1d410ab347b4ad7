# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10
"""Recurrent layers: all steps of a layer in one call, each a product with the hidden weight and the cell's formulas.

Sequences don't know of each other: each thread takes some of them through all steps, so that nobody waits, and the
state it goes on with is in its cache. Computed in float32 and float64 (16-bit floats in float32).
"""
from cython.parallel cimport prange
from libc.limits cimport INT_MAX
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from cygrad.dtype cimport DType, FLOAT32
from cygrad.view cimport View, data
from cygrad_cpu.kernels.kernel_tables cimport CellRows, RecurrentTable
from cygrad_cpu.products.serial_product cimport (Product, ROOM, load_blas, multiply_packed, pack_factor,
                                                 packed_size)
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport Temporary, computed, copy_views, dense, temporary, writable
from cygrad_cpu.runtime.thread_count cimport threads_for

cdef enum:
    LSTM = 0
    GRU = 1
    GRAIN = 250000              # multiplications that a thread should at least get
    FEWEST = 8                  # sequences that a thread should at least get: a product of fewer rows is slow

cdef RecurrentTable table
install_kernels("recurrent", &table)


cdef struct Call:
    int cell
    int kind                    # 0 float32, 1 float64
    Py_ssize_t itemsize
    Py_ssize_t n                # hidden features
    Py_ssize_t width            # of a row of gates
    Py_ssize_t sequences
    Py_ssize_t count            # of steps
    const Py_ssize_t *first     # row of each step
    const Py_ssize_t *rows      # sequences that take part in it
    const char *gates
    const char *weight
    const char *bias
    const char *grad_out
    const char *before
    char *values
    char *kept
    char *out
    char *h
    char *c
    char *slopes
    char *hidden
    const char *packed          # the weight, laid out for all steps, or NULL


cdef inline char *at_row(const char *start, Py_ssize_t row, Py_ssize_t nbytes) noexcept nogil:
    return <char *>start + row * nbytes if start != NULL else NULL


cdef void place(const Call *call, CellRows *cell, Py_ssize_t row, Py_ssize_t sequence) noexcept nogil:
    """Point `cell` at the rows of a step from `row` on, and at the state of the sequences from `sequence` on."""
    cdef Py_ssize_t narrow = call.n * call.itemsize, wide = call.width * call.itemsize
    cell.values = at_row(call.values, row, wide)
    cell.kept, cell.before = at_row(call.kept, row, narrow), at_row(call.before, row, narrow)
    cell.h, cell.c = at_row(call.h, sequence, narrow), at_row(call.c, sequence, narrow)


cdef void by_weight(const Call *call, Product *g, char *room) noexcept nogil:
    """Describe products of rows with the weight's transpose."""
    g.kind, g.room, g.alpha, g.m, g.start = call.kind, room, 1, call.sequences, NULL
    g.n, g.k, g.b = call.width, call.n, call.weight
    g.a_strides[0], g.a_strides[1], g.b_strides[0], g.b_strides[1] = call.n, 1, 1, call.n
    g.out_strides[0], g.out_strides[1] = call.width, 1


cdef void by_turned_weight(const Call *call, Product *g, char *room) noexcept nogil:
    g.kind, g.room, g.alpha, g.m, g.start = call.kind, room, 1, call.sequences, NULL
    g.n, g.k, g.b = call.n, call.width, call.weight
    g.a_strides[0], g.a_strides[1], g.b_strides[0], g.b_strides[1] = call.width, 1, call.n, 1
    g.out_strides[0], g.out_strides[1] = call.n, 1


cdef int pack_weight(Call *call, const Product *g, View like, list keep) except -1:
    """Lay the weight out once for all steps."""
    cdef Py_ssize_t size = packed_size(g)
    cdef Temporary made
    if size and call.count > 1:
        made = temporary(like.memory.backend, like.dtype, 1, [size // like.dtype.itemsize + 1])
        keep.append(made)
        pack_factor(g, data(made.view))
        call.packed = data(made.view)
    return 0


cdef void walk(const Call *call, Py_ssize_t begin, Py_ssize_t end, char *hidden, char *room) noexcept nogil:
    """All steps of the sequences from `begin` to before `end`."""
    cdef Py_ssize_t step, last, row, narrow = call.n * call.itemsize, wide = call.width * call.itemsize
    cdef CellRows cell
    cdef Product g
    by_weight(call, &g, room)                                           # gates + h @ weight^T
    cell.n, cell.hidden, cell.bias = call.n, hidden, call.bias
    for step in range(call.count):
        last = min(end, call.rows[step])
        if last <= begin:
            continue
        row = call.first[step] + begin
        place(call, &cell, row, begin)
        cell.rows, cell.out = last - begin, at_row(call.out, row, narrow)
        if call.gates != call.values:
            memcpy(cell.values, call.gates + row * wide, cell.rows * wide)
        g.m, g.a = cell.rows, cell.h
        g.beta = 0 if call.cell == GRU else 1
        g.out = hidden if call.cell == GRU else cell.values
        multiply_packed(&g, call.packed)
        table.forward[call.kind](call.cell, &cell)


cdef void walk_back(const Call *call, Py_ssize_t begin, Py_ssize_t end, char *room) noexcept nogil:
    """The gradients of these steps, the last one first."""
    cdef Py_ssize_t step, last, row, narrow = call.n * call.itemsize, wide = call.width * call.itemsize
    cdef CellRows cell
    cdef Product g
    by_turned_weight(call, &g, room)                                    # slopes @ weight
    g.beta = 1 if call.cell == GRU else 0                               # there the state also goes on by itself
    cell.n, cell.bias = call.n, NULL
    for step in range(call.count - 1, -1, -1):
        last = min(end, call.rows[step])
        if last <= begin:
            continue
        row = call.first[step] + begin
        place(call, &cell, row, begin)
        cell.rows, cell.out = last - begin, at_row(call.grad_out, row, narrow)
        cell.slopes, cell.hidden = at_row(call.slopes, row, wide), at_row(call.hidden, row, wide)
        table.backward[call.kind](call.cell, &cell)
        g.m, g.out = cell.rows, cell.h
        g.a = cell.hidden if call.cell == GRU else cell.slopes
        multiply_packed(&g, call.packed)


cdef int begin(Call *call, int cell, tuple steps, View weight, View state, DType dtype) except -1:
    """Fill in what both passes need; 0 where the kernel can't do it. The caller frees `first`."""
    cdef Py_ssize_t i, count = len(steps)
    cdef Py_ssize_t *first
    memset(call, 0, sizeof(Call))
    if dtype is None or weight.sizes[0] > INT_MAX or state.sizes[0] > INT_MAX:
        return 0
    call.cell, call.kind, call.itemsize = cell, dtype.code - FLOAT32, dtype.itemsize
    call.n, call.width, call.sequences, call.count = weight.sizes[1], weight.sizes[0], state.sizes[0], count
    load_blas()
    first = <Py_ssize_t *>malloc(2 * count * sizeof(Py_ssize_t))
    if first == NULL:
        raise MemoryError
    call.first, call.rows = first, first + count
    for i in range(count):
        first[i], first[count + i] = steps[i]
    return 1


cdef int threads_of(const Call *call, Py_ssize_t rows) noexcept:
    """How many threads share the sequences; `rows` counts those of all steps."""
    cdef int threads = threads_for(rows * call.width * call.n, GRAIN)
    return <int>max(1, min(<Py_ssize_t>threads, call.sequences // FEWEST))


cdef char *changed(View start, View target, DType dtype, list keep, list written) except? NULL:
    """The memory of `target`, which holds what `start` has (zeros for None) and is changed from there."""
    cdef View made
    if target is None:
        return NULL
    made = writable(target, dtype, keep)
    if start is None:
        memset(data(made), 0, made.elements * dtype.itemsize)
    else:
        copy_views(start, made)
    written.append((made, target))
    return data(made)


cdef char *filled(View target, DType dtype, list keep, list written) except? NULL:
    """The memory of `target`, all of which is written."""
    cdef View made
    if target is None:
        return NULL
    made = writable(target, dtype, keep)
    written.append((made, target))
    return data(made)


cdef const char *read(View a, DType dtype, list keep) except? NULL:
    cdef View made
    if a is None:
        return NULL
    made = dense(a, dtype, keep)
    keep.append(made)
    return data(made)


cdef object cpu_recurrent(int cell, tuple steps, View gates, View weight, View bias, View h, View c, View values,
                          View kept, View out, View last_h, View last_c):
    cdef DType dtype = computed(gates.dtype)
    cdef list keep = [], written = []
    cdef Call call
    cdef Product product
    cdef Temporary room
    cdef Py_ssize_t size, hidden = 0
    cdef int threads, t
    if not begin(&call, cell, steps, weight, h, dtype):
        return NotImplemented
    try:
        call.gates, call.weight = read(gates, dtype, keep), read(weight, dtype, keep)
        call.bias = read(bias, dtype, keep)
        call.values, call.kept = filled(values, dtype, keep, written), filled(kept, dtype, keep, written)
        call.out = call.values if out is values else filled(out, dtype, keep, written)
        call.h, call.c = changed(h, last_h, dtype, keep, written), changed(c, last_c, dtype, keep, written)
        threads = threads_of(&call, gates.sizes[0])
        if cell == GRU:
            hidden = ((call.sequences // threads + 1) * call.width * call.itemsize + 63) // 64 * 64
        size = hidden + ROOM
        by_weight(&call, &product, NULL)
        pack_weight(&call, &product, gates, keep)
        room = temporary(gates.memory.backend, dtype, 2, [threads, size // call.itemsize])
        with nogil:
            for t in prange(threads, num_threads=threads, schedule="static"):
                walk(&call, call.sequences * t // threads, call.sequences * (t + 1) // threads,
                     data(room.view) + t * size, data(room.view) + t * size + hidden)
    finally:
        free(<void *>call.first)
    for made, target in written:
        if made is not target:
            copy_views(made, target)


cdef object cpu_recurrent_backward(int cell, tuple steps, View grad_out, View grad_h, View grad_c, View values,
                                   View kept, View before, View weight, View slopes, View hidden, View slope_h,
                                   View slope_c):
    cdef DType dtype = computed(values.dtype)
    cdef list keep = [], written = []
    cdef Call call
    cdef Product product
    cdef Temporary room
    cdef int threads, t
    if not begin(&call, cell, steps, weight, slope_h, dtype):
        return NotImplemented
    try:
        call.grad_out, call.weight = read(grad_out, dtype, keep), read(weight, dtype, keep)
        call.values, call.kept = <char *>read(values, dtype, keep), <char *>read(kept, dtype, keep)
        call.before = read(before, dtype, keep)
        call.slopes, call.hidden = filled(slopes, dtype, keep, written), filled(hidden, dtype, keep, written)
        call.h, call.c = changed(grad_h, slope_h, dtype, keep, written), changed(grad_c, slope_c, dtype, keep, written)
        threads = threads_of(&call, values.sizes[0])
        by_turned_weight(&call, &product, NULL)
        pack_weight(&call, &product, values, keep)
        room = temporary(values.memory.backend, dtype, 2, [threads, ROOM // call.itemsize])
        with nogil:
            for t in prange(threads, num_threads=threads, schedule="static"):
                walk_back(&call, call.sequences * t // threads, call.sequences * (t + 1) // threads,
                          data(room.view) + t * ROOM)
    finally:
        free(<void *>call.first)
    for made, target in written:
        if made is not target:
            copy_views(made, target)
