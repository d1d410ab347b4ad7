"""The regularized incomplete gamma functions P (`igamma`) and Q = 1 - P (`igammac`).

Each pair (a, x) is computed where it converges fast: by the series of P, by the continued fraction of Q, by the series
of Q for small x, and for large a near x by Temme's expansion, whose two parts are a term of `erfc` and a small rest.
Sources: NIST's Digital Library of Mathematical Functions, 8.7.1, 8.9.2, 8.11.4, 8.12; Temme, "The asymptotic expansion
of the incomplete gamma functions", 1979. How many terms it takes depends on the values, so the host asks once a few.
"""
import math

import cygrad
from cygrad.dispatch.operands import broadcast
from cygrad.dispatch.promotion import result_type
from cygrad.ops.declare.operand_types import need_tensors, refused, widened
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.pointwise.recurrences import floats
from cygrad.ops.pointwise.special import with_strides
from cygrad.ops.pointwise.special_tables import TEMME

MOST_TERMS = 2000
TERMS_BETWEEN_LOOKS = 16
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)     # DLMF 5.11.1


def polynomial(coefficients, x):
    """The sum of coefficients[n] * x ** n."""
    total = cygrad.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        total = total * x + c
    return total


def power_term(a, x):
    """x ** a * exp(-x) / gamma(a + 1); for large `a` without the rounding of its large logarithms."""
    plain = (a * x.log() - x - (a + 1).lgamma()).exp()
    b = a.clamp(min=10)
    apart = (x - b) / b
    rest = polynomial(STIRLING, 1 / (b * b)) / b
    large = (b * (apart.log1p() - apart) - rest).exp() / (2 * math.pi * b).sqrt()
    return cygrad.where(a >= 10, large, plain)


def lower_series(a, x):
    """P by DLMF 8.11.4: the terms are positive."""
    term = total = cygrad.ones_like(x)
    least = cygrad.finfo(x.dtype).eps
    for k in range(1, MOST_TERMS):
        term = term * (x / (a + k))
        total = total + term
        if k % TERMS_BETWEEN_LOOKS == 0 and not (term > least * total).any():
            break
    return power_term(a, x) * total


def upper_fraction(a, x):
    """Q by the continued fraction DLMF 8.9.2, with Lentz's recurrence for its convergents."""
    least = cygrad.finfo(x.dtype).eps
    b = x + 1 - a
    c = cygrad.full_like(x, 1 / cygrad.finfo(x.dtype).tiny)
    d = found = 1 / b
    for k in range(1, MOST_TERMS):
        step = -k * (k - a)
        b = b + 2
        d = 1 / (step * d + b)
        c = b + step / c
        factor = c * d
        found = found * factor
        if k % TERMS_BETWEEN_LOOKS == 0 and not ((factor - 1).abs() > least).any():
            break
    return power_term(a, x) * a * found


def upper_series(a, x):
    """Q for small x by DLMF 8.7.1, without the cancellation of 1 - P."""
    term, total = cygrad.ones_like(x), cygrad.zeros_like(x)
    for k in range(1, 24):                              # x is at most 1.1: 1.1 ** 24 / 24! is below any rounding
        term = term * (-x / k)
        total = total + term / (a + k)
    log = x.log()
    return -(a * log - (a + 1).lgamma()).expm1() - (a * log - a.lgamma()).exp() * total


def expansion(a, x, upper):
    """P or Q by Temme's expansion."""
    apart = (x - a) / a
    eta = (2 * (apart - apart.log1p())).clamp(min=0).sqrt() * apart.sign()
    rest, power = cygrad.zeros_like(a), cygrad.ones_like(a)
    for row in TEMME:
        rest = rest + polynomial(row, eta) * power
        power = power / a
    rest = rest * (-a * eta * eta / 2).exp() / (2 * math.pi * a).sqrt()
    sign = 1 if upper else -1
    return (sign * eta * (a / 2).sqrt()).erfc() / 2 + sign * rest


def put(found, mask, formula, a, x):
    """`found` with what the formula gives where the mask is true."""
    if not mask.any():
        return found
    return found.masked_scatter(mask, formula(a.masked_select(mask), x.masked_select(mask)))


def regularized(a, x, upper):
    """P(a, x), or Q(a, x) if `upper`, of two tensors of one shape."""
    inside = (a > 0) & (x > 0) & (a != math.inf) & (x != math.inf)
    near = inside & (a > 20) & ((x - a).abs() < 0.3 * a)
    fraction = inside & ~near & (x > 1.1) & (x > a)
    small = inside & ~near & (x <= 1.1)
    small = small & (a < cygrad.where(x <= 0.5, -0.4 / x.log(), 1.1 * x)) if upper else small & False
    series = inside & ~near & ~fraction & ~small
    found = cygrad.full_like(x, math.nan)
    found = put(found, near, lambda a, x: expansion(a, x, upper), a, x)
    found = put(found, fraction, lambda a, x: upper_fraction(a, x) if upper else 1 - upper_fraction(a, x), a, x)
    found = put(found, small, upper_series, a, x)
    found = put(found, series, lambda a, x: 1 - lower_series(a, x) if upper else lower_series(a, x), a, x)
    none, all_ = (1.0, 0.0) if upper else (0.0, 1.0)                # below x lies nothing, or everything
    nothing = ((a > 0) | a.isnan()) & (x == 0) | (a == math.inf) & ((x >= 0) & (x != math.inf) | x.isnan())
    everything = (a == 0) & (x > 0) | (x == math.inf) & ((a >= 0) & (a != math.inf) | a.isnan())
    return cygrad.where(nothing, none, cygrad.where(everything, all_, found))


@primitive(name="igamma")
@widened
def _igamma(self, other):
    return whole(self, other, False)


@primitive(name="igammac")
@widened
def _igammac(self, other):
    return whole(self, other, True)


def whole(self, other, upper):
    a, x = floats(self, other)
    return with_strides(a, x, regularized(a.contiguous(), x.contiguous(), upper))


_DOC = """The regularized {which} incomplete gamma function {name}(input, other), of each pair of elements.

Parameters
----------
input, other : Tensor
    Of real floating-point dtypes, not negative; the exponent and the bound of the integral. They broadcast.

Returns
-------
Tensor
    Of the broadcast shape, from 0 to 1; NaN where an operand is negative.

Raises
------
NotImplementedError
    For integers and complex numbers, and in `backward` for a derivative by `input`.

Notes
-----
{formula}

Examples
--------
>>> import cygrad
>>> cygrad.{op}(cygrad.tensor([4., 4., 4.]), cygrad.tensor([3., 4., 5.]))
{shown}
"""


def checked(name, input, other):
    need_tensors(name, input=input, other=other)
    dtype = result_type(input, other)
    if not dtype.is_floating_point:
        raise refused(name + "_cpu", dtype)
    broadcast(input, other)


@op(inplace="pointwise", out=True, doc=_DOC.format(
    which="lower", name="P", op="igamma", shown="tensor([0.3528, 0.5665, 0.7350])",
    formula="The integral of t ** (input - 1) * exp(-t) from 0 to other, over gamma(input)."))
def igamma(input, other):
    checked("igamma", input, other)
    return _igamma(input, other)


@op(inplace="pointwise", out=True, doc=_DOC.format(
    which="upper", name="Q", op="igammac", shown="tensor([0.6472, 0.4335, 0.2650])",
    formula="The integral of t ** (input - 1) * exp(-t) from other to infinity, over gamma(input): 1 - `igamma`."))
def igammac(input, other):
    checked("igammac", input, other)
    return _igammac(input, other)


@op(inplace=True, out=True)
def mvlgamma(input, p):
    """The logarithm of the multivariate gamma function of dimension `p`.

    log(pi) p (p - 1) / 4 + the sum of lgamma(input - j / 2) over j < p.

    Parameters
    ----------
    input : Tensor
        Above (p - 1) / 2; integers give the default float dtype.
    p : int
        At least 1.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.mvlgamma(cygrad.tensor([2., 3.]), 2)
    tensor([0.4516, 1.5502])
    """
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if input.dtype is cygrad.bool:
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    return _mvlgamma(input, p)


@primitive(name="mvlgamma")
def _mvlgamma(self, p):
    shifts = cygrad.arange(-p * 0.5 + 0.5, 0.5, 0.5, device=self.device)
    return (shifts.to((self + 0.5).dtype) + self.unsqueeze(-1)).lgamma().sum(-1) + p * (p - 1) * math.log(math.pi) / 4
