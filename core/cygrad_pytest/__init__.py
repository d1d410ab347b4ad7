"""For pytest: the options `--backend` and `--thorough` of the conformance suite, where it is asked for.

pytest loads this in every run on a machine with cygrad, so it is no part of the package `cygrad` and imports nothing.
"""

SUITE = "cygrad.testing"


def pytest_load_initial_conftests(parser, args):
    """`pytest --pyargs cygrad.testing --backend NAME`: a conftest.py would be read too late for the option."""
    if any(str(argument).startswith(SUITE) for argument in args):
        group = parser.getgroup("cygrad")
        group.addoption("--backend", default="cpu", help="backend that cygrad.testing tests")
        group.addoption("--thorough", action="store_true", help="every op with every dtype in every layout")
