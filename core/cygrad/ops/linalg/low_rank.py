"""Singular values and principal components of matrices of low rank, by random projections.

Source: Halko, Martinsson and Tropp, "Finding structure with randomness: probabilistic algorithms for constructing
approximate matrix decompositions", 2009, algorithms 4.4 and 5.1.
"""
import cygrad
from cygrad.ops.declare.op_forms import op
from cygrad.ops.linalg.lapack import adjoint


def basis(a, count, rounds):
    """(..., m, count): orthonormal columns whose span is nearly that of a's first singular vectors."""
    seed = cygrad.randn(a.shape[-1], count, dtype=a.dtype, device=a.device)
    found = cygrad.linalg.qr(a @ seed).Q
    for _ in range(rounds):
        found = cygrad.linalg.qr(adjoint(a) @ found).Q
        found = cygrad.linalg.qr(a @ found).Q
    return found


def singular_vectors(a, q, niter):
    wide = a.shape[-2] < a.shape[-1]
    a = adjoint(a) if wide else a
    span = basis(a, 6 if q is None else q, 2 if niter is None else niter)
    u, s, vh = cygrad.linalg.svd(adjoint(span) @ a, full_matrices=False)
    u, v = span @ u, adjoint(vh)
    return (v, s, u) if wide else (u, s, v)


@op(method=False)
def svd_lowrank(A, q=6, niter=2, M=None):
    """U, S and V with A nearly U @ diag(S) @ V^H, for matrices whose rank is hardly above q.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    q : int, optional
        How many singular values; a little more than the rank. 6 when None.
    niter : int, optional
        Rounds of subspace iteration. 2 when None.
    M : Tensor, optional
        Is subtracted from A first; broadcasts to it.

    Returns
    -------
    tuple of Tensor
        U (..., m, q), S (..., q) and V (..., n, q).

    Notes
    -----
    Random numbers are drawn. For few rows and columns `linalg.svd` is faster, and exact.

    Examples
    --------
    >>> u, s, v = cygrad.svd_lowrank(cygrad.ones(3, 4), q=1)
    >>> (s * s).round()
    tensor([12.])
    """
    return singular_vectors(A if M is None else A - M.broadcast_to(A.shape), q, niter)


@op(method=False)
def pca_lowrank(A, q=None, center=True, niter=2):
    """The principal components of rows, for matrices of low rank.

    Parameters
    ----------
    A : Tensor
        (..., m, n): m samples of n features.
    q : int, optional
        How many components; min(6, m, n) when omitted.
    center : bool
        Subtract the mean of the samples first.
    niter : int
        Rounds of subspace iteration.

    Returns
    -------
    tuple of Tensor
        U (..., m, q), S (..., q) and V (..., n, q), as `svd_lowrank`; the columns of V are the components.

    Raises
    ------
    ValueError
        If q or niter is negative, or q above m or n.

    Examples
    --------
    >>> u, s, v = cygrad.pca_lowrank(cygrad.tensor([[1., 2.], [2., 4.], [3., 6.]]), q=1)
    >>> (s * s).round()
    tensor([10.])
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return singular_vectors(A - A.mean(-2, keepdim=True) if center else A, q, niter)
