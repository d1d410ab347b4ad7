"""If one of these fails, backward, hooks, grad modes or custom Functions behave unlike PyTorch's.

The cells are in ``transcripts/autograd.py``.
"""

import cygrad
import pytest
import torch

from transcript import cells

CELLS = cells("autograd")


@pytest.mark.parametrize("cell", CELLS, ids=[cell.title for cell in CELLS])
def test_autograd(cell):
    found = cell.compare(torch, cygrad)
    assert not found, "\n".join(found)
