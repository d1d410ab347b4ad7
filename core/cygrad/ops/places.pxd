"""Parts of advanced indexing that other Cython modules call directly."""
from cygrad.tensor cimport Tensor

cdef int extremes(Tensor index, Py_ssize_t *low, Py_ssize_t *high) except -1
cdef Tensor strided(Tensor t, Py_ssize_t offset, int rank, const Py_ssize_t *sizes, const Py_ssize_t *strides)
