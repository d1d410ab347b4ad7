"""The beta distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.dirichlet import Dirichlet
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.utils import broadcast_all, within_support

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
    _parts = {"_dirichlet": 0}

    def __init__(self, concentration1, concentration0, validate_args=None):
        both = cygrad.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    concentration1 = property(lambda self: self._dirichlet.concentration[..., 0], doc="The first parameter.")
    concentration0 = property(lambda self: self._dirichlet.concentration[..., 1], doc="The second parameter.")
    mode = property(lambda self: self._dirichlet.mode[..., 0])

    @property
    def mean(self):
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.square() * (total + 1))

    def rsample(self, sample_shape=()):
        return self._dirichlet.rsample(sample_shape)[..., 0]

    @within_support
    def log_prob(self, value):
        return self._dirichlet.log_prob(cygrad.stack((value, 1 - value), -1))

    def entropy(self):
        return self._dirichlet.entropy()

    @property
    def _natural_params(self):
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x, y):
        return x.lgamma() + y.lgamma() - (x + y).lgamma()
