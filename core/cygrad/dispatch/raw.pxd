"""Raw ops that other Cython modules call directly."""
from cygrad.tensor cimport Tensor
from cygrad.view cimport View

cpdef int arange_into(Tensor out, object start, object step) except -1
cdef bint gather_looking(View src, View index, int dim, View out) except -1
cdef bint scatter_looking(int mode, Tensor out, int dim, Tensor index, Tensor src) except -1
cpdef int step_mode(int mode, Tensor out)
cpdef int scatter_into(int mode, Tensor out, int dim, Tensor index, Tensor src) except -1
cpdef int join_into(Tensor out, list tensors, int dim, bint stacked) except -1
