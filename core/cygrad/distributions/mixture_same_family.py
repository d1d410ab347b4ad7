"""Mixtures of distributions of one family."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.categorical import Categorical
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import of_part

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture whose components are the last axis of a distribution's batch.

    Parameters
    ----------
    mixture_distribution : Categorical
        The weights of the components.
    component_distribution : Distribution
        (..., components) of them.

    Raises
    ------
    ValueError
        If one is something else, or their shapes don't fit.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions import Categorical, MixtureSameFamily, Normal
    >>> MixtureSameFamily(Categorical(cygrad.ones(2)), Normal(cygrad.tensor([0., 4.]), 1.)).mean
    tensor(2.)
    """

    arg_constraints = {}
    _parts = {"_mixture_distribution": 0, "_component_distribution": 1}
    mixture_distribution = of_part("_mixture_distribution", "The weights of the components.")
    component_distribution = of_part("_component_distribution", "The components.")

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        mixed = mixture_distribution.batch_shape
        batch_shape = component_distribution.batch_shape[:-1]
        for one, other in zip(reversed(mixed), reversed(batch_shape)):
            if one != 1 and other != 1 and one != other:
                raise ValueError(f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
                                 f"`component_distribution.batch_shape`({batch_shape})")
        weights = mixture_distribution.logits.shape[-1]
        components = component_distribution.batch_shape[-1]
        if weights != components:
            raise ValueError(f"`mixture_distribution component` ({weights}) does not equal "
                             f"`component_distribution.batch_shape[-1]` ({components})")
        self._num_component = weights
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(batch_shape, component_distribution.event_shape, validate_args=validate_args)

    @constraints.dependent_property
    def support(self):
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    def _over_components(self, value):
        """The weighted sum of something that the components have."""
        weights = self._pad_mixture_dimensions(self.mixture_distribution.probs)
        return cygrad.sum(weights * value, dim=-1 - self._event_ndims)

    @property
    def mean(self):
        return self._over_components(self.component_distribution.mean)

    @property
    def variance(self):
        within = self._over_components(self.component_distribution.variance)
        away = self.component_distribution.mean - self._pad(self.mean)
        return within + self._over_components(away.pow(2))

    def cdf(self, x):
        return cygrad.sum(self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x):
        if self._validate_args:
            self._validate_sample(x)
        each = self.component_distribution.log_prob(self._pad(x))
        return cygrad.logsumexp(each + cygrad.log_softmax(self.mixture_distribution.logits, dim=-1), dim=-1)

    def sample(self, sample_shape=()):
        with cygrad.no_grad():
            sample_shape = cygrad.Size(sample_shape)
            axis = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            chosen = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            chosen = chosen.expand(drawn.shape[:axis] + (1,) + self._event_shape)
            return cygrad.gather(drawn, axis, chosen).squeeze(axis)

    def _pad(self, x):
        """A value with an axis for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x):
        """Weights with axes for the event."""
        missing = len(self._batch_shape) - len(self.mixture_distribution.batch_shape)
        shape = x.shape
        return x.reshape(shape[:-1] + (1,) * missing + shape[-1:] + (1,) * self._event_ndims)

    def __repr__(self):
        parts = f"\n  {self.mixture_distribution},\n  {self.component_distribution}"
        return "MixtureSameFamily(" + parts + ")"
