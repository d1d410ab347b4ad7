"""If one of these fails, backward, hooks, grad modes or custom Functions behave unlike PyTorch's.

The cells are in ``transcripts/``: ``backward.py``, ``in_place.py``, ``modes_and_hooks.py``, ``functions.py``.
"""

import cygrad
import pytest
import torch

from transcript import cells

CELLS = [cell for name in ("backward", "in_place", "modes_and_hooks", "functions") for cell in cells(name)]


@pytest.mark.parametrize("cell", CELLS, ids=[cell.title for cell in CELLS])
def test_autograd(cell):
    found = cell.compare(torch, cygrad)
    assert not found, "\n".join(found)
