"""LU factors of matrices, and solving with them.

Each op with a node of its own is a `@primitive` that returns raw results of LAPACK's routines (`ops/linalg/lapack.py`);
`cygrad.linalg` has the functions that have no method. Derivatives are in `autograd/derivatives/decompositions.py`.
"""
import cygrad
from cygrad import return_types
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import fill_
from cygrad.errors import warn_once
from cygrad.ops.declare.primitives import own, primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.linalg.batches import columns
from cygrad.ops.linalg.lapack import (INT32, adjoint, check_info, common_batch, factored, need_float, need_kernel,
                                      need_matrix, need_square, new)
from cygrad.ops.linalg.solvers import triangular

def permutation_of(pivots, rows):
    """(..., rows) int64: which row of the matrix comes to lie where, from LAPACK's list of swaps."""
    def one(swaps):
        order = list(range(rows))
        for i, p in enumerate(swaps):
            order[i], order[p - 1] = order[p - 1], order[i]
        return order
    flat = list(map(one, pivots.reshape(-1, pivots.shape[-1]).tolist())) if pivots.numel() else []
    if not flat:
        return cygrad.arange(rows, device=pivots.device).expand(*pivots.shape[:-1], rows)
    return cygrad.tensor(flat, device=pivots.device).reshape(*pivots.shape[:-1], rows)


def permutation_matrix(pivots, rows, like):
    """P with A = P @ L @ U."""
    order = permutation_of(pivots, rows)
    out = new(like, (*pivots.shape[:-1], rows, rows))
    fill_(out, 0)
    if out.numel():
        out.scatter_(-2, order.unsqueeze(-2), 1)
    return own(out, ())


def unpacked(lu):
    """Copies of the factors (L, U) of a compact LU."""
    m, n = lu.shape[-2:]
    least = min(m, n)
    lower = lu[..., :least].tril(-1)
    lower.diagonal(0, -2, -1).fill_(1)
    return lower, lu[..., :least, :].triu()


@primitive(name="lu_unpack")
def _lu_unpack(self, unpack_data):
    return unpacked(self) if unpack_data else (new(self, (0,)), new(self, (0,)))


@op(method=False, out="expected")
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """The matrices P, L, U that a compact LU factorisation (of `linalg.lu_factor`) stands for.

    Parameters
    ----------
    LU_data : Tensor
        (..., m, n).
    LU_pivots : Tensor
        (..., min(m, n)), int32, counted from 1.
    unpack_data, unpack_pivots : bool
        Whether L and U, and P, are wanted; others are empty.

    Returns
    -------
    return_types.lu_unpack
        ``P`` (..., m, m), ``L`` (..., m, k) and ``U`` (..., k, n), where k = min(m, n).

    Examples
    --------
    >>> p, l, u = cygrad.lu_unpack(*cygrad.linalg.lu_factor(cygrad.tensor([[1., 2.], [4., 4.]])))
    >>> p @ l @ u
    tensor([[1., 2.],
            [4., 4.]])
    """
    if LU_data.dim() < 2:
        if LU_data.requires_grad:
            LU_data.size(-2)            # PyTorch's IndexError
        raise RuntimeError("torch.lu_unpack: Expected tensor with 2 or more dimensions")
    if unpack_pivots and LU_pivots.dtype is not INT32:
        raise RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
                           "Note: this function is intended to be used with the output produced by "
                           "torch.linalg.lu_factor")
    if unpack_pivots and LU_pivots.numel() and bool(((LU_pivots < 1) | (LU_pivots > LU_data.shape[-2])).any()):
        raise RuntimeError("pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                           "Did you properly pass the result of lu_factor?")
    p = permutation_matrix(LU_pivots, LU_data.shape[-2], LU_data) if unpack_pivots else new(LU_data, (0,))
    return return_types.lu_unpack((p, *_lu_unpack(LU_data, unpack_data)))


@primitive(name="linalg_lu_factor_ex")
def _lu_factor_ex(self):
    return factored(self)


def checked_lu(A, name, pivot):
    if A.dim() < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead")
    if A.numel():
        need_kernel(A, "lu_cpu")
    if not pivot and A.numel():
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def lu_factor_ex(A, *, pivot=True, check_errors=False):
    """The compact LU factorisation, and LAPACK's codes (0: fine) instead of errors; see `lu_factor`.

    Parameters
    ----------
    A : Tensor
        (..., m, n), floating-point or complex.
    pivot : bool
        False is refused on the CPU.
    check_errors : bool
        Raise for a zero on the diagonal of U.

    Returns
    -------
    return_types.linalg_lu_factor_ex
        ``LU``, int32 ``pivots`` and int32 ``info``.

    Examples
    --------
    >>> cygrad.linalg.lu_factor_ex(cygrad.tensor([[1., 2.], [4., 4.]])).info
    tensor(0, dtype=cygrad.int32)
    """
    checked_lu(A, "torch.lu_factor", pivot)
    lu, pivots, info = _lu_factor_ex(A)
    if check_errors:
        check_info(info, zero_in_u("torch.linalg.lu_factor_ex"))
    return return_types.linalg_lu_factor_ex((lu, pivots, info))


def zero_in_u(name):
    def raise_for(where, code):
        raise RuntimeError(f"{name}: {where}U[{code},{code}] is zero and using it on lu_solve would result in a "
                           "division by zero. If you still want to perform the factorization, consider calling "
                           "linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)")
    return raise_for


def lu_factor(A, *, pivot=True):
    """The LU factorisation with partial pivoting, in compact form.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    pivot : bool
        False is refused on the CPU.

    Returns
    -------
    (LU, pivots)
        L (without its ones) and U in one matrix (..., m, n), and the row swaps (..., min(m, n)), int32, from 1 on.

    Raises
    ------
    RuntimeError
        If U has a zero on its diagonal.

    Examples
    --------
    >>> cygrad.linalg.lu_factor(cygrad.tensor([[1., 2.], [4., 4.]])).pivots
    tensor([2, 2], dtype=cygrad.int32)
    """
    lu, pivots, info = lu_factor_ex(A, pivot=pivot)
    check_info(info, zero_in_u("torch.linalg.lu_factor"))
    return return_types.linalg_lu_factor((lu, pivots))


@op(name="lu")
def _lu_old(input, pivot=True, get_infos=False, out=None):
    """The compact LU factorisation as a plain tuple; see `linalg.lu_factor`.

    Parameters
    ----------
    input : Tensor
        (..., m, n), floating-point or complex.
    pivot : bool
        False is refused on the CPU.
    get_infos : bool
        Also give LAPACK's codes.
    out : tuple of Tensor, optional
        Where the results are copied to.

    Returns
    -------
    tuple of Tensor
        The factors, int32 pivots, and the codes if asked for.

    Examples
    --------
    >>> cygrad.tensor([[1., 2.], [4., 4.]]).lu()
    (tensor([[4.0000, 4.0000],
            [0.2500, 1.0000]]), tensor([2, 2], dtype=cygrad.int32))
    """
    warn_once("torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be "
              "removed in a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\n"
              "should be replaced with\nLU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
              "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
              "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)")
    found = tuple(lu_factor_ex(input, pivot=pivot))[:3 if get_infos else 2]     # nothing is said of a singular matrix
    if out is not None and len(out) != len(found):
        raise TypeError(f"expected tuple of {len(found)} elements but got {len(out)}")
    return found if out is None else tuple([o.resize_as_(result).copy_(result) for o, result in zip(out, found)])


@primitive(name="linalg_lu")
def _lu(self):
    compact, pivots, _ = factored(self)
    return (*unpacked(compact), pivots)


def lu(A, *, pivot=True):
    """P, L, U with A = P @ L @ U: a permutation, a unit lower and an upper triangular matrix.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    pivot : bool
        False is refused on the CPU.

    Returns
    -------
    (P, L, U)
        (..., m, m), (..., m, k) and (..., k, n) with k = min(m, n).

    Examples
    --------
    >>> cygrad.linalg.lu(cygrad.tensor([[1., 2.], [4., 4.]])).U
    tensor([[4., 4.],
            [0., 1.]])
    """
    checked_lu(A, "linalg.lu", pivot)
    lower, upper, pivots = _lu(A)
    order = permutation_matrix(pivots, A.shape[-2], A) if pivot else new(A, (0,))
    return return_types.linalg_lu((order, lower, upper))


@primitive(name="linalg_lu_solve")
def _lu_solve(self, pivots, other, left, adjoint_):
    b = other if left else adjoint(other)
    flip = adjoint_ if left else not adjoint_             # x @ A = b is A^H @ x^H = b^H
    rows = self.shape[-1]
    order = permutation_of(pivots, rows)
    batch = common_batch(b.shape[:-2], order.shape[:-1])
    index = order.unsqueeze(-1).expand(*batch, rows, b.shape[-1])
    b = b.expand(*batch, *b.shape[-2:])
    if not flip:
        x = triangular(self, triangular(self, b.gather(-2, index), False, True), True)
    else:
        upper = adjoint(self)
        y = triangular(upper, triangular(upper, b, False), True, True)
        x = columns(y, y.shape)
        x.scatter_(-2, index, y)
    if left:
        return x
    x._take(adjoint(x) if x.numel() else x.mT)
    return x


def lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    """The solution x of A @ x = B from A's `lu_factor`.

    Parameters
    ----------
    LU, pivots : Tensor
        (..., n, n) and (..., n).
    B : Tensor
        (..., n, k), or (..., k, n) where `left` is False.
    left : bool
        Solve x @ A = B if False.
    adjoint : bool
        With A^H in A's place.

    Returns
    -------
    Tensor
        Of the shape of B.

    Examples
    --------
    >>> lu, pivots = cygrad.linalg.lu_factor(cygrad.tensor([[2., 0.], [0., 4.]]))
    >>> cygrad.linalg.lu_solve(lu, pivots, cygrad.tensor([[2.], [4.]]))
    tensor([[1.],
            [1.]])
    """
    name = "linalg.lu_solve"
    need_float(LU, name, low=True)
    if LU.dtype is not B.dtype:
        raise RuntimeError(f"{name}: Expected LU and B to have the same dtype, but found LU of type "
                           f"{SCALAR_NAMES[LU.dtype.code]} and B of type {SCALAR_NAMES[B.dtype.code]} instead")
    if pivots.dtype is not INT32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    need_square(LU, name, "LU")
    need_matrix(B, name, "B")
    if LU.shape[-2] != B.shape[-2 if left else -1]:
        raise RuntimeError(f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
                           f"({LU.shape[-2]}x{LU.shape[-1]} and {B.shape[-2]}x{B.shape[-1]})")
    if LU.shape[:-1] != pivots.shape:
        pivots.size(-1)                 # PyTorch's IndexError
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    need_kernel(LU, "linalg.lu_solve_cpu")
    check_pivots(pivots, LU.shape[-2])
    return _lu_solve(LU, pivots, B, left, adjoint)


def check_pivots(pivots, n):
    """Rows are exchanged by them, so that a wrong one would lie beside the matrix."""
    if not pivots.numel() or pivots.is_meta:
        return
    for wrong, words in ((pivots < 1, "greater or equal to 1"), (pivots > n, "smaller or equal to LU.size(-2)")):
        if bool(wrong.any()):
            raise RuntimeError(f"Pivots given to lu_solve must all be {words}. Did you properly pass the result of "
                               "lu_factor?")


@op(name="lu_solve", out="expected")
def _lu_solve_old(input, LU_data, LU_pivots):
    """The solution x of A @ x = input from A's `linalg.lu_factor`.

    Parameters
    ----------
    input : Tensor
        (..., n, k), the right-hand sides.
    LU_data, LU_pivots : Tensor
        (..., n, n) and (..., n), of `linalg.lu_factor`.

    Returns
    -------
    Tensor
        (..., n, k).

    Examples
    --------
    >>> lu, pivots = cygrad.linalg.lu_factor(cygrad.tensor([[2., 0.], [0., 4.]]))
    >>> cygrad.lu_solve(cygrad.tensor([[2.], [4.]]), lu, pivots)
    tensor([[1.],
            [1.]])
    """
    warn_once("torch.lu_solve is deprecated in favor of torch.linalg.lu_solve and will be removed in a future PyTorch "
              "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\n"
              "X = torch.lu_solve(B, LU, pivots)\nshould be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)")
    return lu_solve(LU_data, LU_pivots, input)
