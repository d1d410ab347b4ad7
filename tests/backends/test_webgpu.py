"""If this fails, the example of a backend in WGSL (examples/backends/webgpu) is no longer one that conforms.

It needs wgpu and an adapter: a GPU with its driver, or Mesa's lavapipe.
"""
import importlib.util
import os
import re
import subprocess
import sys

import cygrad
import pytest
from cygrad.devices import discovery
from cygrad.testing.__main__ import run, selected
from packages_env import ROOT

EXAMPLE = ROOT / "examples" / "backends" / "webgpu"
ENTRIES = ("memory", "fill", "copy", "unary", "binary", "where", "reduce", "argreduce", "matmul", "gather", "scatter",
           "programs")
LEAST = {"fill": 200, "copy": 250, "unary": 300, "binary": 400, "where": 200, "reduce": 300, "argreduce": 100,
         "matmul": 100, "gather": 100, "scatter": 200}


@pytest.fixture(scope="module")
def webgpu():
    if importlib.util.find_spec("wgpu") is None:
        pytest.skip("wgpu is not installed; pip install wgpu")
    sys.path.insert(0, str(EXAMPLE))
    from cygrad_webgpu import WebGPUBackend      # optional dependency
    backend = WebGPUBackend()
    backend.name = "webgpu"
    if not backend.device_count():
        sys.path.remove(str(EXAMPLE))
        pytest.skip("wgpu finds no adapter; Mesa's lavapipe is one without hardware (mesa-vulkan-drivers)")
    discovery._loaded["webgpu"] = backend
    discovery.open_device(backend, 0)
    yield backend
    del discovery._loaded["webgpu"]
    sys.path.remove(str(EXAMPLE))


@pytest.fixture(autouse=True)
def silent(monkeypatch):
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")


@pytest.mark.parametrize("entry", ENTRIES)
def test_it_conforms(webgpu, entry):
    whole = os.environ.get("CYGRAD_ALL_WEBGPU") == "1" or entry in ("memory", "programs")
    dtypes = None if whole else ["int8", "int64", "float32"]
    report = run(selected([entry], dtypes, thorough=False), webgpu, 0, "cpu")
    assert not report.failed, report.details()
    assert dtypes or report.counts[entry]["pass"] >= LEAST.get(entry, 10)


def test_what_it_computes_needs_no_cpu(webgpu, monkeypatch):
    monkeypatch.setenv("CYGRAD_FALLBACK", "error")
    x = cygrad.tensor([[1.0, 2.0], [3.0, 4.0]], device="webgpu", requires_grad=True)
    (x @ x.t()).relu().sum().backward()
    assert x.grad.tolist() == [[8, 12], [8, 12]]
    places = cygrad.tensor([2, 0], device="webgpu")
    assert cygrad.arange(2**40, 2**40 + 3, device="cpu").to("webgpu")[places].tolist() == [2**40 + 2, 2**40]


def test_what_wgsl_does_not_compute_is_held_and_declined(webgpu):
    x = cygrad.tensor([0.1, -2.5, 3.0], dtype=cygrad.float64, device="webgpu")
    assert x[[2, 0]].tolist() == [3.0, 0.1] and x.exp().device.type == "webgpu"
    assert (x * 2).tolist() == [0.2, -5.0, 6.0]


def test_the_digits(webgpu, tmp_path):
    packages = tmp_path / "packages"
    information = packages / "cygrad_webgpu-1.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: cygrad-webgpu\nVersion: 1\n")
    (information / "entry_points.txt").write_text("[cygrad.backends]\nwebgpu = cygrad_webgpu:WebGPUBackend\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(packages), str(EXAMPLE), *sys.path])}
    command = [sys.executable, str(ROOT / "examples" / "digits.py"), "--backend", "webgpu", "--epochs", "2", "--out",
               str(tmp_path / "digits.png")]
    text = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "device webgpu" in text
    assert float(re.search(r"Test accuracy ([\d.]+)%", text)[1]) >= 90, text
