"""Geometry ops that other Cython modules call directly."""
from cygrad.ops.declare.op cimport Op
from cygrad.tensor cimport Tensor

cdef Op CLONE, UNSAFE_VIEW
cdef int parse_shape(tuple args, Py_ssize_t *sizes, str name) except -1
cdef Tensor view_sizes(Tensor t, int rank, Py_ssize_t *sizes)
cdef Tensor alias_(Tensor t)
cdef Tensor reshape_(Tensor t, int rank, Py_ssize_t *sizes)
