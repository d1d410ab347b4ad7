"""If this fails, what the CUDA backend calls is not what NVIDIA's cuda-bindings has; the stand-in hides it elsewhere.

Nothing is called: names, arguments and numbers of `cuda.bindings.driver` are compared with those of fake_cuda.py, which
the backend is tested over. No GPU and no driver is needed.
"""
import importlib.util
import inspect
from pathlib import Path

import fake_cuda
import pytest
from extras import lacking

if importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.bindings") is None:
    lacking("the extra 'cuda' is not installed")

FUNCTIONS = sorted(name for name in vars(fake_cuda.FakeDriver) if name.startswith("cu") and name[2].isupper())
ENUMS = [fake_cuda.CUresult, fake_cuda.CUdevice_attribute, fake_cuda.CUpointer_attribute, fake_cuda.CUstreamCaptureMode]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_as_many_arguments(name):
    from cuda.bindings import driver
    theirs = inspect.signature(getattr(driver, name)).parameters
    ours = inspect.signature(vars(fake_cuda.FakeDriver).get(name)).parameters
    assert len(ours) - 1 == len(theirs), f"{list(ours)} for {list(theirs)}"


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.__name__)
def test_numbers(enum):
    from cuda.bindings import driver
    theirs = getattr(driver, enum.__name__)
    assert {name: int(value) for name, value in enum.__members__.items()} == {
        name: int(getattr(theirs, name)) for name in enum.__members__}


def test_the_backend_calls_nothing_else():
    """Every function of the driver that a source of the backend names is one that the stand-in has."""
    import re
    named = set()
    for file in (Path(__file__).resolve().parents[2] / "backends" / "cygrad_cuda").iterdir():
        if file.suffix in (".py", ".pyx"):      # the wheel has no .pyx
            named |= set(re.findall(r'"(cu[A-Z]\w+)"|api\.(cu[A-Z]\w+)', file.read_text()))
    named = {a or b for a, b in named}
    by_pointer = {"cuLaunchKernel", "cuCtxSetCurrent", "cuMemFree", "cuMemFreeHost"}
    assert named - by_pointer <= set(FUNCTIONS) and by_pointer <= named
