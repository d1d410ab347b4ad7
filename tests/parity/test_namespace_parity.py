"""If one of these fails, `dir(cygrad)` or `from cygrad import *` shows what PyTorch's does not."""
import types

import cygrad
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
