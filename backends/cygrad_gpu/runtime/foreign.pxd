"""Tensors over memory that another library owns."""
from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor
from cygrad_gpu.runtime.memory_pool cimport Memory

cdef Tensor share(object backend, int index, Memory memory, object owner, DType dtype, tuple shape, tuple strides,
                  Py_ssize_t offset)
