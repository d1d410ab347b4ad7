"""Runs SciPy's own tests of array libraries on `cygrad.array_api`: `python tools/scipy_suite.py scipy.stats ...`.

SciPy is installed with its tests; those with the fixture `xp` are run for each array library that its conftest.py
knows. Here they get `cygrad.array_api` instead, as a plug-in of pytest, and nothing of SciPy's is changed. Arguments
are packages or modules of SciPy's tests (by default those of special, stats and ndimage); further options go to pytest.
"""
import os
import subprocess
import sys

import pytest

PACKAGES = ["scipy.special", "scipy.stats", "scipy.ndimage"]


@pytest.hookimpl(trylast=True)
def pytest_collection(session):
    """Before tests are collected, SciPy's conftest.py has to be there: its fixture is the one that is changed."""
    import cygrad
    from cygrad import array_api
    cygrad.set_default_dtype(cygrad.float64)        # as SciPy does for PyTorch
    session.config.pluginmanager.register(Instead(session, array_api))


class Instead:
    """Gives the fixture `xp` of SciPy's conftest.py another library."""

    def __init__(self, session, library):
        self.session, self.library = session, library

    @pytest.hookimpl(tryfirst=True)
    def pytest_generate_tests(self, metafunc):
        """Every definition of the fixture that a test sees gets the library as its only parameter."""
        for fixture in self.session._fixturemanager._arg2fixturedefs.get("xp", ()):
            if fixture.params and fixture.params != (self.library,):
                fixture.params, fixture.ids = (self.library,), ("cygrad",)

    def pytest_collection_modifyitems(self, config, items):
        """Only what asks for an array library is run."""
        kept = [item for item in items if "xp" in item.fixturenames]
        config.hook.pytest_deselected(items=[item for item in items if "xp" not in item.fixturenames])
        items[:] = kept


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
