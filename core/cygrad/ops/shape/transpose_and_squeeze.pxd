"""Views that other Cython modules make directly."""
from cygrad.tensor cimport Tensor

cdef Tensor transpose_(Tensor t, int dim0, int dim1)
cdef Tensor t_(Tensor t)
cdef Tensor unsqueeze_(Tensor t, int dim)
cdef Tensor permute_reversed(Tensor t)
