"""Loops of small matrix products; see small_matmul.pyx."""
from cygrad.view cimport View

cdef enum:
    SMALL = 1000            # most multiplications of a product: above, a call of BLAS costs less

cdef void loop_batch(View a, View b, View out) noexcept nogil
cdef void loop_addmm(View bias, View a, View b, double beta, double alpha, View out) noexcept nogil
cdef void bool_batch(View a, View b, View out) noexcept nogil
