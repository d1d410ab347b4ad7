"""The Gumbel distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import AffineTransform, ExpTransform
from cygrad.distributions.uniform import Uniform
from cygrad.distributions.utils import euler_constant, within_support

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The Gumbel distribution, of the largest of many numbers.

    Parameters
    ----------
    loc, scale : Tensor or float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Gumbel(0., 1.).mean
    tensor(0.5772)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    _parts = {"loc": 0, "scale": 0}

    def __init__(self, loc, scale, validate_args=None):
        self._take(loc=loc, scale=scale)
        dtype = cygrad.finfo(self.loc.dtype)
        inside = Uniform(*(cygrad.full_like(self.loc, end) for end in (dtype.tiny, 1 - dtype.eps)),
                         validate_args=validate_args)
        log = ExpTransform().inv
        chain = [log, AffineTransform(0, -cygrad.ones_like(self.scale)), log, AffineTransform(self.loc, -self.scale)]
        super().__init__(inside, chain, validate_args)

    mean = property(lambda self: self.loc + euler_constant * self.scale)
    mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale * (math.pi / 6 ** 0.5))
    variance = property(lambda self: self.stddev.square())

    @within_support
    def log_prob(self, value):
        below = (self.loc - value) / self.scale
        return below - below.exp() - self.scale.log()

    def entropy(self):
        return 1 + euler_constant + self.scale.log()
