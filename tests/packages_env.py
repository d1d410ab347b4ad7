"""A fresh virtual environment with cygrad's wheel and packages of third parties in it; nothing is downloaded.

The wheel is CYGRAD_WHEEL, or is put together from this tree's files and the compiled modules of the cygrad that the
tests run with. What else is installed there (NumPy, BLAS, Cython, pytest) is seen from the new environment, too.
"""
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ROOT / "tests" / "packages"
CHOICES = ("PYTHONPATH", "PYTHONHOME", "CYGRAD_BACKEND", "CYGRAD_FALLBACK")     # that a user's shell would not have


def run(*command, cwd=None, **environment):
    """Run a command in an environment without the tests' own settings; returns its output, raises with it."""
    settings = {name: value for name, value in os.environ.items() if name not in CHOICES}
    result = subprocess.run([*map(str, command)], cwd=cwd, env={**settings, **environment}, capture_output=True,
                            text=True, timeout=600)
    if result.returncode:
        raise AssertionError(f"{command} failed with {result.returncode}:\n{result.stdout}\n{result.stderr}")
    return result.stdout


def wheel(folder):
    """The path of cygrad's wheel."""
    given = os.environ.get("CYGRAD_WHEEL")
    return Path(given) if given else _packed(folder)


def _packed(folder):
    """A wheel of this tree with the compiled modules of the cygrad that is being tested."""
    import cygrad
    import cygrad_cpu
    source, lib = folder / "source", folder / "lib"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(
        ".*", "build", "*.c", "*.so", "*.pyd", "*.egg-info", "__pycache__", "tests", "benchmarks", "data"))
    (source / "setup.cfg").write_text(f"[build]\nbuild_lib = {lib}\n")
    setup = [sys.executable, "setup.py", "--quiet"]
    run(*setup, "build_py", cwd=source)
    for package in (cygrad, cygrad_cpu):
        inside = Path(package.__file__).parent
        for module in inside.rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"):
            shutil.copy2(module, lib / package.__name__ / module.relative_to(inside))
    run(*setup, "bdist_wheel", "--skip-build", "--dist-dir", folder / "dist", cwd=source)
    return next((folder / "dist").glob("*.whl"))


class Environment:
    """A virtual environment in `folder`, with cygrad installed from its wheel.

    Attributes
    ----------
    python : Path
        Its interpreter.
    """

    def __init__(self, folder):
        self.folder, self.copies = folder, 0
        venv.create(folder / "venv", symlinks=os.name != "nt")
        self.python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        site = Path(self.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        (site / "what_the_tests_run_with.pth").write_text("\n".join(dict.fromkeys(
            [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])))
        self.install(wheel(folder))

    def install(self, *projects):
        """pip install; folders are copied first, so that nothing is built among the sources."""
        sources = []
        for project in map(Path, projects):
            if project.is_dir():
                self.copies += 1
                copy = self.folder / "sources" / str(self.copies) / project.name
                shutil.copytree(project, copy, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
                project = copy
            sources.append(project)
        self._pip("install", "--no-index", "--no-deps", "--no-build-isolation", "--ignore-installed", *sources)

    def uninstall(self, package):
        """Take a package away again."""
        self._pip("uninstall", "--yes", package)

    def _pip(self, command, *arguments):
        run(sys.executable, "-m", "pip", "--python", self.python, command, "--quiet", "--disable-pip-version-check",
            *arguments)

    def run(self, *arguments, cwd=None, **environment):
        """Run its Python, outside of the source tree; returns what it printed."""
        return run(self.python, *arguments, cwd=cwd or self.folder, **environment)
