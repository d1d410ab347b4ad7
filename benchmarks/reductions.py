"""Reductions over every axis, softmax, norms and running sums.

Shapes: 1000 rows of 100, in the cache; 1000x1000; 100,000 rows of 64 (a batch of features) and 64 rows of 100,000,
where the reduced axis is the long or the short one; and a cube whose middle axis goes. Bytes: the input, once.
"""

import sys

from harness import Row, main

SHAPES = [(1000, 100), (1000, 1000), (100_000, 64), (64, 100_000)]
OPS = [
    ("x.sum({d})", "x.sum({d})"), ("x.mean({d})", "x.mean({d})"), ("x.amax({d})", "x.max({d})"),
    ("x.argmax({d})", "x.argmax({d})"), ("x.norm(dim={d})", "np.linalg.norm(x, axis={d})"),
    ("x.std({d})", "x.std({d}, ddof=1)"), ("x.prod({d})", "x.prod({d})"), ("x.logsumexp({d})", False),
    ("x.max({d})", "x.max({d}), x.argmax({d})"), ("(x > 3).any({d})", "(x > 3).any({d})"),
]
WHOLE = [
    ("x.sum()", True), ("x.mean()", True), ("x.max()", True), ("x.min()", True), ("x.argmax()", True),
    ("x.norm()", "np.linalg.norm(x.reshape(-1))"), ("x.std()", "x.std(ddof=1)"), ("(x > 9).any()", True),
    ("x.count_nonzero()", "np.count_nonzero(x)"), ("x.median()", False),
]
ALONG = [
    ("x.softmax({d})", False, 2), ("x.log_softmax({d})", False, 2), ("x.cumsum({d})", "x.cumsum({d})", 2),
    ("x.cumprod({d})", "x.cumprod({d})", 2),
]


def setup(shape, dtype="f4"):
    return f"x = make(rng.standard_normal({shape}).astype('{dtype}'))"


def label(shape):
    return "x".join(map(str, shape))


def elements(shape):
    count = 1
    for size in shape:
        count *= size
    return count


REDUCTIONS = [
    Row(f"{op.format(d=d)}, {label(shape)}", setup(shape), op.format(d=d), numpy and numpy.format(d=d),
        bytes=4 * elements(shape), tolerance=1e-3)
    for op, numpy in OPS for shape in SHAPES for d in (0, 1)
] + [
    Row(f"{op}, {label(shape)}", setup(shape), op, numpy, bytes=4 * elements(shape),
        tolerance=None if op == "x.sum()" or op == "x.mean()" else 1e-3)  # a sum around zero has no relative accuracy
    for op, numpy in WHOLE for shape in [(1000,), (1000, 1000), (10_000_000,)]
] + [
    Row(f"{op.format(d=d)}, {label(shape)}", setup(shape), op.format(d=d), numpy and numpy.format(d=d),
        bytes=4 * moved * elements(shape), tolerance=1e-3)
    for op, numpy, moved in ALONG for shape in SHAPES[:3] for d in (0, 1)
] + [
    Row("x.sum(1), 100x1000x100", setup((100, 1000, 100)), "x.sum(1)", True, bytes=4e7, tolerance=1e-3),
    Row("x.sum((0, 2)), 100x1000x100", setup((100, 1000, 100)), "x.sum((0, 2))", True, bytes=4e7, tolerance=1e-3),
    Row("x.sum(0), float64, 1000x1000", setup((1000, 1000), "f8"), "x.sum(0)", True, bytes=8e6),
    Row("x.sum(0), float16, 1000x1000", setup((1000, 1000), "f2"), "x.sum(0)", True, bytes=2e6, tolerance=0.02),
    Row("x.sum(), int64, 1e6", "x = make(rng.integers(0, 100, 10**6))", "x.sum()", True, bytes=8e6),
    Row("x.t().sum(0), 1000x1000", setup((1000, 1000)), "x.t().sum(0)", "x.T.sum(0)", bytes=4e6, tolerance=1e-3),
    Row("layer norm, 1000x768", setup((1000, 768)),
        "(x - x.mean(-1, keepdim=True)) * (x.var(-1, keepdim=True, unbiased=False) + 1e-5).rsqrt()", bytes=6.1e6),
]

GROUPS = {"reductions": REDUCTIONS}

if __name__ == "__main__":
    sys.exit(main(GROUPS, __doc__))
