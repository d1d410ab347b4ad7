"""Sorting of the CPU backend; see sorted_rows.pyx."""
from cygrad.view cimport View

cdef object cpu_sort(View a, bint descending, Py_ssize_t first, View values, View index)
