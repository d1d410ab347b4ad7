"""The LDL factorisation of symmetric and Hermitian matrices (Bunch and Kaufman), and solving with it."""
import cygrad
from cygrad import return_types
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import copy_
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.linalg.batches import columns, run, with_batch
from cygrad.ops.linalg.lapack import INT32, check_info, exact_out, need_float, need_kernel, need_square, new
from cygrad.ops.linalg.solvers import checked_system, filled_like


@primitive(name="linalg_ldl_factor_ex")
def _ldl_factor_ex(self, hermitian):
    out, pivots = columns(self, self.shape), new(self, self.shape[:-1], INT32)
    info = filled_like(self, self.shape[:-2])
    if out.numel():
        run("ldl", (self,), (out, pivots, info), (2, 1, 0), hermitian=bool(hermitian))
        kept = out.tril()
        copy_(out, kept)
    return out, pivots, info


def singular_factor(name):
    def raise_for(where, code):
        raise RuntimeError(f"{name}: {where}Unknown error code: {code}.")
    return raise_for


def ldl_factor_ex(A, *, hermitian=False, check_errors=False):
    """The compact LDL factorisation, and LAPACK's codes (0: fine) instead of errors; see `ldl_factor`.

    Parameters
    ----------
    A : Tensor
        (..., n, n), symmetric or Hermitian; the lower triangle is read.
    hermitian : bool
        Whether a complex matrix is Hermitian, not symmetric.
    check_errors : bool
        Raise where D is singular.

    Returns
    -------
    return_types.linalg_ldl_factor_ex
        ``LD``, int32 ``pivots`` and int32 ``info``.

    Examples
    --------
    >>> cygrad.linalg.ldl_factor_ex(cygrad.tensor([[4., 2.], [2., 5.]])).info
    tensor(0, dtype=cygrad.int32)
    """
    name = "torch.linalg.ldl_factor_ex"
    need_square(A, name)
    if not (A.is_floating_point() or A.is_complex()):
        need_float(A, name)
    if A.numel():
        need_kernel(A, "ldl_factor_kernel_cpu")
    found = _ldl_factor_ex(A, hermitian and A.is_complex())
    if check_errors:
        check_info(found[2], singular_factor(name))
    return return_types.linalg_ldl_factor_ex(found)


def ldl_factor(A, *, hermitian=False):
    """A = L @ D @ L^T for symmetric matrices (L^H for Hermitian ones), with rows exchanged, in compact form.

    Parameters
    ----------
    A : Tensor
        (..., n, n), symmetric or Hermitian; the lower triangle is read.
    hermitian : bool
        Whether a complex matrix is Hermitian, not symmetric.
    out : tuple of Tensor, optional
        Written to.

    Returns
    -------
    return_types.linalg_ldl_factor
        ``LD`` (..., n, n): the unit lower triangular L and, of D, blocks of 1 x 1 and 2 x 2; and int32 ``pivots``
        (..., n), LAPACK's.

    Raises
    ------
    RuntimeError
        If D is singular.

    Examples
    --------
    >>> cygrad.linalg.ldl_factor(cygrad.tensor([[4., 2.], [2., 5.]])).LD
    tensor([[4.0000, 0.0000],
            [0.5000, 4.0000]])
    """
    found, pivots, info = ldl_factor_ex(A, hermitian=hermitian)
    check_info(info, singular_factor("torch.linalg.ldl_factor"))
    return return_types.linalg_ldl_factor((found, pivots))


ldl_factor, ldl_factor_ex = exact_out("linalg_ldl_factor", ldl_factor), exact_out("linalg_ldl_factor_ex", ldl_factor_ex)


@primitive(name="linalg_ldl_solve")
def _ldl_solve(self, pivots, other, hermitian):
    b, a = with_batch(other, self)
    b, swaps = with_batch(b, pivots.unsqueeze(-2).to(INT32))
    x = columns(b, b.shape)
    if x.numel():
        run("ldl_solve", (a, swaps, b), (x,), (2,), hermitian=bool(hermitian))
    return x


def ldl_solve(LD, pivots, B, *, hermitian=False):
    """The solution x of A @ x = B from A's `ldl_factor`.

    Parameters
    ----------
    LD, pivots : Tensor
        (..., n, n) and (..., n).
    B : Tensor
        (..., n, k); batches broadcast.
    hermitian : bool
        As it was for `ldl_factor`.
    out : Tensor, optional
        Written to.

    Returns
    -------
    Tensor
        (..., n, k).

    Raises
    ------
    RuntimeError
        If shapes or dtypes don't fit, or a pivot is out of range.

    Examples
    --------
    >>> factors = cygrad.linalg.ldl_factor(cygrad.tensor([[4., 2.], [2., 5.]]))
    >>> cygrad.linalg.ldl_solve(*factors, cygrad.tensor([[6.], [7.]]))
    tensor([[1.],
            [1.]])
    """
    name = "torch.linalg.ldl_solve"
    need_square(LD, name)
    need_float(LD, name)
    if B.dim() < 2 and B.dtype is LD.dtype:     # another dtype is told of first
        raise IndexError(f"Dimension out of range (expected to be in range of [-{max(B.dim(), 1)}, "
                         f"{max(B.dim(), 1) - 1}], but got -2)")
    checked_system(B, LD, name, "ldl_solve_kernel_cpu", "torch.linalg.ldl_solve: Expected ")
    if LD.shape[:-1] != pivots.shape:
        raise RuntimeError(f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list(pivots.shape)} instead")
    if pivots.is_floating_point() or pivots.is_complex() or pivots.dtype is cygrad.bool:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {SCALAR_NAMES[pivots.dtype.code]}")
    if pivots.numel() and bool(((pivots == 0) | (pivots.abs() > LD.shape[-1])).any()):
        raise RuntimeError(f"{name}: Expected pivots to be from 1 to {LD.shape[-1]}, or minus that")
    return _ldl_solve(LD, pivots, B, hermitian and LD.is_complex())


ldl_solve = exact_out("linalg_ldl_solve", ldl_solve)
