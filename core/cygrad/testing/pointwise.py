"""Cases of the pointwise entries: which op takes which dtypes, in which layouts, how exact it must be."""
from functools import partial
from itertools import permutations

import numpy as np

from cygrad.backend import BINARY, UNARY
from cygrad.testing import sizes
from cygrad.testing.operands import (BOOL, COMPLEX, EVERY, FLOATS, INTEGERS, PERIOD, beside, crossed, dense,
                                     dense_strides, gapped, inner_turned, laid_out, number, numbers, overlapping,
                                     reordered, repeated, result, rounded, sliced, special, turned, with_extremes)
from cygrad.testing.runner import EXACT, Case, Key, Limit

# name: shape, layouts of the inputs in turn, layout of the output; the first has every pair of special values.
# IN_PLACE: the output is the first input itself, SECOND: the second, TWICE: both inputs are one, ALL_ONE: the output
# is that, too,
# BESIDE and BETWEEN: the output is another part of the first input's memory
IN_PLACE, SECOND, TWICE, ALL_ONE, BESIDE, BETWEEN = "first", "second", "twice", "all one", "beside", "between"
SQUARE, THREE = (30, 31), (5, 4, 6)
LAYOUTS = {
    "contiguous": (SQUARE, (dense, dense, dense), dense),
    "transposed": ((7, 13), (reordered, dense, reordered), dense),
    "transposed result": ((7, 13), (dense, dense, dense), reordered),
    "sliced": ((7, 13), (sliced, sliced, sliced), sliced),
    "stride 0": ((7, 13), (repeated, partial(repeated, axis=1), repeated), dense),
    "0-d": ((), (dense, dense, dense), dense),
    "eight axes": ((2, 2, 3, 2, 2, 2, 2, 2), (reordered, dense, reordered), dense),
    "in place": ((7, 13), (dense, dense, dense), IN_PLACE),
    "sliced in place": ((7, 13), (sliced, dense, dense), IN_PLACE),
    "into the second": ((7, 13), (dense, dense, dense), SECOND),
    "one operand twice": ((7, 13), (dense, dense, dense), TWICE),
    "one operand thrice": ((7, 13), (sliced, dense, dense), ALL_ONE),
    "offset": ((7, 13), (partial(dense, offset=3), partial(dense, offset=5), partial(dense, offset=9)),
               partial(dense, offset=6)),
    "side by side": ((143,), (dense, dense, dense), BESIDE),
    "taking turns": ((143,), (dense, dense, dense), BETWEEN),
    "three axes": (THREE, (turned, partial(repeated, axis=1), gapped), gapped),
    "rows with gaps": ((9, 14), (gapped, dense, gapped), dense),
    "four axes": ((3, 2, 4, 3), (reordered, turned, sliced), dense),
    "five axes": ((2, 3, 2, 3, 2), (turned, reordered, gapped), sliced),
    "six axes": ((2, 2, 3, 2, 2, 2), (sliced, turned, reordered), dense),
    "seven axes": ((2, 2, 2, 3, 2, 2, 2), (reordered, sliced, turned), reordered),
    "square": ((13, 13), (reordered, sliced, partial(repeated, axis=1)), dense),
    "second turned in a square": ((13, 13), (dense, reordered, dense), dense),
    "number": ((143,), (number, dense, repeated), dense),
    "number beside turned": ((7, 13), (reordered, number, number), dense),
    "second repeated alike": ((7, 13), (repeated, repeated, repeated), dense),
    "a row for all": ((8, 14), (gapped, repeated, repeated), dense),
    "eight axes, second turned": ((2, 2, 3, 2, 2, 2, 2, 2), (dense, reordered, dense), dense),
    "overlapping rows": ((9, 14), (overlapping, dense, overlapping), dense),
    "turned alike": ((7, 13), (reordered, reordered, dense), reordered),
    "many small": ((65540, 2, 3), (inner_turned, dense, inner_turned), dense),
    "large": ((70001,), (dense, dense, dense), dense),
    "large transposed": ((263, 270), (reordered, dense, reordered), dense),
}
ALIASED = (IN_PLACE, SECOND, TWICE, ALL_ONE, BESIDE, BETWEEN)
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
        if op == "abs":
            return Limit(16)
        exact = op in ("add", "sub", "neg", "conj") or op in PREDICATES
        return EXACT if exact else Limit(max(16, 2 * limit.ulps), floor=1)
    if op == "trunc_divide" and dtype in ("float16", "bfloat16"):         # the quotient may be rounded first
        return Limit(2, floor=512 if dtype == "float16" else 64)
    if dtype in ("float16", "bfloat16") and limit.ulps:                   # which few results round another way
        return Limit(1, limit.floor, part=1 / 8)
    return limit


def unary_values(rng, shape, dtype, op):
    """Values for a unary op: special ones included, most within its domain; a thousand of them, again and again."""
    if np.prod(shape) > PERIOD:
        return np.resize(unary_values(rng, (PERIOD,), dtype, op), shape)
    if op == "erfinv":
        values = np.asarray(rounded(rng.uniform(-0.999, 0.999, shape), dtype)).reshape(-1)
        values[:3] = [1, -1, 0][:values.size]
        return values.reshape(shape)
    if op == "sigmoid" and dtype in COMPLEX:                   # away from its poles
        return numbers(rng, shape, dtype, 0.5)
    values = with_extremes(rng, shape, dtype)
    if dtype in COMPLEX and op in PREDICATES:
        return np.where(rng.random(shape) < 0.5, rng.choice(part_by_part(dtype), shape), values)
    if dtype in COMPLEX and op in SCALED:
        return scaled(rng, dtype, values)[0]
    if op in EXPONENTIAL and dtype in FLOATS:
        last = near_overflow(op, dtype)
        values.reshape(-1)[-len(last):] = last[-values.size:]
    if op in ("lgamma", "digamma"):                            # libraries overflow in steps between
        return np.where(np.isfinite(values) & (np.abs(values) > 1e30), values.dtype.type(100.25), values)
    return values


EXPONENTIAL = ("exp", "exp2", "expm1", "sinh", "cosh", "tanh", "sigmoid")


def near_overflow(op, dtype):
    """Between which powers are finite, and of what e^a is too large, half of it is not; and the same below 0."""
    largest = {"float16": 2.0**16, "float64": 2.0**1023}.get(dtype, 2.0**127)
    scale = np.log(2.0) if op == "exp2" else 1.0
    top = np.log(largest) + (0 if dtype == "float16" else np.log(2.0))
    found = [top - 0.25, top + 0.375, -top - 0.375, 3 - top, top / 2, -top / 2]
    return rounded(np.array(found) / scale, dtype)


SCALED = ("abs", "angle", "log", "log2", "log10", "sqrt", "rsqrt", "reciprocal")


def scaled(rng, dtype, *values):
    """Arrays of complex numbers, some of which are so large, or so small, that their squares are infinite, or 0."""
    large = 2.0**70 if dtype == "complex64" else 2.0**600
    factor = rng.choice(np.array([1.0, large, 1 / large], np.real(values[0]).dtype), values[0].shape)
    return [each * factor for each in values]


def part_by_part(dtype):
    """Complex numbers whose parts are 0, 1, the largest, infinite or NaN, each with each."""
    parts = np.array([0.0, -0.0, 1.0, np.finfo(dtype).max, np.inf, -np.inf, np.nan])
    made = np.empty((len(parts), len(parts)), dtype)
    made.real, made.imag = parts[:, None], parts
    return made.reshape(-1)


def shifts(dtype):
    """By how many bits: some, all, more than all, and less than none."""
    width = 8 * np.dtype(dtype).itemsize
    return np.array([0, 1, 3, width - 1, width, width + 1, 2 * width, 100, *([-1] if dtype != "uint8" else [])], dtype)


def binary_values(rng, shape, dtype, op):
    """Two operands within the domain of a binary op."""
    if op in ("left_shift", "right_shift"):
        first, second = special(dtype), shifts(dtype)
        a, b = crossed(rng, shape, dtype, first, second)
        whole = a.ndim == 2 and a.shape[0] >= len(first)
        b = np.where(np.isin(b, second) & whole, b, rng.integers(0, 7, shape)).astype(dtype)
        return a, b
    if op in ("pow", "gcd", "lcm") and dtype in INTEGERS:
        limits = np.iinfo(dtype)
        most = max(9, 1 << limits.bits // 2 - 1) if op == "lcm" else limits.max         # the multiple has to fit
        a, b = (np.where(rng.random(shape) < 0.5, numbers(rng, shape, dtype), rng.integers(
            0 if dtype == "uint8" else -most, most, shape, dtype, endpoint=True)) for _ in range(2))
        if op == "lcm" and shape == SQUARE:                    # which fits, and the product does not
            common, rest = 1 << limits.bits // 2 - 1, 1 << limits.bits // 4
            factors = [rng.integers(1, n, shape, dtype) for n in (common, rest, rest)]
            some = rng.random(shape) < 0.3
            a, b = (np.where(some, factors[0] * factor, x) for x, factor in ((a, factors[1]), (b, factors[2])))
        if op == "pow":                                        # powers wrap
            b = np.where(rng.random(shape) < 0.9, rng.integers(0, 4, shape), rng.integers(0, 100, shape)).astype(dtype)
            if limits.min:                                     # 1, -1 and 0, as wholes
                b = np.where((a != 0) & (rng.random(shape) < 0.1), rng.integers(-9, 0, shape), b).astype(dtype)
        return a, b
    if op == "pow" and dtype in COMPLEX:
        return numbers(rng, shape, dtype, 1.0), numbers(rng, shape, dtype, 1.0)
    if op in DIVISIONS and dtype in INTEGERS:                  # no zero, and no quotient beyond the largest
        a, b = crossed(rng, shape, dtype, special(dtype), special(dtype))
        beyond = (a == np.iinfo(dtype).min) & (b == np.array(-1).astype(dtype))
        return a, np.where((b == 0) | beyond, 3, b).astype(dtype)
    if op in DIVISIONS:
        values = rounded(np.array([np.nan, 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5, 3.0, 7.25, -100.25, np.inf,
                                    -np.inf]), dtype)
        a, b = (numbers(rng, shape, dtype) for _ in range(2))
        b = np.where(b == 0, np.ones_like(b), b)
        if shape == SQUARE:
            a[:len(values), :len(values)], b[:len(values), :len(values)] = values[:, None], values
            if op != "trunc_divide":                           # which rounds the quotient; the others must not
                a[-1], b[-1] = rounded(np.arange(a.shape[1]) * 0.1, dtype), rounded(0.1, dtype)
        return a, b
    if dtype in COMPLEX:
        a, b = (numbers(rng, shape, dtype) for _ in range(2))
        if op == "div":
            return scaled(rng, dtype, a, b)
        if op in PREDICATES:                                   # of which some have one part in common
            a = np.where(rng.random(shape) < 0.5, rng.choice(part_by_part(dtype), shape), a)
            b = np.where(rng.random(shape) < 0.5, rng.choice(part_by_part(dtype), shape), b)
        return a, np.where(rng.random(shape) < 0.25, a, b)
    return crossed(rng, shape, dtype, special(dtype), special(dtype))


def result_of(shape, dtype, last, inputs, values):
    """(inputs, output) as a layout says; `values` are the first input's."""
    if last == IN_PLACE:
        return inputs, inputs[0]
    if last == SECOND:
        return inputs, inputs[1]
    if last in (BESIDE, BETWEEN):
        first, out = beside(values, dtype, last == BETWEEN)
        return [first, *inputs[1:]], out
    if last == ALL_ONE:
        return [inputs[0]] * len(inputs), inputs[0]
    if last == TWICE:
        return [inputs[0]] * len(inputs), result(shape, dtype)
    return inputs, result(shape, dtype, last)


def _make_unary(code, dtype, layout, rng):
    shape, (first, *_), last = LAYOUTS[layout]
    values = unary_values(rng, shape, dtype, UNARY[code])
    (a,), out = result_of(shape, result_dtype(UNARY[code], dtype), last, [first(values, dtype)], values)
    return code, a, out


def _make_binary(code, dtype, layout, rng):
    shape, (first, second, _), last = LAYOUTS[layout]
    x, y = binary_values(rng, shape, dtype, BINARY[code])
    (a, b), out = result_of(shape, result_dtype(BINARY[code], dtype), last, [first(x, dtype), second(y, dtype)], x)
    return code, a, b, out


def _make_scalar(code, number, swapped, dtype, layout, rng):
    shape, (first, *_), last = LAYOUTS[layout]
    x, _ = binary_values(rng, shape, dtype, BINARY[code])
    if dtype == "float64" and number == 1 and BINARY[code] in ("add", "sub"):      # lost beside 1, or not quite
        x = rounded(x * 2.0**rng.integers(-60, 2, shape), dtype)
    if BINARY[code] == "pow" and number in (0.5, -0.5):        # which may be a root
        x = np.where((x == -np.inf) | (x == 0), np.abs(x), x)
    (a,), out = result_of(shape, result_dtype(BINARY[code], dtype), last, [first(x, dtype)], x)
    return code, a, number, swapped, out


def _make_where(dtype, layout, rng):
    shape, (first, second, third), last = LAYOUTS[layout]
    if layout == "a row for all":
        first = second = dense                                  # what is chosen from is whole
    if layout == "number beside turned":
        first, third = third, first                             # or two numbers
    cond = third(numbers(rng, shape, "bool"), "bool")
    x, y = (anything(rng, shape, dtype) for _ in range(2))
    (a, b), out = result_of(shape, dtype, last, [first(x, dtype), second(y, dtype)], x)
    return cond, a, b, out


def anything(rng, shape, dtype):
    """Values of which some are special, whatever the dtype: for what only moves them."""
    values = np.array(with_extremes(rng, shape, dtype))
    if dtype in COMPLEX:
        some = rng.random(shape) < 0.5
        values = np.where(some, rng.choice(special(dtype), shape), values)
    return values


def _make_fill(value, dtype, layout, rng):
    shape, _, last = LAYOUTS[layout]
    return result(shape, dtype, last), value


def convertible(rng, shape, source, target):
    """Values of `source` that `target` can hold: a conversion out of range is nobody's promise."""
    values = anything(rng, shape, source)
    if source == "int64" and target in FLOATS:                 # halfway between floats, and a little more
        return np.where(rng.random(shape) < 0.1, rng.choice([1, -1], shape) * (2**53 + 2**29 + 1), values)
    if source == "float64" and target in ("float16", "bfloat16"):      # halfway, once float32 has dropped the rest
        ties = 1 + 2.0**-40 + np.array([2.0**-11, 2.0**-8])
        return np.where(rng.random(shape) < 0.1, rng.choice([1, -1], shape) * rng.choice(ties, shape), values)
    if source in INTEGERS + BOOL or target in FLOATS + COMPLEX + BOOL:
        return values
    most = 0.99 * min(np.iinfo(target).max, 65504 if source == "float16" else np.inf)
    scale = np.where(rng.random(shape) < 0.5, most, min(most, 100))
    return rounded(scale * rng.uniform(0 if target == "uint8" else -1, 1, shape), source)


def _make_copy(source, target, layout, rng):
    shape, (first, *_), last = LAYOUTS[layout]
    values = convertible(rng, shape, source, target)
    (a,), out = result_of(shape, target, last, [first(values, source)], values)
    return a, out


def layouts_for(in_place, inputs=1):
    """Names of the layouts; those in memory of an input only where an op's output has its input's dtype."""
    of_two = SECOND, TWICE, ALL_ONE
    return [name for name, (_, _, last) in LAYOUTS.items()
            if (in_place or last not in ALIASED or last == TWICE)
            and not (inputs < 2 and (last in of_two or "second" in name))]


# What 0 has for a sign is left open: where both are as large, or a formula decides.
UNSIGNED = {"maximum", "minimum", "fmax", "fmin", "relu", "sign", "remainder", "floor_divide", "trunc_divide", "lgamma",
            "digamma", "erfinv", "pow", "angle", "log10", "log2", "log", "sinh", "asinh", "expm1"}


def fill_cases():
    for dtype in EVERY:
        values = {"zero": 0, "one": 1}
        if dtype == "bool":
            values["True"] = True
        if dtype in SMOOTH:
            values.update({"fraction": -1.5, "NaN": float("nan"), "infinity": float("inf"), "tenth": 0.1})
        if dtype in FLOATS:
            values["minus zero"] = -0.0
        if dtype in COMPLEX:
            values.update({"complex": 1.5 - 2j, "imaginary": 0.1j})
        if dtype in INTEGERS:
            limits = np.iinfo(dtype)
            values.update({"largest": int(limits.max), "smallest": int(limits.min)})
            if dtype in ("int32", "int64"):
                values["beyond floats"] = 2**24 + 1 if dtype == "int32" else 2**53 + 1
        for name, value in values.items():
            for layout in layouts_for(False):
                if layout in ("contiguous", "sliced", "0-d") or name == "one":
                    yield Case(Key("fill", name, dtype, layout), partial(_make_fill, value, dtype, layout), (0,),
                               signed=True)
    yield from sizes.pointwise_cases("fill")


# Conversions in every layout; the others in a few.
WALKED = {("float32", "int64"), ("int64", "float32"), ("uint8", "float32"), ("float32", "float16")}


def in_order(order, values, dtype):
    """The axes lie in memory in this order."""
    steps = dense_strides([np.shape(values)[axis] for axis in order])
    return laid_out(values, dtype, [steps[order.index(axis)] for axis in range(len(order))], 1)


def _make_order(order, backwards, dtype, rng):
    shape = (5, 4, 6, 3)[:len(order)]
    values, put = anything(rng, shape, dtype), partial(in_order, order)
    return dense(values, dtype) if backwards else put(values, dtype), result(shape, dtype, put if backwards else dense)


def order_cases():
    """Copies from axes in any order to dense ones; of three axes also back."""
    for dtype in ("uint8", "float32", "complex128"):
        for order in (*permutations(range(3)), *(permutations(range(4)) if dtype == "float32" else ())):
            for backwards in (False, True)[:5 - len(order)]:
                name = f"axes {''.join(map(str, order))}{' back' * backwards}"
                yield Case(Key("copy", "orders", dtype, name), partial(_make_order, order, backwards, dtype), (1,))


def copy_cases():
    for source in EVERY:
        for target in EVERY:
            for layout in layouts_for(source == target):
                if source == target or (source, target) in WALKED or layout in (
                        "contiguous", "sliced", "transposed", "0-d"):
                    yield Case(Key("copy", f"to {target}", source, layout), partial(_make_copy, source, target, layout),
                               (1,), signed=target in FLOATS)
    yield from order_cases()
    yield from sizes.pointwise_cases("copy")


# Functions of complex numbers whose values at zeros, infinities and NaN the C standard lists (C99, Annex G.6).
LISTED = ("exp", "log", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
          "atanh")
CUT = ("angle", "log2", "log10", "rsqrt")                       # of others what they are on both sides of a cut
PARTS = (-np.inf, -100.25, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5, 100.25, np.inf, np.nan)


def _make_edges(code, dtype, rng):
    parts = PARTS if UNARY[code] in LISTED else PARTS[1:-2]
    values = np.empty((len(parts), len(parts)), dtype)
    values.real, values.imag = np.array(parts)[:, None], parts
    if UNARY[code] not in LISTED:
        values[values == 0] = 1
    return code, dense(values, dtype), result(values.shape, result_dtype(UNARY[code], dtype))


def _parts(code, a, out):
    """The parts of what was written, without the signs that the standard leaves open: those beside a NaN."""
    beside_nan = np.isnan(out.real) | np.isnan(out.imag)
    if UNARY[code] == "exp":                                    # 0 whose direction nothing tells
        beside_nan = beside_nan | (a.real == -np.inf) & ~np.isfinite(a.imag)
    return [np.where(beside_nan, np.abs(part), part) for part in (out.real, out.imag)]


def edge_cases():
    for op in LISTED + CUT:
        for dtype in COMPLEX:
            # sin and cos of 100.25i are beyond float32: then a part is infinite, or the largest number, as they round
            yield Case(Key("unary", op, dtype, "edges"), partial(_make_edges, UNARY.index(op), dtype), (2,),
                       Limit(32, floor=1), derived=_parts, signed=True)


def unary_cases():
    for op, (dtypes, limit) in UNARY_TABLE.items():
        for dtype in dtypes:
            for layout in layouts_for(result_dtype(op, dtype) == dtype):
                yield Case(Key("unary", op, dtype, layout), partial(_make_unary, UNARY.index(op), dtype, layout), (2,),
                           limit_of(limit, op, dtype), signed=op not in UNSIGNED)
    yield from edge_cases()
    yield from sizes.pointwise_cases("unary")


def binary_cases():
    for op, (dtypes, limit) in BINARY_TABLE.items():
        for dtype in dtypes:
            for layout in layouts_for(result_dtype(op, dtype) == dtype, 2):
                if "one operand" in layout and op in (*DIVISIONS, "pow") and dtype in INTEGERS:
                    continue                                    # the first may hold zeros and negative numbers
                yield Case(Key("binary", op, dtype, layout), partial(_make_binary, BINARY.index(op), dtype, layout),
                           (3,), limit_of(limit, op, dtype), signed=op not in UNSIGNED)
    yield from sizes.pointwise_cases("binary")


def scalars(op, dtype):
    """{name: number}: what a binary op meets as its second operand; the first has no name."""
    if dtype == "bool":
        return {"": True, "False": False}
    if dtype in COMPLEX:
        return {"": 2.5, "complex": 1.5 - 2j}
    if dtype in FLOATS:
        exact = dtype in ("float16", "bfloat16") or op in DIVISIONS       # where a quotient may be rounded first
        found = {"": 2.5, "negative": -1.5, "infinity": float("inf"), "NaN": float("nan"), "minus zero": -0.0}
        if op in DIVISIONS:
            del found["minus zero"]
        if op in ("pow", "div", "mul"):                        # which have short ways for some
            found |= {"quarter": 0.25, "zero": 0.0, "minus one": -1.0}
        if op == "pow":
            found |= {"half": 0.5, "minus half": -0.5, "one": 1.0, "two": 2.0, "three": 3.0, "minus two": -2.0}
        if dtype == "float64":                                 # bases, and what is added to 1: with ways of their own
            found |= {"pow": {"ten": 10.0}, "add": {"one": 1.0}, "sub": {"one": 1.0}}.get(op, {})
        return found if exact else {**found, "tenth": 0.1}
    if op in ("left_shift", "right_shift"):
        width = 8 * np.dtype(dtype).itemsize
        return {"": 3, "width": width, "more than the width": 100, "all but one": width - 1, "zero": 0}
    if op == "pow":
        return {"": 3, "zero": 0, "two": 2}
    found = {"": 3} if dtype == "uint8" else {"": 3, "negative": -3}
    if op in ("eq", "lt", "ge", "maximum"):
        limits = np.iinfo(dtype)
        found |= {"smallest": int(limits.min), "largest": int(limits.max)}
    large = {"int32": 2**24 + 1, "int64": 2**53 + 1}.get(dtype)
    return {**found, "large": large} if large and op not in ("gcd", "lcm") else found


def binary_scalar_cases():
    for op, (dtypes, limit) in BINARY_TABLE.items():
        for dtype in dtypes:
            for name, x in scalars(op, dtype).items():
                if isinstance(x, complex) and op in ("pow", "div"):
                    continue
                for swapped in (False, True):
                    if swapped and op in (*DIVISIONS, "pow", "left_shift", "right_shift") and dtype not in SMOOTH:
                        continue                                # the first operand may hold zeros and more than 7
                    layouts = ("contiguous", "sliced", "0-d", *(("in place",) if op not in PREDICATES else ()))
                    for layout in layouts if not name else layouts[:1]:
                        of = f"{op} {name}".strip()
                        yield Case(Key("binary_scalar", of, dtype, f"{layout} swapped" if swapped else layout),
                                   partial(_make_scalar, BINARY.index(op), x, swapped, dtype, layout), (4,),
                                   limit_of(limit, op, dtype), signed=op not in UNSIGNED)
    for dtype in ("float32", "int8"):
        yield Case(Key("binary_scalar", "add", dtype, "large"),
                   partial(_make_scalar, BINARY.index("add"), 2, False, dtype, "large"), (4,))
    yield from sizes.pointwise_cases("binary_scalar")


def where_cases():
    for dtype in EVERY:
        for layout in layouts_for(True, 2):
            if "one operand" not in layout:
                yield Case(Key("where", "", dtype, layout), partial(_make_where, dtype, layout), (3,), signed=True)
    yield from sizes.pointwise_cases("where")
