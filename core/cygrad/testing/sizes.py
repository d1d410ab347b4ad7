"""Cases of rows, products and results whose sizes blocks, vectors and tiles divide, and of those one more or less.

All are of float32 and dense: what a kernel does with the rest of a block depends on sizes alone.
"""
from functools import partial

import numpy as np

from cygrad.backend import ARGREDUCE, BINARY, REDUCE, SCAN, UNARY
from cygrad.testing.operands import dense, numbers, result
from cygrad.testing.runner import EXACT, Case, Key

LENGTHS = (2, 3, 4, 5, 8, 15, 16, 31, 32, 33, 63, 64, 65, 96, 100, 127, 128, 129, 255, 256, 257, 512, 1000, 1024, 1025,
           2048, 4096, 4097, 8192, 65536)
WHOLES = (64, 256, 1000, 1024, 4096, 65536, 131072)         # of rows that are all there is
MILLION = (1 << 20) + 1                 # more than 1024 groups of 1024 have
PRODUCTS = ((16, 16, 16), (32, 32, 32), (64, 64, 64), (128, 64, 96), (1, 64, 64), (64, 64, 1), (1, 256, 1), (64, 1, 64),
            (33, 32, 31), (31, 33, 32), (8, 1024, 8), (48, 80, 112), (17, 16, 16), (16, 17, 16), (16, 16, 17))
COUNTS = (1, 2, 31, 32, 33, 63, 64, 65, 128, 255, 256, 257, 512, 1024, 4096, 65536, MILLION)


def places_in(count):
    """Where something is easily missed in a row: its ends, its middle, and both sides of where a block begins."""
    block = (count - 1) // 32 * 32
    return np.array([0, count - 1, count // 2, block, max(block - 1, 0)])


def _with_one(rng, count, usual, odd, whole):
    """Rows of `usual` numbers, each with an odd one at one of `places_in`; or one of them, `whole`."""
    places = places_in(count)
    places = rng.choice(places, 1) if whole else places
    rows = usual(rng, (len(places), count))
    rows[np.arange(len(places)), places] = odd
    return rows


def _row_values(entry, op, rng, count, whole):
    shape = 1 if whole else 5, count
    plain = partial(numbers, dtype="float32")
    if entry == "reduce" and op in ("any", "all"):
        truth = float(op == "any")
        return _with_one(rng, count, lambda rng, shape: np.full(shape, 1 - truth), truth, whole)
    if entry in ("reduce", "scan") and op in ("prod", "cumprod"):
        return np.where(rng.random(shape) < 0.5, 1, -1) * (1 + numbers(rng, shape, "float32", 0.1) / count)
    odd = -100 if "min" in op else 100
    return _with_one(rng, count, plain, odd, whole) if entry != "softmax" else plain(rng, shape)


def _make_rows(entry, op, count, whole, rng):
    a = _row_values(entry, op, rng, count, whole)
    a = dense(a[0] if whole else a, "float32")
    kept, rows = a.shape[:-1], a.shape
    if entry == "reduce":
        return REDUCE.index(op), a, result(kept, "bool" if op in ("any", "all") else "float32")
    if entry == "argreduce":
        return ARGREDUCE.index(op), a, result(kept, "int64")
    if entry == "scan":
        index = result(rows, "int64") if op in ("cummax", "cummin") else None
        return SCAN.index(op), a, result(rows, "float32"), index
    if entry == "softmax":
        return a, op == "log", result(rows, "float32")
    if entry == "sort":
        return a, "descending" in op, True, result(rows, "float32"), result(rows, "int64")
    part = (*kept, max(count // 3, 1))
    return a, "descending" in op, count // 2, result(part, "float32"), result(part, "int64")


OUTS = {"reduce": (2,), "argreduce": (2,), "scan": (2, 3), "softmax": (2,), "sort": (3, 4), "partial_sort": (3, 4)}


def row_cases(entry, ops, limits=None):
    """Of each op of an entry that goes along rows, five of each of LENGTHS, and one of each of WHOLES."""
    for op in ops:
        limit = (limits or {}).get(op, EXACT)
        wholes = WHOLES if entry == "softmax" else (*WHOLES, MILLION)       # sums of so many exponentials are inexact
        for counts, whole in ((LENGTHS, False), (wholes, True)):
            for count in counts:
                yield Case(Key(entry, f"{op} of sizes", "float32", f"{count}{' alone' if whole else ''}"),
                           partial(_make_rows, entry, op, count, whole), OUTS[entry], limit)


def _make_product(shape, rng):
    m, k, n = shape
    return (*(dense(numbers(rng, (2, *sizes), "float32"), "float32") for sizes in ((m, k), (k, n))),
            result((2, m, n), "float32"))


def product_cases(limit):
    for shape in PRODUCTS:
        yield Case(Key("matmul", "sizes", "float32", "x".join(map(str, shape))), partial(_make_product, shape), (2,),
                   limit)


def _make_gather(count, rng):
    src = dense(numbers(rng, (count + 3,), "float32"), "float32")
    index = dense(rng.integers(0, count + 3, count), "int64")
    return src, index, 0, result((count,), "float32")


def _make_scatter(count, rng):
    out = dense(numbers(rng, (count,), "float32"), "float32")
    index, src = rng.permutation(count), numbers(rng, (count,), "float32")
    return 0, out, 0, dense(index, "int64"), dense(src, "float32")


def _make_nonzero(count, kind, rng):
    values = np.zeros(count)
    if kind == "all":
        values[:] = 1
    elif kind == "one":
        values[rng.choice(places_in(count))] = 0.25
    return dense(values, "float32"), None


def index_cases(entry):
    """Of an entry with indices, a call for so many elements."""
    make, outs = {"gather": (_make_gather, (3,)), "scatter": (_make_scatter, (1,))}[entry]
    for count in COUNTS:
        yield Case(Key(entry, "sizes", "float32", f"{count}"), partial(make, count), outs)


def nonzero_cases():
    for kind in ("none", "one", "all"):
        for count in COUNTS:
            yield Case(Key("nonzero", kind, "float32", f"{count}"), partial(_make_nonzero, count, kind), (1,))


def _make_pointwise(entry, size, rng):
    a, b = (dense(np.resize(numbers(rng, (min(size, 1 << 20) + 1,), "float32"), size), "float32") for _ in range(2))
    out = result((size,), "float32")
    return {"fill": (out, 2.5), "copy": (a, out), "unary": (UNARY.index("neg"), a, out),
            "binary": (BINARY.index("sub"), a, b, out), "where": (dense(rng.random(size) < 0.5, "bool"), a, b, out),
            "binary_scalar": (BINARY.index("mul"), a, 1.5, False, out), "elementwise": (PROGRAM, (a, b), (out,))}[entry]


PROGRAM = (("in", 0), ("in", 1), ("binary", BINARY.index("mul")), ("unary", UNARY.index("neg")), ("out", 0))
ELEMENTS = (1, *LENGTHS, 17, 511, 513, 1023, 65535, 65537, 131072, MILLION)
GRID = 65535 * 256 + 1                  # more than the largest grid with one axis has in groups of 256


def pointwise_cases(entry):
    """Of a pointwise entry, a call for each of ELEMENTS."""
    outs = {"fill": (0,), "copy": (1,), "unary": (2,), "binary": (3,), "where": (3,), "binary_scalar": (4,),
            "elementwise": (2,)}[entry]
    for size in (*ELEMENTS, GRID) if entry in ("fill", "copy", "unary", "binary") else ELEMENTS:
        yield Case(Key(entry, "sizes", "float32", f"{size}"), partial(_make_pointwise, entry, size), outs)
