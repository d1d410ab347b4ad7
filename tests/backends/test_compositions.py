"""If one of these fails, an entry that a backend lacks is composed wrongly, or its ops leave the device.

A backend with the required entries alone (tests/packages/cygrad_numpy) gets every composed entry from the core. The
cases of `cygrad.testing` run it over dtypes and layouts, against the CPU backend's kernels; CYGRAD_FALLBACK=error
proves that no call went to the CPU.
"""
import sys
from pathlib import Path

import cygrad
import pytest
from cygrad.devices import discovery
from cygrad.dispatch import compositions, fallback
from cygrad.testing.__main__ import run, selected
from shares import share, some_or_all

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages" / "cygrad_numpy"))
from cygrad_numpy import NumPyBackend

F = cygrad.nn.functional
ENTRIES = ("addmm", "softmax", "softmax_backward", "layer_norm", "layer_norm_backward", "group_norm",
           "group_norm_backward", "conv2d", "conv2d_backward",
           "pool", "pool_backward", "nll_loss", "nll_loss_backward", "ctc_loss", "ctc_loss_backward",
           "gather_sum", "resample", "grid_sample", "grid_sample_backward", "attention", "recurrent",
           "recurrent_backward")


def composed(entry):
    def method(self, *args):
        fallback.run(self, entry, args, ())
    return method


class Required(NumPyBackend):
    """The required entries, and of each composed entry what the core makes of them."""


for _entry in ENTRIES:
    setattr(Required, _entry, composed(_entry))


def register(backend, name, monkeypatch):
    """Make a backend known for the time of a test, and forbid it the CPU."""
    backend.name = name
    monkeypatch.setitem(discovery._loaded, name, backend)
    monkeypatch.setattr(discovery, "_opened", set(discovery._opened))
    monkeypatch.setenv("CYGRAD_FALLBACK", "error")


@pytest.fixture
def required(monkeypatch):
    """A device with the required entries alone, which may not turn to the CPU."""
    register(NumPyBackend(), "required", monkeypatch)
    return "required"


@some_or_all
@pytest.mark.parametrize("entry", ENTRIES)
def test_composition_agrees_with_the_cpus_kernel(entry, monkeypatch, every):
    agree(entry, selected([entry]), monkeypatch, every)


def agree(entry, cases, monkeypatch, every):
    backend = Required()
    register(backend, "composed", monkeypatch)
    report = run(share(cases, every), backend, 0, "cpu")
    assert not report.failed, report.details()
    counts = report.counts[entry]
    assert counts["pass"] > 20 // every
    assert entry == "addmm" or not counts["declined"]           # the CPU has no kernel for addmm of small integers


@some_or_all
@pytest.mark.parametrize("entry", ENTRIES)
def test_small_blocks_change_nothing(entry, monkeypatch, every):
    """Columns and scores made for one image or row at a time; drawn cases have thousands."""
    monkeypatch.setattr(compositions, "BLOCK", 1)
    agree(entry, [case for case in selected([entry]) if case.key.op != "drawn"], monkeypatch, every)


# ---- public ops

def network(x, w, b, scale, shift, target):
    """Every composed entry in one loss."""
    y = cygrad.conv2d(x, w, b, padding=1, stride=2).flatten(2)
    y = cygrad.layer_norm(y, y.shape[2:], scale, shift)
    y = F.scaled_dot_product_attention(y, y, y, is_causal=True)
    y = cygrad.softmax(y, 1)[:, :, 0]
    return F.cross_entropy(F.linear(y, w.flatten(1)[:, :4], b), target)


@pytest.mark.parametrize("dtype", [cygrad.float32, cygrad.float64, cygrad.bfloat16])
def test_network_forward_and_backward_on_the_device(required, dtype):
    shapes = ((2, 3, 6, 5), (4, 3, 3, 3), (4,), (9,), (9,))
    host = [cygrad.randn(shape, dtype=dtype).requires_grad_() for shape in shapes]
    there = [t.detach().to(required).requires_grad_() for t in host]
    target = cygrad.tensor([1, 3])
    wanted, found = network(*host, target), network(*there, target.to(required))
    assert found.device.type == required
    wanted.backward()
    found.backward()
    tolerance = {"float32": 1e-5, "float64": 1e-12, "bfloat16": 3e-2}[dtype.name]
    assert cygrad.allclose(found.detach().cpu(), wanted.detach(), rtol=tolerance, atol=tolerance)
    for a, b in zip(there, host):
        assert a.grad.device.type == required
        assert cygrad.allclose(a.grad.cpu(), b.grad, rtol=tolerance, atol=tolerance)


def test_second_derivatives_on_the_device(required):
    def penalty(x, w, scale):
        y = cygrad.layer_norm(cygrad.conv1d(x, w), (4,), scale)
        y = F.scaled_dot_product_attention(y.unsqueeze(0), y.unsqueeze(0), y.unsqueeze(0))
        slopes = cygrad.autograd.grad(y.square().sum(), (x, w, scale), create_graph=True)
        return sum(s.square().sum() for s in slopes)

    host = [cygrad.randn(shape, dtype=cygrad.float64).requires_grad_() for shape in ((2, 3, 6), (2, 3, 3), (4,))]
    there = [t.detach().to(required).requires_grad_() for t in host]
    wanted, found = (cygrad.autograd.grad(penalty(*leaves), leaves) for leaves in (host, there))
    for a, b in zip(found, wanted):
        assert cygrad.allclose(a.cpu(), b, rtol=1e-9, atol=1e-9)


def test_what_has_no_composition_still_asks(required):
    with pytest.raises(cygrad.errors.KernelMissing):
        cygrad.ones(3, device=required).sort()


def test_devices_do_not_mix(required):
    with pytest.raises(RuntimeError, match="same device"):
        cygrad.conv2d(cygrad.ones(1, 1, 3, 3, device=required), cygrad.ones(1, 1, 2, 2))


# ---- dtypes that the CPU's kernels decline

def test_integers_are_composed_exactly():
    x, w = cygrad.randint(-9, 9, (2, 4, 5, 6)), cygrad.randint(-9, 9, (6, 2, 3, 2))
    found = cygrad.conv2d(x, w, padding=1, stride=2, groups=2)
    wanted = cygrad.conv2d(x.double(), w.double(), padding=1, stride=2, groups=2)
    assert found.dtype is cygrad.int64
    assert cygrad.equal(found.double(), wanted)


def test_complex_numbers_are_composed():
    x, w = (cygrad.randn(shape, dtype=cygrad.complex128) for shape in ((1, 2, 3, 4), (2, 1, 2, 2)))

    def parts(a, b):
        return cygrad.conv2d(a, b, padding=1, groups=2)

    real = parts(x.real, w.real) - parts(x.imag, w.imag)
    imaginary = parts(x.real, w.imag) + parts(x.imag, w.real)
    assert cygrad.allclose(cygrad.view_as_real(parts(x, w)), cygrad.stack([real, imaginary], -1))
    leaves = (x.requires_grad_(), w.requires_grad_())
    assert cygrad.autograd.gradcheck(parts, leaves)
    assert cygrad.autograd.gradgradcheck(parts, leaves)
