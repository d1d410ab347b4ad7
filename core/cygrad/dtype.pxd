"""Element types: one `DType` object a type, compared by identity; `code` indexes every table of kernels."""

cdef enum Code:
    BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128, N_DTYPES

cdef enum Category:  # in promotion order
    CATEGORY_BOOL, CATEGORY_INTEGER, CATEGORY_FLOAT, CATEGORY_COMPLEX

cdef enum Lazy:      # what of a lazy view is not done yet; LAZY times it is added to the code of its elements
    NEGATED = 1, CONJUGATED = 2, LAZY = 32

cdef class DType:
    cdef readonly int code
    cdef readonly Py_ssize_t itemsize
    cdef readonly int category
    cdef readonly str name
    cdef readonly str char          # struct/NumPy format character; "" for bfloat16 and complex32

cdef DType dtype_of(int code)
cdef DType lazy_dtype(DType plain, int lazy)
cdef inline int lazy_flags(DType d):
    """Flags of Lazy: the dtype's number is LAZY times them above that of its elements."""
    return d.code // LAZY
cdef inline DType plain_of(DType d):
    """The dtype of the elements as they lie in memory: `d`, but for a lazy view's."""
    return d if d.code < LAZY else dtype_of(d.code % LAZY)
cdef DType promote(DType a, DType b)
cdef DType default_float()
cdef DType default_complex()
cdef bint can_cast_to(DType source, DType target)
