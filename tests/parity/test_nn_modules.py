"""If this fails, a layer computes, differentiates, shows or names its state otherwise than PyTorch's.

PyTorch's own samples of its modules (`module_db`) run through both: made with the same arguments from the same seed,
which has to give the same parameters bit for bit, then with the same weights called on the same inputs in float64.
"""
import warnings

import cygrad
import numpy as np
import pytest
import torch
from torch.testing._internal.common_modules import module_db

FLOATS = {torch.float64: cygrad.float64, torch.float32: cygrad.float32}
NOT_HERE = {"LinearCrossEntropyLoss"}       # needs the options of a function that only PyTorch has


def names():
    return sorted({info.name.partition(".")[2] for info in module_db} - NOT_HERE)


def info_of(name):
    return next(info for info in module_db if info.name == f"nn.{name}")


def copied(value):
    """An argument of PyTorch's with leaves in the place of tensors."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, (tuple, list)):
        return type(value)(copied(each) for each in value)
    return {key: copied(each) for key, each in value.items()} if isinstance(value, dict) else value


def translated(value):
    """The same as an argument of ours."""
    if isinstance(value, torch.Tensor):
        made = cygrad.from_numpy(value.detach().numpy().copy())
        return made.requires_grad_(value.requires_grad)
    if isinstance(value, torch.dtype):
        return getattr(cygrad, str(value).partition(".")[2])
    if isinstance(value, torch.nn.TransformerEncoderLayer):
        return translated_layer(value)
    if isinstance(value, torch.nn.Module):
        return getattr(cygrad.nn, type(value).__name__)()
    if isinstance(value, (tuple, list)):
        return type(value)(translated(each) for each in value)
    if isinstance(value, dict):
        return {key: translated(each) for key, each in value.items()}
    return TORCH_FUNCTIONS.get(value, value) if callable(value) else value


def translated_layer(layer):
    """The same layer of a transformer, with the same weights."""
    attention = layer.self_attn
    made = cygrad.nn.TransformerEncoderLayer(
        attention.embed_dim, attention.num_heads, layer.linear1.out_features, layer.dropout.p,
        translated(layer.activation), layer.norm1.eps, attention.batch_first, layer.norm_first,
        attention.in_proj_bias is not None, dtype=translated(layer.linear1.weight.dtype))
    made.load_state_dict({key: translated(t) for key, t in layer.state_dict().items()})
    return made


TORCH_FUNCTIONS = {torch.nn.functional.relu: cygrad.nn.functional.relu,
                   torch.nn.functional.gelu: cygrad.nn.functional.gelu}


def samples(name, training):
    info = info_of(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return info.module_inputs_func(info, device="cpu", dtype=torch.float64, requires_grad=True, training=training)


def made(module, cls, sample, translate):
    args, kwargs = translate(sample.constructor_input.args), translate(sample.constructor_input.kwargs)
    module.manual_seed(5)
    return getattr(module.nn, cls)(*args, **kwargs)


def tensors(value):
    if hasattr(value, "requires_grad"):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    return [each for part in value for each in tensors(part)] if isinstance(value, (tuple, list)) or hasattr(
        value, "__iter__") and not isinstance(value, str) else []


def close(want, got, rtol=1e-7, atol=1e-9):
    want, got = want.detach().numpy(), got.detach().numpy()
    assert want.dtype == got.dtype and want.shape == got.shape
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, equal_nan=True)


def run(module, layer, sample, translate):
    """(outputs, their gradients by all inputs and parameters)."""
    args, kwargs = translate(sample.forward_input.args), translate(sample.forward_input.kwargs)
    leaves = [each for each in tensors([args, kwargs]) if each.is_leaf and each.requires_grad]
    module.manual_seed(7)
    outputs = [each for each in tensors([layer(*args, **kwargs)]) if each.is_floating_point()]
    leaves += [each for each in layer.parameters() if each.requires_grad]
    for each in leaves:
        each.grad = None
    total = None
    for place, each in enumerate(outputs):
        if each.requires_grad:
            weights = module.linspace(0.5, 1.5 + place, each.numel(), dtype=module.float64).reshape(each.shape)
            part = (each * weights.to(each.dtype)).sum()
            total = part if total is None else total + part
    if total is not None:
        total.backward()
    return outputs, [each.grad for each in leaves]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("name", names())
def test_samples(name, training):
    for sample in samples(name, training):
        want, got = made(torch, name, sample, copied), made(cygrad, name, sample, translated)
        want.train(training).double(), got.train(training).double()
        assert repr(got) == repr(want).replace("torch.", "cygrad.")
        same_start(want, got)
        a, b = run(torch, want, sample, copied), run(cygrad, got, sample, translated)
        assert len(a[0]) == len(b[0]) and len(a[1]) == len(b[1])
        for x, y in zip(a[0] + a[1], b[0] + b[1]):
            assert (x is None) == (y is None)
            if x is not None:
                close(x, y)
        assert repr(got) == repr(want).replace("torch.", "cygrad.") and type(got).__name__ == type(want).__name__
        state, ours = want.state_dict(), got.state_dict()
        assert list(state) == list(ours) and state._metadata == ours._metadata
        for key in state:
            close(state[key], ours[key])


def same_start(want, got):
    """Seeded alike, both start from the same bits."""
    state, ours = want.state_dict(), got.state_dict()
    assert list(state) == list(ours)
    for key in state:
        if torch.nn.parameter.is_lazy(state[key]):
            assert cygrad.nn.parameter.is_lazy(ours[key])
        else:
            assert np.array_equal(state[key].numpy(), ours[key].numpy(), equal_nan=True), key
