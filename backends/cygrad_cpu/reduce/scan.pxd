"""Running sums, products and extremes of the CPU backend; see scan.pyx."""
from cygrad.view cimport View

cdef object cpu_scan(int op, View a, View out, View index)
