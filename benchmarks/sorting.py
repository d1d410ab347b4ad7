"""What moves elements about: sorting, selecting, gathering, scattering, joining and masking.

Sizes: 1e3 in the cache, 1e6 beyond it; matrices of 1000x1000 and an embedding table of 30,000x128, as models have them.
"""

import sys

from harness import Row, main

VECTOR = """
x = make(rng.standard_normal({n}, dtype='f4'))
y = make(rng.standard_normal({n}, dtype='f4'))
i = make(rng.integers(0, 1000, {n}))
order = make(rng.permutation({n}))
mask = make(rng.random({n}) > 0.5)
rare = make(rng.random({n}) > 0.99)
edges = make(np.linspace(-3, 3, 100, dtype='f4'))
"""
VECTORS = [
    ("x.sort()", "np.sort(x), np.argsort(x, kind='stable')"), ("m.sort(x)[0]", "np.sort(x)"),
    ("x.argsort()", "np.argsort(x, kind='stable')"), ("i.sort()[0]", "np.sort(i)"),
    ("x.topk(10)[0]", "np.sort(np.partition(x, -10)[-10:])[::-1]"), ("x.kthvalue(100)[0]", "np.partition(x, 99)[99]"),
    ("x.median()", "np.partition(x, x.size // 2 - 1)[x.size // 2 - 1]"),
    ("m.unique(x)", "np.unique(x)"), ("m.unique(i)", "np.unique(i)"), ("m.unique_consecutive(mask)", False),
    ("mask.nonzero()", "np.argwhere(mask)"), ("rare.nonzero()", "np.argwhere(rare)"),
    ("x[mask]", True), ("x[order]", True), ("x.index_select(0, order)", "x.take(order)"), ("x.gather(0, order)", False),
    ("x.scatter(0, order, y)", False), ("x.masked_fill_(mask, 0.0)", False),
    ("x.take(order)", True), ("m.where(mask, x, y)", True), ("m.where(x > 0, x, 0.1 * x)", True),
    ("x.masked_fill(mask, 0.0)", "np.where(mask, np.float32(0), x)"), ("m.cat([x, y])", "np.concatenate([x, y])"),
    ("m.stack([x, y], 1)", "np.stack([x, y], 1)"), ("m.searchsorted(edges, x)", "np.searchsorted(edges, x)"),
    ("i.bincount()", "np.bincount(i)"), ("m.histc(x, 100, -3.0, 3.0)", "np.histogram(x, 100, (-3, 3))[0].astype('f4')"),
    ("m.zeros(1000).index_add_(0, i, x)", "np.bincount(i, x, 1000).astype('f4')"),
    ("m.zeros(1000).scatter_add_(0, i, x)", "np.bincount(i, x, 1000).astype('f4')"),
    ("x.roll(1)", "np.roll(x, 1)"), ("x.flip(0)", "np.flip(x, 0).copy()"),
]
MATRIX = """
x = make(rng.standard_normal((1000, 1000), dtype='f4'))
y = make(rng.standard_normal((1000, 1000), dtype='f4'))
i = make(rng.integers(0, 1000, (1000, 1000)))
rows = make(rng.permutation(1000))
mask = make(rng.random((1000, 1000)) > 0.5)
narrow = make(rng.standard_normal((1000, 10), dtype='f4'))
table = make(rng.standard_normal((30_000, 128), dtype='f4'))
words = make(rng.integers(0, 30_000, 4096))
parts = [make(rng.standard_normal((100, 1000), dtype='f4')) for _ in range(10)]
"""
MATRICES = [
    ("x.sort(1)[0]", "np.sort(x, 1)"), ("x.sort(0)[0]", "np.sort(x, 0)"), ("x.topk(5, 1)[0]", False),
    ("x.gather(1, i)", "np.take_along_axis(x, i, 1)"), ("x.gather(0, i)", "np.take_along_axis(x, i, 0)"),
    ("m.zeros(1000, 1000).scatter_add_(1, i, x)", False), ("m.zeros(1000, 1000).scatter_(0, i[:1], x[:1])", False),
    ("table[words]", True), ("table.index_select(0, words)", "table.take(words, 0)"),
    ("m.zeros(30_000, 128).index_add_(0, words, table[:4096])", False),
    ("x[rows]", True), ("x[:, rows]", True), ("x[mask]", True), ("mask.nonzero()", "np.argwhere(mask)"),
    ("m.cat(parts)", "np.concatenate(parts)"), ("m.cat(parts, 1)", "np.concatenate(parts, 1)"),
    ("m.stack(parts, 1)", "np.stack(parts, 1)"), ("x.tril()", "np.tril(x)"), ("x.median(1)[0]", False),
    ("x.masked_fill(mask, 0.0)", "np.where(mask, np.float32(0), x)"), ("x.masked_select(mask)", "x[mask]"),
    ("narrow[rows]", True), ("narrow.index_select(0, rows)", "narrow.take(rows, 0)"), ("i.topk(5, 1)[0]", False),
    ("x.unfold(1, 3, 1).contiguous()", "np.lib.stride_tricks.sliding_window_view(x, 3, 1).copy()"),
]

TIES = ("x.sort()", "x.argsort()")  # among a million numbers some are equal, and their order is anybody's

SORTING = [Row(f"{statement}, {n:.0e}".replace("e+0", "e"), VECTOR.format(n=n), statement, numpy,
               tolerance=None if statement in TIES else 1e-4)
           for statement, numpy in VECTORS for n in (1000, 1_000_000)]
SORTING += [Row(f"{statement}, matrix", MATRIX, statement, numpy) for statement, numpy in MATRICES]

GROUPS = {"sorting, indexing and masks": SORTING}

if __name__ == "__main__":
    sys.exit(main(GROUPS, __doc__))
