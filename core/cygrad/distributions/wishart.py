"""The Wishart distribution."""
import math
import warnings
from numbers import Number

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.chi2 import Chi2
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.multivariate_normal import (MATRICES, MultivariateNormal, factor_of, half_log_det,
                                                      the_matrix)
from cygrad.distributions.utils import within_support

__all__ = ["Wishart"]


class Wishart(ExponentialFamily):
    """The Wishart distribution, of positive definite matrices: sums of squares of normal vectors.

    Parameters
    ----------
    df : Tensor or float
        How many vectors; more than n - 1.
    covariance_matrix, precision_matrix, scale_tril : Tensor
        (..., n, n): the vectors' covariance, its inverse or its lower Cholesky factor: one of them.

    Notes
    -----
    Samples are made from their Cholesky factor: normal numbers below the diagonal and roots of chi-squared ones on it
    (Bartlett, "On the theory of statistical regression", 1933).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Wishart(4., covariance_matrix=cygrad.eye(2)).mean
    tensor([[4., 0.],
            [0., 4.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _parts = {"df": 0, "_dist_chi2": 1, **MATRICES}

    @property
    def arg_constraints(self):
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        name, matrix = the_matrix(AssertionError, covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, Number):
            df = cygrad.tensor(df, dtype=matrix.dtype, device=matrix.device)
        batch_shape = cygrad.broadcast_shapes(matrix.shape[:-2], df.shape)
        event_shape = matrix.shape[-2:]
        if df.le(event_shape[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}.")
        self.df = df.expand(batch_shape)
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        if self.df.lt(event_shape[-1]).any():
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < "
                          "ndim.", stacklevel=2)
        self._unbroadcasted_scale_tril = factor_of(name, matrix)
        self._dist_chi2 = self._diagonal()

    def _diagonal(self):
        """The distributions of the squares on the diagonal of samples' factors."""
        n = self._event_shape[-1]
        return Chi2(self.df.unsqueeze(-1) - cygrad.arange(n, dtype=self.df.dtype, device=self.df.device).expand(
            self._batch_shape + (-1,)))

    def _spread(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape)

    covariance_matrix, precision_matrix, scale_tril = (vars(MultivariateNormal)[name] for name in MATRICES)

    def _of_matrices(self, value):
        """A number for each of the batch, as a matrix of one element."""
        return value.view(self._batch_shape + (1, 1))

    @property
    def mean(self):
        return self._of_matrices(self.df) * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        return self._of_matrices(factor.masked_fill(factor <= 0, math.nan)) * self.covariance_matrix

    @property
    def variance(self):
        spread = self.covariance_matrix.diagonal(dim1=-2, dim2=-1)
        return self._of_matrices(self.df) * (self.covariance_matrix.pow(2)
                                             + cygrad.einsum("...i,...j->...ij", spread, spread))

    def _bartlett_sampling(self, sample_shape=()):
        n = self._event_shape[-1]
        least = cygrad.finfo(self._unbroadcasted_scale_tril.dtype).eps
        factor = self._dist_chi2.rsample(sample_shape).sqrt().clamp(min=least).diag_embed(dim1=-2, dim2=-1)
        rows, columns = cygrad.tril_indices(n, n, offset=-1)
        factor[..., rows, columns] = cygrad.randn(
            cygrad.Size(sample_shape) + self._batch_shape + (n * (n - 1) // 2,), dtype=factor.dtype,
            device=factor.device)
        factor = self._unbroadcasted_scale_tril @ factor
        return factor @ factor.mT

    def rsample(self, sample_shape=(), max_try_correction=None):
        """Draw matrices through which gradients reach the parameters.

        Parameters
        ----------
        sample_shape : Size
            How many, before the axes of the batch.
        max_try_correction : int, optional
            How often matrices that rounding made singular are drawn again; 10 times by default.

        Returns
        -------
        Tensor
            (*sample_shape, *batch_shape, n, n).
        """
        sample_shape = cygrad.Size(sample_shape)
        sample = self._bartlett_sampling(sample_shape)
        batch = tuple(range(-len(self._batch_shape), 0))
        again = self.support.check(sample)              # what is not singular PyTorch draws anew, too
        for _ in range(10 if max_try_correction is None else max_try_correction):
            again = again.amax(batch) if batch else again
            if not again.any():
                break
            sample[again] = self._bartlett_sampling(again[again].shape)
            again = ~self.support.check(sample)
        if again.any():
            warnings.warn("Singular sample detected.", stacklevel=2)
        return sample

    def _mvdigamma(self, a, n):
        """The derivative of the logarithm of the multivariate gamma function."""
        return (a.unsqueeze(-1) - 0.5 * cygrad.arange(n, dtype=a.dtype, device=a.device)).digamma().sum(-1)

    @within_support
    def log_prob(self, value):
        n, df, factor = self._event_shape[-1], self.df, self._unbroadcasted_scale_tril
        trace = cygrad.cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return (-df * (n * math.log(2) / 2 + half_log_det(factor)) - cygrad.mvlgamma(df / 2, p=n)
                + (df - n - 1) / 2 * cygrad.linalg.slogdet(value).logabsdet - trace / 2)

    def entropy(self):
        n, df = self._event_shape[-1], self.df
        return ((n + 1) * (n * math.log(2) / 2 + half_log_det(self._unbroadcasted_scale_tril))
                + cygrad.mvlgamma(df / 2, p=n) - (df - n - 1) / 2 * self._mvdigamma(df / 2, n) + df * n / 2)

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        n = self._event_shape[-1]
        a = y + (n + 1) / 2
        return a * (-cygrad.linalg.slogdet(-2 * x).logabsdet + math.log(2) * n) + cygrad.mvlgamma(a, p=n)
