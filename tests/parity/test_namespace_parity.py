"""If one of these fails, `dir(cygrad)` or `from cygrad import *` shows what PyTorch's does not."""
import operator
import pkgutil
import types

import cygrad
import pytest
import torch

OWN = {"ComplexDoubleTensor", "ComplexFloatTensor", "align_tensors", "array_api", "functions",
       "plugins", "safetensors"}


def starred(module):
    space = {}
    exec(f"from {module} import *", space)
    return set(space) - {"__builtins__"}


def test_star():
    ours, theirs = starred("cygrad"), starred("torch")
    assert ours <= theirs
    assert {name for name in theirs - ours if hasattr(cygrad, name)} == set()
    assert ours == set(cygrad.__all__)


def test_dir_has_public_names_only():
    shown = {name for name in dir(cygrad) if not name.startswith("_")}
    assert {name for name in shown if not hasattr(torch, name)} <= OWN
    modules = {name for name in shown if isinstance(getattr(cygrad, name), types.ModuleType)}
    assert all(isinstance(getattr(torch, name, None), types.ModuleType) for name in modules - OWN)
    assert {"nn", "optim", "autograd", "save", "vmap", "autocast"} <= shown


@pytest.mark.parametrize("path", ["", "nn", "nn.functional", "linalg", "utils", "autograd"])
def test_missing_names_say_why(path):
    """And what to use instead; what PyTorch's modules import for themselves is no name of theirs."""
    ours, theirs = ((operator.attrgetter(path)(module) if path else module) for module in (cygrad, torch))
    parts = {each.name for each in pkgutil.iter_modules(getattr(theirs, "__path__", ()))}       # loaded or not
    for name in parts.union(dir(theirs)):
        value = getattr(theirs, name, None)
        home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
        home = f"torch.{name}" if name in parts else home
        if name.startswith("_") or not str(home).startswith("torch.") or hasattr(ours, name):
            continue
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'; .+"):
            getattr(ours, name)


def test_unknown_names():
    with pytest.raises(AttributeError, match=r"^module 'cygrad' has no attribute 'sparsely'$"):
        cygrad.sparsely
    with pytest.raises(AttributeError, match=r"^module 'cygrad.nn' has no attribute 'Linaer'; did you mean 'Linear'"):
        cygrad.nn.Linaer


def test_interop_threads():
    before = cygrad.get_num_interop_threads()
    assert before == torch.get_num_interop_threads()
    for threads in True, 0, 1.5:
        with pytest.raises(RuntimeError) as theirs:
            torch.set_num_interop_threads(threads)
        with pytest.raises(RuntimeError) as ours:
            cygrad.set_num_interop_threads(threads)
        assert str(ours.value) == str(theirs.value)
