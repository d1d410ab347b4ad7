"""Resampling in NumPy, in extended precision: sums of places along an axis, images at points of a grid, gradients."""
import itertools

import numpy as np

from cygrad.backend import SAMPLING, SAMPLING_PADDING

LONG = np.longdouble


def resample(a, places, weights, out):
    return np.einsum("tq,ltqr->lqr", weights.astype(LONG), a.astype(LONG)[:, places])


def _inside(at, n, padding, align):
    """(points as the padding has them, how they change with what they were)."""
    slope = np.ones_like(at)
    if padding == "reflection":
        low, span = (LONG(0), n - 1) if align else (LONG(-0.5), n)
        apart, slope = np.abs(at - low), np.sign(at - low)
        turns = np.floor(apart / span) if span else 0 * apart
        odd = turns % 2 == 1
        at = np.where(odd, span - (apart - turns * span) + low, apart - turns * span + low) if span else 0 * at
        slope = np.where(odd, -slope, slope) if span else 0 * at
    if padding != "zeros":
        slope = np.where((at > 0) & (at < n - 1), slope, 0)
        at = np.clip(at, 0, n - 1)
    return at, slope


def _keys(x):
    """Keys's cubic convolution, and its slope, at distances x."""
    x, sign, a = np.abs(x), np.sign(x), LONG(-0.75)
    near = ((a + 2) * x - (a + 3)) * x * x + 1, (3 * (a + 2) * x - 2 * (a + 3)) * x
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a, (3 * a * x - 10 * a) * x + 8 * a
    return [np.where(x <= 1, p, np.where(x < 2, q, 0)) for p, q in zip(near, far)], sign


def _along(x, n, mode, padding, align):
    """[(places, -1 outside; weights; their slopes)] of points x along an axis of n places."""
    scale = LONG(n - 1) / 2 if align else LONG(n) / 2
    at = (x + 1) * scale - (0 if align else LONG(0.5))
    if mode == "cubic":
        found = []
        for k in (-1, 0, 1, 2):
            place = np.floor(at) + k
            (weight, slope), sign = _keys(at - place)
            found.append((_inside(place, n, padding, align)[0], weight, slope * sign * scale))
    else:
        at, turn = _inside(at, n, padding, align)
        first = np.floor(at)
        found = [(first, first + 1 - at, -turn * scale), (first + 1, at - first, turn * scale)]
        if mode == "nearest":
            found = [(np.rint(at), np.ones_like(at), np.zeros_like(at))]
    return [(np.where((place >= 0) & (place < n), place, -1).astype(int), weight, slope)
            for place, weight, slope in found]


def _taps(mode, padding, align, a, grid):
    """[(places in the plane, whether they are seen, weights, their slopes by each axis of the grid)]."""
    sizes = a.shape[:1:-1]
    points = grid.astype(LONG).reshape(len(grid), -1, len(sizes))
    along = [_along(points[..., i], n, SAMPLING[mode], SAMPLING_PADDING[padding], align) for i, n in enumerate(sizes)]
    for tap in itertools.product(*along[::-1]):
        place, seen = 0, True
        for (at, _, _), n in zip(tap, sizes[::-1]):
            place, seen = place * n + np.maximum(at, 0), seen & (at >= 0)
        weights = [weight for _, weight, _ in tap]
        slopes = [np.prod([*weights[:i], tap[i][2], *weights[i + 1:]], 0) for i in range(len(tap))]
        yield place, seen, np.prod(weights, 0), slopes[::-1]


def grid_sample(mode, padding, align, a, grid, out):
    planes = a.astype(LONG).reshape(*a.shape[:2], -1)
    total = 0
    for place, seen, weight, _ in _taps(mode, padding, align, a, grid):
        total = total + np.where(seen, weight, 0)[:, None] * np.take_along_axis(planes, place[:, None], 2)
    return total.reshape(out.shape)


def grid_sample_backward(mode, padding, align, grad, a, grid, grad_a, grad_grid):
    planes, g = a.astype(LONG).reshape(*a.shape[:2], -1), grad.astype(LONG).reshape(*a.shape[:2], -1)
    by_a, by_grid = np.zeros_like(planes), np.zeros((len(grid), g.shape[2], grid.shape[-1]), LONG)
    for place, seen, weight, slopes in _taps(mode, padding, align, a, grid):
        share = np.where(seen, weight, 0)[:, None] * g
        for n, c in np.ndindex(*a.shape[:2]):
            np.add.at(by_a[n, c], place[n], share[n, c])
        dots = np.where(seen, (g * np.take_along_axis(planes, place[:, None], 2)).sum(1), 0)
        by_grid += np.stack([dots * slope for slope in slopes], -1)
    return (None if grad_a is None else by_a.reshape(a.shape),
            None if grad_grid is None else by_grid.reshape(grid.shape))
