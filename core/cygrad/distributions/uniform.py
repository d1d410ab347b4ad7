"""The uniform distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import within_support

__all__ = ["Uniform"]


class Uniform(Distribution):
    """The uniform distribution on [low, high).

    Parameters
    ----------
    low, high : Tensor or float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Uniform(0., 4.).mean
    tensor(2.)
    """

    has_rsample = True
    _parts = {"low": 0, "high": 0}

    def __init__(self, low, high, validate_args=None):
        super().__init__(self._take(low=low, high=high), validate_args=validate_args)

    @property
    def arg_constraints(self):
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    _width = property(lambda self: self.high - self.low)
    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: self.high * math.nan)
    stddev = property(lambda self: self._width / 12 ** 0.5)
    variance = property(lambda self: self._width.square() / 12)

    def rsample(self, sample_shape=()):
        share = cygrad.rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + share * self._width

    @within_support
    def log_prob(self, value):
        inside = (self.low <= value) & (value < self.high)
        return inside.to(self.low.dtype).log() - self._width.log()

    @within_support
    def cdf(self, value):
        return ((value - self.low) / self._width).clamp(0, 1)

    def icdf(self, value):
        return value * self._width + self.low

    def entropy(self):
        return self._width.log()
