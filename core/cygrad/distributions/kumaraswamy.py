"""The Kumaraswamy distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import AffineTransform, PowerTransform
from cygrad.distributions.uniform import Uniform
from cygrad.distributions.utils import euler_constant

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
    _parts = {"concentration1": 0, "concentration0": 0}

    def __init__(self, concentration1, concentration0, validate_args=None):
        self._take(concentration1=concentration1, concentration0=concentration0)
        unit = Uniform(*(cygrad.full_like(self.concentration0, end) for end in (0, 1)), validate_args=validate_args)
        chain = [PowerTransform(self.concentration0.reciprocal()), AffineTransform(1.0, -1.0),
                 PowerTransform(self.concentration1.reciprocal())]
        super().__init__(unit, chain, validate_args)

    def _moment(self, n):
        """The mean of the n-th power: b B(1 + n / a, b)."""
        b, first = self.concentration0, 1 + n / self.concentration1
        return b * (first.lgamma() + b.lgamma() - (first + b).lgamma()).exp()

    mean = property(lambda self: self._moment(1))
    variance = property(lambda self: self._moment(2) - self._moment(1).square())

    @property
    def mode(self):
        a, b = self.concentration1, self.concentration0
        found = b.reciprocal() * (-b).log1p() - (-b * a).log1p()        # of negative numbers, as PyTorch's are
        found[(a < 1) | (b < 1)] = math.nan
        return found.exp()

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = euler_constant + (b + 1).digamma()
        return 1 - b.reciprocal() + (1 - a.reciprocal()) * harmonic - a.log() - b.log()
