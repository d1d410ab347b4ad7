"""Distances and similarities between vectors: composites of norms."""
import cygrad
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.registry import op


@op(method=False)
def cdist(x1, x2, p=2.0, compute_mode=None):
    """The p-norm distances of every row of `x1` to every row of `x2`.

    Parameters
    ----------
    x1 : Tensor
        (..., rows, columns)
    x2 : Tensor
        (..., other rows, columns)
    p : float
        Which norm.

    Returns
    -------
    Tensor
        (..., rows, other rows)

    Examples
    --------
    >>> import cygrad
    >>> cygrad.cdist(cygrad.tensor([[0., 0.], [3., 4.]]), cygrad.tensor([[0., 0.]]))
    tensor([[0.],
            [5.]])
    """
    for name, x in (("X1", x1), ("X2", x2)):
        if not x.is_floating_point():
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {SCALAR_NAMES[x.dtype.code]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    for name, x in (("X1", x1), ("X2", x2)):
        if x.dim() < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.dim()}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    return cygrad.norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


@op(method=False)
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of ``x1 - x2 + eps`` over the last axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.pairwise_distance(cygrad.zeros(1, 2), cygrad.tensor([[3., 4.]]))
    tensor([5.0000])
    """
    return cygrad.norm(x1 - x2 + eps, p, -1, keepdim)


@op(method=False)
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """Cosine of the angle between vectors along an axis; norms below `eps` count as `eps`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.cosine_similarity(cygrad.tensor([1., 0.]), cygrad.tensor([1., 1.]), dim=0)
    tensor(0.7071)
    """
    x1, x2 = cygrad.broadcast_tensors(x1, x2)
    x1, x2 = (x / cygrad.linalg.vector_norm(x, 2, dim, True).clamp_min(eps) for x in (x1, x2))
    return (x1 * x2).sum(dim)
