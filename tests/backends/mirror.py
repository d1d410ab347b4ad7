"""A backend that conforms in every entry: memory of its own, in which the CPU's kernels compute. What mutants break.

A buffer is a NumPy array of bytes. `array` lays a View's geometry over it; `load` and `store` read and write numbers,
16-bit floats as float32.
"""
import inspect

import cygrad
import numpy as np
from cygrad.backend import Backend
from cygrad.devices.discovery import load as load_backend
from cygrad.dispatch.allocation import empty_on
from cygrad.testing.operands import DTYPES, plain, storage_type, stored
from cygrad.view import View

MEMORY = ("device_count", "open", "alloc", "free", "h2d", "d2h", "d2d", "address", "synchronize", "supports",
          "memory_info", "host_view", "device_view", "nonzero", "simulate")


def array(view):
    """The elements of a View as they lie in memory."""
    size = view.element_size()
    return np.ndarray(view.shape, storage_type(view.dtype.name), view.buffer, view.storage_offset() * size,
                      [stride * size for stride in view.stride()])


def load(view):
    """The elements of a View in a dtype to compute with."""
    values = plain(array(view).copy(), view.dtype.name)
    return values.astype("float32") if view.dtype.name == "float16" else values


def store(out, values):
    """out[...] = values."""
    array(out)[...] = stored(values, out.dtype.name)


def on_host(value, made):
    """The CPU's tensor over the memory of a View, one for one; tuples piece by piece; all else as it is."""
    if isinstance(value, tuple):
        found = tuple([on_host(each, made) for each in value])
        return value if all(each is other for each, other in zip(found, value)) else found     # a program is one tuple
    if not isinstance(value, View):
        return value
    if id(value) not in made:
        truths = value.dtype is cygrad.bool         # whose bytes, unlike those of a view by `view(bool)`, are 0 or 1
        whole = cygrad.from_numpy(value.buffer.view("bool" if truths else "uint8")).view(value.dtype)
        made[id(value)] = whole.as_strided(tuple(value.shape), value.stride(), value.storage_offset())
    return made[id(value)]


class Mirror(Backend):
    """Every entry is the CPU's."""

    interface_version = 1

    def __init__(self):
        self.name, self.devices = "mirror", 1

    def device_count(self):
        return self.devices

    def simulate(self, count):
        self.devices = count

    def alloc(self, index, nbytes):
        return np.empty(-(-max(nbytes, 1) // 16) * 16, "uint8")

    def h2d(self, host, storage, start):
        storage.buffer[start:start + len(host)] = host

    def d2h(self, storage, start, host):
        host[:] = storage.buffer[start:start + len(host)]

    def address(self, buffer):
        return buffer.ctypes.data

    def nonzero(self, a, allocate):
        found = np.argwhere(array(a) if a.dtype.name != "bfloat16" else load(a))
        array(allocate(len(found)))[...] = found


def _mirrored(entry):
    def kernel(self, *args):
        made = {}
        return getattr(load_backend("cpu"), entry)(*[on_host(value, made) for value in args])
    kernel.__name__ = entry
    return kernel


for _entry, _method in vars(Backend).items():
    if not _entry.startswith("_") and callable(_method) and _entry not in MEMORY and not inspect.isclass(_method):
        setattr(Mirror, _entry, _mirrored(_entry))


def scratch(backend, like, shape, dtype):
    """A new View on the device of another one."""
    return empty_on(backend, like._storage().index, DTYPES[dtype], shape)
