"""For pytest: the option `--backend` where the conformance suite is asked for, and nothing anywhere else."""

SUITE = "cygrad.testing"


def pytest_load_initial_conftests(parser, args):
    """`pytest --pyargs cygrad.testing --backend NAME`: a conftest.py would be read too late for the option."""
    if any(str(argument).startswith(SUITE) for argument in args):
        parser.getgroup("cygrad").addoption("--backend", default="cpu", help="backend that cygrad.testing tests")
