"""The CPU backend; see backend.pyx."""
from cygrad.backend cimport Backend

cdef class CPUBackend(Backend):
    pass
