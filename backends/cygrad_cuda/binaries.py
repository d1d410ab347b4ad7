"""Programs of one device: compiled by NVRTC, or taken from the disk; never twice in a process, rarely on a machine."""
import time

from cygrad_gpu.runtime import binary_cache

from cygrad_cuda import compiler


class Programs:
    """The programs of one device.

    Parameters
    ----------
    context : Context
    capability : int
        90 for compute capability 9.0.
    pool : DevicePool
        Lets programs be loaded while a graph is captured.

    Attributes
    ----------
    built, loaded : int
        How many programs were compiled and taken from the disk.
    seconds : float
        Time spent on both.
    """

    def __init__(self, context, capability, pool):
        self.context = context
        self.pool = pool
        self.capability = capability
        self.modules = {}
        self.built = self.loaded = 0
        self.seconds = 0.0

    def kernel(self, source, name):
        """The driver's function `name` of a program, and its handle."""
        module = self.modules.get(source)
        if module is None:
            start = time.perf_counter()
            module = self.modules[source] = self._load(source) or self._build(source, name)
            self.seconds += time.perf_counter() - start
        function = self.context.call("cuModuleGetFunction", module, name.encode())
        return function, int(function)

    def _parts(self, source):
        (major, minor), _ = compiler.version()
        return f"NVRTC {major}.{minor}", compiler.target(self.capability)[0], *compiler.OPTIONS, source

    def _module(self, binary):
        with self.pool.uncaptured():
            return self.context.call("cuModuleLoadData", binary)

    def _load(self, source):
        module = binary_cache.load("cuda", self._parts(source), self._module)
        self.loaded += module is not None
        return module

    def _build(self, source, name):
        binary = compiler.compile(source, name, self.capability)
        module = self._module(binary)
        self.built += 1
        binary_cache.store("cuda", self._parts(source), binary)
        return module
