"""NVIDIA's driver API, and the memory of one device."""
from cygrad_gpu.launch cimport Memory
from cygrad_gpu.pool cimport Pool

ctypedef int (*Launch)(void *, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                       unsigned int, void *, void **, void **) noexcept nogil
ctypedef int (*SetCurrent)(void *) noexcept nogil
ctypedef int (*Free)(size_t) noexcept nogil

cdef bint forked                        # this is a child of a process that had started the driver

cdef int refuse_forked() except -1

cdef class Driver:
    cdef readonly object api            # the module cuda.bindings.driver
    cdef Launch launch
    cdef SetCurrent set_current
    cdef Free free

cdef class Context:
    cdef readonly Driver driver
    cdef readonly object device, context        # as cuda-bindings has them
    cdef void *handle

    cdef int enter(self) except -1

cdef class Block(Memory):
    cdef Context context

cdef class DevicePool(Pool):
    cdef Context context
