"""The Kumaraswamy distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import AffineTransform, PowerTransform
from cygrad.distributions.uniform import Uniform
from cygrad.distributions.utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution, of numbers between 0 and 1; much like the beta distribution.

    Parameters
    ----------
    concentration1, concentration0 : Tensor or float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Kumaraswamy(1., 3.).mean
    tensor(0.2500)
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(cygrad.full_like(self.concentration0, 0), cygrad.full_like(self.concentration0, 1),
                       validate_args=validate_args)
        chain = [PowerTransform(exponent=self.concentration0.reciprocal()), AffineTransform(loc=1.0, scale=-1.0),
                 PowerTransform(exponent=self.concentration1.reciprocal())]
        super().__init__(base, chain, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def _moment(self, n):
        """The mean of the n-th power: b B(1 + n / a, b)."""
        a, b = self.concentration1, self.concentration0
        first = 1 + n / a
        return b * cygrad.exp(cygrad.lgamma(first) + cygrad.lgamma(b) - cygrad.lgamma(first + b))

    @property
    def mean(self):
        return self._moment(1)

    @property
    def mode(self):
        a, b = self.concentration1, self.concentration0
        found = cygrad.pow((a - 1) / (a * b - 1), a.reciprocal())
        return found.masked_fill((a < 1) | (b < 1), math.nan)

    @property
    def variance(self):
        return self._moment(2) - self.mean.pow(2)

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = cygrad.digamma(b + 1) + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - cygrad.log(a) - cygrad.log(b)
