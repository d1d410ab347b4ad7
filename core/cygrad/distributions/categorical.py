"""The categorical distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.odds import probs_and_logits, the_given
from cygrad.distributions.utils import within_support

__all__ = ["Categorical"]


class Categorical(Distribution):
    """The categorical distribution: one of n numbers from 0 on.

    Parameters
    ----------
    probs, logits : Tensor
        (..., n): weights, or their logarithms up to a constant: one of them. They are normalized along the last axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Categorical(cygrad.tensor([1., 3.])).probs
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    probs, logits = probs_and_logits(is_binary=False)
    _parts = {"_param": 1, "probs": 1, "logits": 1}

    def __init__(self, probs=None, logits=None, validate_args=None):
        name, self._param = the_given(probs, logits)
        if not self._param.dim():
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if name == "probs":
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = logits - logits.logsumexp(-1, keepdim=True)
        *batch, self._num_events = self._param.shape
        super().__init__(cygrad.Size(batch), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._param.shape

    mean = variance = property(lambda self: self.probs.new_full(self._batch_shape, math.nan))
    mode = property(lambda self: self.probs.argmax(-1))

    def sample(self, sample_shape=()):
        draws = cygrad.Size(sample_shape).numel()
        with cygrad.no_grad():
            rows = self.probs.reshape(-1, self._num_events).multinomial(draws, replacement=True)
        return rows.T.reshape(self._extended_shape(sample_shape))

    @within_support
    def log_prob(self, value):
        places, logs = cygrad.broadcast_tensors(value.long()[..., None], self.logits)
        return logs.gather(-1, places[..., :1]).squeeze(-1)

    def entropy(self):
        logs = self.logits.clamp(min=cygrad.finfo(self.logits.dtype).min)       # 0 times minus infinity is 0 here
        return (logs * self.probs).sum(-1).neg()

    def enumerate_support(self, expand=True):
        return self._enumerated(cygrad.arange(self._num_events, device=self._param.device), expand)
