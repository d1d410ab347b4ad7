"""The Laplace distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import batch_shape_of, broadcast_all

__all__ = ["Laplace"]


class Laplace(Distribution):
    """The Laplace distribution: an exponential one to either side of `loc`.

    Parameters
    ----------
    loc, scale : Tensor or float
        Mean, and the mean distance from it.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Laplace(0., 1.).variance
    tensor(2.)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_shape_of(self.loc, loc, scale), validate_args=validate_args)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return 2 * self.scale.pow(2)

    @property
    def stddev(self):
        return 2 ** 0.5 * self.scale

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Laplace, _instance, batch_shape, loc=0, scale=0)

    def rsample(self, sample_shape=()):
        u = self.loc.new_empty(self._extended_shape(sample_shape))
        u.uniform_(cygrad.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * cygrad.log1p(-u.abs())

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return -cygrad.log(2 * self.scale) - cygrad.abs(value - self.loc) / self.scale

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * cygrad.expm1(-away.abs() / self.scale)

    def icdf(self, value):
        side = value - 0.5
        return self.loc - self.scale * side.sign() * cygrad.log1p(-2 * side.abs())

    def entropy(self):
        return 1 + cygrad.log(2 * self.scale)
