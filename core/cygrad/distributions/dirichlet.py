"""The Dirichlet distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.nn.functional import one_hot

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution, of vectors that are not negative and have the sum 1.

    Parameters
    ----------
    concentration : Tensor
        (..., n).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Dirichlet(cygrad.tensor([1., 3.])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Dirichlet, _instance, batch_shape, concentration=1)

    def rsample(self, sample_shape=()):
        return cygrad._sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return (cygrad.xlogy(self.concentration - 1.0, value).sum(-1) + cygrad.lgamma(self.concentration.sum(-1))
                - cygrad.lgamma(self.concentration).sum(-1))

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self):
        above = (self.concentration - 1).clamp(min=0.0)
        found = above / above.sum(-1, True)
        in_a_corner = (self.concentration < 1).all(dim=-1)
        found[in_a_corner] = one_hot(found[in_a_corner].argmax(dim=-1), above.shape[-1]).to(found)
        return found

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self):
        n = self.concentration.size(-1)
        total = self.concentration.sum(-1)
        return (cygrad.lgamma(self.concentration).sum(-1) - cygrad.lgamma(total)
                - (n - total) * cygrad.digamma(total)
                - ((self.concentration - 1.0) * cygrad.digamma(self.concentration)).sum(-1))

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - cygrad.lgamma(x.sum(-1))
