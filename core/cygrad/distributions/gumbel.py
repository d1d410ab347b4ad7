"""The Gumbel distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import AffineTransform, ExpTransform
from cygrad.distributions.uniform import Uniform
from cygrad.distributions.utils import broadcast_all, euler_constant

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The Gumbel distribution, of the largest of many numbers.

    Parameters
    ----------
    loc, scale : Tensor or float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Gumbel(0., 1.).mean
    tensor(0.5772)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = cygrad.finfo(self.loc.dtype)
        base = Uniform(cygrad.full_like(self.loc, limits.tiny), cygrad.full_like(self.loc, 1 - limits.eps),
                       validate_args=validate_args)
        super().__init__(base, self._chain(), validate_args=validate_args)

    def _chain(self):
        """loc - scale * log(-log(u))."""
        return [ExpTransform().inv, AffineTransform(loc=0, scale=-cygrad.ones_like(self.scale)), ExpTransform().inv,
                AffineTransform(loc=self.loc, scale=-self.scale)]

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Gumbel, _instance)
        new.loc = self.loc.expand(batch_shape)
        new.scale = self.scale.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self):
        return self.loc + self.scale * euler_constant

    @property
    def mode(self):
        return self.loc

    @property
    def stddev(self):
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def entropy(self):
        return self.scale.log() + (1 + euler_constant)
