"""Parts of advanced indexing that other Cython modules call directly."""
from cygrad.tensor cimport Tensor

cpdef Tensor wrapped(Tensor index, Py_ssize_t size, bint negative=*)
cpdef bint same_shape(Tensor a, Tensor b) noexcept
cpdef bint same_off_axis(Tensor a, Tensor b, int dim) noexcept
cpdef bint fits_within(Tensor inner, Tensor outer, int dim) noexcept
cdef int check_shapes(tuple indices) except -1
cpdef Tensor take_at(Tensor a, tuple indices, bint dense=*, bint checked=*)
cpdef Tensor take_rows(Tensor a, Tensor places, int axes, bint dense=*, bint checked=*)
cdef Tensor without_axis(Tensor t, int dim)
cpdef bint put_at(Tensor a, tuple indices, Tensor values, int mode, bint checked=*) except -1
cdef Tensor strided(Tensor t, Py_ssize_t offset, int rank, const Py_ssize_t *sizes, const Py_ssize_t *strides)
cpdef bint is_mask(Tensor t) noexcept
cdef Tensor leading_mask(Tensor t, list indices)
cdef Tensor fitting_mask(Tensor t, Tensor mask, int dim)
cdef tuple places(Tensor t, list indices)
