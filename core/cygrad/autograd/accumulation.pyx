"""Adding gradients to the `.grad` of leaves: what arrives first is taken over where nobody else sees it.

Threads may run passes at the same time; one at a time adds to leaves. The GIL guards who that is, and as it is given
up amid large sums only, mostly nobody waits: then the order costs a comparison.
"""
from cpython.pythread cimport (NOWAIT_LOCK, WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock,
                               PyThread_get_thread_ident, PyThread_release_lock, PyThread_type_lock)

from cygrad.autograd.fitting cimport packed, repeated, sole
from cygrad.autograd.inplace cimport check_inference
from cygrad.autograd.modes cimport grad_enabled
from cygrad.backend cimport ADD
from cygrad.dispatch.allocation cimport empty_as, empty_like_strided
from cygrad.dispatch.kernel_calls cimport binary, binary_into, cast, copy_into
from cygrad.dispatch.promotion cimport SAME
from cygrad.dtype cimport plain_of
from cygrad.tensor cimport CREATED_IN_NO_GRAD, CREATED_NORMALLY, Tensor, alias, bump_version, requires_grad, version_of
from cygrad.tensors.operators cimport add
from cygrad.view cimport same_sizes

import os

from cygrad.devices.device import contiguous_format

cdef unsigned long _holder = 0                   # the thread that adds now, or 0
cdef Py_ssize_t _waiting = 0                     # threads that wait until it is done
cdef PyThread_type_lock _wake = NULL             # what they wait for


def _new_lock():
    """Begin anew: the thread that was adding, and those that waited, don't exist in a forked child."""
    global _wake, _holder, _waiting
    _wake = PyThread_allocate_lock()
    _holder = _waiting = 0
    if _wake == NULL:
        raise MemoryError("no lock for gradients")


_new_lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


cdef int wait_turn() except -1:
    """Wait, without the GIL, until no thread is adding. The lock is only for waiting: who waits leaves it locked."""
    global _waiting
    _waiting += 1
    while _holder != 0:
        PyThread_acquire_lock(_wake, NOWAIT_LOCK)
        with nogil:
            PyThread_acquire_lock(_wake, WAIT_LOCK)
    _waiting -= 1
    return 0


def accumulate(Tensor variable not None, Tensor grad not None):
    """Add a gradient to a leaf's `.grad`."""
    accumulate_into(variable, grad, False)


cdef int accumulate_into(Tensor variable, Tensor grad, bint spare) except -1:
    """Add to a leaf's `.grad`, one thread at a time. `spare`: nobody but the caller refers to `grad`."""
    global _holder
    cdef unsigned long me
    if _holder == 0 and variable.gradient is None and variable.requires and may_take(variable, grad, spare):
        grad.names_, grad.creation = variable.names_, CREATED_NORMALLY
        variable.gradient = grad
        return 0
    me = PyThread_get_thread_ident()
    if _holder == me:                            # a finalizer's or subclass's code, amid an addition
        return add_to(variable, grad, spare)
    if _holder != 0:
        wait_turn()
    _holder = me
    try:
        add_to(variable, grad, spare)
    finally:
        _holder = 0
        if _waiting:
            PyThread_acquire_lock(_wake, NOWAIT_LOCK)       # so that it is never released twice
            PyThread_release_lock(_wake)
    return 0


cdef inline bint may_take(Tensor variable, Tensor grad, bint spare):
    """Whether a gradient can be a `.grad` as it is: nobody else sees it or its memory, and it has no history."""
    return (spare and sole(grad) and not grad_enabled() and not grad.requires and grad.node is None
            and grad.base is None and grad.counter is None and grad.attributes == NULL and lies_alike(variable, grad))


cdef inline bint is_view(Tensor grad) noexcept:
    """Whether a gradient is a view of another one; shortcuts mark theirs, which have no base."""
    return grad.base is not None or grad.creation == CREATED_IN_NO_GRAD


cdef inline bint lies_alike(Tensor variable, Tensor grad):
    """Whether a gradient has the order in memory that PyTorch gives `.grad`: its leaf's, rows where that has gaps."""
    cdef int i
    if variable.rank != grad.rank:
        return grad.dense
    for i in range(grad.rank):
        # (what was expanded to an axis of size 1 is a view of something else)
        if grad.strides[i] != variable.strides[i] if grad.sizes[i] != 1 else grad.strides[i] == 0:
            return grad.dense and not (variable.dense or packed(variable))
    return variable.dense or packed(variable) or grad.dense


cdef Tensor empty_for(Tensor variable, Tensor grad):
    """Memory for a `.grad`, with the strides of a leaf that has no gaps, also those of axes of size 1 and 0."""
    cdef Tensor held
    cdef int i
    cdef bint alike = same_sizes(variable, grad)
    if alike and not variable.dense and packed(variable) and variable.memory.backend is grad.memory.backend:
        return empty_like_strided(variable, grad.dtype)
    held = empty_as(grad, grad.dtype)
    if alike and variable.dense:
        for i in range(held.rank):
            held.strides[i] = variable.strides[i]
    return held


cdef inline bint taken_over(Tensor variable, Tensor grad, bint spare) noexcept:
    """Whether PyTorch takes a gradient over, though others see its memory."""
    return spare and not grad_enabled() and (lies_alike(variable, grad) or variable.dense and repeated(grad))


cdef inline unsigned int writes_of_copy(Tensor variable, Tensor grad, bint spare) noexcept:
    """The version of a `.grad` that is a copy of what arrived."""
    if taken_over(variable, grad, spare):
        return version_of(grad)
    return 1 if variable.dense or packed(variable) else 0   # it copies into new memory, or clones


cdef int add_to(Tensor variable, Tensor grad, bint spare) except -1:
    cdef Tensor held
    if not variable.requires:                   # detached, or told to need none, since the graph was made
        return 0
    if variable.gradient is None:
        if may_take(variable, grad, spare):
            grad.creation = CREATED_NORMALLY
            variable.gradient = grad
        elif grad_enabled() and requires_grad(grad):
            variable.gradient = (empty_for(variable, grad).copy_(grad) if variable.dense or packed(variable)
                                 else grad.clone(memory_format=contiguous_format))
        elif spare and not grad_enabled() and (is_view(grad) or sole(grad)) and lies_alike(variable, grad):
            variable.gradient = alias(grad)                 # which shares its memory with others, as PyTorch's does
            (<Tensor>variable.gradient).base, (<Tensor>variable.gradient).creation = None, CREATED_NORMALLY
        else:
            held = empty_for(variable, grad)
            if taken_over(variable, grad, spare) or not (variable.dense or packed(variable)):
                held.dtype = grad.dtype                     # a lazy conjugate stays one
            copy_into(grad, held)
            held.memory.version = writes_of_copy(variable, grad, spare)
            variable.gradient = held
        (<Tensor>variable.gradient).names_ = variable.names_
        return 0
    held = <Tensor>variable.gradient
    if grad_enabled():
        variable.gradient = add(held, grad)
    elif (same_sizes(held, grad) and held.memory.backend is grad.memory.backend
            and held.memory.index == grad.memory.index):
        check_inference(held)
        if held.dtype is plain_of(grad.dtype):
            binary_into(ADD, held, cast(grad, held.dtype), held)
            bump_version(held)
        else:                                               # a lazy conjugate, or from before the leaf's dtype changed
            held.add_(grad)
    else:
        variable.gradient = binary(ADD, held, grad, SAME)
        (<Tensor>variable.gradient).names_ = variable.names_
    return 0
