"""If one of these fails, a function of a whole batch gives other results than one of its examples after the other."""

import warnings

import cygrad
import numpy as np
import pytest
from cygrad.batching import dispatch
from cygrad.func import grad, vmap
from op_db import OPS, tensors_of

pytestmark = pytest.mark.filterwarnings("ignore")  # samples include what PyTorch warns of
SIZE = 3
RANDOM = """rand_like randn_like randint_like normal bernoulli Tensor.uniform_ Tensor.normal_ Tensor.random_
    Tensor.bernoulli_ Tensor.exponential_ Tensor.cauchy_ Tensor.log_normal_ Tensor.geometric_ multinomial poisson
    nn.functional.dropout nn.functional.dropout1d nn.functional.dropout2d nn.functional.dropout3d feature_dropout
    nn.functional.alpha_dropout nn.functional.feature_alpha_dropout nn.functional.rrelu nn.functional.gumbel_softmax"""
REFUSED = """tensor asarray masked_select nonzero nonzero.tuple argwhere unique unique_consecutive"""
NOT_COMPARED = set((RANDOM + " " + REFUSED).split()) | {
    "svd_lowrank", "pca_lowrank", "lobpcg",  # random
    # Of a copy of the example: where it lies in the batch's memory is no part of it.
    "as_strided", "as_strided_copy", "as_strided_scatter",
    "linalg.eigvals",  # the table puts them in order by their values
    "nn.functional.batch_norm", "nn.functional.instance_norm",  # running statistics that are the same for all examples
}
COMPARED = [op for op in OPS if op.name not in NOT_COMPARED and {"float32", "float64"} & set(op.dtypes)]
GROUPS = [COMPARED[i::12] for i in range(12)]


def batches(sample, leaves):
    """Which of the tensors are batched: the first, the last, all of them."""
    floats = [t for t in leaves if leaves[t].is_floating_point()]
    if not floats or sum(leaves[t].numel() for t in floats) > 400:
        return []
    return [floats] if len(floats) == 1 else [floats[:1], floats[-1:], floats]


def examples(t):
    """A batch of three: the tensor, its elements in reverse order, a multiple."""
    return cygrad.stack([t, t.flip(tuple(range(t.dim()))) if t.dim() else t * 0.5, t * 1.25])


@pytest.mark.parametrize("ops", GROUPS, ids=[ops[0].name for ops in GROUPS])
def test_a_batch_is_a_loop(ops):
    checked = 0
    for op in ops:
        function = op.function(cygrad)
        for sample in op.samples("float64" if "float64" in op.dtypes else "float32"):
            leaves = sample.leaves(cygrad)
            for chosen in batches(sample, leaves):
                stacked = [examples(leaves[t]) for t in chosen]

                def call(*values, sample=sample, leaves=leaves, chosen=chosen, function=function):
                    args, kwargs = sample.build(cygrad, {**leaves, **dict(zip(chosen, values))})
                    return tuple(tensors_of(cygrad, function(*args, **kwargs)))

                try:
                    each = [call(*(t[i].clone() for t in stacked)) for i in range(SIZE)]
                    expected = [cygrad.stack(list(results)) for results in zip(*each)]
                except (RuntimeError, ValueError, TypeError, IndexError):
                    continue  # the table has refused samples too, and of some the shape depends on the values
                if not expected:
                    continue
                try:
                    found = vmap(call)(*[t.clone() for t in stacked])
                except RuntimeError as error:
                    refused = "is not possible because there exists a Tensor `other`", "could not generate a fallback"
                    assert any(words in str(error) for words in refused), (op.name, sample)
                    continue
                assert len(found) == len(expected), (op.name, sample)
                for one, other in zip(found, expected):
                    same = np.allclose(one.tolist(), other.tolist(), rtol=1e-9, atol=1e-11, equal_nan=True)
                    assert one.shape == other.shape and one.dtype == other.dtype and same, (op.name, sample)
                checked += 1
    assert checked


def test_what_has_a_rule_takes_no_loop(monkeypatch):
    """Pointwise ops, reductions, views and products of the table run once for the whole batch."""
    def refuse(op, *rest):
        raise AssertionError(f"{op.name} went one by one")
    monkeypatch.setattr(dispatch, "one_by_one", refuse)
    x = cygrad.randn(4, 3, 5)
    for f in (cygrad.sin, lambda x: x + x.T.sum(0).mean(), lambda x: (x @ x.mT).softmax(-1), lambda x: x.var(1),
              lambda x: x.reshape(-1)[2:].view(13, 1).expand(13, 2), lambda x: cygrad.cat([x, x[0:1]]).max(0).values,
              lambda x: cygrad.nn.functional.layer_norm(x, (5,)), lambda x: x.sort(-1).values.cumsum(0)):
        assert cygrad.allclose(vmap(f)(x), cygrad.stack([f(each) for each in x]), atol=1e-6)


def test_without_a_rule_one_warning_and_a_loop():
    x = cygrad.rand(3, 8)
    dispatch._warned.discard("histc")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = vmap(lambda x: x.histc(4, 0, 1))(x)
        vmap(lambda x: x.histc(4, 0, 1))(x)
    assert cygrad.equal(found, cygrad.stack([each.histc(4, 0, 1) for each in x]))
    assert [str(w.message).split(" because")[0] for w in caught] == ["There is a performance drop"]


def test_axes_nests_and_chunks():
    x, y = cygrad.randn(2, 5, 3), cygrad.randn(5, 3)

    def f(pair, scale):
        return {"sum": pair["x"] + pair["y"], "dot": [(pair["x"] * scale).sum()]}

    found = vmap(f, in_dims=({"x": 1, "y": 0}, None), out_dims={"sum": -1, "dot": 0})({"x": x, "y": y}, 2.0)
    assert found["sum"].shape == (2, 3, 5) and found["dot"][0].shape == (5,)
    assert cygrad.allclose(found["dot"][0], (x * 2).sum((0, 2)))
    chunks = vmap(f, in_dims=({"x": 1, "y": 0}, None), out_dims={"sum": -1, "dot": 0}, chunk_size=2)(
        {"x": x, "y": y}, 2.0)
    assert cygrad.equal(chunks["sum"], found["sum"])


def test_nested():
    x, y = cygrad.randn(3, 4), cygrad.randn(5, 4)
    table = vmap(lambda a: vmap(lambda b: (a * b).sum())(y))(x)
    assert cygrad.allclose(table, x @ y.T, atol=1e-6)


def test_keys_that_are_batched():
    x, places = cygrad.randn(3, 6), cygrad.tensor([[0, 5], [1, 1], [2, 0]])
    assert cygrad.equal(vmap(lambda x, i: x[i])(x, places), x.gather(1, places))
    assert cygrad.equal(vmap(lambda i: x[:, i])(places), cygrad.stack([x[:, i] for i in places]))
    assert cygrad.equal(vmap(lambda i: x[i])(cygrad.tensor([2, 0])), x[cygrad.tensor([2, 0])])

    def written(x, i):
        x = x.clone()
        x[i] = 7.0
        return x
    assert cygrad.equal(vmap(written)(x, places), x.scatter(1, places, 7.0))


def test_gradients_for_each_example():
    weight, x, y = cygrad.randn(3, 4), cygrad.randn(5, 4), cygrad.randn(5, 3)

    def loss(weight, x, y):
        return cygrad.nn.functional.mse_loss(weight @ x, y)
    found = vmap(grad(loss), in_dims=(None, 0, 0))(weight, x, y)
    assert cygrad.allclose(found, cygrad.stack([grad(loss)(weight, *each) for each in zip(x, y)]), atol=1e-6)


def test_gradients_through_a_batch():
    x = cygrad.randn(4, 3, requires_grad=True)
    vmap(lambda x: (x * x).sum())(x).sum().backward()
    assert cygrad.allclose(x.grad, 2 * x.detach())


def test_randomness():
    x = cygrad.ones(50, 40)
    drop = cygrad.nn.functional.dropout
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(drop)(x)
    same = vmap(drop, randomness="same")(x)
    assert cygrad.equal(same[0], same[1]) and set(same.unique().tolist()) == {0, 2}
    assert not cygrad.equal(*vmap(drop, randomness="different")(x)[:2])


def test_no_grad_inside():
    x = cygrad.randn(3, 2, requires_grad=True)

    def f(x):
        with cygrad.no_grad():
            return x * 2
    assert not vmap(f)(x).requires_grad


def test_no_examples():
    assert vmap(lambda x: x.sin().sum())(cygrad.ones(0, 3)).shape == (0,)


def test_windows_on_examples_are_views():
    """What is written into one is in the example; the gradient of a change in place goes through such windows."""
    def written(v):
        flat = v.new_zeros(4)
        flat.as_strided((2,), (2,), 1).copy_(v)
        return flat
    assert cygrad.vmap(written)(cygrad.ones(3, 2)).tolist() == [[0, 1, 0, 1]] * 3
    a, b = cygrad.arange(4.).requires_grad_(), cygrad.tensor([2., 3.]).requires_grad_()
    c = a * 2
    c[1:3] *= b
    seeds = cygrad.arange(8.).reshape(2, 4)

    def gradients(seed):
        return cygrad.autograd.grad(c, (a, b), seed, retain_graph=True)
    for together, one_by_one in zip(cygrad.vmap(gradients)(seeds), zip(*map(gradients, seeds))):
        assert cygrad.equal(together, cygrad.stack(one_by_one))


def test_named_results_come_out_of_vmap():
    a = cygrad.rand(3, 4, 4)
    found = vmap(cygrad.linalg.qr)(a)
    assert type(found) is cygrad.return_types.linalg_qr
    assert cygrad.allclose(found.Q @ found.R, a, atol=1e-5)


def test_what_depends_on_values_or_passes_by_the_rules_is_refused():
    x = cygrad.rand(2, 3)
    for op in (cygrad.equal, cygrad.allclose):
        with pytest.raises(RuntimeError, match="Batching rule not implemented for aten::"):
            vmap(op)(x, x)
    with pytest.raises(RuntimeError, match=r"aten::abs.out; the fallback path doesn't work on out= or view ops"):
        vmap(lambda a, b: cygrad.abs(a, out=b))(x, x)
    with pytest.raises(RuntimeError, match="accessing `data` under vmap"):
        vmap(lambda a: a.data)(x)

    def replaced(a):
        a.data = cygrad.ones(3)
    with pytest.raises(RuntimeError, match="mutating directly with `.data` under vmap"):
        vmap(replaced)(x)


def test_gradient_of_what_is_filled_in():
    x, mask = cygrad.rand(4), cygrad.tensor([True, False, True, True])
    value = cygrad.tensor(2.0, requires_grad=True)
    result = x.masked_fill(mask, value)
    found, = cygrad.autograd.grad(result, value, cygrad.eye(4), is_grads_batched=True)
    assert found.tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("copy", [
    lambda x: cygrad.view_copy(x, (6,)), lambda x: cygrad.permute_copy(x, (1, 0)),
    lambda x: cygrad.expand_copy(x, (2, 2, 3)),
    lambda x: cygrad.split_copy(x, 1)[1], lambda x: cygrad.as_strided_copy(x, (3,), (2,))])
def test_gradients_of_a_batch_through_copies_of_views(copy):
    x = cygrad.rand(2, 3, requires_grad=True)
    y = copy(x)
    seeds = cygrad.rand(4, *y.shape)
    together, = cygrad.autograd.grad(y, x, seeds, is_grads_batched=True, retain_graph=True)
    assert [each.tolist() for each in together] == [
        cygrad.autograd.grad(y, x, seed, retain_graph=True)[0].tolist() for seed in seeds]


def test_draws_with_several_batches():
    """Mean, deviation and probability of each example are its own, whichever axis and rank the batch has."""
    mean, deviation = cygrad.arange(2.)[:, None, None].expand(2, 5, 3) * 1000, cygrad.ones(5, 3, 2)
    drawn = vmap(cygrad.normal, (0, 2), randomness="different")(mean, deviation)
    assert drawn.shape == (2, 5, 3) and (drawn[0] < 500).all() and (drawn[1] > 500).all()
    assert (drawn[1] - 1000).sub(drawn[0]).abs().min() > 0
    chances = cygrad.tensor([0., 1.])
    drawn = vmap(lambda x, p: x.clone().bernoulli_(p), randomness="different")(cygrad.zeros(2, 4, 3), chances)
    assert drawn[0].eq(0).all() and drawn[1].eq(1).all() and drawn.shape == (2, 4, 3)
    with pytest.raises(RuntimeError, match="vmap: inplace arithmetic"):
        vmap(lambda p: cygrad.zeros(3).bernoulli_(p), randomness="different")(chances)


NEW_RANDOM = {"rand": lambda x: cygrad.rand(3), "randn": lambda x: cygrad.randn(2, 3),
              "randint": lambda x: cygrad.randint(10**6, (3,)), "randperm": lambda x: cygrad.randperm(50),
              "normal": lambda x: cygrad.normal(0., 1., (3,)),
              "with a dtype": lambda x: cygrad.rand(3, dtype=cygrad.float64)}


@pytest.mark.parametrize("make", NEW_RANDOM.values(), ids=NEW_RANDOM)
def test_new_random_tensors_follow_the_randomness(make):
    x = cygrad.arange(2)
    a, b = cygrad.vmap(make, randomness="different")(x)
    assert not cygrad.equal(a, b)
    a, b = cygrad.vmap(make, randomness="same")(x)
    assert cygrad.equal(a, b)
    with pytest.raises(RuntimeError, match="randomness error mode"):
        cygrad.vmap(make)(x)


def test_each_example_has_a_permutation():
    found = cygrad.vmap(lambda x: cygrad.randperm(6), randomness="different")(cygrad.arange(3))
    assert found.sort().values.tolist() == [list(range(6))] * 3


def test_random_numbers_inside_two_levels():
    def inner(x):
        return cygrad.vmap(lambda y: cygrad.rand(2), randomness="different")(cygrad.arange(3))

    assert cygrad.vmap(inner, randomness="different")(cygrad.arange(2)).unique().numel() == 12


def test_draws_from_a_batch_are_not_the_same():
    with pytest.raises(RuntimeError, match="does not currently support same randomness"):
        cygrad.vmap(lambda x: cygrad.ones(3).bernoulli_(x), randomness="same")(cygrad.rand(2))


def test_lists_nested_without_end_are_refused():
    deep, itself = [], []
    for _ in range(10**5):
        deep = [deep]
    itself.append(itself)
    for bins in (deep, itself):
        with pytest.raises(RecursionError):
            cygrad.func.vmap(lambda x: cygrad.histogramdd(x, bins))(cygrad.ones(3, 2))
