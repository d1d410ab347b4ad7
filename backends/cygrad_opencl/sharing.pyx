# distutils: extra_compile_args = -Os
"""Memory shared with others: cl.Buffer and pyopencl.array.Array both ways, NumPy arrays on devices that are CPUs.

Nothing is copied. What works on shared memory outside cygrad uses cygrad's queue (`cygrad.opencl.queue()`), which is in
order, or waits: ``cygrad.opencl.synchronize()``. Only while a `host_view` or `device_view` is alive is every launch
waited for, since whoever holds one (the array of ``x.numpy()``) reads and writes without asking.
"""
import ctypes
from contextlib import contextmanager

cimport cython

from cygrad.storage cimport Storage, wrap_memory
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport View, fill_strided
from cygrad_gpu.runtime.foreign cimport share
from cygrad_opencl cimport driver
from cygrad_opencl.driver cimport Queue
from cygrad_opencl.cl_buffers cimport Buffer

import numpy as np

import cygrad
from cygrad.devices import discovery
from cygrad_gpu.runtime.foreign import dense_strides


def from_buffer(backend, context, index, buffer, dtype, shape, offset):
    """See OpenCLBackend.from_buffer."""
    if buffer.context != context:
        raise ValueError("from_buffer: the buffer belongs to another OpenCL context; make it in "
                         "cygrad.opencl.context()")
    if shape is None:
        shape = (buffer.size // dtype.itemsize - offset,)
    return share(backend, index, Buffer(buffer, buffer.size), buffer, dtype, tuple(shape), dense_strides(shape), offset)


def from_array(backend, context, index, array):
    """See OpenCLBackend.from_array."""
    if array.context != context:
        raise ValueError("from_array: the array belongs to another OpenCL context; make it with cygrad.opencl.queue()")
    dtype = getattr(cygrad, "bool" if array.dtype == bool else array.dtype.name)
    if array.offset % array.dtype.itemsize:
        raise ValueError("from_array: the array does not start at a whole element")
    strides = tuple([step // array.dtype.itemsize for step in array.strides])
    return share(backend, index, Buffer(array.base_data, array.base_data.size), array, dtype, array.shape, strides,
                 array.offset // array.dtype.itemsize)


def from_dlpack(backend, context, index, address, start, owner, dtype, shape, strides):
    """See OpenCLBackend.from_dlpack."""
    import pyopencl
    if address == 0:
        return cygrad.empty_strided(shape, strides, dtype=dtype, device=cygrad.device(backend.name, index))
    buffer = pyopencl.Buffer.from_int_ptr(address, retain=True)
    if buffer.context != context:
        raise BufferError("from_dlpack: the memory belongs to another OpenCL context; make it in "
                          "cygrad.opencl.context(), or copy the array to the host first")
    if start % dtype.itemsize:
        raise BufferError("from_dlpack: the array does not start at a whole element")
    return share(backend, index, Buffer(buffer, buffer.size), (buffer, owner), dtype, tuple(shape), tuple(strides),
                 start // dtype.itemsize)


def to_array(queue, View t):
    """See OpenCLBackend.to_array."""
    import pyopencl.array
    if t.dtype.name == "bfloat16":
        raise TypeError("to_array: NumPy has no bfloat16; view the tensor as int16 first")
    step = t.dtype.itemsize
    made = pyopencl.array.Array(queue, t.shape, np.dtype(t.dtype.name), data=(<Buffer>t.memory.handle).buffer,
                                offset=t.offset * step, strides=tuple([s * step for s in t.stride()]))
    made.cygrad_storage = t.memory              # the buffer must not go back to the pool
    return made


def from_host(backend, context, index, array):
    """See OpenCLBackend.from_host."""
    import pyopencl
    array = np.asarray(array)
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ValueError("from_host: the array must be contiguous and writeable")
    flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.USE_HOST_PTR
    buffer = pyopencl.Buffer(context, flags, hostbuf=array)
    dtype = getattr(cygrad, array.dtype.name)
    return share(backend, index, Buffer(buffer, buffer.size), (buffer, array), dtype, array.shape,
                 dense_strides(array.shape), 0)


@contextmanager
def mapped(queue, View t):
    """See OpenCLBackend.mapped."""
    import pyopencl
    flags = pyopencl.map_flags.READ | pyopencl.map_flags.WRITE
    step = t.dtype.itemsize
    kind = np.dtype("int16" if t.dtype.name == "bfloat16" else t.dtype.name)
    array, _ = pyopencl.enqueue_map_buffer(queue, (<Buffer>t.memory.handle).buffer, flags, t.offset * step, t.shape,
                                           kind, strides=tuple([s * step for s in t.stride()]), is_blocking=True)
    try:
        yield array
    finally:
        array.base.release(queue)


# ------------------------------------------------------------------ one memory for host and kernels

@cython.no_gc_clear
cdef class Share:
    """Keeps an owner of shared memory alive; while there is one, nothing runs unwaited for."""
    cdef Queue queue
    cdef object owner

    def __cinit__(self, Queue queue, owner):
        self.queue, self.owner = queue, owner
        queue.shares += 1
        driver.finish(queue)

    def __dealloc__(self):
        self.queue.shares -= 1


def address_of(queue, buffer):
    """Where a cl.Buffer is mapped; on devices that are CPUs that is where it lies."""
    import pyopencl
    array, _ = pyopencl.enqueue_map_buffer(queue, buffer, pyopencl.map_flags.READ | pyopencl.map_flags.WRITE, 0,
                                           (buffer.size,), np.uint8, is_blocking=True)
    address = array.ctypes.data
    array.base.release(queue)
    return address


def in_host_memory(context, queue):
    """Whether what the host writes to a buffer's address, unmapped, is what the device reads."""
    import pyopencl
    buffer = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, 64)
    place, read = address_of(queue, buffer), np.zeros(64, np.uint8)
    for value in (0x5A, 0xA5):
        ctypes.memset(place, value, 64)
        pyopencl.enqueue_copy(queue, read, buffer)
        if not (read == value).all():
            return False
    return True


def host_view(Queue queue, View t):
    """See Backend.host_view."""
    cdef Tensor made = new_tensor()
    cdef size_t address = address_of(queue.opened, (<Buffer>t.memory.handle).buffer)
    cdef Storage storage = wrap_memory(discovery.load("cpu"), <void *>address, t.memory.nbytes_, Share(queue, t.memory))
    fill_strided(made, storage, t.dtype, t.offset, t.rank, t.sizes, t.strides)
    return made


def device_view(backend, context, Queue queue, int index, View t):
    """See Backend.device_view."""
    import pyopencl
    cdef size_t address = <size_t>t.memory.pointer
    if t.memory.nbytes_ == 0 or address % t.dtype.itemsize:
        return NotImplemented
    memory = (ctypes.c_ubyte * t.memory.nbytes_).from_address(address)
    flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.USE_HOST_PTR
    buffer = Buffer(pyopencl.Buffer(context, flags, hostbuf=memory), t.memory.nbytes_)
    return share(backend, index, buffer, Share(queue, t.memory), t.dtype, tuple(t.shape), t.stride(), t.offset)
