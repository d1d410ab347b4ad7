"""The stubs say what the package is: nothing missing, nothing that is not there, as written from this very state of it.

After a change of a public name, signature or docstring: `python docs/make_stubs.py`.
"""
import ast
import importlib
import importlib.util
import inspect
import pathlib

import cygrad
import pytest
import typed_example
from cygrad.devices import tensor_methods

MAKER = pathlib.Path(__file__).resolve().parents[1] / "docs" / "make_stubs.py"
INSTALLED = pathlib.Path(cygrad.__file__).parent
STUBS = {"cygrad": "__init__.pyi", "cygrad.linalg": "linalg.pyi", "cygrad.special": "special.pyi",
         "cygrad.fft": "fft.pyi",
         "cygrad.distributions": "distributions/__init__.pyi",
         "cygrad.nn": "nn/__init__.pyi", "cygrad.nn.functional": "nn/functional.pyi",
         "cygrad.random": "random/__init__.pyi", "cygrad.autograd": "autograd/__init__.pyi",
         "cygrad.autograd.functional": "autograd/functional.pyi",
         "cygrad.autograd.function": "autograd/function.pyi", "cygrad.return_types": "return_types.pyi"}
BY_HAND = ["autograd/function.pyi"]


def defined(body):
    """Names that the statements of a stub define."""
    names = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname for alias in node.names if alias.asname == alias.name)
    return names


def body(stub):
    return ast.parse((INSTALLED / stub).read_text(encoding="utf-8")).body


def test_up_to_date():
    spec = importlib.util.spec_from_file_location("make_stubs", MAKER)
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    made = maker.stubs()
    assert sorted([*made, *BY_HAND]) == sorted(STUBS.values())
    for name, text in made.items():
        installed = (INSTALLED / name).read_text(encoding="utf-8")
        assert installed.splitlines() == text.splitlines(), f"{name}: run python docs/make_stubs.py"


@pytest.mark.parametrize("module", STUBS)
def test_names_of_module(module):
    """Every public function and class is in the stub, and every public name of the stub exists."""
    found = importlib.import_module(module)
    names = defined(body(STUBS[module]))
    listed = getattr(found, "__all__", None) or [
        name for name, value in vars(found).items() if not name.startswith("_") and callable(value)
        and getattr(value, "__module__", "").startswith("cygrad")]
    if module != "cygrad.autograd.function":        # a module of classes that are written for one use
        assert set(listed) <= names
    aliases = {"Number", "Axis", "Dims", "DeviceLike"} if module == "cygrad" else set()
    missing = [name for name in names - aliases if not name.startswith("_") and not hasattr(found, name)]
    assert missing == []


def test_names_of_tensor():
    tensor = next(node for node in body("__init__.pyi") if getattr(node, "name", "") == "Tensor")
    public = {name for name in dir(cygrad.Tensor) if not name.startswith("_")} - tensor_methods.attached
    special = {name for name in defined(tensor.body) if name.startswith("_")}
    assert defined(tensor.body) - special == public
    assert [name for name in special if not hasattr(cygrad.Tensor, name)] == []


def test_signatures_can_be_read():
    """Editors and `help` show the arguments of every function and method, not `...`."""
    owners = [(cygrad, name) for name in dir(cygrad)] + [(cygrad.Tensor, name) for name in dir(cygrad.Tensor)]
    for owner, name in owners:
        value = getattr(owner, name)
        if not name.startswith("_") and callable(value) and not isinstance(value, type):
            assert inspect.signature(value) is not None, name


    assert typed_example.main() == 16.0
