"""If this fails, a backend is handed a dtype that it has no kernels for, or such a dtype doesn't work on one.

Backends of other people know nothing of unsigned integers, complex32 and floats of 8 bits: none of their entries
may see one, and all ops work on their devices nevertheless, by way of the dtypes that they know.
"""
import sys
from pathlib import Path

import cygrad
import numpy as np
import pytest
from cygrad.backend import Backend
from cygrad.devices import discovery
from cygrad.view import View

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages" / "cygrad_numpy"))
from cygrad_numpy import NumPyBackend

NAMES = ("uint16", "uint32", "uint64", "complex32", "float8_e4m3fn", "float8_e5m2")
MEMORY = ("alloc", "free", "h2d", "d2h", "open", "device_count")
ENTRIES = [name for name in vars(Backend) if not name.startswith("_") and name not in MEMORY
           and callable(getattr(Backend, name))]


class MemoryAlone(Backend):
    """The five entries that every backend must have."""

    def device_count(self):
        return 1

    def alloc(self, index, nbytes):
        return bytearray(nbytes)

    def h2d(self, host, storage, start):
        storage.buffer[start:start + len(host)] = host

    def d2h(self, storage, start, host):
        host[:] = storage.buffer[start:start + len(host)]


def watched(base):
    """A backend whose entries look at the dtypes that they are given."""
    def entry(name):
        def look(self, *args):
            views = [a for value in args for a in (value if isinstance(value, tuple) else (value,))]
            assert not any(isinstance(v, View) and v.dtype.name in NAMES for v in views), name
            return getattr(base, name)(self, *args)
        return look
    return type("Watched", (base,), {name: entry(name) for name in ENTRIES})()


@pytest.fixture(params=[MemoryAlone, NumPyBackend])
def place(request, monkeypatch):
    backend = watched(request.param)
    backend.name = "watched"
    monkeypatch.setitem(discovery._loaded, "watched", backend)
    monkeypatch.setattr(discovery, "_opened", set(discovery._opened))
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    return "watched"


@pytest.mark.parametrize("name", ["uint16", "uint32", "uint64"])
def test_a_backend_never_sees_them(name, place):
    top = np.iinfo(name).max
    x = np.array([[3, 0, top, 7], [top - 1, top // 2 + 1, 5, 1]], name)
    y = np.array([[1, 2, 3, top], [top // 2 + 1, 7, 5, 2]], name)
    a, b = cygrad.tensor(x, device=place), cygrad.tensor(y, device=place)
    assert a.device.type == "watched"
    at = cygrad.tensor([[1, 0, 0, 1]], device=place)
    for found, wanted in [
        (a + b, x + y), (a * 3, x * np.array(3, name)), (a // b, x // y), (a % b, x % y),
        (a << 1, x << np.array(1, name)),
        (a >> 1, x >> np.array(1, name)), (~a, ~x), (a.float(), x.astype("f4")), (a.float().to(a.dtype) * 0, x * 0),
        (a < b, x < y), (a == b, x == y), (cygrad.maximum(a, b), np.maximum(x, y)),
        (a.T.contiguous(), x.T), (a.sum(), x.astype("i8").sum()), (a.amax(1), x.max(1)), (a.argmin(1), x.argmin(1)),
        (a.sort(dim=1, stable=True).values, np.sort(x, 1)), (a.cumsum(1), x.astype("i8").cumsum(1)),
        (a.gather(0, at), x[[1, 0, 0, 1], range(4)][None]), (cygrad.cat([a, b]), np.concatenate([x, y])),
        (cygrad.where(a > 4, a, b), np.where(x > 4, x, y)), (a.clamp(2, 9), np.clip(x, *np.array([2, 9], name))),
        (a[a > 4], x[x > 4]), (a.nonzero(), np.argwhere(x)), (a @ b.T, x @ y.T),
        (cygrad.arange(4, dtype=a.dtype, device=place), np.arange(4, dtype=name)), (a.any(0), x.any(0)),
        (cygrad.full((2,), int(top), dtype=a.dtype, device=place), np.full(2, top, name)),
    ]:
        assert str(found.dtype)[7:] == np.asarray(wanted).dtype.name
        np.testing.assert_array_equal(found.cpu().numpy(), wanted)


def test_a_backend_never_sees_complex32(place):
    x = np.array([[1 + 2j, 0, -3j], [0.25, 4 - 1j, -1]], "complex64")
    y = np.array([[2, 1j, 1 - 1j], [1, 8, 0.5j]], "complex64")
    a, b = (cygrad.tensor(v.tolist(), dtype=cygrad.complex32, device=place) for v in (x, y))
    assert a.device.type == "watched"
    at = cygrad.tensor([1, 0, 0], device=place)
    for found, wanted in [
        (a + b, x + y), (a - b, x - y), (a * b, x * y), (a * 2, x * 2), (3 - a, 3 - x), (-a, -x), (a.conj(), x.conj()),
        (a.abs(), np.abs(x).astype("float16")), (a == b, x == y), (a.T.contiguous(), x.T),
        (a.nonzero(), np.argwhere(x)),
        (a.index_select(0, at), x[[1, 0, 0]]), (cygrad.cat([a, b]), np.concatenate([x, y])), (a[a != 0], x[x != 0]),
        (cygrad.where(a != 0, a, b), np.where(x != 0, x, y)), (a.cfloat(), x), (a.real, x.real.astype("float16")),
        (a.any(0), x.any(0)), (cygrad.full((2,), 1 - 1j, dtype=a.dtype, device=place), np.full(2, 1 - 1j)),
        (cygrad.addcmul(a, a, b), x + x * y), (a.index_add(0, at, b[[0, 0, 1]]), x + [y[0] + y[1], y[0]]),
    ]:
        np.testing.assert_allclose(found.cpu().cfloat().numpy() if found.is_complex() else found.cpu().numpy(), wanted,
                                   rtol=1e-3)


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_a_backend_never_sees_floats_of_8_bits(name, place):
    x = np.array([[1, 0, -3], [0.25, 4, -1]], "float32")
    y = np.array([[2, 1, 0.5], [1, 8, 0]], "float32")
    a, b = (cygrad.tensor(v, device=place).to(getattr(cygrad, name)) for v in (x, y))
    for found, wanted in [
        (a, x), (a * b, x * y), (a.abs(), np.abs(x)), (a == b, x == y), (a.T.contiguous(), x.T), (a[a != 0], x[x != 0]),
        (cygrad.cat([a, b]), np.concatenate([x, y])), (cygrad.where(a != 0, a, b), np.where(x != 0, x, y)),
        (a.nonzero(), np.argwhere(x)), (cygrad.full((2,), 1.5, dtype=a.dtype, device=place), np.full(2, 1.5)),
    ]:
        assert found.device.type == "watched"
        np.testing.assert_array_equal((found.float() if found.is_floating_point() else found).cpu().numpy(), wanted)
