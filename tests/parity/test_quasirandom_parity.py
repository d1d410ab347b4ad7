"""If one of these fails, Sobol sequences are other points than PyTorch's."""
import pytest
import torch
from torch.quasirandom import SobolEngine as Expected

import cygrad
from cygrad.quasirandom import SobolEngine


def engines(*args, **kwargs):
    return SobolEngine(*args, **kwargs), Expected(*args, **kwargs)


def same(actual, expected):
    assert str(actual.dtype).split(".")[1] == str(expected.dtype).split(".")[1]
    assert actual.tolist() == expected.tolist()


@pytest.mark.parametrize("dimension", (1, 2, 7, 300, 21201))
def test_direction_numbers(dimension):
    ours, theirs = engines(dimension)
    assert ours.sobolstate.shape == (dimension, 30)
    assert (torch.tensor(ours.sobolstate.numpy()) == theirs.sobolstate).all()


@pytest.mark.parametrize("scramble", (False, True))
@pytest.mark.parametrize("dimension", (1, 3, 40))
def test_points(dimension, scramble):
    ours, theirs = engines(dimension, scramble=scramble, seed=11)
    assert repr(ours) == repr(theirs)
    for n in (1, 2, 0, 5, 1, 64, 3):
        same(ours.draw(n), theirs.draw(n))
    for n in (0, 1, 77):
        ours.fast_forward(n), theirs.fast_forward(n)
        same(ours.quasi, theirs.quasi)
        same(ours.draw(4, dtype=cygrad.float64), theirs.draw(4, dtype=torch.float64))
    same(ours.reset().fast_forward(9).draw(2), theirs.reset().fast_forward(9).draw(2))
    same(ours.reset().draw(5), theirs.reset().draw(5))
    out = cygrad.zeros(1)
    assert ours.draw(3, out=out) is out
    same(out, theirs.draw(3))
    same(ours.shift, theirs.shift)


def test_powers_of_two():
    ours, theirs = engines(4)
    same(ours.draw_base2(3), theirs.draw_base2(3))
    same(ours.draw_base2(3), theirs.draw_base2(3))
    for call in (lambda engine: engine.draw_base2(1), lambda engine: engine.draw(-1)):
        with pytest.raises((ValueError, RuntimeError)) as expected:
            call(theirs)
        with pytest.raises(type(expected.value)) as actual:
            call(ours)
        assert str(actual.value) == str(expected.value)


@pytest.mark.parametrize("dimension", (0, 21202))
def test_dimensions_without_numbers(dimension):
    with pytest.raises(ValueError) as expected:
        Expected(dimension)
    with pytest.raises(ValueError) as actual:
        SobolEngine(dimension)
    assert str(actual.value) == str(expected.value)


def test_dtypes():
    for name in ("float16", "int32"):
        with pytest.raises(NotImplementedError) as expected:
            Expected(2).draw(2, dtype=getattr(torch, name))
        with pytest.raises(NotImplementedError) as actual:
            SobolEngine(2).draw(2, dtype=getattr(cygrad, name))
        assert str(actual.value) == str(expected.value)
