"""The LKJ distribution of Cholesky factors of correlation matrices."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.beta import Beta
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.utils import within_support

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """The distribution of the lower Cholesky factors of correlation matrices.

    Parameters
    ----------
    dim : int
        The number of rows.
    concentration : Tensor or float
        The density of a matrix is proportional to its determinant to the power of this less 1.

    Raises
    ------
    ValueError
        If `dim` is below 2.

    Notes
    -----
    Samples are made by the onion method, a row at a time (Lewandowski, Kurowicka and Joe, "Generating random
    correlation matrices based on vines and extended onion method", 2009).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.LKJCholesky(3, 0.5).sample().shape
    cygrad.Size([3, 3])
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _parts = {"concentration": 0, "_beta": 1}

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        shape = self._take(concentration=concentration)
        # how much of a row's length lies off the diagonal
        below = cygrad.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        below = cygrad.cat([below.new_zeros((1,)), below])
        ones = (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1)
        self._beta = Beta(below + 0.5, ones - 0.5 * below)
        super().__init__(shape, cygrad.Size((dim, dim)), validate_args)

    def sample(self, sample_shape=()):
        y = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = cygrad.randn(self._extended_shape(sample_shape), dtype=y.dtype, device=y.device).tril(-1)
        direction = normal / normal.norm(dim=-1, keepdim=True)
        direction[..., 0, :].fill_(0.0)         # nothing stands before the diagonal
        factor = cygrad.sqrt(y) * direction
        least = cygrad.finfo(factor.dtype).tiny
        diagonal = cygrad.clamp(1 - cygrad.sum(factor ** 2, dim=-1), min=least).sqrt()
        factor += cygrad.diag_embed(diagonal)
        return factor

    @within_support
    def log_prob(self, value):
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = cygrad.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        n = self.dim - 1
        alpha = self.concentration + 0.5 * n
        normalizer = 0.5 * n * math.log(math.pi) + cygrad.mvlgamma(alpha - 0.5, p=n) - cygrad.lgamma(alpha) * n
        return cygrad.sum(order * diagonal.log(), dim=-1) - normalizer
