"""Column-major copies of matrices for LAPACK; see column_major.pyx."""
from cygrad.view cimport View

cdef class Pool:                        # scratch memory that lives as long as this object
    cdef void *blocks[16]
    cdef Py_ssize_t sizes[16]
    cdef int count
    cdef void *take(self, Py_ssize_t nbytes) except NULL

cdef int extent(Py_ssize_t size) except -1                      # as LAPACK's int
cdef void read_matrix(View a, Py_ssize_t i, void *columns, Py_ssize_t ld) noexcept nogil
cdef void write_matrix(View a, Py_ssize_t i, const void *columns, Py_ssize_t ld) noexcept nogil
