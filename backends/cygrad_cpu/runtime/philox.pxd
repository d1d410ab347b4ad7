"""The counter-based generator of the CPU backend; see philox.pyx."""
from cygrad.view cimport View

cdef object cpu_random(int kind, View out, object seed, object offset, double a, double b)
