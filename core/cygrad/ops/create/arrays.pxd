"""NumPy arrays as tensors and tensors as NumPy arrays."""
from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor

cdef Tensor shared_with(object array)
cdef object array_of(Tensor t)
cdef bint is_array(object x)
cdef DType numpy_dtype(object dtype)
cdef Tensor share_array(object array, bint warn)
