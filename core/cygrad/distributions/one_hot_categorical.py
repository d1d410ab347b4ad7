"""The categorical distribution, with values as vectors of zeros and a one."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.categorical import Categorical
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.odds import OfCategories
from cygrad.distributions.utils import within_support
from cygrad.nn.functional import one_hot

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(OfCategories, Distribution):
    """The categorical distribution of vectors that are 1 in one place and 0 elsewhere.

    Parameters
    ----------
    probs, logits : Tensor
        (..., n): weights, or their logarithms up to a constant: one of them.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.OneHotCategorical(cygrad.tensor([0., 1.])).sample()
    tensor([0., 1.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True
    _parts = OfCategories._parts

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    def _one_hot(self, places):
        return one_hot(places, self._event_shape[0]).to(self.probs.dtype)

    @property
    def mode(self):
        return self._one_hot(self._categorical.mode)

    def sample(self, sample_shape=()):
        return self._one_hot(self._categorical.sample(sample_shape))

    @within_support
    def log_prob(self, value):
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        each = cygrad.eye(self._event_shape[0], dtype=self._param.dtype, device=self._param.device)
        return self._enumerated(each, expand)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """The same, where gradients go through samples as if these were the probabilities.

    Notes
    -----
    Bengio, Leonard and Courville, "Estimating or propagating gradients through stochastic neurons", 2013.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.OneHotCategoricalStraightThrough(cygrad.tensor([0., 1.])).rsample()
    tensor([0., 1.])
    """

    has_rsample = True

    def rsample(self, sample_shape=()):
        probs = self.probs
        return self.sample(sample_shape) + (probs - probs.detach())
