"""If one of these fails, a function of `cygrad.masked` counts elements that its mask leaves out, or forgets others."""
import pytest

import cygrad
from cygrad import masked

X = [[1., 2., 6.], [4., 0., 8.]]
MASK = [[True, False, True], [False, False, False]]


def test_reductions_of_what_the_mask_names():
    x, mask = cygrad.tensor(X), cygrad.tensor(MASK)
    assert masked.sum(x, 1, mask=mask).tolist() == [7, 0]
    assert masked.prod(x, 1, mask=mask).tolist() == [6, 1]
    assert masked.amax(x, 1, mask=mask).tolist() == [6, -cygrad.inf]
    assert masked.mean(x, mask=mask).item() == 3.5
    assert masked.var(x, mask=mask).item() == 12.5          # (2.5**2 + 2.5**2) / (2 - 1)
    assert masked.norm(x, 1., mask=mask).item() == 7
    assert masked.median(x, 1, mask=mask)[0].item() == 1


def test_without_a_mask_all_elements_count():
    x = cygrad.tensor(X)
    assert masked.sum(x).item() == 21 and masked.argmin(x, dtype=cygrad.int64).item() == 4
    assert masked.std(x, 1).tolist() == pytest.approx(x.std(1).tolist())


def test_normalizations():
    x, mask = cygrad.tensor(X), cygrad.tensor(MASK)
    assert masked.softmax(x, 0, mask=mask)[:, 0].tolist() == [1, 0]
    assert masked.cumsum(x, 1, mask=mask).tolist() == [[1, 1, 7], [0, 0, 0]]
    assert masked.normalize(x, 1., 1, mask=mask).tolist()[1] == [0, 0, 0]


def test_gradients_of_what_is_left_out_are_zero():
    x = cygrad.tensor(X, requires_grad=True)
    masked.mean(x, mask=cygrad.tensor(MASK)).backward()
    assert x.grad.tolist() == [[0.5, 0, 0.5], [0, 0, 0]]


def test_refused():
    x = cygrad.ones(3)
    with pytest.raises(IndexError, match="mask dimensionality"):
        masked.sum(x, mask=cygrad.ones(1, 3, dtype=cygrad.bool))
    with pytest.raises(IndexError, match="Dimension out of range"):
        masked.sum(x, 1)
    with pytest.raises(RuntimeError, match="appears multiple times"):
        masked.sum(x, (0, 0))
    with pytest.raises(NotImplementedError, match="identity of amax"):
        masked.amax(x > 0, mask=x > 0)
    with pytest.raises(ValueError, match="Could not infer output dtype"):
        masked.mean(cygrad.arange(3))
