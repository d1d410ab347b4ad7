"""Reductions of the CPU backend: sum, prod, max, min, any, all over the last axes of a view.

`axes` says whether rows or columns are folded. What is neither contiguous nor of the compute dtype is moved into a
buffer first, as in `blocks`. Sums cascade: partial sums of 16 rows or more are added up in levels, which keeps the
rounding error near that of pairwise summation; float sums of one axis are in PyTorch's own order.
"""
from cython.parallel cimport prange
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

cimport cygrad.backend as ops
from cygrad.dtype cimport BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.reduce.reduced_axes cimport (BUFFER, ROW_BYTES, Axis, Reduction, by_columns, direct, load, magnitude,
                                             position, row_width, set_axes, units)
from cygrad_cpu.pointwise.blocks cimport conversion, convert, loaded_kernels, log_of_item
from cygrad_cpu.kernels.pointwise_table cimport Kernels
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.simd.partial_levels cimport Cascade, begin, cascade_power, finish, push

cdef enum:
    GRAIN = 32768           # elements a thread
    SERIAL = 16384          # below this many elements the GIL is kept

cdef Kernels *kernels = loaded_kernels()

cdef void store(const Reduction *r, const char *results, Py_ssize_t n, char *out, Py_ssize_t stride) noexcept nogil:
    """Write accumulators; n fits into a buffer if it takes a conversion."""
    cdef char buffer[BUFFER]
    cdef char scratch[BUFFER]
    results = convert(&r.store, results, n, buffer, scratch)
    if n == 1:
        memcpy(out, results, r.out_item)
    else:
        kernels.move[log_of_item(r.out_item)](results, n, 1, out, n, stride, 1, n)


# ---- folds of columns and of rows

cdef void fold_block(const Reduction *r, const char *a, Py_ssize_t n, Py_ssize_t first_row, Py_ssize_t row_step,
                     Py_ssize_t rows, char *total) noexcept nogil:
    """Fold n columns over every row_step-th of the reduced points from first_row on; `rows` of them."""
    cdef char buffers[3 * BUFFER]
    cdef char levels[3 * ROW_BYTES]
    cdef char partial[ROW_BYTES]
    cdef Cascade cascade
    cdef const Axis *columns = &r.kept.axes[0]
    cdef const Axis *inner = &r.reduced.axes[0]
    cdef int power = cascade_power(rows)
    cdef Py_ssize_t chunk = inner.size, done = 0, along, count, ignored, row = row_step * inner.stride
    cdef bint whole = direct(r, columns)
    cdef const char *source
    if r.adds:
        chunk = <Py_ssize_t>1 << power
    if not whole:
        chunk = min(chunk, <Py_ssize_t>(BUFFER // (n * max(r.wide, r.item, <Py_ssize_t>4))))
    if whole and rows <= chunk and r.reduced.rank == 1:
        r.columns(a + first_row * inner.stride * r.item, row, rows, n, total, NULL)
        return
    begin(&cascade, r.combine, r.adds, n, r.wide, power, levels)
    while done < rows:
        along = (first_row + done * row_step) % inner.size
        count = min(chunk, rows - done)
        if row_step == 1:               # else the one reduced axis is this one
            count = min(count, inner.size - along)
        source = a + (along * inner.stride
                      + position(&r.reduced, (first_row + done * row_step) // inner.size, 1, &ignored)) * r.item
        if whole:
            r.columns(source, row, count, n, partial, NULL)
        else:
            r.columns(load(r, source, row, columns.stride, count, n, buffers), n, count, n, partial, NULL)
        push(&cascade, partial)
        done += count
    memcpy(total, finish(&cascade), n * r.wide)


cdef void fold_block_in_chains(const Reduction *r, const char *a, Py_ssize_t n, char *total) noexcept nogil:
    """PyTorch's order for the columns left over from its vectors: every fourth row a chain, the rest join the first."""
    cdef char chain[ROW_BYTES]
    cdef Py_ssize_t rows = r.reduced.elements, quarter = rows // 4, k
    if quarter == 0:
        fold_block(r, a, n, 0, 1, rows, total)
        return
    fold_block(r, a, n, 0, 4, quarter, total)
    for k in range(4 * quarter, rows):
        r.combine(total, a + k * r.reduced.axes[0].stride * r.item, total, n, 0, NULL)
    for k in range(1, 4):
        fold_block(r, a, n, k, 4, quarter, chain)
        r.combine(total, chain, total, n, 0, NULL)


cdef inline Py_ssize_t plain_columns(const Reduction *r) noexcept nogil:
    """How many columns PyTorch sums row after row; the others go in chains."""
    cdef Py_ssize_t lanes = 32 // r.wide, n = r.kept.axes[0].size
    if not r.ordered or r.reduced.rank > 1 or not direct(r, &r.kept.axes[0]):
        return n
    return n // (4 * lanes) * (4 * lanes) if n >= lanes else n // 4 * 4


cdef void fold_in_chains(const Reduction *r, const char *a, char *total) noexcept nogil:
    """PyTorch's order for one strided axis: every fourth element is a chain, as if there were four columns."""
    cdef char chains[4 * 8]
    cdef Reduction four = r[0]
    cdef Py_ssize_t n = r.reduced.elements, stride = r.reduced.axes[0].stride, k
    four.kept.axes[0].size = four.kept.elements = 4
    four.kept.axes[0].stride = stride
    four.reduced.axes[0].size = four.reduced.elements = n // 4
    four.reduced.axes[0].stride = 4 * stride
    fold_block(&four, a, 4, 0, 1, n // 4, chains)
    for k in range(n // 4 * 4, n):
        r.combine(chains, a + k * stride * r.item, chains, 1, 0, NULL)
    for k in range(1, 4):
        r.combine(chains, chains + k * r.wide, chains, 1, 0, NULL)
    memcpy(total, chains, r.wide)


cdef void fold_one(const Reduction *r, const char *a, char *total) noexcept nogil:
    """Fold all reduced axes from `a` into total[0]."""
    cdef char buffers[3 * BUFFER]
    cdef char levels[4 * 16]
    cdef char partial[16]
    cdef Cascade cascade
    cdef const Axis *inner = &r.reduced.axes[0]
    cdef Py_ssize_t run, start, n, step = inner.size, outer = r.reduced.elements // inner.size, ignored
    cdef const char *row
    if r.ordered and r.load.steps == 0 and inner.stride != 1 and outer == 1 and 4 <= inner.size <= 8192:
        fold_in_chains(r, a, total)
        return
    if r.stops or not direct(r, inner):
        step = min(step, <Py_ssize_t>(BUFFER // max(r.wide, r.item, <Py_ssize_t>4)))
    begin(&cascade, r.combine, r.adds, 1, r.wide, cascade_power(outer * ((inner.size + step - 1) // step)), levels)
    for run in range(outer):
        row = a + position(&r.reduced, run, 1, &ignored) * r.item
        start = 0
        while start < inner.size:
            n = min(step, inner.size - start)
            r.fold(load(r, row + start * inner.stride * r.item, 0, inner.stride, 1, n, buffers), n, 0, partial, 0, 1,
                   NULL)
            push(&cascade, partial)
            if r.stops and (levels[0] == r.decided or r.known != NULL and r.known[0]):
                if r.known != NULL:
                    r.known[0] = True
                total[0] = r.decided
                return
            start += step
    memcpy(total, finish(&cascade), r.wide)


cdef bint inner_rows(const Reduction *r) noexcept nogil:
    """Whether contiguous rows to be folded lie beside each other, with more reduced axes further out."""
    return (r.reduced.rank > 1 and r.kept.axes[0].size > 1 and direct(r, &r.reduced.axes[0]) and not r.stops
            and magnitude(r.kept.axes[0].stride) < magnitude(r.reduced.axes[1].stride))


cdef void fold_rows(const Reduction *r, const char *a, Py_ssize_t count, char *totals) noexcept nogil:
    """Fold kept elements beside each other, in the order of memory: their rows at every outer point, then these."""
    cdef char levels[3 * ROW_BYTES]
    cdef char partial[ROW_BYTES]
    cdef Cascade cascade
    cdef const Axis *inner = &r.reduced.axes[0]
    cdef Py_ssize_t outer = r.reduced.elements // inner.size, run, ignored
    begin(&cascade, r.combine, r.adds, count, r.wide, cascade_power(outer), levels)
    for run in range(outer):
        r.fold(a + position(&r.reduced, run, 1, &ignored) * r.item, inner.size, r.kept.axes[0].stride, partial, 1,
               count, NULL)
        push(&cascade, partial)
    memcpy(totals, finish(&cascade), count * r.wide)


cdef void fold_range(const Reduction *r, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Kept elements first to last - 1, each a fold; the loop takes the rows along the inner kept axis at once."""
    cdef char totals[ROW_BYTES]
    cdef const Axis *inner = &r.kept.axes[0]
    cdef bint at_once = (r.reduced.rank == 1 and direct(r, &r.reduced.axes[0]) and r.store.steps == 0
                         and (not r.stops or r.reduced.elements <= BUFFER))
    cdef bint by_rows = inner_rows(r)
    cdef Py_ssize_t index = first, count, along, k, offset, out_offset
    cdef const char *a
    cdef char *out
    while index < last:
        along = index % inner.size
        count = min(inner.size - along, last - index)
        offset = position(&r.kept, index // inner.size, 1, &out_offset)
        a = r.a + (offset + along * inner.stride) * r.item
        out = r.out + (out_offset + along * inner.out_stride) * r.out_item
        if at_once:
            r.fold(a, r.reduced.elements, inner.stride, out, inner.out_stride, count, NULL)
        elif by_rows:
            count = min(count, <Py_ssize_t>(ROW_BYTES // r.wide))
            fold_rows(r, a, count, totals)
            store(r, totals, count, out, inner.out_stride)
        else:
            for k in range(count):
                fold_one(r, a + k * inner.stride * r.item, totals)
                store(r, totals, 1, out + k * inner.out_stride * r.out_item, 1)
        index += count


cdef void columns_range(const Reduction *r, Py_ssize_t width, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Blocks first to last - 1 of up to `width` kept elements."""
    cdef char total[ROW_BYTES]
    cdef const Axis *inner = &r.kept.axes[0]
    cdef Py_ssize_t blocks = (inner.size + width - 1) // width, plain = plain_columns(r)
    cdef Py_ssize_t index, start, n, offset, out_offset, head
    cdef const char *corner
    for index in range(first, last):
        start = index % blocks * width
        n = min(width, inner.size - start)
        offset = position(&r.kept, index // blocks, 1, &out_offset)
        corner = r.a + (offset + start * inner.stride) * r.item
        head = max(<Py_ssize_t>0, min(n, plain - start))
        if head > 0:
            fold_block(r, corner, head, 0, 1, r.reduced.elements, total)
        if head < n:
            fold_block_in_chains(r, corner + head * r.item, n - head, total + head * r.wide)
        store(r, total, n, r.out + (out_offset + start * inner.out_stride) * r.out_item, inner.out_stride)


cdef void few_columns(const Reduction *r) noexcept nogil:
    """A few dense columns over many rows: several rows side by side make one long row."""
    cdef char total[ROW_BYTES]
    cdef char row[ROW_BYTES]
    cdef Reduction wide = r[0]
    cdef Py_ssize_t n = r.kept.elements, rows = r.reduced.elements
    cdef Py_ssize_t side = ROW_BYTES // 4 // (n * r.wide), k
    wide.ordered = False
    wide.kept.axes[0].size = wide.kept.elements = n * side
    wide.reduced.axes[0].size = wide.reduced.elements = rows // side
    wide.reduced.axes[0].stride = n * side
    fold_block(&wide, r.a, n * side, 0, 1, rows // side, total)
    for k in range(1, side):
        r.combine(total, total + k * n * r.wide, total, n, 0, NULL)
    for k in range(rows // side * side, rows):
        r.columns(r.a + k * n * r.item, n, 1, n, row, NULL)
        r.combine(total, row, total, n, 0, NULL)
    store(r, total, n, r.out, r.kept.axes[0].out_stride)


# ---- one thread or several

cdef void run_part(const Reduction *r, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    if by_columns(r):
        columns_range(r, row_width(r), first, last)
    else:
        fold_range(r, first, last)


cdef void reduce_serially(const Reduction *r) noexcept nogil:
    cdef bint dense_rows = (r.kept.rank == 1 and r.reduced.rank == 1 and r.kept.axes[0].stride == 1
                            and r.reduced.axes[0].stride == r.kept.elements)
    if (dense_rows and r.kept.elements > 1 and r.load.steps == 0 and r.kept.elements * r.wide <= ROW_BYTES // 16
            and r.kept.elements * r.reduced.elements > (131072 if r.ordered else 8192)):
        few_columns(r)
    else:
        run_part(r, 0, units(r))


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
    cdef Py_ssize_t bytes = r.kept.elements * r.wide, out_offset, index, along, n
    cdef const Axis *inner = &r.kept.axes[0]
    cdef int thread, parts = <int>((size + share - 1) // share)
    for thread in prange(parts, num_threads=parts, schedule="static", chunksize=1):
        reduce_part(r, thread * share, min(share, size - thread * share), partials + thread * bytes)
    for thread in range(1, parts):
        r.combine(partials, partials + thread * bytes, partials, r.kept.elements, 0, NULL)
    index = 0
    while index < r.kept.elements:
        along = index % inner.size
        n = min(min(inner.size - along, r.kept.elements - index), <Py_ssize_t>(ROW_BYTES // r.wide))
        position(&r.kept, index // inner.size, 1, &out_offset)
        store(r, partials + index * r.wide, n, r.out + (out_offset + along * inner.out_stride) * r.out_item,
              inner.out_stride)
        index += n


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
    if threads > 1 and r.reduced.axes[r.reduced.rank - 1].size >= 4 * threads and (
            not r.stops or r.known != NULL or by_columns(r)):
        partials = <char *>malloc(threads * r.kept.elements * r.wide)
        if partials != NULL:
            reduce_in_parts(r, threads, partials)
            free(partials)
            return 0
    reduce_serially(r)
    return 0


cdef void add_narrow(Reduction *r, int code) noexcept:
    """Columns of 16-bit floats have a loop that takes them as they are."""
    if r.kept.axes[0].stride == 1 and by_columns(r):
        r.columns = kernels.add_narrow_columns[code == BFLOAT16]
        r.load.steps = 0
        r.ordered = False


cdef object cpu_reduce(int op, View a, View out):
    cdef Reduction r
    cdef char known = False
    cdef int code = out.dtype.code
    cdef int binary = (ops.ADD if op == ops.SUM or op == ops.SQUARE_SUM else ops.MUL if op == ops.PROD else
                       ops.MAXIMUM if op == ops.MAX or op == ops.ANY else ops.MINIMUM)
    if op == ops.ANY or op == ops.ALL:
        code = BOOL
    elif code == FLOAT16 or code == BFLOAT16:
        code = FLOAT32
    r.fold = kernels.fold[op][code]
    r.columns = kernels.columns[op][code]
    r.combine = kernels.binary[binary][code]
    if r.fold == NULL or r.combine == NULL or not conversion(a.dtype.code, code, &r.load):
        return NotImplemented
    conversion(code, out.dtype.code, &r.store)
    r.a = data(a)
    if r.load.steps == 0 and a.dense and out.elements == 1 and a.elements < SERIAL and r.store.steps == 0:
        r.fold(r.a, a.elements, 0, data(out), 0, 1, NULL)
        return None
    r.adds = op == ops.SUM or op == ops.SQUARE_SUM
    r.ordered = op == ops.SUM and (code == FLOAT32 or code == FLOAT64)
    r.stops = op == ops.ANY or op == ops.ALL
    r.decided = op == ops.ANY
    r.known = &known if r.stops and out.elements == 1 else NULL
    r.out = data(out)
    r.item = a.dtype.itemsize
    r.out_item = out.dtype.itemsize
    r.wide = dtype_of(code).itemsize
    set_axes(&r, a, out)
    if op == ops.SUM and (a.dtype.code == FLOAT16 or a.dtype.code == BFLOAT16) and code == FLOAT32:
        add_narrow(&r, a.dtype.code)
    if a.elements < SERIAL:
        reduce_serially(&r)
    else:
        with nogil:
            reduce_all(&r)
    return None
