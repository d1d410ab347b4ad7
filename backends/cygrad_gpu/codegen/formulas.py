"""The formula of every pointwise op, by the kind of the dtype it computes in.

``{a}`` and ``{b}`` are operands, ``{T}`` the C type, ``{S}`` the functions' suffix, ``{M}`` the maker of complex
values.
"NAME" alone stands for the function ``NAME_{S}`` of the operands. An op that lacks a kind is declined for it.
"""
from cygrad.backend import BINARY, UNARY

NAN, INFINITE, FINITE = "{a} != {a}", "{a} - {a} != 0 & {a} == {a}", "{a} - {a} == 0"

_INTEGER_UNARY = {
    "neg": "({T})-{a}", "abs": "abs", "sign": "({T})(({a} > 0) - ({a} < 0))", "square": "({T})({a} * {a})",
    "relu": "({T})({a} < 0 ? 0 : {a})", "logical_not": "{a} == 0", "bitwise_not": "({T})~{a}", "isnan": "0",
    "isinf": "0", "isfinite": "1", "conj": "{a}", "floor": "{a}", "ceil": "{a}", "trunc": "{a}", "round": "{a}",
}
_BOOL_UNARY = {
    "abs": "{a}", "sign": "{a}", "conj": "{a}", "logical_not": "{a} == 0", "bitwise_not": "{a} == 0", "isnan": "0",
    "isinf": "0", "isfinite": "1",
}
_FUNCTIONS = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "asin",
              "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid")
_REAL_UNARY = {name: name for name in (*_FUNCTIONS, "erf", "erfc", "erfinv", "lgamma", "digamma", "floor",
                                       "ceil", "trunc", "round")} | {
    "neg": "NEGATIVE_{S}({a})", "abs": "SIZE_{S}({a})", "sign": "({T})(({a} > 0) - ({a} < 0))",
    "reciprocal": "1 / {a}", "square": "{a} * {a}",
    "relu": "{a} < 0 ? 0 : {a}", "logical_not": "{a} == 0", "isnan": NAN, "isinf": "(" + INFINITE + ")",
    "isfinite": FINITE, "conj": "{a}", "angle": "{a} < 0 ? ({T})3.141592653589793 : {a} != {a} ? {a} : 0",
}
# Written out where it is used, as are the parts of `abs` and `angle`: a complex argument of a function is a vector to
# the compiler, and keeps it from making vectors of lanes.
PRODUCT = "{M}({a}.x * {b}.x - {a}.y * {b}.y, {a}.x * {b}.y + {a}.y * {b}.x)"

_COMPLEX_UNARY = {name: name for name in (*_FUNCTIONS, "sign", "reciprocal")} | {
    "abs": "hypot_{R}({a}.x, {a}.y)", "angle": "atan2_{R}({a}.y, {a}.x)", "neg": "{M}(-{a}.x, -{a}.y)",
    "square": PRODUCT.replace("{b}", "{a}"), "conj": "{M}({a}.x, -{a}.y)",
    "logical_not": "({a}.x == 0) & ({a}.y == 0)", "isnan": "({a}.x != {a}.x) | ({a}.y != {a}.y)",
    "isinf": "(({a}.x == {a}.x) & ({a}.x - {a}.x != 0)) | (({a}.y == {a}.y) & ({a}.y - {a}.y != 0))",
    "isfinite": "({a}.x - {a}.x == 0) & ({a}.y - {a}.y == 0)",
}

_COMPARE = {"eq": "{a} == {b}", "ne": "{a} != {b}", "lt": "{a} < {b}", "le": "{a} <= {b}", "gt": "{a} > {b}",
            "ge": "{a} >= {b}"}
_LOGICAL = {"logical_and": "({a} != 0) & ({b} != 0)", "logical_or": "({a} != 0) | ({b} != 0)",
            "logical_xor": "({a} != 0) ^ ({b} != 0)"}
_BITWISE = {"bitwise_and": "({T})({a} & {b})", "bitwise_or": "({T})({a} | {b})", "bitwise_xor": "({T})({a} ^ {b})"}
_INTEGER_BINARY = _COMPARE | _LOGICAL | _BITWISE | {
    "add": "({T})({a} + {b})", "sub": "({T})({a} - {b})", "mul": "({T})({a} * {b})",
    "maximum": "{a} > {b} ? {a} : {b}", "minimum": "{a} < {b} ? {a} : {b}", "fmax": "{a} > {b} ? {a} : {b}",
    "fmin": "{a} < {b} ? {a} : {b}",
} | {name: name for name in ("floor_divide", "trunc_divide", "remainder", "fmod", "pow", "gcd", "lcm", "left_shift",
                             "right_shift")}
_BOOL_BINARY = _COMPARE | _LOGICAL | _BITWISE | {
    "add": "{a} | {b}", "mul": "{a} & {b}", "maximum": "{a} | {b}", "minimum": "{a} & {b}", "fmax": "{a} | {b}",
    "fmin": "{a} & {b}",
}
_REAL_BINARY = _COMPARE | _LOGICAL | {
    "add": "{a} + {b}", "sub": "{a} - {b}", "mul": "{a} * {b}", "div": "{a} / {b}",
    "trunc_divide": "trunc_{S}({a} / {b})", "fmax": "({a} >= {b}) | ({b} != {b}) ? {a} : {b}",
    "fmin": "({a} <= {b}) | ({b} != {b}) ? {a} : {b}",
} | {name: name for name in ("floor_divide", "remainder", "fmod", "pow", "maximum", "minimum", "atan2", "hypot",
                             "nextafter")} | {
    "copysign": "SIGNED_{S}({a}, {b})",
    "nextafter_float16": "from_half(next16({a}, {b}, to_half({a})))",
    "nextafter_bfloat16": "from_bfloat(next16({a}, {b}, to_bfloat({a})))",
}
_COMPLEX_BINARY = {
    "add": "{M}({a}.x + {b}.x, {a}.y + {b}.y)", "sub": "{M}({a}.x - {b}.x, {a}.y - {b}.y)", "mul": PRODUCT,
    "div": "div", "pow": "pow",
    "eq": "({a}.x == {b}.x) & ({a}.y == {b}.y)", "ne": "({a}.x != {b}.x) | ({a}.y != {b}.y)",
    "logical_and": "(({a}.x != 0) | ({a}.y != 0)) & (({b}.x != 0) | ({b}.y != 0))",
    "logical_or": "({a}.x != 0) | ({a}.y != 0) | ({b}.x != 0) | ({b}.y != 0)",
    "logical_xor": "(({a}.x != 0) | ({a}.y != 0)) ^ (({b}.x != 0) | ({b}.y != 0))",
}

_UNARY = {"bool": _BOOL_UNARY, "integer": _INTEGER_UNARY, "real": _REAL_UNARY, "complex": _COMPLEX_UNARY}
_BINARY = {"bool": _BOOL_BINARY, "integer": _INTEGER_BINARY, "real": _REAL_BINARY, "complex": _COMPLEX_BINARY}
PREDICATES = frozenset((*UNARY[UNARY.index("logical_not"):UNARY.index("logical_not") + 1], "isnan", "isinf", "isfinite",
                        *BINARY[BINARY.index("eq"):]))


def expression(name, element, a, b=None):
    """The C expression of an op on operands of an `Element`, or None where there is none."""
    text = (_UNARY if b is None else _BINARY)[element.kind].get(name)
    if text is None:
        return None
    if text.isidentifier():
        return f"{text}_{element.suffix}({a})" if b is None else f"{text}_{element.suffix}({a}, {b})"
    return text.format(a=a, b=b, T=element.computed, S=element.suffix, M=element.computed.upper(),
                       R={"c64": "f32", "c128": "f64"}.get(element.suffix))
