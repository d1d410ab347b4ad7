"""Runs array-api-extra's own tests on `cygrad.array_api`: `python tools/array_api_extra_suite.py FOLDER`.

FOLDER holds a clone of https://github.com/data-apis/array-api-extra, whose package is tested. Its tests take a library
from a list; those for NumPy get `cygrad.array_api` instead, from a plug-in of pytest, and nothing of the clone is
changed. What fails because a test asks which library it is: `test_delegates` and `test_check_scalar`. Further options
go to pytest.
"""
import os
import subprocess
import sys

import pytest


def pytest_configure(config):
    """Floats as NumPy has them, which some tests expect by the library's name."""
    import cygrad
    cygrad.set_default_dtype(cygrad.float64)


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef, request):
    """In the place of what the fixtures of the clone would give."""
    import cygrad
    from cygrad import array_api
    given = {"xp": array_api, "device": cygrad.device("cpu")}
    if fixturedef.argname not in given:
        return None
    fixturedef.cached_result = given[fixturedef.argname], fixturedef.cache_key(request), None
    return given[fixturedef.argname]


def stands_for_numpy(item):
    """Whether a test asks for a library and is the one for NumPy."""
    library = item.callspec.params.get("library") if hasattr(item, "callspec") else None
    return "xp" in item.fixturenames and library is not None and library.name == "NUMPY"


def pytest_collection_modifyitems(config, items):
    """One library is enough."""
    config.hook.pytest_deselected(items=[item for item in items if not stands_for_numpy(item)])
    items[:] = [item for item in items if stands_for_numpy(item)]


def main(arguments):
    """The exit status of pytest."""
    if not arguments:
        sys.exit(__doc__)
    folder, *options = arguments
    here = os.path.dirname(os.path.abspath(__file__))
    paths = os.pathsep.join(filter(None, [here, os.path.join(folder, "src"), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p",
               "array_api_extra_suite", "-o", "addopts=", "tests/main", *options]
    return subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": paths}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
