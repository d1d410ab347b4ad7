"""Drawn calls (see `drawn`) of what goes along rows, of what is addressed by an index, and of products."""
from dataclasses import replace
from functools import partial

import numpy as np

from cygrad.backend import ARGREDUCE, RANDOM, REDUCE, SCAN, SCATTER
from cygrad.testing.along_rows import limit_of_reduce, order, reduce_dtypes
from cygrad.testing.drawn import SIZES, all_of, case, plan, whole
from cygrad.testing.drawn_layouts import MOST, broadcast, merged, put, room, shape_with
from cygrad.testing.index import terms_of_products
from cygrad.testing.linalg import moduli, moduli_of_addmm
from cygrad.testing.nn import backward_terms, column_moduli, limit_of_random, loose, probability, statistics_dtype
from cygrad.testing.operands import (COMPLEX, EVERY, FLOATS, INTEGERS, REAL, dense, numbers, rounded, special)
from cygrad.testing.runner import EXACT, Limit
from cygrad.testing.sizes import places_in

LONGEST = 262145                        # rows of more than 256 blocks of 1,024


def few(rng, n, most=MOST):
    """A size beside n, such that there are not too many elements."""
    return int(rng.choice([x for x in (1, 2, 3, 5, 8, 17, 33, 64, 65, 129, 257) if x * n <= most] or [1]))


# ------------------------------------------------------------------ along rows

def _some_place(rng, n):
    return int(rng.choice(places_in(n))) if rng.random() < 0.7 else int(rng.integers(0, n))


def some_of(rng, rows):
    """The first and the last row and some between them; of few, all."""
    chosen = rng.permutation(len(rows))[:30]
    return [rows[0], *(rows[i] for i in chosen if 0 < i < len(rows) - 1), rows[-1]]


def _ordered(rng, rows, n, dtype, op):
    """Rows of which the extreme is easily missed: at any place, twice, below 0 or above, a NaN, an infinity."""
    if dtype == "bool":
        return rng.random((rows, n)) < rng.choice([0.5, 1 / n])
    limits = np.iinfo(dtype) if dtype in INTEGERS else None
    low, high = (limits.min, limits.max) if limits else (-2**20, 2**20)
    kind = rng.choice(["any", "below", "above", "few", "edge", "edge", "above" if "min" in op else "below"])
    if kind == "few":                                           # many are equal
        part = 0, 4
        values = rng.integers(0, 5, (rows, n))
    else:
        part = {"below": (low, -1), "above": (1, high), "edge": (max(low, high - 9), high)}.get(kind, (low, high))
        part = (1, high) if part[1] < part[0] else part
        values = rng.integers(*part, (rows, n), endpoint=True)
    values = rounded(values / (1 if limits else 8), dtype) if not limits else values.astype(dtype)
    values = np.array(values)
    largest = "max" in op or op in ("ascending", "descending") and rng.random() < 0.5
    extreme = part[1] if largest else part[0]                   # of numbers below 0, the largest is below 0
    if not limits:
        extreme = rng.choice([1, 1, np.inf]) * extreme if abs(extreme) > 1 else extreme / 8
    if not limits and kind == "edge":
        values[...] = -np.inf if largest else np.inf
    for row in some_of(rng, values):
        if rng.random() < (0.4 if kind == "edge" else 0.8):
            row[[_some_place(rng, n) for _ in range(rng.integers(1, 4))]] = extreme
        if not limits and rng.random() < 0.3:
            row[[_some_place(rng, n) for _ in range(rng.integers(1, 3))]] = np.nan
        if not limits and rng.random() < 0.4:
            row[rng.random(n) < 0.2] = 0.0
            row[rng.random(n) < 0.1] = -0.0
    return values


def _row_values(rng, rows, n, dtype, op):
    if op in ("sum", "square_sum", "cumsum"):
        if op == "square_sum" and dtype == "float64":
            dtype = "float32"
        values = whole(rng, (rows, n), dtype, 3 if n > 30000 else 9)
        if dtype in FLOATS[:2] and op != "square_sum":          # so that parts of a sum are no 16-bit floats
            values *= 17
        return np.abs(values) if dtype in FLOATS and rng.random() < 0.3 else values
    if op in ("prod", "cumprod"):                               # signs, and some factors of 2 and their reciprocals
        values = rng.choice([1, -1], (rows, n)) if dtype not in ("uint8", "bool") else np.ones((rows, n), int)
        some = min(n, 6)
        factors = [2, 0.5] if dtype in FLOATS + COMPLEX else [3, 5, 7]
        values = values.astype(float) if dtype in FLOATS + COMPLEX else values
        for row in some_of(rng, values):
            row[rng.integers(0, n)] *= rng.choice(factors)
            row[rng.integers(0, n, some)] = rng.choice(factors, some)
            if dtype in FLOATS and rng.random() < 0.1:
                row[rng.integers(0, n)] = -0.0
        return values
    if op in ("any", "all"):
        odd = special(dtype)
        odd = odd[odd != 0]
        values = np.zeros((rows, n), odd.dtype) if op == "any" else rng.choice(odd, (rows, n))
        for row in some_of(rng, values):
            if rng.random() < 0.8:
                row[_some_place(rng, n)] = rng.choice(odd) if op == "any" else 0
        return values
    return _ordered(rng, rows, n, dtype, op)


def rows_shape(rng, n, along, strided, kept_axes):
    """(kept axes, length of a row): n is how long a row is, or how many rows there are."""
    other = few(rng, n)
    rows, length = (other, n) if along else (n, other)
    if not kept_axes:
        return (), rows * length if rows * length <= LONGEST else length
    kept = [rows]
    for _ in range(int(rng.integers(0, kept_axes))):
        small = int(rng.choice([x for x in (2, 3, 4, 5) if kept[0] % x == 0] or [1]))
        kept = [kept[0] // small, small, *kept[1:]] if rng.random() < 0.5 else [small, kept[0] // small, *kept[1:]]
    return tuple(kept), length


def _make_reduce(op, code, source, target, n, along, strided, rng):
    """Of reduce and argreduce, which has but one axis that is not kept."""
    kept, length = rows_shape(rng, n, along, strided, int(rng.integers(0, 4)) if strided else int(rng.integers(0, 2)))
    values = _row_values(rng, int(np.prod(kept, dtype=int)), length, source, op)
    inner = (length,)
    if strided and REDUCE[code] == op:
        for factor in (2, 3, 5):
            if inner[0] % factor == 0 and rng.random() < 0.5 and len(inner) < 4:
                inner = (inner[0] // factor, factor, *inner[1:])
    a = put(rng, np.reshape(values, (*kept, *inner)), source, strided)
    out = room(rng, kept, target, strided)
    (a,), (out,) = reduced_operands([a], [out], len(kept))
    return code, a, out


def reduced_operands(ins, outs, kept):
    """Operands and results of a reduction as the core hands them over: both kinds of axes merged."""
    ins = merged(ins, kept)
    if len(ins[0].shape) == kept:                               # a row of one element is an axis
        ins = [replace(x, shape=(*x.shape, 1), strides=(*x.strides, 1)) for x in ins]
    like = merged([*(replace(x, shape=x.shape[:kept], strides=x.strides[:kept]) for x in ins), *outs])
    made = [replace(x, shape=(*first.shape, *x.shape[kept:]), strides=(*first.strides, *x.strides[kept:]))
            for x, first in zip(ins, like)]
    return made, like[len(ins):]


def _make_along(entry, op, source, target, n, along, strided, rng):
    """Of scan, sort and partial_sort, whose results have the shape of the operand but for the last axis."""
    kept, length = rows_shape(rng, n, along, strided, int(rng.integers(0, 4)) if strided else int(rng.integers(0, 2)))
    values = _row_values(rng, int(np.prod(kept, dtype=int)), length, source, op.partition(" ")[0])
    a = put(rng, np.reshape(values, (*kept, length)), source, strided)
    if entry == "scan":
        index = room(rng, a.shape, "int64", strided) if op in ("cummax", "cummin") else None
        return SCAN.index(op), a, room(rng, a.shape, target, strided), index
    descending = op.startswith("descending")
    if entry == "sort":
        return a, descending, "stable" in op, room(rng, a.shape, source, strided), room(rng, a.shape, "int64", strided)
    count = int(rng.choice([1, 2, 5, 64, 65, 257, length // 2, length]))
    count = min(max(count, 1), length)
    first = int(rng.choice([0, 0, 0, length - count, rng.integers(0, length - count + 1)]))
    return a, descending, first, *(room(rng, (*kept, count), dtype, strided) for dtype in (source, "int64"))


def _exactly(target):
    """What is added up or multiplied is so few bits that float32 holds all of it: 16-bit floats are rounded once."""
    return Limit(0.5) if target in ("float16", "bfloat16") else EXACT


def row_calls(entry):
    rng = plan(entry)
    pairs = {"argreduce": lambda op: [(dtype, dtype) for dtype in REAL], "reduce": reduce_dtypes,
             "sort": lambda op: [(dtype, dtype) for dtype in REAL],
             "scan": lambda op: [(d, d) for d in REAL] if op in ("cummax", "cummin") else
             [(d, d) for d in ("int64", *FLOATS, *COMPLEX)] + [(d, "int64") for d in ("bool", "uint8", "int32")]}
    names = {"reduce": REDUCE, "argreduce": ARGREDUCE, "scan": SCAN,
             "sort": ("ascending", "ascending stable", "descending", "descending stable")}.get(
                 entry, ("ascending", "descending"))
    lengths = [n for n in (*SIZES, LONGEST) if n > 1]
    calls = [(n, turn >= 4, turn not in (2, 3, 7), None) for turn in range(8) for n in lengths]
    if entry != "sort":                                         # each op in each of its dtypes
        calls += [(int(rng.choice(lengths[20:45])), False, bool(again % 2), (op, pair)) for op in names
                  for pair in pairs.get(entry, pairs["sort"])(op) for again in range(2)]
    for number, (n, strided, along, given) in enumerate(calls):
        op = str(names[number % len(names)] if not strided or entry == "sort" else
                 {"reduce": ("sum", "max"), "scan": ("cumsum", "cummax")}.get(entry, names)[number % 2])
        found = pairs.get(entry, pairs["sort"])(op)
        source, target = found[int(rng.integers(0, len(found)))]
        if given:
            op, (source, target) = given
        elif strided or rng.random() < 0.3:
            source = target = "float32"
            if op in ("any", "all"):
                target = "bool"
        if entry in ("reduce", "argreduce"):
            name, target = (op[3:], "int64") if entry == "argreduce" else (op, target)
            limit = limit_of_reduce(op, target) if source in INTEGERS else _exactly(target)
            make = partial(_make_reduce, name, names.index(op), source, target, n, along, strided)
            yield case(entry, number, source, make, (2,), limit)
        else:
            make = partial(_make_along, entry, op, source, target, n, along, strided)
            yield case(entry, number, source, make, (2, 3) if entry == "scan" else (3, 4),
                       _exactly(target) if entry == "scan" else EXACT,
                       derived=order if entry == "sort" else None, signed=op == "cumprod")


# ------------------------------------------------------------------ softmax and norms

def _make_softmax(log, dtype, n, along, strided, rng):
    kept, length = rows_shape(rng, n, along, strided, 3 if strided else 1)
    values = numbers(rng, (int(np.prod(kept, dtype=int)), length), dtype, 2.0).copy()
    for row in some_of(rng, values):
        row[_some_place(rng, length)] = rng.choice([300, 95, 20, 5, -np.inf])
        if rng.random() < 0.2:
            row[...] += rng.choice([500, -500])
    a = put(rng, np.reshape(values, (*kept, length)), dtype, strided)
    return a, log, room(rng, a.shape, dtype, strided)


def _make_softmax_backward(log, dtype, n, along, strided, rng):
    kept, length = rows_shape(rng, n, along, strided, 3 if strided else 1)
    logits = numbers(rng, (*kept, length), dtype).astype(float)
    logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
    outcome = put(rng, rounded(logits if log else np.exp(logits), dtype), dtype, strided)
    grad = put(rng, numbers(rng, (*kept, length), dtype), dtype, strided, n < 500)      # sums of one number drift
    return grad, outcome, log, room(rng, (*kept, length), dtype, strided)


def _backward_terms(*args):
    return 4 * backward_terms(*args)


def softmax_calls(entry):
    rng = plan(entry)
    for number in range(5 * len(SIZES)):
        n, strided, along = SIZES[number % len(SIZES)], number >= 3 * len(SIZES), number // len(SIZES) not in (1, 4)
        log = bool(rng.integers(0, 2))
        dtype = "float32" if strided else str(rng.choice(FLOATS))
        if entry == "softmax":
            limit = Limit(400 if dtype in FLOATS[2:] else 1, floor=64 if log else 0, terms=probability)
            yield case(entry, number, dtype, partial(_make_softmax, log, dtype, n, along, strided), (2,), limit)
        else:
            yield case(entry, number, dtype, partial(_make_softmax_backward, log, dtype, n, along, strided), (3,),
                       Limit(8, floor=1, terms=_backward_terms))


def _optional(rng, shape, dtype, strided):
    return put(rng, numbers(rng, shape, dtype, 1.0), dtype, strided) if rng.random() < 0.6 else None


def _norm_operands(rng, dtype, n, role, strided, groups):
    """The operand, its layout drawn, and the shape of what is written for each row."""
    if groups:
        sizes = [int(rng.choice([1, 2, 3, 4, 5])) for _ in range(4)]
        sizes[role] = n
        sizes = tuple(sizes if sizes[2] * sizes[3] > 1 else (*sizes[:2], 2, sizes[3]))
    else:
        other = max(few(rng, n, 60000), 2)
        sizes = (n, other) if role == 0 else (min(other, 33), n)
    far = float(rng.choice([0, 0, 7]))
    values = rounded(numbers(rng, sizes, dtype, 1.0) + far, dtype)
    return values, sizes[:2] if groups else sizes[:1], sizes[1:3] if groups else sizes[1:]


def _make_norm(groups, dtype, n, role, strided, rng):
    values, rows, affine = _norm_operands(rng, dtype, n, role, strided, groups)
    kind = statistics_dtype(dtype)
    return (put(rng, values, dtype, strided, False), *(_optional(rng, affine, dtype, strided) for _ in range(2)),
            float(rng.choice([1e-5, 1e-5, 1e-3, 0.5])), room(rng, values.shape, dtype, strided),
            *(room(rng, rows, kind, strided) for _ in range(2)))


def _make_norm_backward(groups, dtype, n, role, strided, rng):
    values, _, affine = _norm_operands(rng, dtype, n, role, strided, groups)
    axes, kind = (2, 3) if groups else -1, statistics_dtype(dtype)
    exact = np.asarray(values).astype(float)
    mean, rstd = exact.mean(axes), 1 / np.sqrt(exact.var(axes) + 1e-3)
    wanted = [(1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1)][int(rng.choice([0, 0, 0, 1, 2, 3, 4]))]
    outs = (room(rng, shape, dtype, strided) if keep else None
            for keep, shape in zip(wanted, (values.shape, affine, affine)))
    grad = put(rng, numbers(rng, values.shape, dtype, 1.0), dtype, strided, values.size < 500)
    return (grad, put(rng, values, dtype, strided, False), dense(mean, kind), dense(rstd, kind),
            _optional(rng, affine, dtype, strided), *outs)


def norm_calls(entry):
    rng = plan(entry)
    groups, backward = entry.startswith("group"), entry.endswith("backward")
    lengths = [n for n in SIZES if n > 1 and n < (10000 if groups else 70000)]
    for number in range((8 if groups else 6) * len(lengths)):
        n, turn = lengths[number % len(lengths)], number // len(lengths)
        strided = rng.random() < 0.25
        dtype = "float32" if strided else str(rng.choice(FLOATS))
        role = turn % 4 if groups else (1, 0, 1)[turn % 3]
        make = partial(_make_norm_backward if backward else _make_norm, groups, dtype, n, role, strided)
        limit = Limit(8, floor=1, terms=column_moduli) if backward else loose(dtype, 1000)
        yield case(entry, number, dtype, make, (5, 6, 7) if backward else (4, 5, 6), limit)


# ------------------------------------------------------------------ places

def _index(rng, shape, n, strided):
    """Places on an axis of n, the first and the last among them."""
    places = rng.integers(0, n, shape)
    flat = places.reshape(-1)
    flat[rng.integers(0, flat.size, 2)] = 0, n - 1
    return put(rng, places, "int64", strided)


def _cube(rng, n, rank, most=40000):
    """(sizes, an axis of them), one of them n: along that axis or another."""
    shape = list(shape_with(rng, n, rank, most))
    return shape, int(rng.integers(0, len(shape)))


def _make_gather(dtype, n, strided, rng):
    places, dim = _cube(rng, n, int(rng.choice([1, 2, 2, 2, 3, 3, 4, 5, 6])))
    shape = [size + int(rng.choice([0, 0, 1, 3])) if i != dim else int(rng.choice([1, 2, size, 2 * size + 1, 7]))
             for i, size in enumerate(places)]
    if strided and rng.random() < 0.4:                          # whole rows of a table
        index = broadcast(rng, rng.integers(0, shape[dim], places), "int64", np.arange(len(places)) != dim)
        table = put(rng, all_of(rng, tuple(shape), dtype), dtype, strided, False)
        return table, index, dim, room(rng, tuple(places), dtype, bool(rng.random() < 0.5))
    return (put(rng, all_of(rng, tuple(shape), dtype), dtype, strided), _index(rng, tuple(places), shape[dim], strided),
            dim, room(rng, tuple(places), dtype, strided))


def _make_scatter(mode, dtype, n, strided, rng):
    name = SCATTER[mode]
    places, dim = _cube(rng, n, int(rng.choice([1, 2, 2, 2, 3, 3, 4, 5, 6])))
    shape = tuple(size + int(rng.choice([0, 0, 1, 3])) if i != dim else int(rng.choice([1, 3, size, 2 * size + 1]))
                  for i, size in enumerate(places))
    places = tuple(places)
    if name in ("set", "max", "min"):
        src, start = all_of(rng, places, dtype), all_of(rng, shape, dtype)
    elif name == "prod":
        src, start = (rng.choice([1, 1, 1, 3] if dtype in INTEGERS else [1, -1], s) for s in (places, shape))
    else:
        src, start = (whole(rng, s, dtype, 100 if dtype in INTEGERS else 3) for s in (places, shape))
        if dtype == "float64":                                  # of more bits than float32 has
            src = src * 4097
        if dtype in ("float16", "bfloat16"):                    # sums of some hundreds are exact there
            src = src * (rng.random(places) < 200 / src.size)
    out = put(rng, start, dtype, strided, False)
    return mode, out, dim, _index(rng, places, shape[dim], strided), put(rng, src, dtype, strided)


DENSE = 4                               # of the turns of `index_calls`


def index_calls(entry):
    rng = plan(entry)
    for number in range(8 * len(SIZES)):
        n, strided = SIZES[number % len(SIZES)], number >= DENSE * len(SIZES)
        if entry == "gather":
            dtype = str(rng.choice(EVERY if not strided else ("float32", "int64", "uint8", "float64")))
            yield case(entry, number, dtype, partial(_make_gather, dtype, n, strided), (3,), signed=True)
        else:
            mode = int(rng.integers(0, len(SCATTER)))
            found = EVERY if SCATTER[mode] in ("set", "add") else REAL[1:]
            dtype = str(rng.choice(found if not strided else ("float32", "int64")))
            limit = Limit(1, terms=terms_of_products) if SCATTER[mode] == "prod" and dtype in FLOATS else EXACT
            yield case(entry, number, dtype, partial(_make_scatter, mode, dtype, n, strided), (1,), limit)


def _make_nonzero(dtype, n, strided, rng):
    shape = shape_with(rng, n, int(rng.integers(1, 11 if strided else 4)))
    values = all_of(rng, shape, dtype)
    share = rng.choice([0.0, 1 / max(values.size, 1), 0.1, 0.9, 1.0])
    return put(rng, np.where(rng.random(shape) < share, values, np.zeros_like(values)), dtype, strided), None


def nonzero_calls(entry):
    rng = plan(entry)
    for number in range(3 * len(SIZES)):
        strided = number >= 2 * len(SIZES)
        dtype = str(rng.choice(EVERY)) if not strided else "float32"
        yield case(entry, number, dtype, partial(_make_nonzero, dtype, SIZES[number % len(SIZES)], strided), (1,))


# ------------------------------------------------------------------ products

TILES = (8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 66, 80, 127, 128, 129)


def _product_sizes(rng, n, roles, role, most=60000):
    """Sizes of which one is n, others perhaps large, too; `roles` of them."""
    if n < 140 and rng.random() < 0.7:                          # tiles along all axes, and what is left of them
        return [int(rng.choice([1, 2, 3])) if roles == 4 and i == 0 else int(rng.choice(TILES)) for i in range(roles)]
    turn = role % roles
    sizes = [int(rng.choice([1, 1, 2, 3, 5, 7])) for _ in range(roles)]
    sizes[turn] = n
    if n * np.prod(sizes) < most:
        other = int(rng.choice([16, 17, 33, 64, 65, 100, 129]))
        second = int(rng.integers(0, roles))
        if second != turn and other * np.prod(sizes) // sizes[second] < 4 * most:
            sizes[second] = other
    return sizes


def _matrices(rng, b, m, k, n, dtype, strided):
    return (put(rng, whole(rng, (b, m, k), dtype, 3), dtype, strided),
            put(rng, whole(rng, (b, k, n), dtype, 3), dtype, strided))


def _make_matmul(dtype, n, role, strided, rng):
    b, m, k, columns = _product_sizes(rng, n, 4, role)
    return *_matrices(rng, b, m, k, columns, dtype, strided), room(rng, (b, m, columns), dtype, strided)


FACTORS = (0.0, 1.0, 1.0, -1.0, 2.0, 0.5, -2.0, 3.0, 0.25)


def _make_addmm(dtype, n, role, strided, rng):
    m, k, columns = _product_sizes(rng, n, 3, role)
    if rng.random() < 0.2:
        m = columns = min(m, columns, 100)
    a, b = (replace(x, shape=x.shape[1:], strides=x.strides[1:]) for x in _matrices(rng, 1, m, k, columns, dtype,
                                                                                    strided))
    values = whole(rng, (m, columns), dtype)
    beta, alpha = float(rng.choice(FACTORS)), float(rng.choice(FACTORS[1:]))
    kind = rng.choice(["row", "column", "number", "whole", "whole", "out"])
    if kind in ("row", "column", "number"):
        bias = broadcast(rng, values, dtype, [kind != "column", kind != "row"])
    else:
        bias = put(rng, values, dtype, strided, False)
    return bias, a, b, beta, alpha, bias if kind == "out" else room(rng, (m, columns), dtype, strided)


def product_calls(entry):
    rng = plan(entry)
    lengths = [n for n in SIZES if n > 8]
    for number in range(12 * len(lengths)):
        n, role = lengths[number % len(lengths)], number // len(lengths)
        strided = role >= 4
        make, outs, integers, limit = {"matmul": (_make_matmul, (2,), INTEGERS, Limit(1, terms=moduli)), "addmm": (
            _make_addmm, (5,), ("int64",), Limit(2, terms=moduli_of_addmm))}[entry]
        dtype = str(rng.choice((*integers, *FLOATS, *COMPLEX))) if not strided else "float32"
        yield case(entry, number, dtype, partial(make, dtype, n, role, strided), outs,
                   EXACT if dtype in INTEGERS else limit)


# ------------------------------------------------------------------ numbers

def _make_random(kind, dtype, n, seed, offset, a, b, rng):
    return kind, room(rng, (n,), dtype, False), seed, offset, a, b


def random_calls(entry):
    rng = plan(entry)
    for number in range(3 * len(SIZES) + 3):
        n = SIZES[number % len(SIZES)] if number < 3 * len(SIZES) else 2**18 + 2**17 + 5
        kind = number % len(RANDOM)
        name = RANDOM[kind]
        dtype = str(rng.choice(FLOATS if name != "integers" else ("bool", *INTEGERS, "float32")))
        seed = (0, 1, 2**32 - 1, 2**32, 2**63 + 11, 2**64 - 1, int(rng.integers(0, 2**63)))[number % 7]
        offset = int(rng.choice([0, 1, 3])) if rng.random() < 0.3 else 2**int(rng.choice([16, 32, 40])) - int(
            rng.integers(0, n // 4 + 2))
        a, b = (0.0, 1.0) if rng.random() < 0.5 else (-3.0, 5.0)
        if name == "integers":
            widths = {"bool": [(0, 2)], "uint8": [(0, 256), (3, 200), (0, 7)], "int8": [(-128, 128), (-5, 9)]}.get(
                dtype, [(-2**15, 2**15), (0, 16), (-512, 512), (0, 10), (0, 1), (-7, 1000)])
            if dtype in ("int32", "int64"):
                widths = [*widths, (-2**31, 2**31), (0, 2**31 - 1), (0, 1 << 16)]
            if dtype == "int64":
                widths = [*widths, (0, 2**32), (-2**40, 2**52), (0, 2**53)]
            a, b = map(float, widths[int(rng.integers(0, len(widths)))])
        yield case(entry, number, dtype, partial(_make_random, kind, dtype, n, seed, offset, a, b), (1,),
                   limit_of_random(name, dtype))


def _make_arange(dtype, n, start, step, rng):
    return room(rng, (n,), dtype, False), start, step


def arange_calls(entry):
    rng = plan(entry)
    for number in range(3 * len(SIZES)):
        n = SIZES[number % len(SIZES)]
        small = {"int8": 100, "uint8": 200, "float16": 2000, "bfloat16": 250, "int16": 32000}
        dtype = str(rng.choice([d for d in INTEGERS + FLOATS if n < small.get(d, 1 << 40)]))
        start, step = int(rng.choice([0, 0, 1, 3, 7])), int(rng.choice([1, 1, 1, 2, -1, 3]))
        if dtype in small:
            start, step = 0, 1
        elif dtype in FLOATS and rng.random() < 0.6:
            start = float(rng.choice([0.1, -1.5, 100.25, 0.0]))
            step = float(rng.choice([1 / 3, 0.1, -0.25, 1e-3, 1e-7]))
        elif dtype == "int64" and rng.random() < 0.5:
            start, step = int(rng.integers(-2**52, 2**52)), int(rng.integers(-2**40, 2**40))
        yield case(entry, number, dtype, partial(_make_arange, dtype, n, start, step), (0,),
                   Limit(1, floor=abs(start)) if dtype in FLOATS else EXACT)
