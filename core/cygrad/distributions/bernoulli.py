"""The Bernoulli distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.odds import OddsOfEvents
from cygrad.distributions.utils import broadcast_all, within_support
from cygrad.nn.functional import binary_cross_entropy_with_logits

__all__ = ["Bernoulli"]


class Bernoulli(OddsOfEvents, ExponentialFamily):
    """The Bernoulli distribution: 1 with a probability, else 0.

    Parameters
    ----------
    probs, logits : Tensor or float
        The probability of 1, or its log odds: one of them.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Bernoulli(probs=0.25).log_prob(cygrad.tensor(1.))
    tensor(-1.3863)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0
    _parts = OddsOfEvents._parts

    def __init__(self, probs=None, logits=None, validate_args=None):
        super().__init__(self._take_odds(probs, logits), validate_args=validate_args)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self):
        likelier = (self.probs > 0.5).to(self.probs.dtype)
        likelier[self.probs == 0.5] = math.nan
        return likelier

    def sample(self, sample_shape=()):
        with cygrad.no_grad():
            return self.probs.expand(self._extended_shape(sample_shape)).bernoulli()

    @within_support
    def log_prob(self, value):
        value, logits = broadcast_all(value, self.logits)
        return binary_cross_entropy_with_logits(logits, value, reduction="none").neg()

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        return self._enumerated(cygrad.arange(2, dtype=self._param.dtype, device=self._param.device), expand)

    @property
    def _natural_params(self):
        return (self.probs.logit(),)

    def _log_normalizer(self, x):
        return x.exp().log1p()
