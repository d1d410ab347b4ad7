"""If this fails, a script gives something else where OpenCL is home than PyTorch gives on the CPU.

The whole table takes the time of its kernels' compilation: ``CYGRAD_BACKEND=opencl python tests/parity/report.py``.
Here is a row or two of each family of kernels, and what users write around them. Processes of their own run these.
"""

import os
import pathlib
import subprocess
import sys

import pytest
from cygrad.devices import entry_points
from fake_packages import install

HERE = pathlib.Path(__file__).parent
OPS = ("add", "pow", "exp", "nn.functional.gelu", "where", "sum", "var", "argmax", "cumsum", "sort", "matmul",
       "softmax", "layer_norm", "gather", "scatter_add", "masked_select", "cat", "Tensor.numpy", "from_numpy")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A function that runs Python with arguments where OpenCL is home, and gives what it prints."""
    folder = tmp_path_factory.mktemp("packages")
    if "opencl" not in entry_points.find("cygrad.backends"):            # a checkout that is not installed
        install(folder, "cygrad-checkout", {"cygrad.backends": {"opencl": "cygrad_opencl:OpenCLBackend"}})
    settings = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path]), "CYGRAD_BACKEND": "opencl",
                             "CYGRAD_FALLBACK": "silent"}

    def run(*arguments):
        command = [sys.executable, *map(str, arguments)]
        result = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=600)
        return result.stdout + result.stderr

    counted = run("-c", "import cygrad; print(cygrad.opencl.device_count())").strip()
    if counted in ("", "0") and os.environ.get("CI") != "true":
        pytest.skip("no OpenCL device; pip install pyopencl[pocl] brings one")
    return run


def test_the_table(python):
    printed = python(HERE / "report.py", "--here", "--bad", "--dtype", "float32", "--kind", "value", "--kind", "grad",
                     *(f"={name}" for name in OPS))
    assert f"{len(OPS)} of {len(OPS)} ops agree in everything" in printed, printed


def test_the_transcripts_of_autograd(python):
    printed = python("-m", "pytest", "-p", "no:cacheprovider", HERE / "test_autograd.py")
    assert " passed" in printed and " failed" not in printed and " error" not in printed, printed
