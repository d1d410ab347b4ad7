"""The logistic-normal distribution."""
from cygrad.distributions import constraints
from cygrad.distributions.normal import Normal
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import StickBreakingTransform

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

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(LogisticNormal, _instance))

    @property
    def loc(self):
        """The mean of the normal numbers."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self):
        """The standard deviation of the normal numbers."""
        return self.base_dist.base_dist.scale
