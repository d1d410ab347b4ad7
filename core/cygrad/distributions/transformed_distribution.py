"""`TransformedDistribution`: values of one distribution, passed through transforms."""
import functools
import operator

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.independent import Independent
from cygrad.distributions.transforms import ComposeTransform, Transform
from cygrad.distributions.utils import _sum_rightmost

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

    def __init__(self, base_distribution, transforms, validate_args=None):
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(t, Transform) for t in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_axes = len(base_distribution.event_shape)
        transform = ComposeTransform(self.transforms)
        taken, given = transform.domain.event_dim, transform.codomain.event_dim
        if len(base_shape) < taken:
            raise ValueError(f"base_distribution needs to have shape with size at least {taken}, but got {base_shape}.")
        shape = transform.forward_shape(base_shape)
        expanded = transform.inverse_shape(shape)
        if base_shape != expanded:      # parameters of a transform have a larger batch
            base_distribution = base_distribution.expand(expanded[:len(expanded) - base_axes])
        if taken > base_axes:
            base_distribution = Independent(base_distribution, taken - base_axes)
        self.base_dist = base_distribution
        cut = len(shape) - max(given, base_axes + given - taken)
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(TransformedDistribution, _instance)
        batch_shape = cygrad.Size(batch_shape)
        shape = batch_shape + self.event_shape
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        super(TransformedDistribution, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    def _transformed(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape=()):
        with cygrad.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        axes = len(self.event_shape)
        total, y = 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            axes += transform.domain.event_dim - transform.codomain.event_dim
            total = total - _sum_rightmost(transform.log_abs_det_jacobian(x, y), axes - transform.domain.event_dim)
            y = x
        return total + _sum_rightmost(self.base_dist.log_prob(y), axes - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value):
        """A probability from the other side where the transforms decrease."""
        sign = functools.reduce(operator.mul, (transform.sign for transform in self.transforms), 1)
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def cdf(self, value):
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value):
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))
