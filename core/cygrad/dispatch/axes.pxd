"""The axes of an op's operands: their order in memory, and merging."""
from cpython.ref cimport PyObject

from cygrad.tensor cimport Tensor
from cygrad.view cimport View

cdef struct Axes:                # the axes of up to twelve operands, for merging and ordering
    int rank
    int operands
    Py_ssize_t sizes[64]
    Py_ssize_t strides[12][64]

cdef void add_operand(Axes *axes, View v) noexcept
cdef void start_axes(Axes *axes, View shape_of) noexcept
cdef void memory_order(Axes *axes, int *permutation) noexcept nogil
cdef int merge_axes(Axes *axes, int start, int stop) noexcept nogil
cdef void collapse(Axes *axes) noexcept nogil
cdef int kept_first(Axes *axes, PyObject **operands, int count, View out, const bint *reduced, bint keepdim) noexcept
cdef View operand(Axes *axes, int k, View v)
cdef bint is_geometry(Axes *axes, int k, int rank, View v) noexcept nogil
cdef tuple split(PyObject **operands, Axes *axes)
cdef Tensor leading_merged(Tensor a, int count)
