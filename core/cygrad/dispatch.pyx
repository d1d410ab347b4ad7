"""Raw ops: what lies between a public op and a kernel, once for all ops and backends. No autograd here.

An op goes: dtypes are promoted (`result_dtype`), shapes broadcast (`broadcast_sizes`), the output allocated in its
inputs' memory order (`output_like`), operands cast where the backend doesn't convert itself, axes merged (`collapse`),
the kernel called, and a declined call handed to `cygrad.fallback`. Operands that are dense, of one dtype and one shape
skip all of it. Every function here returns or fills tensors without a graph.
"""
from cpython.bool cimport PyBool_Check
from cpython.complex cimport PyComplex_Check
from cpython.float cimport PyFloat_Check, PyFloat_CheckExact, PyFloat_FromDouble
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF
from cpython.long cimport PyLong_Check, PyLong_CheckExact

from cygrad.backend cimport (ABS, ALL, ANGLE, ANY, Backend, CUMMAX, CUMMIN, EQ, LOGICAL_XOR, N_BINARY, NE, PROD, SQUARE,
                             SQUARE_SUM, SUM)
from cygrad.dtype cimport (BFLOAT16, BOOL, CATEGORY_BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, CATEGORY_INTEGER, COMPLEX64,
                           COMPLEX128, Category, DType, FLOAT16, FLOAT32, FLOAT64, INT16, INT32, INT64, INT8, UINT8,
                           can_cast_to, default_complex, default_float, dtype_of, promote)
from cygrad.storage cimport Storage, new_storage
from cygrad.tensor cimport Tensor, bump_version, new_tensor
from cygrad.view cimport (INLINE_RANK, MAX_RANK, View, data, fill_dense, fill_strided, make_view, same_sizes, size_of,
                          tuple_of)

from cygrad import errors
from cygrad.backend import ARGREDUCE, BINARY, REDUCE, SCAN, SCATTER, UNARY
from cygrad.storage import refuse_orphan

cdef struct Axes:                # the axes of up to twelve operands, for merging and ordering
    int rank
    int operands
    Py_ssize_t sizes[64]
    Py_ssize_t strides[12][64]


# ----------------------------------------------------------------- allocation

cdef Py_ssize_t count_elements(DType dtype, int rank, const Py_ssize_t *sizes) except -1:
    """Product of sizes; raises where the bytes would not fit an address."""
    cdef Py_ssize_t count = 1, limit
    cdef int i
    for i in range(rank):
        if sizes[i] == 0:
            return 0
    limit = (<Py_ssize_t>0x7fffffffffffffff) // dtype.itemsize
    for i in range(rank):
        if sizes[i] < 0:
            raise RuntimeError("Trying to create tensor with negative dimension "
                               f"{sizes[i]}: {list(tuple_of(sizes, rank))}")
        if count > limit // sizes[i]:
            raise RuntimeError("Storage size calculation overflowed with sizes="
                               f"{list(tuple_of(sizes, rank))}")
        count *= sizes[i]
    return count


cdef dict _refused = {}          # Backend -> the dtypes it has no elements of


def refuse_dtypes(backend, dtypes):
    """Make the creation of tensors of these dtypes on the backend's devices raise."""
    if dtypes:
        _refused[backend] = frozenset(dtypes)


cdef int check_dtype(object backend, DType dtype) except -1:
    """Raise where the backend has no elements of the dtype: nothing is ever converted to a narrower one silently."""
    if dtype in _refused.get(backend, ()):
        raise errors.DtypeUnsupported(f"backend {backend.name!r} has no {dtype.name}; convert to a dtype that it has, "
                                      "as in x.to(cygrad.float32), or compute on the CPU")
    return 0


cdef Tensor empty(object backend, int index, DType dtype, int rank, const Py_ssize_t *sizes):
    """An uninitialised row-major tensor."""
    cdef Tensor out = new_tensor()
    cdef int i
    if _refused:
        check_dtype(backend, dtype)
    fill_dense(out, None, dtype, rank, sizes)
    if rank > 0:
        for i in range(rank):
            if sizes[i] < 0:
                count_elements(dtype, rank, sizes)
        if rank > 1 or out.elements > (1 << 40):
            out.elements = count_elements(dtype, rank, sizes)
    out.memory = new_storage(backend, index, out.elements * dtype.itemsize)
    return out


cdef Tensor empty_as(Tensor like, DType dtype):
    """An uninitialised row-major tensor of the same shape, on the same device."""
    cdef Tensor out = new_tensor()
    if _refused:
        check_dtype(like.memory.backend, dtype)
    fill_dense(out, None, dtype, like.rank, like.sizes)
    out.memory = new_storage(like.memory.backend, like.memory.index, out.elements * dtype.itemsize)
    return out


cdef bint swaps(Axes *axes, int first, int second, int *order) noexcept nogil:
    """Whether axis `first` must lie outside axis `second`, by the operands' strides in turn; order: -1, 0, 1."""
    cdef int k
    cdef Py_ssize_t s0, s1
    order[0] = 0
    for k in range(axes.operands):
        s0 = axes.strides[k][first]
        s1 = axes.strides[k][second]
        if s0 == 0 or s1 == 0:
            continue
        if s0 < s1:
            order[0] = -1
            return False
        if s0 > s1:
            order[0] = 1
            return True
        if axes.sizes[first] > axes.sizes[second]:
            order[0] = 1
            return True
    return False


cdef void memory_order(Axes *axes, int *permutation) noexcept nogil:
    """Axes from the innermost to the outermost, as the operands lie in memory (insertion sort, nearly sorted)."""
    cdef int i, first, second, order
    for i in range(axes.rank):
        permutation[i] = axes.rank - 1 - i
    for i in range(1, axes.rank):
        second = i
        for first in range(i - 1, -1, -1):
            swaps(axes, permutation[first], permutation[second], &order)
            if order > 0:
                permutation[first], permutation[second] = permutation[second], permutation[first]
                second = first
            elif order < 0:
                break


cdef Tensor output_like(DType dtype, int rank, const Py_ssize_t *sizes, Tensor a, Tensor b, Tensor c):
    """An output of these sizes in the memory order of the inputs (already expanded to `sizes`), as PyTorch does."""
    cdef Axes axes
    cdef int permutation[64]
    cdef Tensor out
    cdef Py_ssize_t step = 1
    cdef int i, k
    cdef bint plain = True
    for t in (a, b, c):
        if t is not None and not (<Tensor>t).dense:
            plain = False
    if plain or rank < 2:
        return empty(a.memory.backend, a.memory.index, dtype, rank, sizes)
    axes.rank = rank
    axes.operands = 0
    for t in (a, b, c):
        if t is not None:
            for i in range(rank):
                axes.strides[axes.operands][i] = (<Tensor>t).strides[i]
            axes.operands += 1
    for i in range(rank):
        axes.sizes[i] = sizes[i]
    memory_order(&axes, permutation)
    out = empty(a.memory.backend, a.memory.index, dtype, rank, sizes)
    for k in range(rank):
        out.strides[permutation[k]] = step
        if sizes[permutation[k]] > 1:
            step *= sizes[permutation[k]]
    out.finish()
    return out


# ------------------------------------------------------------ merging the axes

cdef void add_operand(Axes *axes, View v) noexcept:
    cdef int i
    for i in range(v.rank):
        axes.strides[axes.operands][i] = v.strides[i]
    axes.operands += 1


cdef void start_axes(Axes *axes, View shape_of) noexcept:
    cdef int i
    axes.rank = shape_of.rank
    axes.operands = 0
    for i in range(shape_of.rank):
        axes.sizes[i] = shape_of.sizes[i]


cdef void move_axis(Axes *axes, int source, int target) noexcept nogil:
    cdef int k
    axes.sizes[target] = axes.sizes[source]
    for k in range(axes.operands):
        axes.strides[k][target] = axes.strides[k][source]


cdef void drop_ones(Axes *axes) noexcept nogil:
    cdef int i, kept = 0
    for i in range(axes.rank):
        if axes.sizes[i] != 1:
            if kept != i:
                move_axis(axes, i, kept)
            kept += 1
    axes.rank = kept


cdef void sort_axes(Axes *axes, int start, int stop) noexcept nogil:
    """Order axes start..stop so that memory is walked forwards: the largest stride of the first operand outside."""
    cdef int i, j, k, order
    cdef Py_ssize_t held
    for i in range(start + 1, stop):
        j = i
        while j > start:
            swaps(axes, j, j - 1, &order)
            if order <= 0:
                break
            axes.sizes[j], axes.sizes[j - 1] = axes.sizes[j - 1], axes.sizes[j]
            for k in range(axes.operands):
                held = axes.strides[k][j]
                axes.strides[k][j] = axes.strides[k][j - 1]
                axes.strides[k][j - 1] = held
            j -= 1


cdef int merge_axes(Axes *axes, int start, int stop) noexcept nogil:
    """Merge neighbours among axes start..stop where every operand allows it; returns the new stop."""
    cdef int i, k, last = start
    cdef bint fits
    if stop <= start:
        return stop
    for i in range(start + 1, stop):
        fits = True
        for k in range(axes.operands):
            if axes.strides[k][last] != axes.strides[k][i] * axes.sizes[i]:
                fits = False
                break
        if fits:
            axes.sizes[last] *= axes.sizes[i]
            for k in range(axes.operands):
                axes.strides[k][last] = axes.strides[k][i]
        else:
            last += 1
            if last != i:
                move_axis(axes, i, last)
    last += 1
    for i in range(stop, axes.rank):
        move_axis(axes, i, last + i - stop)
    axes.rank -= stop - last
    return last


cdef View operand(Axes *axes, int k, View v):
    return make_view(v.memory, v.dtype, v.offset, axes.rank, axes.sizes, axes.strides[k])


cdef bint is_geometry(Axes *axes, int k, int rank, View v) noexcept nogil:
    """Whether the first `rank` axes are v's own, with the strides of operand k: then it needs no other View."""
    cdef int i
    if v.rank != rank:
        return False
    for i in range(rank):
        if axes.sizes[i] != v.sizes[i] or axes.strides[k][i] != v.strides[i]:
            return False
    return True


cdef void collapse(Axes *axes) noexcept nogil:
    drop_ones(axes)
    sort_axes(axes, 0, axes.rank)
    merge_axes(axes, 0, axes.rank)


cdef tuple split(tuple views, Axes *axes):
    """Slices along the outermost axes, for the rare call that keeps more than eight axes: a tuple of operand tuples."""
    cdef int outer = axes.rank - INLINE_RANK, d, k
    cdef Py_ssize_t count = 1, n, left, at
    cdef Py_ssize_t offsets[12]
    for d in range(outer):
        count *= axes.sizes[d]
    found = []
    for n in range(count):
        left = n
        for k in range(axes.operands):
            offsets[k] = (<View>views[k]).offset
        for d in range(outer - 1, -1, -1):
            at = left % axes.sizes[d]
            left //= axes.sizes[d]
            for k in range(axes.operands):
                offsets[k] += at * axes.strides[k][d]
        found.append(tuple([make_view((<View>views[k]).memory, (<View>views[k]).dtype, offsets[k], INLINE_RANK,
                                      axes.sizes + outer, axes.strides[k] + outer) for k in range(axes.operands)]))
    return tuple(found)


# ------------------------------------------------------------- operands that share memory

cdef bint has_no_gaps(View v):
    """Whether the elements fill a stretch of memory, each place once, in any order of the axes."""
    cdef Py_ssize_t step = 1
    cdef bint found = True
    cdef bint used[64]
    cdef int i
    if v.dense:
        return True
    for i in range(v.rank):
        used[i] = v.sizes[i] == 1
    while found:
        found = False
        for i in range(v.rank):
            if not used[i] and v.strides[i] == step:
                used[i] = found = True
                step *= v.sizes[i]
    return step == v.elements


cdef int refuse_overlap(View out, View other, bint whole) except -1:
    """Raise where an op would write to memory that it still reads: `other` is partly `out`'s (or wholly, if asked).

    As in PyTorch this is only noticed for operands without gaps; the caller copies others that share a storage.
    """
    cdef Py_ssize_t start, stop, i
    cdef bint same = True
    if out.memory is not other.memory or out is other and not whole or not (out.elements and other.elements):
        return 0
    if out is not other and not (has_no_gaps(out) and has_no_gaps(other)):
        return 0
    start, stop = out.offset * out.dtype.itemsize, other.offset * other.dtype.itemsize
    if start + out.elements * out.dtype.itemsize <= stop or stop + other.elements * other.dtype.itemsize <= start:
        return 0
    if start == stop and out.elements == other.elements and out.rank == other.rank:
        for i in range(out.rank):
            same = same and out.sizes[i] == other.sizes[i] and (out.sizes[i] == 1 or out.strides[i] == other.strides[i])
        if same and not whole:
            return 0
    raise RuntimeError("unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                       "single memory location. Please clone() the tensor before performing the operation.")


def refuse_partial_overlap(View out not None, View other not None):
    """Raise if an operand shares some of the memory that is written to, as far as PyTorch notices it."""
    refuse_overlap(out, other, False)


def refuse_any_overlap(View out not None, tuple operands not None):
    """Raise if an operand (not every one needs to be a tensor) shares some of the memory that is written to, or all."""
    for other in operands:
        if isinstance(other, View):
            refuse_overlap(out, <View>other, True)


# ------------------------------------------------------------ pointwise kernels

cdef int declined(object backend, str entry, tuple args, tuple outs) except -1:
    """A kernel returned NotImplemented: the CPU runs the call, or the user learns why not."""
    from cygrad import fallback
    fallback.run(backend, entry, args, outs)
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
                if backend.unary(op, <View>(pair[1]), <View>(pair[0])) is not None:
                    declined(backend, "unary", (op, pair[1], pair[0]), (2,))
            return 0
        vo, va = operand(&axes, 0, out), operand(&axes, 1, a)
    if backend.unary(op, va, vo) is not None:
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
                if backend.binary(op, <View>(three[1]), <View>(three[2]), <View>(three[0])) is not None:
                    declined(backend, "binary", (op, three[1], three[2], three[0]), (3,))
            return 0
        vo, va, vb = operand(&axes, 0, out), operand(&axes, 1, a), operand(&axes, 2, b)
    if backend.binary(op, va, vb, vo) is not None:
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
                if backend.binary_scalar(op, <View>(pair[1]), x, swapped, <View>(pair[0])) is not None:
                    declined(backend, "binary_scalar", (op, pair[1], x, swapped, pair[0]), (4,))
            return 0
        vo, va = operand(&axes, 0, out), operand(&axes, 1, a)
    if backend.binary_scalar(op, va, x, swapped, vo) is not None:
        declined(backend, "binary_scalar", (op, va, x, swapped, vo), (4,))
    return 0


cdef int elementwise_into(tuple program, tuple ins, tuple outs) except -1:
    """Run a pointwise program (see `Backend.elementwise`) on operands of one shape; `ins` may hold Python numbers."""
    cdef Axes axes
    cdef View out = <View>outs[0]
    cdef Backend backend = <Backend>out.memory.backend
    cdef bint dense = out.rank <= INLINE_RANK
    cdef tuple views, parts, each
    cdef list slices
    cdef int k
    if out.elements == 0:
        return 0
    for v in ins:
        dense = dense and (not isinstance(v, View) or (<View>v).dense)
    for v in outs:
        dense = dense and (<View>v).dense
    if dense:
        if backend.elementwise(program, ins, outs) is not None:
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
        if backend.elementwise(program, found, each[:len(outs)]) is not None:
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
        from cygrad import transfer
        transfer.copy_across(src, out)
        return 0
    if not (src.dense and out.dense and out.rank <= INLINE_RANK):
        start_axes(&axes, out)
        add_operand(&axes, out)
        add_operand(&axes, src)
        collapse(&axes)
        if axes.rank > INLINE_RANK:
            for pair in split((out, src), &axes):
                if backend.copy(<View>(pair[1]), <View>(pair[0])) is not None:
                    declined(backend, "copy", (pair[1], pair[0]), (1,))
            return 0
        vo, va = operand(&axes, 0, out), operand(&axes, 1, src)
    if backend.copy(va, vo) is not None:
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
                if backend.fill(<View>(one[0]), value) is not None:
                    declined(backend, "fill", (one[0], value), (0,))
            return 0
        vo = operand(&axes, 0, out)
    if backend.fill(vo, value) is not None:
        declined(backend, "fill", (vo, value), (0,))
    return 0


C_NAMES = ("bool", "uint8_t", "int8_t", "int16_t", "int", "int64_t", "at::Half", "at::BFloat16", "float",
                      "double", "c10::complex<float>", "c10::complex<double>")
LIMITS = ((0, 1), (0, 255), (-128, 127), (-32768, 32767), (-2147483648, 2147483647),
                     (-9223372036854775808, 9223372036854775807))


cdef int check_scalar(DType dtype, object value) except -1:
    """Refuse a number that the dtype can't hold, with PyTorch's words."""
    cdef tuple limit
    if dtype.category <= CATEGORY_INTEGER and dtype.code != BOOL:
        if PyComplex_Check(value):
            if value.imag != 0:
                raise RuntimeError(f"value cannot be converted to type {C_NAMES[dtype.code]} without overflow")
            value = value.real
        limit = LIMITS[dtype.code]
        if value != value or value > limit[1] or value < limit[0] - (
                255 if dtype.code == UINT8 and PyLong_Check(value) else 0):     # integers wrap around, floats don't
            raise RuntimeError(f"value cannot be converted to type {C_NAMES[dtype.code]} without overflow")
    elif dtype.category == CATEGORY_FLOAT and PyComplex_Check(value) and value.imag != 0:
        raise RuntimeError(f"value cannot be converted to type {C_NAMES[dtype.code]} without overflow")
    return 0


# -------------------------------------------------------------- dtypes, shapes

cdef DType scalar_dtype(object x):
    """The dtype a Python number stands for in promotion; None for anything else."""
    if PyBool_Check(x):
        return dtype_of(BOOL)
    if PyFloat_Check(x):
        return default_float()
    if PyLong_Check(x):
        return dtype_of(INT64)
    if PyComplex_Check(x):
        return default_complex()
    return None


cdef DType combine(DType higher, DType lower):
    """Promotion of a higher-priority kind of operand with a lower one: only a higher category counts."""
    if higher is None:
        return lower
    if lower is None or higher.category == CATEGORY_COMPLEX:
        return higher
    if higher.category == CATEGORY_FLOAT:
        return higher.to_complex() if lower.category == CATEGORY_COMPLEX else higher
    if higher.code == BOOL or lower.category >= CATEGORY_FLOAT:
        return promote(higher, lower)
    return higher


cdef DType result_dtype(object x, object y):
    """PyTorch's result_type of two operands: tensors with axes, then 0-d tensors, then Python numbers."""
    cdef DType with_axes = None, zero_dim = None, number = None, d
    for value in (x, y):
        if isinstance(value, Tensor):
            d = (<Tensor>value).dtype
            if (<Tensor>value).rank > 0:
                with_axes = d if with_axes is None else promote(with_axes, d)
            else:
                zero_dim = d if zero_dim is None else promote(zero_dim, d)
        elif value is not None:
            d = scalar_dtype(value)
            number = d if number is None else promote(number, d)
    return combine(with_axes, combine(zero_dim, number))


def result_type(*operands):
    """The dtype of an arithmetic op on these tensors and numbers.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.result_type(cygrad.tensor([1, 2]), 1.0)
    cygrad.float32
    """
    cdef DType with_axes = None, zero_dim = None, number = None, d
    for value in operands:
        if isinstance(value, Tensor):
            d = (<Tensor>value).dtype
            if (<Tensor>value).rank > 0:
                with_axes = d if with_axes is None else promote(with_axes, d)
            else:
                zero_dim = d if zero_dim is None else promote(zero_dim, d)
        else:
            d = scalar_dtype(value)
            if d is None:
                raise TypeError("result_type(): argument must be Tensor or Number, not " + type(value).__name__)
            number = d if number is None else promote(number, d)
    return combine(with_axes, combine(zero_dim, number))


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


cdef DType compute_dtype(DType dtype, int op, int rule):
    """The dtype an op computes in, for operands promoted to `dtype`; raises for a category the op does not take."""
    if rule == TO_FLOAT:
        return default_float() if dtype.category < CATEGORY_FLOAT else dtype
    if rule == SAME or rule == TO_BOOL:
        return dtype
    if rule == INTEGRAL and dtype.category >= CATEGORY_FLOAT:
        raise not_implemented(op, dtype)
    if (rule == NO_COMPLEX or rule == ROUNDING) and dtype.category == CATEGORY_COMPLEX:
        raise not_implemented(op, dtype)
    return dtype


cdef object not_implemented(int op, DType dtype):
    return errors.not_implemented(op_name(op), SCALAR_NAMES[dtype.code])


SCALAR_NAMES = ("Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float", "Double", "ComplexFloat",
                "ComplexDouble")
cdef bint _naming_unary = False


cdef str op_name(int op):
    """Name of a unary op (codes from 1000 on) or a binary one, for messages."""
    return UNARY[op - 1000] if op >= 1000 else BINARY[op]


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


cdef int same_device(str op, View a, View b, tuple names=("argument 1", "argument 2")) except -1:
    """Raise where two operands lie on different devices: no kernel looks."""
    if a.memory is not b.memory and (a.memory.backend is not b.memory.backend or a.memory.index != b.memory.index):
        raise errors.on_two_devices(op, a, b, names)
    return 0


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
    cdef list dims = []
    cdef int i, missing = a.rank - like.rank
    cdef Tensor out
    for i in range(a.rank):
        if i < missing or (like.sizes[i - missing] == 1 and a.sizes[i] != 1):
            dims.append(i)
    if not dims:
        return a
    out = reduce(SUM, a, tuple(dims), True, a.dtype)
    if missing > 0:
        out2 = new_tensor()
        fill_strided(out2, out.memory, out.dtype, out.offset, like.rank, like.sizes, out.strides + missing)
        return out2
    return out


# ------------------------------------------------------------------ reductions

cdef Tensor reduce(int op, Tensor a, tuple dims, bint keepdim, DType dtype):
    """Reduction of `a` over `dims` (non-negative, distinct) into a new row-major tensor of `dtype`."""
    cdef Axes axes
    cdef bint reduced[64]
    cdef Py_ssize_t sizes[64]
    cdef int i, rank = 0, inner, split_at
    cdef Tensor out
    cdef View src, target
    cdef Backend backend = <Backend>a.memory.backend
    for i in range(a.rank):
        reduced[i] = False
    for d in dims:
        reduced[<int>d] = True
    axes.rank = 0
    axes.operands = 2
    for i in range(a.rank):
        if reduced[i]:
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
        target = make_view(out.memory, dtype, 0, a.rank, a.sizes, a.strides)
        target.set_dense_strides()
        target.finish()
        if op == ANY or op == ALL:
            if a.dtype.code != BOOL:
                a = binary(NE, a, 0, TO_BOOL)
        elif op == SQUARE_SUM:
            a = unary(SQUARE, a, SAME)
        copy_into(a, target)
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
        return reduce(op, dense_copy(permuted(a, reduced)), trailing(a.rank, len(dims)), False, dtype) \
            .view(size_of(out))
    src = a if is_geometry(&axes, 1, axes.rank, a) else operand(&axes, 1, a)
    target = out if is_geometry(&axes, 0, split_at, out) else make_view(out.memory, dtype, 0, split_at, axes.sizes,
                                                                        axes.strides[0])
    if backend.reduce(op, src, target) is not None:
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
    drop_ones(&axes)
    merge_axes(&axes, 0, axes.rank)
    if axes.rank > INLINE_RANK - 1:
        return argreduce(op, dense_copy(moved), a.rank - 1, False).view(size_of(out))
    target = make_view(out.memory, out.dtype, 0, axes.rank, axes.sizes, axes.strides[0])
    i = axes.rank
    axes.sizes[i] = a.sizes[dim] if a.rank else 1
    axes.strides[1][i] = a.strides[dim] if a.rank else 1
    axes.rank += 1
    src = operand(&axes, 1, a)
    if backend.argreduce(op, src, target) is not None:
        declined(backend, "argreduce", (op, src, target), (2,))
    return out


# -------------------------------------------------- raw ops, called from Python

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


def copy_(View out not None, View src not None):
    """Raw out[...] = src, shapes equal; the caller bumps the version."""
    copy_into(src, out)


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


def empty_like_strided(Tensor a not None, DType dtype not None):
    """Raw uninitialised tensor of a's shape in a's memory order."""
    cdef Tensor out = output_like(dtype, a.rank, a.sizes, a, None, None)
    cdef int i
    for i in range(a.rank):
        if a.sizes[i] != 1 and out.strides[i] != a.strides[i] and out.elements != 0:
            return out
    for i in range(a.rank):                            # `a` has no gaps: the strides of axes of size 1 are its own, too
        out.strides[i] = a.strides[i]
    return out


cdef int read_sizes(object shape, Py_ssize_t *sizes) except -1:
    cdef int rank = 0
    if len(shape) > MAX_RANK:
        raise RuntimeError(f"tensor has too many (>{MAX_RANK}) dims: {len(shape)}")
    for n in shape:
        sizes[rank] = n
        rank += 1
    return rank


def empty_on(backend, int index, DType dtype not None, shape):
    """Raw uninitialised row-major tensor on a device of `backend`."""
    cdef Py_ssize_t sizes[64]
    cdef int rank = read_sizes(shape, sizes)
    return empty(backend, index, dtype, rank, sizes)


def empty_laid_out(backend, int index, Tensor like not None):
    """Raw uninitialised tensor on a device of `backend`, with the dtype and strides of `like`, which has no gaps."""
    cdef Tensor out = empty(backend, index, like.dtype, like.rank, like.sizes)
    cdef int i
    for i in range(like.rank):
        out.strides[i] = like.strides[i]
    out.finish()
    return out


def empty_near(Tensor like not None, shape, DType dtype=None):
    """Raw uninitialised row-major tensor on like's device; like's dtype unless given."""
    cdef Py_ssize_t sizes[64]
    cdef int rank = read_sizes(shape, sizes)
    return empty(like.memory.backend, like.memory.index, like.dtype if dtype is None else dtype, rank, sizes)


def arange_into(Tensor out not None, start, step):
    """Raw out[i] = start + i * step for a 1-d dense tensor."""
    cdef Backend backend = <Backend>out.memory.backend
    if out.elements and backend.arange(out, start, step) is not None:
        declined(backend, "arange", (out, start, step), (0,))


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
    elif backend.matmul(a, b, out) is not None:
        declined(backend, "matmul", (a, b, out), (2,))
    return out


def matmul_into(Tensor a not None, Tensor b not None, Tensor out not None):
    """Raw batched product into `out` (B, M, N)."""
    cdef Backend backend = <Backend>a.memory.backend
    same_device("matmul", a, b)
    same_device("matmul", a, out, ("argument 1", "the result"))
    if out.elements and backend.matmul(a, b, out) is not None:
        declined(backend, "matmul", (a, b, out), (2,))


def gather_op(Tensor src not None, Tensor index not None, int dim):
    """Raw gather: src and index of one rank; index int64, non-negative, in range."""
    cdef Backend backend = <Backend>src.memory.backend
    cdef Tensor out = empty(src.memory.backend, src.memory.index, src.dtype, index.rank, index.sizes)
    same_device("gather", src, index, ("the input", "the index"))
    if out.elements and backend.gather(src, index, dim, out) is not None:
        declined(backend, "gather", (src, index, dim, out), (3,))
    return out


def scatter_into(int mode, Tensor out not None, int dim, Tensor index not None, Tensor src not None):
    """Raw scatter into `out`, in place: index int64, non-negative, in range; src of out's dtype and index's shape."""
    cdef Backend backend = <Backend>out.memory.backend
    same_device("scatter", out, index, ("the input", "the index"))
    same_device("scatter", out, src, ("the input", "the source"))
    if index.memory is out.memory:                      # what is read must not change under the writes
        index = dense_copy(index)
    if src.memory is out.memory:
        src = dense_copy(src)
    if index.elements and backend.scatter(mode, out, dim, index, src) is not None:
        declined(backend, "scatter", (mode, out, dim, index, src), (1,))


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
        if backend.scan(op, moved, target, places) is not None:
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
        if backend.sort(moved, descending, stable, target, places) is not None:
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
        if backend.partial_sort(moved, descending, first, target, places) is not None:
            declined(backend, "partial_sort", (moved, descending, first, target, places), (3, 4))
    return values, index


def nonzero_op(Tensor a not None):
    """Raw (count, rank) int64 coordinates of the non-zero elements; those of one axis lie together in memory."""
    cdef Backend backend = <Backend>a.memory.backend
    cdef list made = []

    def allocate(Py_ssize_t count):
        cdef Tensor out = empty_on(backend, a.memory.index, dtype_of(INT64), (count, a.rank))
        out.strides[0], out.strides[1] = 1, count
        out.finish()
        made.append(out)
        return out

    if a.elements == 0:
        return allocate(0)
    if backend.nonzero(a, allocate) is NotImplemented:
        from cygrad import fallback
        return fallback.nonzero(a)
    return made[0]


def softmax_op(Tensor a not None, int dim, bint log):
    """Raw (log-)softmax along `dim`."""
    cdef Backend backend = <Backend>a.memory.backend
    cdef Tensor out = empty(a.memory.backend, a.memory.index, a.dtype, a.rank, a.sizes)
    cdef View moved = axis_last(a, dim), target = axis_last(out, dim)
    if out.elements and backend.softmax(moved, log, target) is not None:
        declined(backend, "softmax", (moved, log, target), (2,))
    return out


def softmax_backward_op(Tensor grad not None, Tensor result not None, int dim, bint log):
    """Raw gradient of (log-)softmax along `dim`."""
    cdef Backend backend = <Backend>result.memory.backend
    cdef Tensor out = empty(result.memory.backend, result.memory.index, result.dtype, result.rank, result.sizes)
    cdef View g = axis_last(grad, dim), r = axis_last(result, dim), target = axis_last(out, dim)
    if out.elements and backend.softmax_backward(g, r, log, target) is not None:
        declined(backend, "softmax_backward", (g, r, log, target), (3,))
    return out


def linalg_op(str routine, tuple ins, tuple outs, dict options=None):
    """Raw LAPACK-class routine on batches; fills `outs` (see Backend.linalg)."""
    cdef Backend backend = <Backend>(<Tensor>ins[0]).memory.backend
    for other in ins[1:]:
        same_device(routine, <View>ins[0], <View>other)
    if backend.linalg(routine, ins, outs, options or {}) is not None:
        declined(backend, "linalg", (routine, ins, outs, options or {}), (2,))


# ------------------------------------------------------------- reading a value

cdef object scalar_value(Tensor t):
    """The element at the start of `t` as a Python number."""
    cdef unsigned char[::1] room
    if t.memory.pointer != NULL:
        return element_at(data(t), t.dtype.code)
    host = bytearray(16)
    refuse_orphan(t.memory.backend)
    (<Backend>t.memory.backend).d2h(t.memory, t.offset * t.dtype.itemsize, memoryview(host)[:t.dtype.itemsize])
    room = host
    return element_at(<char *>&room[0], t.dtype.code)


cdef extern from *:
    """
    #include <string.h>
    #include <stdint.h>
    static float cygrad_half_to_float(uint16_t h) {
        uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 31, mantissa = h & 1023, bits;
        float f;
        if (exponent == 31) bits = sign | 0x7f800000u | (mantissa << 13);
        else if (exponent) bits = sign | ((exponent + 112) << 23) | (mantissa << 13);
        else { f = (float)mantissa * 5.9604644775390625e-08f; memcpy(&bits, &f, 4); bits |= sign; }
        memcpy(&f, &bits, 4);
        return f;
    }
    static float cygrad_bfloat_to_float(uint16_t h) {
        uint32_t bits = (uint32_t)h << 16; float f; memcpy(&f, &bits, 4); return f;
    }
    """
    float cygrad_half_to_float(unsigned short h) noexcept nogil
    float cygrad_bfloat_to_float(unsigned short h) noexcept nogil


cdef object element_at(char *p, int code):
    """The element of dtype `code` at a host address as a Python number."""
    if code == FLOAT32:
        return <double>(<float *>p)[0]
    if code == FLOAT64:
        return (<double *>p)[0]
    if code == INT64:
        return (<long long *>p)[0]
    if code == BOOL:
        return p[0] != 0
    if code == UINT8:
        return (<unsigned char *>p)[0]
    if code == INT8:
        return (<signed char *>p)[0]
    if code == INT16:
        return (<short *>p)[0]
    if code == INT32:
        return (<int *>p)[0]
    if code == FLOAT16:
        return <double>cygrad_half_to_float((<unsigned short *>p)[0])
    if code == BFLOAT16:
        return <double>cygrad_bfloat_to_float((<unsigned short *>p)[0])
    if code == COMPLEX64:
        return complex((<float *>p)[0], (<float *>p)[1])
    return complex((<double *>p)[0], (<double *>p)[1])


cdef object nested(char *p, int code, Py_ssize_t itemsize, int rank, Py_ssize_t *sizes, Py_ssize_t *strides):
    cdef list found
    cdef object item
    cdef Py_ssize_t i, step
    if rank == 0:
        return element_at(p, code)
    found = PyList_New(sizes[0])
    step = strides[0] * itemsize
    for i in range(sizes[0]):
        if rank > 1:
            item = nested(p, code, itemsize, rank - 1, sizes + 1, strides + 1)
        elif code == FLOAT32:                   # the commonest ones, without a call for each
            item = PyFloat_FromDouble((<float *>p)[0])
        elif code == FLOAT64:
            item = PyFloat_FromDouble((<double *>p)[0])
        elif code == INT64:
            item = (<long long *>p)[0]
        else:
            item = element_at(p, code)
        Py_INCREF(item)                         # the list takes it
        PyList_SET_ITEM(found, i, item)
        p += step
    return found


def to_list(Tensor t not None):
    """Nested lists of Python numbers; a number for a 0-d tensor."""
    if t.elements and t.memory.pointer == NULL:
        from cygrad import transfer
        t = transfer.to_host(t)
    return nested(data(t) if t.elements else NULL, t.dtype.code, t.dtype.itemsize, t.rank, t.sizes, t.strides)


def join_into(Tensor out not None, list tensors not None, int dim, bint stacked):
    """Raw copies side by side along axis `dim` of `out`: parts of that axis, or (stacked) one index of it each."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t at = out.offset
    cdef int i, k = 0
    cdef Tensor t
    for i in range(out.rank):
        if not (stacked and i == dim):
            sizes[k], strides[k] = out.sizes[i], out.strides[i]
            k += 1
    for t in tensors:
        if not stacked:
            sizes[dim] = t.sizes[dim]
        copy_into(t, make_view(out.memory, out.dtype, at, k, sizes, strides))
        at += out.strides[dim] * (1 if stacked else t.sizes[dim])


def flip_into(View out not None, View src not None, tuple dims not None):
    """Raw copy with the order along `dims` reversed, by negative strides, which the CPU alone takes: else False."""
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t start = src.offset
    cdef int i
    if (<Backend>src.memory.backend).name != "cpu":
        return False
    for i in range(src.rank):
        strides[i] = src.strides[i]
        if i in dims:
            start += (src.sizes[i] - 1) * strides[i]
            strides[i] = -strides[i]
    copy_into(make_view(src.memory, src.dtype, start, src.rank, src.sizes, strides), out)
    return True


def gather_into(View src not None, View index not None, int dim, View out not None):
    """Raw gather into `out`, which has index's shape."""
    cdef Backend backend = <Backend>src.memory.backend
    same_device("gather", src, index, ("the input", "the index"))
    same_device("gather", src, out, ("the input", "the result"))
    if out.elements and backend.gather(src, index, dim, out) is not None:
        declined(backend, "gather", (src, index, dim, out), (3,))


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
                if backend.where(<View>(four[1]), <View>(four[2]), <View>(four[3]), <View>(four[0])) is not None:
                    declined(backend, "where", (four[1], four[2], four[3], four[0]), (3,))
            return 0
        vo, vc, va, vb = operand(&axes, 0, out), operand(&axes, 1, cond), operand(&axes, 2, a), operand(&axes, 3, b)
    if backend.where(vc, va, vb, vo) is not None:
        declined(backend, "where", (vc, va, vb, vo), (3,))
    return 0
