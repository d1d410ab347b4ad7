# cython: binding=False
# distutils: extra_compile_args = -Os
"""Tensors over memory that another library owns."""
from cygrad.dtype cimport DType
from cygrad.storage cimport Storage
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport fill_strided
from cygrad_gpu.runtime.memory_pool cimport Memory


cdef Tensor share(object backend, int index, Memory memory, object owner, DType dtype, tuple shape, tuple strides,
                  Py_ssize_t offset):
    """A tensor over memory that `owner` keeps alive; strides and offset in elements."""
    cdef Storage storage = Storage.__new__(Storage)
    cdef Tensor made = new_tensor()
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t steps[64]
    cdef Py_ssize_t last = offset
    cdef int i
    storage.handle = memory
    storage.nbytes_ = memory.capacity
    storage.index = index
    storage.backend = backend
    storage.owner = owner
    for i in range(len(shape)):
        sizes[i] = shape[i]
        steps[i] = strides[i]
        if steps[i] < 0 or sizes[i] < 0:
            raise ValueError(f"strides must not be negative, got {strides}")
        last += (sizes[i] - 1) * steps[i]
    fill_strided(made, storage, dtype, offset, len(shape), sizes, steps)
    if offset < 0 or made.elements and (last + 1) * dtype.itemsize > storage.nbytes_:
        raise ValueError(f"{tuple(shape)} elements of {dtype!r} with strides {strides} from {offset} on do not fit a "
                         f"buffer of {storage.nbytes_} bytes")
    return made


def dense_strides(shape):
    """Row-major strides, in elements."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
