"""The backward pass."""
from cygrad.autograd.node cimport Node
from cygrad.tensor cimport Tensor

cdef list run_from(Node root, int number, Tensor grad, bint keep_graph, bint create_graph, list inputs,
                   bint accumulates)
cdef list run_from_all(list roots, list numbers, list grads, bint keep_graph, bint create_graph, list inputs,
                       bint accumulates)
