"""Making what a formula returned fit the tensor it is the gradient of."""
from cpython.object cimport PyObject
from libc.string cimport memcmp

from cygrad.autograd.node cimport Node
from cygrad.tensors.object_reuse cimport references
from cygrad.tensor cimport CREATED_NORMALLY, Tensor
from cygrad.view cimport View

cdef inline bint sole(Tensor t, int tensors=1) noexcept:
    """Whether no other tensor (or no more than so many), or foreign object, sees the tensor's memory."""
    return references(<PyObject *>t.memory) == tensors and t.memory.owner is None

cdef inline bint packed(Tensor t) noexcept:
    """Whether a tensor is dense but for the order of its axes."""
    cdef Py_ssize_t reach = 1
    cdef int i
    for i in range(t.rank):
        reach += (t.sizes[i] - 1) * t.strides[i]
    return reach == t.elements

cdef inline bint repeated(Tensor grad) noexcept:
    """Whether a gradient is one value for many elements, which PyTorch has written out (a mean's), and is no view."""
    cdef int i
    if grad.base is not None or grad.creation != CREATED_NORMALLY:
        return False
    for i in range(grad.rank):
        if grad.strides[i] == 0 and grad.sizes[i] > 1:
            return grad.elements != 0
    return False

cdef inline bint fits(Tensor grad, Node node) noexcept:
    """Whether a gradient has the shape, dtype and device of the only output of a node."""
    return (node.metas is None and grad.dtype is node.dtype and grad.rank == node.rank
            and grad.memory.backend is node.backend and grad.memory.index == node.index and grad.names_ is None
            and memcmp(grad.sizes, node.sizes, grad.rank * sizeof(Py_ssize_t)) == 0)

cdef bint expandable(View small, View large) noexcept
cdef Tensor fitted(object value, Node node, Py_ssize_t number, Node source, Py_ssize_t position)
cdef Tensor dropping_axes(Tensor grad, Tensor sums)
cdef Tensor summed(Tensor held, Tensor grad, Tensor source, bint last)
