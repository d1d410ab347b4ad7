"""The normal distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.utils import _standard_normal, log_sqrt_two_pi, within_support

__all__ = ["Normal"]


class Normal(ExponentialFamily):
    """The normal (Gaussian) distribution.

    Parameters
    ----------
    loc, scale : Tensor or float
        Mean and standard deviation.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Normal(0., 1.).log_prob(cygrad.tensor(0.))
    tensor(-0.9189)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0
    _parts = {"loc": 0, "scale": 0}

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(self._take(loc=loc, scale=scale), validate_args=validate_args)

    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale.square())

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with cygrad.no_grad():
            return cygrad.normal(*(parameter.expand(shape) for parameter in (self.loc, self.scale)))

    def rsample(self, sample_shape=()):
        standard = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + standard * self.scale

    @within_support
    def log_prob(self, value):
        return -(value - self.loc).square() / (2 * self.variance) - self.scale.log() - log_sqrt_two_pi

    @within_support
    def cdf(self, value):
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value):
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self):
        return self.scale.log() + (0.5 + log_sqrt_two_pi)

    @property
    def _natural_params(self):
        precision = self.variance.reciprocal()
        return self.loc * precision, -0.5 * precision

    def _log_normalizer(self, x, y):
        return 0.5 * (-math.pi / y).log() - x.square() / (4 * y)
