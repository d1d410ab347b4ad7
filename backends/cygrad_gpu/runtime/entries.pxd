"""The kernel entries of the OpenCL and CUDA backends."""
from cygrad.view cimport View
from cygrad_gpu.runtime.launch cimport GPUBackend

cdef class KernelBackend(GPUBackend):
    cdef dict programs                  # {address of a program of elementwise, which ins are Views: its plan}

    cdef object pointwise(self, int family, int op, list views, object program, tuple codes, tuple outs, tuple numbers)
    cdef int refuse_zeros(self, View divisor) except -1
