"""What other Cython modules use to make tensors without data."""
from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor

cdef Tensor new_on(object device, DType dtype, int rank, const Py_ssize_t *sizes)
cdef Tensor sized(tuple size, object kwsize, object dtype, object device, str name)
cdef int clear(Tensor t) except -1
