"""Products made of the Cython ones: with a third operand (`baddbmm`), of vectors (`outer`, `cross`), over more axes.

A `@primitive` here is the op as autograd sees it: its forward runs unrecorded. Nothing is promoted in products that go
to a kernel; those that multiply elementwise (`outer`, `kron`, `addr`) promote like `mul`.
"""
import cygrad
from cygrad.backend import BINARY
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES, result_type
from cygrad.dispatch.raw import binary_op, cast_to, copy_
from cygrad.dtype import all_dtypes
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.registry import op
from cygrad.ops.linalg import addmm, products
from cygrad.ops.linalg.addmm import add_scaled, check_numbers
from cygrad.ops.linalg.products import unsafe_view
from cygrad.ops.pointwise.single_kernel import inplace_result
from cygrad.ops.shape.reshaping import broadcast_shapes
from cygrad.ops.shape.views import wrap
from cygrad.tensor import Tensor

DTYPES = {d.name: d for d in all_dtypes()}
BOOL, FLOAT32 = DTYPES["bool"], DTYPES["float32"]
HALVES = (DTYPES["float16"], DTYPES["bfloat16"])
ADD, MUL = BINARY.index("add"), BINARY.index("mul")


def need_tensor(value, name, argument, position):
    """Raise PyTorch's TypeError unless `value` is a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not "
                        f"{type(value).__name__}")


def need_int(value, name, argument, position):
    """Raise PyTorch's TypeError unless `value` is an integer."""
    if isinstance(value, (float, str)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be int, not "
                        f"{type(value).__name__}")


def refused(kernel, dtype):
    """The error for a dtype that a kernel does not take."""
    return NotImplementedError(f'"{kernel}" not implemented for \'{SCALAR_NAMES[dtype.code]}\'')


def name_of(t):
    """What messages call the dtype of a tensor."""
    return SCALAR_NAMES[t.dtype.code]


def writing(function, shape=None):
    """The in-place form of `function`, whose derivative does not read the tensor it overwrites.

    `shape` gives the shape of the result from the other arguments, for a check before anything is computed.
    """
    def inplace(self, *args, **kwargs):
        if shape is not None:
            wanted = shape(*args, **kwargs)
            if list(self.shape) != wanted:
                raise RuntimeError(f"Bad in-place call: input tensor size {list(self.shape)} and output tensor size "
                                   f"{wanted} should match")
        return inplace_result(self, function(self, *args, **kwargs))
    return inplace


def accumulated(self, product, factors, beta, alpha):
    """beta * self + alpha * product(*factors); 16-bit floats in float32, rounded once."""
    if self.dtype in HALVES:
        wide = [cast_to(t, FLOAT32) for t in factors]
        return cast_to(add_scaled(cast_to(self, FLOAT32), product(*wide), beta, alpha), self.dtype)
    return add_scaled(self, product(*factors), beta, alpha)


# --------------------------------------------------------- products with a third operand

@primitive(name="addmv")
def _addmv(self, mat, vec, beta, alpha):
    return accumulated(self, products.mv, (mat, vec), beta, alpha)


def addmv(input, mat, vec, *, beta=1, alpha=1):
    """beta * input + alpha * (mat @ vec).

    Parameters
    ----------
    input : Tensor
        (n) or one element; not read where beta is 0.
    mat, vec : Tensor
        (n, m) and (m), of input's dtype.
    beta, alpha : Number

    Returns
    -------
    Tensor
        (n).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.addmv(cygrad.ones(2), cygrad.tensor([[1., 2.], [3., 4.]]), cygrad.tensor([1., 1.]))
    tensor([4., 8.])
    """
    for position, (argument, value) in enumerate((("input", input), ("mat", mat), ("vec", vec)), 1):
        need_tensor(value, "addmv", argument, position)
    if mat.dim() != 2 or vec.dim() != 1 or input.dim() > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.dim()}, {mat.dim()}, {vec.dim()}")
    if mat.shape[1] != vec.shape[0] or input.numel() not in (1, mat.shape[0]):
        raise RuntimeError(f"size mismatch, got input ({input.shape[0] if input.dim() else 1}), mat ({mat.shape[0]}x"
                           f"{mat.shape[1]}), vec ({vec.shape[0]})")
    if not input.dtype is mat.dtype is vec.dtype:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {name_of(input)}, {name_of(mat)}, "
                           f"and {name_of(vec)}")
    return _addmv(input, mat, vec, beta, alpha)


@primitive(name="baddbmm")
def _baddbmm(self, batch1, batch2, beta, alpha):
    return accumulated(self, products.bmm, (batch1, batch2), beta, alpha)


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """beta * input + alpha * (batch1 @ batch2), matrix by matrix.

    Parameters
    ----------
    input : Tensor
        Broadcasts to (b, n, p); not read where beta is 0.
    batch1, batch2 : Tensor
        (b, n, m) and (b, m, p), of input's dtype.
    beta, alpha : Number

    Returns
    -------
    Tensor
        (b, n, p).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.baddbmm(cygrad.ones(1, 2, 2), cygrad.ones(1, 2, 3), cygrad.ones(1, 3, 2))
    tensor([[[4., 4.],
             [4., 4.]]])
    """
    for position, (argument, value) in enumerate((("input", input), ("batch1", batch1), ("batch2", batch2)), 1):
        need_tensor(value, "baddbmm", argument, position)
    input.expand(batch1.size(0), batch1.size(1), batch2.size(2))
    if batch1.dim() != 3 or batch2.dim() != 3:
        raise RuntimeError(f"batch{1 if batch1.dim() != 3 else 2} must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0] or batch1.shape[2] != batch2.shape[1]:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{batch1.shape[0]}, "
                           f"{batch1.shape[2]}] but got: [{batch2.shape[0]}, {batch2.shape[1]}].")
    if not input.dtype is batch1.dtype is batch2.dtype:
        raise RuntimeError(f"Input dtypes must be the same, got: input {C_TYPES[input.dtype.code]}, batch1: "
                           f"{C_TYPES[batch1.dtype.code]}, batch2: {C_TYPES[batch2.dtype.code]}")
    if input.dtype is BOOL and batch1.numel():
        raise refused("baddbmm", BOOL)
    return _baddbmm(input, batch1, batch2, beta, alpha)


@primitive(name="addbmm")
def _addbmm(self, batch1, batch2, beta, alpha):
    count, n, m = batch1.shape
    wide = batch1.transpose(0, 1).reshape(n, count * m)
    return addmm.addmm(self, wide, batch2.reshape(count * m, batch2.shape[2]), beta=beta, alpha=alpha)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """beta * input + alpha * the sum of the products batch1[i] @ batch2[i].

    Parameters
    ----------
    input : Tensor
        Broadcasts to (n, p); not read where beta is 0.
    batch1, batch2 : Tensor
        (b, n, m) and (b, m, p), of input's dtype.
    beta, alpha : Number

    Returns
    -------
    Tensor
        (n, p).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.addbmm(cygrad.zeros(2, 2), cygrad.ones(3, 2, 1), cygrad.ones(3, 1, 2))
    tensor([[3., 3.],
            [3., 3.]])
    """
    for position, (argument, value) in enumerate((("input", input), ("batch1", batch1), ("batch2", batch2)), 1):
        need_tensor(value, "addbmm", argument, position)
    if batch1.dim() != 3 or batch2.dim() != 3:
        raise RuntimeError(f"batch{1 if batch1.dim() != 3 else 2} must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError("batch1 and batch2 must have same number of batches, got "
                           f"{batch1.shape[0]} and {batch2.shape[0]}")
    if batch1.shape[2] != batch2.shape[1]:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({batch1.shape[1]}x{batch1.shape[2]} and "
                           f"{batch2.shape[1]}x{batch2.shape[2]})")
    return _addbmm(input, batch1, batch2, beta, alpha)


@primitive(name="addr")
def _addr(self, vec1, vec2, beta, alpha):
    dtype = result_type(self, vec1, vec2)
    x, y = cast_to(vec1, dtype).unsqueeze(1), cast_to(vec2, dtype)
    if dtype is BOOL:
        found = binary_op(MUL, x, y) & bool(alpha)
        return found | self if beta else found
    if dtype in HALVES:
        return cast_to(_addr.forward(cast_to(self, FLOAT32), x[:, 0], y, beta, alpha), dtype)
    found = binary_op(MUL, x if alpha == 1 else x * alpha, y)
    if beta == 0:
        return found
    return binary_op(ADD, self.expand(found.shape) if beta == 1 else self.expand(found.shape) * beta, found)


def addr(input, vec1, vec2, *, beta=1, alpha=1):
    """beta * input + alpha * (the outer product of vec1 and vec2).

    Parameters
    ----------
    input : Tensor
        Broadcasts to (n, m); not read where beta is 0.
    vec1, vec2 : Tensor
        (n) and (m); dtypes are promoted.
    beta, alpha : Number

    Returns
    -------
    Tensor
        (n, m).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.addr(cygrad.zeros(2, 2), cygrad.tensor([1., 2.]), cygrad.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    for position, (argument, value) in enumerate((("input", input), ("vec1", vec1), ("vec2", vec2)), 1):
        need_tensor(value, "addr", argument, position)
    for argument, value in (("vec1", vec1), ("vec2", vec2)):
        if value.dim() != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {argument}, but got {value.dim()}-D")
    dtype = result_type(input, vec1, vec2)
    for argument, value in (("beta", beta), ("alpha", alpha)):
        if isinstance(value, bool) and dtype is not BOOL:
            raise RuntimeError(f"Boolean {argument} only supported for Boolean results.")
        if isinstance(value, (float, complex)) and not (dtype.is_floating_point or dtype.is_complex):
            raise RuntimeError(f"For integral input tensors, argument {argument} must not be a floating point number.")
    check_numbers(dtype, beta, alpha)
    input.expand(vec1.shape[0], vec2.shape[0])
    return _addr(input, vec1, vec2, beta, alpha)


def _addr_(self, vec1, vec2, *, beta=1, alpha=1):
    if self.dim() != 2:
        raise RuntimeError(f"2D tensor expected, got {self.dim()}D tensor for input")
    return inplace_result(self, addr(self, vec1, vec2, beta=beta, alpha=alpha))


def _addbmm_(self, batch1, batch2, *, beta=1, alpha=1):
    found = addbmm(self, batch1, batch2, beta=beta, alpha=alpha)
    if self.shape != found.shape:
        self._take(empty_near(self, found.shape))         # as PyTorch does
    return inplace_result(self, found)


op(addmv, inplace=writing(addmv, lambda mat, vec, **factors: [mat.shape[0]]), out="expected")
op(baddbmm, inplace=writing(baddbmm, lambda batch1, batch2, **factors: [*batch1.shape[:2], batch2.shape[2]]),
   out="expected")
op(addbmm, inplace=_addbmm_, out="expected")
op(addr, out=True, inplace=_addr_)


# ------------------------------------------------------------------- vectors and more axes

@op(out=True, aliases=("ger",))
def outer(input, vec2):
    """The matrix of all products input[i] * vec2[j] of two vectors.

    Parameters
    ----------
    input, vec2 : Tensor
        (n,) and (m,).

    Returns
    -------
    Tensor
        (n, m), of the promoted dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.outer(cygrad.tensor([1, 2]), cygrad.tensor([3, 4]))
    tensor([[3, 4],
            [6, 8]])
    """
    need_tensor(input, "outer", "input", 1)
    need_tensor(vec2, "outer", "vec2", 2)
    for argument, value in (("self", input), ("vec2", vec2)):
        if value.dim() != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {argument}, but got {value.dim()}-D")
    return input.reshape(input.shape[0], 1) * vec2


@op
def inner(input, other, *, out=None):
    """Sums of products over the last axes of both tensors; a plain product where one has no axes.

    Parameters
    ----------
    input, other : Tensor
        Their last axes are of one size.

    Returns
    -------
    Tensor
        Of shape ``input.shape[:-1] + other.shape[:-1]``.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.inner(cygrad.tensor([1, 2]), cygrad.tensor([3, 4]))
    tensor(11)
    """
    need_tensor(input, "inner", "input", 1)
    need_tensor(other, "inner", "other", 2)
    if input.dim() == 0 or other.dim() == 0:
        return cygrad.mul(input, other, out=out)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got shapes "
                           f"{list(input.shape)} and {list(other.shape)}")
    return tensordot(input, other, ([-1], [-1]), out=out)


def dot_dims(a, b, dims):
    """The axes that `tensordot` contracts, as two lists."""
    if isinstance(dims, Tensor):
        dims = dims.item() if dims.numel() == 1 else dims.tolist()
    if isinstance(dims, (tuple, list)) and len(dims) == 2:
        first, second = ([d] if isinstance(d, int) else list(d) for d in dims)
    elif isinstance(dims, int) and not isinstance(dims, bool):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first, second = list(range(-dims, 0)), list(range(dims))
    else:
        raise RuntimeError("tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] "
                           f"containing two lists, but got dims={dims}")
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    return first, second


@op(method=False, out="expected")
def tensordot(a, b, dims=2):
    """Sum of products of two tensors over several axes at once.

    Parameters
    ----------
    a, b : Tensor
        Of one dtype.
    dims : int, or two lists of int
        Either the number of last axes of `a` and first axes of `b`, or the axes of `a` and those of `b`.

    Returns
    -------
    Tensor
        The other axes of `a`, then those of `b`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensordot(cygrad.ones(2, 3, 4), cygrad.ones(4, 3), dims=([1, 2], [1, 0]))
    tensor([12., 12.])
    """
    need_tensor(a, "tensordot", "a", 1)
    need_tensor(b, "tensordot", "b", 2)
    first, second = dot_dims(a, b, dims)
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    wrapped = [wrap(d, a.dim()) for d in first], [wrap(d, b.dim()) for d in second]
    for d, e, i, j in zip(first, second, *wrapped):
        m, n = a.shape[i], b.shape[j]
        if n == 1 and m != 1:
            a = a.sum(i, keepdim=True, dtype=a.dtype)
        elif m == 1 and n != 1:
            b = b.sum(j, keepdim=True, dtype=b.dtype)
        elif m != n:
            raise RuntimeError(f"contracted dimensions need to match, but first has size {m} in dim {d} and second has "
                               f"size {n} in dim {e}")
    first, second = wrapped
    rows = [i for i in range(a.dim()) if i not in first]
    columns = [j for j in range(b.dim()) if j not in second]
    shape = [a.shape[i] for i in rows] + [b.shape[j] for j in columns]
    inside = 1
    for i in first:
        inside *= a.shape[i]
    left, right = a.permute(rows + first), b.permute(second + columns)
    return left.reshape(count(a, rows), inside).mm(right.reshape(inside, count(b, columns))).reshape(shape)


def count(t, dims):
    """Number of elements along these axes."""
    n = 1
    for d in dims:
        n *= t.shape[d]
    return n


@op(out=True)
def kron(input, other):
    """Kronecker product: each element of `input` times the whole of `other`, in blocks.

    Parameters
    ----------
    input, other : Tensor
        Any shapes; the shorter one gets axes of size 1 in front.

    Returns
    -------
    Tensor
        The sizes are multiplied, axis by axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.kron(cygrad.eye(2), cygrad.tensor([[1., 2.]]))
    tensor([[1., 2., 0., 0.],
            [0., 0., 1., 2.]])
    """
    need_tensor(input, "kron", "input", 1)
    need_tensor(other, "kron", "other", 2)
    rank = max(input.dim(), other.dim())
    m, n = ([1] * (rank - t.dim()) + list(t.shape) for t in (input, other))
    found = (input.reshape([size for i in m for size in (i, 1)])
             * other.reshape([size for j in n for size in (1, j)]))
    return unsafe_view(found if found.is_contiguous() else found.contiguous(), [i * j for i, j in zip(m, n)])


@op(method=False, out=True)
def chain_matmul(*matrices):
    """Product of matrices in the order of brackets that costs least; see `cygrad.linalg.multi_dot`.

    Parameters
    ----------
    *matrices : Tensor, or one sequence of them
        (n, m), (m, p), and so on.

    Returns
    -------
    Tensor
        (n, last).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.chain_matmul(cygrad.ones(2, 3), cygrad.ones(3, 4), cygrad.ones(4, 1))
    tensor([[12.],
            [12.]])
    """
    for t in matrices:
        if t.dim() != 2:
            raise RuntimeError(f"Tensor dimension is {t.dim()}, expected 2 instead.")
    from cygrad.linalg import multi_dot      # knot: it needs this module
    return multi_dot(matrices)


@primitive(name="linalg_cross")
def _cross(self, other, dim):
    size = broadcast_shapes(self.shape, other.shape)
    a, b = self.expand(size), other.expand(size)
    out = empty_near(self, size)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        found = a.select(dim, j) * b.select(dim, k) - a.select(dim, k) * b.select(dim, j)
        copy_(out.select(dim, i), found)
    return out


def vector_product(input, other, dim=-1):
    """Cross product of the vectors of three elements along an axis; the other axes broadcast.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype and the same number of axes.
    dim : int
        The axis of size 3.
    """
    need_tensor(input, "linalg_cross", "input", 1)
    need_tensor(other, "linalg_cross", "other", 2)
    if input.dim() != other.dim():
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    at = wrap(dim, input.dim())
    if input.size(at) != 3 or other.size(at) != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.size(at)} and "
                           f"{other.size(at)}")
    broadcast_shapes(input.shape, other.shape)
    if input.dtype is not other.dtype:
        raise RuntimeError(f"expected scalar type {name_of(input)} but found {name_of(other)}")
    if input.dtype is BOOL:
        raise refused("cross", BOOL)
    return _cross(input, other, at)


@op(out="expected")
def cross(input, other, dim=None):
    """Cross product of the vectors of three elements along an axis.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype and the same number of axes, which broadcast.
    dim : int, optional
        The axis of size 3; the first such axis of `input` by default.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Raises
    ------
    RuntimeError
        If the axis is not of size 3.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.cross(cygrad.tensor([1., 0., 0.]), cygrad.tensor([0., 1., 0.]), dim=0)
    tensor([0., 0., 1.])
    """
    need_tensor(input, "cross", "input", 1)
    if dim is None:
        dim = next((i for i, n in enumerate(input.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return vector_product(input, other, dim)
