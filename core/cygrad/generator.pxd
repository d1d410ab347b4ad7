"""The random number generator of the CPU; see generator.pyx."""
cimport cython

from cygrad.mt19937 cimport Engine


cdef class Generator:
    cdef Engine engine
    cdef cython.pymutex lock        # held while numbers are drawn, so threads may share a generator

    cpdef Generator manual_seed(self, object seed)
    cpdef bytes state_bytes(self)
