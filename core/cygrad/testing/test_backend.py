"""The conformance suite, one item for each entry, op and dtype; `pytest_plugin.py` says how to run it."""
from itertools import groupby

import pytest

from cygrad.testing.__main__ import selected
from cygrad.testing.child_process import Apart


def _groups(thorough):
    """(name, cases) for each entry, op and dtype."""
    every = selected(thorough=thorough)
    for (entry, op, dtype), cases in groupby(every, lambda case: (case.key.entry, case.key.op, case.key.dtype)):
        yield "/".join(part.replace(" ", "-") for part in (entry, op, dtype) if part), list(cases)


def pytest_generate_tests(metafunc):
    names, groups = zip(*_groups(metafunc.config.getoption("--thorough", default=False)))
    metafunc.parametrize("cases", groups, ids=names)


@pytest.fixture(scope="session")
def apart(request):
    """Runs cases on the backend under test, in a process of their own."""
    found = Apart(request.config.getoption("--backend", default="cpu"))
    yield found
    found.close()


def test_as_the_contract_says(cases, apart):
    report = apart.report(cases)
    assert not report.failed, report.details()
    if not any(count["pass"] + count["composed"] for count in report.counts.values()):
        pytest.skip("declined: the CPU runs this entry")
