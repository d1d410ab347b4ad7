"""The relaxed Bernoulli distribution, which gradients go through."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.odds import OddsOfEvents
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import SigmoidTransform
from cygrad.distributions.utils import broadcast_all, clamp_probs, of_part, within_support

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(OddsOfEvents, Distribution):
    """The log odds of the numbers of `RelaxedBernoulli`.

    Parameters
    ----------
    temperature : Tensor
    probs, logits : Tensor or float
        The probability of 1, or its log odds: one of them.

    Notes
    -----
    Maddison, Mnih and Teh, "The concrete distribution", 2017.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
    >>> LogitRelaxedBernoulli(cygrad.tensor(1.), 0.5).log_prob(cygrad.tensor(0.))
    tensor(-1.3863)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    _parts = OddsOfEvents._parts

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        super().__init__(self._take_odds(probs, logits), validate_args=validate_args)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(cygrad.rand(shape, dtype=probs.dtype, device=probs.device))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    @within_support
    def log_prob(self, value):
        value, logits = broadcast_all(value, self.logits)
        away = logits - value * self.temperature
        return self.temperature.log() + away - 2 * away.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """Numbers between 0 and 1 that are near 0 or 1 where the temperature is low.

    Parameters
    ----------
    temperature : Tensor
    probs, logits : Tensor or float
        The probability of 1, or its log odds: one of them.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.RelaxedBernoulli(cygrad.tensor(1.), 0.5).log_prob(cygrad.tensor(0.5))
    tensor(0.)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _parts = {}
    temperature = of_part("base_dist.temperature", "How far numbers are from 0 and 1.")
    logits = of_part("base_dist.logits", "Log odds of 1.")
    probs = of_part("base_dist.probs", "Probabilities of 1.")

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args)
