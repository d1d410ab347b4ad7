# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os
"""The OpenCL backend: devices and memory. Its kernels are the entries of `KernelBackend`.

A device has one context and one in-order queue. Kernels are enqueued and not waited for; reading waits.
"""
cimport cython
from libc.string cimport memcpy

from cygrad.dtype cimport COMPLEX128, FLOAT64, DType
from cygrad.storage cimport Storage
from cygrad.view cimport View
from cygrad_gpu.runtime.entries cimport KernelBackend
from cygrad_gpu.runtime.launch cimport MAX_WORDS, Arguments, GPUDevice, Kernel
from cygrad_gpu.runtime.memory_pool cimport Pool
from cygrad_opencl cimport driver
from cygrad_opencl.driver cimport Queue
from cygrad_opencl.cl_buffers cimport Buffer, BufferPool

from cygrad.devices import discovery
from cygrad.errors import BackendError
from cygrad_gpu.runtime import binary_cache
from cygrad_opencl import devices, exchange, sharing
from cygrad_opencl.binaries import Programs


cdef class Device(GPUDevice):
    """An opened device: context, queue, buffers, programs."""
    cdef readonly object device, context
    cdef object host_memory
    cdef bint packs                     # kernels take what is no buffer as one argument
    cdef readonly Queue queue

    def __init__(self, device):
        import pyopencl
        self.device = device
        self.context = pyopencl.Context([device])
        self.queue = Queue(pyopencl.CommandQueue(self.context, device,
                                                 pyopencl.command_queue_properties.PROFILING_ENABLE))
        self.pool = BufferPool(self.context, device.global_mem_size, device.max_mem_alloc_size)
        self.programs = Programs(self.context, device)
        self.traits = devices.traits_of(device)
        self.packs = self.traits.processor

    cdef bint in_host_memory(self) except -1:
        """Whether kernels use the host's memory: asked once, of a buffer."""
        if self.host_memory is None:
            self.host_memory = self.traits.processor and exchange.in_host_memory(self.context, self.queue.opened)
        return self.host_memory

    cdef char *waited_for(self, Buffer buffer) except? NULL:
        """The memory of a buffer, when all that was enqueued is done; NULL where the host has no access to it."""
        if not self.in_host_memory():
            return NULL
        driver.finish(self.queue)
        if buffer.host == NULL:
            buffer.host = <char *><size_t>exchange.address_of(self.queue.opened, buffer.buffer)
        return buffer.host


@cython.final
cdef class OpenCLBackend(KernelBackend):
    """cygrad's backend for OpenCL devices."""
    fork_safe = False
    dlpack_kind = 4         # kDLOpenCL
    declines = {            # what `cygrad.testing` says of entries without a kernel
        "d2d": "through the host", "conv2d": "complex numbers: copies and matmul on the device",
        "conv2d_backward": "complex numbers, and images of few channels: copies and matmul on the device",
        "linalg": "LAPACK on the host"}
    cdef readonly object Event
    cdef int simulated                  # how many devices there shall be at least

    def __cinit__(self):
        self.name = "opencl"
        self.Event = Event

    # ---- devices and memory

    cpdef device_count(self):
        try:
            found = len(devices.devices())
            driver.watch_forks()        # to be asked for devices starts threads of PoCL
            return max(found, self.simulated) if found else 0
        except ImportError:             # pyopencl is not installed
            return 0
        except BackendError:
            raise                       # CYGRAD_OPENCL_DEVICE is wrong: the user is told
        except Exception:               # the driver manager says so by an error when there is no platform
            return 0

    def device_opened(self, int index):
        if driver.forked:
            driver.refuse_forked()
        found = devices.devices()
        return Device(found[index % len(found)])

    def simulate(self, int count):
        """Count `count` devices at least, by counting those there are again: each has a context of its own."""
        self.simulated = count

    cdef Device device(self, int index):
        return <Device>(<list>self.opened)[index]

    cpdef h2d(self, object host, Storage storage, Py_ssize_t start):
        cdef const unsigned char[::1] source = host
        cdef Device device = self.device(storage.index)
        cdef Buffer buffer = <Buffer>storage.handle
        cdef char *memory
        if source.shape[0] == 0:
            return
        memory = device.waited_for(buffer)
        if memory == NULL:
            driver.write(device.queue, <void *>buffer.address, start, source.shape[0], &source[0])
            return
        with nogil:
            memcpy(memory + start, &source[0], source.shape[0])

    cpdef d2h(self, Storage storage, Py_ssize_t start, object host):
        cdef unsigned char[::1] target = host
        cdef Device device = self.device(storage.index)
        cdef Buffer buffer = <Buffer>storage.handle
        cdef char *memory
        if target.shape[0] == 0:
            return
        memory = device.waited_for(buffer)      # a read would be a command, and a thread's waking more
        if memory == NULL:
            driver.read(device.queue, <void *>buffer.address, start, target.shape[0], &target[0])
            return
        with nogil:
            memcpy(&target[0], memory + start, target.shape[0])

    cpdef synchronize(self, int index):
        driver.finish(self.device(index).queue)

    cpdef supports(self, object dtype):
        cdef int code = (<DType>dtype).code
        if code == FLOAT64 or code == COMPLEX128:
            for device in self.opened:
                if device is not None and not device.traits.fp64:
                    return False
        return True

    cpdef memory_info(self, int index):
        cdef Pool pool = self.device(index).pool
        return max(pool.total - pool.used, 0), pool.total

    def host_view(self, View t):
        cdef Device device = self.device(t.memory.index)
        if not device.in_host_memory():
            return NotImplemented
        return sharing.host_view(device.queue, t, exchange.address_of(device.queue.opened, self.to_buffer(t)))

    def device_view(self, View t, int index):
        cdef Device device = self.device(index)
        cdef size_t address = <size_t>t.memory.pointer
        if not device.in_host_memory() or t.memory.nbytes_ == 0 or address % t.dtype.itemsize:
            return NotImplemented
        buffer = exchange.over_host_memory(device.context, address, t.memory.nbytes_)
        return sharing.device_view(self, device.queue, index, t, buffer)

    # ---- launches

    cdef int run(self, int index, Kernel kernel, Py_ssize_t groups, Arguments *arguments) except -1:
        cdef int i, code
        cdef Device device = self.device(index)
        cdef Queue queue = device.queue
        cdef long long words[MAX_WORDS]
        cdef size_t used = 0, done = 0, more
        if driver.forked:
            driver.refuse_forked()
        if device.packs:                # the buffers, then all else as one argument, see `source.assemble`
            for i in range(arguments.views):
                code = driver.set_argument(kernel.function, i, sizeof(size_t), &arguments.room[arguments.places[i]])
                if code != 0:
                    driver.check(code, f"clSetKernelArg({kernel.name}, {i})")
                more = arguments.places[i] - done
                memcpy(&words[used], &arguments.room[done], more * 8)
                used += more
                done += more + 1
            more = arguments.used - done
            memcpy(&words[used], &arguments.room[done], more * 8)
            code = driver.set_argument(kernel.function, arguments.views, (used + more) * 8, words)
            if code != 0:
                driver.check(code, f"clSetKernelArg({kernel.name}, {arguments.views})")
        else:
            for i in range(arguments.count):
                code = driver.set_argument(kernel.function, i, arguments.sizes[i], arguments.values[i])
                if code != 0:
                    driver.check(code, f"clSetKernelArg({kernel.name}, {i})")
        code = driver.enqueue(queue, kernel.function, groups, kernel.group)
        if code != 0:
            driver.check(code, f"clEnqueueNDRangeKernel({kernel.name})")
        if queue.shares:
            driver.finish(queue)
        return 0

    # ---- what only this backend has: cygrad.opencl.NAME

    def build_info(self):
        """Where compiled kernels are kept, a dict of texts."""
        return {"compiled kernels": binary_cache.summary("opencl")}

    def device_name(self, int index=0):
        """Name and platform of a device."""
        return devices.name_of(devices.devices()[index])

    def context(self, int device=0):
        """pyopencl's Context of a device: buffers that are shared with tensors must be made in it."""
        return self.at(device).context

    def queue(self, int device=0):
        """pyopencl's CommandQueue on which everything of a device runs, in order."""
        return self.at(device).queue.opened

    def from_buffer(self, buffer, dtype, shape=None, offset=0, int device=0):
        """A tensor over the memory of a ``cl.Buffer``, which it keeps alive.

        Parameters
        ----------
        buffer : pyopencl.Buffer
            Made in `context`.
        dtype : dtype
        shape : tuple of int, optional
            Default: one axis, to the end of the buffer.
        offset : int
            Of the first element, in elements.
        """
        return exchange.from_buffer(self, self.at(device).context, device, buffer, dtype, shape, offset)

    def dlpack_address(self, View t):
        """The cl_mem that holds a tensor, as DLPack hands it out."""
        return (<Buffer>t.memory.handle).address if t.elements else 0

    def from_dlpack(self, int index, size_t address, size_t start, owner, dtype, list shape, list strides):
        """A tensor over a cl_mem that `owner` keeps alive, from byte `start` on; strides in elements."""
        return exchange.from_dlpack(self, self.at(index).context, index, address, start, owner, dtype, shape, strides)

    def from_array(self, array, int device=0):
        """A tensor over the memory of a ``pyopencl.array.Array`` of any strides."""
        return exchange.from_array(self, self.at(device).context, device, array)

    def to_buffer(self, View t not None):
        """The ``cl.Buffer`` of a tensor's storage; it is the tensor's only while its storage lives.

        The tensor's first element is ``t.storage_offset()`` elements in.
        """
        return (<Buffer?>t.memory.handle).buffer

    def to_array(self, View t not None):
        """A ``pyopencl.array.Array`` over a tensor's memory, which it keeps alive."""
        return exchange.to_array(self.queue(t.memory.index), self.to_buffer(t), t, t.memory)

    def from_host(self, array, int device=0):
        """A tensor over the memory of a NumPy array, for devices that are CPUs; others copy it at every use."""
        return exchange.from_host(self, self.at(device).context, device, array)

    def mapped(self, View t not None):
        """A context manager that gives a tensor's memory as a NumPy array: no copy on devices that are CPUs.

        The array is valid, and the tensor must not be used, within the ``with``.
        """
        return exchange.mapped(self.queue(t.memory.index), self.to_buffer(t), t)


class Event:
    """A point in a device's queue, as ``torch.cuda.Event``.

    Examples
    --------
    ``start, end = Event(), Event(); start.record(); work(); end.record(); start.elapsed_time(end)`` gives milliseconds.
    """

    def __init__(self, enable_timing=True, device=0):
        self._device = device
        self._marker = None

    def record(self):
        """Mark what has been enqueued so far."""
        import pyopencl
        self._marker = pyopencl.enqueue_marker(discovery.load("opencl").queue(self._device))

    def synchronize(self):
        """Wait until the device is here."""
        self._marker.wait()

    def query(self):
        """Whether the device has been here."""
        import pyopencl
        return self._marker.command_execution_status == pyopencl.command_execution_status.COMPLETE

    def elapsed_time(self, end):
        """Milliseconds from here to `end`, by the device's clock."""
        end.synchronize()
        return (end._marker.profile.end - self._marker.profile.end) * 1e-6
