"""Reductions of the CPU backend: sum, prod, max, min, any, all, argmax, argmin over the last axes of a view.

The axes come in two groups, kept and reduced; each is sorted by stride and merged. Where the reduced axis is the
contiguous one, rows are folded to one element each; where a kept axis is, rows are accumulated onto one another, so
that memory is read in order in both cases. What is neither contiguous nor of the compute dtype is moved into a buffer
first, as in `blocks`. Sums cascade: partial sums of 16 and more rows are added up in levels (as PyTorch's do), which
keeps the rounding error near that of pairwise summation.
"""
from cython.parallel cimport prange
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cimport cygrad.backend as ops
from cygrad.dtype cimport BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT64, UINT8, DType, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.blocks cimport Conversion, conversion, convert, loaded_kernels, log_of_item
from cygrad_cpu.loops cimport Kernels, argfold_loop, argupdate_loop, binary_loop, fold_loop
from cygrad_cpu.parallel cimport threads_for

cdef enum:
    GRAIN = 32768           # elements a thread
    ROW_BYTES = 4096        # of one accumulator row
    LEVELS = 4              # of a cascade
    SERIAL = 16384          # below this many elements the GIL is kept
    SHORT = 16              # a reduced axis this short is accumulated, not folded

cdef Kernels *kernels = loaded_kernels()

cdef struct Axis:
    Py_ssize_t size
    Py_ssize_t stride       # of the input, in elements
    Py_ssize_t out_stride

cdef struct Group:          # axes, innermost first
    int rank
    Py_ssize_t elements
    Axis axes[8]

cdef struct Reduction:
    bint adds               # cascade
    bint stops              # ANY and ALL end at the first row that decides
    char decided
    fold_loop fold
    binary_loop combine
    argfold_loop argfold
    argupdate_loop argupdate
    Conversion load
    Conversion store
    const char *a
    char *out
    Py_ssize_t item         # bytes of an input element
    Py_ssize_t out_item
    Py_ssize_t wide         # bytes of an accumulator
    Group kept
    Group reduced

cdef struct Cascade:
    binary_loop combine
    Py_ssize_t width        # elements of a row
    Py_ssize_t bytes
    Py_ssize_t count        # rows so far
    int power               # 2^power rows make one of the next level
    int levels
    char *rows              # one row a level
    bint used[4]


# ---- geometry

cdef inline Py_ssize_t magnitude(Py_ssize_t x) noexcept nogil:
    return -x if x < 0 else x


cdef void tidy(Group *group) noexcept nogil:
    """Sort by the input's strides, drop axes of size 1, merge neighbours."""
    cdef int i, j, count = 0
    cdef Axis axis
    cdef Axis *last
    for i in range(1, group.rank):
        axis = group.axes[i]
        j = i
        while j > 0 and magnitude(axis.stride) < magnitude(group.axes[j - 1].stride):
            group.axes[j] = group.axes[j - 1]
            j -= 1
        group.axes[j] = axis
    group.elements = 1
    for i in range(group.rank):
        axis = group.axes[i]
        group.elements *= axis.size
        if axis.size == 1:
            continue
        if count > 0:
            last = &group.axes[count - 1]
            if axis.stride == last.stride * last.size and axis.out_stride == last.out_stride * last.size:
                last.size *= axis.size
                continue
        group.axes[count] = axis
        count += 1
    if count == 0:
        group.axes[0].size = 1
        group.axes[0].stride = 1
        group.axes[0].out_stride = 1
        count = 1
    group.rank = count


cdef void set_axes(Reduction *r, View a, View out) noexcept:
    cdef int i
    cdef Py_ssize_t kept = out.elements
    if a.dense and out.dense:
        r.kept.rank = r.reduced.rank = 1
        r.kept.axes[0].size = kept
        r.kept.axes[0].stride = a.elements // kept
        r.kept.axes[0].out_stride = 1
        r.reduced.axes[0].size = a.elements // kept
        r.reduced.axes[0].stride = 1
        r.reduced.axes[0].out_stride = 0
    else:
        r.kept.rank = out.rank
        for i in range(out.rank):
            r.kept.axes[i].size = a.sizes[out.rank - 1 - i]
            r.kept.axes[i].stride = a.strides[out.rank - 1 - i]
            r.kept.axes[i].out_stride = out.strides[out.rank - 1 - i]
        r.reduced.rank = a.rank - out.rank
        for i in range(r.reduced.rank):
            r.reduced.axes[i].size = a.sizes[a.rank - 1 - i]
            r.reduced.axes[i].stride = a.strides[a.rank - 1 - i]
            r.reduced.axes[i].out_stride = 0
    tidy(&r.kept)
    tidy(&r.reduced)


cdef inline Py_ssize_t position(const Group *group, Py_ssize_t index, int first_axis, Py_ssize_t *out) noexcept nogil:
    """Offsets (input's, and out's through the pointer) of the index-th point over the axes from first_axis on."""
    cdef Py_ssize_t offset = 0, coordinate
    cdef int k
    out[0] = 0
    for k in range(first_axis, group.rank):
        coordinate = index % group.axes[k].size
        index //= group.axes[k].size
        offset += coordinate * group.axes[k].stride
        out[0] += coordinate * group.axes[k].out_stride
    return offset


# ---- cascade

cdef void begin(Cascade *c, const Reduction *r, Py_ssize_t width, Py_ssize_t rows, char *memory) noexcept nogil:
    """Levels for `rows` rows; 2^power is at least 16 and about the fourth root of the number of rows."""
    cdef int k, log = 0
    while (<Py_ssize_t>1 << log) < rows:
        log += 1
    c.combine = r.combine
    c.width = width
    c.bytes = width * r.wide
    c.count = 0
    c.power = max(4, log // LEVELS)
    c.levels = LEVELS if r.adds else 1
    c.rows = memory
    for k in range(LEVELS):
        c.used[k] = False


cdef inline void push(Cascade *c, const char *row) noexcept nogil:
    """Add one row; full levels overflow into the next."""
    cdef int k
    if c.used[0]:
        c.combine(c.rows, row, c.rows, c.width, 0, NULL)
    else:
        memcpy(c.rows, row, c.bytes)
        c.used[0] = True
    c.count += 1
    if c.levels > 1 and c.count & ((<Py_ssize_t>1 << c.power) - 1) == 0:
        for k in range(1, c.levels):
            if c.used[k]:
                c.combine(c.rows + k * c.bytes, c.rows + (k - 1) * c.bytes, c.rows + k * c.bytes, c.width, 0, NULL)
            else:
                memcpy(c.rows + k * c.bytes, c.rows + (k - 1) * c.bytes, c.bytes)
                c.used[k] = True
            c.used[k - 1] = False
            if c.count & ((<Py_ssize_t>1 << (k + 1) * c.power) - 1):
                break


cdef const char *finish(Cascade *c) noexcept nogil:
    """The total."""
    cdef int k
    cdef char *total = NULL
    for k in range(c.levels):
        if c.used[k]:
            if total == NULL:
                total = c.rows + k * c.bytes
            else:
                c.combine(total, c.rows + k * c.bytes, total, c.width, 0, NULL)
    return total


# ---- rows

cdef inline const char *load(const Reduction *r, const char *a, Py_ssize_t stride, Py_ssize_t n,
                             char *buffers) noexcept nogil:
    """n elements as a contiguous run of the compute dtype. `buffers`: three times ROW_BYTES * 2."""
    if stride != 1 and n > 1:
        kernels.move[log_of_item(r.item)](a, 0, stride, buffers, 0, 1, 1, n)
        a = buffers
    return convert(&r.load, a, n, buffers + 2 * ROW_BYTES, buffers + 4 * ROW_BYTES)


cdef void fold_one(const Reduction *r, const char *a, char *total) noexcept nogil:
    """Fold all reduced axes from `a` into total[0]."""
    cdef char buffers[6 * ROW_BYTES]
    cdef char levels[4 * 16]
    cdef char partial[16]
    cdef Cascade cascade
    cdef const Axis *inner = &r.reduced.axes[0]
    cdef Py_ssize_t run, start, n, step, outer = r.reduced.elements // inner.size, ignored
    cdef const char *row
    if outer == 1 and inner.stride == 1 and r.load.steps == 0 and not r.stops:
        r.fold(a, inner.size, total, NULL)
        return
    step = inner.size
    if r.stops or r.load.steps or inner.stride != 1:
        step = min(step, <Py_ssize_t>(2 * ROW_BYTES // max(r.wide, r.item, <Py_ssize_t>4)))
    begin(&cascade, r, 1, outer * ((inner.size + step - 1) // step), levels)
    for run in range(outer):
        row = a + position(&r.reduced, run, 1, &ignored) * r.item
        start = 0
        while start < inner.size:
            n = min(step, inner.size - start)
            r.fold(load(r, row + start * inner.stride * r.item, inner.stride, n, buffers), n, partial, NULL)
            push(&cascade, partial)
            if r.stops and levels[0] == r.decided:
                total[0] = r.decided
                return
            start += step
    memcpy(total, finish(&cascade), r.wide)


cdef void store(const Reduction *r, const char *results, Py_ssize_t n, char *out, Py_ssize_t stride) noexcept nogil:
    cdef char buffer[4 * ROW_BYTES]
    cdef char scratch[4 * ROW_BYTES]
    results = convert(&r.store, results, n, buffer, scratch)
    kernels.move[log_of_item(r.out_item)](results, 0, 1, out, 0, stride, 1, n)


cdef void fold_range(const Reduction *r, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Kept elements first to last - 1, each a fold."""
    cdef char total[16]
    cdef Py_ssize_t index, offset, out_offset
    for index in range(first, last):
        offset = position(&r.kept, index, 0, &out_offset)
        fold_one(r, r.a + offset * r.item, total)
        store(r, total, 1, r.out + out_offset * r.out_item, 1)


cdef void accumulate_range(const Reduction *r, Py_ssize_t width, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Blocks first to last - 1 of up to `width` kept elements: rows are added onto one another."""
    cdef char buffers[6 * ROW_BYTES]
    cdef char levels[4 * ROW_BYTES]
    cdef Cascade cascade
    cdef const Axis *inner = &r.kept.axes[0]
    cdef Py_ssize_t blocks = (inner.size + width - 1) // width
    cdef Py_ssize_t index, start, n, row, offset, out_offset, ignored
    cdef const char *corner
    for index in range(first, last):
        start = index % blocks * width
        n = min(width, inner.size - start)
        offset = position(&r.kept, index // blocks, 1, &out_offset)
        corner = r.a + (offset + start * inner.stride) * r.item
        begin(&cascade, r, n, r.reduced.elements, levels)
        for row in range(r.reduced.elements):
            push(&cascade, load(r, corner + position(&r.reduced, row, 0, &ignored) * r.item, inner.stride, n, buffers))
        store(r, finish(&cascade), n, r.out + (out_offset + start * inner.out_stride) * r.out_item, inner.out_stride)


cdef void reduce_serially(const Reduction *r) noexcept nogil:
    run_part(r, 0, units(r))


cdef inline bint accumulates(const Reduction *r) noexcept nogil:
    """Whether rows are added onto one another: the kept axis is the contiguous one, or the reduced one is short."""
    cdef const Axis *kept = &r.kept.axes[0]
    cdef const Axis *reduced = &r.reduced.axes[0]
    if kept.size < SHORT:
        return False
    return magnitude(kept.stride) < magnitude(reduced.stride) or r.reduced.elements < SHORT


cdef inline Py_ssize_t row_width(const Reduction *r) noexcept nogil:
    return ROW_BYTES // max(r.wide, r.item)


cdef Py_ssize_t units(const Reduction *r) noexcept nogil:
    """Independent pieces of work: kept elements, or blocks of them."""
    cdef Py_ssize_t width = row_width(r), size = r.kept.axes[0].size
    if accumulates(r):
        return r.kept.elements // size * ((size + width - 1) // width)
    return r.kept.elements


cdef void run_part(const Reduction *r, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    if accumulates(r):
        accumulate_range(r, row_width(r), first, last)
    else:
        fold_range(r, first, last)


cdef void reduce_part(const Reduction *r, Py_ssize_t first, Py_ssize_t count, char *partial) noexcept nogil:
    """Only points first.. of the outermost reduced axis, into contiguous accumulators."""
    cdef Reduction part = r[0]
    cdef Axis *outer = &part.reduced.axes[part.reduced.rank - 1]
    cdef Py_ssize_t step = 1
    cdef int k
    part.a += first * outer.stride * r.item
    part.reduced.elements = part.reduced.elements // outer.size * count
    outer.size = count
    part.store.steps = 0
    part.out = partial
    part.out_item = part.wide
    for k in range(part.kept.rank):
        part.kept.axes[k].out_stride = step
        step *= part.kept.axes[k].size
    reduce_serially(&part)


cdef void reduce_in_parts(const Reduction *r, int threads, char *partials) noexcept nogil:
    """Each thread reduces a share of the outermost reduced axis; then the shares are combined."""
    cdef Py_ssize_t size = r.reduced.axes[r.reduced.rank - 1].size, share = (size + threads - 1) // threads
    cdef Py_ssize_t bytes = r.kept.elements * r.wide, offset, out_offset, index
    cdef int thread, parts = <int>((size + share - 1) // share)
    for thread in prange(parts, num_threads=parts, schedule="static", chunksize=1):
        reduce_part(r, thread * share, min(share, size - thread * share), partials + thread * bytes)
    for thread in range(1, parts):
        r.combine(partials, partials + thread * bytes, partials, r.kept.elements, 0, NULL)
    for index in range(r.kept.elements):
        offset = position(&r.kept, index, 0, &out_offset)
        store(r, partials + index * r.wide, 1, r.out + out_offset * r.out_item, 1)


cdef void reduce_in_units(const Reduction *r, int threads) noexcept nogil:
    cdef Py_ssize_t total = units(r), share = (total + threads - 1) // threads
    cdef int thread
    for thread in prange(threads, num_threads=threads, schedule="static", chunksize=1):
        run_part(r, min(thread * share, total), min((thread + 1) * share, total))


cdef int reduce_all(const Reduction *r) noexcept nogil:
    cdef Py_ssize_t elements = r.kept.elements * r.reduced.elements
    cdef int threads = threads_for(elements, GRAIN)
    cdef char *partials
    if threads > 1 and units(r) >= 4 * threads:
        reduce_in_units(r, threads)
        return 0
    if threads > 1 and r.reduced.axes[r.reduced.rank - 1].size >= 4 * threads and not r.stops:
        partials = <char *>malloc(threads * r.kept.elements * r.wide)
        if partials != NULL:
            reduce_in_parts(r, threads, partials)
            free(partials)
            return 0
    reduce_serially(r)
    return 0


cdef object cpu_reduce(int op, View a, View out):
    cdef Reduction r
    cdef int code = out.dtype.code
    cdef int binary = (ops.ADD if op == ops.SUM else ops.MUL if op == ops.PROD else
                       ops.MAXIMUM if op == ops.MAX or op == ops.ANY else ops.MINIMUM)
    if op == ops.ANY or op == ops.ALL:
        code = BOOL
    elif code == FLOAT16 or code == BFLOAT16:
        code = FLOAT32
    r.fold = kernels.fold[op][code]
    r.combine = kernels.binary[binary][code]
    if r.fold == NULL or r.combine == NULL or not conversion(a.dtype.code, code, &r.load):
        return NotImplemented
    conversion(code, out.dtype.code, &r.store)
    r.a = data(a)
    if r.load.steps == 0 and a.dense and out.elements == 1 and a.elements < SERIAL and r.store.steps == 0:
        r.fold(r.a, a.elements, data(out), NULL)
        return None
    r.adds = op == ops.SUM
    r.stops = op == ops.ANY or op == ops.ALL
    r.decided = op == ops.ANY
    r.out = data(out)
    r.item = a.dtype.itemsize
    r.out_item = out.dtype.itemsize
    r.wide = dtype_of(code).itemsize
    set_axes(&r, a, out)
    if a.elements < SERIAL:
        reduce_serially(&r)
    else:
        with nogil:
            reduce_all(&r)
    return None


# ---- positions of extremes

cdef void argfold_range(const Reduction *r, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Kept elements first to last - 1: the position of the extreme along the one reduced axis."""
    cdef char buffers[6 * ROW_BYTES]
    cdef char best[16]
    cdef char value[16]
    cdef const Axis *inner = &r.reduced.axes[0]
    cdef Py_ssize_t index, start, n, offset, out_offset, step
    cdef long long found, local, ignored
    cdef const char *row
    for index in range(first, last):
        offset = position(&r.kept, index, 0, &out_offset)
        row = r.a + offset * r.item
        step = inner.size
        if r.load.steps or inner.stride != 1:
            step = min(step, <Py_ssize_t>(2 * ROW_BYTES // max(r.wide, r.item)))
        found = r.argfold(load(r, row, inner.stride, min(step, inner.size), buffers), min(step, inner.size), best, NULL)
        start = step
        while start < inner.size:
            n = min(step, inner.size - start)
            local = r.argfold(load(r, row + start * inner.stride * r.item, inner.stride, n, buffers), n, value, NULL)
            r.argupdate(value, best, &found, 1, start + local, NULL)
            start += step
        (<long long *>r.out)[out_offset] = found


cdef void argaccumulate_range(const Reduction *r, Py_ssize_t width, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    cdef char buffers[6 * ROW_BYTES]
    cdef char best[ROW_BYTES]
    cdef long long found[ROW_BYTES]
    cdef const Axis *inner = &r.kept.axes[0]
    cdef Py_ssize_t blocks = (inner.size + width - 1) // width
    cdef Py_ssize_t index, start, n, row, offset, out_offset
    cdef const char *corner
    for index in range(first, last):
        start = index % blocks * width
        n = min(width, inner.size - start)
        offset = position(&r.kept, index // blocks, 1, &out_offset)
        corner = r.a + (offset + start * inner.stride) * r.item
        memcpy(best, load(r, corner, inner.stride, n, buffers), n * r.wide)
        memset(found, 0, n * sizeof(long long))
        for row in range(1, r.reduced.elements):
            r.argupdate(load(r, corner + row * r.reduced.axes[0].stride * r.item, inner.stride, n, buffers), best, found,
                        n, row, NULL)
        kernels.move[3](<const char *>found, 0, 1, r.out + (out_offset + start * inner.out_stride) * 8, 0,
                        inner.out_stride, 1, n)


cdef void argreduce_part(const Reduction *r, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    if accumulates(r):
        argaccumulate_range(r, row_width(r), first, last)
    else:
        argfold_range(r, first, last)


cdef void argreduce_all(const Reduction *r) noexcept nogil:
    cdef Py_ssize_t total = units(r), share
    cdef int thread, threads = threads_for(r.kept.elements * r.reduced.elements, GRAIN)
    if threads == 1 or total < threads:
        argreduce_part(r, 0, total)
        return
    share = (total + threads - 1) // threads
    for thread in prange(threads, num_threads=threads, schedule="static", chunksize=1):
        argreduce_part(r, min(thread * share, total), min((thread + 1) * share, total))


cdef object cpu_argreduce(int op, View a, View out):
    cdef Reduction r
    cdef int code = a.dtype.code
    if code == FLOAT16 or code == BFLOAT16:
        code = FLOAT32
    r.argfold = kernels.argfold[op][code]
    r.argupdate = kernels.argupdate[op][code]
    if r.argfold == NULL or not conversion(a.dtype.code, code, &r.load):
        return NotImplemented
    r.a = data(a)
    r.out = data(out)
    r.item = a.dtype.itemsize
    r.wide = dtype_of(code).itemsize
    set_axes(&r, a, out)
    if a.elements < SERIAL:
        argreduce_part(&r, 0, units(&r))
    else:
        with nogil:
            argreduce_all(&r)
    return None
