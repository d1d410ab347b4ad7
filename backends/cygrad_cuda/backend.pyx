# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os
"""The CUDA backend: devices, memory, copies and launches. Its kernels are the entries of `KernelBackend`.

Everything is enqueued in the calling thread's current stream of a device and not waited for; reading waits.
"""
cimport cython

from cygrad.storage cimport Storage
from cygrad.view cimport View
from cygrad_cuda cimport driver
from cygrad_cuda.driver cimport Context, Driver, stream_of
from cygrad_cuda.memory cimport DevicePool, HostPool, Pinned
from cygrad_gpu.runtime.entries cimport KernelBackend
from cygrad_gpu.runtime.launch cimport Arguments, GPUDevice, Kernel
from cygrad_gpu.runtime.memory_pool cimport Memory

from cygrad.devices import discovery
from cygrad.errors import BackendError, BackendUnavailable
from cygrad_cuda import api, blas, interop
from cygrad_cuda.memory import mark
from cygrad_cuda.binaries import Programs
from cygrad_gpu.codegen.traits import Traits
from cygrad_gpu.runtime import binary_cache

cdef enum:
    MOST_GROUPS = 0x7fffffff            # of a grid's first axis
    GROUP = 256                         # items of a group
    RESIDENT = 8                        # groups of that size that a multiprocessor holds at once


cdef class Device(GPUDevice):
    """An opened device: context, memory, programs."""
    cdef readonly Context context
    cdef readonly object capability
    cdef readonly dict streams          # {priority: handles of those that `Stream()` gives}; see streams.py
    cdef readonly set peers             # devices whose memory this one reaches by itself
    cdef public object blas             # blas.Handle, None until a product needs it
    cdef readonly str name

    def __init__(self, Driver driver, int index):
        cdef Context context = Context(driver, index)
        self.context = context
        self.name = name_of(driver, context.device)
        self.streams = {}
        self.peers = set()
        major, minor, units, local = [
            self.attribute(name) for name in ("COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR",
                                              "MULTIPROCESSOR_COUNT", "MAX_SHARED_MEMORY_PER_BLOCK")]
        self.capability = major, minor
        self.traits = Traits(dialect="cuda", processor=False, fp64=True, group=GROUP, units=units * RESIDENT,
                             local_memory=local)
        self.pool = DevicePool(context)
        self.programs = Programs(context, major * 10 + minor, self.pool)

    def attribute(self, str name):
        """What the driver says of the device."""
        cdef Driver driver = self.context.driver
        kind = getattr(driver.api.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return driver.call("cuDeviceGetAttribute", kind, self.context.device)

    cdef int refuse_capture(self, str what) except -1:
        """Raise if the current stream is being captured: `what` can't be repeated by a replay."""
        cdef DevicePool pool = <DevicePool>self.pool
        if pool.private and stream_of(self.context.index) in pool.private:
            raise BackendError(f"CUDA: {what} while a graph is captured, which a replay could not do again; keep such "
                               "steps out of the capture")
        return 0


def name_of(Driver driver, device):
    """What NVIDIA calls a device."""
    return driver.call("cuDeviceGetName", 256, device).rstrip(b"\0").decode()


@cython.final
cdef class CUDABackend(KernelBackend):
    """cygrad's backend for NVIDIA's GPUs."""
    fork_safe = False
    cdef readonly Driver driver         # None until a device was asked for
    cdef readonly HostPool host         # None until then, too
    cdef int count                      # -1 until a device was asked for
    cdef readonly str absence           # why there is no device: words for an error

    def __cinit__(self):
        self.name = "cuda"
        self.count = -1
        self.absence = ""

    # ---- devices

    cpdef device_count(self):
        if self.count < 0:
            self.count = self.find_devices()
        return self.count

    def find_devices(self):
        """Start the driver and count; why that gives 0 is in `absence` then."""
        try:
            self.driver = Driver()
            self.host = HostPool(self.driver)
            found = min(self.driver.call("cuDeviceGetCount"), <int>driver.MOST_DEVICES)
            self.absence = "" if found else "the driver sees no GPU"
            return found
        except ImportError as error:
            self.absence = f"NVIDIA's Python package cuda-bindings can't be imported ({error})"
        except BackendError as error:
            self.absence = str(error)
        except Exception as error:          # cuda-bindings' own, where there is no library to load
            self.absence = f"NVIDIA's driver does not load ({error})"
        return 0

    def device_opened(self, int index):
        if not self.device_count():
            raise BackendError(self.absence)
        if driver.forked:
            driver.refuse_forked()
        return Device(self.driver, index)

    cdef Device device(self, int index):
        return <Device>(<list>self.opened)[index]

    def build_info(self):
        """Where compiled kernels are kept, a dict of texts."""
        return {"compiled kernels": binary_cache.summary("cuda")}

    def device_name(self, int index=0):
        """NVIDIA's name of a device."""
        if not 0 <= index < self.device_count():
            raise BackendUnavailable(f"there is no device cuda:{index}{discovery.absence(self)}")
        return name_of(self.driver, self.driver.call("cuDeviceGet", index))

    def __getattr__(self, name):
        """What `cygrad.cuda` has beside what every backend's namespace has."""
        if name.startswith("_") or name not in api.NAMES:
            raise AttributeError(name)
        return getattr(api, name)

    # ---- memory

    cpdef memory_info(self, int index):
        """Free bytes count what is kept for reuse."""
        cdef Device device = self.device(index)
        free, total = device.context.call("cuMemGetInfo")
        return free + device.pool.cached, total

    def empty_cache(self):
        """Give the memory kept for reuse back to the driver: that of devices, and the host's page-locked."""
        super().empty_cache()
        if self.host is not None:
            self.host.empty()

    def pinned(self, dtype, shape):
        """An uninitialised tensor of the CPU in page-locked memory."""
        index = discovery.current_index(self.name)
        discovery.open_device(self, index)
        return interop.host_tensor(self.host.take(self.device(index).context, interop.bytes_of(dtype, shape)), dtype,
                                   shape)

    def is_pinned(self, View v not None):
        """Whether a tensor came from `pinned`."""
        return isinstance(v.memory.owner, Pinned)

    def record_stream(self, View v not None, stream):
        """Let memory that a stream beside its own has used be given out again only when that one is past its use."""
        self.device(v.memory.index).pool.read_by(<Memory>v.memory.handle, stream.cuda_stream)

    # ---- copies

    cpdef h2d(self, object host, Storage storage, Py_ssize_t start):
        cdef const unsigned char[::1] source = host
        cdef size_t target = (<Memory>storage.handle).address + start
        cdef Device device = self.device(storage.index)
        cdef size_t stream = stream_of(storage.index)
        if source.shape[0]:
            device.refuse_capture("numbers of the host were to be copied")
            device.context.call("cuMemcpyHtoDAsync", target, <size_t>&source[0], source.shape[0], stream)
            if self.host.used:              # page-locked memory is read later, other memory has been copied by now
                device.context.call("cuStreamSynchronize", stream)

    cpdef d2h(self, Storage storage, Py_ssize_t start, object host):
        cdef unsigned char[::1] target = host
        cdef size_t source = (<Memory>storage.handle).address + start
        cdef Device device = self.device(storage.index)
        cdef size_t stream = stream_of(storage.index)
        if target.shape[0]:
            device.refuse_capture("values were to be read")
            device.context.call("cuMemcpyDtoHAsync", <size_t>&target[0], source, target.shape[0], stream)
            device.context.call("cuStreamSynchronize", stream)

    def transfer(self, View src not None, View out not None):
        """Copy between page-locked memory of the host and a device, dense to dense, without waiting."""
        cdef bint there = out.memory.backend is self
        cdef View far = out if there else src, near = src if there else out
        cdef Context context = self.device(far.memory.index).context
        cdef size_t device, host, stream = stream_of(far.memory.index)
        cdef Pinned pinned
        if not isinstance(near.memory.owner, Pinned):
            return NotImplemented
        pinned = <Pinned>near.memory.owner
        device = (<Memory>far.memory.handle).address + far.offset * far.dtype.itemsize
        host = <size_t>near.memory.pointer + near.offset * near.dtype.itemsize
        if there:
            context.call("cuMemcpyHtoDAsync", device, host, src.elements * src.dtype.itemsize, stream)
        else:
            context.call("cuMemcpyDtoHAsync", host, device, src.elements * src.dtype.itemsize, stream)
        pinned.read_by(context, stream)

    cpdef d2d(self, Storage source, Storage target):
        """In the source's current stream, after what the target's has enqueued and before what it will."""
        cdef Device a = self.device(source.index), b = self.device(target.index)
        cdef size_t from_stream = stream_of(source.index), to_stream = stream_of(target.index)
        if not source.nbytes_:
            return
        self.reach(a, b)
        if a is not b:
            self.follow(a.context, from_stream, b.context, to_stream)
        a.context.call("cuMemcpyPeerAsync", (<Memory>target.handle).address, b.context.context,
                       (<Memory>source.handle).address, a.context.context, source.nbytes_, from_stream)
        if a is not b:
            self.follow(b.context, to_stream, a.context, from_stream)

    def follow(self, Context context, size_t stream, Context other, size_t other_stream):
        """Let a stream go on only when another is past what it has enqueued now."""
        event = mark(other, other_stream)
        context.call("cuStreamWaitEvent", stream, event, 0)
        other.call("cuEventDestroy", event)         # which the driver does when it has come

    cdef int reach(self, Device a, Device b) except -1:
        """Let one device reach the other's memory past the host, where it can."""
        if a is not b and b.context.index not in a.peers:
            a.peers.add(b.context.index)
            if a.context.call("cuDeviceCanAccessPeer", a.context.device, b.context.device):
                a.context.call("cuCtxEnablePeerAccess", b.context.context, 0)
        return 0

    cpdef synchronize(self, int index):
        self.device(index).context.call("cuCtxSynchronize")

    # ---- memory shared with other libraries

    def interface_of(self, v):
        """``Tensor.__cuda_array_interface__``."""
        return interop.describe(v)

    def from_interface(self, owner):
        """A tensor over the memory of an object with ``__cuda_array_interface__``."""
        return interop.share(self, owner)

    # ---- launches

    cdef int run(self, int index, Kernel kernel, Py_ssize_t groups, Arguments *arguments) except -1:
        cdef Context context = self.device(index).context
        cdef int code
        if groups > MOST_GROUPS:
            raise BackendError(f"CUDA: {kernel.name} would need {groups} groups, more than a grid can have")
        context.enter()
        code = context.driver.launch(kernel.function, <unsigned int>groups, 1, 1, kernel.group, 1, 1, 0,
                                     <void *>stream_of(index), arguments.values, NULL)
        if code != 0:
            context.driver.fail(code, f"cuLaunchKernel({kernel.name})")
        return 0

    cpdef matmul(self, View a, View b, View out):
        if blas.product(self, self.device(out.memory.index), a, b, out, 1.0, 0.0):
            return None
        return KernelBackend.matmul(self, a, b, out)

    cpdef addmm(self, View bias, View a, View b, double beta, double alpha, View out):
        if blas.supports(out.dtype) and self.device(out.memory.index).blas is not False:
            if beta == 0 or self.copy(bias, out) is None:
                if blas.product(self, self.device(out.memory.index), a, b, out, alpha, beta):
                    return None
        return KernelBackend.addmm(self, bias, a, b, beta, alpha, out)
