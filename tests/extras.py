"""What tests need that an installation may lack."""
import importlib
import importlib.util
import os
import shutil
import sys

import pytest


def lacking(reason):
    """Skip the test, or the module that calls this at its top; fail where CI is "true": every extra is there then."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def library(name):
    """A library of others that takes tensors; without it skip, or fail where CYGRAD_LIBRARIES says that it is there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        reason = f"{name} is not installed; tox -e parity and tox -e array_api install it"
        if os.environ.get("CYGRAD_LIBRARIES") == "all":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason, allow_module_level=True)


def need_opencl():
    """Skip, or fail, without the package that drives OpenCL devices (and runs CUDA's kernels in tests)."""
    if importlib.util.find_spec("pyopencl") is None:
        lacking("the extra 'pocl' is not installed")


def need_mpi():
    """Skip, or fail, without mpi4py and an mpiexec."""
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    if importlib.util.find_spec("mpi4py") is None or not (os.access(beside, os.X_OK) or shutil.which("mpiexec")):
        lacking("the extra 'mpi' is not installed")
