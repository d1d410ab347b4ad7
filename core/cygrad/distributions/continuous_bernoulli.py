"""The continuous Bernoulli distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.odds import OddsOfEvents
from cygrad.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs, within_support
from cygrad.nn.functional import binary_cross_entropy_with_logits

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(OddsOfEvents, ExponentialFamily):
    """The continuous Bernoulli distribution, of numbers from 0 to 1: its density is that of Bernoulli, normalized.

    Parameters
    ----------
    probs, logits : Tensor or float
        One of them; `probs` isn't the mean here.
    lims : tuple of float
        Between these, around 0.5, where the formulas are 0 / 0, series are taken.

    Notes
    -----
    Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational autoencoders", 2019.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.ContinuousBernoulli(0.5).mean
    tensor(0.5000)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True
    _parts = OddsOfEvents._parts

    @lazy_property
    def probs(self):
        """The probabilities, kept from 0 and 1."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        shape = self._take_odds(probs, logits)
        if logits is None:
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self._param = self.probs = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(shape, validate_args=validate_args)

    def _outside_unstable_region(self):
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self):
        return cygrad.where(self._outside_unstable_region(), self.probs, self._lims[0])

    def _by_series_near_half(self, formula, series):
        """A formula of the probability, or the series in its distance from 0.5 where that is small."""
        return cygrad.where(self._outside_unstable_region(), formula(self._cut_probs()), series(self.probs - 0.5))

    def _cont_bern_log_norm(self):
        """The logarithm of what the density is multiplied with: 2 artanh(1 - 2p) / (1 - 2p)."""
        def exact(p):
            below = cygrad.where(p <= 0.5, p, 0)
            above = cygrad.where(p >= 0.5, p, 1)
            odds = cygrad.log(cygrad.abs(cygrad.log1p(-p) - cygrad.log(p)))
            return odds - cygrad.where(p <= 0.5, cygrad.log1p(-2.0 * below), cygrad.log(2.0 * above - 1.0))
        return self._by_series_near_half(
            exact, lambda x: math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x.pow(2)) * x.pow(2))

    @property
    def mean(self):
        return self._by_series_near_half(
            lambda p: p / (2.0 * p - 1.0) + 1.0 / (cygrad.log1p(-p) - cygrad.log(p)),
            lambda x: 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x)

    @property
    def variance(self):
        return self._by_series_near_half(
            lambda p: (p * (p - 1.0) / (1.0 - 2.0 * p).pow(2) + 1.0 / (cygrad.log1p(-p) - cygrad.log(p)).pow(2)),
            lambda x: 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x.pow(2)) * x.pow(2))

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return self.icdf(cygrad.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    @within_support
    def log_prob(self, value):
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    @within_support
    def cdf(self, value):
        p = self._cut_probs()
        found = (cygrad.pow(p, value) * cygrad.pow(1.0 - p, 1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        found = cygrad.where(self._outside_unstable_region(), found, value)
        return cygrad.where(value <= 0.0, 0.0, cygrad.where(value >= 1.0, 1.0, found))

    def icdf(self, value):
        p = self._cut_probs()
        found = ((cygrad.log1p(-p + value * (2.0 * p - 1.0)) - cygrad.log1p(-p))
                 / (cygrad.log(p) - cygrad.log1p(-p)))
        return cygrad.where(self._outside_unstable_region(), found, value)

    def entropy(self):
        zero, one = cygrad.log1p(-self.probs), cygrad.log(self.probs)
        return self.mean * (zero - one) - self._cont_bern_log_norm() - zero

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        near = (x >= self._lims[0] - 0.5) & (x <= self._lims[1] - 0.5)      # exp(x) - 1 over x, by its series there
        cut = cygrad.where(near, self._lims[1] - 0.5, x)
        exact = cygrad.log(cygrad.abs(cygrad.special.expm1(cut))) - cygrad.log(cygrad.abs(cut))
        return cygrad.where(near, 0.5 * x + cygrad.pow(x, 2) / 24.0 - cygrad.pow(x, 4) / 2880.0, exact)
