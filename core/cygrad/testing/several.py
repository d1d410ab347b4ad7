"""Several devices: each has memory, work and results of its own.

Where a backend counts one device, it is asked to count it twice (`simulate`), if it can: then all that depends on the
number of a device is proven on a machine that has one.
"""
from contextlib import contextmanager
from functools import partial

import numpy as np

import cygrad
from cygrad.backend import BINARY
from cygrad.devices.discovery import open_device
from cygrad.testing.conditions import NO_KERNELS, accepted, made, right, together, usual
from cygrad.testing.memory import expect
from cygrad.testing.operands import dense, result
from cygrad.testing.runner import DECLINED, Call, Check, Key


@contextmanager
def two_devices(backend):
    """Two devices for a ``with`` block: True, or False where there is one and it can't be counted twice."""
    real = backend.device_count()
    simulates = real < 2 and hasattr(backend, "simulate")
    if simulates:
        backend.simulate(2)
    try:
        there = backend.device_count() > 1
        for device in range(2 * there):
            open_device(backend, device)
        yield there
    finally:
        if simulates:
            backend.simulate(1)


def on_both(check):
    """A check of ``(backend)`` with two devices, as one of ``(backend, index)``."""
    def checked(backend, index):
        with two_devices(backend) as there:
            return check(backend) if there else DECLINED
    return checked


def read(backend, view, count):
    """Float32 numbers of a View."""
    host = bytearray(4 * count)
    backend.d2h(view._storage(), 0, memoryview(host))
    return np.frombuffer(host, "float32")


def kernels(entry, cases, backend):
    """An entry gives on each device what it should, whichever was used last."""
    case = accepted(usual(cases), backend, 0)
    if case is None:
        return DECLINED
    calls = [Call(backend, device, entry, made(case, device), at_once=False) for device in (0, 1)]
    for device in (1, 0):
        calls[device].do(case.kernel(backend))
    for device in (0, 1):
        expect(calls[device].answer is not NotImplemented, f"declined on device {device} alone")
        calls[device].fetch()
        right(case, calls[device], f"device {device} of two")
    return None


def memory(backend):
    """What one device gives back, another does not get; writing on one leaves the other alone."""
    count = 2048
    held = [[dense(np.full(count, 10 * turn + device), "float32").place(backend, device) for turn in range(20)]
            for device in (0, 1)]
    for views in held:
        del views[::2]
    held += [[dense(np.full(count, 1000 + device), "float32").place(backend, device) for _ in range(20)]
             for device in (1, 0)]
    for device in (0, 1):
        for turn, view in enumerate(held[device]):
            expect((read(backend, view, count) == 10 * (2 * turn + 1) + device).all(),
                   f"memory of device {device} was written to by what happened on the other one")
    for views, device in zip(held[2:], (1, 0)):
        out = result((count,), "float32").place(backend, device)
        for view in views:
            if backend.binary(BINARY.index("add"), view, view, out) is NotImplemented:
                return DECLINED
            expect((read(backend, out, count) == 2 * (1000 + device)).all(), f"device {device} got memory of another")
    return None


def transfers(backend):
    """d2d copies from the first to the second, and back, after the work that was given before."""
    count = 50_000
    a, b = (dense(np.full(count, 1.0 + device), "float32").place(backend, device) for device in (0, 1))
    answer = backend.binary(BINARY.index("add"), b, b, b)                       # 4 on the second
    if answer is NotImplemented or backend.d2d(b._storage(), a._storage()) is NotImplemented:
        return DECLINED
    expect((read(backend, a, count) == 4).all(), "d2d from the second device to the first gave something else")
    backend.binary(BINARY.index("add"), a, a, a)                                # 8 on the first
    backend.d2d(a._storage(), b._storage())
    expect((read(backend, b, count) == 8).all(), "d2d from the first device to the second gave something else")
    expect((read(backend, a, count) == 8).all(), "d2d changed its source")
    return None


def facts(backend):
    """`synchronize` and `memory_info` answer for each; addresses differ between them."""
    views = [dense(np.zeros(1 << 20), "float32").place(backend, device) for device in (0, 1)]
    expect(views[0].data_ptr() != views[1].data_ptr(), "buffers of two devices have one address")
    for device in (0, 1):
        expect(backend.synchronize(device) is None, f"synchronize({device}) returned something")
        info = backend.memory_info(device)
        expect(info is None or 0 <= info[0] <= info[1], f"memory_info({device}) gave {info!r}, not (free, total)")
    info = list(map(backend.memory_info, (0, 1)))
    if None in info:
        return None
    count = min(4 << 20, info[1][1] >> 7)
    more = [dense(np.zeros(count), "float32").place(backend, 1) for _ in range(4)]
    lost = [info[device][0] - backend.memory_info(device)[0] for device in (0, 1)]
    expect(lost[1] >= lost[0], f"{16 * count} bytes more on device 1 are {lost[0]} less that are free on device 0, "
                               f"{lost[1]} on 1")
    del more
    return None


def threads(backend):
    """A thread for each device: neither gets the other's results."""
    declined = []

    def work(device):
        a = dense(np.full(4096, 1 + device), "float32").place(backend, device)
        for _ in range(60):
            out = result((4096,), "float32").place(backend, device)
            if backend.binary(BINARY.index("add"), a, a, out) is NotImplemented:
                declined.append(device)
                return
            expect((read(backend, out, 4096) == 2 + 2 * device).all(),
                   f"while two threads work, device {device} has another's result")
    together(work, 2)
    return DECLINED if declined else None


def program(backend):
    """Tensors go from one device to the other, and gradients back."""
    first, second = (cygrad.device(backend.name, device) for device in (0, 1))
    x = cygrad.arange(6.0, device=first).view(2, 3).requires_grad_()
    y = (x * 2).to(second) @ cygrad.ones(3, 2, device=second)
    expect(y.device == second, f"what was moved to {second} lies on {y.device}")
    (y.to(first) * x[:, :2]).sum().backward()
    expect(x.grad.device == first, f"a gradient of what lies on {first} lies on {x.grad.device}")
    host = cygrad.arange(6.0).view(2, 3).requires_grad_()
    ((host * 2) @ cygrad.ones(3, 2) * host[:, :2]).sum().backward()
    expect(x.grad.tolist() == host.grad.tolist(), f"the gradient is {x.grad.tolist()}, not {host.grad.tolist()}")


def several_cases(entries):
    for entry, cases in entries.items():
        if entry not in NO_KERNELS:
            yield Check(Key("devices", entry, "", ""), on_both(partial(kernels, entry, cases)))
    for name, check in (("memory", memory), ("d2d", transfers), ("facts", facts), ("threads", threads),
                        ("program", program)):
        yield Check(Key("devices", name, "", ""), on_both(check))
