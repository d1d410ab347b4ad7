"""The half-Cauchy distribution."""
import math

from cygrad.distributions.cauchy import Cauchy
from cygrad.distributions.folded import Folded
from cygrad.distributions.utils import of_part

__all__ = ["HalfCauchy"]


class HalfCauchy(Folded):
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

    whole = Cauchy
    mean = property(lambda self: self.scale.new_full(self._batch_shape, math.inf))
    variance = of_part("base_dist.variance", "The variance.")
