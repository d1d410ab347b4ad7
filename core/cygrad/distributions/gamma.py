"""The gamma distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.utils import batch_shape_of, broadcast_all

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

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(batch_shape_of(self.rate, concentration, rate), validate_args=validate_args)

    @property
    def mean(self):
        return self.concentration / self.rate

    @property
    def mode(self):
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self):
        return self.concentration / self.rate.pow(2)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Gamma, _instance, batch_shape, concentration=0, rate=0)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        drawn = cygrad._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        drawn.detach().clamp_(min=cygrad.finfo(drawn.dtype).tiny)       # the log of a draw is finite
        return drawn

    def log_prob(self, value):
        value = cygrad.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        return (cygrad.xlogy(self.concentration, self.rate) + cygrad.xlogy(self.concentration - 1, value)
                - self.rate * value - cygrad.lgamma(self.concentration))

    def entropy(self):
        return (self.concentration - cygrad.log(self.rate) + cygrad.lgamma(self.concentration)
                + (1.0 - self.concentration) * cygrad.digamma(self.concentration))

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return cygrad.lgamma(x + 1) + (x + 1) * cygrad.log(-y.reciprocal())

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return cygrad.special.gammainc(self.concentration, self.rate * value)
