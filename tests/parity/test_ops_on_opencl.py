"""If this fails, an op of the table gives something else on an OpenCL device than PyTorch gives on the CPU.

The whole table takes the time of its kernels' compilation: ``CYGRAD_BACKEND=opencl python tests/parity/report.py``.
Here is a row or two of each family of kernels. A process of its own runs them, where OpenCL is home.
"""

import os
import pathlib
import subprocess
import sys

import pytest

from cygrad import entry_points
from fake_packages import install

REPORT = pathlib.Path(__file__).with_name("report.py")
OPS = ("add", "pow", "exp", "nn.functional.gelu", "where", "sum", "var", "argmax", "cumsum", "sort", "matmul",
       "softmax", "layer_norm", "gather", "scatter_add", "masked_select", "cat", "Tensor.numpy", "from_numpy")


def test_the_table_on_opencl(tmp_path):
    paths = [str(tmp_path), *sys.path]
    if "opencl" not in entry_points.find("cygrad.backends"):            # a checkout that is not installed
        install(tmp_path, "cygrad-checkout", {"cygrad.backends": {"opencl": "cygrad_opencl:OpenCLBackend"}})
    settings = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "CYGRAD_BACKEND": "opencl",
                             "CYGRAD_FALLBACK": "silent"}
    counted = subprocess.run([sys.executable, "-c", "import cygrad; print(cygrad.opencl.device_count())"], env=settings,
                             capture_output=True, text=True)
    if counted.stdout.strip() in ("", "0") and os.environ.get("CI") != "true":
        pytest.skip("no OpenCL device; pip install pyopencl[pocl] brings one")
    command = [sys.executable, REPORT, "--here", "--bad", "--dtype", "float32", "--kind", "value", "--kind", "grad",
               *(f"={name}" for name in OPS)]
    result = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=600)
    assert f"{len(OPS)} of {len(OPS)} ops agree in everything" in result.stdout, result.stdout + result.stderr
