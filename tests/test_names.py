"""If one of these fails, named tensors are not what docs/named_tensors.md says: names, errors and gradients by hand."""

import copy
import doctest
import io
import pathlib
import pickle
from collections import OrderedDict

import cygrad
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cygrad import zeros


def named(*shape, names, **kwargs):
    """A tensor of increasing numbers with these names (one letter each)."""
    count = int(np.prod(shape))
    return cygrad.arange(float(count), **kwargs).reshape(shape).refine_names(*names)


def raises(message, error=RuntimeError):
    """The whole text of the error, or as much of it as ends in ``...``."""
    class Check:
        def __enter__(self):
            return self

        def __exit__(self, kind, value, traceback):
            assert kind is not None and issubclass(kind, error), f"no {error.__name__}, but {value!r}"
            text = str(value)
            assert text.startswith(message[:-3]) if message.endswith("...") else text == message, text
            return True
    return Check()


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


# ------------------------------------------------------------------- two operands, by names

def test_operands_are_lined_up_from_the_right():
    x = zeros(3, 3, names=("N", None))
    assert (x + zeros(3, 3, names=(None, "C"))).names == ("N", "C")
    assert (zeros(2, 3, names=("N", "C")) * zeros(3, names=("C",))).names == ("N", "C")
    assert (zeros(3) - zeros(2, 3, names=("N", "C"))).names == ("N", "C")
    assert (zeros(4, 1, 3) + zeros(2, 3, names=("N", "C"))).names == (None, "N", "C")
    assert (2 / x).names == (x > 1).names == (x ** 2).names == (-x).names == abs(x).names == ("N", None)
    with raises("Error when attempting to broadcast dims ['N', 'C'] and dims ['N']: dim 'C' and dim 'N' are at the "
                "same position from the right but do not match."):
        zeros(3, 3, names=("N", "C")) + zeros(3, names=("N",))
    with raises("Misaligned dims when attempting to broadcast dims ['N'] and dims ['N', None]: dim 'N' appears in a "
                "different position from the right across both lists."):
        zeros(3, names=("N",)) + x


def test_names_of_ops_of_three():
    a, b = zeros(2, 3, names=("N", None)), zeros(2, 3, names=(None, "C"))
    assert cygrad.lerp(a, b, 0.5).names == cygrad.addcmul(a, a, b).names == ("N", "C")
    assert cygrad.where(a > 0, b, 1.0).names == a.clamp(min=b).names == ("N", "C")
    assert a.masked_fill(b > 0, 1.0).names == ("N", "C")
    assert a.masked_select(b >= 0).names == (None,)


NAMES = st.lists(st.sampled_from([None, "A", "B", "C"]), max_size=3).filter(
    lambda names: len({n for n in names if n}) == len([n for n in names if n]))


@given(first=NAMES, second=NAMES)
def test_match_as_documented(first, second):
    """Positions from the right match if equal or one is None; a name that meets None is nowhere else in the other."""
    rank = max(len(first), len(second))
    a, b = [None] * (rank - len(first)) + first, [None] * (rank - len(second)) + second
    fits = all(x == y or x is None or y is None for x, y in zip(a, b))
    fits = fits and all(not (x and not y and x in second) and not (y and not x and y in first) for x, y in zip(a, b))
    x, y = (cygrad.ones([2] * len(names), names=names, requires_grad=True) for names in (first, second))
    if not fits:
        with raises("...", RuntimeError):
            x * y
        return
    product = x * y
    assert product.names == tuple(i or j for i, j in zip(a, b))
    product.sum().backward()
    assert x.grad.names == x.names and x.grad.rename(None).eq(2 ** (rank - x.dim())).all()


# ------------------------------------------------------------------------- axes by name

REDUCTIONS = ("sum mean prod amax amin argmax argmin all any logsumexp std var median mode nansum nanmean "
              "count_nonzero norm").split()


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_by_name(name):
    x, options = named(2, 3, 4, names="NCL"), {}
    function = getattr(cygrad, name)
    for dim, number in (("C", 1), ("L", -1)):
        found, plain = function(x, dim=dim), function(x.rename(None), dim=number)
        for t, p in zip(*((each if isinstance(each, tuple) else (each,)) for each in (found, plain))):
            assert t.names == tuple(n for n in x.names if n != dim) and t.rename(None).equal(p)
    if name != "count_nonzero":
        kept = function(x, dim="C", keepdim=True)
        assert (kept[0] if isinstance(kept, tuple) else kept).names == x.names
    with raises("Name 'Q' not found in Tensor['N', 'C', 'L']."):
        function(x, dim="Q")
    with pytest.raises((TypeError, RuntimeError)):
        function(x.rename(None), dim="C")


def test_reductions_of_several_axes():
    x = named(2, 3, 4, names="NCL")
    assert x.sum(("N", "L")).names == x.sum(["N", "L"]).names == x.sum((0, "L")).names == ("C",)
    assert x.sum().names == x.std().names == x.max().names == x.mean(dim=None).names == ()
    assert cygrad.var_mean(x, dim="C")[1].names == ("N", "L")
    assert [t.names for t in x.max("C")] == [("N", "L")] * 2
    assert x.kthvalue(2, "L").values.names == ("N", "C")
    assert x.quantile(0.5, dim="C").names == ("N", "L")
    assert x.quantile(cygrad.tensor([0.1, 0.5]), dim="C").names == (None, "N", "L")
    assert x.sum(axis="C", keepdims=True).names == ("N", "C", "L")


def test_ops_along_an_axis():
    x = named(2, 3, names="NC")
    plain = x.rename(None)
    for name in ("softmax", "log_softmax", "cumsum", "cumprod", "logcumsumexp"):
        found = getattr(cygrad, name)(x, "C")
        assert found.names == ("N", "C") and found.rename(None).equal(getattr(plain, name)(1))
    for found in (x.sort("C"), x.cummax("N"), x.topk(2, "C")):
        assert [t.names for t in found] == [("N", "C")] * 2
    assert x.argsort(dim="C", descending=True).names == x.flip("C").names == x.flip(["N", "C"]).names == ("N", "C")
    assert x.roll(1, "C").names == x.diff(dim="C").names == x.renorm(2, "N", 1.0).names == ("N", "C")


def test_shapes_by_name():
    x = named(2, 3, 4, names="NCL")
    assert x.transpose("N", "L").names == x.swapaxes("N", "L").names == ("L", "C", "N")
    assert x.permute("L", "N", "C").names == x.permute(("L", 0, 1)).names == ("L", "N", "C")
    assert x.movedim("N", -1).names == ("C", "L", "N")
    assert x.select("C", 1).names == ("N", "L") and x.size("C") == 3 and x.stride("C") == 4
    assert [t.names for t in x.unbind("N")] == [("C", "L")] * 2
    assert [t.names for t in x.split(2, "L")] == [t.names for t in x.chunk(2, dim="L")] == [("N", "C", "L")] * 2
    assert x.narrow("L", 1, 2).names == x.index_select("L", cygrad.tensor([0, 2])).names == ("N", "C", "L")
    assert x.unsqueeze(1).names == ("N", None, "C", "L")
    assert x.expand(5, 2, 3, 4).names == (None, "N", "C", "L") and x.expand(2, 3, 4).names == x.names
    assert x.unfold("L", 2, 1).names == ("N", "C", "L", None)
    y = zeros(2, 1, 3, 1, names=("N", "C", "H", "W"))
    assert y.squeeze().names == ("N", "H") and y.squeeze("C").names == ("N", "H", "W")
    assert y.squeeze("N").names == y.names and y.squeeze(("C", "W")).names == ("N", "H")
    m = named(2, 3, names="NC")
    assert m.t().names == m.T.names == m.mT.names == m.H.names == m.adjoint().names == ("C", "N")
    with raises("Name 'Q' not found in Tensor['N', 'C']."):
        m.transpose("N", "Q")


def test_diagonal():
    x = zeros(2, 3, 5, 7, names=list("ABCD"))
    assert x.diagonal().names == ("C", "D", None) and x.diagonal(1, 3).names == ("A", "C", None)
    assert x.diagonal(outdim="E", dim1="B", dim2="D").names == ("A", "C", "E")


def test_flatten():
    x = named(2, 3, 5, 7, names="NCDH")
    for found in (x.flatten(["C", "D", "H"], "features"), x.flatten("C", "H", "features"), x.flatten(1, 3, "features"),
                  x.flatten(dims=("C", "D", "H"), out_dim="features"), x.flatten("C", "H", out_dim="features")):
        assert found.names == ("N", "features") and found.rename(None).equal(x.rename(None).flatten(1))
    assert x.flatten("C", "D").names == ("N", None, "H") and x.flatten().names == x.ravel().names == (None,)
    assert zeros(2, 3).flatten(0, 1, "all").names == ("all",)
    with raises("flatten(tensor, dims, out_dim): dims ['C', 'H'] must be consecutive in Tensor['N', 'C', 'D', 'H']"):
        x.flatten(["C", "H"], "features")
    with raises("Name 'Q' not found in Tensor['N', 'C', 'D', 'H']."):
        x.flatten(["C", "Q"], "features")
    with raises("flatten(tensor, dims, out_dim): dims cannot be empty"):
        x.flatten((), "features")
    with raises("flatten() has invalid args: start_dim cannot come after end_dim"):
        x.flatten("D", "N", "features")


def test_unflatten():
    x = named(2, 12, names=("N", "D"))
    for shape in ((("C", 3), ("H", 4)), [["C", 3], ["H", -1]], OrderedDict(C=3, H=4)):
        found = x.unflatten("D", shape)
        assert found.names == ("N", "C", "H") and found.rename(None).equal(x.rename(None).reshape(2, 3, 4))
    assert zeros(4).unflatten(0, (("A", 2), ("B", 2))).names == ("A", "B")
    assert zeros(4).unflatten(0, (2, 2)).names == (None, None)
    with raises("unflatten: input is a named tensor but no names were given for unflattened sizes"):
        x.unflatten("D", (3, 4))
    with raises("unflatten: sizes must be non-empty"):
        x.unflatten("D", ())
    with raises("unflatten: Provided sizes [5, -1] don't multiply up to the size of dim 1 (12) in the input tensor"):
        x.unflatten("D", (("C", 5), ("H", -1)))


def test_errors_that_are_not_of_names():
    x = named(2, 3, names="NC")
    with raises("select(): index 5 out of range for tensor of size [2, 3] at dimension 0", IndexError):
        x.select("N", 5)
    with raises("Dimension out of range (expected to be in range of [-2, 1], but got 2)", IndexError):
        x.sum(2)
    with raises("sum() received an invalid combination of arguments - got (dim=float, ), but expected...", TypeError):
        x.sum(dim=1.5)
    with raises("flatten(): argument 'start_dim' (position 1) must be int, not str", TypeError):
        zeros(2, 3).flatten("N", "C")
    with raises("The size of tensor a (3) must match..."):
        x + zeros(4)


def test_joining():
    a, b = zeros(2, 3, names=("N", None)), zeros(2, 3, names=(None, "C"))
    assert cygrad.cat([a, b], 1).names == ("N", "C")
    assert cygrad.cat([zeros(2, 3, names=("N", "C"))] * 2, "C").names == ("N", "C")
    assert cygrad.stack([a, b]).names == (None, "N", "C") and cygrad.stack([a, b], -1).names == ("N", "C", None)
    assert cygrad.hstack([a, b]).names == cygrad.vstack([a, b]).names == ("N", "C")
    with raises("Error when attempting to concatenate dims ['N', 'C'] and dims ['N', 'D']: dim 'C' and dim 'D' are at "
                "the same position from the right but do not match."):
        cygrad.cat([zeros(2, 3, names=("N", "C")), zeros(2, 3, names=("N", "D"))])
    x, y = named(2, names="X"), named(3, names="Y")
    assert [t.names for t in cygrad.meshgrid(x, y, indexing="ij")] == [("X", "Y")] * 2
    assert [t.names for t in cygrad.meshgrid(x, y, indexing="xy")] == [("Y", "X")] * 2


def test_gathering():
    x, index = named(2, 3, names="NC"), cygrad.zeros(2, 1, dtype=cygrad.int64)
    assert x.gather("C", index).names == x.scatter("C", index, 1.0).names == ("N", "C")
    assert x.index_fill("C", cygrad.tensor([0]), 5).names == ("N", "C")
    assert x.index_add("C", cygrad.tensor([0]), zeros(2, 1)).names == ("N", "C")
    assert x.nonzero().names == (None, None) and x.unique().names == (None,)


# --------------------------------------------------------------------------------- keys

def test_keys():
    x = named(2, 3, 4, names="NCL")
    assert x[0].names == ("C", "L") and x[:, 1].names == ("N", "L") and x[..., -1].names == ("N", "C")
    assert x[1:, ::2].names == ("N", "C", "L") and x[:, None].names == ("N", None, "C", "L")
    assert x[0, 0, 0].names == () and x[()].names == x[...].names == ("N", "C", "L")
    assert x[:, [0, 2]].names == ("N", "C", "L") and x[:, cygrad.tensor([[0], [1]])].names == ("N", None, None, "L")
    assert x[x > 3].names == (None,) and x[x.rename(None)[:, :, 0] > 3].names == (None, "L")
    assert x[[0, 1], [1, 2]].names == (None, "L") and x[[0, 1], :, [1, 2]].names == (None, "C")
    assert x[0, cygrad.tensor([True, False, True])].names == ("C", "L")
    assert [row.names for row in x] == [("C", "L")] * 2 and 5 in x


def test_assignment_by_key():
    x = named(2, 3, names="NC")
    x[0] = zeros(3, names=("C",))
    x[x > 4] = 7.0
    assert x.names == ("N", "C") and x.tolist() == [[0, 0, 0], [3, 4, 7]]
    with raises("Error when attempting to broadcast dims ['C'] and dims ['Q']..."):
        x[0] = zeros(3, names=("Q",))
    y = zeros(2, 3)
    y[0] = named(3, names="C")
    assert y[0].tolist() == [0, 1, 2] and y.names == (None, None)


# ----------------------------------------------------------------------------- products

def test_products():
    a, b = zeros(2, 3, names=("N", "D")), zeros(3, 4, names=("in", "out"))
    for found in (a.mm(b), a @ b, cygrad.matmul(a, b), cygrad.einsum("nd,dk->nk", a, b.rename("D", "out")),
                  cygrad.tensordot(a, b, dims=(["D"], ["in"])), cygrad.tensordot(a, b, 1)):
        assert found.names == ("N", "out") and found.shape == (2, 4)
    v = zeros(3, names=("something",))
    assert a.mv(v).names == (a @ v).names == ("N",) and v.dot(v).names == () and (v @ b).names == ("out",)
    assert cygrad.outer(zeros(2, names=("A",)), v).names == ("A", "something")
    batch = zeros(5, 2, 3, names=("B", "N", "D"))
    assert batch.bmm(zeros(5, 3, 4, names=("B", "in", "out"))).names == ("B", "N", "out")
    x, y = zeros(3, 3, 3, 3, names=list("ABCD")), zeros(3, 3, 3, names=list("BEF"))
    assert (x @ y).names == ("A", "B", "C", "F")
    bias = zeros(4, names=("out",))
    assert cygrad.addmm(bias, a, b).names == ("N", "out") and cygrad.addmv(zeros(2), a, v).names == ("N",)
    with raises("Matrix multiplying Tensor['N', 'D'] with Tensor['in', 'N'] would produce output tensor with "
                "duplicate names ['N', 'N']. Please rename the input tensors to prevent this."):
        a.mm(zeros(3, 4, names=("in", "N")))
    with raises("Misaligned dims when batch matrix multiplying Tensor['N', 'A', 'D'] and Tensor['N', 'Q']: there is "
                "overlap between the feature dims of the second tensor (['N', 'Q']) and the batch dims of the first "
                "tensor (['N']). Please ensure batch dims are not present in the feature dims."):
        zeros(2, 3, 4, names=("N", "A", "D")) @ zeros(4, 5, names=("N", "Q"))
    with raises("Error when attempting to broadcast dims ['N', 'out'] and dims ['other']..."):
        cygrad.addmm(zeros(4, names=("other",)), a, b)


def test_distances():
    x, y = zeros(3, 1, 2, 7, names=("M", "N", "first", "F")), zeros(5, 11, 7, names=("N", "second", "F"))
    assert cygrad.cdist(x, y).names == ("M", "N", "first", "second")
    assert cygrad.cosine_similarity(x, x, dim=3).names == cygrad.pairwise_distance(x, x).names == ("M", "N", "first")


def test_matrices():
    m = (cygrad.eye(3) * 2).refine_names("out", "in")
    assert cygrad.linalg.inv(m).names == m.inverse().names == ("in", "out") and m.det().names == m.trace().names == ()
    assert cygrad.linalg.solve(m, zeros(3, 2, names=("out", "K"))).names == ("in", "K")
    assert cygrad.linalg.norm(m).names == () and cygrad.linalg.vector_norm(m, dim="in").names == ("out",)
    with raises("linalg_qr is not yet supported with named tensors. Please drop names via `tensor = "
                "tensor.rename(None)`, call the op with an unnamed tensor, and set names on the result of the "
                "operation."):
        cygrad.linalg.qr(m)


# ------------------------------------------------------------------ in place, out=, views

def test_in_place():
    x, y = zeros(2, 3), named(2, 3, names="NC")
    x += y
    assert x.names == ("N", "C") and x.rename(None).equal(y.rename(None))
    assert x.mul_(2).names == x.exp_().names == x.zero_().names == x.normal_().names == ("N", "C")
    z = zeros(2, 3, names=(None, "C"))
    assert z.add_(y) is z and z.names == ("N", "C")
    with raises("Error when attempting to broadcast dims ['N', 'C'] and dims ['N', 'D']: dim 'C' and dim 'D'..."):
        z *= zeros(2, 3, names=("N", "D"))
    assert z.names == ("N", "C") and z.rename(None).equal(y.rename(None))           # nothing was changed
    assert z.t_() is z and z.names == ("C", "N") and z.unsqueeze_(0).names == (None, "C", "N")
    assert z.copy_(zeros(3, 2, names=("C", "N"))).names == (None, "C", "N")
    assert zeros(2, 3).copy_(y).names == ("N", "C")
    assert cygrad.nn.functional.relu(y, inplace=True) is y and y.names == ("N", "C")


def test_failed_in_place_call_keeps_names():
    x = named(2, 3, names="NC")
    with pytest.raises(RuntimeError):
        x.add_(zeros(4, 3))
    assert x.names == ("N", "C")


def test_resize():
    x = zeros(2, names=("N",))
    assert x.resize_(2).names == ("N",)
    with raises("Cannot resize named tensor with resize_ or resize_as_ (tried to resize Tensor['N'] with size [2] to "
                "[3]). This may be caused by passing a named tensor as an `out=` argument; please ensure that the "
                "sizes are the same."):
        x.resize_(3)
    assert zeros(1).resize_as_(x).names == ("N",)


def test_out():
    x = named(3, 2, names="NC")
    for out in (zeros(0), zeros(3, 2), zeros(3, 2, names=("N", "C"))):
        assert cygrad.abs(x, out=out) is out and out.names == ("N", "C") and out.tolist() == x.tolist()
    with raises("Name mismatch: specified out tensor with names ['N', None] are not the same as the computed output "
                "names ['N', 'C']. Please rename the out tensor's dimensions."):
        cygrad.abs(x, out=zeros(3, 2, names=("N", None)))
    with raises("Name mismatch: specified out tensor with names ['N', 'C'] are not the same as the computed output "
                "names [None, None]..."):
        cygrad.abs(zeros(3, 2), out=zeros(3, 2, names=("N", "C")))
    assert cygrad.sum(x, "N", out=zeros(2)).names == ("C",)


def test_what_is_returned_as_it_was():
    x = named(2, 3, names="NC")
    assert x.contiguous() is x and x.to(x.dtype) is x and x.float() is x
    assert x.double().names == x.clone().names == x.detach().names == x.data.names == x.cpu().names == ("N", "C")


def test_no_rule():
    x = named(2, 3, names="NC")
    for call in (lambda: x.reshape(6), lambda: x.view(3, 2), lambda: x.as_strided((2,), (1,)), lambda: x.set_(zeros(2)),
                 lambda: cygrad.linalg.svd(x)):
        with pytest.raises(RuntimeError, match=r"is not yet supported with named tensors. Please drop names via "
                                               r"`tensor = tensor.rename\(None\)`"):
            call()
    assert x.names == ("N", "C")


def test_equal_compares_names():
    x = named(2, 3, names="NC")
    assert x.equal(x.clone()) and not x.equal(x.rename("N", "D")) and not x.equal(x.rename(None))


# ------------------------------------------------------------------------------ gradients

def test_gradients_have_names():
    w = named(2, 3, names="NC", dtype=cygrad.float64).requires_grad_()
    loss = (w * w.detach()).sum("C").softmax("N").select("N", 0)
    loss.backward()
    plain = w.detach().rename(None).requires_grad_()
    (plain * plain.detach()).sum(1).softmax(0).select(0, 0).backward()
    assert w.grad.names == ("N", "C") and w.grad.rename(None).equal(plain.grad)
    first = w.grad
    (w * 2).sum().backward()
    assert w.grad is first and w.grad.names == ("N", "C") and w.grad.rename(None).equal(plain.grad + 2)


def test_grad_by_input():
    x, y = named(2, 3, names="NC").requires_grad_(), named(3, names="C").requires_grad_()
    z = x * y
    for mate in (cygrad.ones(2, 3), cygrad.ones(2, 3, names=("N", "C"))):
        found = cygrad.autograd.grad(z, (x, y, z), mate, retain_graph=True)
        assert [g.names for g in found] == [("N", "C"), ("C",), ("N", "C")]
        assert found[1].tolist() == [3, 5, 7]
    with raises("Error when attempting to match dims ['N', 'C'] and dims ['N', 'D']..."):
        z.backward(cygrad.ones(2, 3, names=("N", "D")))
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        z.backward(cygrad.ones(3, names=("C",)))


def test_jacobians_and_checks():
    x = cygrad.rand(2, 3, dtype=cygrad.float64, names=("N", "C"))
    functional, plain = cygrad.autograd.functional, x.rename(None)
    found = functional.jacobian(lambda t: (t * t).sum("C"), x)
    assert found.equal(functional.jacobian(lambda t: (t * t).sum(1), plain))
    assert functional.hessian(lambda t: (t ** 3).sum(), x).equal(functional.hessian(lambda t: (t ** 3).sum(), plain))
    assert functional.vjp(lambda t: t.sum("C"), x, cygrad.ones(2, dtype=x.dtype))[1].names == ("N", "C")
    x.requires_grad_()
    assert cygrad.autograd.gradcheck(lambda t: t.exp().align_to("C", "N").softmax("N"), x)
    assert cygrad.autograd.gradgradcheck(lambda t: t.exp().sum("C"), x)


def test_second_order():
    x = named(3, names="C", dtype=cygrad.float64).requires_grad_()
    g, = cygrad.autograd.grad((x ** 3).sum(), x, create_graph=True)
    assert g.names == ("C",)
    h, = cygrad.autograd.grad((g * cygrad.ones(3, names=("C",), dtype=cygrad.float64)).sum("C"), x)
    assert h.names == ("C",) and h.tolist() == [0, 6, 12]


def test_gradients_through_renaming_and_aligning():
    x = named(2, 3, names="NC").requires_grad_()
    y = x.rename(C="D").align_to("D", "K", "N").flatten(["D", "K"], "Q").unflatten("Q", (("D", 3), ("K", 1)))
    assert y.names == ("D", "K", "N")
    (y[2] * cygrad.tensor([[1.0, 2.0]])).sum().backward()
    assert x.grad.names == ("N", "C") and x.grad.tolist() == [[0, 0, 1], [0, 0, 2]]


def test_views_of_named_tensors_share_history():
    x = named(2, 3, names="NC").requires_grad_()
    y = x * 1
    y.select("N", 0).mul_(5)
    y[1, :2] = 0
    y.t()[2] += y.t()[2]
    assert y.names == ("N", "C")
    y.sum().backward()
    assert x.grad.tolist() == [[5, 5, 10], [0, 0, 2]]
    leaf = cygrad.ones(2, 3, names=("N", "C"), requires_grad=True)
    with raises("a view of a leaf Variable that requires grad is being used in an in-place operation."):
        leaf.select("N", 0).mul_(2)
    with raises("a leaf Variable that requires grad is being used in an in-place operation."):
        leaf.mul_(2)
    assert leaf.t()._base is leaf and leaf[0]._base is leaf and leaf.align_to("C", "N")._base is leaf


def test_saved_tensors_are_watched():
    x = named(3, names="C").requires_grad_()
    y = x * 2
    z = (y * y).sum()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_hooks_see_names():
    x = named(3, names="C").requires_grad_()
    y = x * 2
    seen = []
    x.register_hook(lambda grad: seen.append(grad.names))
    y.register_hook(lambda grad: seen.append(grad.names) or grad * grad.align_as(y))
    y.retain_grad()
    (y * 3).sum().backward()
    assert seen == [("C",), ("C",)] and y.grad.names == ("C",) and x.grad.tolist() == [18, 18, 18]


def test_function_with_names():
    class Twice(cygrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            x, = ctx.saved_tensors
            return grad * (x * 0 + 2)                       # has names, which the engine does not mind

    x = named(3, names="C").requires_grad_()
    y = Twice.apply(x)
    assert y.names == ("C",)
    y.sum().backward()
    assert x.grad.names == ("C",) and x.grad.tolist() == [2, 2, 2]


def test_nodes_are_those_without_names():
    x = named(2, 3, names="NC").requires_grad_()
    y = x.exp().sum("C")
    assert y.grad_fn.name() == "SumBackward1" and y.grad_fn.next_functions[0][0].name() == "ExpBackward0"
    assert y.grad_fn.next_functions[0][0].next_functions[0][0].variable is x


SHAPE = st.lists(st.integers(1, 3), min_size=1, max_size=4)


@given(shape=SHAPE, data=st.data())
def test_by_name_is_by_number(shape, data):
    """Permuted, reduced and scanned by names and by numbers: the same, forward and backward."""
    names = tuple("ABCD"[:len(shape)])
    x = cygrad.rand(shape, dtype=cygrad.float64, names=names, requires_grad=True)
    plain = x.detach().rename(None).requires_grad_()
    order = data.draw(st.permutations(range(len(shape))))
    some = data.draw(st.lists(st.sampled_from(range(len(shape))), min_size=1, unique=True))
    one = data.draw(st.sampled_from(range(len(shape))))
    keep = data.draw(st.booleans())
    y = x.cumsum(names[one]).align_to(*(names[i] for i in order)).sum([names[i] for i in some], keepdim=keep)
    z = plain.cumsum(one).permute(order).sum([order.index(i) for i in some], keepdim=keep)
    assert y.names == tuple(names[i] for i in order if keep or i not in some) and y.rename(None).equal(z)
    (y * y).sum().backward()
    (z * z).sum().backward()
    assert x.grad.names == names and x.grad.rename(None).equal(plain.grad)


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
