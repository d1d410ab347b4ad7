"""Pseudo-inverse and rank of matrices, by their singular values above a tolerance."""
import cygrad
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import in_steps
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op, with_out
from cygrad.ops.linalg import decompositions
from cygrad.ops.linalg.lapack import TOO_NARROW, adjoint, need_matrix, need_square, new
from cygrad.tensor import Tensor


def tolerances(A, name, atol, rtol, numpys=None):
    """atol and rtol as numbers or tensors that broadcast over the batch; defaults as PyTorch chooses them."""
    for label, value in (("atol", atol), (numpys or "rtol", rtol)):
        if isinstance(value, Tensor) and value.is_complex():
            raise RuntimeError(f"{name}: {label} tensor of complex type is not supported. Got "
                               f"{SCALAR_NAMES[value.dtype.code]}")
    if rtol is None:
        given = atol is not None and (isinstance(atol, Tensor) or atol > 0)
        rtol = 0.0 if given and not isinstance(atol, Tensor) else cygrad.finfo(A.dtype).eps * max(A.shape[-2:])
        if given and isinstance(atol, Tensor):
            rtol = cygrad.where(atol > 0, 0.0, rtol)
    return 0.0 if atol is None else atol, rtol


def cutoff(largest, atol, rtol):
    """max(atol, rtol * largest) for each matrix; `largest` is (..., 1)."""
    atol, rtol = (t.unsqueeze(-1).to(largest.dtype) if isinstance(t, Tensor) else t for t in (atol, rtol))
    relative = largest * rtol
    return cygrad.maximum(relative, atol) if isinstance(atol, Tensor) else relative.clamp(min=atol)


@primitive(name="linalg_pinv")
def _pinv(self, atol, rtol, hermitian):
    if self.numel() == 0:
        return new(self, (*self.shape[:-2], self.shape[-1], self.shape[-2]))
    if hermitian:
        s, u = decompositions.eigh(self)
        size, v = s.abs(), u
        largest = size.amax(-1, keepdim=True)
    else:
        u, s, vh = decompositions.svd(self, False)
        size, v, largest = s, adjoint(vh), s.narrow(-1, 0, 1)
    inverse = cygrad.where(size > cutoff(largest, atol, rtol), s.reciprocal(), 0.0).to(self.dtype)
    return (v * inverse.unsqueeze(-2)) @ adjoint(u)


def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None):
    """The Moore-Penrose pseudo-inverse of matrices.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    rcond : float or Tensor, optional
        NumPy's name for rtol.
    hermitian : bool
        Take A for symmetric (Hermitian), read one triangle, use its eigenvalues.
    atol, rtol : float or Tensor, optional
        Singular values not above max(atol, rtol * the largest) count as zero. By default rtol is machine epsilon
        times
        max(m, n), or 0 where atol is given.

    Returns
    -------
    Tensor
        (..., n, m).

    Examples
    --------
    >>> cygrad.linalg.pinv(cygrad.tensor([[2., 0.], [0., 0.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    if A.dim() < 2 or A.dtype in TOO_NARROW or not (A.is_floating_point() or A.is_complex()):
        raise RuntimeError(f"linalg.pinv({SCALAR_NAMES[A.dtype.code]}{{{list(A.shape)}}}): expected a tensor with 2 or "
                           "more dimensions of float, double, cfloat or cdouble types")
    if hermitian and A.numel():
        need_square(A, "linalg.eigh")
    atol, rtol = tolerances(A, "torch.linalg.pinv", atol, rcond if rtol is None else rtol,
                            None if rcond is None else "rcond")
    return _pinv(A, atol, rtol, hermitian)


pinv = with_out("linalg_pinv", pinv)


@op
def pinverse(input, rcond=1e-15):
    """The pseudo-inverse of matrices; see `cygrad.linalg.pinv`.

    Parameters
    ----------
    input : Tensor
        (..., m, n), floating-point or complex.
    rcond : float
        Singular values below this times the largest count as zero.

    Returns
    -------
    Tensor
        (..., n, m).

    Examples
    --------
    >>> cygrad.pinverse(cygrad.tensor([[2., 0.], [0., 0.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    return pinv(input, rcond)


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None):
    """The number of singular values above max(atol, rtol * the largest); int64.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    tol : float or Tensor, optional
        NumPy's name for atol, with rtol 0.
    hermitian : bool
        Take A for symmetric (Hermitian).
    atol, rtol : float or Tensor, optional
        As for `pinv`.

    Returns
    -------
    Tensor
        (...), int64.

    Examples
    --------
    >>> cygrad.linalg.matrix_rank(cygrad.tensor([[1., 2.], [2., 4.]]))
    tensor(1)
    """
    need_matrix(A, "torch.linalg.matrix_rank", "input")
    if A.dtype in TOO_NARROW or not (A.is_floating_point() or A.is_complex()):
        raise RuntimeError("This function doesn't handle types other than float and double")
    if tol is not None:
        atol, rtol = tol, 0.0
    atol, rtol = tolerances(A, "torch.linalg.matrix_rank", atol, rtol)
    if A.numel() == 0:
        return in_steps(cygrad.zeros(A.shape[:-2], dtype=cygrad.int64, device=A.device))
    a = A.detach()
    s = decompositions.eigvalsh(a).abs() if hermitian else decompositions.svdvals(a)
    return in_steps((s > cutoff(s.amax(-1, keepdim=True), atol, rtol)).sum(-1))


matrix_rank = with_out("linalg_matrix_rank", matrix_rank)
