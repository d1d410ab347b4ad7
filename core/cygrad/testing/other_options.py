"""Cases in which the same operands meet other options: a plan that a kernel keeps has to be found by these as well.

Elsewhere a case's options go with its shapes, so that a kernel which keeps what it made for the shapes seems right.
"""
from functools import partial

import numpy as np

from cygrad.backend import CELLS, POOL, RANDOM, REDUCE, SCATTER
from cygrad.testing import class_losses, map_reduce, recurrent, reference
from cygrad.testing.index import LookingCase
from cygrad.testing.nn import limit_of_random
from cygrad.testing.operands import dense, result
from cygrad.testing.pointwise_programs import coded
from cygrad.testing.reference_losses import ctc_loss
from cygrad.testing.runner import EXACT, Case, Key, Limit

SQUARE = (6, 6)
SAME = 5                # seed of what is drawn where options are not to change the operands
# Strides, paddings and dilations that make images of 9 x 9 such of 5 x 5 with filters of 3 x 3.
CONVOLUTIONS = {"dilated": ((1, 1), (0, 0), (2, 2)), "strided": ((2, 2), (1, 1), (1, 1)),
                "both": ((2, 1), (1, 0), (1, 2))}
WHOLE = (0, 0, 1), (0, 1, 1), 1, 0
BOXES = {"pairs": (WHOLE, *[((2, 0, 1), (2, 2, 1), 1, 0)] * 2),
         "threes": (WHOLE, ((2, -1, 1), (2, 2, 1), 1, 1), ((2, 0, 1), (2, 2, 1), 1, 0)),
         "a margin": (WHOLE, *[((2, -1, 1), (2, 1, 1), 1, 1)] * 2)}
PROGRESSIONS = {"upwards": (0, 1), "downwards": (7, -3), "by twos": (7, 2)}
TOTAL = (("in", 0), ("in", 1), ("binary", "mul"), ("out", 0))
# Programs, reductions, how they are finished and with which number; each differs from the first in one of these.
REDUCED = {"first": (map_reduce.SQUARE, "sum", map_reduce.MEAN, 8.0),
           "another number": (map_reduce.SQUARE, "sum", map_reduce.MEAN, 4.0),
           "another end": (map_reduce.SQUARE, "sum", TOTAL, 8.0),
           "another reduction": (map_reduce.SQUARE, "max", map_reduce.MEAN, 8.0)}


def _whole(rng, *shape):
    """Small whole numbers, of which sums and products are exact."""
    return dense(rng.integers(-4, 5, shape), "float32")


def _gather(dim, rng):
    return _whole(rng, *SQUARE), dense(rng.integers(0, 6, SQUARE), "int64"), dim, result(SQUARE, "float32")


def _scatter(mode, dim, rng):
    out, index, src = _whole(rng, *SQUARE), dense(rng.integers(0, 6, SQUARE), "int64"), _whole(rng, *SQUARE)
    return SCATTER.index(mode), out, dim, index, src


def _conv2d(options, rng):
    return (_whole(rng, 2, 3, 9, 9), _whole(rng, 4, 3, 3, 3), None, *CONVOLUTIONS[options], 1,
            result((2, 4, 5, 5), "float32"))


def _conv2d_backward(options, rng):
    outs = (result(shape, "float32") for shape in ((2, 3, 9, 9), (4, 3, 3, 3), (4,)))
    return (_whole(rng, 2, 4, 5, 5), _whole(rng, 2, 3, 9, 9), _whole(rng, 4, 3, 3, 3), *CONVOLUTIONS[options], 1, *outs)


def _pool(op, boxes, rng):
    index = result((3, 1, 3, 4), "int64") if op == "max" else None
    return POOL.index(op), _whole(rng, 3, 1, 6, 8), BOXES[boxes], result((3, 1, 3, 4), "float32"), index


def _fft(axes, rng):
    values = rng.integers(-4, 5, SQUARE) + 1j * rng.integers(-4, 5, SQUARE)
    return dense(values, "complex64"), result(SQUARE, "complex64"), axes, False, "none"


def _arange(progression, dtype, rng):
    return result((50,), dtype), *PROGRESSIONS[progression]


def _random(kind, stream, rng):
    return RANDOM.index(kind), result((50,), "float32"), *stream


def _map_reduce(which, rng):
    program, op, finish, number = REDUCED[which]
    return (coded(program), (_whole(rng, 9, 33), _whole(rng, 9, 33)), (REDUCE.index(op),), coded(finish), (number,),
            (result((9,), "float32"),))


def _recurrent_backward(cell, backwards, rng):
    args = recurrent.make_backward(cell, "float32", "packed", False, rng)
    return args[0], recurrent.steps_of(recurrent.SEQUENCES["packed"][0], backwards), *args[2:]


def _ctc_loss_backward(layout, blank, zero_infinity, rng):
    """Sequences that are the same in all; `blank` is added to what the blank is."""
    a, labels, starts, counts, steps, own = class_losses.sequences_of("float32", layout, np.random.default_rng(SAME))
    time, batch, classes, most, *_ = class_losses.SEQUENCES[layout]
    operands = a, labels, starts, counts, steps, (own + blank) % classes
    arrays = [x if isinstance(x, int) else x.values for x in operands]
    losses, sums, _ = ctc_loss(*arrays, np.empty(batch), np.empty((batch, time, 2 * most + 1)), None)
    return (dense(np.ones(batch), "float32"), *operands, dense(losses, "float32"), dense(sums, "float32"),
            zero_infinity, result((time, batch, classes), "float32"))


STREAMS = (7, 0, -1.0, 3.0), (7, 5, -1.0, 3.0), (8, 5, -1.0, 3.0), (8, 5, -1.0, 4.0), (8, 5, 0.0, 4.0)
PATHS = Limit(8, terms=class_losses.terms_of_paths)
# entry: {which options: (arguments, positions of what is written, limit)}
CALLS = {
    "gather": {f"dim {dim}": (partial(_gather, dim), (3,), EXACT) for dim in (0, 1)},
    "gather_looking": {f"dim {dim}": (partial(_gather, dim), (3,), EXACT) for dim in (0, 1)},
    "scatter": {f"{mode} dim {dim}": (partial(_scatter, mode, dim), (1,), EXACT)
                for mode in ("add", "max") for dim in (0, 1)},
    "scatter_looking": {f"{mode} dim {dim}": (partial(_scatter, mode, dim), (1,), EXACT)
                        for mode in ("add", "max") for dim in (0, 1)},
    "conv2d": {name: (partial(_conv2d, name), (7,), EXACT) for name in CONVOLUTIONS},
    "conv2d_backward": {name: (partial(_conv2d_backward, name), (7, 8, 9), EXACT) for name in CONVOLUTIONS},
    "pool": {f"{op} {name}": (partial(_pool, op, name), (3, 4), Limit(1)) for op in ("max", "mean") for name in BOXES},
    "fft": {f"{axes}": (partial(_fft, axes), (1,), Limit(16, floor=16)) for axes in ((0,), (1,), (0, 1))},
    "arange": {f"{dtype} {name}": (partial(_arange, name, dtype), (0,), EXACT)
               for dtype in ("int64", "float32") for name in PROGRESSIONS},
    "random": {f"{kind} {stream}": (partial(_random, kind, stream), (1,), limit_of_random(kind, "float32"))
               for kind in RANDOM for stream in STREAMS},
    "map_reduce": {name: (partial(_map_reduce, name), (5,), EXACT) for name in REDUCED},
    "recurrent_backward": {f"{cell} {name}": (partial(_recurrent_backward, cell, name == "backwards"),
                                              (9, 10, 11, 12), Limit(4, terms=recurrent.terms))
                           for cell in CELLS for name in ("forwards", "backwards")},
    "ctc_loss_backward": {"a blank": (partial(_ctc_loss_backward, "any length", 0, False), (10,), PATHS),
                          "another blank": (partial(_ctc_loss_backward, "any length", 1, False), (10,), PATHS),
                          "infinite": (partial(_ctc_loss_backward, "too many labels", 0, False), (10,), PATHS),
                          "zero infinity": (partial(_ctc_loss_backward, "too many labels", 0, True), (10,), PATHS)},
}


def with_options(entry, cases):
    """The cases of an entry, and behind them those of CALLS, which one process runs one after the other."""
    yield from cases()
    looking = entry.endswith("_looking")
    formula = getattr(reference, entry.removesuffix("_looking")) if looking else None
    for which, (make, outs, limit) in CALLS[entry].items():
        dtype = which.partition(" ")[0] if entry == "arange" else "complex64" if entry == "fft" else "float32"
        kind = LookingCase if looking else Case
        yield kind(Key(entry, "options", dtype, which), make, outs, limit, formula=formula)
