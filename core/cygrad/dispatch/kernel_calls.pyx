"""Raw ops: what lies between a public op and a kernel, once for all ops and backends. No autograd here.

An op goes: dtypes are promoted (`result_dtype`), shapes broadcast (`broadcast_sizes`), the output allocated in its
inputs' memory order (`output_like`), operands cast where the backend doesn't convert itself, axes merged (`collapse`),
the kernel called, and a declined call handed to `fallback`. Operands that are dense, of one dtype and one shape
skip all of it. Every function here returns or fills tensors without a graph. Python code of the
core calls raw ops by `raw`.
"""
from cpython.complex cimport PyComplex_Check

from cygrad.dispatch.allocation cimport empty, empty_as, output_like
from cygrad.dispatch.axes cimport (Axes, add_broadcast, add_operand, collapse, is_geometry, merge_axes, operand,
                                   sort_axes, split, start_axes)
from cygrad.backend cimport ALL, ANGLE, ANY, Backend, NE, PROD, SQUARE, SQUARE_SUM, SUM
from cygrad.dtype cimport (BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, CATEGORY_INTEGER, DType, default_float, dtype_of)
from cygrad.tensors.elements cimport scalar_value
from cygrad.dispatch.promotion cimport SAME, TO_BOOL, TO_REAL, check_scalar, compute_dtype, result_dtype
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport INLINE_RANK, View, fill_dense, fill_strided, make_view, same_sizes, size_of
from cygrad.tensors.operators cimport Copy, operators

from cygrad import errors
from cygrad.backend import BINARY


# ------------------------------------------------------------ calls of kernels

cdef bint is_decline(str entry, object answer) except -1:
    """True for NotImplemented; a kernel that returns anything else has forgotten that results go into its output."""
    if answer is not NotImplemented:
        raise errors.wrong_answer(entry, answer)
    return True


cdef int declined(object backend, str entry, tuple args, tuple outs) except -1:
    """A kernel returned NotImplemented: the CPU runs the call, or the user learns why not."""
    from cygrad.dispatch import fallback
    fallback.run(backend, entry, args, outs)
    return 0


cdef int same_device(str op, View a, View b, tuple names=("argument 1", "argument 2")) except -1:
    """Raise where two operands lie on different devices: no kernel looks."""
    if a.memory is not b.memory and (a.memory.backend is not b.memory.backend or a.memory.index != b.memory.index):
        raise errors.on_two_devices(op, a, b, names)
    return 0


cdef int unary_into(int op, Tensor a, Tensor out) except -1:
    """out = op(a) for operands of one shape; the kernel may compute in place."""
    cdef Axes axes
    cdef View va = a, vo = out
    cdef Backend backend = <Backend>out.memory.backend
    if out.elements == 0:
        return 0
    if not (a.dense and out.dense and out.rank <= INLINE_RANK):
        start_axes(&axes, out)
        add_operand(&axes, out)
        add_operand(&axes, a)
        collapse(&axes)
        if axes.rank > INLINE_RANK:
            for pair in split((out, a), &axes):
                if lacks("unary", backend.unary(op, <View>(pair[1]), <View>(pair[0]))):
                    declined(backend, "unary", (op, pair[1], pair[0]), (2,))
            return 0
        vo, va = operand(&axes, 0, out), operand(&axes, 1, a)
    if lacks("unary", backend.unary(op, va, vo)):
        declined(backend, "unary", (op, va, vo), (2,))
    return 0


cdef int binary_into(int op, Tensor a, Tensor b, Tensor out) except -1:
    """out = op(a, b) for operands of one shape."""
    cdef Axes axes
    cdef View va = a, vb = b, vo = out
    cdef Backend backend = <Backend>out.memory.backend
    if out.elements == 0:
        return 0
    if not (a.dense and b.dense and out.dense and out.rank <= INLINE_RANK):
        start_axes(&axes, out)
        add_operand(&axes, out)
        add_operand(&axes, a)
        add_operand(&axes, b)
        collapse(&axes)
        if axes.rank > INLINE_RANK:
            for three in split((out, a, b), &axes):
                if lacks("binary", backend.binary(op, <View>(three[1]), <View>(three[2]), <View>(three[0]))):
                    declined(backend, "binary", (op, three[1], three[2], three[0]), (3,))
            return 0
        vo, va, vb = operand(&axes, 0, out), operand(&axes, 1, a), operand(&axes, 2, b)
    if lacks("binary", backend.binary(op, va, vb, vo)):
        declined(backend, "binary", (op, va, vb, vo), (3,))
    return 0


cdef bint row_major(Tensor a, Tensor b, int rank, const Py_ssize_t *sizes) noexcept:
    """Whether the result of two operands that are broadcast to these sizes is row-major without a look at strides."""
    cdef int i
    if not (a.dense and b.dense and rank <= INLINE_RANK):
        return False
    for i in range(rank):
        if sizes[i] <= 1:
            return False
    return True


cdef int broadcast_into(int op, Tensor a, Tensor b, Tensor out) except -1:
    """out = op(a, b) for operands that are broadcast to out's shape; `out` is row-major, of few axes, not empty."""
    cdef Axes axes
    cdef View va, vb, vo
    cdef Backend backend = <Backend>out.memory.backend
    start_axes(&axes, out)
    add_operand(&axes, out)
    add_broadcast(&axes, a)
    add_broadcast(&axes, b)
    merge_axes(&axes, 0, axes.rank)
    vo, va, vb = operand(&axes, 0, out), operand(&axes, 1, a), operand(&axes, 2, b)
    if lacks("binary", backend.binary(op, va, vb, vo)):
        declined(backend, "binary", (op, va, vb, vo), (3,))
    return 0


cdef int scalar_into(int op, Tensor a, object x, bint swapped, Tensor out) except -1:
    """out = op(a, x), or op(x, a) if swapped, for a Python number x."""
    cdef Axes axes
    cdef View va = a, vo = out
    cdef Backend backend = <Backend>out.memory.backend
    if out.elements == 0:
        return 0
    if not (a.dense and out.dense and out.rank <= INLINE_RANK):
        start_axes(&axes, out)
        add_operand(&axes, out)
        add_operand(&axes, a)
        collapse(&axes)
        if axes.rank > INLINE_RANK:
            for pair in split((out, a), &axes):
                if lacks("binary_scalar", backend.binary_scalar(op, <View>(pair[1]), x, swapped, <View>(pair[0]))):
                    declined(backend, "binary_scalar", (op, pair[1], x, swapped, pair[0]), (4,))
            return 0
        vo, va = operand(&axes, 0, out), operand(&axes, 1, a)
    if lacks("binary_scalar", backend.binary_scalar(op, va, x, swapped, vo)):
        declined(backend, "binary_scalar", (op, va, x, swapped, vo), (4,))
    return 0


cpdef int where_into(Tensor cond, Tensor a, Tensor b, Tensor out) except -1:
    """Raw select into `out`: operands of out's shape and dtype, `cond` bool; `out` may be `a` or `b` itself."""
    cdef Axes axes
    cdef Backend backend = <Backend>out.memory.backend
    cdef View vo = out, vc = cond, va = a, vb = b
    same_device("where", out, cond, ("the result", "the condition"))
    same_device("where", a, b, ("the first choice", "the second"))
    same_device("where", out, a, ("the result", "the first choice"))
    if out.elements == 0:
        return 0
    if not (cond.dense and a.dense and b.dense and out.dense and out.rank <= INLINE_RANK):
        start_axes(&axes, out)
        for v in (out, cond, a, b):
            add_operand(&axes, <View>v)
        collapse(&axes)
        if axes.rank > INLINE_RANK:
            for four in split((out, cond, a, b), &axes):
                if lacks("where", backend.where(<View>(four[1]), <View>(four[2]), <View>(four[3]), <View>(four[0]))):
                    declined(backend, "where", (four[1], four[2], four[3], four[0]), (3,))
            return 0
        vo, vc, va, vb = operand(&axes, 0, out), operand(&axes, 1, cond), operand(&axes, 2, a), operand(&axes, 3, b)
    if lacks("where", backend.where(vc, va, vb, vo)):
        declined(backend, "where", (vc, va, vb, vo), (3,))
    return 0


cdef int elementwise_into(tuple program, tuple ins, tuple outs) except -1:
    """Run a pointwise program (see `Backend.elementwise`) on operands of one shape; `ins` may hold Python numbers."""
    cdef Axes axes
    cdef View out = <View>outs[0]
    cdef Backend backend = <Backend>out.memory.backend
    cdef bint dense = out.rank <= INLINE_RANK
    cdef tuple views, parts, each
    cdef list slices
    if out.elements == 0:
        return 0
    for v in ins:
        dense = dense and (not isinstance(v, View) or (<View>v).dense)
    for v in outs:
        dense = dense and (<View>v).dense
    if dense:
        if lacks("elementwise", backend.elementwise(program, ins, outs)):
            declined(backend, "elementwise", (program, ins, outs), (2,))
        return 0
    views = outs + tuple([v for v in ins if isinstance(v, View)])
    start_axes(&axes, out)
    for v in views:
        add_operand(&axes, <View>v)
    collapse(&axes)
    if axes.rank > INLINE_RANK:
        parts = split(views, &axes)
    else:
        parts = (tuple([operand(&axes, k, <View>views[k]) for k in range(len(views))]),)
    for each in parts:
        slices = list(each[len(outs):])
        found = tuple([slices.pop(0) if isinstance(v, View) else v for v in ins])
        if lacks("elementwise", backend.elementwise(program, found, each[:len(outs)])):
            declined(backend, "elementwise", (program, found, each[:len(outs)]), (2,))
    return 0


cdef int copy_into(View src, View out) except -1:
    """out = src for views of one shape, with conversion; across devices through the host."""
    cdef Axes axes
    cdef View va = src, vo = out
    cdef Backend backend = <Backend>out.memory.backend
    if out.elements == 0:
        return 0
    if src.memory.backend is not out.memory.backend or src.memory.index != out.memory.index:
        from cygrad.devices import transfers
        transfers.copy_across(src, out)
        return 0
    if not (src.dense and out.dense and out.rank <= INLINE_RANK):
        start_axes(&axes, out)
        add_operand(&axes, out)
        add_operand(&axes, src)
        collapse(&axes)
        if axes.rank > INLINE_RANK:
            for pair in split((out, src), &axes):
                if lacks("copy", backend.copy(<View>(pair[1]), <View>(pair[0]))):
                    declined(backend, "copy", (pair[1], pair[0]), (1,))
            return 0
        vo, va = operand(&axes, 0, out), operand(&axes, 1, src)
    if lacks("copy", backend.copy(va, vo)):
        declined(backend, "copy", (va, vo), (1,))
    return 0


cdef int fill_into(View out, object value) except -1:
    """out[...] = value, a Python number; raises where an integer dtype can't hold it."""
    cdef Axes axes
    cdef View vo = out
    cdef Backend backend = <Backend>out.memory.backend
    check_scalar(out.dtype, value)
    if out.elements == 0:
        return 0
    if PyComplex_Check(value) and out.dtype.category < CATEGORY_COMPLEX and out.dtype.code != BOOL:
        value = value.real
        if out.dtype.category == CATEGORY_INTEGER:
            value = int(value)
    if not (out.dense and out.rank <= INLINE_RANK):
        start_axes(&axes, out)
        add_operand(&axes, out)
        collapse(&axes)
        if axes.rank > INLINE_RANK:
            for one in split((out,), &axes):
                if lacks("fill", backend.fill(<View>(one[0]), value)):
                    declined(backend, "fill", (one[0], value), (0,))
            return 0
        vo = operand(&axes, 0, out)
    if lacks("fill", backend.fill(vo, value)):
        declined(backend, "fill", (vo, value), (0,))
    return 0


# ----------------------------------------------------------- shapes and copies

cdef int broadcast_sizes(View a, View b, Py_ssize_t *sizes) except -1:
    """Write the broadcast shape of two views to `sizes`; returns its rank."""
    cdef int rank = max(a.rank, b.rank), i
    cdef Py_ssize_t m, n
    for i in range(1, rank + 1):
        m = a.sizes[a.rank - i] if i <= a.rank else 1
        n = b.sizes[b.rank - i] if i <= b.rank else 1
        if m != n and m != 1 and n != 1:
            raise RuntimeError(f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                               f"dimension {rank - i}")
        sizes[rank - i] = n if m == 1 else m
    return rank


cdef Tensor expand_to(Tensor a, int rank, const Py_ssize_t *sizes):
    """`a` with broadcast axes of stride 0; the caller knows that it fits."""
    cdef Py_ssize_t strides[64]
    cdef int i, missing = rank - a.rank
    cdef bint same = missing == 0
    for i in range(rank):
        if i < missing:
            strides[i] = 0
        elif a.sizes[i - missing] == sizes[i]:
            strides[i] = a.strides[i - missing]
        else:
            strides[i] = 0
            same = False
    if same:
        return a
    cdef Tensor out = new_tensor()
    fill_strided(out, a.memory, a.dtype, a.offset, rank, sizes, strides)
    return out


cdef Tensor cast(Tensor a, DType dtype):
    """`a` itself, or a copy in `dtype`, in a's memory order."""
    cdef Tensor out
    if a.dtype is dtype:
        return a
    out = output_like(dtype, a.rank, a.sizes, a, None, None)
    copy_into(a, out)
    return out


cdef Tensor dense_copy(Tensor a):
    """A row-major copy."""
    cdef Tensor out = empty_as(a, a.dtype)
    copy_into(a, out)
    return out


# ------------------------------------------------------------------------- ops

cdef Tensor unary(int op, Tensor a, int rule):
    """A new tensor op(a)."""
    cdef DType dtype = compute_dtype(a.dtype, op + 1000, rule), out_dtype
    cdef Tensor out
    out_dtype = dtype
    if rule == TO_BOOL:
        out_dtype = dtype_of(BOOL)
    elif rule == TO_REAL:
        out_dtype = dtype.to_real()
        if op == ANGLE and dtype.category < CATEGORY_FLOAT:
            out_dtype = dtype = default_float()
    if a.dtype is not dtype and not (<Backend>a.memory.backend).mixed_dtypes:
        a = cast(a, dtype)
    if a.dense or (op == ANGLE and dtype.category == CATEGORY_COMPLEX):
        out = empty_as(a, out_dtype)
    else:
        out = output_like(out_dtype, a.rank, a.sizes, a, None, None)
    unary_into(op, a, out)
    return out


cdef Tensor binary(int op, object x, object y, int rule):
    """A new tensor op(x, y); at least one operand is a tensor, the other may be a Python number."""
    cdef Tensor a, b, out
    cdef DType dtype, out_dtype
    cdef Py_ssize_t sizes[64]
    cdef int rank
    cdef bint swapped = False
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        a, b = <Tensor>x, <Tensor>y
        if a.memory.backend is not b.memory.backend or a.memory.index != b.memory.index:
            if a.rank == 0 and (<Backend>a.memory.backend).host_memory and b.rank > 0:
                return binary(op, scalar_value(a), y, rule)
            if b.rank == 0 and (<Backend>b.memory.backend).host_memory and a.rank > 0:
                return binary(op, x, scalar_value(b), rule)
            same_device(BINARY[op], a, b)
        rank = a.rank if same_sizes(a, b) else broadcast_sizes(a, b, sizes)
        dtype = a.dtype if a.dtype is b.dtype else result_dtype(a, b)
        dtype = compute_dtype(dtype, op, rule)
        out_dtype = dtype_of(BOOL) if rule == TO_BOOL else dtype
        if not (<Backend>a.memory.backend).mixed_dtypes:
            a, b = cast(a, dtype), cast(b, dtype)
        if same_sizes(a, b):
            if a.dense and b.dense:
                out = empty_as(a, out_dtype)
            else:
                out = output_like(out_dtype, a.rank, a.sizes, a, b, None)
        elif row_major(a, b, rank, sizes):
            out = empty(a.memory.backend, a.memory.index, out_dtype, rank, sizes)
            broadcast_into(op, a, b, out)
            return out
        else:
            a, b = expand_to(a, rank, sizes), expand_to(b, rank, sizes)
            out = output_like(out_dtype, rank, sizes, a, b, None)
        binary_into(op, a, b, out)
        return out
    if isinstance(x, Tensor):
        a, number = <Tensor>x, y
    else:
        a, number, swapped = <Tensor>y, x, True
    dtype = compute_dtype(result_dtype(a, number), op, rule)
    out_dtype = dtype_of(BOOL) if rule == TO_BOOL else dtype
    a = cast(a, dtype)
    out = empty_as(a, out_dtype) if a.dense else output_like(out_dtype, a.rank, a.sizes, a, None, None)
    scalar_into(op, a, number, swapped, out)
    return out


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


# ------------------------------------------------------------------ reductions

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
    cdef View target = make_view(out.memory, out.dtype, 0, a.rank, a.sizes, a.strides)
    target.set_dense_strides()
    target.finish()
    if op == ANY or op == ALL:
        if a.dtype.code != BOOL:
            a = binary(NE, a, 0, TO_BOOL)
    elif op == SQUARE_SUM:
        a = unary(SQUARE, a, SAME)
    copy_into(a, target)
    return 0


cdef Tensor reduce_axes(int op, Tensor a, bint *reduced, bint keepdim, DType dtype):
    """`reduce` over the axes that are marked."""
    cdef Axes axes
    cdef Py_ssize_t sizes[64]
    cdef int i, rank = 0, marked = 0, split_at
    cdef Tensor out
    cdef View src, target
    cdef Backend backend = <Backend>a.memory.backend
    axes.rank = 0
    axes.operands = 2
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
    if out.elements == a.elements:                      # nothing but axes of size 1 is reduced
        copy_reduced(op, a, out)
        return out
    rank = 0
    for i in range(a.rank):                             # kept axes, then reduced ones
        if not reduced[i] and a.sizes[i] != 1:
            axes.sizes[axes.rank] = a.sizes[i]
            axes.strides[1][axes.rank] = a.strides[i]
            axes.strides[0][axes.rank] = out.strides[i if keepdim else rank]
            axes.rank += 1
        if not reduced[i]:
            rank += 1
    split_at = axes.rank
    for i in range(a.rank):
        if reduced[i] and a.sizes[i] != 1:
            axes.sizes[axes.rank] = a.sizes[i]
            axes.strides[1][axes.rank] = a.strides[i]
            axes.strides[0][axes.rank] = 0
            axes.rank += 1
    sort_axes(&axes, split_at, axes.rank)
    merge_axes(&axes, split_at, axes.rank)
    split_at = merge_axes(&axes, 0, split_at)
    if axes.rank > INLINE_RANK:
        return reduce(op, dense_copy(permuted(a, reduced)), trailing(a.rank, marked), False, dtype) \
            .view(size_of(out))
    src = a if split_at == 0 and a.dense else operand(&axes, 1, a)
    target = out if is_geometry(&axes, 0, split_at, out) else make_view(out.memory, dtype, 0, split_at, axes.sizes,
                                                                        axes.strides[0])
    if lacks("reduce", backend.reduce(op, src, target)):
        declined(backend, "reduce", (op, src, target), (2,))
    return out


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


operators.copy = <Copy>copy_into
