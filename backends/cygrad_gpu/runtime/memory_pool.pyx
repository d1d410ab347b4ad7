# cython: binding=False
# distutils: extra_compile_args = -Os
"""Buffers of one device, kept for reuse when tensors give them back.

A buffer may be given out again at once: whatever still reads it was enqueued earlier, and the queue is in order (a
subclass whose devices have several queues says what else must hold). Sizes are rounded up to a quarter of a power of
two, so that shapes that vary a little share buffers.
"""
from cygrad.errors import OutOfMemoryError


cdef class Memory:
    pass


cdef Py_ssize_t rounded(Py_ssize_t nbytes) noexcept:
    """The size that is really allocated."""
    cdef Py_ssize_t step = 64
    if nbytes <= 256:
        return (nbytes + 63) // 64 * 64 if nbytes > 0 else 64
    while step * 8 < nbytes:
        step *= 2
    return (nbytes + step - 1) // step * step


cdef inline void add(Count *count, Py_ssize_t amount) noexcept:
    count.now += amount
    if amount > 0:
        count.ever += amount
        if count.now > count.most:
            count.most = count.now


cdef Memory pop(dict free, Py_ssize_t capacity):
    """A kept buffer of this size, or None."""
    cdef list waiting = <list>free.get(capacity)
    return <Memory>waiting.pop() if waiting else None


cdef int push(dict free, Memory buffer) except -1:
    """Keep a buffer."""
    cdef list waiting = <list>free.get(buffer.capacity)
    if waiting is None:
        waiting = free[buffer.capacity] = []
    waiting.append(buffer)
    return 0


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
        if self.failing:
            self.failing -= 1
            if self.failing == 0:
                raise OutOfMemoryError(f"{self.api}: no buffer of {capacity} bytes: `fail_allocation` refuses it")
        buffer = self.spare(capacity)
        if buffer is None:
            buffer = self.create(capacity)
        add(&self.bytes, capacity)
        add(&self.buffers, 1)
        return buffer

    cdef int give(self, Memory buffer) except -1:
        """A tensor is done with its buffer."""
        add(&self.bytes, -buffer.capacity)
        add(&self.buffers, -1)
        return self.keep(buffer)

    cdef Memory spare(self, Py_ssize_t capacity):
        """A kept buffer of this size that may be used now, or None."""
        return pop(self.free, capacity)

    cdef int keep(self, Memory buffer) except -1:
        """Keep a buffer for the next tensor of its size."""
        return push(self.free, buffer)

    cdef int forget(self, Memory buffer) except -1:
        """A buffer goes back to the driver: with its last reference."""
        add(&self.reserved, -buffer.capacity)
        add(&self.segments, -1)
        return 0

    def create(self, Py_ssize_t capacity):
        """A new buffer; when the device is full, the cache is emptied first."""
        cdef Memory buffer
        if capacity > self.largest:
            raise OutOfMemoryError(f"{self.api}: a buffer of {capacity} bytes was asked for; the device gives at most "
                                   f"{self.largest} in one ({self.used} of {self.total} bytes are in use)")
        if self.reserved.now + capacity > self.total:
            self.empty()
        try:
            buffer = self.make(capacity)
        except OutOfMemoryError:
            buffer = None
        if buffer is None:
            self.retries += 1
            self.empty()
            try:
                buffer = self.make(capacity)
            except OutOfMemoryError as error:
                self.refusals += 1
                raise OutOfMemoryError(f"{self.api}: no buffer of {capacity} bytes to be had ({self.used} of "
                                       f"{self.total} bytes are in use): {error}") from error
        buffer.capacity = capacity
        add(&self.reserved, capacity)
        add(&self.segments, 1)
        return buffer

    def limit(self, total):
        """Let tensors take no more than `total` bytes."""
        self.total = self.largest = total

    def empty(self):
        """Give all kept buffers back to the driver."""
        cdef dict free = self.free
        self.free = {}
        for waiting in free.values():
            for buffer in waiting:
                self.forget(<Memory>buffer)

    # ---- what is counted

    @property
    def used(self):
        """Bytes that tensors hold."""
        return self.bytes.now

    @property
    def peak(self):
        """Most bytes that tensors held at once."""
        return self.bytes.most

    @property
    def held(self):
        """Bytes taken from the driver: of tensors, and kept for reuse."""
        return self.reserved.now

    @property
    def peak_held(self):
        """Most bytes that were taken from the driver at once."""
        return self.reserved.most

    @property
    def cached(self):
        """Bytes kept for reuse."""
        return self.reserved.now - self.bytes.now

    def counts(self):
        """{name as in ``torch.cuda.memory_stats``: number}."""
        found = {"num_alloc_retries": self.retries, "num_ooms": self.refusals}
        for name, (now, most, ever) in (
                ("allocated_bytes", (self.bytes.now, self.bytes.most, self.bytes.ever)),
                ("allocation", (self.buffers.now, self.buffers.most, self.buffers.ever)),
                ("reserved_bytes", (self.reserved.now, self.reserved.most, self.reserved.ever)),
                ("segment", (self.segments.now, self.segments.most, self.segments.ever))):
            found |= {f"{name}.all.current": now, f"{name}.all.peak": most, f"{name}.all.allocated": ever,
                      f"{name}.all.freed": ever - now}
        return dict(sorted(found.items()))

    def reset_peaks(self):
        """The most that was held at once is what is held now."""
        self.bytes.most, self.buffers.most = self.bytes.now, self.buffers.now
        self.reserved.most, self.segments.most = self.reserved.now, self.segments.now

    def reset_sums(self):
        """Nothing was allocated or freed before now, but for what is held."""
        self.bytes.ever, self.buffers.ever = self.bytes.now, self.buffers.now
        self.reserved.ever, self.segments.ever = self.reserved.now, self.segments.now
        self.retries = self.refusals = 0
