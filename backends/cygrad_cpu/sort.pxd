"""Sorting of the CPU backend; see sort.pyx."""
from cygrad.view cimport View

cdef object cpu_sort(View a, bint descending, bint stable, View values, View index)
