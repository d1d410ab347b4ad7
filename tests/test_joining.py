"""If this fails, `cat` or `stack` puts elements in the wrong place, few (copied in line) or many (by kernels)."""
import cygrad
import numpy
import pytest


@pytest.mark.parametrize("width", [3, 400])             # below and above 4096 bytes
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("layout", ["dense", "transposed", "other dtype"])
def test_cat_and_stack(width, dim, layout):
    arrays = [numpy.arange(2 * 4 * width, dtype="f4").reshape(2, 4, width) + 1000 * k for k in range(3)]
    tensors = [cygrad.tensor(a) for a in arrays]
    if layout == "transposed":
        tensors[1] = cygrad.tensor(arrays[1].swapaxes(0, 2).copy()).transpose(0, 2)
    elif layout == "other dtype":
        tensors[1] = tensors[1].double()
    assert (cygrad.cat(tensors, dim).numpy() == numpy.concatenate(arrays, dim)).all()
    assert (cygrad.stack(tensors, dim).numpy() == numpy.stack(arrays, dim)).all()


@pytest.mark.parametrize("dim", [0, 1])
def test_cat_of_different_lengths_and_of_none(dim):
    shapes = [[n if axis == dim else 3 for axis in range(2)] for n in (2, 0, 5)]
    arrays = [numpy.arange(numpy.prod(shape)).reshape(shape) for shape in shapes]
    assert (cygrad.cat([cygrad.tensor(a) for a in arrays], dim).numpy() == numpy.concatenate(arrays, dim)).all()
    empty = cygrad.zeros(0, dtype=cygrad.int64)         # of one axis: it has no shape to fit
    assert (cygrad.cat([empty, cygrad.tensor(arrays[0])], dim).numpy() == arrays[0]).all()
