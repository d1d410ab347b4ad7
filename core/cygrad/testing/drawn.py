"""Calls in which sizes, strides, offsets, ranks, options and values are drawn, each from a grid of its own: `calls_of`.

A kernel that is tuned takes other ways for other calls: from a size on, at an offset, for a stride, an option. Cases
that are thought of one by one meet what their author thought of. These go through SIZES, around every power of two, and
draw all else; drawn they are once and for all, from the name of the entry and of the case. What compiles a kernel
of its own (an op in a dtype, walked along strides) is drawn from few, all else from everything there is.
"""
import zlib
from dataclasses import replace
from functools import partial

import numpy as np

from cygrad.backend import BINARY, UNARY
from cygrad.testing.drawn_layouts import (NEAR, apart, broadcast, handed_over, is_dense, put, room, shape_with,
                                          shared)
from cygrad.testing.operands import COMPLEX, EVERY, FLOATS, INTEGERS, Operand, numbers, rounded, special
from cygrad.testing.pointwise import (BINARY_TABLE, DIVISIONS, PREDICATES, SQUARE, UNARY_TABLE, UNSIGNED, anything,
                                      binary_values, convertible, limit_of, result_dtype, unary_values)
from cygrad.testing.pointwise_programs import PROGRAMS, coded
from cygrad.testing.runner import EXACT, Case, Key, Limit

SIZES = (*range(1, 10), *(2**k + more for k in range(4, 13) for more in (-1, 0, 1)), 100, 1000, 5000, 10000,
         *(2**k + more for k in (13, 14) for more in (0, 1)),
         *(2**k + more for k in (15, 16) for more in (-1, 0, 1)), 131071, 131073)
COMMON = ("float32", "float32", "float32", "uint8")


def plan(entry):
    """What is drawn before a case is made."""
    return np.random.default_rng(zlib.crc32(f"calls of {entry}".encode()))


def case(entry, number, dtype, make, outs, limit=EXACT, **more):
    return Case(Key(entry, "drawn", dtype, f"{number}"), make, outs, limit, **more)


# ------------------------------------------------------------------ values

def again(rng, found, shape):
    """These values in another shape, again and again from somewhere on; their count is odd, so no block repeats."""
    count = int(np.prod(shape))
    flat = np.asarray(found).reshape(-1)
    if count >= flat.size:
        flat = flat[:flat.size - 1 + flat.size % 2]
    return np.resize(np.roll(flat, int(rng.integers(0, flat.size))), count).reshape(shape)


def _edges(rng, count, dtype):
    """Integers next to powers of two, which are equal in some of their words."""
    limits = np.iinfo(dtype)
    powers = 1 << rng.integers(0, limits.bits - 1, count)
    return ((powers + rng.integers(-1, 2, count)) * (1 if not limits.min else rng.choice([-1, 1], count))).astype(dtype)


def all_of(rng, shape, dtype):
    """Anything that an element can be, for what moves elements: special ones first, last and in between."""
    values = np.array(anything(rng, shape, dtype))
    flat = values.reshape(-1)
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        flat[...] = np.where(rng.random(flat.size) < 0.6, rng.integers(limits.min, limits.max, flat.size, dtype,
                                                                       endpoint=True), _edges(rng, flat.size, dtype))
    if flat.size:
        flat[[0, flat.size // 2, -1]] = rng.choice(special(dtype), 3)
    return values


def whole(rng, shape, dtype, most=9):
    """Whole numbers but 0: sums and products of some are exact, and none that is missing goes unseen.

    Integers are of any size, for they wrap; those of float64 are such that float32 has no room for what they add up to.
    """
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        return np.where(rng.random(shape) < 0.5, rng.integers(1, most + 1, shape),
                        rng.integers(limits.min, limits.max, shape, dtype, endpoint=True) | 1)
    if dtype in ("float64", "complex128"):
        most = 1 << 18
    values = rng.integers(1, most + 1, shape)
    return values if dtype == "bool" else values * rng.choice([-1, 1], shape)


def mask(rng, shape):
    """Truth values: coins, runs of as many as a block has, all, none, all but one."""
    count = int(np.prod(shape))
    kind = rng.choice(["coins", "runs", "runs", "all", "none", "all but one"])
    if kind == "coins":
        return rng.random(shape) < 0.5
    if kind == "runs":
        run = int(rng.choice([4, 8, 32, 33, 64, 256]))
        return np.repeat(rng.random(count // run + 1) < 0.5, run)[:count].reshape(shape)
    values = np.full(count, kind != "none")
    if kind == "all but one":
        values[rng.integers(0, count)] = False
    return values.reshape(shape)


def magnitudes(rng, shape, dtype):
    """Numbers of every order of magnitude, most of them not far from 1, of both signs."""
    least, most = {"float16": (-14, 15), "float64": (-1000, 1000)}.get(dtype, (-120, 120))
    power = np.clip(rng.uniform(-1, 1, shape) * rng.choice([12, 12, 50, most], shape), least, most)
    return rounded(rng.choice([-1, 1], shape) * 2.0**power, dtype)


# ------------------------------------------------------------------ pointwise

def _aliased(rng, shape, dtype, target, given, strided):
    """(inputs, output): the output is one of them, or is beside them in one storage, or neither."""
    arrays = [x for x in given if isinstance(x, np.ndarray)]
    *each, strided = apart(rng, strided, len(arrays) + 1)
    kind = rng.choice(["new", "new", "new", "first", "last", "shared", "overlapping"])
    if kind in ("shared", "overlapping") and target == dtype:
        if kind == "overlapping" and len(arrays) > 1 and len(shape) == 1:        # x[1:] and x[:-1]
            (both,) = shared(rng, dtype, [np.append(arrays[0], arrays[1][:1])])
            ins = [replace(both, shape=shape, offset=both.offset + step) for step in (1, 0)][:len(arrays)]
            ins += [put(rng, x, dtype, way) for x, way in zip(arrays[2:], each[2:])]
            return ins, room(rng, shape, target, strided)
        *ins, out = shared(rng, dtype, [*arrays, np.zeros(shape, arrays[0].dtype)])
        return ins, out
    written = {"first": 0, "last": len(arrays) - 1}.get(kind)
    ins = [put(rng, x, dtype, way, i != written) for i, (x, way) in enumerate(zip(arrays, each))]
    if kind in ("first", "last") and target == dtype:
        return ins, ins[0 if kind == "first" else -1]
    return ins, room(rng, shape, target, strided)


def _rank(rng, strided):
    return int(rng.integers(1, 9 if strided else 4))


def _make_moved(entry, dtype, target, n, strided, rng):
    shape = shape_with(rng, n, _rank(rng, strided))
    if entry == "fill":
        value = rng.choice(special(dtype)) if rng.random() < 0.5 else np.asarray(all_of(rng, (1,), dtype))[0]
        (out,) = handed_over([room(rng, shape, dtype, strided)])
        return out, value.item()
    if entry == "copy":
        values = all_of(rng, shape, dtype) if dtype == target else convertible(rng, shape, dtype, target)
        if target in ("float16", "bfloat16") and dtype in ("float64", "complex128"):       # may go by float32
            values = values.astype("float32" if dtype == "float64" else "complex64").astype(dtype)
        (a,), out = _aliased(rng, shape, dtype, target, [np.asarray(values)], strided)
        a, out = handed_over([a, out])
        return a, out
    values = [np.asarray(all_of(rng, shape, dtype)) for _ in range(2)]
    ins, out = _aliased(rng, shape, dtype, dtype, values, strided)
    cond = put(rng, mask(rng, shape), "bool", strided and (NEAR if rng.random() < 0.7 else True))
    if dtype == "bool" and 0 not in cond.strides and rng.random() < 0.6:
        out = cond
    return tuple(handed_over([cond, *ins, out]))


def _make_unary(code, dtype, n, strided, rng):
    op = UNARY[code]
    shape = shape_with(rng, n, _rank(rng, strided))
    values = unary_values(rng, SQUARE, dtype, op)
    if dtype in FLOATS and op not in ("tan", "erfinv", "lgamma", "digamma"):
        values = np.where(rng.random(SQUARE) < 0.5, magnitudes(rng, SQUARE, dtype), values)
    values = again(rng, values, shape)
    (a,), out = _aliased(rng, shape, dtype, result_dtype(op, dtype), [values], strided)
    return (code, *handed_over([a, out]))


ANYTHING = ("add", "sub", "mul", "maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor",
            *(PREDICATES - {"logical_not", "isnan", "isinf", "isfinite"}))


def _pairs(rng, op, dtype):
    """Operands of a binary op: special values with each other, numbers of all magnitudes, integers of any size."""
    x, y = binary_values(rng, SQUARE, dtype, op)
    some = rng.random(SQUARE) < 0.4
    if dtype in FLOATS and op in (*ANYTHING, "div", "fmod", "remainder", "atan2", "hypot", "copysign"):
        return (np.where(some, magnitudes(rng, SQUARE, dtype), each) for each in (x, y))
    if dtype in INTEGERS and op in ANYTHING:
        return (np.where(some, all_of(rng, SQUARE, dtype), each).astype(dtype) for each in (x, y))
    if dtype in INTEGERS and op == "lcm":                       # whose product is too large, the multiple is not
        part = int(np.iinfo(dtype).max) // 12
        return (np.where(some, rng.choice([3, 6], SQUARE) * part, x),
                np.where(some, rng.choice([2, 4], SQUARE) * part, y))
    if op == "gcd" and np.iinfo(dtype).min < 0:                 # of which the smallest has no positive
        return (np.where(each == np.iinfo(dtype).min, 6, each).astype(dtype) for each in (x, y))
    return x, y


def _make_broadcast(entry, flats, n, rng):
    """Two operands of two or three axes, broadcast along those where flats say so, and a third anyhow."""
    rank = len(flats[0])
    shape = tuple(int(size) for size in rng.permutation([n, *(int(rng.choice([2, 3, 5, 7])) for _ in range(rank - 1))]))
    ins = [broadcast(rng, np.asarray(numbers(rng, shape, "float32")), "float32", flat, NEAR) for flat in flats]
    out = room(rng, shape, "float32", NEAR if rng.random() < 0.3 else False)
    for x in ins:
        if 0 not in x.strides and rng.random() < 0.4:
            out = x
    if entry == "binary":
        return (BINARY.index("sub"), *handed_over([*ins, out]))
    third = broadcast(rng, mask(rng, shape), "bool", rng.random(rank) < 0.4, NEAR)
    third, *ins, out = handed_over([third, *ins, out])
    if entry == "where":
        return third, *ins, out
    return coded(PROGRAMS["a mask"]), (*ins, third), (out,)


def broadcast_calls(entry, outs):
    """Every way in which each of two operands may be broadcast."""
    rng = plan(f"{entry}, broadcast")
    for rank in (2, 3):
        ways = np.array(list(np.ndindex(*(2,) * rank)), bool)
        for first in ways:
            for second in ways:
                for n in (int(rng.choice([9, 33, 64])), int(rng.choice([300, 1030, 4099]))):
                    yield case(entry, f"broadcast {first.astype(int)} {second.astype(int)} {n}", "float32",
                               partial(_make_broadcast, entry, (first, second), n), outs, Limit(16, floor=4)
                               if entry == "elementwise" else EXACT)


def _make_binary(code, dtype, n, strided, rng):
    op = BINARY[code]
    shape = shape_with(rng, n, _rank(rng, strided))
    turn = rng.integers(0, 900)
    x, y = (np.resize(np.roll(values.reshape(-1)[:-1], turn), shape) for values in _pairs(rng, op, dtype))
    if op in DIVISIONS or op in ("pow", "left_shift", "right_shift", "gcd", "lcm"):     # the second may not be anything
        *ways, last = apart(rng, strided, 3)
        ins = [put(rng, each, dtype, way) for each, way in zip((x, y), ways)]
        out = ins[rng.integers(0, 2)] if rng.random() < 0.2 and all(map(is_dense, ins)) else room(
            rng, shape, result_dtype(op, dtype), last)
    else:
        ins, out = _aliased(rng, shape, dtype, result_dtype(op, dtype), [x, y], strided)
    return (code, *handed_over([*ins, out]))


def chosen_numbers(op, dtype):
    """What programs have as a number beside a tensor: those with short ways of their own, and their neighbours."""
    if dtype == "bool":
        return [True, False]
    if op in ("left_shift", "right_shift"):
        width = 8 * np.dtype(dtype).itemsize
        return [0, 1, 2, 7, 8, 31, 32, 33, 63, 64, width - 1, width, width + 1, 100]
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        found = [0, 1, 2, 3, 4, 7, 8, 10, 16, 64, 100, 127, 128, 255, 256, 1000, 2**15, 2**16 - 1, 2**16,
                 2**20 + 7, 2**31 - 1, 2**31, 2**32, 2**40 + 1, limits.max, limits.max - 1]
        if op == "pow":
            return found[:9]
        found += [-x for x in found] + [limits.min]
        if op in (*DIVISIONS, "gcd", "lcm"):
            found = [x for x in found if x not in (0, -1, limits.min if op == "gcd" else 0)
                     and abs(x) < (128 if op == "lcm" else 2**63)]
        return [int(x) for x in found if limits.min <= x <= limits.max]
    largest, least = {"float16": (65504.0, 2.0**-24), "bfloat16": (2.0**127, 2.0**-126)}.get(
        dtype, (2.0**127, 2.0**-149) if "32" in dtype or "64" == dtype[-2:] == "x" else (2.0**1023, 2.0**-1074))
    beyond = 65536.0 if dtype == "bfloat16" else 65504.0        # a number of the dtype: how others round is no question
    return [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 4.0, 0.25, 10.0, 100.0, 1.5, 7.0, 255.0, 1024.0, beyond,
            float("inf"), -float("inf"), float("nan"), largest, least, -0.0]


FRACTIONS = (0.1, 1 / 3, -0.7, 1e-3)


def _make_scalar(code, x, swapped, dtype, n, strided, rng):
    op = BINARY[code]
    shape = shape_with(rng, n, _rank(rng, strided))
    values, _ = _pairs(rng, op, dtype) if op != "lcm" else binary_values(rng, SQUARE, dtype, op)
    if swapped and op in ("left_shift", "right_shift"):
        values = rng.integers(0, 70, SQUARE).astype(values.dtype)
    if swapped and op in DIVISIONS:
        _, values = binary_values(rng, SQUARE, dtype, op)
    if op == "pow" and abs(x) == 0.5:                           # may be by a square root: of -inf NaN, of -0 -0
        values = np.where((values == -np.inf) | (values == 0), 2, values).astype(values.dtype)
    if not swapped and op not in (*DIVISIONS, "pow", "lcm", "left_shift", "right_shift"):      # the number itself, too
        values = np.where(rng.random(SQUARE) < 0.2, rounded(x, dtype), values).astype(values.dtype)
    (a,), out = _aliased(rng, shape, dtype, result_dtype(op, dtype), [again(rng, values, shape)], strided)
    return (code, *handed_over([a, out])[:1], x, swapped, handed_over([a, out])[1])


def _scalar_calls(rng):
    """(op, dtype, number, swapped): every number in float32 and int64, some in other dtypes."""
    for op, (dtypes, _) in BINARY_TABLE.items():
        for dtype in dtypes:
            if dtype in COMPLEX:
                continue
            found = chosen_numbers(op, dtype)
            if dtype in ("float32", "float64") and op not in DIVISIONS:
                found = [*found, *FRACTIONS]
            if op in DIVISIONS and dtype not in INTEGERS:       # whose quotients are exact, or not near a whole number
                found = [x for x in found if abs(x) in (0.5, 1.5, 2.0, 3.0, 4.0, 7.0, 10.0, np.inf) or x != x]
            if dtype not in ("float32", "int64"):
                found = [found[i] for i in rng.permutation(len(found))[:4]]
            for x in found:
                yield op, dtype, x, False
                if not (dtype in INTEGERS and op in ("pow", "lcm", *DIVISIONS)) and rng.random() < 0.5 and (
                        dtype in ("float32", "int64")):
                    yield op, dtype, x, True


def _make_program(program, dtype, n, strided, rng):
    shape = shape_with(rng, n, _rank(rng, strided), 40000)
    first, second, third, *last = apart(rng, strided, 4 + max(s[1] for s in program if s[0] == "out"))
    ins = [put(rng, numbers(rng, shape, dtype, 1.0), dtype, way) for way in (first, second)]
    more = {"third": lambda: put(rng, numbers(rng, shape, dtype, 1.0), dtype, third),
            2: lambda: float(rng.choice([1.75, 0.5, -3.0])),
            "mask": lambda: put(rng, mask(rng, shape), "bool", third)}
    ins += [more[name]() for name in more if ("in", name) in program]
    outs = [room(rng, shape, dtype, way) for way in last]
    if rng.random() < 0.2 and 0 not in ins[0].strides:
        outs[0] = ins[0]
    views = [x for x in (*ins, *outs) if isinstance(x, Operand)]
    made = dict(zip(views, handed_over(views)))
    return coded(program), tuple(made.get(x, x) if isinstance(x, Operand) else x for x in ins), tuple(
        made[x] for x in outs)


def _many(count):
    """A program of so many operands: each minus twice the sum so far."""
    steps = [("in", 0)]
    for i in range(1, count):
        steps += [("number", 2.0), ("binary", "mul"), ("in", i), ("binary", "sub")]
    return (*steps, ("out", 0))


def _make_many(count, n, rng):
    shape = shape_with(rng, n, 3, 3000)
    ins = tuple(put(rng, rng.integers(-3, 4, shape), "float64", False) for _ in range(count))
    return coded(_many(count)), ins, (room(rng, shape, "float64", False),)


OUTS = {"fill": (0,), "copy": (1,), "unary": (2,), "binary": (3,), "where": (3,), "binary_scalar": (4,),
        "elementwise": (2,)}
TURNS = 8                               # through SIZES; of the first half, all operands are dense


def pointwise_calls(entry):
    rng, outs = plan(entry), OUTS[entry]
    sizes = [(SIZES[number % len(SIZES)], number >= TURNS // 2 * len(SIZES)) for number in range(TURNS * len(SIZES))]
    yield from {"copy": _conversions, "unary": _ops, "binary": _ops, "binary_scalar": _numbers,
                "elementwise": _programs}.get(entry, lambda *given: ())(entry, rng, outs)
    if entry in ("binary", "where", "elementwise"):
        yield from broadcast_calls(entry, outs)
    for number, (n, strided) in enumerate(sizes):
        if entry in ("fill", "copy", "where"):
            dtype = str(rng.choice(COMMON if strided else EVERY))
            target = str(rng.choice(EVERY)) if entry == "copy" and not strided and number % 2 else dtype
            yield case(entry, number, dtype, partial(_make_moved, entry, dtype, target, n, strided), outs,
                       signed=target in FLOATS or entry == "where")
        elif entry in ("unary", "binary"):
            usual = ("neg", "exp") if entry == "unary" else ("sub", "lt")
            yield _op_call(entry, number, str(rng.choice(usual)), "float32", n, strided)
        elif entry == "binary_scalar":
            op = str(rng.choice(["add", "mul", "sub"]))
            x = chosen_numbers(op, "float32")
            yield _number_call(number, op, "float32", x[rng.integers(0, len(x))], bool(rng.random() < 0.4), n, strided)
        else:
            names = list(PROGRAMS) if not strided else ["two results", "a mask"]
            program = PROGRAMS[names[int(rng.integers(0, len(names)))]]
            dtype = "float32" if strided else str(rng.choice(FLOATS))
            yield case(entry, number, dtype, partial(_make_program, program, dtype, n, strided), outs,
                       Limit(16, floor=4))


def _op_call(entry, number, op, dtype, n, strided):
    table, codes, make = (UNARY_TABLE, UNARY, _make_unary) if entry == "unary" else (BINARY_TABLE, BINARY, _make_binary)
    return case(entry, number, dtype, partial(make, codes.index(op), dtype, n, strided), OUTS[entry],
                limit_of(table[op][1], op, dtype), signed=op not in UNSIGNED)


def _number_call(number, op, dtype, x, swapped, n, strided):
    return case("binary_scalar", number, dtype, partial(_make_scalar, BINARY.index(op), x, swapped, dtype, n, strided),
                (4,), limit_of(BINARY_TABLE[op][1], op, dtype), signed=op not in (*UNSIGNED, *PREDICATES))


def _conversions(entry, rng, outs):
    """Every one, at places that are not aligned."""
    for source in EVERY:
        for target in EVERY:
            n = SIZES[int(rng.integers(10, 35))]
            yield case(entry, f"to {target}", source, partial(_make_moved, entry, source, target, n, False), outs,
                       signed=target in FLOATS)


def _ops(entry, rng, outs):
    """Every op in each of its dtypes: some elements, and more than some thousand."""
    for op, (dtypes, _) in (UNARY_TABLE if entry == "unary" else BINARY_TABLE).items():
        for dtype in dtypes:
            for size, part in (("some", SIZES[15:35]), ("many", [n for n in SIZES if n > 4096])):
                yield _op_call(entry, f"{op} {size}", op, dtype, int(rng.choice(part)), False)


def _numbers(entry, rng, outs):
    for number, (op, dtype, x, swapped) in enumerate(_scalar_calls(rng)):
        yield _number_call(f"{op} {number}", op, dtype, x, swapped, int(rng.choice(SIZES[8:36])), False)


def _programs(entry, rng, outs):
    for count in (9, 13, 20, 33):
        yield case(entry, f"{count} operands", "float64", partial(_make_many, count, 257), outs)
