"""What other Cython modules use of the reductions."""
from cygrad.dtype cimport DType
from cygrad.ops.declare.op cimport Op
from cygrad.tensor cimport Tensor

cdef tuple every_axis(Tensor t)
cdef tuple axes_of(object dim, int rank, str name)
cdef tuple some_axes(object dim, Tensor t, str name)
cdef Tensor folded(int code, Op op, Tensor input, DType dtype)
cdef Tensor average(Tensor input, tuple dims, bint keepdim, DType dtype)
cpdef Py_ssize_t count_of(Tensor t, tuple axes) except -1
cpdef DType sum_dtype(Tensor t, DType dtype)
