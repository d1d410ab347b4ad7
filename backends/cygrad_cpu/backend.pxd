from cygrad.backend cimport Backend

cdef class CPUBackend(Backend):
    pass
