"""Graphs by capture for a backend that has none of its own: calls of kernels, written down and made again.

A backend that has graphs gives its classes as attributes ``Graph`` and ``graph``, with the methods of these. Here each
kernel runs while it is captured, so that it can decline; what it wrote is put back at the end, as if nothing had run.
"""
import threading

from cygrad.devices import discovery
from cygrad.devices.watched_calls import KernelCall, watch
from cygrad.devices.watching import note_contents, seen

MODES = ("global", "thread_local", "relaxed")
ON_THE_HOST = ("h2d", "d2h", "nonzero", "random")       # what a graph can't repeat: the host has a part in it
UNLOOKED = {"gather_looking": "gather", "scatter_looking": "scatter"}
_capturing = {}                                         # {(device type, thread): Graph}


class Graph:
    """A recorded run of kernels of one device.

    Examples
    --------
    ``g = cygrad.mydevice.Graph()``, then ``with cygrad.mydevice.graph(g): y = f(x)``, then, as often as wanted,
    ``x.copy_(new); g.replay()``, and y holds the new result.
    """

    def __init__(self, device_type):
        self._device_type, self._calls, self._watch = device_type, None, None

    def capture_begin(self, pool=None, capture_error_mode="global"):
        """Record what this thread asks of the device from now on.

        Parameters
        ----------
        pool : object, optional
            What `pool` or `graph_pool_handle` gave; memory is the tensors' own here, so it makes no difference.
        capture_error_mode : str
            ``"global"``, ``"thread_local"`` or ``"relaxed"``: other threads go on in any case.
        """
        if capture_error_mode not in MODES:
            raise RuntimeError(f"Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got "
                               f"{capture_error_mode}")
        if self._calls is not None:
            raise RuntimeError("This Graph instance already owns a captured graph. To capture a new graph, create a "
                               "new instance.")
        self._backend, _ = discovery.resolve(self._device_type)
        if self._backend.host_memory:
            raise RuntimeError(f"tensors of {self._device_type} lie in the host's memory, where elements are read and "
                               "written without a kernel that a graph could repeat")
        self._calls, self._before, self._spoiled = [], {}, False
        self._key = self._device_type, threading.get_ident()
        if self._key in _capturing:
            self._calls = None
            raise RuntimeError("a graph of this device is being captured by this thread already")
        self._watch = watch(self._record)
        self._watch.__enter__()
        _capturing[self._key] = self

    def _record(self, call):
        if threading.get_ident() != self._key[1] or call.backend is not self._backend:
            return call()
        if call.entry in ON_THE_HOST:
            self._spoiled = True
            raise RuntimeError(f"{self._device_type}: operation not permitted when stream is capturing ({call.entry})")
        entry = UNLOOKED.get(call.entry, call.entry)
        note_contents(call.args, self._before)
        answer = KernelCall(call.backend, entry, call.args, call._tools)()      # other tools see it, too
        if answer is not NotImplemented:
            self._calls.append((entry, call.args))
        return answer if entry == call.entry else answer is None

    def capture_end(self):
        """End the recording; what was written meanwhile is as it was."""
        if self._watch is None:
            raise RuntimeError("capture_end() was called without capture_begin()")
        self._watch.__exit__(None, None, None)
        del _capturing[self._key]
        self._watch = None
        for storage, host in self._before.values():
            self._backend.h2d(memoryview(host).toreadonly(), storage, 0)
        self._before = {}
        if self._spoiled:
            self._calls = None
            raise RuntimeError(f"{self._device_type}: operation failed due to a previous error during capture")

    def replay(self):
        """Do the recorded work again."""
        if self._calls is None or self._watch is not None:
            raise RuntimeError("Called Graph::replay without a preceding successful capture.")
        for entry, args in self._calls:
            getattr(seen(self._backend), entry)(*args)

    def reset(self):
        """Forget what was recorded."""
        self._calls = None

    def pool(self):
        """What `capture_begin` of another graph takes."""
        return graph_pool_handle()


class graph:
    """Record the body of a ``with`` statement as a graph.

    Parameters
    ----------
    graph : Graph
    pool, capture_error_mode
        As for `Graph.capture_begin`.
    stream : Stream, optional
        Makes no difference where a device has one queue.
    """

    def __init__(self, graph, pool=None, stream=None, capture_error_mode="global"):
        self._graph, self._options = graph, (pool, capture_error_mode)

    def __enter__(self):
        self._graph.capture_begin(*self._options)

    def __exit__(self, kind, error, traceback):
        try:
            self._graph.capture_end()
        except RuntimeError:
            if error is None:           # else that one says what spoiled the capture
                raise


def graph_pool_handle():
    """Memory that several graphs may share: a token."""
    return object()


def function(name, device_type):
    """What `cygrad.DEVICE.NAME` is for a backend without graphs of its own; `name` is one of `namespaces.GRAPHS`."""
    return {"Graph": lambda: Graph(device_type), "graph": graph, "graph_pool_handle": graph_pool_handle,
            "is_current_stream_capturing": lambda: (device_type, threading.get_ident()) in _capturing}[name]
