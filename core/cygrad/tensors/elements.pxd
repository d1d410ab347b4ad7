"""Elements as Python numbers."""
from cygrad.tensor cimport Tensor

cdef object scalar_value(Tensor t)
cdef object element_at(char *p, int code)
