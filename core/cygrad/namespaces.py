"""`cygrad.cuda`, `cygrad.opencl`, `cygrad.cpu`: what `torch.cuda` is, for any backend, and the list of backends.

A namespace is made on first use and asks the backend only when one of its functions is called.
"""
import sys
import types

from cygrad import discovery
from cygrad.devices import device
from cygrad.errors import BackendError

KNOWN = ("cpu", "cuda", "opencl")


class DeviceNamespace(types.ModuleType):
    """Functions about one backend's devices, and its legacy tensor types."""

    def __init__(self, name):
        super().__init__(f"cygrad.{name}", f"Devices of the backend {name!r}.")
        self._name = name
        from cygrad.legacy import types_of
        self.__dict__.update(types_of(name))

    def _backend(self):
        return discovery.load(self._name)

    def _index(self, where):
        if where is None:
            return 0
        return where if isinstance(where, int) else device(where).index or 0

    def is_available(self):
        """Whether the backend is installed and has a device."""
        return self.device_count() > 0

    def device_count(self):
        """Number of usable devices; 0 when the backend is not installed."""
        try:
            return discovery.count(self._backend())
        except BackendError:
            return 0

    def current_device(self):
        """Index of the device that plain names of this backend stand for."""
        discovery.resolve(self._name)
        return 0

    def synchronize(self, device=None):
        """Wait until the device has finished all work given to it."""
        backend, index = discovery.resolve(f"{self._name}:{self._index(device)}")
        backend.synchronize(index)

    def memory_info(self, device=None):
        """(free, total) bytes of a device, or None when the backend can't say."""
        backend, index = discovery.resolve(f"{self._name}:{self._index(device)}")
        return backend.memory_info(index)

    def manual_seed(self, seed):
        """Seed the default generator: random numbers are the same on every device."""
        from cygrad.ops.random import manual_seed
        return manual_seed(seed)

    manual_seed_all = manual_seed

    def __getattr__(self, name):
        """What only this backend has: ``memory_allocated``, ``empty_cache``, streams, ..."""
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            backend = self._backend()
        except BackendError as error:
            raise AttributeError(f"cygrad.{self._name}.{name}: {error}") from None
        try:
            return getattr(backend, name)
        except AttributeError:
            raise AttributeError(f"backend {self._name!r} has no {name!r}") from None


def namespace(name):
    """The module `cygrad.NAME` of a backend."""
    full = f"cygrad.{name}"
    if full not in sys.modules:
        sys.modules[full] = DeviceNamespace(name)
    return sys.modules[full]
