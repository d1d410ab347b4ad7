"""Shared by all tests: the device they run on, and a fixed state at the start of each."""

import gc
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [path for path in (str(HERE), str(HERE / "parity")) if path not in sys.path]

from time_limit import pytest_configure, pytest_runtest_protocol, pytest_unconfigure  # noqa: E402, F401  (hooks)


def pytest_addoption(parser):
    parser.addoption("--device", action="append", help="run device tests on this device (repeatable; default: cpu)")


def pytest_generate_tests(metafunc):
    if "device" in metafunc.fixturenames:
        metafunc.parametrize("device", metafunc.config.getoption("--device") or ["cpu"], scope="session")


def pytest_collection_finish():
    """Collections of garbage that tests ask for need not look at 12,000 tests each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def steady_state():
    """Every test starts from the same random stream and leaves grad mode and the default dtype as they were."""
    cygrad = sys.modules.get("cygrad")
    if not hasattr(cygrad, "manual_seed"):  # this test never imported it
        yield
        return
    cygrad.manual_seed(0)
    dtype, enabled = cygrad.get_default_dtype(), cygrad.is_grad_enabled()
    yield
    cygrad.set_default_dtype(dtype)
    cygrad.set_grad_enabled(enabled)


@pytest.fixture(params=[1, 3], ids=["serial", "threads"])
def threads(request):
    """How many threads the CPU backend works on: the test runs once for each number, or for those it names `indirect`.

    Few sizes are multiples of three, so shares differ.
    """
    import cygrad
    before = cygrad.cpu.get_num_threads()
    cygrad.cpu.set_num_threads(request.param)
    yield request.param
    cygrad.cpu.set_num_threads(before)


@pytest.fixture
def rng():
    """NumPy's random numbers, always the same ones."""
    import numpy as np
    return np.random.default_rng(20)


@pytest.fixture(scope="session")
def fresh_environment(tmp_path_factory):
    """A virtual environment with cygrad installed from its wheel; see packages_env.py."""
    from packages_env import Environment
    return Environment(tmp_path_factory.mktemp("environment"))
