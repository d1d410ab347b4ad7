"""If this fails, an error inside a model does not say in which of its modules it happened."""
import traceback

import cygrad
import pytest
from cygrad import nn


def text_of(caught):
    return "".join(traceback.format_exception_only(caught.type, caught.value))


def test_the_module_is_named_by_its_path():
    m = nn.Sequential(nn.Linear(4, 3), nn.Sequential(nn.Identity(), nn.Linear(5, 2)))
    with pytest.raises(RuntimeError) as caught:
        m(cygrad.ones(2, 4))
    lines = text_of(caught).splitlines()
    assert lines[0] == "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 5x2)"
    assert lines[1:] == ["in 1.1 of Sequential: Linear(in_features=5, out_features=2, bias=True)",
                         "  came: float32 [2, 3]", "  wants: (..., 5)",
                         "  has: weight float32 [2, 5], bias float32 [2]"]


def test_a_call_of_a_part_names_it_from_there():
    m = nn.Sequential(nn.Sequential(nn.Identity(), nn.Linear(5, 2)))
    with pytest.raises(RuntimeError) as caught:
        m[0](cygrad.ones(2, 4))
    assert "in 1 of Sequential: Linear(" in text_of(caught)
    with pytest.raises(RuntimeError) as caught:
        m[0][1](cygrad.ones(2, 4))
    assert "in Linear: Linear(" in text_of(caught)


def test_modules_called_by_others_than_their_parents():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(3, 3)])

        def forward(self, x, note=None):
            for layer in self.layers:
                x = layer(x)
            return x
    with pytest.raises(RuntimeError) as caught:
        nn.Sequential(Net())(cygrad.ones(1, 2))
    assert "in 0.layers.1 of Sequential: Linear(in_features=3" in text_of(caught)


def test_an_error_of_the_users_own_keeps_its_type_and_words():
    class Wrong(ValueError):
        __slots__ = ()

    class Raises(nn.Module):
        def forward(self, x, flag=None):
            raise Wrong("mine") if flag else StopIteration
    with pytest.raises(Wrong) as caught:
        Raises()(cygrad.ones(1), flag=[1, 2])
    assert type(caught.value) is Wrong and text_of(caught).splitlines()[0].endswith("Wrong: mine")
    assert "came: float32 [1], flag=list of 2" in text_of(caught)
    with pytest.raises(StopIteration) as caught:
        Raises()(cygrad.ones(1))
    assert not getattr(caught.value, "__notes__", None)


def test_an_error_that_is_raised_again_elsewhere_has_one_note():
    m = nn.Sequential(nn.Linear(5, 2))
    with pytest.raises(RuntimeError) as caught:
        m(cygrad.ones(2, 4))
    assert text_of(caught).count("came:") == 1


def test_a_module_whose_description_ends_the_program():
    class Ends(nn.Linear):
        def __repr__(self):
            raise SystemExit

    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes"):
        Ends(4, 3)(cygrad.ones(2, 2))
