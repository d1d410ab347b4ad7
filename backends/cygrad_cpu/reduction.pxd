"""Reductions of the CPU backend: each function is the body of the `Backend` entry of its name."""
from cygrad.view cimport View

cdef object cpu_reduce(int op, View a, View out)
cdef object cpu_argreduce(int op, View a, View out)
