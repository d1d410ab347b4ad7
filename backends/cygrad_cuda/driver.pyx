# cython: binding=False
# distutils: extra_compile_args = -Os
"""NVIDIA's driver API through `cuda-bindings`; devices' contexts; the stream that each thread uses on each device.

What is on every op's path (launching, making a context current, giving memory back) is called through pointers that
the driver itself names by `cuGetProcAddress`; all else through the Python functions of `cuda.bindings.driver`.
"""
import os

from cygrad.errors import BackendError, OutOfMemoryError

LOST = frozenset((                      # what leaves a context unusable
    "ASSERT", "ECC_UNCORRECTABLE", "HARDWARE_STACK_ERROR", "ILLEGAL_ADDRESS", "ILLEGAL_INSTRUCTION",
    "INVALID_ADDRESS_SPACE", "INVALID_PC", "LAUNCH_FAILED", "LAUNCH_TIMEOUT", "MISALIGNED_ADDRESS"))
cdef bint forked = False
cdef bint watching = False

cdef extern from *:
    """
    #ifdef _MSC_VER
    static __declspec(thread) size_t cygrad_cuda_streams[64];
    #else
    static __thread size_t cygrad_cuda_streams[64];
    #endif
    """
    size_t[MOST_DEVICES] streams "cygrad_cuda_streams"

cdef enum:
    ABI = 12000                         # the version of CUDA whose signatures are meant


cdef class Driver:
    """The driver API, started.

    Raises whatever keeps it from starting: ImportError without `cuda-bindings`, that package's own errors without a
    driver, BackendError with the driver's words.
    """

    def __init__(self):
        from cuda.bindings import driver
        self.api = driver
        self.call("cuInit", 0)
        self.launch = <Launch><size_t>self.pointer("cuLaunchKernel")
        self.set_current = <SetCurrent><size_t>self.pointer("cuCtxSetCurrent")
        self.free = <Free><size_t>self.pointer("cuMemFree")
        self.free_host = <Free><size_t>self.pointer("cuMemFreeHost")
        watch_forks()

    def call(self, str name, *args):
        """What a function of the API returns beside its status, which is checked."""
        result = getattr(self.api, name)(*args)
        if result[0]:
            self.fail(result[0], name)
        return None if len(result) == 1 else result[1] if len(result) == 2 else result[1:]

    def fail(self, code, str call):
        """Raise what a status means, with the driver's words."""
        status = self.api.CUresult(code)
        text = self.api.cuGetErrorString(status)[1]
        text = f"CUDA: {call} failed: {status.name} ({text.decode() if text else 'unknown'})"
        if status == self.api.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            raise OutOfMemoryError(text)
        if status.name.removeprefix("CUDA_ERROR_") in LOST:
            text += "; the process can't use the device any more: start it again"
        raise BackendError(text)

    def ready(self, str name, *args):
        """Whether a query says that all is done."""
        status, = getattr(self.api, name)(*args)
        if status == self.api.CUresult.CUDA_ERROR_NOT_READY:
            return False
        if status:
            self.fail(status, name)
        return True

    def pointer(self, str name):
        """The address of a function of the driver."""
        address = self.call("cuGetProcAddress", name.encode(), <int>ABI, 0)[0]
        if not address:
            raise BackendError(f"CUDA: the driver has no {name}; version 12.0 or later is needed")
        return int(address)


cdef int refuse_forked() except -1:
    raise BackendError("CUDA devices can't be used in a process forked from one that used them; start it with "
                       "multiprocessing's 'spawn' method, or use the device only in the child")


def watch_forks():
    """From now on a forked child knows that the driver's state stayed behind."""
    global watching
    if not watching and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=mark_forked)
    watching = True


def mark_forked():
    """Remember, in the child, that the driver can't be used."""
    global forked
    forked = True


cdef class Context:
    """A device's primary context, the one that other libraries of a process use too."""

    def __init__(self, Driver driver, int index):
        self.driver = driver
        self.index = index
        self.device = driver.call("cuDeviceGet", index)
        self.context = driver.call("cuDevicePrimaryCtxRetain", self.device)
        self.handle = <void *><size_t>int(self.context)

    cdef int enter(self) except -1:
        """Make the device the calling thread's; cheap, and needed before every call, for others change it too."""
        cdef int code
        if forked:
            refuse_forked()
        code = self.driver.set_current(self.handle)
        if code != 0:
            self.driver.fail(code, "cuCtxSetCurrent")
        return 0

    def call(self, str name, *args):
        """`Driver.call` on this device."""
        self.enter()
        return self.driver.call(name, *args)

    def ready(self, str name, *args):
        """`Driver.ready` on this device."""
        self.enter()
        return self.driver.ready(name, *args)


# ---- current streams

cdef size_t stream_of(int index) noexcept:
    return streams[index]


def current_stream(int index):
    """The driver's handle of the calling thread's current stream on a device; 0 is the default stream."""
    return streams[index]


def set_current_stream(int index, size_t handle):
    """Let the calling thread use another stream on a device."""
    streams[index] = handle
