"""Cases of resampling: sums of places along an axis; images and volumes at points of a grid, and their gradients."""
from functools import partial

import numpy as np

from cygrad.backend import SAMPLING, SAMPLING_PADDING
from cygrad.testing.operands import dense, numbers, reordered, result, sliced, turned
from cygrad.testing.runner import Case, Key, Limit

PRECISIONS = "float32", "float64"
# name: shape of a, outputs, taps, layout
AXES = {"rows": ((2, 5, 70), 9, 3, dense), "short rows": ((3, 7, 3), 4, 2, sliced), "lines": ((5, 11, 1), 23, 4, dense),
        "one tap": ((3, 6, 1), 8, 1, turned), "one place": ((2, 1, 4), 3, 5, reordered),
        "two lines": ((2, 64, 1), 64, 2, dense), "columns": ((1, 9, 16), 20, 6, turned),
        "wide rows": ((2, 4, 129), 3, 2, reordered), "gaps": ((6, 5, 2), 5, 4, sliced),
        "large": ((40, 90, 1), 700, 7, dense), "large rows": ((4, 90, 130), 45, 5, dense)}
# name: shape of a, of the points, layout
IMAGES = {"image": ((2, 3, 5, 7), (4, 6), dense), "many points": ((1, 2, 6, 4), (3, 150), sliced),
          "one row": ((2, 1, 1, 4), (5, 2), reordered), "turned": ((2, 3, 4, 6), (7, 5), turned),
          "volume": ((2, 2, 3, 4, 5), (2, 3, 4), dense),
          "many points of a volume": ((1, 3, 4, 3, 2), (2, 11, 13), sliced)}
TO_ITS_LAYOUT = ("gaps", "columns", "many points", "turned")        # where the result lies as the operand does


def _make_resample(dtype, layout, rng):
    shape, outputs, taps, put = AXES[layout]
    places = rng.integers(0, shape[1], (taps, outputs))
    weights = numbers(rng, (taps, outputs), dtype)
    return (put(numbers(rng, shape, dtype), dtype), put(places, "int64"), put(weights, dtype),
            result((shape[0], outputs, shape[2]), dtype, put if layout in TO_ITS_LAYOUT else dense))


def _terms_of_resample(a, places, weights, out):
    return np.abs(a.astype(float)).max() * np.abs(weights.astype(float)).max() * len(weights)


def resample_cases():
    for dtype in PRECISIONS:
        for layout in AXES:
            yield Case(Key("resample", "", dtype, layout), partial(_make_resample, dtype, layout), (3,),
                       Limit(1, terms=_terms_of_resample))


# What is nowhere, or far outside, by padding.
BEYOND = {"zeros": (np.nan, np.inf, -np.inf, 1e9), "border": (1e9, -1e9), "reflection": ()}


def set_apart(grid, sizes, padding, align):
    """Put some points in the middle between places, or at a border, where that needs no rounding, and some BEYOND."""
    rows = grid.reshape(-1, len(sizes))
    for axis, n in enumerate(sizes[::-1]):
        parts = n - 1 if align else n
        at = np.arange(-1, 2 * n + 1, 2) / 2
        if parts & (parts - 1) == 0 < parts:
            rows[axis:len(at) + axis, axis] = 2 * at / parts - 1 if align else (2 * at + 1) / parts - 1
    for number, odd in enumerate(BEYOND[padding]):
        rows[-1 - number, number % len(sizes)] = odd


def points_of(rng, shape, sizes, align):
    """Points in and around an image, none so near to the middle or the border of a place that rounding matters."""
    found = np.empty((*shape, len(sizes)))
    for axis, n in enumerate(sizes[::-1]):
        at = rng.integers(-n - 2, 2 * n + 2, shape) + rng.uniform(0.1, 0.4, shape)
        found[..., axis] = 2 * at / max(n - 1, 1) - 1 if align else (2 * at + 1) / n - 1
    return found


def _make_sample(mode, padding, align, dtype, layout, rng, apart=True):
    shape, points, put = IMAGES[layout]
    grid = points_of(rng, (shape[0], *points), shape[2:], align)
    if apart:
        set_apart(grid, shape[2:], padding, align)
    return (SAMPLING.index(mode), SAMPLING_PADDING.index(padding), align, put(numbers(rng, shape, dtype), dtype),
            put(grid, dtype), result((*shape[:2], *points), dtype, put if layout in TO_ITS_LAYOUT else dense))


def _make_sample_backward(mode, padding, align, which, dtype, layout, rng):
    *options, a, grid, out = _make_sample(mode, padding, align, dtype, layout, rng, False)
    put = IMAGES[layout][2]
    return (*options, put(numbers(rng, out.shape, dtype), dtype), a, grid,
            result(a.shape, dtype) if which != "grid" else None,
            result(grid.shape, dtype) if which != "image" else None)


def terms_of_sample(mode, padding, align, *operands):
    """Points are off by some parts of the image's size, and weights with them; those BEYOND have none."""
    given = [np.abs(t[np.abs(t) < 1e6].astype(float)).max(initial=0) for t in operands if t is not None and t.size]
    a, grid = operands[:2] if len(operands) == 3 else operands[1:3]
    return 300 * max(given[0], 1) * max(given[1], 1) * max(a.shape[2:])**2 * (1 if len(operands) == 3 else grid[0].size)


def _options():
    for mode in SAMPLING:
        for padding in SAMPLING_PADDING:
            for align in (False, True):
                for layout, (shape, _, _) in IMAGES.items():
                    if mode != "cubic" or len(shape) == 4:
                        for dtype in PRECISIONS:
                            yield mode, padding, align, dtype, layout


def grid_sample_cases():
    for mode, padding, align, dtype, layout in _options():
        yield Case(Key("grid_sample", f"{mode} {padding}{' align' * align}", dtype, layout),
                   partial(_make_sample, mode, padding, align, dtype, layout), (5,), Limit(4, terms=terms_of_sample))


def grid_sample_backward_cases():
    for number, (mode, padding, align, dtype, layout) in enumerate(_options()):
        which = ("both", "image", "grid")[number // 2 % 3]
        yield Case(Key("grid_sample_backward", f"{mode} {padding}{' align' * align}", dtype, f"{layout}, {which}"),
                   partial(_make_sample_backward, mode, padding, align, which, dtype, layout), (6, 7),
                   Limit(4, terms=terms_of_sample))
