"""Dense temporaries of kernels; see temporaries.pyx."""
from cygrad.dtype cimport DType
from cygrad.view cimport View

cdef class Temporary:
    cdef readonly View view
    cdef void *pointer
    cdef Py_ssize_t nbytes

cdef Temporary temporary(object backend, DType dtype, int rank, const Py_ssize_t *sizes)
cdef Temporary converted(View a, DType dtype)           # a dense copy
cdef int copy_views(View source, View target) except -1    # cpu_copy of views with any axes, which it merges first
cdef DType computed(DType dtype)
cdef View dense(View a, DType dtype, list keep)
cdef View writable(View out, DType dtype, list keep)
