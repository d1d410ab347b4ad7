"""The multinomial distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.binomial import Binomial
from cygrad.distributions.categorical import Categorical
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """The multinomial distribution: how often each of n kinds comes in `total_count` draws.

    Parameters
    ----------
    total_count : int
    probs, logits : Tensor
        (..., n): weights, or their logarithms up to a constant: one of them.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Multinomial(8, cygrad.tensor([1., 3.])).mean
    tensor([2., 6.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:],
                         validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Multinomial, _instance)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(cygrad.Size(batch_shape))
        new._binomial = Binomial(self.total_count, probs=new._categorical.probs, validate_args=False)
        return self._expanded(Multinomial, new, batch_shape)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    @property
    def mean(self):
        return self.probs * self.total_count

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    @property
    def logits(self):
        """Logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self):
        """The probabilities."""
        return self._categorical.probs

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._categorical.param_shape

    def sample(self, sample_shape=()):
        sample_shape = cygrad.Size(sample_shape)
        drawn = self._categorical.sample(cygrad.Size((self.total_count,)) + sample_shape).movedim(0, -1)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, drawn, cygrad.ones_like(drawn)).type_as(self.probs)

    def entropy(self):
        n = cygrad.tensor(self.total_count)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        repeats = cygrad.exp(self._binomial.log_prob(counts)) * cygrad.lgamma(counts + 1)
        return n * self._categorical.entropy() - cygrad.lgamma(n + 1) + repeats.sum([0, -1])

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -math.inf), 0)
        return (cygrad.lgamma(value.sum(-1) + 1) - cygrad.lgamma(value + 1).sum(-1)) + (logits * value).sum(-1)
