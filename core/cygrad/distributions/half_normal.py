"""The half-normal distribution."""
import math

from cygrad.distributions.folded import Folded
from cygrad.distributions.normal import Normal

__all__ = ["HalfNormal"]


class HalfNormal(Folded):
    """The distribution of the absolute value of a normal number of mean 0.

    Parameters
    ----------
    scale : Tensor or float
        The normal number's standard deviation.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.HalfNormal(1.).mean
    tensor(0.7979)
    """

    whole = Normal
    mean = property(lambda self: self.scale * (2 / math.pi) ** 0.5)
    variance = property(lambda self: self.scale.square() * (1 - 2 / math.pi))
