"""What an op costs on a backend in plain Python, beyond the time of its kernel; the budget is 0.4 us.

The kernels here do nothing, so all that is measured is the way to them: the op, a new tensor, the call of `alloc`, the
call of the kernel. Beside it, the same op on the CPU backend, kernel included. Process time on one core, the best of
many rounds.
"""
import os
import sys
import time

import cygrad
from cygrad.backend import BINARY, UNARY, Backend
from cygrad.devices import discovery

BUDGET = 400                              # ns
MEMORY = bytearray(4096)


class Idle(Backend):
    """Computes nothing."""

    interface_version = 1

    def device_count(self):
        return 1

    def alloc(self, index, nbytes):
        return MEMORY

    def h2d(self, host, storage, start):
        pass

    def d2h(self, storage, start, host):
        pass

    def fill(self, out, value):
        pass

    def unary(self, op, a, out):
        pass

    def binary(self, op, a, b, out):
        pass

    def binary_scalar(self, op, a, x, swapped, out):
        pass

    def reduce(self, op, a, out):
        pass


# what is timed: the op, and its kernel called directly
ROWS = {
    "x + y": "backend.binary(add, x, y, z)",
    "x + 1.5": "backend.binary_scalar(add, x, 1.5, False, z)",
    "x.exp()": "backend.unary(exp, x, z)",
    "columns + y": "backend.binary(add, x, y, z)",
    "x + row": "backend.binary(add, x, y, z)",
    "x.sum()": "backend.reduce(0, x, one)",
}


def nanoseconds(statement, names, loops=5000, rounds=25):
    """CPU time of one execution."""
    lines = [f"def run({', '.join(names)}):", f"    for _ in range({loops}):", f"        {statement}"]
    scope = {}
    exec("\n".join(lines), scope)
    times = []
    for _ in range(rounds):
        start = time.process_time_ns()
        scope["run"](**names)
        times.append((time.process_time_ns() - start) / loops)
    return min(times)


def names_on(device, backend):
    """What the statements speak of."""
    x, y, z = (cygrad.ones(4, 4, device=device) for _ in range(3))
    return {"x": x, "y": y, "z": z, "columns": x.t(), "row": cygrad.ones(4, device=device),
            "one": cygrad.ones((), device=device), "backend": backend, "add": BINARY.index("add"),
            "exp": UNARY.index("exp")}


def main():
    """Print each row; 1 if one is over the budget."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    backend = Idle()
    backend.name = "idle"
    discovery._loaded["idle"] = backend
    idle, cpu = names_on("idle", backend), names_on("cpu", backend)
    empty, late = nanoseconds("pass", idle), False
    print(f"{'op':<12}{'ns':>8}{'kernel':>8}{'dispatch':>10}{'cpu':>8}")
    for op, kernel in ROWS.items():
        whole, inner, beside = (nanoseconds(statement, names) - empty
                                for statement, names in ((op, idle), (kernel, idle), (op, cpu)))
        late |= whole - inner > BUDGET
        print(f"{op:<12}{whole:>8.0f}{inner:>8.0f}{whole - inner:>10.0f}{beside:>8.0f}")
    print(f"budget: {BUDGET} ns{'; exceeded' if late else ''}")
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
