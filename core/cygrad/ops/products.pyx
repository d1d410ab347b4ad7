"""Products of matrices and vectors: checks, one call of the `matmul` kernel, and the node.

Training loops stand on `mm`, `addmm` and `@`, so these are in Cython and record themselves. Nothing is promoted: both
operands have one dtype. `matmul` without a graph is one kernel call whatever the ranks, operands read where they lie;
under autograd it takes PyTorch's steps (fold to `mm`, or expand to `bmm`), so that the graph has PyTorch's nodes.
"""
from cygrad.autograd.node cimport Derivative, OpNode, attach, find_row, grad_enabled, record, record_pair
from cygrad.backend cimport ADD, CONJ, MUL, Backend
from cygrad.dispatch cimport (SAME, binary, binary_into, cast, check_scalar, copy_into, dense_copy, empty, expand_to,
                              fill_into, result_dtype, scalar_into, unary)
from cygrad.dtype cimport (BOOL, CATEGORY_COMPLEX, CATEGORY_INTEGER, FLOAT16, BFLOAT16, FLOAT32, UINT8, DType,
                           can_cast_to, dtype_of)
from cygrad.ops.pointwise cimport finish_inplace
from cygrad.ops.views cimport expand_sizes, reshape_, transpose_, t_, unsqueeze_
from cygrad.tensor cimport Tensor, bump_version, new_tensor, requires_grad
from cygrad.view cimport View, fill_dense, fill_strided, make_view, same_sizes, size_of, tuple_of

from cygrad import errors
from cygrad.ops.registry import add_op, refuse_out_grad, write_out

# How PyTorch's messages about products call the dtypes, by code; other messages use the names of dispatch.SCALAR_NAMES.
C_TYPES = ("bool", "unsigned char", "signed char", "short int", "int", "long int", "c10::Half", "c10::BFloat16",
           "float", "double", "c10::complex<float>", "c10::complex<double>")
NAMES = ("Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float", "Double", "ComplexFloat",
         "ComplexDouble")


cdef class Row:
    """An op's derivative row, looked up when first needed."""
    cdef str name
    cdef tuple arguments
    cdef Derivative found

    def __init__(self, name, *arguments):
        self.name, self.arguments = name, arguments

    cdef Derivative row(self):
        if self.found is None:
            self.found = find_row(self.name, self.arguments)
        return self.found


cdef Row MM = Row("mm", "self", "mat2")
cdef Row BMM = Row("bmm", "self", "mat2")
cdef Row MV = Row("mv", "self", "vec")
cdef Row DOT = Row("dot", "self", "tensor")
cdef Row VDOT = Row("vdot", "self", "other")
cdef Row ADDMM = Row("addmm", "self", "mat1", "mat2", "beta", "alpha")
cdef Row UNSAFE_VIEW = Row("unsafe_view", "self")
cdef Row SQUEEZE_IN_PLACE = Row("squeeze_in_place", "self")
cdef Row CLONE = Row("clone", "self")


# --------------------------------------------------------------------- helpers

cdef Tensor operand(object x, str name, str argument, int position):
    if isinstance(x, Tensor):
        return <Tensor>x
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(x).__name__}")


cdef inline bint tracked(Tensor a, Tensor b) noexcept:
    return grad_enabled() and (requires_grad(a) or requires_grad(b))


cdef int recorded(Tensor out, Row op, Tensor a, Tensor b) except -1:
    attach(record_pair(op.row(), a, b, ()), out)
    return 0


cdef int same_device(str op, Tensor a, Tensor b) except -1:
    if a.memory.backend is not b.memory.backend or a.memory.index != b.memory.index:
        raise errors.DeviceMismatch(
            f"Expected all tensors to be on the same device, but found at least two devices, {a.device} and "
            f"{b.device}! (in {op}: argument 1 is on {a.device}, argument 2 on {b.device}; move one with .to())")
    return 0


cdef inline View window(View a, Py_ssize_t batch, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t batch_step,
                        Py_ssize_t row_step, Py_ssize_t column_step):
    """A (batch, rows, columns) view of a's storage from a's first element on."""
    return make_view(a.memory, a.dtype, a.offset, 3, [batch, rows, columns], [batch_step, row_step, column_step])


cdef inline View matrix(View a):
    """A matrix as a batch of one."""
    return window(a, 1, a.sizes[0], a.sizes[1], 0, a.strides[0], a.strides[1])


cdef inline View column(View a):
    """A vector as a matrix of one column."""
    return window(a, 1, a.sizes[0], 1, 0, a.strides[0], 1)


cdef inline View row(View a):
    """A vector as a matrix of one row."""
    return window(a, 1, 1, a.sizes[0], 0, 1, a.strides[0])


cdef int multiply(View a, View b, View out, str name) except -1:
    """out = a @ b for batches of matrices; zeros where nothing is summed."""
    cdef Backend backend = <Backend>out.memory.backend
    if out.elements == 0:
        return 0
    if a.sizes[2] == 0:
        fill_into(out, 0)
        return 0
    if a.dtype.code == BOOL:
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")
    if backend.matmul(a, b, out) is not None:
        from cygrad import fallback
        fallback.run(backend, "matmul", (a, b, out), (2,))
    return 0


cdef Tensor blank(Tensor like, int rank, const Py_ssize_t *sizes):
    return empty(like.memory.backend, like.memory.index, like.dtype, rank, sizes)


cdef Tensor reshaped(Tensor fresh, int rank, const Py_ssize_t *sizes, Row op):
    """A new dense result under another shape; not a view, since nobody else has it."""
    cdef Tensor out = new_tensor()
    fill_dense(out, fresh.memory, fresh.dtype, rank, sizes)
    if grad_enabled() and requires_grad(fresh):
        attach(record(op.row(), (fresh,)), out)
    return out


def unsafe_view(Tensor fresh not None, shape):
    """A new, dense tensor that nobody else holds, under another shape (-1 is not inferred)."""
    cdef Py_ssize_t sizes[64]
    cdef int i = 0
    for n in shape:
        sizes[i] = n
        i += 1
    return reshaped(fresh, i, sizes, UNSAFE_VIEW)


def write_exact(str name, Tensor result not None, out, *operands):
    """`out=` of the ops that convert nothing: the dtype must be the result's."""
    refuse_out_grad(name, *operands, out)
    if isinstance(out, Tensor) and (<Tensor>out).dtype is not result.dtype:
        raise RuntimeError(f"Expected out tensor to have dtype {C_TYPES[result.dtype.code]}, but got "
                           f"{C_TYPES[(<Tensor>out).dtype.code]} instead")
    return write_out(name, result, out)


# ----------------------------------------------------------------- two operands

cdef Tensor mm_(Tensor a, Tensor b):
    cdef Tensor out
    if a.rank != 2:
        raise RuntimeError("self must be a matrix")
    if b.rank != 2:
        raise RuntimeError("mat2 must be a matrix")
    if a.sizes[1] != b.sizes[0]:
        raise cannot_multiply(a, b)
    if a.dtype is not b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {C_TYPES[a.dtype.code]} != "
                           f"{C_TYPES[b.dtype.code]}")
    same_device("mm", a, b)
    out = blank(a, 2, [a.sizes[0], b.sizes[1]])
    multiply(matrix(a), matrix(b), matrix(out), "addmm_impl_cpu_")
    if tracked(a, b):
        recorded(out, MM, a, b)
    return out


cdef object cannot_multiply(Tensor a, Tensor b):
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a.sizes[0]}x{a.sizes[1]} and {b.sizes[0]}x"
                        f"{b.sizes[1]})")


cdef Tensor bmm_(Tensor a, Tensor b):
    cdef Tensor out
    if a.rank != 3 or b.rank != 3:
        raise RuntimeError(f"batch{1 if a.rank != 3 else 2} must be a 3D tensor")
    if a.sizes[0] != b.sizes[0] or a.sizes[2] != b.sizes[1]:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{a.sizes[0]}, "
                           f"{a.sizes[2]}] but got: [{b.sizes[0]}, {b.sizes[1]}].")
    if a.dtype is not b.dtype:
        if a.dtype.code == BOOL:
            raise NotImplementedError("\"bmm\" not implemented for 'Bool'")
        raise RuntimeError(f"expected scalar type {NAMES[a.dtype.code]} but found {NAMES[b.dtype.code]}")
    same_device("bmm", a, b)
    out = blank(a, 3, [a.sizes[0], a.sizes[1], b.sizes[2]])
    multiply(a, b, out, "bmm")
    if tracked(a, b):
        recorded(out, BMM, a, b)
    return out


cdef Tensor mv_(Tensor a, Tensor b):
    cdef Tensor out
    if a.rank != 2 or b.rank != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {a.rank}, {b.rank}")
    if a.sizes[1] != b.sizes[0]:
        raise RuntimeError(f"size mismatch, got input ({a.sizes[0]}), mat ({a.sizes[0]}x{a.sizes[1]}), vec "
                           f"({b.sizes[0]})")
    if a.dtype is not b.dtype:
        name = NAMES[b.dtype.code]
        raise RuntimeError("addmv input tensors must have the same dtype, but got "
                           f"{name}, {NAMES[a.dtype.code]}, and {name}")
    same_device("mv", a, b)
    out = blank(a, 1, [a.sizes[0]])
    multiply(matrix(a), column(b), column(out), "addmv_impl_cpu")
    if tracked(a, b):
        recorded(out, MV, a, b)
    return out


cdef Tensor dot_(Tensor a, Tensor b, Row op):
    """Sum of a * b, or of conj(a) * b for vdot."""
    cdef Tensor out
    cdef View left
    if a.rank != 1 or b.rank != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.rank}D and {b.rank}D tensors")
    if a.dtype is not b.dtype:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {NAMES[a.dtype.code]} and "
                           f"{NAMES[b.dtype.code]}")
    if a.sizes[0] != b.sizes[0]:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{a.sizes[0]}] and src [{b.sizes[0]}] to have "
                           f"the same number of elements, but got {a.sizes[0]} and {b.sizes[0]} elements respectively")
    if a.dtype.code == BOOL:
        raise NotImplementedError("\"dot\" not implemented for 'Bool'")
    same_device("dot", a, b)
    out = blank(a, 0, NULL)
    left = unary(CONJ, a, SAME) if op is VDOT and a.dtype.category == CATEGORY_COMPLEX else a
    multiply(row(left), column(b), window(out, 1, 1, 1, 1, 1, 1), "dot")
    if tracked(a, b):
        recorded(out, op, a, b)
    return out


def mm(input, mat2, *, out=None):
    """Product of two matrices.

    Parameters
    ----------
    input : Tensor
        (n, m).
    mat2 : Tensor
        (m, p), of input's dtype.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        (n, p).

    Raises
    ------
    RuntimeError
        If an operand is not a matrix, sizes don't fit, or dtypes differ: nothing is broadcast or promoted (`matmul`
        broadcasts).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.mm(cygrad.eye(2), cygrad.tensor([[1., 2.], [3., 4.]]))
    tensor([[1., 2.],
            [3., 4.]])
    """
    cdef Tensor result = mm_(operand(input, "mm", "input", 1), operand(mat2, "mm", "mat2", 2))
    return result if out is None else write_exact("mm", result, out, input, mat2)


def bmm(input, mat2, *, out=None):
    """Products of the matrices of two batches: (b, n, m) and (b, m, p) give (b, n, p). Nothing is broadcast."""
    cdef Tensor result = bmm_(operand(input, "bmm", "input", 1), operand(mat2, "bmm", "mat2", 2))
    return result if out is None else write_exact("bmm", result, out, input, mat2)


def mv(input, vec, *, out=None):
    """Product of a matrix (n, m) and a vector (m): a vector (n)."""
    cdef Tensor result = mv_(operand(input, "mv", "input", 1), operand(vec, "mv", "vec", 2))
    return result if out is None else write_exact("mv", result, out, input, vec)


def dot(input, tensor, *, out=None):
    """Sum of the products of the elements of two vectors of one size and dtype; no conjugate is taken (see `vdot`)."""
    cdef Tensor result = dot_(operand(input, "dot", "input", 1), operand(tensor, "dot", "tensor", 2), DOT)
    return result if out is None else write_exact("dot", result, out, input, tensor)


def vdot(input, other, *, out=None):
    """Inner product of two vectors: the sum of conj(input) * other."""
    cdef Tensor result = dot_(operand(input, "vdot", "input", 1), operand(other, "vdot", "other", 2), VDOT)
    return result if out is None else write_exact("vdot", result, out, input, other)


# ---------------------------------------------------------------------- matmul

cdef struct Batch:                   # the batch axes of a product: sizes, and strides of the operands and the result
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
    cdef int i, last = -1, longest = 0
    for i in range(batch.rank):
        if batch.sizes[i] == 1:
            continue
        if last >= 0 and (batch.a[last] == batch.a[i] * batch.sizes[i] and batch.b[last] == batch.b[i] * batch.sizes[i]
                          and batch.out[last] == batch.out[i] * batch.sizes[i]):
            batch.sizes[last] *= batch.sizes[i]
        else:
            last += 1
            batch.sizes[last] = batch.sizes[i]
        batch.a[last], batch.b[last], batch.out[last] = batch.a[i], batch.b[i], batch.out[i]
    batch.rank = last + 1
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
    if (a.dtype is not b.dtype or a.dtype.code == BOOL or a.rank == 0 or b.rank == 0
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
    if not tracked(a, b):
        out = plain_product(a, b)
        if out is not None:
            return out
    if a.rank == 0 or b.rank == 0:
        raise RuntimeError("both arguments to matmul need to be at least 1D, but they are "
                           f"{a.rank}D and {b.rank}D")
    if a.rank == 1 and b.rank == 2:
        out = mm_(unsqueeze_(a, 0), b)
        return reshaped(out, 1, out.sizes + 1, SQUEEZE_IN_PLACE)
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
    cdef Tensor larger = transpose_(b, b.rank - 2, b.rank - 1) if swapped else a, smaller = a if swapped else b, rows, out
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
        attach(record(CLONE.row(), (larger,)), out)
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


def matmul(input, other, *, out=None):
    """Matrix product of two tensors of any rank, as ``input @ other``.

    Two vectors give their dot product, a matrix and a vector their product. Of larger tensors the last two axes are
    matrices and the others, which broadcast, a batch of them; a vector is taken for a row on the left, for a column on
    the right, and the axis is dropped from the result.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype; the last axis of `input` has the size of other's last but one (of its only one).
    out : Tensor, optional
        Where the result is written.

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
    torch.Size([5, 2, 4])
    """
    cdef Tensor result = matmul_(operand(input, "matmul", "input", 1), operand(other, "matmul", "other", 2))
    return result if out is None else write_exact("matmul", result, out, input, other)


# ----------------------------------------------------------------------- addmm

cdef Tensor addmm_(Tensor c, Tensor a, Tensor b, object beta, object alpha, Tensor target):
    """beta * c + alpha * a @ b, into `target` or a new tensor."""
    cdef Backend backend
    cdef Py_ssize_t sizes[2]
    cdef Tensor out = target
    cdef DType wide
    if a.rank != 2 or b.rank != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {a.rank}-D tensor" if a.rank != 2 else
                           f"mat2 must be a matrix, got {b.rank}-D tensor")
    if a.sizes[1] != b.sizes[0]:
        raise cannot_multiply(a, b)
    if c.dtype is not b.dtype or a.dtype is not b.dtype:
        left, name = (c, "self") if c.dtype is not b.dtype else (a, "mat1")
        raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {NAMES[(<Tensor>left).dtype.code]} and "
                           f"{NAMES[b.dtype.code]}")
    same_device("addmm", a, b)
    same_device("addmm", c, a)
    sizes[0], sizes[1] = a.sizes[0], b.sizes[1]
    if c.rank != 2 or c.sizes[0] != sizes[0] or c.sizes[1] != sizes[1]:
        c = fitted(c, 2, sizes)
    check_factors(a.dtype, beta, alpha)
    if a.sizes[1] == 0 and beta != 0:                     # then the result is input * beta, in PyTorch too
        check_cast(result_dtype(c, beta), c.dtype)
    if out is None:
        out = blank(a, 2, sizes)
    if out.elements == 0:
        return out
    backend = <Backend>a.memory.backend
    if (a.sizes[1] and not isinstance(beta, complex) and not isinstance(alpha, complex)
            and backend.addmm(c, a, b, beta, alpha, out) is None):
        return out
    if a.dtype.code == FLOAT16 or a.dtype.code == BFLOAT16:          # round once
        wide = dtype_of(FLOAT32)
        copy_into(addmm_(cast(c, wide), cast(a, wide), cast(b, wide), beta, alpha, None), out)
        return out
    copy_into(scaled_sum(c, product2(a, b), beta, alpha), out)
    return out


cdef int check_factors(DType dtype, object beta, object alpha) except -1:
    """Refuse factors that the dtype can't hold, as PyTorch does: an unsigned dtype holds negative integers only."""
    for value in (beta, alpha):
        if dtype.code == UINT8 and isinstance(value, float) and value < 0:
            raise RuntimeError("value cannot be converted to type uint8_t without overflow")
        check_scalar(dtype, value)
    return 0


cdef int check_cast(DType source, DType target) except -1:
    if not can_cast_to(source, target):
        raise RuntimeError(f"result type {NAMES[source.code]} can't be cast to the desired output type "
                           f"{NAMES[target.code]}")
    return 0


cdef Tensor product2(Tensor a, Tensor b):
    cdef Tensor out = blank(a, 2, [a.sizes[0], b.sizes[1]])
    multiply(matrix(a), matrix(b), matrix(out), "addmm_impl_cpu_")
    return out


cdef Tensor fitted(Tensor c, int rank, Py_ssize_t *sizes):
    """`c` broadcast to these sizes, or PyTorch's error."""
    cdef int i, j
    for i in range(rank):
        j = i - rank + c.rank
        if c.rank > rank or (j >= 0 and c.sizes[j] != sizes[i] and c.sizes[j] != 1):
            return expand_sizes(c, rank, sizes)           # raises
    return expand_to(c, rank, sizes)


cdef object number_for(DType dtype, object value):
    """beta or alpha as the kernels take it: integers drop the fraction."""
    return int(value) if dtype.category <= CATEGORY_INTEGER else value


cdef Tensor scaled_sum(Tensor c, Tensor product, object beta, object alpha):
    """beta * c + alpha * product in the memory of `product`, which is new; beta = 0 does not read c."""
    beta, alpha = number_for(product.dtype, beta), number_for(product.dtype, alpha)
    if alpha != 1:
        scalar_into(MUL, product, alpha, False, product)
    if beta == 1:
        binary_into(ADD, product, c, product)
    elif beta != 0:
        binary_into(ADD, product, binary(MUL, c, beta, SAME), product)
    return product


def add_scaled(Tensor c not None, Tensor product not None, beta, alpha):
    """beta * c + alpha * product, raw, in the memory of the new tensor `product`; `c` broadcasts to its shape."""
    check_factors(product.dtype, beta, alpha)
    if not same_sizes(c, product):
        c = fitted(c, product.rank, product.sizes)
    if product.elements == 0:
        return product
    return scaled_sum(c, product, beta, alpha)


def addmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * (mat1 @ mat2).

    Parameters
    ----------
    input : Tensor
        Broadcasts to (n, p). Where beta is 0 it is not read: a NaN in it does not matter.
    mat1, mat2 : Tensor
        (n, m) and (m, p), of input's dtype.
    beta, alpha : Number
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        (n, p).
    """
    cdef Tensor c = operand(input, "addmm", "input", 1), a = operand(mat1, "addmm", "mat1", 2)
    cdef Tensor b = operand(mat2, "addmm", "mat2", 3)
    cdef Tensor result = addmm_(c, a, b, beta, alpha, None)
    if grad_enabled() and (requires_grad(c) or requires_grad(a) or requires_grad(b)):
        attach(record(ADDMM.row(), (c, a, b, beta, alpha)), result)
    return result if out is None else write_exact("addmm", result, out, input, mat1, mat2)


def addmm_inplace(self, mat1, mat2, *, beta=1, alpha=1):
    """beta * self + alpha * (mat1 @ mat2), in place."""
    cdef Tensor c = operand(self, "addmm_", "self", 1), a = operand(mat1, "addmm_", "mat1", 1)
    cdef Tensor b = operand(mat2, "addmm_", "mat2", 2)
    if a.rank == 2 and b.rank == 2 and (c.rank != 2 or c.sizes[0] != a.sizes[0] or c.sizes[1] != b.sizes[1]):
        raise RuntimeError(f"Bad in-place call: input tensor size {list(size_of(c))} and output tensor size "
                           f"{[a.sizes[0], b.sizes[1]]} should match")
    if (not grad_enabled() and c.dense and c.memory is not a.memory and c.memory is not b.memory
            and not c.inference):
        addmm_(c, a, b, beta, alpha, c)
        bump_version(c)
        return c
    return finish_inplace(c, addmm(c, a, b, beta=beta, alpha=alpha), "addmm_")


add_op("mm", mm)
add_op("bmm", bmm)
add_op("mv", mv)
add_op("dot", dot)
add_op("vdot", vdot)
add_op("matmul", matmul)
add_op("addmm", addmm, inplace=addmm_inplace)
