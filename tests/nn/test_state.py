"""If this fails, a model's state is lost or mixed up when it is saved, loaded, copied or converted."""
import copy
import io
import pickle
import weakref

import cygrad
import pytest
from cygrad import nn


def model():
    return nn.Sequential(nn.Linear(2, 3), nn.Identity(), nn.Linear(3, 1, bias=False))


def same(a, b):
    a, b = a.state_dict(), b.state_dict()
    return list(a) == list(b) and all(cygrad.equal(a[key], b[key]) for key in a)


def test_through_a_file():
    a, b = model(), model()
    file = io.BytesIO()
    cygrad.save(a.state_dict(), file)
    file.seek(0)
    state = cygrad.load(file)
    assert state._metadata == {"": {"version": 1}, "0": {"version": 1}, "1": {"version": 1}, "2": {"version": 1}}
    assert not same(a, b)
    assert repr(b.load_state_dict(state)) == "<All keys matched successfully>"
    assert same(a, b) and b[0].weight.requires_grad and b[0].weight.data_ptr() != a[0].weight.data_ptr()


def test_parameters_stay_parameters_in_files():
    file = io.BytesIO()
    cygrad.save({"w": nn.Parameter(cygrad.ones(2)), "fixed": nn.Parameter(cygrad.zeros(1), False)}, file)
    file.seek(0)
    found = cygrad.load(file)
    assert type(found["w"]) is type(found["fixed"]) is nn.Parameter
    assert found["w"].requires_grad and not found["fixed"].requires_grad and found["w"].tolist() == [1, 1]


def test_the_state_shares_memory_and_is_detached():
    m = model()
    state = m.state_dict()
    assert type(state["0.weight"]) is cygrad.Tensor and not state["0.weight"].requires_grad
    state["0.weight"].zero_()
    assert m[0].weight.abs().sum().item() == 0
    assert m.state_dict(keep_vars=True)["0.weight"] is m[0].weight


def test_another_models_state():
    with pytest.raises(RuntimeError) as caught:
        model().load_state_dict(nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1)).state_dict())
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Sequential:\n"
        '\tMissing key(s) in state_dict: "2.weight". \n'
        '\tUnexpected key(s) in state_dict: "1.weight", "1.bias". \n'
        "\tsize mismatch for 0.weight: copying a param with shape cygrad.Size([4, 2]) from checkpoint, the shape in "
        "current model is cygrad.Size([3, 2]).\n"
        "\tsize mismatch for 0.bias: copying a param with shape cygrad.Size([4]) from checkpoint, the shape in current "
        "model is cygrad.Size([3]).")


def test_not_strict():
    m = nn.Linear(2, 2)
    found = m.load_state_dict({"weight": cygrad.ones(2, 2), "more": 1}, strict=False)
    assert found.missing_keys == ["bias"] and found.unexpected_keys == ["more"]
    assert m.weight.tolist() == [[1, 1], [1, 1]]


def test_assign():
    m, new = nn.Linear(2, 1), {"weight": cygrad.ones(1, 2, dtype=cygrad.float64), "bias": cygrad.zeros(1)}
    m.bias.requires_grad_(False)
    m.load_state_dict(new, assign=True)
    assert m.weight.dtype is cygrad.float64 and m.weight.data_ptr() == new["weight"].data_ptr()
    assert m.weight.requires_grad and not m.bias.requires_grad and type(m.weight) is nn.Parameter


def test_extra_state():
    class Counter(nn.Module):
        count = 0

        def get_extra_state(self):
            return self.count

        def set_extra_state(self, state):
            self.count = state
    a, b = nn.Sequential(Counter()), nn.Sequential(Counter())
    a[0].count = 7
    b.load_state_dict(a.state_dict())
    assert b[0].count == 7


def test_hook_that_renames_old_keys():
    m = model()
    m[0].register_load_state_dict_pre_hook(
        lambda module, state, prefix, *rest: state.update({prefix + "weight": state.pop(prefix + "kernel")}))
    state = m.state_dict()
    state["0.kernel"] = cygrad.ones_like(state.pop("0.weight"))
    m.load_state_dict(state)
    assert m[0].weight.tolist() == [[1, 1]] * 3


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"])
def test_copies(copied):
    m = model().eval()
    m.tied = m[0].weight
    c = copied(m)
    assert same(m, c) and c.tied is c[0].weight and c.tied is not m.tied and not c[2].training
    c[0].weight = nn.Parameter(cygrad.zeros(3, 2))
    assert not same(m, c) and c[0].weight.sum().item() == 0
    assert c(cygrad.ones(1, 2)).shape == (1, 1)


def test_copying_the_object_alone_shares_everything():
    m = nn.Linear(2, 2)
    c = copy.copy(m)
    c.weight = nn.Parameter(cygrad.zeros(1))
    assert m.weight is c.weight


def test_conversion_keeps_the_objects():
    m = model()
    m.register_buffer("count", cygrad.tensor(3))
    weight = m[0].weight
    assert m.double() is m and m[0].weight is weight and weight.dtype is cygrad.float64
    assert m.count.dtype is cygrad.int64
    assert m.to(cygrad.float16)[2].weight.dtype is cygrad.float16
    assert m.to("cpu", cygrad.float32)[2].weight.dtype is cygrad.float32
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes, but got desired dtype="):
        m.to(cygrad.int32)


def test_moving_to_a_device(device):
    m = nn.Linear(2, 2)
    m(cygrad.ones(1, 2)).sum().backward()
    want = m.weight.grad.tolist()
    m.to(device)
    assert m.weight.device == m.bias.grad.device == cygrad.zeros(1, device=device).device
    assert m.weight.grad.tolist() == want
    assert m(cygrad.ones(1, 2, device=device)).device == m.weight.device


def test_gradients():
    m = model()
    m(cygrad.ones(1, 2)).sum().backward()
    m.zero_grad(set_to_none=False)
    assert all(p.grad.abs().sum().item() == 0 for p in m.parameters())
    m.zero_grad()
    assert all(p.grad is None for p in m.parameters())
    m.requires_grad_(False)
    assert not m(cygrad.ones(1, 2)).requires_grad


def test_lazy_linear():
    m = nn.Sequential(nn.LazyLinear(3), nn.LazyLinear(1))
    assert repr(m[0].weight) == "<UninitializedParameter>"
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        m[0].weight.shape
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
        m[0].weight + 1
    assert m(cygrad.ones(2, 5)).shape == (2, 1)
    assert type(m[0]) is nn.Linear and m[0].in_features == 5 and type(m[1].weight) is nn.Parameter
    loaded = nn.LazyLinear(3)
    loaded.load_state_dict(m[0].state_dict())
    assert cygrad.equal(loaded.weight, m[0].weight)


@pytest.fixture
def swapping():
    cygrad.__future__.set_swap_module_params_on_conversion(True)
    yield
    cygrad.__future__.set_swap_module_params_on_conversion(False)


def test_parameters_are_exchanged(swapping):
    layer, other = nn.Linear(2, 2), nn.Linear(2, 2)
    weight = layer.weight
    layer(cygrad.ones(2)).sum().backward()
    layer.double()
    assert layer.weight is weight and weight.dtype is weight.grad.dtype is cygrad.float64
    layer.load_state_dict(other.state_dict())
    assert layer.weight is weight and weight.requires_grad and (weight == other.weight).all()
    layer.load_state_dict(other.state_dict(), assign=True)
    assert layer.weight is weight and weight.dtype is cygrad.float32


def test_what_is_held_by_others_is_not_exchanged(swapping):
    layer = nn.Linear(2, 2)
    held = weakref.ref(layer.weight)
    with pytest.raises(RuntimeError, match="Couldn't swap Linear.weight"):
        layer.double()
    assert held() is layer.weight and layer.weight.dtype is cygrad.float32


def test_parameters_are_replaced():
    layer = nn.Linear(2, 2)
    weight = layer.weight
    cygrad.__future__.set_overwrite_module_params_on_conversion(True)
    try:
        layer.double()
    finally:
        cygrad.__future__.set_overwrite_module_params_on_conversion(False)
    assert layer.weight is not weight and weight.dtype is cygrad.float32


def test_everything_of_a_tensor_is_exchanged():
    a, b = nn.Parameter(cygrad.ones(2)), nn.Parameter(cygrad.zeros(3), requires_grad=False)
    a.grad, b.word = cygrad.ones(2), "b"
    cygrad.utils.swap_tensors(a, b)
    assert a.tolist() == [0, 0, 0] and not a.requires_grad and a.grad is None and a.word == "b"
    assert b.tolist() == [1, 1] and b.requires_grad and b.grad.tolist() == [1, 1] and not hasattr(b, "word")


def test_a_large_module_on_meta_takes_no_memory():
    layer = nn.Linear(1 << 22, 1 << 22, device="meta")         # 64 TiB
    assert nn.init.uniform_(layer.weight).shape == cygrad.rand(1 << 22, 1 << 22, device="meta").shape


def test_values_for_meta_are_dropped_with_a_warning():
    layer = nn.Linear(2, 2, device="meta")
    with pytest.warns(UserWarning, match="for weight: copying from a non-meta parameter in the checkpoint to a meta"):
        layer.load_state_dict(nn.Linear(2, 2).state_dict())
