"""An op as the graph sees it; see op.pyx."""
from cygrad.autograd.derivative cimport Derivative
from cygrad.autograd.modes cimport grad_enabled
from cygrad.tensor cimport Tensor, requires_grad

cdef class Op:
    cdef readonly str name
    cdef readonly tuple arguments       # their names, as the row of the op's derivative has them
    cdef Derivative row
    cdef bint resolved
    cdef Derivative derivative(self)
    cdef int record(self, object outputs, tuple args) except -1
    cdef int record_pair(self, Tensor out, object x, object y, tuple extra) except -1
    cdef Tensor result(self, Tensor out, Tensor input, object argument, tuple others)

cdef inline bint tracked(Tensor t) noexcept:
    """Whether an op on `t` must be recorded."""
    return grad_enabled() and requires_grad(t)

cdef inline bint either_tracked(Tensor a, Tensor b) noexcept:
    """Whether an op on `a` and `b` must be recorded."""
    return grad_enabled() and (requires_grad(a) or requires_grad(b))
