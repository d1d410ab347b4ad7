"""The regularized incomplete gamma functions P (`igamma`) and Q = 1 - P (`igammac`).

Each pair (a, x) is computed where it converges fast: by the series of P, by the continued fraction of Q, by the series
of Q for small x, and for large a near x by Temme's expansion, whose two parts are a term of `erfc` and a small rest.
Sources: NIST's Digital Library of Mathematical Functions, 8.7.1, 8.9.2, 8.11.4, 8.12; Temme, "The asymptotic expansion
of the incomplete gamma functions", 1979. The host asks once which of these ways there are; each is one pass, and the
first two are one more in float64.
"""
import math
from functools import cache

import cygrad
from cygrad.dispatch.operands import broadcast
from cygrad.dispatch.programs import program, where
from cygrad.dispatch.promotion import result_type
from cygrad.dispatch.raw import in_order_of
from cygrad.ops.declare.operand_types import need_tensors, refused, widened
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.pointwise.recurrences import in_rows
from cygrad.ops.pointwise.special import floats
from cygrad.ops.pointwise.special_tables import TEMME

NEAR, FRACTION, SMALL, SERIES = KINDS = (1.0, 2.0, 3.0, 4.0)        # the ways; 0: not between 0 and infinity
TERMS = {FRACTION: 45, SERIES: 53}      # of a pass: 1e-11 from the limit, two 3e-17; of the fraction 1e-15 for a near 0
FEW = 64                                # elements, which go every way that there is
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)     # DLMF 5.11.1


def polynomial(coefficients, x):
    """The sum of coefficients[n] * x ** n."""
    total = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = total * x + c
    return total


def power_term(a, x):
    """x ** a * exp(-x) / gamma(a + 1); for large `a` without the rounding of its large logarithms."""
    plain = (a * x.log() - x - (a + 1).lgamma()).exp()
    b = a.maximum(10)
    apart = (x - b) / b
    rest = polynomial(STIRLING, 1 / (b * b)) / b
    large = (b * (apart.log1p() - apart) - rest).exp() / (2 * math.pi * b).sqrt()
    return where(a >= 10, large, plain)


def terms(kind, a, x, first, rest=None):
    """The terms after the `first` of the series of P (DLMF 8.11.4) or of the fraction (8.9.2), from the last one back.

    `rest` is what follows them.
    """
    b, last = x + 1 - a, first + TERMS[kind]
    if rest is None:
        rest = 1.0 if kind == SERIES else b + 2 * last
    for k in range(last, first, -1):
        # the rest stands first, so that nothing waits for it
        rest = rest * (x / (a + k)) + 1 if kind == SERIES else 1 / rest * ((a - k) * k) + (b + 2 * (k - 1))
    return rest


def lower_series(a, x, rest=None):
    """P by the series: the terms are positive."""
    return power_term(a, x) * terms(SERIES, a, x, 0, rest)


def upper_fraction(a, x, rest=None):
    return power_term(a, x) * a / terms(FRACTION, a, x, 0, rest)


def upper_series(a, x):
    """Q for small x by DLMF 8.7.1, without the cancellation of 1 - P."""
    term, total = 1.0, 0.0
    for k in range(1, 24):                              # x is at most 1.1: 1.1 ** 24 / 24! is below any rounding
        term = term * (x / -k)
        total = total + term / (a + k)
    log = x.log()
    return -(a * log - (a + 1).lgamma()).expm1() - (a * log - a.lgamma()).exp() * total


def expansion(a, x, upper):
    """P or Q by Temme's expansion."""
    apart = (x - a) / a
    eta = (2 * (apart - apart.log1p())).maximum(0).sqrt() * apart.sign()
    inverse = 1 / a
    rest = 0.0
    for row in TEMME[::-1]:
        rest = rest * inverse + polynomial(row, eta)
    rest = rest * (-a * eta * eta / 2).exp() / (2 * math.pi * a).sqrt()
    sign = 1 if upper else -1
    return (sign * eta * (a / 2).sqrt()).erfc() / 2 + sign * rest


def way(kind, upper, *operands):
    """P, or Q if `upper`, by one of the ways."""
    if kind == NEAR:
        return expansion(*operands, upper)
    if kind == SMALL:
        return upper_series(*operands)
    found = (lower_series if kind == SERIES else upper_fraction)(*operands)
    return found if upper == (kind == FRACTION) else 1 - found


@cache
def in_one_pass(kind, upper, wide):
    if wide:
        return program(lambda kinds, found, a, x, rest: where(kinds.eq(kind), way(kind, upper, a, x, rest), found))
    return program(lambda kinds, found, a, x: where(kinds.eq(kind), way(kind, upper, a, x), found))


@cache
def beyond(kind):
    return program(lambda a, x: terms(kind, a, x, TERMS[kind]))


def put(found, kinds, kind, a, x, upper):
    """`found` with the values of one kind."""
    wide = x.dtype.itemsize == 8 and kind in TERMS
    return in_one_pass(kind, upper, wide)(kinds, found, a, x, *((beyond(kind)(a, x),) if wide else ()))


def kinds_of(a, x, upper):
    """Which way each pair goes."""
    inside = (a > 0) & (x > 0) & a.ne(math.inf) & x.ne(math.inf)
    near = (a > 20) & ((x - a).abs() < 0.3 * a)
    low = x <= 1.1
    found = where(low.logical_or(x <= a), SERIES, FRACTION)
    if upper:
        found = where(low & (a < where(x <= 0.5, -0.4 / x.log(), 1.1 * x)), SMALL, found)
    return where(inside, where(near, NEAR, found), 0.0)


def ends(a, x, upper):
    """What is known where an operand is 0 or infinite: below x lies nothing, or everything."""
    none, whole = (1.0, 0.0) if upper else (0.0, 1.0)
    nothing = (((a > 0) | a.isnan()) & x.eq(0)) | (a.eq(math.inf) & (((x >= 0) & x.ne(math.inf)) | x.isnan()))
    everything = (a.eq(0) & (x > 0)) | (x.eq(math.inf) & (((a >= 0) & a.ne(math.inf)) | a.isnan()))
    return where(nothing, none, where(everything, whole, math.nan))


BEGIN = (program(lambda a, x: (kinds_of(a, x, False), ends(a, x, False))),
         program(lambda a, x: (kinds_of(a, x, True), ends(a, x, True))))


def regularized(a, x, upper):
    """P(a, x), or Q(a, x) if `upper`, of two tensors of one shape."""
    kinds, found = BEGIN[upper](a, x)
    if x.is_meta:
        return found
    if x.numel() <= FEW:
        for kind in sorted({*kinds.reshape(-1).tolist()} - {0.0}):
            found = put(found, kinds, kind, a, x, upper)
        return found
    for kind in KINDS:
        mask = kinds.eq(kind)
        if mask.any():
            some = [t.masked_select(mask) for t in (found, kinds, a, x)]
            found = found.masked_scatter(mask, put(*some[:2], kind, *some[2:], upper))
    return found


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
    return in_order_of(regularized(*in_rows(a, x), upper), a, x)


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
