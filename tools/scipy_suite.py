"""Runs SciPy's own tests of array libraries on `cygrad.array_api`: `python tools/scipy_suite.py scipy.stats ...`.

SciPy is installed with its tests; those with the fixture `xp` are run for each array library that its conftest.py
knows. Here they get `cygrad.array_api` instead, from a plug-in of pytest, and nothing of SciPy's is changed. Tests
that SciPy marks as those of NumPy's arrays only (`np_only`) are left out; what its conftest.py skips for libraries by
their names is not skipped. Arguments are packages or modules of SciPy's tests (by
default those of special, stats and ndimage); further options go to pytest. Run it outside of this tree, whose settings
of pytest are not SciPy's.
"""
import os
import subprocess
import sys

import pytest

PACKAGES = ["scipy.special", "scipy.stats", "scipy.ndimage"]


def pytest_configure(config):
    """What SciPy does for PyTorch before its tests."""
    import cygrad
    cygrad.set_default_dtype(cygrad.float64)


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef, request):
    """In the place of what SciPy's fixtures would give; its `devices` takes lists, which are tuples from 2025.12 on."""
    from cygrad import array_api
    given = {"xp": array_api, "devices": [*array_api.__array_namespace_info__().devices(), None]}
    if fixturedef.argname not in given:
        return None
    fixturedef.cached_result = given[fixturedef.argname], fixturedef.cache_key(request), None
    return given[fixturedef.argname]


def asks_for_a_library(item):
    """Whether SciPy runs a test for other libraries than NumPy."""
    marks = [*item.iter_markers("skip_xp_backends"), *item.iter_markers("xfail_xp_backends")]
    return "xp" in item.fixturenames and not any(mark.kwargs.get("np_only") for mark in marks)


def pytest_collection_modifyitems(config, items):
    """Only what asks for an array library is run."""
    config.hook.pytest_deselected(items=[item for item in items if not asks_for_a_library(item)])
    items[:] = [item for item in items if asks_for_a_library(item)]


def main(arguments):
    """The exit status of pytest."""
    names = [a for a in arguments if a.startswith("scipy")] or PACKAGES
    options = [a for a in arguments if not a.startswith("scipy")]
    here = os.path.dirname(os.path.abspath(__file__))
    paths = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "SCIPY_ARRAY_API": '["numpy"]', "PYTHONPATH": paths}
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "scipy_suite",
               "--pyargs", *names, *options]
    return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
