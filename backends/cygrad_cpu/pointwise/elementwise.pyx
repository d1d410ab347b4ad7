"""The `elementwise` entry: a program over blocks that stay in the first-level cache, so that memory is read and written
once for all its steps.

Operands that lie contiguous in a block are used in place; others are gathered and converted into a buffer, as for any
job of `blocks`. 16-bit floats are float32 from the first step to the last.
"""
from libc.string cimport memcpy

cimport cygrad.backend as ops
from cygrad.backend cimport Backend
from cygrad.dtype cimport BOOL
from cygrad.view cimport View, data
from cygrad_cpu.runtime.allocator cimport give, take
from cygrad_cpu.pointwise.blocks cimport (PROGRAM, Cursor, Job, Operand, add_input, arrange, conversion, convert, fetch,
                                next_block, run_arranged, seek, set_columns, start)
from cygrad_cpu.runtime.thread_count cimport thread_count, threads_for
from cygrad_cpu.pointwise.plans cimport LEAST_CHAIN, Compiled, Plan, compiled, run_plan, run_steps
from cygrad_cpu.kernels.pointwise_table cimport (BINARY_STEP, BOTH_VECTORS, BUFFERS, B_SCALAR, CONSTANTS, C_SCALAR,
                                                 FIRST_SCALAR, IN_PROGRAM, OUTS, SECOND_SCALAR, Step, TERNARY_STEP,
                                                 TILE)
from cygrad_cpu.pointwise.pointwise cimport division_by_zero, store_scalar

cdef enum:
    SERIAL = 16384          # below this many elements: keep the GIL, one thread
    CHEAP_GRAIN = 32768     # elements a thread for programs that memory limits
    DEAR_GRAIN = 4096       # ... for programs with an op that takes tens of cycles an element
    LOCAL = 8192            # bytes of buffers on the stack, for small operands
    LONG = 16384            # elements of a block without buffers
    SETTLED = 16384         # bytes of all runs and buffers of a block that many steps go over
    FEW = 4                 # runs and buffers that stay in the first-level cache at their usual size


cdef inline bint strided(const Job *job, int which) noexcept nogil:
    """Whether some block of an operand is no contiguous run."""
    cdef const Operand *operand = &job.operands[which]
    return (job.columns > 1 and operand.strides[0] != 1
            or job.rows > 1 and (operand.strides[1] != job.columns or job.column_blocks > 1))


cdef Py_ssize_t buffers_of(const Job *job, const Details *details) noexcept nogil:
    """How many buffers a thread needs: the program's, two to move and convert each operand, one between conversions."""
    cdef int which, count = details.plan.buffers + 1
    for which in range(job.inputs + 1):
        count += strided(job, which) + (job.operands[which].conversion.steps != 0)
        count += which < details.plan.outs
    return count


cdef void open_workspace(const Job *job, const Details *details, char *memory, Workspace *w) noexcept nogil:
    """Divide `memory` (buffers_of(...) * details.unit) among the slots and operands, and spread the constants."""
    cdef const Plan *plan = details.plan
    cdef Py_ssize_t unit = details.unit
    cdef int k, which
    w.scratch = memory
    memory += unit
    for k in range(plan.constants):
        w.slots[CONSTANTS + k] = details.values + 16 * k
    for k in range(plan.buffers):
        w.slots[BUFFERS + k] = memory
        memory += unit
    for which in range(job.inputs + 1):
        w.moved[which] = w.converted[which] = NULL
        if strided(job, which) or which < plan.outs:
            w.moved[which] = memory
            memory += unit
        if job.operands[which].conversion.steps:
            w.converted[which] = memory
            memory += unit
    run_steps(plan.spread, plan.spreads, w.slots, job.rows * job.columns)


cdef int run_blocks(Job *job, int thread, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """The body of a program's job."""
    cdef const Details *details = <const Details *>job.details
    cdef const Plan *plan = details.plan
    cdef Workspace w
    cdef Cursor cursor
    cdef char **slots = w.slots
    cdef char **moved = w.moved
    cdef char **converted = w.converted
    cdef char **corners = cursor.corners
    cdef char *target
    cdef Operand *operand
    cdef Py_ssize_t block, n
    cdef int k, which, status = 0
    open_workspace(job, details, details.memory + thread * details.bytes, &w)
    if first < last:
        seek(job, first, &cursor)
    for block in range(first, last):
        next_block(job, &cursor)
        n = cursor.rows * cursor.columns
        for which in range(plan.outs):
            operand = &job.operands[which]
            if operand.conversion.steps:
                slots[OUTS + which] = converted[which]
            elif details.early[which] or strided(job, which):
                slots[OUTS + which] = moved[which]
            else:
                slots[OUTS + which] = corners[which]
        for k in range(details.views):
            which = plan.outs + k
            if details.single[k]:
                slots[details.inputs[k]] = <char *>convert(&job.operands[which].conversion, corners[which], 1,
                                                           converted[which], w.scratch)
            else:
                slots[details.inputs[k]] = <char *>fetch(job, which, corners[which], cursor.rows, cursor.columns,
                                                         moved[which], converted[which], w.scratch)
        status |= run_plan(plan, details.step, details.chain, slots, n)
        for which in range(plan.outs):
            operand = &job.operands[which]
            target = slots[OUTS + which]
            if operand.conversion.steps:
                target = moved[which] if details.early[which] or strided(job, which) else corners[which]
                convert(&operand.conversion, slots[OUTS + which], n, target, w.scratch)
            if target != corners[which]:
                job.kernels.move[operand.log_item](target, cursor.columns, 1, corners[which], operand.strides[1],
                                                   operand.strides[0], cursor.rows, cursor.columns)
    return status


cdef bint reads_plainly(const Plan *plan, tuple ins):
    """Whether all inputs are dense and of the dtypes that the steps use."""
    cdef View view
    cdef int i
    for i in range(plan.ins):
        if plan.number[i] < 0:
            view = <View>ins[i]
            if not view.dense or (view.dtype.code != plan.code and view.dtype.code != BOOL):
                return False
    return True


cdef bint early(const Plan *plan, tuple ins, tuple outs, int j):
    """Whether out j shares memory with an input that is read after it is written."""
    cdef unsigned int later = plan.read_later[j]
    cdef int i
    if later:
        for i in range(plan.ins):
            if later >> i & 1 and (<View>ins[i]).memory is (<View>outs[j]).memory:
                return True
    return False


cdef bint plain(const Plan *plan, tuple ins, tuple outs):
    """Whether all operands are dense and of the dtypes that the steps use."""
    cdef View view
    cdef int i
    for i in range(plan.outs):
        view = <View>outs[i]
        if not view.dense or view.dtype.code != plan.out_code[i] or early(plan, ins, outs, i):
            return False
    return reads_plainly(plan, ins)


cdef Py_ssize_t grain_of(const Plan *plan) noexcept:
    """Elements a thread should at least get."""
    return DEAR_GRAIN if plan.dear else CHEAP_GRAIN


cdef inline bint at_once(const Plan *plan, Py_ssize_t n) noexcept:
    """Whether one thread runs all, with nothing for the steps to leave in the first-level cache but tiles."""
    return ((plan.chain and n >= LEAST_CHAIN or plan.steps == 1 and plan.buffers == 0)
            and threads_for(n, grain_of(plan)) == 1)


cdef object cpu_elementwise(Backend backend, tuple program, tuple ins, tuple outs):
    """Run a program; NotImplemented where it does not fit a plan."""
    cdef Compiled made = compiled(program, ins, outs)
    if made is None:
        return NotImplemented
    cdef const Plan *plan = &made.plan
    cdef char values[1920]
    cdef char *slots[160]
    cdef char local[8192 + 64]
    cdef View out = <View>outs[0]
    cdef Py_ssize_t n = out.elements, unit
    cdef int i, status = 0
    memcpy(values, plan.values, plan.constants * 16)
    for i in range(plan.constants):
        slots[CONSTANTS + i] = values + 16 * i
    for i in range(plan.ins):
        if plan.number[i] >= 0:
            store_scalar(ins[i], plan.code, values + 16 * plan.number[i])
    status = run_steps(plan.first, plan.once, slots, 1)
    unit = ((TILE if plan.chain and n >= LEAST_CHAIN else n) * plan.item + 63) // 64 * 64
    if unit * plan.buffers <= LOCAL and plain(plan, ins, outs) and (n < SERIAL or at_once(plan, n)):
        for i in range(plan.buffers):
            slots[BUFFERS + i] = local + i * unit
        for i in range(plan.outs):
            slots[OUTS + i] = data(<View>outs[i])
        for i in range(plan.ins):
            if plan.number[i] < 0:
                slots[i] = data(<View>ins[i])
        if n < SERIAL:
            run_steps(plan.spread, plan.spreads, slots, n)
            status |= run_plan(plan, plan.step, plan.chain, slots, n)
        else:
            with nogil:
                status |= run_plan(plan, plan.step, plan.chain, slots, n)
    else:
        status |= run_job(plan, values, ins, outs)
    if status:
        division_by_zero()
    return None


cdef bint takes_element(const Step *step, int slot) noexcept:
    """Whether a step can take the operand in `slot` as one element for all: the others are runs, as its loops want."""
    if step.kind == BINARY_STEP:
        return step.form % IN_PROGRAM == BOTH_VECTORS and step.slots[1] != step.slots[2]
    if step.kind != TERNARY_STEP or step.slots[1] == slot and (step.op != ops.MUL or step.form & B_SCALAR):
        return False
    return (step.slots[1] == slot) + (step.slots[2] == slot) + (step.slots[3] == slot) == 1


cdef void give_element(Step *step, int slot) noexcept:
    if step.kind == BINARY_STEP:
        step.form += FIRST_SCALAR if step.slots[1] == slot else SECOND_SCALAR
    elif step.slots[3] == slot:
        step.form |= C_SCALAR
    else:
        if step.slots[1] == slot:               # a * b + c, whose loops have runs for a
            step.slots[1], step.slots[2] = step.slots[2], step.slots[1]
        step.form |= B_SCALAR


cdef bint as_element(Step *steps, int count, int slot) noexcept:
    """Have all steps take the input in `slot` as one element for a block, if they can."""
    cdef int i, k
    for i in range(count):
        for k in range(1, 6):
            if steps[i].slots[k] == slot and not takes_element(steps + i, slot):
                return False
    for i in range(count):
        for k in range(1, 4):
            if steps[i].slots[k] == slot:
                give_element(steps + i, slot)
                break
    return True


cdef int run_job(const Plan *plan, char *values, tuple ins, tuple outs) except -1:
    """Any operands, in blocks; non-zero where an integer was divided by zero."""
    cdef Job job
    cdef Details details
    cdef Step steps[320]
    cdef View view
    cdef bint dense = True
    cdef int i, which, wanted, threads = thread_count(), status
    cdef Py_ssize_t grain = grain_of(plan), n = (<View>outs[0]).elements
    details.plan, details.values, details.views = plan, values, 0
    for i in range(plan.ins):
        if plan.number[i] < 0:
            dense = dense and (<View>ins[i]).dense
            details.inputs[details.views] = i
            details.views += 1
    for i in range(plan.outs):
        dense = dense and (<View>outs[i]).dense
        details.early[i] = early(plan, ins, outs, i)
    start(&job, PROGRAM, plan.outs + details.views - 1, <View>outs[0], dense)
    for which in range(plan.outs):
        view = <View>outs[which]
        if which:
            add_input(&job, which, view, dense)
        if not conversion(plan.out_code[which], view.dtype.code, &job.operands[which].conversion):
            raise_unconvertible(plan.out_code[which], view.dtype.code)
    for i in range(details.views):
        view = <View>ins[details.inputs[i]]
        which = plan.outs + i
        add_input(&job, which, view, dense)
        wanted = BOOL if view.dtype.code == BOOL else plan.code
        if not conversion(view.dtype.code, wanted, &job.operands[which].conversion):
            raise_unconvertible(view.dtype.code, wanted)
    job.body = run_blocks
    job.details = &details
    arrange(&job)
    if (plan.chain or plan.steps == 1 and plan.buffers == 0) and plain(plan, ins, outs):
        set_columns(&job, LONG)             # no more than tiles between the steps, which any block leaves room for
    elif dense and plan.buffers + details.views > FEW:
        set_columns(&job, max(64, SETTLED // (max(plan.item, 4) * (plan.buffers + details.views)) // 64 * 64))
    memcpy(steps, plan.step, plan.steps * sizeof(Step))
    details.step, details.chain = steps, plan.chain
    for i in range(details.views):
        details.single[i] = (job.operands[plan.outs + i].constant
                             and as_element(steps, plan.steps, details.inputs[i]))
        details.chain = details.chain and not details.single[i]
    if n < 2 * grain:
        threads = 1
    details.unit = (job.rows * job.columns * max(plan.item, 4) + 63) // 64 * 64
    details.bytes = buffers_of(&job, &details) * details.unit
    details.memory = <char *>take(threads * details.bytes)
    if n < SERIAL:
        status = run_arranged(&job, grain)
    else:
        with nogil:
            status = run_arranged(&job, grain)
    give(details.memory, threads * details.bytes)
    return status


cdef int raise_unconvertible(int source, int target) except -1:
    raise TypeError(f"elementwise: no conversion from dtype code {source} to {target}")
