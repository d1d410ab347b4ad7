"""The F distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.gamma import Gamma
from cygrad.distributions.utils import within_support

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The F distribution: the ratio of two chi-squared numbers' means.

    Parameters
    ----------
    df1, df2 : Tensor or float
        Degrees of freedom above and below.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.FisherSnedecor(1., 4.).mean
    tensor(2.)
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _parts = {"df1": 0, "df2": 0, "_above": 0, "_below": 0}

    def __init__(self, df1, df2, validate_args=None):
        shape = self._take(df1=df1, df2=df2)
        self._above, self._below = (Gamma(df * 0.5, df) for df in (self.df1, self.df2))
        super().__init__(shape, validate_args=validate_args)

    def _below_from(self, least):
        """`df2`, nan where it is too small for a moment."""
        n = self.df2.clone(memory_format=cygrad.contiguous_format)
        n[n <= least] = math.nan
        return n

    @property
    def mean(self):
        n = self._below_from(2)
        return n / (n - 2)

    @property
    def mode(self):
        found = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        found[self.df1 <= 2] = math.nan
        return found

    @property
    def variance(self):
        m, n = self.df1, self._below_from(4)
        return 2 * n.square() * (m + n - 2) / (m * (n - 2).square() * (n - 4))

    def rsample(self, sample_shape=()):
        drawn = []
        for part in (self._above, self._below):
            drawn.append(part.rsample(sample_shape).view(self._extended_shape(sample_shape)))
        above, below = drawn
        least = cygrad.finfo(below.dtype).tiny
        below.clamp_(min=least)
        ratio = above / below
        ratio.clamp_(min=least)
        return ratio

    @within_support
    def log_prob(self, value):
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        over_beta = (a + b).lgamma() - a.lgamma() - b.lgamma()
        return over_beta + (a * ratio.log() + (a - 1) * value.log()) - (a + b) * (ratio * value).log1p()
