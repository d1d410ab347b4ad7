"""NumPy arrays as tensors and tensors as NumPy arrays, for plain ones."""
from cygrad.tensor cimport Tensor

cdef Tensor shared_with(object array)
cdef object array_of(Tensor t, str kind)
