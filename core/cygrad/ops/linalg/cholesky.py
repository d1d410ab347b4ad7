"""Cholesky factors, and solving and inverting with them."""
import cygrad
from cygrad import return_types
from cygrad.errors import warn_once
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.linalg.batches import columns, run
from cygrad.ops.linalg.lapack import (INT32, LinAlgError, adjoint, check_info, exact_out, eye_like,
                                      need_float, need_kernel, need_square, singular)
from cygrad.ops.linalg.solvers import checked_system, filled_like, triangular


def cholesky_of(a, upper):
    out, info = columns(a, a.shape), filled_like(a, a.shape[:-2])
    if out.numel():
        run("cholesky", (a,), (out, info), (2, 0), upper=bool(upper))
        missing = out.diagonal(dim1=-2, dim2=-1).isnan()        # LAPACK stops at the first
        if bool(missing.any()):
            info.copy_(cygrad.where((info == 0).logical_and(missing.any(-1)), missing.long().argmax(-1) + 1, info))
    return out, info


@primitive(name="linalg_cholesky_ex")
def _cholesky_ex(self, upper):
    return cholesky_of(self, upper)


@primitive(name="cholesky")
def _cholesky_old(self, upper):
    if not self.numel():                            # whatever its shape is
        return self.new_empty(self.shape)
    out, info = cholesky_of(self, upper)
    check_info(info, indefinite("cholesky"))
    return out


def indefinite(name):
    def raise_for(where, code):
        raise LinAlgError(f"{name}: {where}The factorization could not be completed because the input is not "
                          f"positive-definite (the leading minor of order {code} is not positive-definite).")
    return raise_for


def cholesky_ex(A, *, upper=False, check_errors=False):
    """The Cholesky factors, and LAPACK's codes (0: fine) instead of errors; see `linalg.cholesky`.

    Parameters
    ----------
    A : Tensor
        (..., n, n), symmetric (Hermitian).
    upper : bool
        Whether U is given instead of L.
    check_errors : bool
        Raise where a matrix is not positive-definite.

    Returns
    -------
    return_types.linalg_cholesky_ex
        ``L`` and int32 ``info``.

    Examples
    --------
    >>> cygrad.linalg.cholesky_ex(cygrad.tensor([[4., 2.], [2., 5.]])).L
    tensor([[2., 0.],
            [1., 2.]])
    """
    need_square(A, "linalg.cholesky")
    need_float(A, "linalg.cholesky", low=True)
    if A.numel():
        need_kernel(A, "cholesky_cpu")
    out, info = _cholesky_ex(A, upper)
    if check_errors:
        check_info(info, indefinite("linalg.cholesky_ex"))
    return return_types.linalg_cholesky_ex((out, info))


def linalg_cholesky(A, *, upper=False):
    """The lower triangular L with A = L @ L^H, or the upper triangular U with A = U^H @ U.

    Parameters
    ----------
    A : Tensor
        (..., n, n), symmetric (Hermitian) positive-definite; only one triangle is read.
    upper : bool
        Return U, read the upper triangle.

    Returns
    -------
    Tensor
        (..., n, n), with zeros beyond the diagonal.

    Raises
    ------
    LinAlgError
        If a matrix is not positive-definite.

    Examples
    --------
    >>> cygrad.linalg.cholesky(cygrad.tensor([[4., 2.], [2., 5.]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    out, info = cholesky_ex(A, upper=upper)
    check_info(info, indefinite("linalg.cholesky"))
    return out


linalg_cholesky = exact_out("linalg_cholesky", linalg_cholesky)


@op(out=True)
def cholesky(input, upper=False):
    """The Cholesky factors of positive-definite matrices; see `cygrad.linalg.cholesky`.

    Parameters
    ----------
    input : Tensor
        (..., n, n), symmetric (Hermitian).
    upper : bool
        Whether U is given instead of L.

    Returns
    -------
    Tensor
        (..., n, n).

    Raises
    ------
    LinAlgError
        If a matrix is not positive-definite.

    Examples
    --------
    >>> cygrad.cholesky(cygrad.tensor([[4., 2.], [2., 5.]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    warn_once("torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
              "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
              "U = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\n"
              "This transform will produce equivalent results for all valid (symmetric positive definite) inputs.")
    if input.numel():
        need_square(input, "cholesky")
        need_kernel(input, "cholesky_cpu")
    return _cholesky_old(input, upper)


def solve_factored(b, factor, upper):
    """Raw solution x of A @ x = b from A's Cholesky factor."""
    first, second = (adjoint(factor), factor) if upper else (factor, adjoint(factor))
    return triangular(second, triangular(first, b, False), True)


@primitive(name="cholesky_solve")
def _cholesky_solve(self, input2, upper):
    return solve_factored(self, input2, upper)


@op(out=True)
def cholesky_solve(input, L, upper=False):
    """The solution x of A @ x = input from A's Cholesky factor.

    Parameters
    ----------
    input : Tensor
        (..., n, k).
    L : Tensor
        (..., n, n), the lower factor, or the upper one where `upper` is True.
    upper : bool
        Which factor L is.

    Returns
    -------
    Tensor
        (..., n, k).

    Examples
    --------
    >>> cygrad.cholesky_solve(cygrad.tensor([[4.], [9.]]), cygrad.tensor([[2., 0.], [0., 3.]]))
    tensor([[1.],
            [1.]])
    """
    checked_system(input, L, "cholesky_solve", "cholesky_solve_cpu", "")
    return _cholesky_solve(input, L, upper)


@primitive(name="cholesky_inverse")
def _cholesky_inverse(self, upper):
    return solve_factored(eye_like(self, self.shape[-1]).expand(self.shape), self, upper)


@op(out=True)
def cholesky_inverse(input, upper=False):
    """The inverse of A from its Cholesky factor (..., n, n).

    Parameters
    ----------
    input : Tensor
        (..., n, n), the factor.
    upper : bool
        Which factor it is.

    Returns
    -------
    Tensor
        (..., n, n).

    Examples
    --------
    >>> cygrad.cholesky_inverse(cygrad.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.2500, 0.0000],
            [0.0000, 0.0625]])
    """
    name = "cholesky_inverse"
    need_square(input, name)
    need_kernel(input, "cholesky_inverse_out_cpu")
    zeros = input.detach().diagonal(0, -2, -1) == 0
    if not zeros.is_meta and zeros.any().item():
        zeros = zeros.to(INT32)
        check_info(zeros.max(-1).values * (zeros.argmax(-1) + 1), singular(name))
    return _cholesky_inverse(input, upper)
