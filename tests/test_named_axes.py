"""If one of these fails, operands, axes and keys are not found by name as docs/named_tensors.md says: by hand."""

from collections import OrderedDict

import cygrad
import pytest
from cygrad import zeros
from hypothesis import given, strategies as st
from naming import named, raises

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
    x = named(2, 3, 4, names="NCL")
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
