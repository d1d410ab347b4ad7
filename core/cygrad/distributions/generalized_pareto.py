"""The generalized Pareto distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import within_support

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution, of what lies beyond a high threshold.

    Parameters
    ----------
    loc, scale : Tensor or float
        The threshold, and how far values reach beyond it.
    concentration : Tensor or float
        The tail: 0 is the exponential distribution, below it values have an upper bound.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.GeneralizedPareto(0., 1., 0.5).mean
    tensor(2.)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    _parts = {"loc": 0, "scale": 0, "concentration": 0}

    def __init__(self, loc, scale, concentration, validate_args=None):
        shape = self._take(loc=loc, scale=scale, concentration=concentration)
        super().__init__(shape, validate_args=validate_args)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return self.icdf(cygrad.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def _z(self, x):
        return (x - self.loc) / self.scale

    def _tail(self):
        """(whether the tail is exponential, the concentration with ones in these places)."""
        none = cygrad.isclose(self.concentration, cygrad.zeros((), dtype=self.loc.dtype, device=self.loc.device))
        return none, cygrad.where(none, cygrad.ones_like(self.concentration), self.concentration)

    @within_support
    def log_prob(self, value):
        z = self._z(value)
        none, tail = self._tail()
        power = 1 / tail + cygrad.ones_like(z)
        found = cygrad.where(power == 0, power, power * cygrad.log1p(tail * z))
        return -self.scale.log() - cygrad.where(none, z, found)

    @within_support
    def log_survival_function(self, value):
        """The logarithm of the probability of what is above a value.

        Parameters
        ----------
        value : Tensor

        Returns
        -------
        Tensor
        """
        z = self._z(value)
        none, tail = self._tail()
        return cygrad.where(none, -z, -cygrad.log1p(tail * z) / tail)

    def log_cdf(self, value):
        """The logarithm of the probability of what is not above a value.

        Parameters
        ----------
        value : Tensor

        Returns
        -------
        Tensor
        """
        return cygrad.log1p(-cygrad.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return cygrad.exp(self.log_cdf(value))

    def icdf(self, value):
        none, tail = self._tail()
        log_above = cygrad.log1p(-value)
        return cygrad.where(none, self.loc - self.scale * log_above,
                            self.loc + self.scale / tail * cygrad.expm1(-tail * log_above))

    @property
    def mean(self):
        finite = self.concentration < 1
        tail = cygrad.where(finite, self.concentration, 0.5)
        return cygrad.where(finite, self.loc + self.scale / (1 - tail), math.nan)

    @property
    def variance(self):
        finite = self.concentration < 0.5
        tail = cygrad.where(finite, self.concentration, 0.25)
        return cygrad.where(finite, self.scale ** 2 / ((1 - tail) ** 2 * (1 - 2 * tail)), math.nan)

    def entropy(self):
        found = cygrad.log(self.scale) + self.concentration + 1
        return cygrad.broadcast_to(found, self._batch_shape)

    @property
    def mode(self):
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        upper = cygrad.where(self.concentration < 0, self.loc - self.scale / self.concentration, math.inf)
        return constraints.interval(self.loc, upper)
