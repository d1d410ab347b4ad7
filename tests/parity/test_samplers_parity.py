"""If one of these fails, a program's random numbers are not PyTorch's: every sampler by bytes, as a user calls it.

`CYGRAD_ALL_SAMPLES=1` draws every size with every seed (minutes); otherwise the sizes take turns with the seeds. Sizes
end on both sides of what the samplers treat specially: 16 elements (blocks of normals), 624 words (the engine's state),
vector registers, and 10^6.
"""
import os
import zlib

import cygrad
import numpy as np
import pytest
import torch

SIZES = (0, 1, 2, 5, 8, 15, 16, 17, 31, 33, 100, 255, 623, 625, 1000, 4097, 10_000, 65_536, 262_145, 1_000_000)
SEEDS = (0, 1, 1000, -7, 2**40 + 3)
FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
THOROUGH = bool(os.environ.get("CYGRAD_ALL_SAMPLES"))


def method(name, *args):
    """An in-place sampler on a new tensor of n elements."""
    return lambda m, n, dtype: getattr(m.empty(n, dtype=dtype), name)(*args)


def values(m, n, dtype, low, high):
    """Numbers between two bounds that are the same in both modules and use no random stream."""
    return m.tensor(np.linspace(low, high, n).tolist(), dtype=m.float64).to(dtype)


# name: (how it is drawn, dtypes, the largest size)
SAMPLERS = {
    "rand": (lambda m, n, d: m.rand(n, dtype=d), FLOATS, 1_000_000),
    "rand_like": (lambda m, n, d: m.rand_like(m.empty(n, dtype=d)), FLOATS, 65_536),
    "randn": (lambda m, n, d: m.randn(n, dtype=d), FLOATS + ("complex64", "complex128"), 1_000_000),
    "rand complex": (lambda m, n, d: m.rand(n, dtype=d), ("complex64", "complex128"), 65_536),
    "randint": (lambda m, n, d: m.randint(-5, 100, (n,), dtype=d), INTEGERS[1:] + FLOATS, 1_000_000),
    "randint of one bound": (lambda m, n, d: m.randint(7, (n,), dtype=d), INTEGERS + FLOATS, 65_536),
    "randint wide": (lambda m, n, d: m.randint(-2**40, 2**62, (n,), dtype=d), ("int64",), 1_000_000),
    "randint_like": (lambda m, n, d: m.randint_like(m.empty(n, dtype=d), 3, 90), INTEGERS + FLOATS, 65_536),
    "randperm": (lambda m, n, d: m.randperm(n, dtype=d), ("int64", "int32", "float32", "float64"), 1_000_000),
    "normal with numbers": (lambda m, n, d: m.normal(2.5, 0.5, (n,), dtype=d), FLOATS, 65_536),
    "normal with mean": (lambda m, n, d: m.normal(values(m, n, d, -5, 5), 0.7), FLOATS, 1_000_000),
    "normal with std": (lambda m, n, d: m.normal(1.5, values(m, n, d, 0, 3)), FLOATS, 1_000_000),
    "normal with both": (lambda m, n, d: m.normal(values(m, n, d, -5, 5), values(m, n, d, 0, 3)), FLOATS, 1_000_000),
    "bernoulli": (lambda m, n, d: m.bernoulli(values(m, n, d, 0, 1)), FLOATS, 1_000_000),
    "bernoulli with p": (lambda m, n, d: m.bernoulli(m.empty(n, dtype=d), 0.3), FLOATS, 1_000_000),
    "bernoulli_": (method("bernoulli_"), FLOATS + INTEGERS + ("bool",), 1_000_000),
    "bernoulli_ with tensor": (lambda m, n, d: m.empty(n, dtype=d).bernoulli_(values(m, n, m.float32, 0, 1)),
                               FLOATS + INTEGERS + ("bool",), 65_536),
    "multinomial": (lambda m, n, d: m.multinomial(values(m, 40, d, 0, 1), max(n, 1), True), FLOATS, 1_000_000),
    "multinomial of rows": (lambda m, n, d: m.multinomial(values(m, 40, d, 0, 1).reshape(5, 8), max(n // 5, 1), True),
                            FLOATS, 262_145),
    "multinomial once": (lambda m, n, d: m.multinomial(values(m, n + 1, d, 0.1, 1), 1), FLOATS, 65_536),
    "multinomial without replacement": (lambda m, n, d: m.multinomial(values(m, n + 1, d, 0.1, 1), n // 2 + 1),
                                        FLOATS, 1_000_000),
    "multinomial of a few among many": (lambda m, n, d: m.multinomial(values(m, n + 1, d, 0.1, 1), n // 100 + 1),
                                        FLOATS, 1_000_000),
    "exponential_": (method("exponential_"), FLOATS, 1_000_000),
    "exponential_ of rate": (method("exponential_", 2.5), FLOATS, 65_536),
    "geometric_": (method("geometric_", 0.3), FLOATS + INTEGERS, 1_000_000),
    "log_normal_": (method("log_normal_"), FLOATS, 1_000_000),
    "log_normal_ of moments": (method("log_normal_", 0.5, 0.25), FLOATS, 65_536),
    "cauchy_": (method("cauchy_"), FLOATS, 1_000_000),
    "cauchy_ of place": (method("cauchy_", -1.5, 3), FLOATS, 65_536),
    "poisson": (lambda m, n, d: m.poisson(values(m, n, d, 0, 30)), FLOATS, 262_145),
    "binomial": (lambda m, n, d: m.binomial(values(m, n, d, 0, 50).floor(), values(m, n, d, 0, 1)), FLOATS[:2], 65_536),
    "uniform_": (method("uniform_"), FLOATS, 1_000_000),
    "uniform_ of bounds": (method("uniform_", -3.3, 5.7), FLOATS, 262_145),
    "normal_": (method("normal_"), FLOATS, 1_000_000),
    "normal_ of moments": (method("normal_", -2, 0.3), FLOATS, 262_145),
    "random_": (method("random_"), FLOATS + INTEGERS + ("bool",), 1_000_000),
    "random_ to": (method("random_", 100), FLOATS + INTEGERS, 262_145),
    "random_ from to": (method("random_", -20, 100), FLOATS + INTEGERS[1:], 262_145),
    "dropout mask": (lambda m, n, d: m.empty(n, dtype=d).bernoulli_(0.9).div_(0.9), FLOATS, 65_536),
}


def same_bytes(ours, theirs):
    """Whether dtype, shape, strides and every byte agree."""
    assert str(ours.dtype).split(".")[1] == str(theirs.dtype).split(".")[1]
    assert ours.shape == theirs.shape and ours.stride() == theirs.stride()
    flat = theirs.reshape(-1).contiguous()
    if theirs.dtype.is_complex:
        flat, ours = torch.view_as_real(flat), cygrad.view_as_real(ours)
    got = ours.reshape(-1).contiguous().view(cygrad.uint8).numpy()
    want = flat.reshape(-1).view(torch.uint8).numpy()
    if not np.array_equal(got, want):
        size = theirs.element_size() if not theirs.dtype.is_complex else theirs.element_size() // 2
        places = np.flatnonzero((got != want).reshape(-1, size).any(1))
        pytest.fail(f"{len(places)} of {theirs.numel()} differ, first at {places[0]}: want "
                    f"{flat.reshape(-1)[places[0]].item()}, got {ours.reshape(-1)[int(places[0])].item()}")


def states_agree():
    assert cygrad.get_rng_state().numpy().tobytes() == torch.get_rng_state().numpy().tobytes()


@pytest.mark.parametrize("name, dtype", [(name, dtype) for name, (_, dtypes,
                                                                  _) in SAMPLERS.items() for dtype in dtypes])
def test_bytes(name, dtype):
    sampler, _, largest = SAMPLERS[name]
    turn = zlib.crc32(f"{name} {dtype}".encode())
    if not THOROUGH and turn % 3:       # the largest size on a third of the cases
        largest = min(largest, 65_536)
    for i, n in enumerate(SIZES):
        if n > largest:
            continue
        for seed in SEEDS if THOROUGH or n < 100 else (SEEDS[(turn + i) % len(SEEDS)],):
            cygrad.manual_seed(seed), torch.manual_seed(seed)
            same_bytes(sampler(cygrad, n, getattr(cygrad, dtype)), sampler(torch, n, getattr(torch, dtype)))
            states_agree()


LAYOUTS = {
    "transposed": lambda t: t.reshape(30, 40).t(),
    "permuted": lambda t: t.reshape(10, 6, 20).permute(2, 0, 1),
    "every other": lambda t: t[::2],
    "columns": lambda t: t.reshape(30, 40)[:, 3:37:3],
    "rows of the transposed": lambda t: t.reshape(30, 40).t()[::3],
    "offset": lambda t: t[7:],
    "one": lambda t: t[5:6],
    "axes of one": lambda t: t.reshape(1, 30, 1, 40).transpose(1, 3),
    "block": lambda t: t.reshape(10, 12, 10)[2:7, 1::4, ::2],
    "small": lambda t: t.reshape(30, 40)[:3, :4].t(),
}
IN_PLACE = {name: args for name, *args in [
    ("uniform_", -1, 3), ("normal_", 1, 2), ("random_",), ("exponential_", 2), ("geometric_", 0.4), ("log_normal_",),
    ("cauchy_",), ("bernoulli_", 0.6)]}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", IN_PLACE)
def test_layouts(name, layout):
    """Elements are visited along the strides, and what lies between them is left alone."""
    for i, dtype in enumerate(FLOATS):
        whole = []
        for m in (cygrad, torch):
            m.manual_seed(SEEDS[i])
            base = m.zeros(1200, dtype=getattr(m, dtype))
            part = LAYOUTS[layout](base)
            getattr(part, name)(*IN_PLACE[name])
            whole.append((base, part))
        same_bytes(whole[0][0], whole[1][0]), same_bytes(whole[0][1], whole[1][1])
        states_agree()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_parameters(layout):
    """Rates, probabilities, means and weights that are views."""
    for dtype in FLOATS[:2]:
        for sampler in (lambda m, p: m.poisson(p * 9), lambda m, p: m.bernoulli(p), lambda m, p: m.normal(p, 2.0),
                        lambda m, p: m.normal(0.5, p), lambda m, p: m.normal(p, p), lambda m,
                        p: m.empty(p.shape).bernoulli_(p),
                        lambda m, p: m.rand_like(p), lambda m, p: m.randn_like(p), lambda m, p: m.randint_like(p, 50),
                        lambda m, p: m.zeros(p.shape).bernoulli_(p.mean(0)), lambda m, p: m.multinomial(p.flatten(), 9),
                        lambda m, p: m.multinomial(p.reshape(-1, p.shape[-1]), 3, True)):
            results = []
            for m in (cygrad, torch):
                m.manual_seed(3)
                try:
                    results.append(sampler(m, LAYOUTS[layout](values(m, 1200, getattr(m, dtype), 0, 1))))
                except RuntimeError as error:
                    results.append(str(error))
            if isinstance(results[1], str):
                assert results[0] == results[1]
            else:
                same_bytes(*results)
            states_agree()


def test_out():
    for dtype in FLOATS:
        for call in (lambda m, out: m.rand(40, out=out), lambda m, out: m.randn(40, out=out),
                     lambda m, out: m.normal(m.ones(40, dtype=out.dtype), 2., out=out),
                     lambda m, out: m.normal(1., m.ones(40, dtype=out.dtype), out=out),
                     lambda m, out: m.normal(m.ones(40, 1), m.ones(1, 40), out=out),
                     lambda m, out: m.normal(1., 2., (40,), out=out),
                     lambda m, out: m.bernoulli(m.full((40,), 0.5, dtype=out.dtype), out=out),
                     lambda m, out: m.randint(9, (40,), out=out), lambda m, out: m.randperm(40, out=out)):
            made = []
            for m in (cygrad, torch):
                m.manual_seed(5)
                out = m.zeros(40, 2, dtype=getattr(m, dtype))[:, 0]
                call(m, out)
                made.append(out)
            same_bytes(*made)


def test_states():
    """Saved and restored between, before and after samplers that keep half a pair of normals; across modules, too."""
    rng = np.random.default_rng(0)
    cygrad.manual_seed(9), torch.manual_seed(9)
    for _ in range(60):
        n = int(rng.integers(1, 40))
        states = []
        for m in (cygrad, torch):
            m.randn(n)
            state = m.get_rng_state()
            first = m.randn(n + 1, dtype=m.float64)
            m.set_rng_state(state)
            again = m.randn(n + 1, dtype=m.float64)
            assert (first == again).all()
            own = m.Generator()
            own.set_state(state)
            assert (m.randn(n + 1, dtype=m.float64, generator=own) == first).all()
            assert own.initial_seed() == 9 == m.initial_seed()
            states.append(state.numpy().tobytes())
        assert states[0] == states[1]
        states_agree()
    cygrad.set_rng_state(cygrad.from_numpy(torch.get_rng_state().numpy()))
    same_bytes(cygrad.rand(100), torch.rand(100))
    clone = cygrad.Generator().manual_seed(4)
    cygrad.rand(3, generator=clone)
    same_bytes(cygrad.rand(9, generator=clone.clone_state()),
               torch.rand(12, generator=torch.Generator().manual_seed(4))[3:])


def test_fork_rng():
    for m in (cygrad, torch):
        m.manual_seed(11)
    made = []
    for m in (cygrad, torch):
        before = m.rand(3)
        with m.random.fork_rng():
            inside = m.randn(20)
            m.manual_seed(5)
            seeded = m.rand(4)
        with m.random.fork_rng(enabled=False):
            kept = m.rand(2)
        made.append((before, inside, seeded, kept, m.rand(5)))
    for ours, theirs in zip(*made):
        same_bytes(ours, theirs)
    states_agree()
