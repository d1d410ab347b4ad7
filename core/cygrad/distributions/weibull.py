"""The Weibull distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exponential import Exponential
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import AffineTransform, PowerTransform
from cygrad.distributions.utils import euler_constant

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
    _parts = {"scale": 0, "concentration": 0, "concentration_reciprocal": 0}

    def __init__(self, scale, concentration, validate_args=None):
        self._take(scale=scale, concentration=concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        standard = Exponential(cygrad.ones_like(self.scale), validate_args=validate_args)
        chain = [PowerTransform(self.concentration_reciprocal), AffineTransform(0, self.scale)]
        super().__init__(standard, chain, validate_args)

    def _log_moment(self, times):
        """The logarithm of the mean of a power, for the scale 1; `times` is the power over the concentration."""
        return (1 + times).lgamma()

    mean = property(lambda self: self.scale * self._log_moment(self.concentration_reciprocal).exp())

    @property
    def mode(self):
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self):
        return self.scale.square() * (self._log_moment(2 * self.concentration_reciprocal).exp()
                                      - (2 * self._log_moment(self.concentration_reciprocal)).exp())

    def entropy(self):
        shape = self.concentration_reciprocal
        return euler_constant * (1 - shape) + cygrad.log(self.scale * shape) + 1
