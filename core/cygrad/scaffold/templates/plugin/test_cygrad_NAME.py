"""If this fails, NAME computes something else, or its gradient is wrong."""
import cygrad


def test_values():
    x = cygrad.tensor([-1.0, 0.5, 3.0])
    assert cygrad.functions.NAME(x).tolist() == [1.0, 0.25, 9.0]


def test_derivatives():
    x = cygrad.randn(3, dtype=cygrad.float64, requires_grad=True)
    assert cygrad.autograd.gradcheck(cygrad.functions.NAME, (x,))
    assert cygrad.autograd.gradgradcheck(cygrad.functions.NAME, (x,))
