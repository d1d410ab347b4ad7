"""If this fails, a seed no longer gives the numbers that it gave: pinned values, seeds, states, threads.

Needs no PyTorch; what is pinned here was drawn by PyTorch 2.13. The comparison with it is in
parity/test_generator_parity.py.
"""
import pickle
import threading

import numpy as np
import pytest
from cygrad.random.generator import Generator

CODE = {"bool": 0, "uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "float16": 6, "bfloat16": 7, "float32": 8,
        "float64": 9}


def draw(generator, sampler, n, dtype, *params):
    out = np.empty(n, "uint16" if dtype == "bfloat16" else dtype)
    generator.fill(sampler, out.ctypes.data, n, CODE[dtype], *params)
    return out


def words(generator, n):
    """Words of the engine, from draws of two words over all of int64."""
    pairs = draw(generator, "random", n // 2, "int64", -2**63, None).view(np.uint64)
    return np.stack([pairs >> np.uint64(32), pairs & np.uint64(0xffffffff)], 1).reshape(-1)


def seeded(seed=0):
    return Generator().manual_seed(seed)


def test_the_engine_is_mt19937():
    """The C++ standard [rand.predef] gives the 10000th word of seed 5489."""
    assert words(seeded(5489), 10000)[-1] == 4123659995


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**32 - 1])
def test_words_are_numpys(seed):
    engine = np.random.MT19937()
    engine._legacy_seeding(seed)
    assert np.array_equal(words(seeded(seed), 5000), engine.random_raw(5000))


@pytest.mark.parametrize("sampler, n, dtype, params, expected", [
    ("uniform", 3, "float32", (0, 1), ["0x1.fc2ab0p-2", "0x1.89545ep-1", "0x1.6a675p-4"]),
    ("uniform", 2, "float64", (0, 1), ["0x1.f0aac97c4aa2fp-1", "0x1.6a675d821ccc0p-1"]),
    ("normal", 3, "float32", (0, 1), ["0x1.8a7eb8p+0", "-0x1.2c78ap-2", "-0x1.16e292p+1"]),
])
def test_pinned_reals(sampler, n, dtype, params, expected):
    assert draw(seeded(), sampler, n, dtype, *params).tolist() == [float.fromhex(text) for text in expected]


def test_pinned_normal_blocks():
    """17 values: a block of 16, then the last 16 drawn again, so the first value alone is of the first block."""
    values = draw(seeded(), "normal", 17, "float32", 0, 1)
    assert [float(x).hex() for x in values[[0, 1, -2, -1]]] == [
        "-0x1.20370a0000000p+0", "-0x1.b2288c0000000p+0", "-0x1.aff6660000000p-1", "0x1.dd18600000000p-1"]
    assert draw(seeded(), "normal", 17, "float16", 0, 1).view(np.int16)[-2:].tolist() == [15250, -17728]


@pytest.mark.parametrize("sampler, n, dtype, params, expected", [
    ("random", 8, "int64", (0, 10), [4, 9, 3, 0, 3, 9, 7, 3]),
    ("random", 2, "int64", (0, 2**40), [741280623151, 506137267392]),
    ("permutation", 8, "int64", (), [4, 0, 7, 3, 2, 5, 1, 6]),
    ("bernoulli", 8, "int32", (0.3,), [0, 0, 0, 0, 0, 0, 1, 0]),
    ("geometric", 4, "float32", (0.2,), [1, 2, 4, 1]),
])
def test_pinned_integers(sampler, n, dtype, params, expected):
    assert draw(seeded(), sampler, n, dtype, *params).tolist() == expected


def test_pinned_samplers_of_arrays():
    p, rates = np.full(8, 0.3, np.float32), np.full(4, 30, np.float32)
    weights = np.array([1, 2, 3, 4], np.float32)
    counts, chances = np.full(4, 30, np.float32), np.full(4, 0.4, np.float32)
    assert draw(seeded(), "bernoulli_tensor", 8, "int8", p.ctypes.data, 8).tolist() == [0, 0, 1, 1, 0, 0, 0, 0]
    assert draw(seeded(), "poisson", 4, "float32", rates.ctypes.data).tolist() == [29, 32, 24, 31]
    assert draw(seeded(), "multinomial", 6, "int64", weights.ctypes.data, 8, 1, 4).tolist() == [3, 3, 2, 3, 3, 3]
    assert draw(seeded(), "binomial", 4, "float32", counts.ctypes.data, chances.ctypes.data).tolist() == [13, 9, 13, 12]


@pytest.mark.parametrize("sampler, params, expected", [
    ("exponential", (1,), [3.508326292037964, 1.2303847074508667, 0.615044116973877]),
    ("log_normal", (1, 2), [59.2634162902832, 1.5115599632263184, 0.03481946140527725]),
    ("cauchy", (0, 1), [10.597729682922363, 0.7647672891616821, -0.12829934060573578]),
])
def test_pinned_transforms(sampler, params, expected):
    """Through the C library's log and tangent, so not to the last bit on every platform."""
    np.testing.assert_allclose(draw(seeded(), sampler, 3, "float32", *params), expected, rtol=1e-6)


@pytest.mark.parametrize("sampler, dtype, params", [
    ("uniform", "float32", (0, 1)), ("uniform", "float64", (-1, 1)), ("random", "int16", (0, 7)),
    ("random", "int64", (0, 2**50)), ("bernoulli", "bool", (0.5,)), ("normal_strided", "float64", (0, 1)),
    ("exponential", "float16", (2,))])
def test_pieces_make_the_whole(sampler, dtype, params):
    """One call of 5000, or calls of odd lengths across blocks of 624 words and chunks: the same elements."""
    whole, pieces = seeded(3), seeded(3)
    expected = draw(whole, sampler, 5000, dtype, *params)
    parts = [draw(pieces, sampler, n, dtype, *params) for n in (1, 622, 3, 1025, 2047, 1302)]
    assert np.array_equal(np.concatenate(parts), expected)
    assert pieces.state_bytes() == whole.state_bytes()


def test_moments():
    """Of a million draws, within five standard errors."""
    n = 1_000_000
    for dtype in ("float32", "float64"):
        values = draw(seeded(1), "normal", n, dtype, 2, 3).astype(float)
        assert abs(values.mean() - 2) < 5 * 3 / n**0.5
        assert abs(values.var() - 9) < 5 * 9 * (2 / n) ** 0.5
        uniforms = draw(seeded(1), "uniform", n, dtype, -1, 3).astype(float)
        assert abs(uniforms.mean() - 1) < 5 * (16 / 12 / n) ** 0.5
        assert uniforms.min() >= -1 and uniforms.max() < 3
    counts = np.bincount(draw(seeded(1), "random", n, "int64", 0, 10))
    assert (abs(counts - n / 10) < 5 * (n * 0.09) ** 0.5).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_floats_round_to_nearest_even(dtype):
    """uniform(x, x) writes x: halfway cases, subnormals and the ends of the range, against rounding in float64."""
    digits, smallest, bias = (11, -24, 15) if dtype == "float16" else (8, -133, 127)
    rng = np.random.default_rng(0)
    exponents = rng.integers(smallest - 2, bias - digits - 2, 3000)
    exact = rng.integers(1, 2**(digits + 2), 3000).astype(float) * 2.0 ** exponents
    for x in np.float32(exact).astype(float):
        unit = max(2.0 ** (np.floor(np.log2(x)) - digits + 1), 2.0 ** smallest)
        expected = np.round(x / unit) * unit    # rounds halves to even
        bits = draw(seeded(), "uniform", 1, dtype, -x, -x)
        got = bits.astype(float) if dtype == "float16" else (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
        assert -float(got[0]) == expected, x


def test_seeds():
    assert Generator().initial_seed() == 67280421310721
    assert seeded(-1).initial_seed() == 2**64 - 1
    assert seeded(2**64 - 1).initial_seed() == 2**64 - 1
    for seed in (2**64, -2**63 - 1):
        with pytest.raises(ValueError, match="Overflow when unpacking long long"):
            seeded(seed)
    with pytest.raises(RuntimeError, match="manual_seed expected a long, but got float"):
        seeded(1.0)
    generator = Generator()
    seed = generator.seed()
    assert generator.initial_seed() == seed and generator.state_bytes() == seeded(seed).state_bytes()
    assert generator.seed() != seed


def test_states_come_back():
    generator = seeded(5)
    draw(generator, "normal", 3, "float64", 0, 1)       # leaves a second value waiting
    state = generator.state_bytes()
    assert len(state) == 5056
    copies = [generator.clone_state(), pickle.loads(pickle.dumps(generator)), Generator()]
    copies[2].set_state_bytes(bytearray(state))
    expected = draw(generator, "normal", 700, "float64", 0, 1), draw(generator, "normal", 2, "float32", 0, 1)
    for copy in copies:
        assert copy.initial_seed() == 5
        assert np.array_equal(draw(copy, "normal", 700, "float64", 0, 1), expected[0])
        assert np.array_equal(draw(copy, "normal", 2, "float32", 0, 1), expected[1])
    seeding = seeded(5)
    draw(seeding, "normal", 3, "float64", 0, 1)
    assert seeding.manual_seed(5).state_bytes() == seeded(5).state_bytes()      # the waiting value is gone


@pytest.mark.parametrize("change, message", [
    (lambda state: state[:-1], ("Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to "
                                "be 5055")),
    (lambda state: bytes(5056), "Invalid mt19937 state"),
    (lambda state: state[:8] + np.int32(625).tobytes() + state[12:], "Invalid mt19937 state"),
    (lambda state: state[:16] + np.int64(624).tobytes() + state[24:], "Invalid mt19937 state"),
])
def test_bad_states(change, message):
    generator = seeded(1)
    draw(generator, "uniform", 10, "float32", 0, 1)
    before = generator.state_bytes()
    with pytest.raises(RuntimeError, match=message):
        generator.set_state_bytes(change(before))
    assert generator.state_bytes() == before


def test_threads_share_a_generator():
    """Each call is whole: together, the threads' draws are the stream in some order of calls."""
    generator, calls, size = seeded(2), 100, 2000
    results = [[] for _ in range(4)]

    def work(result):
        for _ in range(calls):
            result.append(draw(generator, "uniform", size, "float64", 0, 1))

    threads = [threading.Thread(target=work, args=(result,)) for result in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = draw(seeded(2), "uniform", 4 * calls * size, "float64", 0, 1).reshape(-1, size)
    got = np.array([values for result in results for values in result])
    assert np.array_equal(got[np.argsort(got[:, 0])], expected[np.argsort(expected[:, 0])])


def test_unknown_names_dtypes_and_parameters():
    with pytest.raises(ValueError, match="fill: expected one of uniform, normal.* got 'gaussian'"):
        Generator().fill("gaussian", 0, 1, 8, 0, 1)
    with pytest.raises(NotImplementedError, match="expected a dtype from bool to float64, got ComplexFloat"):
        Generator().fill("uniform", 0, 1, 10, 0, 1)
    with pytest.raises(TypeError, match="fill: normal takes 2 parameters, got 1"):
        Generator().fill("normal", 0, 1, 8, 0)


def test_nothing_is_drawn_for_no_elements():
    generator = seeded(1)
    for sampler, params in (("uniform", (0, 1)), ("normal", (0, 1)), ("random", ()), ("permutation", ())):
        generator.fill(sampler, 0, 0, CODE["float32"], *params)
    assert generator.state_bytes() == seeded(1).state_bytes()
