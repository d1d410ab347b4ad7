"""If one of these fails, a product of matrices, a contraction or a mask of a matrix is wrong."""
import importlib.util
import sys

import cygrad
import numpy as np
import pytest
from cygrad.ops.linalg import einsum
from extras import lacking
from hypothesis import given, settings, strategies as st
from matrices import tensor

DTYPES = ("uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
NAN = float("nan")


def numbers(shape, dtype="float64", low=-4):
    """Small integers, exact in every dtype."""
    rng = np.random.default_rng(sum(shape) + len(shape))
    values = rng.integers(0 if dtype == "uint8" else low, 5, shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.integers(low, 5, shape)
    return values


def array(t):
    return np.array(t.detach().tolist()).reshape(tuple(t.shape))


def equal(t, values):
    assert tuple(t.shape) == np.shape(values)
    np.testing.assert_array_equal(array(t), values)


def message(function, *args, **kwargs):
    with pytest.raises((RuntimeError, TypeError, NotImplementedError, ValueError, IndexError)) as caught:
        function(*args, **kwargs)
    return f"{caught.type.__name__}: {caught.value}"


def path(t):
    """Names of the nodes along the first edges."""
    names, node = [], t.grad_fn
    while node is not None and node.name() != "torch::autograd::AccumulateGrad":
        names.append(node.name().removesuffix("Backward0"))
        node = node.next_functions[0][0] if node.next_functions else None
    return names


# ---- two operands ----------------------------------------------------------------------------------------------------


def test_by_hand():
    # [1 2] [5 6]   [1*5+2*7 1*6+2*8]   [19 22]
    # [3 4] [7 8] = [3*5+4*7 3*6+4*8] = [43 50]
    a, b = cygrad.tensor([[1, 2], [3, 4]]), cygrad.tensor([[5, 6], [7, 8]])
    for product in (a.mm(b), a @ b, cygrad.matmul(a, b), a.unsqueeze(0).bmm(b.unsqueeze(0))[0]):
        assert product.tolist() == [[19, 22], [43, 50]]
    assert a.mv(b[0]).tolist() == [17, 39]  # 1*5+2*6, 3*5+4*6
    assert a[0].dot(b[0]).item() == 17
    assert cygrad.outer(a[0], b[0]).tolist() == [[5, 6], [10, 12]]
    i = cygrad.tensor([1j, 2])
    assert cygrad.dot(i, i).item() == 3  # -1 + 4
    assert cygrad.vdot(i, i).item() == 5  # conj(1j) * 1j + 4


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    a, b = numbers((3, 4), dtype), numbers((4, 5), dtype)
    wanted = a @ b if dtype != "uint8" else (a @ b) % 256
    equal(tensor(a, dtype) @ tensor(b, dtype), wanted)
    assert (tensor(a, dtype) @ tensor(b, dtype)).dtype is getattr(cygrad, dtype)


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64"])
def test_large_products_go_another_way(dtype):
    a, b = numbers((2, 37, 53), dtype, -1), numbers((53, 41), dtype, -1)
    equal(tensor(a, dtype) @ tensor(b, dtype), a @ b)


shapes = st.lists(st.integers(0, 3), max_size=3)


@given(batch=shapes, ones=st.integers(0, 7), short=st.integers(0, 3), n=st.integers(0, 3), k=st.integers(0, 3),
       p=st.integers(0, 3), graph=st.booleans(), swap=st.booleans())
@settings(deadline=None, max_examples=300)
def test_broadcast_batches(batch, ones, short, n, k, p, graph, swap):
    """Any two batches that broadcast, strides turned round, with and without a graph."""
    left = [1 if ones >> i & 1 else size for i, size in enumerate(batch)] + [n, k]
    right = batch[min(short, len(batch)):] + [k, p]
    a, b = numbers(left), numbers(right)
    leaf = tensor(a.swapaxes(-1, -2)).requires_grad_(graph)
    x, y = leaf.mT, tensor(b.swapaxes(-1, -2)).mT
    if swap:
        a, b, x, y = b.swapaxes(-1, -2), a.swapaxes(-1, -2), y.mT, x.mT
    out = x @ y
    equal(out, a @ b)
    if graph:  # the sum is linear in the leaf: the gradient times the leaf is the sum again
        (grad,) = cygrad.autograd.grad(out.sum(), leaf)
        assert grad.shape == leaf.shape and (grad * leaf).sum().item() == out.sum().item()


def test_vectors_on_either_side():
    a, b, v = numbers((2, 3, 4)), numbers((4, 5)), numbers((4,))
    equal(tensor(v) @ tensor(b), v @ b)
    equal(tensor(a) @ tensor(v), a @ v)
    equal(tensor(v) @ tensor(a).mT, v @ a.swapaxes(1, 2))
    equal(tensor(v) @ tensor(v), v @ v)


def test_operands_that_overlap_themselves():
    row = cygrad.tensor([1.0, 2.0, 3.0])
    square = row.expand(3, 3)
    assert (square @ square).tolist() == [[6.0, 12.0, 18.0]] * 3
    assert (row.expand(2, 3, 3) @ square).tolist() == [[[6.0, 12.0, 18.0]] * 3] * 2


def test_results_are_row_major_and_not_views():
    a = cygrad.ones(3, 2)
    for out in (a.t() @ a, a @ a.t(), cygrad.ones(4, 3) @ cygrad.ones(5, 2, 3).mT):
        assert out.is_contiguous() and not out._is_view()


def test_errors():
    one = cygrad.ones
    assert message(cygrad.mm, one(2, 3), one(4, 5)) == (
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")
    assert message(cygrad.mm, one(3), one(3, 1)) == "RuntimeError: self must be a matrix"
    assert message(cygrad.mm, one(2, 3), one(3)) == "RuntimeError: mat2 must be a matrix"
    assert message(cygrad.mm, one(2, 3), 3) == "TypeError: mm(): argument 'mat2' (position 2) must be Tensor, not int"
    assert message(lambda: one(2, 3) @ one(3, 4).long()) == (
        "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != long int")
    assert message(lambda: one(2, 3).half() @ one(3, 4).cfloat()) == (
        "RuntimeError: expected m1 and m2 to have the same dtype, but got: c10::Half != c10::complex<float>")
    assert message(lambda: one(2, 3).bool() @ one(3, 2).bool()) == (
        "NotImplementedError: \"addmm_impl_cpu_\" not implemented for 'Bool'")
    assert message(cygrad.bmm, one(2, 2, 3), one(3, 3, 4)) == (
        "RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [3, 3].")
    assert message(cygrad.bmm, one(2, 3), one(2, 3, 4)) == "RuntimeError: batch1 must be a 3D tensor"
    assert message(cygrad.mv, one(2, 3), one(2)) == "RuntimeError: size mismatch, got input (2), mat (2x3), vec (2)"
    assert message(cygrad.dot, one(2), one(3)) == (
        "RuntimeError: inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements, "
        "but got 2 and 3 elements respectively")
    assert message(lambda: one(()) @ one(2)) == (
        "RuntimeError: both arguments to matmul need to be at least 1D, but they are 0D and 1D")
    assert message(lambda: one(2, 2, 3) @ one(3, 3, 2)) == (
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0")
    assert message(lambda: one(2, 2, 3) @ one(2, 2)) == (
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x3 and 2x2)")
    assert message(lambda: one(2, 3) @ one(2, 2, 2)) == (
        "RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 2].")
    assert message(cygrad.mm, one(2, 3), one(3, 4), out=one(2, 4).double()) == (
        "RuntimeError: Expected out tensor to have dtype float, but got double instead")
    with pytest.raises(TypeError, match="unsupported operand"):
        one(2, 3) @ [1, 2, 3]


def test_out():
    target = cygrad.zeros(2, 4, 2)[..., 0]
    assert cygrad.matmul(cygrad.ones(2, 3), cygrad.ones(3, 4), out=target) is target
    assert target.tolist() == [[3.0] * 4] * 2


def test_addmm_writes_into_out():
    bias, a, b = cygrad.arange(4.0), cygrad.ones(2, 3), cygrad.ones(3, 4)
    target = cygrad.full((2, 4), float("nan"))
    before = target._version
    assert cygrad.addmm(bias, a, b, out=target) is target and target._version == before + 1
    assert target.tolist() == [[3.0, 4.0, 5.0, 6.0]] * 2
    assert cygrad.addmm(bias, a, b, beta=0, alpha=2, out=target).tolist() == [[6.0] * 4] * 2
    square = cygrad.eye(3)
    assert cygrad.addmm(square, a.new_ones(3, 3), square, out=cygrad.empty(3, 3)).tolist() == [
        [2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        cygrad.addmm(bias.requires_grad_(), a, b, out=target)
    assert target.tolist() == [[6.0] * 4] * 2
    cygrad.addmm(cygrad.zeros(4), target, cygrad.ones(4, 4), out=target)        # it reads what it writes
    assert target.tolist() == [[24.0] * 4] * 2


def test_nodes():
    def leaf(*shape):
        return cygrad.ones(*shape, requires_grad=True)

    assert path(leaf(2, 3) @ leaf(3, 4)) == ["Mm"]
    assert path(leaf(2, 3) @ leaf(3)) == ["Mv"]
    assert path(leaf(3) @ leaf(3)) == ["Dot"]
    assert path(leaf(3) @ leaf(3, 2)) == ["SqueezeBackward4", "Mm", "Unsqueeze"]
    assert path(leaf(2, 2, 3) @ leaf(3, 4)) == ["UnsafeView", "Mm", "View"]
    assert path(leaf(2, 3) @ leaf(2, 3, 4)) == ["Clone", "Transpose", "UnsafeView", "Mm", "UnsafeView", "Clone",
                                                 "Transpose"]
    assert path(leaf(2, 2, 3) @ leaf(2, 3, 4)) == ["UnsafeView", "Bmm", "View", "Expand"]
    assert path(cygrad.addmm(leaf(4), leaf(2, 3), leaf(3, 4))) == ["Addmm"]


# ---- a third operand -------------------------------------------------------------------------------------------------


def test_addmm_by_hand():
    # 2 * [1 1] + 3 * [1*1+2*1 1*2+2*2] = [2+9 2+18]
    bias, a, b = cygrad.ones(2), cygrad.tensor([[1.0, 2.0]]), cygrad.tensor([[1.0, 2.0], [1.0, 2.0]])
    assert cygrad.addmm(bias, a, b, beta=2, alpha=3).tolist() == [[11.0, 20.0]]
    assert bias.clone().unsqueeze(0).addmm_(a, b, beta=2, alpha=3).tolist() == [[11.0, 20.0]]
    assert cygrad.addmv(cygrad.ones(1), a, b[0], beta=2, alpha=3).tolist() == [17.0]  # 2 + 3 * (1*1 + 2*2)
    assert cygrad.addr(bias, a[0], b[0], beta=2, alpha=3).tolist() == [[5.0, 8.0], [8.0, 14.0]]  # 2 + 3 * [1 2; 2 4]


@pytest.mark.parametrize("size", [2, 40])  # a small product, and one that goes to BLAS
def test_beta_zero_does_not_read_the_input(size):
    nans, a = cygrad.full((size, size), NAN), cygrad.ones(size, size)
    assert cygrad.addmm(nans, a, a, beta=0).tolist() == [[float(size)] * size] * size
    assert cygrad.addmm(nans[0], a[:, :0], a[:0], beta=0).tolist() == [[0.0] * size] * size
    assert cygrad.addmv(nans[0], a, a[0], beta=0).tolist() == [float(size)] * size
    assert cygrad.baddbmm(nans, a.expand(2, size, size), a.expand(2, size, size), beta=0).isfinite().all()
    assert cygrad.addbmm(nans, a.unsqueeze(0), a.unsqueeze(0), beta=0).isfinite().all()
    assert cygrad.addr(nans, a[0], a[0], beta=0).isfinite().all()
    assert cygrad.addmm(nans, a, a).isnan().all()


@pytest.mark.parametrize("dtype", ["int64", "float16", "bfloat16", "float32", "complex128"])
@pytest.mark.parametrize("size", [3, 30])
def test_addmm_against_numpy(dtype, size):
    c, a, b = (numbers(shape, dtype).clip(-1, 1) for shape in ((size, 1), (size, size), (size, size)))
    equal(cygrad.addmm(tensor(c, dtype), tensor(a, dtype), tensor(b, dtype), beta=2, alpha=3), 2 * c + 3 * (a @ b))


def test_complex_factors():
    a = cygrad.ones(1, 1, dtype=cygrad.complex64)
    assert cygrad.addmm(a, a, a, beta=1j, alpha=2).item() == 2 + 1j
    assert message(cygrad.addmm, a.real, a.real, a.real, beta=1j) == (
        "RuntimeError: value cannot be converted to type float without overflow")


def test_addmm_errors():
    one = cygrad.ones
    assert message(cygrad.addmm, one(5), one(2, 3), one(3, 4)) == (
        "RuntimeError: The expanded size of the tensor (4) must match the existing size (5) at non-singleton dimension "
        "1.  Target sizes: [2, 4].  Tensor sizes: [5]")
    assert message(one(4).addmm_, one(2, 3), one(3, 4)) == (
        "RuntimeError: Bad in-place call: input tensor size [4] and output tensor size [2, 4] should match")
    assert message(cygrad.addmm, one(4).double(), one(2, 3), one(3, 4)) == (
        "RuntimeError: self and mat2 must have the same dtype, but got Double and Float")
    assert message(cygrad.baddbmm, one(4), one(2, 2, 3), one(2, 3, 4).double()) == (
        "RuntimeError: Input dtypes must be the same, got: input float, batch1: float, batch2: double")
    assert message(cygrad.addr, one(2, 3).long(), one(2).long(), one(3).long(), beta=0.5) == (
        "RuntimeError: For integral input tensors, argument beta must not be a floating point number.")


def test_in_place_products_and_autograd():
    a, b = cygrad.ones(2, 2, requires_grad=True), cygrad.full((2, 2), 3.0)
    x = cygrad.zeros(2, 2)
    version = x._version
    x.addmm_(a, b)
    assert x._version > version and x.grad_fn.name() == "AddmmBackward0"
    x.sum().backward()
    assert a.grad.tolist() == [[6.0, 6.0], [6.0, 6.0]]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        a.addmm_(b, b)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        cygrad.zeros(2).expand(2, 2).addmm_(b, b)


# ---- contractions ----------------------------------------------------------------------------------------------------

EQUATIONS = ["ij,jk->ik", "ij,jk", "ij->ji", "ii->i", "ii", "ij->", "i,j->ij", "bij,bjk->bik", "...ij,...jk->...ik",
             "...i->...", "bn,anm,bm->ba", "ij,jk,kl->li", "ijj->ij", "ij,kl->klij", "ij,ij->j", "ijkl,jl->ki", "ba",
             " i j , j k -> k i ", "...ii->...i", "a,b,c->cba", "i...,i...", "ij,k->ki"]
SIZES = dict(i=2, j=3, k=4, l=2, b=3, n=2, a=4, m=3, c=2)


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum_against_numpy(equation):
    arrays = []
    for term in equation.replace(" ", "").split("->")[0].split(","):
        arrays.append(numbers([*([5] if "..." in term else []), *(SIZES[c] for c in term.replace("...", ""))]))
    if equation == "i...,i...":
        arrays = [numbers((2, 3)), numbers((2, 3))]
    equal(cygrad.einsum(equation, *map(tensor, arrays)), np.einsum(equation.replace(" ", ""), *arrays))


def test_einsum_forms():
    a, b = numbers((2, 3)), numbers((3, 4))
    x, y = tensor(a), tensor(b)
    equal(cygrad.einsum(x, [0, 1], y, [1, 2], [2, 0]), (a @ b).T)
    equal(cygrad.einsum(x, [5, 1], y, [1, 7]), a @ b)
    equal(cygrad.einsum(x, [..., 1], [1, ...]), a.T)
    equal(cygrad.einsum("ij,jk", [x, y]), a @ b)
    equal(cygrad.einsum("ij,jk->ik", x, y[:, :1].expand(3, 4)), a @ np.repeat(b[:, :1], 4, 1))
    equal(cygrad.einsum("ij,jk->ik", x[:, :1], y), a[:, :1].sum(1, keepdims=True) * b.sum(0))  # size 1 broadcasts
    assert cygrad.einsum("i->", cygrad.ones(3, dtype=cygrad.int32)).item() == 3


@pytest.mark.parametrize("equation, shapes, words", [
    ("ij,jk->ik", [(2, 3), (4, 5)],
     ("subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3")),
    ("ij,jk->ik", [(2, 3)], "fewer operands were provided than specified in the equation"),
    ("ij", [(2, 3), (2, 3)], "more operands were provided than specified in the equation"),
    ("ij->iz", [(2, 3)], "output subscript z does not appear in the equation for any input operand"),
    ("ij->ii", [(2, 3)], "output subscript i appears more than once in the output"),
    ("ij", [(2,)], ("the number of subscripts in the equation (2) does not match the number of dimensions (1) for "
                    "operand 0 and no ellipsis was given")),
    ("i1->i", [(2, 3)], "invalid subscript given at index 1 in the equation string, subscripts must be in [a-zA-Z]"),
    ("i.j", [(2, 3)], "found '.' for operand 0 that is not part of any ellipsis"),
    ("ii->i", [(2, 3)], "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
])
def test_einsum_errors(equation, shapes, words):
    assert message(cygrad.einsum, equation, *[cygrad.ones(*s) for s in shapes]) == f"RuntimeError: einsum(): {words}"


@pytest.mark.parametrize("with_opt_einsum", [True, False])
def test_einsum_contracts_in_a_cheap_order(monkeypatch, with_opt_einsum):
    """From left to right, the product of the first four would have 60**4 elements."""
    if not with_opt_einsum:
        monkeypatch.setitem(sys.modules, "opt_einsum", None)
    elif importlib.util.find_spec("opt_einsum") is None:
        lacking("opt_einsum is not installed")
    vectors = [cygrad.full((60,), i + 1.) for i in range(4)]
    matrices = [cygrad.eye(60)] * 4
    seen = []
    kept = einsum.contract
    monkeypatch.setattr(einsum, "contract", lambda *args: seen.append(kept(*args)) or seen[-1])
    einsum.order_of.cache_clear()
    got = cygrad.einsum("a,b,c,d,ae,be,cf,df->", *vectors, *matrices)
    assert got.item() == 2 * 60 * 12 * 60 and max(t.numel() for t in seen) <= 3600
    einsum.order_of.cache_clear()


def test_einsum_nodes_and_gradient():
    a, b = cygrad.ones(2, 3, requires_grad=True), cygrad.ones(3, 4, requires_grad=True)
    assert path(cygrad.einsum("ij,jk->ik", a, b))[:3] == ["View", "Permute", "View"]
    assert path(cygrad.einsum("ij->ji", a)) == ["Permute"]
    cygrad.einsum("ij,jk->", a, b).backward()
    assert a.grad.tolist() == [[4.0] * 3] * 2 and b.grad.tolist() == [[2.0] * 4] * 3


def test_tensordot_kron_inner():
    a, b = numbers((2, 3, 4)), numbers((4, 3, 5))
    equal(cygrad.tensordot(tensor(a), tensor(b), 1), np.tensordot(a, b, 1))
    equal(cygrad.tensordot(tensor(a), tensor(b), dims=([1, 2], [1, 0])), np.tensordot(a, b, ([1, 2], [1, 0])))
    equal(cygrad.tensordot(tensor(a), tensor(b), dims=0), np.tensordot(a, b, 0))
    equal(cygrad.inner(tensor(a), tensor(b.T[0])), np.inner(a, b.T[0]))
    equal(cygrad.kron(tensor(a), tensor(b[0])), np.kron(a, b[0]))
    c = a[0].T.copy()
    with pytest.raises(RuntimeError, match="view size is not compatible"):      # as in PyTorch
        cygrad.kron(tensor(c).mT.contiguous().mT, tensor(c))
    assert message(cygrad.tensordot, tensor(a), tensor(b), 2) == (
        "RuntimeError: contracted dimensions need to match, but first has size 3 in dim -2 and second has size 4 in "
        "dim 0")


def test_cross():
    a, b = numbers((2, 3)), numbers((2, 3)) + 1
    equal(cygrad.cross(tensor(a), tensor(b), dim=1), np.cross(a, b))
    equal(cygrad.linalg.cross(tensor(a), tensor(b)[:1]), np.cross(a, b[:1]))
    equal(cygrad.cross(tensor(a.T), tensor(b.T)), np.cross(a, b).T)  # the first axis of size 3
    assert message(cygrad.cross, cygrad.ones(2), cygrad.ones(2)) == "RuntimeError: no dimension of size 3 in input"


# ---- diagonals and triangles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [-7, -1, 0, 1, 2, 7])
def test_triangles(k):
    for shape in [(3, 4), (4, 3), (2, 3, 3), (0, 3), (80, 70)]:  # the last is larger than the masks that are kept
        a = numbers(shape)
        for values, t in ((a, tensor(a)), (a.swapaxes(-1, -2), tensor(a).mT)):
            equal(t.tril(k), np.tril(values, k))
            equal(t.triu(k), np.triu(values, k))
            assert t.tril(k).is_contiguous()
    t = cygrad.full((2, 2), NAN).tril_()
    assert t[0, 1].item() == 0 and t.isnan().sum().item() == 3


def test_diagonals():
    a, v = numbers((3, 4)), numbers((3,))
    for k in (-2, 0, 3):
        equal(cygrad.diag(tensor(a), k), np.diag(a, k))
        equal(cygrad.diag(tensor(v), k), np.diag(v, k))
        equal(cygrad.diagflat(tensor(a), k), np.diagflat(a, k))
    equal(cygrad.diag_embed(tensor(a)), np.stack([np.diag(row) for row in a]))
    assert not cygrad.diag(tensor(a))._is_view()
    assert cygrad.trace(tensor(a)).item() == np.trace(a)
    assert cygrad.trace(cygrad.ones(2, 2, dtype=cygrad.int8)).dtype is cygrad.int64
    equal(cygrad.tril_indices(3, 4, 1), np.stack(np.tril_indices(3, 1, 4)))
    equal(cygrad.triu_indices(3, 4, -1), np.stack(np.triu_indices(3, -1, 4)))
    equal(cygrad.vander(tensor(v), 4), np.vander(v, 4))
    equal(cygrad.linalg.vander(tensor(v)), np.vander(v, increasing=True))


def test_kron_of_more_axes_than_a_product_has_is_refused():
    x = cygrad.ones([1] * 33)
    with pytest.raises(RuntimeError, match="too many"):
        cygrad.kron(x, x)
