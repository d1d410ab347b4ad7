"""Cases of recurrent layers: every cell, sequences of one length and of several, both directions."""
from functools import partial

import numpy as np

from cygrad.backend import CELLS
from cygrad.testing.operands import FLOATS, dense, number, numbers, reordered, result, sliced
from cygrad.testing.runner import Case, Key, Limit

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
# name: sequences that take part in each step, N, H, layout
SEQUENCES = {"one": ((1,), 1, 3, dense), "steps": ((3, 3, 3, 3), 3, 5, dense), "packed": ((4, 4, 2, 1), 5, 3, sliced),
             "transposed": ((2, 2, 2), 2, 4, reordered), "one gradient": ((2, 2), 2, 3, dense),
             "large": ((19,) * 6, 19, 40, dense)}


def steps_of(counts, backwards):
    found = [(sum(counts[:i]), rows) for i, rows in enumerate(counts)]
    return tuple(found[::-1] if backwards else found)


def weights(rng, rows, columns, dtype):
    """So small that a state does not grow from step to step."""
    return numbers(rng, (rows, columns), dtype, 1.0) / columns


def _make(cell, dtype, layout, backwards, rng):
    counts, n, hidden, put = SEQUENCES[layout]
    rows, width = sum(counts), GATES[cell] * hidden

    def some(*shape):
        return put(numbers(rng, shape, dtype, 1.0), dtype)

    gates, weight = some(rows, width), put(weights(rng, width, hidden, dtype), dtype)
    bias = some(hidden) if cell == "gru" and not backwards else None
    state = some(n, hidden), some(n, hidden) if cell == "lstm" else None
    values = gates if layout == "steps" else result((rows, width), dtype)
    plain = cell.startswith("rnn")
    return (CELLS.index(cell), steps_of(counts, backwards), gates, weight, bias, *state, values,
            None if plain else result((rows, hidden), dtype), values if plain else result((rows, hidden), dtype),
            result((n, hidden), dtype), result((n, hidden), dtype) if cell == "lstm" else None)


def make_backward(cell, dtype, layout, backwards, rng):
    counts, n, hidden, put = SEQUENCES[layout]
    rows, width = sum(counts), GATES[cell] * hidden

    def some(*shape, least=-1.0):
        return put(numbers(rng, shape, dtype, 1.0) if least < 0 else rng.random(shape), dtype)

    pair = cell == "lstm"
    plain = cell.startswith("rnn")
    put_grad = number if layout == "one gradient" else put
    given = [put_grad(numbers(rng, (rows, hidden), dtype, 1.0), dtype), some(n, hidden),
             some(n, hidden) if pair else None]
    if backwards:
        given[1:] = None, None
    elif layout == "steps":
        given[0] = None
    kept, before = (None, None) if plain else (some(rows, hidden), some(rows, hidden))
    return (CELLS.index(cell), steps_of(counts, backwards), *given, some(rows, width, least=0.0), kept, before,
            put(weights(rng, width, hidden, dtype), dtype), result((rows, width), dtype),
            result((rows, width), dtype) if cell == "gru" else None, result((n, hidden), dtype),
            result((n, hidden), dtype) if pair else None)


def terms(cell, steps, *operands):
    """How large what is summed in a step may be: a product of two numbers below 4, as many as there are features."""
    return 16.0 * max(t.shape[-1] for t in operands if isinstance(t, np.ndarray)) * len(steps)


def _cases(entry, make, outs):
    for cell in CELLS:
        for dtype in FLOATS:
            for layout in SEQUENCES:
                for name, backwards in (("forwards", False), ("backwards", True)):
                    yield Case(Key(entry, f"{cell} {name}", dtype, layout),
                               partial(make, cell, dtype, layout, backwards), outs, Limit(4, terms=terms))


def recurrent_cases():
    return _cases("recurrent", _make, (7, 8, 9, 10, 11))


def recurrent_backward_cases():
    return _cases("recurrent_backward", make_backward, (9, 10, 11, 12))
