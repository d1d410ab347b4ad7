# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic
"""Connectionist temporal classification: sums over the paths through the states of a sequence of labels, in logarithms.

Graves et al., ICML 2006, (6) to (16). States stand side by side, so a step is a loop over them; rows of states are
LANES longer than they need be, and begin two places behind states that no path is in, so that no loop has a rest.
"""
from libc.math cimport INFINITY, NAN
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cygrad_cpu.kernels.kernel_tables cimport CtcBackward, CtcForward, CtcTable, LabelRows
from cygrad_cpu.simd.elementary cimport (exp_f32, exp_f64, full_exp_of_negative, log_f32, log_f64,
                                         single_exp_of_negative)
from cygrad_cpu.simd.element_types cimport Real

cdef enum:
    LANES = 16
    BEFORE = LANES              # places before the first state, of which two are looked at
    ROWS = 8                    # rows of the scratch memory


cdef inline Real exp_below(Real x) noexcept nogil:
    """e^x for x <= 0."""
    if Real is float:
        return single_exp_of_negative(x)
    else:
        return full_exp_of_negative(x)


cdef inline Real exp_(Real x) noexcept nogil:
    if Real is float:
        return exp_f32(x)
    else:
        return exp_f64(x)


cdef inline Real log_(Real x) noexcept nogil:
    if Real is float:
        return log_f32(x)
    else:
        return log_f64(x)


cdef inline Real log_sum(Real a, Real b, Real c) noexcept nogil:
    """log(e^a + e^b + e^c), -infinity where all are."""
    cdef Real top = b if b > a else a
    top = c if c > top else top
    top = 0 if top == -INFINITY else top
    return log_(<Real>(exp_below(<Real>(a - top)) + exp_below(<Real>(b - top)) + exp_below(<Real>(c - top)))) + top


cdef struct States:             # of one sequence
    Py_ssize_t count            # 2 labels + 1
    Py_ssize_t padded           # the same, a multiple of LANES
    int *classes                # of each state, -1 for none and for a label outside the classes


cdef inline Py_ssize_t padded(Py_ssize_t n) noexcept nogil:
    return (n + LANES - 1) // LANES * LANES


cdef inline void name_states(const LabelRows *rows, Py_ssize_t n, States *states) noexcept nogil:
    cdef Py_ssize_t s
    cdef const long long *labels = rows.labels + rows.starts[n]
    states.count = 2 * rows.counts[n] + 1
    states.padded = padded(states.count)
    for s in range(states.padded + 2):
        states.classes[s] = -1
    for s in range(0, states.count, 2):
        states.classes[s] = rows.blank
    for s in range(rows.counts[n]):
        if 0 <= labels[s] < rows.classes:
            states.classes[2 * s + 1] = <int>labels[s]


cdef inline void skips(const LabelRows *rows, const States *states, Py_ssize_t ahead, Real *may) noexcept nogil:
    """0 where a path may pass over a blank on its way to a state (`ahead` 0) or from it (2), else -infinity."""
    cdef Py_ssize_t s
    cdef const int *c = states.classes + ahead
    for s in range(states.padded):
        may[s] = -INFINITY
        if s + ahead >= 2 and c[s] >= 0 and c[s] != c[s - 2] and c[s] != rows.blank:
            may[s] = 0


cdef inline void look_up(const Real *logs, const States *states, Real *here) noexcept nogil:
    """The logarithms of the states' probabilities."""
    cdef Py_ssize_t s
    for s in range(states.padded):
        here[s] = logs[states.classes[s]] if states.classes[s] >= 0 else -INFINITY


cdef inline void clear(Real *x, Py_ssize_t n, Real value) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        x[i] = value


cdef void forward(const LabelRows *rows, const Real *logs, Real *losses, Real *sums, Py_ssize_t begin,
                  Py_ssize_t end) noexcept nogil:
    """Losses of sequences begin to end, and the sums over paths up to each step, its own probability included."""
    cdef Py_ssize_t n, t, s, width = 2 * rows.longest + 1, row = padded(width) + 2 * LANES
    cdef Py_ssize_t step = rows.batch * rows.classes
    cdef States states
    cdef Real *room = <Real *>malloc(ROWS * row * sizeof(Real))
    cdef Real *before = room + BEFORE
    cdef Real *now = room + row + BEFORE
    cdef Real *here = room + 2 * row
    cdef Real *may = room + 3 * row
    cdef Real *found
    states.classes = <int *>(room + 4 * row)
    for n in range(begin, end):
        name_states(rows, n, &states)
        skips(rows, &states, 0, may)
        clear(room, 2 * row, <Real>-INFINITY)
        found = sums + n * rows.steps * width
        for t in range(rows.lengths[n]):
            look_up(logs + t * step + n * rows.classes, &states, here)
            if t == 0:
                now[0] = here[0]
                now[1] = here[1]                # -infinity where there is no label
            else:
                for s in range(states.padded):
                    now[s] = log_sum(before[s], before[s - 1], <Real>(before[s - 2] + may[s])) + here[s]
            for s in range(states.count):
                found[t * width + s] = now[s]
            clear(found + t * width + states.count, width - states.count, <Real>-INFINITY)
            before, now = now, before
        clear(found + rows.lengths[n] * width, (rows.steps - rows.lengths[n]) * width, <Real>-INFINITY)
        if rows.lengths[n] == 0:
            losses[n] = -0.0 if rows.counts[n] == 0 else INFINITY
        else:
            losses[n] = -log_sum(before[states.count - 1], before[states.count - 2], <Real>-INFINITY)
    free(room)


cdef inline void slopes_of_step(const Real *logs, const States *states, const int *seen, Py_ssize_t different,
                                Real *both, Real *part, Real loss, Real grad, Real *x, Real *y, Py_ssize_t classes,
                                Real *out) noexcept nogil:
    """(16): the softmax at this step less the share of the paths through each class; `both` are logarithms.

    A class of probability 0 has no share that one can tell, and NaN for a slope.
    """
    cdef Py_ssize_t s, c
    cdef Real top = -INFINITY
    for s in range(states.padded):
        top = both[s] if both[s] > top else top
    top = 0 if top == -INFINITY else top
    for s in range(states.padded):
        both[s] = exp_below(<Real>(both[s] - top))
    for c in range(different):
        part[seen[c]] = 0
    for s in range(states.count):
        if states.classes[s] >= 0:
            part[states.classes[s]] += both[s]
    for c in range(different):
        x[c] = part[seen[c]]
        y[c] = logs[seen[c]]
    for s in range(padded(different)):
        x[s] = exp_(<Real>(log_(x[s]) + (top + loss - y[s])))
    for c in range(classes):
        out[c] = (exp_(logs[c]) + 0 * logs[c]) * grad
    for c in range(different):
        out[seen[c]] -= x[c] * grad


cdef void backward(const LabelRows *rows, const Real *grad, const Real *logs, const Real *losses, const Real *sums,
                   bint zero_infinity, Real *out, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t n, t, s, c, width = 2 * rows.longest + 1, row = padded(width) + 2 * LANES
    cdef Py_ssize_t step = rows.batch * rows.classes, different, last
    cdef States states
    cdef Real *room = <Real *>malloc((ROWS * row + rows.classes) * sizeof(Real))
    cdef int *seen = <int *>malloc((2 * row + rows.classes) * sizeof(int))
    cdef Real *after = room
    cdef Real *now = room + row
    cdef Real *here = room + 2 * row
    cdef Real *may = room + 3 * row
    cdef Real *both = room + 4 * row
    cdef Real *x = room + 5 * row
    cdef Real *y = room + 6 * row
    cdef Real *part = room + 7 * row
    cdef const Real *found
    cdef Real *slope
    states.classes = seen + row
    for n in range(begin, end):
        last = rows.lengths[n] - 1
        for t in range(rows.steps):
            slope = out + t * step + n * rows.classes
            if t > last or zero_infinity and losses[n] == INFINITY:
                memset(slope, 0, rows.classes * sizeof(Real))
            elif losses[n] == INFINITY:
                clear(slope, rows.classes, <Real>NAN)
        if losses[n] == INFINITY:
            continue
        name_states(rows, n, &states)
        skips(rows, &states, 2, may)
        clear(room, 2 * row, <Real>-INFINITY)
        clear(both, row, <Real>-INFINITY)
        clear(x, 2 * row, <Real>0)
        memset(part, 0, rows.classes * sizeof(Real))
        different = 0                           # each class once: what is marked was there
        for s in range(states.count):
            c = states.classes[s]
            if c >= 0 and part[c] == 0:
                part[c] = 1
                seen[different] = <int>c
                different += 1
        for t in range(last, -1, -1):
            look_up(logs + t * step + n * rows.classes, &states, here)
            if t == last:
                now[states.count - 1] = here[states.count - 1]
                if states.count > 1:
                    now[states.count - 2] = here[states.count - 2]
            else:
                for s in range(states.padded):
                    now[s] = log_sum(after[s], after[s + 1], <Real>(after[s + 2] + may[s])) + here[s]
            found = sums + (n * rows.steps + t) * width
            for s in range(states.count):
                both[s] = found[s] + now[s]
            clear(both + states.count, states.padded - states.count, <Real>-INFINITY)
            slopes_of_step(logs + t * step + n * rows.classes, &states, seen, different, both, part, losses[n], grad[n],
                           x, y, rows.classes, out + t * step + n * rows.classes)
            after, now = now, after
    free(room)
    free(seen)


cdef public void cygrad_install(void *address) noexcept:
    """Fill the CtcTable at `address`."""
    cdef CtcTable *table = <CtcTable *>address
    table.forward[0] = <CtcForward>forward[float]
    table.forward[1] = <CtcForward>forward[double]
    table.backward[0] = <CtcBackward>backward[float]
    table.backward[1] = <CtcBackward>backward[double]
