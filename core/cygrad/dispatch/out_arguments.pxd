"""What other Cython modules ask about tensors that are written to; see out_arguments.pyx."""
from cygrad.tensor cimport Tensor

cdef int check_inference(Tensor t) except -1
