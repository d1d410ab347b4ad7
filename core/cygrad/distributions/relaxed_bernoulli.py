"""The relaxed Bernoulli distribution, which gradients go through."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import SigmoidTransform
from cygrad.distributions.utils import broadcast_all, clamp_probs, probs_and_logits, take_odds

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Distribution):
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
    probs, logits = probs_and_logits(is_binary=True)

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        self._param, shape = take_odds(self, probs, logits)
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(LogitRelaxedBernoulli, _instance)
        new.temperature = self.temperature
        return self._expanded(LogitRelaxedBernoulli, new, batch_shape, _param=0, probs=0, logits=0)

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._param.size()

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(cygrad.rand(shape, dtype=probs.dtype, device=probs.device))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        away = logits - value.mul(self.temperature)
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

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(),
                         validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(RelaxedBernoulli, _instance))

    @property
    def temperature(self):
        """How far numbers are from 0 and 1."""
        return self.base_dist.temperature

    @property
    def logits(self):
        """Log odds of 1."""
        return self.base_dist.logits

    @property
    def probs(self):
        """Probabilities of 1."""
        return self.base_dist.probs
