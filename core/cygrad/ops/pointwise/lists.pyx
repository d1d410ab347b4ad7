# distutils: extra_compile_args = -Os
"""Lists of tensors changed in one call: a formula runs over each tensor of a list, in one pass and in place.

`_foreach_update_` is what optimizers' steps are: the formula becomes a program (see dispatch/programs.pyx), and the
loop over the parameters is C. It does the plain cases; what it leaves, its caller does with ordinary ops.
"""
from functools import lru_cache

from cygrad.autograd.inplace cimport check_inplace
from cygrad.autograd.modes cimport grad_enabled
from cygrad.dispatch.axes cimport refuse_self_overlap
from cygrad.dispatch.kernel_calls cimport elementwise_into
from cygrad.dispatch.programs cimport Program
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad.tensor cimport Tensor, bump_version, requires_grad
from cygrad.view cimport same_sizes

from cygrad.dispatch.programs import program

program_of = lru_cache(256)(program)


cdef bint fits(tuple operands, int written) except -1:
    """Whether the operands of one formula are alike, and none that is written shares memory with another."""
    cdef Tensor first, t
    cdef int i, j
    cdef bint recorded = grad_enabled()
    if not isinstance(operands[0], Tensor):
        return False
    first = <Tensor>operands[0]
    if first.dtype.code != FLOAT32 and first.dtype.code != FLOAT64:     # ops round 16-bit floats after each step
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


def _foreach_update_(formula, written, read, numbers):
    """Write a formula's values into each tensor of some lists, in one pass over memory.

    Parameters
    ----------
    formula : callable
        Takes a tensor of each list of `written`, then of each of `read`, then the numbers; returns a tuple of the
        new values of those of `written`. Made of operators and methods alone; traced once (see `program`).
    written, read : sequence of list of Tensor
        Lists of one length.
    numbers : sequence of float

    Returns
    -------
    list of int
        The places in the lists that were left as they are: operands that are not float32 or float64 of one shape on
        one device, that share memory, or for which gradients are recorded.

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
    cdef int count = len(written), place = -1, i
    cdef list left = []
    cdef Tensor t
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
        elementwise_into(steps, operands + constants, targets)
        for i in range(count):
            bump_version(<Tensor>targets[i])
    return left
