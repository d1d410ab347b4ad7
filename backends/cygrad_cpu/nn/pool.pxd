"""Pooling of the CPU backend; see pool.pyx."""
from cygrad.view cimport View

cdef object cpu_pool(int op, View a, tuple boxes, View out, View index)
cdef object cpu_pool_backward(View grad, View index, View out)
