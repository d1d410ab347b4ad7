"""The logistic-normal distribution."""
from cygrad.distributions import constraints
from cygrad.distributions.normal import Normal
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import StickBreakingTransform
from cygrad.distributions.utils import of_part

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """The distribution of shares that become normal numbers by the inverse of `StickBreakingTransform`.

    Parameters
    ----------
    loc, scale : Tensor or float
        (..., n): mean and standard deviation of the normal numbers, one fewer than shares.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.LogisticNormal(cygrad.zeros(2), cygrad.ones(2)).event_shape
    cygrad.Size([3])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    _parts = {}
    loc = of_part("base_dist.base_dist.loc", "The mean of the normal numbers.")
    scale = of_part("base_dist.base_dist.scale", "The standard deviation of the normal numbers.")

    def __init__(self, loc, scale, validate_args=None):
        numbers = Normal(loc, scale, validate_args=validate_args)
        super().__init__(numbers if numbers.batch_shape else numbers.expand([1]), StickBreakingTransform(),
                         validate_args)
