"""A test that hangs ends and is named: in Python by a failure, in C by the end of the process."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import time_limit

HANGING = '''
import time
from collections import deque
from itertools import repeat

import pytest

@pytest.mark.limit(0.2)
def test_sleeps():
    time.sleep(60)

def test_is_quick():
    pass

@pytest.mark.limit(0.2)
def test_hangs_in_c():
    deque(repeat(None), maxlen=0)
'''

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


@pytest.fixture
def run(tmp_path):
    (tmp_path / "test_hanging.py").write_text(HANGING, encoding="utf-8")
    source = Path(time_limit.__file__).read_text(encoding="utf-8").replace("GRACE = 60", "GRACE = 0.5")
    (tmp_path / "conftest.py").write_text(source, encoding="utf-8")

    def run(*options, **variables):
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=50,
                              env=os.environ | variables)

    return run


def test_a_test_that_sleeps_fails_and_the_next_one_runs(run):
    done = run("-k", "sleeps or quick")
    assert done.returncode == 1
    assert "test_sleeps took longer than 0.2 s" in done.stdout and "1 failed, 1 passed" in done.stdout


def test_a_test_that_hangs_in_c_ends_the_process(run):
    done = run("-k", "hangs")
    assert done.returncode == 1
    assert re.search(r'Timeout.*test_hanging.py", line \d+ in test_hangs_in_c', done.stderr, re.DOTALL)


def test_no_limit_where_none_is_wanted(run):
    assert run("-k", "quick", CYGRAD_TEST_LIMIT="0").returncode == 0
