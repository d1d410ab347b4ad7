"""The multinomial distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.binomial import Binomial
from cygrad.distributions.categorical import Categorical
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.odds import OfCategories
from cygrad.distributions.utils import broadcast_all, within_support

__all__ = ["Multinomial"]


class Multinomial(OfCategories, Distribution):
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
    _parts = {**OfCategories._parts, "_binomial": 1}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs, logits)
        self._binomial = Binomial(total_count, self.probs)      # of each kind alone
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.mean * (1 - self.probs))

    def sample(self, sample_shape=()):
        sample_shape = cygrad.Size(sample_shape)
        kinds = self._categorical.sample(cygrad.Size((self.total_count,)) + sample_shape).movedim(0, -1)
        counts = kinds.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add(-1, kinds, cygrad.ones_like(kinds)).to(self.probs.dtype)

    @within_support
    def log_prob(self, value):
        value, logits = broadcast_all(value, self.logits)
        logits = logits.masked_fill((value == 0) & (logits == -math.inf), 0)
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return ways + (value * logits).sum(-1)

    def entropy(self):
        n = cygrad.tensor(self.total_count)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        repeats = self._binomial.log_prob(counts).exp() * (counts + 1).lgamma()
        return n * self._categorical.entropy() - (n + 1).lgamma() + repeats.sum((0, -1))
