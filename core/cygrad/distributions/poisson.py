"""The Poisson distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.utils import batch_shape_of, broadcast_all

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

    def __init__(self, rate, validate_args=None):
        self.rate, = broadcast_all(rate)
        super().__init__(batch_shape_of(self.rate, rate), validate_args=validate_args)

    @property
    def mean(self):
        return self.rate

    @property
    def mode(self):
        return self.rate.floor()

    @property
    def variance(self):
        return self.rate

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Poisson, _instance, batch_shape, rate=0)

    def sample(self, sample_shape=()):
        with cygrad.no_grad():
            return cygrad.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (cygrad.log(self.rate),)

    def _log_normalizer(self, x):
        return cygrad.exp(x)
