"""Pooling over one axis to three: the largest, the mean, norms; adaptive, fractional and put back."""

import numpy as np

from .layers import layer
from .table import FLOATS, REAL
from .table import Sample as S

SPACE = (4, 5, 3)           # D, H, W: so much input
REAL_AND_INTS = FLOATS + ("uint8", "int64")


def planes(make, axes, *lead, layout="contiguous"):
    return make(*lead, *SPACE[3 - axes:], distinct=True, layout=layout)


def largest(axes, indices=False):
    def generate(make):
        kwargs = {"return_indices": True} if indices else {}
        yield S(planes(make, axes, 2, 2), 2, **kwargs)
        yield S(planes(make, axes, 2), 3, 1, 1, **kwargs)
        yield S(planes(make, axes, 1, 2, layout="permuted"), 2, 2, 0, 1, True, **kwargs)
        yield S(planes(make, axes, 1, 2), 2, stride=1, dilation=2, padding=1, **kwargs)
        yield S(planes(make, axes, 1, 1), (2, 3, 1)[:axes], (1, 2, 1)[:axes], (1, 1, 0)[:axes], ceil_mode=True,
                **kwargs)
        yield S(planes(make, axes, 0, 2), 2, **kwargs)
        if make.is_float and axes == 2:
            yield S(make.of([[[1.0, float("nan"), 2.0, float("-inf")], [float("nan"), 3, float("-inf"), 4]]]), 2, 1,
                    **kwargs).kink()
    return generate


def mean(axes):
    def generate(make):
        yield S(planes(make, axes, 2, 2), 2)
        yield S(planes(make, axes, 2), 3, 1, 1)
        yield S(planes(make, axes, 1, 2, layout="permuted"), 2, 2, 0, True)
        yield S(planes(make, axes, 1, 2), 3, 2, 1, ceil_mode=True, count_include_pad=False)
        yield S(planes(make, axes, 1, 1), (2, 3, 1)[:axes], (1, 2, 1)[:axes], (1, 1, 0)[:axes])
        if axes > 1:
            yield S(planes(make, axes, 1, 1), 2, 1, divisor_override=3)
        yield S(make(1, 1, *(2, 3, 4)[3 - axes:]), 2, 1, 1)         # small enough for gradcheck, as below
    return generate


def norms(axes):
    def generate(make):
        def positive(*lead):
            return make(*lead, *SPACE[3 - axes:], low=0.5, high=2)
        yield S(positive(2, 2), 2.0, 2)
        yield S(positive(1, 2), 3, 2, 1)
        yield S(positive(2), 1.5, 3, ceil_mode=True)
        yield S(positive(1, 1), float("inf"), 2)
        yield S(make(1, 1, *(2, 3, 4)[3 - axes:], low=0.5, high=2), 2, 2)
    return generate


def adaptive(axes, largest):
    def generate(make):
        yield S(planes(make, axes, 2, 2), 2)
        yield S(planes(make, axes, 1, 2), 3)
        yield S(planes(make, axes, 1, layout="permuted"), (3, 2, 4)[:axes])
        yield S(planes(make, axes, 2, 1), 1)
        if axes > 1:
            yield S(planes(make, axes, 2, 1), (None, 2, 7)[:axes])
        yield S(make(1, 1, *(2, 3, 4)[3 - axes:], distinct=True), (2, 2, 3)[3 - axes:])
        if largest:
            yield S(planes(make, axes, 2, 2), 2, return_indices=True)
    return generate


def fractional(axes):
    def generate(make):
        def drawn(*lead):
            return make(*lead, axes, low=0, high=0.999, grad=False)
        yield S(planes(make, axes, 2, 2), 2, (2, 3, 1)[3 - axes:], _random_samples=drawn(2, 2))
        yield S(planes(make, axes, 2), (2, 1, 2)[:axes], (2, 2, 1)[3 - axes:], return_indices=True,
                _random_samples=drawn(1, 2))
        yield S(make(1, 1, *(3, 3, 4)[3 - axes:], distinct=True), 2, (1, 1, 2)[3 - axes:], _random_samples=drawn(1, 1))
        yield S(planes(make, axes, 2), 2, (2, 3, 1)[3 - axes:], _random_samples=drawn(3, 2))     # more than is used
        yield S(planes(make, axes, 1, 1), 2, output_ratio=(0.5,) * axes, _random_samples=drawn(1, 1))
    return generate


def put_back(axes):
    def generate(make):
        sizes = [2 * n for n in (1, 2, 2)[3 - axes:]]
        count = int(np.prod(sizes))

        def places(*lead):
            found = [make.random.permutation(count)[:count >> axes] for _ in range(np.prod(lead))]
            return make.of(np.array(found).reshape(*lead, *[n // 2 for n in sizes]), dtype="int64")
        inner = tuple(n // 2 for n in sizes)
        yield S(make(2, 2, *inner), places(2, 2), 2)
        yield S(make(2, *inner, layout="offset"), places(2), (2,) * axes, (2,) * axes)
        yield S(make(1, 2, *inner), places(1, 2), 2, output_size=[1, 2, *[n + 1 for n in sizes]])
    return generate


def pooling(name, samples, dtypes=FLOATS, errors=(), **kwargs):
    return layer(name, samples, dtypes, errors, tolerance=4.0, reason="sums in another order", **kwargs)


WRONG_WINDOWS = [
    ("kernel 0", lambda m, f: f(m.ones(1, 4, 4), 0)),
    ("stride 0", lambda m, f: f(m.ones(1, 4, 4), 2, 0)),
    ("padding", lambda m, f: f(m.ones(1, 4, 4), 2, 1, 2)),
    ("too large", lambda m, f: f(m.ones(1, 4, 4), 5)),
    ("too many numbers", lambda m, f: f(m.ones(1, 4, 4), (1, 2, 3))),
    ("two axes", lambda m, f: f(m.ones(4, 4), 2)),
    ("no channels", lambda m, f: f(m.ones(1, 0, 4, 4), 2)),
    ("bool", lambda m, f: f(m.ones(1, 4, 4).bool(), 2)),
]
WRONG_ROWS = [
    ("kernel 0", lambda m, f: f(m.ones(1, 4), 0)),
    ("padding", lambda m, f: f(m.ones(1, 4), 2, 1, 2)),
    ("too large", lambda m, f: f(m.ones(1, 4), 5)),
    ("two numbers", lambda m, f: f(m.ones(1, 4), (1, 2))),
    ("one axis", lambda m, f: f(m.ones(4), 2)),
    ("int32", lambda m, f: f(m.ones(1, 4).int(), 2)),
]
WRONG_VOLUMES = [
    ("kernel 0", lambda m, f: f(m.ones(1, 4, 4, 4), 0)),
    ("padding", lambda m, f: f(m.ones(1, 4, 4, 4), 2, 1, 2)),
    ("too large", lambda m, f: f(m.ones(1, 4, 4, 4), 5)),
    ("two numbers", lambda m, f: f(m.ones(1, 4, 4, 4), (1, 2))),
    ("three axes", lambda m, f: f(m.ones(4, 4, 4), 2)),
    ("bool", lambda m, f: f(m.ones(1, 4, 4, 4).bool(), 2)),
]
WRONG_SIZES = [
    ("two axes", lambda m, f: f(m.ones(4, 4), 2)),
    ("one number", lambda m, f: f(m.ones(1, 4, 4), (2,))),
    ("negative", lambda m, f: f(m.ones(1, 4, 4), -1)),
    ("no places", lambda m, f: f(m.ones(1, 0, 4), 2)),
    ("integers", lambda m, f: f(m.ones(1, 4, 4).long(), 2)),
]

OPS = [
    pooling("max_pool1d", largest(1), errors=WRONG_ROWS),
    pooling("max_pool2d", largest(2), REAL_AND_INTS, WRONG_WINDOWS),
    pooling("max_pool3d", largest(3), REAL_AND_INTS, WRONG_VOLUMES),
    pooling("max_pool1d_with_indices", largest(1), path=""),
    pooling("max_pool2d_with_indices", largest(2, True), REAL_AND_INTS),
    pooling("max_pool3d_with_indices", largest(3, True), REAL_AND_INTS),
    pooling("avg_pool1d", mean(1), FLOATS + ("int64",), WRONG_ROWS),
    pooling("avg_pool2d", mean(2), FLOATS + ("int64",), WRONG_WINDOWS, out=True),
    # PyTorch 2.13 writes the wrong places of an `out` that is not contiguous.
    pooling("avg_pool3d", mean(3), REAL + ("int64",), WRONG_VOLUMES),
    pooling("lp_pool1d", norms(1), REAL), pooling("lp_pool2d", norms(2), REAL), pooling("lp_pool3d", norms(3), REAL),
    pooling("adaptive_avg_pool1d", adaptive(1, False)),
    pooling("adaptive_avg_pool2d", adaptive(2, False), errors=WRONG_SIZES),
    pooling("adaptive_avg_pool3d", adaptive(3, False)),
    pooling("adaptive_max_pool1d", adaptive(1, True)),
    pooling("adaptive_max_pool2d", adaptive(2, True), errors=WRONG_SIZES),
    pooling("adaptive_max_pool3d", adaptive(3, True)),
    pooling("fractional_max_pool2d", fractional(2), errors=[
        ("no size", lambda m, f: f(m.ones(1, 4, 4), 2)),
        ("too large", lambda m, f: f(m.ones(1, 4, 4), 2, 4)),
        ("other samples", lambda m, f: f(m.ones(1, 4, 4), 2, 2, _random_samples=m.ones(1, 1, 3)))]),
    pooling("fractional_max_pool3d", fractional(3)),
    pooling("max_unpool1d", put_back(1)),
    pooling("max_unpool2d", put_back(2), errors=[
        ("int32", lambda m, f: f(m.ones(1, 2, 2), m.ones(1, 2, 2).int(), 2)),
        ("outside", lambda m, f: f(m.ones(1, 2, 2), m.ones(1, 2, 2).long() * 16, 2)),
        ("other shape", lambda m, f: f(m.ones(1, 2, 2), m.ones(1, 2, 1).long(), 2)),
        ("size", lambda m, f: f(m.ones(1, 2, 2), m.ones(1, 2, 2).long(), 2, output_size=(9, 9)))]),
    pooling("max_unpool3d", put_back(3)),
]
