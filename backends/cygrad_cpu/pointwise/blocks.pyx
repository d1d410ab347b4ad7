"""Strided pointwise work as a walk over blocks.

The inner loops want contiguous runs of the compute dtype. So a job is cut into blocks of rows x columns (the two
innermost axes after sorting and merging). An operand that is contiguous there is used in place; any other (strided,
transposed, broadcast, of another dtype) is moved and converted into a buffer that stays in the first-level cache. With
a transposed operand a block is a few long rows, so that whole cache lines are read and written. Blocks are dealt out
to threads.
"""
from cython.parallel cimport prange

from cygrad.dispatch.merging cimport merge_neighbours
from cygrad.dtype cimport BOOL, FLOAT32, UINT8
from cygrad.view cimport View, data
from cygrad_cpu.kernels.pointwise_table cimport BOTH_VECTORS, FIRST_SCALAR, SECOND_SCALAR
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.thread_count cimport threads_for

cdef enum:
    LONG = 16384            # elements of a block without buffers, where several threads share them
    FEW_ROWS = 16           # of a block
    ACROSS = 32             # columns of a block that is walked across
    LINE = 64               # bytes of a line of the cache
    LONG_ROW = 128          # from which on a program has rows of their own, with operands of one element for each

cdef Kernels _kernels

for _name in ("arithmetic", "division", "power", "exact_unary", "exponential", "trigonometric", "special", "complex",
              "chains", "convert", "float16_and_bfloat16", "reduce"):
    install_kernels(_name, &_kernels)       # each fills its part of the table


cdef Kernels *loaded_kernels() noexcept nogil:
    return &_kernels


# ---- conversion

cdef int log_of_item(Py_ssize_t item) noexcept nogil:
    """0 for 1 byte, 4 for 16: the index of tables by item size."""
    return 0 if item == 1 else 1 if item == 2 else 2 if item == 4 else 3 if item == 8 else 4


cdef bint conversion(int source, int target, Conversion *out) noexcept nogil:
    """How to get from one dtype to another: at most two steps; whether there is a way."""
    out.steps = 0
    if source == target or (source == BOOL and target == UINT8):
        return True
    out.steps = 1
    out.first = _kernels.convert[source][target]
    if out.first != NULL:
        return True
    out.steps = 2
    out.first = _kernels.convert[source][<int>FLOAT32]
    out.second = _kernels.convert[<int>FLOAT32][target]
    return out.first != NULL and out.second != NULL


cdef const char *convert(const Conversion *conversion, const char *a, Py_ssize_t n, char *out,
                         char *scratch) noexcept nogil:
    """The n converted elements: `a` itself where there is nothing to do, else `out`."""
    if conversion.steps == 0:
        return a
    if conversion.steps == 1:
        conversion.first(a, out, n)
    else:
        conversion.first(a, scratch, n)
        conversion.second(scratch, out, n)
    return out


# ---- geometry

cdef void place(Job *job, int which, const char *memory, Py_ssize_t item) noexcept:
    cdef Operand *operand = &job.operands[which]
    operand.data = <char *>memory
    operand.item = item
    operand.log_item = log_of_item(item)
    operand.conversion.steps = 0


cdef void start(Job *job, int kind, int inputs, View out, bint dense) noexcept:
    """Begin a job that writes `out`; `dense`: all operands are, so their axes are one."""
    cdef int axis
    job.kernels = &_kernels
    job.body = run_range
    job.kind = kind
    job.inputs = inputs
    job.spread = job.narrow = job.free = job.across = False
    job.rank = 1 if dense else out.rank
    if dense:
        job.sizes[0] = out.elements
    else:
        for axis in range(out.rank):
            job.sizes[axis] = out.sizes[out.rank - 1 - axis]
    add_input(job, 0, out, dense)


cdef void add_input(Job *job, int which, View v, bint dense) noexcept:
    """Operand `which` (from 1) is this view; its shape is out's."""
    cdef int axis
    place(job, which, data(v), v.dtype.itemsize)
    if dense:
        job.operands[which].strides[0] = 1
    else:
        for axis in range(job.rank):
            job.operands[which].strides[axis] = v.strides[job.rank - 1 - axis]


cdef void add_constant(Job *job, int which, const char *memory, Py_ssize_t item) noexcept:
    """Operand `which` is one element for all."""
    cdef int axis
    place(job, which, memory, item)
    for axis in range(job.rank):
        job.operands[which].strides[axis] = 0


cdef inline Py_ssize_t magnitude(Py_ssize_t x) noexcept nogil:
    return -x if x < 0 else x


cdef void swap_axes(Job *job, int i, int j) noexcept nogil:
    cdef int k
    job.sizes[i], job.sizes[j] = job.sizes[j], job.sizes[i]
    for k in range(job.inputs + 1):
        job.operands[k].strides[i], job.operands[k].strides[j] = job.operands[k].strides[j], job.operands[k].strides[i]


cdef inline bint belongs_inside(Job *job, int i, int j) noexcept nogil:
    """Whether axis i should be walked inside axis j: most operands have the smaller stride there; out breaks ties."""
    cdef int k, votes = 0
    cdef Py_ssize_t first, second
    for k in range(job.inputs + 1):
        first = magnitude(job.operands[k].strides[i])
        second = magnitude(job.operands[k].strides[j])
        if first != 0 and second != 0:
            votes += (first < second) - (first > second)
    if votes != 0:
        return votes > 0
    return magnitude(job.operands[0].strides[i]) < magnitude(job.operands[0].strides[j])


cdef void simplify(Job *job) noexcept nogil:
    """Sort the axes, drop those of size 1 and merge neighbours that all operands step through alike."""
    cdef int i, j, k, kept
    for i in range(1, job.rank):
        j = i
        while j > 0 and belongs_inside(job, j, j - 1):
            swap_axes(job, j, j - 1)
            j -= 1
    kept = merge_neighbours(job.rank, job.sizes, job.operands[0].strides, sizeof(Operand) // sizeof(Py_ssize_t),
                            job.inputs + 1, True, 1)
    while kept < 2:                 # the walk wants rows and columns
        job.sizes[kept] = 1
        for k in range(job.inputs + 1):
            job.operands[k].strides[kept] = 0
        kept += 1
    job.rank = kept


cdef void turn_blocks(Job *job) noexcept nogil:
    """Have blocks go along an axis that is contiguous in an input but lies outside the next one, and walk over that
    first: the lines of the cache that a block reads and writes a part of are those of the next one, too."""
    cdef int axis, k
    if job.rank < 3 or job.kind == PROGRAM or job.operands[0].strides[0] != 1:
        return
    for k in range(1, job.inputs + 1):
        if job.operands[k].strides[0] in (0, 1) or job.operands[k].strides[1] == 1:
            continue
        for axis in range(2, job.rank):
            if job.operands[k].strides[axis] == 1:
                swap_axes(job, 1, axis)
                job.across = True
                return


cdef void lengthen_blocks(Job *job) noexcept nogil:
    """Have a copy of long runs go along a longer axis than the next one outside, if that has few: fewer blocks."""
    cdef int axis
    if (job.kind != COPY or job.across or job.sizes[1] >= FEW_ROWS or job.operands[0].strides[0] != 1
            or job.operands[1].strides[0] != 1 or job.sizes[0] * job.operands[0].item < LINE):
        return
    for axis in range(2, job.rank):
        if job.sizes[axis] >= FEW_ROWS:
            swap_axes(job, 1, axis)
            return


cdef void count_blocks(Job *job) noexcept nogil:
    cdef int axis
    job.row_blocks = (job.sizes[1] + job.rows - 1) // job.rows
    job.column_blocks = (job.sizes[0] + job.columns - 1) // job.columns
    job.blocks = job.row_blocks * job.column_blocks
    for axis in range(2, job.rank):
        job.blocks *= job.sizes[axis]


cdef void choose_blocks(Job *job) noexcept nogil:
    """The shape of a block: long rows where all is contiguous, 16 of them for transposes, else what fills a buffer."""
    cdef Py_ssize_t widest = 4, capacity, columns = job.sizes[0], rows = job.sizes[1]
    cdef bint buffered = job.kind == PROGRAM, transposed = False, single = False
    cdef bint constant = job.kind != BINARY or job.spread       # whether an operand can no longer be passed as one
    cdef Operand *operand
    cdef int k
    for k in range(job.inputs + 1):
        operand = &job.operands[k]
        widest = max(widest, operand.item)
        if k > 0 and operand.strides[0] == 0 and not constant:
            constant = True                                     # one element instead of a run
            buffered |= operand.conversion.steps != 0
        elif operand.conversion.steps and not job.narrow or operand.strides[0] != 1:
            buffered = True
        single |= job.kind == PROGRAM and k > 0 and operand.strides[0] == 0 and operand.strides[1] != 0
        if rows >= 8 and columns >= 8 and magnitude(operand.strides[1]) < magnitude(operand.strides[0]):
            if operand.strides[1] != 0:
                transposed = True
    capacity = BLOCK_BYTES // widest
    if job.across:
        job.rows, job.columns = min(rows, <Py_ssize_t>FEW_ROWS), min(columns, <Py_ssize_t>ACROSS)
    elif transposed:
        job.rows = min(rows, <Py_ssize_t>16)
        job.columns = min(columns, capacity // 16)
    elif job.kind == COPY and job.operands[0].conversion.steps == 0:        # moved straight to its place
        job.columns = min(columns, <Py_ssize_t>LONG)
        job.rows = min(rows, LONG // job.columns)
        job.free = True
    elif columns >= 16 and not buffered and job.kind != WHERE:
        job.columns = min(columns, <Py_ssize_t>LONG)
        job.rows = min(rows, LONG // job.columns)
        job.body = run_rows
        job.free = True
    elif columns >= capacity or columns >= 32 and not buffered or columns >= LONG_ROW and single:
        job.columns = min(columns, capacity if buffered else <Py_ssize_t>LONG)
        job.rows = 1
    else:
        job.columns = columns
        job.rows = min(rows, capacity // columns)
    count_blocks(job)
    for k in range(job.inputs + 1):
        operand = &job.operands[k]
        operand.constant = not job.spread and operand.strides[0] == 0 and (
            job.rows == 1 or job.body == run_rows or operand.strides[1] == 0)


# ---- one block

cdef inline const char *gather(Job *job, int which, const char *a, Py_ssize_t rows, Py_ssize_t columns,
                               char *moved) noexcept nogil:
    """A block of an input as a contiguous run."""
    cdef Operand *operand = &job.operands[which]
    if columns > 1 and operand.strides[0] != 1 or rows > 1 and operand.strides[1] != columns:
        job.kernels.move[operand.log_item](a, operand.strides[1], operand.strides[0], moved, columns, 1, rows, columns)
        return moved
    return a


cdef const char *fetch(Job *job, int which, const char *a, Py_ssize_t rows, Py_ssize_t columns, char *moved,
                       char *converted, char *scratch) noexcept nogil:
    """A block of an input as a contiguous run of the compute dtype."""
    return convert(&job.operands[which].conversion, gather(job, which, a, rows, columns, moved), rows * columns,
                   converted, scratch)


cdef inline int form_of(const Job *job) noexcept nogil:
    """Which operand of a binary job is one element for a block; where both are, a number beside 16-bit floats."""
    if job.operands[1].constant and not (job.operands[2].constant and job.operands[2].item > job.operands[1].item):
        return FIRST_SCALAR
    return SECOND_SCALAR if job.operands[2].constant else BOTH_VECTORS


cdef inline const char *fetch_operand(Job *job, int which, const char *a, Py_ssize_t rows, Py_ssize_t columns,
                                      bint single, char *buffers) noexcept nogil:
    """A block of one of a binary job's two inputs, `single`: one element; a narrow job's runs stay as they are."""
    if single:
        rows = columns = 1
    elif job.narrow:
        return gather(job, which, a, rows, columns, buffers + (which - 1) * BLOCK_BYTES)
    return fetch(job, which, a, rows, columns, buffers + (which - 1) * BLOCK_BYTES,
                 buffers + (which + 3) * BLOCK_BYTES, buffers + 6 * BLOCK_BYTES)


cdef int run_block(Job *job, char **corners, Py_ssize_t rows, Py_ssize_t columns, char *buffers) noexcept nogil:
    cdef Operand *out = &job.operands[0]
    cdef Py_ssize_t n = rows * columns
    cdef bint direct = (columns == 1 or out.strides[0] == 1) and (rows == 1 or out.strides[1] == columns)
    cdef const char *a = NULL
    cdef const char *b = NULL
    cdef const char *c = NULL
    cdef char *target = corners[0] if direct else buffers + 2 * BLOCK_BYTES
    cdef char *result = buffers + 3 * BLOCK_BYTES if out.conversion.steps else target
    cdef int form = 0, status = 0
    if job.kind == BINARY:
        form = form_of(job)
        a = fetch_operand(job, 1, corners[1], rows, columns, form == FIRST_SCALAR, buffers)
        b = fetch_operand(job, 2, corners[2], rows, columns, form == SECOND_SCALAR, buffers)
        status = job.binary(a, b, result, n, form, NULL)
    elif job.kind == WHERE:
        c = fetch(job, 1, corners[1], rows, columns, buffers, NULL, NULL)
        a = fetch(job, 2, corners[2], rows, columns, buffers + BLOCK_BYTES, NULL, NULL)
        b = fetch(job, 3, corners[3], rows, columns, buffers + 4 * BLOCK_BYTES, NULL, NULL)
        job.where(c, a, b, result, n)
    else:
        a = fetch(job, 1, corners[1], rows, columns, buffers, buffers + 4 * BLOCK_BYTES, buffers + 6 * BLOCK_BYTES)
        if job.kind == UNARY:
            job.unary(a, result, n, NULL)
        else:
            result = <char *>a          # a copy: out.conversion holds the work
    if out.conversion.steps:
        convert(&out.conversion, result, n, target, buffers + 6 * BLOCK_BYTES)
    if not direct:
        job.kernels.move[out.log_item](target, columns, 1, corners[0], out.strides[1], out.strides[0], rows, columns)
    return status


# ---- the walk

cdef inline int walked(const Job *job, int i) noexcept nogil:
    """The axis that blocks follow each other along before the i others."""
    return i if not job.across else i + 2 if i + 2 < job.rank else i + 2 - job.rank


cdef inline Py_ssize_t blocks_along(const Job *job, int axis) noexcept nogil:
    return job.column_blocks if axis == 0 else job.row_blocks if axis == 1 else job.sizes[axis]


cdef void seek(const Job *job, Py_ssize_t block, Cursor *cursor) noexcept nogil:
    """Stand on a block. They are row-major over (outer axes, rows, columns) or, across, (rows, columns, outer axes)."""
    cdef Py_ssize_t rest = block, count
    cdef int i, axis
    for i in range(job.rank):
        axis = walked(job, i)
        count = blocks_along(job, axis)
        cursor.coordinates[axis] = rest % count
        rest //= count


cdef void next_block(const Job *job, Cursor *cursor) noexcept nogil:
    """Find where this block lies in each operand, and its shape; then stand on the next one."""
    cdef Py_ssize_t column = cursor.coordinates[0] * job.columns, row = cursor.coordinates[1] * job.rows, position
    cdef int k, i, axis
    cdef const Operand *operand
    cursor.rows = min(job.rows, job.sizes[1] - row)
    cursor.columns = min(job.columns, job.sizes[0] - column)
    for k in range(job.inputs + 1):
        operand = &job.operands[k]
        position = column * operand.strides[0] + row * operand.strides[1]
        for axis in range(2, job.rank):
            position += cursor.coordinates[axis] * operand.strides[axis]
        cursor.corners[k] = operand.data + position * operand.item
    for i in range(job.rank):
        axis = walked(job, i)
        cursor.coordinates[axis] += 1
        if cursor.coordinates[axis] < blocks_along(job, axis):
            break
        cursor.coordinates[axis] = 0


cdef int run_range(Job *job, int thread, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """The body of all jobs but programs."""
    cdef char buffers[7 * BLOCK_BYTES]
    cdef Cursor cursor
    cdef Py_ssize_t block
    cdef int status = 0
    if first < last:
        seek(job, first, &cursor)
    for block in range(first, last):
        next_block(job, &cursor)
        if job.kind == COPY and job.operands[0].conversion.steps == 0:
            job.kernels.move[job.operands[0].log_item](
                cursor.corners[1], job.operands[1].strides[1], job.operands[1].strides[0], cursor.corners[0],
                job.operands[0].strides[1], job.operands[0].strides[0], cursor.rows, cursor.columns)
        else:
            status |= run_block(job, cursor.corners, cursor.rows, cursor.columns, buffers)
    return status


cdef int run_rows(Job *job, int thread, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """The body of unary and binary jobs whose loops read and write in place: row after row."""
    cdef Cursor cursor
    cdef Py_ssize_t block, row
    cdef Py_ssize_t steps[3]
    cdef char **at = cursor.corners
    cdef int form = form_of(job) if job.kind == BINARY else 0, k, status = 0
    for k in range(job.inputs + 1):
        steps[k] = job.operands[k].strides[1] * job.operands[k].item
    if first < last:
        seek(job, first, &cursor)
    for block in range(first, last):
        next_block(job, &cursor)
        for row in range(cursor.rows):
            if job.kind == BINARY:
                status |= job.binary(at[1], at[2], at[0], cursor.columns, form, NULL)
                at[2] += steps[2]
            else:
                job.unary(at[1], at[0], cursor.columns, NULL)
            at[1] += steps[1]
            at[0] += steps[0]
    return status


cdef void arrange(Job *job) noexcept nogil:
    """Decide how the job is cut into blocks."""
    simplify(job)
    turn_blocks(job)
    lengthen_blocks(job)
    choose_blocks(job)


cdef void set_columns(Job *job, Py_ssize_t columns) noexcept nogil:
    """After `arrange`: other blocks for a job that is one contiguous run."""
    job.columns = min(columns, job.sizes[0])
    job.blocks = job.column_blocks = (job.sizes[0] + job.columns - 1) // job.columns


cdef void even_blocks(Job *job, int threads) noexcept nogil:
    """Few blocks become smaller ones, of which every thread gets as much: 7 of 16384 elements for two are 4 and 3."""
    cdef Py_ssize_t parts = (job.blocks + threads - 1) // threads * threads
    if job.blocks >= 16 * threads:
        return
    if job.sizes[1] >= parts:
        job.rows = min(job.rows, (job.sizes[1] + parts - 1) // parts)
    elif job.sizes[1] == 1:
        job.columns = min(job.columns, ((job.sizes[0] + parts - 1) // parts + 63) // 64 * 64)
    count_blocks(job)


cdef int run(Job *job, Py_ssize_t grain) noexcept nogil:
    """Do the job with one thread for each `grain` elements; non-zero where an integer was divided by zero."""
    arrange(job)
    return run_arranged(job, grain)


cdef int run_arranged(Job *job, Py_ssize_t grain) noexcept nogil:
    """`run` after `arrange`."""
    cdef Py_ssize_t elements = 1, share
    cdef int k, threads, thread, status = 0
    for k in range(job.rank):
        elements *= job.sizes[k]
    threads = threads_for(elements, grain)
    if threads == 1 and job.free:
        job.columns, job.rows = job.sizes[0], job.sizes[1]
        count_blocks(job)
    elif threads > 1:
        even_blocks(job, threads)
    if threads == 1 or job.blocks < threads:
        return job.body(job, 0, 0, job.blocks)
    share = (job.blocks + threads - 1) // threads
    for thread in prange(threads, num_threads=threads, schedule="static"):
        status |= job.body(job, thread, thread * share, min((thread + 1) * share, job.blocks))
    return status
