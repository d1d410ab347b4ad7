"""Systems of linear equations and their inverses: `inv`, `solve`, `solve_triangular`.

Each op with a node of its own is a `@primitive` that returns raw results of LAPACK's routines
(`ops/linalg/lapack.py`); the functions `inv`, `solve`, ... check their arguments first. `cygrad.linalg` has those that
have no method.
"""
import math

from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import copy_, fill_
from cygrad.errors import warn_once
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op, with_out
from cygrad.ops.linalg.batches import columns, run, with_batch
from cygrad.ops.linalg.lapack import (INT32, LinAlgError, check_info, exact_out, factored, need_float, need_kernel,
                                      need_matrix, need_square, new, singular)
from cygrad.return_types import linalg_inv_ex, linalg_solve_ex, triangular_solve as triangular_solve_result

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
    >>> cygrad.linalg.solve_ex(cygrad.tensor([[2., 0.], [0., 4.]]), cygrad.tensor([2., 4.])).result
    tensor([1., 1.])
    """
    name = "linalg.solve"
    need_float(A, name, low=True)
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
    if A.numel():
        need_kernel(A, "lu_cpu")
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
    other = other.to(self.dtype)
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
    return _solve_triangular(A, B, upper, left, unitriangular)


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


@op(out="expected")
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
    >>> cygrad.triangular_solve(cygrad.tensor([[2.], [4.]]), cygrad.tensor([[2., 0.], [0., 4.]])).solution
    tensor([[1.],
            [1.]])
    """
    checked_system(input, A, "triangular_solve", "triangular_solve_cpu", "torch.triangular_solve: Expected ")
    warn_once("torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangular and will be removed in a "
              "future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a "
              "copy of one of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\n"
              "X = torch.linalg.solve_triangular(A, B).")
    return triangular_solve_result(_triangular_solve(input, A, upper, transpose, unitriangular))


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
    >>> cygrad.linalg.tensorinv(2 * cygrad.eye(4).reshape(2, 2, 4)).shape
    cygrad.Size([4, 2, 2])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > A.dim():
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {A.dim()}")
    rows, columns = list(A.shape[:ind]), list(A.shape[ind:])
    if math.prod(rows) != math.prod(columns):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == "
                           f"prod(self.shape[:ind]), but got {math.prod(columns)} != {math.prod(rows)}")
    return inv(A.reshape(math.prod(rows), math.prod(columns))).reshape(columns + rows)


tensorinv = with_out("linalg_tensorinv", tensorinv)


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
    return solve(A.reshape(count, count), B.flatten()).reshape(shape)


tensorsolve = with_out("linalg_tensorsolve", tensorsolve)
