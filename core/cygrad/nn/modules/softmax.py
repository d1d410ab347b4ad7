"""Activations along an axis: softmax and its kind, and gated linear units."""
from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module


class _Along(Module):
    """An activation along one axis."""

    __constants__ = ["dim"]

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def extra_repr(self):
        """The axis."""
        return f"dim={self.dim}"


class Softmax(_Along):
    """exp(x) divided by its sum along an axis.

    Parameters
    ----------
    dim : int, optional
        If it is not given, it is guessed, with a warning.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Softmax(dim=-1)(cygrad.zeros(4))
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.softmax(input, self.dim, _stacklevel=5)


class Softmin(_Along):
    """`Softmax` of -x.

    Parameters
    ----------
    dim : int, optional

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Softmin(dim=0)(cygrad.tensor([-1., 0., 2.]))
    tensor([0.7054, 0.2595, 0.0351])
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.softmin(input, self.dim, _stacklevel=5)


class LogSoftmax(_Along):
    """The logarithm of `Softmax`.

    Parameters
    ----------
    dim : int, optional

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.LogSoftmax(dim=0)(cygrad.tensor([-1., 0., 2.]))
    tensor([-3.1698, -2.1698, -0.1698])
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """`Softmax` over the channels of each pixel.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Softmax2d()(cygrad.zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input):
        """(N, C, H, W) or (C, H, W) -> the same."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)


class GLU(_Along):
    """The first half of an axis times sigmoid of the second.

    Parameters
    ----------
    dim : int

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.GLU(dim=0)(cygrad.tensor([4., 0.]))
    tensor([2.])
    """

    def __init__(self, dim=-1):
        super().__init__(dim)

    def forward(self, input):
        """(..., 2 n, ...) -> (..., n, ...)."""
        return F.glu(input, self.dim)
