"""Buffers of one device, kept for reuse when tensors give them back."""
from cygrad_gpu.launch cimport Memory

cdef class Buffer(Memory):
    cdef readonly object buffer         # pyopencl's Buffer

cdef class Pool:
    cdef object context
    cdef readonly Py_ssize_t total, largest
    cdef public Py_ssize_t used, cached, peak       # bytes: held by tensors now, kept for reuse, most ever held
    cdef dict free                      # {capacity: [Buffer]}

    cdef Buffer take(self, Py_ssize_t nbytes)
    cdef int give(self, Buffer buffer) except -1
