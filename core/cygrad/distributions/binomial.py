"""The binomial distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import broadcast_all, need_one, probs_and_logits
from cygrad.nn.functional import softplus

__all__ = ["Binomial"]


def take_counted_odds(self, total_count, probs, logits):
    """Keep counts and probs or logits, whichever is given, with one shape."""
    need_one(probs, logits)
    name, given = ("probs", probs) if logits is None else ("logits", logits)
    self.total_count, value = broadcast_all(total_count, given)
    self.total_count = self.total_count.type_as(value)
    setattr(self, name, value)
    self._param = value
    return value.size()


class Binomial(Distribution):
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
    probs, logits = probs_and_logits(is_binary=True)

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        shape = take_counted_odds(self, total_count, probs, logits)
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Binomial, _instance, batch_shape, total_count=0, _param=0, probs=0, logits=0)

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def mode(self):
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._param.size()

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with cygrad.no_grad():
            return cygrad.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        ways = (cygrad.lgamma(self.total_count + 1) - cygrad.lgamma(value + 1)
                - cygrad.lgamma(self.total_count - value + 1))
        return value * self.logits + ways - self.total_count * softplus(self.logits)

    def _one_count(self, method):
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
        return count

    def entropy(self):
        self._one_count("entropy")
        found = self.log_prob(self.enumerate_support(False))
        return -(cygrad.exp(found) * found).sum(0)

    def enumerate_support(self, expand=True):
        count = self._one_count("enumerate_support")
        values = cygrad.arange(1 + count, dtype=self._param.dtype, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values
