"""How `map_reduce` walks over its operands: the shapes of blocks, units of work, and the geometry of both."""
from libc.string cimport memcpy

from cygrad_cpu.reduce.reduced_axes cimport magnitude
from cygrad_cpu.pointwise.blocks cimport BLOCK_BYTES, MAX_AXES, Conversion, Job
from cygrad_cpu.pointwise.elementwise cimport Details
from cygrad_cpu.kernels.pointwise_table cimport binary_loop, column_loop, fold_loop
from cygrad_cpu.pointwise.plans cimport BUFFERS, Plan

cdef enum:
    WIDEST = 2048           # kept elements of a block of ACROSS
    ROW = 256               # rows of fewer are laid side by side, to about so many
    MANY = 64               # rows of a unit of BESIDE, and units
    FEW = 256               # elements of sums that are not worth a walk each
    SUMS = 128              # where there are more of them

cdef enum Shape:
    FLAT, BESIDE, ACROSS

cdef struct Result:         # of the program, to be reduced
    fold_loop fold
    column_loop columns
    binary_loop combine
    Conversion load         # to the accumulators' dtype
    bint adds
    bint squares

cdef struct Target:         # one of the outs
    char *data
    Conversion store

cdef struct Walk:
    Job job                 # operands and axes: columns, rows, further reduced axes, further kept ones
    Details details
    int shape
    int kept                # the first of the further kept axes
    int split               # the reduced axis that threads share
    Py_ssize_t units
    Py_ssize_t width        # most kept elements of a unit
    Py_ssize_t side         # rows of ACROSS that count as one
    Py_ssize_t out_strides[MAX_AXES]
    bint by_row             # the program runs on the rows of a block one by one: they don't lie in one run
    bint held[12]           # operands that don't vary along the reduced axes: loaded once a unit
    int results
    Result result[4]
    Py_ssize_t wide         # bytes of an accumulator
    const Plan *finish      # or NULL
    char *finish_values
    int outs
    Target target[4]
    Py_ssize_t out_item

cdef inline int kept_axis(const Walk *walk) noexcept nogil:
    """The axis of a block that is not reduced, in BESIDE and ACROSS."""
    return 1 if walk.shape == BESIDE else 0


# ---- units

cdef struct Place:          # of a unit: its part of each axis
    Py_ssize_t first[MAX_AXES]
    Py_ssize_t last[MAX_AXES]
    Py_ssize_t width        # kept elements
    Py_ssize_t offset       # of its results in outs
    Py_ssize_t stride       # between them
    Py_ssize_t corners[12]  # of its kept coordinates, in elements


cdef inline void find_unit(const Walk *walk, Py_ssize_t unit, Place *place) noexcept nogil:
    cdef const Job *job = &walk.job
    cdef int axis, k, along = kept_axis(walk)
    cdef Py_ssize_t steps = 1, coordinate
    for axis in range(walk.kept):
        place.first[axis], place.last[axis] = 0, job.sizes[axis]
    place.width, place.offset, place.stride = 1, 0, 1
    for k in range(job.inputs + 1):
        place.corners[k] = 0
    if walk.shape != FLAT:
        steps = (job.sizes[along] + walk.width - 1) // walk.width
        place.first[along] = unit % steps * walk.width
        place.last[along] = min(job.sizes[along], place.first[along] + walk.width)
        place.width = place.last[along] - place.first[along]
        place.stride = walk.out_strides[along]
        place.offset = place.first[along] * place.stride
    unit //= steps
    for axis in range(walk.kept, job.rank):
        coordinate = unit % job.sizes[axis]
        unit //= job.sizes[axis]
        place.offset += coordinate * walk.out_strides[axis]
        for k in range(job.inputs + 1):
            place.corners[k] += coordinate * job.operands[k].strides[axis]


# ---- arrangement

cdef inline Py_ssize_t reach(const Job *job, int axis) noexcept nogil:
    """How far a step along an axis goes, for all operands together."""
    cdef Py_ssize_t total = 0
    cdef int k
    for k in range(job.inputs + 1):
        total += magnitude(job.operands[k].strides[axis]) * job.operands[k].item
    return total


cdef inline void order_axes(Walk *walk, const int *order, int rank) noexcept nogil:
    """Put the axes into an order; -1 is a new one of size 1."""
    cdef Job *job = &walk.job
    cdef Job old = job[0]
    cdef Py_ssize_t strides[MAX_AXES]
    cdef int i, k
    memcpy(strides, walk.out_strides, sizeof(strides))
    job.rank = rank
    for i in range(rank):
        job.sizes[i] = 1 if order[i] < 0 else old.sizes[order[i]]
        walk.out_strides[i] = 0 if order[i] < 0 else strides[order[i]]
        for k in range(job.inputs + 1):
            job.operands[k].strides[i] = 0 if order[i] < 0 else old.operands[k].strides[order[i]]


cdef inline void choose_shape(Walk *walk, int reduced, Py_ssize_t capacity) noexcept nogil:
    """Choose the shape of blocks, and put the axes into its order; `kept` is 0 where other entries would do better."""
    cdef const Job *job = &walk.job
    cdef int order[2 * MAX_AXES]
    cdef int axis, nearest = -1, rank = 2
    cdef Py_ssize_t total = 1, sums = 1
    walk.shape = FLAT
    walk.kept = 0
    for axis in range(reduced):
        total *= job.sizes[axis]
    for axis in range(reduced, job.rank):
        sums *= job.sizes[axis]
        if nearest < 0 or reach(job, axis) < reach(job, nearest):
            nearest = axis
    if nearest >= 0 and reach(job, nearest) < reach(job, 0) and job.sizes[0] > 1:
        walk.shape = ACROSS
    elif nearest >= 0 and reduced == 1 and total <= capacity:
        walk.shape = BESIDE
    elif nearest >= 0 and total < FEW and sums > SUMS:
        return
    order[0] = nearest if walk.shape == ACROSS else 0
    order[1] = 0 if walk.shape == ACROSS else nearest if walk.shape == BESIDE else 1 if reduced > 1 else -1
    for axis in range(job.rank):
        if axis == reduced:
            walk.kept = rank
        if axis != order[0] and axis != order[1]:
            order[rank] = axis
            rank += 1
    if job.rank == reduced:
        walk.kept = rank
    if rank > MAX_AXES:
        walk.kept = 0
    else:
        order_axes(walk, order, rank)


cdef inline bint stays(const Walk *walk) noexcept nogil:
    """Whether the results of a program stand in buffers, in the dtype of the reduction."""
    cdef const Plan *plan = walk.details.plan
    cdef int j
    for j in range(walk.results):
        if (walk.result[j].load.steps or plan.out_code[j] != plan.code
                or not BUFFERS <= plan.result[j] < BUFFERS + plan.buffers - plan.spreads):
            return False
    return True


cdef inline void choose_blocks(Walk *walk, Py_ssize_t capacity) noexcept nogil:
    """Choose the blocks' sizes, of about `capacity` elements."""
    cdef Job *job = &walk.job
    cdef Py_ssize_t rows
    cdef bint transposed = False
    cdef int k
    walk.side = 1
    for k in range(job.inputs + 1):
        if job.operands[k].strides[1] != 0 and job.operands[k].strides[0] != 0:
            transposed |= magnitude(job.operands[k].strides[1]) < magnitude(job.operands[k].strides[0])
    if walk.shape == ACROSS:
        walk.by_row = job.sizes[0] > capacity // 4 and stays(walk)
        job.columns = min(job.sizes[0], <Py_ssize_t>WIDEST)
        if 2 * job.columns <= ROW and walk.kept == 2:       # one run of rows: what is left over is added but once
            walk.side = ROW // job.columns
        rows = 4 if walk.by_row else capacity // job.columns // walk.side * walk.side
        job.rows = 1 if rows < 4 else min(job.sizes[1], rows)
    elif transposed and walk.shape == FLAT:
        job.rows = min(job.sizes[1], <Py_ssize_t>16)
        job.columns = min(job.sizes[0], capacity // 16)
    else:
        job.columns = min(job.sizes[0], capacity)
        job.rows = min(job.sizes[1], capacity // job.columns)
    job.column_blocks = (job.sizes[0] + job.columns - 1) // job.columns


cdef inline bint arrange(Walk *walk, int reduced) noexcept nogil:
    """Arrange a job whose first `reduced` axes are to be reduced; False: other entries would do better."""
    cdef Job *job = &walk.job
    cdef Py_ssize_t widest = max(max(walk.wide, walk.details.plan.item), <Py_ssize_t>4)
    cdef int axis, k
    for k in range(job.inputs + 1):
        widest = max(widest, job.operands[k].item)
        walk.held[k] = True
        for axis in range(reduced):
            walk.held[k] = walk.held[k] and job.operands[k].strides[axis] == 0
    choose_shape(walk, reduced, BLOCK_BYTES // widest)
    if walk.kept == 0:
        return False
    choose_blocks(walk, BLOCK_BYTES // widest)
    walk.width = job.columns if walk.shape == ACROSS else 1
    if walk.shape == BESIDE:                                    # several blocks, but enough units for threads
        walk.width = job.rows * max(<Py_ssize_t>1, min(<Py_ssize_t>MANY, job.sizes[1] // MANY) // job.rows)
        for k in range(job.inputs + 1):
            walk.held[k] = False
    walk.units = 1
    if walk.shape != FLAT:
        axis = kept_axis(walk)
        walk.units = (job.sizes[axis] + walk.width - 1) // walk.width
    for axis in range(walk.kept, job.rank):
        walk.units *= job.sizes[axis]
    walk.split = walk.kept - 1
    while walk.split > (walk.shape == ACROSS) and job.sizes[walk.split] < 16:
        walk.split -= 1
    return True
