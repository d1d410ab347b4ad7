# distutils: extra_compile_args = -Os
"""The `map_reduce` entry: a program over blocks that stay in the first-level cache, each reduced where it lies.

The loops are those of `elementwise` and `reduction`. A block has rows and columns, along the two innermost axes of:

* FLAT: reduced axes both (or one), so that a block gives one number. Blocks of one kept element follow each other.
* BESIDE: the reduced axis and a kept one: rows so short that several fit into a block, with a number each.
* ACROSS: a kept axis and a reduced one, where operands lie in memory that way: a block gives a row of numbers.

What the blocks of a unit (a kept element, or as many as a block has) give is added up in levels; `finish` runs on the
totals. Threads share the units, or where there are few, the outermost reduced axis of each.
"""
from cython.parallel cimport prange
from libc.string cimport memcpy

cimport cygrad.backend as codes
from cygrad.dtype cimport BFLOAT16, BOOL, FLOAT16, FLOAT32, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.runtime.allocator cimport give, take
from cygrad_cpu.pointwise.blocks cimport (PROGRAM, Job, Operand, add_input, conversion, convert, fetch, loaded_kernels,
                                log_of_item, start)
from cygrad_cpu.pointwise.elementwise cimport Details, Workspace, buffers_of, grain_of, open_workspace, reads_plainly
from cygrad_cpu.kernels.pointwise_table cimport Kernels
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.simd.partial_levels cimport LEVEL_ROWS, Cascade, begin, cascade_power, finish as total_of, push
from cygrad_cpu.pointwise.plans cimport BUFFERS, CONSTANTS, OUTS, Compiled, Plan, compiled, compiled_finish, run_steps
from cygrad_cpu.pointwise.pointwise cimport division_by_zero, store_scalar
from cygrad_cpu.reduce.map_reduce_walks cimport BESIDE, FLAT, Place, Result, Walk, arrange, find_unit

cdef enum:
    SERIAL = 16384          # below this many elements the GIL is kept
    LOCAL = 8192            # bytes of buffers on the stack, for small operands
    FOLDED = 32             # rows of a partial result

cdef Kernels *kernels = loaded_kernels()


# ---- what becomes of totals

cdef Py_ssize_t finish_bytes(const Walk *walk) noexcept nogil:
    """Memory that `put_totals` needs for each kept element."""
    return 16 * (3 + (0 if walk.finish == NULL else walk.finish.buffers + walk.outs))


cdef int put_totals(const Walk *walk, char *totals, Py_ssize_t pitch, Py_ssize_t n, Py_ssize_t offset,
                    Py_ssize_t stride, char *memory) noexcept nogil:
    """Finish n totals of each result, `pitch` bytes apart, and write them to outs, `stride` apart from `offset` on."""
    cdef const Plan *plan = walk.finish
    cdef char *slots[160]
    cdef char *moved = memory + 16 * n
    cdef const char *found
    cdef int j, status = 0
    for j in range(walk.results):
        slots[j] = totals + j * pitch
    if plan != NULL:
        for j in range(plan.constants):
            slots[CONSTANTS + j] = walk.finish_values + 16 * j
        for j in range(plan.buffers):
            slots[BUFFERS + j] = memory + 16 * n * (3 + j)
        for j in range(walk.outs):
            slots[OUTS + j] = memory + 16 * n * (3 + plan.buffers + j)
        run_steps(plan.spread, plan.spreads, slots, n)
        status = run_steps(plan.step, plan.steps, slots, n)
    for j in range(walk.outs):
        found = convert(&walk.target[j].store, slots[j] if plan == NULL else slots[OUTS + j], n, moved, memory)
        kernels.move[log_of_item(walk.out_item)](found, n, 1, walk.target[j].data + offset * walk.out_item, n, stride,
                                                 1, n)
    return status


# ---- a unit

cdef inline void load(Walk *walk, Workspace *w, int k, Py_ssize_t position, Py_ssize_t rows,
                      Py_ssize_t columns) noexcept nogil:
    cdef const Operand *operand = &walk.job.operands[k]
    w.slots[walk.details.inputs[k]] = <char *>fetch(&walk.job, k, operand.data + position * operand.item, rows, columns,
                                                    w.moved[k], w.converted[k], w.scratch)


cdef inline void shift_buffers(const Plan *plan, Workspace *w, Py_ssize_t elements) noexcept nogil:
    """Let the steps write to another row of their buffers."""
    cdef int k
    for k in range(plan.buffers - plan.spreads):
        w.slots[BUFFERS + k] += elements * plan.item


cdef int run_block(Walk *walk, Workspace *w, const Py_ssize_t *corners, Py_ssize_t row, Py_ssize_t column,
                   Py_ssize_t rows, Py_ssize_t columns) noexcept nogil:
    """Compute the results for a block, into their slots."""
    cdef const Job *job = &walk.job
    cdef const Plan *plan = walk.details.plan
    cdef Py_ssize_t done = 0, height = 1 if walk.by_row else rows
    cdef int k, status = 0
    while done < rows:
        for k in range(job.inputs + 1):
            if not walk.held[k]:
                load(walk, w, k, corners[k] + (row + done) * job.operands[k].strides[1]
                     + column * job.operands[k].strides[0], height, columns)
        status |= run_steps(plan.step, plan.steps, w.slots, height * columns)
        done += height
        shift_buffers(plan, w, height * columns if done < rows else (height - rows) * columns)
    return status


cdef struct Sums:           # what the blocks of a unit have given so far
    Cascade cascades[4]
    Py_ssize_t width        # of these: rows side by side count as one
    Py_ssize_t pitch        # bytes between the totals of two results
    char *buffer
    char *partial
    char *tails             # of rows that don't make a whole one side by side
    bint tailed
    char *totals


cdef void open_sums(const Walk *walk, const Place *place, Py_ssize_t blocks, char *memory, char *totals,
                    Sums *sums) noexcept nogil:
    """Divide `memory`, which has unit_bytes(...), among the results."""
    cdef int j
    sums.width = walk.side * place.width
    sums.pitch = walk.width * walk.wide
    sums.buffer = memory
    sums.partial = sums.buffer + walk.details.unit
    sums.tails = sums.partial + walk.side * sums.pitch
    sums.tailed = False
    sums.totals = totals
    memory = sums.tails + walk.results * sums.pitch
    for j in range(0 if walk.shape == BESIDE else walk.results):
        begin(&sums.cascades[j], walk.result[j].combine, walk.result[j].adds, sums.width, walk.wide,
              cascade_power(blocks), memory)
        memory += LEVEL_ROWS * walk.side * sums.pitch


cdef void fold_block(const Walk *walk, Workspace *w, Sums *sums, Py_ssize_t row, Py_ssize_t rows,
                     Py_ssize_t columns) noexcept nogil:
    """Reduce the results of a block, whose first row is the unit's row-th."""
    cdef Py_ssize_t whole = rows // walk.side
    cdef const Result *result
    cdef const char *a
    cdef int j
    for j in range(walk.results):
        result = &walk.result[j]
        a = convert(&result.load, w.slots[walk.details.plan.result[j]], rows * columns, sums.buffer, w.scratch)
        if walk.shape == FLAT:
            result.fold(a, rows * columns, 0, sums.partial, 0, 1, NULL)
            push(&sums.cascades[j], sums.partial)
        elif walk.shape == BESIDE:
            result.fold(a, columns, columns, sums.totals + j * sums.pitch + row * walk.wide, 1, rows, NULL)
        else:
            push_rows(&sums.cascades[j], result, a, whole, sums.width * walk.wide, sums.partial)
            if whole * walk.side < rows:
                add_tail(result, a + whole * sums.width * walk.wide, rows - whole * walk.side, columns, sums.tailed,
                         sums.partial, sums.tails + j * sums.pitch)
    sums.tailed = sums.tailed or whole * walk.side < rows


cdef void push_rows(Cascade *cascade, const Result *result, const char *a, Py_ssize_t rows, Py_ssize_t bytes,
                    char *partial) noexcept nogil:
    """Fold rows, some at a time, so that no more than these are added up one after the other."""
    cdef Py_ssize_t row = 0, n
    while row < rows:
        n = min(<Py_ssize_t>FOLDED, rows - row)
        if n == 1 and not result.squares:
            push(cascade, a + row * bytes)
        else:
            result.columns(a + row * bytes, cascade.width, n, cascade.width, partial, NULL)
            push(cascade, partial)
        row += n


cdef void add_tail(const Result *result, const char *a, Py_ssize_t rows, Py_ssize_t columns, bint tailed,
                   char *partial, char *tail) noexcept nogil:
    """Fold the rows that don't make a whole one side by side."""
    result.columns(a, columns, rows, columns, partial if tailed else tail, NULL)
    if tailed:
        result.combine(tail, partial, tail, columns, 0, NULL)


cdef void close_sums(const Walk *walk, Py_ssize_t width, Sums *sums) noexcept nogil:
    """Write the totals, `width` of them for each result."""
    cdef const char *found
    cdef char *total
    cdef int j, k
    for j in range(0 if walk.shape == BESIDE else walk.results):
        total = sums.totals + j * sums.pitch
        found = total_of(&sums.cascades[j])
        if found == NULL:                           # all rows together don't make a whole one
            memcpy(total, sums.tails + j * sums.pitch, width * walk.wide)
            continue
        memcpy(total, found, width * walk.wide)
        for k in range(1, <int>walk.side):
            walk.result[j].combine(total, found + k * width * walk.wide, total, width, 0, NULL)
        if sums.tailed:
            walk.result[j].combine(total, sums.tails + j * sums.pitch, total, width, 0, NULL)


cdef int fold_unit(Walk *walk, Workspace *w, const Place *place, char *memory, char *totals) noexcept nogil:
    """The totals of a unit, `width * wide` bytes apart; `memory` has unit_bytes(...)."""
    cdef const Job *job = &walk.job
    cdef Sums sums
    cdef Py_ssize_t corners[12]
    cdef Py_ssize_t points = 1, point, rest, coordinate, row, column, rows, columns
    cdef int axis, k, status = 0
    for axis in range(2, walk.kept):
        points *= place.last[axis] - place.first[axis]
    rows = (place.last[1] - place.first[1] + job.rows - 1) // job.rows
    columns = (place.last[0] - place.first[0] + job.columns - 1) // job.columns
    open_sums(walk, place, points * rows * columns, memory, totals, &sums)
    rows = 1 if walk.by_row else min(job.rows, place.last[1] - place.first[1])
    columns = min(job.columns, place.last[0] - place.first[0])
    for k in range(job.inputs + 1):
        if walk.held[k]:
            load(walk, w, k, place.corners[k] + place.first[1] * job.operands[k].strides[1]
                 + place.first[0] * job.operands[k].strides[0], rows, columns)
    for point in range(points):
        for k in range(job.inputs + 1):
            corners[k] = place.corners[k]
        rest = point
        for axis in range(2, walk.kept):
            coordinate = place.first[axis] + rest % (place.last[axis] - place.first[axis])
            rest //= place.last[axis] - place.first[axis]
            for k in range(job.inputs + 1):
                corners[k] += coordinate * job.operands[k].strides[axis]
        row = place.first[1]
        while row < place.last[1]:
            rows = min(job.rows, place.last[1] - row)
            column = place.first[0]
            while column < place.last[0]:
                columns = min(job.columns, place.last[0] - column)
                status |= run_block(walk, w, corners, row, column, rows, columns)
                fold_block(walk, w, &sums, row - place.first[1], rows, columns)
                column += columns
            row += rows
    close_sums(walk, place.width, &sums)
    return status


# ---- threads

cdef Py_ssize_t totals_bytes(const Walk *walk) noexcept nogil:
    return (walk.results * walk.width * walk.wide + 63) // 64 * 64


cdef Py_ssize_t unit_bytes(const Walk *walk) noexcept nogil:
    """What `fold_unit` needs."""
    return (walk.details.unit + ((1 + LEVEL_ROWS * walk.results) * walk.side + walk.results) * walk.width * walk.wide
            + 63) // 64 * 64


cdef int run_units(Walk *walk, int thread, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Whole units."""
    cdef char *memory = walk.details.memory + thread * walk.details.bytes
    cdef char *totals = memory + buffers_of(&walk.job, &walk.details) * walk.details.unit
    cdef char *rest = totals + totals_bytes(walk)
    cdef Workspace w
    cdef Place place
    cdef Py_ssize_t unit
    cdef int status = 0
    open_workspace(&walk.job, &walk.details, memory, &w)
    for unit in range(first, last):
        find_unit(walk, unit, &place)
        status |= fold_unit(walk, &w, &place, rest, totals)
        status |= put_totals(walk, totals, walk.width * walk.wide, place.width, place.offset, place.stride, rest)
    return status


cdef int run_part(Walk *walk, int thread, Py_ssize_t unit, Py_ssize_t share) noexcept nogil:
    """A thread's share of a unit, whose totals stay in the thread's memory."""
    cdef char *memory = walk.details.memory + thread * walk.details.bytes
    cdef char *totals = memory + buffers_of(&walk.job, &walk.details) * walk.details.unit
    cdef Workspace w
    cdef Place place
    open_workspace(&walk.job, &walk.details, memory, &w)
    find_unit(walk, unit, &place)
    place.first[walk.split] = thread * share
    place.last[walk.split] = min(place.last[walk.split], (thread + 1) * share)
    return fold_unit(walk, &w, &place, totals + totals_bytes(walk), totals)


cdef int run_walk(Walk *walk, int threads) noexcept nogil:
    cdef Py_ssize_t size = walk.job.sizes[walk.split], share, unit, pitch = walk.width * walk.wide
    cdef char *totals = walk.details.memory + buffers_of(&walk.job, &walk.details) * walk.details.unit
    cdef Place place
    cdef int thread, parts, j, status = 0
    if threads == 1:
        return run_units(walk, 0, 0, walk.units)
    if walk.units >= threads:
        share = (walk.units + threads - 1) // threads
        for thread in prange(threads, num_threads=threads, schedule="static", chunksize=1):
            status |= run_units(walk, thread, min(thread * share, walk.units), min((thread + 1) * share, walk.units))
        return status
    share = (size + threads - 1) // threads
    if walk.split == 0:
        share = (share + 63) // 64 * 64
    parts = <int>((size + share - 1) // share)
    for unit in range(walk.units):
        for thread in prange(parts, num_threads=parts, schedule="static", chunksize=1):
            status |= run_part(walk, thread, unit, share)
        find_unit(walk, unit, &place)
        for thread in range(1, parts):
            for j in range(walk.results):
                walk.result[j].combine(totals + j * pitch, totals + thread * walk.details.bytes + j * pitch,
                                       totals + j * pitch, place.width, 0, NULL)
        status |= put_totals(walk, totals, pitch, place.width, place.offset, place.stride, totals + totals_bytes(walk))
    return status


cdef int constants_of(const Plan *plan, tuple ins, int first, char *values) except -1:
    """The constants of a call: the plan's own, the numbers of its inputs from `first` on, what is computed of these."""
    cdef char *slots[160]
    cdef int i
    memcpy(values, plan.values, plan.constants * 16)
    for i in range(plan.constants):
        slots[CONSTANTS + i] = values + 16 * i
    for i in range(plan.ins):
        if plan.number[i] >= 0:
            store_scalar(ins[i - first], plan.code, values + 16 * plan.number[i])
    return 2 if run_steps(plan.first, plan.once, slots, 1) else 0


cdef bint set_results(Walk *walk, const Plan *plan, tuple ops, tuple outs, int code):
    """Find the loops of the reductions, and the way to the outs; whether there are."""
    cdef int j, op, combining
    cdef Result *result
    walk.results, walk.outs = len(ops), len(outs)
    walk.wide = dtype_of(code).itemsize
    walk.out_item = (<View>outs[0]).dtype.itemsize
    for j in range(walk.results):
        op = ops[j]
        result = &walk.result[j]
        result.squares = op == codes.SQUARE_SUM
        result.adds = op == codes.SUM or result.squares
        combining = (codes.ADD if result.adds else codes.MUL if op == codes.PROD else
                     codes.MAXIMUM if op == codes.MAX or op == codes.ANY else codes.MINIMUM)
        result.fold, result.columns = kernels.fold[op][code], kernels.columns[op][code]
        result.combine = kernels.binary[combining][code]
        if (result.fold == NULL or result.columns == NULL or result.combine == NULL
                or not conversion(plan.out_code[j], code, &result.load)):
            return False
    for j in range(walk.outs):
        walk.target[j].data = data(<View>outs[j])
        if not conversion(code if walk.finish == NULL else walk.finish.out_code[j], (<View>outs[j]).dtype.code,
                          &walk.target[j].store):
            return False
    return True


cdef bint is_small(const Walk *walk, const Plan *plan, tuple ins, Py_ssize_t n):
    """Whether one call of each step and fold serves: few elements, dense and of the dtypes that the steps use."""
    cdef int i
    if n >= SERIAL or (n * plan.item + 63) // 64 * 64 * plan.buffers > LOCAL or not reads_plainly(plan, ins):
        return False
    for i in range(walk.results):
        if walk.result[i].load.steps:
            return False
    return True


cdef object cpu_map_reduce(tuple program, tuple ins, tuple ops, tuple finish, tuple numbers, tuple outs):
    """Reduce the results of a program; NotImplemented where it does not fit a plan, or other entries do it better."""
    cdef Compiled made = compiled(program, ins, outs, True), last = None
    cdef View out = <View>outs[0], like = None
    cdef Walk walk
    cdef const Plan *plan
    cdef char values[1920]
    cdef char finish_values[1920]
    cdef int code = out.dtype.code, status
    if made is None or made.plan.results != len(ops):
        return NotImplemented
    if finish is not None:
        last = compiled_finish(finish, len(ops), len(numbers), len(outs), code)
        if last is None:
            return NotImplemented
    plan = &made.plan
    walk.by_row = False
    walk.finish = NULL if last is None else &last.plan
    if code == FLOAT16 or code == BFLOAT16:
        code = FLOAT32
    if not set_results(&walk, plan, ops, outs, code):
        return NotImplemented
    for value in ins:
        if isinstance(value, View):
            like = <View>value
            break
    status = constants_of(plan, ins, 0, values)
    if last is not None:
        walk.finish_values = finish_values
        status |= constants_of(walk.finish, numbers, walk.results, finish_values)
    if out.elements == 1 and is_small(&walk, plan, ins, like.elements):
        status |= run_small(&walk, plan, values, ins, like.elements)
    else:
        walk.details.plan, walk.details.values = plan, values
        if not place_operands(&walk, ins, like, out):
            return NotImplemented
        status |= run(&walk, like.elements)
    if status:
        division_by_zero()
    return None


cdef int run_small(Walk *walk, const Plan *plan, char *values, tuple ins, Py_ssize_t n) except -1:
    """All elements in one block, where they lie."""
    cdef char *slots[160]
    cdef char local[8192 + 64]
    cdef char totals[4 * 16]
    cdef Py_ssize_t unit = (n * plan.item + 63) // 64 * 64
    cdef int i, status
    for i in range(plan.constants):
        slots[CONSTANTS + i] = values + 16 * i
    for i in range(plan.buffers):
        slots[BUFFERS + i] = local + i * unit
    for i in range(plan.ins):
        if plan.number[i] < 0:
            slots[i] = data(<View>ins[i])
    run_steps(plan.spread, plan.spreads, slots, n)
    status = run_steps(plan.step, plan.steps, slots, n)
    for i in range(walk.results):
        walk.result[i].fold(slots[plan.result[i]], n, 0, totals + 16 * i, 0, 1, NULL)
    status |= put_totals(walk, totals, 16, 1, 0, 1, local)
    return 2 if status else 0


cdef bint place_operands(Walk *walk, tuple ins, View like, View out) except -1:
    """Describe the operands to the job, and arrange it; False where other entries do it better."""
    cdef const Plan *plan = walk.details.plan
    cdef Job *job = &walk.job
    cdef View view
    cdef int i, rank = like.rank, views = 0
    cdef bint dense = out.rank == 0
    for i in range(plan.ins):
        if plan.number[i] < 0:
            dense = dense and (<View>ins[i]).dense
    start(job, PROGRAM, 0, like, dense)
    for i in range(plan.ins):
        if plan.number[i] < 0:
            view = <View>ins[i]
            add_input(job, views, view, dense)
            if not conversion(view.dtype.code, BOOL if view.dtype.code == BOOL else plan.code,
                              &job.operands[views].conversion):
                return False
            walk.details.inputs[views] = i
            views += 1
    job.inputs = views - 1
    walk.details.views = views
    for i in range(job.rank):
        walk.out_strides[i] = 0
    for i in range(out.rank):
        walk.out_strides[rank - 1 - i] = out.strides[i]
    return arrange(walk, 1 if dense else rank - out.rank)


cdef int run(Walk *walk, Py_ssize_t n) except -1:
    """Divide the work among threads; 2 where an integer was divided by zero."""
    cdef Details *details = &walk.details
    cdef int threads = threads_for(n, grain_of(details.plan)), status
    cdef Py_ssize_t item = max(max(details.plan.item, walk.wide), <Py_ssize_t>4)
    if walk.units < threads and (walk.shape == BESIDE or walk.job.sizes[walk.split] < threads):
        threads = 1
    details.unit = (walk.job.rows * walk.job.columns * item + 63) // 64 * 64
    details.bytes = (buffers_of(&walk.job, details) * details.unit + totals_bytes(walk)
                     + max(unit_bytes(walk), (finish_bytes(walk) * walk.width + 63) // 64 * 64))
    details.memory = <char *>take(threads * details.bytes)
    if n < SERIAL:
        status = run_walk(walk, threads)
    else:
        with nogil:
            status = run_walk(walk, threads)
    give(details.memory, threads * details.bytes)
    return 2 if status else 0
