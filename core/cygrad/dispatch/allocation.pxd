"""Making uninitialised tensors."""
from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor

cdef Tensor empty(object backend, int index, DType dtype, int rank, const Py_ssize_t *sizes)
cdef Tensor empty_as(Tensor like, DType dtype)
cdef Tensor ordered_output(DType dtype, int rank, const Py_ssize_t *sizes, Tensor a, Tensor b, Tensor c)
cdef Tensor output_like(DType dtype, int rank, const Py_ssize_t *sizes, Tensor a, Tensor b, Tensor c)
cpdef Tensor empty_like_strided(Tensor a, DType dtype)
cpdef Tensor laid_by_kernel(Tensor out, Tensor a)
cpdef Tensor laid_like(Tensor out, Tensor a)
