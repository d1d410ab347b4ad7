"""Functions of one tensor, elementwise."""

import math

import numpy as np

from .samplers import PLACEMENTS, chain, unary
from .table import ALL, COMPLEX, FLOATS, Attr, ErrorSample, Op, Sample as S

OPS = []


def add(name, low=-4, high=4, reference=None, **kwargs):
    kwargs.setdefault("inplace", True)
    kwargs.setdefault("out", True)
    samples = unary(low, high)
    if name in ("acosh", "arccosh"):  # on the cut along the imaginary axis PyTorch's sign depends on the tensor's size
        samples = chain(unary(low, high, specials=False),
                        lambda make: [] if make.is_complex else [S(make.special()).kink()])
    OPS.append(Op(name, samples, reference=reference, **kwargs))


# IEEE 754 leaves no choice in these.
for name, reference in [
    ("abs", np.abs), ("absolute", np.abs), ("neg", np.negative), ("negative", np.negative), ("square", np.square),
    ("sign", None), ("sgn", None), ("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("fix", np.trunc),
]:  # fmt: skip
    add(name, exact=True, reference=reference)
add("frac", exact=True)
add("positive", exact=True, inplace=False, out=False, reference=np.positive)
add("reciprocal", 0.5, 4, exact=True)
add("sqrt", 0.1, 4, reference=np.sqrt)  # PyTorch's float32 is off by one unit now and then
add("signbit", exact=True, inplace=False, diff=False, reference=np.signbit)

for name, low, high, reference in [
    ("exp", -4, 4, np.exp), ("exp2", -4, 4, np.exp2), ("expm1", -4, 4, np.expm1),
    ("log", 0.1, 9, np.log), ("log2", 0.1, 9, np.log2), ("log10", 0.1, 9, np.log10), ("log1p", -0.9, 9, np.log1p),
    ("rsqrt", 0.1, 4, None), ("sin", -9, 9, np.sin), ("cos", -9, 9, np.cos), ("tan", -1.2, 1.2, np.tan),
    ("asin", -0.9, 0.9, np.arcsin), ("acos", -0.9, 0.9, np.arccos), ("atan", -4, 4, np.arctan),
    ("arcsin", -0.9, 0.9, np.arcsin), ("arccos", -0.9, 0.9, np.arccos), ("arctan", -4, 4, np.arctan),
    ("sinh", -4, 4, np.sinh), ("cosh", -4, 4, np.cosh), ("tanh", -4, 4, np.tanh),
    ("asinh", -4, 4, np.arcsinh), ("acosh", 1.1, 9, np.arccosh), ("atanh", -0.9, 0.9, np.arctanh),
    ("arcsinh", -4, 4, np.arcsinh), ("arccosh", 1.1, 9, np.arccosh), ("arctanh", -0.9, 0.9, np.arctanh),
]:  # fmt: skip
    add(name, low, high, reference)
add("sigmoid", reference=lambda x: 1 / (1 + np.exp(-x)))
add("erf", reference=np.vectorize(math.erf, otypes="d"))
add("erfc", reference=np.vectorize(math.erfc, otypes="d"))
add("deg2rad", reference=np.deg2rad)
add("rad2deg", reference=np.rad2deg)
add("relu", exact=True, out=False, reference=lambda x: np.maximum(x, 0))


def rounding(make):
    yield S(make.of([0.5, 1.5, -0.5, -2.5, 2.4999, 0.0]) if make.is_float else make(6)).kink()
    for decimals in (0, 1, 3, -1):
        yield S(make(4, low=-99, high=99), decimals=decimals).kink()


OPS.append(Op("round", chain(unary(), rounding), inplace=True, out=True, exact=True, reference=np.round))


def activation(*kwargs_list, specials=True):
    def generate(make):
        for kwargs in kwargs_list or ({},):
            yield from unary(**kwargs, specials=specials)(make)

    return generate


def halves(make):
    yield from (S(make(*shape, layout=k), dim=d) for shape, k, d in [
        ((4,), "sliced", 0), ((2, 4), "contiguous", -1), ((4, 3), "transposed", 0), ((3, 2, 2), "permuted", 1),
        ((0,), "contiguous", 0)])
    yield S(make(3), dim=0)
    yield S(make(), dim=0)
    yield S(make(2, 4))


OPS += [
    Op("nn.functional.softplus", activation({}, {"beta": 2, "threshold": 3}), method=False),
    Op("nn.functional.gelu", activation({}, {"approximate": "tanh"}, specials=False),  # inf may give PyTorch NaN
       method=False,
       tolerance=4.0, reason="1 + erf(x) cancels for negative x"),
    Op("nn.functional.silu", unary(), method=False),
    Op("nn.functional.leaky_relu", activation({}, {"negative_slope": 0.3}), method=False),
]  # fmt: skip
for name, *kwargs in [
    ("hardtanh", {}, {"min_val": -2, "max_val": 0.5}),
    ("relu6",), ("mish",), ("logsigmoid",), ("softsign",), ("tanhshrink",),
    ("softshrink", {}, {"lambd": 1.5}), ("hardshrink", {}, {"lambd": 1.5}),
    ("threshold", {"threshold": 0.5, "value": 3.0}),
]:  # fmt: skip
    OPS.append(Op("nn.functional." + name, activation(*kwargs), method=False))
OPS += [
    Op("nn.functional.hardsigmoid", activation(), method=False, gradgradcheck=False,      # PyTorch has no second one
       coarsest="float32"),  # its gradient has 1/6 rounded to float32
]
for name, *kwargs in [("elu", {}, {"alpha": 0.5}), ("selu",), ("celu", {}, {"alpha": 2.0}), ("hardswish",)]:
    # At NaN PyTorch's gradient depends on the dtype.
    OPS.append(Op("nn.functional." + name, activation(*kwargs, specials=False), method=False))
OPS.append(Op("nn.functional.glu", halves, method=False))
OPS.append(Op("polygamma", lambda make: (
    S(n, make(*s, layout=k, low=0.5, high=5)) for n in (0, 1, 2, 3) for s, k in PLACEMENTS), out=True, method=False,
    tolerance=16.0, reason="a series summed in another order"))

# Predicates and parts.
for name, reference in [
    ("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite), ("isposinf", None), ("isneginf", None),
    ("isreal", np.isreal),
]:  # fmt: skip
    out = name in ("isposinf", "isneginf")
    OPS.append(Op(name, unary(), diff=False, exact=True, out=out, reference=reference))
OPS += [
    Op("logical_not", unary(), diff=False, exact=True, inplace=True, out=True, reference=np.logical_not),
    Op("bitwise_not", unary(), diff=False, exact=True, inplace=True, out=True),
    Op("real", unary(), exact=True, method=False, reference=np.real),
    Op("imag", unary(), exact=True, method=False, gradcheck=False),
    Op("Tensor.real", unary(), lambda m, x: x.real, exact=True),
    Op("Tensor.imag", unary(), lambda m, x: x.imag, exact=True, gradcheck=False),
    Op("conj", unary(), exact=True, strides="real", reference=np.conj),
    Op("conj_physical", unary(), exact=True, inplace=True, out=True, reference=np.conj),
    Op("angle", unary(), out=True),
    Op("is_complex", unary(), diff=False), Op("is_floating_point", unary(), diff=False),
    Op("is_signed", unary(), diff=False),
    Op("numel", unary(), diff=False),
]  # fmt: skip


def nan_to_num(make):
    yield from unary()(make)
    for kwargs in ({"nan": 1.0}, {"posinf": 2.0}, {"nan": 0.5, "posinf": 9.0, "neginf": -9.0}):
        yield S(make.special(), **kwargs).kink()


OPS.append(Op("nan_to_num", nan_to_num, inplace=True, out=True, exact=True))


def logit(make):
    yield from unary(0.1, 0.9)(make)
    yield S(make(5, low=0, high=1), 0.2)
    yield S(make(5, low=0, high=1), eps=0.01)


OPS.append(Op("logit", logit, inplace=True, out=True, tolerance=4.0, reason="log(x / (1 - x)) loses digits near 1/2"))


def to_dtype(make):
    """Every dtype to every other, by its name."""
    for dtype in ALL:
        for shape, layout in [((), "contiguous"), ((2, 3), "contiguous"), ((3, 2), "transposed"), ((4,), "sliced"),
            ((0,), "contiguous")]:
            if not (make.dtype in FLOATS + COMPLEX and dtype == "uint8"):  # a negative float as uint8 is undefined in C
                yield S(make(*shape, layout=layout, low=-100, high=100), Attr(dtype))
            else:
                yield S(make(*shape, layout=layout, low=0, high=200), Attr(dtype))


def method(name):
    """``x.name(...)``, for what has no function form."""
    return lambda m, x, *args, **kwargs: getattr(x, name)(*args, **kwargs)


OPS.append(Op("Tensor.to", to_dtype, method("to"), exact=True, gradcheck=False))
OPS.append(Op("Tensor.type", to_dtype, method("type"), exact=True, gradcheck=False))
for name in ("bool", "byte", "char", "short", "int", "long", "half", "bfloat16", "float", "double", "cfloat",
    "chalf", "cdouble"):
    low = 0 if name == "byte" else -100  # a negative float as uint8 is undefined in C
    diff = name in ("half", "bfloat16", "float", "double", "chalf", "cfloat", "cdouble")
    OPS.append(Op("Tensor." + name, unary(low, 100, specials=False), method(name), exact=True, diff=diff,
        gradcheck=False))


def clamp(make):
    special = make.special
    for kwargs in ({"min": -1}, {"max": 2}, {"min": -1, "max": 2}, {"min": 2, "max": -1}, {"min": -0.5, "max": 1.5}):
        for shape, layout in PLACEMENTS[:10]:
            yield S(make(*shape, layout=layout), **kwargs)
        yield S(special(), **kwargs).kink()
    yield S(make(2, 3), 0, 1)
    yield S(make(2, 3))
    yield S(make(2, 3), make(2, 3, high=0), make(2, 3, low=0))
    yield S(make(2, 3), min=make(3))
    yield S(make(2, 3), max=make(2, 1))
    yield S(make(2, 3), min=make(2, 3, dtype="float32"))
    yield S(make(3, 2, layout="transposed"), min=make(), max=make(2))
    yield S(make(2, 3), make(2, 3), 1)


OPS += [
    Op("clamp", clamp, inplace=True, out=True, exact=True, errors=[
        ErrorSample(lambda m: m.clamp(m.ones(2)), "neither bound")]),
    Op("clip", clamp, inplace=True, out=True, exact=True),
    Op("clamp_min", lambda make: [S(make(2, 3), 1), S(make(3, layout="sliced"), -1.5), S(make(2, 3), make(3))],
       inplace=True, out=True, exact=True),
    Op("clamp_max", lambda make: [S(make(2, 3), 1), S(make(3, layout="sliced"), -1.5), S(make(2, 3), make(3))],
       inplace=True, out=True, exact=True),
]  # fmt: skip
