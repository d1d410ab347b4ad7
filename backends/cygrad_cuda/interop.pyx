# cython: binding=False
# distutils: extra_compile_args = -Os
"""``__cuda_array_interface__``, version 3: memory shared with CuPy, Numba, PyTorch and others without a copy; and
tensors of the CPU over page-locked memory.

The entry ``stream`` says in which stream the memory is used: 1 is the default stream, None says that nothing need be
waited for. Whoever takes memory waits, on the device, for that stream.
"""
from cygrad.dtype cimport DType
from cygrad.storage cimport wrap_memory
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport fill_dense
from cygrad_cuda.driver cimport stream_of
from cygrad_gpu.runtime.foreign cimport share as share_memory
from cygrad_cuda.memory cimport Pinned
from cygrad_gpu.runtime.memory_pool cimport Memory

import math

import numpy as np

from cygrad.devices import discovery
from cygrad.dtype import all_dtypes
from cygrad_cuda import streams
from cygrad_gpu.runtime.foreign import dense_strides

cdef enum:
    LEGACY = 1                          # the default stream, as the protocol numbers it

# bfloat16 as others tell it; what else NumPy has no type for can't be told.
cdef dict TYPES = {dtype: np.dtype(dtype.name).str if dtype.char else "<V2" for dtype in all_dtypes()
                   if dtype.char or dtype.name == "bfloat16"}
cdef dict DTYPES = {kind: dtype for dtype, kind in TYPES.items()}


def describe(Tensor t not None):
    """The dictionary for a tensor on a CUDA device."""
    strides = None if t.is_contiguous() else tuple([step * t.element_size() for step in t.stride()])
    return {"typestr": TYPES[t.dtype], "shape": tuple(t.shape), "strides": strides, "version": 3,
            "data": (t.data_ptr() if t.numel() else 0, False), "stream": stream_of(t.memory.index) or <int>LEGACY}


def share(backend, owner):
    """A tensor over the memory of an object that has the interface; it keeps the object alive."""
    cdef dict interface = dict(owner.__cuda_array_interface__)
    cdef Memory memory = Memory.__new__(Memory)
    cdef DType dtype
    cdef int index
    if interface.get("mask") is not None:
        raise TypeError("an array with a mask can't be shared")
    dtype = DTYPES.get(interface["typestr"])
    if dtype is None:
        raise TypeError(f"elements of type {interface['typestr']!r} have no dtype here")
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    strides = dense_strides(shape) if strides is None else strides_of(strides, dtype.itemsize)
    memory.address = interface["data"][0]
    memory.capacity = dtype.itemsize * (1 + sum([(size - 1) * step for size, step in zip(shape, strides)]))
    if 0 in shape:
        memory.capacity = 0
    index = device_of(backend, memory.address)
    made = share_memory(backend, index, memory, owner, dtype, shape, strides, 0)
    stream = interface.get("stream")
    if stream is not None:
        await_stream(index, stream)
    return made


def strides_of(strides, size):
    """Bytes to elements."""
    if any([step % size for step in strides]):
        raise ValueError("given strides are not a multiple of the element byte size")
    return tuple([step // size for step in strides])


def device_of(backend, address):
    """Number of the device that memory lies on; the current one where the driver does not know it."""
    found = streams.opened()
    if address and backend.device_count() > 1:
        attribute = found.context.driver.api.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        index = found.context.call("cuPointerGetAttribute", attribute, address)
        return streams.opened(index).context.index
    return found.context.index


def await_stream(index, stream):
    """Let the current stream wait for what a stream of another library has enqueued."""
    if stream == 0:
        raise ValueError("__cuda_array_interface__: 0 is not allowed as a stream")
    other = streams.ExternalStream(0 if stream == LEGACY else stream, index)
    own = streams.current_stream(index)
    if other != own:
        own.wait_stream(other)


def bytes_of(DType dtype not None, shape):
    """Bytes of a dense tensor."""
    return math.prod(shape) * dtype.itemsize


def host_tensor(Pinned pinned not None, DType dtype not None, shape):
    """A tensor of the CPU over page-locked memory, which goes back to its pool with it."""
    cdef Tensor made = new_tensor()
    cdef Py_ssize_t sizes[64]
    cdef int i
    for i in range(len(shape)):
        sizes[i] = shape[i]
    fill_dense(made, wrap_memory(discovery.load("cpu"), <void *>pinned.address, bytes_of(dtype, shape), pinned), dtype,
               len(shape), sizes)
    return made
