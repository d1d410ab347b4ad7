"""Matrices of a batch in and out of column-major scratch memory, which is what LAPACK works on and overwrites."""
cimport cython
from libc.limits cimport INT_MAX

from cygrad.view cimport View, data
from cygrad_cpu.runtime.allocator cimport give, take

cdef struct Wide:
    double real
    double imag

cdef fused Item:
    float
    double
    Wide


@cython.final
cdef class Pool:
    """Scratch memory that is given back when the object goes."""

    cdef void *take(self, Py_ssize_t nbytes) except NULL:
        cdef void *block
        if self.count == 16:
            raise MemoryError("linalg: too many work arrays")
        block = take(nbytes)
        self.blocks[self.count] = block
        self.sizes[self.count] = nbytes
        self.count += 1
        return block

    def __dealloc__(self):
        cdef int i
        for i in range(self.count):
            give(self.blocks[i], self.sizes[i])


cdef int extent(Py_ssize_t size) except -1:
    if size > INT_MAX:
        raise RuntimeError(f"linalg: LAPACK takes matrices of at most {INT_MAX} rows and columns, got {size}")
    return <int>size


cdef void move(const Item *a, Py_ssize_t a_row, Py_ssize_t a_column, Item *out, Py_ssize_t out_row,
               Py_ssize_t out_column, Py_ssize_t m, Py_ssize_t n) noexcept nogil:
    """out = a, in squares that stay in the cache whichever operand is the transposed one."""
    cdef Py_ssize_t i, j, p, q
    i = 0
    while i < m:
        j = 0
        while j < n:
            for p in range(i, min(i + 16, m)):
                for q in range(j, min(j + 16, n)):
                    out[p * out_row + q * out_column] = a[p * a_row + q * a_column]
            j += 16
        i += 16


cdef void read_matrix(View a, Py_ssize_t i, void *columns, Py_ssize_t ld) noexcept nogil:
    """Matrix `i` of the batch `a` to `columns`, whose columns begin `ld` elements apart."""
    cdef Py_ssize_t at = i * a.strides[0], r = a.strides[1], c = a.strides[2], m = a.sizes[1], n = a.sizes[2]
    if a.dtype.itemsize == 4:
        move(<float *>data(a) + at, r, c, <float *>columns, 1, ld, m, n)
    elif a.dtype.itemsize == 8:
        move(<double *>data(a) + at, r, c, <double *>columns, 1, ld, m, n)
    else:
        move(<Wide *>data(a) + at, r, c, <Wide *>columns, 1, ld, m, n)


cdef void write_matrix(View a, Py_ssize_t i, const void *columns, Py_ssize_t ld) noexcept nogil:
    """`columns` to matrix `i` of the batch `a`."""
    cdef Py_ssize_t at = i * a.strides[0], r = a.strides[1], c = a.strides[2], m = a.sizes[1], n = a.sizes[2]
    if a.dtype.itemsize == 4:
        move(<const float *>columns, 1, ld, <float *>data(a) + at, r, c, m, n)
    elif a.dtype.itemsize == 8:
        move(<const double *>columns, 1, ld, <double *>data(a) + at, r, c, m, n)
    else:
        move(<const Wide *>columns, 1, ld, <Wide *>data(a) + at, r, c, m, n)
