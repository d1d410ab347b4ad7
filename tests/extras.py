"""What tests need that an installation may lack."""
import importlib.util
import os

import pytest


def lacking(reason):
    """Skip the test, or the module that calls this at its top; fail where CI is "true": every extra is there then."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def need_opencl():
    """Skip, or fail, without the package that drives OpenCL devices (and runs CUDA's kernels in tests)."""
    if importlib.util.find_spec("pyopencl") is None:
        lacking("the extra 'pocl' is not installed")
