"""If one of these fails, another library's array becomes another tensor than PyTorch makes of it."""
import array

import cygrad
import numpy
import pytest
import torch
from compare import attempt

CASES = """
torch.tensor(exchanged)
torch.as_tensor(exchanged)
torch.asarray(exchanged)
torch.asarray(exchanged, dtype=torch.float32)
torch.asarray(exchanged, copy=True)
torch.asarray(exchanged, dtype=torch.float32, copy=False)
torch.tensor(bytearray(b"abcd"))
torch.asarray(bytearray(b"abcd"))
torch.asarray(bytearray(b"abcd"), dtype=torch.uint8)
torch.asarray(array.array("d", [1., 2.]), dtype=torch.float64)
torch.tensor(array.array("d", [1., 2.]))
torch.asarray(memoryview(bytearray(b"abcdefgh")), dtype=torch.int32)
torch.tensor(bare)
torch.asarray([1., 2.], copy=False)
torch.asarray(numpy.float64(2.))
"""


class Exchanged:
    """Memory by DLPack."""

    def __dlpack__(self, **options):
        return numpy.array([16777217., 0.5]).__dlpack__(**options)

    def __dlpack_device__(self):
        return 1, 0


class Bare:
    def __array__(self, dtype=None, copy=None):
        return numpy.ones(2)


def shown(statement, module):
    space = {"torch": module, "numpy": numpy, "array": array, "exchanged": Exchanged(), "bare": Bare()}
    return str(attempt(lambda: repr(eval(statement, space)))).replace("cygrad", "torch")


@pytest.mark.parametrize("statement", CASES.strip().split("\n"))
def test_it_is_as_in_pytorch(statement):
    assert shown(statement, cygrad) == shown(statement, torch)


def test_pytorchs_own_tensors():
    given = torch.tensor([16777217., 0.5], dtype=torch.float64)
    for make in (cygrad.tensor, cygrad.as_tensor, cygrad.asarray):
        assert make(given).dtype is cygrad.float64 and make(given).tolist() == given.tolist()
    cygrad.as_tensor(given)[1] = 2
    assert given[1] == 2
