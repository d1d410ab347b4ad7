"""If this fails, the core has come to depend on a backend or plugin, or the import has become heavy."""
import re
from pathlib import Path

import pytest
from imports_of import loaded_after

ROOT = Path(__file__).resolve().parents[1]
IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import|c?import\s+([\w.]+))", re.MULTILINE)
# cygrad_gpu has what the GPU backends share; it imports neither of them. A group over NCCL is one over MPI as well.
ALLOWED = {"core": {"cygrad"}, "backends": {"cygrad", "cygrad_gpu"}, "plugins": {"cygrad"}}
STANDS_ON = {"cygrad_nccl": {"cygrad_mpi"}}


def imported(path):
    """Top-level names of the packages a file imports."""
    return {(a or b).split(".")[0] for a, b in IMPORT.findall(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("root", sorted(ALLOWED))
def test_imports_point_one_way(root):
    wrong = []
    for path in (ROOT / root).rglob("*.p*"):
        if path.suffix not in (".py", ".pyx", ".pxd"):
            continue
        own = path.relative_to(ROOT / root).parts[0]
        ours = {name for name in imported(path) if name.startswith("cygrad")}
        wrong += [(path.name, name) for name in ours - ALLOWED[root] - {own} - STANDS_ON.get(own, set())]
    assert not wrong


def test_import_loads_no_heavy_module():
    heavy = {"numpy", "inspect", "re", "enum", "copy", "numbers", "importlib.metadata", "ctypes",
             "unittest", "scipy_openblas32", "cygrad_cpu"}
    loaded = (loaded_after("import cygrad") - loaded_after("pass")) & heavy
    assert not loaded
