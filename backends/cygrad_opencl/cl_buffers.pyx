# cython: binding=False
# distutils: extra_compile_args = -Os
"""Buffers of one device, kept for reuse when tensors give them back."""
from cygrad_gpu.runtime.memory_pool cimport Memory, Pool

from cygrad.errors import OutOfMemoryError


cdef class Buffer(Memory):
    """A cl.Buffer."""

    def __init__(self, buffer, Py_ssize_t capacity):
        self.buffer = buffer
        self.address = buffer.int_ptr
        self.capacity = capacity


cdef class BufferPool(Pool):
    """The buffers of one device; see `Pool`."""

    def __init__(self, context, total, largest):
        super().__init__("OpenCL", total, largest)
        self.context = context

    def make(self, Py_ssize_t capacity):
        import pyopencl
        try:
            return Buffer(pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE, capacity), capacity)
        except (pyopencl.MemoryError, pyopencl.RuntimeError) as error:
            raise OutOfMemoryError(f"OpenCL: {error}") from error
