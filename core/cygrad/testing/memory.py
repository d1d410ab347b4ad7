"""Checks of what is no kernel: devices, memory, transfers, and the errors that the contract asks for."""
from functools import partial

import numpy as np

from cygrad.backend import BINARY
from cygrad.devices.discovery import open_device
from cygrad.dispatch.allocation import empty_on
from cygrad.testing.operands import DTYPES, INTEGERS, dense, result
from cygrad.testing.runner import DECLINED, Check, Key, call


def _storage(backend, index, nbytes):
    return empty_on(backend, index, DTYPES["uint8"], (nbytes,))._storage()


def _written(backend, index, data):
    """A storage that holds these bytes."""
    storage = _storage(backend, index, len(data))
    backend.h2d(memoryview(bytes(data)), storage, 0)
    return storage


def _read(backend, storage, start, count):
    host = bytearray(count)
    backend.d2h(storage, start, memoryview(host))
    return bytes(host)


def expect(condition, text):
    """Raise unless so."""
    if not condition:
        raise AssertionError(text)


def device_count(backend, index):
    """At least one device, and the same number every time."""
    devices = backend.device_count()
    expect(isinstance(devices, int) and devices > index, f"device_count() gave {devices!r}")
    expect(backend.device_count() == devices, "device_count() changed from one call to the next")


def there_and_back(nbytes, backend, index):
    """Bytes come back as they went."""
    data = np.random.default_rng(0).integers(0, 256, nbytes, "uint8").tobytes()
    expect(_read(backend, _written(backend, index, data), 0, nbytes) == data, f"{nbytes} bytes changed on the way")


def parts(backend, index):
    """h2d and d2h of a part touch and read that part alone."""
    storage = _written(backend, index, bytes(range(100)))
    backend.h2d(memoryview(b"\xff" * 7), storage, 31)
    whole = bytes(range(31)) + b"\xff" * 7 + bytes(range(38, 100))
    expect(_read(backend, storage, 0, 100) == whole, "h2d from byte 31 on wrote elsewhere")
    expect(_read(backend, storage, 29, 11) == whole[29:40], "d2h from byte 29 on read elsewhere")


def host_is_free(backend, index):
    """After h2d the host's memory may be used for something else."""
    data = bytearray(b"\x11" * 4096)
    storage = _storage(backend, index, len(data))
    backend.h2d(memoryview(data).toreadonly(), storage, 0)
    data[:] = b"\x22" * len(data)
    backend.synchronize(index)
    expect(_read(backend, storage, 0, 4096) == b"\x11" * 4096, "h2d read the host's memory after it had returned")


def many_buffers(backend, index):
    """Buffers don't overlap, whatever was freed in between."""
    rng = np.random.default_rng(0)
    held = []
    for step in range(300):
        data = bytes([step % 251]) * int(rng.integers(1, 3000))
        held.append((_written(backend, index, data), data))
        if len(held) > 20:
            held.pop(int(rng.integers(len(held))))
    for storage, data in held:
        expect(_read(backend, storage, 0, len(data)) == data, "a buffer was overwritten through another one")


def addresses(backend, index):
    """Two buffers have two addresses; one has the same every time."""
    one, other = _storage(backend, index, 64), _storage(backend, index, 64)
    expect(one.data_ptr() == one.data_ptr(), "the address of a buffer changed")
    expect(one.data_ptr() != other.data_ptr(), "two buffers have one address")


def facts(backend, index):
    """`synchronize`, `memory_info` and `supports` answer as they should."""
    expect(backend.synchronize(index) is None, "synchronize() returned something")
    info = backend.memory_info(index)
    expect(info is None or 0 <= info[0] <= info[1], f"memory_info() gave {info!r}, not (free, total) or None")
    for name in ("bool", "int64", "float32"):
        expect(backend.supports(DTYPES[name]), f"{name} is needed by every backend: indices, masks, results")


def between_devices(backend, index):
    """d2d copies all bytes; with one device there is nothing to do."""
    if backend.device_count() < 2:
        return DECLINED
    for device in range(2):
        open_device(backend, device)
    data = bytes(range(200))
    source, target = _written(backend, 0, data), _storage(backend, 1, len(data))
    if backend.d2d(source, target) is NotImplemented:
        return DECLINED
    expect(_read(backend, target, 0, len(data)) == data, "d2d changed bytes on the way")


def memory_cases():
    checks = {"device_count": device_count, "h2d d2h": partial(there_and_back, 1000),
              "one byte": partial(there_and_back, 1), "large": partial(there_and_back, 3_000_001), "parts": parts,
              "host is free": host_is_free, "many buffers": many_buffers, "addresses": addresses, "facts": facts}
    for name, check in checks.items():
        yield Check(Key("memory", name, "", ""), check)


def d2d_cases():
    yield Check(Key("d2d", "", "", ""), between_devices)


def division_by_zero(op, dtype, backend, index):
    """Integers divided by zero raise, on the host's thread, what PyTorch raises."""
    a, b = dense([7, 8, 9], dtype), dense([1, 0, 2], dtype)
    try:
        _, answer, _ = call(backend, index, "binary", (BINARY.index(op), a, b, result((3,), dtype)))
        backend.synchronize(index)
    except RuntimeError as error:
        expect("ZeroDivisionError" in str(error), f"raised {error!r}, not RuntimeError('ZeroDivisionError')")
        return None
    if answer is NotImplemented:
        return DECLINED
    raise AssertionError("a zero divisor raised nothing")


def error_cases():
    for op in ("floor_divide", "trunc_divide", "remainder", "fmod"):
        for dtype in INTEGERS:
            yield Check(Key("errors", f"{op} by zero", dtype, ""), partial(division_by_zero, op, dtype))
