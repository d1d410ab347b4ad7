"""The categorical distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import need_one, probs_and_logits

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

    def __init__(self, probs=None, logits=None, validate_args=None):
        need_one(probs, logits)
        name, given = ("probs", probs) if logits is None else ("logits", logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if logits is None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._param = given
        self._num_events = given.size()[-1]
        super().__init__(given.size()[:-1], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Categorical, _instance)
        new._num_events = self._num_events
        return self._expanded(Categorical, new, batch_shape, _param=1, probs=1, logits=1)

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._param.size()

    @property
    def mean(self):
        return cygrad.full(self._extended_shape(), math.nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self):
        return self.probs.argmax(dim=-1)

    @property
    def variance(self):
        return cygrad.full(self._extended_shape(), math.nan, dtype=self.probs.dtype, device=self.probs.device)

    def sample(self, sample_shape=()):
        if not isinstance(sample_shape, cygrad.Size):
            sample_shape = cygrad.Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        with cygrad.no_grad():
            drawn = cygrad.multinomial(rows, sample_shape.numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value, logs = cygrad.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logs.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        logs = self.logits.clamp(min=cygrad.finfo(self.logits.dtype).min)       # 0 times minus infinity is 0 here
        return -(logs * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        values = cygrad.arange(self._num_events, dtype=cygrad.long, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values
