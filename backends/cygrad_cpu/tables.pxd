"""Structs of function pointers that the modules of kernels/ export (see isa.pyx), apart from the pointwise ones."""

ctypedef void (*IntegerProduct)(const void *a, Py_ssize_t row, Py_ssize_t column, const void *b, Py_ssize_t b_row,
                                void *out, Py_ssize_t out_row, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k) noexcept nogil

cdef struct MatmulTable:
    IntegerProduct integer[6]       # by dtype code; the rows of b and out are contiguous
