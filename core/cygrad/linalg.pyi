# Written by docs/make_stubs.py from the package itself; edit that, not this.
import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from cygrad import Axis, DeviceLike, Dims, Generator, Number, Size, Tensor, return_types
from cygrad import device as _device, dtype as _dtype, layout as _layout, memory_format as _memory_format

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex
class LinAlgError(RuntimeError): ...
def cholesky(A: Tensor, *, upper: _bool = False, out: Any = None) -> Tensor:
    """The lower triangular L with A = L @ L^H, or the upper triangular U with A = U^H @ U."""
def cholesky_ex(A: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: Any =
        None) -> return_types.linalg_cholesky_ex:
    """The Cholesky factors, and LAPACK's codes (0: fine) instead of errors; see `linalg.cholesky`."""
def cond(A: Tensor, p: Any = None, *, out: Any = None) -> Tensor:
    """Condition numbers of matrices: the norm times the norm of the inverse."""
def cross(input: Tensor, other: Tensor | Number, *, dim: Dims = -1, out: Any = None) -> Tensor:
    """Cross product of the vectors of three elements along an axis; the other axes broadcast."""
def det(A: Tensor, *, out: Any = None) -> Tensor:
    """Determinants of square matrices: (..., n, n) gives (...)."""
def diagonal(A: Tensor, *, offset: _int = 0, dim1: Axis = -2, dim2: Axis = -1) -> Tensor:
    """The diagonals of matrices, as a view; see `cygrad.diagonal`."""
def eig(A: Tensor, *, out: Any = None) -> return_types.linalg_eig:
    """Complex eigenvalues and eigenvectors of square matrices."""
def eigh(A: Tensor, UPLO: str = 'L', *, out: Any = None) -> return_types.linalg_eigh:
    """Eigenvalues, ascending, and orthonormal eigenvectors of symmetric (Hermitian) matrices."""
def eigvals(A: Tensor, *, out: Any = None) -> Tensor:
    """The complex eigenvalues of square matrices; see `eig`."""
def eigvalsh(A: Tensor, UPLO: str = 'L', *, out: Any = None) -> Tensor:
    """The eigenvalues of symmetric (Hermitian) matrices, ascending; see `eigh`."""
def householder_product(input: Tensor, tau: Any, *, out: Any = None) -> Tensor:
    """The first columns of the product of Householder's reflections (of `geqrf`)."""
def inv(A: Tensor, *, out: Any = None) -> Tensor:
    """The inverses of square matrices; see `cygrad.inverse`."""
def inv_ex(A: Tensor, *, check_errors: _bool = False, out: Any = None) -> return_types.linalg_inv_ex:
    """Inverses, and LAPACK's codes (0: fine) instead of errors."""
def ldl_factor(A: Tensor, *, hermitian: _bool = False, out: Any = None) -> return_types.linalg_ldl_factor:
    """A = L @ D @ L^T for symmetric matrices (L^H for Hermitian ones), with rows exchanged, in compact form."""
def ldl_factor_ex(A: Tensor, *, hermitian: _bool = False, check_errors: _bool = False, out: Any =
        None) -> return_types.linalg_ldl_factor_ex:
    """The compact LDL factorisation, and LAPACK's codes (0: fine) instead of errors; see `ldl_factor`."""
def ldl_solve(LD: Any, pivots: Tensor, B: Tensor, *, hermitian: _bool = False, out: Any = None) -> Tensor:
    """The solution x of A @ x = B from A's `ldl_factor`."""
def lstsq(A: Tensor, B: Tensor, rcond: _float | None = None, *, driver: Any = None, out: Any =
        None) -> return_types.linalg_lstsq:
    """The x that minimises the norm of A @ x - B."""
def lu(A: Tensor, *, pivot: _bool = True, out: Any = None) -> Any:
    """P, L, U with A = P @ L @ U: a permutation, a unit lower and an upper triangular matrix."""
def lu_factor(A: Tensor, *, pivot: _bool = True, out: Any = None) -> return_types.linalg_lu_factor:
    """The LU factorisation with partial pivoting, in compact form."""
def lu_factor_ex(A: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: Any =
        None) -> return_types.linalg_lu_factor_ex:
    """The compact LU factorisation, and LAPACK's codes (0: fine) instead of errors; see `lu_factor`."""
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False, out: Any =
        None) -> Tensor:
    """The solution x of A @ x = B from A's `lu_factor`."""
def matmul(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Matrix product of two tensors of any rank, as ``input @ other``."""
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of square matrices, the sum of all A**k / k!."""
def matrix_norm(A: Tensor, ord: Any = 'fro', dim: Dims = (-2, -1), keepdim: _bool = False, *, dtype: _dtype | None =
        None, out: Any = None) -> Tensor:
    """A norm of matrices."""
def matrix_power(A: Tensor, n: _int, *, out: Any = None) -> Tensor:
    """Integer powers of square matrices; see `cygrad.matrix_power`."""
def matrix_rank(A: Tensor, tol: Any = None, hermitian: _bool = False, *, atol: _float | None = None, rtol: _float | None
        = None, out: Any = None) -> Tensor:
    """The number of singular values above max(atol, rtol * the largest); int64."""
def multi_dot(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The product of several matrices, multiplied in the order that costs least."""
def norm(A: Tensor, ord: Any = None, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Any
        = None) -> Tensor:
    """A vector or matrix norm."""
def pinv(A: Tensor, rcond: _float | None = None, hermitian: _bool = False, *, atol: _float | None = None, rtol: _float |
        None = None, out: Any = None) -> Tensor:
    """The Moore-Penrose pseudo-inverse of matrices."""
def qr(A: Tensor, mode: Any = 'reduced', *, out: Any = None) -> return_types.linalg_qr:
    """Q and R with A = Q @ R: orthonormal columns and an upper triangular matrix."""
def slogdet(A: Tensor, *, out: Any = None) -> return_types.linalg_slogdet:
    """Signs and logarithms of the moduli of determinants; see `cygrad.slogdet`."""
def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Any = None) -> Tensor:
    """The solution x of A @ x = B (or of x @ A = B)."""
def solve_ex(A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False, out: Any =
        None) -> return_types.linalg_solve_ex:
    """Solutions of linear systems, and LAPACK's codes (0: fine) instead of errors; see `solve`."""
def solve_triangular(A: Tensor, B: Tensor, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Any =
        None) -> Tensor:
    """The solution x of A @ x = B (or of x @ A = B) for triangular A."""
def svd(A: Tensor, full_matrices: _bool = True, *, driver: Any = None, out: Any = None) -> return_types.linalg_svd:
    """U, S and Vh with A = U @ diag(S) @ Vh, singular values S descending."""
def svdvals(A: Tensor, *, driver: Any = None, out: Any = None) -> Tensor:
    """The singular values of matrices, descending: (..., m, n) gives (..., min(m, n))."""
def tensorinv(A: Tensor, ind: Any = 2, *, out: Any = None) -> Tensor:
    """The inverse of a tensor for `tensordot`: its first `ind` axes are the rows of a matrix, the others columns."""
def tensorsolve(A: Tensor, B: Tensor, dims: Dims = None, *, out: Any = None) -> Tensor:
    """The solution X of tensordot(A, X, X.dim()) = B."""
def vander(x: Any, N: _int | None = None) -> Tensor:
    """Vandermonde matrices: rising powers of the elements along the last axis of `x`, in a new last axis."""
def vecdot(x: Any, y: Any, *, dim: Dims = -1, out: Any = None) -> Tensor:
    """Inner products of vectors along an axis: the sums of conj(x) * y."""
def vector_norm(x: Any, ord: Any = 2, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Any
        = None) -> Tensor:
    """The norm (sum of abs(x) ** ord) ** (1 / ord) of all elements, or of those along some axes."""
