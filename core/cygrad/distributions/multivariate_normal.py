"""The multivariate normal distribution."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import _standard_normal, lazy_property, within_support

__all__ = ["MultivariateNormal"]


def times_vector(matrix, vector):
    """Products of matrices with vectors, both batched."""
    return cygrad.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def squared_length(factor, vector):
    """|L^-1 v|^2 for each lower triangle L and each vector v; `factor`'s batch broadcasts with the vectors'.

    Vectors that share a triangle are columns of one system.
    """
    shared = vector.dim() - factor.dim() + 1        # leading axes that only the vectors have
    if shared > 0 and vector.shape[shared:-1] == factor.shape[:-2]:
        sizes = vector.shape[:shared]
        columns = vector.reshape((sizes.numel(),) + vector.shape[shared:]).movedim(0, -1)
        found = cygrad.linalg.solve_triangular(factor, columns, upper=False).pow(2).sum(-2)
        return found.movedim(-1, 0).reshape(vector.shape[:-1])
    return cygrad.linalg.solve_triangular(factor, vector.unsqueeze(-1), upper=False).pow(2).sum((-2, -1))


def factor_of_inverse(precision):
    """The lower Cholesky factor of the inverse: the inverse's reversed factor, inverted and reversed."""
    reversed_ = cygrad.linalg.cholesky(precision.flip(-2, -1))
    upper = reversed_.flip(-2, -1).mT
    identity = cygrad.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return cygrad.linalg.solve_triangular(upper, identity, upper=False)


# the ways in which a covariance may be given, each with its axes
MATRICES = {"covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2}


def the_matrix(kind, *given):
    """The name and the value of the one that is given of `MATRICES`; `kind` is the error for none or several."""
    given = [(name, value) for name, value in zip(MATRICES, given) if value is not None]
    if len(given) != 1:
        raise kind("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    return given[0]


def factor_of(name, matrix):
    """The lower Cholesky factor of the covariance that is given in this way."""
    if name == "scale_tril":
        return matrix
    return cygrad.linalg.cholesky(matrix) if name == "covariance_matrix" else factor_of_inverse(matrix)


def half_log_det(factor):
    """Half the logarithm of the determinant of L L^T."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class MultivariateNormal(Distribution):
    """The normal distribution of vectors.

    Parameters
    ----------
    loc : Tensor
        (..., n): the mean.
    covariance_matrix, precision_matrix, scale_tril : Tensor
        (..., n, n): the covariance, its inverse or its lower Cholesky factor: one of them. The factor is what is
        computed with.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.MultivariateNormal(cygrad.zeros(2), cygrad.eye(2)).log_prob(cygrad.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True
    _parts = {"loc": 1, **MATRICES}

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = the_matrix(ValueError, covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            shown = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{shown} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = cygrad.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        self.loc = loc.expand(batch_shape + (-1,))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = factor_of(name, matrix)

    def _spread(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The lower Cholesky factor of the covariance."""
        return self._spread(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """The covariance."""
        return self._spread(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance."""
        return self._spread(cygrad.cholesky_inverse(self._unbroadcasted_scale_tril))

    mean = mode = property(lambda self: self.loc)

    @property
    def variance(self):
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape=()):
        eps = _standard_normal(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + times_vector(self._unbroadcasted_scale_tril, eps)

    @within_support
    def log_prob(self, value):
        factor = self._unbroadcasted_scale_tril
        length = squared_length(factor, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + length) - half_log_det(factor)

    def entropy(self):
        found = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det(
            self._unbroadcasted_scale_tril)
        return found.expand(self._batch_shape) if self._batch_shape else found
