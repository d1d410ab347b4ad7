"""The backward pass."""
from cygrad.autograd.node cimport Node
from cygrad.tensor cimport Tensor

cdef object new_pass(bint keep_graph, bint create_graph, list inputs, bint accumulates)
cdef int begin(object started, Node root, int number, Tensor grad) except -1
cdef list run(object begun)
cdef int close(object ended) except -1
