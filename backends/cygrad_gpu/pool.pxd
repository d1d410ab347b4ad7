"""Buffers of one device, kept for reuse when tensors give them back."""
from cygrad_gpu.launch cimport Memory

cdef class Pool:
    cdef readonly str api               # for messages
    cdef readonly Py_ssize_t total, largest
    cdef public Py_ssize_t used, cached, peak       # bytes: held by tensors now, kept for reuse, most ever held
    cdef dict free                      # {capacity: [Memory]}

    cdef Memory take(self, Py_ssize_t nbytes)
    cdef int give(self, Memory buffer) except -1
