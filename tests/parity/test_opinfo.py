"""If one of these fails, a function of networks gives something else than PyTorch for one of PyTorch's own samples."""

import functools

import pytest

import cygrad
from opinfo import KINDS, function_of, label, problems, table

MOST = 8           # samples of each dtype; `python tests/parity/opinfo.py` takes them all
NAMES = sorted(name for name, value in vars(cygrad.nn.functional).items()
               if not name.startswith("_") and callable(value))
# What is still to be done: rows and kinds that differ, functions that are not there.
DIFFER = {(f"nn.functional.{name}", kind) for kind, names in {
    "refused": "embedding max_unpool2d max_unpool2d.grad",
    "nodes": "linear_cross_entropy",            # PyTorch makes a view of the losses of several places
    }.items() for name in names.split()}
# PyTorch has one node for all pieces and no second derivative of them; 16-bit sums are in another order.
DIFFER |= {(f"nn.functional.linear_cross_entropy.{part}", kind) for part in ("chunked", "chunked_none")
           for kind in ("nodes", "refused", "second")}


@functools.cache
def rows():
    return table("nn.functional.")


def test_every_function_is_there():
    assert not [op.name for op in rows() if function_of(op) is None]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_samples(name, kind):
    for op in rows():
        if op.name == "nn.functional." + name:
            _, found = problems(op, kind, MOST)
            found = [each for each in found if (label(op), kind) not in DIFFER]
            texts = [f"{dtype} {case}\n    {text}" for dtype, case, text in found[:9]]
            assert not found, "\n".join([f"{len(found)} differ:", *texts])
