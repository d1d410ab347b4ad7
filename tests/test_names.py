"""If one of these fails, tensors don't have the names that docs/named_tensors.md says: given, aligned, copied."""

import copy
import doctest
import io
import pathlib
import pickle

import cygrad
import numpy as np
import pytest
from cygrad import zeros
from naming import named, raises

# ---------------------------------------------------------------------- names of a tensor

FACTORIES = {
    "zeros": lambda **k: cygrad.zeros(2, 3, **k), "ones": lambda **k: cygrad.ones((2, 3), **k),
    "empty": lambda **k: cygrad.empty(2, 3, **k), "full": lambda **k: cygrad.full((2, 3), 1.0, **k),
    "rand": lambda **k: cygrad.rand(2, 3, **k), "randn": lambda **k: cygrad.randn(2, 3, **k),
    "randint": lambda **k: cygrad.randint(9, (2, 3), **k), "eye": lambda **k: cygrad.eye(2, 3, **k),
    "tensor": lambda **k: cygrad.tensor([[1, 2, 3], [4, 5, 6]], **k),
    "empty_strided": lambda **k: cygrad.empty_strided((2, 3), (3, 1), **k),
}


@pytest.mark.parametrize("make", FACTORIES.values(), ids=FACTORIES)
def test_factories(make):
    assert make(names=("N", None)).names == ("N", None)
    assert make(names=["N", "C"]).names == ("N", "C")
    assert make(names=None).names == make().names == (None, None)
    assert not make(names=(None, None)).has_names()
    with raises("Number of names (1) and number of dimensions in tensor (2) do not match. Attempted to create a "
                "tensor with names ['N']"):
        make(names=("N",))
    with raises("Cannot construct a tensor with duplicate names. Got names: ['N', 'N']."):
        make(names=("N", "N"))
    with raises("Invalid name: a valid identifier contains only digits, alphabetical characters, and/or underscore "
                "and starts with a non-digit. got: '1'."):
        make(names=("1", "C"))
    with raises("names: expected a sequence...", TypeError):
        make(names="NC")


def test_vectors_take_names():
    for t in (cygrad.arange(3, names=("N",)), cygrad.linspace(0, 1, 3, names=("N",)), cygrad.randperm(3, names=("N",)),
              cygrad.logspace(0, 1, 3, names=("N",)), cygrad.tensor(np.ones(3), names=("N",))):
        assert t.names == ("N",)


def test_likes_keep_names():
    x = named(2, 3, names="NC")
    for like in (cygrad.zeros_like, cygrad.ones_like, cygrad.rand_like, cygrad.randn_like, cygrad.empty_like):
        assert like(x).names == ("N", "C")
    assert cygrad.full_like(x, 2).names == cygrad.randint_like(x, 9).names == ("N", "C")


@pytest.mark.filterwarnings("ignore:To copy construct")
def test_tensor_of_a_named_tensor():
    x = named(2, 3, names="NC")
    assert cygrad.tensor(x).names == ("N", "C")
    assert cygrad.as_tensor(x) is x


def test_names_are_set():
    x = zeros(2, 3)
    assert x.names == (None, None) and not x.has_names()
    x.names = ["N", "C"]
    assert x.names == ("N", "C") and x.has_names()
    x.names = None
    assert x.names == (None, None)
    with raises("Number of names (3) and..."):
        x.names = ("A", "B", "C")
    assert cygrad.tensor(1.0).names == ()


def test_rename():
    x = zeros(1, 1, 1, 1, names=("N", "C", "H", "W"))
    assert x.rename("A", "B", "D", "E").names == ("A", "B", "D", "E")
    assert x.rename(..., "width").names == x.rename("...", "width").names == ("N", "C", "H", "width")
    assert x.rename("batch", ..., "width").names == ("batch", "C", "H", "width")
    assert x.rename(N="batch", H="height").names == ("batch", "C", "height", "W")
    assert x.rename(None).names == (None,) * 4 and x.rename(C=None).names == ("N", None, "H", "W")
    assert x.names == ("N", "C", "H", "W")
    assert x.rename(None).data_ptr() == x.data_ptr()
    assert x.rename_("A", ...) is x and x.names == ("A", "C", "H", "W")
    with raises("rename: Tried to rename dim 'Q' to dim q in Tensor[('A', 'C', 'H', 'W')] but dim 'Q' does not exist"):
        x.rename(Q="q")
    with raises("rename_: This function takes either positional args or keyword args, but not both. Use "
                "tensor.rename_(*names) to name dims and tensor.rename_(**rename_map) to rename dims."):
        x.rename_(None, A="B")
    with raises("rename: More than one Ellipsis ('...') found in names ((Ellipsis, 'C', Ellipsis)). This function "
                "supports up to one Ellipsis."):
        x.rename(..., "C", ...)
    with raises("Cannot construct a tensor with duplicate names. Got names: ['N', 'N', 'H', 'W']."):
        x.rename("N", "N", "H", "W")


def test_refine_names():
    x = zeros(2, 3, 4)
    y = x.refine_names("N", None, "W")
    assert y.names == ("N", None, "W") and x.names == (None,) * 3
    assert y.refine_names("N", "H", "W").names == ("N", "H", "W")
    assert x.refine_names(..., "W").names == (None, None, "W")
    start = "refine_names: cannot coerce Tensor['N', None, 'W'] to Tensor"
    with raises(start + "['N', 'C', 'Q'] because 'W' is different from 'Q' at index 2"):
        y.refine_names("N", "C", "Q")
    with raises(start + "[None, None, 'W'] because 'N' is more specific than None at index 0"):
        y.refine_names(None, None, "W")
    with raises(start + "['N'] because they have a different number of dims (3 and 1 respectively)."):
        y.refine_names("N")


def test_repr():
    assert repr(zeros(1, 2, names=("N", "C"))) == "tensor([[0., 0.]], names=('N', 'C'))"
    assert repr(zeros(2, names=("N",), dtype=cygrad.int32)) == "tensor([0, 0], dtype=cygrad.int32, names=('N',))"
    w = zeros(2, names=("N",), requires_grad=True)
    assert repr(w) == "tensor([0., 0.], requires_grad=True, names=('N',))"
    assert repr(w * 1) == "tensor([0., 0.], grad_fn=<MulBackward0>, names=('N',))"
    assert repr(zeros(2, names=(None, ))) == "tensor([0., 0.])"
    assert repr(zeros(60, 60, names=("N", None))).endswith("names=('N', None))")


# --------------------------------------------------------------------- aligning by name

def test_align_to():
    x = named(2, 3, 4, names="NHW")
    y = x.align_to("W", "N", "C", "H")
    assert y.names == ("W", "N", "C", "H") and y.shape == (4, 2, 1, 3)
    assert y.rename(None)[1, 0, 0].tolist() == x.rename(None)[0, :, 1].tolist()
    assert x.align_to("W", ...).names == ("W", "N", "H")
    assert x.align_to(..., "N").names == ("H", "W", "N")
    assert x.align_to("Q", ..., "H").names == ("Q", "N", "W", "H")
    with raises("align_to: Cannot find dim 'H' from Tensor['N', 'H', 'W'] in desired alignment ['N', 'W']."):
        x.align_to("N", "W")
    with raises("align_to: All input dims must be named. Found unnamed dim at index 0 of Tensor[None, 'C']"):
        zeros(2, 3, names=(None, "C")).align_to("C", "N")
    with raises("align_to: the desired order of dimensions cannot contain a None name, got [None]"):
        x.align_to(None, ...)
    y[0] = -1                                           # a view
    assert x.rename(None)[..., 0].eq(-1).all()


def test_align_as():
    images, scale = cygrad.ones(2, 3, 4, 5, names=("N", "H", "W", "C")), named(5, names="C")
    product = images * scale.align_as(images)
    assert product.names == images.names and product.rename(None)[1, 2, 3].tolist() == [0, 1, 2, 3, 4]
    moved = images.align_to("N", "C", "H", "W")
    assert scale.align_as(moved).shape == (1, 5, 1, 1)


def test_align_tensors():
    a, b, c = zeros(2, 3, 4, names=("N", "H", "W")), zeros(3, names=("H",)), zeros(2, 4, names=("N", "W"))
    found = cygrad.align_tensors(a, b, c)
    assert [tuple(t.shape) for t in found] == [(2, 3, 4), (1, 3, 1), (2, 1, 4)]
    assert all(t.names == ("N", "H", "W") for t in found)
    with raises("Could not align Tensor['W', 'N'] to `names` ['N', 'H', 'W'] because ['W', 'N'] is not a subsequence "
                "of `names`."):
        cygrad.align_tensors(a, zeros(4, 2, names=("W", "N")))
    with raises("Aligning Tensor[None, 'W'] to `names` [None, 'H', 'W'] would change the absolute position from the "
                "right of an unnamed dimension. Please name unnamed dimensions to avoid ambiguity."):
        cygrad.align_tensors(zeros(2, 3, 4, names=(None, "H", "W")), zeros(2, 4, names=(None, "W")))


# --------------------------------------------------------------------- copies and files

def test_ops_are_copied_by_name():
    for function in (cygrad.exp, cygrad.absolute, cygrad.linalg.inv, cygrad.Tensor.view):
        assert pickle.loads(pickle.dumps(function)) is copy.deepcopy(function) is function


def test_copies_have_names():
    x = named(2, 3, names="NC").requires_grad_()
    (x * 2).sum().backward()
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.names == ("N", "C") and y.requires_grad and y.tolist() == x.tolist()
    assert copy.deepcopy(x).grad.names == ("N", "C")


def test_files_have_names():
    file = io.BytesIO()
    cygrad.save({"a": named(2, 3, names=("N", "C")), "b": zeros(2)}, file)
    file.seek(0)
    found = cygrad.load(file)
    assert found["a"].names == ("N", "C") and found["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert not found["b"].has_names()


def test_to_python_and_numpy():
    x = named(2, 3, names="NC")
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]] and x.numpy().shape == (2, 3) and np.asarray(x)[1, 2] == 5
    assert x[1, 2].item() == float(x[1, 2]) == 5 and len(x) == 2 and bool(x[0, 1])


def test_guide():
    """The examples of the documentation."""
    guide = pathlib.Path(__file__).resolve().parents[1] / "docs" / "named_tensors.md"
    assert doctest.testfile(str(guide), module_relative=False).attempted >= 9
    assert doctest.testfile(str(guide), module_relative=False).failed == 0
