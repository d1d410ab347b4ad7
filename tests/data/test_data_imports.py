"""If this fails, packages above the tensors reach into the core's insides, cost at import, or lack documentation."""
import ast
import doctest
import importlib
import inspect
import multiprocessing
import pathlib
import subprocess
import sys

import cygrad
import pytest
from imports_of import imports, loaded_after

ROOT = pathlib.Path(cygrad.__file__).parent
PACKAGES = ("utils", "multiprocessing", "optim")
FILES = sorted(path for name in PACKAGES for path in [*ROOT.glob(f"{name}.py"), *(ROOT / name).rglob("*.py")])
DOCUMENTED = ("cygrad.utils.data", "cygrad.optim", "cygrad.optim.optimizer", "cygrad.optim.lr_scheduler",
              "cygrad.optim.swa_utils", "cygrad.multiprocessing")
MEMORY = ("cygrad.tensors", "shared_memory")     # where the core maps files that processes share
SWITCHES = ("cygrad.devices.determinism", "_Mode")          # which `use_deterministic_algorithms` sets
PASSES = ("cygrad.autograd.engine", "current_pass")         # by which a checkpoint tells one pass from the next
CASTS = ("cygrad.amp.autocast_mode", "modes_in_force")      # what a checkpoint puts in force again
WATCHING = ("cygrad.devices.watched_calls", "watch")             # by which a counter of operations sees a backward pass
LEVELS = [("cygrad.autograd.forward_levels", name) for name in ("depth", "batch_depth")]     # of transforms around it
INSIDES = (MEMORY, SWITCHES, CASTS, PASSES, WATCHING, *LEVELS)


def within(module):
    return any(module == f"cygrad.{name}" or module.startswith(f"cygrad.{name}.") for name in PACKAGES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_public_names_are_used(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for module, name in imports(tree):
        if module.split(".")[0] == "cygrad" and not within(module) and (module, name) not in INSIDES:
            public = [*module.split("."), *([name] if name else [])]
            assert not any(part.startswith("_") for part in public), (module, name)
            owner = importlib.import_module(module)
            assert module in PUBLIC_MODULES and (name is None or hasattr(owner, name)), (module, name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "cygrad":
            public = not node.attr.startswith("_") or node.attr.startswith("_foreach_")     # PyTorch's names, too
            assert hasattr(cygrad, node.attr) and public, node.attr


PUBLIC_MODULES = ("cygrad", "cygrad.random", "cygrad.autograd", "cygrad.autograd.function", "cygrad.autograd.graph",
                  "cygrad.autograd.removable_handle", "cygrad.hub", "cygrad.nn.modules.module", "cygrad.overrides")


def test_nothing_is_loaded_by_the_core():
    loaded = loaded_after("import cygrad")
    assert not [name for name in loaded if within(name) or name.split(".")[0] == "multiprocessing"]


def test_parts_are_found_when_they_are_used():
    code = "import cygrad as torch; print(torch.utils.data.DataLoader.__name__, 'data' in dir(torch.utils))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=True).stdout == "DataLoader True\n"
    with pytest.raises(AttributeError, match="module 'cygrad.utils' has no attribute 'nothing'"):
        cygrad.utils.nothing


def public():
    found = {}
    for module in map(importlib.import_module, DOCUMENTED):
        names = set(module.__all__) - set(multiprocessing.__all__)
        found |= {f"{module.__name__}.{name}": getattr(module, name) for name in names}
    return found


@pytest.mark.parametrize("name", sorted(public()))
def test_documentation(name):
    value = public()[name]
    assert not callable(value) or (value.__doc__ or "").strip()
    examples = doctest.DocTestFinder(recurse=False).find(value, name, globs={"cygrad": cygrad})
    report = []
    for test in examples:
        doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)
    if inspect.isclass(value):
        for method, function in vars(value).items():
            assert method.startswith("_") or not callable(function) or function.__doc__, method
