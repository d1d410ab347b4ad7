"""The extension `linalg`: norms, decompositions, inverses and solutions."""

import cygrad
from cygrad import linalg as _linalg
from cygrad.array_api.axis_argument import axes_of
from cygrad.array_api.data_types import of_default_size, operands
from cygrad.array_api.products import matmul, matrix_transpose, tensordot, vecdot
from cygrad.array_api.results import own

__all__ = ["cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm",
           "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd",
           "svdvals", "tensordot", "trace", "vecdot", "vector_norm"]

_DOC = """{what}.

Parameters
----------
x : Tensor
    Floating-point, of shape {shape}.{more}

Returns
-------
{gives}

Examples
--------
>>> from cygrad import array_api as xp
>>> {example}
{shown}
"""
_PAIR = "xp.asarray([[2., 0.], [0., 1.]])"


def _documented(what, gives, example, shown, shape="(..., M, M)", more=""):
    """A decorator that writes the docstring of a function of matrices."""
    def decorate(function):
        function.__doc__ = _DOC.format(what=what, shape=shape, more=more, gives=gives, shown=shown,
                                       example=f"xp.linalg.{function.__name__}({_PAIR}){example}")
        return function
    return decorate


# ------------------------------------------------------------------ decompositions

@_documented("The lower triangular L of which x is L times its conjugate transpose", "Tensor\n    Of x's shape.", "",
             "Array([[1.4142, 0.0000],\n       [0.0000, 1.0000]])",
             more="\nupper : bool, optional\n    The upper triangular U instead, of which x is the conjugate transpose "
                  "times U.")
def cholesky(x, /, *, upper=False):
    return own(_linalg.cholesky(x, upper=upper))


@_documented("Eigenvalues and eigenvectors", "named tuple\n    `eigenvalues` (..., M) and `eigenvectors` "
             "(..., M, M), in columns; complex.", ".eigenvalues", "Array([2.+0.j, 1.+0.j])")
def eig(x, /):
    return own(_linalg.eig(x))


@_documented("Eigenvalues and eigenvectors of symmetric or Hermitian matrices", "named tuple\n    `eigenvalues` "
             "(..., M), real and ascending, and `eigenvectors` (..., M, M), in columns.", ".eigenvalues",
             "Array([1., 2.])")
def eigh(x, /):
    return own(_linalg.eigh(x))


@_documented("Eigenvalues", "Tensor\n    Complex, of shape (..., M).", "", "Array([2.+0.j, 1.+0.j])")
def eigvals(x, /):
    return own(_linalg.eigvals(x))


@_documented("Eigenvalues of symmetric or Hermitian matrices", "Tensor\n    Real and ascending, of shape (..., M).", "",
             "Array([1., 2.])")
def eigvalsh(x, /):
    return own(_linalg.eigvalsh(x))


@_documented("The orthonormal Q and the upper triangular R of which x is the product", "named tuple\n    `Q` and `R`.",
             ".R.shape", "cygrad.Size([2, 2])", "(..., M, N)",
             "\nmode : {\"reduced\", \"complete\"}, optional\n    Whether Q has min(M, N) columns or M.")
def qr(x, /, *, mode="reduced"):
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode must be 'reduced' or 'complete', not {mode!r}")
    return own(_linalg.qr(x, mode))


@_documented("The singular value decomposition: x is U times the diagonal matrix of S times Vh",
             "named tuple\n    `U`, `S` (descending) and `Vh`.", ".S", "Array([2., 1.])", "(..., M, N)",
             "\nfull_matrices : bool, optional\n    Whether U and Vh are square, or have min(M, N) columns and rows.")
def svd(x, /, *, full_matrices=True):
    return own(_linalg.svd(x, full_matrices=full_matrices))


@_documented("Singular values", "Tensor\n    Real and descending, of shape (..., min(M, N)).", "", "Array([2., 1.])",
             "(..., M, N)")
def svdvals(x, /):
    return own(_linalg.svdvals(x))


# ------------------------------------------------------------------ determinants, inverses, solutions

@_documented("The determinant", "Tensor\n    Of shape (...).", "", "Array(2.)")
def det(x, /):
    return own(_linalg.det(x))


@_documented("The sign of the determinant and the logarithm of its modulus", "named tuple\n    `sign` and `logabsdet`, "
             "of shape (...).", ".sign", "Array(1.)")
def slogdet(x, /):
    return own(_linalg.slogdet(x))


@_documented("The inverse", "Tensor\n    Of x's shape.", "", "Array([[0.5000, 0.0000],\n       [0.0000, 1.0000]])")
def inv(x, /):
    return own(_linalg.inv(x))


_RTOL = """
rtol : float or Tensor, optional
    Singular values not above this part of the greatest count as zero; max(M, N) times the dtype's `eps` by default."""


@_documented("The pseudo-inverse of Moore and Penrose", "Tensor\n    Of shape (..., N, M).", "",
             "Array([[0.5000, 0.0000],\n       [0.0000, 1.0000]])", "(..., M, N)", _RTOL)
def pinv(x, /, *, rtol=None):
    return own(_linalg.pinv(x, rtol=rtol))


@_documented("The rank", "Tensor\n    int64, of shape (...).", "", "Array(2)", "(..., M, N)", _RTOL)
def matrix_rank(x, /, *, rtol=None):
    return _linalg.matrix_rank(x, rtol=rtol)


def matrix_power(x, n, /):
    """A matrix times itself, n times.

    Parameters
    ----------
    x : Tensor
        Numeric, of shape (..., M, M).
    n : int
        How many times; negative for the inverse.

    Returns
    -------
    Tensor
        Of x's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.linalg.matrix_power(xp.asarray([[2., 0.], [0., 1.]]), 3)
    Array([[8., 0.],
           [0., 1.]])
    """
    return _linalg.matrix_power(x, n)


def solve(x1, x2, /):
    """The solution y of x1 @ y = x2.

    Parameters
    ----------
    x1 : Tensor
        Invertible, of shape (..., M, M).
    x2 : Tensor
        Of shape (M,), which is one column, or (..., M, K).

    Returns
    -------
    Tensor
        Of shape (..., M) or (..., M, K).

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.linalg.solve(xp.asarray([[2., 0.], [0., 4.]]), xp.asarray([1., 1.]))
    Array([0.5000, 0.2500])
    """
    a, b = operands(x1, x2)
    if b.ndim == 1:
        return own(_linalg.solve(a, b.expand(*a.shape[:-2], -1).unsqueeze(-1)).squeeze(-1))
    batch = cygrad.broadcast_shapes(a.shape[:-2], b.shape[:-2])     # else vectors of a batch could be meant
    return own(_linalg.solve(a.expand(*batch, -1, -1), b.expand(*batch, -1, -1)))


# ------------------------------------------------------------------ products, diagonals, norms

def cross(x1, x2, /, *, axis=-1):
    """The cross products of vectors of three elements.

    Parameters
    ----------
    x1, x2 : Tensor
        Numeric, with three elements along the axis; the others are broadcast.
    axis : int, optional
        Along which the vectors lie.

    Returns
    -------
    Tensor
        Of the shape that both broadcast to.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0]))
    Array([0, 0, 1])
    """
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"cross: the vectors have {x1.shape[axis]} and {x2.shape[axis]} elements, not 3")
    return _linalg.cross(*cygrad.broadcast_tensors(*operands(x1, x2)), dim=axis)


def outer(x1, x2, /):
    """The products of each element of one vector with each of another.

    Parameters
    ----------
    x1, x2 : Tensor
        Of shape (N,) and (M,).

    Returns
    -------
    Tensor
        Of shape (N, M).

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([3, 4]))
    Array([[3, 4],
           [6, 8]])
    """
    return cygrad.outer(*operands(x1, x2))


def diagonal(x, /, *, offset=0):
    """The diagonals of matrices.

    Parameters
    ----------
    x : Tensor
        Of shape (..., M, N).
    offset : int, optional
        Which: above the main diagonal if positive, below it if negative.

    Returns
    -------
    Tensor
        The diagonals along the last axis.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.linalg.diagonal(xp.asarray([[1, 2], [3, 4]]))
    Array([1, 4])
    """
    return _linalg.diagonal(x, offset=offset)


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals of matrices.

    Parameters
    ----------
    x : Tensor
        Numeric, of shape (..., M, N).
    offset : int, optional
        Which diagonal: above the main one if positive, below it if negative.
    dtype : dtype, optional
        In which it is computed. By default x's; integers are computed with the default number of bits.

    Returns
    -------
    Tensor
        Of shape (...).

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.linalg.trace(xp.asarray([[1, 2], [3, 4]]))
    Array(5)
    """
    return cygrad.sum(_linalg.diagonal(x, offset=offset), -1, dtype=dtype or of_default_size(x.dtype))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norms of matrices.

    Parameters
    ----------
    x : Tensor
        Floating-point, of shape (..., M, N).
    keepdims : bool, optional
        Whether the last two axes stay, with size 1.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}, optional
        Which norm: Frobenius, nuclear, by sums of columns (1), singular values (2) or sums of rows (inf), the greatest
        or, negative, the least of them.

    Returns
    -------
    Tensor
        Real, of shape (...).

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.linalg.matrix_norm(xp.asarray([[3., 0.], [0., 4.]]))
    Array(5.)
    """
    return own(_linalg.matrix_norm(x, ord, keepdim=keepdims))


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norms of vectors.

    Parameters
    ----------
    x : Tensor
        Floating-point.
    axis : int or tuple of int, optional
        Along which the vectors lie; all axes by default.
    keepdims : bool, optional
        Whether the axes stay, with size 1.
    ord : int or float, optional
        The power of which the elements' moduli are summed up; 0 counts those that are not zero, inf and -inf take the
        greatest and the least.

    Returns
    -------
    Tensor
        Real.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.linalg.vector_norm(xp.asarray([3., 4.]))
    Array(5.)
    """
    axes = axes_of(x, axis)
    if axes:
        return own(_linalg.vector_norm(x, ord, axes, keepdim=keepdims))
    return (x != 0).to(cygrad.abs(x).dtype) if ord == 0 else cygrad.abs(x)
