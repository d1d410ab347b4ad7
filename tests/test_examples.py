"""If this fails, the first thing that a new user runs does not do what the README says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from extras import need_mpi

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def run(name, *arguments):
    """Run an example in a process of its own, as a user would, and return what it printed."""
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_linear_regression_ends_on_the_numbers_of_pytorch():
    assert run("linear_regression.py").splitlines() == [
        "1.9115010499954224 3.044184446334839",
        "2.026895761489868 2.9732823371887207",
    ]


@pytest.mark.parametrize("seed", [0, 1])
def test_digits_are_read_with_97_percent_accuracy(tmp_path, seed):
    text = run("digits.py", "--seed", seed, "--out", tmp_path / "digits.png")
    assert float(re.search(r"Test accuracy ([\d.]+)%", text)[1]) >= 97


def test_digits_saves_a_picture_or_says_what_is_missing(tmp_path):
    picture = tmp_path / "folder" / "digits.png"
    text = run("digits.py", "--epochs", 1, "--out", picture)
    if "matplotlib is not installed" in text:
        assert not picture.exists() and "pip install" in text
    else:
        assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10_000


def test_digits_backend_is_chosen_by_name(tmp_path):
    assert "device cpu" in run("digits.py", "--epochs", 1, "--backend", "cpu", "--out", tmp_path / "digits.png")
    command = [sys.executable, str(EXAMPLES / "digits.py"), "--backend", "nonesuch", "--out", str(tmp_path / "x.png")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode != 0 and "nonesuch" in result.stderr


def test_the_readme_prints_what_it_says():
    text = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert result.stdout.splitlines() == re.findall(r"^print\(.* # (.*)$", code, re.MULTILINE), result.stderr


def test_digits_on_ranks_learns_alike_on_any_number_of_them():
    need_mpi()
    alone = run("digits_on_ranks.py", "--epochs", 2)
    command = [sys.executable, "-m", "cygrad.distributed.run", "--nproc-per-node", "2",
               str(EXAMPLES / "digits_on_ranks.py"), "--epochs", "2"]
    together = subprocess.run(command, capture_output=True, text=True, timeout=300).stdout
    assert " on 1 rank " in alone and " on 2 ranks " in together
    accuracies = [float(re.search(r"Test accuracy ([\d.]+)%", text)[1]) for text in (alone, together)]
    assert min(accuracies) > 70 and abs(accuracies[0] - accuracies[1]) < 1.5


@pytest.mark.parametrize("name, printed", [
    ("convolutions", r"Test accuracy ([\d.]+)%"), ("variational_autoencoder", r"Loss [\d.]+ -> [\d.]+"),
    ("transformer", r"Loss [\d.]+ -> [\d.]+ in \d+ s\nThe "), ("cart_pole", r"\d+ poles; the last \d+ stood for")])
def test_the_larger_examples_run(tmp_path, name, printed):
    picture = tmp_path / "folder" / "picture.png"
    text = run(f"{name}.py", "--quick", "--backend", "cpu", "--out", picture)
    assert re.search(printed, text) and re.search(r"A step: [\d.]+ ms(, PyTorch [\d.]+ ms)?\n", text)
    assert picture.exists() or "matplotlib is not installed" in text


@pytest.mark.slow
def test_the_transformer_on_ranks_learns_alike_however_it_is_divided():
    need_mpi()
    launch = [sys.executable, "-m", "cygrad.distributed.run", "--nproc-per-node"]
    script = str(EXAMPLES / "transformer_on_ranks.py")
    found = {}
    for ranks, *flags in ((1,), (2,), (2, "--sharded")):
        done = subprocess.run([*launch, str(ranks), script, "--quick", *flags], capture_output=True, text=True,
                              timeout=300)
        assert done.stdout.count("Loss") == 1 and done.stderr.count("4/4") == 1, done.stderr
        numbers = [float(each) for each in re.findall(r"\d+\.\d+", done.stdout)]
        found[(ranks, *flags)] = [*numbers, int(re.search(r"(\d+) weights", done.stdout)[1])]
    (first, last, whole), *others = found.values()
    for other in others:
        assert abs(other[0] - first) < 2e-4 and abs(other[1] - last) < 2e-3, found
    assert others[0][2] == whole and others[1][2] < 0.51 * whole
