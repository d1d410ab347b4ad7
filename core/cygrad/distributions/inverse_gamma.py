"""The inverse gamma distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.gamma import Gamma
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import PowerTransform
from cygrad.distributions.utils import of_part

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """The distribution of numbers whose reciprocals are gamma-distributed.

    Parameters
    ----------
    concentration, rate : Tensor or float
        Of the reciprocals.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.InverseGamma(3., 2.).mean
    tensor(1.)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _parts = {}
    concentration = of_part("base_dist.concentration", "The reciprocals' shape parameter.")
    rate = of_part("base_dist.rate", "The reciprocals' rate.")

    def __init__(self, concentration, rate, validate_args=None):
        reciprocal = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(reciprocal, PowerTransform(reciprocal.rate.new_tensor(-1.0)), validate_args)

    mode = property(lambda self: self.rate / (self.concentration + 1))

    @property
    def mean(self):
        a = self.concentration
        return cygrad.where(a > 1, self.rate / (a - 1), math.inf)

    @property
    def variance(self):
        a = self.concentration
        return cygrad.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), math.inf)

    def entropy(self):
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (a + 1) * a.digamma()
