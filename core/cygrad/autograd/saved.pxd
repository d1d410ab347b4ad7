"""Tensors kept for backward, and the errors about those that are gone or changed."""
from cygrad.autograd.modes cimport inference_enabled
from cygrad.autograd.node cimport Node
from cygrad.tensor cimport Tensor
from cygrad.view cimport View

cdef class SavedTensor:
    cdef Tensor tensor                 # without history, if it is an output of the node that keeps it
    cdef public unsigned int version
    cdef readonly bint is_output
    cdef int number                    # which output
    cdef object packed                 # what a user's hook made of the tensor, which is not kept then
    cdef object unpack_hook            # its counterpart; None where the tensor itself is kept
    cdef Node edge                     # the place in the graph of a tensor that was packed; None without one
    cdef View like                     # its geometry
    cdef Tensor opened                 # what the counterpart gave to a node that runs now
    cdef int pack(self, Tensor tensor, tuple hooks) except -1
    cdef Tensor unpacked(self, Node node)
    cpdef Tensor unpack(self, Node node=*)
    cdef Tensor open(self, Node node)

cdef int passes                        # how many passes backward are under way, in all threads
cdef list opened                       # tensors that hooks unpacked for the node that runs now; None: none
cdef int close_opened() except -1

cdef int hooked                        # how many pairs of hooks on saved tensors are in force, in all threads

cdef inline bint hooks_apply() noexcept:
    """Whether this thread's saved tensors go through hooks."""
    return hooked and hooks_here() is not None

cdef tuple hooks_here()
cdef object hooks_of_pass()
cdef int restore_hooks(object before) except -1

cdef inline int check_saved(Tensor t) except -1:
    """Refuse a tensor that has no version counter to trust."""
    if t.inference and not inference_enabled():
        raise refusal()
    return 0

cdef object refusal()
cdef object spent()
cdef object modified(Tensor t, unsigned int expected)
cdef str op_words(Node node)
