"""Transforms of vectors and matrices, and of parts along an axis."""
import math

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.elementwise_transforms import inside_unit
from cygrad.distributions.parts import lengths_of_parts, parts_along
from cygrad.distributions.transform import Transform
from cygrad.distributions.utils import _sum_rightmost, lazy_property, tril_matrix_to_vec, vec_to_tril_matrix
from cygrad.nn.functional import logsigmoid, pad, softplus


def need_axes(shape, axes):
    """Refuse shapes of fewer axes."""
    if len(shape) < axes:
        raise ValueError("Too few dimensions on input")


class SoftmaxTransform(Transform):
    """exp(x) divided by its sum over the last axis; it isn't one to one.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.SoftmaxTransform()(cygrad.zeros(2))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    _compared = ()

    def _call(self, x):
        found = (x - x.max(-1, True)[0]).exp()
        return found / found.sum(-1, True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        need_axes(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Transform):
    """n numbers to n + 1 that are not negative and have the sum 1: how much of what is left each takes.

    Notes
    -----
    The k-th takes sigmoid(x[k] - log(n - k)), so that zeros become equal parts.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.StickBreakingTransform()(cygrad.zeros(2))
    tensor([0.3333, 0.3333, 0.3333])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True
    _compared = ()

    @staticmethod
    def _left(x):
        """How many parts are still to be taken, for each of the numbers."""
        return x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)

    def _call(self, x):
        part = inside_unit((x - self._left(x).log()).sigmoid())
        rest = (1 - part).cumprod(-1)
        return pad(part, [0, 1], value=1) * pad(rest, [1, 0], value=1)

    def _inverse(self, y):
        taken = y[..., :-1]
        rest = (1 - taken.cumsum(-1)).clamp(min=cygrad.finfo(y.dtype).tiny)
        return taken.log() - rest.log() + self._left(taken).log()

    def log_abs_det_jacobian(self, x, y):
        x = x - self._left(x).log()
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        need_axes(shape, 1)
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape):
        need_axes(shape, 1)
        return shape[:-1] + (shape[-1] - 1,)


def _with_diagonal(matrix, function):
    """Lower triangles with the images of what stood on their diagonals."""
    return matrix.tril(-1) + function(matrix.diagonal(dim1=-2, dim2=-1)).diag_embed()


class LowerCholeskyTransform(Transform):
    """Square matrices to lower triangles with a positive diagonal: the exponentials of their diagonals.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.LowerCholeskyTransform()(cygrad.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky
    _compared = ()

    def _call(self, x):
        return _with_diagonal(x, cygrad.exp)

    def _inverse(self, y):
        return _with_diagonal(y, cygrad.log)


class PositiveDefiniteTransform(Transform):
    """Square matrices to positive definite ones, by way of their Cholesky factors.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.PositiveDefiniteTransform()(cygrad.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite
    _compared = ()

    def _call(self, x):
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(cygrad.linalg.cholesky(y))


class CorrCholeskyTransform(Transform):
    """n (n - 1) / 2 numbers to the Cholesky factor of an n by n correlation matrix.

    Notes
    -----
    The hyperbolic tangents of the numbers are partial correlations; in each row they take their share of what is left
    of its length 1 (Lewandowski, Kurowicka and Joe, "Generating random correlation matrices based on vines and extended
    onion method", 2009).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.CorrCholeskyTransform()(cygrad.zeros(1))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        x = x.tanh()
        least = cygrad.finfo(x.dtype).eps
        partial = vec_to_tril_matrix(x.clamp(min=-1 + least, max=1 - least), diag=-1)
        left = (1 - partial ** 2).sqrt().cumprod(-1)
        partial = partial + cygrad.eye(partial.shape[-1], dtype=partial.dtype, device=partial.device)
        return partial * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        left = pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        partial = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (partial.log1p() - partial.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        # the first element of a row has all of the length before it, so that what is left counts from the second on
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        return 0.5 * left.log().sum(-1) - 2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape):
        need_axes(shape, 1)
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (n, n)

    def inverse_shape(self, shape):
        need_axes(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class _Parts(Transform):
    """A transform for each part of a value along an axis."""

    def __init__(self, tseq, dim, cache_size):
        self.transforms = list(tseq)
        if not all(isinstance(t, Transform) for t in self.transforms):
            raise AssertionError("All elements in tseq must be Transform instances")
        if cache_size:
            self.transforms = [t.with_cache(cache_size) for t in self.transforms]
        self.dim = dim
        super().__init__(cache_size)

    bijective = property(lambda self: all(t.bijective for t in self.transforms))
    _join = cygrad.stack        # what makes one tensor of the parts
    _lengths = None             # of the parts, where these are pieces and not slices

    def _parts_of(self, value, name):
        parts = parts_along(value, self.dim, self._lengths, "dim {} out of range for tensor with {} dimensions")
        wanted, words = ((len(self.transforms), "len(transforms)") if self._lengths is None
                         else (sum(self._lengths), "length"))
        if value.size(self.dim) != wanted:
            raise AssertionError(f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {words} {wanted}")
        return parts

    def _call(self, x):
        images = [t(part) for t, part in zip(self.transforms, self._parts_of(x, "x"))]
        return type(self)._join(images, dim=self.dim)

    def _inverse(self, y):
        found = [t.inv(part) for t, part in zip(self.transforms, self._parts_of(y, "y"))]
        return type(self)._join(found, dim=self.dim)

    def _jacobians(self, x, y):
        parts = zip(self.transforms, self._parts_of(x, "x"), self._parts_of(y, "y"))
        return [t.log_abs_det_jacobian(before, after) for t, before, after in parts]


class CatTransform(_Parts):
    """A transform for each piece along an axis.

    Parameters
    ----------
    tseq : sequence of Transform
        One for each piece.
    dim : int
        The axis.
    lengths : sequence of int, optional
        Of the pieces; 1 each by default.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions import CatTransform, ExpTransform, identity_transform
    >>> CatTransform([ExpTransform(), identity_transform], lengths=[2, 1])(cygrad.zeros(3))
    tensor([1., 1., 0.])
    """

    _arguments = ("transforms", "dim", "lengths")
    _join = cygrad.cat

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = self._lengths = lengths_of_parts(
            lengths, len(self.transforms), "lengths has {} elements but transforms has {}")

    @lazy_property
    def event_dim(self):
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self):
        """The sum of the lengths."""
        return sum(self.lengths)

    def log_abs_det_jacobian(self, x, y):
        found = [_sum_rightmost(each, self.event_dim - t.event_dim)
                 for t, each in zip(self.transforms, self._jacobians(x, y))]
        axis = self.dim - (x.dim() if self.dim >= 0 else 0) + self.event_dim
        return cygrad.cat(found, dim=axis) if axis < 0 else sum(found)      # else the axis is the event's

    @constraints.dependent_property
    def domain(self):
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Parts):
    """A transform for each place along an axis.

    Parameters
    ----------
    tseq : sequence of Transform
        One for each place.
    dim : int
        The axis.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions import ExpTransform, StackTransform, identity_transform
    >>> StackTransform([ExpTransform(), identity_transform])(cygrad.zeros(2))
    tensor([1., 0.])
    """

    _arguments = ("transforms", "dim")

    def __init__(self, tseq, dim=0, cache_size=0):
        super().__init__(tseq, dim, cache_size)

    def log_abs_det_jacobian(self, x, y):
        return cygrad.stack(self._jacobians(x, y), dim=self.dim)

    @constraints.dependent_property
    def domain(self):
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
