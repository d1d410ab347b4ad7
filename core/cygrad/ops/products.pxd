"""The products that operators call directly."""
from cygrad.tensor cimport Tensor

cdef Tensor matmul_(Tensor a, Tensor b)
