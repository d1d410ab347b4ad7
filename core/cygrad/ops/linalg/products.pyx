# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Products of two matrices or vectors: checks, one call of the `matmul` kernel, and the node.

Training loops stand on these (and on `matmul.pyx`, `addmm.pyx`), so they are in Cython and record themselves. Nothing
is promoted: both operands have one dtype.
"""
from cygrad.autograd.modes cimport grad_enabled
from cygrad.backend cimport CONJ, Backend
from cygrad.devices.watching cimport called
from cygrad.dispatch.allocation cimport empty
from cygrad.dispatch.kernel_calls cimport declined, fill_into, lacks, unary
from cygrad.dispatch.without_kernels cimport COMPLEX32, is_lazy, is_narrow, without_kernels
from cygrad.dispatch.promotion cimport SAME
from cygrad.dtype cimport BOOL, CATEGORY_COMPLEX, CONJUGATED, DType, lazy_dtype, lazy_flags, plain_of
from cygrad.ops.declare.op cimport Op, either_tracked, tracked
from cygrad.ops.shape.views cimport UNSAFE_VIEW
from cygrad.tensor cimport Tensor, bump_version, new_tensor, requires_grad
from cygrad.view cimport View, fill_dense, make_view

from cygrad import errors
from cygrad.errors import not_implemented
from cygrad.ops.declare.op_forms import op
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES


cdef Op MM = Op("mm", "self", "mat2")
cdef Op BMM = Op("bmm", "self", "mat2")
cdef Op MV = Op("mv", "self", "vec")
DOT = Op("dot", "self", "tensor")
cdef Op VDOT = Op("vdot", "self", "other")


# --------------------------------------------------------------------- helpers

cdef Tensor operand(object x, str name, str argument, int position):
    if isinstance(x, Tensor):
        return <Tensor>x
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(x).__name__}")


cdef int same_device(str op, Tensor a, Tensor b) except -1:
    if a.memory.backend is not b.memory.backend or a.memory.index != b.memory.index:
        raise errors.on_two_devices(op, a, b)
    return 0


cdef inline View window(View a, Py_ssize_t batch, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t batch_step,
                        Py_ssize_t row_step, Py_ssize_t column_step):
    """A (batch, rows, columns) view of a's storage from a's first element on."""
    return make_view(a.memory, a.dtype, a.offset, 3, [batch, rows, columns], [batch_step, row_step, column_step])


cdef View matrix(View a):
    """A matrix as a batch of one."""
    return window(a, 1, a.sizes[0], a.sizes[1], 0, a.strides[0], a.strides[1])


cdef View transposed(View a):
    """The transpose of a matrix, likewise."""
    return window(a, 1, a.sizes[1], a.sizes[0], 0, a.strides[1], a.strides[0])


cdef inline View column(View a):
    """A vector as a matrix of one column."""
    return window(a, 1, a.sizes[0], 1, 0, a.strides[0], 1)


cdef inline View row(View a):
    """A vector as a matrix of one row."""
    return window(a, 1, 1, a.sizes[0], 0, 1, a.strides[0])


cdef View conjugate(View a):
    """The same memory, lazily conjugated, or not if it was."""
    cdef DType dtype = lazy_dtype(plain_of(a.dtype), lazy_flags(a.dtype) ^ CONJUGATED)
    return make_view(a.memory, dtype, a.offset, a.rank, a.sizes, a.strides)


cdef int multiply(View a, View b, View out, str name) except -1:
    """out = a @ b for batches of matrices; zeros where nothing is summed."""
    cdef Backend backend = <Backend>out.memory.backend
    if out.elements == 0:
        return 0
    if a.sizes[2] == 0:
        fill_into(out, 0)
        return 0
    if a.dtype.code == BOOL or out.dtype.code == COMPLEX32 or (
            is_narrow(out.dtype.code) and name != "addmm_impl_cpu_"):
        raise not_implemented(name, SCALAR_NAMES[out.dtype.code], False)
    if (without_kernels(out.dtype.code) or is_lazy(a.dtype.code | b.dtype.code)
            or lacks("matmul", called(backend).matmul(a, b, out))):
        declined(backend, "matmul", (a, b, out), (2,))
    return 0


cdef Tensor blank(Tensor like, int rank, const Py_ssize_t *sizes):
    return empty(like.memory.backend, like.memory.index, like.dtype, rank, sizes)


cdef Tensor reshaped(Tensor fresh, int rank, const Py_ssize_t *sizes, Op op):
    """A new dense result under another shape; not a view, since nobody else has it."""
    cdef Tensor out = new_tensor()
    fill_dense(out, fresh.memory, fresh.dtype, rank, sizes)
    if tracked(fresh):
        op.record(out, (fresh, None))
    return out


def unsafe_view(Tensor fresh not None, shape):
    """A new, dense tensor that nobody else holds, under another shape (-1 is not inferred)."""
    cdef Py_ssize_t sizes[64]
    cdef int i = 0
    for n in shape:
        sizes[i] = n
        i += 1
    return reshaped(fresh, i, sizes, UNSAFE_VIEW)


cdef bint takes(Tensor out, Tensor a, Tensor b, int rank, const Py_ssize_t *sizes) except -1:
    """Whether the product of two operands can be written straight into a tensor: it is what `blank` would make."""
    cdef int i
    if (out.rank != rank or not out.dense or out.dtype is not a.dtype or out.memory is a.memory
            or out.memory is b.memory or out.inference or out.names_ is not None
            or out.memory.backend is not a.memory.backend or out.memory.index != a.memory.index):
        return False
    for i in range(rank):
        if out.sizes[i] != sizes[i]:
            return False
    return not (grad_enabled() and (requires_grad(out) or requires_grad(a) or requires_grad(b)))


# ----------------------------------------------------------------- two operands

cdef Tensor mm_(Tensor a, Tensor b, Tensor target=None):
    """a @ b, into `target` if it can be written to; None where it can't."""
    cdef Tensor out
    cdef Py_ssize_t sizes[2]
    if a.rank != 2:
        raise RuntimeError("self must be a matrix")
    if b.rank != 2:
        raise RuntimeError("mat2 must be a matrix")
    if a.sizes[1] != b.sizes[0]:
        raise cannot_multiply(a, b)
    if plain_of(a.dtype) is not plain_of(b.dtype):
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {C_TYPES[a.dtype.code]} != "
                           f"{C_TYPES[b.dtype.code]}")
    same_device("mm", a, b)
    sizes[0], sizes[1] = a.sizes[0], b.sizes[1]
    if target is not None:
        if not takes(target, a, b, 2, sizes):
            return None
    out = blank(a, 2, sizes) if target is None else target
    multiply(matrix(a), matrix(b), matrix(out), "addmm_impl_cpu_")
    if target is not None:
        bump_version(target)
    elif either_tracked(a, b):
        MM.record_pair(out, a, b, ())
    return out


cdef inline bint column_major(View like):
    """Whether a matrix has its columns one after the other in memory: as the weight that `linear` transposes has."""
    return like.rank == 2 and like.strides[0] == 1 and like.strides[1] == like.sizes[0]


cdef Tensor product_like(View a, View b, View like):
    """a @ b of two batches of one matrix, unrecorded, in the order of memory of `like`."""
    cdef Tensor out
    cdef Py_ssize_t *sizes = [a.sizes[1], b.sizes[2]]
    if not column_major(like):
        out = empty(a.memory.backend, a.memory.index, a.dtype, 2, sizes)
        multiply(a, b, matrix(out), "addmm_impl_cpu_")
        return out
    sizes[0], sizes[1] = sizes[1], sizes[0]
    out = empty(a.memory.backend, a.memory.index, a.dtype, 2, sizes)
    multiply(make_view(b.memory, b.dtype, b.offset, 3, [1, b.sizes[2], b.sizes[1]], [0, b.strides[2], b.strides[1]]),
             make_view(a.memory, a.dtype, a.offset, 3, [1, a.sizes[2], a.sizes[1]], [0, a.strides[2], a.strides[1]]),
             matrix(out), "addmm_impl_cpu_")
    out.sizes[0], out.sizes[1] = sizes[1], sizes[0]
    out.strides[0], out.strides[1] = 1, sizes[1]
    out.finish()
    return out


cdef Tensor mm_backward_left(Tensor grad, Tensor right, View like):
    """grad @ right.T, unrecorded: the gradient of the left factor of a product, which lies in memory as `like`."""
    return product_like(matrix(grad), transposed(right), like)


cdef Tensor mm_backward_right(Tensor left, Tensor grad, View like):
    """left.T @ grad, unrecorded: the gradient of the right factor."""
    return product_like(transposed(left), matrix(grad), like)


cdef object cannot_multiply(Tensor a, Tensor b):
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a.sizes[0]}x{a.sizes[1]} and {b.sizes[0]}x"
                        f"{b.sizes[1]})")


cdef Tensor bmm_(Tensor a, Tensor b, Tensor target=None):
    """The products of two batches, into `target` if it can be written to; None where it can't."""
    cdef Tensor out
    cdef Py_ssize_t sizes[3]
    if a.rank != 3 or b.rank != 3:
        raise RuntimeError(f"batch{1 if a.rank != 3 else 2} must be a 3D tensor")
    if a.sizes[0] != b.sizes[0] or a.sizes[2] != b.sizes[1]:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{a.sizes[0]}, "
                           f"{a.sizes[2]}] but got: [{b.sizes[0]}, {b.sizes[1]}].")
    if plain_of(a.dtype) is not plain_of(b.dtype):
        if a.dtype.code == BOOL:
            raise NotImplementedError("\"bmm\" not implemented for 'Bool'")
        raise RuntimeError(f"expected scalar type {SCALAR_NAMES[a.dtype.code]} but found {SCALAR_NAMES[b.dtype.code]}")
    same_device("bmm", a, b)
    sizes[0], sizes[1], sizes[2] = a.sizes[0], a.sizes[1], b.sizes[2]
    if target is not None:
        if not takes(target, a, b, 3, sizes):
            return None
    out = blank(a, 3, sizes) if target is None else target
    multiply(a, b, out, "bmm")
    if target is not None:
        bump_version(target)
    elif either_tracked(a, b):
        BMM.record_pair(out, a, b, ())
    return out


cdef Tensor mv_(Tensor a, Tensor b):
    cdef Tensor out
    if a.rank == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if a.rank != 2 or b.rank != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {a.rank}, {b.rank}")
    if a.sizes[1] != b.sizes[0]:
        raise RuntimeError(f"size mismatch, got input ({a.sizes[0]}), mat ({a.sizes[0]}x{a.sizes[1]}), vec "
                           f"({b.sizes[0]})")
    if plain_of(a.dtype) is not plain_of(b.dtype):
        name = SCALAR_NAMES[b.dtype.code]
        raise RuntimeError("addmv input tensors must have the same dtype, but got "
                           f"{name}, {SCALAR_NAMES[a.dtype.code]}, and {name}")
    same_device("mv", a, b)
    out = blank(a, 1, [a.sizes[0]])
    multiply(matrix(a), column(b), column(out), "addmv_impl_cpu")
    if either_tracked(a, b):
        MV.record_pair(out, a, b, ())
    return out


cdef Tensor dot_(Tensor a, Tensor b, Op op):
    """Sum of a * b, or of conj(a) * b for vdot."""
    cdef Tensor out
    cdef View left
    if a.rank != 1 or b.rank != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.rank}D and {b.rank}D tensors")
    if plain_of(a.dtype) is not plain_of(b.dtype):
        raise RuntimeError("dot : expected both vectors to have same dtype, but found "
                           f"{SCALAR_NAMES[a.dtype.code]} and {SCALAR_NAMES[b.dtype.code]}")
    if a.sizes[0] != b.sizes[0]:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{a.sizes[0]}] and src [{b.sizes[0]}] to have "
                           f"the same number of elements, but got {a.sizes[0]} and {b.sizes[0]} elements respectively")
    if a.dtype.code == BOOL:
        raise NotImplementedError("\"dot\" not implemented for 'Bool'")
    same_device("dot", a, b)
    out = blank(a, 0, NULL)
    left = unary(CONJ, a, SAME) if op is VDOT and a.dtype.category == CATEGORY_COMPLEX else a
    if op is DOT and lazy_flags(a.dtype) == CONJUGATED == lazy_flags(b.dtype):
        # the conjugate of that of what they are of
        multiply(row(conjugate(a)), column(conjugate(b)), window(out, 1, 1, 1, 1, 1, 1), "dot")
        out.dtype = lazy_dtype(out.dtype, CONJUGATED)
    else:
        multiply(row(left), column(b), window(out, 1, 1, 1, 1, 1, 1), "dot")
    if either_tracked(a, b):
        op.record_pair(out, a, b, ())
    return out


def mm_into(input, mat2, *, out):
    """mm straight into `out`; None where that can't be."""
    if type(input) is not Tensor or type(mat2) is not Tensor or type(out) is not Tensor:
        return None
    return mm_(<Tensor>input, <Tensor>mat2, <Tensor>out)


def bmm_into(input, mat2, *, out):
    """bmm straight into `out`; None where that can't be."""
    if type(input) is not Tensor or type(mat2) is not Tensor or type(out) is not Tensor:
        return None
    return bmm_(<Tensor>input, <Tensor>mat2, <Tensor>out)


@op(out="expected", into=mm_into)
def mm(input, mat2):
    """Product of two matrices.

    Parameters
    ----------
    input : Tensor
        (n, m).
    mat2 : Tensor
        (m, p), of input's dtype.

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
    return mm_(operand(input, "mm", "input", 1), operand(mat2, "mm", "mat2", 2))


@op(out="expected", into=bmm_into)
def bmm(input, mat2):
    """Products of the matrices of two batches: (b, n, m) and (b, m, p) give (b, n, p). Nothing is broadcast.

    Parameters
    ----------
    input, mat2 : Tensor
        (b, n, m) and (b, m, p), of one dtype.

    Returns
    -------
    Tensor
        (b, n, p).

    Raises
    ------
    RuntimeError
        If shapes or dtypes don't fit.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.bmm(cygrad.ones(1, 2, 3), cygrad.ones(1, 3, 2))
    tensor([[[3., 3.],
             [3., 3.]]])
    """
    return bmm_(operand(input, "bmm", "input", 1), operand(mat2, "bmm", "mat2", 2))


@op(out="expected")
def mv(input, vec):
    """Product of a matrix (n, m) and a vector (m): a vector (n).

    Parameters
    ----------
    input, vec : Tensor
        (n, m) and (m,), of one dtype.

    Returns
    -------
    Tensor
        (n,).

    Raises
    ------
    RuntimeError
        If shapes or dtypes don't fit.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.mv(cygrad.tensor([[1., 2.], [3., 4.]]), cygrad.tensor([1., 1.]))
    tensor([3., 7.])
    """
    return mv_(operand(input, "mv", "input", 1), operand(vec, "mv", "vec", 2))


@op(out="expected")
def dot(input, tensor):
    """Sum of the products of the elements of two vectors of one size and dtype; no conjugate is taken (see `vdot`).

    Parameters
    ----------
    input, tensor : Tensor
        (n,) both, of one dtype.

    Returns
    -------
    Tensor
        Without axes.

    Raises
    ------
    RuntimeError
        If shapes or dtypes don't fit.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.dot(cygrad.tensor([1, 2]), cygrad.tensor([3, 4]))
    tensor(11)
    """
    return dot_(operand(input, "dot", "input", 1), operand(tensor, "dot", "tensor", 2), DOT)


@op(out="expected")
def vdot(input, other):
    """Inner product of two vectors: the sum of conj(input) * other.

    Parameters
    ----------
    input, other : Tensor
        (n,) both, of one dtype.

    Returns
    -------
    Tensor
        Without axes.

    Raises
    ------
    RuntimeError
        If shapes or dtypes don't fit.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.vdot(cygrad.tensor([1j, 2j]), cygrad.tensor([1j, 1j]))
    tensor(3.+0.j)
    """
    return dot_(operand(input, "vdot", "input", 1), operand(other, "vdot", "other", 2), VDOT)
