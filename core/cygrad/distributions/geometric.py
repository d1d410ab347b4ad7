"""The geometric distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.odds import OddsOfEvents
from cygrad.distributions.utils import broadcast_all, within_support
from cygrad.nn.functional import binary_cross_entropy_with_logits

__all__ = ["Geometric"]


class Geometric(OddsOfEvents, Distribution):
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
    _parts = OddsOfEvents._parts

    def __init__(self, probs=None, logits=None, validate_args=None):
        super().__init__(self._take_odds(probs, logits), validate_args=validate_args)
        if self._validate_args and probs is not None:
            wrong = ~(self.probs > 0)
            if wrong.any():
                raise ValueError(f"Expected parameter probs ({type(self.probs).__name__} of shape "
                                 f"{tuple(self.probs.shape)}) of distribution {self!r} to be positive but found "
                                 f"invalid values:\n{self.probs[wrong]}")

    mean = property(lambda self: 1 / self.probs - 1)
    mode = property(lambda self: cygrad.zeros_like(self.probs))
    variance = property(lambda self: self.mean / self.probs)

    def sample(self, sample_shape=()):
        least = cygrad.finfo(self.probs.dtype).tiny
        with cygrad.no_grad():
            u = self.probs.new_empty(self._extended_shape(sample_shape)).uniform_(least, 1)
            return (u.log() / self.probs.neg().log1p()).floor()

    @within_support
    def log_prob(self, value):
        value, probs = broadcast_all(value, self.probs)
        sure = (probs == 1) & (value == 0)      # 0 times the logarithm of 0
        probs = probs.clone(memory_format=cygrad.contiguous_format)
        probs[sure] = 0
        return value * probs.neg().log1p() + self.probs.log()

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
