"""The multivariate normal distribution whose covariance is a diagonal and a product of low rank."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.multivariate_normal import half_log_det, squared_length, times_vector
from cygrad.distributions.utils import _standard_normal, lazy_property, within_support

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """The normal distribution of vectors with the covariance W W^T + D.

    Parameters
    ----------
    loc : Tensor
        (..., n): the mean.
    cov_factor : Tensor
        (..., n, rank): W.
    cov_diag : Tensor
        (..., n): the diagonal of D.

    Notes
    -----
    Its inverse and determinant are those of the rank by rank matrix I + W^T D^-1 W, by Woodbury's identity and the
    matrix determinant lemma.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions import LowRankMultivariateNormal
    >>> LowRankMultivariateNormal(cygrad.zeros(2), cygrad.ones(2, 1), cygrad.ones(2)).covariance_matrix
    tensor([[2., 1.],
            [1., 2.]])
    """

    arg_constraints = {"loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True
    _parts = {"loc": 1, "cov_diag": 1, "cov_factor": 2}

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            batch_shape = cygrad.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag "
                             f"{cov_diag.shape}") from error
        self.loc = loc.unsqueeze(-1).expand(batch_shape + (-1, 1))[..., 0]
        self.cov_diag = cov_diag.expand(batch_shape + (-1,))
        self.cov_factor = cov_factor.expand(batch_shape + cov_factor.shape[-2:])
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        small = self._over_diag() @ cov_factor
        m = cov_factor.shape[-1]
        small.view(-1, m * m)[:, ::m + 1] += 1          # a one to each on the diagonal
        self._capacitance_tril = cygrad.linalg.cholesky(small)

    def _over_diag(self):
        """W^T D^-1."""
        return self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)

    mean = mode = property(lambda self: self.loc)

    @lazy_property
    def variance(self):
        return (self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag).expand(
            self._batch_shape + self._event_shape)

    def _spread(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The lower Cholesky factor of the covariance."""
        deviation = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)      # taken out, for the sake of precision
        scaled = self._unbroadcasted_cov_factor / deviation
        ones = cygrad.eye(self._event_shape[0], dtype=scaled.dtype, device=scaled.device)
        return self._spread(deviation * cygrad.linalg.cholesky(scaled @ scaled.mT + ones))

    @lazy_property
    def covariance_matrix(self):
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        return self._spread(factor @ factor.mT + cygrad.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance."""
        inner = cygrad.linalg.solve_triangular(self._capacitance_tril, self._over_diag(), upper=False)
        return self._spread(cygrad.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - inner.mT @ inner)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        options = {"dtype": self.loc.dtype, "device": self.loc.device}
        common = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], **options)
        own = _standard_normal(shape, **options)
        return (self.loc + times_vector(self._unbroadcasted_cov_factor, common)
                + self._unbroadcasted_cov_diag.sqrt() * own)

    def _log_det(self):
        return 2 * half_log_det(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    @within_support
    def log_prob(self, value):
        away = value - self.loc
        common = times_vector(self._over_diag(), away)
        length = (away.pow(2) / self._unbroadcasted_cov_diag).sum(-1) - squared_length(self._capacitance_tril, common)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + length)

    def entropy(self):
        found = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return found.expand(self._batch_shape) if self._batch_shape else found
