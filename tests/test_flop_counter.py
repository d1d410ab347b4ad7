"""`utils.flop_counter` and `utils.module_tracker`: what counts, where, and how it is shown."""
import pytest

import cygrad
import cygrad.nn.functional as F
from cygrad import nn
from cygrad.utils.flop_counter import FlopCounterMode, _formulas, register_flop_formula
from cygrad.utils.module_tracker import ModuleTracker


def counted(call, **options):
    """What a call counts, by op."""
    with FlopCounterMode(display=False, **options) as counter:
        call()
    return counter.get_flop_counts().get("Global", {})


@pytest.mark.parametrize("call, counts", [
    (lambda: cygrad.ones(3, 4) @ cygrad.ones(4, 5), {"aten.mm": 120}),
    (lambda: cygrad.ones(2, 3, 4) @ cygrad.ones(2, 4, 5), {"aten.bmm": 240}),
    (lambda: cygrad.ones(2, 3, 4) @ cygrad.ones(4, 5), {"aten.mm": 240}),
    (lambda: cygrad.ones(3, 4) @ cygrad.ones(4), {}),
    (lambda: cygrad.einsum("ij,jk->ik", cygrad.ones(3, 4), cygrad.ones(4, 5)), {"aten.bmm": 120}),
    (lambda: cygrad.baddbmm(cygrad.ones(2, 3, 3), cygrad.ones(2, 3, 4), cygrad.ones(2, 4, 3)), {"aten.baddbmm": 144}),
    (lambda: F.linear(cygrad.ones(2, 3, 4), cygrad.ones(5, 4), cygrad.ones(5)), {"aten.addmm": 240}),
    (lambda: F.conv1d(cygrad.ones(2, 4, 9), cygrad.ones(8, 2, 3), groups=2), {"aten.convolution": 1344}),
    (lambda: F.conv3d(cygrad.ones(2, 4, 5, 5, 5), cygrad.ones(8, 4, 3, 3, 3)), {"aten.convolution": 93312}),
    (lambda: F.conv_transpose2d(cygrad.ones(1, 3, 5, 5), cygrad.ones(3, 6, 3, 3)), {"aten.convolution": 8100}),
    (lambda: nn.GRU(4, 5)(cygrad.ones(3, 2, 4)), {"aten.addmm": 1620}),
    (lambda: cygrad.ones(3, 4) + 1, {}),
])
def test_forward(call, counts):
    assert counted(call) == counts


@pytest.mark.parametrize("call, counts", [
    (lambda x: nn.Linear(4, 5)(x), {"aten.addmm": 240, "aten.mm": 480}),
    (lambda x: nn.Linear(4, 5)(x.detach()), {"aten.addmm": 240, "aten.mm": 240}),
    (lambda x: x @ x.mT, {"aten.bmm": 432}),
    (lambda x: x @ cygrad.ones(4, requires_grad=True), {}),
    (lambda x: nn.Conv1d(4, 8, 3)(x.mT), {"aten.convolution": 384, "aten.convolution_backward": 768}),
    (lambda x: nn.LSTM(4, 5)(x)[0], {}),
    (lambda x: nn.GRU(4, 5)(x.detach().mT.reshape(3, 2, 4))[0], {"aten.addmm": 1620, "aten.mm": 2220}),
    (lambda x: F.scaled_dot_product_attention(*[x.unsqueeze(0)] * 3), {}),
])
def test_backward(call, counts):
    x = cygrad.ones(2, 3, 4, requires_grad=True)
    assert counted(lambda: call(x).sum().backward()) == counts


def test_gradients_of_gradients_count():
    x = cygrad.ones(2, 3, 4, requires_grad=True)

    def twice():
        first, = cygrad.autograd.grad((x @ x.mT).pow(2).sum(), x, create_graph=True)
        cygrad.autograd.grad(first.sum(), x)
    assert sum(counted(twice).values()) == 1296


def test_meta_counts():
    with cygrad.device("meta"):
        layer = nn.Linear(3, 4)
        assert counted(lambda: layer(cygrad.ones(2, 3))) == {"aten.addmm": 48}


def test_modules_and_table(capsys):
    model = nn.Sequential(nn.Linear(30, 40), nn.Sequential(nn.Linear(40, 20)))
    with FlopCounterMode(depth=1) as counter:
        model(cygrad.ones(7, 30)).sum().backward()
    assert capsys.readouterr().out == (
        "Module           FLOP    % Total\n"
        "------------  -------  ---------\n"
        "Sequential    67.200K    100.00%\n"
        "- aten.addmm  28.000K     41.67%\n"
        "- aten.mm     39.200K     58.33%\n")
    counts = counter.get_flop_counts()
    assert set(counts) == {"Global", "Sequential", "Sequential.0", "Sequential.1", "Sequential.1.0"}
    assert counts["Sequential.1.0"] == {"aten.addmm": 11200, "aten.mm": 22400}
    assert repr(next(iter(counts["Global"]))) == "<OpOverloadPacket(op='aten.addmm')>"
    assert counter.get_total_flops() == 67200
    assert "Sequential.1.0" in counter.get_table(depth=3)
    with counter:
        model(cygrad.ones(1, 30))
        cygrad.ones(9, 9) @ cygrad.ones(9, 9)
    assert counter.get_table().splitlines()[2].split() == ["Global", "5458", "100.00%"]


def test_nothing_counted():
    assert FlopCounterMode().get_table().splitlines() == [
        "Module      FLOP    % Total", "--------  ------  ---------", "Global         0         0%"]


def test_formulas_of_users():
    assert counted(lambda: cygrad.mm(cygrad.ones(2, 3), cygrad.ones(3, 4)),
                   custom_mapping={cygrad.mm: lambda a, b, out_shape=None: out_shape.numel()}) == {"aten.mm": 8}
    try:
        register_flop_formula(cygrad.exp, get_raw=True)(lambda x, out_val=None: x.numel() + out_val.numel())
        assert counted(lambda: cygrad.ones(3).exp()) == {"aten.exp": 6}
    finally:
        _formulas.clear()


def test_what_is_watched_ends_with_the_block():
    with FlopCounterMode(display=False) as counter:
        pass
    nn.Linear(3, 4)(cygrad.ones(2, 3))
    assert counter.get_total_flops() == 0 and counter.mod_tracker.parents == {"Global"}


def test_tracker_forward_and_backward():
    seen = []

    class Note(cygrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append((tracker.is_bw, sorted(tracker.parents)))
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            seen.append((tracker.is_bw, sorted(tracker.parents)))
            return grad

    class Layer(nn.Module):
        def forward(self, x):
            return Note.apply(x)

    with ModuleTracker() as tracker:
        x = nn.Sequential(Layer(), Layer())(cygrad.ones(1, requires_grad=True).clone())
        assert tracker.parents == {"Global"} and not tracker.is_bw
        x.backward()
    first, second = (["Global", "Sequential", f"Sequential.{i}"] for i in (0, 1))
    assert seen == [(False, first), (False, second), (True, second), (True, first)]
    assert tracker.parents == {"Global"}
