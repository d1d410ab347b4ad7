"""The negative binomial distribution."""
import cygrad
import cygrad.nn.functional as F
from cygrad.distributions import constraints
from cygrad.distributions.binomial import take_counted_odds
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.gamma import Gamma
from cygrad.distributions.utils import lazy_property, probs_and_logits

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Distribution):
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

    arg_constraints = {"total_count": constraints.greater_than_eq(0),
                       "probs": constraints.half_open_interval(0.0, 1.0), "logits": constraints.real}
    support = constraints.nonnegative_integer
    probs, logits = probs_and_logits(is_binary=True)

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        shape = take_counted_odds(self, total_count, probs, logits)
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(NegativeBinomial, _instance, batch_shape, total_count=0, _param=0, probs=0, logits=0)

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @property
    def mean(self):
        return self.total_count * cygrad.exp(self.logits)

    @property
    def mode(self):
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        return self.mean / cygrad.sigmoid(-self.logits)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._param.size()

    @lazy_property
    def _gamma(self):
        return Gamma(concentration=self.total_count, rate=cygrad.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape=()):
        with cygrad.no_grad():      # a Poisson distribution whose rate is drawn from a gamma distribution
            return cygrad.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        found = self.total_count * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        ways = (cygrad.lgamma(self.total_count + value) - cygrad.lgamma(1.0 + value)
                - cygrad.lgamma(self.total_count))
        return found + ways.masked_fill(self.total_count + value == 0.0, 0.0)
