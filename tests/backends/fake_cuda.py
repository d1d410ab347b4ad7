"""`cuda.bindings.driver` without a GPU: devices whose memory is the host's, streams, events, graphs.

Kernels leave a record, or run too where an executor is given (fake_kernels.py). The driver checks what hardware would
punish now and then only, and notes it in ``misuse``: memory used after it was freed, by another context than its own,
or by two streams without an event between them; calls that a capture forbids. A stream that a test has `stall`ed does
nothing until somebody waits for it, so that what relies on luck fails.

``calls`` lists what was called, ``launches`` has a Launch for each kernel; ``limit`` is how many bytes a device has,
``failing`` {name of a call: status}.
"""
import ctypes
import re
import sys
import threading
import types
from typing import NamedTuple

import numpy as np
from cuda_enums import CUdevice_attribute, CUpointer_attribute, CUresult, CUstreamCaptureMode

OK = CUresult.CUDA_SUCCESS
FORBIDDEN = CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
RELAXED = CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
ATTRIBUTES = {8: 49152, 10: 32, 16: 4, 75: 9, 76: 0}
WORDS = {CUresult.CUDA_ERROR_OUT_OF_MEMORY: b"out of memory", CUresult.CUDA_ERROR_NO_DEVICE: b"no CUDA-capable device",
         CUresult.CUDA_ERROR_ILLEGAL_ADDRESS: b"an illegal memory access was encountered",
         FORBIDDEN: b"operation not permitted when stream is capturing"}
FIRST_CONTEXT = 1000
LASTING = []            # functions that are called through pointers: a library stays, whoever is garbage,
ctypes.pythonapi.Py_IncRef(ctypes.py_object(LASTING))       # and when the interpreter ends, before the last tensors
SIZES = {"pointer": 8, "i64": 8, "number": 8, "axes": 64}       # of a kernel's arguments, in bytes


class Launch(NamedTuple):
    """One kernel as it was enqueued; an argument is its first 8 bytes as an integer."""

    name: str
    groups: int
    items: int
    arguments: list
    context: int
    stream: int


class Stream:
    """A queue of work; `seen` says how far this and other streams had come when its last work begins."""

    def __init__(self, handle, context, priority=0):
        self.handle, self.context, self.priority = handle, context, priority
        self.time, self.seen = 0, {}
        self.stalled, self.queue = False, []
        self.graph = None                               # the list that a capture writes, while there is one


class Event:
    def __init__(self, flags):
        self.flags, self.stream, self.time, self.seen = flags, None, 0, {}


class Allocation:
    """Memory, and which streams have used it when."""

    def __init__(self, size, context):
        self.array = np.full(size, 0xCD, "u1")
        self.address, self.context = self.array.ctypes.data, context
        self.writer, self.readers = None, {}            # (stream, time), {stream: time}


def merge(seen, other):
    for stream, time in other.items():
        seen[stream] = max(time, seen.get(stream, 0))


class FakeDriver(types.ModuleType):
    """The module.

    Parameters
    ----------
    devices : int
    limit : int
        Bytes of a device.
    execute : callable, optional
        ``execute(source, name, groups, items, values)`` runs a kernel.
    """

    CUresult, CUdevice_attribute, CUpointer_attribute = CUresult, CUdevice_attribute, CUpointer_attribute
    CUstreamCaptureMode = CUstreamCaptureMode

    def __init__(self, devices=2, limit=1 << 20, execute=None):
        super().__init__("cuda.bindings.driver")
        self.devices, self.limit, self.execute = devices, limit, execute
        self.calls, self.launches, self.failing, self.misuse = [], [], {}, []
        self.thread = threading.local()                 # .context, .mode
        self.memory, self.pinned = {}, {}               # {address: Allocation}, {address: array}
        self.functions = []                             # (name, source, kinds of its arguments)
        self.streams, self.capturing = {}, []
        self.events, self.graphs, self.peers = set(), {}, set()
        self.host = {}                                  # how far the host knows each stream has come
        integer, pointer, size = ctypes.c_uint, ctypes.c_void_p, ctypes.c_size_t
        self.pointers = {
            b"cuLaunchKernel": ctypes.CFUNCTYPE(ctypes.c_int, pointer, *[integer] * 7, pointer, pointer, pointer)(
                self.launch),
            b"cuCtxSetCurrent": ctypes.CFUNCTYPE(ctypes.c_int, pointer)(self.set_current),
            b"cuMemFree": ctypes.CFUNCTYPE(ctypes.c_int, size)(self.free),
            b"cuMemFreeHost": ctypes.CFUNCTYPE(ctypes.c_int, size)(self.free_host)}
        LASTING.append(self.pointers)

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if not name.startswith("cu") or name in ("cuGetErrorString",):
            return found

        def call(*args):
            self.calls.append(name)
            return (self.failing[name], *[None] * 3)[:2] if self.failing.get(name) else found(*args)

        return call

    # ---- what tests ask and do

    @property
    def here(self):
        return getattr(self.thread, "context", None)

    def used(self, context):
        return sum(each.array.size for each in list(self.memory.values()) if each.context == context)

    def stall(self, stream):
        """Let a stream wait with everything until somebody waits for it."""
        self.stream(stream).stalled = True

    def finish(self, stream):
        """The stream does all its work."""
        stream.stalled = False
        queue, stream.queue = stream.queue, []
        for work in queue:
            work()

    # ---- order

    def stream(self, handle):
        handle = int(handle or 0)
        key = handle if handle > 2 else (self.here, handle)      # the default stream is each context's own
        if key not in self.streams:
            assert handle <= 2, "no such stream"
            self.streams[key] = Stream(key, self.here)
        return self.streams[key]

    def enqueue(self, stream, what, work, reads=(), writes=()):
        """Put work in a stream, or in the graph that it is captured for."""
        if stream.context != self.here:
            self.misuse.append(f"{what}: the stream belongs to context {stream.context}, current is {self.here}")
        if stream.graph is not None:
            stream.graph.append((what, work, reads, writes))
            return
        merge(stream.seen, self.host)
        stream.time += 1
        stream.seen[stream.handle] = stream.time
        for address in [*reads, *writes]:
            self.check_use(stream, what, address, address in writes)
        if stream.stalled:
            stream.queue.append(work)
        else:
            work()

    def allocation(self, address):
        for each in list(self.memory.values()):         # other threads allocate meanwhile
            if each.address <= address < each.address + each.array.size:
                return each
        return None

    def check_use(self, stream, what, address, write):
        """Note a use of memory that is free, of another device, or not in order with other streams' uses."""
        if address in self.pinned or (found := self.allocation(address)) is None and not address:
            return
        if found is None:
            self.misuse.append(f"{what}: {address:#x} is not allocated")
            return
        if found.context != stream.context and (stream.context, found.context) not in self.peers:
            self.misuse.append(f"{what}: {address:#x} belongs to context {found.context}, not to {stream.context}")
        before = ([found.writer] if found.writer else []) + (list(found.readers.items()) if write else [])
        for other, time in before:
            if stream.seen.get(other, 0) < time:
                self.misuse.append(f"{what}: stream {stream.handle} does not wait for what {other} does to "
                                   f"{address:#x}")
        if write:
            found.writer, found.readers = (stream.handle, stream.time), {}
        else:
            found.readers[stream.handle] = stream.time

    def wait_for(self, stream):
        """The host waits until a stream is idle."""
        self.finish(stream)
        merge(self.host, stream.seen)

    def forbidden(self, what):
        """Whether a capture forbids a call; it is spoiled then."""
        if not self.capturing or getattr(self.thread, "mode", 0) == RELAXED:
            return False
        self.misuse.append(f"{what} during a capture")
        return True

    # ---- what is called through pointers

    def launch(self, function, groups, y, z, items, y_items, z_items, shared, stream, values, extra):
        if self.failing.get("cuLaunchKernel"):
            return int(self.failing["cuLaunchKernel"])
        name, source, kinds = self.functions[function - 1]
        places = ctypes.cast(values, ctypes.POINTER(ctypes.c_void_p))
        raw = [ctypes.string_at(places[i], SIZES[kind.removeprefix("const ")]) for i, kind in enumerate(kinds)]
        numbers = [int.from_bytes(each[:8], "little", signed=True) for each in raw]
        reads = [number for kind, number in zip(kinds, numbers) if kind == "const pointer"]
        writes = [number for kind, number in zip(kinds, numbers) if kind == "pointer"]
        found = self.stream(stream)
        self.launches.append(Launch(name, groups, items, numbers, self.here, int(stream or 0)))

        def work():
            if self.execute is not None:
                self.execute(source, name, groups, items, list(zip(kinds, raw)))

        try:
            self.enqueue(found, name, work, reads, writes)
        except Exception as error:                      # nothing may be raised through C
            self.misuse.append(f"{name}: {type(error).__name__}: {error}")
            return int(CUresult.CUDA_ERROR_LAUNCH_FAILED)
        return 0

    def set_current(self, context):
        self.thread.context = context
        return 0

    def free(self, address):
        self.calls.append("cuMemFree")
        if self.forbidden("cuMemFree"):
            return int(FORBIDDEN)
        for stream in list(self.streams.values()):      # it waits for the device
            self.wait_for(stream)
        return 0 if self.memory.pop(address, None) is not None else int(CUresult.CUDA_ERROR_INVALID_VALUE)

    def free_host(self, address):
        self.calls.append("cuMemFreeHost")
        return 0 if self.pinned.pop(address, None) is not None else int(CUresult.CUDA_ERROR_INVALID_VALUE)

    # ---- devices and memory

    def cuInit(self, flags):
        return (OK,)

    def cuGetErrorString(self, status):
        return OK, WORDS.get(status, b"something went wrong")

    def cuGetProcAddress(self, name, version, flags):
        return OK, ctypes.cast(self.pointers[name], ctypes.c_void_p).value, 0

    def cuDriverGetVersion(self):
        return OK, 13000

    def cuDeviceGetCount(self):
        return OK, self.devices

    def cuDeviceGet(self, index):
        return OK, index

    def cuDeviceGetName(self, length, device):
        return OK, f"Fake {device}".encode().ljust(length, b"\0")

    def cuDeviceGetAttribute(self, attribute, device):
        return OK, ATTRIBUTES.get(int(attribute), 7)

    def cuDevicePrimaryCtxRetain(self, device):
        return OK, FIRST_CONTEXT + device

    def cuDeviceCanAccessPeer(self, device, peer):
        return OK, int(device != peer)

    def cuCtxEnablePeerAccess(self, context, flags):
        self.peers.add((self.here, context))
        return (OK,)

    def cuMemGetInfo(self):
        return OK, self.limit - self.used(self.here), self.limit

    def cuMemAlloc(self, size):
        if self.forbidden("cuMemAlloc"):
            return FORBIDDEN, None
        if self.used(self.here) + size > self.limit:
            return CUresult.CUDA_ERROR_OUT_OF_MEMORY, None
        made = Allocation(size, self.here)
        self.memory[made.address] = made
        return OK, made.address

    def cuMemHostAlloc(self, size, flags):
        array = np.zeros(size, "u1")
        self.pinned[array.ctypes.data] = array
        return OK, array.ctypes.data

    def cuPointerGetAttribute(self, attribute, pointer):
        found = self.allocation(pointer)
        return (CUresult.CUDA_ERROR_INVALID_VALUE, None) if found is None else (OK, found.context - FIRST_CONTEXT)

    # ---- copies

    def is_page_locked(self, address):
        return any(start <= address < start + array.size for start, array in list(self.pinned.items()))

    def cuMemcpyHtoDAsync(self, target, source, size, stream):
        staged = source if self.is_page_locked(source) else ctypes.string_at(source, size)      # read later, or now
        self.enqueue(self.stream(stream), "HtoD", lambda: ctypes.memmove(target, staged, size), (), [target])
        return (OK,)

    def cuMemcpyDtoHAsync(self, target, source, size, stream):
        self.enqueue(self.stream(stream), "DtoH", lambda: ctypes.memmove(target, source, size), [source])
        return (OK,)

    def cuMemcpyPeerAsync(self, target, target_context, source, source_context, size, stream):
        assert self.allocation(target).context == target_context
        assert self.allocation(source).context == source_context
        peers, self.peers = self.peers, self.peers | {(self.here, target_context), (self.here, source_context)}
        self.enqueue(self.stream(stream), "peer copy", lambda: ctypes.memmove(target, source, size), [source], [target])
        self.peers = peers
        return (OK,)

    # ---- streams and events

    def cuCtxSynchronize(self):
        if self.forbidden("cuCtxSynchronize"):
            return (FORBIDDEN,)
        for stream in list(self.streams.values()):
            if stream.context == self.here:
                self.wait_for(stream)
        return (OK,)

    def cuCtxGetStreamPriorityRange(self):
        return OK, 0, -2

    def cuStreamCreateWithPriority(self, flags, priority):
        handle = 0x5000 + 16 * len(self.streams)
        self.streams[handle] = Stream(handle, self.here, priority)
        return OK, handle

    def cuStreamSynchronize(self, stream):
        if self.stream(stream).graph is not None:
            self.misuse.append("cuStreamSynchronize during a capture")
            return (FORBIDDEN,)
        self.wait_for(self.stream(stream))
        return (OK,)

    def cuStreamQuery(self, stream):
        if self.forbidden("cuStreamQuery"):
            return (FORBIDDEN,)
        found = self.stream(stream)
        if found.stalled:
            return (CUresult.CUDA_ERROR_NOT_READY,)
        merge(self.host, found.seen)
        return (OK,)

    def cuStreamWaitEvent(self, stream, event, flags):
        found = self.stream(stream)
        if event.stream is None:
            return (OK,)
        if event.stream.graph is not None:
            found.graph = event.stream.graph            # what follows the event is in the same graph
            return (OK,)
        merge(found.seen, event.seen)
        if event.stream.stalled and event.stream is not found:
            found.stalled = True
            found.queue.append(lambda: self.finish(event.stream))
        return (OK,)

    def cuEventCreate(self, flags):
        made = Event(flags)
        self.events.add(made)
        return OK, made

    def cuEventRecord(self, event, stream):
        assert event in self.events, "the event was destroyed"
        found = self.stream(stream)
        merge(found.seen, self.host)
        event.stream, event.seen = found, dict(found.seen)
        return (OK,)

    def cuEventQuery(self, event):
        if self.forbidden("cuEventQuery"):
            return (FORBIDDEN,)
        if event.stream is not None and event.stream.stalled:
            return (CUresult.CUDA_ERROR_NOT_READY,)
        merge(self.host, event.seen)
        return (OK,)

    def cuEventSynchronize(self, event):
        if event.stream is not None:
            self.finish(event.stream)
            merge(self.host, event.seen)
        return (OK,)

    def cuEventElapsedTime(self, start, end):
        return OK, 1.5

    def cuEventDestroy(self, event):
        self.events.remove(event)
        return (OK,)

    # ---- graphs

    def cuStreamBeginCapture(self, stream, mode):
        found = self.stream(stream)
        assert found.handle > 2 if isinstance(found.handle, int) else False, "the default stream can't be captured"
        found.graph = []
        self.capturing.append(found)
        return (OK,)

    def cuStreamEndCapture(self, stream):
        found = self.stream(stream)
        self.capturing.remove(found)
        graph, found.graph = found.graph, None
        for other in list(self.streams.values()):
            if other.graph is graph:
                other.graph = None
        if any("during a capture" in each for each in self.misuse):
            return CUresult.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, None
        return OK, graph

    def cuThreadExchangeStreamCaptureMode(self, mode):
        before, self.thread.mode = getattr(self.thread, "mode", CUstreamCaptureMode(0)), mode
        return OK, before

    def cuGraphInstantiate(self, graph, flags):
        handle = len(self.graphs) + 1
        self.graphs[handle] = list(graph)
        return OK, handle

    def cuGraphDestroy(self, graph):
        return (OK,)

    def cuGraphLaunch(self, executable, stream):
        for work in self.graphs[executable]:
            self.enqueue(self.stream(stream), *work)
        return (OK,)

    def cuGraphExecDestroy(self, executable):
        del self.graphs[executable]
        return (OK,)

    # ---- programs

    def cuModuleLoadData(self, binary):
        if self.forbidden("cuModuleLoadData"):
            return FORBIDDEN, None
        assert bytes(binary[:4]) == b"\x7fELF" or b".target" in binary
        return OK, binary

    def cuModuleGetFunction(self, module, name):
        source, name = bytes(module[4:]).decode(), name.decode()
        self.functions.append((name, source, signature(source, name)))
        return OK, len(self.functions)


def signature(source, name):
    """Kinds of a kernel's arguments, from its source: "pointer", "i64", "number" or "axes"; ARRAY makes two."""
    start = source.index(f"KERNEL({name})(") + len(f"KERNEL({name})(")
    level, end = 1, start
    while level:
        level += {"(": 1, ")": -1}.get(source[end], 0)
        end += 1
    kinds = []
    pattern = r"(ARRAY)\(\s*(const\s)?[^)]*\)|const\s+(i64|number|axes)\s"
    for array, const, plain in re.findall(pattern, source[start:end]):
        kinds += ["const pointer" if const else "pointer", "i64"] if array else [plain]
    return kinds


def install(monkeypatch, driver, nvrtc=None):
    """Let `import cuda.bindings.driver` find this driver (None: no cuda-bindings at all)."""
    if driver is None:
        for name in ("cuda", "cuda.bindings", "cuda.bindings.driver", "cuda.bindings.nvrtc"):
            monkeypatch.setitem(sys.modules, name, None)
        return
    bindings = sys.modules.get("cuda.bindings") or types.ModuleType("cuda.bindings")
    monkeypatch.setitem(sys.modules, "cuda", sys.modules.get("cuda") or types.ModuleType("cuda"))
    monkeypatch.setitem(sys.modules, "cuda.bindings", bindings)
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", driver)
    monkeypatch.setattr(bindings, "driver", driver, raising=False)
    if nvrtc is not None:
        monkeypatch.setitem(sys.modules, "cuda.bindings.nvrtc", nvrtc)
        monkeypatch.setattr(bindings, "nvrtc", nvrtc, raising=False)
