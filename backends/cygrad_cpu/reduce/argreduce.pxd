"""Positions of extremes: the body of the `Backend` entry of its name."""
from cygrad.view cimport View

cdef object cpu_argreduce(int op, View a, View out)
