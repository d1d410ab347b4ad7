"""`cygrad.cuda`, `cygrad.opencl`, `cygrad.cpu`, `cygrad.backends.NAME`: what `torch.cuda` is, for any backend.

A namespace is made on first use and asks the backend only when one of its functions is called.
"""
import sys
import types
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec

from cygrad.devices import attention_kernels, discovery, entry_points, library_switches, precision, streams
from cygrad.devices.device import device as device_type
from cygrad.errors import BackendError
from cygrad.ops.random import seeding
from cygrad.tensors.legacy_types import KINDS, types_of
from cygrad.tensors.storage_sources import named

KNOWN = ("cpu", "cuda", "mps", "mtia", "opencl", "xpu")     # also where no package brings a backend of this name
STORAGES = frozenset(word + "Storage" for word in KINDS.values())       # older types of storages
GRAPHS = ("Graph", "graph", "graph_pool_handle", "is_current_stream_capturing")
MIXED = tuple(f"cygrad.{name}.amp" for name in KNOWN)         # mixed precision by older names


def _free_and_total(backend, index):
    """What `memory_info` says, if it says what it should."""
    info = backend.memory_info(index)
    if info is not None and not (isinstance(info, tuple) and len(info) == 2):
        raise BackendError(f"memory_info of backend {backend.name!r} returned {info!r}; it returns (free, total), two "
                           "numbers of bytes, or None")
    return info


class DeviceNamespace(types.ModuleType):
    """Functions about one backend's devices, and its legacy tensor types."""

    def __init__(self, name):
        super().__init__(_module(name), f"Devices of the backend {name!r}.")
        self._name = name
        self.__path__ = []          # so that `import cygrad.cuda.amp` asks `find_spec`
        self.__dict__.update(types_of(name))
        if name == "cuda":
            self.matmul = precision.matmul
            self.__dict__.update(attention_kernels.names())

    def _backend(self):
        return discovery.load(self._name)

    def _index(self, where):
        """Number of a device given as None (the current one), a number, a string or a device."""
        if isinstance(where, int):
            return where
        where = device_type(self._name if where is None else where)
        if where.type != self._name:
            raise ValueError(f"Expected a {self._name} device, but got: {where}")
        return discovery.current_index(self._name) if where.index is None else where.index

    def _opened(self, where):
        return discovery.resolve(f"{self._name}:{self._index(where)}")

    def is_available(self):
        """Whether the backend is installed and has a device."""
        return self.device_count() > 0

    def device_count(self):
        """Number of usable devices; 0 when the backend is not installed or does not load."""
        try:
            return discovery.count(self._backend())
        except BackendError:
            return 0

    def current_device(self):
        """Index of the device that plain names of this backend stand for."""
        return discovery.resolve(self._name)[1]

    def set_device(self, device):
        """Let plain names of this backend stand for this one of its devices, in the calling thread."""
        discovery.set_current_index(self._name, self._index(device))

    def device_of(self, obj):
        """`device` of a tensor's device, for a `with` block; nothing where it is on another backend."""
        return self.device(obj.device.index if obj.device.type == self._name else None)

    @contextmanager
    def device(self, device):
        """`set_device` for a `with` block; -1 and None change nothing."""
        before = discovery.current_index(self._name)
        if device is not None and device != -1:
            self.set_device(device)
        try:
            yield
        finally:
            if device is not None and device != -1:
                self.set_device(before)

    def synchronize(self, device=None):
        """Wait until the device has finished all work given to it."""
        backend, index = self._opened(device)
        backend.synchronize(index)

    def memory_info(self, device=None):
        """(free, total) bytes of a device, or None when the backend can't say."""
        backend, index = self._opened(device)
        return _free_and_total(backend, index)

    mem_get_info = memory_info

    def memory_allocated(self, device=None):
        """Bytes that tensors hold on a device; 0 when the backend can't be used."""
        return self._bytes("memory_allocated", device)

    def max_memory_allocated(self, device=None):
        """The most bytes that tensors held at once; 0 when the backend can't be used."""
        return self._bytes("max_memory_allocated", device)

    def max_memory_reserved(self, device=None):
        """The most bytes that were taken from the device at once; 0 when the backend can't be used."""
        return self._bytes("max_memory_reserved", device)

    def memory_reserved(self, device=None):
        """Bytes taken from the device: those of tensors and those kept for reuse; 0 when the backend can't be used."""
        return self._bytes("memory_reserved", device)

    def memory_stats(self, device=None):
        """Counts of bytes and buffers by PyTorch's names; empty when the backend can't be used."""
        return self._bytes("memory_stats", device) or {}

    def reset_peak_memory_stats(self, device=None):
        """Start `max_memory_allocated` and `max_memory_reserved` again from what is held now."""
        self._bytes("reset_peak_memory_stats", device)

    reset_max_memory_allocated = reset_peak_memory_stats

    def reset_accumulated_memory_stats(self, device=None):
        """Start the sums of `memory_stats` again."""
        self._bytes("reset_accumulated_memory_stats", device)

    def empty_cache(self):
        """Give the memory that is kept for reuse back to the device, where the backend keeps any."""
        try:
            empty = getattr(self._backend(), "empty_cache", None)
        except BackendError:
            return
        if empty is not None:
            empty()

    def manual_seed(self, seed):
        """Seed the default generator, whose numbers are the same on every device; nothing where there is no device."""
        if self.is_available():
            seeding.manual_seed(seed)

    manual_seed_all = manual_seed

    def _bytes(self, what, where):
        """A function of the backend, called with the number of a device; 0 when the backend can't be used."""
        index = self._index(where)
        try:
            backend = self._backend()
        except BackendError:
            return 0
        if not hasattr(backend, what):
            return self._guessed(backend, what, index)
        return self._own(backend, what)(index)

    def _guessed(self, backend, what, index):
        """For a backend that does not count: what its device has less than all, or nothing."""
        if what in ("memory_allocated", "memory_reserved"):
            info = _free_and_total(backend, index)
            return 0 if info is None else info[1] - info[0]
        return {} if what == "memory_stats" else None if what.startswith("reset") else 0

    def _own(self, backend, name):
        try:
            return getattr(backend, name)
        except AttributeError:
            if name in streams.FUNCTIONS:
                return streams.function(name, self._name)
            if name in GRAPHS:
                from cygrad.devices import graphs      # start-up time
                return graphs.function(name, self._name)
            raise AttributeError(f"backend {self._name!r} has no {name!r}") from None

    def __dir__(self):
        """Also the functions that every backend has, and the public names of this one."""
        try:
            own = type(self._backend())
        except BackendError:
            own = object
        return sorted({*super().__dir__(), *streams.FUNCTIONS, *GRAPHS, *vars(DeviceNamespace),
                       *(name for name in dir(own) if not name.startswith("_"))})

    @property
    def _initialized(self):
        """PyTorch's name for `is_initialized()`, by which programs ask whether there are random states to keep."""
        try:
            return self.is_initialized()
        except AttributeError:          # a backend that can't say
            return False

    def __getattr__(self, name):
        """What only this backend has: streams, threads, ..."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name in STORAGES:
            return named(name, self._name)
        if name == "amp":
            from cygrad.amp.older_names import module_of      # start-up time
            self.amp = sys.modules[f"{self.__name__}.amp"] = module_of(self._name)
            return self.amp
        try:
            backend = self._backend()
        except BackendError as error:
            raise AttributeError(f"{self.__name__}.{name}: {error}") from None
        return self._own(backend, name)


def installed(name):
    """Whether a backend of this name is loaded or declared by a package."""
    return name in discovery._loaded or name in _declared(tuple(sys.path))


@cache
def _declared(path):
    """Names of the backends that packages on the path declare: looking takes milliseconds, missing names are common."""
    return frozenset(entry_points.find(discovery.GROUP))


def _module(name):
    return f"cygrad.{name}" if name in KNOWN else f"cygrad.backends.{name}"


def namespace(name):
    """The module of a backend's devices: `cygrad.NAME` of those known by name, else `cygrad.backends.NAME`."""
    full = _module(name)
    if full not in sys.modules:
        sys.modules[full] = DeviceNamespace(name)
    return sys.modules[full]


def __getattr__(name):
    """The namespace of a backend that is known by name, for `cygrad` to find here what `_LAZY` says is here."""
    if name in KNOWN:
        return namespace(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def find_spec(fullname):
    """How an import statement makes one of these modules, which have no file; None for other names."""
    parent, _, name = fullname.rpartition(".")
    if parent == "cygrad" and name in KNOWN or parent == "cygrad.backends" or fullname in MIXED:
        try:
            made(fullname)
        except AttributeError:
            return None
        return ModuleSpec(fullname, _Loader)
    return None


def made(fullname):
    """The module of this name."""
    parent, _, name = fullname.rpartition(".")
    if parent == "cygrad.backends":
        return library_switches.module(name) or getattr(sys.modules[parent], name)
    return namespace(parent.rpartition(".")[2]).amp if name == "amp" else namespace(name)


class _Loader:
    """Gives the import system a module that is ready."""

    @staticmethod
    def create_module(spec):
        return made(spec.name)

    @staticmethod
    def exec_module(module):
        pass


def get_device_module(device=None):
    """The namespace of a device's functions: `cygrad.cpu` for the processor.

    Parameters
    ----------
    device : device or str, optional
        By default the processor.

    Returns
    -------
    module

    Raises
    ------
    RuntimeError
        For what is no device, or another one than those that are known.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_device_module("cpu") is cygrad.cpu
    True
    """
    if not isinstance(device, (str, device_type, type(None))):
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    return namespace("cpu" if device is None else device_type(device).type)
