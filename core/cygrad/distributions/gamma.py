"""The gamma distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.utils import within_support

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """The gamma distribution.

    Parameters
    ----------
    concentration, rate : Tensor or float
        Often called shape, and the inverse of the scale.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Gamma(3., 2.).mean
    tensor(1.5000)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _parts = {"concentration": 0, "rate": 0}

    def __init__(self, concentration, rate, validate_args=None):
        super().__init__(self._take(concentration=concentration, rate=rate), validate_args=validate_args)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.square())

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        drawn = cygrad._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        drawn.detach().clamp_(min=cygrad.finfo(drawn.dtype).tiny)       # the log of a draw is finite
        return drawn

    def log_prob(self, value):
        value = cygrad.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        powers = self.concentration.xlogy(self.rate) + (self.concentration - 1).xlogy(value)
        return powers - self.rate * value - self.concentration.lgamma()

    @within_support
    def cdf(self, value):
        return cygrad.special.gammainc(self.concentration, self.rate * value)

    def entropy(self):
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1 - a) * a.digamma()

    @property
    def _natural_params(self):
        return self.concentration - 1, self.rate.neg()

    def _log_normalizer(self, x, y):
        a = x + 1
        return a.lgamma() - a * (-y).log()
