"""Absolute values of numbers from a distribution that is symmetric around 0."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import AbsTransform
from cygrad.distributions.utils import of_part, within_support


class Folded(TransformedDistribution):
    """What becomes of `whole`, a class of distributions that take `loc` and `scale`, around 0 by `abs`."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    whole: type
    scale = of_part("base_dist.scale", "That of the distribution to both sides.")

    def __init__(self, scale, validate_args=None):
        super().__init__(self.whole(0, scale, validate_args=False), AbsTransform(), validate_args)

    _parts = {}
    mode = property(lambda self: cygrad.zeros_like(self.scale))

    @within_support
    def log_prob(self, value):
        value = cygrad.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return cygrad.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    @within_support
    def cdf(self, value):
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((1 + prob) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)
