"""NVIDIA's driver API, and the stream that each thread uses on each device."""

ctypedef int (*Launch)(void *, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                       unsigned int, void *, void **, void **) noexcept nogil
ctypedef int (*SetCurrent)(void *) noexcept nogil
ctypedef int (*Free)(size_t) noexcept nogil

cdef enum:
    MOST_DEVICES = 64

cdef bint forked                        # this is a child of a process that had started the driver

cdef int refuse_forked() except -1
cdef size_t stream_of(int index) noexcept       # the calling thread's current stream on a device; 0: the default one

cdef class Driver:
    cdef readonly object api            # the module cuda.bindings.driver
    cdef Launch launch
    cdef SetCurrent set_current
    cdef Free free, free_host

cdef class Context:
    cdef readonly Driver driver
    cdef readonly int index
    cdef readonly object device, context        # as cuda-bindings has them
    cdef void *handle

    cdef int enter(self) except -1
