"""Cases of losses of classes and their gradients: rows and images, weights, classes to ignore and targets outside;
sequences of labels and of steps of all lengths."""
from functools import partial

import numpy as np

from cygrad.testing.reference_losses import ctc_loss
from cygrad.testing.operands import dense, numbers, reordered, repeated, result, sliced, turned
from cygrad.testing.runner import Case, Key, Limit

PRECISIONS = "float32", "float64"
# name: shape of a, layout of a and target, weights, share of targets that are ignored, of those outside
ROWS = {"rows": ((6, 5), dense, False, 0, 0), "weights": ((7, 4), dense, True, 0, 0),
        "ignored": ((9, 3), sliced, True, 0.4, 0), "outside": ((30, 6), dense, False, 0.2, 0.3),
        "images": ((3, 4, 10), dense, True, 0.2, 0), "turned": ((4, 5, 7), turned, False, 0.2, 0.1),
        "reordered": ((3, 6, 8), reordered, True, 0, 0), "one": ((1, 1), dense, False, 0, 0),
        "one class": ((5, 1, 3), dense, True, 0.3, 0), "large": ((700, 90), dense, True, 0.1, 0.1),
        "large images": ((3, 4, 20011), dense, False, 0.1, 0), "square": ((6, 3, 6), dense, False, 0, 0)}
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


def terms_of_loss(a, target, weight, ignore, mean, out, outside):
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
                   partial(_make_loss, dtype, reduction, ignore, layout), (5, 6), Limit(4, terms=terms_of_loss))


def nll_loss_backward_cases():
    for dtype, reduction, ignore, layout in _options():
        yield Case(Key("nll_loss_backward", f"{reduction} {ignore}", dtype, layout),
                   partial(_make_backward, dtype, reduction, ignore, layout), (5,), Limit(16))


# name: T, N, C, most labels, layout, what lengths are: all, any, or any and labels that repeat; labels outside
SEQUENCES = {"one step": (1, 2, 3, 1, dense, "all"), "steps": (9, 3, 5, 3, dense, "all"),
             "any length": (11, 6, 4, 5, dense, "any"), "repeats": (14, 5, 3, 6, dense, "repeats"),
             "no labels": (4, 2, 3, 0, dense, "all"), "turned": (8, 3, 6, 2, turned, "any"),
             "reordered": (7, 2, 5, 3, reordered, "any"), "sliced": (6, 3, 4, 2, sliced, "all"),
             "too many labels": (3, 3, 4, 5, dense, "all"), "many labels": (60, 2, 30, 25, dense, "any"),
             "large": (40, 40, 12, 9, dense, "any")}


def sequences_of(dtype, layout, rng):
    steps, batch, classes, most, put, kind = SEQUENCES[layout]
    logs = numbers(rng, (steps, batch, classes), dtype, 1.0).astype(float)
    logs -= np.log(np.exp(logs).sum(2, keepdims=True))
    blank = int(rng.integers(0, classes))
    counts = np.full(batch, most) if kind == "all" else rng.integers(0, most + 1, batch)
    counts[0] = most
    lengths = np.full(batch, steps) if kind == "all" else rng.integers(0, steps + 1, batch)
    starts = np.arange(batch) * (most + 1) + 1                  # with others between them
    labels = rng.integers(0, classes - 1, (most + 1) * batch + 2)
    if kind == "repeats":
        labels = np.repeat(labels, 2)[:len(labels)]
    labels += labels >= blank
    return (put(logs, dtype), *(dense(x, "int64") for x in (labels, starts, counts, lengths)), blank)


def _make_ctc(dtype, layout, outside, rng):
    a, labels, *rest = sequences_of(dtype, layout, rng)
    if outside:
        labels.memory[labels.offset + int(rest[0].values[0])] = outside
    steps, batch, _, most, *_ = SEQUENCES[layout]
    return (a, labels, *rest, result((batch,), dtype), result((batch, steps, 2 * most + 1), dtype), result((), "int64"))


def _make_ctc_backward(dtype, layout, zero_infinity, rng):
    operands = sequences_of(dtype, layout, rng)
    steps, batch, _, most, put, _ = SEQUENCES[layout]
    arrays = [x if isinstance(x, int) else x.values for x in operands]
    losses, sums, _ = ctc_loss(*arrays, np.empty(batch), np.empty((batch, steps, 2 * most + 1)), None)
    return (dense(numbers(rng, (batch,), dtype), dtype), *operands, dense(losses, dtype), dense(sums, dtype),
            zero_infinity, result(operands[0].shape, dtype, put))


def terms_of_paths(*args):
    """Logarithms of some tens are summed up, and those of steps."""
    return 40.0 * max(x.shape[0] for x in args if hasattr(x, "ndim") and x.ndim == 3)


def ctc_loss_cases():
    for dtype in PRECISIONS:
        for layout in SEQUENCES:
            yield Case(Key("ctc_loss", "", dtype, layout), partial(_make_ctc, dtype, layout, 0), (6, 7, 8),
                       Limit(8, terms=terms_of_paths))
        for outside in (-1, 5, 1 << 40):
            yield Case(Key("ctc_loss", f"a label is {outside}", dtype, "steps"),
                       partial(_make_ctc, dtype, "steps", outside), (6, 7, 8), Limit(8, terms=terms_of_paths))


def ctc_loss_backward_cases():
    for dtype in PRECISIONS:
        for layout in SEQUENCES:
            for zero_infinity in (False, True):
                yield Case(Key("ctc_loss_backward", "zero infinity" if zero_infinity else "", dtype, layout),
                           partial(_make_ctc_backward, dtype, layout, zero_infinity), (10,),
                           Limit(8, terms=terms_of_paths))
