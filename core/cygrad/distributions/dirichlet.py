"""The Dirichlet distribution."""
import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.utils import within_support
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
    _parts = {"concentration": 1}

    def __init__(self, concentration, validate_args=None):
        if not concentration.dim():
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        *batch, n = concentration.shape
        super().__init__(cygrad.Size(batch), cygrad.Size((n,)), validate_args=validate_args)

    def rsample(self, sample_shape=()):
        return cygrad._sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    @within_support
    def log_prob(self, value):
        return ((self.concentration - 1).xlogy(value).sum(-1) + self.concentration.sum(-1).lgamma()
                - self.concentration.lgamma().sum(-1))

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self):
        above = (self.concentration - 1).clamp(min=0)
        shares = above / above.sum(-1, keepdim=True)
        in_corners = (self.concentration < 1).all(-1)
        shares[in_corners] = one_hot(shares[in_corners].argmax(-1), shares.shape[-1]).to(shares)
        return shares

    @property
    def variance(self):
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total.square() * (total + 1))

    def entropy(self):
        total = self.concentration.sum(-1)
        each = (self.concentration - 1) * self.concentration.digamma()
        return (self._log_normalizer(self.concentration) - (self._event_shape[0] - total) * total.digamma()
                - each.sum(-1))

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()
