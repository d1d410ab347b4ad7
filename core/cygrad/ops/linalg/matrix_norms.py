"""Norms of matrices and vectors, and the condition number made of them."""
import math

from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dtype import can_cast
from cygrad.ops.declare.op_forms import with_out
from cygrad.ops.declare.operand_types import HALVES
from cygrad.ops.linalg import decompositions, solvers
from cygrad.ops.linalg.lapack import exact_out, need_float, need_matrix, need_square, new, real_of
from cygrad.ops.reduce.norms import check_norm_dtype, vector_norm
from cygrad.ops.shape.views import wrap

INF = math.inf


def matrix_axes_last(rank, dims):
    """The order of axes with `dims` last."""
    return [i for i in range(rank) if i not in dims] + dims


def extreme(sizes, dim, keepdim, ord):
    """The largest (0 among none, which PyTorch does not record) or, for a negative order, the smallest."""
    if ord < 0:
        return sizes.amin(dim, keepdim)
    return sizes.amax(dim, keepdim) if sizes.shape[dim] else sizes.detach().sum(dim, keepdim).zero_()


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
    >>> cygrad.linalg.matrix_norm(cygrad.tensor([[1., 2.], [2., 4.]]))
    tensor(5.)
    """
    name = "linalg.matrix_norm"
    if isinstance(dim, int):
        raise TypeError("linalg_matrix_norm(): argument 'dim' must be tuple of ints, not int")
    need_matrix(A, name)
    need_float(A, name, low=ord not in ("nuc", 2, -2))
    dims = [dim[i] for i in range(len(dim))]
    if len(dims) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    dims = [wrap(d, A.dim()) for d in dims]
    if dims[0] == dims[1]:
        raise RuntimeError(f"{name}: dims must be different. Got ({dim[0]}, {dim[1]})")
    if isinstance(ord, complex):
        raise RuntimeError(f"{name}: Expected a non-complex scalar as the order of norm.")
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
        if A.dtype in HALVES:
            raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {SCALAR_NAMES[A.dtype.code]}")
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


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
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
    >>> cygrad.linalg.norm(cygrad.tensor([[1., 2.], [2., 4.]]), 1)
    tensor(6.)
    """
    if dim is not None:
        dim = (dim,) if isinstance(dim, int) else tuple(dim)
    if ord is not None or isinstance(ord, str):
        if dim is not None and len(dim) not in (1, 2):
            raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
        if dim is None and A.dim() not in (1, 2):
            raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
                               f"{A.dim()}D.")
        if isinstance(ord, str) or len(dim or A.shape) == 2:
            return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
        return vector_norm(A, ord, dim, keepdim, dtype=dtype)
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    return vector_norm(A, 2, dim, keepdim, dtype=dtype)


norm = with_out("linalg_norm", norm)


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
    >>> cygrad.linalg.cond(cygrad.tensor([[1., 0.], [0., 4.]]))
    tensor(4.)
    """
    if A.dim() < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is None or p in (2, -2):
        if A.numel() == 0:
            return new(A, A.shape[:-2], real_of(A)).zero_()
        s = decompositions.svdvals(A)
        top, low = s.narrow(-1, 0, 1), s.narrow(-1, -1, 1)
        return (low / top if p == -2 else top / low).squeeze(-1)
    if p not in ("fro", "nuc") and (isinstance(p, str) or abs(p) not in (1, INF)):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    need_square(A, f"linalg.cond(ord={p:g})" if not isinstance(p, str) else f"linalg.cond(ord={p})")
    if A.numel() == 0:
        return new(A, A.shape[:-2], real_of(A)).zero_()
    if p == "nuc":
        s = decompositions.svdvals(A)
        return s.sum(-1) * s.reciprocal().sum(-1)
    inverse, info = solvers.inv_ex(A)
    inverse = inverse.masked_fill((info != 0).unsqueeze(-1).unsqueeze(-1), INF)
    return (matrix_norm(A, p) * matrix_norm(inverse, p)).nan_to_num_(INF, INF, -INF)


cond = with_out("linalg_cond", cond)
