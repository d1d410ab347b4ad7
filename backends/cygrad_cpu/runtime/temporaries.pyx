"""Dense temporaries that kernels need for an operand of the wrong layout or dtype.

`keep` is a list that owns the temporaries that views lie in.
"""
cimport cython

from cygrad.dispatch.merging cimport merge_neighbours
from cygrad.dtype cimport BFLOAT16, DType, FLOAT16, FLOAT32, FLOAT64, dtype_of
from cygrad.storage cimport wrap_memory
from cygrad.view cimport INLINE_RANK, View, make_view
from cygrad_cpu.runtime.allocator cimport give, take
from cygrad_cpu.pointwise.pointwise cimport cpu_copy


@cython.final
cdef class Temporary:
    """A dense View whose memory goes back to the allocator together with this object: keep it while you use `view`."""

    def __dealloc__(self):
        if self.pointer != NULL:
            give(self.pointer, self.nbytes)


cdef Temporary temporary(object backend, DType dtype, int rank, const Py_ssize_t *sizes):
    cdef Temporary made = Temporary.__new__(Temporary)
    cdef Py_ssize_t[64] strides
    cdef Py_ssize_t count = 1
    cdef int i
    for i in range(rank - 1, -1, -1):
        strides[i] = count
        count *= sizes[i]
    made.nbytes = count * dtype.itemsize
    made.pointer = take(made.nbytes)
    made.view = make_view(wrap_memory(backend, made.pointer, made.nbytes, True), dtype, 0, rank, sizes, strides)
    return made


cdef Temporary converted(View a, DType dtype):
    cdef Temporary made = temporary(a.memory.backend, dtype, a.rank, a.sizes)
    copy_views(a, made.view)
    return made


cdef int copy_views(View source, View target) except -1:
    cdef Py_ssize_t[64] sizes
    cdef Py_ssize_t[128] strides
    cdef Py_ssize_t *from_ = strides
    cdef Py_ssize_t *to = strides + 64
    cdef int i, rank
    cdef Py_ssize_t n, k
    for i in range(source.rank):
        sizes[i], from_[i], to[i] = source.sizes[i], source.strides[i], target.strides[i]
    rank = merge_neighbours(source.rank, sizes, strides, 64, 2, False, 1)
    n = 1
    if rank > INLINE_RANK:
        n = sizes[0]
    for k in range(n):
        i = 1 if rank > INLINE_RANK else 0
        source = make_view(source.memory, source.dtype, source.offset + (from_[0] if k else 0), rank - i, sizes + i,
                           from_ + i)
        target = make_view(target.memory, target.dtype, target.offset + (to[0] if k else 0), rank - i, sizes + i,
                           to + i)
        if rank - i > INLINE_RANK:
            copy_views(source, target)
        else:
            cpu_copy(source, target)
    return 0


# ---- operands of kernels that take dense rows of float32 or float64

cdef DType computed(DType dtype):
    """The dtype that such kernels compute in, float32 for 16-bit floats; None for one that they don't take."""
    if dtype.code == FLOAT32 or dtype.code == FLOAT64:
        return dtype
    return dtype_of(FLOAT32) if dtype.code == FLOAT16 or dtype.code == BFLOAT16 else None


cdef View dense(View a, DType dtype, list keep):
    """`a` itself if it is dense and of this dtype, else a copy."""
    cdef Temporary made
    if a is None or (a.dtype is dtype and a.dense):
        return a
    made = converted(a, dtype)
    keep.append(made)
    return made.view


cdef View writable(View out, DType dtype, list keep):
    """`out` itself if it is dense and of this dtype, else a temporary to be copied into it."""
    cdef Temporary made
    if out.dtype is dtype and out.dense:
        return out
    made = temporary(out.memory.backend, dtype, out.rank, out.sizes)
    keep.append(made)
    return made.view
