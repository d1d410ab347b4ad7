"""Functions of two operands that are computed by recurrences over whole tensors: polynomials of a degree, and `zeta`.

How many steps are needed depends on the values, so the host asks for the largest degree once a call.
"""
import math
from functools import cache

import cygrad
from cygrad.dispatch.programs import program, where
from cygrad.dispatch.promotion import result_type
from cygrad.dispatch.raw import in_order_of
from cygrad.ops.declare.operand_types import refused, widened
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.pointwise.normal_distribution import need_one
from cygrad.ops.pointwise.special import TERMS, floats, hurwitz, shifts_below_zero
from cygrad.tensor import Tensor


def in_rows(x, y):
    """Both, broadcast to one shape and row-major."""
    return [t.contiguous() for t in cygrad.broadcast_tensors(x, y)]


# ------------------------------------------------------------------------- polynomials

AT_ONCE = 16        # degrees up to this one are one pass


def recurrence(x, n, first, step, known, most):
    """The polynomials of degrees n at x, of which those of degree 0 and 1 are 1 and `first`.

    `step(k, q, p)` makes that of degree k + 1 of those of k and k - 1. No degree is above `most`; where that is None,
    it goes on until all elements are found, but those for which `known()` is true.
    """
    p, q = 1, first
    if most is not None:
        found = where(n.eq(0), 1, where(n.eq(1), first, -0.0))
        for k in map(float, range(1, most)):
            p, q = q, step(k, q, p)
            found = found + where(n.eq(k + 1), q, -0.0)     # a sum: nothing of the later ones waits for the earlier
        return found
    found = where(n.eq(0), 1, first)
    open_, k = known().logical_not().logical_and(n > 1), 1
    while open_.any().item():
        p, q = q, step(k, q, p)
        k += 1
        found = where(open_, q, found)
        open_ = open_.logical_and(n > k).logical_and(q.isnan().logical_not())
    return found


def at_ends(x, n, found, right, left):
    """`found`, but at 1 and -1 what is known there: at -1 `left` for even degrees, else -`left`."""
    return where(x.eq(1), right, where(x.eq(-1), left * (1 - 2 * n.remainder(2)), found))


def chebyshev_of(kind):
    """Chebyshev's polynomials of the kind t, u, v or w: by the angle within (-1, 1) for high degrees."""
    first = {"t": lambda x: x, "u": lambda x: 2 * x, "v": lambda x: 2 * x - 1, "w": lambda x: 2 * x + 1}[kind]
    angles = {"t": lambda a, n: (n * a).cos(), "u": lambda a, n: ((n + 1) * a).sin() / a.sin(),
              "v": lambda a, n: ((n + 0.5) * a).cos() / (a / 2).cos(),
              "w": lambda a, n: ((n + 0.5) * a).sin() / (a / 2).sin()}[kind]

    def formula(x, n, most):
        high = (n > (6 if kind == "t" else 8)).logical_and(x.abs() < 1)
        found = recurrence(x, n, first(x), lambda k, q, p: 2 * x * q - p, lambda: high.logical_or(x.abs().eq(1)), most)
        if most is None or most > 6:
            found = where(high, angles(x.acos(), n), found)
        right, left = {"t": (1, 1), "u": (n + 1, n + 1), "v": (1, 2 * n + 1), "w": (2 * n + 1, 1)}[kind]
        return at_ends(x, n, found, right, left)
    return formula


def hermite(scale):
    """Hermite's polynomials, the physicists' (2) or the probabilists' (1), of degrees that don't overflow."""
    def formula(x, n, most):
        beyond = None if most else n > (512 if x.dtype.itemsize == 8 else 128)
        found = recurrence(x, n, scale * x, lambda k, q, p: scale * (x * q - k * p), lambda: beyond, most)
        return found if most else where(beyond, math.nan, found)
    return formula


def laguerre(x, n, most):
    found = recurrence(x, n, 1 - x, lambda k, q, p: ((2 * k + 1 - x) * q - k * p) / (k + 1), lambda: x.eq(0), most)
    return where(x.eq(0), 1, found)


def legendre(x, n, most):
    found = recurrence(x, n, x, lambda k, q, p: ((2 * k + 1) * x * q - k * p) / (k + 1), lambda: x.abs().eq(1), most)
    return at_ends(x, n, found, 1, 1)


POLYNOMIALS = {f"chebyshev_polynomial_{kind}": (chebyshev_of(kind), f"Chebyshev's polynomial {kind.upper()}")
               for kind in "tuvw"}
POLYNOMIALS |= {f"shifted_{name}": (lambda x, n, most, formula=formula: formula(2 * x - 1, n, most),
                                   what + ", of 2 x - 1") for name, (formula, what) in POLYNOMIALS.items()}
POLYNOMIALS |= {"hermite_polynomial_h": (hermite(2), "The physicists' polynomial of Hermite"),
                "hermite_polynomial_he": (hermite(1), "The probabilists' polynomial of Hermite"),
                "laguerre_polynomial_l": (laguerre, "Laguerre's polynomial"),
                "legendre_polynomial_p": (legendre, "Legendre's polynomial")}


def polynomial_op(name, formula):
    """An op of places and degrees, without a derivative, as in PyTorch."""
    def whole(x, n, most=None):
        n = n.trunc()
        n = where(n < 2.0**63, n, -1)           # PyTorch makes int64 of degrees: what is larger or NaN is negative
        return where(n < 0, 0, formula(x, n, most))

    @cache
    def up_to(most):
        return program(lambda x, n: whole(x, n, most))

    @primitive(name="special_" + name)
    def found(input, n):
        x, degrees = floats(input, n)
        most = degrees.max().item() if degrees.numel() and not degrees.is_meta else 0
        if most <= AT_ONCE:                     # or the next of 4, 8, 16: so there are three programs
            return up_to(4 if most <= 4 else 8 if most <= 8 else AT_ONCE)(x, degrees)
        return in_order_of(whole(*in_rows(x, degrees)), x, degrees)

    def public(x, n):
        need_one(x, n, "special_" + name)
        dtype = result_type(x, n)
        if dtype.is_complex or dtype.is_floating_point and dtype.itemsize == 2:
            raise refused(name + "_cpu", dtype)
        return found(x, n)
    return public


polynomials = {name: polynomial_op(name, formula) for name, (formula, _) in POLYNOMIALS.items()}


# ------------------------------------------------------------------------ Hurwitz' zeta

def everywhere(s, q, terms=TERMS):
    whole = q.eq(q.floor())
    total = hurwitz(s, q, terms)
    total = where(q <= 0, where(whole, math.inf, where(s.eq(s.floor()), total, math.nan)), total)
    undefined = q.eq(math.inf).logical_or(s.eq(math.inf).logical_and(q > 1)).logical_or(q.isnan())
    total = where(undefined, math.nan, total)
    return where(s.eq(1), math.inf, where(s < 1, math.nan, total))


ZETA = program(lambda s, q: everywhere(s, q))


@primitive(name="zeta")
@widened
def _zeta(self, other):
    s, q = floats(self, other)
    shifts = shifts_below_zero(q)
    return in_order_of(everywhere(*in_rows(s, q), TERMS + shifts), s, q) if shifts else ZETA(s, q)


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
