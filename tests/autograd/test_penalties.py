"""If one of these fails, a penalty on gradients leaves parameters without a gradient, where PyTorch gives zeros.

The gradient of a layer that is straight in pieces does not change with its input; a second pass all the same reaches
what that input comes from, and leaves zeros there, so that an optimizer sees a gradient in every step.
"""
import cygrad
import pytest
from cygrad import nn

STRAIGHT = [nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(0.2), nn.RReLU(), nn.RReLU().eval(), nn.Hardtanh(),
            nn.Hardshrink(), nn.Softshrink(), nn.Threshold(0.1, 2.0), nn.MaxPool1d(2), nn.AvgPool1d(2),
            nn.AdaptiveAvgPool1d(2), nn.AdaptiveMaxPool1d(2), nn.ReflectionPad1d(1), nn.ReplicationPad1d(1)]


@pytest.mark.parametrize("layer", STRAIGHT, ids=lambda layer: type(layer).__name__)
def test_biases_get_zeros(layer):
    cygrad.manual_seed(0)
    first, last = nn.Linear(3, 4), nn.LazyLinear(1)
    x = cygrad.randn(5, 3, requires_grad=True)
    out = last(layer(first(x)))
    slope, = cygrad.autograd.grad(out, x, cygrad.ones_like(out), create_graph=True)
    (slope.norm(2, dim=1) - 1).square().mean().backward()
    assert first.bias.grad.tolist() == [0] * 4
    assert x.grad.count_nonzero() == 0
    assert last.bias.grad is None           # the slope does not come from it at all
    assert first.weight.grad.count_nonzero()


@pytest.mark.parametrize("layer", [nn.AvgPool2d(2), nn.MaxPool2d(2), nn.FractionalMaxPool2d(2, output_size=2),
                                   nn.AdaptiveAvgPool2d(2)], ids=lambda layer: type(layer).__name__)
def test_planes_get_zeros(layer):
    cygrad.manual_seed(0)
    first = nn.Conv2d(1, 2, 1)
    x = cygrad.randn(1, 1, 4, 4, requires_grad=True)
    slope, = cygrad.autograd.grad(layer(first(x)).sum(), x, create_graph=True)
    slope.square().sum().backward()
    assert first.bias.grad.tolist() == [0, 0]


def test_a_loss_gives_zeros():
    scores = cygrad.randn(4, 3, requires_grad=True)
    shifted = scores + cygrad.zeros(3)
    slope, = cygrad.autograd.grad(nn.functional.nll_loss(shifted, cygrad.tensor([0, 1, 2, 0])), shifted,
                                  create_graph=True)
    assert slope.requires_grad
    assert cygrad.autograd.grad(slope.sum(), scores)[0].count_nonzero() == 0
