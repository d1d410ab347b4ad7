"""The categorical distribution, with values as vectors of zeros and a one."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.categorical import Categorical
from cygrad.distributions.distribution import Distribution
from cygrad.nn.functional import one_hot

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
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

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:],
                         validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(OneHotCategorical, _instance)
        new._categorical = self._categorical.expand(cygrad.Size(batch_shape))
        return self._expanded(OneHotCategorical, new, batch_shape)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    @property
    def _param(self):
        return self._categorical._param

    @property
    def probs(self):
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self):
        """Their logarithms."""
        return self._categorical.logits

    @property
    def mean(self):
        return self._categorical.probs

    @property
    def mode(self):
        return one_hot(self.probs.argmax(dim=-1), num_classes=self.probs.shape[-1]).to(self.probs)

    @property
    def variance(self):
        return self._categorical.probs * (1 - self._categorical.probs)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._categorical.param_shape

    def sample(self, sample_shape=()):
        return one_hot(self._categorical.sample(cygrad.Size(sample_shape)), self._event_shape[0]).to(self.probs)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n = self.event_shape[0]
        values = cygrad.eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n,) + self.batch_shape + (n,)) if expand else values


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
        samples = self.sample(sample_shape)
        probs = self._categorical.probs     # kept while the graph lives
        return samples + (probs - probs.detach())
