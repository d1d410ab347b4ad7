"""What other Cython modules use to repeat axes without a copy."""
from cygrad.tensor cimport Tensor

cdef Tensor expand_sizes(Tensor t, int rank, Py_ssize_t *sizes)
