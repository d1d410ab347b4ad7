"""What other Cython modules use of the reductions."""
from cygrad.dtype cimport DType
from cygrad.ops.products cimport Row
from cygrad.tensor cimport Tensor

cdef tuple every_axis(Tensor t)
cdef tuple axes_of(object dim, int rank, str name)
cdef Tensor folded(int code, Row op, Tensor input, DType dtype)
cdef Tensor recorded(Row op, Tensor out, Tensor input, object argument, tuple others)
cdef Tensor average(Tensor input, tuple dims, bint keepdim, DType dtype)
cpdef Py_ssize_t count_of(Tensor t, tuple axes) except -1
cpdef DType sum_dtype(Tensor t, DType dtype)
