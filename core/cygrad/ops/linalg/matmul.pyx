# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""`matmul`, the product of tensors of any ranks.

Without a graph it is one kernel call, operands read where they lie: broadcast batches have stride 0. Under autograd,
and to raise errors, it takes PyTorch's steps (fold a batch into one `mm`, or expand to `bmm`), so that the graph has
PyTorch's nodes.
"""
from cygrad.autograd.modes cimport grad_enabled
from cygrad.dispatch.kernel_calls cimport dense_copy, fill_into
from cygrad.dispatch.merging cimport merge_neighbours
from cygrad.dtype cimport BOOL, plain_of
from cygrad.ops.declare.op cimport Op, either_tracked
from cygrad.ops.linalg.products cimport (DOT, blank, bmm_, dot_, mm_, multiply, mv_, operand,
                                         reshaped)
from cygrad.ops.shape.expand cimport expand_sizes
from cygrad.ops.shape.transpose_and_squeeze cimport t_, transpose_, unsqueeze_
from cygrad.ops.shape.views cimport CLONE, UNSAFE_VIEW, reshape_
from cygrad.tensor cimport Tensor, bump_version, requires_grad
from cygrad.view cimport View, make_view
from cygrad.tensors.operators cimport Pair, operators

from cygrad.ops.declare.op_forms import op

cdef Op SQUEEZE_IN_PLACE = Op("squeeze_in_place", "self", "size")


cdef struct Batch:                   # the batch axes of a product: sizes; strides of operands and result, in this order
    int rank
    Py_ssize_t sizes[64]
    Py_ssize_t a[64]
    Py_ssize_t b[64]
    Py_ssize_t out[64]


cdef bint batch_axes(Tensor a, Tensor b, Batch *batch) noexcept:
    """Broadcast the axes before the matrices'; False where they don't fit."""
    cdef int i, ia, ib
    cdef Py_ssize_t m, n
    batch.rank = max(a.rank, b.rank, 2) - 2
    for i in range(batch.rank):
        ia, ib = i - batch.rank + a.rank - 2, i - batch.rank + b.rank - 2
        m = a.sizes[ia] if ia >= 0 else 1
        n = b.sizes[ib] if ib >= 0 else 1
        if m != n and m != 1 and n != 1:
            return False
        batch.sizes[i] = n if m == 1 else m
        batch.a[i] = a.strides[ia] if ia >= 0 and m != 1 else 0
        batch.b[i] = b.strides[ib] if ib >= 0 and n != 1 else 0
    return True


cdef void merge_batch(Batch *batch) noexcept nogil:
    """Drop axes of size 1, merge neighbours where both operands allow it, and put the longest axis last."""
    cdef int i, last, longest = 0
    batch.rank = merge_neighbours(batch.rank, batch.sizes, batch.a, 64, 3, False, 1)
    last = batch.rank - 1
    for i in range(1, batch.rank):
        if batch.sizes[i] > batch.sizes[longest]:
            longest = i
    if longest != last and last > 0:
        batch.sizes[longest], batch.sizes[last] = batch.sizes[last], batch.sizes[longest]
        batch.a[longest], batch.a[last] = batch.a[last], batch.a[longest]
        batch.b[longest], batch.b[last] = batch.b[last], batch.b[longest]
        batch.out[longest], batch.out[last] = batch.out[last], batch.out[longest]


cdef enum:
    CALLS = 64          # kernel calls up to which a loop over batch axes is preferred to copying an operand


cdef Tensor plain_product(Tensor a, Tensor b):
    """a @ b of any ranks without a graph; None where the operands don't fit (the steps then raise PyTorch's error)."""
    cdef Batch batch
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t n, k, p, step = 1, count = 1
    cdef int i, rank
    cdef Tensor out
    if (plain_of(a.dtype) is not plain_of(b.dtype) or a.dtype.code == BOOL or a.rank == 0 or b.rank == 0
            or a.memory.backend is not b.memory.backend or a.memory.index != b.memory.index):
        return None
    n = a.sizes[a.rank - 2] if a.rank > 1 else 1
    k = a.sizes[a.rank - 1]
    p = b.sizes[b.rank - 1] if b.rank > 1 else 1
    if k != b.sizes[b.rank - 2 if b.rank > 1 else 0] or not batch_axes(a, b, &batch):
        return None
    rank = batch.rank
    for i in range(rank):
        sizes[i] = batch.sizes[i]
    if a.rank > 1:
        sizes[rank] = n
        rank += 1
    if b.rank > 1:
        sizes[rank] = p
        rank += 1
    out = blank(a, rank, sizes)
    if out.elements == 0:
        return out
    if k == 0:
        fill_into(out, 0)
        return out
    step = n * p
    for i in range(batch.rank - 1, -1, -1):
        batch.out[i] = step
        step *= batch.sizes[i]
    merge_batch(&batch)
    for i in range(batch.rank - 1):
        count *= batch.sizes[i]
    if count > CALLS:
        return None                                       # expand and copy, as under autograd
    loop_batch(&batch, 0, a, b, out, a.offset, b.offset, 0, n, k, p)
    return out


cdef int loop_batch(Batch *batch, int axis, Tensor a, Tensor b, Tensor out, Py_ssize_t at_a, Py_ssize_t at_b,
                    Py_ssize_t at_out, Py_ssize_t n, Py_ssize_t k, Py_ssize_t p) except -1:
    """One kernel call along the last batch axis for each place of the axes before it."""
    cdef Py_ssize_t i, size, step_a, step_b, step_out
    cdef View x, y, z
    if axis < batch.rank - 1:
        for i in range(batch.sizes[axis]):
            loop_batch(batch, axis + 1, a, b, out, at_a + i * batch.a[axis], at_b + i * batch.b[axis],
                       at_out + i * batch.out[axis], n, k, p)
        return 0
    size = step_a = step_b = step_out = 1
    if batch.rank:
        size, step_a, step_b, step_out = batch.sizes[axis], batch.a[axis], batch.b[axis], batch.out[axis]
    x = make_view(a.memory, a.dtype, at_a, 3, [size, n, k],
                  [step_a, a.strides[a.rank - 2] if a.rank > 1 else k, a.strides[a.rank - 1]])
    y = make_view(b.memory, b.dtype, at_b, 3, [size, k, p],
                  [step_b, b.strides[b.rank - 2 if b.rank > 1 else 0], b.strides[b.rank - 1] if b.rank > 1 else 1])
    z = make_view(out.memory, out.dtype, at_out, 3, [size, n, p], [step_out, p, 1])
    multiply(x, y, z, "bmm")
    return 0


cdef Tensor matmul_(Tensor a, Tensor b):
    cdef Tensor out
    if a.rank == 2 and b.rank == 2:
        return mm_(a, b)
    if a.rank == 1 and b.rank == 1:
        return dot_(a, b, DOT)
    if a.rank == 2 and b.rank == 1:
        return mv_(a, b)
    if not either_tracked(a, b):
        out = plain_product(a, b)
        if out is not None:
            if a.rank == 1 and b.rank == 2:
                bump_version(out)               # the axis of a is taken away in place, there and below
            return out
    if a.rank == 0 or b.rank == 0:
        raise RuntimeError("both arguments to matmul need to be at least 1D, but they are "
                           f"{a.rank}D and {b.rank}D")
    if a.rank == 1 and b.rank == 2:
        out = mm_(unsqueeze_(a, 0), b)
        out = reshaped(out, 1, out.sizes + 1, SQUEEZE_IN_PLACE)
        bump_version(out)
        return out
    return fold_product(a, b) if folds(a, b) else expand_product(a, b)


cdef bint folds(Tensor a, Tensor b) noexcept:
    """Whether a batch times one matrix is one product of a taller matrix: saves expanding, and gradients of it."""
    cdef Tensor larger = a if a.rank >= b.rank else b, smaller = b if a.rank >= b.rank else a
    cdef int i, r = larger.rank
    cdef Py_ssize_t outer, inner
    if r < 3 or smaller.rank > 2:
        return False
    if requires_grad(smaller):
        return True
    if a.rank == 2:
        return False
    if larger.elements == 0:
        return True
    for i in range(r - 2):                                # are the leading axes one axis? (the last two swapped for b)
        outer = larger.strides[i]
        inner = i + 1
        if larger is b and i == r - 3:
            inner = r - 1
        if outer != larger.strides[inner] * larger.sizes[inner]:
            return False
    return True


cdef Tensor fold_product(Tensor a, Tensor b):
    """The batch's leading axes become rows of one matrix."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t folded[2]
    cdef bint swapped = b.rank > a.rank
    cdef Tensor larger = transpose_(b, b.rank - 2, b.rank - 1) if swapped else a
    cdef Tensor smaller = a if swapped else b, rows, out
    cdef int i, rank = larger.rank - 1
    folded[0] = 1
    for i in range(rank):
        sizes[i] = larger.sizes[i]
        folded[0] *= sizes[i]
    folded[1] = larger.sizes[rank]
    if swapped and smaller.rank == 2:
        smaller = t_(smaller)
    rows = reshape_(larger, 2, folded)
    if smaller.rank == 1:
        return reshaped(mv_(rows, smaller), rank, sizes, UNSAFE_VIEW)
    sizes[rank] = smaller.sizes[1]
    out = reshaped(mm_(rows, smaller), rank + 1, sizes, UNSAFE_VIEW)
    if not swapped:
        return out
    larger = transpose_(out, rank - 1, rank)
    if larger.dense:
        return larger
    out = dense_copy(larger)
    if grad_enabled() and requires_grad(larger):
        CLONE.record(out, (larger,))
    return out


cdef Tensor expand_product(Tensor a, Tensor b):
    """Both operands expanded to one batch axis, then `bmm`."""
    cdef Batch batch
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t three[3]
    cdef Py_ssize_t n = a.sizes[a.rank - 2] if a.rank > 1 else 1, count = 1
    cdef Tensor x, y, out
    cdef int i, rank
    if a.rank == 3 and b.rank == 3 and a.sizes[0] != b.sizes[0]:
        if a.sizes[0] == 1 and requires_grad(a):
            return matmul_(a.squeeze(0), b)
        if b.sizes[0] == 1 and requires_grad(b):
            return matmul_(a, b.squeeze(0))
    if not batch_axes(a, b, &batch):
        raise_batch(a, b)
    rank = batch.rank
    for i in range(rank):
        sizes[i] = batch.sizes[i]
        count *= sizes[i]
    three[0] = count
    sizes[rank], sizes[rank + 1] = n, a.sizes[a.rank - 1]
    x = expand_sizes(a, rank + 2, sizes)
    three[1], three[2] = sizes[rank], sizes[rank + 1]
    x = reshape_(x, 3, three)
    if b.rank == 1:
        sizes[rank] = b.sizes[0]
        y = expand_sizes(b, rank + 1, sizes)
        three[1] = b.sizes[0]
        y = unsqueeze_(reshape_(y, 2, three), 2)
        out = bmm_(x, y).squeeze(-1)
    else:
        sizes[rank], sizes[rank + 1] = b.sizes[b.rank - 2], b.sizes[b.rank - 1]
        y = expand_sizes(b, rank + 2, sizes)
        three[1], three[2] = sizes[rank], sizes[rank + 1]
        y = reshape_(y, 3, three)
        out = bmm_(x, y)
    if a.rank > 1:
        sizes[rank] = n
        rank += 1
    if b.rank > 1:
        sizes[rank] = b.sizes[b.rank - 1]
        rank += 1
    return reshaped(out, rank, sizes, UNSAFE_VIEW)


cdef raise_batch(Tensor a, Tensor b):
    cdef int i, rank = max(a.rank, b.rank) - 2
    cdef Py_ssize_t m, n
    for i in range(1, rank + 1):
        m = a.sizes[a.rank - 2 - i] if a.rank - 2 >= i else 1
        n = b.sizes[b.rank - 2 - i] if b.rank - 2 >= i else 1
        if m != n and m != 1 and n != 1:
            raise RuntimeError(f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                               f"dimension {rank - i}")


def matmul_into(input, other, *, out):
    """The product of two matrices straight into `out`; None where that can't be."""
    if type(input) is not Tensor or type(other) is not Tensor or type(out) is not Tensor:
        return None
    if (<Tensor>input).rank != 2 or (<Tensor>other).rank != 2:
        return None
    return mm_(<Tensor>input, <Tensor>other, <Tensor>out)


@op(out="expected", into=matmul_into)
def matmul(input, other):
    """Matrix product of two tensors of any rank, as ``input @ other``.

    Two vectors give their dot product, a matrix and a vector their product. Of larger tensors the last two axes are
    matrices and the others, which broadcast, a batch of them; a vector is taken for a row on the left, for a column on
    the right, and the axis is dropped from the result.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype; the last axis of `input` has the size of other's last but one (of its only one).

    Returns
    -------
    Tensor

    Raises
    ------
    RuntimeError
        If sizes don't fit, dtypes differ, or an operand has no axes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.matmul(cygrad.ones(5, 2, 3), cygrad.ones(3, 4)).shape
    cygrad.Size([5, 2, 4])
    """
    return matmul_(operand(input, "matmul", "input", 1), operand(other, "matmul", "other", 2))


operators.matmul = <Pair>matmul_
