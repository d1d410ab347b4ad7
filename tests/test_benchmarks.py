"""If this fails, figures in the documentation can't be measured again, or would be measured on wrong results."""

import importlib.util
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


class SetTimes:
    """In the place of a worker: a library whose rounds take the given times."""

    def __init__(self, library, *times):
        self.name, self.times = library, list(times)

    def call(self, method, *arguments):
        return True, self.times.pop(0) if method == "measure" else None


def test_ratio_is_the_median_of_the_peers_time_over_ours():
    spec = importlib.util.spec_from_file_location("harness", BENCHMARKS / "harness.py")
    harness = importlib.util.module_from_spec(spec)
    sys.modules["harness"] = harness        # where its dataclasses look for their names
    spec.loader.exec_module(harness)
    peers = {"cygrad": SetTimes("cygrad", 10, 20, 10), "numpy": SetTimes("numpy", 30, 40, 20)}
    measured = harness.measure(harness.Row("a", "", "", numpy=True), peers, "cygrad", 3, [0], 1)
    assert measured.ratios["numpy"] == (2.0, 2.0, 2.5)
    assert measured.times == {"cygrad": 10, "numpy": 30}


def test_figures_are_written_and_drawn(tmp_path):
    figures, picture = tmp_path / "figures.json", tmp_path / "chart.svg"
    status, text = run("overhead.py", "--peers", "numpy", "--rows", "repr(k)", "--json", str(figures))
    assert status == 0, text
    group = json.loads(figures.read_text())[0]
    low, ratio, high = group["rows"][0]["ratios"]["numpy"]
    assert low <= ratio <= high and group["means"]["numpy"] == pytest.approx(ratio)
    command = [sys.executable, str(BENCHMARKS / "chart.py"), str(figures), "--out", str(picture)]
    subprocess.run(command, check=True, timeout=300)
    assert f">{group['group']}<" in picture.read_text() and ">NumPy<" in picture.read_text()


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
