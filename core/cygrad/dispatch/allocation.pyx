"""Making uninitialised tensors: row-major, in the memory order of an op's inputs, or with given strides. No graph.

What is made is never lazy: the dtype of a lazy view stands for that of its elements here.
"""
from cygrad.dispatch.axes cimport Axes, add_operand, memory_order
from cygrad.dispatch.sizes cimport bytes_of, multiply_overflows
from cygrad.dispatch.without_kernels cimport COMPLEX32, without_kernels
from cygrad.dtype cimport DType, plain_of
from cygrad.storage cimport new_storage
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport MAX_RANK, fill_sizes, tuple_of

from cygrad import errors


cdef Py_ssize_t count_elements(DType dtype, int rank, const Py_ssize_t *sizes) except -1:
    """Product of sizes; raises where the bytes would not fit an address."""
    cdef Py_ssize_t count = dtype.itemsize
    cdef int i
    for i in range(rank):
        if sizes[i] < 0:
            raise RuntimeError("Trying to create tensor with negative dimension "
                               f"{sizes[i]}: {list(tuple_of(sizes, rank))}")
    for i in range(rank):
        if sizes[i] == 0:
            return 0
    for i in range(rank):
        if multiply_overflows(count, sizes[i], &count):
            raise RuntimeError("Storage size calculation overflowed with sizes="
                               f"{list(tuple_of(sizes, rank))}")
    return count // dtype.itemsize


cdef dict _refused = {}          # Backend -> the dtypes it has no elements of


def refuse_dtypes(backend, dtypes):
    """Make the creation of tensors of these dtypes on the backend's devices raise."""
    if dtypes:
        _refused[backend] = frozenset(dtypes)


cdef int check_dtype(object backend, DType dtype) except -1:
    """Raise where the backend has no elements of the dtype: nothing is ever converted to a narrower one silently."""
    if plain_of(dtype) in _refused.get(backend, ()):
        raise errors.DtypeUnsupported(f"backend {backend.name!r} has no {dtype.name}; convert to a dtype that it has, "
                                      "as in x.to(cygrad.float32), or compute on the CPU")
    return 0


cdef DType made_as(DType dtype):
    """The dtype of what is made for a dtype without kernels, with PyTorch's warning of complex32."""
    dtype = plain_of(dtype)
    if dtype.code == COMPLEX32:
        errors.warn_once("ComplexHalf support is experimental and many operators don't support it yet.")
    return dtype


cdef Tensor empty(object backend, int index, DType dtype, int rank, const Py_ssize_t *sizes):
    """An uninitialised row-major tensor."""
    cdef Tensor out = new_tensor()
    if _refused:
        check_dtype(backend, dtype)
    if rank > 1 or rank and not 0 <= sizes[0] < (1 << 40):
        count_elements(dtype, rank, sizes)
    fill_sizes(out, dtype, rank, sizes)
    if without_kernels(dtype.code):
        out.dtype = made_as(dtype)
    out.memory = new_storage(backend, index, out.elements * dtype.itemsize)
    return out


cdef Tensor empty_as(Tensor like, DType dtype):
    """An uninitialised row-major tensor of the same shape, on the same device."""
    cdef Tensor out = new_tensor()
    if _refused:
        check_dtype(like.memory.backend, dtype)
    fill_sizes(out, dtype, like.rank, like.sizes)
    if without_kernels(dtype.code):
        out.dtype = made_as(dtype)
    out.memory = new_storage(like.memory.backend, like.memory.index, bytes_of(out.elements, dtype.itemsize))
    return out


cdef bint fills(Tensor t, int rank, const Py_ssize_t *sizes) noexcept:
    """Whether an operand, if there is one, is row-major and has these sizes."""
    cdef int i
    if t is None:
        return True
    if not t.dense or t.rank != rank:
        return False
    for i in range(rank):
        if t.sizes[i] != sizes[i]:
            return False
    return True


cdef Tensor output_like(DType dtype, int rank, const Py_ssize_t *sizes, Tensor a, Tensor b, Tensor c):
    """An output of these sizes in the memory order of the inputs, which are broadcast to `sizes`, as PyTorch does."""
    cdef Tensor out
    cdef int i
    if rank < 2 or fills(a, rank, sizes) and fills(b, rank, sizes) and fills(c, rank, sizes):
        return empty(a.memory.backend, a.memory.index, dtype, rank, sizes)
    out = ordered_output(dtype, rank, sizes, a, b, c)
    if rank == 4 and channels_last(a, sizes) and channels_last(b, sizes) and channels_last(c, sizes):
        set_channels_last(out)
        return out
    for t in (a, b, c):
        if t is not None and not laid_out_as(<Tensor>t, a, out):
            return out
    for i in range(rank):                       # without gaps: the strides of axes of size 1 are those of `a`, too
        out.strides[i] = a.strides[i]
    return out


cdef bint channels_last(Tensor t, const Py_ssize_t *sizes) noexcept:
    """Whether an operand, if there is one, has these four sizes and its channels side by side, axes of 1 aside."""
    cdef Py_ssize_t step = 1
    cdef int i
    if t is None:
        return True
    if t.rank != 4 or t.elements == 0:
        return False
    for i in (1, 3, 2, 0):
        if t.sizes[i] != sizes[i] or sizes[i] != 1 and t.strides[i] != step:
            return False
        step *= sizes[i]
    return True


cdef void set_channels_last(Tensor out) noexcept:
    cdef Py_ssize_t step = 1
    cdef int i
    for i in (1, 3, 2, 0):
        out.strides[i] = step
        step *= out.sizes[i]
    out.finish()


cdef bint laid_out_as(Tensor t, Tensor a, Tensor out) noexcept:
    """Whether an operand has the sizes of `out` and the strides of `a`, which are those of `out` but for axes of 1."""
    cdef int i
    if t.rank != out.rank or out.elements == 0:
        return False
    for i in range(out.rank):
        if (t.sizes[i] != out.sizes[i] or t.strides[i] != a.strides[i]
                or out.sizes[i] != 1 and t.strides[i] != out.strides[i]):
            return False
    return True


cdef Tensor ordered_output(DType dtype, int rank, const Py_ssize_t *sizes, Tensor a, Tensor b, Tensor c):
    """The same where PyTorch sorts the axes in any case: of operands of several shapes, of a tensor and a number."""
    cdef Axes axes
    cdef int permutation[64]
    cdef Tensor out = empty(a.memory.backend, a.memory.index, dtype, rank, sizes)
    cdef Py_ssize_t step = 1
    cdef int i, k
    cdef bint row_major = True
    axes.rank = rank
    axes.operands = 0
    for i in range(rank):
        axes.sizes[i] = sizes[i]
    for t in (a, b, c):
        if t is not None:
            add_operand(&axes, <Tensor>t)
    memory_order(&axes, permutation)
    for k in range(rank):
        row_major &= permutation[k] == rank - 1 - k
    if not row_major:
        for k in range(rank):
            out.strides[permutation[k]] = step
            step *= sizes[permutation[k]]
        out.finish()
    return out


# ------------------------------------------------- for Python code of the core

def axes_in_memory(Tensor a not None):
    """a's axes from the outermost to the innermost, as its elements lie in memory."""
    cdef Axes axes
    cdef int permutation[64]
    cdef int i
    axes.rank = a.rank
    axes.operands = 0
    for i in range(a.rank):
        axes.sizes[i] = a.sizes[i]
    add_operand(&axes, a)
    memory_order(&axes, permutation)
    return tuple([permutation[i] for i in range(a.rank - 1, -1, -1)])


cdef int read_sizes(object shape, Py_ssize_t *sizes) except -1:
    cdef int rank = 0
    if len(shape) > MAX_RANK:
        raise RuntimeError(f"tensor has too many (>{MAX_RANK}) dims: {len(shape)}")
    for n in shape:
        if rank == MAX_RANK:                    # its length was not what it said
            raise RuntimeError(f"tensor has too many (>{MAX_RANK}) dims")
        try:
            sizes[rank] = n
        except OverflowError:
            raise RuntimeError("numel: integer multiplication overflow") from None
        rank += 1
    return rank


def empty_on(backend, int index, DType dtype not None, shape):
    """Raw uninitialised row-major tensor on a device of `backend`."""
    cdef Py_ssize_t sizes[64]
    cdef int rank = read_sizes(shape, sizes)
    return empty(backend, index, dtype, rank, sizes)


def empty_near(Tensor like not None, shape, DType dtype=None):
    """Raw uninitialised row-major tensor on like's device; like's dtype unless given."""
    cdef Py_ssize_t sizes[64]
    cdef int rank = read_sizes(shape, sizes)
    return empty(like.memory.backend, like.memory.index, like.dtype if dtype is None else dtype, rank, sizes)


def empty_laid_out(backend, int index, Tensor like not None):
    """Raw uninitialised tensor on a device of `backend`, with the dtype and strides of `like`, which has no gaps."""
    cdef Tensor out = empty(backend, index, like.dtype, like.rank, like.sizes)
    cdef int i
    for i in range(like.rank):
        out.strides[i] = like.strides[i]
    out.finish()
    return out


cpdef Tensor empty_like_strided(Tensor a, DType dtype):
    """Raw uninitialised tensor of a's shape in a's memory order."""
    return laid_like(output_like(dtype, a.rank, a.sizes, a, None, None), a)


cpdef Tensor laid_like(Tensor out, Tensor a):
    """`out`, new and laid out as `a`, with a's strides also for axes of size 1, as what PyTorch makes by empty_like."""
    cdef int i
    if out.elements == 0 or laid_out_as(a, a, out):         # `a` has no gaps
        for i in range(a.rank):
            out.strides[i] = a.strides[i]
    return out


cpdef Tensor laid_by_kernel(Tensor out, Tensor a):
    """The same as PyTorch's kernels do it: row-major where `a` is."""
    cdef Py_ssize_t step = 1
    cdef int i
    if not a.dense:
        return laid_like(out, a)
    for i in range(out.rank - 1, -1, -1):
        out.strides[i] = step
        step *= max(out.sizes[i], 1)
    return out
