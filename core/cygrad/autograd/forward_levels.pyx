# cython: binding=False
# distutils: extra_compile_args = -Os
"""Forward mode's state: the levels that a thread has entered, and the tangents that tensors have at them.

A tensor with a tangent (a dual tensor) has a bit of `Tensor.requires` set, so that ops record it as they record what
requires a gradient, and its tangents, {level: tensor}, with it. Recording hands such calls to `tangents.py`.
Ops look at levels no deeper than the thread's depth: while the tangent of a level is computed, the depth is that of the
level around it, and so nested derivatives don't mix.
"""
from cygrad.autograd.modes cimport grad_enabled
from cygrad.tensor cimport Tensor

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define CYGRAD_THREAD_LOCAL __declspec(thread)
    #else
    #define CYGRAD_THREAD_LOCAL __thread
    #endif
    static CYGRAD_THREAD_LOCAL int cygrad_forward_depth = 0;
    static CYGRAD_THREAD_LOCAL int cygrad_batch_depth = 0;
    """
    int cygrad_forward_depth
    int cygrad_batch_depth

forward_used = False
noted = {}


cdef int without_reverse() noexcept:
    """The grad mode in which nothing is recorded for backward."""
    return RECORDS_TANGENTS if cygrad_forward_depth or cygrad_batch_depth else 0


def depth():
    """How many levels ops look at."""
    return cygrad_forward_depth


def set_depth(int depth):
    """Let ops look at this many levels; returns how many it were."""
    global cygrad_forward_depth, forward_used
    cdef int before = cygrad_forward_depth
    cygrad_forward_depth = depth
    forward_used = True
    return before


def forget_calls():
    """Forget what was noted of calls that failed."""
    noted.clear()


def unrecorded():
    """The grad mode in which nothing is recorded for backward."""
    return without_reverse()


def count_batches(int change):
    """Enter or leave (-1) a level of `vmap`: ops whose operands stand in for a batch are found when they are recorded.

    So this thread records all ops there, if only for that.
    """
    global cygrad_batch_depth, forward_used
    cygrad_batch_depth += change
    forward_used = True


cdef bint in_vmap() noexcept:
    return cygrad_batch_depth > 0


def batch_depth():
    """How many levels of `vmap` this thread is in."""
    return cygrad_batch_depth


class NoBatchingRule(RuntimeError):
    """An op has come to what stands in for a batch past the rules of `cygrad.batching`."""


class UnbatchedDraw(RuntimeError):
    """A draw in place of a tensor that stands for no batch, inside a `vmap` whose examples are to differ."""


class Level:
    """A level of forward mode: `depth` counts from 1, and `open` says whether it has been left."""
    __slots__ = ("depth", "mode", "open")

    def __init__(self, depth):
        self.depth, self.open = depth, True


cdef dict tangents_of(Tensor t):
    """{level: tangent} of a tensor, or None."""
    return t.tangents


def tangent_of(Tensor t not None, level):
    """The tangent of a tensor at a level, or None."""
    cdef dict found = tangents_of(t)
    return None if found is None or not level.open else found.get(level)


def visible_tangents(Tensor t not None):
    """{level: tangent} at the levels that ops look at now."""
    cdef dict found = tangents_of(t)
    if found is None:
        return {}
    return {level: tangent for level, tangent in found.items()
            if level.open and level.depth <= cygrad_forward_depth}


def set_tangent(Tensor t not None, level, tangent):
    """Give a tensor its tangent at a level; None takes it away."""
    found = {each: value for each, value in (tangents_of(t) or {}).items() if each.open and each is not level}
    if tangent is not None:
        found[level] = tangent
    t.tangents = found or None
    t.requires = t.requires | FORWARD if found else t.requires & REVERSE


cdef bint visible(object value):
    """Whether an argument, or one of a list of them, has a tangent that ops look at now."""
    if isinstance(value, Tensor):
        return (<Tensor>value).requires & FORWARD and visible_tangents(<Tensor>value)
    if type(value) is list or type(value) is tuple:
        for item in value:
            if isinstance(item, Tensor) and visible(item):
                return True
    return False


cdef bint in_a_batch(object value):
    """Whether an argument, or one of a list of them, stands in for a batch."""
    if isinstance(value, Tensor):
        return (<Tensor>value).names_ is not None and type((<Tensor>value).names_) is not tuple
    if type(value) is list or type(value) is tuple:
        for item in value:
            if isinstance(item, Tensor) and in_a_batch(item):
                return True
    return False


cdef bint needs_backward(object value):
    """Whether an argument, or one of a list of them, requires a gradient."""
    if isinstance(value, Tensor):
        return needs_gradient(<Tensor>value)
    if type(value) is list or type(value) is tuple:
        for item in value:
            if isinstance(item, Tensor) and needs_gradient(<Tensor>item):
                return True
    return False


cdef int note(Node node, tuple args) except -1:
    """Remember of a call under way its arguments, if one has a tangent, and whether its node is for tangents alone."""
    cdef bint alone = True, duals = False
    if cygrad_batch_depth:
        for value in args:
            if in_a_batch(value):
                raise NoBatchingRule(node.name())
    for value in args:
        if cygrad_forward_depth and not duals and visible(value):
            duals = True
        if alone and needs_backward(value):
            alone = False
    if grad_enabled() == RECORDS_TANGENTS:
        alone = True
    if duals or alone:
        noted[node] = (args if duals else None, alone)
    return 0


cdef int share_tangents(Tensor t, Tensor source) except -1:
    """Give an alias the tangents of its tensor."""
    if source.requires & FORWARD:
        t.tangents = source.tangents
        t.requires = t.requires | FORWARD
    return 0


def copy_tangents(Tensor t not None, Tensor source not None):
    """Give an alias the tangents of its tensor."""
    share_tangents(t, source)


def requiring_gradient(Tensor t not None, need=True):
    """The tensor, a leaf, set to require a gradient or not; allowed inside of transforms, unlike `requires_grad_`."""
    t.requires_grad = need
    return t


def requires_backward(Tensor t not None):
    """Whether backward computes a gradient for `t`: `requires_grad`, without its look at the thread's mode."""
    return bool(needs_gradient(t))
