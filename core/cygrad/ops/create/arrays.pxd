"""NumPy arrays as tensors and tensors as NumPy arrays."""
from cpython.float cimport PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.tuple cimport PyTuple_CheckExact

from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor

cdef Tensor shared_with(object array)
cdef object array_of(Tensor t)
cdef bint tells_its_memory(object x)
cdef DType numpy_dtype(object dtype)
cdef Tensor share_array(object array, bint warn)


cdef inline bint is_array(object x):
    """Whether it tells where its memory is; Python's own numbers and sequences are not asked."""
    return not (PyFloat_CheckExact(x) or PyLong_CheckExact(x) or PyList_CheckExact(x) or PyTuple_CheckExact(x)
                ) and tells_its_memory(x)
