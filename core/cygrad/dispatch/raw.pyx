"""Raw ops as Python code of the core calls them: the kernels of `backend.pyx` on tensors, without a graph.

Each checks that its operands lie on one device, makes the result (or fills the one it gets), brings the axes into the
form that the contract asks for, and hands a declined call to `fallback`. Arguments are normalised by the caller.
"""
from libc.string cimport memcpy

from cygrad.dispatch.allocation cimport empty, empty_as, empty_like_strided, output_like
from cygrad.autograd.modes cimport grad_enabled, inference_enabled
from cygrad.dispatch.axes cimport Axes, merge_axes, operand, refuse_overlap, refuse_self_overlap
from cygrad.backend cimport Backend, CUMMAX, CUMMIN
from cygrad.devices.watching cimport called
from cygrad.dispatch.kernel_calls cimport (binary, broadcast_sizes, cast, copy_into, declined, dense_copy,
                                           elementwise_into, expand_to, fill_into, lacks, same_device, unary,
                                           where_into)
from cygrad.dispatch.axis_reductions cimport axis_last, reduce
from cygrad.dtype cimport DType, INT64, can_cast_to, dtype_of
from cygrad.dispatch.promotion cimport SAME
from cygrad.dispatch.unsigned_dtypes cimport signed_code, without_kernels
from cygrad.tensor cimport Tensor, bump_version, new_tensor, requires_grad
from cygrad.view cimport INLINE_RANK, View, data, fill_strided, make_view, same_sizes, size_of, tuple_of

from cygrad.dispatch.allocation import empty_on
from cygrad.dispatch.axes import OVERLAPPED
from cygrad import errors
from cygrad.errors import warn
from cygrad.dispatch.promotion import SCALAR_NAMES

cdef enum:
    FEW_BYTES = 4096            # up to which joined tensors are copied here, and not by the backend


def unary_op(int op, Tensor a not None, int rule=SAME):
    """Raw unary op (an index of backend.UNARY)."""
    return unary(op, a, rule)


def binary_op(int op, x, y, int rule=SAME):
    """Raw binary op (an index of backend.BINARY) of tensors or a tensor and a number."""
    return binary(op, x, y, rule)


def where_op(Tensor cond not None, Tensor a not None, Tensor b not None):
    """Raw select: operands already of one dtype and broadcast to one shape; `cond` is bool."""
    same_device("where", cond, a, ("the condition", "the first choice"))
    cdef Tensor out = output_like(a.dtype, a.rank, a.sizes, cond, a, b)
    where_into(cond, a, b, out)
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


def arange_into(Tensor out not None, start, step):
    """Raw out[i] = start + i * step for a 1-d dense tensor."""
    cdef Backend backend = <Backend>out.memory.backend
    if out.elements and (without_kernels(out.dtype.code)
                         or lacks("arange", called(backend).arange(out, start, step))):
        declined(backend, "arange", (out, start, step), (0,))


# ---------------------------------------------------------------------- copies

def copy_(View out not None, View src not None):
    """Raw out[...] = src, shapes equal; the caller bumps the version."""
    copy_into(src, out)


def fill_(View out not None, value):
    """Raw out[...] = value; the caller bumps the version."""
    fill_into(out, value)


def cast_to(Tensor a not None, DType dtype not None):
    """Raw conversion; `a` itself when it has the dtype already."""
    return cast(a, dtype)


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
    out = empty_as(a, a.dtype) if a.dense and a.rank == 1 else empty_like_strided(a, a.dtype)
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
    """A tensor of uint16, uint32 or uint64 as one of the signed dtype of as many bytes; any other as it is."""
    if not without_kernels(t.dtype.code):
        return t if isinstance(t, Tensor) else seen_as(t, t.dtype)
    return seen_as(t, dtype_of(signed_code(t.dtype.code)))


def gather_op(Tensor src not None, Tensor index not None, int dim):
    """Raw gather: src and index of one rank; index int64, non-negative, in range."""
    cdef Backend backend = <Backend>src.memory.backend
    cdef Tensor out = empty(src.memory.backend, src.memory.index, src.dtype, index.rank, index.sizes)
    same_device("gather", src, index, ("the input", "the index"))
    if out.elements and (without_kernels(out.dtype.code)
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
    if out.elements and (without_kernels(out.dtype.code)
                         or lacks("gather", called(backend).gather(src, index, dim, out))):
        declined(backend, "gather", (src, index, dim, out), (3,))


cdef bint scatter_looking(int mode, Tensor out, int dim, Tensor index, Tensor src) except -1:
    """Raw scatter by an index that nobody has looked at yet: whether it was done, as in `gather_looking`."""
    cdef Backend backend = <Backend>out.memory.backend
    if index.memory is out.memory or src.memory is out.memory or without_kernels(out.dtype.code):
        return False
    same_device("scatter", out, index, ("the input", "the index"))
    same_device("scatter", out, src, ("the input", "the source"))
    if index.elements == 0:
        return True
    if backend.checks_places:
        return called(backend).scatter(mode, out, dim, index, src) is None
    return called(backend).scatter_looking(mode, out, dim, index, src) is True


cpdef int scatter_into(int mode, Tensor out, int dim, Tensor index, Tensor src) except -1:
    """Raw scatter into `out`, in place: index int64, non-negative, in range; src of out's dtype and index's shape."""
    cdef Backend backend = <Backend>out.memory.backend
    same_device("scatter", out, index, ("the input", "the index"))
    same_device("scatter", out, src, ("the input", "the source"))
    if index.memory is out.memory:                      # what is read must not change under the writes
        index = dense_copy(index)
    if src.memory is out.memory:
        src = dense_copy(src)
    if index.elements and (without_kernels(out.dtype.code)
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
    if out.elements and lacks("softmax_backward", called(backend).softmax_backward(g, r, log, target)):
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
    elif without_kernels(out.dtype.code) or lacks("matmul", called(backend).matmul(a, b, out)):
        declined(backend, "matmul", (a, b, out), (2,))
    return out


def linalg_op(str routine, tuple ins, tuple outs, dict options=None):
    """Raw LAPACK-class routine on batches; fills `outs` (see Backend.linalg)."""
    cdef Backend backend = <Backend>(<Tensor>ins[0]).memory.backend
    for other in ins[1:]:
        same_device(routine, <View>ins[0], <View>other)
    if lacks("linalg", called(backend).linalg(routine, ins, outs, options or {})):
        declined(backend, "linalg", (routine, ins, outs, options or {}), (2,))


# ---- results that go into a tensor given as `out=`

# Ops whose results never need a gradient, which may write into `out=` whatever their operands need.
cdef frozenset WITHOUT_GRADIENT = frozenset("""
    all any argmax argmin bucketize count_nonzero eq equal ge greater greater_equal gt isin isneginf isposinf le less
    less_equal logical_and logical_not logical_or logical_xor lt ne nonzero not_equal searchsorted signbit""".split())

# What PyTorch says of operands that share memory with `out`, a letter for each argument, the last for those behind it:
# WHOLE: `out` may not even be the operand itself; PARTLY: that it may be; SHAPED: likewise, if it has out's shape;
# "-": they may share what they like. Ops that are not here have PARTLY. Nothing is read after `out` was written to.
cdef enum:
    WHOLE = 87      # "W"
    PARTLY = 80     # "P"
    SHAPED = 83     # "S"

cdef dict _OVERLAPS = {}
for _rule, _names in (
        ("W", "index_select take masked_select cat concat concatenate hstack vstack dstack row_stack column_stack "
              "stack kthvalue diff cross linalg_cross"),
        ("WWP", "gather"), ("W-", "take_along_dim"), ("PW", "scatter scatter_add scatter_reduce"),
        ("S-", "addmm addmv addbmm baddbmm"), ("SP", "addr"), ("-P", "linalg_solve_triangular"),
        ("-", "mean amax amin max min logsumexp var std linalg_vector_norm quantile nanquantile histc searchsorted mm "
              "bmm mv dot vdot tensordot matmul matrix_power linalg_vecdot diag tril triu inverse linalg_inv "
              "linalg_det linalg_solve cholesky linalg_cholesky cholesky_solve cholesky_inverse linalg_svdvals "
              "linalg_eigvalsh linalg_pinv linalg_cond linalg_matrix_norm linalg_norm orgqr ormqr special_ndtr")):
    _OVERLAPS.update(dict.fromkeys(_names.split(), _rule))

# Ops that look whether places of `out` are there twice before its shape is.
cdef frozenset _LOOKED_AT_FIRST = frozenset(("index_select", "gather", "take"))


# Ops that PyTorch composes of others, whose `out` is row-major where it is resized, in whatever order the result is.
cdef frozenset ROW_MAJOR = frozenset("""
    cholesky cholesky_solve quantile nanquantile linalg_tensorinv fft_fft fft_fft2 fft_fftn fft_hfft fft_hfft2 fft_hfftn
    fft_ifft2 fft_ifftn fft_ihfft2 fft_ihfftn fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn""".split())


cdef int check_inference(Tensor t) except -1:
    """Refuse to write into a tensor of inference mode outside it."""
    if t.inference and not inference_enabled():
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a "
                           "clone to get a normal tensor before doing inplace update.See "
                           "https://github.com/pytorch/rfcs/pull/17 for more details.")
    return 0


cdef inline bint has_gradient(Tensor t):
    """Whether backward goes through `t`, by the first bit of `requires`; else what it has is a tangent."""
    return (t.requires | (0 if t.base is None else t.base.requires)) & 1


def refuse_out_grad(str name, *operands):
    """`out=` and autograd exclude each other, as in PyTorch; the last operand is `out`, which no other may overlap."""
    cdef bint recording = grad_enabled()
    cdef object out = operands[len(operands) - 1], other
    cdef str rule = _OVERLAPS.get(name, "P")
    cdef Py_UCS4 said
    cdef Py_ssize_t i
    if isinstance(out, Tensor) and name in _LOOKED_AT_FIRST:
        refuse_self_overlap(<Tensor>out)
    for i in range(len(operands)):
        other = operands[i]
        if not isinstance(other, Tensor):
            continue
        if recording and requires_grad(<Tensor>other) and name not in WITHOUT_GRADIENT:
            if not has_gradient(<Tensor>other):
                raise NotImplementedError(f"Trying to use forward AD with {name}_out that does not support it because "
                                          "it is an out= function")
            raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, "
                               "but one of the arguments requires grad.")
        if i < len(operands) - 1 and isinstance(out, Tensor):
            said = rule[min(i, len(rule) - 1)]
            if said == WHOLE or said == PARTLY or said == SHAPED and same_sizes(<Tensor>out, <Tensor>other):
                refuse_overlap(<Tensor>out, <Tensor>other, said == WHOLE)


cdef int refuse_grown(str name, Tensor result, Tensor target, operands) except -1:
    """What `refuse_out_grad` looks for where `out` is still to be resized: that it will lie over an operand then."""
    cdef str rule = _OVERLAPS.get(name, "P")
    cdef Py_ssize_t i = 0, start = target.offset, stop = target.offset + result.elements
    cdef Py_UCS4 said
    cdef Tensor t
    for other in operands:
        said = rule[min(i, len(rule) - 1)]
        i += 1
        if said != WHOLE and said != PARTLY or not isinstance(other, Tensor):
            continue
        t = <Tensor>other
        if t.memory is target.memory and t.dtype is target.dtype and (
                t is target and said == WHOLE or t is not target and t.offset < stop and start < t.offset + t.elements
                and not (said == PARTLY and t.offset == start and same_sizes(t, result))):
            raise RuntimeError(OVERLAPPED)
    return 0


cdef void take_strides(Tensor target, Tensor result) noexcept:
    """Give a tensor that was resized, and is row-major, the order of axes that its new values have."""
    cdef Py_ssize_t reach = 1
    cdef int i
    for i in range(result.rank):
        if result.strides[i] == 0 and result.sizes[i] > 1:
            return
        reach += (result.sizes[i] - 1) * result.strides[i]
    if reach == result.elements:
        for i in range(result.rank):
            target.strides[i] = result.strides[i]
        target.finish()


def write_out(str name, Tensor result not None, out, exact=False, operands=()):
    """Put a result into the tensor given as `out=`: resized if it is empty (or, with a warning, of another shape).

    One that is resized gets the strides of the result. `operands`: the op's, over which it may not come to lie.
    """
    cdef Tensor target
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    target = <Tensor>out
    check_inference(target)
    same_device(name, result, target, ("the result", "out"))
    if target.dtype is not result.dtype:
        if exact in ("exact", "dtype"):
            raise RuntimeError(f"{name}(): expected out tensor to have dtype {result.dtype.name}, but got "
                               f"{target.dtype.name} instead")
        if exact != "any" and not can_cast_to(result.dtype, target.dtype):
            raise RuntimeError(f"result type {SCALAR_NAMES[result.dtype.code]} can't be cast to the desired output "
                               f"type {SCALAR_NAMES[target.dtype.code]}")
    if not same_sizes(target, result):
        refuse_grown(name, result, target, operands)
        if target.elements:
            warn_of_resizing(target, result)
        target.resize_(result.shape)
        if name not in ROW_MAJOR:
            take_strides(target, result)
    refuse_self_overlap(target)
    copy_into(result, target)
    bump_version(target)
    return target


cdef int warn_of_resizing(Tensor out, Tensor result) except -1:
    warn(
        f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
        f"match the required output shape {list(result.shape)}. This behavior is deprecated, and in a future "
        "release outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
        "tensor t by resizing it, inplace, to zero elements with t.resize_(0).")
