"""The von Mises distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import lazy_property, within_support

__all__ = ["VonMises"]


class VonMises(Distribution):
    """The von Mises distribution, of angles from -pi to pi.

    Parameters
    ----------
    loc : Tensor
        The mean angle.
    concentration : Tensor
        How near the others are to it.

    Notes
    -----
    Samples are drawn from a wrapped Cauchy distribution and kept or rejected (Best and Fisher, "Efficient simulation of
    the von Mises distribution", 1979), in double precision.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.VonMises(cygrad.tensor(1.), cygrad.tensor(4.)).mean
    tensor(1.)
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    _parts = {"loc": 0, "concentration": 0}

    def __init__(self, loc, concentration, validate_args=None):
        super().__init__(self._take(loc=loc, concentration=concentration), validate_args=validate_args)

    @within_support
    def log_prob(self, value):
        log_bessel = cygrad.log(cygrad.special.i0e(self.concentration)) + self.concentration
        return self.concentration * cygrad.cos(value - self.loc) - math.log(2 * math.pi) - log_bessel

    @lazy_property
    def _loc(self):
        return self.loc.to(cygrad.double)

    @lazy_property
    def _concentration(self):
        return self.concentration.to(cygrad.double)

    @lazy_property
    def _proposal_r(self):
        k = self._concentration
        tau = 1 + (1 + 4 * k ** 2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * k)
        # by its series where rho is all rounding
        return cygrad.where(k < 1e-5, 1 / k + k, (1 + rho ** 2) / (2 * rho))

    @cygrad.no_grad()
    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        angles = cygrad.empty(shape, dtype=self._loc.dtype, device=self.loc.device)
        k, r = self._concentration.expand(shape), self._proposal_r.expand(shape)
        done = cygrad.zeros(shape, dtype=cygrad.bool, device=self.loc.device)
        while not done.all():
            first, second, side = cygrad.rand((3, *shape), dtype=angles.dtype, device=angles.device).unbind()
            z = cygrad.cos(math.pi * first)
            f = (1 + r * z) / (r + z)
            c = k * (r - f)
            kept = ((c * (2 - c) - second) > 0) | ((c / second).log() + 1 - c >= 0)
            angles = cygrad.where(kept, (side - 0.5).sign() * f.acos(), angles)
            done = done | kept
        return ((angles + math.pi + self._loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    mean = mode = property(lambda self: self.loc)

    @lazy_property
    def variance(self):
        """The circular variance: one minus the length of the mean direction."""
        return 1 - cygrad.special.i1e(self.concentration) / cygrad.special.i0e(self.concentration)
