"""Python data as elements."""
from cygrad.dtype cimport DType

cdef int sequence_shape(object x, Py_ssize_t *sizes) except -1
cdef DType infer_dtype(object x, DType found, int level=*)
cdef char *write_nested(char *p, object x, DType dtype, int level, int rank, Py_ssize_t *sizes) except NULL
cdef int check_ragged(object x, int level, int rank, Py_ssize_t *sizes) except -1
