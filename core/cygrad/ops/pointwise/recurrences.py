"""Functions of two operands that are computed by recurrences over whole tensors: polynomials of a degree, and `zeta`.

How many steps are needed depends on the values, so the host asks for the largest degree once a call.
"""
import math

import cygrad
from cygrad.dispatch.promotion import result_type
from cygrad.dispatch.raw import cast_to
from cygrad.ops.declare.operand_types import refused, widened
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.pointwise.normal_distribution import need_one
from cygrad.ops.pointwise.special import shifts_below_zero, with_strides
from cygrad.tensor import Tensor


def floats(input, other):
    """Both operands as tensors of one float dtype and shape."""
    dtype = result_type(input, other)
    dtype = dtype if dtype.is_floating_point else cygrad.get_default_dtype()
    like = input if isinstance(input, Tensor) else other
    both = (cast_to(x, dtype) if isinstance(x, Tensor) else cygrad.tensor(float(x), dtype=dtype, device=like.device)
            for x in (input, other))
    return cygrad.broadcast_tensors(*both)


# ------------------------------------------------------------------------- polynomials

def recurrence(x, n, first, step, known):
    """The polynomials of degrees n at x, of which those of degree 0 and 1 are 1 and `first`.

    `step(k, q, p)` makes that of degree k + 1 of those of k and k - 1; `known` masks elements that need none.
    """
    p, q = cygrad.ones_like(x), first
    found = cygrad.where(n == 0, p, q)
    open_ = known.logical_not().logical_and(n > 1)
    k = 1
    while open_.any().item():
        p, q = q, step(k, q, p)
        k += 1
        found = cygrad.where(open_, q, found)
        open_ = open_.logical_and(n > k).logical_and(q.isnan().logical_not())
    return cygrad.where(n < 0, 0, found)


def at_ends(x, n, found, right, left):
    """`found`, but at 1 and -1 what is known there; `left` is of even degree, and negative for odd ones."""
    sign = 1 - 2 * n.remainder(2) if left[1] else 1
    found = cygrad.where(x == 1, right, cygrad.where(x == -1, left[0] * sign, found))
    return cygrad.where(n < 0, 0, found)


def chebyshev_of(kind):
    """Chebyshev's polynomials of the kind t, u, v or w: by the angle within (-1, 1) for high degrees."""
    first = {"t": lambda x: x, "u": lambda x: 2 * x, "v": lambda x: 2 * x - 1, "w": lambda x: 2 * x + 1}[kind]
    angles = {"t": lambda a, n: (n * a).cos(), "u": lambda a, n: ((n + 1) * a).sin() / a.sin(),
              "v": lambda a, n: ((n + 0.5) * a).cos() / (a / 2).cos(),
              "w": lambda a, n: ((n + 0.5) * a).sin() / (a / 2).sin()}[kind]

    def formula(x, n):
        high = (n > (6 if kind == "t" else 8)).logical_and(x.abs() < 1)
        found = recurrence(x, n, first(x), lambda k, q, p: 2 * x * q - p, high.logical_or(x.abs() == 1))
        found = cygrad.where(high, angles(x.clamp(-1, 1).acos(), n), found)
        one = cygrad.ones_like(n)
        right, left = {"t": (one, one), "u": (n + 1, n + 1), "v": (one, 2 * n + 1), "w": (2 * n + 1, one)}[kind]
        return at_ends(x, n, found, right, (left, True))
    return formula


def hermite(scale):
    """Hermite's polynomials, the physicists' (2) or the probabilists' (1), of degrees that don't overflow."""
    def formula(x, n):
        beyond = n > (512 if x.dtype.itemsize == 8 else 128)
        found = recurrence(x, n, scale * x, lambda k, q, p: scale * (x * q - k * p), beyond)
        return cygrad.where(beyond, math.nan, found)
    return formula


def laguerre(x, n):
    found = recurrence(x, n, 1 - x, lambda k, q, p: ((2 * k + 1 - x) * q - k * p) / (k + 1), x == 0)
    return cygrad.where((x == 0).logical_and(n >= 0), 1, found)


def legendre(x, n):
    found = recurrence(x, n, x, lambda k, q, p: ((2 * k + 1) * x * q - k * p) / (k + 1), x.abs() == 1)
    one = cygrad.ones_like(n)
    return at_ends(x, n, found, one, (one, True))


POLYNOMIALS = {f"chebyshev_polynomial_{kind}": (chebyshev_of(kind), f"Chebyshev's polynomial {kind.upper()}")
               for kind in "tuvw"}
POLYNOMIALS |= {f"shifted_{name}": (lambda x, n, formula=formula: formula(2 * x - 1, n), what + ", of 2 x - 1")
                for name, (formula, what) in POLYNOMIALS.items()}
POLYNOMIALS |= {"hermite_polynomial_h": (hermite(2), "The physicists' polynomial of Hermite"),
                "hermite_polynomial_he": (hermite(1), "The probabilists' polynomial of Hermite"),
                "laguerre_polynomial_l": (laguerre, "Laguerre's polynomial"),
                "legendre_polynomial_p": (legendre, "Legendre's polynomial")}


def polynomial_op(name, formula):
    """An op of places and degrees, without a derivative, as in PyTorch."""
    @primitive(name="special_" + name)
    def found(input, n):
        x, degree = floats(input, n)
        degrees = degree.contiguous().trunc()
        degrees = cygrad.where(degrees < 2.0**63, degrees, -1)      # PyTorch makes int64 of them: the rest is negative
        return with_strides(x, degree, formula(x.contiguous(), degrees))

    def public(x, n):
        need_one(x, n, "special_" + name)
        dtype = result_type(x, n)
        if dtype.is_complex or dtype.is_floating_point and dtype.itemsize == 2:
            raise refused(name + "_cpu", dtype)
        return found(x, n)
    return public


polynomials = {name: polynomial_op(name, formula) for name, (formula, _) in POLYNOMIALS.items()}


# ------------------------------------------------------------------------ Hurwitz' zeta

# Coefficients (2k)! / B_2k of the Euler-Maclaurin sum.
EULER_MACLAURIN = (12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1892437580.3183791, 74724249600.0,
                   -2950130727918.1642, 116467828143500.67, -4597978722407472.6, 181521054019435467.7,
                   -7166165256175667011.3)


@primitive(name="zeta")
@widened
def _zeta(self, other):
    first, second = floats(self, other)
    s, q = first.contiguous(), second.contiguous()
    total, z = cygrad.zeros_like(q), q
    for _ in range(10 + shifts_below_zero(q)):
        total = total + z.pow(-s)
        z = z + 1
    power = z.pow(-s)
    total = total + power * z / (s - 1) + power / 2
    factor = s
    for k, coefficient in enumerate(EULER_MACLAURIN):
        power = power / z
        term = power * (factor / coefficient)
        total = total + cygrad.where(term.isfinite(), term, 0)
        power = power / z
        factor = factor * (s + (2 * k + 1)) * (s + (2 * k + 2))
    whole = q == q.floor()
    total = cygrad.where(q <= 0, cygrad.where(whole, math.inf, cygrad.where(s == s.floor(), total, math.nan)), total)
    undefined = (q == math.inf).logical_or((s == math.inf).logical_and(q > 1)).logical_or(q.isnan())
    total = cygrad.where(undefined, math.nan, total)
    total = cygrad.where(s == 1, math.inf, cygrad.where(s < 1, math.nan, total))
    return with_strides(first, second, total)


@primitive(name="zeta_scalar")
def _zeta_scalar(self, other):
    return _zeta.forward(self, other)


@primitive(name="scalar_zeta")
def _scalar_zeta(self, other):
    return _zeta.forward(self, other)


def zeta(input, other):
    """Hurwitz' zeta function, the sum of (other + k) ** -input over k = 0, 1, ...

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor, of real dtypes. NaN where input < 1.
    out : Tensor, optional
        Written to.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> cygrad.special.zeta(cygrad.tensor([2., 4.]), 1)
    tensor([1.6449, 1.0823])
    """
    need_one(input, other, "special_zeta")
    dtype = result_type(input, other)
    if dtype.is_complex or dtype.itemsize == 2 and dtype.is_floating_point:
        raise refused("zeta_cpu", dtype)
    if not isinstance(input, Tensor):
        return _scalar_zeta(input, other)
    return _zeta(input, other) if isinstance(other, Tensor) else _zeta_scalar(input, other)
