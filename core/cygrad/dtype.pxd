"""Element types: one `DType` object a type, compared by identity; `code` indexes every table of kernels."""

cdef enum Code:
    BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128, N_DTYPES

cdef enum Category:  # in promotion order
    CATEGORY_BOOL, CATEGORY_INTEGER, CATEGORY_FLOAT, CATEGORY_COMPLEX

cdef enum Lazy:      # what of a lazy view is not done yet
    NEGATED = 1, CONJUGATED = 2

cdef class DType:
    cdef DType plain                # of the elements as they lie in memory: itself, but for a lazy view's
    cdef int lazy                   # flags of Lazy
    cdef readonly int code
    cdef readonly Py_ssize_t itemsize
    cdef readonly int category
    cdef readonly str name
    cdef readonly str char          # struct/NumPy format character; "" for bfloat16

cdef DType dtype_of(int code)
cdef DType lazy_dtype(DType plain, int lazy)
cdef DType promote(DType a, DType b)
cdef DType default_float()
cdef DType default_complex()
cdef bint can_cast_to(DType source, DType target)
