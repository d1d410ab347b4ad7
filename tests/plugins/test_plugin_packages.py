"""If this fails, a third party's Function does not work, a broken one does harm, or docs/plugins.md is not true."""
import re

import pytest
from packages_env import PACKAGES, ROOT
from tutorials import follow

pytestmark = pytest.mark.slow

BROKEN = {"cygrad-gone": ("gone", None),
          "cygrad-raising": ("raising", "raise ZeroDivisionError('while importing')\n"),
          "cygrad-number": ("number", "Thing = 3\n")}


@pytest.fixture(scope="module")
def installed(fresh_environment, tmp_path_factory):
    """The environment with a third party's function and three broken ones beside it; and what an import did before."""
    fresh_environment.install(PACKAGES / "cygrad_swish")
    before = traces(fresh_environment)
    folder = tmp_path_factory.mktemp("broken")
    for package, (name, code) in BROKEN.items():
        project = folder / package
        project.mkdir()
        (project / "pyproject.toml").write_text(
            f'[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
            f'[project]\nname = "{package}"\nversion = "0.3"\n'
            f'[project.entry-points."cygrad.functions"]\n{name} = "{name}_module:Thing"\n'
            f'[tool.setuptools]\npy-modules = {[f"{name}_module"] if code else []}\n')
        if code:
            (project / f"{name}_module.py").write_text(code)
    fresh_environment.install(*[folder / package for package in BROKEN])
    fresh_environment.trace_without_broken = before
    return fresh_environment


def traces(environment):
    """Every file that `import cygrad` opens and every folder that it lists, and what it prints."""
    return environment.run("-c", """if True:
        import sys
        seen = []
        sys.addaudithook(lambda event, args: seen.append((event, str(args[0])))
                         if event in ("open", "os.listdir", "os.scandir") else None)
        import cygrad
        assert "importlib.metadata" not in sys.modules
        print(*sorted(set(seen)), sep="\\n")
        """, PYTHONDONTWRITEBYTECODE="1")


def test_import_is_silent_and_no_slower_beside_broken_plugins(installed):
    """It does exactly what it did without them."""
    assert traces(installed) == installed.trace_without_broken
    assert installed.run("-W", "error", "-c", "import cygrad") == ""


def test_a_function_from_outside(installed):
    text = installed.run("-c", """if True:
        import cygrad as torch
        from cygrad.functions import swish
        x = torch.randn(3, dtype=torch.float64, requires_grad=True)
        beta = torch.randn((), dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(swish, (x, beta)) and torch.autograd.gradgradcheck(swish, (x, beta))
        assert torch.functions.swish is swish and "swish" in dir(torch.functions)
        import inspect
        print(swish.__name__, inspect.signature(swish), type(swish(x).grad_fn).__name__)
        print(torch.functions.log1pexp(torch.zeros(1)))
        """)
    assert text == "Swish (x, beta=1.0) SwishBackward\ntensor([0.6931])\n"


def test_broken_ones_fail_alone(installed):
    text = installed.run("-c", """if True:
        import cygrad
        from cygrad import errors
        for name in ("gone", "raising", "number", "swisch"):
            try:
                getattr(cygrad.functions, name)
            except (errors.FunctionLoadError, AttributeError) as error:
                print(f"{type(error).__name__}: {error} <- {error.__cause__!r}")
        print(cygrad.functions.swish(cygrad.zeros(1)))
        """)
    *lines, last = text.splitlines()
    assert lines == [
        ("FunctionLoadError: function 'gone' of the package cygrad-gone (gone_module:Thing) does not load: "
         "ModuleNotFoundError: No module named 'gone_module'; install it again: pip install --force-reinstall "
         "cygrad-gone (its author: the entry point names a module that the package does not have) <- "
         "ModuleNotFoundError(\"No module named 'gone_module'\")"),
        ("FunctionLoadError: function 'raising' of the package cygrad-raising (raising_module:Thing) does not load: "
         "ZeroDivisionError: while importing <- ZeroDivisionError('while importing')"),
        ("FunctionLoadError: function 'number' (number_module:Thing) is int 3: expected a subclass of "
         "cygrad.autograd.Function or a callable <- None"),
        ("AttributeError: no installed package provides the function 'swisch' (installed: checkpoint, fma, gone, "
         "log1pexp, number, raising, reverse_gradient, round_ste, sign_ste, swish); did you mean 'swish'? <- None")]
    assert last == "tensor([0.])"


def test_the_list(installed):
    header, *rows = installed.run("-m", "cygrad.plugins").splitlines()
    assert header.split() == ["function", "package", "version", "state"]
    rows = {row.split()[0]: re.split(" {2,}", row, maxsplit=3)[1:] for row in rows}
    assert rows["swish"] == ["cygrad-swish", "0.1.0", "ready"]
    assert rows["fma"] == ["cygrad", "0.1.0", "ready"]
    assert rows["raising"][:2] == ["cygrad-raising", "0.3"]
    assert rows["raising"][2].endswith("does not load: ZeroDivisionError: while importing")
    assert list(rows) == sorted(rows) and len(rows) == 10


# ----------------------------------------------------------------------- the tutorial

def test_the_tutorial_to_the_letter(fresh_environment, tmp_path):
    try:
        follow(ROOT / "docs" / "plugins.md", fresh_environment, tmp_path)
    finally:
        fresh_environment.uninstall("cygrad-swish")
    made = tmp_path / "cygrad-swish"
    assert (made / "dist" / "cygrad_swish-0.1.0-py3-none-any.whl").exists()
    for path in (PACKAGES / "cygrad_swish").glob("*.*"):
        assert path.read_text() == (made / path.name).read_text(), "tests/packages/cygrad_swish is what the page makes"


@pytest.mark.parametrize("name", ["other", "two-words"])
def test_the_starting_folder_passes_at_once(fresh_environment, tmp_path, name):
    fresh_environment.run("-m", "cygrad", "new", "plugin", name, cwd=tmp_path)
    fresh_environment.install(tmp_path / f"cygrad-{name}")
    text = fresh_environment.run("-m", "pytest", "-p", "no:cacheprovider", tmp_path / f"cygrad-{name}")
    fresh_environment.uninstall(f"cygrad-{name}")
    assert "2 passed" in text
