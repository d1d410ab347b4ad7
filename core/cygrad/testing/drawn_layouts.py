"""Where drawn operands lie: shapes, strides and offsets, alone and of several in one storage; see `drawn`."""
from dataclasses import replace

import numpy as np

from cygrad.testing.operands import Operand, dense_strides, laid_out, result

MOST = 300000                           # elements of an operand, or a few more
OFFSETS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 31, 33, 64, 65600)


def shape_with(rng, n, rank, most=MOST):
    """Sizes of `rank` axes, or fewer where these would be too many elements; one is n, sometimes two are."""
    sizes = [n]
    if rank > 1 and n * n <= most and rng.random() < 0.25:
        sizes = [n, n]
    while len(sizes) < rank:
        more = int(rng.choice([1, 2, 2, 3, 3, 4, 5, 7, 9, 17, 33, 65]))
        if np.prod(sizes) * more > max(most, n) and more > 2:
            more = 2
        if np.prod(sizes) * more > max(most, n):
            break
        sizes.append(more)
    return tuple(int(size) for size in (rng.permutation(sizes) if n < 65536 or rng.random() < 0.5 else sizes))


def strides_of(rng, shape, style):
    """Strides, and how far from the start of its storage the first element is."""
    rank, offset = len(shape), int(rng.choice(OFFSETS))
    order = rng.permutation(rank) if style in ("turned", "turned with gaps") else np.arange(rank)
    gaps = np.zeros(rank, int)
    if style in ("gaps", "turned with gaps") and rank:
        gaps[rng.integers(0, rank, 2)] = rng.choice([1, 3, 4, 7, 8, 32], 2)
    step = int(rng.choice([2, 2, 3, 4])) if style == "steps" else 1
    strides = [0] * rank
    for axis in order[::-1]:
        strides[axis] = step
        step *= shape[axis] + int(gaps[axis])
    return tuple(int(stride) for stride in strides), 0 if style == "dense" else offset


STYLES = ("dense", "offset", "offset", "gaps", "gaps", "turned", "turned", "turned with gaps", "steps")
NEAR = ("dense", "offset", "gaps")       # of which the neighbours on the last axis are neighbours in memory


def put(rng, values, dtype, strided=True, repeats=True):
    """An operand somewhere in its storage; with `repeats`, perhaps broadcast along some of its axes.

    `strided`: in any of STYLES; or those that it may have.
    """
    values = np.asarray(values)
    if isinstance(strided, tuple):
        return laid_out(values, dtype, *strides_of(rng, values.shape, rng.choice(strided)))
    if not strided:
        return laid_out(values, dtype, *strides_of(rng, values.shape, "offset" if rng.random() < 0.6 else "dense"))
    if repeats and values.ndim and rng.random() < 0.25:
        flat = rng.random(values.ndim) < rng.choice([0.5, 1])
        flat[rng.integers(0, values.ndim)] = True
        return broadcast(rng, values, dtype, flat)
    return laid_out(values, dtype, *strides_of(rng, values.shape, rng.choice(STYLES)))


def apart(rng, strided, count):
    """How each of `count` operands may be `strided`: one in any way, the others NEAR; now and then all in any way.

    What is compiled for the strides of each is compiled for any two that go together.
    """
    if not strided or rng.random() < 0.1:
        return [strided] * count
    odd = int(rng.integers(0, count))
    return [True if i == odd else NEAR for i in range(count)]


def broadcast(rng, values, dtype, flat, styles=STYLES):
    """An operand with stride 0 along the axes where `flat` is true."""
    first = values[tuple(slice(0, 1) if zero else slice(None) for zero in flat)]
    operand = laid_out(first, dtype, *strides_of(rng, first.shape, rng.choice(styles)))
    return replace(operand, shape=values.shape, strides=tuple(0 if zero else stride for zero, stride
                                                              in zip(flat, operand.strides)))


def room(rng, shape, dtype, strided=True):
    """An operand to be written to, anywhere."""
    return result(shape, dtype, lambda values, dtype: put(rng, values, dtype, strided, False))


def merged(operands, start=0, stop=None):
    """The operands of one shape as the core hands them over: no axes of size 1, neighbours merged if all can be."""
    stop = len(operands[0].shape) if stop is None else stop
    shape, axes = operands[0].shape, []                         # [size, strides]
    for axis in range(start, stop):
        size, strides = shape[axis], [x.strides[axis] for x in operands]
        if size == 1:
            continue
        if axes and all(before == size * stride for before, stride in zip(axes[-1][1], strides)):
            axes[-1] = [axes[-1][0] * size, strides]
        else:
            axes.append([size, strides])
    made = {}
    for i, x in enumerate(operands):
        if x not in made:
            made[x] = replace(x, shape=(*x.shape[:start], *(size for size, _ in axes), *x.shape[stop:]),
                              strides=(*x.strides[:start], *(strides[i] for _, strides in axes), *x.strides[stop:]))
    return [made[x] for x in operands]


def is_dense(operand):
    return operand.strides == dense_strides(operand.shape)


def handed_over(operands):
    """Pointwise operands: merged, unless all are dense."""
    return operands if all(map(is_dense, operands)) else merged(operands)


def shared(rng, dtype, arrays):
    """Operands of dense values one behind the other in one storage, none of them where the one before ends."""
    starts, at = [], int(rng.choice(OFFSETS))
    for values in arrays:
        starts.append(at)
        at += values.size + int(rng.choice(OFFSETS))
    whole = laid_out(np.zeros(at), dtype, (1,))
    whole.memory.view("uint8")[...] = 0xFF
    made = []
    for values, start in zip(arrays, starts):
        operand = Operand(dtype, whole.memory, values.shape, dense_strides(values.shape), start)
        operand.memory[start:start + values.size] = laid_out(values.reshape(-1), dtype, (1,)).memory[:values.size]
        made.append(operand)
    return made
