"""Buffers of one device, kept for reuse when tensors give them back."""
from cygrad_gpu.runtime.memory_pool cimport Memory, Pool

cdef class Buffer(Memory):
    cdef readonly object buffer         # pyopencl's Buffer
    cdef char *host                     # where it lies, once that was asked; only of devices in the host's memory

cdef class BufferPool(Pool):
    cdef object context
