# cython: binding=False
# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
# distutils: extra_compile_args = -fno-builtin-memcpy
"""Raw ops as Python code of the core calls them: the kernels of `backend.pyx` on tensors, without a graph.

Each checks that its operands lie on one device, makes the result (or fills the one it gets), brings the axes into the
form that the contract asks for, and hands a declined call to `fallback`. Arguments are normalised by the caller.
"""
from libc.string cimport memcpy

from cygrad.dispatch.allocation cimport empty, empty_as, empty_like_strided, output_like
from cygrad.dispatch.axes cimport Axes, merge_axes, operand
from cygrad.dispatch.overlap cimport refuse_overlap
from cygrad.backend cimport (Backend, CUMMAX, CUMMIN, SCATTER_ADD, SCATTER_ADD_STEPS, SCATTER_PROD,
                             SCATTER_PROD_STEPS)
from cygrad.devices.watching cimport called
from cygrad.dispatch.kernel_calls cimport (binary, broadcast_sizes, cast, copy_into, declined, dense_copy,
                                           elementwise_into, expand_to, fill_into, lacks, same_device, unary,
                                           where_into)
from cygrad.dispatch.axis_reductions cimport axis_last, reduce
from cygrad.dtype cimport BFLOAT16, DType, FLOAT16, INT64, UINT8, dtype_of, plain_of
from cygrad.dispatch.promotion cimport SAME
from cygrad.dispatch.without_kernels cimport is_lazy, of_any_byte, signed_code, without_kernels
from cygrad.tensor cimport Tensor, bump_version, new_tensor
from cygrad.view cimport INLINE_RANK, View, data, fill_strided, make_view, same_sizes, size_of, tuple_of

from cygrad.dispatch.allocation import empty_on
from cygrad import errors
from cygrad.dtype import WIDER

cdef enum:
    FEW_BYTES = 4096            # up to which joined tensors are copied here, and not by the backend


def unary_op(int op, Tensor a not None, int rule=SAME):
    """Raw unary op (an index of backend.UNARY)."""
    return unary(op, a, rule)


def binary_op(int op, x, y, int rule=SAME):
    """Raw binary op (an index of backend.BINARY) of tensors or a tensor and a number."""
    return binary(op, x, y, rule)


def in_steps(Tensor t not None, int steps=1):
    """`t`, made by PyTorch with that many more steps in place, which its version counts."""
    cdef int i
    for i in range(steps):
        bump_version(t)
    return t


def where_op(Tensor cond not None, Tensor a not None, Tensor b not None):
    """Raw select: operands already of one dtype and broadcast to one shape; `cond` is bool."""
    same_device("where", cond, a, ("the condition", "the first choice"))
    cdef Tensor out = output_like(a.dtype, a.rank, a.sizes, cond, a, b)
    where_into(cond, a, b, out)
    return out


def in_order_of(Tensor found not None, Tensor a not None, Tensor b=None, Tensor c=None):
    """`found` with the strides of a pointwise op's result of these operands."""
    cdef Tensor out = output_like(found.dtype, found.rank, found.sizes, a, b, c)
    if out.stride() == found.stride():
        return found
    copy_into(found, out)
    return out


def elementwise_op(tuple program not None, tuple ins not None, tuple outs not None):
    """Raw program (see `Backend.elementwise`) on tensors of one shape and numbers, into `outs`."""
    elementwise_into(program, ins, outs)


def reduce_dims(int op, Tensor a not None, tuple dims, bint keepdim, DType dtype not None):
    """Raw reduction (an index of backend.REDUCE) over non-negative, distinct dims; result in `dtype`."""
    return reduce(op, a, dims, keepdim, dtype)


def argreduce(int op, Tensor a not None, int dim, bint keepdim):
    """Raw argmax (0) or argmin (1) along `dim` (not negative); int64."""
    cdef Tensor moved = axis_last(a, dim)
    cdef Py_ssize_t sizes[64]
    cdef int i, rank = 0
    cdef Axes axes
    cdef View src, target
    cdef Backend backend = <Backend>a.memory.backend
    for i in range(a.rank):
        if i != dim:
            sizes[rank] = a.sizes[i]
            rank += 1
        elif keepdim:
            sizes[rank] = 1
            rank += 1
    cdef Tensor out = empty(a.memory.backend, a.memory.index, dtype_of(INT64), rank, sizes)
    if out.elements == 0:
        return out
    axes.operands = 2
    axes.rank = 0
    for i in range(a.rank - 1):
        axes.sizes[i] = moved.sizes[i]
        axes.strides[1][i] = moved.strides[i]
        axes.rank += 1
    cdef Py_ssize_t step = 1
    for i in range(a.rank - 2, -1, -1):
        axes.strides[0][i] = step
        step *= moved.sizes[i]
    merge_axes(&axes, 0, axes.rank)
    if axes.rank > INLINE_RANK - 1:
        return argreduce(op, dense_copy(moved), a.rank - 1, False).view(size_of(out))
    target = make_view(out.memory, out.dtype, 0, axes.rank, axes.sizes, axes.strides[0])
    i = axes.rank
    axes.sizes[i] = a.sizes[dim] if a.rank else 1
    axes.strides[1][i] = a.strides[dim] if a.rank else 1
    axes.rank += 1
    src = operand(&axes, 1, a)
    if without_kernels(src.dtype.code) or lacks("argreduce", called(backend).argreduce(op, src, target)):
        declined(backend, "argreduce", (op, src, target), (2,))
    return out


cpdef int arange_into(Tensor out, object start, object step) except -1:
    """Raw out[i] = start + i * step for a 1-d dense tensor."""
    cdef Backend backend = <Backend>out.memory.backend
    if out.elements and (without_kernels(out.dtype.code)
                         or lacks("arange", called(backend).arange(out, start, step))):
        declined(backend, "arange", (out, start, step), (0,))
    return 0


# ---------------------------------------------------------------------- copies

def copy_(View out not None, View src not None):
    """Raw out[...] = src, shapes equal; the caller bumps the version."""
    copy_into(src, out)


def fill_(View out not None, value):
    """Raw out[...] = value; the caller bumps the version."""
    fill_into(out, value)


def cast_to(Tensor a not None, DType dtype not None):
    """Raw conversion; `a` itself when it has the dtype already and is not lazy."""
    return cast(a, plain_of(dtype))


def clone_dense(Tensor a not None):
    """Raw row-major copy."""
    return dense_copy(a)


def clone_like(Tensor a not None):
    """Raw copy in the same memory order (row-major if `a` overlaps itself)."""
    cdef Tensor out = empty_like_strided(a, a.dtype)
    copy_into(a, out)
    return out


def wide_enough(Tensor src not None, Tensor out not None):
    """`src` broadcast to out's shape, as `copy_` does."""
    cdef Py_ssize_t sizes[64]
    cdef int i, rank
    if same_sizes(src, out):
        return src
    rank = broadcast_sizes(out, src, sizes)
    for i in range(rank):
        if rank != out.rank or sizes[i] != out.sizes[i]:
            raise RuntimeError(f"output with shape {list(size_of(out))} doesn't match the broadcast shape "
                               f"{list(tuple_of(sizes, rank))}")
    return expand_to(src, out.rank, out.sizes)


def refuse_partial_overlap(View out not None, View other not None):
    """Raise if an operand shares some of the memory that is written to, as far as PyTorch notices it."""
    refuse_overlap(out, other, False)


def refuse_any_overlap(View out not None, tuple operands not None):
    """Raise if an operand (not every one needs to be a tensor) shares some of the memory that is written to, or all."""
    for other in operands:
        if isinstance(other, View):
            refuse_overlap(out, <View>other, True)


cpdef int join_into(Tensor out, list tensors, int dim, bint stacked) except -1:
    """Raw copies side by side along axis `dim` of the row-major `out`: parts of it, or (stacked) one index each."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t at = out.offset
    cdef int i, k = 0
    cdef Tensor t
    if out.memory.pointer != NULL and out.elements * out.dtype.itemsize <= FEW_BYTES and fit_whole(out, tensors):
        join_few(out, tensors, dim, stacked)
        return 0
    for i in range(out.rank):
        if not (stacked and i == dim):
            sizes[k], strides[k] = out.sizes[i], out.strides[i]
            k += 1
    for t in tensors:
        if not stacked:
            sizes[dim] = t.sizes[dim]
        copy_into(t, make_view(out.memory, out.dtype, at, k, sizes, strides))
        at += out.strides[dim] * (1 if stacked else t.sizes[dim])
    return 0


cdef bint fit_whole(Tensor out, list tensors):
    """Whether the tensors' bytes can be copied as they are."""
    cdef Tensor t
    for t in tensors:
        if not t.dense or t.dtype is not out.dtype:
            return False
    return out.dense


cdef void join_few(Tensor out, list tensors, int dim, bint stacked) noexcept:
    """`join_into` where calls of kernels would cost more than the copies, on the host."""
    cdef Py_ssize_t rows = 1, inner = out.dtype.itemsize, row, place = 0, pitch, size
    cdef char *source
    cdef char *target = data(out)
    cdef Tensor t
    cdef int i
    for i in range(dim):
        rows *= out.sizes[i]
    for i in range(dim + 1, out.rank):
        inner *= out.sizes[i]
    pitch = inner * out.sizes[dim]
    for t in tensors:
        size = inner if stacked else inner * t.sizes[dim]
        source = data(t)
        for row in range(rows):
            memcpy(target + row * pitch + place, source + row * size, size)
        place += size


def flipped(Tensor a not None, tuple dims not None):
    """Raw copy with the order along `dims` reversed, by negative strides; None where the backend takes none."""
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t start = a.offset
    cdef Tensor out
    cdef int i
    if not (<Backend>a.memory.backend).walks_backwards or a.elements == 0:
        return None
    out = empty_as(a, a.dtype) if a.rank == 1 and a.strides[0] == 1 else empty_like_strided(a, a.dtype)
    for i in range(a.rank):
        strides[i] = a.strides[i]
    for dim in dims:
        i = dim
        start += (a.sizes[i] - 1) * strides[i]
        strides[i] = -strides[i]
    copy_into(make_view(a.memory, a.dtype, start, a.rank, a.sizes, strides), out)
    return out


def rolled(Tensor a not None, dim, shift):
    """Raw row-major copy with the elements moved by `shift` places along an axis; None: along all as one (dense)."""
    cdef Tensor out = empty_as(a, a.dtype)
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t one = 1, first, rest
    cdef View src = a, target = out
    cdef int axis = 0, i
    if dim is None:
        src = make_view(a.memory, a.dtype, a.offset, 1, &a.elements, &one)
        target = make_view(out.memory, out.dtype, 0, 1, &a.elements, &one)
    elif a.rank:
        axis = dim
    else:
        copy_into(a, out)
        return out
    for i in range(src.rank):
        sizes[i] = src.sizes[i]
    first = shift % sizes[axis]                         # of Python numbers: never negative
    rest = sizes[axis] - first
    sizes[axis] = first
    copy_into(make_view(src.memory, src.dtype, src.offset + rest * src.strides[axis], src.rank, sizes, src.strides),
              make_view(out.memory, out.dtype, 0, src.rank, sizes, target.strides))
    sizes[axis] = rest
    copy_into(make_view(src.memory, src.dtype, src.offset, src.rank, sizes, src.strides),
              make_view(out.memory, out.dtype, first * target.strides[axis], src.rank, sizes, target.strides))
    return out


# ---------------------------------------------------------------------- places

cpdef Tensor seen_as(View t, DType dtype):
    """The same memory as elements of another dtype of the same size."""
    cdef Tensor out = new_tensor()
    fill_strided(out, t.memory, dtype, t.offset, t.rank, t.sizes, t.strides)
    return out


cpdef Tensor seen_as_signed(View t):
    """A tensor of a dtype without kernels as one of the signed dtype of as many bytes; any other as it is."""
    if not without_kernels(t.dtype.code):
        return t if isinstance(t, Tensor) else seen_as(t, t.dtype)
    return seen_as(t, dtype_of(signed_code(t.dtype.code)))


def gather_op(Tensor src not None, Tensor index not None, int dim):
    """Raw gather: src and index of one rank; index int64, non-negative, in range."""
    cdef Backend backend = <Backend>src.memory.backend
    cdef Tensor out = empty(src.memory.backend, src.memory.index, src.dtype, index.rank, index.sizes)
    same_device("gather", src, index, ("the input", "the index"))
    if out.elements and (without_kernels(out.dtype.code) or is_lazy(src.dtype.code | index.dtype.code)
                         or lacks("gather", called(backend).gather(src, index, dim, out))):
        declined(backend, "gather", (src, index, dim, out), (3,))
    return out


cdef bint gather_looking(View src, View index, int dim, View out) except -1:
    """Raw gather by an index that nobody has looked at yet, in one pass: whether it was done.

    Otherwise the backend does not look, or a place is outside src's axis: what `out` holds is then anything.
    """
    cdef Backend backend = <Backend>src.memory.backend
    same_device("gather", src, index, ("the input", "the index"))
    if out.elements == 0:
        return True
    if is_lazy(src.dtype.code | out.dtype.code):
        return False
    if without_kernels(out.dtype.code):
        src, out = seen_as_signed(src), seen_as_signed(out)
    if backend.checks_places:
        return called(backend).gather(src, index, dim, out) is None
    return called(backend).gather_looking(src, index, dim, out) is True


def gather_into(View src not None, View index not None, int dim, View out not None):
    """Raw gather into `out`, which has index's shape."""
    cdef Backend backend = <Backend>src.memory.backend
    same_device("gather", src, index, ("the input", "the index"))
    same_device("gather", src, out, ("the input", "the result"))
    if out.elements and (without_kernels(out.dtype.code) or is_lazy(src.dtype.code | index.dtype.code)
                         or lacks("gather", called(backend).gather(src, index, dim, out))):
        declined(backend, "gather", (src, index, dim, out), (3,))


cdef bint scatter_looking(int mode, Tensor out, int dim, Tensor index, Tensor src) except -1:
    """Raw scatter by an index that nobody has looked at yet: whether it was done, as in `gather_looking`."""
    cdef Backend backend = <Backend>out.memory.backend
    if (index.memory is out.memory or src.memory is out.memory or without_kernels(out.dtype.code)
            or is_lazy(src.dtype.code)):
        return False
    same_device("scatter", out, index, ("the input", "the index"))
    same_device("scatter", out, src, ("the input", "the source"))
    if index.elements == 0:
        return True
    if backend.checks_places:
        return called(backend).scatter(mode, out, dim, index, src) is None
    return called(backend).scatter_looking(mode, out, dim, index, src) is True


cpdef int step_mode(int mode, Tensor out):
    """The mode of scatter that rounds 16-bit sums and products after each step, where the backend knows it."""
    cdef int code = out.dtype.code
    if (code == FLOAT16 or code == BFLOAT16) and out.memory.backend.rounds_steps:
        if mode == SCATTER_ADD:
            return SCATTER_ADD_STEPS
        if mode == SCATTER_PROD:
            return SCATTER_PROD_STEPS
    return mode


cpdef int scatter_into(int mode, Tensor out, int dim, Tensor index, Tensor src) except -1:
    """Raw scatter into `out`, in place: index int64, non-negative, in range; src of out's dtype and index's shape."""
    cdef Backend backend = <Backend>out.memory.backend
    same_device("scatter", out, index, ("the input", "the index"))
    same_device("scatter", out, src, ("the input", "the source"))
    if index.memory is out.memory:                      # what is read must not change under the writes
        index = dense_copy(index)
    if src.memory is out.memory:
        src = dense_copy(src)
    if index.elements and (without_kernels(out.dtype.code) or is_lazy(src.dtype.code | index.dtype.code)
                           or lacks("scatter", called(backend).scatter(mode, out, dim, index, src))):
        declined(backend, "scatter", (mode, out, dim, index, src), (1,))
    return 0


def nonzero_op(Tensor a not None):
    """Raw (count, rank) int64 coordinates of the non-zero elements; those of one axis lie together in memory."""
    cdef Backend backend = <Backend>a.memory.backend
    cdef list made = []

    def allocate(Py_ssize_t count):
        if count < 0 or count > a.elements:
            raise errors.BackendError(f"the kernel 'nonzero' of backend {backend.name!r} called allocate({count}) for "
                                      f"{a.elements} elements")
        cdef Tensor out = empty_on(backend, a.memory.index, dtype_of(INT64), (count, a.rank))
        out.strides[0], out.strides[1] = 1, count
        out.finish()
        made.append(out)
        return out

    if a.elements == 0:
        return allocate(0)
    if is_lazy(a.dtype.code):
        a = seen_as(a, dtype_of(UINT8) if of_any_byte(a.dtype.code) else plain_of(a.dtype))    # the same are zero
    if a.dtype in WIDER:                        # of which zero has two signs
        a = cast(a, WIDER[a.dtype])
    if without_kernels(a.dtype.code):
        a = seen_as_signed(a)
    cdef object answer = called(backend).nonzero(a, allocate)
    if answer is NotImplemented:
        from cygrad.dispatch import fallback      # knot: it needs this module
        return fallback.nonzero(a)
    if answer is not None:
        raise errors.wrong_answer("nonzero", answer)
    if len(made) != 1:
        raise errors.BackendError(f"the kernel 'nonzero' of backend {backend.name!r} called allocate {len(made)} "
                                  "times; it calls it once, with the count of elements that are not zero")
    return made[0]


# -------------------------------------------------------------- along one axis

def scan_op(int op, Tensor a not None, int dim, DType dtype not None):
    """Raw running reduction along `dim`: the result, or (values, indices) for cummax and cummin."""
    cdef Backend backend = <Backend>a.memory.backend
    cdef Tensor out = empty(a.memory.backend, a.memory.index, dtype, a.rank, a.sizes), index = None
    cdef View moved, target, places = None
    if op == CUMMAX or op == CUMMIN:
        index = empty(a.memory.backend, a.memory.index, dtype_of(INT64), a.rank, a.sizes)
    if out.elements:
        moved, target = axis_last(a, dim), axis_last(out, dim)
        if index is not None:
            places = axis_last(index, dim)
        if (without_kernels(moved.dtype.code) or without_kernels(target.dtype.code)
                or lacks("scan", called(backend).scan(op, moved, target, places))):
            declined(backend, "scan", (op, moved, target, places), (2, 3))
    return out if index is None else (out, index)


def sort_op(Tensor a not None, int dim, bint descending, bint stable):
    """Raw sort along `dim`: (values, indices), in a's memory order."""
    cdef Backend backend = <Backend>a.memory.backend
    cdef Tensor values = empty_like_strided(a, a.dtype)
    cdef Tensor index = empty_like_strided(a, dtype_of(INT64))
    cdef View moved, target, places
    if values.elements:
        moved, target, places = axis_last(a, dim), axis_last(values, dim), axis_last(index, dim)
        if without_kernels(moved.dtype.code) or lacks(
                "sort", called(backend).sort(moved, descending, stable, target, places)):
            declined(backend, "sort", (moved, descending, stable, target, places), (3, 4))
    return values, index


def partial_sort_op(Tensor a not None, int dim, bint descending, Py_ssize_t first, Py_ssize_t count):
    """Raw (values, indices) of the places first to first + count - 1 of a stable sort along `dim`."""
    cdef Backend backend = <Backend>a.memory.backend
    cdef Py_ssize_t sizes[64]
    cdef int i
    cdef Tensor values, index
    cdef View moved, target, places
    for i in range(a.rank):
        sizes[i] = a.sizes[i]
    sizes[dim] = count
    values = empty(backend, a.memory.index, a.dtype, a.rank, sizes)
    index = empty(backend, a.memory.index, dtype_of(INT64), a.rank, sizes)
    if values.elements:
        moved, target, places = axis_last(a, dim), axis_last(values, dim), axis_last(index, dim)
        if (without_kernels(moved.dtype.code)
                or lacks("partial_sort", called(backend).partial_sort(moved, descending, first, target, places))):
            declined(backend, "partial_sort", (moved, descending, first, target, places), (3, 4))
    return values, index


def softmax_op(Tensor a not None, int dim, bint log):
    """Raw (log-)softmax along `dim`."""
    cdef Backend backend = <Backend>a.memory.backend
    cdef Tensor out = empty(a.memory.backend, a.memory.index, a.dtype, a.rank, a.sizes)
    cdef View moved = axis_last(a, dim), target = axis_last(out, dim)
    if out.elements and (without_kernels(a.dtype.code)
                         or lacks("softmax", called(backend).softmax(moved, log, target))):
        declined(backend, "softmax", (moved, log, target), (2,))
    return out


def softmax_backward_op(Tensor grad not None, Tensor result not None, int dim, bint log):
    """Raw gradient of (log-)softmax along `dim`."""
    cdef Backend backend = <Backend>result.memory.backend
    cdef Tensor out = empty(result.memory.backend, result.memory.index, result.dtype, result.rank, result.sizes)
    cdef View g = axis_last(grad, dim), r = axis_last(result, dim), target = axis_last(out, dim)
    if out.elements and (without_kernels(g.dtype.code) or without_kernels(r.dtype.code)
                         or lacks("softmax_backward", called(backend).softmax_backward(g, r, log, target))):
        declined(backend, "softmax_backward", (g, r, log, target), (3,))
    return out


# -------------------------------------------------------------- linear algebra

def matmul3(Tensor a not None, Tensor b not None):
    """Raw batched product of (B, M, K) and (B, K, N), same dtype; batch strides may be 0."""
    cdef Py_ssize_t sizes[3]
    cdef Backend backend = <Backend>a.memory.backend
    same_device("matmul", a, b)
    sizes[0], sizes[1], sizes[2] = a.sizes[0], a.sizes[1], b.sizes[2]
    cdef Tensor out = empty(a.memory.backend, a.memory.index, a.dtype, 3, sizes)
    if out.elements == 0:
        return out
    if a.sizes[2] == 0:
        fill_into(out, 0)
    elif (without_kernels(out.dtype.code) or is_lazy(a.dtype.code | b.dtype.code)
          or lacks("matmul", called(backend).matmul(a, b, out))):
        declined(backend, "matmul", (a, b, out), (2,))
    return out


cdef bint foreign_among(tuple views):
    """Whether a tensor of these has a dtype without kernels."""
    for v in views:
        if v is not None and without_kernels((<View>v).dtype.code):
            return True
    return False


def linalg_op(str routine, tuple ins, tuple outs, dict options=None):
    """Raw LAPACK-class routine on batches; fills `outs` (see Backend.linalg)."""
    cdef Backend backend = <Backend>(<Tensor>ins[0]).memory.backend
    for other in ins[1:]:
        same_device(routine, <View>ins[0], <View>other)
    if foreign_among(ins) or foreign_among(outs) or lacks("linalg", called(backend).linalg(routine, ins, outs,
                                                                                        options or {})):
        declined(backend, "linalg", (routine, ins, outs, options or {}), (2,))
