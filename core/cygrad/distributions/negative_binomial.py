"""The negative binomial distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.binomial import CountedOdds
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.gamma import Gamma
from cygrad.distributions.utils import lazy_property, within_support
from cygrad.nn.functional import logsigmoid

__all__ = ["NegativeBinomial"]


class NegativeBinomial(CountedOdds, Distribution):
    """The negative binomial distribution: how many trials succeed before `total_count` of them have failed.

    Parameters
    ----------
    total_count : float or Tensor
        Not negative; it need not be whole.
    probs, logits : Tensor
        The probability of a success, or its log odds: one of them.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.NegativeBinomial(3, probs=cygrad.tensor(0.5)).mean
    tensor(3.)
    """

    arg_constraints = {"total_count": constraints.nonnegative, "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}
    support = constraints.nonnegative_integer
    _parts = CountedOdds._parts

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        super().__init__(self._take_counted(total_count, probs, logits), validate_args=validate_args)

    mean = property(lambda self: self.total_count * self.logits.exp())
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0))
    variance = property(lambda self: self.mean / (-self.logits).sigmoid())

    @lazy_property
    def _gamma(self):
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape=()):
        with cygrad.no_grad():      # a Poisson distribution whose rate is drawn from a gamma distribution
            return cygrad.poisson(self._gamma.sample(sample_shape))

    @within_support
    def log_prob(self, value):
        n = self.total_count
        fewer = -(n + value).lgamma() + (value + 1).lgamma() + n.lgamma()
        fewer = fewer.masked_fill(n + value == 0, 0)
        return n * logsigmoid(-self.logits) + value * logsigmoid(self.logits) - fewer
