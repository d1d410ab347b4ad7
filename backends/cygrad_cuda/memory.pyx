# cython: binding=False
# distutils: extra_compile_args = -Os
"""Memory of one device, kept for reuse by stream; page-locked memory of the host.

A stream runs in order, so what a tensor gives back may at once go to another tensor of the same stream. What another
stream has used, too (`record_stream`), waits until an event says that this stream is past that. A stream without memory
of the size takes another's, if that stream is idle. While a graph is captured, its stream has memory of its own, which
stays the graph's: a replay writes to the same places again.
"""
from cygrad_cuda.driver cimport Context, Driver, forked, stream_of
from cygrad_gpu.runtime.memory_pool cimport Memory, Pool, pop, push

from contextlib import contextmanager


cdef enum:
    PORTABLE = 1                        # CU_MEMHOSTALLOC_PORTABLE: page-locked for all devices
    NO_TIMING = 2                       # CU_EVENT_DISABLE_TIMING


cdef class Shelf:
    def __init__(self):
        self.free = {}


cdef class Block(Memory):
    """Memory of a device, given back to the driver with the object."""

    def __dealloc__(self):
        if self.context is not None and self.address != 0 and not forked:
            if self.context.driver.set_current(self.context.handle) == 0:
                self.context.driver.free(self.address)      # fails only when the process ends, which frees it too


def mark(Context context, size_t stream):
    """An event that says when a stream is past what is enqueued there now."""
    event = context.call("cuEventCreate", <int>NO_TIMING)
    context.call("cuEventRecord", event, stream)
    return event


def passed(Context context, list events):
    """Drop the events that have come; whether that were all."""
    while events and context.ready("cuEventQuery", events[0]):
        context.call("cuEventDestroy", events.pop(0))
    return not events


cdef class DevicePool(Pool):
    """The memory of one device."""

    def __init__(self, Context context):
        _, total = context.call("cuMemGetInfo")
        super().__init__("CUDA", total, total)
        self.context = context
        self.shelves = {}
        self.private = {}
        self.waiting = []
        self.postponed = []

    def make(self, Py_ssize_t capacity):
        cdef Block block = Block.__new__(Block)
        with self.uncaptured():
            block.address = int(self.context.call("cuMemAlloc", capacity))
        block.context = self.context
        block.shelf = self.shelf_of(stream_of(self.context.index))
        return block

    cdef Shelf shelf_of(self, size_t stream):
        cdef Shelf shelf
        if self.private and stream in self.private:
            return <Shelf>self.private[stream]
        shelf = <Shelf>self.shelves.get(stream)
        if shelf is None:
            shelf = self.shelves[stream] = Shelf()
        return shelf

    cdef Memory spare(self, Py_ssize_t capacity):
        cdef size_t stream = stream_of(self.context.index)
        cdef Shelf shelf = self.shelf_of(stream)
        cdef Memory found = pop(shelf.free, capacity)
        if found is not None or self.private:           # during a capture the driver must not be asked anything
            return found
        if self.waiting:
            self.collect()
            found = pop(shelf.free, capacity)
        if found is None and len(self.shelves) > 1:
            found = self.borrow(stream, shelf, capacity)
        return found

    def borrow(self, size_t stream, Shelf own, Py_ssize_t capacity):
        """A block of a stream that has nothing to do, for the shelf of another one; or None."""
        cdef Shelf shelf
        cdef Block block
        for other, each in self.shelves.items():
            shelf = <Shelf>each
            if shelf is not own and shelf.free.get(capacity) and self.context.ready("cuStreamQuery", other):
                block = <Block>pop(shelf.free, capacity)
                block.shelf = own
                return block
        return None

    cdef int keep(self, Memory buffer) except -1:
        cdef Block block = <Block>buffer
        if block.readers is None:
            return self.shelve(block)
        if self.private:
            self.postponed.append(block)
        else:
            self.wait_for_readers(block)
        return 0

    cdef int shelve(self, Block block) except -1:
        """A block that nobody uses any more."""
        if block.shelf.retired:
            return self.forget(block)
        return push(block.shelf.free, block)

    def wait_for_readers(self, Block block):
        """Keep a block until its readers' streams are past what they have enqueued now."""
        readers, block.readers = block.readers, None
        self.waiting.append((block, [mark(self.context, stream) for stream in readers]))

    def collect(self):
        """Shelve the blocks whose readers are done."""
        cdef list still = []
        for block, events in self.waiting:
            if passed(self.context, events):
                self.shelve(block)
            else:
                still.append((block, events))
        self.waiting = still

    def read_by(self, Memory buffer not None, size_t stream):
        """A stream other than the one it was allocated on uses a buffer: `record_stream`."""
        cdef Block block
        if isinstance(buffer, Block):                   # others' memory is not given out again
            block = <Block>buffer
            if block.shelf is not self.shelf_of(stream):
                if block.readers is None:
                    block.readers = set()
                block.readers.add(stream)

    def empty(self):
        """Give all kept blocks, but those of graphs, back to the driver."""
        if self.private:                                # the driver does not free during a capture
            return
        for _, events in self.waiting:
            for event in events:
                self.context.call("cuEventSynchronize", event)
        self.collect()
        for shelf in self.shelves.values():
            self.clear(shelf)

    def clear(self, Shelf shelf not None):
        """Give the blocks of a shelf back to the driver."""
        cdef dict free = shelf.free
        shelf.free = {}
        for blocks in free.values():
            for block in blocks:
                self.forget(<Memory>block)

    # ---- graphs

    def begin(self, size_t stream, Shelf shelf not None):
        """From now on, what a stream allocates belongs to a graph."""
        self.private[stream] = shelf

    def is_private(self, size_t stream):
        """Whether a graph is being captured on a stream."""
        return stream in self.private

    def end(self, size_t stream):
        """The capture on a stream is over."""
        del self.private[stream]
        if not self.private:
            blocks, self.postponed = self.postponed, []
            for block in blocks:
                self.wait_for_readers(block)

    def retire(self, Shelf shelf not None):
        """A graph is gone: its memory goes back to the driver, that of tensors that still live when they are gone."""
        shelf.retired = True
        self.clear(shelf)

    @contextmanager
    def uncaptured(self):
        """A block in which the driver allows the thread what must not be in a graph, such as taking memory."""
        modes = self.context.driver.api.CUstreamCaptureMode
        if not self.private:
            yield
            return
        before = self.context.call("cuThreadExchangeStreamCaptureMode", modes.CU_STREAM_CAPTURE_MODE_RELAXED)
        try:
            yield
        finally:
            self.context.call("cuThreadExchangeStreamCaptureMode", before)


# ---- the host

cdef class HostPool:
    """Page-locked memory of the host, kept for reuse when the copies that use it are done."""

    def __init__(self, Driver driver):
        self.driver = driver
        self.free = {}

    def take(self, Context context, Py_ssize_t nbytes):
        """A Pinned of at least `nbytes`; a context is needed to ask the driver."""
        cdef Pinned made = Pinned.__new__(Pinned)
        cdef Py_ssize_t capacity = 1 << max(nbytes - 1, 511).bit_length()
        kept = self.free.get(capacity, [])
        for k in range(len(kept)):
            marks = kept[k][1]
            while marks and passed(*marks[len(marks) - 1]):
                marks.pop()
            if not marks:
                made.address = kept.pop(k)[0]
                break
        else:
            made.address = int(context.call("cuMemHostAlloc", capacity, <int>PORTABLE))
        made.capacity = capacity
        made.pool = self
        made.readers = {}
        self.used += capacity
        return made

    cdef int give(self, Pinned pinned) except -1:
        marks = [(context, [mark(context, stream)]) for context, stream in pinned.readers]
        self.free.setdefault(pinned.capacity, []).append((pinned.address, marks))
        self.used -= pinned.capacity
        return 0

    def empty(self):
        """Give what is kept back to the driver."""
        free, self.free = self.free, {}
        for kept in free.values():
            for address, marks in kept:
                for context, events in marks:
                    for event in events:
                        context.call("cuEventSynchronize", event)
                self.driver.free_host(address)


cdef class Pinned:
    """What keeps page-locked memory in the hands of a tensor."""

    def read_by(self, Context context, size_t stream):
        """A copy on a stream uses it."""
        self.readers[context, stream] = None

    def __dealloc__(self):
        if self.pool is not None and self.address != 0 and not forked:
            try:
                self.pool.give(self)
            except Exception:
                self.pool.driver.free_host(self.address)        # which waits for whoever uses it
