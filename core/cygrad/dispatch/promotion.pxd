"""Which dtype an op computes in and returns."""
from cygrad.dtype cimport DType

cdef enum Rule:          # how an op chooses the dtypes it computes in and returns
    SAME,                # the promoted dtype
    TO_FLOAT,            # integers become the default float dtype
    TO_BOOL,             # computes in the promoted dtype, returns bool
    TO_REAL,             # complex inputs give the real dtype (abs, angle)
    NO_BOOL,             # like SAME, bool refused (neg, sub)
    INTEGRAL,            # bool and integers only
    NO_COMPLEX,          # like SAME, complex refused
    ROUNDING             # NO_COMPLEX; integers come back unchanged (floor, ceil, ...)

cdef tuple C_NAMES, LIMITS          # by a dtype's code: its name in PyTorch's C++, the range of an integer one

cdef DType scalar_dtype(object x)
cdef DType result_dtype(object x, object y)
cdef DType compute_dtype(DType dtype, int op, int rule)
cpdef int check_scalar(DType dtype, object value) except -1
