"""Buffers of one device, kept for reuse when tensors give them back."""

cdef struct Count:
    Py_ssize_t now, most, ever      # at present, at once, and altogether

cdef class Memory:
    """A buffer on a device: what `Storage.handle` is on these backends."""
    cdef size_t address             # the driver's handle or device address, 8 bytes as a kernel takes it
    cdef Py_ssize_t capacity        # bytes really taken

cdef class Pool:
    cdef readonly str api               # for messages
    cdef readonly Py_ssize_t total, largest
    cdef Count bytes, buffers           # held by tensors
    cdef Count reserved, segments       # bytes and buffers taken from the driver: held, or kept for reuse
    cdef readonly Py_ssize_t retries, refusals      # how often the cache was emptied for room; how often that was vain
    cdef dict free                      # {capacity: [Memory]}
    cdef public Py_ssize_t failing      # how many buffers are still given out until one is refused; 0: all are

    cdef Memory take(self, Py_ssize_t nbytes)
    cdef int give(self, Memory buffer) except -1
    cdef Memory spare(self, Py_ssize_t capacity)
    cdef int keep(self, Memory buffer) except -1
    cdef int forget(self, Memory buffer) except -1

cdef Memory pop(dict free, Py_ssize_t capacity)
cdef int push(dict free, Memory buffer) except -1
