"""What other Cython modules use of the products: the ops without their Python shell, and their helpers."""
from cygrad.ops.declare.op cimport Op
from cygrad.tensor cimport Tensor
from cygrad.view cimport View

cdef Op DOT
cdef Tensor mm_(Tensor a, Tensor b, Tensor target=*)
cdef Tensor mm_backward_left(Tensor grad, Tensor right, View like)
cdef Tensor mm_backward_right(Tensor left, Tensor grad, View like)
cdef Tensor bmm_(Tensor a, Tensor b, Tensor target=*)
cdef Tensor mv_(Tensor a, Tensor b)
cdef Tensor dot_(Tensor a, Tensor b, Op op)
cdef Tensor operand(object x, str name, str argument, int position)
cdef int same_device(str op, Tensor a, Tensor b) except -1
cdef View matrix(View a)
cdef int multiply(View a, View b, View out, str name) except -1
cdef Tensor blank(Tensor like, int rank, const Py_ssize_t *sizes)
cdef Tensor reshaped(Tensor fresh, int rank, const Py_ssize_t *sizes, Op op)
cdef object cannot_multiply(Tensor a, Tensor b)
cdef bint takes(Tensor out, Tensor a, Tensor b, int rank, const Py_ssize_t *sizes) except -1
