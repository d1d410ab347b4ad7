"""The inverse gamma distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.gamma import Gamma
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import PowerTransform

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

    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(base.rate.new_tensor(-1)), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(InverseGamma, _instance))

    @property
    def concentration(self):
        """The reciprocals' shape parameter."""
        return self.base_dist.concentration

    @property
    def rate(self):
        """The reciprocals' rate."""
        return self.base_dist.rate

    @property
    def mean(self):
        return (self.rate / (self.concentration - 1)).masked_fill(self.concentration <= 1, math.inf)

    @property
    def mode(self):
        return self.rate / (self.concentration + 1)

    @property
    def variance(self):
        found = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return found.masked_fill(self.concentration <= 2, math.inf)

    def entropy(self):
        return (self.concentration + self.rate.log() + self.concentration.lgamma()
                - (1 + self.concentration) * cygrad.digamma(self.concentration))
