"""Functions of matrices made of products and decompositions: powers, exponential, pseudo-inverse, rank, norms."""
import functools
import math

import cygrad
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.dtype import can_cast
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.registry import op, with_out
from cygrad.ops.linalg import decompositions, solvers
from cygrad.ops.linalg.composed_products import need_int
from cygrad.ops.linalg.lapack import HALVES, adjoint, exact_out, eye_like, need_float, need_matrix, need_square, new
from cygrad.ops.reduce.norms import check_norm_dtype, vector_norm
from cygrad.ops.shape.views import wrap
from cygrad.tensor import Tensor

INF = math.inf


# -------------------------------------------------------------------- products

def vecdot(x, y, *, dim=-1):
    """Inner products of vectors along an axis: the sums of conj(x) * y.

    Parameters
    ----------
    x, y : Tensor
        Of one floating-point or complex dtype; they broadcast.
    dim : int

    Returns
    -------
    Tensor
        Of the broadcast shape without the axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.vecdot(cygrad.tensor([[1., 2.], [3., 4.]]), cygrad.tensor([1., 1.]))
    tensor([3., 7.])
    """
    need_float(x, "linalg.vecdot", low=True)
    if x.dtype is not y.dtype:
        raise RuntimeError("linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
                           f"{SCALAR_NAMES[x.dtype.code]} and y of type {SCALAR_NAMES[y.dtype.code]} instead")
    if x.dim() == 1 and y.dim() == 1:
        return x.vdot(y)
    return ((x.conj() if x.is_complex() else x) * y).sum(dim)


vecdot = exact_out("linalg_vecdot", vecdot)


def multi_dot(tensors):
    """The product of several matrices, multiplied in the order that costs least.

    Parameters
    ----------
    tensors : sequence of Tensor
        Two or more matrices of one dtype; the first and the last may be vectors (a row and a column).

    Returns
    -------
    Tensor
        (n, last); without the axis of a first or last vector.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.multi_dot([cygrad.ones(2, 3), cygrad.ones(3, 4), cygrad.ones(4)])
    tensor([12., 12.])
    """
    name = "multi_dot()"
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"{name}: expected at least 2 tensors but got {len(tensors)}")
    for place, t in (("first", tensors[0]), ("last", tensors[-1])):
        if not 1 <= t.dim() <= 2:
            raise RuntimeError(f"{name}: the {place} tensor must be 1D or 2D but got {t.dim()}D")
    for i, t in enumerate(tensors[1:-1], 1):
        if t.dim() != 2:
            raise RuntimeError(f"{name}: tensor {i} must be 2D but got {t.dim()}D")
    for i, t in enumerate(tensors):
        if t.dtype is not tensors[0].dtype:
            raise RuntimeError(f"{name}: all tensors must have be the same dtype but tensor 0 is "
                               f"{C_TYPES[tensors[0].dtype.code]} and tensor {i} {C_TYPES[t.dtype.code]}")
    shape = [] if tensors[0].dim() == 1 else [tensors[0].shape[0]]
    shape += [] if tensors[-1].dim() == 1 else [tensors[-1].shape[1]]
    chain = [tensors[0].unsqueeze(0) if tensors[0].dim() == 1 else tensors[0], *tensors[1:-1],
             tensors[-1].unsqueeze(-1) if tensors[-1].dim() == 1 else tensors[-1]]
    for i in range(len(chain) - 1):
        if chain[i].shape[1] != chain[i + 1].shape[0]:
            raise RuntimeError(f"{name}: tensors {i} and {i + 1} with shapes {list(tensors[i].shape)} and "
                               f"{list(tensors[i + 1].shape)} cannot be multiplied")
    return chained(chain, cheapest_splits([t.shape[0] for t in chain] + [chain[-1].shape[1]]), 0,
                   len(chain) - 1).view(shape)


multi_dot = exact_out("linalg_multi_dot", multi_dot)


def cheapest_splits(sizes):
    """{(i, j): where to split the product of matrices i..j}; matrix i is (sizes[i], sizes[i + 1]).

    The dynamic programme of Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", 14.2.
    """
    count = len(sizes) - 1
    cost, split = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i, j], split[i, j] = min(options)
    return split


def chained(chain, split, i, j):
    if i == j:
        return chain[i]
    k = split[i, j]
    return chained(chain, split, i, k).mm(chained(chain, split, k + 1, j))


def matrix_power(input, n):
    """Integer powers of square matrices; negative ones of their inverses.

    Parameters
    ----------
    input : Tensor
        (..., m, m).
    n : int

    Returns
    -------
    Tensor
        (..., n, n).

    Raises
    ------
    LinAlgError
        For a negative power of a singular matrix.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.matrix_power(cygrad.tensor([[1., 1.], [0., 1.]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    need_square(input, "linalg.matrix_power")
    need_int(n, "matrix_power", "n", 2)
    if n == 0:
        return input.clone().copy_(eye_like(input, input.shape[-1]))
    if n == 1:
        return input.clone()
    if n == -1:
        return solvers.inv(input)
    if n < 0:
        input, n = solvers.inv(input), -n
    if n == 3:
        return (input @ input) @ input
    found, square = None, input
    while True:
        n, odd = divmod(n, 2)
        if odd:
            found = square if found is None else found @ square
        if not n:
            return found
        square = square @ square


copied_power, multiplied_power = with_out("matrix_power", matrix_power), exact_out("matrix_power", matrix_power)


def linalg_matrix_power(A, n, *, out=None):
    """Integer powers of square matrices; see `cygrad.matrix_power`.

    Parameters
    ----------
    A : Tensor
        (..., n, n), floating-point or complex.
    n : int
        The exponent.

    Returns
    -------
    Tensor
        (..., n, n).

    Raises
    ------
    LinAlgError
        For a negative power of a singular matrix.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.matrix_power(cygrad.tensor([[1., 1.], [0., 1.]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    return (copied_power if n in (0, 1) else multiplied_power)(A, n, out=out)


@op(name="matrix_power")
@functools.wraps(matrix_power)
def _matrix_power(input, n, *, out=None):
    return linalg_matrix_power(input, n, out=out)


# ----------------------------------------------------------------- exponential

# Numerator of the diagonal Pade approximant of degree 13 to exp, and the norm up to which it is accurate to double
# precision: Higham, "The scaling and squaring method for the matrix exponential revisited", 2005, tables 2.3 and 10.4.
PADE = (64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800., 129060195264000., 10559470521600.,
        670442572800., 33522128640., 1323241920., 40840800., 960960., 16380., 182., 1.)
PADE_NORM = 5.371920351148152


def exponential(a):
    """exp of square matrices by scaling and squaring; each matrix is halved as often as its own norm asks."""
    if a.numel() == 0:
        return a.clone()
    norm = a.abs().sum(-2).amax(-1)
    halvings = (norm / PADE_NORM).log2().ceil().clamp(0, 1000).nan_to_num(0, 0, 0)
    scale = (2.0 ** -halvings).unsqueeze(-1).unsqueeze(-1)
    x, one, b = a * scale.to(a.dtype), eye_like(a, a.shape[-1]), PADE
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    odd = x @ (x6 @ (b[13] * x6 + b[11] * x4 + b[9] * x2) + b[7] * x6 + b[5] * x4 + b[3] * x2 + b[1] * one)
    even = x6 @ (b[12] * x6 + b[10] * x4 + b[8] * x2) + b[6] * x6 + b[4] * x4 + b[2] * x2 + b[0] * one
    found = solvers.solve_ex(even - odd, even + odd).result
    for i in range(int(halvings.max().item())):
        found = cygrad.where((halvings > i).unsqueeze(-1).unsqueeze(-1), found @ found, found)
    return found.contiguous()


@primitive(name="linalg_matrix_exp")
def _matrix_exp(self):
    if self.dtype in HALVES:
        return exponential(self.float()).to(self.dtype)
    return exponential(self)


@op
def matrix_exp(input):
    """The exponential of square matrices, the sum of all A**k / k!.

    Parameters
    ----------
    input : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    Tensor
        (..., n, n).

    Notes
    -----
    Scaling and squaring with a Pade approximant (Higham 2005).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.matrix_exp(cygrad.tensor([[0., 1.], [0., 0.]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    need_square(input, "linalg.matrix_exp")
    need_float(input, "linalg.matrix_exp", low=True)
    return _matrix_exp(input)


# ------------------------------------------------------- pseudo-inverse and rank

def tolerances(A, name, atol, rtol):
    """atol and rtol as numbers or tensors that broadcast over the batch; defaults as PyTorch chooses them."""
    for label, value in (("atol", atol), ("rtol", rtol)):
        if isinstance(value, Tensor) and value.is_complex():
            raise RuntimeError(f"{name}: {label} tensor of complex type is not supported.")
    if rtol is None:
        given = atol is not None and (isinstance(atol, Tensor) or atol > 0)
        rtol = 0.0 if given and not isinstance(atol, Tensor) else cygrad.finfo(A.dtype).eps * max(A.shape[-2:])
        if given and isinstance(atol, Tensor):
            rtol = cygrad.where(atol > 0, 0.0, rtol)
    return 0.0 if atol is None else atol, rtol


def cutoff(largest, atol, rtol):
    """max(atol, rtol * largest) for each matrix; `largest` is (..., 1)."""
    atol, rtol = (t.unsqueeze(-1).to(largest.dtype) if isinstance(t, Tensor) else t for t in (atol, rtol))
    relative = largest * rtol
    return cygrad.maximum(relative, atol) if isinstance(atol, Tensor) else relative.clamp(min=atol)


@primitive(name="linalg_pinv")
def _pinv(self, atol, rtol, hermitian):
    if self.numel() == 0:
        return new(self, (*self.shape[:-2], self.shape[-1], self.shape[-2]))
    if hermitian:
        s, u = decompositions.eigh(self)
        size, v = s.abs(), u
        largest = size.amax(-1, keepdim=True)
    else:
        u, s, vh = decompositions.svd(self, False)
        size, v, largest = s, adjoint(vh), s.narrow(-1, 0, 1)
    inverse = cygrad.where(size > cutoff(largest, atol, rtol), s.reciprocal(), 0.0).to(self.dtype)
    return (v * inverse.unsqueeze(-2)) @ adjoint(u)


def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None):
    """The Moore-Penrose pseudo-inverse of matrices.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    rcond : float or Tensor, optional
        NumPy's name for rtol.
    hermitian : bool
        Take A for symmetric (Hermitian), read one triangle, use its eigenvalues.
    atol, rtol : float or Tensor, optional
        Singular values not above max(atol, rtol * the largest) count as zero. By default rtol is machine epsilon
        times
        max(m, n), or 0 where atol is given.

    Returns
    -------
    Tensor
        (..., n, m).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.pinv(cygrad.tensor([[2., 0.], [0., 0.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    if A.dim() < 2 or A.dtype in HALVES or not (A.is_floating_point() or A.is_complex()):
        raise RuntimeError(f"linalg.pinv({SCALAR_NAMES[A.dtype.code]}{{{list(A.shape)}}}): expected a tensor with 2 or "
                           "more dimensions of float, double, cfloat or cdouble types")
    if hermitian:
        need_square(A, "linalg.eigh")
    atol, rtol = tolerances(A, "torch.linalg.pinv", atol, rcond if rtol is None else rtol)
    return _pinv(A, atol, rtol, hermitian)


pinv = with_out("linalg_pinv", pinv)


@op
def pinverse(input, rcond=1e-15):
    """The pseudo-inverse of matrices; see `cygrad.linalg.pinv`.

    Parameters
    ----------
    input : Tensor
        (..., m, n), floating-point or complex.
    rcond : float
        Singular values below this times the largest count as zero.

    Returns
    -------
    Tensor
        (..., n, m).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.pinverse(cygrad.tensor([[2., 0.], [0., 0.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    return pinv(input, rcond)


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None):
    """The number of singular values above max(atol, rtol * the largest); int64.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    tol : float or Tensor, optional
        NumPy's name for atol, with rtol 0.
    hermitian : bool
        Take A for symmetric (Hermitian).
    atol, rtol : float or Tensor, optional
        As for `pinv`.

    Returns
    -------
    Tensor
        (...), int64.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.matrix_rank(cygrad.tensor([[1., 2.], [2., 4.]]))
    tensor(1)
    """
    need_matrix(A, "torch.linalg.matrix_rank", "input")
    if A.dtype in HALVES or not (A.is_floating_point() or A.is_complex()):
        raise RuntimeError("This function doesn't handle types other than float and double")
    if tol is not None:
        atol, rtol = tol, 0.0
    atol, rtol = tolerances(A, "torch.linalg.matrix_rank", atol, rtol)
    if A.numel() == 0:
        return cygrad.zeros(A.shape[:-2], dtype=cygrad.int64, device=A.device)
    a = A.detach()
    s = decompositions.eigvalsh(a).abs() if hermitian else decompositions.svdvals(a)
    return (s > cutoff(s.amax(-1, keepdim=True), atol, rtol)).sum(-1)


matrix_rank = exact_out("linalg_matrix_rank", matrix_rank)


# ----------------------------------------------------------------------- norms

def matrix_axes_last(rank, dims):
    """The order of axes with `dims` last."""
    return [i for i in range(rank) if i not in dims] + dims


def extreme(sizes, dim, keepdim, ord):
    """The largest (0 among none) or, for a negative order, the smallest."""
    if ord < 0:
        return sizes.amin(dim, keepdim)
    return sizes.amax(dim, keepdim) if sizes.shape[dim] else sizes.sum(dim, keepdim)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """A norm of matrices.

    Parameters
    ----------
    A : Tensor
        Floating-point or complex.
    ord : {"fro", "nuc", inf, -inf, 1, -1, 2, -2}
        Root of the sum of squares; sum of singular values; largest or smallest row sum; column sum; singular value.
    dim : tuple of two ints
        The axes of the matrices.
    keepdim : bool
        Keep them, with size 1.
    dtype : dtype, optional
        To which A is converted first.

    Returns
    -------
    Tensor
        Without the two axes; real.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.matrix_norm(cygrad.tensor([[1., 2.], [2., 4.]]))
    tensor(5.)
    """
    name = "linalg.matrix_norm"
    if isinstance(dim, int):
        raise TypeError("linalg_matrix_norm(): argument 'dim' must be tuple of ints, not int")
    need_matrix(A, name)
    need_float(A, name, low=True)
    dims = [dim[i] for i in range(len(dim))]
    if len(dims) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    dims = [wrap(d, A.dim()) for d in dims]
    if dims[0] == dims[1]:
        raise RuntimeError(f"{name}: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord not in ("fro", "nuc") and (isinstance(ord, str) or abs(ord) not in (1, 2, INF)):
        raise RuntimeError(f"{name}: Order {ord} not supported.")
    if dtype is not None:
        check_norm_dtype(name, A, dtype)
        if not can_cast(A.dtype, dtype) or dtype.itemsize < A.dtype.itemsize:
            raise RuntimeError(f"{name}: the dtype of the input ({SCALAR_NAMES[A.dtype.code]}) should be convertible "
                               f"without narrowing to the specified dtype ({SCALAR_NAMES[dtype.code]})")
    if ord == "fro":
        return vector_norm(A, 2, tuple(dims), keepdim, dtype=dtype)
    if dtype is not None:
        A = A.to(dtype)
    if ord == "nuc" or abs(ord) == 2:
        order = matrix_axes_last(A.dim(), dims)
        found = decompositions.svdvals(A.permute(order))
        found = found.sum(-1) if ord == "nuc" else extreme(found, -1, False, ord)
        if keepdim:
            found = found.unsqueeze(-1).unsqueeze(-1).permute(sorted(range(A.dim()), key=order.__getitem__))
        return found
    first, second = dims if abs(ord) == 1 else dims[::-1]
    sums = vector_norm(A, 1, first, keepdim)
    if not keepdim and first < second:
        second -= 1
    return extreme(sums, second, keepdim, ord)


matrix_norm = exact_out("linalg_matrix_norm", matrix_norm)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None, out=None):
    """A vector or matrix norm.

    Parameters
    ----------
    A : Tensor
        Floating-point or complex.
    ord : number, "fro" or "nuc", optional
        Of `vector_norm` or `matrix_norm`; the root of the sum of all squares by default.
    dim : int or tuple, optional
        One axis: of vectors; two: of matrices. By default a tensor of one axis is a vector, of two a matrix.
    keepdim : bool
        Keep the reduced axes, with size 1.
    dtype : dtype, optional
        To which A is converted first.

    Returns
    -------
    Tensor
        Real.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.norm(cygrad.tensor([[1., 2.], [2., 4.]]), 1)
    tensor(6.)
    """
    extra = {} if out is None else {"out": out}
    if dim is not None:
        dim = (dim,) if isinstance(dim, int) else tuple(dim)
    if ord is not None or isinstance(ord, str):
        if dim is not None and len(dim) not in (1, 2):
            raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
        if dim is None and A.dim() not in (1, 2) and not isinstance(ord, str):
            raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
                               f"{A.dim()}D.")
        if isinstance(ord, str) or len(dim or A.shape) == 2:
            return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype, **extra)
        return public_vector_norm(A, ord, dim, keepdim, dtype=dtype, **extra)
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    return public_vector_norm(A, 2, dim, keepdim, dtype=dtype, **extra)


public_vector_norm = exact_out("linalg_vector_norm", vector_norm)


def cond(A, p=None):
    """Condition numbers of matrices: the norm times the norm of the inverse.

    Parameters
    ----------
    A : Tensor
        (..., m, n); square unless p is None, 2 or -2.
    p : number or str, optional
        Any `ord` of `matrix_norm`; None and 2 give the largest singular value over the smallest.

    Returns
    -------
    Tensor
        (...), real.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.cond(cygrad.tensor([[1., 0.], [0., 4.]]))
    tensor(4.)
    """
    if A.dim() < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is None or p in (2, -2):
        if A.numel() == 0:
            return cygrad.zeros(A.shape[:-2], dtype=new(A, ()).abs().dtype, device=A.device)
        s = decompositions.svdvals(A)
        top, low = s.narrow(-1, 0, 1), s.narrow(-1, -1, 1)
        return (low / top if p == -2 else top / low).squeeze(-1)
    if p not in ("fro", "nuc") and (isinstance(p, str) or abs(p) not in (1, INF)):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    need_square(A, f"linalg.cond(ord={p:g})" if not isinstance(p, str) else f"linalg.cond(ord={p})")
    if A.numel() == 0:
        return cygrad.zeros(A.shape[:-2], dtype=new(A, ()).abs().dtype, device=A.device)
    if p == "nuc":
        s = decompositions.svdvals(A)
        return s.sum(-1) * s.reciprocal().sum(-1)
    inverse, info = solvers.inv_ex(A)
    inverse = inverse.masked_fill((info != 0).unsqueeze(-1).unsqueeze(-1), INF)
    return (matrix_norm(A, p) * matrix_norm(inverse, p)).nan_to_num(INF, INF, -INF)


cond = exact_out("linalg_cond", cond)


# -------------------------------------------------------------- tensors as matrices

def tensorinv(A, ind=2):
    """The inverse of a tensor for `tensordot`: its first `ind` axes are the rows of a matrix, the others columns.

    Parameters
    ----------
    A : Tensor
        Its first `ind` sizes amount to the same number as the others.
    ind : int
        How many axes are the rows' index.

    Returns
    -------
    Tensor
        A's axes from `ind` on, then those before.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.tensorinv(2 * cygrad.eye(4).reshape(2, 2, 4)).shape
    cygrad.Size([4, 2, 2])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    rows, columns = list(A.shape[:ind]), list(A.shape[ind:])
    if math.prod(rows) != math.prod(columns):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == "
                           f"prod(self.shape[:ind]), but got {math.prod(columns)} != {math.prod(rows)}")
    return solvers.inv(A.reshape(math.prod(rows), math.prod(columns))).reshape(columns + rows)


tensorinv = exact_out("linalg_tensorinv", tensorinv)


def tensorsolve(A, B, dims=None):
    """The solution X of tensordot(A, X, X.dim()) = B.

    Parameters
    ----------
    A : Tensor
        Of shape B.shape + X.shape, once the axes `dims` are moved to the end.
    B : Tensor
    dims : tuple of int, optional

    Returns
    -------
    Tensor
        Of the shape that A has beyond that of B.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.tensorsolve(2 * cygrad.eye(4).reshape(2, 2, 4), cygrad.ones(2, 2))
    tensor([0.5000, 0.5000, 0.5000, 0.5000])
    """
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A.dim() - len(dims), A.dim())))
    shape = A.shape[B.dim():]
    count = math.prod(shape)
    if count != B.numel():
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                           f"prod(self.shape[:other.ndim]), but got {count} != {B.numel()}")
    return solvers.solve(A.reshape(count, count), B.flatten()).reshape(shape)


tensorsolve = exact_out("linalg_tensorsolve", tensorsolve)
