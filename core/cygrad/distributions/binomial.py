"""The binomial distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.odds import OddsOfEvents
from cygrad.distributions.utils import within_support

__all__ = ["Binomial"]


class CountedOdds(OddsOfEvents):
    """Of distributions of so many events, in success or failure."""

    _parts = {"total_count": 0, **OddsOfEvents._parts}

    def _take_counted(self, total_count, probs, logits):
        """Keep counts and what is given of odds, all of one shape and dtype; return the shape."""
        shape = self._take_odds(probs, logits, total_count=total_count)
        self.total_count = self.total_count.type_as(self._param)
        return shape


class Binomial(CountedOdds, Distribution):
    """The binomial distribution: how many of `total_count` trials succeed.

    Parameters
    ----------
    total_count : int or Tensor
    probs, logits : Tensor
        The probability of a success, or its log odds: one of them.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Binomial(8, probs=cygrad.tensor(0.25)).mean
    tensor(2.)
    """

    arg_constraints = {"total_count": constraints.nonnegative_integer, "probs": constraints.unit_interval,
                       "logits": constraints.real}
    has_enumerate_support = True
    _parts = CountedOdds._parts

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        super().__init__(self._take_counted(total_count, probs, logits), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    mean = property(lambda self: self.total_count * self.probs)
    variance = property(lambda self: self.mean * (1 - self.probs))

    @property
    def mode(self):
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with cygrad.no_grad():
            return cygrad.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    @within_support
    def log_prob(self, value):
        n = self.total_count
        above = (self.logits.clamp(min=0) + self.logits - self.logits.clamp(max=0)) / 2     # a slope of 1/2 at 0
        normalizer = n * above + n * (-self.logits.abs()).exp().log1p() - (n + 1).lgamma()
        return value * self.logits - (value + 1).lgamma() - (n - value + 1).lgamma() - normalizer

    def _one_count(self, method):
        counts = self.total_count.unique()
        if counts.numel() > 1:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
        return int(counts)

    def entropy(self):
        self._one_count("entropy")
        logs = self.log_prob(self.enumerate_support(expand=False))
        return (logs.exp() * logs).sum(0).neg()

    def enumerate_support(self, expand=True):
        last = self._one_count("enumerate_support")
        return self._enumerated(cygrad.arange(last + 1, dtype=self._param.dtype, device=self._param.device), expand)
