"""Linear algebra of the CPU backend; see routines.pyx."""
from cygrad.view cimport View

cdef object cpu_linalg(str routine, tuple ins, tuple outs, dict options)
