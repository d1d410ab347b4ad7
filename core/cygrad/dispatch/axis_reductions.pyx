"""Raw reductions: the kept axes of an operand, then the reduced ones, merged for the kernel. No autograd here."""
from cpython.ref cimport PyObject

from cygrad.backend cimport ADD, ALL, ANY, Backend, NE, PROD, SQUARE, SQUARE_SUM, SUM
from cygrad.devices.watching cimport called
from cygrad.dispatch.allocation cimport empty
from cygrad.dispatch.axes cimport Axes, is_geometry, kept_first, operand
from cygrad.dispatch.kernel_calls cimport (binary, cast, copy_into, declined, dense_copy, fill_into, lacks, scalar_into,
                                           unary)
from cygrad.dispatch.promotion cimport SAME, TO_BOOL
from cygrad.dispatch.without_kernels cimport is_narrow, without_kernels
from cygrad.dtype cimport BOOL, CATEGORY_FLOAT, DType
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport INLINE_RANK, View, fill_dense, fill_strided, make_view, size_of


cdef Tensor reduce(int op, Tensor a, tuple dims, bint keepdim, DType dtype):
    """Reduction of `a` over `dims` (non-negative, distinct) into a new row-major tensor of `dtype`."""
    cdef bint reduced[64]
    cdef int i
    for i in range(a.rank):
        reduced[i] = False
    for d in dims:
        reduced[<int>d] = True
    return reduce_axes(op, a, reduced, keepdim, dtype)


cdef int copy_reduced(int op, Tensor a, Tensor out) except -1:
    """A reduction of every element by itself."""
    cdef Tensor target = new_tensor()
    fill_dense(target, out.memory, out.dtype, a.rank, a.sizes)
    if op == ANY or op == ALL:
        if a.dtype.code != BOOL:
            a = binary(NE, a, 0, TO_BOOL)
    elif op == SQUARE_SUM:
        a = unary(SQUARE, a, SAME)
    elif op == SUM and a.dtype.category >= CATEGORY_FLOAT:
        return scalar_into(ADD, cast(a, out.dtype), 0, False, target)   # it begins with 0, to which -0 adds nothing
    copy_into(a, target)
    return 0


cdef Tensor reduce_axes(int op, Tensor a, bint *reduced, bint keepdim, DType dtype):
    """`reduce` over the axes that are marked."""
    cdef Axes axes
    cdef PyObject *operands[1]
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t one = 1
    cdef int i, rank = 0, marked = 0, split_at
    cdef Tensor out
    cdef View src, target
    cdef Backend backend = <Backend>a.memory.backend
    for i in range(a.rank):
        if reduced[i]:
            marked += 1
            if keepdim:
                sizes[rank] = 1
                rank += 1
        else:
            sizes[rank] = a.sizes[i]
            rank += 1
    out = empty(backend, a.memory.index, dtype, rank, sizes)
    if out.elements == 0:
        return out
    if a.elements == 0:
        fill_into(out, 1 if op == PROD or op == ALL else 0)
        return out
    if is_narrow(dtype.code):
        declined(backend, "reduce", (op, a, out), (2,))         # which refuses it, be there one element
    if out.elements == a.elements:                      # nothing but axes of size 1 is reduced
        copy_reduced(op, a, out)
        return out
    src, target = a, out
    if rank == 0 and a.dense:
        if a.rank > 1:
            sizes[0] = a.elements
            src = make_view(a.memory, a.dtype, a.offset, 1, sizes, &one)
    elif rank != 1 or not is_split(a, reduced):
        operands[0] = <PyObject *>a
        split_at = kept_first(&axes, operands, 1, out, reduced, keepdim)
        if axes.rank > INLINE_RANK:
            return reduce(op, dense_copy(permuted(a, reduced)), trailing(a.rank, marked), False, dtype) \
                .view(size_of(out))
        if split_at > 0 or not a.dense:
            src = operand(&axes, 0, a)
        if not is_geometry(&axes, 1, split_at, out):
            target = make_view(out.memory, out.dtype, 0, split_at, axes.sizes, axes.strides[1])
    if (without_kernels(src.dtype.code) or without_kernels(target.dtype.code)
            or lacks("reduce", called(backend).reduce(op, src, target))):
        declined(backend, "reduce", (op, src, target), (2,))
    return out


cdef inline bint is_split(Tensor a, bint *reduced) noexcept:
    """Whether this is a dense matrix, reduced along its rows: kernels take it as it is."""
    return a.rank == 2 and a.dense and reduced[1] and a.sizes[0] != 1 and a.sizes[1] != 1


cdef Tensor permuted(Tensor a, bint *last):
    """`a` with the marked axes last."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef int i, k = 0
    cdef Tensor out = new_tensor()
    for i in range(a.rank):
        if not last[i]:
            sizes[k], strides[k] = a.sizes[i], a.strides[i]
            k += 1
    for i in range(a.rank):
        if last[i]:
            sizes[k], strides[k] = a.sizes[i], a.strides[i]
            k += 1
    fill_strided(out, a.memory, a.dtype, a.offset, a.rank, sizes, strides)
    return out


cdef tuple trailing(int rank, Py_ssize_t count):
    return tuple(range(rank - count, rank))


cdef Tensor axis_last(Tensor a, int dim):
    """`a` with axis `dim` moved to the end, the others merged into as few axes as they allow, never reordered."""
    cdef bint last[64]
    cdef int i
    for i in range(a.rank):
        last[i] = i == dim
    return permuted(a, last) if dim != a.rank - 1 else a


cdef Tensor sum_to(Tensor a, View like):
    """`a` summed over the axes along which `like` was broadcast to a's shape."""
    cdef bint reduced[64]
    cdef int i, missing = a.rank - like.rank
    cdef bint any_axis = False
    cdef Tensor out
    for i in range(a.rank):
        reduced[i] = i < missing or (like.sizes[i - missing] == 1 and a.sizes[i] != 1)
        any_axis = any_axis or reduced[i]
    if not any_axis:
        return a
    out = reduce_axes(SUM, a, reduced, False, a.dtype)
    if out.rank != like.rank:                           # axes of size 1 were left out; it is dense
        fill_dense(out, out.memory, out.dtype, like.rank, like.sizes)
    return out
