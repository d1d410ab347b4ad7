"""pytest's options `--backend` and `--thorough`: `pytest -p cygrad.testing.pytest_plugin --pyargs cygrad.testing`.

It is named on the command line and no entry point: pytest would import it in every run on a machine with cygrad, and
rewrite the asserts of all that is installed beside an entry point, which is all of cygrad.
"""


def pytest_addoption(parser):
    """Add the options of the conformance suite."""
    group = parser.getgroup("cygrad")
    group.addoption("--backend", default="cpu", help="backend that cygrad.testing tests")
    group.addoption("--thorough", action="store_true", help="every op with every dtype in every layout")
