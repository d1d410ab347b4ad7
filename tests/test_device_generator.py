"""If one of these fails, a device's generator draws wrong numbers, or the default stream differs between devices.

The device computes with NumPy and has no `random` entry of its own: the CPU draws for it.
"""
import pickle
import sys
from pathlib import Path

import cygrad
import pytest
from cygrad.backend import RANDOM
from cygrad.devices import discovery
from cygrad_cpu.runtime.philox import philox_words

sys.path.insert(0, str(Path(__file__).resolve().parent / "packages" / "cygrad_numpy"))
from cygrad_numpy import NumPyBackend

UNIFORM, NORMAL, INTEGERS = (RANDOM.index(kind) for kind in ("uniform", "normal", "integers"))


@pytest.fixture
def required(monkeypatch):
    backend = NumPyBackend()
    backend.name = "required"
    monkeypatch.setitem(discovery._loaded, "required", backend)
    monkeypatch.setattr(discovery, "_opened", set(discovery._opened))
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    return "required"


@pytest.fixture
def generator(required):
    return cygrad.Generator(required).manual_seed(11)


# ---- Philox

@pytest.mark.parametrize("counter, key, words", [
    ((0,) * 4, (0,) * 2, (0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8)),
    ((0xffffffff,) * 4, (0xffffffff,) * 2, (0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd)),
    ((0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), (0xa4093822, 0x299f31d0),
     (0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1)),
])
def test_known_answers(counter, key, words):
    """Those of the authors' library Random123: zeros, ones, digits of pi."""
    assert philox_words(counter, key) == words


def cpu_random(kind, shape, dtype, seed, offset, a, b):
    out = cygrad.empty(shape, dtype=dtype)
    assert out._backend().random(kind, out, seed, offset, float(a), float(b)) is None
    return out


SEED, OFFSET = 0x299f31d0a4093822, 2**32 - 1


def words(block):
    place = OFFSET + block
    return philox_words((place & 0xffffffff, place >> 32, 0, 0), (SEED & 0xffffffff, SEED >> 32))


def test_words_go_to_elements_as_the_contract_says():
    narrow = [w for block in range(3) for w in words(block)][:11]
    wide = [pair[0] | pair[1] << 32 for block in range(6) for w in [words(block)] for pair in (w[:2], w[2:])][:11]
    single = cpu_random(UNIFORM, (11,), cygrad.float32, SEED, OFFSET, 0, 1)
    double = cpu_random(UNIFORM, (11,), cygrad.float64, SEED, OFFSET, 0, 1)
    assert single.tolist() == [(w >> 8) / 2**24 for w in narrow]
    assert double.tolist() == [(w >> 11) / 2**53 for w in wide]
    half, brain = (cpu_random(UNIFORM, (11,), d, SEED, OFFSET, 0, 1) for d in (cygrad.float16, cygrad.bfloat16))
    assert half.tolist() == [(w >> 21) / 2**11 for w in narrow]
    assert brain.tolist() == [(w >> 24) / 2**8 for w in narrow]
    assert cpu_random(INTEGERS, (11,), cygrad.int32, SEED, OFFSET, -3, 4).tolist() == [w % 7 - 3 for w in narrow]
    assert cpu_random(INTEGERS, (11,), cygrad.int64, SEED, OFFSET, -2**63, 2**63).tolist() == [
        w - 2**63 for w in wide]


def test_every_element_stands_alone():
    """A later offset is a later part of the same stream, whatever the number of threads."""
    whole = cpu_random(NORMAL, (100_000,), cygrad.float32, SEED, OFFSET, 0, 1)
    part = cpu_random(NORMAL, (40_000,), cygrad.float32, SEED, OFFSET + 15_000, 0, 1)
    assert cygrad.equal(whole[60_000:], part)
    cpu = cygrad.ones(1)._backend()
    before = cpu.get_num_threads()
    try:
        cpu.set_num_threads(1)
        assert cygrad.equal(whole, cpu_random(NORMAL, (100_000,), cygrad.float32, SEED, OFFSET, 0, 1))
    finally:
        cpu.set_num_threads(before)


@pytest.mark.parametrize("dtype", [cygrad.float32, cygrad.float64])
def test_normal_numbers_are_normal(dtype):
    drawn = cpu_random(NORMAL, (200_000,), dtype, 3, 0, 2, 0.5)
    standard = ((drawn - 2) / 0.5).double()
    for power, moment, deviation in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):     # variances of x ** power
        assert abs(standard.pow(power).mean().item() - moment) < 5 * (deviation / 200_000) ** 0.5


# ---- which generator draws

def test_default_stream_is_the_cpus_on_every_device(required):
    cygrad.manual_seed(5)
    here = [cygrad.rand(5), cygrad.randn(20), cygrad.randint(9, (4,))]
    cygrad.manual_seed(5)
    there = [cygrad.rand(5, device=required), cygrad.randn(20, device=required),
             cygrad.randint(9, (4,), device=required)]
    for a, b in zip(here, there):
        assert cygrad.equal(a, b.cpu())


def test_a_generator_of_the_cpu_fills_tensors_of_a_device(required):
    drawn = cygrad.rand(7, device=required, generator=cygrad.Generator().manual_seed(5))
    assert cygrad.equal(drawn.cpu(), cygrad.rand(7, generator=cygrad.Generator().manual_seed(5)))


def test_a_device_draws_from_its_own_stream(required, generator):
    assert str(generator.device) == f"{required}:0"
    found = cygrad.rand(2, 3, device=required, generator=generator)
    assert cygrad.equal(found.cpu(), cpu_random(UNIFORM, (2, 3), cygrad.float32, 11, 0, 0, 1))
    found = cygrad.randn(5, device=required, generator=generator, dtype=cygrad.float64)            # 2 blocks are used
    assert cygrad.equal(found.cpu(), cpu_random(NORMAL, (5,), cygrad.float64, 11, 2, 0, 1))
    found = cygrad.randint(-5, 5, (3,), device=required, generator=generator)                      # 5 are
    assert cygrad.equal(found.cpu(), cpu_random(INTEGERS, (3,), cygrad.int64, 11, 5, -5, 5))
    found = cygrad.empty(4, 2, device=required).t().uniform_(2, 3, generator=generator)            # 7 are; row-major
    assert cygrad.equal(found.cpu(), cpu_random(UNIFORM, (2, 4), cygrad.float32, 11, 7, 2, 3))


def test_probabilities(required, generator):
    ones = cygrad.empty(20_000, device=required).bernoulli_(0.3, generator=generator)
    assert set(ones.tolist()) == {0.0, 1.0}
    assert abs(ones.mean().item() - 0.3) < 0.02
    p = cygrad.tensor([0.0, 1.0, 0.5], device=required, dtype=cygrad.float64).expand(1000, 3)
    drawn = cygrad.bernoulli(p, generator=generator)
    assert drawn.dtype is cygrad.float64
    assert drawn[:, :2].mean(0).tolist() == [0.0, 1.0]
    assert 0.4 < drawn[:, 2].mean().item() < 0.6
    assert cygrad.empty(0, device=required).bernoulli_(0.5, generator=generator).shape == (0,)


def test_dtypes(required, generator):
    complex_ones = cygrad.randn(2000, dtype=cygrad.complex64, device=required, generator=generator)
    assert abs(cygrad.view_as_real(complex_ones).square().sum(-1).mean().item() - 1) < 0.2
    for dtype, largest in ((cygrad.uint8, 255), (cygrad.bool, 1), (cygrad.int64, 2**63 - 1)):
        drawn = cygrad.empty(2000, dtype=dtype, device=required).random_(generator=generator)
        assert 0 <= drawn.min().item() and largest / 2 < drawn.max().item() <= largest
    for dtype in (cygrad.float16, cygrad.bfloat16):
        drawn = cygrad.rand(5000, dtype=dtype, device=required, generator=generator)
        assert drawn.max().item() < 1


def test_state(required, generator):
    cygrad.rand(5, device=required, generator=generator)
    state = generator.get_state()
    assert state.dtype is cygrad.uint8 and state.shape == (16,)
    assert bytes(state.tolist()) == (11).to_bytes(8, "little") + (2).to_bytes(8, "little")
    copies = [generator.clone_state(), pickle.loads(pickle.dumps(generator))]
    drawn = cygrad.rand(5, device=required, generator=generator)
    generator.set_state(state)
    for each in (generator, *copies):
        assert each.device == generator.device
        assert cygrad.equal(drawn.cpu(), cygrad.rand(5, device=required, generator=each).cpu())
    assert generator.manual_seed(12).initial_seed() == 12
    assert generator.get_state().tolist()[8:] == [0] * 8
    with pytest.raises(RuntimeError, match="RNG state is wrong size"):
        generator.set_state(cygrad.Generator().get_state())


# ---- errors

def test_errors(required, generator):
    with pytest.raises(RuntimeError, match="Expected a 'cpu' device type for generator but found 'required'"):
        cygrad.rand(3, generator=generator)
    with pytest.raises(NotImplementedError, match="permutation: a generator of required:0 draws"):
        cygrad.randperm(3, device=required, generator=generator)
    with pytest.raises(RuntimeError, match="normal expects std >= 0.0"):
        cygrad.empty(3, device=required).normal_(0, -1, generator=generator)
    with pytest.raises(RuntimeError, match="uniform_ expects to return"):
        cygrad.empty(3, device=required).uniform_(2, 1, generator=generator)
    with pytest.raises(RuntimeError, match="between bounds that float64 can hold"):
        cygrad.randint(0, 2**53 + 1, (3,), device=required, generator=generator)
    with pytest.raises(RuntimeError, match="bernoulli_ expects p"):
        cygrad.empty(3, device=required).bernoulli_(2, generator=generator)
    assert generator.get_state().tolist()[8:] == [0] * 8            # nothing was drawn
