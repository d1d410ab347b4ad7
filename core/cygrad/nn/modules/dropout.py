"""Dropout: layers that set random elements or channels to 0 in training, and do nothing else."""
from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


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


class Dropout1d(_DropoutNd):
    """Sets rows to 0 with probability p, and divides the others by 1 - p.

    Parameters
    ----------
    p : float
    inplace : bool

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Dropout1d(0.2)
    >>> layer.eval()(cygrad.ones(1, 2, 1))
    tensor([[[1.],
             [1.]]])
    """

    def forward(self, input):
        """(N, C, L) or (C, L), the same."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Sets images to 0 with probability p, and divides the others by 1 - p.

    Parameters
    ----------
    p : float
    inplace : bool

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Dropout2d(0.2)
    >>> layer.eval()(cygrad.ones(1, 2, 1, 1))
    tensor([[[[1.]],
    <BLANKLINE>
             [[1.]]]])
    """

    def forward(self, input):
        """(N, C, H, W), the same."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Sets volumes to 0 with probability p, and divides the others by 1 - p.

    Parameters
    ----------
    p : float
    inplace : bool

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Dropout3d(0.2)
    >>> layer.eval()(cygrad.ones(1, 2, 1, 1, 1))
    tensor([[[[[1.]]],
    <BLANKLINE>
    <BLANKLINE>
             [[[1.]]]]])
    """

    def forward(self, input):
        """(N, C, D, H, W) or (C, D, H, W), the same."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Sets elements to what SELU gives far below 0, with probability p; mean 0 and variance 1 stay so.

    Parameters
    ----------
    p : float
    inplace : bool
        Means nothing, as in PyTorch.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.AlphaDropout(0.2)
    >>> layer.eval()(cygrad.ones(1, 2, 1))
    tensor([[[1.],
             [1.]]])
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """Sets channels to what SELU gives far below 0, with probability p; mean 0 and variance 1 stay so.

    Parameters
    ----------
    p : float
    inplace : bool
        Means nothing, as in PyTorch.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.FeatureAlphaDropout(0.2)
    >>> layer.eval()(cygrad.ones(1, 2, 1))
    tensor([[[1.],
             [1.]]])
    """

    def forward(self, input):
        """(N, C, ...), the same."""
        return F.feature_alpha_dropout(input, self.p, self.training)
