"""The product that the operator `@` calls directly."""
from cygrad.tensor cimport Tensor

cdef Tensor matmul_(Tensor a, Tensor b)
