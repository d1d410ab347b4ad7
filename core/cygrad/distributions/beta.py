"""The beta distribution."""
from numbers import Number

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.dirichlet import Dirichlet
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.utils import broadcast_all

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """The beta distribution, of numbers between 0 and 1: the first share of a Dirichlet distribution of two.

    Parameters
    ----------
    concentration1, concentration0 : Tensor or float
        Often called alpha and beta.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Beta(1., 3.).mean
    tensor(0.2500)
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        if isinstance(concentration1, Number) and isinstance(concentration0, Number):
            both = cygrad.tensor([float(concentration1), float(concentration0)])
        else:
            both = cygrad.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Beta, _instance)
        batch_shape = cygrad.Size(batch_shape)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        super(Beta, new).__init__(batch_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def concentration1(self):
        """The first parameter."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self):
        """The second parameter."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self):
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self):
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape=()):
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._dirichlet.log_prob(cygrad.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet.entropy()

    @property
    def _natural_params(self):
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x, y):
        return cygrad.lgamma(x) + cygrad.lgamma(y) - cygrad.lgamma(x + y)
