"""The Laplace distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import within_support

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
    _parts = {"loc": 0, "scale": 0}

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(self._take(loc=loc, scale=scale), validate_args=validate_args)

    mean = mode = property(lambda self: self.loc)

    @property
    def stddev(self):
        return 2 ** 0.5 * self.scale

    @property
    def variance(self):
        return self.scale.square() * 2

    def rsample(self, sample_shape=()):
        least = cygrad.finfo(self.loc.dtype).eps - 1        # -1 has no logarithm
        u = self.loc.new_empty(self._extended_shape(sample_shape)).uniform_(least, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    @within_support
    def log_prob(self, value):
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    @within_support
    def cdf(self, value):
        return 0.5 - 0.5 * (value - self.loc).sign() * (-(value - self.loc).abs() / self.scale).expm1()

    def icdf(self, value):
        side = value - 0.5
        return self.loc - self.scale * side.sign() * (-2 * side.abs()).log1p()

    def entropy(self):
        return (2 * self.scale).log() + 1
