"""Passes from one real scalar."""
from cygrad.tensor cimport Tensor

cdef tuple edge_of(Tensor t)
cdef list gradients_of_scalar(Tensor output, object inputs, bint keep_graph, bint create_graph)
