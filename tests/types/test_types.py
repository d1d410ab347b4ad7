"""Type checkers read the stubs as users need it: right programs pass, mistakes are seen, the package is what they say.

What they read is what a wheel holds: stubs alone, an empty one for each module of the inside. `tox -e types` runs
these tests; elsewhere they need mypy, and pyright for one of them.
"""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import cygrad
import pytest
from cygrad.ops.declare.docstrings import has_axis
from extras import library

HERE = pathlib.Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
PACKAGE = pathlib.Path(cygrad.__file__).parent
KNOWN = 0.95        # the part of what is exported whose type pyright has to know


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A folder with what a type checker finds of an installed `cygrad`."""
    root = tmp_path_factory.mktemp("wheel")
    for source in PACKAGE.rglob("*"):
        if source.suffix in (".py", ".pyi") or source.name == "py.typed":
            target = (root / "cygrad" / source.relative_to(PACKAGE))
            target.parent.mkdir(parents=True, exist_ok=True)
            target = target.with_suffix(".pyi") if source.suffix == ".py" else target
            stub = source.with_suffix(".pyi") if source.suffix == ".py" else source
            shutil.copyfile(stub, target) if stub.exists() else target.touch()
    return root


def python(folder, *arguments, **environment):
    """What a module of this Python says, run where nothing else is."""
    done = subprocess.run([sys.executable, "-m", *map(str, arguments)], capture_output=True, text=True, timeout=600,
                          cwd=folder, env={**os.environ, **environment})
    return done.stdout + done.stderr


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_run(path):
    spec = importlib.util.spec_from_file_location("program_" + path.stem, path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    program.main()


def test_right_programs_and_mistakes(wheel, tmp_path):
    """`mypy --strict` has nothing to say of the programs, and of each mistake what stands behind it."""
    library("mypy")
    mistakes = HERE / "mistakes.py"
    said = python(tmp_path, "mypy", "--strict", "--no-warn-unused-ignores", "--hide-error-context", "--no-pretty",
                  mistakes, *PROGRAMS, MYPYPATH=str(wheel))
    found = re.findall(r"^(\S+):(\d+): error: (?:.*)  \[([\w-]+)\]$", said, re.MULTILINE)
    assert {(pathlib.Path(file).name, int(line), code) for file, line, code in found} == {
        ("mistakes.py", number, line.rpartition("  # ")[2])
        for number, line in enumerate(mistakes.read_text(encoding="utf-8").splitlines(), 1) if "  # " in line}, said


def entries_of_ops(public):
    """Functions that take `axis` and `keepdims` besides what their signatures show."""
    owners = [(name, importlib.import_module(name)) for name in public] + [("cygrad.Tensor", cygrad.Tensor)]
    return [f"{re.escape(owner)}\\.{name}" for owner, found in owners if owner != "cygrad.functions"
            for name in dir(found) if not name.startswith("_") and callable(getattr(found, name, None))
            and has_axis(getattr(found, name))]


def test_stubtest(wheel, tmp_path):
    """mypy's stubtest, over the whole package: what it may find stands in `stubtest_allowlist.txt`."""
    library("mypy")
    modules = {".".join(("cygrad", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
               for pattern in ("*.py", "*.pyi") for path in PACKAGE.rglob(pattern)}
    rooms = [name for name, path in modules.items() if path.suffix == ".py" or not path.stat().st_size]
    stubs = tmp_path / "stubs" / "cygrad"
    for name, path in modules.items():
        if name not in rooms:
            (stubs / path.relative_to(PACKAGE)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, stubs / path.relative_to(PACKAGE))
    allowed = tmp_path / "allowed.txt"
    inside = [rf"cygrad\.({'|'.join(sorted(map(re.escape, (name[7:] for name in rooms))))})",      # rooms have no stub
              *(re.escape(name) for name in cygrad._compiled.names())]
    allowed.write_text("\n".join([*inside, *entries_of_ops(set(modules) - set(rooms))]) + "\n", encoding="utf-8")
    said = python(tmp_path, "mypy.stubtest", "cygrad", "--concise", "--allowlist", allowed,
                  "--allowlist", HERE / "stubtest_allowlist.txt", "--ignore-unused-allowlist",
                  MYPYPATH=str(stubs.parent), PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    assert not said.strip(), said


def test_types_are_known(wheel, tmp_path):
    """`pyright --verifytypes cygrad`."""
    library("pyright")
    said = python(tmp_path, "pyright", "--verifytypes", "cygrad", "--outputjson", PYTHONPATH=str(wheel),
                  PYRIGHT_PYTHON_IGNORE_WARNINGS="1")
    report = json.loads(said[said.index("{"):])["typeCompleteness"]
    assert sum(report["exportedSymbolCounts"].values()) > 5000
    assert report["completenessScore"] >= KNOWN, [
        symbol["name"] for symbol in report["symbols"] if symbol["isExported"] and not symbol["isTypeKnown"]][:50]
