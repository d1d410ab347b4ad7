"""Keys that the subscript slots of Tensor try first."""
from cygrad.tensor cimport Tensor

cdef object basic_getitem(Tensor t, object index)
cdef bint basic_setitem(Tensor t, object index, object value) except -1
