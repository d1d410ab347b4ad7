"""Each module that PyTorch has by the same name is public: it has a stub, which says what type checkers know of it."""
import importlib
import importlib.util
import pkgutil
from pathlib import Path

import cygrad
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
