"""The relaxed categorical distribution, which gradients go through."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.categorical import Categorical
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import ExpTransform
from cygrad.distributions.utils import broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """The logarithms of the vectors of `RelaxedOneHotCategorical`.

    Parameters
    ----------
    temperature : Tensor
    probs, logits : Tensor
        (..., n): weights, or their logarithms up to a constant: one of them.

    Notes
    -----
    Maddison, Mnih and Teh, "The concrete distribution", 2017; Jang, Gu and Poole, "Categorical reparameterization with
    Gumbel-softmax", 2017.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions.relaxed_categorical import ExpRelaxedCategorical
    >>> ExpRelaxedCategorical(cygrad.tensor(1.), cygrad.ones(3)).rsample().shape
    cygrad.Size([3])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:],
                         validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(ExpRelaxedCategorical, _instance)
        new.temperature = self.temperature
        new._categorical = self._categorical.expand(cygrad.Size(batch_shape))
        return self._expanded(ExpRelaxedCategorical, new, batch_shape)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._categorical.param_shape

    @property
    def logits(self):
        """Logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self):
        """The probabilities."""
        return self._categorical.probs

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        u = clamp_probs(cygrad.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        scores = (self.logits - (-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        n = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        scale = cygrad.full_like(self.temperature, float(n)).lgamma() + self.temperature.log() * (n - 1)
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """Shares of which one is near 1 where the temperature is low.

    Parameters
    ----------
    temperature : Tensor
    probs, logits : Tensor
        (..., n): weights, or their logarithms up to a constant: one of them.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.RelaxedOneHotCategorical(cygrad.tensor(1.), cygrad.ones(3)).probs
    tensor([0.3333, 0.3333, 0.3333])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(RelaxedOneHotCategorical, _instance))

    @property
    def temperature(self):
        """How far vectors are from those of zeros and a one."""
        return self.base_dist.temperature

    @property
    def logits(self):
        """Logarithms of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self):
        """The probabilities."""
        return self.base_dist.probs
