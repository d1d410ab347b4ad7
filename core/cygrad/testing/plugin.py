"""The pytest plugin under its former name, for installations that were made when it was the entry point."""
from cygrad_pytest import pytest_load_initial_conftests  # noqa: F401
