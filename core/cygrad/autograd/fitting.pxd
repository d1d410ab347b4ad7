"""Making what a formula returned fit the tensor it is the gradient of."""
from cpython.object cimport PyObject
from libc.string cimport memcmp

from cygrad.autograd.node cimport Node
from cygrad.tensors.object_reuse cimport references
from cygrad.tensor cimport Tensor

cdef inline bint alone(Tensor t) noexcept:
    """Whether the tensor is dense and no other tensor, or foreign object, sees its memory."""
    return t.dense and references(<PyObject *>t.memory) == 1 and t.memory.owner is None

cdef inline bint fits(Tensor grad, Node node) noexcept:
    """Whether a gradient has the shape, dtype and device of the only output of a node."""
    return (node.metas is None and grad.dtype is node.dtype and grad.rank == node.rank
            and grad.memory.backend is node.backend and grad.memory.index == node.index and grad.names_ is None
            and memcmp(grad.sizes, node.sizes, grad.rank * sizeof(Py_ssize_t)) == 0)

cdef Tensor fitted(object value, Node node, Py_ssize_t number, Node source, Py_ssize_t position)
cdef Tensor summed(Tensor held, Tensor grad)
