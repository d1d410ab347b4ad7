"""The Poisson distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.utils import broadcast_all, within_support

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """The Poisson distribution: how many events come in a time in which `rate` are to be expected.

    Parameters
    ----------
    rate : Tensor or float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Poisson(4.).variance
    tensor(4.)
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    _parts = {"rate": 0}

    def __init__(self, rate, validate_args=None):
        super().__init__(self._take(rate=rate), validate_args=validate_args)

    mean = variance = property(lambda self: self.rate)
    mode = property(lambda self: self.rate.floor())

    def sample(self, sample_shape=()):
        with cygrad.no_grad():
            return cygrad.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    @within_support
    def log_prob(self, value):
        value, rate = broadcast_all(value, self.rate)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (self.rate.log(),)

    def _log_normalizer(self, x):
        return x.exp()
