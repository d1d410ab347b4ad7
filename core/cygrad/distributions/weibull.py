"""The Weibull distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exponential import Exponential
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import AffineTransform, PowerTransform
from cygrad.distributions.utils import broadcast_all, euler_constant

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """The Weibull distribution: scale times a power of an exponential number.

    Parameters
    ----------
    scale, concentration : Tensor or float
        The power is 1 / concentration.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Weibull(2., 1.).mean
    tensor(2.)
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(cygrad.ones_like(self.scale), validate_args=validate_args)
        chain = [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, chain, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Weibull, _instance)
        new.scale = self.scale.expand(batch_shape)
        new.concentration = self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        base = self.base_dist.expand(batch_shape)
        chain = [PowerTransform(exponent=new.concentration_reciprocal), AffineTransform(loc=0, scale=new.scale)]
        super(Weibull, new).__init__(base, chain, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _log_moment(self, n):
        """The logarithm of the mean of the n-th power, for the scale 1."""
        return cygrad.lgamma(1 + n * self.concentration_reciprocal)

    @property
    def mean(self):
        return self.scale * cygrad.exp(self._log_moment(1))

    @property
    def mode(self):
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration_reciprocal

    @property
    def variance(self):
        return self.scale.pow(2) * (cygrad.exp(self._log_moment(2)) - cygrad.exp(2 * self._log_moment(1)))

    def entropy(self):
        return (euler_constant * (1 - self.concentration_reciprocal)
                + cygrad.log(self.scale * self.concentration_reciprocal) + 1)
