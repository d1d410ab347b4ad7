"""Caching allocator of host memory; see allocator.pyx."""
from cygrad.storage cimport Storage

cdef int allocate_storage(Storage storage) except -1
cdef void release_storage(Storage storage) noexcept
cdef void *take(Py_ssize_t nbytes) except NULL      # scratch memory of a kernel: 64-byte aligned
cdef void give(void *pointer, Py_ssize_t nbytes) noexcept
