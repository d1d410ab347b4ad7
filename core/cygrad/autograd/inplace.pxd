"""What autograd says to a change in place, and the history that a tensor has after one."""
from cygrad.autograd.node cimport Node
from cygrad.tensor cimport Tensor

cdef int check_inference(Tensor t) except -1
cdef int check_inplace(Tensor t) except -1
cdef int rebase(Tensor t, object node, int number) except -1
cdef set_meta_of(Node node, Tensor output, int number)
cdef Tensor shadow_of(Tensor t)
