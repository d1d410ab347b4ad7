"""If this fails, a call of a module runs something else than Python's own rules and PyTorch's say."""
import abc
import copy
import inspect
import pickle
import subprocess
import sys
import weakref

import cygrad
import pytest
from cygrad import nn


class Double(nn.Module):
    def forward(self, x, *more, shift=0, **named):
        return 2 * x + shift + sum(more) + sum(named.values())


@pytest.mark.parametrize("given", range(1, 14))
def test_arguments_arrive_in_any_number(given):
    numbers = range(1, given)
    assert Double()(1, *numbers) == 2 + sum(numbers)
    assert Double()(1, *numbers, shift=3) == 5 + sum(numbers)
    assert Double()(1, *numbers, shift=3, **{f"n{i}": i for i in numbers}) == 5 + 2 * sum(numbers)


def test_forward_is_looked_for_as_any_attribute(monkeypatch):
    module = Double()
    assert module(2) == 4
    module.forward = lambda x: x + 100
    assert module(2) == 102
    del module.forward
    monkeypatch.setattr(Double, "forward", lambda self, x: x - 1)
    assert module(2) == 1
    monkeypatch.setattr(Double, "forward", staticmethod(lambda x: x * 10))
    assert module(2) == 20
    monkeypatch.setattr(Double, "forward", property(lambda self: lambda x: x * 11))
    assert module(2) == 22


def test_a_class_may_find_its_attributes_itself():
    class Proxy(Double):
        def __getattribute__(self, name):
            return (lambda x: "found") if name == "forward" else super().__getattribute__(name)

    assert Proxy()(1) == "found"


def test_calls_can_be_overridden_on_every_level(monkeypatch):
    class Own(Double):
        def __call__(self, x):
            return "own", super().__call__(x)

    class Inner(Double):
        def _call_impl(self, *args, **kwargs):
            return "inner", super()._call_impl(*args, **kwargs)

    assert Own()(2) == ("own", 4) and Inner()(2) == ("inner", 4)
    plain = nn.Module.__call__
    monkeypatch.setattr(nn.Module, "__call__", lambda self, *args: ("patched", plain(self, *args)))
    assert Double()(2) == ("patched", 4)
    monkeypatch.undo()
    assert Double()(2) == 4
    monkeypatch.setattr(nn.Module, "_call_impl", lambda self, *args: "patched")
    assert Double()(2) == "patched" and nn.Identity()(2) == "patched"


def test_instances_are_those_of_plain_classes():
    class Mixin:
        pass

    class Abstract(abc.ABC):
        @abc.abstractmethod
        def size(self):
            pass

    class Sized(nn.Linear, Abstract):
        def size(self):
            return 3

    class Listed(list, Double):
        pass

    class Slotted(Double):
        __slots__ = ("place",)

    assert Sized(4, 3)(cygrad.ones(2, 4)).shape == (2, 3)
    with pytest.raises(TypeError):
        type("Still", (nn.Linear, Abstract), {})(4, 3)
    assert Listed()(2) == 4
    slotted = Slotted()
    slotted.place = 1
    assert slotted(3) == 6 and "place" not in slotted.__dict__
    module = object.__new__(nn.Linear)
    nn.Linear.__init__(module, 4, 3)
    assert weakref.ref(module)() is module and module(cygrad.ones(4)).shape == (3,)
    module.__class__ = type("Other", (Mixin, nn.Linear), {})
    assert module(cygrad.ones(4)).shape == (3,)
    assert nn.Module.__new__ is object.__new__


def test_copies_and_files():
    module = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    x = cygrad.ones(2, 4)
    for other in (copy.copy(module), copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert other(x).equal(module(x))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(module, protocol))(x).equal(module(x))


def test_signatures():
    assert str(inspect.signature(nn.Linear(4, 3))) == "(*args, **kwargs)"
    assert list(inspect.signature(nn.Linear).parameters)[:2] == ["in_features", "out_features"]
    assert list(inspect.signature(nn.Module.__call__).parameters) == ["self", "args", "kwargs"]


def test_errors_pass_with_their_note():
    class Broken(nn.Module):
        def forward(self, x):
            raise KeyError("no note for these")

    class Indescribable(nn.Module):
        def forward(self, x):
            raise ValueError("the first")

        def named_modules(self, *args, **kwargs):
            raise RuntimeError("the second")

    with pytest.raises(KeyError, match="no note for these"):
        Broken()(1)
    with pytest.raises(ValueError, match="the first"):
        nn.Sequential(Indescribable())(1)
    with pytest.raises(TypeError, match="forward"):
        nn.Linear(4, 3)()
    with pytest.raises(NotImplementedError, match='missing the required "forward" function'):
        nn.Module()(1)


def test_endless_recursion_is_an_error():
    class Endless(nn.Module):
        def forward(self, x):
            return self(x)

    with pytest.raises(RecursionError):
        Endless()(1)


def test_a_class_may_lose_its_forward_while_it_runs():
    class Vanishing(nn.Module):
        def forward(self, x):
            del type(self).forward
            return x

    assert Vanishing()(1) == 1


def test_layers_call_the_functions_of_nn_functional_by_name(monkeypatch):
    layers = {"linear": nn.Linear(4, 4), "conv1d": nn.Conv1d(4, 4, 1), "conv_transpose1d": nn.ConvTranspose1d(4, 4, 1),
              "max_pool1d": nn.MaxPool1d(2), "adaptive_avg_pool1d": nn.AdaptiveAvgPool1d(2), "relu": nn.ReLU()}
    for name, layer in layers.items():
        monkeypatch.setattr(nn.functional, name, lambda *args, name=name, **kwargs: name)
        assert layer(cygrad.ones(4, 4)) == name


def test_usual_layers_import_nothing_slow():
    code = ("import sys, cygrad; before = set(sys.modules); from cygrad import nn; nn.Linear, nn.Conv2d, nn.ReLU, "
            "nn.LSTM, nn.BatchNorm2d, nn.MaxPool2d, nn.CrossEntropyLoss; print(*sys.modules.keys() - before)")
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "inspect", "re", "enum", "dataclasses", "ast", "ctypes", "typing"} & set(loaded)
