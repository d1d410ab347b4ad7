"""Least-squares solutions of systems of linear equations: `lstsq`."""
import cygrad
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import fill_
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.linalg.batches import columns, run
from cygrad.ops.linalg.lapack import INT64, TOO_NARROW, LinAlgError, check_info, common_batch, new, real_of
from cygrad.ops.linalg.solvers import filled_like, is_vector

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
    if driver != "gelsy" and m > n and (driver == "gels" or (rank == n).all().item()):
        rest = b - self @ x
        residuals = (rest.abs() ** 2 if rest.is_complex() else rest * rest).sum(-2)
    room._take(x.squeeze(-1) if vector else x)
    return room, residuals, rank, new(self, (0,), real_of(self)) if values is None else values


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
    if A.dtype in TOO_NARROW or not (A.is_floating_point() or A.is_complex()):
        raise RuntimeError("This function doesn't handle types other than float and double")
    batch = common_batch(A.shape[:-2], B.shape[:A.dim() - 2])       # B of one axis less counts as vectors here
    if rcond is None:
        rcond = cygrad.finfo(A.dtype).eps * max(A.shape[-2:])
    a = A if A.shape[:-2] == batch else A.expand(*batch, *A.shape[-2:])
    b = B if B.shape[:-1 if vector else -2] == batch else B.expand(*batch, *B.shape[-1 if vector else -2:])
    x, residuals, rank, values = _lstsq(a, b, float(rcond), driver, vector)
    rank, values = (of_own_batch(t, A.shape[:-2]) for t in (rank, values.detach()))
    return cygrad.return_types.linalg_lstsq((x, residuals, rank, values))


def of_own_batch(t, batch):
    """What belongs to the matrices alone, once for each of them where they were repeated for B's batch."""
    for axis, size in enumerate(batch if t.numel() else ()):
        if size < t.shape[axis]:
            t = t.narrow(axis, 0, size)
    return t
