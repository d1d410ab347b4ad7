"""Determinants by LU factors: `det`, `slogdet`, `logdet`."""
import math

import cygrad
from cygrad.dispatch.operands import select
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.linalg.lapack import exact_out, factored, need_float, need_kernel, need_square
from cygrad.return_types import linalg_slogdet, slogdet as slogdet_result


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


def checked_det(A, name, low=False):
    need_square(A, name)
    need_float(A, name, low)
    if A.numel():
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
    >>> cygrad.det(cygrad.tensor([[2., 1.], [1., 3.]]))
    tensor(5.)
    """
    checked_det(input, "linalg.det", low=True)
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
    >>> cygrad.linalg.det(cygrad.tensor([[1., 2.], [3., 4.]]))
    tensor(-2.)
    """
    return det(A)


linalg_det = exact_out("linalg_det", linalg_det)


@primitive(name="linalg_slogdet")
def _slogdet(self):
    diagonal = signed_diagonal(self)
    return diagonal.sgn().prod(-1), diagonal.abs().log().sum(-1)


@op(out="expected")
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
    >>> cygrad.logdet(cygrad.tensor([[2., 0.], [0., 4.]]))
    tensor(2.0794)
    """
    need_square(input, "logdet")
    need_float(input, "logdet")
    sign, size = _slogdet(input)
    if input.is_complex():
        return sign.log() + size
    return cygrad.where(sign == -1, math.nan, size)
