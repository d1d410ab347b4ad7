"""The stubs say what the package is: nothing missing, nothing that is not there, as written from this very state of it.

After a change of a public name, signature or docstring: `python docs/make_stubs.py`.
"""
import ast
import importlib
import inspect
import pathlib
import subprocess
import sys
import zlib

import cygrad
import pytest
from cygrad.devices import tensor_methods
from cygrad.errors import accepted

MAKER = pathlib.Path(__file__).resolve().parents[1] / "docs" / "make_stubs.py"
INSTALLED = pathlib.Path(cygrad.__file__).parent
MODULES = ("", "linalg", "special", "fft", "distributions", "nn", "nn.functional", "random", "autograd", "optim",
           "autograd.functional", "return_types", "utils.data", "distributed", "func", "amp")


def stub_of(module):
    """The stub of a module, by its name behind `cygrad`."""
    folder = INSTALLED.joinpath(*module.split("."))
    return folder / "__init__.pyi" if folder.is_dir() else folder.with_suffix(".pyi")


def defined(body):
    """Names that the statements of a stub define."""
    names = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names.add(node.targets[0].id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname for alias in node.names if alias.asname == alias.name)
    return names


def body(module):
    return ast.parse(stub_of(module).read_text(encoding="utf-8")).body


@pytest.mark.slow
def test_up_to_date():
    done = subprocess.run([sys.executable, MAKER, "--check"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", MODULES)
def test_names_of_module(module):
    """Every public function and class is in the stub, and every public name of the stub exists."""
    found = importlib.import_module(f"cygrad.{module}".rstrip("."))
    names = defined(body(module))
    listed = getattr(found, "__all__", None) or [
        name for name, value in vars(found).items() if not name.startswith("_") and callable(value)
        and getattr(value, "__module__", "").startswith("cygrad")]
    assert set(listed) <= names
    missing = [name for name in names if not name.startswith("_") and not hasattr(found, name)]
    assert missing == []


def test_names_of_tensor():
    tensor = next(node for node in body("") if getattr(node, "name", "") == "Tensor")
    public = {name for name in dir(cygrad.Tensor) if not name.startswith("_")} - tensor_methods.attached
    special = {name for name in defined(tensor.body) if name.startswith("_")}
    assert defined(tensor.body) - special == public
    assert [name for name in special if not hasattr(cygrad.Tensor, name)] == []


def test_what_calls_take_is_read_from_a_packed_text(tmp_path, monkeypatch):
    """An installed package has `errors/signatures.zlib` instead of the text."""
    text = accepted._text()
    (tmp_path / "signatures.zlib").write_bytes(zlib.compress(b"packed " + text.encode()))
    monkeypatch.setattr(accepted, "__file__", str(tmp_path / "accepted.py"))
    assert "\nadd(Tensor# input" in text and accepted._text() == "packed " + text


def test_signatures_can_be_read():
    """Editors and `help` show the arguments of every function and method, not `...`."""
    owners = [(cygrad, name) for name in dir(cygrad)] + [(cygrad.Tensor, name) for name in dir(cygrad.Tensor)]
    for owner, name in owners:
        value = getattr(owner, name)
        if not name.startswith("_") and callable(value) and not isinstance(value, type):
            assert inspect.signature(value) is not None, name
