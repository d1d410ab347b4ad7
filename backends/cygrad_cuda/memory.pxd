"""Memory of one device, and of the host where devices reach it."""
from cygrad_cuda.driver cimport Context, Driver
from cygrad_gpu.runtime.memory_pool cimport Memory, Pool

cdef class Shelf:
    """Where blocks wait for the stream, or the graph, that they belong to."""
    cdef dict free                      # {capacity: [Block]}
    cdef public int graphs              # that use it
    cdef readonly bint retired          # of a graph that is gone: what comes goes back to the driver

cdef class Block(Memory):
    cdef Context context
    cdef Shelf shelf
    cdef set readers                    # streams beside the shelf's that have used it, or None

cdef class DevicePool(Pool):
    cdef Context context
    cdef dict shelves                   # {stream: Shelf}
    cdef readonly dict private          # {stream on which a graph is being captured: the graph's Shelf}
    cdef list waiting                   # (Block, [event]) given back while another stream may still read it
    cdef list postponed                 # Blocks given back during a capture for which events must be recorded

    cdef Shelf shelf_of(self, size_t stream)
    cdef int shelve(self, Block block) except -1

cdef class Pinned

cdef class HostPool:
    cdef readonly Driver driver
    cdef readonly Py_ssize_t used       # bytes that tensors hold
    cdef dict free                      # {capacity: [(address, [(Context, [event])])]}

    cdef int give(self, Pinned pinned) except -1

cdef class Pinned:
    cdef readonly size_t address
    cdef readonly Py_ssize_t capacity
    cdef HostPool pool
    cdef dict readers                   # {(Context, stream)}: who may still read or write it
