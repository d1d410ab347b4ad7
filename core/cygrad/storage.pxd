"""Storage: a reference-counted run of bytes on one device."""
from cpython.object cimport PyObject

cdef class VersionCounter:
    cdef unsigned int value
    cdef unsigned int *count          # where it counts: its `value`, or a storage's `version`
    cdef PyObject *storage            # borrowed: that storage, or NULL

cdef class Storage:
    cdef readonly object backend      # the Backend that owns the memory
    cdef readonly int index           # which of its devices
    cdef void *pointer                # host address, or NULL where the host can't read it
    cdef public object handle         # the backend's buffer object, or None
    cdef Py_ssize_t nbytes_
    cdef Py_ssize_t capacity          # for the backend's allocator: bytes really taken
    cdef unsigned int version         # in-place changes so far, shared by all views
    cdef bint counted                 # whether a VersionCounter counts here; it lies where alignment left room
    cdef readonly object owner        # what keeps foreign memory alive, or None when the backend owns it

cdef VersionCounter counter_at(Storage storage)
cdef Storage new_storage(object backend, int index, Py_ssize_t nbytes)
cdef Storage wrap_memory(object backend, void *pointer, Py_ssize_t nbytes, object owner)
