"""The CUDA backend: devices and memory. Its kernels are the entries of `KernelBackend`.

Everything runs in order in a device's default stream. Kernels are enqueued and not waited for; reading waits.
"""
cimport cython

from cygrad.storage cimport Storage
from cygrad_cuda cimport driver
from cygrad_cuda.driver cimport Block, Context, DevicePool, Driver
from cygrad_gpu.backend cimport KernelBackend
from cygrad_gpu.launch cimport Arguments, Kernel, Memory

from cygrad import discovery
from cygrad.errors import BackendError, BackendUnavailable
from cygrad_cuda.programs import Programs
from cygrad_gpu.traits import Traits

cdef enum:
    MOST_GROUPS = 0x7fffffff            # of a grid's first axis
    GROUP = 256                         # items of a group
    RESIDENT = 8                        # groups of that size that a multiprocessor holds at once


cdef class Device:
    """An opened device: context, memory, programs."""
    cdef readonly Context context
    cdef readonly DevicePool pool
    cdef readonly object programs, traits, capability
    cdef readonly str name

    def __init__(self, Driver driver, int index):
        cdef Context context = Context(driver, index)
        self.context = context
        self.name = name_of(driver, context.device)
        names = driver.api.CUdevice_attribute
        major, minor, units, local = [
            driver.call("cuDeviceGetAttribute", getattr(names, f"CU_DEVICE_ATTRIBUTE_{name}"), context.device)
            for name in ("COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR", "MULTIPROCESSOR_COUNT",
                         "MAX_SHARED_MEMORY_PER_BLOCK")]
        self.capability = major, minor
        self.traits = Traits(dialect="cuda", processor=False, fp64=True, group=GROUP, units=units * RESIDENT,
                             local_memory=local)
        self.pool = DevicePool(context)
        self.programs = Programs(context, major * 10 + minor)


def name_of(Driver driver, device):
    """What NVIDIA calls a device."""
    return driver.call("cuDeviceGetName", 256, device).rstrip(b"\0").decode()


@cython.final
cdef class CUDABackend(KernelBackend):
    """cygrad's backend for NVIDIA's GPUs."""
    fork_safe = False
    cdef Driver driver                  # None until a device was asked for
    cdef list opened                    # Device by index, None where not opened yet
    cdef int count                      # -1 until a device was asked for
    cdef readonly str absence           # why there is no device: words for an error

    def __cinit__(self):
        self.name = "cuda"
        self.opened = []
        self.count = -1
        self.absence = ""

    # ---- devices and memory

    cpdef device_count(self):
        if self.count < 0:
            self.count = self.find_devices()
        return self.count

    def find_devices(self):
        """Start the driver and count; why that gives 0 is in `absence` then."""
        try:
            self.driver = Driver()
            found = self.driver.call("cuDeviceGetCount")
            self.absence = "" if found else "the driver sees no GPU"
            return found
        except ImportError as error:
            self.absence = f"NVIDIA's Python package cuda-bindings can't be imported ({error})"
        except BackendError as error:
            self.absence = str(error)
        except Exception as error:          # cuda-bindings' own, where there is no library to load
            self.absence = f"NVIDIA's driver does not load ({error})"
        return 0

    cpdef open(self, int index):
        if not self.device_count():
            raise BackendError(self.absence)
        if driver.forked:
            driver.refuse_forked()
        while len(self.opened) <= index:
            self.opened.append(None)
        if self.opened[index] is None:
            self.opened[index] = Device(self.driver, index)

    cdef Device device(self, int index):
        return <Device>(<list>self.opened)[index]

    cdef int allocate(self, Storage storage) except -1:
        if driver.forked:
            driver.refuse_forked()
        storage.handle = self.device(storage.index).pool.take(storage.nbytes_)
        return 0

    cdef void release(self, Storage storage) noexcept:
        cdef Memory buffer
        try:
            if storage.handle is not None:
                buffer = <Memory>storage.handle
                self.device(storage.index).pool.give(buffer)
        except Exception:
            pass                            # no memory for a list: the buffer goes back to the driver

    cpdef alloc(self, int index, Py_ssize_t nbytes):
        return self.device(index).pool.take(nbytes)

    cpdef free(self, int index, object buffer, Py_ssize_t nbytes):
        self.device(index).pool.give(<Memory?>buffer)

    cpdef h2d(self, object host, Storage storage, Py_ssize_t start):
        cdef const unsigned char[::1] source = host
        cdef size_t target = (<Memory>storage.handle).address + start
        if source.shape[0]:
            self.device(storage.index).context.call("cuMemcpyHtoD", target, <size_t>&source[0], source.shape[0])

    cpdef d2h(self, Storage storage, Py_ssize_t start, object host):
        cdef unsigned char[::1] target = host
        cdef size_t source = (<Memory>storage.handle).address + start
        if target.shape[0]:
            self.device(storage.index).context.call("cuMemcpyDtoH", <size_t>&target[0], source, target.shape[0])

    cpdef d2d(self, Storage source, Storage target):
        cdef Context a = self.device(source.index).context, b = self.device(target.index).context
        if source.nbytes_:
            b.call("cuMemcpyPeer", (<Memory>target.handle).address, b.context, (<Memory>source.handle).address,
                   a.context, source.nbytes_)

    cpdef address(self, object buffer):
        return (<Memory>buffer).address

    cpdef synchronize(self, int index):
        self.device(index).context.call("cuCtxSynchronize")

    cpdef memory_info(self, int index):
        """Free bytes count what is kept for reuse."""
        cdef Device device = self.device(index)
        free, total = device.context.call("cuMemGetInfo")
        return free + device.pool.cached, total

    # ---- programs and launches

    def traits(self, int index):
        return self.device(index).traits

    def compile(self, int index, str name, str source, int group):
        cdef Kernel kernel = Kernel.__new__(Kernel)
        kernel.program = self.device(index).programs.kernel(source, name)
        kernel.function = <void *><size_t>int(kernel.program)
        kernel.name = name
        kernel.group = group
        return kernel

    cdef int run(self, int index, Kernel kernel, Py_ssize_t groups, Arguments *arguments) except -1:
        cdef Context context = self.device(index).context
        cdef int code
        if groups > MOST_GROUPS:
            raise BackendError(f"CUDA: {kernel.name} would need {groups} groups, more than a grid can have")
        context.enter()
        code = context.driver.launch(kernel.function, <unsigned int>groups, 1, 1, kernel.group, 1, 1, 0, NULL,
                                     arguments.values, NULL)
        if code != 0:
            context.driver.fail(code, f"cuLaunchKernel({kernel.name})")
        return 0

    # ---- what `cygrad.cuda` has beside what every backend's namespace has

    def device_name(self, int index=0):
        """NVIDIA's name of a device."""
        if not 0 <= index < self.device_count():
            raise BackendUnavailable(f"there is no device cuda:{index}{discovery.absence(self)}")
        return name_of(self.driver, self.driver.call("cuDeviceGet", index))

    get_device_name = device_name

    def get_device_capability(self, int device=0):
        """(major, minor) of the compute capability."""
        return self.at(device).capability

    def memory_allocated(self, int device=0):
        """Bytes that tensors hold on a device now."""
        cdef DevicePool pool = self.pool_of(device)
        return 0 if pool is None else pool.used

    def max_memory_allocated(self, int device=0):
        """Most bytes that tensors held at once since the start or `reset_peak_memory_stats`."""
        cdef DevicePool pool = self.pool_of(device)
        return 0 if pool is None else pool.peak

    def memory_reserved(self, int device=0):
        """Bytes taken from the driver: held by tensors, or kept for reuse."""
        cdef DevicePool pool = self.pool_of(device)
        return 0 if pool is None else pool.used + pool.cached

    def reset_peak_memory_stats(self, int device=0):
        """Start `max_memory_allocated` again from what is held now."""
        cdef DevicePool pool = self.pool_of(device)
        if pool is not None:
            pool.peak = pool.used

    def empty_cache(self):
        """Give the memory kept for reuse back to the driver."""
        for device in self.opened:
            if device is not None:
                device.pool.empty()

    def program_stats(self, int device=0):
        """How many programs were compiled and how many came from the disk, and the seconds both took: a dict."""
        programs = self.at(device).programs
        return {"built": programs.built, "loaded": programs.loaded, "seconds": programs.seconds}

    def Event(self, enable_timing=False, blocking=False, interprocess=False, int device=0):
        """A point in a device's stream, as ``torch.cuda.Event``."""
        return Event(self.at(device).context, enable_timing, blocking)

    cdef DevicePool pool_of(self, int index):
        """The memory of a device; None where it is not opened, and so holds nothing."""
        cdef Device device = self.opened[index] if 0 <= index < len(self.opened) else None
        return None if device is None else device.pool

    cdef Device at(self, int index):
        """A device that is named without a tensor: opened if it is not yet."""
        discovery.open_device(self, index)
        return self.device(index)


class Event:
    """A point in a device's default stream; made by ``cygrad.cuda.Event``.

    Examples
    --------
    ``start, end = Event(enable_timing=True), Event(enable_timing=True); start.record(); work(); end.record();
    end.synchronize(); start.elapsed_time(end)`` gives milliseconds.
    """

    def __init__(self, context, enable_timing, blocking):
        flags = context.driver.api.CUevent_flags
        wanted = flags.CU_EVENT_DEFAULT if enable_timing else flags.CU_EVENT_DISABLE_TIMING
        if blocking:
            wanted |= flags.CU_EVENT_BLOCKING_SYNC
        self._context = context
        self._event = context.call("cuEventCreate", int(wanted))

    def record(self):
        """Mark what has been enqueued so far."""
        self._context.call("cuEventRecord", self._event, 0)

    def synchronize(self):
        """Wait until the device is here."""
        self._context.call("cuEventSynchronize", self._event)

    def query(self):
        """Whether the device has been here."""
        api = self._context.driver.api
        status, = api.cuEventQuery(self._event)
        if status == api.CUresult.CUDA_ERROR_NOT_READY:
            return False
        if status:
            self._context.driver.fail(status, "cuEventQuery")
        return True

    def elapsed_time(self, end):
        """Milliseconds from here to `end`; both must have been reached and made with ``enable_timing=True``."""
        return self._context.call("cuEventElapsedTime", self._event, end._event)

    def __del__(self):
        event = self.__dict__.get("_event")
        if event is not None:
            self._context.driver.api.cuEventDestroy(event)
