"""Special functions with nodes of their own, mostly programs: sinc, logit, xlogy, logaddexp, polygamma."""
import math
from functools import cache

import cygrad
from cygrad.dispatch.operands import broadcast, select
from cygrad.dispatch.programs import program, same_floats, where
from cygrad.dispatch.promotion import result_type
from cygrad.dispatch.raw import cast_to, in_order_of
from cygrad.ops.declare.operand_types import HALVES, as_float, need_tensors, refused, widened
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.tensor import Tensor


def sinc_formula(x):
    angle = x * math.pi
    return where(angle.eq(0), 1, angle.sin() / angle)


SINC = program(sinc_formula, floats=True)


@primitive(name="sinc")
def _sinc(self):
    return SINC(self)


@op(inplace=True, out=True)
def sinc(input):
    """sin(pi * x) / (pi * x) of each element, 1 at 0.

    Parameters
    ----------
    input : Tensor
        Any shape; integers give the default float dtype.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.sinc(cygrad.tensor([0., 0.5, 1.]))
    tensor([ 1.0000e+00,  6.3662e-01, -2.7828e-08])
    """
    return _sinc(input)


LOGIT = program(lambda x: (x / (1 - x)).log(), floats=True)
LOGIT_WITHIN = program(lambda x, low, high: LOGIT.formula(
    where(x < low, low, where(x > high, high, x))), floats=True)


@primitive(name="logit")
def _logit(self, eps):
    if self.dtype in HALVES:                # rounded after each step, as in PyTorch
        if eps is None:
            return LOGIT.formula(self)
        low = cygrad.tensor(eps, dtype=self.dtype, device=self.device)
        high = 1 - low
        return LOGIT.formula(cygrad.where(self < low, low, cygrad.where(self > high, high, self)))
    return LOGIT(self) if eps is None else LOGIT_WITHIN(self, eps, 1 - eps)


@op(inplace=True, out=True)
def logit(input, eps=None):
    """log(x / (1 - x)) of each element, the inverse of `sigmoid`.

    Parameters
    ----------
    input : Tensor
    eps : float, optional
        Elements are first moved into [eps, 1 - eps].

    Returns
    -------
    Tensor
        Of input's shape; integers give the default float dtype.

    Examples
    --------
    >>> cygrad.logit(cygrad.tensor([0.5, 0.9, 1.]), eps=1e-6)
    tensor([ 0.0000,  2.1972, 13.8023])
    """
    if input.is_complex():
        raise refused("logit_cpu", input.dtype)
    return _logit(input, eps)


XLOGY = program(lambda x, y: where(y.isnan(), y, where(x.eq(0), 0, x * y.log())), floats=True)


@primitive(name="xlogy")
def _xlogy(self, other):
    return stepwise(XLOGY, self, other)


def stepwise(formula, self, other):
    """A program of two operands, one of which may be a number; 16-bit floats are rounded after each step."""
    self, other = floats(self, other)
    if self.dtype not in HALVES:
        return formula(self, other)
    return in_order_of(formula.formula(self, other), self, other)


def floats(input, other):
    """Both operands as tensors of one float dtype; numbers, too, as in PyTorch."""
    if isinstance(input, Tensor) and isinstance(other, Tensor) and input.dtype is other.dtype and (
            input.is_floating_point()):
        return input, other
    dtype = result_type(input, other)
    dtype = dtype if dtype.is_floating_point else cygrad.get_default_dtype()
    like = input if isinstance(input, Tensor) else other
    return [cast_to(x, dtype) if isinstance(x, Tensor) else like.new_full((), x, dtype=dtype) for x in (input, other)]


@primitive(name="xlogy_scalar")
def _xlogy_scalar(self, other):
    return _xlogy.forward(self, other)


@primitive(name="scalar_xlogy")
def _scalar_xlogy(self, other):
    return _xlogy.forward(self, other)


@op(inplace="pointwise", out=True)
def xlogy(input, other):
    """input * log(other), 0 where input is 0 (NaN where other is).

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor, of real dtypes.

    Returns
    -------
    Tensor
        Of the broadcast shape; integers give the default float dtype.

    Examples
    --------
    >>> cygrad.xlogy(cygrad.tensor([0., 2.]), cygrad.tensor([0., 3.]))
    tensor([0.0000, 2.1972])
    """
    if same_floats(input, other):
        return _xlogy(input, other)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        raise TypeError(f"xlogy(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    dtype = result_type(input, other)
    if dtype.is_complex:
        if isinstance(input, Tensor) and isinstance(other, Tensor):
            broadcast(input, other)
        raise refused("xlogy_cpu", dtype)
    if not isinstance(input, Tensor):
        return _scalar_xlogy(input, other)
    return _xlogy(input, other) if isinstance(other, Tensor) else _xlogy_scalar(input, other)


LOGADDEXP = program(lambda x, y: where(x.eq(y) & x.isinf(), x, x.maximum(y) + (-(x - y).abs()).exp().log1p()))
LOGADDEXP2 = program(lambda x, y: where(x.eq(y) & x.isinf(), x,
                                        x.maximum(y) + (-(x - y).abs()).exp2().log1p() * (1 / math.log(2))))


@primitive(name="logaddexp")
def _logaddexp(self, other):
    if self.is_complex() or other.is_complex():
        first = self.real >= other.real
        larger, smaller = select(first, self, other), select(first, other, self)
        found = larger + (smaller - larger).exp().log1p()
        if not (same := larger.real.isinf() & (larger.real == smaller.real)).any():
            return found
        return select(same, select(larger.real < 0, smaller, (smaller.exp() + larger.exp()).log()), found)
    return LOGADDEXP(self, other)


@op(out=True)
def logaddexp(input, other):
    """log(exp(input) + exp(other)), without overflow.

    Parameters
    ----------
    input, other : Tensor
        Of floating-point or complex dtypes; their shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> cygrad.logaddexp(cygrad.tensor([0., -1000.]), cygrad.tensor([0., -1000.]))
    tensor([ 6.9315e-01, -9.9931e+02])
    """
    if not same_floats(input, other):
        need_tensors("logaddexp", input=input, other=other)
        broadcast(input, other)
        dtype = result_type(input, other)
        if not (dtype.is_floating_point or dtype.is_complex):
            raise refused("logaddexp_cpu", dtype)
    return _logaddexp(input, other)


@primitive(name="logaddexp2")
def _logaddexp2(self, other):
    return LOGADDEXP2(self, other)


@op(out=True)
def logaddexp2(input, other):
    """log2(2 ** input + 2 ** other), without overflow.

    Parameters
    ----------
    input, other : Tensor
        Of floating-point dtypes; their shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> cygrad.logaddexp2(cygrad.tensor([0., 3.]), cygrad.tensor([0., 3.]))
    tensor([1., 4.])
    """
    if not same_floats(input, other):
        need_tensors("logaddexp2", input=input, other=other)
        broadcast(input, other)
        dtype = result_type(input, other)
        if not dtype.is_floating_point:
            raise refused("logaddexp2_cpu", dtype)
    return _logaddexp2(input, other)


@primitive(name="polygamma")
@widened
def _polygamma(n, self):
    x = as_float(self)
    if n == 0:
        return x.digamma()
    if x.is_complex():
        raise refused("trigamma" if n == 1 else "polygamma", x.dtype)
    if n == 1:
        return TRIGAMMA(x)
    factorial = float(math.factorial(n)) if n <= 170 else math.inf             # 171! is beyond double precision
    return zeta(n + 1, x) * (factorial if n % 2 else -factorial)


@op(method=False, out=True)
def polygamma(n, input):
    """The n-th derivative of `digamma`.

    Parameters
    ----------
    n : int
        Not negative.
    input : Tensor
        Of a real dtype.

    Returns
    -------
    Tensor
        Of input's shape; integers give the default float dtype.

    Raises
    ------
    RuntimeError
        For a negative `n`, or for a complex tensor.

    Examples
    --------
    >>> cygrad.polygamma(1, cygrad.tensor([1., 2.]))
    tensor([1.6449, 0.6449])
    """
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return _polygamma(n, input)


@op(name="polygamma", only_method=True, inplace=True)
def _polygamma_method(self, n):
    """The n-th derivative of `digamma`.

    Parameters
    ----------
    n : int
        Not negative.

    Returns
    -------
    Tensor
        Of self's shape; integers give the default float dtype.

    Examples
    --------
    >>> cygrad.tensor([1., 2.]).polygamma(1)
    tensor([1.6449, 0.6449])
    """
    return polygamma(n, self)


def trigamma_formula(x):
    """Recurrence up to x + 6, then the asymptotic series; reflection below 1/2 (Abramowitz and Stegun, 6.4)."""
    reflected = x < 0.5
    sine = (x * math.pi).sin()
    z = where(reflected, 1 - x, x)
    total = 0
    for _ in range(6):
        total = total + 1 / (z * z)
        z = z + 1
    w = 1 / (z * z)
    total = total + (1 + 1 / (2 * z) + w * (1 / 6 - w * (1 / 30 - w * (1 / 42)))) / z
    return where(reflected, math.pi ** 2 / (sine * sine) - total, total)


TRIGAMMA = program(trigamma_formula, floats=True)

# Coefficients B_2k / (2k)! of the Euler-Maclaurin sum, each by the one before.
RATIOS = (1 / 12, -1 / 60, -1 / 42, -1 / 40, -5 / 198, -691 / 27300, -35 / 1382, -3617 / 142800, -219335 / 8659098,
          -1222277 / 48253700, -4272565 / 168674226, -236364091 / 9331281960)
TERMS, MOST_SHIFTS = 10, 4096       # of the sum itself; how far below 0 the argument may lie


def shifts_below_zero(q):
    """How often 1 has to be added until no finite element is negative."""
    if not q.numel() or q.device.type == "meta":
        return 0
    lowest = q.min().item()
    if not math.isfinite(lowest):
        lowest = q.masked_fill(q.isfinite().logical_not(), 0).min().item()
    return min(max(0, math.ceil(-lowest)), MOST_SHIFTS)


def hurwitz(s, q, terms=TERMS):
    """Hurwitz' zeta function, the sum of (q + k) ** -s over k >= 0 (Euler-Maclaurin), where s > 1 and q is no pole."""
    total, z = 0, q
    for _ in range(terms):
        total = total + z.pow(-s)
        z = z + 1
    power = z.pow(-s)
    total = total + power * z / (s - 1) + power / 2
    term, w, rest = power / z * s, 1 / (z * z), 0
    for k, ratio in enumerate(RATIOS):
        if k:
            term = term * ((s + (2 * k - 1)) * (s + 2 * k)) * w
        term = term * ratio
        rest = rest + term
    return total + where(rest.isfinite(), rest, 0)


def of_poles(s, q, terms=TERMS):
    return where((q <= 0).logical_and(q.eq(q.floor())), math.inf, hurwitz(s, q, terms))


@cache
def of_poles_in_one_pass(s):
    return program(lambda q: of_poles(s, q), floats=True)


def zeta(s, q):
    """`hurwitz` for a number s, infinite at the poles."""
    shifts = shifts_below_zero(q)
    return of_poles(s, q, TERMS + shifts) if shifts else of_poles_in_one_pass(s)(q)
