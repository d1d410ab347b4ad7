"""A time limit for each test, so that one that hangs has a name; conftest.py has its hooks.

The limit is `CYGRAD_TEST_LIMIT` seconds (default 900, 0 for none), several times what the slowest test takes on two
busy processors; a test marked ``limit(seconds)`` has one of its own. In Python, the test fails where it stands. In C,
where nothing can be raised, the process ends after another minute and says on which lines its threads were.
"""
import faulthandler
import os
import signal
import threading

import pytest

LIMIT = float(os.environ.get("CYGRAD_TEST_LIMIT") or 900)
GRACE = 60
ERRORS = pytest.StashKey[int]()         # a duplicate of standard error, made while pytest does not capture it


def pytest_configure(config):
    config.stash[ERRORS] = os.dup(2)
    config.addinivalue_line("markers", "limit(seconds): how long the test may take, instead of CYGRAD_TEST_LIMIT")


def pytest_unconfigure(config):
    os.close(config.stash[ERRORS])


def limit_of(item):
    """Seconds that a test may take with its fixtures, 0 for any number."""
    mark = item.get_closest_marker("limit")
    return mark.args[0] if mark and LIMIT else LIMIT


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    limit = limit_of(item)
    if not limit or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number, frame):
        pytest.fail(f"{item.nodeid} took longer than {limit:g} s (see tests/time_limit.py)")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    faulthandler.dump_traceback_later(limit + GRACE, exit=True, file=item.config.stash[ERRORS])
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
