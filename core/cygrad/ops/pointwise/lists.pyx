# distutils: extra_compile_args = -Os
"""Lists of tensors changed in one call: a formula runs over each tensor of a list, in one pass and in place.

`_foreach_update_` is what optimizers' steps are: the formula becomes a program (see dispatch/programs.pyx), and the
loop over the parameters is C. It does the plain cases; what it leaves, its caller does with ordinary ops.
"""
from functools import lru_cache

from cygrad.autograd.inplace cimport check_inplace
from cygrad.autograd.modes cimport grad_enabled
from cygrad.dispatch.allocation cimport empty_like_strided
from cygrad.dispatch.overlap cimport refuse_self_overlap
from cygrad.dispatch.kernel_calls cimport elementwise_into
from cygrad.dispatch.programs cimport Program, is_half
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad.tensor cimport Tensor, bump_version, requires_grad
from cygrad.view cimport same_sizes

import cygrad
from cygrad.dispatch.programs import program
from cygrad.dispatch.rounded_stages import stages_of

program_of = lru_cache(256)(program)


cdef bint fits(tuple operands, int written) except -1:
    """Whether the operands of one formula are alike, and none that is written shares memory with another."""
    cdef Tensor first, t
    cdef int i, j
    cdef bint recorded = grad_enabled()
    if not isinstance(operands[0], Tensor):
        return False
    first = <Tensor>operands[0]
    if first.dtype.code != FLOAT32 and first.dtype.code != FLOAT64 and not is_half(first):
        return False
    for i in range(len(operands)):
        if not isinstance(operands[i], Tensor):
            return False
        t = <Tensor>operands[i]
        if (recorded and requires_grad(t) or t.dtype is not first.dtype or t.memory.backend is not first.memory.backend
                or t.memory.index != first.memory.index or not same_sizes(t, first)):
            return False
        for j in range(min(i, written)):
            if t.memory is (<Tensor>operands[j]).memory:
                return False
    return True


cdef class Stages:
    """A formula in 16-bit floats with its numbers, to be run on one parameter's tensors after the other."""
    cdef list stages, rooms
    cdef tuple constants, places
    cdef int count
    cdef Tensor last                    # like which `rooms` and `rounded` are
    cdef list rounded

    def __init__(self, formula, int written, int tensors, tuple constants):
        self.stages, self.places, self.count = stages_of(formula, written, tensors)
        self.places = tuple([constants[i - tensors] for i in self.places])
        self.constants = constants

    cdef int prepare(self, Tensor like) except -1:
        """Have the numbers in the dtype of a tensor, and room for what the pieces leave to each other."""
        cdef Tensor last = self.last
        if last is None or last.dtype is not like.dtype:
            self.rounded = cygrad.tensor(self.places, dtype=like.dtype).tolist()
        elif (last.dense and like.dense and same_sizes(last, like) and last.memory.backend is like.memory.backend
              and last.memory.index == like.memory.index):
            return 0
        self.rooms = [empty_like_strided(like, like.dtype) for _ in range(self.count)]
        self.last = like
        return 0

    cdef int run(self, tuple tensors) except -1:
        cdef list operands
        cdef tuple ins, outs
        self.prepare(<Tensor>tensors[0])
        operands = [*tensors, *self.constants, *self.rounded, *self.rooms]
        for steps, ins, outs in self.stages:
            elementwise_into(steps, tuple([operands[i] for i in ins]), tuple([operands[i] for i in outs]))
        return 0


def _foreach_update_(formula, written, read, numbers, tuple writes=()):
    """Write a formula's values into each tensor of some lists, in one pass over memory.

    In float16 and bfloat16 there is one more pass for each value that the formula calls rounded and that others are
    made of.

    Parameters
    ----------
    formula : callable
        Takes a tensor of each list of `written`, then of each of `read`, then the numbers; returns a tuple of the
        new values of those of `written`. Made of operators and methods alone; traced once (see `program`).
    written, read : sequence of list of Tensor
        Lists of one length.
    numbers : sequence of float
    writes : tuple of int, optional
        For each list of `written` by how much the versions grow, if not by 1.

    Returns
    -------
    list of int
        The places in the lists that were left as they are: operands that are not floating-point of one dtype and
        shape on one device, that share memory, or for which gradients are recorded.

    Raises
    ------
    RuntimeError
        If a tensor may not be changed in place.

    Examples
    --------
    >>> import cygrad
    >>> p, g = [cygrad.ones(2), cygrad.ones(3)], [cygrad.ones(2), cygrad.arange(3.)]
    >>> cygrad._foreach_update_(lambda p, g, lr: (p - g * lr,), [p], [g], [0.5])
    []
    >>> p
    [tensor([0.5000, 0.5000]), tensor([1.0000, 0.5000, 0.0000])]
    """
    cdef Program made = program_of(formula)
    cdef tuple constants = tuple(numbers), operands, targets
    cdef int count = len(written), place = -1, i, k
    cdef list left = []
    cdef Tensor t
    cdef Stages stages = None
    steps = made.steps
    for operands in zip(*written, *read):
        place += 1
        if not fits(operands, count):
            left.append(place)
            continue
        targets = operands[:count]
        for i in range(count):
            t = <Tensor>targets[i]
            check_inplace(t)
            if not t.dense:
                refuse_self_overlap(t)
        if is_half(<Tensor>operands[0]):
            if stages is None:
                stages = Stages(formula, count, len(operands), constants)
            stages.run(operands)
        else:
            elementwise_into(steps, operands + constants, targets)
        for i in range(count):
            for k in range(<int>writes[i] if writes else 1):
                bump_version(<Tensor>targets[i])
    return left
