"""Transforms of single numbers."""
import math
from numbers import Number

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.transform import Transform
from cygrad.distributions.utils import _sum_rightmost, broadcast_all, lazy_property
from cygrad.nn.functional import softplus


def same_kind(self, other):
    """Equality of transforms without parameters."""
    return isinstance(other, type(self))


class ExpTransform(Transform):
    """y = exp(x).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.ExpTransform()(cygrad.zeros(2))
    tensor([1., 1.])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1
    __eq__ = same_kind
    __hash__ = None

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class PowerTransform(Transform):
    """y = x ** exponent.

    Parameters
    ----------
    exponent : Tensor or float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.PowerTransform(2.)(cygrad.tensor(3.))
    tensor(9.)
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.exponent, = broadcast_all(exponent)

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @lazy_property
    def sign(self):
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    __hash__ = None

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape):
        return cygrad.broadcast_shapes(shape, self.exponent.shape)

    def inverse_shape(self, shape):
        return cygrad.broadcast_shapes(shape, self.exponent.shape)


def inside_unit(x):
    """Numbers from 0 to 1, kept from both ends by what the dtype can tell apart."""
    limits = cygrad.finfo(x.dtype)
    return x.clamp(min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x)).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.SigmoidTransform()(cygrad.zeros(2))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1
    __eq__ = same_kind
    __hash__ = None

    def _call(self, x):
        return inside_unit(x.sigmoid())

    def _inverse(self, y):
        y = inside_unit(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Transform):
    """y = log(1 + exp(x)).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.SoftplusTransform()(cygrad.tensor(30.))
    tensor(30.)
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1
    __eq__ = same_kind
    __hash__ = None

    def _call(self, x):
        return softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x)


class TanhTransform(Transform):
    """y = tanh(x).

    Notes
    -----
    The inverse is not exact near -1 and 1: with `cache_size=1` it isn't needed for what was just computed.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.TanhTransform()(cygrad.zeros(2))
    tensor([0., 0.])
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1
    __eq__ = same_kind
    __hash__ = None

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def log_abs_det_jacobian(self, x, y):
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))       # 1 - tanh(x) ** 2 without its cancellation


class AbsTransform(Transform):
    """y = abs(x).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.AbsTransform()(cygrad.tensor(-3.))
    tensor(3.)
    """

    domain = constraints.real
    codomain = constraints.positive
    __eq__ = same_kind
    __hash__ = None

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class AffineTransform(Transform):
    """y = loc + scale * x.

    Parameters
    ----------
    loc, scale : Tensor or float
    event_dim : int
        How many axes one value has.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.AffineTransform(1., 2.)(cygrad.ones(2))
    tensor([3., 3.])
    """

    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self):
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other):
        return isinstance(other, AffineTransform) and all(
            mine == its if isinstance(mine, Number) and isinstance(its, Number) else bool((mine == its).all())
            for mine, its in ((self.loc, other.loc), (self.scale, other.scale)))

    __hash__ = None

    @property
    def sign(self):
        if isinstance(self.scale, Number):
            return (self.scale > 0) - (self.scale < 0)
        return self.scale.sign()

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        if isinstance(self.scale, Number):
            found = cygrad.full_like(x, math.log(abs(self.scale)))
        else:
            found = self.scale.abs().log()
        return _sum_rightmost(found, self.event_dim).expand(x.shape[:x.dim() - self.event_dim])

    def forward_shape(self, shape):
        return cygrad.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(Transform):
    """y is the probability of what is not above x.

    Parameters
    ----------
    distribution : Distribution
        Whose `cdf` is taken.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions import CumulativeDistributionTransform, Normal
    >>> CumulativeDistributionTransform(Normal(0., 1.))(cygrad.tensor(0.))
    tensor(0.5000)
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self):
        return self.distribution.support

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
