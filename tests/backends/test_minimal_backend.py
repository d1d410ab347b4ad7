"""If this fails, somebody who follows the README's five steps to a backend gets no working device."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "digits.py"

FIVE_ENTRIES = '''
import numpy as np
from cygrad.backend import Backend

class MyBackend(Backend):
    interface_version = 1
    name = "mydevice"
    calls = 0

    def device_count(self):
        return 1

    def open(self, index):
        pass

    def alloc(self, index, nbytes):
        return bytearray(nbytes)

    def h2d(self, host, storage, start):
        storage.buffer[start:start + len(host)] = host

    def d2h(self, storage, start, host):
        host[:] = storage.buffer[start:start + len(host)]
'''
WITH_COPY = FIVE_ENTRIES + '''
    def array(self, view):
        bytes_ = np.frombuffer(view.buffer, np.uint8)[view.storage_offset() * view.element_size():]
        strides = [stride * view.element_size() for stride in view.stride()]
        return np.lib.stride_tricks.as_strided(bytes_, (*view.shape, view.element_size()), (*strides, 1))

    def copy(self, src, out):
        if src.dtype != out.dtype:
            return NotImplemented
        self.array(out)[...] = self.array(src)
        MyBackend.calls += 1
'''


@pytest.fixture(params=[FIVE_ENTRIES, WITH_COPY], ids=["five entries", "with copy"])
def python(request, tmp_path, monkeypatch):
    """A function that runs Python where the backend is installed, chosen and its fallbacks are silent."""
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").write_text(request.param)
    installed = tmp_path / "my_package-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[cygrad.backends]\nmydevice = my_package:MyBackend\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":" if sys.platform != "win32" else ";")
    monkeypatch.setenv("CYGRAD_BACKEND", "mydevice")
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")

    def run(*arguments):
        result = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


def test_the_digits_train_on_it(python, tmp_path):
    text = python(EXAMPLE, "--epochs", 5, "--out", tmp_path / "digits.png")
    assert "device mydevice" in text
    assert float(re.search(r"Test accuracy ([\d.]+)%", text)[1]) > 90


STRIDED = """
import cygrad as torch
x = torch.arange(24).view(2, 3, 4)
y = x.transpose(0, 2)[1:, :, 1]          # neither dense nor at the start of its storage
assert y.tolist() == [[13, 17, 21], [14, 18, 22], [15, 19, 23]]
y += 100
y[0] = torch.tensor([7, 8, 9])
assert x[1].tolist() == [[12, 7, 114, 115], [16, 8, 118, 119], [20, 9, 122, 123]]
assert x[0].tolist() == torch.arange(12, device="cpu").view(3, 4).tolist()
assert (x[:, :1].expand(2, 3, 4) + 1).sum().item() == 3 * (x[:, 0] + 1).sum().item()
print(x.device, __import__("my_package").MyBackend.calls)
"""


def test_strided_operands_survive_the_way_to_the_cpu_and_back(python, request):
    device, calls = python("-c", STRIDED).split()
    assert device.startswith("mydevice")
    assert (int(calls) > 0) == ("with copy" in request.node.name)


NO_BUFFER = """
import cygrad, my_package
my_package.MyBackend.alloc = lambda self, index, nbytes: None
try:
    cygrad.empty(3)
except cygrad.errors.BackendError as error:
    print(error)
"""


def test_an_allocation_without_a_buffer_is_an_error(python):
    assert python("-c", NO_BUFFER).strip() == (
        "MyBackend.alloc returned None, not a buffer; it returns one of 12 bytes, or raises MemoryError")
