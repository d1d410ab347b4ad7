"""`cygrad.cuda` over the stand-in for its driver; as a script, the conformance suite on it.

`python tests/backends/fake_machine.py --entry sort` takes what `python -m cygrad.testing cuda` takes; the kernels run
on PoCL (`fake_kernels`), so it proves all of the backend but what NVIDIA's compiler makes of their text.
"""
import sys
from collections import deque

import fake_cuda
import pytest
from cygrad.devices import discovery
from fake_cublas import FakeCuBLAS
from fake_nvrtc import FakeNVRTC


class Machine:
    """A backend over a fake driver, as `cygrad.cuda`."""

    def __init__(self, driver, nvrtc, cublas, backend):
        self.driver, self.nvrtc, self.cublas, self.backend = driver, nvrtc, cublas, backend


def installed(monkeypatch, driver, cublas=False, execute=False):
    """The Machine of a driver (None: no cuda-bindings), with cuBLAS or without; with `execute`, kernels run."""
    if execute:
        from fake_kernels import Executor       # optional dependency: pyopencl
        driver.execute = Executor()
    nvrtc, library = FakeNVRTC(), FakeCuBLAS(driver) if cublas else None
    fake_cuda.install(monkeypatch, driver, nvrtc)
    from cygrad_cuda import CUDABackend, blas, compiler
    compiler.version.cache_clear()
    backend = CUDABackend()
    monkeypatch.setitem(discovery._loaded, "cuda", backend)
    monkeypatch.setattr(blas, "library", lambda: library)
    fake_cuda.LASTING.append(backend)               # as a backend that `discovery` has loaded
    return Machine(driver, nvrtc, library, backend)


def forget():
    """Leave nothing of a Machine behind that a monkeypatch does not undo."""
    from cygrad_cuda import compiler, driver as streams
    compiler.version.cache_clear()
    for index in range(2):
        streams.set_current_stream(index, 0)
    discovery._override.indices.pop("cuda", None)


def main(arguments):
    """The conformance suite; 1 as well where the driver was misused."""
    from cygrad.testing.__main__ import main as suite
    with pytest.MonkeyPatch.context() as monkeypatch:
        made = installed(monkeypatch, fake_cuda.FakeDriver(limit=1 << 32), cublas=True, execute=True)
        for owner, record in ((made.driver, "calls"), (made.driver, "launches"), (made.cublas, "products"),
                              (made.cublas, "modes")):
            setattr(owner, record, deque(maxlen=10))                # lists of all would be what the backend leaks
        status = suite(["cuda", "--in-process", *arguments])
        for each in made.driver.misuse[:10]:
            print("misuse:", each)
        return status or bool(made.driver.misuse)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
