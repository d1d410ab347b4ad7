"""Recording an op: the edge to a tensor's node, the node of an op, and its outputs."""
from cygrad.autograd.node cimport Node
from cygrad.autograd.derivative cimport Derivative, OpNode
from cygrad.tensor cimport CREATED_NORMALLY, Tensor

cdef object gradient_edge(Tensor t)
cdef bint connect(Node node, Tensor t) except -1
cdef OpNode record(Derivative row, tuple args)
cdef OpNode record_pair(Derivative row, object x, object y, tuple extra)
cdef int attach(OpNode node, object outputs) except -1
cdef int keep_result(OpNode node, Tensor t) except -1
cdef regenerate(Tensor view)
cdef int refuse_change(Tensor view, bint indirect) except -1

cdef inline int refuse_before_writing(Tensor t) except -1:
    """What would be refused after a recorded change of `t` in place, when it is too late."""
    if t.base is not None and t.creation != CREATED_NORMALLY:
        refuse_change(t, False)
    return 0
