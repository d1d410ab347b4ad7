"""If this fails, a package of a third party, which knows only the installed wheel, does not work with cygrad.

The projects under tests/packages/ and examples/backends/ are installed into a fresh virtual environment, chosen by
environment variable, tested by the conformance suite, and train the example as the CPU does.
"""
import re
from pathlib import Path

import pytest
from packages_env import PACKAGES, ROOT

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples" / "backends"
# The entries that they have, and the conformance cases that they compute themselves, at least. One runs all entries in
# all dtypes; what the core composes of so few entries as the others have, tests/test_backend_tutorial.py runs.
BACKENDS = {"numpy": ("", 3_000), "loops": ("copy unary binary matmul", 100),
            "plain": ("fill copy unary binary matmul", 300)}
THREE = "--dtype", "float32", "--dtype", "int64", "--dtype", "bool"


@pytest.fixture(scope="module")
def installed(fresh_environment):
    """The environment with the backends of tests/packages/ in it."""
    fresh_environment.install(PACKAGES / "cygrad_numpy", PACKAGES / "cygrad_loops", EXAMPLES / "plain_c")
    return fresh_environment


@pytest.fixture(scope="module")
def accuracy(installed, tmp_path_factory):
    """A function that trains the example on a backend and returns its accuracy."""
    def train(backend):
        picture = tmp_path_factory.mktemp("digits") / "digits.png"
        text = installed.run(ROOT / "examples" / "digits.py", "--epochs", 5, "--out", picture,
                             CYGRAD_BACKEND=backend, CYGRAD_FALLBACK="silent")
        assert f"device {backend}" in text
        return float(re.search(r"Test accuracy ([\d.]+)%", text)[1])
    return train


def test_the_wheel_is_what_is_imported(installed):
    assert str(installed.folder) in installed.run("-c", "import cygrad; print(cygrad.__file__)")


def test_backends_are_listed(installed):
    listed = installed.run("-m", "cygrad.backends")
    for name in BACKENDS:
        assert re.search(rf"^{name} .*cygrad[-_]{name}.* 1\.0 .*ready", listed, re.MULTILINE), listed


@pytest.mark.parametrize("backend", BACKENDS)
def test_conformance(installed, backend):
    entries, least = BACKENDS[backend]
    chosen = [word for entry in entries.split() for word in ("--entry", entry)] + [*THREE] if entries else []
    table = installed.run("-m", "cygrad.testing", backend, *chosen)
    passed, _, failed = map(int, re.search(r"^all +(\d+) +(\d+) +(\d+)", table, re.MULTILINE).groups())
    assert failed == 0 and passed >= least, table


def test_conformance_as_pytest_items(installed):
    text = installed.run("-m", "pytest", "-p", "no:cacheprovider", "-p", "cygrad.testing.pytest_plugin", "--pyargs",
                         "cygrad.testing", "--backend", "loops", "-k", "binary/add or matmul or programs")
    assert re.search(r"\d\d+ passed", text) and "failed" not in text


def test_elsewhere_pytest_has_no_such_option(installed, tmp_path):
    (tmp_path / "test_nothing.py").write_text("def test_nothing(pytestconfig):\n"
                                              "    assert pytestconfig.getoption('--backend', None) is None\n")
    assert "1 passed" in installed.run("-m", "pytest", "-p", "no:cacheprovider", tmp_path)


def test_elsewhere_pytest_does_not_import_cygrad(installed, tmp_path):
    (tmp_path / "test_modules.py").write_text("import sys\n\ndef test_modules():\n"
                                              "    assert 'cygrad' not in sys.modules\n")
    assert "1 passed" in installed.run("-m", "pytest", "-p", "no:cacheprovider", tmp_path)


def test_pytest_keeps_no_bytecode_of_its_own_of_cygrad(installed, tmp_path):
    (tmp_path / "test_sum.py").write_text("import cygrad\n\ndef test_sum():\n    assert cygrad.ones(2).sum() == 2\n")
    assert "1 passed" in installed.run("-m", "pytest", "-p", "no:cacheprovider", tmp_path)
    package = installed.run("-c", "import cygrad; print(cygrad.__path__[0])").strip()
    bytecode = [path.name for path in Path(package).rglob("*.pyc") if not path.name.startswith("test_")]
    # but of a plug-in that was asked for by name
    assert bytecode and not [name for name in bytecode if "pytest-" in name and not name.startswith("pytest_plugin.")]


def test_bench(installed):
    text = installed.run("-m", "cygrad.testing.bench", "loops", "--rounds", 1, "--entry", "binary", "--entry", "sort")
    assert len(re.findall(r"^binary +add .* [\d.]+ +[\d.]+ +[\d.]+$", text, re.MULTILINE)) >= 2
    assert re.search(r"^sort .* declined", text, re.MULTILINE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_digits_train_to_the_same_accuracy(accuracy, backend):
    assert abs(accuracy(backend) - accuracy("cpu")) <= 1.0
    assert accuracy(backend) > 93
