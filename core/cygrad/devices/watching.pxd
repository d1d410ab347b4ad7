"""Tools that see every call of a kernel."""
from cygrad.backend cimport Backend

cdef bint watched       # whether there is one

cdef Backend stand_in(Backend backend)

cdef inline Backend called(Backend backend):
    """The backend whose kernel to call: itself, or what stands for it while a tool looks on."""
    return stand_in(backend) if watched else backend
