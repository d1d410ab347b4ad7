"""Keys as the subscript slots of Tensor read them."""
from cygrad.tensor cimport Tensor

cdef object getitem_(Tensor t, object key)
cdef int setitem_(Tensor t, object key, object value) except -1
