"""Raw ops: promotion, broadcasting and the call of a kernel. No autograd here."""
from cpython.ref cimport PyObject

from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor
from cygrad.view cimport View

cdef enum:
    MOST_OPERANDS = 12

cdef struct Launch                      # defined below
ctypedef int (*Call)(Launch *how) except -1

cdef struct Launch:                     # a call of a kernel
    Call call                           # of one entry; hands a declined call on
    int op
    bint swapped
    bint replaced                       # operands are not those that came, but windows on them
    PyObject *more                      # what the entry takes that is no operand, or NULL
    int count
    PyObject *operands[MOST_OPERANDS]   # Views; the first is written

cdef inline bint lacks(str entry, object answer) except -1:
    """Whether a kernel declined, by what it returned."""
    return answer is not None and is_decline(entry, answer)

cdef bint lazy_among(tuple args)
cdef bint is_decline(str entry, object answer) except -1
cdef int declined(object backend, str entry, tuple args, tuple outs) except -1
cdef int same_device(str op, View a, View b, tuple names=?) except -1
cdef int unary_into(int op, View a, View out) except -1
cdef int binary_into(int op, Tensor a, Tensor b, Tensor out) except -1
cdef int scalar_into(int op, Tensor a, object x, bint swapped, Tensor out) except -1
cpdef int where_into(Tensor cond, Tensor a, Tensor b, Tensor out) except -1
cdef int elementwise_into(tuple program, tuple ins, tuple outs) except -1
cdef int copy_into(View src, View out) except -1
cdef int fill_into(View out, object value) except -1
cdef int broadcast_sizes(View a, View b, Py_ssize_t *sizes) except -1
cdef Tensor expand_to(Tensor a, int rank, const Py_ssize_t *sizes)
cdef Tensor cast(Tensor a, DType dtype)
cdef Tensor dense_copy(Tensor a)
cdef View bare(View v)
cdef Tensor copy_of(View v)
cdef Tensor unary(int op, Tensor a, int rule)
cdef Tensor binary(int op, object x, object y, int rule)

cdef inline bint has_dense_strides(Tensor a) noexcept:
    """Whether there are elements, with the strides of a fresh tensor, those of axes of size 1, too."""
    cdef Py_ssize_t step = 1
    cdef int i
    for i in range(a.rank - 1, -1, -1):
        if a.strides[i] != step:
            return False
        step *= a.sizes[i]
    return a.elements != 0
