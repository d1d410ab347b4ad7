"""The F distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.gamma import Gamma
from cygrad.distributions.utils import batch_shape_of, broadcast_all

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

    def __init__(self, df1, df2, validate_args=None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(batch_shape_of(self.df1, df1, df2), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(FisherSnedecor, _instance)
        new._gamma1 = self._gamma1.expand(cygrad.Size(batch_shape))
        new._gamma2 = self._gamma2.expand(cygrad.Size(batch_shape))
        return self._expanded(FisherSnedecor, new, batch_shape, df1=0, df2=0)

    @property
    def mean(self):
        df2 = self.df2.masked_fill(self.df2 <= 2, math.nan)
        return df2 / (df2 - 2)

    @property
    def mode(self):
        found = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return found.masked_fill(self.df1 <= 2, math.nan)

    @property
    def variance(self):
        df2 = self.df2.masked_fill(self.df2 <= 4, math.nan)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        above = self._gamma1.rsample(sample_shape).view(shape)
        below = self._gamma2.rsample(sample_shape).view(shape)
        least = cygrad.finfo(below.dtype).tiny
        below.detach().clamp_(min=least)
        ratio = above / below
        ratio.detach().clamp_(min=least)
        return ratio

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        return (cygrad.lgamma(a + b) - cygrad.lgamma(a) - cygrad.lgamma(b) + a * ratio.log()
                + (a - 1) * cygrad.log(value) - (a + b) * cygrad.log1p(ratio * value))
