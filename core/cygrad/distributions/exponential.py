"""The exponential distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.utils import within_support

__all__ = ["Exponential"]


class Exponential(ExponentialFamily):
    """The exponential distribution: the time until an event that comes at a rate.

    Parameters
    ----------
    rate : Tensor or float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Exponential(4.).mean
    tensor(0.2500)
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _parts = {"rate": 0}

    def __init__(self, rate, validate_args=None):
        super().__init__(self._take(rate=rate), validate_args=validate_args)

    mean = stddev = property(lambda self: self.rate.reciprocal())
    mode = property(lambda self: cygrad.zeros_like(self.rate))
    variance = property(lambda self: self.rate.pow(-2))

    def rsample(self, sample_shape=()):
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    @within_support
    def log_prob(self, value):
        return self.rate.log() - self.rate * value

    @within_support
    def cdf(self, value):
        return 1 - (-self.rate * value).exp()

    def icdf(self, value):
        return (-value).log1p().neg() / self.rate

    def entropy(self):
        return 1 - self.rate.log()

    @property
    def _natural_params(self):
        return (self.rate.neg(),)

    def _log_normalizer(self, x):
        return x.neg().log().neg()
