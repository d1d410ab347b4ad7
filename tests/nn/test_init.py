"""If this fails, parameters start with values of another distribution than the one named."""
import math

import cygrad
import pytest
from cygrad import nn
from cygrad.nn import init


def test_functions_fill_in_place_unseen_by_autograd():
    w = nn.Parameter(cygrad.empty(30, 20))
    for name in ("uniform_", "normal_", "trunc_normal_", "ones_", "zeros_", "eye_", "xavier_uniform_", "xavier_normal_",
                 "kaiming_uniform_", "kaiming_normal_", "orthogonal_"):
        assert getattr(init, name)(w) is w and w.is_leaf and w.requires_grad, name
    assert init.constant_(w, 3.0) is w and init.sparse_(w, 0.1) is w


@pytest.mark.parametrize("fill, std", [
    (lambda w: init.xavier_normal_(w), math.sqrt(2 / (400 + 300))),
    (lambda w: init.xavier_uniform_(w, gain=2.0), 2 * math.sqrt(2 / (400 + 300))),
    (lambda w: init.kaiming_normal_(w), math.sqrt(2 / 300)),
    (lambda w: init.kaiming_uniform_(w, mode="fan_out", nonlinearity="relu"), math.sqrt(2 / 400)),
    (lambda w: init.normal_(w, 0, 0.3), 0.3),
], ids=["xavier normal", "xavier uniform", "kaiming normal", "kaiming uniform", "normal"])
def test_spread(fill, std):
    w = fill(cygrad.empty(400, 300))
    assert abs(w.std().item() / std - 1) < 0.02 and abs(w.mean().item()) < std / 50


@pytest.mark.parametrize("limits", [(-2, 2), (-0.5, 0.1), (1.5, 3)], ids=["wide", "narrow", "tail"])
def test_truncated(limits):
    w = init.trunc_normal_(cygrad.empty(20000, dtype=cygrad.float64), 0, 1, *limits)
    low, high = limits
    assert low <= w.min().item() and w.max().item() <= high
    density = [math.exp(-x * x / 2) for x in (low, high)]
    inside = (math.erf(high / math.sqrt(2)) - math.erf(low / math.sqrt(2))) / 2 * math.sqrt(2 * math.pi)
    assert abs(w.mean().item() - (density[0] - density[1]) / inside) < 0.02


def test_orthogonal():
    for shape in [(5, 3), (3, 5), (4, 2, 3)]:
        w = init.orthogonal_(cygrad.empty(shape, dtype=cygrad.float64), gain=2.0).reshape(shape[0], -1)
        small = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
        assert cygrad.allclose(small, 4 * cygrad.eye(len(small), dtype=cygrad.float64))


def test_patterns():
    assert init.eye_(cygrad.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    w = init.dirac_(cygrad.empty(4, 2, 3), groups=2)
    assert w.nonzero().tolist() == [[0, 0, 1], [1, 1, 1], [2, 0, 1], [3, 1, 1]]
    w = init.sparse_(cygrad.empty(10, 4), sparsity=0.25)
    assert (w == 0).sum(0).tolist() == [3, 3, 3, 3]


def test_gains():
    assert init.calculate_gain("relu") == math.sqrt(2) and init.calculate_gain("leaky_relu", 1) == 1
    with pytest.raises(ValueError, match="Unsupported nonlinearity swish"):
        init.calculate_gain("swish")
    with pytest.raises(ValueError, match="Fan in and fan out can not be computed for tensor with fewer than 2 dim"):
        init.xavier_normal_(cygrad.empty(3))


def test_old_names_warn():
    with pytest.warns(FutureWarning, match="`nn.init.uniform` is now deprecated in favor of `nn.init.uniform_`."):
        init.uniform(cygrad.empty(1))


def test_one_seed_one_model():
    def weights(seed):
        cygrad.manual_seed(seed)
        return nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)).state_dict()
    a, b, other = weights(1), weights(1), weights(2)
    assert all(cygrad.equal(a[key], b[key]) and not cygrad.equal(a[key], other[key]) for key in a)
