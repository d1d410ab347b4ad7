# distutils: extra_compile_args = -O2
"""Pointwise programs (see `Backend.elementwise`), compiled to calls of inner loops.

A program is a tuple of steps for a stack machine. A `Plan` is the same as a list of calls whose operands are numbered
slots: inputs, outputs, constants and buffers of a block's size, which are used again as soon as their value is dead.
What has only constants for operands is computed once a call; `where` wants runs, so its constants are spread out once
a thread; and what programs often do in two to five steps (a * b + c, a clamp, SiLU, GELU) has a loop of its own. A plan
belongs to a program, a dtype and the places where numbers and masks stand among the inputs; it is made
when it is first wanted and kept.
"""
from libc.string cimport memcmp, memcpy, memset

cimport cygrad.backend as ops
from cygrad.dtype cimport BFLOAT16, BOOL, COMPLEX64, FLOAT16, FLOAT32
from cygrad.view cimport View
from cygrad_cpu.pointwise.blocks cimport loaded_kernels, log_of_item
from cygrad_cpu.kernels.pointwise_table cimport (BOTH_VECTORS, B_SCALAR, CLAMP, C_SCALAR, FIRST_SCALAR, IN_PROGRAM,
                                                 Kernels, MULTIPLY_ADD, ROBUST, SECOND_SCALAR, BINARY_STEP,
                                                 CONVERT_STEP, COPY_STEP, SCALED_STEP, SPREAD_STEP, TERNARY_STEP,
                                                 UNARY_STEP, WHERE_STEP, binary_loop, convert_loop, scaled_loop, ternary_loop,
                                                 unary_loop, where_loop)
from cygrad_cpu.pointwise.pointwise cimport dear, store_scalar

cdef enum:
    NO_SLOT = -1
    OPERANDS = 6                # of a step, its result included
    KEPT_PROGRAMS = 4096
    RECENT = 256

cdef int[12] ITEMS = [1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16]     # bytes of an element by dtype code

cdef Kernels *kernels = loaded_kernels()
cdef dict _plans = {}           # address of a program: (the program, {key: its plan, or None})

cdef struct Recent:             # a plan of _plans that is found without objects
    void *program
    unsigned long long key
    void *made

cdef Recent[256] _recent


class Unfit(Exception):
    """The program needs more than a plan has, or an op that has no loop for the dtype."""


cdef class Compiled:
    """A plan as an object."""


cdef Compiled compiled(tuple program, tuple ins, tuple outs, bint reduced=False):
    """The plan of a program for these operands, or None where there can't be one.

    `reduced`: the results stay in slots, for a reduction; outs only tell numbers' dtype where all inputs are masks.
    """
    cdef unsigned long long key
    cdef int code = -1, i, count = len(ins), views = 0
    cdef View view
    if count > MOST_INS or len(outs) > MOST_OUTS:
        return None
    key = <unsigned long long>reduced << 48
    for i in range(count):
        if isinstance(ins[i], View):
            view = <View>ins[i]
            views += 1
            if view.dtype.code == BOOL:
                key |= 1ull << (16 + i)
            elif code < 0:
                code = view.dtype.code
        else:
            key |= 1ull << i
    if views > MOST_VIEWS:
        return None
    if code < 0:
        code = (<View>outs[0]).dtype.code
    return planned(program, count, 0 if reduced else len(outs), key, code)


cdef Compiled compiled_finish(tuple program, int results, int numbers, int outs, int code):
    """The plan of a program whose inputs are `results` of dtype `code` and then numbers; or None."""
    if results + numbers > MOST_INS or outs > MOST_OUTS:
        return None
    return planned(program, results + numbers, outs, ((1ull << numbers) - 1) << results
                   | (((1ull << results) - 1) << 16 if code == BOOL else 0ull), code)


cdef Compiled planned(tuple program, int ins, int outs, unsigned long long key, int code):
    """The plan of a program; `key`: a bit for each input that is a number, and from 16 on, for each that is a mask."""
    cdef Recent *recent
    if code == FLOAT16 or code == BFLOAT16:
        code = FLOAT32
    key |= <unsigned long long>code << 32
    recent = &_recent[(<size_t><void *>program >> 4 ^ key >> 32 ^ key >> 16 ^ key) % RECENT]
    if recent.program == <void *>program and recent.key == key:
        return <Compiled>recent.made
    entry = _plans.get(<size_t><void *>program)
    if entry is None:
        if len(_plans) >= KEPT_PROGRAMS:        # programs made on the fly: nobody asks for the old ones again
            memset(_recent, 0, sizeof(_recent))
            _plans.clear()
        entry = _plans[<size_t><void *>program] = (program, {})
    plans = <dict>(<tuple>entry)[1]
    found = plans.get(key)
    if found is None and key not in plans:
        try:
            found = Compiler(program, ins, outs, key, code).made
        except Unfit:
            pass
        plans[key] = found
    if found is not None:
        recent.program, recent.key, recent.made = <void *>program, key, <void *>found
    return <Compiled>found


cdef class Compiler:
    """Plays a program on a stack of slots and writes down the calls."""
    cdef Compiled made
    cdef Plan *plan
    cdef list stack
    cdef list literals          # constants that stand in the formula
    cdef dict kept
    cdef dict spread_of         # (constant, dtype): its buffer
    cdef int[160] codes          # dtype of each slot's value
    cdef int[160] uses           # places on the stack, and loads of kept values to come

    def __init__(self, tuple program, int ins, int outs, unsigned long long key, int code):
        cdef int i
        cdef Plan *plan
        self.made = Compiled.__new__(Compiled)
        plan = self.plan = &self.made.plan
        memset(plan, 0, sizeof(Plan))
        plan.code, plan.item = code, ITEMS[code]
        plan.ins, plan.outs = ins, outs
        self.stack, self.literals, self.kept, self.spread_of = [], [], {}, {}
        memset(self.uses, 0, sizeof(self.uses))
        for i in range(plan.ins):
            plan.number[i] = -1
            self.codes[i] = code
            if key >> i & 1:
                plan.number[i] = self.constant(code) - CONSTANTS
            elif key >> (16 + i) & 1:
                self.codes[i] = BOOL
        loads = [step[1] for step in program if step[0] == "kept"]
        for i, step in enumerate(program):
            self.add(step, loads)
        self.place_outs()
        self.place_spreads()
        self.note_reads()
        plan.chain = kernels.chain[code] != NULL and plan.outs > 0 and plan.spreads == 0 and self.chained()

    cdef add(self, tuple step, list loads):
        cdef str kind = step[0]
        cdef int slot
        if kind == "in":
            slot = step[1]
            self.push(slot if self.plan.number[slot] < 0 else CONSTANTS + self.plan.number[slot])
        elif kind == "number":
            self.push(self.literal(step[1]))
        elif kind == "keep":
            slot = self.stack[len(self.stack) - 1]
            self.kept[step[1]] = slot
            self.uses[slot] += loads.count(step[1])
        elif kind == "kept":
            self.stack.append(self.kept[step[1]])
        elif kind == "unary":
            self.unary(step[1])
        elif kind == "binary":
            self.binary(step[1])
        elif kind == "where":
            self.where()
        elif kind == "out":
            self.out(step[1])
        else:
            raise Unfit(f"unknown step {step!r}")

    # ---- slots

    cdef push(self, int slot):
        self.stack.append(slot)
        self.uses[slot] += 1

    cdef int pop(self) except -1:
        return self.stack.pop()

    cdef drop(self, int slot):
        self.uses[slot] -= 1

    cdef int constant(self, int code) except -1:
        if self.plan.constants == MOST_CONSTANTS:
            raise Unfit("too many constants")
        self.codes[CONSTANTS + self.plan.constants] = code
        self.plan.constants += 1
        return CONSTANTS + self.plan.constants - 1

    cdef int literal(self, value) except -1:
        """The constant of a number in a formula: equal numbers, bit for bit, have one."""
        cdef int slot = self.constant(self.plan.code), earlier
        cdef char *values = <char *>self.plan.values - 16 * CONSTANTS
        store_scalar(value, self.plan.code, values + 16 * slot)
        for earlier in self.literals:
            if memcmp(values + 16 * earlier, values + 16 * slot, 16) == 0:
                self.plan.constants -= 1
                return earlier
        self.literals.append(slot)
        return slot

    cdef int buffer(self, int code, int a, int b, int c) except -1:
        """A free buffer, at best that of an operand which dies here: its memory is in the cache.

        Not one of another item size: what is read must not lie where earlier elements are written.
        """
        cdef int k, slot, free = NO_SLOT
        for slot in (a, b, c):
            if slot >= BUFFERS and self.uses[slot] == 0 and ITEMS[self.codes[slot]] == ITEMS[code]:
                self.codes[slot] = code
                return slot
        for k in range(MOST_BUFFERS - self.plan.spreads):
            slot = BUFFERS + k
            if self.uses[slot] == 0 and slot != a and slot != b and slot != c:
                free = slot
                break
        if free == NO_SLOT:
            raise Unfit("too many values at once")
        self.plan.buffers = max(self.plan.buffers, free - BUFFERS + 1)
        self.codes[free] = code
        return free

    # ---- calls

    cdef call(self, int kind, int op, void *loop, int form, int result_code, int a, int b=NO_SLOT, int c=NO_SLOT):
        """Write a call down and push its result; the operands have been popped."""
        cdef Step *step
        cdef Plan *plan = self.plan
        cdef int slot
        cdef bint constant = a_constant(a) and (b == NO_SLOT or a_constant(b)) and (c == NO_SLOT or a_constant(c))
        if loop == NULL:
            raise Unfit("no loop")
        for slot in (a, b, c):
            if slot != NO_SLOT:
                self.drop(slot)
        if constant:
            if plan.once == MOST_ONCE:
                raise Unfit("too many steps")
            step = &plan.first[plan.once]
            slot = self.constant(result_code)
            plan.once += 1
            form = BOTH_VECTORS
        else:
            if plan.steps == MOST_STEPS:
                raise Unfit("too many steps")
            step = &plan.step[plan.steps]
            slot = self.buffer(result_code, a, b, c)
            plan.steps += 1
        step.kind, step.op, step.form, step.loop = kind, op, form, loop
        set_slots(step, slot, a, b, c)
        step.log_item = log_of_item(ITEMS[result_code])
        self.push(slot)

    cdef int converted(self, int slot, int code) except -1:
        """A value that was popped, in another dtype."""
        if self.codes[slot] == code:
            return slot
        self.call(CONVERT_STEP, 0, <void *>kernels.convert[self.codes[slot]][code], 0, code, slot)
        return self.pop()

    cdef int run_of(self, int slot) except -1:
        """A value that was popped, spread out where it is a constant."""
        cdef Step *step
        cdef int made
        if not a_constant(slot):
            return slot
        if slot not in self.spread_of:
            made = SLOTS - 1 - self.plan.spreads        # from the other end: no step may have used it before
            if made < BUFFERS + self.plan.buffers:
                raise Unfit("too many values at once")
            self.codes[made] = self.codes[slot]
            step = &self.plan.spread[self.plan.spreads]
            self.plan.spreads += 1
            step.kind, step.log_item = SPREAD_STEP, log_of_item(ITEMS[self.codes[slot]])
            set_slots(step, made, slot, NO_SLOT, NO_SLOT)
            self.uses[made] += 1                        # for good
            self.spread_of[slot] = made
        made = self.spread_of[slot]
        self.uses[made] += 1
        return made

    cdef place_outs(self):
        """Have values that were copied to an output, since steps use them as well, computed in its place."""
        cdef Plan *plan = self.plan
        cdef int i, k, made, slot, out
        for i in range(plan.steps - 1, -1, -1):
            out, slot = plan.step[i].slots[0], plan.step[i].slots[1]
            if plan.step[i].kind != COPY_STEP or not BUFFERS <= slot < SLOTS - plan.spreads:
                continue
            made = i - 1
            while plan.step[made].slots[0] != slot:
                made -= 1
            plan.step[made].slots[0] = out
            for k in range(i, plan.steps - 1):
                plan.step[k] = plan.step[k + 1]
            plan.steps -= 1
            for k in range(made + 1, plan.steps):
                self.rename(&plan.step[k], slot, out)
                if plan.step[k].slots[0] == slot:       # another value from here on
                    break

    cdef rename(self, Step *step, int slot, int other):
        """Give a call another slot in the place of an operand's."""
        cdef int k
        for k in range(1, OPERANDS):
            if step.slots[k] == slot:
                step.slots[k] = other

    cdef place_spreads(self):
        """Number the buffers that are in use one after the other, and those of spread constants behind them."""
        cdef Plan *plan = self.plan
        cdef int[160] places
        cdef int i, k, slot, first_spread = SLOTS - plan.spreads, buffers = 0
        for slot in range(<int>SLOTS):
            places[slot] = slot
        for slot in range(BUFFERS, first_spread):
            for i in range(plan.steps):
                if plan.step[i].slots[0] == slot:
                    places[slot] = BUFFERS + buffers
                    buffers += 1
                    break
        for i in range(plan.spreads):
            places[SLOTS - 1 - i] = BUFFERS + buffers + i
            plan.spread[i].slots[0] = BUFFERS + buffers + i
        for i in range(plan.steps):
            for k in range(OPERANDS):
                if plan.step[i].slots[k] != NO_SLOT:
                    plan.step[i].slots[k] = places[plan.step[i].slots[k]]
        for i in range(plan.results):
            plan.result[i] = places[plan.result[i]]
        plan.buffers = buffers + plan.spreads

    cdef note_reads(self):
        """Which inputs are read after an output is written: it can't be computed in the place of one of these."""
        cdef Plan *plan = self.plan
        cdef unsigned int later = 0
        cdef int i, k
        for i in range(plan.steps - 1, -1, -1):
            if OUTS <= plan.step[i].slots[0] < CONSTANTS:
                plan.read_later[plan.step[i].slots[0] - OUTS] = later
            for k in range(1, OPERANDS):
                if 0 <= plan.step[i].slots[k] < OUTS:
                    later |= 1u << plan.step[i].slots[k]

    cdef bint chained(self):
        """Whether most steps are arithmetic of kernels/chains.pyx, some of it slow, so that others fit in beside it."""
        cdef const Step *step
        cdef int i, slow = 0, others = 0
        for i in range(self.plan.ins):
            if self.codes[i] != self.plan.code:
                return False
        for i in range(self.plan.steps):
            step = &self.plan.step[i]
            if step.kind == WHERE_STEP or step.kind == CONVERT_STEP or 1 << step.log_item != self.plan.item:
                return False
            if step.kind == UNARY_STEP:
                slow += step.op == ops.SQRT
                others += step.op != ops.SQRT
            elif step.kind == BINARY_STEP or step.kind == SCALED_STEP:
                slow += step.op == ops.DIV
                others += step.op > ops.DIV
            else:
                others += step.op != ops.MUL
        return self.plan.steps > 1 and slow > 0 and others * 4 <= self.plan.steps

    cdef unary(self, int op):
        cdef int a = self.pop(), code = self.codes[a]
        cdef bint predicate = op == ops.LOGICAL_NOT or ops.ISNAN <= op <= ops.ISFINITE
        if (op == ops.ABS or op == ops.ANGLE) and code >= COMPLEX64:
            raise Unfit("a result of another dtype")
        self.plan.dear = self.plan.dear or dear(op)
        self.call(UNARY_STEP, op, <void *>kernels.unary[op][code], 0, BOOL if predicate else code, a)

    cdef binary(self, int op):
        cdef int b = self.pop(), a = self.pop(), code = self.codes[a], form = BOTH_VECTORS
        if code != self.codes[b]:                   # a mask and a number
            code = self.plan.code
            a, b = self.converted(a, code), self.converted(b, code)
        if a_constant(a):
            form = FIRST_SCALAR
        elif a_constant(b):
            form = SECOND_SCALAR
        self.plan.dear = self.plan.dear or ops.DIV < op < ops.MAXIMUM or ops.FMIN < op < ops.BITWISE_AND
        if not (op == ops.ADD and (self.multiply_add(a, b, code) or self.multiply_add(b, a, code))
                or op == ops.MINIMUM and self.clamp(a, b, code)
                or op == ops.MUL and (self.gate(a, b, code) or self.robust(a, b, code))):
            if code >= COMPLEX64 and op <= ops.SUB:
                form += IN_PROGRAM
            self.call(BINARY_STEP, op, <void *>kernels.binary[op][code], form, BOOL if op >= ops.EQ else code, a, b)

    # ---- idioms: calls that become one loop with the last call, whose result nobody else wants

    cdef Step *last(self, int slot, int kind, int op) except? NULL:
        """The last call, if it is this op and the only use of its result is this one."""
        cdef Step *step = &self.plan.step[self.plan.steps - 1]
        if self.plan.steps and step.slots[0] == slot and self.uses[slot] == 1 and step.kind == kind and step.op == op:
            return step
        return NULL

    cdef bint multiply_add(self, int product, int c, int code) except -1:
        """a * b + c."""
        cdef Step *step = self.last(product, BINARY_STEP, ops.MUL)
        if step == NULL or kernels.ternary[<int>MULTIPLY_ADD][code] == NULL:
            return False
        if step.form == FIRST_SCALAR:
            step.slots[1], step.slots[2] = step.slots[2], step.slots[1]
        if self.scaled(step, c, code):
            self.weigh(&self.plan.step[self.plan.steps - 1], c, code)
        else:
            self.extend(step, MULTIPLY_ADD, code, c)
            if step.form == B_SCALAR:
                self.weigh(step, c, code)
        return True

    cdef weigh(self, Step *step, int c, int code):
        """Take the factor of c, an input times a number, into the last call: a * b + c or (a op b) * scale + c."""
        cdef Plan *plan = self.plan
        cdef Step *product
        cdef int i, k, made = plan.steps - 2
        if c < BUFFERS or self.uses[c] or kernels.scaled[<int>ops.ADD][code] == NULL:
            return
        while made >= 0 and plan.step[made].slots[0] != c:
            for k in range(1, OPERANDS):
                if plan.step[made].slots[k] == c:       # somebody else wants it
                    return
            made -= 1
        if made < 0:
            return
        product = &plan.step[made]
        if product.kind != BINARY_STEP or product.op != ops.MUL or product.form == BOTH_VECTORS:
            return
        k = 2 if product.form == FIRST_SCALAR else 1
        if product.slots[k] >= OUTS:
            return
        if step.kind == TERNARY_STEP:
            step.kind, step.loop = SCALED_STEP, <void *>kernels.scaled[<int>ops.ADD][code]
            step.slots[3], step.slots[2] = step.slots[2], step.slots[1]
            step.op, step.form = ops.ADD, BOTH_VECTORS
        step.slots[4], step.slots[5] = product.slots[k], product.slots[3 - k]
        for i in range(made, plan.steps - 1):
            plan.step[i] = plan.step[i + 1]
        plan.steps -= 1

    cdef bint scaled(self, Step *step, int c, int code) except -1:
        """(a op b) * scale + c, where `step` is the product; a, b and c are runs."""
        cdef Step *first = step - 1
        if (self.plan.steps < 2 or not a_constant(step.slots[2]) or a_constant(c) or first.kind != BINARY_STEP
                or first.form != BOTH_VECTORS or first.slots[0] != step.slots[1] or not ops.ADD < first.op <= ops.DIV
                or kernels.scaled[first.op][code] == NULL
                or first.slots[0] != step.slots[0] and self.uses[first.slots[0]]):    # somebody else wants a op b
            return False
        first.kind, first.loop = SCALED_STEP, <void *>kernels.scaled[first.op][code]
        first.slots[0], first.slots[3], first.slots[4] = step.slots[0], step.slots[2], c
        self.plan.steps -= 1
        self.drop(c)
        self.stack.append(first.slots[0])
        return True

    cdef bint clamp(self, int a, int high, int code) except -1:
        """min(max(a, low), high)."""
        cdef Step *step = self.last(a, BINARY_STEP, ops.MAXIMUM)
        if (step == NULL or step.form != SECOND_SCALAR or not a_constant(high)
                or kernels.ternary[<int>CLAMP][code] == NULL):
            return False
        self.extend(step, CLAMP, code, high)
        return True

    cdef extend(self, Step *step, int idiom, int code, int c):
        """Give a binary call a third operand."""
        step.kind, step.loop = TERNARY_STEP, <void *>kernels.ternary[idiom][code]
        step.slots[3] = c
        step.form = (B_SCALAR if a_constant(step.slots[2]) else 0) | (C_SCALAR if a_constant(c) else 0)
        self.drop(c)
        self.stack.append(step.slots[0])

    cdef bint gate(self, int a, int x, int code) except -1:
        """x times its sigmoid, or times its normal distribution function (1 + erf(x / sqrt(2))) / 2."""
        cdef Plan *plan = self.plan
        cdef Step *step = self.last(a, UNARY_STEP, ops.SIGMOID)
        if step != NULL and step.slots[1] == x and kernels.silu[code] != NULL:
            step.loop = <void *>kernels.silu[code]
        elif (code == FLOAT32 and plan.steps >= 4 and kernels.gelu[code] != NULL
                and self.last(a, BINARY_STEP, ops.MUL) != NULL and self.is_normal(&plan.step[plan.steps - 4], x)):
            plan.steps -= 3
            step = &plan.step[plan.steps - 1]
            step.kind, step.loop = UNARY_STEP, <void *>kernels.gelu[code]
            step.slots[0] = a
        else:
            return False
        step.op = NO_SLOT
        self.drop(x)
        self.stack.append(a)
        return True

    cdef bint is_normal(self, const Step *steps, int x):
        """Whether these are x * sqrt(1/2), erf, + 1, * 1/2."""
        return (self.takes(steps, ops.MUL, x, 0.7071067811865476) and steps[1].kind == UNARY_STEP
                and steps[1].op == ops.ERF and steps[1].slots[1] == steps[0].slots[0]
                and self.takes(steps + 2, ops.ADD, steps[1].slots[0], 1)
                and self.takes(steps + 3, ops.MUL, steps[2].slots[0], 0.5))

    cdef bint takes(self, const Step *step, int op, int a, float constant):
        """Whether a call is op(a, constant)."""
        return (step.kind == BINARY_STEP and step.op == op and step.form == SECOND_SCALAR and step.slots[1] == a
                and (<float *>(self.plan.values + 16 * (step.slots[2] - CONSTANTS)))[0] == <float>constant)

    cdef bint robust(self, int a, int m, int code) except -1:
        """(m * -0.5 + d) * m, where m is d between two numbers."""
        cdef Plan *plan = self.plan
        cdef Step *step = self.last(a, TERNARY_STEP, ops.MUL)
        cdef Step *clamp = step - 1
        if (step == NULL or plan.steps < 2 or code != FLOAT32 or step.form != B_SCALAR or step.slots[1] != m
                or (<float *>(plan.values + 16 * (step.slots[2] - CONSTANTS)))[0] != -0.5
                or clamp.kind != TERNARY_STEP or clamp.op != ops.MAXIMUM or clamp.slots[0] != m
                or clamp.slots[1] != step.slots[3] or self.uses[m] != 1):
            return False
        clamp.loop, clamp.slots[0] = <void *>kernels.ternary[<int>ROBUST][code], a
        plan.steps -= 1
        self.drop(m)
        self.stack.append(a)
        return True

    cdef bint threshold(self, int c, int a, int b) except -1:
        """The number a where x <= bound, else b."""
        cdef Step *step = self.last(c, BINARY_STEP, ops.LE)
        cdef int code = self.codes[b]
        if (step == NULL or step.form != SECOND_SCALAR or not a_constant(a) or a_constant(b)
                or self.codes[step.slots[1]] != code or kernels.threshold[code] == NULL):
            return False
        step.kind, step.loop = SCALED_STEP, <void *>kernels.threshold[code]
        step.slots[3], step.slots[4], step.slots[5] = step.slots[2], b, a
        step.slots[2] = step.slots[1]
        step.log_item, self.codes[c] = log_of_item(ITEMS[code]), code       # it was a mask
        self.drop(a)
        self.drop(b)
        self.stack.append(c)
        return True

    cdef where(self):
        cdef int b = self.pop(), a = self.pop(), c = self.pop(), code = self.codes[a]
        if self.threshold(c, a, b):
            return
        c = self.converted(c, BOOL)
        if code != self.codes[b]:
            code = self.plan.code
            a, b = self.converted(a, code), self.converted(b, code)
        a, b, c = self.run_of(a), self.run_of(b), self.run_of(c)
        self.call(WHERE_STEP, 0, <void *>kernels.where[log_of_item(ITEMS[code])], 0, code, c, a, b)

    cdef out(self, int j):
        cdef Plan *plan = self.plan
        cdef int slot = self.run_of(self.pop())
        cdef Step *step
        if j >= MOST_OUTS:
            raise Unfit("too many results")
        plan.out_code[j] = self.codes[slot]
        if plan.outs == 0:                      # still in use: nobody writes there before it is reduced
            plan.result[j] = slot
            plan.results += 1
            return
        if (slot >= BUFFERS and self.uses[slot] == 1 and plan.steps
                and plan.step[plan.steps - 1].slots[0] == slot):
            plan.step[plan.steps - 1].slots[0] = OUTS + j           # nobody else wants it: computed in its place
        else:
            if plan.steps == MOST_STEPS:
                raise Unfit("too many steps")
            step = &plan.step[plan.steps]
            step.kind, step.log_item = COPY_STEP, log_of_item(ITEMS[self.codes[slot]])
            set_slots(step, OUTS + j, slot, NO_SLOT, NO_SLOT)
            plan.steps += 1
        self.drop(slot)


cdef int run_plan(const Plan *plan, const Step *steps, bint chain, char **slots, Py_ssize_t n) noexcept nogil:
    """The steps of a plan, as a chain or one after the other."""
    if not chain or n < LEAST_CHAIN:
        return run_steps(steps, plan.steps, slots, n)
    kernels.chain[plan.code](steps, plan.steps, slots, n, run_steps, NULL)
    return 0


cdef void set_slots(Step *step, int out, int a, int b, int c) noexcept:
    step.slots[0], step.slots[1], step.slots[2], step.slots[3] = out, a, b, c
    step.slots[4] = step.slots[5] = NO_SLOT


cdef inline bint a_constant(int slot) noexcept:
    return CONSTANTS <= slot < BUFFERS


cdef int run_steps(const Step *steps, int count, char **slots, Py_ssize_t n) noexcept nogil:
    """Make the calls on n elements; non-zero where an integer was divided by zero."""
    cdef const Step *step
    cdef int i, status = 0
    for i in range(count):
        step = steps + i
        if step.kind == BINARY_STEP:
            status |= (<binary_loop>step.loop)(slots[step.slots[1]], slots[step.slots[2]], slots[step.slots[0]], n,
                                               step.form, NULL)
        elif step.kind == UNARY_STEP:
            (<unary_loop>step.loop)(slots[step.slots[1]], slots[step.slots[0]], n, NULL)
        elif step.kind == TERNARY_STEP:
            (<ternary_loop>step.loop)(slots[step.slots[1]], slots[step.slots[2]], slots[step.slots[3]],
                                      slots[step.slots[0]], n, step.form)
        elif step.kind == SCALED_STEP:
            (<scaled_loop>step.loop)(slots[step.slots[1]], slots[step.slots[2]], slots[step.slots[3]],
                                     slots[step.slots[4]], NULL if step.slots[5] < 0 else slots[step.slots[5]],
                                     slots[step.slots[0]], n, NULL)
        elif step.kind == WHERE_STEP:
            (<where_loop>step.loop)(slots[step.slots[1]], slots[step.slots[2]], slots[step.slots[3]],
                                    slots[step.slots[0]], n)
        elif step.kind == CONVERT_STEP:
            (<convert_loop>step.loop)(slots[step.slots[1]], slots[step.slots[0]], n)
        elif step.kind == COPY_STEP:
            if slots[step.slots[0]] != slots[step.slots[1]]:
                memcpy(slots[step.slots[0]], slots[step.slots[1]], n << step.log_item)
        else:
            kernels.move[step.log_item](slots[step.slots[1]], 0, 0, slots[step.slots[0]], n, 1, 1, n)
    return status
