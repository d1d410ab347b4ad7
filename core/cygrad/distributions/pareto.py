"""The Pareto distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exponential import Exponential
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.transforms import AffineTransform, ExpTransform

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """The Pareto distribution, of numbers from `scale` on with a tail that falls like a power.

    Parameters
    ----------
    scale, alpha : Tensor or float
        The least number, and the power.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Pareto(1., 3.).mean
    tensor(1.5000)
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}
    _parts = {"scale": 0, "alpha": 0}

    def __init__(self, scale, alpha, validate_args=None):
        self._take(scale=scale, alpha=alpha)
        logarithm = Exponential(self.alpha, validate_args=validate_args)
        super().__init__(logarithm, [ExpTransform(), AffineTransform(0, self.scale)], validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.greater_than_eq(self.scale)

    mode = property(lambda self: self.scale)

    @property
    def mean(self):
        a = self.alpha.clamp(min=1)     # infinite up to there
        return a * self.scale / (a - 1)

    @property
    def variance(self):
        a = self.alpha.clamp(min=2)     # infinite up to there
        return self.scale.square() * a / ((a - 1).square() * (a - 2))

    def entropy(self):
        return cygrad.log(self.scale / self.alpha) + (1 + self.alpha.reciprocal())
