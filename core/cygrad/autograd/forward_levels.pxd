"""The levels of forward mode that this thread has entered, and the tangents of tensors; see forward_levels.pyx."""
from cygrad.autograd.node cimport Node
from cygrad.tensor cimport Tensor

cdef enum:
    REVERSE = 1            # bits of `Tensor.requires`: a gradient shall be computed
    FORWARD = 2            # it has a tangent

cdef enum:
    RECORDS_TANGENTS = 2   # value of the thread's grad mode: ops are recorded for their tangents, not for backward

cdef bint forward_used         # whether any thread ever entered a level
cdef dict noted                # {node of a call under way: its arguments}, where an argument has a tangent

cdef inline bint needs_gradient(Tensor t) noexcept:
    """Whether backward computes a gradient for `t`; `requires_grad` counts tangents, too."""
    return (t.requires | (0 if t.base is None else t.base.requires)) & REVERSE

cdef int note(Node node, tuple args) except -1
cdef dict tangents_of(Tensor t)
cdef int share_tangents(Tensor t, Tensor source) except -1
cdef int without_reverse() noexcept
cdef bint in_vmap() noexcept
