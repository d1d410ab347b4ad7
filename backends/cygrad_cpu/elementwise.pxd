"""The `elementwise` entry of the CPU backend; see elementwise.pyx."""
from cygrad.backend cimport Backend

cdef object cpu_elementwise(Backend backend, tuple program, tuple ins, tuple outs)
