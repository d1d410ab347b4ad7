"""If one of these fails, tensors share memory, or are indexed, unlike PyTorch's.

The cells are in ``transcripts/views.py``.
"""

import cygrad
import pytest
import torch
from transcript import cells

CELLS = cells("views")


@pytest.mark.parametrize("cell", CELLS, ids=[cell.title for cell in CELLS])
def test_views(cell):
    found = cell.compare(torch, cygrad)
    assert not found, "\n".join(found)
