"""If this fails, the same seed no longer gives PyTorch's numbers: every sampler, dtype and size, by bytes.

After each call the states are compared too, and calls follow each other on one stream, so a sampler that draws one word
too many or too few is found where it does so. PyTorch's own bits differ between instruction sets: these are the ones of
its AVX2 and AVX-512 builds, so the tests want such a machine.
"""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

from cygrad.random.generator import Generator  # noqa: E402

NAMES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")
CODE = {name: code for code, name in enumerate(NAMES)}
FLOATS = NAMES[6:]
SIZES = (0, 1, 2, 7, 15, 16, 17, 24, 31, 32, 33, 100, 1000, 12345)
SEEDS = (0, 1, -5, 2**40 + 3)


class Pair:
    """Our generator and PyTorch's, kept in step."""

    def __init__(self, seed):
        self.ours = Generator().manual_seed(seed)
        self.theirs = torch.Generator().manual_seed(seed)

    def check(self, expected, sampler, *params):
        """`expected` was just drawn by PyTorch; `sampler` must give the same bytes and leave the same state."""
        name = str(expected.dtype).removeprefix("torch.")
        expected = torch.cat([expected.reshape(-1)]).view(torch.uint8).numpy()
        buffer = np.full(expected.size + 8, 0xa5, np.uint8)
        n = expected.size // getattr(torch, name).itemsize
        self.ours.fill(sampler, buffer.ctypes.data, n, CODE[name], *params)
        label = f"{sampler}{params} of {n} {name}"
        assert np.array_equal(buffer[:expected.size], expected), label
        assert (buffer[expected.size:] == 0xa5).all(), f"{label}: wrote beyond the end"
        assert self.ours.state_bytes() == bytes(self.theirs.get_state().numpy()), f"{label}: position in the stream"


def empty(name, n):
    return torch.empty(n, dtype=getattr(torch, name))


@pytest.fixture(params=SEEDS)
def pair(request):
    return Pair(request.param)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("low, high", [(0, 1), (-3.3, 5.7), (-1, 0), (5, 5), (0, 60000)])
def test_uniform(pair, name, low, high):
    for n in SIZES:
        pair.check(empty(name, n).uniform_(low, high, generator=pair.theirs), "uniform", low, high)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("mean, std", [(0, 1), (0.3, 1.7), (-2, 0)])
def test_normal(pair, name, mean, std):
    for n in SIZES:
        pair.check(empty(name, n).normal_(mean, std, generator=pair.theirs), "normal", mean, std)
        pair.check(empty(name, 2 * n)[::2].normal_(mean, std, generator=pair.theirs), "normal_strided", mean, std)


@pytest.mark.parametrize("name", FLOATS)
def test_log_normal_cauchy_exponential(pair, name):
    for n in SIZES:
        pair.check(empty(name, n).log_normal_(0.3, 0.7, generator=pair.theirs), "log_normal", 0.3, 0.7)
        pair.check(empty(name, n).cauchy_(0.3, 0.7, generator=pair.theirs), "cauchy", 0.3, 0.7)
        pair.check(empty(name, n).exponential_(1.3, generator=pair.theirs), "exponential", 1.3)


@pytest.mark.parametrize("name", NAMES[1:])
def test_geometric(pair, name):
    for n in SIZES:
        for p in (0.3, 0.9) if name in ("uint8", "int8") else (0.3, 0.9, 0.01):  # small p overflows 8 bits
            pair.check(empty(name, n).geometric_(p, generator=pair.theirs), "geometric", p)


@pytest.mark.parametrize("name", NAMES)
def test_bernoulli(pair, name):
    for n in SIZES:
        for p in (0, 0.3, 1):
            pair.check(empty(name, n).bernoulli_(p, generator=pair.theirs), "bernoulli", p)
        for p_name in FLOATS:
            p = torch.linspace(0, 1, n).to(getattr(torch, p_name))
            expected = empty(name, n).bernoulli_(p, generator=pair.theirs)
            pair.check(expected, "bernoulli_tensor", p.data_ptr(), CODE[p_name])


@pytest.mark.filterwarnings("ignore:.*out of bounds:UserWarning")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("params", [
    (), (0, 1), (0, 2), (0, 10), (3, 100), (-100, 100), (0, 2**15), (-2**30, 2**30), (-2**40, 2**41 + 7), (0, 2**28),
    (0, 2**28 - 1), (-2**63, 2**63 - 1), (0, None), (-5, None), (2**23, None), (-2**63, None), (4097, 4103),
    (2**24, 2**24 + 9), (5, 5), (2**62, 2**62 + 3)])
def test_random(pair, name, params):
    """Ranges that a dtype cannot hold raise PyTorch's error."""
    for n in SIZES:
        try:
            expected = empty(name, n).random_(*params, generator=pair.theirs)
        except RuntimeError as error:   # NotImplementedError is one
            with pytest.raises(type(error)) as caught:
                pair.ours.fill("random", 0, n, CODE[name], *params)
            assert str(caught.value) == str(error).splitlines()[0]
        else:
            pair.check(expected, "random", *params)


@pytest.mark.parametrize("name", NAMES[1:])
def test_permutation(pair, name):
    largest = {"uint8": 256, "int8": 128, "bfloat16": 257, "float16": 2049}.get(name, 12345)
    for n in [n for n in SIZES if n <= largest] + [largest]:
        pair.check(torch.randperm(n, dtype=getattr(torch, name), generator=pair.theirs), "permutation")


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("rate", [0, 0.5, 3.3, 13.3, 500])
def test_poisson(pair, name, rate):
    for n in SIZES:
        rates = torch.full((n,), float(rate), dtype=getattr(torch, name))
        pair.check(torch.poisson(rates, generator=pair.theirs), "poisson", rates.data_ptr())


@pytest.mark.parametrize("name", FLOATS[2:])
@pytest.mark.parametrize("count, p", [(30, 0.4), (30, 0.1), (1000, 0.7), (5, 0.9), (8, 0.5), (0, 0.5), (4, 0), (4, 1)])
def test_binomial(pair, name, count, p):
    for n in SIZES:
        counts = torch.full((n,), float(count), dtype=getattr(torch, name))
        ps = torch.full((n,), float(p), dtype=getattr(torch, name))
        pair.check(torch.binomial(counts, ps, generator=pair.theirs), "binomial", counts.data_ptr(), ps.data_ptr())


@pytest.mark.parametrize("name", FLOATS[2:])
@pytest.mark.parametrize("shape", [0, 0.1, 0.7, 1, 2.5, 40])
def test_standard_gamma(pair, name, shape):
    for n in SIZES:
        shapes = torch.full((n,), float(shape), dtype=getattr(torch, name))
        pair.check(torch._standard_gamma(shapes, generator=pair.theirs), "standard_gamma", shapes.data_ptr())


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("rows, columns", [(1, 1), (1, 5), (3, 7), (2, 1000)])
def test_multinomial_with_replacement(pair, name, rows, columns):
    weights = torch.rand(rows, columns, generator=torch.Generator()).to(getattr(torch, name))
    for n in SIZES[2:]:     # one sample takes the other way
        pair.check(torch.multinomial(weights, n, True, generator=pair.theirs),
                   "multinomial", weights.data_ptr(), CODE[name], rows, columns)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("samples, replacement", [(1, True), (1, False), (3, False)])
def test_multinomial_from_exponentials(pair, name, samples, replacement):
    """What the head of generator.pyx says of multinomial without replacement: the largest of p / q."""
    weights = torch.rand(3, 7, generator=torch.Generator()).to(getattr(torch, name))
    expected = torch.multinomial(weights, samples, replacement, generator=pair.theirs)
    q = torch.empty_like(weights)
    pair.ours.fill("exponential", q.data_ptr(), q.numel(), CODE[name], 1)
    assert torch.equal((weights / q).topk(samples).indices, expected)
    assert pair.ours.state_bytes() == bytes(pair.theirs.get_state().numpy())


@pytest.mark.parametrize("sampler, params, method", [
    ("uniform", (0, 1), "uniform_"), ("normal_strided", (0, 1), "normal_"), ("bernoulli", (0.3,), "bernoulli_")])
def test_strided_tensors_are_filled_along_their_strides(pair, sampler, params, method):
    """Transposed: in memory order. With gaps: in the order of the strides, gaps left out."""
    for tensor, dense in [(torch.empty(4, 6).t(), lambda t: t.t()), (torch.empty(4, 12)[:, ::2], lambda t: t),
                          (torch.empty(2, 3, 4).permute(2, 0, 1), lambda t: t.permute(1, 2, 0)),
                          (torch.empty(8, 12)[::2, ::2].t(), lambda t: t.t())]:
        getattr(tensor, method)(*params, generator=pair.theirs)
        pair.check(dense(tensor), sampler, *params)


def test_interleaved_calls(pair):
    """One stream through many samplers and sizes, from positions that are no multiple of anything."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(0, 700))
        name = FLOATS[rng.integers(4)]
        which = rng.integers(6)
        if which == 0:
            pair.check(empty(name, n).uniform_(generator=pair.theirs), "uniform", 0, 1)
        elif which == 1:
            pair.check(empty(name, n).normal_(generator=pair.theirs), "normal", 0, 1)
        elif which == 2:
            pair.check(empty(name, n).log_normal_(generator=pair.theirs), "log_normal", 1, 2)
        elif which == 3:
            pair.check(empty("int64", n).random_(0, 10, generator=pair.theirs), "random", 0, 10)
        elif which == 4:
            pair.check(torch.randperm(n, generator=pair.theirs), "permutation")
        else:
            pair.check(empty("bool", n).bernoulli_(0.5, generator=pair.theirs), "bernoulli", 0.5)


def test_states_travel_both_ways():
    pair = Pair(7)
    for n in (3, 5, 100, 621, 1):       # odd counts leave a second normal value waiting
        pair.check(empty("float64", n).normal_(generator=pair.theirs), "normal_strided" if n < 16 else "normal", 0, 1)
        other = Pair(0)
        other.ours.set_state_bytes(bytes(pair.theirs.get_state().numpy()))
        other.theirs.set_state(torch.frombuffer(bytearray(pair.ours.state_bytes()), dtype=torch.uint8))
        for m in (1, 2, 1000):
            other.check(empty("float64", m).normal_(generator=other.theirs), "normal", 0, 1)


def test_states_of_old_checkpoints_are_kept():
    """They may hold a float32 normal value, which nothing reads any more, at byte 5048."""
    state = bytearray(seeded_state := bytes(torch.Generator().get_state().numpy()))
    state[5048:5053] = np.float32(1.5).tobytes() + b"\1"
    theirs = torch.Generator().set_state(torch.frombuffer(state, dtype=torch.uint8))
    ours = Generator()
    ours.set_state_bytes(state)
    assert ours.state_bytes() == bytes(theirs.get_state().numpy()) != seeded_state


def test_the_default_seed_is_pytorchs():
    assert Generator().state_bytes() == bytes(torch.Generator().get_state().numpy())


@pytest.mark.parametrize("seed", [0, 5, -1, -2**63, 2**63, 2**64 - 1, 2**64, -2**63 - 1, 1.5, "1", True, None])
def test_seeds(seed):
    try:
        expected = torch.Generator().manual_seed(seed)
    except Exception as error:
        with pytest.raises(type(error)) as caught:
            Generator().manual_seed(seed)
        assert str(caught.value) == str(error).splitlines()[0]
    else:
        ours = Generator().manual_seed(seed)
        assert ours.initial_seed() == expected.initial_seed()
        assert ours.state_bytes() == bytes(expected.get_state().numpy())


@pytest.mark.parametrize("draw, name, sampler, params", [
    (lambda t: t.uniform_(3, 1), "float32", "uniform", (3, 1)),
    (lambda t: t.uniform_(0, 1e6), "float16", "uniform", (0, 1e6)),
    (lambda t: t.uniform_(-65000, 65000), "float16", "uniform", (-65000, 65000)),
    (lambda t: t.uniform_(), "int32", "uniform", (0, 1)),
    (lambda t: t.normal_(0, -1), "float32", "normal", (0, -1)),
    (lambda t: t.normal_(0, float("nan")), "float32", "normal", (0, float("nan"))),
    (lambda t: t.normal_(), "int32", "normal", (0, 1)),
    (lambda t: t.log_normal_(0, 0), "float32", "log_normal", (0, 0)),
    (lambda t: t.log_normal_(0, 1), "int64", "log_normal", (0, 1)),
    (lambda t: t.cauchy_(0, 0), "float32", "cauchy", (0, 0)),
    (lambda t: t.cauchy_(0, 1), "int32", "cauchy", (0, 1)),
    (lambda t: t.cauchy_(0, 1), "int64", "cauchy", (0, 1)),
    (lambda t: t.exponential_(0), "float32", "exponential", (0,)),
    (lambda t: t.exponential_(1), "int32", "exponential", (1,)),
    (lambda t: t.geometric_(1), "float32", "geometric", (1,)),
    (lambda t: t.geometric_(0.5), "bool", "geometric", (0.5,)),
    (lambda t: t.bernoulli_(1.5), "float32", "bernoulli", (1.5,)),
    (lambda t: torch.randperm(3, dtype=torch.bool), "bool", "permutation", ()),
])
def test_errors(draw, name, sampler, params):
    with pytest.raises(RuntimeError) as expected:
        draw(empty(name, 3))
    with pytest.raises(type(expected.value)) as caught:
        Generator().fill(sampler, 0, 3, CODE[name], *params)
    assert str(caught.value) == str(expected.value).splitlines()[0]


@pytest.mark.parametrize("name, n", [
    ("uint8", 257), ("int8", 129), ("int16", 40000), ("float16", 2050), ("float32", 2**25)])
def test_permutations_too_long_for_their_dtype(name, n):
    with pytest.raises(RuntimeError) as expected:
        torch.randperm(n, dtype=getattr(torch, name))
    with pytest.raises(RuntimeError) as caught:
        Generator().fill("permutation", 0, n, CODE[name])
    assert str(caught.value) == str(expected.value).splitlines()[0]


def test_errors_in_the_data_leave_the_stream_where_pytorch_leaves_it():
    pair = Pair(3)
    p = torch.rand(2000, generator=torch.Generator())
    p[1500] = 1.5
    rates = torch.ones(10)
    rates[4] = -1
    cases = [(lambda: torch.empty(2000).bernoulli_(p, generator=pair.theirs), "float32", 2000, "bernoulli_tensor",
              (p.data_ptr(), CODE["float32"])),
             (lambda: torch.poisson(rates, generator=pair.theirs), "float32", 10, "poisson", (rates.data_ptr(),))]
    weights = [torch.tensor(row) for row in ([0., 0.], [-1., 2.], [float("nan"), 2.], [float("inf"), 2.])]
    weights.append(torch.tensor([[1., 2.], [0., 0.]]))      # the first row is drawn before the second is looked at
    for w in weights:
        cases.append((lambda w=w: torch.multinomial(w, 2, True, generator=pair.theirs), "int64", w.numel(),
                      "multinomial", (w.data_ptr(), CODE["float32"], w.numel() // 2, 2)))
    for draw, name, n, sampler, params in cases:
        with pytest.raises(RuntimeError) as expected:
            draw()
        buffer = np.empty(n, np.int64)
        with pytest.raises(RuntimeError) as caught:
            pair.ours.fill(sampler, buffer.ctypes.data, n, CODE[name], *params)
        assert str(expected.value).startswith(str(caught.value))
        assert pair.ours.state_bytes() == bytes(pair.theirs.get_state().numpy()), sampler
