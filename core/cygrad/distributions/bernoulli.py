"""The Bernoulli distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.utils import broadcast_all, probs_and_logits, take_odds
from cygrad.nn.functional import binary_cross_entropy_with_logits

__all__ = ["Bernoulli"]


class Bernoulli(ExponentialFamily):
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
    probs, logits = probs_and_logits(is_binary=True)

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._param, shape = take_odds(self, probs, logits)
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Bernoulli, _instance, batch_shape, _param=0, probs=0, logits=0)

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        return (self.probs >= 0.5).to(self.probs).masked_fill(self.probs == 0.5, math.nan)

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._param.size()

    def sample(self, sample_shape=()):
        with cygrad.no_grad():
            return cygrad.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        values = cygrad.arange(2, dtype=self._param.dtype, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values

    @property
    def _natural_params(self):
        return (cygrad.logit(self.probs),)

    def _log_normalizer(self, x):
        return cygrad.log1p(cygrad.exp(x))
