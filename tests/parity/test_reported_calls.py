"""If one of these fails, a call that PyTorch's own test files make has another result or error than in PyTorch.

The cells are in ``transcripts/``.
"""

import cygrad
import pytest
import torch
from transcript import cells

CELLS = [cell for name in ("makers", "reductions", "linalg", "foreach", "pooling", "pointwise") for cell in cells(name)]


@pytest.mark.parametrize("cell", CELLS, ids=[cell.title for cell in CELLS])
def test_call(cell):
    found = cell.compare(torch, cygrad)
    assert not found, "\n".join(found)
