"""Fixtures of the CUDA tests, backends of their own over a stand-in for the driver, and of those of OpenCL."""
import os
import subprocess
import sys
import textwrap

import cygrad
import fake_cuda
import fake_machine
import pytest
from cygrad.devices import entry_points
from extras import lacking, need_opencl
from fake_packages import install


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Makes the Machine of a driver: a fake one, None where cuda-bindings is not installed; with cuBLAS or without."""
    made = []

    def make(driver, cublas=False, execute=False):
        if execute:
            need_opencl()
        made.append(driver)
        return fake_machine.installed(monkeypatch, driver, cublas, execute)

    monkeypatch.setenv("CYGRAD_CACHE_DIR", str(tmp_path))
    yield make
    fake_machine.forget()
    assert not any(driver.misuse for driver in made if driver is not None), made[-1].misuse


@pytest.fixture
def gpu(machine):
    """Two devices whose kernels only leave a record."""
    return machine(fake_cuda.FakeDriver())


@pytest.fixture
def computing_gpu(machine):
    """Two devices whose kernels run, on PoCL, and whose products are the fake cuBLAS's."""
    return machine(fake_cuda.FakeDriver(limit=1 << 28), cublas=True, execute=True)


# ---- OpenCL

@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """What an installation says of the backend, for a checkout that is not installed: a folder for sys.path."""
    folder = tmp_path_factory.mktemp("packages")
    if "opencl" not in entry_points.find("cygrad.backends"):
        install(folder, "cygrad-checkout", {"cygrad.backends": {"opencl": "cygrad_opencl:OpenCLBackend"}})
    return folder


@pytest.fixture(scope="session")
def opencl(packages):
    sys.path.insert(0, str(packages))
    if not cygrad.opencl.is_available():
        lacking("no OpenCL device; pip install pyopencl[pocl] brings one")
    yield "opencl"
    sys.path.remove(str(packages))


@pytest.fixture
def python(packages, tmp_path, opencl):
    """A function that runs Python with the backend installed and an empty cache of programs."""

    def run(code, check=True, **environment):
        variables = os.environ | {"CYGRAD_CACHE_DIR": str(tmp_path / "cache"), "CYGRAD_FALLBACK": "error"} | environment
        variables["PYTHONPATH"] = os.pathsep.join([str(packages), *sys.path])
        result = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=variables, capture_output=True,
                                text=True, timeout=300)
        assert not check or result.returncode == 0, result.stderr
        return result

    return run
