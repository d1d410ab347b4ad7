"""`TransformedDistribution`: values of one distribution, passed through transforms."""
import functools
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.independent import Independent
from cygrad.distributions.transform import ComposeTransform, Transform, widened
from cygrad.distributions.utils import _sum_rightmost, of_part, within_support

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """What becomes of a distribution's values by transforms, applied one after the other.

    Parameters
    ----------
    base_distribution : Distribution
    transforms : Transform or list of Transform

    Raises
    ------
    ValueError
        If a transform is none, or takes values of more axes than the base has.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions import ExpTransform, Normal, TransformedDistribution
    >>> TransformedDistribution(Normal(0., 1.), ExpTransform()).log_prob(cygrad.tensor(1.))
    tensor(-0.9189)
    """

    arg_constraints = {}
    _parts = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = _as_list(transforms)
        chain = ComposeTransform(self.transforms)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        taken, axes = chain.domain.event_dim, len(base_distribution.event_shape)
        if len(base_shape) < taken:
            raise ValueError(f"base_distribution needs to have shape with size at least {taken}, but got {base_shape}.")
        shape = chain.forward_shape(base_shape)
        wanted = chain.inverse_shape(shape)
        if wanted != base_shape:        # the parameters of a transform have a larger batch
            base_distribution = base_distribution.expand(wanted[:len(wanted) - axes])
        if axes < taken:
            base_distribution = Independent(base_distribution, taken - axes)
        self.base_dist = base_distribution
        batch = len(shape) - max(axes, taken) - (chain.codomain.event_dim - taken)
        super().__init__(shape[:batch], shape[batch:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape, _instance)
        shape = ComposeTransform(self.transforms).inverse_shape(new.batch_shape + new.event_shape)
        new.base_dist = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        return widened(self.transforms[-1].codomain, len(self.event_shape))

    has_rsample = of_part("base_dist.has_rsample", "Whether gradients go through samples.")

    def _image(self, x):
        return functools.reduce(lambda value, transform: transform(value), self.transforms, x)

    def sample(self, sample_shape=()):
        with cygrad.no_grad():
            return self._image(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._image(self.base_dist.rsample(sample_shape))

    @within_support
    def log_prob(self, value):
        axes, found = len(self.event_shape), 0.0
        for transform in self.transforms[::-1]:
            original = transform.inv(value)
            axes += transform.domain.event_dim - transform.codomain.event_dim
            volume = transform.log_abs_det_jacobian(original, value)
            found = found - _sum_rightmost(volume, axes - transform.domain.event_dim)
            value = original
        return found + _sum_rightmost(self.base_dist.log_prob(value), axes - len(self.base_dist.event_shape))

    def _turned(self, probability):
        """A probability from the other side where the transforms decrease."""
        sign = math.prod(transform.sign for transform in self.transforms)
        return probability if isinstance(sign, int) and sign == 1 else 0.5 + sign * (probability - 0.5)

    def cdf(self, value):
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value):
        return self._image(self.base_dist.icdf(self._turned(value)))


def _as_list(transforms):
    """Transforms as a list, from one or several."""
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(each, Transform) for each in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms
