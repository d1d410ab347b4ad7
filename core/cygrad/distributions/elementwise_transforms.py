"""Transforms of single numbers."""
import math
import operator

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.transform import Transform
from cygrad.distributions.utils import _sum_rightmost, broadcast_all, lazy_property
from cygrad.nn.functional import softplus
from cygrad.overrides import is_tensor_like


class _Monotone(Transform):
    """One-to-one maps of all numbers that increase."""

    domain = constraints.real
    bijective = True
    sign = 1


class ExpTransform(_Monotone):
    """y = exp(x).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.ExpTransform()(cygrad.zeros(2))
    tensor([1., 1.])
    """

    codomain = constraints.positive
    _compared = ()

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

    domain = codomain = constraints.positive
    bijective = True
    _arguments = _compared = ("exponent",)

    def __init__(self, exponent, cache_size=0):
        self.exponent, = broadcast_all(exponent)
        super().__init__(cache_size)

    @lazy_property
    def sign(self):
        return self.exponent.sign()

    def _call(self, x):
        return x ** self.exponent

    def _inverse(self, y):
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):       # exponent * x ** (exponent - 1)
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape):
        return cygrad.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


def inside_unit(x):
    """Numbers from 0 to 1, kept from both ends by what the dtype can tell apart."""
    dtype = cygrad.finfo(x.dtype)
    return x.clamp(dtype.tiny, 1 - dtype.eps)


class SigmoidTransform(_Monotone):
    """y = 1 / (1 + exp(-x)).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.SigmoidTransform()(cygrad.zeros(2))
    tensor([0.5000, 0.5000])
    """

    codomain = constraints.unit_interval
    _compared = ()

    def _call(self, x):
        return inside_unit(x.sigmoid())

    def _inverse(self, y):
        y = inside_unit(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):       # of sigmoid(x) * sigmoid(-x)
        return -softplus(-x) - softplus(x)


class SoftplusTransform(_Monotone):
    """y = log(1 + exp(x)).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.SoftplusTransform()(cygrad.tensor(30.))
    tensor(30.)
    """

    codomain = constraints.positive
    _compared = ()

    def _call(self, x):
        return softplus(x)

    def _inverse(self, y):
        return y + cygrad.log(-cygrad.expm1(-y))

    def log_abs_det_jacobian(self, x, y):
        return softplus(-x).neg()


class TanhTransform(_Monotone):
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

    codomain = constraints.interval(-1.0, 1.0)
    _compared = ()

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def log_abs_det_jacobian(self, x, y):
        return 2 * (math.log(2) - (x + softplus(-2 * x)))       # 1 - tanh(x) ** 2 without its cancellation


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
    _compared = ()

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
    _arguments = ("loc", "scale", "event_dim")
    _compared = ("loc", "scale")

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        self.loc, self.scale, self._event_dim = loc, scale, event_dim
        super().__init__(cache_size)

    event_dim = property(operator.attrgetter("_event_dim"), doc="How many axes one value has.")

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    codomain = domain

    @property
    def sign(self):
        return self.scale.sign() if is_tensor_like(self.scale) else (self.scale > 0) - (self.scale < 0)

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        one_value = self.scale if is_tensor_like(self.scale) else cygrad.full_like(x, self.scale)
        batch = x.shape[:x.dim() - self.event_dim]
        return _sum_rightmost(one_value.abs().log(), self.event_dim).expand(batch)

    def forward_shape(self, shape):
        return cygrad.broadcast_shapes(shape, *(value.shape for value in (self.loc, self.scale)
                                                if is_tensor_like(value)))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(_Monotone):
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

    codomain = constraints.unit_interval
    _arguments = ("distribution",)

    def __init__(self, distribution, cache_size=0):
        self.distribution = distribution
        super().__init__(cache_size)

    domain = property(operator.attrgetter("distribution.support"))

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)
