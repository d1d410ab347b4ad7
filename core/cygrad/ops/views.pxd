"""Geometry ops that other Cython modules call directly."""
from cygrad.autograd.modes cimport grad_enabled
from cygrad.autograd.rows cimport Derivative
from cygrad.tensor cimport Tensor, requires_grad

cdef class ViewOp:
    cdef str name
    cdef tuple arguments           # names of the op's arguments
    cdef Derivative row

    cdef Derivative derivative(self)

cdef inline bint tracked(Tensor t) noexcept:
    """Whether an op on `t` must be recorded."""
    return grad_enabled() and requires_grad(t)

cdef int recorded(Tensor out, ViewOp op, tuple args) except -1
cdef int wrap_dim(Py_ssize_t dim, int rank) except -1
cdef int parse_shape(tuple args, Py_ssize_t *sizes, str name) except -1
cdef Tensor view_sizes(Tensor t, int rank, Py_ssize_t *sizes)
cdef Tensor expand_sizes(Tensor t, int rank, Py_ssize_t *sizes)
cdef Tensor unsqueeze_(Tensor t, int dim)
cdef Tensor transpose_(Tensor t, int dim0, int dim1)
cdef Tensor t_(Tensor t)
cdef Tensor alias_(Tensor t)
cdef Tensor reshape_(Tensor t, int rank, Py_ssize_t *sizes)
cdef Tensor permute_reversed(Tensor t)
