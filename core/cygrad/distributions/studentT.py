"""Student's t distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.chi2 import Chi2
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t distribution: a normal number over the root of a chi-squared one's mean.

    Parameters
    ----------
    df : Tensor or float
        Degrees of freedom.
    loc, scale : Tensor or float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.StudentT(3.).variance
    tensor(3.)
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        found = self.scale.pow(2) * self.df / (self.df - 2)
        return found.masked_fill(self.df <= 2, math.inf).masked_fill(self.df <= 1, math.nan)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(StudentT, _instance)
        new._chi2 = self._chi2.expand(cygrad.Size(batch_shape))
        return self._expanded(StudentT, new, batch_shape, df=0, loc=0, scale=0)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        x = _standard_normal(shape, dtype=self.df.dtype, device=self.df.device)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * cygrad.rsqrt(z / self.df))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        normalizer = (self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + cygrad.lgamma(0.5 * self.df)
                      - cygrad.lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * cygrad.log1p(y ** 2.0 / self.df) - normalizer

    def entropy(self):
        half = 0.5 * self.df
        more = 0.5 * (self.df + 1)
        log_beta = cygrad.lgamma(half) + math.lgamma(0.5) - cygrad.lgamma(more)
        return (self.scale.log() + more * (cygrad.digamma(more) - cygrad.digamma(half)) + 0.5 * self.df.log()
                + log_beta)
