"""If one of these fails, `x[key]` or `x[key] = value` differs from PyTorch for some mixture of parts in a key.

Keys are drawn at random from seeds: integers, slices, None, Ellipsis, bools, index tensors of several ranks and dtypes,
masks over one or more axes, lists and NumPy arrays, now and then out of range or of a wrong shape. Compared are values,
strides, gradients, and the type and words of errors.
"""

import warnings

import cygrad
import numpy as np
import pytest
import torch
from compare import normal

GET, PUT, BLOCK = 2000, 2000, 200   # cases; cases in one test
DTYPES = ("float32", "float64", "int64", "uint8", "bool", "complex64")


class Index:
    """A recipe for an index tensor: the same numbers in both modules."""

    def __init__(self, values, dtype):
        self.values, self.dtype = values, dtype

    def build(self, m):
        return m.tensor(self.values.tolist(), dtype=getattr(m, self.dtype)).reshape(self.values.shape)

    def __repr__(self):
        return f"{self.dtype}{self.values.tolist()}"


def drawn_slice(r, n):
    bounds = [None if r.random() < 0.4 else int(r.integers(-n - 2, n + 3)) for _ in range(2)]
    return slice(*bounds, [None, 1, 2, 3][r.integers(4)])


def drawn_integers(r, n, shape):
    """Places of an axis of n elements, rarely outside it."""
    if n == 0:
        shape = (0,) if r.random() < 0.8 else shape
        return np.zeros(shape, dtype="int64")
    low, high = (-n, n) if r.random() < 0.5 else (0, n)
    high += r.random() < 0.03
    return r.integers(low, high, size=shape)


def drawn_part(r, shape, common):
    """A part of a key for the axes `shape` that are left, and how many of them it takes."""
    kind, n = r.choice(10, p=[0.14, 0.22, 0.07, 0.03, 0.26, 0.1, 0.06, 0.04, 0.03, 0.05]), shape[0]
    if kind == 0 and n:
        return int(r.integers(-n, n + (r.random() < 0.05))), 1
    if kind <= 1:
        return drawn_slice(r, n), 1
    if kind == 2:
        return None, 0
    if kind == 3:
        return bool(r.random() < 0.7), 0
    if kind == 4:
        size = [common, common[1:], (1,) * len(common), ()][r.choice(4, p=[0.6, 0.2, 0.1, 0.1])]
        dtype = ["int64", "int32", "int16"][r.choice(3, p=[0.8, 0.18, 0.02])]
        return Index(drawn_integers(r, n, size), dtype), 1
    if kind == 5:
        axes = int(r.integers(1, min(len(shape), 3) + 1))
        wrong = r.random() < 0.04
        return Index(r.random([k + wrong for k in shape[:axes]]) < 0.5, "bool"), axes
    if kind == 6:
        return drawn_integers(r, n, common[-1:]).tolist(), 1
    if kind == 7:
        return drawn_integers(r, n, common), 1
    if kind == 8:
        return (r.random(n) < 0.5).tolist() or [], 1
    return np.int64(r.integers(-n, n)) if n else slice(None), 1


def drawn_key(r, shape):
    """A key for a tensor of this shape."""
    common = tuple(int(n) for n in r.integers(1, 4, size=r.choice(3, p=[0.1, 0.6, 0.3])))
    left, parts, dots = list(shape), [], False
    while left and r.random() < 0.85:
        if not dots and r.random() < 0.08:
            parts.append(Ellipsis)
            dots = True
            continue
        part, taken = drawn_part(r, left, common)
        parts.append(part)
        left = left[taken:]
    if r.random() < 0.1:
        parts.append(None)
    if r.random() < 0.02:
        parts.append(0)
    if len(parts) == 1 and r.random() < 0.5:
        return parts[0]
    return tuple(parts)


def built(key, m):
    if isinstance(key, tuple):
        return tuple(built(part, m) for part in key)
    return key.build(m) if isinstance(key, Index) else key


def drawn_source(r):
    """(base numbers, dtype, the view of them that is indexed)."""
    dtype = DTYPES[r.choice(6, p=[0.3, 0.4, 0.1, 0.05, 0.05, 0.1])]
    rank = r.choice(5, p=[0.05, 0.25, 0.3, 0.3, 0.1])
    shape = [int(n) for n in r.integers(0 if r.random() < 0.1 else 1, 5, size=rank)]
    numbers = r.integers(0, 2, size=shape).astype(bool) if dtype == "bool" else r.integers(0, 100, size=shape)
    order = r.permutation(len(shape)).tolist() if r.random() < 0.3 else None
    step = r.random() < 0.15 and len(shape) > 0 and shape[0] > 1

    def view(t):
        t = t.permute(order) if order is not None else t
        return t[::2] if step and t.shape[0] > 1 else t

    def base(m):
        return m.tensor(numbers.tolist(), dtype=getattr(m, dtype)).reshape(shape)
    return base, view, dtype


def outcome(function, m):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(m)
        except Exception as error:      # every exception is an outcome: its type and words are compared below
            return type(error).__name__, normal(str(error), m.__name__)


def gradient(m, result, leaf):
    if not result.requires_grad:
        return None
    weight = (m.arange(result.numel(), dtype=m.float64).reshape(result.shape) * 0.37 + 1).to(result.dtype)
    result.backward(weight)
    return leaf.grad.tolist() if leaf.grad is not None else None


def differentiable(dtype):
    return dtype.startswith(("float", "complex"))


def get_case(number):
    r = np.random.default_rng([7, number])
    base, view, dtype = drawn_source(r)
    key = drawn_key(r, tuple(view(base(torch)).shape))

    def run(m):
        leaf = base(m)
        if differentiable(dtype):
            leaf.requires_grad_()
        x = view(leaf)
        found = x[built(key, m)]
        strides = tuple(found.stride()) if found.numel() else None      # of no elements: nobody can tell
        return (found.tolist(), tuple(found.shape), strides, found.storage_offset(), str(found.dtype).split(".")[-1],
                gradient(m, found, leaf))
    return key, run


def shape_of(found):
    """The shape that a key shows, as a list; None for an error."""
    return None if found and isinstance(found[0], str) else list(found)


def put_case(number):
    r = np.random.default_rng([8, number])
    base, view, dtype = drawn_source(r)
    key = drawn_key(r, tuple(view(base(torch)).shape))
    window = outcome(lambda m: tuple(view(base(m))[built(key, m)].shape), torch)
    shape = shape_of(window) or [1]
    for i in range(len(shape)):
        shape[i] = 1 if r.random() < 0.15 else shape[i]
    shape = shape[int(r.integers(0, len(shape) + 1)) if r.random() < 0.3 else 0:]
    if r.random() < 0.1:
        shape = [1, *shape]
    if r.random() < 0.04:
        shape = [*shape, 2]
    numbers = r.integers(0, 50, size=shape)
    kind = r.choice(4, p=[0.3, 0.5, 0.15, 0.05])        # a number, a tensor, one with gradient, of another dtype
    if shape_of(window) is None:
        kind = 0                                            # of two errors at once the first one met may differ
    places = r.random() < 0.5                               # the gradient of the target too

    def run(m):
        leaf = base(m)
        if differentiable(dtype) and places:
            leaf.requires_grad_()
        x = view(leaf * 1)
        value, given = 3, None
        if kind:
            value = m.tensor(numbers.tolist(), dtype=getattr(m, "float16" if kind == 3 else dtype)).reshape(shape)
            if kind == 2 and differentiable(dtype):
                given = value.requires_grad_()
        x[built(key, m)] = value
        found = [x.tolist(), x._version]
        if repeats(key):
            return []                                       # which of several writes wins is not defined
        if x.requires_grad:
            x.backward((m.arange(x.numel(), dtype=m.float64).reshape(x.shape) * 0.37 + 1).to(x.dtype))
        return found + [t.grad.tolist() if t is not None and t.grad is not None else None for t in (leaf, given)]
    return key, run


def repeats(key):
    """Whether index tensors of a key may name a place twice."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(p, (list, np.ndarray)) or isinstance(p, Index) and p.dtype != "bool" and p.values.size > 1
               for p in parts)


def close(want, got):
    if isinstance(want, (list, tuple)) and isinstance(got, (list, tuple)):
        return len(want) == len(got) and all(map(close, want, got))
    if isinstance(want, (float, complex)) and isinstance(got, (float, complex)):
        return abs(want - got) <= 1e-5 * max(1, abs(want))
    return want == got


def compare_block(case, start):
    for number in range(start, start + BLOCK):
        key, run = case(number)
        want, got = outcome(run, torch), outcome(run, cygrad)
        assert close(want, got), f"case {number}, key {key!r}:\nwant {want}\ngot  {got}"


@pytest.mark.parametrize("start", range(0, GET, BLOCK))
def test_get(start):
    compare_block(get_case, start)


@pytest.mark.parametrize("start", range(0, PUT, BLOCK))
def test_put(start):
    compare_block(put_case, start)
