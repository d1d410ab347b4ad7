"""If this fails, what `nn.utils` does to modules changes more, or less, than it says."""
import copy
from collections import OrderedDict

import cygrad
import pytest
from cygrad import nn
from cygrad.nn import utils
from cygrad.nn.utils import parametrizations, parametrize, prune, rnn, stateless


def test_clipping():
    p, q = (nn.Parameter(cygrad.zeros(1)) for _ in range(2))
    p.grad, q.grad = cygrad.tensor([3.0]), cygrad.tensor([-4.0])
    assert utils.clip_grad_norm_([p, q], 10).item() == 5 and p.grad.item() == 3
    utils.clip_grad_norm_([p, q], 1)
    assert p.grad.item() == pytest.approx(0.6, abs=1e-5) and q.grad.item() == pytest.approx(-0.8, abs=1e-5)
    utils.clip_grad_value_([p, q], 0.5)
    assert p.grad.item() == 0.5 and q.grad.item() == -0.5
    p.grad = cygrad.tensor([float("inf")])
    with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
        utils.clip_grad_norm_([p], 1, error_if_nonfinite=True)


def test_vectors_and_back():
    a, b = nn.Linear(2, 3), nn.Linear(2, 3)
    utils.vector_to_parameters(utils.parameters_to_vector(a.parameters()), b.parameters())
    assert cygrad.equal(a.weight, b.weight) and cygrad.equal(a.bias, b.bias) and b.weight.requires_grad


@pytest.mark.parametrize("batch_first", [False, True])
def test_packing_and_back(batch_first):
    sequences = [cygrad.arange(n * 2.0).view(n, 2) for n in (2, 4, 1)]
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [3, 2, 1, 1] and packed.data.shape == (7, 2)
    padded, lengths = rnn.pad_packed_sequence(packed, batch_first=batch_first, padding_value=-1)
    assert lengths.tolist() == [2, 4, 1] and padded.shape == ((3, 4, 2) if batch_first else (4, 3, 2))
    assert cygrad.equal(padded, rnn.pad_sequence(sequences, batch_first=batch_first, padding_value=-1))
    assert all(cygrad.equal(a, b) for a, b in zip(rnn.unpack_sequence(packed), sequences))


def test_gradients_go_through_packing():
    x = cygrad.ones(3, 2, requires_grad=True)
    rnn.pad_packed_sequence(rnn.pack_padded_sequence(x, [3, 1]))[0].sum().backward()
    assert x.grad.tolist() == [[1, 1], [1, 0], [1, 0]]


@pytest.mark.parametrize("kind", [utils.weight_norm, parametrizations.weight_norm], ids=["hook", "parametrization"])
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_weight_norm(kind):
    layer = nn.Linear(4, 3)
    before = layer.weight.detach().clone()
    kind(layer)
    assert cygrad.allclose(layer.weight, before) and len(list(layer.parameters())) == 3
    length = next(p for p in layer.parameters() if p.shape == (3, 1))
    with cygrad.no_grad():
        length.fill_(2)
    layer(cygrad.ones(1, 4))
    assert cygrad.allclose(layer.weight.norm(dim=1), cygrad.full((3,), 2.0))


@pytest.mark.parametrize("kind", [utils.spectral_norm, parametrizations.spectral_norm], ids=["hook", "parametrization"])
def test_spectral_norm(kind):
    layer = kind(nn.Linear(6, 4), n_power_iterations=50)
    layer(cygrad.ones(1, 6))
    assert cygrad.linalg.matrix_norm(layer.weight, 2).item() == pytest.approx(1, abs=1e-3)


def test_orthogonal():
    for rows, columns in [(4, 4), (6, 3), (3, 6)]:
        for kind in ("matrix_exp", "cayley", "householder"):
            layer = parametrizations.orthogonal(nn.Linear(columns, rows).double(), orthogonal_map=kind)
            for change in (0.0, 0.3):
                with cygrad.no_grad():      # where gradients go: the rest is not used, or a sign
                    original = layer.parametrizations.weight.original
                    (original if rows >= columns else original.mT).add_(cygrad.ones(6, 6).tril(-1)[
                        :max(rows, columns), :min(rows, columns)], alpha=change)
                w = layer.weight if rows >= columns else layer.weight.mT
                assert cygrad.allclose(w.mT @ w, cygrad.eye(w.size(1), dtype=w.dtype)), (rows, columns, kind, change)


def test_a_parametrization_and_its_removal():
    class Exp(nn.Module):
        def forward(self, x):
            return x.exp()

        def right_inverse(self, x):
            return x.log()
    layer = nn.Linear(2, 2)
    layer.weight.data.fill_(3.0)
    parametrize.register_parametrization(layer, "weight", Exp())
    assert cygrad.allclose(layer.weight, cygrad.full((2, 2), 3.0)) and "weight" not in layer._parameters
    layer.weight = cygrad.full((2, 2), 5.0)
    assert layer.parametrizations.weight.original[0, 0].item() == pytest.approx(cygrad.tensor(5.0).log().item())
    copied = copy.deepcopy(layer)
    layer.weight = cygrad.ones(2, 2)
    assert cygrad.allclose(copied.weight, cygrad.full((2, 2), 5.0))
    parametrize.remove_parametrizations(copied, "weight")
    assert type(copied) is nn.Linear and type(copied.weight) is nn.Parameter
    assert list(copied.state_dict()) == ["bias", "weight"]


def test_pruning():
    layer = nn.Linear(10, 4)
    prune.l1_unstructured(layer, "weight", amount=0.5)
    kept = layer.weight_orig.detach().abs()
    assert (layer.weight == 0).sum() == 20 and kept[layer.weight_mask == 1].min() >= kept[layer.weight_mask == 0].max()
    prune.random_structured(layer, "weight", amount=1, dim=0)
    assert (layer.weight == 0).all(1).sum() == 1
    layer(cygrad.ones(1, 10)).sum().backward()
    assert (layer.weight_orig.grad[layer.weight_mask == 0] == 0).all()
    prune.remove(layer, "weight")
    assert not prune.is_pruned(layer) and (layer.weight == 0).sum() >= 20 and len(list(layer.parameters())) == 2


def test_fusion():
    conv, norm, x = nn.Conv2d(3, 5, 3), nn.BatchNorm2d(5), cygrad.randn(2, 3, 6, 6)
    norm(conv(x)), conv.eval(), norm.eval()
    assert cygrad.allclose(utils.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)), atol=1e-5)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_other_parameters_for_one_call():
    model = nn.Sequential(nn.Linear(2, 1), nn.Identity())
    before = model[0].weight
    w = cygrad.ones(1, 2, requires_grad=True)
    out = stateless.functional_call(model, {"0.weight": w, "0.bias": cygrad.zeros(1)}, cygrad.ones(3, 2))
    assert out.tolist() == [[2], [2], [2]] and model[0].weight is before
    out.sum().backward()
    assert w.grad.tolist() == [[3, 3]] and before.grad is None


def test_skip_init_draws_nothing():
    state = cygrad.get_rng_state()
    layer = utils.skip_init(nn.Linear, 3, 4)
    assert layer.weight.shape == (4, 3) and cygrad.equal(cygrad.get_rng_state(), state)


def test_the_prefix_of_a_wrapper_is_taken_off():
    state = nn.Sequential(OrderedDict(module=nn.Linear(1, 1))).state_dict()
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    nn.Linear(1, 1).load_state_dict(state)
    assert list(state) == ["weight", "bias"] and list(state._metadata) == [""]


def test_gradients_of_convolutions_agree_with_autograd():
    cygrad.manual_seed(0)
    for axes in (1, 2, 3):
        x = cygrad.randn(2, 4, *[5] * axes, dtype=cygrad.float64, requires_grad=True)
        w = cygrad.randn(6, 2, *[2] * axes, dtype=cygrad.float64, requires_grad=True)
        out = getattr(nn.functional, f"conv{axes}d")(x, w, None, 2, 1, 1, 2)
        given = cygrad.randn_like(out)
        by_x, by_w = cygrad.autograd.grad(out, (x, w), given)
        with cygrad.no_grad():
            assert cygrad.equal(getattr(nn.grad, f"conv{axes}d_input")(x.shape, w, given, 2, 1, 1, 2), by_x)
            assert cygrad.equal(getattr(nn.grad, f"conv{axes}d_weight")(x, w.shape, given, 2, 1, 1, 2), by_w)
    again = nn.grad.conv1d_input((1, 1, 3), w[0, :1, 0, 0][None], cygrad.ones(1, 1, 2, dtype=w.dtype))
    assert cygrad.autograd.grad(again.sum(), w)[0].sum() == 4


def test_memory_of_weights():
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Linear(2, 2))
    kept = model[0].weight.detach().clone()
    assert utils.convert_conv2d_weight_memory_format(model, cygrad.channels_last) is model
    assert model[0].weight.is_contiguous(memory_format=cygrad.channels_last) and cygrad.equal(model[0].weight, kept)


def test_first_channel_is_nearby_to_all():
    x = cygrad.tensor([2.0, 1.0, 1.0, 3.0]).reshape(1, 4, 1, 1)
    found = nn.CrossMapLRN2d(1, alpha=1.0, beta=1.0, k=0.0)(x).flatten()
    assert cygrad.allclose(found, cygrad.tensor([2 / 4, 1 / 5, 1 / 5, 3 / 13]))
    assert cygrad.autograd.gradcheck(nn.CrossMapLRN2d(3, alpha=0.5), x.double().requires_grad_())     # PyTorch's is not
    with pytest.raises(ValueError, match="Expected input to be 4D, got 3D"):
        nn.CrossMapLRN2d(1)(x[0])
