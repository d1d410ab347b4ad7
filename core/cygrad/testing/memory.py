"""Checks of what is no kernel: devices, memory, transfers, and the errors that are asked for."""
import os
import sys
from functools import partial

import numpy as np

from cygrad import errors
from cygrad.backend import BINARY
from cygrad.devices.discovery import open_device
from cygrad.dispatch.allocation import empty_on
from cygrad.testing.operands import DTYPES, INTEGERS, dense, result
from cygrad.testing.runner import DECLINED, Call, Check, Key


GUARD = 19          # bytes beside what is read


def _storage(backend, index, nbytes):
    return empty_on(backend, index, DTYPES["uint8"], (nbytes,))._storage()


def _written(backend, index, data):
    """A storage that holds these bytes."""
    storage = _storage(backend, index, len(data))
    backend.h2d(memoryview(bytes(data)), storage, 0)
    return storage


def _read(backend, storage, start, count):
    host = bytearray(b"\xa5" * (count + 2 * GUARD))            # which begins at no whole word
    answer = backend.d2h(storage, start, memoryview(host)[GUARD:GUARD + count])
    expect(answer is None, f"d2h returned {answer!r}; it writes into the memoryview that it is given, and returns None")
    expect(host[:GUARD] + host[GUARD + count:] == b"\xa5" * 2 * GUARD, "d2h wrote beside the memoryview it was given")
    return bytes(host[GUARD:GUARD + count])


def expect(condition, text):
    """Raise unless so."""
    if not condition:
        raise AssertionError(text)


def device_count(backend, index):
    """At least one device, and the same number every time."""
    devices = backend.device_count()
    expect(isinstance(devices, int) and devices > index, f"device_count() gave {devices!r}")
    expect(backend.device_count() == devices, "device_count() changed from one call to the next")


def there_and_back(nbytes, backend, index, start=0):
    """Bytes come back as they went."""
    data = np.random.default_rng(0).integers(0, 256, nbytes, "uint8").tobytes()
    storage = _storage(backend, index, start + nbytes)
    answer = backend.h2d(memoryview(data), storage, start)
    expect(answer is None, f"h2d returned {answer!r}; it copies what it is given, always, and returns None")
    expect(_read(backend, storage, start, nbytes) == data, f"{nbytes} bytes from byte {start} on changed on the way")


def parts(backend, index):
    """h2d and d2h of a part touch and read that part alone."""
    storage = _written(backend, index, bytes(range(100)))
    backend.h2d(memoryview(b"\xff" * 7), storage, 31)
    whole = bytes(range(31)) + b"\xff" * 7 + bytes(range(38, 100))
    expect(_read(backend, storage, 0, 100) == whole, "h2d from byte 31 on wrote elsewhere")
    expect(_read(backend, storage, 29, 11) == whole[29:40], "d2h from byte 29 on read elsewhere")


def sizes_of_transfers(backend, index):
    """h2d and d2h of as many bytes as pages and words have, and of one more and one less, from any byte on."""
    data = np.random.default_rng(1).integers(0, 256, (1 << 20) + 64, "uint8").tobytes()
    storage = _written(backend, index, bytes(len(data)))
    for power in (0, 1, 2, 3, 4, 6, 8, 12, 16, 20):
        for nbytes in {max((1 << power) + more, 1) for more in (-1, 0, 1)}:
            for start in (0, 1, 4, 7, 64 - 1):
                part = data[start:start + nbytes]
                backend.h2d(memoryview(part), storage, start)
                expect(_read(backend, storage, start, nbytes) == part, f"{nbytes} bytes from byte {start} on changed")
                backend.h2d(memoryview(bytes(nbytes)), storage, start)
    expect(not any(_read(backend, storage, 0, len(data))), "h2d wrote beyond its part")


def host_is_free(backend, index):
    """After h2d the host's memory may be used for something else."""
    data = bytearray(b"\x11" * 4096)
    storage = _storage(backend, index, len(data))
    backend.h2d(memoryview(data).toreadonly(), storage, 0)
    data[:] = b"\x22" * len(data)
    backend.synchronize(index)
    expect(_read(backend, storage, 0, 4096) == b"\x11" * 4096, "h2d read the host's memory after it had returned")


def nothing(backend, index):
    """A tensor without elements has a buffer, too, of which nothing is read."""
    storage = _storage(backend, index, 0)
    expect(storage.nbytes() == 0, f"a buffer of 0 bytes has {storage.nbytes()}")


def freed(backend, index):
    """A buffer that nobody needs any more is given back without an error."""
    said, told = [], errors.report_unraisable
    errors.report_unraisable = lambda what, name: said.append(sys.exc_info()[1])
    try:
        for nbytes in (1, 4096, 4096):
            _written(backend, index, bytes(nbytes))
    finally:
        errors.report_unraisable = told
    expect(not said, f"free raised {said[:1]}; nobody can catch that")


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
    expect(info is None or isinstance(info, tuple) and len(info) == 2 and 0 <= info[0] <= info[1],
           f"memory_info() gave {info!r}, not (free, total) or None")
    for name, dtype in DTYPES.items():
        answer = backend.supports(dtype)
        expect(isinstance(answer, (bool, int)), f"supports({name}) gave {answer!r}, not True or False")
        expect(answer or name not in ("bool", "int64", "float32"),
               f"{name} is needed by every backend: indices, masks, results")


def between_devices(backend, index):
    """d2d copies all bytes; with one device, from one buffer to another."""
    target_index = 1 if backend.device_count() > 1 else 0
    for device in range(target_index + 1):
        open_device(backend, device)
    data = np.random.default_rng(0).integers(0, 256, 10_007, "uint8").tobytes()
    source, target = _written(backend, 0, data), _written(backend, target_index, bytes(len(data)))
    answer = backend.d2d(source, target)
    if answer is NotImplemented:
        return DECLINED
    expect(answer is None, f"d2d returned {answer!r}, not None or NotImplemented")
    expect(_read(backend, target, 0, len(data)) == data, "d2d changed bytes on the way")
    expect(_read(backend, source, 0, len(data)) == data, "d2d changed its source")


# ---- memory that is not there, or not given back

def too_much(backend, index):
    """More memory than there can be is an error, and the device works on."""
    try:
        _storage(backend, index, 1 << 60)
    except Exception:
        pass
    else:
        raise AssertionError(f"alloc gave a buffer of {1 << 60} bytes; raise MemoryError where there is not enough")
    expect(_read(backend, _written(backend, index, b"abc"), 0, 3) == b"abc", "alloc fails after it has failed once")


def resident():
    """The memory that the process has, in bytes; the most it ever had, or 0, where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        pass
    try:
        import resource      # optional dependency: Windows has none
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def buffers_leak(backend, index):
    """What was allocated is given back when nobody refers to it."""
    data = memoryview(bytes(4 << 20))

    def use():
        storage = _storage(backend, index, 4 << 20)
        backend.h2d(data, storage, 0)
    for _ in range(8):
        use()
    backend.synchronize(index)
    before, info = resident(), backend.memory_info(index)
    for _ in range(48):
        use()
    backend.synchronize(index)
    grown = resident() - before
    expect(grown < 100 << 20, f"the process grew by {grown >> 20} MB while 192 MB were allocated and freed in turn")
    if info is not None and backend.name != "cpu" and not backend.host_memory:
        lost = info[0] - backend.memory_info(index)[0]
        expect(lost < 100 << 20, f"the device lost {lost >> 20} MB while 192 MB were allocated and freed in turn")


def memory_cases():
    checks = {"device_count": device_count, "h2d d2h": partial(there_and_back, 1000), "sizes": sizes_of_transfers,
              "one byte": partial(there_and_back, 1), "large": partial(there_and_back, 3_000_001), "parts": parts,
              "larger": partial(there_and_back, 34_000_001, start=4097),
              "host is free": host_is_free, "nothing": nothing, "freed": freed, "many buffers": many_buffers,
              "addresses": addresses, "facts": facts, "too much": too_much, "leaks": buffers_leak}
    for name, check in checks.items():
        yield Check(Key("memory", name, "", ""), check)


def d2d_cases():
    yield Check(Key("d2d", "", "", ""), between_devices)


def division_by_zero(op, dtype, backend, index):
    """Integers divided by zero raise, on the host's thread, what PyTorch raises."""
    out = result((3,), dtype)
    try:
        call = Call(backend, index, "binary", (BINARY.index(op), dense([7, 8, 9], dtype), dense([1, 0, 2], dtype), out))
        backend.synchronize(index)
    except RuntimeError as error:
        expect("ZeroDivisionError" in str(error), f"raised {error!r}, not RuntimeError('ZeroDivisionError')")
        return None
    expect(call.answer is NotImplemented, "a zero divisor raised nothing")
    wrong = call.written([])
    expect(not wrong, f"{wrong}, and then returned NotImplemented; a kernel declines before it writes")
    return DECLINED


def error_cases():
    for op in ("floor_divide", "trunc_divide", "remainder", "fmod"):
        for dtype in INTEGERS:
            yield Check(Key("errors", f"{op} by zero", dtype, ""), partial(division_by_zero, op, dtype))
