"""Cases of pooling: windows of every kind, adaptive boxes and those that see a place, in every dtype and layout."""
from functools import partial

import numpy as np

from cygrad.backend import POOL
from cygrad.testing.operands import FLOATS, INTEGERS, dense, number, numbers, reordered, result, sliced
from cygrad.testing.runner import EXACT, Case, Key, Limit

WHOLE = (0, 0, 1), (0, 1, 1), 1, 0
# name: shape of a, sizes of the result, the boxes, layout, which ops
POOLS = {
    "pairs": ((3, 1, 6, 8), (1, 3, 4), (WHOLE, ((2, 0, 1), (2, 2, 1), 1, 0), ((2, 0, 1), (2, 2, 1), 1, 0)), dense,
              POOL),
    "overlapping": ((2, 1, 7, 9), (1, 4, 5), (WHOLE, *[((2, -1, 1), (2, 2, 1), 1, 1)] * 2), dense, POOL),
    "over the end": ((2, 1, 6, 6), (1, 3, 3), (WHOLE, *[((2, 0, 1), (2, 3, 1), 1, 0)] * 2), sliced, POOL),
    "dilated": ((2, 1, 9, 8), (1, 4, 3), (WHOLE, ((2, -2, 1), (2, 3, 1), 2, 0), ((1, 0, 1), (1, 7, 1), 3, 0)), dense,
                POOL),
    "volumes": ((2, 5, 6, 4), (2, 3, 4), (((2, 0, 1), (2, 3, 1), 1, 0), ((2, -1, 1), (2, 2, 1), 1, 1),
                                          ((1, -1, 1), (1, 2, 1), 1, 1)), reordered, POOL),
    "adaptive": ((2, 1, 7, 5), (1, 3, 4), (WHOLE, ((7, 0, 3), (7, 9, 3), 1, 0), ((5, 0, 4), (5, 8, 4), 1, 0)), dense,
                 POOL),
    "seeing": ((2, 1, 3, 4), (1, 8, 9), (WHOLE, ((1, -1, 2), (1, 2, 2), 1, 0), ((1, 0, 2), (1, 2, 2), 1, 0)), dense,
               ("sum",)),
    "whole planes": ((2, 1, 13, 13), (1, 1, 1), (WHOLE, *[((13, 0, 1), (13, 13, 1), 1, 0)] * 2), dense, POOL),
    "wide": ((2, 1, 3, 300), (1, 2, 3), (WHOLE, ((1, 0, 1), (1, 2, 1), 1, 0), ((90, 0, 1), (90, 110, 1), 1, 0)), dense,
             POOL),
    "large": ((40, 1, 30, 31), (1, 15, 15), (WHOLE, *[((2, -1, 1), (2, 2, 1), 1, 0)] * 2), dense, POOL),
}


def _make_pool(op, dtype, layout, rng):
    shape, sizes, boxes, put, _ = POOLS[layout]
    values = numbers(rng, shape, dtype)
    if dtype in FLOATS and op == "max" and layout in ("overlapping", "volumes"):
        values = values.copy()
        values[0] = -np.inf
        values[1, ..., 2:4] = np.nan
    outs = result((shape[0], *sizes), dtype), result((shape[0], *sizes), "int64") if op == "max" else None
    return POOL.index(op), put(values, dtype), boxes, *outs


def _terms_of_pool(op, a, boxes, *rest):
    return np.abs(a.astype(float)).max() * 64


def pool_cases():
    for op in POOL:
        for dtype in INTEGERS + FLOATS:
            if op != "max" and dtype in INTEGERS[:-1]:      # sums of int64 alone, which can't be too large for it
                continue
            for layout, (*_, ops) in POOLS.items():
                if op in ops:
                    limit = EXACT if op == "max" or dtype == "int64" else Limit(1, terms=_terms_of_pool)
                    yield Case(Key("pool", op, dtype, layout), partial(_make_pool, op, dtype, layout), (3, 4), limit)


# name: planes, outputs, places, layout of the operands
BACK = {"pairs": (6, 12, 48, dense), "overlapping": (4, 30, 20, sliced), "reordered": (5, 9, 33, reordered),
        "one": (1, 1, 1, dense), "large": (90, 200, 800, dense), "outside": (7, 11, 13, dense),
        "one number": (3, 12, 20, dense), "to one place": (2, 3000, 7, dense)}


def _make_pool_backward(dtype, layout, rng):
    planes, outputs, places, put = BACK[layout]
    index = rng.integers(0, places, (planes, outputs))
    if layout == "to one place":
        index[:] = 3
    if layout == "outside":
        outside = rng.choice([-1, places, 1 << 40, -(1 << 62)], index.shape)
        index = np.where(rng.random(index.shape) < 0.3, outside, index)
    grad = (number if layout == "one number" else put)(rng.integers(1, 9, index.shape), dtype)
    return (grad, put(index, "int64"), result((planes, places), dtype, put))


def pool_backward_cases():
    for dtype in FLOATS:
        for layout in BACK:
            if layout == "to one place" and dtype in FLOATS[:2]:        # whose sums may be rounded after each step
                continue
            for n in range(2 if dtype in FLOATS[2:] else 1):
                yield Case(Key("pool_backward", f"{n}", dtype, layout),
                           partial(_make_pool_backward, dtype, layout), (2,))
