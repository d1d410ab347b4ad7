"""Matrix products of the CPU backend; see matmul.pyx."""
from cygrad.view cimport View

cdef object cpu_matmul(View a, View b, View out)
cdef object cpu_addmm(View bias, View a, View b, double beta, double alpha, View out)
