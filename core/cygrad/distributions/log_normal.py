"""The log-normal distribution."""
from cygrad.distributions import constraints
from cygrad.distributions.normal import Normal
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import ExpTransform

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """The distribution of numbers whose logarithms are normal.

    Parameters
    ----------
    loc, scale : Tensor or float
        Mean and standard deviation of the logarithms.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.LogNormal(0., 1.).mean
    tensor(1.6487)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(LogNormal, _instance))

    @property
    def loc(self):
        """The mean of the logarithms."""
        return self.base_dist.loc

    @property
    def scale(self):
        """The standard deviation of the logarithms."""
        return self.base_dist.scale

    @property
    def mean(self):
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self):
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self):
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc
