"""If one of these fails, `cygrad.func` computes or refuses something else than `torch.func`."""

import cygrad
import numpy as np
import pytest
import torch

BOTH = (torch, cygrad)


def arrays(value):
    """Nested results as arrays."""
    if isinstance(value, dict):
        return {key: arrays(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [arrays(each) for each in value]
    return np.array(value.detach().tolist()) if hasattr(value, "tolist") else value


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return np.shape(one) == np.shape(other) and np.allclose(one, other, rtol=1e-5, atol=1e-6)


def data(m, *shape):
    return m.tensor(np.random.default_rng(0).uniform(0.2, 2, shape).tolist(), dtype=m.float64)


def batched(m, f, *shapes, **options):
    return m.vmap(lambda *xs: f(m, *xs), **options)(*(data(m, *shape) for shape in shapes))


CALLS = {
    "grad": lambda m: m.func.grad(lambda x: (x.sin() * x).sum())(data(m, 3)),
    "grad of a dict": lambda m: m.func.grad(lambda d: (d["a"] * d["b"]).sum())({"a": data(m, 3), "b": data(m, 3) + 1}),
    "grad and aux": lambda m: m.func.grad(lambda x: (x.sum(), {"x": x * 2}), has_aux=True)(data(m, 3)),
    "grad_and_value": lambda m: m.func.grad_and_value(lambda x, y: (x * y).sum(), argnums=(1, 0))(
        data(m, 2), data(m, 2)),
    "vjp": lambda m: m.func.vjp(lambda x: (x, x.sum()), data(m, 3))[1]((data(m, 3), m.tensor(2.0, dtype=m.float64))),
    "jvp": lambda m: m.func.jvp(lambda x: x.cumsum(0).exp(), (data(m, 3),), (data(m, 3) + 1,)),
    "jvp of one that does not depend": lambda m: m.func.jvp(lambda x: m.ones(2), (data(m, 3),), (data(m, 3),)),
    "jacrev": lambda m: m.func.jacrev(lambda x: x.softmax(-1))(data(m, 2, 3)),
    "jacrev of two": lambda m: m.func.jacrev(lambda x, y: (x @ y, y.sum()), argnums=(0, 1))(data(m, 2, 3), data(m, 3)),
    "jacfwd": lambda m: m.func.jacfwd(lambda x: (x.prod(), x.outer(x)))(data(m, 3)),
    "jacfwd of a dict": lambda m: m.func.jacfwd(lambda d: d["a"].sin())({"a": data(m, 3), "b": data(m, 2)}),
    "hessian": lambda m: m.func.hessian(lambda x: m.nn.functional.gelu(x @ x.T).logsumexp((0, 1)))(data(m, 2, 3)),
    "hessian of two": lambda m: m.func.hessian(lambda x, y: (x * y.exp()).sum(), argnums=(0, 1))(
        data(m, 2), data(m, 2)),
    "vmap over jacrev": lambda m: m.vmap(m.func.jacrev(lambda x: x.sin() * x.sum()))(data(m, 4, 3)),
    "jacfwd of vmap": lambda m: m.func.jacfwd(m.vmap(lambda x: x.sin() * x.sum()))(data(m, 4, 3)),
    "vmap over hessian": lambda m: m.vmap(m.func.hessian(lambda x: (x**3).sum() * x[0]))(data(m, 4, 3)),
    "vmap over jvp": lambda m: m.vmap(lambda x, t: m.func.jvp(lambda x: x @ x, (x,), (t,)))(
        data(m, 4, 3), data(m, 4, 3)),
    "vmap of nests": lambda m: m.vmap(lambda d, k: [d["x"] * k, (d["y"],)], in_dims=({"x": 0, "y": 1}, None),
                                      out_dims=[1, (0,)])({"x": data(m, 4, 2), "y": data(m, 3, 4)}, 3.0),
    "promotion of scalars": lambda m: m.vmap(lambda x, y: x * y)(data(m, 3).float(), data(m, 3, 2).to(m.int32)),
    "cross_entropy": lambda m: m.vmap(lambda x: m.nn.functional.cross_entropy(x, m.tensor([1, 0])))(data(m, 5, 2, 3)),
    "batched index": lambda m: m.vmap(lambda x, i: x[i])(data(m, 3, 4), m.tensor([[0, 1], [3, 3], [2, 0]])),
    "where": lambda m: batched(m, lambda m, x: m.where(x > 1, x, 0), (3, 4)),
    "einsum": lambda m: batched(m, lambda m, x, y: m.einsum("ij,jk->ki", x, y), (3, 4, 2), (3, 2, 5)),
    "in_dims and out_dims": lambda m: batched(m, lambda m, x, y: x @ y, (4, 3), (4, 2), in_dims=(1, None), out_dims=-1),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_values(name):
    one, other = (arrays(CALLS[name](m)) for m in BOTH)
    assert same(one, other), f"\n{one}\n{other}"


REFUSED = {
    "vector output": lambda m: m.func.grad(lambda x: x)(m.ones(2)),
    "no tensor": lambda m: m.func.grad(lambda x: 1.0)(m.ones(2)),
    "argnums beyond": lambda m: m.func.grad(lambda x: x, argnums=2)(m.ones(())),
    "argnums twice": lambda m: m.func.grad(lambda x, y: x, argnums=(0, 0))(m.ones(()), m.ones(())),
    "argnums empty": lambda m: m.func.grad(lambda x, y: x, argnums=())(m.ones(()), m.ones(())),
    "argnums of another type": lambda m: m.func.grad(lambda x: x, argnums=1.5)(m.ones(())),
    "no aux": lambda m: m.func.grad(lambda x: x.sum(), has_aux=True)(m.ones(2)),
    "primals no tuple": lambda m: m.func.jvp(lambda x: x, m.ones(2), m.ones(2)),
    "structures": lambda m: m.func.jvp(lambda x: x, (m.ones(2),), (m.ones(2), m.ones(2))),
    "tangent's shape": lambda m: m.func.jvp(lambda x: x, (m.ones(2),), (m.ones(3),)),
    "jvp of no tensor": lambda m: m.func.jvp(lambda x: 1, (m.ones(2),), (m.ones(2),)),
    "strict": lambda m: m.func.jvp(lambda x: m.ones(2), (m.ones(2),), (m.ones(2),), strict=True),
    "vjp of integers": lambda m: m.func.vjp(lambda x: x.long(), m.ones(2)),
    "cotangents": lambda m: m.func.vjp(lambda x: (x, x), m.ones(2))[1](m.ones(2)),
    "complex": lambda m: m.func.jacrev(lambda x: x)(m.ones(2, dtype=m.complex64)),
    "chunk_size": lambda m: m.func.jacrev(lambda x: x, chunk_size=0),
    "sizes differ": lambda m: m.vmap(lambda x, y: x)(m.ones(2), m.ones(3)),
    "nothing mapped": lambda m: m.vmap(lambda x: x, in_dims=None)(m.ones(2)),
    "nothing mapped in a tuple": lambda m: m.vmap(lambda x: x, in_dims=(None,))(m.ones(2)),
    "no inputs": lambda m: m.vmap(lambda: 1)(),
    "in_dims beyond": lambda m: m.vmap(lambda x: x, in_dims=2)(m.ones(2)),
    "in_dims of a number": lambda m: m.vmap(lambda x: x)(3),
    "in_dims' structure": lambda m: m.vmap(lambda x: x, in_dims=(0, 0))(m.ones(2)),
    "no tensor from vmap": lambda m: m.vmap(lambda x: 3)(m.ones(2)),
    "out_dims' structure": lambda m: m.vmap(lambda x: x, out_dims=(0, 0))(m.ones(2)),
    "out_dims no number": lambda m: m.vmap(lambda x: x, out_dims="a")(m.ones(2)),
    "batched out of None": lambda m: m.vmap(lambda x: x, out_dims=None)(m.ones(2)),
    "randomness": lambda m: m.vmap(lambda x: x, randomness="no"),
    "item": lambda m: m.vmap(lambda x: x.item())(m.ones(2)),
    "control flow": lambda m: m.vmap(lambda x: x if x > 0 else -x)(m.ones(2)),
    "in place on what is the same for all": lambda m: m.vmap(lambda x, y: y.copy_(x), in_dims=(0, None))(
        m.ones(2, 2), m.ones(2)),
    "dropout": lambda m: m.vmap(m.nn.functional.dropout)(m.ones(2, 2)),
    "nonzero": lambda m: m.vmap(lambda x: x.nonzero())(m.ones(2, 2)),
    "requires_grad_": lambda m: m.vmap(lambda x: x.requires_grad_())(m.ones(2)),
    "no models": lambda m: m.func.stack_module_state([]),
    "dicts": lambda m: m.func.functional_call(m.nn.Linear(1, 1), 3, m.ones(1)),
    "a name twice": lambda m: m.func.functional_call(m.nn.Linear(1, 1), ({"weight": 1}, {"weight": 1}), m.ones(1)),
    "no level": lambda m: m.autograd.forward_ad.make_dual(m.ones(2), m.ones(2)),
    "levels": lambda m: nested(m),
    "int dual": lambda m: inside(m, lambda fw: fw.make_dual(m.ones(2, dtype=m.int64), m.ones(2))),
    "dual of a dual": lambda m: inside(m, lambda fw: fw.make_dual(fw.make_dual(m.ones(2), m.ones(2)), m.ones(2))),
    "shape of a tangent": lambda m: inside(m, lambda fw: fw.make_dual(m.ones(2), m.ones(3))),
}


def inside(m, call):
    import importlib
    fw = importlib.import_module(m.__name__ + ".autograd.forward_ad")
    with fw.dual_level():
        return call(fw)


def nested(m):
    return inside(m, lambda fw: fw.enter_dual_level())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_errors(name):
    errors = []
    for m in BOTH:
        with pytest.raises(Exception) as info:
            REFUSED[name](m)
        errors.append(info.value)
    assert type(errors[0]) is type(errors[1]), errors
    heads = [str(e).replace("torch", "").replace("cygrad", "").split("\n")[0][:40] for e in errors]
    assert heads[0] == heads[1], errors


def test_tangents_in_print():
    shown = [inside(m, lambda fw, m=m: repr(fw.make_dual(m.ones(2), m.ones(2) * 2) * 3)) for m in BOTH]
    assert shown[0] == shown[1]
