"""If this fails, a layer does not compute its formula, does not learn, or forgets what it should remember."""
import math
import types

import cygrad
import pytest
from cygrad import nn
from cygrad.nn import functional as F


def test_linear_by_hand():
    layer = nn.Linear(2, 1)
    layer.load_state_dict({"weight": cygrad.tensor([[2.0, 3.0]]), "bias": cygrad.tensor([0.5])})
    assert layer(cygrad.tensor([[1.0, 10.0]])).item() == 2 + 30 + 0.5


def test_convolution_is_the_function():
    layer, x = nn.Conv2d(2, 4, 3, stride=2, padding=1, groups=2, bias=False), cygrad.randn(1, 2, 6, 6)
    assert cygrad.equal(layer(x), F.conv2d(x, layer.weight, None, 2, 1, 1, 2))
    assert layer(x[0]).shape == (4, 3, 3)


@pytest.mark.parametrize("sizes", [(5, 8, 40, 6, 3, 1, 1), (7, 64, 48, 5, 3, 2, 1), (9, 260, 256, 4, 1, 1, 1),
                                   (6, 64, 64, 7, 3, 1, 2), (3, 300, 300, 3, 3, 1, 1)])
def test_images_are_convolved_one_by_one(threads, sizes):
    """Small ones make blocks together, and heavy weights are read where they lie: in any order of axes."""
    images, channels, filters, size, kernel, stride, groups = sizes
    x = cygrad.randn(images, channels, size, size, dtype=cygrad.float64)
    w = cygrad.randn(filters, channels // groups, kernel, kernel, dtype=cygrad.float64)
    bias = cygrad.randn(filters, dtype=cygrad.float64)

    def results(x, w, weigh):
        x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
        y = F.conv2d(x, w, bias, stride, kernel // 2, 1, groups)
        return [y.detach(), *cygrad.autograd.grad(y, (x, w), weigh)]

    weigh = cygrad.randn_like(F.conv2d(x, w, None, stride, kernel // 2, 1, groups))
    alone = [results(x[i:i + 1], w, weigh[i:i + 1]) for i in range(images)]
    wanted = [cygrad.cat([y for y, _, _ in alone]), cygrad.cat([g for _, g, _ in alone]), sum(g for *_, g in alone)]
    for order in (cygrad.contiguous_format, cygrad.channels_last):
        for found, want in zip(results(*(t.to(memory_format=order) for t in (x, w, weigh))), wanted, strict=True):
            assert cygrad.allclose(found, want, rtol=1e-11, atol=1e-11)


def test_transposed_convolution_is_the_gradient_of_a_convolution():
    for axes, size in ((1, (9,)), (2, (9, 8)), (3, (5, 9, 8))):
        forward, back = getattr(F, f"conv{axes}d"), getattr(F, f"conv_transpose{axes}d")
        x, w = cygrad.randn(2, 4, *size, requires_grad=True), cygrad.randn(6, 2, *(3,) * axes)
        y = forward(x, w, None, 2, 1, 1, 2)
        g = cygrad.randn_like(y)
        extra = [(n + 1) % 2 for n in size]
        assert cygrad.allclose(cygrad.autograd.grad(y, x, g)[0], back(g, w, None, 2, 1, extra, 2), atol=1e-5)


def test_output_size_of_a_transposed_convolution():
    layer, x = nn.ConvTranspose2d(1, 1, 3, stride=3), cygrad.zeros(1, 1, 2, 2)
    assert layer(x).shape[2:] == (6, 6) and layer(x, output_size=(7, 8)).shape[2:] == (7, 8)
    with pytest.raises(ValueError, match="requested an output size of"):
        layer(x, output_size=(9, 6))
    with pytest.raises(ValueError, match='Only "zeros" padding mode is supported for ConvTranspose2d'):
        nn.ConvTranspose2d(1, 1, 3, padding_mode="reflect")


@pytest.mark.parametrize("layer, formula", [
    (nn.ReLU(), lambda x: max(x, 0)), (nn.LeakyReLU(0.1), lambda x: x if x > 0 else 0.1 * x),
    (nn.Tanh(), math.tanh), (nn.Sigmoid(), lambda x: 1 / (1 + math.exp(-x))),
    (nn.SiLU(), lambda x: x / (1 + math.exp(-x))),
    (nn.Hardtanh(-1, 0.5), lambda x: min(max(x, -1), 0.5)), (nn.Softplus(), lambda x: math.log1p(math.exp(x))),
    (nn.ELU(2.0), lambda x: x if x > 0 else 2 * math.expm1(x)),
    (nn.GELU(), lambda x: x * (1 + math.erf(x / 2**0.5)) / 2),
    (nn.Threshold(0.5, 7.0), lambda x: x if x > 0.5 else 7.0), (nn.Softsign(), lambda x: x / (1 + abs(x))),
], ids=lambda each: type(each).__name__)
def test_activations_by_hand(layer, formula):
    x = [-3.0, -0.5, 0.0, 0.3, 2.0]
    assert layer(cygrad.tensor(x, dtype=cygrad.float64)).tolist() == pytest.approx([formula(each) for each in x])


def test_batch_norm_remembers():
    layer, x = nn.BatchNorm1d(2, momentum=0.5), cygrad.tensor([[0.0, 1.0], [2.0, 5.0]])
    assert cygrad.allclose(layer(x), cygrad.tensor([[-1.0, -1.0], [1.0, 1.0]]), atol=1e-4)
    assert layer.running_mean.tolist() == [0.5, 1.5] and layer.running_var.tolist() == [1.5, 4.5]
    assert layer.num_batches_tracked == 1
    layer.eval()
    assert cygrad.allclose(layer(x), (x - layer.running_mean) / (layer.running_var + 1e-5).sqrt())
    assert layer.num_batches_tracked == 1


@pytest.mark.parametrize("layer, axes", [(nn.LayerNorm(6), (-1,)), (nn.GroupNorm(1, 4), (1, 2)),
                                         (nn.InstanceNorm1d(4), (2,))], ids=lambda each: type(each).__name__)
def test_norms(layer, axes):
    y = layer(cygrad.randn(3, 4, 6) * 5 + 2)
    assert y.mean(axes).abs().max() < 1e-5 and (y.var(axes, unbiased=False) - 1).abs().max() < 1e-3


@pytest.mark.parametrize("norm", [lambda x: nn.functional.layer_norm(x, x.shape[1:]),
                                  lambda x: nn.functional.group_norm(x, 1)], ids=["layer_norm", "group_norm"])
def test_norms_of_long_rows(norm):
    """Rows of a million elements lose no digits, forward or backward."""
    x, grad = cygrad.rand(1, 2, 1 << 20, requires_grad=True), cygrad.rand(1, 2, 1 << 20)
    exact = x.detach().double().requires_grad_()
    assert cygrad.allclose(norm(x).double(), norm(exact), rtol=0, atol=1e-6)
    norm(x).backward(grad)
    norm(exact).backward(grad.double())
    assert cygrad.allclose(x.grad.double(), exact.grad, rtol=0, atol=1e-6)


def test_pooling_layers_by_hand():
    x = cygrad.tensor([[1.0, 5.0, 2.0, 4.0, 3.0, 0.0]])
    assert nn.MaxPool1d(2)(x).tolist() == [[5, 4, 3]] and nn.AvgPool1d(2)(x).tolist() == [[3, 3, 1.5]]
    assert nn.LPPool1d(1, 2)(x).tolist() == [[6, 6, 3]] and nn.AdaptiveMaxPool1d(2)(x).tolist() == [[5, 4]]
    assert nn.AdaptiveAvgPool2d(1)(x.view(1, 2, 3)).item() == 2.5
    found, places = nn.MaxPool2d((1, 2), return_indices=True)(x.view(1, 2, 3))
    assert found.tolist() == [[[5], [4]]] and places.tolist() == [[[1], [3]]]
    assert nn.MaxUnpool1d(2)(*nn.MaxPool1d(2, return_indices=True)(x)).tolist() == [[0, 5, 0, 4, 3, 0]]
    with pytest.raises(ValueError, match="only one of output_size and output_ratio"):
        nn.FractionalMaxPool2d(2, output_size=2, output_ratio=0.5)
    with pytest.raises(ValueError, match="kernel_size must be greater than 0, but got 0"):
        nn.FractionalMaxPool3d(0, output_size=2)


def test_layers_that_resample():
    x = cygrad.tensor([[[[1.0, 3.0]]]])
    assert nn.Upsample(scale_factor=(1.0, 2.0))(x).tolist() == [[[[1, 1, 3, 3]]]]
    assert nn.UpsamplingBilinear2d((1, 3))(x).tolist() == [[[[1, 2, 3]]]]
    assert nn.UpsamplingNearest2d((1, 4))(x).tolist() == [[[[1, 1, 3, 3]]]]
    assert nn.ReflectionPad1d((0, 1))(x[0]).tolist() == [[[1, 3, 1]]]
    assert nn.CircularPad1d((1, 0))(x[0]).tolist() == [[[3, 1, 3]]]
    assert nn.PixelUnshuffle(2)(nn.PixelShuffle(2)(cygrad.ones(1, 4, 2, 3))).shape == (1, 4, 2, 3)
    assert nn.ChannelShuffle(2)(cygrad.arange(4.0).view(1, 4, 1)).flatten().tolist() == [0, 2, 1, 3]
    columns = nn.Unfold((1, 2))(x)
    assert columns.tolist() == [[[1], [3]]] and nn.Fold((1, 2), (1, 2))(columns).tolist() == x.tolist()


def test_dropout_in_training_only():
    layer, x = nn.Dropout(0.25), cygrad.ones(10000)
    y = layer(x)
    assert set(y.tolist()) == {0.0, cygrad.tensor(1 / 0.75).item()} and abs((y == 0).float().mean() - 0.25) < 0.02
    assert cygrad.equal(layer.eval()(x), x)


def test_embedding_rows():
    table = nn.Embedding(5, 2, padding_idx=1)
    x = cygrad.tensor([[4, 1], [0, 4]])
    assert cygrad.equal(table(x)[0, 0], table.weight[4]) and table(x)[0, 1].tolist() == [0, 0]
    table(x).sum().backward()
    assert table.weight.grad[:, 0].tolist() == [1, 0, 0, 0, 2]
    bags = nn.EmbeddingBag.from_pretrained(table.weight.detach(), mode="sum")
    assert cygrad.allclose(bags(x), table(x).sum(1))


def test_losses_by_hand():
    x, y = cygrad.tensor([1.0, 4.0]), cygrad.tensor([2.0, 2.0])
    assert nn.MSELoss()(x, y).item() == 2.5 and nn.L1Loss(reduction="sum")(x, y).item() == 3
    assert nn.MSELoss(reduction="none")(x, y).tolist() == [1, 4]
    logits, target = cygrad.tensor([[0.0, math.log(3)]]), cygrad.tensor([1])
    assert nn.CrossEntropyLoss()(logits, target).item() == pytest.approx(-math.log(0.75))
    assert nn.NLLLoss(weight=cygrad.tensor([1.0, 2.0]), reduction="sum")(logits, target).item() == pytest.approx(
        -2 * math.log(3))
    assert nn.BCEWithLogitsLoss()(cygrad.zeros(3), cygrad.ones(3)).item() == pytest.approx(math.log(2))


@pytest.mark.parametrize("model", [
    lambda: nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2)),
    lambda: nn.Sequential(nn.Unflatten(1, (1, 2)), nn.Conv1d(1, 16, 2), nn.BatchNorm1d(16), nn.ReLU(), nn.Flatten(),
                          nn.Linear(16, 2)),
    lambda: nn.Sequential(nn.LazyLinear(16), nn.LayerNorm(16), nn.GELU(), nn.LazyLinear(2)),
], ids=["tanh", "convolution", "lazy"])
def test_models_learn(model):
    """Gradient descent by hand finds which of two numbers has the other sign."""
    cygrad.manual_seed(0)
    model, loss = model(), nn.CrossEntropyLoss()
    x = cygrad.randn(64, 2)
    target = (x[:, 0] * x[:, 1] > 0).long()
    model(x)
    for _ in range(400):
        model.zero_grad()
        value = loss(model(x), target)
        value.backward()
        with cygrad.no_grad():
            for p in model.parameters():
                p -= 0.3 * p.grad
    assert value.item() < 0.2
    assert (model.eval()(x).argmax(1) == target).float().mean() > 0.9


def test_adaptive_softmax_is_a_distribution():
    model, x = nn.AdaptiveLogSoftmaxWithLoss(6, 9, cutoffs=[2, 5]), cygrad.randn(7, 6)
    assert cygrad.allclose(model.log_prob(x).exp().sum(1), cygrad.ones(7))
    target = cygrad.arange(7)
    assert cygrad.allclose(model(x, target).output, model.log_prob(x).gather(1, target.unsqueeze(1)).squeeze(1))
    assert cygrad.equal(model.predict(x), model.log_prob(x).argmax(1))


def test_wrong_shapes_say_what_is_wanted():
    with pytest.raises(ValueError, match="expected 4D input") as caught:
        nn.Sequential(nn.Conv2d(3, 4, 1), nn.Flatten(), nn.BatchNorm2d(4))(cygrad.zeros(1, 3, 2, 2))
    notes = getattr(caught.value, "__notes__", [str(caught.value)])
    assert "in 2 of Sequential: BatchNorm2d(4" in notes[-1] and "wants: (N, 4, H, W)" in notes[-1]


@pytest.mark.parametrize("name, arguments", [("relu", ()), ("elu", (1.0,)), ("hardtanh", (-1.0, 1.0)), ("silu", ()),
                                             ("threshold", (0.0, 5.0))])
def test_inplace_by_position(name, arguments):
    """`relu(x, True)`: scripts give the last argument of activations without its name."""
    x = cygrad.tensor([-2.0, 0.5])
    function = getattr(F, name)
    expected = function(x, *arguments)
    assert function(x, *arguments, False) is not x and x.tolist() == [-2.0, 0.5]
    assert function(x, *arguments, True) is x and x.tolist() == expected.tolist()


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("mask, padded", [(None, False), ((5, 5), False), ((12, 5, 5), False), (None, True),
                                          ((5, 5), True)])
def test_attention_to_itself_is_the_same_with_and_without_its_weights(batch_first, mask, padded):
    cygrad.manual_seed(0)
    layer = nn.MultiheadAttention(8, 4, batch_first=batch_first, dtype=cygrad.float64)
    nn.init.normal_(layer.in_proj_bias)
    x = cygrad.rand((3, 5, 8) if batch_first else (5, 3, 8), dtype=cygrad.float64, requires_grad=True)
    masks = {} if mask is None else {"attn_mask": cygrad.rand(mask, dtype=cygrad.float64)}
    if padded:
        masks["key_padding_mask"] = cygrad.tensor([[False] * 4 + [True]] * 3)
    found = []
    for need_weights in (True, False):
        y = layer(x, x, x, need_weights=need_weights, **masks)[0]
        found.append((y, *cygrad.autograd.grad((y * y.detach().sin()).sum(), [x, *layer.parameters()])))
    for with_weights, without in zip(*found):
        assert cygrad.allclose(with_weights, without, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("batch_first", (False, True))
def test_attention_of_no_examples(batch_first):
    shape = (0, 3, 8) if batch_first else (3, 0, 8)
    x = cygrad.rand(shape, requires_grad=True)
    attention = nn.MultiheadAttention(8, 2, batch_first=batch_first)
    assert attention(x, x, x, need_weights=False)[0].shape == shape
    out = nn.TransformerEncoderLayer(8, 2, batch_first=batch_first)(x)
    assert out.shape == shape
    out.sum().backward()
    assert x.grad.shape == shape


def test_a_margin_loss_of_one_example_has_the_targets_axes():
    x = cygrad.tensor([0.2, 0.1, 0.9], dtype=cygrad.float64, requires_grad=True)
    for target, shape in ((cygrad.tensor([1]), (1,)), (cygrad.tensor(1), ())):
        loss = nn.functional.multi_margin_loss(x, target, reduction="none")
        assert loss.shape == shape and loss.sum().item() == pytest.approx((1.1 + 1.8) / 3)
    assert cygrad.autograd.gradcheck(
        lambda x: nn.functional.multi_margin_loss(x, cygrad.tensor([1]), reduction="none"), (x,))


def test_fold_says_that_nothing_fits():
    with pytest.raises(RuntimeError, match=r"the array of sliding blocks as \(-4, -3\), which is too small"):
        F.fold(cygrad.zeros(1, 12, 12), (4, 5), 2, dilation=8)


def test_a_seed_gives_the_same_training_with_the_batch_first_and_second():
    """Dropout draws in the order of memory: PyTorch's results of attention have the time first there."""
    x = cygrad.randn(2, 5, 8, generator=cygrad.Generator().manual_seed(0))
    results = []
    for first in (True, False):
        cygrad.manual_seed(1)
        layer = nn.MultiheadAttention(8, 2, batch_first=first)
        y = layer(*[x if first else x.transpose(0, 1)] * 3, need_weights=False)[0]
        results.append(nn.functional.dropout(y if first else y.transpose(0, 1), 0.5))
    assert results[0].stride() == (8, 16, 1)
    assert results[0].equal(results[1])


def test_only_the_bias_of_a_convolution_of_volumes_learns():
    bias = cygrad.zeros(2, requires_grad=True)
    F.conv3d(cygrad.rand(1, 1, 4, 4, 4), cygrad.rand(2, 1, 3, 3, 3), bias, stride=2, padding=1).sum().backward()
    assert bias.grad.tolist() == [8, 8]


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_circular_padding_wants_one_or_two_axes_more_than_it_pads(axes):
    layer = getattr(nn, f"CircularPad{axes}d")(1)
    for rank in range(6):
        x = cygrad.zeros((2,) * rank)
        if rank in (axes + 1, axes + 2):
            assert layer(x).shape == (2,) * (rank - axes) + (4,) * axes
        else:
            with pytest.raises(ValueError, match=rf"expected {axes + 1}D or {axes + 2}D input \(got {rank}D input\)"):
                layer(x)


IMAGES, STATES = cygrad.ones(2, 4, 8, 8), cygrad.ones(2, 4)


@pytest.mark.parametrize("layer, operands", [
    *((getattr(nn, f"{kind}{axes}d")(*options), [cygrad.ones(2, 4, *[8] * axes)])
      for axes in (1, 2, 3)
      for kind, options in (("MaxPool", (2,)), ("AvgPool", (2,)), ("LPPool", (2, 2)), ("AdaptiveMaxPool", (2,)),
                            ("AdaptiveAvgPool", (2,)), ("ReflectionPad", (1,)), ("ReplicationPad", (1,)))),
    (nn.MaxUnpool2d(2), [*F.max_pool2d(IMAGES, 2, return_indices=True)]),
    (nn.FractionalMaxPool2d(2, 3), [IMAGES]),
    (nn.RNNCell(4, 3), [STATES]), (nn.LSTMCell(4, 3), [STATES]), (nn.GRUCell(4, 3), [STATES]),
    (nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3]), [STATES, cygrad.tensor([1, 7])]),
], ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else "")
def test_forward_reads_only_what_an_instance_holds(layer, operands):
    """Programs call a class's `forward` with objects that have a layer's attributes, and other parameters."""
    other = types.SimpleNamespace(**{**vars(layer), **layer._parameters, **layer._modules})
    made = []
    for each in (layer, other):
        cygrad.manual_seed(0)
        made.append(type(layer).forward(each, *operands))
    first, second = (m[0] if isinstance(m, tuple) else m for m in made)
    assert first.equal(second)
