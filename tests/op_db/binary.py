"""Functions of two or three tensors, elementwise: arithmetic, comparison, logic, bits, and the operators."""

import operator

import numpy as np

from .samplers import binary, binary_pairs, chain, mixed_pairs, scalars, special_pairs
from .table import ALL, INTS, Attr, ErrorSample, Op, Sample as S

OPS = []


def alpha(make):
    for value in (2, -1, 0.5, True):
        yield S(make(2, 3), make(2, 3), alpha=value)
        yield S(make(2, 3), make(3, dtype="float32"), alpha=value)
    yield S(make(2, 3), 3, alpha=2)


def nonzero(**kwargs):
    """Divisors are not zero, so integers can be divided; zeros come in the special values of floats."""
    return binary(low2=1, high2=5, specials=False, numbers=(2, 3.5, -2), **kwargs)


def float_specials(make):
    if make.is_float:
        yield special_pairs(make)


def rounding_modes(make):
    for mode in ("trunc", "floor", None):
        for a, b in [((2, 3), (2, 3)), ((2, 3), (3,)), ((), (4,))]:
            yield S(make(*a, low=-9, high=9), make(*b, low=1, high=4), rounding_mode=mode)
        yield S(make(2, 3, low=-9, high=9), 2, rounding_mode=mode)
        if make.is_float:
            yield special_pairs(make).with_kwargs(rounding_mode=mode)
    yield S(make(2), make(2, low=1), rounding_mode="up")


def integer_zero(m_op):
    return ErrorSample(lambda m: getattr(m, m_op)(m.tensor([1, 2]), 0), "integer division by zero")


shape_error = [
    ErrorSample(lambda m: m.add(m.ones(2, 3), m.ones(4)), "sizes do not broadcast"),
    ErrorSample(lambda m: m.ones(3).add_(m.ones(2, 3)), "in place cannot grow"),
    ErrorSample(lambda m: m.ones(3, dtype=m.int64).add_(1.5), "in place cannot change category"),
]

for name in ("add", "sub", "subtract"):
    OPS.append(Op(name, chain(binary(), alpha), inplace=True, out=True, exact=True,
        errors=shape_error if name == "add" else ()))
OPS += [
    Op("rsub", chain(binary(), alpha), exact=True, method=False),
    Op("mul", binary(), inplace=True, out=True, exact=True, reference=np.multiply),
    Op("multiply", binary(), inplace=True, out=True, exact=True, reference=np.multiply),
    Op("div", chain(nonzero(), rounding_modes, float_specials), inplace=True, out=True, exact=True, errors=[
        ErrorSample(lambda m: m.ones(2, dtype=m.int64).div_(2), "true division in place in integers")]),
    Op("divide", nonzero(), inplace=True, out=True, exact=True),
    Op("true_divide", nonzero(), inplace=True, out=True, exact=True),
    Op("floor_divide", chain(nonzero(), float_specials), inplace=True, out=True, exact=True,
    errors=[integer_zero("floor_divide")],
       diff=False),
    Op("remainder", chain(nonzero(), float_specials), inplace=True, out=True, exact=True,
    errors=[integer_zero("remainder")]),
    Op("fmod", chain(nonzero(), float_specials), inplace=True, out=True, exact=True, errors=[integer_zero("fmod")]),
    Op("maximum", binary(), inplace=False, out=True, reference=np.maximum),
    Op("minimum", binary(), inplace=False, out=True, reference=np.minimum),
    Op("fmax", binary(), out=True, reference=np.fmax),
    Op("fmin", binary(), out=True, reference=np.fmin),
    Op("atan2", binary(0.5, 4), inplace=True, out=True, reference=np.arctan2),
    Op("arctan2", binary(0.5, 4), inplace=True, out=True, reference=np.arctan2),
    Op("hypot", binary(0.5, 4), inplace=True, out=True),
    Op("copysign", binary(0.5, 4), inplace=True, out=True, exact=True),
    Op("logaddexp", binary(), out=True), Op("logaddexp2", binary(), out=True),
    Op("xlogy", binary(0.5, 4), inplace=True, out=True),
    Op("heaviside", binary(), inplace=True, out=True, diff=False, exact=True),
]  # fmt: skip


def power(make):
    yield from binary_pairs(make, 1, 3, 0, 3)
    yield from mixed_pairs(make, 1, 3, 0, 3)
    for exponent in (0, 1, 2, 3, 0.5, 2.5, True):
        yield S(make(2, 3, low=1, high=3), exponent)
        powers_of = S(exponent, make(2, 3, low=0, high=3))
        yield powers_of if exponent else powers_of.kink()       # the second derivative of 0 ** x is NaN, as PyTorch's
    for exponent in (-1, -2, -0.5):
        if not make.is_int and make.dtype != "bool":
            yield S(make(2, 3, low=1, high=3), exponent)
            yield S(make(2, 3, low=-3, high=-1), exponent)
    if make.is_float:
        yield special_pairs(make)
        for exponent in (0, 0.5, -0.5, 1, 2, 3, -1, -2, 2.5):
            yield S(make.special(), exponent).kink()


OPS += [
    Op("pow", power, inplace=True, out=True, tolerance=8.0, reason="pow goes through exp and log in some libraries",
       errors=[ErrorSample(lambda m: m.tensor([2, 3]) ** -1, "integers to negative integer powers")]),
    Op("float_power", lambda make: [S(make(2, 3, low=1, high=3), make(3, low=0, high=3)),
    S(make(4, low=1, high=3), 2.5)],
       inplace=True, out=True, tolerance=8.0, reason="pow goes through exp and log in some libraries"),
]  # fmt: skip

for name, function in [
    ("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal), ("gt", np.greater),
    ("ge", np.greater_equal),
    ("less", np.less), ("less_equal", np.less_equal), ("greater", np.greater), ("greater_equal", np.greater_equal),
    ("not_equal", np.not_equal),
]:  # fmt: skip
    OPS.append(Op(name, binary(), diff=False, inplace=True, out=True, exact=True, reference=function))

for name, function in [("logical_and", np.logical_and), ("logical_or", np.logical_or), ("logical_xor", np.logical_xor)]:
    OPS.append(Op(name, binary(numbers=()), diff=False, inplace=True, out=True, exact=True, reference=function))
for name, function in [("bitwise_and", np.bitwise_and), ("bitwise_or", np.bitwise_or), ("bitwise_xor", np.bitwise_xor)]:
    OPS.append(Op(name, binary(numbers=(2, 3.5, True)), diff=False, inplace=True, out=True, exact=True,
        reference=function))


def shifts(make):
    yield from binary_pairs(make, 0, 9, 0, 5)
    for other in INTS:
        yield S(make(4, low=0, high=9), make(4, dtype=other, low=0, high=5))
    yield from scalars(make, (2, 0))
    yield S(2, make(3, low=0, high=4))


OPS += [
    Op("bitwise_left_shift", shifts, diff=False, inplace=True, out=True, exact=True),
    Op("bitwise_right_shift", shifts, diff=False, inplace=True, out=True, exact=True),
    Op("gcd", binary(-9, 9, specials=False), diff=False, inplace=True, out=True, exact=True),
    Op("lcm", binary(-9, 9, specials=False), diff=False, inplace=True, out=True, exact=True),
]


def closeness(make):
    x = make(2, 3)
    yield S(x, x)
    yield S(make(2, 3), make(2, 3))
    yield S(make.special(), make.special())
    yield S(make.special(), make.special(), equal_nan=True)
    yield S(make(3), make(3), rtol=0.5, atol=1.0)
    yield S(make(2, 3), make(3))
    yield S(make(2), make(2, dtype="float32"))


OPS += [
    Op("isclose", closeness, diff=False, exact=True),
    Op("allclose", closeness, diff=False, exact=True),
    Op("equal", chain(closeness, lambda make: [S(make(2, 3), make(3, 2)), S(make(0), make(0))]), diff=False,
    exact=True),
]


def where(make):
    def mask(*shape, **kw):
        return make(*shape, dtype="bool", **kw)

    for s, t, u in [((2, 3), (2, 3), (2, 3)), ((3,), (2, 3), (2, 1)), ((), (2,), (2,)), ((2, 3), (), ()),
        ((0,), (0,), (1,))]:
        yield S(mask(*s), make(*t), make(*u))
    yield S(mask(3, 2, layout="transposed"), make(3, 2, layout="sliced"), make(3, 2, layout="expanded"))
    yield S(mask(3), make(3), make(3, dtype="float32"))
    yield S(mask(3), make(3), make(dtype="float64"))
    yield S(mask(3), make(3), 1.5)
    yield S(mask(3), 2, make(3))
    yield S(mask(3), 2, 1.5)
    yield S(make(3, dtype="uint8", high=1), make(3), make(3))
    yield S(make(3, dtype="int64", high=1), make(3), make(3))
    yield S(mask(2, 3))
    yield S(mask(2), make(3), make(4))


OPS.append(Op("where", where, out=False, exact=True, gradcheck=True, method=False))


def lerp(make):
    for weight in (0.25, 0.75, 2):
        yield S(make(2, 3), make(2, 3), weight)
    yield S(make(2, 3), make(3), make(2, 1))
    yield S(make(3, 2, layout="transposed"), make(3, 2), make())
    yield S(make(), make(), 0.5)
    yield S(make(0), make(0), 0.5)
    yield S(make(2), make(2, dtype="float64"), 0.5)
    yield S(make(41), make(41), make(41, low=0, high=1))


def three(make):
    for kwargs in ({}, {"value": 2}, {"value": -0.5}):
        yield S(make(2, 3), make(2, 3), make(2, 3, low=1), **kwargs)
        yield S(make(2, 3), make(3), make(2, 1, low=1), **kwargs)
        yield S(make(3, 2, layout="transposed"), make(3, 2, layout="sliced"), make(3, 2, low=1, layout="expanded"),
            **kwargs)
        yield S(make(3), make(2, 3), make(low=1), **kwargs)
        yield S(make(0, 2), make(2), make(1, low=1), **kwargs)
        yield S(make(2), make(2, dtype="float32"), make(2, dtype="float32", low=1), **kwargs)
    yield S(make(2), make(3), make(2, low=1))


OPS += [
    Op("lerp", lerp, inplace=True, out=True),
    Op("addcmul", three, inplace=True, out=True),
    Op("addcdiv", three, inplace=True, out=True),
]


def reverse(function):
    return lambda m, a, b: function(b, a)


# The operators: tensor with tensor, tensor with number, number with tensor; those in place change what the name means.
for symbol, function, samples in [
    ("+", operator.add, binary()), ("-", operator.sub, binary()), ("*", operator.mul, binary()),
    ("/", operator.truediv, nonzero()),
    ("//", operator.floordiv, nonzero()), ("%", operator.mod, nonzero()), ("**", operator.pow, power),
    ("&", operator.and_, binary(numbers=(1, True))), ("|", operator.or_, binary(numbers=(1, True))),
    ("^", operator.xor, binary(numbers=(1, True))), ("<<", operator.lshift, shifts), (">>", operator.rshift, shifts),
    ("==", operator.eq, binary()), ("!=", operator.ne, binary()), ("<", operator.lt, binary()),
    ("<=", operator.le, binary()),
    (">", operator.gt, binary()), (">=", operator.ge, binary()),
]:  # fmt: skip
    diff = symbol in ("+", "-", "*", "/", "%", "**")
    tolerance = {"tolerance": 8.0, "reason": "as pow"} if symbol == "**" else {"exact": True}
    OPS.append(Op(f"x {symbol} y", samples, lambda m, a, b, f=function: f(a, b), diff=diff, **tolerance))
    if symbol not in ("==", "!=", "<", "<=", ">", ">="):
        numbers = (lambda make: scalars(make, (2, True))) if symbol in ("&", "|", "^", "<<", ">>") else scalars
        OPS.append(Op(f"number {symbol} x", numbers, reverse(function), diff=diff and symbol != "%", **tolerance))

for symbol, function in [
    ("+=", operator.iadd), ("-=", operator.isub), ("*=", operator.imul), ("/=", operator.itruediv),
    ("//=", operator.ifloordiv),
    ("%=", operator.imod), ("**=", operator.ipow), ("&=", operator.iand), ("|=", operator.ior), ("^=", operator.ixor),
    ("<<=", operator.ilshift), (">>=", operator.irshift),
]:  # fmt: skip
    samples = shifts if symbol in ("<<=", ">>=") else power if symbol == "**=" else nonzero()
    OPS.append(Op(f"x {symbol} y", samples, lambda m, a, b, f=function: f(a.clone() if hasattr(a, "clone") else a, b),
                  diff=symbol in ("+=", "-=", "*=", "/=", "%=", "**="),
                  tolerance=8.0 if symbol == "**=" else 1.0, reason="as pow", exact=symbol != "**="))  # fmt: skip

for symbol, function in [("-x", operator.neg), ("+x", operator.pos), ("~x", operator.invert), ("abs(x)", abs)]:
    OPS.append(Op(symbol, binary_pairs, lambda m, a, b, f=function: f(a), diff=symbol != "~x", exact=True))


def dtype_pairs(make):
    for other in ALL:
        yield S(make.D, Attr(other))


def mixed_only(make):
    yield from mixed_pairs(make)
    yield from scalars(make, (1, 1.5, True, 1j))


OPS += [
    Op("result_type", mixed_only, diff=False, method=False),
    Op("promote_types", dtype_pairs, diff=False, method=False),
    Op("can_cast", dtype_pairs, diff=False, method=False),
]
