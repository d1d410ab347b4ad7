"""`Stream` and `Event` for every device: a backend's own where it has them, else the one queue that each device is.

A backend that has streams gives its classes as attributes ``Stream`` and ``Event``, with the methods of these. Without
them the device's work is in one order, which is what waiting between streams asks for, so nothing need be done for it.
"""
import time

from cygrad.devices import discovery
from cygrad.devices.device import of

FUNCTIONS = ("Stream", "Event", "stream", "current_stream", "default_stream", "set_stream")


class _OnDevice:
    """What streams and events share: where they are."""

    def __new__(cls, device=None, **options):
        backend, index = discovery.resolve(device)
        own = getattr(backend, cls.__name__, None) if cls in (Stream, Event) else None
        if own is not None:
            return own(**options) if cls is Event else own(device=index, **options)
        made = object.__new__(cls)
        made._place = backend, index
        return made

    @property
    def device(self):
        """The device."""
        return of(*self._place)

    def synchronize(self):
        """Wait until the work given to it is done."""
        backend, index = self._place
        backend.synchronize(index)

    def query(self):
        """Whether its work is done: True, after waiting for it."""
        self.synchronize()
        return True


class Stream(_OnDevice):
    """A queue of work of one device.

    Parameters
    ----------
    device : device, str or int, optional
        The default device when omitted.
    priority : int
        A negative number for work that goes before others', where the backend has streams of its own.

    Examples
    --------
    >>> import cygrad
    >>> with cygrad.Stream("cpu") as stream:
    ...     x = cygrad.ones(3)
    >>> stream.query()
    True
    """

    def __init__(self, device=None, *, priority=0):
        self.priority, self.stream_id = priority, 0

    def wait_event(self, event):
        """Let later work wait for an event: it does, since all is in one order on a device."""
        if event.device != self.device:
            event.synchronize()

    def wait_stream(self, stream):
        """Let later work wait for what another stream has been given so far."""
        if stream.device != self.device:
            stream.synchronize()

    def record_event(self, event=None):
        """Record an event, or a new one, and return it."""
        event = Event(self.device) if event is None else event
        event.record(self)
        return event

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __eq__(self, other):
        return isinstance(other, Stream) and self._place == other._place

    def __hash__(self):
        return hash(self._place)

    def __repr__(self):
        return (f"cygrad.Stream device_type={self.device.type}, device_index={self._place[1]}, "
                f"stream_id={self.stream_id}")


class Event(_OnDevice):
    """A moment in a device's work.

    Parameters
    ----------
    device : device, str or int, optional
        The default device when omitted.
    enable_timing : bool
        Whether `elapsed_time` can be asked for; recording then waits for the device, whose own clock nobody knows.

    Examples
    --------
    >>> import cygrad
    >>> first, last = (cygrad.Event("cpu", enable_timing=True) for _ in range(2))
    >>> first.record(); x = cygrad.ones(3) + 1; last.record()
    >>> first.elapsed_time(last) >= 0
    True
    """

    def __init__(self, device=None, *, enable_timing=False, blocking=False, interprocess=False):
        self.enable_timing, self.moment = enable_timing, None

    def record(self, stream=None):
        """Mark the moment after all work given so far."""
        if self.enable_timing:
            self.synchronize()
        self.moment = time.perf_counter()

    def wait(self, stream=None):
        """Let a stream's later work wait for this event."""
        if stream is not None:
            stream.wait_event(self)

    def elapsed_time(self, end_event):
        """Milliseconds from this event to another one."""
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self.moment is None or end_event.moment is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event.moment - self.moment) * 1000

    def __repr__(self):
        return f"cygrad.Event device_type={self.device.type}, device_index={self._place[1]}"


def function(name, device_type):
    """What `cygrad.DEVICE.NAME` is for a backend without streams of its own; `name` is one of FUNCTIONS."""
    def place(device):
        if isinstance(device, int):
            return f"{device_type}:{device}"
        return device_type if device is None else device

    def stream(device=None, priority=0):
        return Stream(place(device), priority=priority)

    def event(enable_timing=False, blocking=False, interprocess=False):
        return Event(device_type, enable_timing=enable_timing)

    if name == "Event":
        return event
    if name == "stream":
        return lambda stream: stream            # a stream is a context by itself
    return (lambda stream: None) if name == "set_stream" else stream


Stream.__module__ = Event.__module__ = "cygrad"
