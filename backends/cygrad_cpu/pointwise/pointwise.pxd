"""Pointwise kernels of the CPU backend: each function is the body of the `Backend` entry of its name.

They return None, or NotImplemented for a pair of op and dtype without meaning.
"""
from cygrad.view cimport View

cdef object cpu_fill(View out, object value)
cdef object cpu_copy(View src, View out)
cdef object cpu_unary(int op, View a, View out)
cdef object cpu_binary(int op, View a, View b, View out)
cdef object cpu_binary_scalar(int op, View a, object x, bint swapped, View out)
cdef object cpu_where(View cond, View a, View b, View out)
cdef object cpu_arange(View out, object start, object step)

cdef bint dear(int op) noexcept nogil
cdef int store_scalar(object value, int code, char *out) except -1
cdef int division_by_zero() except -1
