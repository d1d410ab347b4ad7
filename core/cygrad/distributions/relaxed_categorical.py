"""The relaxed categorical distribution, which gradients go through."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.categorical import Categorical
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.odds import OfCategories
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import ExpTransform
from cygrad.distributions.utils import broadcast_all, clamp_probs, of_part, within_support

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(OfCategories, Distribution):
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
    _parts = OfCategories._parts

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        u = clamp_probs(cygrad.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbel = u.log().neg().log().neg()
        return _normalized((self.logits + gumbel) / self.temperature)

    @within_support
    def log_prob(self, value):
        value, logits = broadcast_all(value, self.logits)
        n = cygrad.full_like(self.temperature, self._event_shape[0])
        scale = n.lgamma() - self.temperature.log() * -(self._event_shape[0] - 1)
        return _normalized(logits - value * self.temperature).sum(-1) + scale


def _normalized(scores):
    """Logarithms of shares, from logarithms up to a constant."""
    return scores - scores.logsumexp(-1, keepdim=True)


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
    _parts = {}
    temperature = of_part("base_dist.temperature", "How far vectors are from those of zeros and a one.")
    logits = of_part("base_dist.logits", "Logarithms of the probabilities.")
    probs = of_part("base_dist.probs", "The probabilities.")

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args)
