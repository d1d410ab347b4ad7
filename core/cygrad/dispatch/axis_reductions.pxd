"""Raw reductions: a new tensor from the call of a kernel. No autograd here."""
from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor
from cygrad.view cimport View

cdef Tensor reduce(int op, Tensor a, tuple dims, bint keepdim, DType dtype)
cdef Tensor sum_to(Tensor a, View like)
cdef Tensor axis_last(Tensor a, int dim)
