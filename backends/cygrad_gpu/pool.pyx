"""Buffers of one device, kept for reuse when tensors give them back.

A buffer may be given out again at once: whatever still reads it was enqueued earlier, and the queue is in order. Sizes
are rounded up to a quarter of a power of two, so that shapes that vary a little share buffers.
"""
from cygrad_gpu.launch cimport Memory

from cygrad.errors import OutOfMemoryError


cdef Py_ssize_t rounded(Py_ssize_t nbytes) noexcept:
    """The size that is really allocated."""
    cdef Py_ssize_t step = 64
    if nbytes <= 256:
        return (nbytes + 63) // 64 * 64 if nbytes > 0 else 64
    while step * 8 < nbytes:
        step *= 2
    return (nbytes + step - 1) // step * step


cdef class Pool:
    """The buffers of one device. A subclass has `make`.

    Parameters
    ----------
    api : str
        What messages call the backend.
    total : int
        Bytes of the device's memory.
    largest : int
        Most bytes that the driver gives in one buffer.
    """

    def __init__(self, str api, total, largest):
        self.api = api
        self.total = total
        self.largest = largest
        self.free = {}

    def make(self, Py_ssize_t capacity):
        """A new Memory from the driver; raises OutOfMemoryError when there is no room for it."""
        raise NotImplementedError

    cdef Memory take(self, Py_ssize_t nbytes):
        """A buffer of at least `nbytes`."""
        cdef Py_ssize_t capacity = rounded(nbytes)
        cdef Memory buffer
        cdef list waiting = <list>(<dict>self.free).get(capacity)
        if waiting:
            buffer = <Memory>waiting.pop()
            self.cached -= capacity
        else:
            buffer = self.create(capacity)
        self.used += capacity
        if self.used > self.peak:
            self.peak = self.used
        return buffer

    cdef int give(self, Memory buffer) except -1:
        """Keep a buffer for the next tensor of its size."""
        cdef list waiting = <list>(<dict>self.free).get(buffer.capacity)
        if waiting is None:
            waiting = (<dict>self.free)[buffer.capacity] = []
        waiting.append(buffer)
        self.used -= buffer.capacity
        self.cached += buffer.capacity
        return 0

    def create(self, Py_ssize_t capacity):
        """A new buffer; when the device is full, the cache is emptied first."""
        cdef Memory buffer
        if capacity > self.largest:
            raise OutOfMemoryError(f"{self.api}: a buffer of {capacity} bytes was asked for; the device gives at most "
                                   f"{self.largest} in one ({self.used} of {self.total} bytes are in use)")
        if self.used + self.cached + capacity > self.total:
            self.empty()
        try:
            buffer = self.make(capacity)
        except OutOfMemoryError:
            buffer = None
        if buffer is None:
            self.empty()
            try:
                buffer = self.make(capacity)
            except OutOfMemoryError as error:
                raise OutOfMemoryError(f"{self.api}: no buffer of {capacity} bytes to be had ({self.used} of "
                                       f"{self.total} bytes are in use): {error}") from error
        buffer.capacity = capacity
        return buffer

    def empty(self):
        """Give all cached buffers back to the driver."""
        self.free.clear()
        self.cached = 0
