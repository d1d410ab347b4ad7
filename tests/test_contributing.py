"""If this fails, CONTRIBUTING.md tells whoever joins to run what is not there, or does not print what it says."""
import re
import shlex
import subprocess
import sys
from pathlib import Path

import cygrad
import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n\$ (.*)\n((?:.*\n)*?)```$", TEXT, re.MULTILINE)
SHELL = "\n".join(re.findall(r"^```sh\n((?:.*\n)*?)```$", TEXT, re.MULTILINE)).splitlines()


@pytest.mark.parametrize("command, printed", CONSOLE)
def test_what_is_shown_is_printed(command, printed):
    words = shlex.split(command)
    assert words[0] == "python"
    if "kernel" in words and not cygrad.opencl.is_available():
        pytest.skip("no device of OpenCL")
    run = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    assert printed in run.stdout


def test_paths_exist():
    named = set(re.findall(r"(?:tests|docs|tools|benchmarks|core|backends|plugins)/[\w./]*\w", TEXT)) - {"build/debug"}
    assert len(named) > 60 and [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_commands_name_what_is_there():
    """Scripts, tox environments and modules; what they do is tested elsewhere, or takes too long."""
    environments = set(re.findall(r"^\[testenv:(\w+)\]", (ROOT / "tox.ini").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"tox -e (\w+)", TEXT)) <= environments
    for line in SHELL:
        for module in (re.search(r"CYGRAD_ONLY=(\S+)", line) or [None, ""])[1].split(","):
            assert not module or list(ROOT.glob(f"core/{module.replace('.', '/')}*"))
        script = re.search(r"python (\S+\.py)", line)
        assert not script or (ROOT / script[1]).exists()


def test_every_room_has_its_tests_in_the_table():
    rooms = {path.name for path in (ROOT / "core" / "cygrad").iterdir() if (path / "__init__.py").exists()}
    rooms |= {path.name for path in (ROOT / "backends").iterdir() if (path / "__init__.py").exists()}
    table = "\n".join(line.partition("|")[2].partition("|")[0] for line in TEXT.splitlines() if line.startswith("| "))
    assert [room for room in sorted(rooms - {"formulas", "testing"}) if f"{room}/" not in table] == []
