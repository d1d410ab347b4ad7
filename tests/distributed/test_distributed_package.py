"""If this fails, `distributed` reaches into the core's insides, is loaded unasked, or its examples are wrong."""
import ast
import doctest
import importlib
import pathlib
import subprocess
import sys

import pytest

import cygrad
import cygrad.distributed as dist

ROOT = pathlib.Path(dist.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
# Its own, what is public, and the one place that reads entry points.
ALLOWED = ("cygrad", "cygrad.autograd", "cygrad.futures", "cygrad.optim", "cygrad.nn", "cygrad.devices")
MODULES = ["cygrad.futures", *(f"cygrad.distributed.{name}" for name in (
    "collectives", "reducing_collectives", "point_to_point", "objects", "groups", "reduce_op", "checkpoint.folders",
    "optim.zero_redundancy_optimizer", "device_mesh", "fsdp.fully_shard", "store", "rendezvous",
    "algorithms.join"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_public_names_are_used(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "cygrad":
            assert node.module in ALLOWED or node.module.startswith("cygrad.distributed"), node.module
            assert node.module != "cygrad.devices" or [alias.name for alias in node.names] == ["entry_points"]
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else []):
            assert name.partition(".")[0] in sys.stdlib_module_names or name in ("cygrad", "cygrad.distributed"), name


def test_nothing_is_loaded_before_it_is_used():
    code = ("import sys, cygrad; assert 'cygrad.distributed' not in sys.modules; import cygrad.distributed as dist; "
            "dist.init_process_group('gloo', rank=0, world_size=1); dist.barrier(); "
            "print(*[name for name in sys.modules if name.startswith(('mpi4py', 'cygrad_mpi', 'cygrad.nn', 'numpy'))])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    try:
        failed, tried = doctest.testmod(module)
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()
    assert tried and not failed


def test_every_function_says_what_it_is_for():
    silent = [name for name in dir(dist) if not name.startswith("_") and callable(getattr(dist, name))
              and not getattr(dist, name).__doc__]
    assert silent == [] and cygrad.distributed is dist
