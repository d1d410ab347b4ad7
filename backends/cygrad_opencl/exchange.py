"""cl.Buffer, pyopencl.array.Array and NumPy arrays as tensors, and the reverse; host memory is shared in `sharing`.

Nothing is copied. What works on shared memory outside cygrad uses cygrad's queue (`cygrad.opencl.queue()`), which is in
order, or waits: ``cygrad.opencl.synchronize()``.
"""
import ctypes
from contextlib import contextmanager

import numpy as np

import cygrad
from cygrad_gpu.runtime.foreign import dense_strides
from cygrad_opencl.sharing import tensor_over


def from_buffer(backend, context, index, buffer, dtype, shape, offset):
    """See OpenCLBackend.from_buffer."""
    if buffer.context != context:
        raise ValueError("from_buffer: the buffer belongs to another OpenCL context; make it in "
                         "cygrad.opencl.context()")
    if shape is None:
        shape = (buffer.size // dtype.itemsize - offset,)
    return tensor_over(backend, index, buffer, buffer, dtype, shape, dense_strides(shape), offset)


def from_array(backend, context, index, array):
    """See OpenCLBackend.from_array."""
    if array.context != context:
        raise ValueError("from_array: the array belongs to another OpenCL context; make it with cygrad.opencl.queue()")
    dtype = getattr(cygrad, "bool" if array.dtype == bool else array.dtype.name)
    if array.offset % array.dtype.itemsize:
        raise ValueError("from_array: the array does not start at a whole element")
    strides = [step // array.dtype.itemsize for step in array.strides]
    return tensor_over(backend, index, array.base_data, array, dtype, array.shape, strides,
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
    return tensor_over(backend, index, buffer, (buffer, owner), dtype, shape, strides, start // dtype.itemsize)


def placed(t):
    """Where a tensor lies in its buffer, in bytes: offset and strides."""
    step = t.dtype.itemsize
    return t.storage_offset() * step, tuple([s * step for s in t.stride()])


def to_array(queue, buffer, t, storage):
    """See OpenCLBackend.to_array."""
    import pyopencl.array
    if t.dtype.name == "bfloat16":
        raise TypeError("to_array: NumPy has no bfloat16; view the tensor as int16 first")
    offset, strides = placed(t)
    made = pyopencl.array.Array(queue, t.shape, np.dtype(t.dtype.name), data=buffer, offset=offset, strides=strides)
    made.cygrad_storage = storage               # the buffer must not go back to the pool
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
    return tensor_over(backend, index, buffer, (buffer, array), dtype, array.shape, dense_strides(array.shape), 0)


@contextmanager
def mapped(queue, buffer, t):
    """See OpenCLBackend.mapped."""
    import pyopencl
    flags = pyopencl.map_flags.READ | pyopencl.map_flags.WRITE
    kind = np.dtype("int16" if t.dtype.name == "bfloat16" else t.dtype.name)
    offset, strides = placed(t)
    array, _ = pyopencl.enqueue_map_buffer(queue, buffer, flags, offset, t.shape, kind, strides=strides,
                                           is_blocking=True)
    try:
        yield array
    finally:
        array.base.release(queue)


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


def over_host_memory(context, address, nbytes):
    """A cl.Buffer over memory of the host."""
    import pyopencl
    flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.USE_HOST_PTR
    return pyopencl.Buffer(context, flags, hostbuf=(ctypes.c_ubyte * nbytes).from_address(address))
