"""Functions of each element, and of each pair of elements.

Most are the op of the same meaning over operands of one dtype, made below from a table; those whose special cases the
standard sees otherwise than PyTorch are written out.
"""
import builtins
import math

import cygrad
from cygrad import Tensor
from cygrad.array_api.data_types import is_integer, operands
from cygrad.array_api.documented import documented
from cygrad.array_api.results import own

# name: (the op, what it gives, shown for these elements, with this result)
_OF_ONE = {
    "abs": (cygrad.abs, "the absolute value, of complex numbers the modulus", [-1.5, 2.], "Array([1.5000, 2.0000])"),
    "acos": (cygrad.acos, "the inverse cosine", [0., 1.], "Array([1.5708, 0.0000])"),
    "acosh": (cygrad.acosh, "the inverse hyperbolic cosine", [1., 2.], "Array([0.0000, 1.3170])"),
    "asin": (cygrad.asin, "the inverse sine", [0., 1.], "Array([0.0000, 1.5708])"),
    "asinh": (cygrad.asinh, "the inverse hyperbolic sine", [0., 1.], "Array([0.0000, 0.8814])"),
    "atan": (cygrad.atan, "the inverse tangent", [0., 1.], "Array([0.0000, 0.7854])"),
    "atanh": (cygrad.atanh, "the inverse hyperbolic tangent", [0., 0.5], "Array([0.0000, 0.5493])"),
    "bitwise_invert": (cygrad.bitwise_not, "each bit inverted", [1, 2], "Array([-2, -3])"),
    "ceil": (cygrad.ceil, "the next integer above", [1.5, -1.5], "Array([ 2., -1.])"),
    "conj": (cygrad.conj_physical, "the complex conjugate", [1 + 2j], "Array([1.-2.j])"),
    "cos": (cygrad.cos, "the cosine", [0., 1.], "Array([1.0000, 0.5403])"),
    "cosh": (cygrad.cosh, "the hyperbolic cosine", [0., 1.], "Array([1.0000, 1.5431])"),
    "exp": (cygrad.exp, "e to the power of it", [0., 1.], "Array([1.0000, 2.7183])"),
    "floor": (cygrad.floor, "the next integer below", [1.5, -1.5], "Array([ 1., -2.])"),
    "imag": (cygrad.imag, "the imaginary part", [1 + 2j], "Array([2.])"),
    "isfinite": (cygrad.isfinite, "whether it is neither infinite nor NaN", [1., math.inf], "Array([ True, False])"),
    "isinf": (cygrad.isinf, "whether it is infinite", [1., math.inf], "Array([False,  True])"),
    "isnan": (cygrad.isnan, "whether it is NaN", [1., math.nan], "Array([False,  True])"),
    "log": (cygrad.log, "the natural logarithm", [1., 2.], "Array([0.0000, 0.6931])"),
    "log10": (cygrad.log10, "the logarithm to base 10", [1., 10.], "Array([0., 1.])"),
    "log1p": (cygrad.log1p, "the natural logarithm of 1 plus it", [0., 1.], "Array([0.0000, 0.6931])"),
    "log2": (cygrad.log2, "the logarithm to base 2", [1., 2.], "Array([0., 1.])"),
    "logical_not": (cygrad.logical_not, "whether it is zero", [True, False], "Array([False,  True])"),
    "negative": (cygrad.negative, "its negative", [1., -2.], "Array([-1.,  2.])"),
    "positive": (cygrad.positive, "itself", [1., -2.], "Array([ 1., -2.])"),
    "real": (cygrad.real, "the real part", [1 + 2j], "Array([1.])"),
    "reciprocal": (cygrad.reciprocal, "1 divided by it", [1., 4.], "Array([1.0000, 0.2500])"),
    "signbit": (cygrad.signbit, "whether its sign is negative, also of -0.0 and NaN",
                [0., -0.], "Array([False,  True])"),
    "sin": (cygrad.sin, "the sine", [0., 1.], "Array([0.0000, 0.8415])"),
    "sinh": (cygrad.sinh, "the hyperbolic sine", [0., 1.], "Array([0.0000, 1.1752])"),
    "sqrt": (cygrad.sqrt, "the square root", [1., 2.], "Array([1.0000, 1.4142])"),
    "square": (cygrad.square, "it times itself", [1, 3], "Array([1, 9])"),
    "tan": (cygrad.tan, "the tangent", [0., 1.], "Array([0.0000, 1.5574])"),
    "trunc": (cygrad.trunc, "the next integer towards zero", [1.5, -1.5], "Array([ 1., -1.])"),
}
_DOC_OF_ONE = """{what}, of each element.

Parameters
----------
x : Tensor
    Of a dtype for which this is defined.

Returns
-------
Tensor
    Of the array's shape.

Examples
--------
>>> from cygrad import array_api as xp
>>> xp.{name}(xp.asarray({at}))
{shown}
"""

# name: (the op, what it gives for the elements a of x1 and b of x2, shown for these, with this result)
_OF_TWO = {
    "add": (cygrad.add, "a + b", [1, 2], 10, "Array([11, 12])"),
    "atan2": (cygrad.atan2, "the angle of the point (b, a) against the first axis",
              [0., 1.], 1, "Array([0.0000, 0.7854])"),
    "bitwise_and": (cygrad.bitwise_and, "a & b", [1, 3], 2, "Array([0, 2])"),
    "bitwise_left_shift": (cygrad.bitwise_left_shift, "a << b", [1, 3], 2, "Array([ 4, 12])"),
    "bitwise_or": (cygrad.bitwise_or, "a | b", [1, 3], 2, "Array([3, 3])"),
    "bitwise_right_shift": (cygrad.bitwise_right_shift, "a >> b", [4, 9], 2, "Array([1, 2])"),
    "bitwise_xor": (cygrad.bitwise_xor, "a ^ b", [1, 3], 2, "Array([3, 1])"),
    "copysign": (cygrad.copysign, "a with the sign of b", [1., 2.], -1, "Array([-1., -2.])"),
    "divide": (cygrad.divide, "a / b", [1., 2.], 4, "Array([0.2500, 0.5000])"),
    "equal": (cygrad.eq, "whether a == b", [1, 2], 2, "Array([False,  True])"),
    "greater": (cygrad.greater, "whether a > b", [1, 2], 1, "Array([False,  True])"),
    "greater_equal": (cygrad.greater_equal, "whether a >= b", [1, 2], 2, "Array([False,  True])"),
    "hypot": (cygrad.hypot, "the root of a * a + b * b", [3., 0.], 4, "Array([5., 4.])"),
    "less": (cygrad.less, "whether a < b", [1, 2], 2, "Array([ True, False])"),
    "less_equal": (cygrad.less_equal, "whether a <= b", [1, 2], 1, "Array([ True, False])"),
    "logaddexp": (cygrad.logaddexp, "log(exp(a) + exp(b))", [0., 1.], 0, "Array([0.6931, 1.3133])"),
    "logical_and": (cygrad.logical_and, "whether both are true", [True, False], True, "Array([ True, False])"),
    "logical_or": (cygrad.logical_or, "whether one of them is true", [True, False], False, "Array([ True, False])"),
    "logical_xor": (cygrad.logical_xor, "whether exactly one of them is true",
                    [True, False], True, "Array([False,  True])"),
    "maximum": (cygrad.maximum, "the greater of both; NaN if one is", [1, 3], 2, "Array([2, 3])"),
    "minimum": (cygrad.minimum, "the lesser of both; NaN if one is", [1, 3], 2, "Array([1, 2])"),
    "multiply": (cygrad.multiply, "a * b", [1, 2], 10, "Array([10, 20])"),
    "nextafter": (cygrad.nextafter, "the next number after a on the way to b",
                  [0., 1.], 1, "Array([1.4013e-45, 1.0000e+00])"),
    "not_equal": (cygrad.not_equal, "whether a != b", [1, 2], 2, "Array([ True, False])"),
    "pow": (cygrad.pow, "a ** b", [1., 3.], 2, "Array([1., 9.])"),
    "subtract": (cygrad.subtract, "a - b", [1, 2], 10, "Array([-9, -8])"),
}
_DOC_OF_TWO = """{what}, for each pair of elements.

Parameters
----------
x1, x2 : Tensor or number
    Broadcast with each other; at least one is an array.

Returns
-------
Tensor
    Of the shape that both broadcast to.

Raises
------
TypeError
    If there is no array among them, or their dtypes promote to none.

Examples
--------
>>> from cygrad import array_api as xp
>>> xp.{name}(xp.asarray({at}), {second!r})
{shown}
"""
_KEPT = {"copysign", "exp", "hypot", "pow", "reciprocal", "sqrt", "tan"}      # their derivatives keep the result
__all__ = [*_OF_ONE, *_OF_TWO, "clip", "expm1", "floor_divide", "remainder", "round", "sign", "tanh"]


def _written(elements):
    """A list as its docstring's example shows it."""
    return "[" + ", ".join(f"xp.{e!r}" if e != e or e in (math.inf, -math.inf) else repr(e) for e in elements) + "]"


def _of_one(name, op, what, at, shown):
    if name in _KEPT:
        def function(x, /):
            return own(op(x))
    else:
        def function(x, /):
            return op(x)
    return documented(function, name, _DOC_OF_ONE.format(name=name, what=what[0].upper() + what[1:], at=_written(at),
                                                         shown=shown))


def _of_two(name, op, what, at, second, shown):
    if name in _KEPT:
        def function(x1, x2, /):
            return own(op(*operands(x1, x2)))
    else:
        def function(x1, x2, /):
            return op(*operands(x1, x2))
    return documented(function, name, _DOC_OF_TWO.format(name=name, what=what[0].upper() + what[1:], at=_written(at),
                                                         second=second, shown=shown))


for _name, _row in _OF_ONE.items():
    globals()[_name] = _of_one(_name, *_row)
for _name, _row in _OF_TWO.items():
    globals()[_name] = _of_two(_name, *_row)


def clip(x, /, min=None, max=None):
    """The elements, those below `min` raised to it and those above `max` lowered to it.

    Parameters
    ----------
    x : Tensor
        Real.
    min, max : Tensor or number, optional
        Broadcast with x; the dtype of the result is x's. A bound that is NaN gives NaN.

    Returns
    -------
    Tensor
        Of x's dtype and the shape that all broadcast to.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.clip(xp.asarray([1, 5, 9]), 2, 6)
    Array([2, 5, 6])
    """
    low, high = (_bound(x, bound) for bound in (min, max))
    if low is not None:
        x = cygrad.maximum(x, low)
    if high is not None:
        x = cygrad.minimum(x, high)
    return x.clone() if low is None and high is None else x


def _bound(x, bound):
    """A bound of `clip` in x's dtype; None for one that no element of this dtype passes."""
    if bound is None:
        return None
    if isinstance(bound, Tensor):
        return bound.to(x.dtype)
    if is_integer(x.dtype):
        limits = cygrad.iinfo(x.dtype)
        bound = bound if isinstance(bound, int) else int(bound) if math.isfinite(bound) else bound
        bound = builtins.min(builtins.max(bound, limits.min), limits.max)
    return cygrad.tensor(bound, dtype=x.dtype, device=x.device)


def expm1(x, /):
    """e to the power of each element, minus 1, also where that is small.

    Parameters
    ----------
    x : Tensor
        Floating-point, real or complex.

    Returns
    -------
    Tensor
        Of the array's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.expm1(xp.asarray([0., 1.]))
    Array([0.0000, 1.7183])
    """
    found = cygrad.expm1(x)
    if not x.is_complex():
        return own(found)
    real, imag = x.real, x.imag                 # the limits where a part is 0, infinite or NaN: C99, annex G.6.3.2
    endless = ~cygrad.isfinite(imag)
    low, high = endless & (real == -math.inf), endless & (real == math.inf)
    found_real = cygrad.where(low, -1., cygrad.where(high, math.inf, found.real))
    found_imag = cygrad.where(low, 0., cygrad.where(imag == 0, imag, cygrad.where(high, math.nan, found.imag)))
    return cygrad.complex(cygrad.where(imag == 0, cygrad.expm1(real) + 0., found_real), found_imag)


def floor_divide(x1, x2, /):
    """The greatest integer not above a / b, for each pair of elements.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Real, broadcast with each other; at least one is an array.

    Returns
    -------
    Tensor
        Of the shape that both broadcast to. Where one of both is infinite, a / b: an infinity or a zero.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.floor_divide(xp.asarray([7, -7]), 2)
    Array([ 3, -4])
    """
    a, b = operands(x1, x2)
    found = cygrad.floor_divide(a, b)
    return cygrad.where(cygrad.isinf(a) != cygrad.isinf(b), a / b, found) if found.is_floating_point() else found


def remainder(x1, x2, /):
    """What is left of a when divided by b, for each pair of elements, with the sign of b.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Real, broadcast with each other; at least one is an array.

    Returns
    -------
    Tensor
        Of the shape that both broadcast to.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.remainder(xp.asarray([7, -7]), 3)
    Array([1, 2])
    """
    a, b = operands(x1, x2)
    found = cygrad.remainder(a, b)
    if found.is_floating_point():
        found.detach().copysign_(b.detach())    # all but zeros have the sign already, so derivatives stay
    return found


def round(x, /):
    """The nearest integer, of two the even one; of complex numbers in both parts.

    Parameters
    ----------
    x : Tensor
        Numeric.

    Returns
    -------
    Tensor
        Of the array's shape and dtype.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.round(xp.asarray([0.5, 1.5, -1.2]))
    Array([ 0.,  2., -1.])
    """
    if x.is_complex():
        return cygrad.complex(cygrad.round(x.real), cygrad.round(x.imag))
    return cygrad.round(x)


def sign(x, /):
    """-1, 0 or 1 by the sign of each element; of complex numbers the number divided by its modulus.

    Parameters
    ----------
    x : Tensor
        Numeric.

    Returns
    -------
    Tensor
        Of the array's shape and dtype; NaN where the array is.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.sign(xp.asarray([-2., 0., 3.]))
    Array([-1.,  0.,  1.])
    """
    found = cygrad.sgn(x)
    return cygrad.where(cygrad.isnan(x), x, found) if x.is_floating_point() else found


def tanh(x, /):
    """The hyperbolic tangent of each element.

    Parameters
    ----------
    x : Tensor
        Floating-point, real or complex.

    Returns
    -------
    Tensor
        Of the array's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.tanh(xp.asarray([0., 1.]))
    Array([0.0000, 0.7616])
    """
    found = cygrad.tanh(x)
    if not x.is_complex():
        return own(found)
    far = cygrad.isinf(x.real) & cygrad.isfinite(x.imag)       # the limit's part has the argument's sign
    return cygrad.where(far, cygrad.complex(found.real, cygrad.copysign(0. * found.imag, x.imag)), found)
