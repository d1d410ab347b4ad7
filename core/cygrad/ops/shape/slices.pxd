"""Parts of tensors, for other Cython modules."""
from cygrad.tensor cimport Tensor

cdef Tensor select_(Tensor t, int dim, Py_ssize_t index)
cdef Tensor slice_(Tensor t, int dim, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t step)
cdef int slice_bounds(object index, Py_ssize_t size, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t *step) except -1
cdef bint counts_back(object index) except -1
cdef bint is_plain_slice(object index) noexcept
