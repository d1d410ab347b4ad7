"""If one of these fails, backward, hooks, grad modes or custom Functions behave unlike PyTorch's.

The cells are in ``transcripts/``: ``backward.py``, ``in_place.py``, ``modes_and_hooks.py``, ``functions.py``,
``saved_tensors.py``, ``views_and_modes.py``, ``inference_mode.py``, ``hooks_and_nodes.py``.
"""

import cygrad
import pytest
import torch
from transcript import cells

CELLS = [cell for name in ("backward", "in_place", "modes_and_hooks", "functions", "saved_tensors",
                          "views_and_modes", "inference_mode", "hooks_and_nodes") for cell in cells(name)]


@pytest.mark.parametrize("cell", CELLS, ids=[cell.title for cell in CELLS])
def test_autograd(cell):
    found = cell.compare(torch, cygrad)
    assert not found, "\n".join(found)
