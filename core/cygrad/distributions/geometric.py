"""The geometric distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import broadcast_all, probs_and_logits, take_odds
from cygrad.nn.functional import binary_cross_entropy_with_logits

__all__ = ["Geometric"]


class Geometric(Distribution):
    """The geometric distribution: how many trials fail before the first success.

    Parameters
    ----------
    probs, logits : Tensor or float
        The probability of a success, or its log odds: one of them.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Geometric(0.25).mean
    tensor(3.)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer
    probs, logits = probs_and_logits(is_binary=True)

    def __init__(self, probs=None, logits=None, validate_args=None):
        value, shape = take_odds(self, probs, logits)
        super().__init__(shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not (value > 0).all():
            raise ValueError(f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of "
                             f"distribution {self!r} to be positive but found invalid values:\n{value[~(value > 0)]}")

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Geometric, _instance, batch_shape, probs=0, logits=0)

    @property
    def mean(self):
        return 1.0 / self.probs - 1.0

    @property
    def mode(self):
        return cygrad.zeros_like(self.probs)

    @property
    def variance(self):
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with cygrad.no_grad():
            u = self.probs.new_empty(shape).uniform_(cygrad.finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        failing = probs.masked_fill((probs == 1) & (value == 0), 0)      # no failure was needed
        return value * (-failing).log1p() + self.probs.log()

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
