# cython: binding=False
# distutils: extra_compile_args = -Os
"""Tensors over buffers that others own, and one memory for host and kernels, on devices that are CPUs.

Only while a `host_view` or `device_view` is alive is every launch waited for, since whoever holds one (the array of
``x.numpy()``) reads and writes without asking.
"""
cimport cython

from cygrad.storage cimport Storage, wrap_memory
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport View, fill_strided
from cygrad_gpu.runtime.foreign cimport share
from cygrad_opencl cimport driver
from cygrad_opencl.driver cimport Queue
from cygrad_opencl.cl_buffers cimport Buffer

from cygrad.devices import discovery


def tensor_over(backend, int index, buffer, owner, dtype, shape, strides, Py_ssize_t offset):
    """A tensor over a cl.Buffer that `owner` keeps alive; strides and offset in elements."""
    return share(backend, index, Buffer(buffer, buffer.size), owner, dtype, tuple(shape), tuple(strides), offset)


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


def host_view(Queue queue, View t, size_t address):
    """See Backend.host_view; `address` is where the tensor's buffer lies."""
    cdef Tensor made = new_tensor()
    cdef Storage storage = wrap_memory(discovery.load("cpu"), <void *>address, t.memory.nbytes_, Share(queue, t.memory))
    fill_strided(made, storage, t.dtype, t.offset, t.rank, t.sizes, t.strides)
    return made


def device_view(backend, Queue queue, int index, View t, buffer):
    """See Backend.device_view; `buffer` is a cl.Buffer over the tensor's memory."""
    return share(backend, index, Buffer(buffer, t.memory.nbytes_), Share(queue, t.memory), t.dtype, tuple(t.shape),
                 t.stride(), t.offset)
