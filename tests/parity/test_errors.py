"""If one of these fails, bad input is met with another exception, or other words, than PyTorch's.

The cells are in ``transcripts/errors.py``.
"""

import cygrad
import pytest
import torch
from transcript import cells

CELLS = cells("errors")


@pytest.mark.parametrize("cell", CELLS, ids=[cell.title for cell in CELLS])
def test_errors(cell):
    found = cell.compare(torch, cygrad)
    assert not found, "\n".join(found)
