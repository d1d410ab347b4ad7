"""If this fails, figures in the documentation can't be measured again, or would be measured on wrong results."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


def run(name, *arguments):
    """Run a file of benchmarks on few rows; returns its exit status and what it printed."""
    command = [sys.executable, str(BENCHMARKS / name), "--rounds", "2", "--no-noise", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stdout + result.stderr


@pytest.mark.parametrize(
    "name, rows", [("overhead.py", "a + b"), ("reductions.py", "x.sum(1), 1000x100"), ("training.py", "batch 32, sgd")]
)
def test_a_table_is_printed_and_results_agree(name, rows):
    status, text = run(name, "--peers", "numpy", "--rows", rows)
    assert status == 0, text
    assert re.search(rf"^\| .*{re.escape(rows)}.* \| [\d.]+ [mun]?s \|", text, re.MULTILINE), text


def test_ratio_is_the_time_of_the_peer_over_ours(tmp_path):
    figures = tmp_path / "figures.json"
    status, text = run("overhead.py", "--peers", "numpy", "--rows", "repr(k)", "--json", str(figures))
    assert status == 0, text
    row = json.loads(figures.read_text())[0]["rows"][0]
    low, ratio, high = row["ratios"]["numpy"]
    assert low <= ratio <= high
    assert ratio == pytest.approx(row["ns"]["numpy"] / row["ns"]["cygrad"], rel=0.5)


FILE_WITH_A_WRONG_RESULT = """
import sys
sys.path.insert(0, {folder!r})
from harness import Row, main
ROWS = [Row("wrong", "x = make(np.ones(3))", "x + 1", "x + 2"), Row("fails", "", "m.no_such_op()"),
        Row("right", "x = make(np.ones(3))", "x + 1", True)]
sys.exit(main({{"three rows": ROWS}}))
"""


def test_wrong_results_and_failures_are_reported(tmp_path):
    (tmp_path / "wrong.py").write_text(FILE_WITH_A_WRONG_RESULT.format(folder=str(BENCHMARKS)))
    status, text = run(tmp_path / "wrong.py", "--peers", "numpy")
    assert status == 1
    assert "NumPy, wrong: another result" in text and "cygrad, fails: AttributeError" in text
    assert "right:" not in text
