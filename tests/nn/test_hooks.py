"""If this fails, hooks of modules are not called, called when they should not be, or see wrong gradients."""
from collections import OrderedDict

import cygrad
import cygrad.nn.modules.module      # before hooks, which it takes its parts from
import pytest
from cygrad import nn
from cygrad.nn.modules import hooks, module
from cygrad.nn.utils import prune


@pytest.fixture(autouse=True, params=[False, True], ids=["first hook of the process", "hooks were there before"])
def watched(request):
    """Whether calls look for hooks already: without any they must not, and must start to."""
    before = dict(hooks.watched)
    hooks.watched.clear()
    if request.param:
        hooks.watched["some module"] = True
    yield
    hooks.watched.update(before)


def test_no_hooks_no_look():
    m = nn.Linear(2, 2)
    m(cygrad.ones(1, 2))
    assert not [name for name in m.__dict__ if "hooks" in name]


def test_forward_hooks():
    m, seen = nn.Linear(2, 1), []
    handle = m.register_forward_hook(lambda module, args, output: seen.append(output.shape))
    m.register_forward_hook(lambda module, args, output: output * 0)
    m.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
    assert m(cygrad.ones(3, 2)).abs().sum().item() == 0 and seen == [(3, 1)]
    handle.remove()
    m(cygrad.ones(3, 2))
    assert len(seen) == 1


def test_hooks_with_keywords():
    class Power(nn.Module):
        def forward(self, x, exponent=1):
            return x**exponent
    m = Power()
    m.register_forward_pre_hook(lambda module, args, kwargs: (args, {"exponent": 3}), with_kwargs=True)
    assert m(cygrad.tensor(2.0), exponent=2).item() == 8


def test_always_called():
    class Fails(nn.Module):
        def forward(self, x):
            raise ValueError("no")
    m, seen = Fails(), []
    m.register_forward_hook(lambda module, args, output: seen.append(output), always_call=True)
    with pytest.raises(ValueError, match="no"):
        m(1)
    assert seen == [None]


def test_backward_hooks_see_and_change_gradients():
    m, seen = nn.Linear(2, 1, bias=False), []
    m.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 10,))
    m.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append((grad_input, grad_output)))
    x = cygrad.ones(1, 2, requires_grad=True)
    m(x).backward()
    (grad_input,), (grad_output,) = seen[0]
    assert grad_output.tolist() == [[10]] and cygrad.equal(grad_input, 10 * m.weight)
    assert cygrad.equal(x.grad, grad_input)
    assert m.weight.grad.tolist() == [[10, 10]]


def test_hooks_for_all_modules():
    m, seen = nn.Sequential(nn.Identity(), nn.Linear(1, 1)), []
    with module.register_module_forward_hook(lambda module, args, output: seen.append(type(module).__name__)):
        m(cygrad.ones(1))
    m(cygrad.ones(1))
    assert seen == ["Identity", "Linear", "Sequential"]


def test_hooks_written_into_the_dict():
    m, seen = nn.Identity(), []
    m._forward_hooks["mine"] = lambda module, args, output: seen.append(output)
    m(3)
    assert seen == [3]
    m._forward_hooks.clear()
    m(3)
    assert seen == [3]


def test_registration_hooks():
    with module.register_module_parameter_registration_hook(lambda m, name, p: nn.Parameter(p.detach() * 0)):
        m = nn.Module()
        m.w = nn.Parameter(cygrad.ones(2))
    assert m.w.tolist() == [0, 0]


def test_hooks_of_a_module_from_a_file(tmp_path):
    layer = prune.identity(nn.Linear(2, 2), "weight")
    cygrad.save(layer, tmp_path / "layer")
    hooks.watched.clear()
    read = cygrad.load(tmp_path / "layer", weights_only=False)
    assert type(read._forward_pre_hooks) is OrderedDict and len(read._forward_pre_hooks) == 1
    read.weight_mask.zero_()
    assert read(cygrad.ones(2)).tolist() == read.bias.tolist()         # the hook masks the weights


def test_hooks_are_shown_as_pytorch_shows_them():
    layer = nn.Linear(2, 2)
    handle = layer.register_forward_pre_hook(lambda module, args, kwargs: None, with_kwargs=True)
    assert repr(layer._forward_pre_hooks_with_kwargs) == repr(OrderedDict({handle.id: True}))
    handle.remove()
    assert repr(layer._forward_pre_hooks_with_kwargs) == "OrderedDict()"
