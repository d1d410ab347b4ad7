"""The Cauchy distribution."""
import math

from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import within_support

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """The Cauchy (Lorentz) distribution, which has neither mean nor variance.

    Parameters
    ----------
    loc, scale : Tensor or float
        The median, and half the width at half the maximum.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Cauchy(0., 1.).cdf(cygrad.tensor(1.))
    tensor(0.7500)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _parts = {"loc": 0, "scale": 0}

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(self._take(loc=loc, scale=scale), validate_args=validate_args)

    mean = property(lambda self: self.loc.new_full(self._batch_shape, math.nan))
    variance = property(lambda self: self.loc.new_full(self._batch_shape, math.inf))
    mode = property(lambda self: self.loc)

    def _standard(self, value):
        return (value - self.loc) / self.scale

    def rsample(self, sample_shape=()):
        standard = self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + standard * self.scale

    @within_support
    def log_prob(self, value):
        return -math.log(math.pi) - self.scale.log() - self._standard(value).square().log1p()

    @within_support
    def cdf(self, value):
        return 0.5 + self._standard(value).atan() / math.pi

    def icdf(self, value):
        return ((value - 0.5) * math.pi).tan() * self.scale + self.loc

    def entropy(self):
        return self.scale.log() + math.log(4 * math.pi)
