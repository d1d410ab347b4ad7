"""If this fails, a script that builds and handles modules sees other results, text or errors than on PyTorch."""
import cygrad
import pytest
import torch

from transcript import cells

FILES = ("nn_attributes", "nn_containers", "nn_hooks", "nn_layers", "nn_state", "nn_utils")
CELLS = [(name, cell) for name in FILES for cell in cells(name)]


@pytest.mark.parametrize("cell", [cell for _, cell in CELLS], ids=[f"{name}: {cell.title}" for name, cell in CELLS])
def test_cell(cell):
    found = cell.compare(torch, cygrad)
    assert not found, "\n".join(found)
