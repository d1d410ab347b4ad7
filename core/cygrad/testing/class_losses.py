"""Cases of the loss of classes and its gradient: rows and images, weights, classes to ignore and targets outside."""
from functools import partial

import numpy as np

from cygrad.testing.operands import dense, numbers, reordered, repeated, result, sliced, turned
from cygrad.testing.runner import Case, Key, Limit

PRECISIONS = "float32", "float64"
# name: shape of a, layout of a and target, weights, share of targets that are ignored, of those outside
ROWS = {"rows": ((6, 5), dense, False, 0, 0), "weights": ((7, 4), dense, True, 0, 0),
        "ignored": ((9, 3), sliced, True, 0.4, 0), "outside": ((30, 6), dense, False, 0.2, 0.3),
        "images": ((3, 4, 10), dense, True, 0.2, 0), "turned": ((4, 5, 7), turned, False, 0.2, 0.1),
        "reordered": ((3, 6, 8), reordered, True, 0, 0), "one": ((1, 1), dense, False, 0, 0),
        "one class": ((5, 1, 3), dense, True, 0.3, 0), "large": ((700, 90), dense, True, 0.1, 0.1),
        "large images": ((3, 4, 20011), dense, False, 0.1, 0)}
REDUCED = ("none", "sum", "mean")
IGNORE = -100, 1


def _operands(dtype, layout, ignore, rng):
    shape, put, weighted, ignored, outside = ROWS[layout]
    target = rng.integers(0, shape[1], (shape[0], *shape[2:]))
    chance = rng.random(target.shape)
    target = np.where(chance < ignored, ignore, target)
    target = np.where(chance > 1 - outside, rng.choice([-1, shape[1], 1 << 40, -(1 << 62)], target.shape), target)
    target.reshape(-1)[0] = 0                                   # one counts, so that a mean is one
    return (put(numbers(rng, shape, dtype), dtype), put(target, "int64"),
            put(rng.uniform(0.5, 2, shape[1]), dtype) if weighted else None)


def _make_loss(dtype, reduction, ignore, layout, rng):
    a, target, weight = _operands(dtype, layout, ignore, rng)
    out = result(target.shape if reduction == "none" else (), dtype, sliced if layout == "rows" else dense)
    return a, target, weight, ignore, reduction == "mean", out, result((), "int64")


def _make_backward(dtype, reduction, ignore, layout, rng):
    a, target, weight = _operands(dtype, layout, ignore, rng)
    grad = dense(numbers(rng, () if reduction != "none" else target.shape, dtype), dtype)
    if reduction == "none" and layout == "images":
        grad = repeated(grad.values, dtype)
    return grad, target, weight, ignore, reduction == "mean", result(a.shape, dtype, ROWS[layout][1])


def _terms_of_loss(a, target, weight, ignore, mean, out, outside):
    return 20 * target.size if not out.ndim else 0


def _options():
    for dtype in PRECISIONS:
        for layout in ROWS:
            for reduction in REDUCED:
                for ignore in IGNORE if layout in ("ignored", "images", "outside") else IGNORE[:1]:
                    yield dtype, reduction, ignore, layout


def nll_loss_cases():
    for dtype, reduction, ignore, layout in _options():
        yield Case(Key("nll_loss", f"{reduction} {ignore}", dtype, layout),
                   partial(_make_loss, dtype, reduction, ignore, layout), (5, 6), Limit(4, terms=_terms_of_loss))


def nll_loss_backward_cases():
    for dtype, reduction, ignore, layout in _options():
        yield Case(Key("nll_loss_backward", f"{reduction} {ignore}", dtype, layout),
                   partial(_make_backward, dtype, reduction, ignore, layout), (5,), Limit(16))
