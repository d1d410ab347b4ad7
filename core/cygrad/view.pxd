"""View: a strided window on a Storage. Pure geometry: no arithmetic, no autograd."""
from cygrad.dtype cimport DType
from cygrad.storage cimport Storage

cdef enum:
    INLINE_RANK = 8     # axes held inside the object
    MAX_RANK = 64

cdef class View:
    cdef Storage memory
    cdef readonly DType dtype
    cdef Py_ssize_t offset            # of the first element, in elements
    cdef Py_ssize_t elements          # product of sizes
    cdef Py_ssize_t *sizes            # rank sizes
    cdef Py_ssize_t *strides          # rank strides, in elements
    cdef int rank
    cdef bint dense                   # row-major contiguous (always True with fewer than two elements)
    cdef Py_ssize_t geometry[16]      # sizes and strides of up to INLINE_RANK axes
    cdef object room                  # bytes with those of more axes, or None
    cdef object shape_                # the sizes as a Size, once they were asked for

    cdef int set_rank(self, int rank) except -1
    cdef void set_dense_strides(self) noexcept
    cdef void finish(self) noexcept

cdef inline char *data(View v) noexcept nogil:
    """Host address of the first element; only for storages the host can read."""
    return <char *>v.memory.pointer + v.offset * v.dtype.itemsize

cdef inline bint same_sizes(View a, View b) noexcept nogil:
    cdef int i
    if a.rank != b.rank:
        return False
    for i in range(a.rank):
        if a.sizes[i] != b.sizes[i]:
            return False
    return True

cdef int fill_dense(View v, Storage memory, DType dtype, int rank, const Py_ssize_t *sizes) except -1
cdef int fill_sizes(View v, DType dtype, int rank, const Py_ssize_t *sizes) except -1
cdef int fill_strided(View v, Storage memory, DType dtype, Py_ssize_t offset, int rank, const Py_ssize_t *sizes,
                      const Py_ssize_t *strides) except -1
cdef int check_inside(Storage memory, DType dtype, Py_ssize_t offset, int rank, const Py_ssize_t *sizes,
                      const Py_ssize_t *strides) except -1
cdef View make_view(Storage memory, DType dtype, Py_ssize_t offset, int rank, const Py_ssize_t *sizes,
                    const Py_ssize_t *strides)
cdef tuple tuple_of(const Py_ssize_t *values, int rank)
cdef object size_of(View v)
cdef int wrap_dim(Py_ssize_t dim, int rank) except -1
