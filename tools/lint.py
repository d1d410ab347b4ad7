"""Looks the tree over, or the paths that are given: Ruff for Python, cython-lint for Cython; rules in pyproject.toml.

Two of cython-lint's findings have no code to be turned off by, and are passed over here:

* "shadows global import": a method or an argument that has the name of the function it calls or takes the result of;
* "Loop control variable": C loops whose variable only counts, which Cython wants to be declared under its name.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PASSED_OVER = re.compile(r"shadows global import|: Loop control variable '\w+' not used")


def chosen(paths, suffixes):
    """The folders among the paths, and the files with one of these suffixes."""
    return [path for path in paths if Path(path).is_dir() or Path(path).suffix in suffixes]


def ruff(paths):
    """What Ruff finds, a line each."""
    command = [sys.executable, "-m", "ruff", "check", "--quiet", "--output-format", "concise", *paths]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return (run.stdout + run.stderr).splitlines()


def cython_lint(paths):
    """What cython-lint finds, but for what is passed over."""
    command = [sys.executable, "-m", "cython_lint.cython_lint", *paths]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    lines = (run.stdout + run.stderr).replace(f"{ROOT}/", "").splitlines()
    return [line for line in lines if line and not PASSED_OVER.search(line)]


def main():
    """Print what was found; exit status 1 if anything was."""
    given = [str(Path(path).resolve()) for path in sys.argv[1:]]
    python = chosen(given, (".py", ".pyi")) if given else ["."]
    cython = chosen(given, (".pyx", ".pxd", ".pxi")) if given else ["core", "backends", "plugins", "tests"]
    found = (ruff(python) if python else []) + (cython_lint(cython) if cython else [])
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
