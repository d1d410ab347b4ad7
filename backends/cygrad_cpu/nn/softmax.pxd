"""Softmax of the CPU backend; see softmax.pyx."""
from cygrad.view cimport View

cdef object cpu_softmax(View a, bint log, View out)
cdef object cpu_softmax_backward(View grad, View result, bint log, View out)
