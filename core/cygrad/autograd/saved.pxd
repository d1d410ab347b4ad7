"""Tensors kept for backward, and the errors about those that are gone or changed."""
from cygrad.autograd.modes cimport inference_enabled
from cygrad.autograd.node cimport Node
from cygrad.tensor cimport Tensor

cdef class SavedTensor:
    cdef Tensor tensor                 # without history, if it is an output of the node that keeps it
    cdef public unsigned int version
    cdef readonly bint is_output
    cdef int number                    # which output
    cpdef Tensor unpack(self, Node node=*)

cdef inline int check_saved(Tensor t) except -1:
    """Refuse a tensor that has no version counter to trust."""
    if t.inference and not inference_enabled():
        raise refusal()
    return 0

cdef object refusal()
cdef object spent()
cdef object modified(Tensor t, unsigned int expected)
cdef str op_words(Node node)
