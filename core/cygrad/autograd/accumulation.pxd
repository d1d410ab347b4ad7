"""Adding to a leaf's `.grad`."""
from cygrad.tensor cimport Tensor

cdef int accumulate_into(Tensor variable, Tensor grad, bint spare) except -1
