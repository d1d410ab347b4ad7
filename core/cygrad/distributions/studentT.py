"""Student's t distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.chi2 import Chi2
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import _standard_normal, within_support

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
    _parts = {"df": 0, "loc": 0, "scale": 0, "_chi2": 0}

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        shape = self._take(df=df, loc=loc, scale=scale)
        self._chi2 = Chi2(self.df)
        super().__init__(shape, validate_args=validate_args)

    mode = property(lambda self: self.loc)

    @property
    def mean(self):
        found = self.loc.clone(memory_format=cygrad.contiguous_format)
        found[self.df <= 1] = math.nan
        return found

    @property
    def variance(self):
        df, finite = self.df, self.df > 2
        found = df.clone(memory_format=cygrad.contiguous_format)
        found[finite] = self.scale[finite].square() * df[finite] / (df[finite] - 2)
        found[(df <= 2) & (df > 1)] = math.inf
        found[df <= 1] = math.nan
        return found

    def rsample(self, sample_shape=()):
        normal = _standard_normal(self._extended_shape(sample_shape), self.df.dtype, self.df.device)
        return self.loc + self.scale * (normal * (self._chi2.rsample(sample_shape) / self.df).rsqrt())

    @within_support
    def log_prob(self, value):
        squares = ((value - self.loc) / self.scale).square()
        normalizer = (self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + (0.5 * self.df).lgamma()
                      - (0.5 * (self.df + 1)).lgamma())
        return -0.5 * (self.df + 1) * (squares / self.df).log1p() - normalizer

    def entropy(self):
        log_beta = (0.5 * self.df).lgamma() + math.lgamma(0.5) - (0.5 * (self.df + 1)).lgamma()     # of B(1/2, df/2)
        digammas = (0.5 * (self.df + 1)).digamma() - (0.5 * self.df).digamma()
        return self.scale.log() + 0.5 * (self.df + 1) * digammas + 0.5 * self.df.log() + log_beta
