"""Streams and events, as ``torch.cuda`` has them.

A stream is a queue of work of one device; each thread has a current one on each device, at first the default stream.
The driver's handles are kept for the life of the process, 32 for each priority, and given out in turn: so memory that
belongs to a stream never belongs to one that is gone.
"""
from contextlib import contextmanager

from cygrad.devices import discovery
from cygrad.devices.device import device as device_type

from cygrad_cuda.driver import current_stream as current_handle, set_current_stream

POOL = 32                           # streams of a priority
NON_BLOCKING = 1                    # CU_STREAM_NON_BLOCKING: does not wait for the default stream by itself
DISABLE_TIMING, BLOCKING_SYNC = 2, 1


def opened(where=None):
    """A device of the backend, opened, that is named by None (the current one), a number, a string or a device."""
    if where is None:
        index = discovery.current_index("cuda")
    elif isinstance(where, int):
        index = where
    else:
        where = device_type(where)
        if where.type != "cuda":
            raise ValueError(f"Expected a cuda device, but got: {where}")
        index = discovery.current_index("cuda") if where.index is None else where.index
    return discovery.load("cuda").at(index)


def _from_pool(device, priority):
    least, greatest = device.context.call("cuCtxGetStreamPriorityRange")        # the greatest is the smallest number
    priority = min(max(priority, greatest), least)
    handles = device.streams.setdefault(priority, [])
    if len(handles) < POOL:
        handles.append(int(device.context.call("cuStreamCreateWithPriority", NON_BLOCKING, priority)))
    else:
        handles.append(handles.pop(0))
    return handles[-1]


class Stream:
    """A queue of work of one device.

    Parameters
    ----------
    device : device, int or str, optional
        The current device when omitted.
    priority : int
        0, or a negative number for work that goes before others'.

    Attributes
    ----------
    cuda_stream : int
        The driver's handle; 0 is the default stream.
    device : device
    """

    __slots__ = ("device", "cuda_stream", "_context", "_outer")

    def __init__(self, device=None, priority=0):
        found = opened(device)
        self._set(found, _from_pool(found, priority))

    def _set(self, found, handle):
        self._context = found.context
        self.device = device_type("cuda", found.context.index)
        self.cuda_stream = handle
        self._outer = []

    @property
    def device_index(self):
        """Number of the device."""
        return self._context.index

    @property
    def stream_id(self):
        """A number that no other stream of the device has."""
        return self.cuda_stream

    def synchronize(self):
        """Wait until all work of the stream is done."""
        self._context.call("cuStreamSynchronize", self.cuda_stream)

    def query(self):
        """Whether all work of the stream is done."""
        return self._context.ready("cuStreamQuery", self.cuda_stream)

    def wait_event(self, event):
        """Let what is enqueued from now on wait for an event."""
        event.wait(self)

    def wait_stream(self, stream):
        """Let what is enqueued from now on wait for what another stream has enqueued so far."""
        self.wait_event(stream.record_event())

    def record_event(self, event=None):
        """Mark what has been enqueued so far by an event, a new one unless given, and return it."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def __enter__(self):
        self._outer.append(stream(self))
        self._outer[-1].__enter__()
        return self

    def __exit__(self, *error):
        self._outer.pop().__exit__(*error)

    def __eq__(self, other):
        if not isinstance(other, Stream):
            return NotImplemented
        return (self.device, self.cuda_stream) == (other.device, other.cuda_stream)

    def __hash__(self):
        return hash((self.device, self.cuda_stream))

    def __repr__(self):
        return f"<cygrad.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """A stream of another library, by its handle; it must outlive its use here.

    Parameters
    ----------
    stream_ptr : int
    device : device, int or str, optional
    """

    __slots__ = ()

    def __init__(self, stream_ptr, device=None):
        self._set(opened(device), stream_ptr)


def default_stream(device=None):
    """The stream that a device's work is in when nobody says otherwise."""
    return ExternalStream(0, device)


def current_stream(device=None):
    """The calling thread's stream on a device."""
    found = opened(device)
    return ExternalStream(current_handle(found.context.index), found.context.index)


def set_stream(stream):
    """Make a stream the calling thread's, and its device the current one; None changes nothing."""
    if stream is not None:
        discovery.set_current_index("cuda", stream.device_index)
        set_current_stream(stream.device_index, stream.cuda_stream)


@contextmanager
def stream(stream):
    """`set_stream` for a ``with`` block; None changes nothing."""
    if stream is None:
        yield
        return
    index, before = discovery.current_index("cuda"), current_handle(stream.device_index)
    set_stream(stream)
    try:
        yield stream
    finally:
        set_current_stream(stream.device_index, before)
        discovery.set_current_index("cuda", index)


class Event:
    """A point in a stream.

    Parameters
    ----------
    enable_timing : bool
        Whether `elapsed_time` can be asked.
    blocking : bool
        Whether a thread that waits sleeps.

    Examples
    --------
    ``start, end = Event(enable_timing=True), Event(enable_timing=True); start.record(); work(); end.record();
    end.synchronize(); start.elapsed_time(end)`` gives milliseconds.
    """

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        if interprocess:
            raise NotImplementedError("events are not shared between processes here")
        self._flags = (0 if enable_timing else DISABLE_TIMING) | (BLOCKING_SYNC if blocking else 0)
        self._context = self._event = None

    @property
    def cuda_event(self):
        """The driver's handle; 0 before the first `record`."""
        return 0 if self._event is None else int(self._event)

    @property
    def device(self):
        """Where it was recorded; None before."""
        return None if self._context is None else device_type("cuda", self._context.index)

    def record(self, stream=None):
        """Mark what a stream, the current one unless given, has enqueued so far."""
        stream = current_stream() if stream is None else stream
        if self._event is None:
            self._context = stream._context
            self._event = self._context.call("cuEventCreate", self._flags)
        elif self._context is not stream._context:
            raise RuntimeError(f"Event device {self.device} does not match recording stream's device {stream.device}.")
        self._context.call("cuEventRecord", self._event, stream.cuda_stream)

    def wait(self, stream=None):
        """Let what a stream, the current one unless given, enqueues from now on wait for the event."""
        if self._event is not None:
            stream = current_stream() if stream is None else stream
            stream._context.call("cuStreamWaitEvent", stream.cuda_stream, self._event, 0)

    def query(self):
        """Whether the device has been here; True before the first `record`."""
        return self._event is None or self._context.ready("cuEventQuery", self._event)

    def synchronize(self):
        """Wait until the device is here."""
        if self._event is not None:
            self._context.call("cuEventSynchronize", self._event)

    def elapsed_time(self, end_event):
        """Milliseconds from here to another event; both must have come."""
        if (self._flags | end_event._flags) & DISABLE_TIMING:
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._event is None or end_event._event is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return self._context.call("cuEventElapsedTime", self._event, end_event._event)

    def __repr__(self):
        return f"<cygrad.cuda.Event {self.cuda_event:#x}>" if self._event else "<cygrad.cuda.Event uninitialized>"

    def __del__(self):
        event = self.__dict__.get("_event")
        if event is not None:
            self._context.driver.api.cuEventDestroy(event)
