"""If this fails, what is set on a module is not registered, or is found as something else than was registered."""
import gc
import pickle
import weakref

import cygrad
import pytest
from cygrad import nn


class Scale(nn.Module):
    def __init__(self, size=2):
        super().__init__()
        self.factor = nn.Parameter(cygrad.ones(size))
        self.register_buffer("calls", cygrad.zeros(()))
        self.inner = nn.Linear(size, size)
        self.note = "plain"

    def forward(self, x):
        self.calls += 1
        return self.inner(x) * self.factor


def test_members_are_registered():
    m = Scale()
    assert [name for name, _ in m.named_parameters()] == ["factor", "inner.weight", "inner.bias"]
    assert [name for name, _ in m.named_buffers()] == ["calls"]
    assert [name for name, _ in m.named_modules()] == ["", "inner"]
    assert list(m.state_dict()) == ["factor", "calls", "inner.weight", "inner.bias"]
    assert m(cygrad.ones(3, 2)).shape == (3, 2) and m.calls.item() == 1


def test_a_new_parameter_takes_the_old_ones_place():
    m = Scale()
    old, new = m.factor, nn.Parameter(cygrad.zeros(5))
    m.factor = new
    assert m.factor is new is m._parameters["factor"] is dict(m.named_parameters())["factor"] is not old
    m.factor = None
    assert m.factor is None and "factor" not in dict(m.named_parameters())


def test_writing_to_the_dicts_shows_at_once():
    m = Scale()
    p = nn.Parameter(cygrad.zeros(1))
    m._parameters["factor"] = p
    assert m.factor is p
    del m._parameters["factor"]
    assert not hasattr(m, "factor")
    m._modules = {"other": nn.Identity()}
    assert not hasattr(m, "inner") and isinstance(m.other, nn.Identity)
    m._buffers.clear()
    assert not hasattr(m, "calls")


def test_members_are_in_no_state_twice():
    m = Scale()
    assert set(m.__getstate__()) == {"training", "_parameters", "_buffers", "_modules", "_non_persistent_buffers_set",
                                     "note"}


def test_a_module_is_freed_with_its_last_reference():
    m = Scale()
    gone = [weakref.ref(each) for each in (m, m.inner, m.factor)]
    gc.disable()
    try:
        del m
        assert [each() for each in gone] == [None] * 3
    finally:
        gc.enable()


@pytest.mark.parametrize("value, words", [
    (cygrad.ones(1),
     r"cannot assign 'cygrad.FloatTensor' as parameter 'factor' \(torch.nn.Parameter or None expected\)"),
    (3, r"cannot assign 'int' as parameter 'factor' \(torch.nn.Parameter or None expected\)"),
])
def test_wrong_value(value, words):
    with pytest.raises(TypeError, match=words):
        Scale().factor = value


def test_missing_attribute():
    with pytest.raises(AttributeError, match="'Scale' object has no attribute 'nothing'"):
        Scale().nothing


def test_forgotten_init():
    class Forgot(nn.Module):
        def __init__(self):
            self.w = nn.Parameter(cygrad.ones(1))
    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__\(\) call"):
        Forgot()


def test_a_class_of_ones_own_that_finds_attributes():
    class Lookup(nn.Module):
        def __getattr__(self, name):
            found = super().__getattr__(name)
            return found * 2 if name == "weight" else found
    m = Lookup()
    m.weight = nn.Parameter(cygrad.ones(1))
    assert m.weight.item() == 2 and m._parameters["weight"].item() == 1


def test_buffers_that_are_not_saved():
    m = nn.Module()
    m.register_buffer("kept", cygrad.ones(1))
    m.register_buffer("scratch", cygrad.ones(1), persistent=False)
    m.also = nn.Buffer(cygrad.ones(1), persistent=False)
    assert list(m.state_dict()) == ["kept"] and [name for name, _ in m.named_buffers()] == ["kept", "scratch", "also"]


def test_compile_changes_nothing():
    layer = nn.Linear(1, 1)
    with pytest.warns(UserWarning, match="has no compiler"):
        assert cygrad.compile(layer) is layer
    with pytest.warns(UserWarning, match="has no compiler"):
        assert layer.compile() is None
    assert cygrad.compile(disable=True)(len) is len


def test_methods_are_module_s_own_where_they_are_printed_and_pickled():
    layer, own = cygrad.nn.ReLU(), cygrad.nn.Module
    assert str(layer.parameters) == "<bound method Module.parameters of ReLU()>"
    assert str(layer.state_dict) == "<bound method Module.state_dict of ReLU()>"
    assert pickle.loads(pickle.dumps(own.register_forward_hook)) is own.register_forward_hook
    assert cygrad.optim.Optimizer.register_step_pre_hook.__qualname__ == "Optimizer.register_step_pre_hook"
