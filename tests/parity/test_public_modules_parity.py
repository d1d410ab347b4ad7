"""Each module that PyTorch has by the same name is public: it has a stub, which says what type checkers know of it."""
import importlib
import importlib.util
import pkgutil
from pathlib import Path

import cygrad
import pytest
import torch

PACKAGE = Path(cygrad.__file__).parent


def test_modules_that_both_have_are_public():
    missing = []
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        stub = path.with_suffix(".pyi")
        if not any(part.startswith("_") for part in parts) and not (stub.exists() and stub.stat().st_size):
            place = Path(torch.__file__).parent.joinpath(*parts)
            if place.with_suffix(".py").exists() or (place / "__init__.py").exists():
                missing.append(".".join(parts))
    assert missing == []


def test_enough_is_public():
    assert importlib.util.find_spec("torch.nn.modules.linear") and (PACKAGE / "nn/modules/linear.pyi").exists()


def test_layers_are_importable_from_the_files_that_pytorch_has_them_in():
    """Programs write `from torch.nn.modules.pooling import AdaptiveAvgPool2d`."""
    lacking = []
    for name in (f"nn.modules.{each.name}" for each in pkgutil.iter_modules(torch.nn.modules.__path__)):
        if importlib.util.find_spec(f"cygrad.{name}") is not None:
            ours, theirs = (importlib.import_module(f"{library}.{name}") for library in ("cygrad", "torch"))
            lacking += [f"{name}.{each}" for each in getattr(theirs, "__all__", ()) if not hasattr(ours, each)]
    assert lacking == []


def settings(library):
    """Texts of what programs do with `torch._dynamo`, most of it settings for a compiler."""
    dynamo = importlib.import_module(library + "._dynamo")
    shown = [str(dynamo.config.recompile_limit), str(dynamo.config.suppress_errors), str(dynamo.reset())]
    dynamo.config.recompile_limit = 16
    for change in (("recompile_limit", 3), ({"recompile_limit": 4},)):
        with dynamo.config.patch(*change):
            shown.append(str(dynamo.config.recompile_limit))
    with dynamo.config.patch(recompile_limit=5):
        shown.append(str(dynamo.config.recompile_limit))
    shown.append(str(dynamo.config.recompile_limit))
    dynamo.config.recompile_limit = 8
    return [*shown, dynamo.allow_in_graph(len) is len]


def texts(library):
    """Texts of what small functions give that models of other people import by their private names."""
    modules = importlib.import_module(library + ".nn.modules")
    lib = importlib.import_module(library)
    copies = modules.transformer._get_clones(lib.nn.Sequential(lib.nn.ReLU()), 2)
    with pytest.raises(RuntimeError) as wrong:
        modules.transformer._get_activation_fn("tanh")
    flex = importlib.import_module(library + ".nn.attention.flex_attention")
    return [repr(copies), copies[0] is copies[1], str(wrong.value),
            modules.transformer._get_activation_fn("gelu") is lib.nn.functional.gelu,
            modules.module._addindent("a\n\n b\n \nc", 3), flex._DEFAULT_SPARSE_BLOCK_SIZE,
            importlib.import_module(library + ".functional").F is lib.nn.functional,
            issubclass(lib.jit.TracerWarning, Warning)]


@pytest.mark.parametrize("seen", [settings, texts])
def test_private_names_that_programs_import(seen):
    assert seen("cygrad") == seen("torch")
