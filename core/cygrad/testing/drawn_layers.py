"""Drawn calls (see `drawn`) of layers, losses, transforms and routines; and of which entries there are any: `CALLS`."""
from functools import partial

import numpy as np

from cygrad.backend import CELLS, POOL, REDUCE
from cygrad.testing import drawn_rows, reference
from cygrad.testing.class_losses import terms_of_loss, terms_of_paths
from cygrad.testing.drawn import SIZES, case, plan, pointwise_calls, whole
from cygrad.testing.drawn_layouts import broadcast, put, room
from cygrad.testing.fourier import COMPLEX_OF, KINDS, terms_of_fft
from cygrad.testing.index import LookingCase, gathered_anything, nothing
from cygrad.testing.linalg import derive, matrices, routines
from cygrad.testing.map_reduce import PROGRAMS
from cygrad.testing.nn import terms_of_conv2d, terms_of_conv2d_backward
from cygrad.testing.operands import FLOATS, dense, numbers, rounded, window
from cygrad.testing.pointwise_programs import coded
from cygrad.testing.recurrent import GATES, steps_of, terms, weights
from cygrad.testing.reference_losses import ctc_loss
from cygrad.testing.resampling import points_of, terms_of_sample
from cygrad.testing.runner import EXACT, Key, Limit
from cygrad.testing.sizes import places_in


def up_to(most, least=1):
    return [n for n in SIZES if least <= n <= most]


def with_one(rng, role, n, roles, most=60000, choice=(1, 2, 3, 4, 5, 7)):
    """Sizes of which that of `role` is n, the others small."""
    sizes = [int(rng.choice(choice)) for _ in range(roles)]
    if n < 200 and rng.random() < 0.5:
        sizes[int(rng.integers(0, roles))] = int(rng.choice([16, 17, 31, 32, 33, 48, 64, 65]))
    sizes[role] = n
    while np.prod(sizes) > most and max(s for i, s in enumerate(sizes) if i != role) > 1:
        at = max((i for i in range(roles) if i != role), key=lambda i: sizes[i])
        sizes[at] = sizes[at] // 2
    return sizes


def turns(rng, limits):
    """(number, role, n): each role goes through the sizes up to its limit, then the smaller ones again."""
    number = 0
    for again in range(2):
        for role, most in enumerate(limits):
            for n in up_to(min(most, 2000) if again else most):
                yield number, role, n
                number += 1


def _some(rng, shape, dtype, strided, repeats=True):
    return put(rng, numbers(rng, shape, dtype, 1.0), dtype, strided, repeats)


# ------------------------------------------------------------------ images

FILTERS = ((1, 1), (1, 1), (3, 3), (3, 3), (3, 3), (1, 3), (3, 1), (2, 2), (5, 5), (4, 3), (7, 1), (1, 7))
WHERE_STRIDED = FILTERS[1:3]                # each other one is compiled once more for each way to lie in memory
STEPS = ((1, 1), (1, 1), (1, 1), (2, 2), (1, 2), (2, 1), (3, 2))
DILATIONS = ((1, 1), (1, 1), (1, 1), (2, 2), (1, 2), (3, 1))


def _convolution(rng, role, n, dtype, strided):
    taps, stride, dilation = (tuple(int(x) for x in found[rng.integers(0, len(found))])
                              for found in (WHERE_STRIDED if strided else FILTERS, STEPS, DILATIONS))
    padding = tuple(int(rng.choice([0, 0, 1, tap // 2, tap - 1])) for tap in taps)
    batch, channels, filters, *image = with_one(rng, role, n, 5, 40000, (1, 2, 3, 4, 6, 8, 16))
    groups = 1
    if rng.random() < 0.3:
        groups = channels if rng.random() < 0.6 else 2
        channels = -(-channels // groups) * groups
        filters = groups * int(rng.choice([1, 2, 3])) if groups > 8 else -(-filters // groups) * groups
    image = [max(size, step * (tap - 1) + 1 - 2 * pad) for size, step, tap, pad in zip(image, dilation, taps, padding)]
    rows, columns = ((size + 2 * pad - step * (tap - 1) - 1) // skip + 1
                     for size, pad, step, tap, skip in zip(image, padding, dilation, taps, stride))
    # How much the longest sum adds: sums drift where one number stands for all.
    added = max(batch * rows * columns, max(channels, filters) * taps[0] * taps[1])
    return (_some(rng, (batch, channels, *image), dtype, strided, added < 500),
            _some(rng, (filters, channels // groups, *taps), dtype, strided, added < 9),
            (stride, padding, dilation, groups),
            (batch, filters, rows, columns))


def _make_conv2d(role, n, dtype, strided, rng):
    a, weight, options, shape = _convolution(rng, role, n, dtype, strided)
    taps = weight.shape[2] * weight.shape[3]
    bias = _some(rng, shape[1:2], dtype, strided) if rng.random() < 0.5 and taps in (1, 5, 9) or taps == 7 else None
    return a, weight, bias, *options, room(rng, shape, dtype, strided)


def _make_conv2d_backward(role, n, dtype, strided, rng):
    a, weight, options, shape = _convolution(rng, role, n, dtype, strided)
    wanted = [(1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1)][int(rng.choice([0, 0, 0, 1, 2, 3, 4]))]
    outs = (room(rng, s, dtype, strided) if keep else None
            for keep, s in zip(wanted, (a.shape, weight.shape, shape[1:2])))
    grad = _some(rng, shape, dtype, strided, shape[0] * shape[2] * shape[3] < 9)
    return grad, a, weight, *options, *outs


def _box(rng, size):
    """(how many boxes, what they are) along an axis."""
    if rng.random() < (0.2 if size < 10000 else 0.9):
        count = int(rng.integers(1, min(size, 9) + 1))
        return count, ((size, 0, count), (size, size + count - 1, count), 1, 0)
    taps = int(rng.choice([1, 2, 3, 3, 5]))
    step = int(rng.choice([1, 2, taps, 3]))
    apart = int(rng.choice([1, 1, 2]))
    pad = int(rng.integers(0, taps // 2 + 1)) if apart == 1 else 0
    over = apart * (taps - 1) + 1
    if size + 2 * pad < over:
        taps, apart, pad, over = 1, 1, 0, 1
    return (size + 2 * pad - over) // step + 1, ((step, -pad, 1), (step, over - pad, 1), apart, pad)


def _make_pool(op, role, n, dtype, strided, rng):
    planes, *volume = with_one(rng, role, n, 4)
    if role != 1 and rng.random() < 0.5:
        volume[0] = 1
    found = [_box(rng, size) for size in volume]
    shape, boxes = (planes, *(count for count, _ in found)), tuple(box for _, box in found)
    values = whole(rng, (planes, *volume), "float32", 9) if op != "max" else rng.integers(-40, 41, (planes, *volume))
    if op == "max":                                             # the largest of a plane is anywhere
        places = rng.integers(0, np.prod(volume), planes)
        values.reshape(planes, -1)[np.arange(planes), places] = rng.choice([50, 50, -7])
        if dtype in FLOATS and rng.random() < 0.3:
            values = np.where(rng.random(values.shape) < 0.2, np.nan, values)
    index = room(rng, shape, "int64", strided) if op == "max" else None
    return POOL.index(op), put(rng, values, dtype, strided), boxes, room(rng, shape, dtype, strided), index


def pool_calls(entry):
    rng = plan(entry)
    for number, role, n in turns(rng, (70000, 129, 4097, 131073)):
        op, strided = str(rng.choice(["max", "max", "sum", "mean"])), rng.random() < 0.3
        dtype = "float32" if strided else str(rng.choice([*FLOATS, "int64"]))
        yield case(entry, number, dtype, partial(_make_pool, op, role, n, dtype, strided), (3, 4),
                   EXACT if op == "max" or dtype == "int64" else Limit(2))


def _make_pool_backward(role, n, dtype, strided, rng):
    planes, places, outputs = with_one(rng, role, n, 3, 200000)
    index = rng.integers(-1 if rng.random() < 0.3 else 0, places, (planes, outputs))
    return (put(rng, whole(rng, index.shape, dtype), dtype, strided), put(rng, index, "int64", strided),
            room(rng, (planes, places), dtype, strided))


def _make_sample(backward, role, n, dtype, strided, rng):
    mode, padding, align = int(rng.integers(0, 3)), int(rng.integers(0, 3)), bool(rng.integers(0, 2))
    volume = mode < 2 and rng.random() < 0.3
    batch, channels, *image, points = with_one(rng, role, n, 5, 30000)
    image = (2, *image) if volume else tuple(image)
    points = (points, int(rng.choice([1, 2, 3])), *((2,) if volume else ()))
    grid = put(rng, points_of(rng, (batch, *points), image, align), dtype, strided)
    a = put(rng, numbers(rng, (batch, channels, *image), dtype), dtype, strided)
    shape = (batch, channels, *points)
    if not backward:
        return mode, padding, align, a, grid, room(rng, shape, dtype, strided)
    which = rng.integers(0, 3)
    return (mode, padding, align, put(rng, numbers(rng, shape, dtype), dtype, strided), a, grid,
            room(rng, a.shape, dtype, strided) if which != 1 else None,
            room(rng, grid.shape, dtype, strided) if which != 2 else None)


def _make_resample(role, n, dtype, strided, rng):
    lines, places, inner, taps, outputs = with_one(rng, role, n, 5)
    return (put(rng, whole(rng, (lines, places, inner), dtype), dtype, strided),
            put(rng, rng.integers(0, places, (taps, outputs)), "int64", strided),
            put(rng, whole(rng, (taps, outputs), dtype, 3), dtype, strided),
            room(rng, (lines, outputs, inner), dtype, strided))


def _make_gather_sum(role, n, dtype, strided, rng):
    rows, width, count, bags = with_one(rng, role, n, 4)
    starts = np.sort(rng.integers(0, count + 1, bags + 1))
    starts[0] = 0 if rng.random() < 0.7 else starts[0]
    starts[-1] = count if rng.random() < 0.7 else starts[-1]
    weight = put(rng, whole(rng, (count,), dtype, 3), dtype, strided) if rng.random() < 0.5 else None
    return (put(rng, whole(rng, (rows, width), dtype), dtype, strided),
            put(rng, rng.integers(0, rows, count), "int64", strided), put(rng, starts, "int64", False), weight,
            room(rng, (bags, width), dtype, strided))


# ------------------------------------------------------------------ losses

def _loss_operands(rng, role, n, dtype, strided, nothing=False):
    images = rng.random() < 0.6 or role == 2
    batch, classes, places = with_one(rng, role, n, 3)
    inner = (places,) if images else ()
    ignore = int(rng.choice([-100, 1, 0, -1, classes - 1])) if classes > 1 else -100
    target = rng.integers(0, classes, (batch, *inner))
    chance = rng.random(target.shape)
    target[chance < rng.choice([0, 0.3])] = ignore
    target[chance > rng.choice([1, 1, 0.7])] = rng.choice([-1, classes, -7, 1 << 40])
    target.reshape(-1)[-1] = 0 if ignore else min(1, classes - 1)
    if nothing:
        target[...] = ignore
    weight = put(rng, rng.choice([0.5, 1, 2, 4], classes), dtype, strided) if rng.random() < 0.5 else None
    return (batch, classes, *inner), put(rng, target, "int64", strided, False), weight, ignore


def _make_loss(role, n, dtype, strided, rng):
    shape, target, weight, ignore = _loss_operands(rng, role, n, dtype, strided, rng.random() < 0.1)
    reduction = rng.integers(0, 3)
    out = room(rng, target.shape if not reduction else (), dtype, strided)
    return (put(rng, whole(rng, shape, dtype), dtype, strided), target, weight, ignore, bool(reduction == 2), out,
            room(rng, (), "int64", False))


def _make_loss_backward(role, n, dtype, strided, rng):
    shape, target, weight, ignore = _loss_operands(rng, role, n, dtype, strided)
    reduction = rng.integers(0, 3)
    grad = put(rng, numbers(rng, target.shape if not reduction else (), dtype), dtype, strided)
    return grad, target, weight, ignore, bool(reduction == 2), room(rng, shape, dtype, strided)


def _sequences(rng, role, n, dtype, strided):
    most, steps, batch, classes = with_one(rng, role, n, 4, 20000, (1, 2, 3, 4, 5))
    classes, steps = classes + 1, max(steps, 2 * most + 1) if rng.random() < 0.8 else steps
    logs = numbers(rng, (steps, batch, classes), dtype, 1.0).astype(float)
    logs = rounded(logs - np.log(np.exp(logs).sum(2, keepdims=True)), dtype)
    blank = int(rng.choice([0, classes - 1, rng.integers(0, classes)]))
    counts, lengths = rng.integers(0, most + 1, batch), rng.integers(0, steps + 1, batch)
    counts[0], lengths[0] = most, steps
    starts = np.arange(batch) * (most + 1) + 1
    labels = rng.integers(0, classes - 1, (most + 1) * batch + 2)
    labels += labels >= blank
    index = [put(rng, x, "int64", False) for x in (labels, starts, counts, lengths)]
    return (steps, batch, classes, most), put(rng, logs, dtype, strided, False), *index, blank


def _make_ctc(role, n, dtype, strided, rng):
    (steps, batch, _, most), *operands = _sequences(rng, role, n, dtype, strided)
    return (*operands, room(rng, (batch,), dtype, strided), room(rng, (batch, steps, 2 * most + 1), dtype, strided),
            room(rng, (), "int64", False))


def _make_ctc_backward(role, n, dtype, strided, rng):
    (steps, batch, classes, most), *operands = _sequences(rng, role, n, dtype, strided)
    given = [x if isinstance(x, int) else x.values for x in operands]
    losses, sums, _ = ctc_loss(*given, np.empty(batch), np.empty((batch, steps, 2 * most + 1)), None)
    return (put(rng, numbers(rng, (batch,), dtype), dtype, strided), *operands, dense(losses, dtype),
            dense(sums, dtype), bool(rng.integers(0, 2)), room(rng, (steps, batch, classes), dtype, strided))


def _terms_of_paths(*args):
    return 10 * terms_of_paths(*args)


# ------------------------------------------------------------------ sequences

def _make_attention(role, n, dtype, strided, rng):
    batch, rows, keys, inner, width = with_one(rng, role, n, 5)
    masked, causal = rng.choice(["none", "none", "bool", "added"]), bool(rng.random() < 0.3)
    query, key = numbers(rng, (batch, rows, inner), dtype, 1.0), numbers(rng, (batch, keys, inner), dtype, 1.0)
    largest = rng.choice(places_in(keys), batch)                # it is anywhere
    key[np.arange(batch), largest] *= rng.choice([1, 8, 60], (batch, 1))
    shape, mask = (batch, rows, keys), None
    if masked == "bool":
        seen = rng.random(shape) < 0.7
        seen[rng.integers(0, batch), rng.integers(0, rows)] = False
        mask = put(rng, seen, "bool", strided)
    elif masked == "added":
        mask = _some(rng, shape, dtype, strided)
        if rng.random() < 0.6:                                  # one for all rows, or all of a batch
            mask = broadcast(rng, mask.values, dtype, [rng.random() < 0.5, rng.random() < 0.7, False])
    return (put(rng, query, dtype, strided), put(rng, key, dtype, strided),
            _some(rng, (batch, keys, width), dtype, strided), mask, causal,
            float(rng.choice([inner**-0.5, 1.0, 0.125])), room(rng, (batch, rows, width), dtype, strided))


def _steps(rng, role, n):
    length, batch, hidden = with_one(rng, role, n, 3, 20000, (1, 2, 3, 5))
    counts = -np.sort(-rng.integers(1, batch + 1, length)) if rng.random() < 0.5 else np.full(length, batch)
    return batch, hidden, [int(count) for count in counts], bool(rng.integers(0, 2))


def _make_recurrent(cell, role, n, dtype, strided, rng):
    batch, hidden, counts, backwards = _steps(rng, role, n)
    rows, width, plain = sum(counts), GATES[cell] * hidden, cell.startswith("rnn")
    gates = _some(rng, (rows, width), dtype, strided, False)
    bias = _some(rng, (hidden,), dtype, strided) if cell == "gru" and rng.random() < 0.5 else None
    state = [_some(rng, (batch, hidden), dtype, strided) if here else None for here in (True, cell == "lstm")]
    values = gates if rng.random() < 0.3 else room(rng, (rows, width), dtype, False)
    outs = [room(rng, (n, hidden), dtype, False) for n in (rows, rows, batch, batch)]
    weight = put(rng, weights(rng, width, hidden, dtype) / 2, dtype, strided, False)
    return (CELLS.index(cell), steps_of(counts, backwards), gates, weight, bias, *state, values,
            None if plain else outs[0], values if plain else outs[1], outs[2], outs[3] if cell == "lstm" else None)


def _make_recurrent_backward(cell, role, n, dtype, strided, rng):
    batch, hidden, counts, backwards = _steps(rng, role, n)
    rows, width, plain, pair = sum(counts), GATES[cell] * hidden, cell.startswith("rnn"), cell == "lstm"
    given = [_some(rng, shape, dtype, strided) if rng.random() < 0.75 else None
             for shape in ((rows, hidden), (batch, hidden), (batch, hidden))]
    given[2] = given[2] if pair else None
    values = put(rng, rng.random((rows, width)), dtype, strided, False)
    kept, before = (None, None) if plain else (_some(rng, (rows, hidden), dtype, strided) for _ in range(2))
    outs = [room(rng, s, dtype, False) for s in ((rows, width), (rows, width), (batch, hidden), (batch, hidden))]
    return (CELLS.index(cell), steps_of(counts, backwards), *given, values, kept, before,
            put(rng, weights(rng, width, hidden, dtype) / 2, dtype, strided, False), outs[0],
            outs[1] if cell == "gru" else None, outs[2], outs[3] if pair else None)


def recurrent_calls(entry):
    rng = plan(entry)
    backward = entry.endswith("backward")
    for number, role, n in turns(rng, (257, 5000, 257)):
        for cell in CELLS:
            strided = rng.random() < 0.4
            dtype = "float32" if strided else str(rng.choice(FLOATS[2:] if number % 4 else FLOATS))
            make = partial(_make_recurrent_backward if backward else _make_recurrent, cell, role, n, dtype, strided)
            yield case(entry, f"{cell} {number}", dtype, make, (9, 10, 11, 12) if backward else (7, 8, 9, 10, 11),
                       Limit(4, terms=terms))


# ------------------------------------------------------------------ of what has sizes in several roles

LOSSES, SUMS = (70000, 5000, 70000), ("float32", "float32", "float64")
# {entry: (what makes the operands, how large each role gets, dtypes, the first for strided operands, outs, the limit)}
ROLES = {
    **{f"conv2d{name}": (make, (1025, 513, 513, 2049, 10000), ("float32",) * 5 + FLOATS, outs, Limit(2, terms=terms_))
       for name, make, outs, terms_ in (("", _make_conv2d, (7,), terms_of_conv2d),
                                        ("_backward", _make_conv2d_backward, (7, 8, 9), terms_of_conv2d_backward))},
    **{f"grid_sample{name}": (partial(_make_sample, bool(name)), (4097, 4097, 4097, 5000, 10000), ("float64",), outs,
                              Limit(4, terms=terms_of_sample)) for name, outs in (("", (5,)), ("_backward", (6, 7)))},
    "resample": (_make_resample, (4097, 70000, 10000, 257, 70000), SUMS, (3,), EXACT),
    "gather_sum": (_make_gather_sum, (70000, 5000, 70000, 10000), SUMS, (4,), EXACT),
    "pool_backward": (_make_pool_backward, (70000, 131073, 70000), SUMS, (2,), EXACT),
    "nll_loss": (_make_loss, LOSSES, SUMS, (5, 6), Limit(8, terms=terms_of_loss)),
    "nll_loss_backward": (_make_loss_backward, LOSSES, SUMS, (5,), Limit(16)),
    "ctc_loss": (_make_ctc, (17, 129, 257, 513), ("float64",), (6, 7, 8), Limit(32, terms=_terms_of_paths)),
    "ctc_loss_backward": (_make_ctc_backward, (17, 129, 257, 513), ("float64",), (10,),
                          Limit(32, terms=_terms_of_paths)),
    "attention": (_make_attention, (70000, 2100, 33000, 513, 513), ("float32", *FLOATS), (6,),
                  lambda dtype: Limit(6 if dtype in FLOATS[:2] else 400, floor=2))}


def role_calls(entry):
    rng = plan(entry)
    make, sizes, dtypes, outs, limit = ROLES[entry]
    for number, role, n in turns(rng, sizes):
        strided = rng.random() < 0.4
        dtype = str(rng.choice(dtypes[:1] if strided else dtypes))
        yield case(entry, number, dtype, partial(make, role, n, dtype, strided), outs,
                   limit(dtype) if callable(limit) else limit)


# ------------------------------------------------------------------ reductions of programs

EXACT_PROGRAMS = ("sum of squares", "mean of squares", "two results", "a result of two", "count", "any", "no step",
                  "a number as input")


def _make_map_reduce(name, dtype, n, along, strided, rng):
    program, ops, finish, targets = PROGRAMS[name]
    kept, length = drawn_rows.rows_shape(rng, n, along, strided, int(rng.integers(0, 3)))
    shape = (*kept, length)
    first = whole(rng, shape, dtype, 3)
    ins = [put(rng, first, dtype, strided), put(rng, first - rng.choice([1, 2], shape), dtype, strided)]
    outs = [room(rng, kept, targets[dtype] if targets else dtype, False)
            for _ in range(len(ops) if finish is None else 1)]
    ins, outs = drawn_rows.reduced_operands(ins, outs, len(kept))
    if ("in", 2) in program:
        ins = [*ins, 1.75]
    return (coded(program), tuple(ins), tuple(REDUCE.index(op) for op in ops), finish and coded(finish),
            (7.0,) if finish else (), tuple(outs))


def map_reduce_calls(entry):
    rng = plan(entry)
    lengths = [n for n in SIZES if n > 1]
    for number in range(3 * len(lengths)):
        n, turn = lengths[number % len(lengths)], number // len(lengths)
        strided, along = turn == 2, turn != 1
        names = EXACT_PROGRAMS if not strided else EXACT_PROGRAMS[:3]
        name = names[int(rng.integers(0, len(names)))]
        dtype = "float32" if strided or rng.random() < 0.4 else str(rng.choice(FLOATS))
        make = partial(_make_map_reduce, name, dtype, n, along, strided)
        yield case(entry, number, dtype, make, (5,), Limit(16 if dtype in FLOATS[2:] else 2))


# ------------------------------------------------------------------ transforms and routines

def _make_fft(kind, dtype, norm, n, strided, rng):
    source, target, inverse = KINDS[kind]
    rank = int(rng.integers(1, 4))
    shape = [n, *(int(rng.choice([1, 2, 3, 4, 5, 6])) for _ in range(rank - 1))]
    shape = [int(x) for x in rng.permutation(shape)]
    axes = [int(x) for x in rng.permutation(rank)[:int(rng.integers(1, rank + 1))]]
    if n not in [shape[axis] for axis in axes] and rng.random() < 0.7:
        axes = [shape.index(n)]
    halved = list(shape)
    halved[axes[-1]] = shape[axes[-1]] // 2 + 1
    given, made = (tuple(halved if kind == name else shape) for name in ("from half", "half"))
    dtypes = {"real": dtype, "complex": COMPLEX_OF[dtype]}
    a = put(rng, numbers(rng, given, dtypes[source]), dtypes[source], strided)
    return a, room(rng, made, dtypes[target], strided), tuple(axes), inverse, norm


def fft_calls(entry):
    rng = plan(entry)
    for number, n in enumerate(up_to(70000) * 3):
        kind, norm = list(KINDS)[number % 4], ("none", "root", "count")[number % 3]
        dtype = "float32" if n > 300 or rng.random() < 0.5 else "float64"
        yield case(entry, number, dtype, partial(_make_fft, kind, dtype, norm, n, number >= len(SIZES)), (1,),
                   Limit(4, terms=terms_of_fft))


SQUARE_ONES = ("solve", "inverse", "lu", "cholesky", "cholesky upper", "qr", "qr of tall", "qr of wide", "eigh",
               "svd of tall", "svd of wide", "triangular_solve upper", "triangular_solve unit",
               "triangular_solve transposed", "triangular_solve upper transposed unit")


def _make_linalg(name, dtype, batch, sizes, rng):
    routine, rows, columns, outs, options = routines(*sizes)[name]
    ins = [put(rng, matrices(routine, batch, rows, columns, dtype, options, rng), dtype, True, False)]
    if routine in ("solve", "triangular_solve"):
        ins.append(put(rng, numbers(rng, (batch, rows, outs[0][0][1]), dtype), dtype))
    made = (room(rng, (batch, *shape), kind if isinstance(kind, str) else kind(dtype), False) for shape, kind in outs)
    return routine, tuple(ins), tuple(made), dict(options)


def linalg_calls(entry):
    rng = plan(entry)
    for number, role, n in turns(rng, (1025, 129, 1025)):
        for name in rng.choice(SQUARE_ONES[:3] if role == 2 else SQUARE_ONES, 2 + 3 * (role == 0), replace=False):
            sizes = [int(rng.choice([2, 3, 4, 5])) for _ in range(2)]
            batch, size, sides = (n, *sizes) if role == 0 else (1, n, 2) if role == 1 else (2, sizes[0], n)
            yield case(entry, f"{name} {number}", "float64", partial(_make_linalg, str(name), "float64", batch,
                                                                    (size + 3, max(size, 2), sides)), (2,),
                       Limit(400, floor=4 * max(size, 10)), derived=derive)


# ------------------------------------------------------------------ an index that nobody has looked at

def _make_looking(make, outside, rng):
    args = make(rng)
    index, dim = (args[1], args[2]) if len(args) == 4 else (args[3], args[2])
    axis = (args[0] if len(args) == 4 else args[1]).shape[dim]
    if 0 not in index.strides:
        at = np.unravel_index(int(rng.choice(places_in(int(np.prod(index.shape)))[[0, 1, 1, 1, 2, 3, 4]])), index.shape)
        window(index, index.memory)[at] = {"below": -1, "beyond": axis}[outside]
    return args


def looking_calls(entry):
    plain = entry.removesuffix("_looking")
    rng = plan(entry)
    for found in drawn_rows.index_calls(plain):
        key = Key(entry, "drawn", found.key.dtype, found.key.layout)
        outside = (None, "below", "beyond")[int(rng.integers(0, 3))]
        make = found.make
        if outside is None:
            yield LookingCase(key, make, found.outs, found.limit, formula=getattr(reference, plain))
        elif int(found.key.layout) < drawn_rows.DENSE * len(SIZES):            # dense: each place is one
            answer = {"derived": nothing, "formula": gathered_anything} if plain == "gather" else {"formula": nothing}
            yield LookingCase(key, partial(_make_looking, make, outside), found.outs if plain == "gather" else (),
                              answer=False, **answer)


CALLS = {entry: partial(pointwise_calls, entry) for entry in ("fill", "copy", "unary", "binary", "where",
                                                              "binary_scalar", "elementwise")}
CALLS |= {entry: partial(drawn_rows.row_calls, entry) for entry in ("reduce", "argreduce", "scan", "sort",
                                                                    "partial_sort")}
CALLS |= {entry: partial(calls, entry) for calls, entries in (
    (drawn_rows.softmax_calls, ("softmax", "softmax_backward")), (drawn_rows.index_calls, ("gather", "scatter")),
    (drawn_rows.norm_calls, ("layer_norm", "layer_norm_backward", "group_norm", "group_norm_backward")),
    (map_reduce_calls, ("map_reduce",)), (drawn_rows.product_calls, ("matmul", "addmm")),
    (drawn_rows.nonzero_calls, ("nonzero",)),
    (drawn_rows.random_calls, ("random",)), (drawn_rows.arange_calls, ("arange",)),
    (role_calls, ROLES), (pool_calls, ("pool",)), (recurrent_calls, ("recurrent", "recurrent_backward")),
    (fft_calls, ("fft",)), (linalg_calls, ("linalg",)), (looking_calls, ("gather_looking", "scatter_looking")))
    for entry in entries}
