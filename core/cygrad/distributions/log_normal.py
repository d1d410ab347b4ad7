"""The log-normal distribution."""
from cygrad.distributions import constraints
from cygrad.distributions.normal import Normal
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import ExpTransform
from cygrad.distributions.utils import of_part

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
    _parts = {}
    loc = of_part("base_dist.loc", "The mean of the logarithms.")
    scale = of_part("base_dist.scale", "The standard deviation of the logarithms.")

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args)

    mean = property(lambda self: (self.loc + self.scale.square() / 2).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())

    @property
    def variance(self):
        squares = self.scale.square()
        return squares.expm1() * (2 * self.loc + squares).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc
