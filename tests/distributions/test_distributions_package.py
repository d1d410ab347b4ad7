"""If this fails, `distributions` reaches into the core, is loaded before it is used, or lacks documentation."""
import ast
import doctest
import importlib
import inspect
import pathlib
import sys

import cygrad
import pytest
from cygrad import distributions
from imports_of import loaded_after

ROOT = pathlib.Path(distributions.__file__).parent
FILES = sorted(ROOT.glob("*.py"))
PUBLIC_MODULES = ("cygrad", "cygrad.nn.functional", "cygrad.overrides", "cygrad.utils.lazy_package")
DRAWS = {"_standard_gamma", "_sample_dirichlet"}        # PyTorch's names for draws that gradients go through


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_public_names_are_used(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                assert alias.name in PUBLIC_MODULES or alias.name in sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom):
            inside = node.module.startswith("cygrad.distributions") or node.module in PUBLIC_MODULES
            assert inside or node.module in sys.stdlib_module_names, node.module
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "cygrad":
            assert hasattr(cygrad, node.attr)
            assert not node.attr.startswith("_") or node.attr in DRAWS, node.attr


def test_nothing_is_loaded_before_it_is_used():
    assert not [name for name in loaded_after("import cygrad") if name.startswith("cygrad.distributions")]
    loaded = loaded_after("from cygrad.distributions import Normal")
    assert "cygrad.distributions.normal" in loaded and "cygrad.distributions.kl" not in loaded


def test_names():
    assert all(getattr(distributions, name) is not None for name in distributions.__all__)
    assert {"Normal", "constraints", "kl"} <= set(dir(distributions))
    with pytest.raises(AttributeError, match="has no attribute 'Norml'"):
        distributions.Norml


def documented():
    for file in FILES:
        module = importlib.import_module(f"cygrad.distributions.{file.stem}")
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__ == module.__name__:
                yield f"{file.stem}.{name}", value


@pytest.mark.parametrize("name, value", list(documented()), ids=lambda value: value if isinstance(value, str) else "")
def test_documentation(name, value):
    assert (value.__doc__ or "").strip()
    report = []
    for test in doctest.DocTestFinder(recurse=False).find(value, name, globs={"cygrad": cygrad}):
        doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)
    for member in dir(value) if inspect.isclass(value) else ():
        found = [vars(base)[member] for base in value.__mro__ if member in vars(base)]
        if not member.startswith("_") and any(inspect.isfunction(each) or isinstance(each, property) for each in found):
            assert any(each.__doc__ for each in found), f"{name}.{member}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_are_short(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 500 and lines[0].startswith('"""') and max(map(len, lines)) <= 120
