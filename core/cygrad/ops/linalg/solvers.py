"""Systems of linear equations: inverse, solve, triangular and least-squares systems, and determinants.

Each op with a node of its own is a `@primitive` that returns raw results of LAPACK's routines
(`ops/linalg/lapack.py`); the functions `inv`, `solve`, ... check their arguments first. `cygrad.linalg` has those that
have no method.
"""
import math

import cygrad
from cygrad.dispatch.operands import select
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import copy_, fill_
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.registry import op
from cygrad.ops.linalg.batches import columns, run, with_batch
from cygrad.ops.linalg.lapack import (HALVES, INT32, INT64, LinAlgError, check_info, common_batch, exact_out,
                                      need_float, need_kernel, need_matrix, need_square, new, real_of, singular)
from cygrad.return_types import (linalg_inv_ex, linalg_slogdet, linalg_solve_ex, slogdet as slogdet_result,
                                 triangular_solve as triangular_solve_result)

# --------------------------------------------------------------------- inverse

@primitive(name="linalg_inv_ex")
def _inv_ex(self):
    out, info = columns(self, self.shape), new(self, self.shape[:-2], INT32)
    if out.numel():
        run("inverse", (self,), (out, info), (2, 0))
    else:
        fill_(info, 0)
    return out, info


def inv_ex(A, *, check_errors=False):
    """Inverses, and LAPACK's codes (0: fine) instead of errors.

    Parameters
    ----------
    A : Tensor
        (..., n, n).
    check_errors : bool
        Raise `LinAlgError` for a singular matrix after all.

    Returns
    -------
    return_types.linalg_inv_ex
        ``inverse`` (..., n, n) and int32 ``info`` (...).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.inv_ex(cygrad.tensor([[2., 0.], [0., 4.]])).inverse
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    need_square(A, "linalg.inv")
    need_float(A, "linalg.inv")
    out, info = _inv_ex(A)
    if check_errors:
        check_info(info, singular("linalg.inv_ex"))
    return linalg_inv_ex((out, info))


def inverse(input):
    """The inverses of square matrices.

    Parameters
    ----------
    input : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    Tensor
        (..., n, n).

    Raises
    ------
    LinAlgError
        If a matrix is singular.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.inverse(cygrad.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    need_square(input, "linalg.inv")
    need_float(input, "linalg.inv")
    out, info = _inv_ex(input)
    check_info(info, singular("linalg.inv"))
    return out


inverse = op(exact_out("inverse", inverse))


def inv(A, *, out=None):
    """The inverses of square matrices; see `cygrad.inverse`.

    Parameters
    ----------
    A : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    Tensor
        (..., n, n).

    Raises
    ------
    LinAlgError
        For a singular matrix.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.inv(cygrad.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inverse(A, out=out)


# ----------------------------------------------------------------------- solve

def is_vector(A, B):
    """Whether B is a batch of vectors, one for each matrix of A."""
    return B.dim() == 1 or (A.dim() - 1 == B.dim() and B.shape == A.shape[:-1])


def as_columns(b):
    """All matrices of a batch side by side, as one: (..., n, k) to (n, ... * k)."""
    return b.mT.reshape(-1, b.shape[-2]).t() if b.numel() else b.new_empty(b.shape[-2], 0)


def result_of(b, left):
    """An uninitialised solution of b's shape, and the view of it that the routine fills (transposed for x @ a = b)."""
    if left:
        x = columns(b, b.shape)
        return x, x
    x = new(b, b.shape)
    return x, x.mT


def filled_like(a, shape):
    info = new(a, shape, INT32)
    fill_(info, 0)
    return info


@primitive(name="linalg_solve_ex")
def _solve_ex(self, other, left, vector):
    a, b = self, other.unsqueeze(-1) if vector else other
    codes = a.shape[:-2]
    if not left:
        a = a.mT
    if a.dim() == 2 and b.dim() > 2 and left:             # one factorisation for the whole batch
        x, info = columns(b, b.shape), new(a, (), INT32)
        if x.numel():
            run("solve", (a, as_columns(b)), (as_columns(x), info), (2, 0))
        else:
            info = factored(a)[2]
    else:
        b, a = with_batch(b if left else b.mT, a)
        x, filled = result_of(b if left else b.mT, left)
        info = filled_like(a, a.shape[:-2])
        if x.numel():
            run("solve", (a, b), (filled, info), (2, 0))
        else:
            info = factored(a)[2]
        if info.shape != codes:                           # a's own axes: the codes of what was repeated are equal
            info = info[tuple(slice(None) if n != 1 else slice(0, 1) for n in (1,) * (info.dim() - len(codes)) + codes)]
            info = info.reshape(codes).clone()
    if vector:
        found = columns(x, x.shape[:-1]) if x.dim() > 2 else new(x, x.shape[:-1])
        copy_(found, x.squeeze(-1))
        x = found
    return x, info


def solve_ex(A, B, *, left=True, check_errors=False):
    """Solutions of linear systems, and LAPACK's codes (0: fine) instead of errors; see `solve`.

    Parameters
    ----------
    A, B, left
        As for `solve`.
    check_errors : bool
        Raise for a singular matrix.

    Returns
    -------
    return_types.linalg_solve_ex
        ``result`` and int32 ``info``.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.solve_ex(cygrad.tensor([[2., 0.], [0., 4.]]), cygrad.tensor([2., 4.])).result
    tensor([1., 1.])
    """
    name = "linalg.solve"
    need_float(A, name)
    if A.dtype is not B.dtype:
        raise RuntimeError(f"{name}: Expected A and B to have the same dtype, but found A of type "
                           f"{SCALAR_NAMES[A.dtype.code]} and B of type {SCALAR_NAMES[B.dtype.code]} instead")
    need_square(A, name)
    vector = is_vector(A, B)
    b = B.unsqueeze(-1) if vector else B
    need_matrix(b, name, "B")
    if A.shape[-2] != b.shape[-2 if left else -1]:
        raise RuntimeError(f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
                           f"({A.shape[-2]}x{A.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})")
    if vector and not left:
        raise RuntimeError(f"{name}: Vector broadcasting of the left hand side is not supported for left=False. In "
                           "this case linalg.solve is equivalent to B / A.squeeze(-1)")
    x, info = _solve_ex(A, B, left, vector)
    if check_errors:
        check_info(info, unsolvable)
    return linalg_solve_ex((x, info))


def unsolvable(where, code):
    raise LinAlgError(f"torch.linalg.solve: {where}The solver failed because the input matrix is singular.")


def solve(A, B, *, left=True):
    """The solution x of A @ x = B (or of x @ A = B).

    Parameters
    ----------
    A : Tensor
        (..., n, n).
    B : Tensor
        (..., n, k), or (..., n) for vectors; (..., k, n) where `left` is False. Batches broadcast.
    left : bool
        On which side of the unknown A stands.

    Returns
    -------
    Tensor
        Of B's shape, with the batch of both.

    Raises
    ------
    LinAlgError
        If a matrix is singular.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.solve(cygrad.tensor([[2., 1.], [1., 3.]]), cygrad.tensor([5., 10.]))
    tensor([1., 3.])
    """
    return solve_ex(A, B, left=left, check_errors=True).result


solve = exact_out("linalg_solve", solve)


# ------------------------------------------------------------ triangular systems

def triangular(a, b, upper, unit=False):
    """Raw solution x of a @ x = b, `a` triangular; batches broadcast; column-major."""
    b, a = with_batch(b, a)
    x = columns(b, b.shape)
    if x.numel():
        run("triangular_solve", (a, b), (x,), (2,), upper=bool(upper), unit=bool(unit))
    return x


@primitive(name="linalg_solve_triangular")
def _solve_triangular(self, other, upper, left, unitriangular):
    if left:
        return triangular(self, other, upper, unitriangular)
    b, a = with_batch(other.mT, self)
    x = columns(b, b.mT.shape)
    if x.numel():
        run("triangular_solve", (a.mT, b), (x.mT,), (2,), upper=not upper, unit=bool(unitriangular))
    return x


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """The solution x of A @ x = B (or of x @ A = B) for triangular A.

    Parameters
    ----------
    A : Tensor
        (..., n, n); what is not in its triangle is not read.
    B : Tensor
        (..., n, k), or (..., k, n) where `left` is False. Batches broadcast.
    upper : bool
        Which triangle of A is meant.
    unitriangular : bool
        Take the diagonal of A for ones.
    left : bool
        Where False, X @ A = B is solved.

    Returns
    -------
    Tensor
        Of the shape of B.

    Notes
    -----
    A zero on the diagonal gives infinities, not an error.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.solve_triangular(cygrad.tensor([[2., 0.], [1., 4.]]), cygrad.tensor([[2.], [5.]]), upper=False)
    tensor([[1.],
            [1.]])
    """
    name = "linalg.solve_triangular"
    need_square(A, name)
    need_matrix(B, name, "B")
    if A.shape[-2] != B.shape[-2 if left else -1]:
        raise RuntimeError(f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
                           f"({A.shape[-2]}x{A.shape[-1]} and {B.shape[-2]}x{B.shape[-1]})")
    need_kernel(A, "triangular_solve_cpu")
    return _solve_triangular(A, B.to(A.dtype), upper, left, unitriangular)


solve_triangular = exact_out("linalg_solve_triangular", solve_triangular)


def checked_system(b, a, name, kernel, words):
    """The checks of the older functions, which take the right-hand side first."""
    if b.dim() < 2:
        raise RuntimeError(f"{words}b {'should' if not words else 'to'} have at least 2 dimensions, but "
                           f"{'has' if not words else 'it has'} {b.dim()} dimensions instead")
    if a.dim() < 2:
        raise RuntimeError(f"{'u' if not words else words + 'A'} {'should' if not words else 'to'} have at least 2 "
                           f"dimensions, but {'has' if not words else 'it has'} {a.dim()} dimensions instead")
    if a.dtype is not b.dtype:
        raise RuntimeError("Expected b and A to have the same dtype, but found b of type "
                           f"{SCALAR_NAMES[b.dtype.code]} and A of type {SCALAR_NAMES[a.dtype.code]} instead.")
    need_square(a, "")
    if a.shape[-1] != b.shape[-2]:
        raise RuntimeError(f"Incompatible matrix sizes for {name}: each A matrix is {a.shape[-1]} by {a.shape[-1]} but "
                           f"each b matrix is {b.shape[-2]} by {b.shape[-1]}")
    need_kernel(a, kernel)


@primitive(name="triangular_solve")
def _triangular_solve(self, A, upper, transpose, unitriangular):
    b, a = with_batch(self, A)
    copied = columns(a, a.shape)
    copy_(copied, a)
    if transpose:
        return triangular(a.mT, b, not upper, unitriangular), copied
    return triangular(a, b, upper, unitriangular), copied


@op
def triangular_solve(input, A, upper=True, transpose=False, unitriangular=False):
    """The solution of a triangular system, the right-hand side first, and a copy of A.

    Deprecated in PyTorch in favour of `linalg.solve_triangular`.

    Parameters
    ----------
    input : Tensor
        (..., n, k), the right-hand sides.
    A : Tensor
        (..., n, n), triangular.
    upper : bool
        Which triangle is read.
    transpose : bool
        Solve with the transpose.
    unitriangular : bool
        Take the diagonal for ones.

    Returns
    -------
    return_types.triangular_solve
        ``solution`` and ``cloned_coefficient``.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.triangular_solve(cygrad.tensor([[2.], [4.]]), cygrad.tensor([[2., 0.], [0., 4.]])).solution
    tensor([[1.],
            [1.]])
    """
    checked_system(input, A, "triangular_solve", "triangular_solve_cpu", "torch.triangular_solve: Expected ")
    return triangular_solve_result(_triangular_solve(input, A, upper, transpose, unitriangular))


# ---------------------------------------------------------------- determinants

def factored(a):
    """Raw LU factorisation: (compact LU, column-major; pivots from 1 on, int32; LAPACK's codes)."""
    least = min(a.shape[-2:])
    batch = a.shape[:-2]
    out, pivots = columns(a, a.shape), new(a, (*batch, least), INT32)
    info = new(a, batch, INT32)
    if out.numel():
        run("lu", (a,), (out, pivots, info), (2, 1, 0))
    else:
        fill_(info, 0)
    return out, pivots, info


def signed_diagonal(a):
    """The diagonal of the U of LU factors, negative once for each row swap: the determinant is its product.

    Rounded as in PyTorch, which factors the transpose of a real row-major matrix (the determinant is the same).
    """
    lu, pivots, _ = factored(a.mT if a.is_contiguous() and not a.is_complex() else a)
    diagonal = lu.diagonal(0, -2, -1)
    return select(pivots == cygrad.arange(1, pivots.shape[-1] + 1, device=pivots.device), diagonal, -diagonal)


@primitive(name="linalg_det")
def _det(self):
    return signed_diagonal(self).prod(-1)


def checked_det(A, name):
    need_square(A, name)
    need_float(A, name, low=True)
    need_kernel(A, "lu_cpu")


@op
def det(input):
    """Determinants of square matrices: (..., n, n) gives (...).

    Parameters
    ----------
    input : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    Tensor
        (...).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.det(cygrad.tensor([[2., 1.], [1., 3.]]))
    tensor(5.)
    """
    checked_det(input, "linalg.det")
    return _det(input)


def linalg_det(A):
    """Determinants of square matrices: (..., n, n) gives (...).

    Parameters
    ----------
    A : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    Tensor
        (...).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.det(cygrad.tensor([[1., 2.], [3., 4.]]))
    tensor(-2.)
    """
    return det(A)


linalg_det = exact_out("linalg_det", linalg_det)


@primitive(name="linalg_slogdet")
def _slogdet(self):
    diagonal = signed_diagonal(self)
    return diagonal.sgn().prod(-1), diagonal.abs().log().sum(-1)


@op
def slogdet(input):
    """Signs and logarithms of the moduli of determinants.

    Parameters
    ----------
    input : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    (sign, logabsdet)
        (...), so that det = sign * exp(logabsdet); (0, -inf) for a singular matrix.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.slogdet(cygrad.tensor([[2., 0.], [0., -4.]])).sign
    tensor(-1.)
    """
    checked_det(input, "linalg.slogdet")
    return slogdet_result(_slogdet(input))


def linalg_slogdet_(A):
    """Signs and logarithms of the moduli of determinants; see `cygrad.slogdet`.

    Parameters
    ----------
    A : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    return_types.linalg_slogdet
        ``sign`` and ``logabsdet``, (...).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linalg.slogdet(cygrad.tensor([[2., 0.], [0., -4.]])).sign
    tensor(-1.)
    """
    checked_det(A, "linalg.slogdet")
    return linalg_slogdet(_slogdet(A))


linalg_slogdet_ = exact_out("linalg_slogdet", linalg_slogdet_)


@op
def logdet(input):
    """Logarithms of determinants; NaN where one is negative, -inf where it is zero.

    Parameters
    ----------
    input : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    Tensor
        (...).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.logdet(cygrad.tensor([[2., 0.], [0., 4.]]))
    tensor(2.0794)
    """
    need_square(input, "logdet")
    need_float(input, "logdet", low=True)
    sign, size = _slogdet(input) if input.dtype not in HALVES else slogdet(input)
    if input.is_complex():
        return sign.log() + size
    return cygrad.where(sign == -1, math.nan, size)


# --------------------------------------------------------------- least squares

DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@primitive(name="linalg_lstsq")
def _lstsq(self, other, rcond, driver, vector):
    """(solution, residuals, rank, singular values); what a driver does not compute is empty."""
    b = other.unsqueeze(-1) if vector else other
    m, n = self.shape[-2:]
    batch, k = self.shape[:-2], b.shape[-1]
    room = columns(b, (*batch, max(m, n), k))             # LAPACK's: the solution lies in its first rows
    x = room[..., :n, :]
    rank, info = new(self, batch, INT64), filled_like(self, batch)
    values = new(self, (*batch, min(m, n)), real_of(self)) if driver in ("gelsd", "gelss") else None
    if room.numel() and self.numel():
        run("lstsq", (self, b), (x, info, rank, values), (2, 0, 0, 1), rcond=rcond, driver=driver)
    else:
        fill_(room, 0)
        fill_(rank, 0)
    if driver == "gels":
        check_info(info, deficient)
        rank = new(self, (0,), INT64)
    residuals = new(self, (0,), real_of(self))
    if driver != "gelsy" and m > n and k and (driver == "gels" or (rank == n).all().item()):
        rest = b - self @ x
        residuals = (rest.abs() ** 2 if rest.is_complex() else rest * rest).sum(-2)
    out = new(b, (0,))
    out._take(x.squeeze(-1) if vector else x)
    return out, residuals, rank, new(self, (0,), real_of(self)) if values is None else values


def deficient(where, code):
    raise LinAlgError(f"torch.linalg.lstsq: {where}The least squares solution could not be computed because the input "
                      f"matrix does not have full rank (error code: {code}).")


def lstsq(A, B, rcond=None, *, driver=None):
    """The x that minimises the norm of A @ x - B.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    B : Tensor
        (..., m, k), or (..., m) for vectors.
    rcond : float, optional
        Singular values below rcond times the largest count as zero; machine epsilon times max(m, n) by default.
    driver : {"gelsy", "gels", "gelsd", "gelss"}, optional
        LAPACK's routine; "gels" needs full rank, "gelsd" and "gelss" return singular values.

    Returns
    -------
    (solution, residuals, rank, singular_values)
        What the driver does not compute is empty. Residuals are the squared norms of the columns of A @ x - B.

    Examples
    --------
    The line through (0, 1), (1, 3), (2, 5):

    >>> import cygrad
    >>> A = cygrad.tensor([[1., 0.], [1., 1.], [1., 2.]])
    >>> cygrad.linalg.lstsq(A, cygrad.tensor([1., 3., 5.])).solution
    tensor([1.0000, 2.0000])
    """
    name = "torch.linalg.lstsq"
    if A.dim() < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if B.dim() < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if A.dtype is not B.dtype:
        raise RuntimeError(f"{name}: Expected input and other to have the same dtype, but got input's dtype "
                           f"{SCALAR_NAMES[A.dtype.code]} and other's dtype {SCALAR_NAMES[B.dtype.code]}")
    if not 0 <= A.dim() - B.dim() <= 1:
        raise RuntimeError(f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - "
                           "other.dim()) <= 1")
    vector = is_vector(A, B)
    if A.shape[-2] != B.shape[-1 if vector else -2]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({-1 if vector else -2})")
    driver = "gelsy" if driver is None else driver
    if driver not in DRIVERS:
        raise RuntimeError(f"{name}: parameter `driver` should be one of ({', '.join(DRIVERS)})")
    if A.dtype in HALVES or not (A.is_floating_point() or A.is_complex()):
        raise RuntimeError("This function doesn't handle types other than float and double")
    batch = common_batch(A.shape[:-2], B.shape[:-1 if vector else -2])
    if rcond is None:
        rcond = cygrad.finfo(A.dtype).eps * max(A.shape[-2:])
    a = A.expand(*batch, *A.shape[-2:])
    b = B.expand(*batch, *B.shape[-1 if vector else -2:])
    x, residuals, rank, values = _lstsq(a, b, float(rcond), driver, vector)
    return cygrad.return_types.linalg_lstsq((x, residuals, rank, values.detach()))
