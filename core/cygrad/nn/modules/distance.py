"""Layers that compare vectors: how far apart they are, how much they point the same way."""
from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The p-norm of x1 - x2 + eps over the last axis.

    Parameters
    ----------
    p : float
    eps : float
    keepdim : bool
        Keep the last axis, with size 1.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.PairwiseDistance()(cygrad.zeros(1, 2), cygrad.tensor([[3., 4.]]))
    tensor([5.0000])
    """

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1, x2):
        """(..., n) and (..., n) -> (...), or (..., 1)."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """Cosine of the angle between vectors along an axis.

    Parameters
    ----------
    dim : int
    eps : float
        The least that a norm counts.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.CosineSimilarity(0)(cygrad.tensor([1., 0.]), cygrad.tensor([1., 1.]))
    tensor(0.7071)
    """

    __constants__ = ["dim", "eps"]

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        """Two tensors of a shape -> that shape without the axis."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
