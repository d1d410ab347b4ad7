"""`cygrad.linalg`: decompositions, solvers, norms and products of matrices, under PyTorch's names.

All functions take batches: what is said of a matrix (m, n) holds for each of a tensor (..., m, n).
"""
from cygrad.ops.declare.op_forms import public as _public, with_out as _with_out
from cygrad.ops.linalg.cholesky import cholesky_ex, linalg_cholesky as cholesky
from cygrad.ops.linalg.composed_products import multi_dot, vecdot, vector_product
from cygrad.ops.linalg.decompositions import eig, eigh, eigvals, eigvalsh, qr, svd, svdvals
from cygrad.ops.linalg.determinants import linalg_det as det, linalg_slogdet_ as slogdet
from cygrad.ops.linalg.householder import householder_product
from cygrad.ops.linalg.lapack import LinAlgError, exact_out as _exact_out
from cygrad.ops.linalg.ldl import ldl_factor, ldl_factor_ex, ldl_solve
from cygrad.ops.linalg.least_squares import lstsq
from cygrad.ops.linalg.lu import lu, lu_factor, lu_factor_ex, lu_solve
from cygrad.ops.linalg.matmul import matmul
from cygrad.ops.linalg.matrices import powers
from cygrad.ops.linalg.matrix_functions import linalg_matrix_power as matrix_power, matrix_exp
from cygrad.ops.linalg.matrix_norms import cond, matrix_norm, norm
from cygrad.ops.linalg.pseudo_inverse import matrix_rank, pinv
from cygrad.ops.linalg.solvers import inv, inv_ex, solve, solve_ex, solve_triangular, tensorinv, tensorsolve
from cygrad.ops.reduce.norms import linalg_vector_norm as vector_norm

__all__ = ["LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals",
           "eigvalsh", "householder_product", "inv", "inv_ex", "ldl_factor", "ldl_factor_ex", "ldl_solve", "lstsq",
           "lu", "lu_factor", "lu_factor_ex", "lu_solve", "matmul", "matrix_exp",
           "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet", "solve",
           "solve_ex", "solve_triangular", "svd", "svdvals", "tensorinv", "tensorsolve", "vander", "vecdot",
           "vector_norm"]


def cross(input, other, *, dim=-1):
    """Cross product of the vectors of three elements along an axis; the other axes broadcast.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype and the same number of axes.
    dim : int
        The axis of size 3.

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
    >>> cygrad.linalg.cross(cygrad.tensor([1., 0., 0.]), cygrad.tensor([0., 1., 0.]))
    tensor([0., 0., 1.])
    """
    return vector_product(input, other, dim)


lstsq = _with_out("linalg_lstsq", lstsq)
for _name in ("cross", "cholesky_ex", "inv_ex", "lu", "lu_factor", "lu_factor_ex", "lu_solve", "solve_ex"):
    globals()[_name] = _exact_out("linalg_" + _name, globals()[_name])


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of matrices, as a view; see `cygrad.diagonal`.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    offset : int
        Which diagonal: 0 the main one, positive ones above it.
    dim1, dim2 : int
        The axes of the matrices.

    Returns
    -------
    Tensor
        A view, with the diagonal as its last axis.

    Examples
    --------
    >>> cygrad.linalg.diagonal(cygrad.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    return A.diagonal(offset, dim1, dim2)


def vander(x, N=None):
    """Vandermonde matrices: rising powers of the elements along the last axis of `x`, in a new last axis.

    Parameters
    ----------
    x : Tensor
        (..., n).
    N : int, optional
        Number of columns; n by default.

    Returns
    -------
    Tensor
        (..., n, N).

    Examples
    --------
    >>> cygrad.linalg.vander(cygrad.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [1, 2, 4],
            [1, 3, 9]])
    """
    if x.dtype.name in ("bool", "float16", "bfloat16"):
        raise RuntimeError("linalg.vander supports floating point, complex, and integer tensors, but got "
                           f"{x.dtype.name.title()}")
    columns = (x.shape[-1] if x.dim() else 1) if N is None else N
    if columns <= 1:
        raise RuntimeError("N must be greater than 1.")
    return powers(x if x.dim() else x.reshape(1), columns)


for _name in __all__:
    if _name != "LinAlgError":
        globals()[_name] = _public("linalg_" + _name, globals()[_name])
