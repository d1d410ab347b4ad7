"""Dropout: layers that set random elements or channels to 0 in training, and do nothing else."""
from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module

__all__ = ["Dropout"]


class _DropoutNd(Module):
    __constants__ = ["p", "inplace"]

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self):
        """The probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Sets elements to 0 with probability p, and divides the others by 1 - p.

    Parameters
    ----------
    p : float
    inplace : bool

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Dropout(0.2)
    >>> layer.eval()(cygrad.ones(3))
    tensor([1., 1., 1.])
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.dropout(input, self.p, self.training, self.inplace)
