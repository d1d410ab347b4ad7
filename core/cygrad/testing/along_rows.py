"""Cases of reductions, of what goes along rows (scans, sorting, progressions), and of `nonzero`."""
from functools import partial

import numpy as np

from cygrad.backend import ARGREDUCE, REDUCE, SCAN
from cygrad.testing import sizes
from cygrad.testing.operands import (BOOL, COMPLEX, EVERY, FLOATS, INTEGERS, Operand, REAL, dense, ends, gapped,
                                     numbers, overlapping, reordered, repeated, result, rounded, sliced, with_extremes)
from cygrad.testing.runner import EXACT, Case, Key, Limit

# name: shape, axes kept (the first ones), layout of the input
REDUCTIONS = {
    "rows": ((9, 33), 1, dense), "all": ((33,), 0, dense), "columns": ((9, 33), 1, reordered),
    "sliced": ((5, 6, 7), 1, sliced), "stride 0": ((9, 33), 1, repeated),
    "stride 0 reduced": ((9, 33), 1, partial(repeated, axis=1)), "eight axes": ((2, 3, 2, 2, 2, 2, 2, 2), 3, reordered),
    "offset": ((9, 31), 1, partial(dense, offset=5)), "rows with gaps": ((9, 32), 1, gapped),
    "large": ((70001,), 0, dense), "many rows": ((65540, 3), 1, dense), "long rows": ((2, 70001), 1, dense),
    "long columns": ((3, 20011), 1, reordered),
    "tall columns": ((1031, 3), 1, reordered),
    "turned result": ((5, 6, 7), 2, dense), "sliced result": ((5, 6, 7), 2, sliced),
    "volume of results": ((3, 4, 5, 6), 3, dense), "overlapping rows": ((9, 14), 1, overlapping),
}
RESULTS = {"offset": partial(dense, offset=3), "turned result": reordered, "sliced result": sliced,
           "volume of results": sliced}
# name: shape, layout of the input, layout of the result; the last axis is the one that matters
ROWS = {
    "rows": ((9, 33), dense, dense), "one axis": ((33,), dense, dense), "columns": ((9, 33), reordered, reordered),
    "sliced": ((5, 6, 7), sliced, dense), "stride 0": ((9, 33), repeated, dense), "one element": ((1,), dense, dense),
    "ten axes": ((2, 1, 2, 2, 1, 2, 2, 1, 2, 3), reordered, dense), "large": ((70001,), dense, dense),
    "offset": ((6, 35), partial(dense, offset=3), partial(dense, offset=7)), "gaps": ((6, 35), gapped, gapped),
    "many rows": ((65540, 3), dense, dense), "wide": ((4, 5000), dense, dense),
    "overlapping rows": ((9, 14), overlapping, dense),
}


def reduce_dtypes(op):
    """(input, result) pairs of dtypes."""
    if op in ("any", "all"):
        return [(dtype, "bool") for dtype in EVERY]
    if op in ("max", "min"):
        return [(dtype, dtype) for dtype in REAL]
    if op == "square_sum":
        return [(dtype, dtype) for dtype in FLOATS] + [("float16", "float32"), ("float32", "float64")]
    same = [(dtype, dtype) for dtype in ("int64", *FLOATS, *COMPLEX)]
    widened = [("float16", "float32"), ("float32", "float64"), ("int32", "float32")]
    if op == "sum":
        widened += [("int64", "float32"), ("bool", "float32"), ("float64", "float32")]
    return same + [(dtype, "int64") for dtype in (*BOOL, *INTEGERS[:-1])] + widened


def _whole(rng, shape, source):
    """Integers of any size: sums of them wrap in the dtype of the result."""
    if source == "bool":
        return rng.random(shape) < 0.9
    limits = np.iinfo(source)
    return rng.integers(limits.min, limits.max, shape, source, endpoint=True)


def _products(rng, shape, source):
    """Factors near 1 and of both signs, so that nothing overflows; few integers other than 1."""
    signs = np.where(rng.random(shape) < 0.1, -1, 1)
    if source == "bool":
        return rng.random(shape) < 0.99
    if source in INTEGERS:
        some = rng.random(shape) < 60 / shape[-1]              # so many that the products wrap
        return np.where(some, rng.choice([3, 5, 7], shape), 1).astype(source)
    return rounded(numbers(rng, shape, source, 0.01) * signs + signs, source)


def _truths(rng, shape, source, code):
    """Rows that are all zeros, or have one element that is true in a way that is easily missed; the reverse for ALL."""
    odd = {"bool": [1], "complex64": [1j, 1, -0.25j], "complex128": [1j, 1, -0.25j]}.get(source)
    if source in FLOATS:
        odd = [0.25, np.nan, -0.5, 1, np.inf, 1e-3, ends(source)[1]]
    if odd is None:
        odd = [x for x in (1, 256, 2**16, 2**32, -1, 128, 3) if np.iinfo(source).min <= x <= np.iinfo(source).max]
    kept = shape[:1] if len(shape) > 1 else ()
    flat = np.zeros((int(np.prod(kept)), int(np.prod(shape[len(kept):]))), rounded(np.zeros(()), source).dtype)
    if source in FLOATS:
        flat[rng.random(flat.shape) < 0.3] = -0.0
    turn = np.arange(len(flat)) % (len(odd) + 1)
    one = np.array([*odd, 0])[turn]
    if REDUCE[code] == "all":
        flat[...] = rng.choice(np.array(odd), flat.shape)
        one = np.where(turn < len(odd), 0, 1)
    flat[np.arange(len(flat)), rng.integers(0, flat.shape[1], len(flat))] = one
    return flat.reshape(shape)


def _extreme_rows(rng, shape, source, code, with_nan):
    """Rows for MAX and MIN: some all below, or above, 0, and some all of what is smallest, or largest."""
    values = np.array(with_extremes(rng, shape, source))
    if source in FLOATS and not with_nan:
        values = np.where(np.isnan(values), 0, values)
    if shape[-1] > 20000 and source != "bool":                 # the extreme is the last of a row, and the only one
        largest = np.inf if source in FLOATS else np.iinfo(source).max
        least = -np.inf if source in FLOATS else np.iinfo(source).min
        values = np.array(numbers(rng, shape, source))
        values[..., -1] = largest if REDUCE[code] == "max" else least
    if source == "bool" or len(shape) < 2 or shape[-1] > 20000:
        return values
    sign, smallest = (-1, -np.inf) if REDUCE[code] == "max" else (1, np.inf)
    if source in INTEGERS:
        limits = np.iinfo(source)
        smallest = limits.min if REDUCE[code] == "max" else limits.max
        values[0] = rng.integers(1, 9, shape[1:]) * (1 if source == "uint8" else sign)
    else:
        values[0] = rounded(sign * rng.uniform(1, 9, shape[1:]), source)
    values[1] = smallest
    return values


def _make_reduce(code, source, target, layout, rng):
    shape, kept, put = REDUCTIONS[layout]
    name = REDUCE[code]
    if name == "prod":
        values = _products(rng, shape, source)
    elif name == "sum" and source in INTEGERS + BOOL:
        values = _whole(rng, shape, source)
    elif name in ("sum", "square_sum"):
        values = numbers(rng, shape, source)
        if layout == "large" and source in FLOATS:             # all of one sign: a plain running sum drifts
            values = rounded(np.abs(values) * (0.2 if source == "float16" else 1), source)
    elif name in ("any", "all"):
        values = _truths(rng, shape, source, code)
    else:
        values = _extreme_rows(rng, shape, source, code, layout == "rows")
    return code, put(values, source), result(shape[:kept], target, RESULTS.get(layout, dense))


def _make_beside_truths(code, dtype, rng):
    """A row without what is looked for; what is beside it in memory is true, or all zeros."""
    a = dense(np.full(300, int(REDUCE[code] == "all")), dtype, int(rng.choice([1, 3, 5])))
    a.memory[:a.offset] = a.memory[a.offset + 300:] = int(REDUCE[code] == "any")
    return code, a, result((), "bool")


# Squares that float16 can't hold: in it they are 0, or infinite. (factor, dtype of the result)
BEYOND_HALF = {"small": (5e-5, "float16"), "large": (300, "float32")}


def _make_squares(size, rng):
    factor, target = BEYOND_HALF[size]
    values = factor * rng.uniform(1, 2, (3, 20011 if size == "small" else 33))
    return REDUCE.index("square_sum"), dense(values, "float16"), result((3,), target)


def _beyond(rng, source):
    """Rows of which some hold infinities or NaN, and some become too large on the way; the others are ones."""
    rows, largest = np.ones((9, 33)), ends(source)[0]
    for row, odd in enumerate(([np.inf], [-np.inf], [np.inf, -np.inf], [np.nan], [0.0, np.inf], [-0.0, -2.0])):
        rows[row, rng.permutation(33)[:len(odd)]] = odd
    rows[6], rows[7] = largest, -largest
    return rows


def _make_beyond(entry, code, dtype, rng):
    a = dense(_beyond(rng, dtype), dtype)
    return (code, a, result((9,), dtype)) if entry == "reduce" else (code, a, result((9, 33), dtype), None)


def beyond_cases(entry, ops, limits):
    """What sums and products make of infinities, of NaN, and of what is larger than any number."""
    for code, op in enumerate(ops):
        for dtype in FLOATS if op in limits else ():
            yield Case(Key(entry, f"{op} of infinities", dtype, "rows"), partial(_make_beyond, entry, code, dtype),
                       (2,), Limit(limits[op].ulps, terms=limits[op].terms))


def _sum_of_moduli(op, a, out):
    return np.abs(a.astype(complex if a.dtype.kind == "c" else float)).sum(tuple(range(out.ndim, a.ndim)))


def _sum_of_squares(op, a, out):
    return np.square(a.astype(float)).sum(tuple(range(out.ndim, a.ndim)))


def _factors(op, a, out):
    return 4 * a.size / max(out.size, 1) * np.abs(np.prod(a, tuple(range(out.ndim, a.ndim)),
                                                          complex if a.dtype.kind == "c" else float))


# Sums of what is all of one sign, whose plain running sum is off by far more than one in pairs or blocks: (value, size)
DRIFTS = {"tenths": (0.1, 1_000_003), "ones": (1.0, 17_000_000), "largest": (2**31 - 1, 17_000_001)}


def _make_drift(code, drift, dtype, rng):
    value, size = DRIFTS[drift]
    a = dense(np.full(1, value), dtype)
    if drift == "tenths":
        a = dense(np.full(size, value), dtype)
    target = "int64" if drift == "largest" else dtype
    return code, Operand(dtype, a.memory, (size,), (1,) if drift == "tenths" else (0,)), result((), target)


def _drifting(op, a, out):
    """What n equal ones may be off, added up in blocks and these one by one: each step rounds the same way.

    The two chains have 2 sqrt(n) steps at best, each off by half an epsilon of the sum; one chain has n.
    """
    return np.sqrt(a.size) * np.abs(a.flat[0].astype(float)) * a.size


# Squares, all of one sign, drift further than numbers of both when they are added up one by one, as NumPy adds up
# the 20011 of "long columns": by some sqrt(n) units in the last place.
REDUCED = {"sum": Limit(4, terms=_sum_of_moduli), "square_sum": Limit(400, terms=_sum_of_squares),
           "prod": Limit(4, terms=_factors)}


def limit_of_reduce(op, target):
    limit = REDUCED.get(op, EXACT)
    if target in ("float16", "bfloat16"):                       # summed in float32, as `terms` knows
        return Limit(min(limit.ulps, 4), terms=limit.terms)
    return limit


def reduce_cases():
    for dtype in ("float32", "float64"):
        yield Case(Key("reduce", "sum of tenths", dtype, ""), partial(_make_drift, 0, "tenths", dtype), (2,),
                   Limit(terms=_drifting))
    yield Case(Key("reduce", "sum of ones", "float32", ""), partial(_make_drift, 0, "ones", "float32"), (2,),
               Limit(terms=_drifting))
    yield Case(Key("reduce", "sum of largest", "int32", ""), partial(_make_drift, 0, "largest", "int32"), (2,))
    for op in ("any", "all"):
        for dtype in ("bool", "uint8", "int16", "float32"):
            yield Case(Key("reduce", f"{op} beside others", dtype, ""),
                       partial(_make_beside_truths, REDUCE.index(op), dtype), (2,))
    for size in BEYOND_HALF:
        yield Case(Key("reduce", f"square_sum of {size}", "float16", ""), partial(_make_squares, size), (2,),
                   Limit(4, terms=_sum_of_squares))
    for code, op in enumerate(REDUCE):
        for source, target in reduce_dtypes(op):
            for layout in REDUCTIONS:
                name = op if source == target or target == "bool" else f"{op} to {target}"
                if op in ("max", "min") and source in FLOATS and layout == "rows":
                    name += " with NaN"
                yield Case(Key("reduce", name, source, layout), partial(_make_reduce, code, source, target, layout),
                           (2,), limit_of_reduce(op, target))
    yield from beyond_cases("reduce", REDUCE, REDUCED)
    yield from sizes.row_cases("reduce", REDUCE, REDUCED)


def _make_argreduce(code, dtype, layout, rng):
    shape, put = ROWS[layout][:2] if layout in ROWS else REDUCTIONS[layout][::2]
    values = np.array(with_extremes(rng, shape, dtype, ties=True))
    if dtype in FLOATS and layout not in ("rows", "one axis"):
        values = np.where(np.isnan(values), 0, values)
    if dtype != "bool" and values.ndim == 2 and values.shape[1] > 3:    # equal extremes, two NaN, all as low as can be
        values[-1, 1:] = values[-1].max() if code == 0 else values[-1].min()
        if dtype in FLOATS and layout == "rows":
            values[-2, [1, -2]] = np.nan
        if dtype in FLOATS:                                  # and nothing but that and the last number before it
            values[:2] = -np.inf if code == 0 else np.inf
            values[0, -2] = -ends(dtype)[0] if code == 0 else ends(dtype)[0]
        if dtype in INTEGERS:                                # the extreme, and before it what floats take for it
            limits = np.iinfo(dtype)
            values[2, 1], values[2, -1] = (limits.max - 1, limits.max) if code == 0 else (limits.min + 1, limits.min)
    if shape == (70001,) and dtype != "bool":                           # the extreme is the last, and the only one
        values = np.array(numbers(rng, shape, dtype))
        values[-1] = 100 if code == 0 or dtype == "uint8" else -100
        values[:-1] += dtype == "uint8" and code == 1
        values[-1] = 0 if dtype == "uint8" and code == 1 else values[-1]
    return code, put(values, dtype), result(shape[:-1], "int64", RESULTS.get(layout, dense))


def argreduce_cases():
    for code, op in enumerate(ARGREDUCE):
        for dtype in REAL:
            for layout in (*ROWS, "turned result", "sliced result", "volume of results"):
                if layout != "ten axes":         # the core merges: at most 8 remain
                    name = f"{op} with NaN" if dtype in FLOATS and layout in ("rows", "one axis") else op
                    yield Case(Key("argreduce", name, dtype, layout), partial(_make_argreduce, code, dtype, layout),
                               (2,))
    yield from sizes.row_cases("argreduce", ARGREDUCE)


def _make_scan(code, dtype, target, layout, rng):
    shape, put, put_result = ROWS[layout]
    name = SCAN[code]
    if name == "cumprod":
        values = _products(rng, shape, dtype)
    elif name == "cumsum":
        values = _whole(rng, shape, dtype) if dtype in INTEGERS + BOOL else numbers(rng, shape, dtype)
    else:
        values = with_extremes(rng, shape, dtype, ties=True)
    index = None if name in ("cumsum", "cumprod") else result(shape, "int64", put_result)
    return code, put(values, dtype), result(shape, target, put_result), index


def _running_moduli(op, a, out, index):
    return np.abs(a.astype(complex if a.dtype.kind == "c" else float)).cumsum(-1)


def _running_factors(op, a, out, index):
    return 4 * a.shape[-1] * np.abs(np.cumprod(a, -1, complex if a.dtype.kind == "c" else float))


SCANNED = {"cumsum": Limit(1, terms=_running_moduli), "cumprod": Limit(4, terms=_running_factors)}


def scan_cases():
    for code, op in enumerate(SCAN):
        pairs = [(d, d) for d in REAL]
        if op in ("cumsum", "cumprod"):
            pairs = [(d, d) for d in ("int64", *FLOATS, *COMPLEX)] + [(d, "int64") for d in BOOL + INTEGERS[:-1]]
        for source, target in pairs:
            for layout in ROWS:
                yield Case(Key("scan", op, source, layout), partial(_make_scan, code, source, target, layout), (2, 3),
                           SCANNED.get(op, EXACT))
    yield from beyond_cases("scan", SCAN, SCANNED)
    yield from sizes.row_cases("scan", SCAN, SCANNED)


def _make_sort(dtype, descending, stable, layout, rng):
    shape, put, put_result = ROWS[layout]
    values = with_extremes(rng, shape, dtype, ties=True)
    return put(values, dtype), descending, stable, result(shape, dtype, put_result), result(shape, "int64", put_result)


def order(a, descending, stable, values, index):
    """With `stable` all of it; without, the values, and that the indices lead to them."""
    if stable:
        return values, index
    if index.size and (index.min() < 0 or index.max() >= a.shape[-1]):
        raise AssertionError(f"index has places from {index.min()} to {index.max()}; the axis has {a.shape[-1]}")
    return values, np.sort(index, -1), np.take_along_axis(a, index, -1)


def sort_cases():
    for dtype in REAL:
        for descending in (False, True):
            for stable in (False, True):
                for layout in ROWS:
                    name = f"{'descending' if descending else 'ascending'}{' stable' if stable else ''}"
                    yield Case(Key("sort", name, dtype, layout),
                               partial(_make_sort, dtype, descending, stable, layout), (3, 4), derived=order)
    yield from sizes.row_cases("sort", ("ascending", "descending"))


PARTS = {"first": lambda n: (0, min(n, 5)), "one": lambda n: (n // 2, 1), "half": lambda n: (n // 4, max(n // 2, 1)),
         "last": lambda n: (n - min(n, 7), min(n, 7))}


def _make_partial_sort(dtype, descending, part, layout, rng):
    shape, put, put_result = ROWS[layout]
    first, count = PARTS[part](shape[-1])
    values, shape = with_extremes(rng, shape, dtype, ties=True), (*shape[:-1], count)
    return put(values, dtype), descending, first, result(shape, dtype, put_result), result(shape, "int64", put_result)


def partial_sort_cases():
    for dtype in REAL:
        for descending in (False, True):
            for part in PARTS:
                for layout in ROWS:
                    name = f"{'descending' if descending else 'ascending'} {part}"
                    yield Case(Key("partial_sort", name, dtype, layout),
                               partial(_make_partial_sort, dtype, descending, part, layout), (3, 4))
    yield from sizes.row_cases("partial_sort", ("ascending", "descending"))


def _make_arange(dtype, start, step, count, rng):
    return result((count,), dtype), start, step


def arange_cases():
    for dtype in INTEGERS + FLOATS:
        progressions = {"from 0": (0, 1, 100), "downwards": (100, -1, 90), "one": (5, 1, 1)}
        if dtype in FLOATS:
            progressions["fractions"] = (-1.5, 0.25, 40)
            progressions["thirds"] = (0.1, 1 / 3, 1000)
        if dtype not in ("int8", "uint8", "float16", "bfloat16"):
            progressions["large"] = (3, 1, 30011)
        if dtype in ("int64", "float64"):
            progressions["beyond floats"] = (2**53 - 3, 3, 1025)
            progressions["far apart"] = (-7, -(2**31 + 11), 256)
        if dtype in ("int32", "float32"):
            progressions["beyond floats"] = (2**24 - 3, 3, 1025)
        for name, (start, step, count) in progressions.items():
            yield Case(Key("arange", name, dtype, ""), partial(_make_arange, dtype, start, step, count), (0,),
                       Limit(1) if dtype in FLOATS else EXACT)


def _make_nonzero(dtype, layout, rng):
    shape, put, _ = ROWS[layout]
    some = numbers(rng, shape, dtype)
    if dtype in COMPLEX:                                       # of which one part may be 0
        some = np.where(rng.random(shape) < 0.5, some, np.where(rng.random(shape) < 0.5, some.real, 1j * some.imag))
    zeros = np.where(rng.random(shape) < 0.5, -0.0, 0.0) if dtype in FLOATS + COMPLEX else np.zeros(shape)
    values = np.where(rng.random(shape) < 0.4, some, zeros.astype(some.dtype))
    return put(values, dtype), None


def _make_truth(dtype, truth, rng):
    return dense(np.array(3 * truth), dtype), None


def nonzero_cases():
    for dtype in EVERY:
        for layout in ROWS:
            yield Case(Key("nonzero", "", dtype, layout), partial(_make_nonzero, dtype, layout), (1,))
        for truth in (False, True):
            yield Case(Key("nonzero", "", dtype, f"0-d {truth}"), partial(_make_truth, dtype, truth), (1,))
    yield from sizes.nonzero_cases()
