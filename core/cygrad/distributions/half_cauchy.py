"""The half-Cauchy distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.cauchy import Cauchy
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import AbsTransform

__all__ = ["HalfCauchy"]


class HalfCauchy(TransformedDistribution):
    """The distribution of the absolute value of a Cauchy number around 0.

    Parameters
    ----------
    scale : Tensor or float
        The Cauchy number's, which is the median here.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.HalfCauchy(1.).cdf(cygrad.tensor(1.))
    tensor(0.5000)
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale, validate_args=None):
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(HalfCauchy, _instance))

    @property
    def scale(self):
        """The Cauchy number's scale."""
        return self.base_dist.scale

    @property
    def mean(self):
        return cygrad.full(self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def mode(self):
        return cygrad.zeros_like(self.scale)

    @property
    def variance(self):
        return self.base_dist.variance

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value = cygrad.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return cygrad.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)
