"""Raw ops: dtype promotion, broadcasting, allocation and the call of a kernel. No autograd here."""
from cygrad.backend cimport Backend
from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor
from cygrad.view cimport View

cdef enum Rule:          # how an op chooses the dtypes it computes in and returns
    SAME,                # the promoted dtype
    TO_FLOAT,            # integers become the default float dtype
    TO_BOOL,             # computes in the promoted dtype, returns bool
    TO_REAL,             # complex inputs give the real dtype (abs, angle)
    NO_BOOL,             # like SAME, bool refused (neg, sub)
    INTEGRAL,            # bool and integers only
    NO_COMPLEX,          # like SAME, complex refused
    ROUNDING             # NO_COMPLEX; integers come back unchanged (floor, ceil, ...)

cdef Tensor empty(object backend, int index, DType dtype, int rank, const Py_ssize_t *sizes)
cdef Tensor empty_as(Tensor like, DType dtype)
cdef Tensor output_like(DType dtype, int rank, const Py_ssize_t *sizes, Tensor a, Tensor b, Tensor c)
cdef Tensor unary(int op, Tensor a, int rule)
cdef Tensor binary(int op, object x, object y, int rule)
cdef int unary_into(int op, Tensor a, Tensor out) except -1
cdef int binary_into(int op, Tensor a, Tensor b, Tensor out) except -1
cdef int scalar_into(int op, Tensor a, object x, bint swapped, Tensor out) except -1
cdef int elementwise_into(tuple program, tuple ins, tuple outs) except -1
cpdef int where_into(Tensor cond, Tensor a, Tensor b, Tensor out) except -1
cdef int copy_into(View src, View out) except -1
cdef int fill_into(View out, object value) except -1
cdef Tensor cast(Tensor a, DType dtype)
cdef Tensor dense_copy(Tensor a)
cdef DType result_dtype(object x, object y)
cdef DType scalar_dtype(object x)
cdef Tensor expand_to(Tensor a, int rank, const Py_ssize_t *sizes)
cdef Tensor sum_to(Tensor a, View like)
cdef object scalar_value(Tensor t)
cdef int broadcast_sizes(View a, View b, Py_ssize_t *sizes) except -1
cdef DType compute_dtype(DType dtype, int op, int rule)
cdef Tensor reduce(int op, Tensor a, tuple dims, bint keepdim, DType dtype)
cdef object element_at(char *p, int code)
cdef int refuse_overlap(View out, View other, bint whole) except -1
cdef int check_scalar(DType dtype, object value) except -1
cdef tuple C_NAMES, LIMITS
