"""Pointwise formulas that a backend runs in one pass; see programs.pyx."""
from cpython.object cimport PyObject

from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor

cdef class Program:
    cdef readonly object formula
    cdef tuple _steps
    cdef tuple booleans             # for each result, whether it is bool
    cdef unsigned int masks         # bit for each input that is a mask
    cdef bint floats                # integers become the default float dtype

    cdef trace(self)
    cpdef reduced(self, tuple ops, tuple axes, bint keepdim, DType dtype, tuple operands, Program finish=?,
                  tuple numbers=?)
    cdef int likeness(self, tuple operands, PyObject **first)
    cdef DType dtype_of_numbers(self, tuple ins)
    cdef tuple prepared(self, tuple operands, bint reduced=?)

cdef bint is_half(Tensor t)
