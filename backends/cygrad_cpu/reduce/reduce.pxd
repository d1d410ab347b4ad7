"""Reductions of the CPU backend: the body of the `Backend` entry of its name."""
from cygrad.view cimport View

cdef object cpu_reduce(int op, View a, View out)
