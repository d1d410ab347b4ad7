"""Cases of the pointwise entries: which op takes which dtypes, in which layouts, how exact it must be."""
from functools import partial

import numpy as np

from cygrad.backend import BINARY, UNARY
from cygrad.testing.operands import (BOOL, COMPLEX, EVERY, FLOATS, INTEGERS, dense, numbers, reordered, repeated,
                                     result, rounded, sliced, with_extremes)
from cygrad.testing.runner import EXACT, Case, Key, Limit

# name: shape, layouts of the inputs in turn, layout of the output; None: the output is the first input itself
LAYOUTS = {
    "contiguous": ((7, 13), (dense, dense, dense), dense),
    "transposed": ((7, 13), (reordered, dense, reordered), dense),
    "transposed result": ((7, 13), (dense, dense, dense), reordered),
    "sliced": ((7, 13), (sliced, sliced, sliced), sliced),
    "stride 0": ((7, 13), (repeated, partial(repeated, axis=1), repeated), dense),
    "0-d": ((), (dense, dense, dense), dense),
    "eight axes": ((2, 2, 3, 2, 2, 2, 2, 2), (reordered, dense, reordered), dense),
    "in place": ((7, 13), (dense, dense, dense), None),
    "sliced in place": ((7, 13), (sliced, dense, dense), None),
    "large": ((40013,), (dense, dense, dense), dense),
    "large transposed": ((140, 150), (reordered, dense, reordered), dense),
}

ROUNDED, CLOSE, FAR = Limit(3), Limit(6), Limit(16)
NUMBERS = INTEGERS + FLOATS + COMPLEX
SMOOTH = FLOATS + COMPLEX
# op: dtypes, limit. What the CPU computes is asked for; the limits are what OpenCL allows its built-in functions.
UNARY_TABLE = {
    "neg": (NUMBERS, EXACT), "abs": (NUMBERS, EXACT), "sign": (INTEGERS + FLOATS, EXACT), "square": (NUMBERS, EXACT),
    "exp": (SMOOTH, CLOSE), "exp2": (FLOATS, CLOSE), "expm1": (FLOATS, CLOSE), "log": (SMOOTH, CLOSE),
    "log2": (SMOOTH, CLOSE), "log10": (SMOOTH, CLOSE), "log1p": (FLOATS, CLOSE), "sqrt": (SMOOTH, ROUNDED),
    "rsqrt": (SMOOTH, CLOSE), "reciprocal": (SMOOTH, ROUNDED), "sin": (SMOOTH, CLOSE), "cos": (SMOOTH, CLOSE),
    "tan": (SMOOTH, CLOSE), "asin": (SMOOTH, CLOSE), "acos": (SMOOTH, CLOSE), "atan": (SMOOTH, CLOSE),
    "sinh": (SMOOTH, CLOSE), "cosh": (SMOOTH, CLOSE), "tanh": (SMOOTH, CLOSE), "asinh": (SMOOTH, CLOSE),
    "acosh": (SMOOTH, CLOSE), "atanh": (SMOOTH, CLOSE), "erf": (FLOATS, FAR), "erfc": (FLOATS, FAR),
    "erfinv": (FLOATS, FAR), "lgamma": (FLOATS, Limit(16, floor=1)), "digamma": (FLOATS, Limit(16, floor=1)),
    "sigmoid": (SMOOTH, CLOSE), "relu": (INTEGERS + FLOATS, EXACT), "floor": (FLOATS, EXACT), "ceil": (FLOATS, EXACT),
    "trunc": (FLOATS, EXACT), "round": (FLOATS, EXACT), "logical_not": (EVERY, EXACT),
    "bitwise_not": (BOOL + INTEGERS, EXACT), "isnan": (SMOOTH, EXACT), "isinf": (SMOOTH, EXACT),
    "isfinite": (SMOOTH, EXACT), "conj": (COMPLEX, EXACT), "angle": (SMOOTH, CLOSE),
}
BINARY_TABLE = {
    "add": (EVERY, EXACT), "sub": (NUMBERS, EXACT), "mul": (EVERY, EXACT), "div": (SMOOTH, ROUNDED),
    "floor_divide": (INTEGERS + FLOATS, EXACT), "trunc_divide": (INTEGERS + FLOATS, EXACT),
    "remainder": (INTEGERS + FLOATS, EXACT), "fmod": (INTEGERS + FLOATS, EXACT), "pow": (NUMBERS, FAR),
    "maximum": (BOOL + INTEGERS + FLOATS, EXACT), "minimum": (BOOL + INTEGERS + FLOATS, EXACT),
    "fmax": (INTEGERS + FLOATS, EXACT), "fmin": (INTEGERS + FLOATS, EXACT), "atan2": (FLOATS, CLOSE),
    "hypot": (FLOATS, CLOSE), "copysign": (FLOATS, EXACT), "nextafter": (("float32", "float64"), EXACT),
    "gcd": (INTEGERS, EXACT), "lcm": (INTEGERS, EXACT), "bitwise_and": (BOOL + INTEGERS, EXACT),
    "bitwise_or": (BOOL + INTEGERS, EXACT), "bitwise_xor": (BOOL + INTEGERS, EXACT), "left_shift": (INTEGERS, EXACT),
    "right_shift": (INTEGERS, EXACT), "eq": (EVERY, EXACT), "ne": (EVERY, EXACT),
    "lt": (BOOL + INTEGERS + FLOATS, EXACT), "le": (BOOL + INTEGERS + FLOATS, EXACT),
    "gt": (BOOL + INTEGERS + FLOATS, EXACT), "ge": (BOOL + INTEGERS + FLOATS, EXACT), "logical_and": (EVERY, EXACT),
    "logical_or": (EVERY, EXACT), "logical_xor": (EVERY, EXACT),
}
PREDICATES = {"logical_not", "isnan", "isinf", "isfinite", "eq", "ne", "lt", "le", "gt", "ge", "logical_and",
              "logical_or", "logical_xor"}
DIVISIONS = ("floor_divide", "trunc_divide", "remainder", "fmod")


def result_dtype(op, dtype):
    """What an op writes for operands of `dtype`."""
    if op in PREDICATES:
        return "bool"
    if op in ("abs", "angle") and dtype in COMPLEX:
        return "float32" if dtype == "complex64" else "float64"
    return dtype


def limit_of(limit, op, dtype):
    """Complex results are judged by their modulus, 16-bit floats are rounded once from float32."""
    if dtype in COMPLEX:
        exact = op in ("add", "sub", "neg", "conj") or op in PREDICATES
        return EXACT if exact else Limit(max(16, 2 * limit.ulps), floor=1)
    if op == "trunc_divide" and dtype in ("float16", "bfloat16"):         # the quotient may be rounded first
        return Limit(2, floor=512 if dtype == "float16" else 64)
    if dtype in ("float16", "bfloat16") and limit.ulps:
        return Limit(1, limit.floor)
    return limit


def unary_values(rng, shape, dtype, op):
    """Values for a unary op: special ones included, most within its domain."""
    if op == "erfinv":
        values = np.asarray(rounded(rng.uniform(-0.999, 0.999, shape), dtype)).reshape(-1)
        values[:3] = [1, -1, 0][:values.size]
        return values.reshape(shape)
    if op == "tan" and dtype in FLOATS:                        # NumPy's own is inexact next to a pole
        return numbers(rng, shape, dtype, 0.4)
    if op == "sigmoid" and dtype in COMPLEX:                   # away from its poles
        return numbers(rng, shape, dtype, 0.5)
    return with_extremes(rng, shape, dtype)


def binary_values(rng, shape, dtype, op):
    """Two operands within the domain of a binary op."""
    if op in ("pow", "left_shift", "right_shift", "gcd", "lcm") and dtype in INTEGERS:
        top = {"pow": 4, "gcd": 10, "lcm": 10}.get(op, 7)
        return numbers(rng, shape, dtype), rng.integers(0, top, shape).astype(dtype)
    if op == "pow" and dtype in COMPLEX:
        return numbers(rng, shape, dtype, 1.0), numbers(rng, shape, dtype, 1.0)
    if op in DIVISIONS:
        a, b = numbers(rng, shape, dtype), numbers(rng, shape, dtype)
        return a, np.where(b == 0, np.ones_like(b), b)
    return with_extremes(rng, shape, dtype), with_extremes(rng, shape, dtype)


def _make_unary(code, dtype, layout, rng):
    shape, (first, *_), last = LAYOUTS[layout]
    a = first(unary_values(rng, shape, dtype, UNARY[code]), dtype)
    return code, a, a if last is None else result(shape, result_dtype(UNARY[code], dtype), last)


def _make_binary(code, dtype, layout, rng):
    shape, (first, second, _), last = LAYOUTS[layout]
    x, y = binary_values(rng, shape, dtype, BINARY[code])
    a, b = first(x, dtype), second(y, dtype)
    return code, a, b, a if last is None else result(shape, result_dtype(BINARY[code], dtype), last)


def _make_scalar(code, number, swapped, dtype, layout, rng):
    _, a, _, out = _make_binary(code, dtype, layout, rng)
    return code, a, number, swapped, out


def _make_where(dtype, layout, rng):
    shape, (first, second, third), last = LAYOUTS[layout]
    cond = third(numbers(rng, shape, "bool"), "bool")
    a, b = (put(with_extremes(rng, shape, dtype), dtype) for put in (first, second))
    return cond, a, b, a if last is None else result(shape, dtype, last)


def _make_fill(value, dtype, layout, rng):
    shape, _, last = LAYOUTS[layout]
    return result(shape, dtype, last), value


def convertible(rng, shape, source, target):
    """Values of `source` that `target` can hold: a conversion out of range is nobody's promise."""
    if source in INTEGERS + BOOL or target in FLOATS + COMPLEX + BOOL:
        return with_extremes(rng, shape, source)
    return rounded(rng.uniform(0 if target == "uint8" else -100, 100, shape), source)


def _make_copy(source, target, layout, rng):
    shape, (first, *_), last = LAYOUTS[layout]
    return first(convertible(rng, shape, source, target), source), result(shape, target, last)


def layouts_for(in_place):
    """Names of the layouts; those in place only where an op's output has its input's dtype."""
    return [name for name, (_, _, last) in LAYOUTS.items() if last is not None or in_place]


def fill_cases():
    for dtype in EVERY:
        values = {"zero": 0, "one": 1}
        if dtype in SMOOTH:
            values.update({"fraction": -1.5, "NaN": float("nan"), "infinity": float("inf")})
        if dtype in COMPLEX:
            values["complex"] = 1.5 - 2j
        if dtype in INTEGERS:
            values["largest"] = int(np.iinfo(dtype).max)
        for name, value in values.items():
            for layout in layouts_for(False):
                if layout in ("contiguous", "sliced", "0-d") or name == "one":
                    yield Case(Key("fill", name, dtype, layout), partial(_make_fill, value, dtype, layout), (0,))


def copy_cases():
    for source in EVERY:
        for target in EVERY:
            for layout in layouts_for(False):
                if source == target or layout in ("contiguous", "sliced", "transposed", "0-d"):
                    yield Case(Key("copy", f"to {target}", source, layout), partial(_make_copy, source, target, layout),
                               (1,))


def unary_cases():
    for op, (dtypes, limit) in UNARY_TABLE.items():
        for dtype in dtypes:
            for layout in layouts_for(result_dtype(op, dtype) == dtype):
                yield Case(Key("unary", op, dtype, layout), partial(_make_unary, UNARY.index(op), dtype, layout), (2,),
                           limit_of(limit, op, dtype))


def binary_cases():
    for op, (dtypes, limit) in BINARY_TABLE.items():
        for dtype in dtypes:
            for layout in layouts_for(result_dtype(op, dtype) == dtype):
                yield Case(Key("binary", op, dtype, layout), partial(_make_binary, BINARY.index(op), dtype, layout),
                           (3,), limit_of(limit, op, dtype))


def binary_scalar_cases():
    for op, (dtypes, limit) in BINARY_TABLE.items():
        for dtype in dtypes:
            number = True if dtype == "bool" else 3 if dtype in INTEGERS else 2.5
            for swapped in (False, True):
                if swapped and op in (*DIVISIONS, "pow", "left_shift", "right_shift") and dtype not in SMOOTH:
                    continue                                    # the first operand may hold zeros and more than 7
                for layout in ("contiguous", "sliced", "0-d", *(("in place",) if op not in PREDICATES else ())):
                    name = f"{layout} swapped" if swapped else layout
                    yield Case(Key("binary_scalar", op, dtype, name),
                               partial(_make_scalar, BINARY.index(op), number, swapped, dtype, layout), (4,),
                               limit_of(limit, op, dtype))


def where_cases():
    for dtype in EVERY:
        for layout in layouts_for(True):
            yield Case(Key("where", "", dtype, layout), partial(_make_where, dtype, layout), (3,))


PROGRAMS = {
    "exp of a product": (("in", 0), ("in", 1), ("binary", "mul"), ("number", 1.0), ("binary", "add"), ("unary", "exp"),
                       ("out", 0)),
    "relu by where": (("in", 0), ("number", 0.0), ("binary", "gt"), ("in", 0), ("number", 0.0), ("where",), ("out", 0)),
    "two results": (("in", 0), ("in", 1), ("binary", "sub"), ("out", 0), ("in", 0), ("unary", "isnan"),
                    ("unary", "logical_not"), ("in", 1), ("in", 0), ("where",), ("out", 1)),
    "a kept value": (("in", 0), ("unary", "tanh"), ("keep", 0), ("kept", 0), ("binary", "mul"), ("kept", 0),
                     ("binary", "add"), ("out", 0)),
    "a number as input": (("in", 0), ("in", 2), ("binary", "mul"), ("in", 1), ("binary", "add"), ("out", 0)),
    "a truth value as number": (("in", 0), ("in", 1), ("binary", "gt"), ("in", 0), ("binary", "mul"), ("out", 0)),
    "GELU": (("in", 0), ("number", 0.5), ("binary", "mul"), ("in", 0), ("number", 0.5**0.5), ("binary", "mul"),
             ("unary", "erf"), ("number", 1.0), ("binary", "add"), ("binary", "mul"), ("out", 0)),
}


def _make_program(program, dtype, layout, rng):
    shape, (first, second, _), last = LAYOUTS[layout]
    tables = {"unary": UNARY, "binary": BINARY}
    coded = tuple((kind, tables[kind].index(rest[0])) if kind in tables else (kind, *rest) for kind, *rest in program)
    results = 1 + max(step[1] for step in program if step[0] == "out")
    ins = tuple(put(numbers(rng, shape, dtype, 1.0), dtype) for put in (first, second))
    if any(step == ("in", 2) for step in program):
        ins = (*ins, 1.75)
    return coded, ins, tuple(result(shape, dtype, last) for _ in range(results))


def elementwise_cases():
    for name, program in PROGRAMS.items():
        for dtype in FLOATS:
            for layout in layouts_for(False):
                yield Case(Key("elementwise", name, dtype, layout), partial(_make_program, program, dtype, layout),
                           (2,), Limit(16, floor=4))
