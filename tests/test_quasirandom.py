"""If one of these fails, Sobol points don't fill the cube evenly."""
import pytest

import cygrad as torch
from cygrad.quasirandom import SobolEngine


@pytest.mark.parametrize("scramble", (False, True))
def test_every_small_box_has_its_share(scramble):
    """The first 2**m points of an axis lie one in each interval of length 2**-m (Sobol 1967, property of nets)."""
    points = SobolEngine(50, scramble=scramble, seed=3).draw_base2(8, dtype=torch.float64)
    cells = (points * 256).floor().long().sort(0).values
    assert (cells == torch.arange(256).unsqueeze(1)).all()
    boxes = (SobolEngine(2).draw(256) * 16).floor().long()      # in two axes, one in each square of a sixteenth
    assert boxes.unique(dim=0).shape == (256, 2)


def test_seeds():
    first, second = (SobolEngine(3, scramble=True, seed=seed).draw(5) for seed in (1, 2))
    assert (first == SobolEngine(3, scramble=True, seed=1).draw(5)).all() and (first != second).any()
    assert (SobolEngine(3, scramble=True).draw(5) != SobolEngine(3, scramble=True).draw(5)).any()


def test_points_are_the_same_in_one_piece_or_several():
    whole = SobolEngine(5, scramble=True, seed=7).draw(100)
    engine = SobolEngine(5, scramble=True, seed=7)
    parts = [engine.draw(n) for n in (1, 0, 40, 9, 50)]
    assert (torch.cat(parts) == whole).all() and engine.num_generated == 100
    assert (engine.reset().fast_forward(60).draw(40) == whole[60:]).all()
    with pytest.raises(ValueError, match="power of 2"):
        engine.draw_base2(3)
    with pytest.raises(TypeError, match="must be an int"):
        SobolEngine(2.5)
