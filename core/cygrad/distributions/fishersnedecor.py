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

    @property
    def mean(self):
        return cygrad.where(self.df2 > 2, self.df2 / (self.df2 - 2), math.nan)

    @property
    def mode(self):
        found = (1 - 2 / self.df1) * self.df2 / (self.df2 + 2)
        return cygrad.where(self.df1 > 2, found, math.nan)

    @property
    def variance(self):
        m, n = self.df1, self.df2
        found = 2 * (n / (n - 2)).square() * (m + n - 2) / (m * (n - 4))
        return cygrad.where(n > 4, found, math.nan)

    def rsample(self, sample_shape=()):
        drawn = []
        for part in (self._above, self._below):
            drawn.append(part.rsample(sample_shape).view(self._extended_shape(sample_shape)))
        above, below = drawn
        least = cygrad.finfo(below.dtype).tiny
        below.detach().clamp_(min=least)
        ratio = above / below
        ratio.detach().clamp_(min=least)
        return ratio

    @within_support
    def log_prob(self, value):
        a, b, ratio = self.df1 / 2, self.df2 / 2, self.df1 / self.df2
        log_beta = a.lgamma() + b.lgamma() - (a + b).lgamma()
        return a * ratio.log() + (a - 1) * value.log() - (a + b) * (value * ratio).log1p() - log_beta
