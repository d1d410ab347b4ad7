"""If this fails, convolutions or attention on OpenCL and CUDA devices compute something else than on the CPU.

CUDA's kernels run on PoCL, see fake_kernels.py. The shapes reach every kernel of the families, and their tiles' edges.
OpenCL has each in every dtype; CUDA, whose text differs in the words of the language only and takes seconds a kernel to
compile for PoCL, has each in float32 and some in the other dtypes. `tox` runs those that compile least.
"""
import cygrad
import pytest
from cygrad.devices import discovery
from cygrad.ops.nn.attention import _attention
from extras import need_opencl

F = cygrad.nn.functional
TOLERANCE = {cygrad.float64: 1e-12, cygrad.float32: 3e-5, cygrad.bfloat16: 2e-2, cygrad.int64: 0}

# input, weight; stride, padding, dilation, groups
CONVOLUTIONS = {
    "no whole tile": ((3, 5, 9, 11), (7, 5, 3, 2), 1, (1, 0), 1, 1),
    "many filters": ((2, 3, 8, 9), (200, 3, 3, 3), 1, 1, 1, 1),
    "many taps": ((1, 40, 6, 7), (9, 40, 5, 5), 1, 2, 1, 1),
    "many positions": ((2, 6, 40, 37), (12, 6, 3, 3), 1, 1, 1, 1),
    "some images at a time": ((5, 6, 140, 140), (8, 6, 3, 3), 1, 1, 1, 1),
    "one by one": ((3, 20, 7, 5), (24, 20, 1, 1), 1, 0, 1, 1),
    "one by one, some rows": ((3, 6, 7, 8), (10, 6, 1, 1), (2, 3), 0, 1, 1),
    "strides of 2 and 3": ((2, 6, 17, 19), (8, 6, 3, 4), (2, 3), (1, 2), 1, 1),
    "strides above the filter": ((2, 6, 14, 15), (8, 6, 2, 2), (4, 3), 0, 1, 1),
    "dilation": ((2, 6, 15, 16), (8, 6, 3, 3), 1, (3, 2), (3, 2), 1),
    "dilation and stride": ((2, 6, 19, 21), (8, 6, 3, 3), (2, 3), (3, 4), (4, 3), 1),
    "padding beyond the filter": ((2, 6, 5, 4), (8, 6, 3, 3), 1, (5, 4), 1, 1),
    "groups": ((2, 12, 9, 8), (24, 4, 3, 3), 1, 1, 1, 3),
    "groups of few filters": ((2, 12, 9, 40), (8, 3, 3, 3), 1, 1, 1, 4),
    "depthwise": ((3, 7, 12, 35), (7, 1, 3, 5), 1, (1, 2), 1, 7),
    "depthwise, strides": ((2, 5, 13, 40), (10, 1, 3, 3), (2, 3), 1, (1, 2), 5),
    "depthwise, in bands": ((1, 2, 150, 120), (2, 1, 7, 7), 1, 3, 1, 2),
    "lines too long for a plane": ((1, 2, 5, 9000), (2, 1, 3, 3), 1, 1, 1, 2),
}


def everywhere(names, some, dtypes):
    """Parameters `where`, `name`, `dtype`: all of them on OpenCL; on CUDA, other dtypes than float32 for some.

    What is slow to compile is marked so: on OpenCL all but float32, and on CUDA all but `some` in float32.
    """
    return pytest.mark.parametrize("where, name, dtype", [
        pytest.param(device, name, dtype, id=f"{device}-{name}-{dtype.name}", marks=[] if (
            dtype is cygrad.float32 and (device == "opencl" or name in some)) else [pytest.mark.slow])
        for device in ("opencl", "cuda") for name in names for dtype in dtypes
        if device == "opencl" or dtype is cygrad.float32 or name in some], indirect=["where"])


@pytest.fixture(params=["opencl", "cuda"])
def where(request, monkeypatch):
    """A device that must not turn to the CPU."""
    monkeypatch.setenv("CYGRAD_FALLBACK", "error")
    if request.param == "cuda":
        request.getfixturevalue("computing_gpu")
        return "cuda"
    need_opencl()
    if "opencl" not in discovery._loaded:
        from cygrad_opencl import OpenCLBackend
        monkeypatch.setitem(discovery._loaded, "opencl", OpenCLBackend())
    return "opencl"


def close(made, expected, tolerance):
    """Whether results are right in relation to the largest of them."""
    return (made.cpu().double() - expected).abs().max().item() <= tolerance * max(1, expected.abs().max().item())


def drawn(shape, dtype):
    t = cygrad.randint(-9, 9, shape) if dtype is cygrad.int64 else cygrad.randn(shape, dtype=cygrad.float64)
    return t.to(dtype)


@everywhere(CONVOLUTIONS, ("no whole tile", "strides of 2 and 3", "depthwise"), TOLERANCE)
def test_convolutions(where, name, dtype):
    shape, filters, *geometry = CONVOLUTIONS[name]
    cygrad.manual_seed(0)
    host = [drawn(size, dtype) for size in (shape, filters, filters[:1])]
    there = [t.to(where) for t in host]
    there[0] = there[0].permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2) if "strides" in name else there[0]
    wanted, found = [t.double() for t in host], there
    if dtype is not cygrad.int64:
        wanted, found = ([t.detach().requires_grad_() for t in each] for each in (wanted, found))
    y, made = F.conv2d(*wanted, *geometry), F.conv2d(*found, *geometry)
    assert made.dtype is dtype and close(made.detach(), y.detach(), TOLERANCE[dtype])
    if dtype is not cygrad.int64:
        slope = drawn(y.shape, dtype)
        pairs = zip(cygrad.autograd.grad(made, found, slope.to(where)),
                    cygrad.autograd.grad(y, wanted, slope.double()))
        assert all(close(a, b, TOLERANCE[dtype]) for a, b in pairs)


def test_no_columns_are_kept(where):
    """Nine times the input would be needed; there may be a copy with its padding."""
    x, w = cygrad.randn(2, 32, 96, 96, device=where), cygrad.randn(32, 32, 3, 3, device=where)
    backend, size = discovery.load(where), 4 * x.numel()
    backend.reset_peak_memory_stats()
    before = backend.memory_allocated()
    y = F.conv2d(x, w, padding=1)
    assert y.shape == x.shape and backend.max_memory_allocated() - before < 2 * size
    slope = cygrad.ones(y.shape, device=where)
    y = F.conv2d(x.requires_grad_(), w.requires_grad_(), padding=1)
    backend.reset_peak_memory_stats()
    before = backend.memory_allocated()
    cygrad.autograd.grad(y, (x, w), slope)
    assert backend.max_memory_allocated() - before < 5 * size


# query and key (B, L, E), (B, S, E); width of values; causal; kind of mask
ATTENTION = {
    "less than a tile": ((3, 5, 7), 6, 4, False, None),
    "whole tiles": ((2, 128, 64), 128, 128, False, None),
    "causal, more keys": ((2, 70, 20), 300, 40, True, None),
    "causal, fewer keys": ((2, 150, 33), 67, 65, True, "bool"),
    "wide values": ((1, 50, 130), 140, 300, False, "added"),
    "mask": ((2, 97, 16), 129, 32, False, "bool"),
}


@everywhere(ATTENTION, ("less than a tile",), (cygrad.float64, cygrad.float32, cygrad.bfloat16))
def test_attention(where, name, dtype):
    (batch, rows, inner), keys, width, causal, kind = ATTENTION[name]
    cygrad.manual_seed(0)
    host = [3 * cygrad.randn(batch, *size) for size in ((rows, inner), (keys, inner), (keys, width))]
    mask = None
    if kind == "bool":
        mask = cygrad.rand(rows, keys) < 0.5
        mask[::3] = False                               # rows that see nothing are zero
    elif kind == "added":
        mask = (5 * cygrad.randn(rows, keys)).to(dtype)
        mask[:, 3:9] = -float("inf")
    there = [t.to(dtype).to(where) for t in host]
    there[1] = there[1].mT.contiguous().mT
    def attend(q, k, v, mask):          # takes both kinds of masks, unlike the function
        return _attention((q, k, v), q, k, v, mask, causal, inner ** -0.5)
    wanted = attend(*(t.to(dtype).double() for t in host), mask.double() if kind == "added" else mask)
    made = attend(*there, None if mask is None else mask.to(where))
    assert made.dtype is dtype and close(made, wanted, TOLERANCE[dtype])


def test_attention_of_extremes(where):
    """Scores that overflow without their maximum, and such that make a row NaN, which the next one must not see."""
    x = cygrad.zeros(1, 4, 2)
    x[0, :, 0] = cygrad.tensor([1e19, -1e19, 0.0, 1.0])
    seen = cygrad.tensor([[True, True, False, False], [False, True, True, True], [False] * 4, [True] * 4])
    v = cygrad.arange(8.0).view(1, 4, 2)
    wanted = F.scaled_dot_product_attention(x, x, v, seen)
    made = F.scaled_dot_product_attention(*(t.to(where) for t in (x, x, v, seen))).cpu()
    assert cygrad.allclose(made, wanted, equal_nan=True) and made[0, 2].tolist() == [0, 0]
    x[0, 0, 0] = float("nan")
    made = F.scaled_dot_product_attention(*(t.to(where) for t in (x, x, v, seen))).cpu()
    assert made[0, 0].isnan().all() and made[0, 1].isfinite().all()


def test_scores_are_not_kept(where):
    """They would be 64 times the result."""
    q = cygrad.randn(1, 2048, 32, device=where)
    backend = discovery.load(where)
    backend.reset_peak_memory_stats()
    before = backend.memory_allocated()
    y = F.scaled_dot_product_attention(q, q, q)
    assert y.shape == q.shape and backend.max_memory_allocated() - before < 4 * 4 * q.numel()
