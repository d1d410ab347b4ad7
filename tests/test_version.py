"""If this fails, programs that ask which PyTorch they run on are told another one, or a report names another cygrad."""
import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path

import cygrad
import pytest
from cygrad import backends, version
from cygrad.torch_version import TorchVersion

ROOT = Path(__file__).parents[1]


def test_the_version_is_that_of_the_api_with_ours_as_its_label():
    assert cygrad.__version__ == f"2.13.0+cygrad.{version.cygrad}" == version.__version__
    assert type(cygrad.__version__) is TorchVersion and type(version.__version__) is str
    assert cygrad.__version__ >= (2, 0) and not cygrad.__version__ < "1.8"
    assert [int(part) for part in cygrad.__version__.split("+")[0].split(".")] == [2, 13, 0]
    assert "__version__" in dir(cygrad)


@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="an installed package")
def test_each_number_is_written_once():
    metadata = (ROOT / "pyproject.toml").read_text()
    assert 'dynamic = ["version"]' in metadata and 'attr = "cygrad.version.cygrad"' in metadata


def test_reports_name_the_distribution():
    assert backends.empty_row("none of these")["version"] == version.cygrad
    shown = subprocess.run([sys.executable, "-m", "cygrad"], capture_output=True, text=True).stdout
    assert re.match(rf"cygrad {re.escape(version.cygrad)}, Python", shown)


def test_import_does_not_look_at_versions():
    code = "import sys, cygrad; print([n for n in ('cygrad.version', 'cygrad.torch_version') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_copies_are_versions():
    for made in (pickle.loads(pickle.dumps(cygrad.__version__)), copy.deepcopy(cygrad.__version__)):
        assert type(made) is TorchVersion and made == cygrad.__version__ and hash(made) == hash(str(made))


def test_packaging_reads_it():
    parse = pytest.importorskip("packaging.version").parse
    assert parse(cygrad.__version__) >= parse("2.0") and parse(cygrad.__version__).base_version == "2.13.0"
