"""Pointwise and reduction kernels of the CPU backend: layouts, conversions, integer rules, order of sums.

If a test here fails, an inner loop or the walk over blocks of `cygrad_cpu` is wrong. NumPy, Python's own arithmetic and
formulas written out here are the reference; no PyTorch is needed.
"""
import itertools
import math
import os
import subprocess
import sys

import cygrad
import numpy as np
import pytest
from arrays import same, spread, tensor

INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
FLOATS = ["float32", "float64"]


# ---- layouts: whatever the strides, the numbers are those of dense operands

SHAPES = [(1, 1), (3, 5), (7, 33), (40, 17), (130, 70),
          (600, 300)]     # below, at and beyond a block and a thread's share


def layouts(array):
    """The same values as dense, transposed, with steps, from an offset, and backwards in memory."""
    m, n = array.shape
    yield tensor(array)
    yield tensor(array.T).t()
    steps = np.zeros((2 * m, 3 * n), array.dtype)
    steps[::2, ::3] = array
    yield tensor(steps)[::2, ::3]
    wider = np.zeros((m + 1, n + 2), array.dtype)
    wider[1:, 1:-1] = array
    yield tensor(wider)[1:, 1:-1]


def numbers(rng, shape, dtype):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0 if dtype == "uint8" else -99, 100, shape).astype(dtype)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    return rng.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "int64", "complex128"])
def test_binary_unary_where_on_every_layout(rng, threads, shape, dtype):
    a, b, mask = numbers(rng, shape, dtype), numbers(rng, shape, dtype), rng.random(shape) < 0.5
    with np.errstate(all="ignore"):
        total, negative, chosen = a + b, np.negative(a), np.where(mask, a, b)
    for x in layouts(a):
        same(-x, negative)
        for y in layouts(b):
            same(x + y, total)
            target = x.clone()
            target += y
            same(target, total)
            same(cygrad.where(tensor(mask.T).t(), x, y), chosen)
        target = cygrad.zeros(shape[::-1], dtype=x.dtype).t()
        target.copy_(x)
        same(target, a)


@pytest.mark.parametrize("shape", SHAPES)
def test_broadcasting(rng, threads, shape):
    a = numbers(rng, shape, "float32")
    for index in [np.s_[:1, :], np.s_[:, :1], np.s_[:1, :1]]:
        part = np.ascontiguousarray(a[index])
        for x in layouts(a):
            same(x - tensor(part), a - part)
            same(tensor(part) - x, part - a)
            same(x > tensor(part), a > part)
        same(cygrad.where(tensor(part > 0), tensor(a), tensor(part)), np.where(part > 0, a, part))


@pytest.mark.parametrize("dtype", [cygrad.uint8, cygrad.float32, cygrad.complex128])
def test_operands_of_one_element_each(threads, dtype):
    one = cygrad.ones((), dtype=dtype)
    for size in (31, 2049, 16384, 300_000):
        for shape, rows in (((size,), ()), ((3, size, 2), (3, 1, 1))):
            x = (one + cygrad.zeros(rows, dtype=dtype)).expand(shape)
            for result in (x * 2, x + x, x + one, x + one.expand(shape), one.expand(shape) + x, 2 * x):
                assert result.shape == shape and (result == 2).all()


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "int64", "complex128"])
def test_transposed_copies_of_every_tile_size(rng, dtype):
    for m, n in itertools.product([1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 65], repeat=2):
        a = numbers(rng, (m, n), dtype)
        same(tensor(a).t().contiguous(), np.ascontiguousarray(a.T))


@pytest.mark.parametrize("shape", [(3, 4, 5, 6), (17, 3, 33, 40), (2, 70, 1, 257)])
def test_copies_of_every_order_of_four_axes(rng, threads, shape):
    a = numbers(rng, shape, "float32")
    for order in itertools.permutations(range(4)):
        turned, want = tensor(a).permute(*order), np.ascontiguousarray(a.transpose(order))
        same(turned.contiguous(), want)
        same(turned[:, ::2].contiguous(), want[:, ::2])
        same(turned.to(cygrad.float64), want.astype("float64"))
        same(turned + turned.contiguous(), want + want)


# ---- conversions

def test_all_halves_and_back(rng):
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    same(tensor(halves).float(), halves.astype(np.float32))
    bits = rng.integers(0, 2 ** 32, 200_000, dtype=np.uint32)
    x = np.r_[bits.view(np.float32), np.linspace(-70000, 70000, 9999, dtype=np.float32),
              np.float32([65519, 65520, 6e-8, 3e-8])]
    with np.errstate(all="ignore"):
        same(tensor(x).half(), x.astype(np.float16))
    for i in range(0, 60, 7):                                           # short runs take another path
        with np.errstate(all="ignore"):
            same(tensor(x[i:i + 7]).half(), x[i:i + 7].astype(np.float16))


def test_bfloat16_rounds_to_nearest_even():
    x = np.array([1 + 2 ** -8, 1 + 3 * 2 ** -8, 1 + 2 ** -8 + 2 ** -16, -1 - 2 ** -8, 3.4e38, np.inf, np.nan],
                 np.float32)
    want = np.array([1, 1 + 2 ** -6, 1 + 2 ** -7, -1, np.inf, np.inf, np.nan], np.float32)
    same(tensor(x).bfloat16().float(), want)


@pytest.mark.parametrize("source", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("target", ["bool", *INTEGERS, *FLOATS, "complex64"])
def test_conversions_in_range(rng, source, target):
    for shape in [(5,), (3, 70), (50, 60)]:
        x = np.abs(numbers(rng, shape, source)) * (20 if source in FLOATS else 1)
        x = x.astype(source)
        same(tensor(x).to(getattr(cygrad, target)), x.astype(target))
        same(tensor(x.T).t().to(getattr(cygrad, target)), x.astype(target))


def test_floats_out_of_range_convert_as_the_hardware_does():
    x = cygrad.tensor([3e9, -3e9, 1e20, float("nan"), 300.7, -1.5])
    lowest = np.iinfo(np.int64).min
    assert x.long().tolist() == [3000000000, -3000000000, lowest, lowest, 300, -1]
    assert x.int().tolist() == [-2 ** 31] * 4 + [300, -1]
    assert x[4:].to(cygrad.int8).tolist() == [44, -1]
    assert x[4:].to(cygrad.uint8).tolist() == [44, 255]
    assert x.bool().all()


# ---- integers

@pytest.mark.parametrize("bits", [52, 53, 54, 62])
def test_int64_near_what_doubles_hold(rng, bits):
    """Quotients next to whole numbers, with numbers on both sides of those that divide in double."""
    b = rng.integers(2, 1 << (bits // 2), 2000)
    a = np.r_[rng.integers((1 << bits) - 1000, (1 << bits) + 1000, 1000), rng.integers(-(1 << bits), 1 << bits, 1000)]
    a = np.r_[a, a // b * b, a // b * b - 1]
    b = np.r_[b, b, b] * np.where(rng.random(6000) < 0.5, -1, 1)
    same(tensor(a) // tensor(b), a // b)
    same(tensor(a) % tensor(b), a % b)
    same(cygrad.fmod(tensor(a), tensor(b)), np.fmod(a, b))
    same(cygrad.div(tensor(a), tensor(b), rounding_mode="trunc"), (a - np.fmod(a, b)) // b)
    same(tensor(a) // 7, a // 7)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_division_of_integers_is_pythons(rng, dtype):
    info = np.iinfo(dtype)
    edges = [info.min, info.min + 1, info.max, 1, 7, 100] + ([-1, -7] if info.min else [])
    values = np.array(edges + list(rng.integers(max(info.min, -10 ** 12), min(info.max, 10 ** 12), 60)), dtype)
    a, b = (v.ravel() for v in np.meshgrid(values, values[values != 0]))
    x, y = a.tolist(), b.tolist()
    for ours, want in [(cygrad.floor_divide, lambda p, q: p // q), (cygrad.remainder, lambda p, q: p % q),
                       (cygrad.fmod, lambda p, q: int(math.copysign(1, p)) * (abs(p) % abs(q)))]:
        exact = [want(p, q) for p, q in zip(x, y)]
        exact = [(v - info.min) % 2 ** info.bits + info.min for v in exact]     # the least over -1 wraps
        assert ours(tensor(a), tensor(b)).tolist() == exact
        assert ours(tensor(a), y[0]).tolist() == [(want(p, y[0]) - info.min) % 2 ** info.bits + info.min for p in x]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", [cygrad.floor_divide, cygrad.remainder, cygrad.fmod])
def test_integer_division_by_zero_is_an_error(op, dtype):
    a = tensor(np.full((5, 40), 9, dtype))
    b = tensor(np.ones((40, 5), dtype)).t()
    b[3, 17] = 0
    for call in [lambda: op(a, b), lambda: op(a, 0), lambda: op(a[0], b.contiguous()[3])]:
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            call()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_powers_shifts_and_divisors_of_integers(rng, dtype):
    info = np.iinfo(dtype)
    wrap = lambda v: (v - info.min) % 2 ** info.bits + info.min     # noqa: E731
    a = rng.integers(info.min // 2, info.max // 2, 500, dtype=np.int64).astype(dtype)
    n = rng.integers(0, 9, 500).astype(dtype)
    x, t, counts = a.tolist(), tensor(a), tensor(n)
    assert cygrad.pow(t, counts).tolist() == [wrap(p ** q) for p, q in zip(x, n.tolist())]
    assert (t ** 3).tolist() == [wrap(p ** 3) for p in x]
    assert cygrad.bitwise_left_shift(t, counts).tolist() == [wrap(p << q) if q < info.bits else 0 for p,
                                                             q in zip(x, n.tolist())]
    assert cygrad.bitwise_right_shift(t, counts).tolist() == [p >> q for p, q in zip(x, n.tolist())]
    b = rng.permutation(a)
    assert cygrad.gcd(t, tensor(b)).tolist() == [math.gcd(p, q) for p, q in zip(x, b.tolist())]
    assert (-t).abs().tolist() == [wrap(abs(wrap(-p))) for p in x]


@pytest.mark.parametrize("dtype", FLOATS)
def test_division_of_floats_is_pythons(rng, dtype):
    """Python's // and % on doubles; float32 operands divide exactly in double too."""
    a = np.r_[spread(rng, -10, 10), rng.integers(-50, 50, 4000) * 0.5].astype(dtype)    # quotients below 2^24
    b = np.r_[rng.permutation(a[:4000]), rng.integers(1, 20, 4000) * 0.5].astype(dtype)
    remainder = [x % y for x, y in zip(a.tolist(), b.tolist())]
    np.testing.assert_allclose(cygrad.remainder(tensor(a), tensor(b)).numpy(), np.array(remainder),
                               rtol=np.finfo(dtype).eps)
    same(cygrad.fmod(tensor(a), tensor(b)), np.fmod(a, b))
    whole = np.array([x // y for x, y in zip(a.tolist(), b.tolist())]).astype(dtype)
    np.testing.assert_array_equal(cygrad.floor_divide(tensor(a), tensor(b)).numpy(), whole)


# ---- NaN, extremes, positions

@pytest.mark.parametrize("length", [2, 15, 40, 600, 5000])
@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_wins_in_maximum_and_max_but_not_in_fmax(rng, threads, dtype, length):
    a = rng.standard_normal(length).astype(dtype)
    for place in {0, 1, length // 2, length - 1}:
        b = a.copy()
        b[place] = np.nan
        same(cygrad.maximum(tensor(a), tensor(b)), np.maximum(a, b))
        same(cygrad.minimum(tensor(b), tensor(a)), np.minimum(b, a))
        same(cygrad.fmax(tensor(a), tensor(b)), np.fmax(a, b))
        same(cygrad.fmin(tensor(b), tensor(a)), np.fmin(b, a))
        for x in [tensor(b), tensor(np.tile(b[:, None], 3)).t()]:
            assert cygrad.amax(x, -1).isnan().all() and cygrad.amin(x, -1).isnan().all()
            assert (x.argmax(-1) == place).all() and (x.argmin(-1) == place).all()


@pytest.mark.parametrize("shape", [(1, 7), (5, 3), (3, 600), (600, 3), (70, 90), (300, 700)])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64"])
def test_extremes_and_first_positions(rng, threads, shape, dtype):
    a = rng.integers(0, 40, shape).astype(dtype)        # many ties: the first position wins
    for x in layouts(a):
        for dim in (0, 1):
            same(cygrad.amax(x, dim), a.max(dim))
            same(cygrad.amin(x, dim), a.min(dim))
            same(cygrad.argmax(x, dim), a.argmax(dim))
            same(cygrad.argmin(x, dim), a.argmin(dim))
        assert cygrad.argmax(x).item() == a.argmax() and x.max().item() == a.max()


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "complex64"])
def test_any_and_all(threads, dtype):
    for length in (1, 63, 5000, 300_000):
        for place in {0, length // 3, length - 1}:
            one = np.zeros(length, dtype)
            one[place] = 1
            rest = ~one if dtype == "bool" else 1 - one
            assert cygrad.any(tensor(one)).item() and not cygrad.all(tensor(rest)).item()
        assert not cygrad.any(tensor(np.zeros(length, dtype))).item() and cygrad.all(tensor(np.ones(length,
                                                                                                    dtype))).item()


# ---- sums

def cascade(rows):
    """Sum of rows: 16 (or a fourth root) make a partial sum, 16 of these one of the next level."""
    power = max(4, math.ceil(math.log2(max(len(rows), 1))) // 4)
    levels = np.zeros((4, *rows.shape[1:]), rows.dtype)
    for i, row in enumerate(rows):
        levels[0] += row
        for k in range(1, 4):
            if (i + 1) % 2 ** (k * power):
                break
            levels[k] += levels[k - 1]
            levels[k - 1] = 0
    return ((levels[0] + levels[1]) + levels[2]) + levels[3]


def sum_in_vectors(x, lanes):
    """Four vectors side by side are a row; vectors left over go to the first; then scalars, then lanes in turn."""
    vectors = x[:len(x) // lanes * lanes].reshape(-1, lanes)
    steps = len(vectors) // 4
    chains = cascade(vectors[:4 * steps].reshape(steps, 4, lanes))
    for vector in vectors[4 * steps:]:
        chains[0] += vector
    total = ((chains[0] + chains[1]) + chains[2]) + chains[3]
    if lanes == 1:
        return total[0]
    result = x.dtype.type(0)
    for value in (*x[len(vectors) * lanes:], *total):
        result += value
    return result


@pytest.mark.parametrize("dtype, lanes", [("float32", 8), ("float64", 4)])
def test_sums_of_floats_keep_one_order(rng, dtype, lanes):
    """The order is PyTorch's, so that small results are equal bit for bit; it must not depend on the machine."""
    for length in [*range(1, 140), 1000, 4097, 20_000]:
        x = rng.standard_normal(length).astype(dtype)
        want = sum_in_vectors(x, lanes if length >= lanes else 1)
        assert cygrad.sum(tensor(x)).numpy() == want
        stepped = np.zeros(2 * length, dtype)
        stepped[::2] = x
        if length < 4000:
            assert cygrad.sum(tensor(stepped)[::2]).numpy() == sum_in_vectors(x, 1)
    for rows, columns in [(5, 3), (40, 8), (33, 64), (300, 33), (50, 77), (17, 10)]:
        x = rng.standard_normal((rows, columns)).astype(dtype)
        plain = columns // (4 * lanes) * 4 * lanes if columns >= lanes else columns // 4 * 4
        want = np.array([cascade(x[:, j]) if j < plain else sum_in_vectors(x[:, j], 1) for j in range(columns)])
        same(tensor(x).sum(0), want)
        same(tensor(x).sum(1), np.array([sum_in_vectors(row, lanes if columns >= lanes else 1) for row in x]))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_sums_are_accurate(rng, threads, dtype):
    """Error of a cascade: a small multiple of eps times the sum of magnitudes, whatever the length."""
    for shape in [(1_000_003,), (3, 200_000), (200_000, 3), (500, 700), (20, 30, 40)]:
        x = numbers(rng, shape, "float32").astype(dtype)
        wide = x.astype(np.complex128 if dtype == "complex64" else np.float64)
        eps = np.finfo(dtype).eps
        for dims in [(d,) for d in range(x.ndim)] + [tuple(range(x.ndim))]:
            ours = tensor(x).sum(dims).numpy()
            assert (np.abs(ours - wide.sum(dims)) <= 4 * eps * np.abs(wide).sum(dims)).all()


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_sums_and_products_of_integers_are_exact(rng, threads, dtype):
    for shape in [(7,), (300, 500), (100_000, 3), (3, 100_000)]:
        x = numbers(rng, shape, dtype)
        for t in layouts(x) if x.ndim == 2 else [tensor(x)]:
            for dim in range(x.ndim):
                same(t.sum(dim), x.sum(dim, dtype=np.int64))
                small = t[:5] % 3 if dtype != "bool" else t[:5]
                same(small.prod(dim), (x[:5] % 3 if dtype != "bool" else x[:5]).prod(dim, dtype=np.int64))


def test_reduction_over_axes_far_apart(rng):
    x = rng.integers(-9, 9, (4, 3, 5, 6, 2)).astype("float64")
    for count in range(1, 6):
        for dims in itertools.combinations(range(5), count):
            same(tensor(x).sum(dims), x.sum(dims))
            same(cygrad.amax(tensor(x), dims), x.max(dims))
            same(tensor(x.transpose(4, 2, 0, 3, 1)).permute(2, 4, 1, 3, 0).sum(dims), x.sum(dims))


# ---- 16-bit floats, scalars, filling

def test_halves_compute_in_single_precision_and_round_once(rng):
    a, b = (rng.standard_normal(3000).astype(np.float16) for _ in "ab")
    b[b == 0] = 1
    for ours, want in [(lambda x, y: x * y, np.multiply), (lambda x, y: x / y, np.divide), (cygrad.atan2, np.arctan2)]:
        with np.errstate(over="ignore"):
            exact = want(a.astype(np.float32), b.astype(np.float32)).astype(np.float16)
        np.testing.assert_array_max_ulp(ours(tensor(a), tensor(b)).numpy(), exact, 1 if want is np.arctan2 else 0)
    same(tensor(a) * 0.1, (a.astype(np.float32) * np.float32(0.1)).astype(np.float16))     # the factor stays float32
    same(tensor(a) + 0.1, (a.astype(np.float32) + np.float16(0.1).astype(np.float32)).astype(np.float16))
    assert cygrad.ones(70_000, dtype=cygrad.bfloat16).sum().item() == 70144     # 70000 rounded to 8 bits


def test_nextafter_of_16_bit_floats_steps_by_one_unit():
    one, tiny = cygrad.ones(1, dtype=cygrad.float16), cygrad.zeros(1, dtype=cygrad.bfloat16)
    assert cygrad.nextafter(one, 2 * one).item() == 1 + 2 ** -10
    assert cygrad.nextafter(one, -one).item() == 1 - 2 ** -11
    assert cygrad.nextafter(tiny, -tiny - 1).item() == -(2.0 ** -133)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float16", *FLOATS, "complex64"])
def test_fill_of_every_layout(dtype):
    value = {"bool": True, "complex64": 1 - 2j}.get(dtype, 3)
    for t in layouts(np.zeros((40, 50), dtype)):
        t.fill_(value)
        same(t, np.full((40, 50), value, dtype))
    assert cygrad.full((), value, dtype=getattr(cygrad, dtype)).item() == value


def test_a_forked_child_computes_without_threads():
    """GNU OpenMP would wait for ever for threads that the fork did not copy."""
    script = (
        "import os, cygrad\n"
        "cygrad.cpu.set_num_threads(2)\n"
        "x = cygrad.ones(1_000_000)\n"
        "total = (x + x).sum()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if (x + x).sum() == total else 1)\n"
        "assert os.waitpid(child, 0)[1] == 0\n")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=60)


@pytest.mark.parametrize("name", ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "expm1", "log1p",
                                  "erf"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_odd_functions_keep_the_sign_of_zero(name, dtype):
    zeros = cygrad.tensor([-0.0, 0.0] * 20, dtype=getattr(cygrad, dtype))
    assert np.signbit(getattr(cygrad, name)(zeros).numpy()).tolist() == [True, False] * 20


@pytest.mark.parametrize("dtype", [cygrad.float32, cygrad.float64, cygrad.bfloat16], ids=str)
@pytest.mark.parametrize("count", [1, 3, 5000])
def test_a_number_as_exponent_takes_the_root_and_a_tensor_of_one_does_not(dtype, count):
    x = cygrad.full((count,), -cygrad.inf, dtype=dtype)
    assert (x ** 0.5).isnan().all() and (x ** cygrad.tensor(0.5, dtype=dtype)).isposinf().all()
    assert (x ** -0.5).isnan().all() and (x ** cygrad.tensor([-0.5], dtype=dtype)).eq(0).all()
    zero = cygrad.full((count,), -0.0, dtype=dtype)
    assert (zero ** 0.5).signbit().all() and not (zero ** cygrad.tensor(0.5, dtype=dtype)).signbit().any()


# ---- pooling: rows shorter than a vector, whole vectors, and what reaches back over the one before

@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("kernel, stride, padding, dilation", [(1, 1, 0, 1), (2, 2, 0, 1), (3, 1, 1, 1), (3, 2, 1, 1),
                                                               (2, 3, 0, 1), (3, 3, 1, 2), (5, 1, 2, 1)])
def test_pooling_of_rows_of_any_length(rng, dtype, kernel, stride, padding, dilation):
    """The first of the largest, or the last NaN, and its place."""
    for width in [*range(1, 21), 33, 70]:
        outs = (width + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
        if outs < 1:
            continue
        a = rng.integers(0, 4, (2, 3, width)).astype(dtype)
        if a.dtype.kind == "f":
            a[rng.random(a.shape) < 0.1], a[rng.random(a.shape) < 0.1] = np.nan, -np.inf
        best, places = np.empty((2, 1, outs), dtype), np.empty((2, 1, outs), "int64")
        for n, w in itertools.product(range(2), range(outs)):
            seen = [(h, k) for h in range(3) for k in range(w * stride - padding, w * stride - padding + 1
                                                            + dilation * (kernel - 1), dilation) if 0 <= k < width]
            none = [at for at in seen if a[n][at] != a[n][at]]
            h, k = none[-1] if none else max(seen, key=lambda at: a[n][at])
            best[n, 0, w], places[n, 0, w] = a[n, h, k], h * width + k
        options = (3, kernel), (1, stride), (0, padding), (1, dilation)
        found, index = cygrad.nn.functional.max_pool2d(tensor(a), *options, return_indices=True)
        same(found, best)
        same(index, places)
        same(cygrad.nn.functional.max_pool2d(tensor(a), *options), best)
        if dilation == 1 and a.dtype.kind == "f":
            b = rng.integers(0, 9, a.shape).astype(dtype)
            wide = np.zeros((2, 3, width + 2 * padding), dtype)
            wide[:, :, padding:padding + width] = b
            sums = [wide[:, :, w * stride:w * stride + kernel].sum((1, 2)) for w in range(outs)]
            same(cygrad.nn.functional.avg_pool2d(tensor(b), *options[:3], divisor_override=1),
                 np.stack(sums, 1)[:, None])
