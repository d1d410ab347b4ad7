"""Sums of rows by an index, of the CPU backend; see gather_sum.pyx."""
from cygrad.view cimport View

cdef object cpu_gather_sum(View a, View index, View starts, View weights, View out)
