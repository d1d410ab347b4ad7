"""Cases of elements addressed by an index: `gather`, `scatter`, and their twins that look at the index themselves."""
from dataclasses import dataclass
from functools import partial

import numpy as np

from cygrad.backend import SCATTER
from cygrad.testing import reference, sizes
from cygrad.testing.operands import (EVERY, FLOATS, INTEGERS, REAL, Operand, dense, reordered, repeated, result, sliced,
                                     window, with_extremes)
from cygrad.testing.pointwise import anything
from cygrad.testing.runner import EXACT, Case, Key, Limit

CUBE, CORNER, TEN = (7, 5, 6), (4, 5, 3), (2, 3, 2, 1, 2, 2, 1, 2, 2, 2)
# name: shape of the tensor, sizes of the index (but along its axis), layouts of the tensor and of the index
GATHERED = {
    "dense": (CUBE, CORNER, dense, dense), "transposed": (CUBE, CORNER, reordered, reordered),
    "sliced": (CUBE, CORNER, sliced, sliced), "one index for all": (CUBE, CORNER, dense, partial(repeated, axis=1)),
    "ten axes": (TEN, TEN, reordered, dense), "large": ((300, 400), (250, 390), dense, dense),
    "offset": (CUBE, CORNER, partial(dense, offset=3), partial(dense, offset=5)),
    "long": ((70001,), (1,), dense, dense), "sliced result": (CUBE, CORNER, dense, dense),
    "index in columns": ((9, 7), (8, 6), dense, reordered),
}
# the same; layout of the source
SCATTERED = {
    "dense": (CUBE, CORNER, dense, dense, dense), "transposed": (CUBE, CORNER, reordered, reordered, reordered),
    "sliced": (CUBE, CORNER, sliced, sliced, sliced), "one source for all": (CUBE, CORNER, dense, dense, repeated),
    "ten axes": (TEN, TEN, reordered, dense, reordered), "large": ((300, 100), (250, 90), dense, dense, dense),
    "long": ((35001,), (1,), dense, dense, dense),
    "index in columns": ((9, 7), (8, 6), dense, reordered, dense),
}
# Below this are what is added up, whole numbers of nearly as many bits as the dtype has: their sums are exact.
WHOLE = {"float32": 2**19, "float64": 2**48, "complex64": 2**19, "complex128": 2**48}
# name: where an index holds a place outside its axis of n elements (of `first`, `middle`, `last`), and which
OUTSIDE = {
    "counted from the end": ("first", lambda n: -1), "one too far": ("last", lambda n: n),
    "one too low": ("last", lambda n: -n - 1), "beyond 32 bits": ("middle", lambda n: 1 << 32),
    "largest": ("first", lambda n: 2**63 - 1), "smallest": ("middle", lambda n: -2**63),
}


def _index(rng, shape, axis_size, put, outside):
    """An index of places on an axis; one of them is not on it if `outside` says how."""
    index = put(rng.integers(0, axis_size, shape), "int64")
    if outside:
        where, place = OUTSIDE[outside]
        at = {"first": lambda size: 0, "middle": lambda size: size // 2, "last": lambda size: size - 1}[where]
        window(index, index.memory)[tuple(map(at, shape))] = place(axis_size)
    return index


def _dims(layout):
    return range({"large": 2, "long": 1, "index in columns": 2}.get(layout, 3))


# ---- gather

def _make_gather(dtype, dim, layout, outside, rng):
    shape, places, put, put_index = GATHERED[layout]
    places = (*places[:dim], {"large": 280, "long": 70003}.get(layout, 11), *places[dim + 1:])
    index = _index(rng, places, shape[dim], put_index, outside)
    put_out = sliced if layout == "sliced result" else dense
    return put(anything(rng, shape, dtype), dtype), index, dim, result(places, dtype, put_out)


def gather_cases():
    for dtype in EVERY:
        for layout in GATHERED:
            for dim in _dims(layout):
                yield Case(Key("gather", f"dim {dim}", dtype, layout), partial(_make_gather, dtype, dim, layout, None),
                           (3,), signed=True)
    yield from sizes.index_cases("gather")


# ---- scatter

def _make_scatter(mode, dtype, dim, layout, outside, rng):
    shape, places, put, put_index, put_source = SCATTERED[layout]
    places = (*places[:dim], 2 * shape[dim], *places[dim + 1:])         # every place is hit more than once
    low, high = (1, 3) if SCATTER[mode] == "prod" else (0, WHOLE.get(dtype, 9))
    values, start = (rng.integers(low, high, s).astype("bool" if dtype == "bool" else "int64") for s in (places, shape))
    if dtype in INTEGERS:                                               # of any size: sums and products wrap
        limits = np.iinfo(dtype)
        values, start = (np.where(rng.random(x.shape) < 0.5, x, rng.integers(
            limits.min, limits.max, x.shape, dtype, endpoint=True)).astype(dtype) for x in (values, start))
    elif dtype in FLOATS and SCATTER[mode] not in ("add", "prod"):      # NaN, infinities and zeros are among them
        values, start = (with_extremes(rng, x.shape, dtype) for x in (values, start))
    elif dtype in FLOATS and min(shape) > 1:                            # whose sum no order changes
        values, start = values.astype("float64"), start.astype("float64")
        for odd in (np.inf, np.nan, -np.inf):
            values[tuple(map(rng.integers, places))] = odd
        start[tuple(map(rng.integers, shape))] = np.nan
    index = _index(rng, places, shape[dim], put_index, outside)
    return mode, put(start, dtype), dim, index, put_source(values, dtype)


def terms_of_products(mode, out, dim, index, src):
    return 2.0 * src.shape[dim]


def scatters():
    """(mode, its name, dtype, limit of error) of all that backends may have."""
    for mode, name in enumerate(SCATTER):
        for dtype in EVERY if name in ("set", "add") else REAL[1:]:
            yield mode, name, dtype, Limit(1, terms=terms_of_products) if name == "prod" and dtype in FLOATS else EXACT


def scatter_cases():
    yield from overlapping_scatter_cases()
    for mode, name, dtype, limit in scatters():
        for layout in SCATTERED:
            for dim in _dims(layout):
                yield Case(Key("scatter", f"{name} dim {dim}", dtype, layout),
                           partial(_make_scatter, mode, dtype, dim, layout, None), (1,), limit)
    yield from sizes.index_cases("scatter")


# The result of a[x, y] as the core walks it: places x * 20 + y * 5 along one axis of step 1, rows of 5 beside it.
def _make_overlapping_scatter(mode, dtype, rng):
    places = rng.integers(0, 3, (30, 1)) * 20 + rng.integers(0, 4, (30, 1)) * 5
    memory = dense(rng.integers(0, 9, 60), dtype).memory
    index, source = np.repeat(places, 5, 1), rng.integers(0, 9, (30, 5))
    return mode, Operand(dtype, memory, (56, 5), (1, 1)), 0, repeated(index, "int64", 1), dense(source, dtype)


def _overlapping_scatter(mode, out, dim, index, src):
    memory = np.concatenate([out[:, 0], out[-1, 1:]])
    found = reference.scatter(mode, memory, 0, (index + np.arange(5)).reshape(-1), src.reshape(-1))
    return np.lib.stride_tricks.sliding_window_view(found, 5)


def _make_shared_scatter(mode, dtype, rng):
    index, source = rng.integers(0, 7, (3, 20, 4)), rng.integers(0, 9, (3, 20, 4))
    start = np.broadcast_to(rng.integers(0, 9, (7, 4)), (3, 7, 4))
    return mode, repeated(start, dtype), 1, dense(index, "int64"), dense(source, dtype)


def _shared_scatter(mode, out, dim, index, src):
    found = reference.scatter(mode, out[0], 0, index.reshape(-1, 4), src.reshape(-1, 4))
    return np.broadcast_to(found, out.shape)


def overlapping_scatter_cases():
    for mode, name in enumerate(SCATTER[:2]):
        for dtype in EVERY[1:]:
            yield Case(Key("scatter", f"{name} to rows that overlap", dtype, ""),
                       partial(_make_overlapping_scatter, mode, dtype), (1,), formula=_overlapping_scatter)
            yield Case(Key("scatter", f"{name} to rows that are one", dtype, ""),
                       partial(_make_shared_scatter, mode, dtype), (1,), formula=_shared_scatter)


# ---- an index that nobody has looked at

@dataclass(frozen=True)
class LookingCase(Case):
    """A call of `gather_looking` or `scatter_looking`; of `gather` or `scatter` where these look (`checks_places`)."""

    answer: object = True

    def kernel(self, backend):
        """The entry; None, the answer of one that always looks, made True."""
        if not backend.checks_places:
            return super().kernel(backend)
        looking = getattr(backend, self.key.entry.removesuffix("_looking"))

        def called(*args):
            answer = looking(*args)
            return True if answer is None else answer

        return called


def nothing(*args):
    """What is expected where nothing is written, and compared where anything may be."""
    return ()


def gathered_anything(src, index, dim, out):
    return out


def gather_looking_cases():
    for dtype in EVERY:
        for layout in GATHERED:
            for dim in _dims(layout):
                yield LookingCase(Key("gather_looking", f"dim {dim}", dtype, layout),
                                  partial(_make_gather, dtype, dim, layout, None), (3,), formula=reference.gather)
            for outside in OUTSIDE if layout != "long" else ():
                yield LookingCase(Key("gather_looking", outside, dtype, layout),
                                  partial(_make_gather, dtype, 1, layout, outside), (3,), derived=nothing,
                                  formula=gathered_anything, answer=False)


def scatter_looking_cases():
    for mode, name, dtype, limit in scatters():
        for layout in SCATTERED:
            for dim in _dims(layout):
                yield LookingCase(Key("scatter_looking", f"{name} dim {dim}", dtype, layout),
                                  partial(_make_scatter, mode, dtype, dim, layout, None), (1,), limit,
                                  formula=reference.scatter)
            for outside in OUTSIDE if layout != "long" else ():     # all operands are inputs: nothing may be written
                yield LookingCase(Key("scatter_looking", f"{name} {outside}", dtype, layout),
                                  partial(_make_scatter, mode, dtype, 1, layout, outside), (), formula=nothing,
                                  answer=False)


# ---- sums of rows

# name: rows and columns of the table, indices, bags, layout of the table, whether there are weights
SUMS = {"rows": (7, 5, 20, 4, dense, False), "weights": (9, 70, 15, 3, dense, True),
        "wide": (4, 200, 9, 2, dense, True), "columns": (6, 8, 11, 4, reordered, False),
        "gaps": (5, 3, 12, 5, sliced, True), "one": (1, 1, 1, 1, dense, False),
        "one column": (8, 1, 13, 3, dense, True), "large": (400, 64, 3000, 150, dense, False)}


def _make_gather_sum(dtype, layout, rng):
    rows, width, count, bags, put, weighted = SUMS[layout]
    starts = np.sort(rng.integers(0, count + 1, bags + 1))          # some bags are empty
    if layout in ("rows", "gaps"):
        starts[0], starts[-1] = -3, count + 2
    if layout == "columns":
        starts = np.roll(starts, 2)                             # a bag that ends before it begins has nothing
    weights = dense(rng.integers(-3, 4, count), dtype) if weighted else None
    return (put(rng.integers(-9, 9, (rows, width)), dtype), dense(rng.integers(0, rows, count), "int64"),
            dense(starts, "int64"), weights, result((bags, width), dtype, put))


def gather_sum_cases():
    for dtype in ("float32", "float64"):
        for layout in SUMS:
            for n in range(2):
                yield Case(Key("gather_sum", f"{n}", dtype, layout), partial(_make_gather_sum, dtype, layout), (4,))
