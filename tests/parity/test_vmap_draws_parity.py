"""If one of these fails, a random op inside `vmap` does not look at `randomness` as PyTorch's does.

`t` stands for a batch, `w` and `W` are the same for all examples. A draw that PyTorch refuses is refused; "different"
ones are its numbers, and "same" ones are one for all.
"""
import warnings

import cygrad
import pytest
import torch

EXPRESSIONS = """
    F.dropout(w,.5)
    F.dropout(t,.5)
    F.dropout(w,.5,training=False)
    F.dropout1d(W,.5)
    F.alpha_dropout(w,.5)
    m.dropout(w,.5,True)
    m.dropout(w,.5,False)
    m.bernoulli(w*.5)
    m.bernoulli(t*.0+.5)
    m.bernoulli(w,.5)
    m.bernoulli(t,.5)
    m.rand_like(w)
    m.rand_like(t)
    m.randn_like(w)
    m.randint_like(w,5)
    m.rand(3)
    m.randn(3)
    m.randint(5,(3,))
    m.randperm(4)
    m.multinomial(w,2)
    m.multinomial(t.abs()+1,2)
    m.poisson(w)
    m.poisson(t.abs())
    m.normal(w,w)
    m.normal(w,1.)
    m.normal(0.,w)
    m.normal(t,1.)
    m.normal(0.,1.,(3,))
    m.binomial(w,w*.5)
    m.binomial(t.abs()+1,w*.5)
    m.binomial(w,t*0+.5)
    w.clone().bernoulli_()
    w.clone().normal_()
    w.clone().uniform_()
    w.clone().random_(5)
    w.clone().exponential_()
    w.clone().geometric_(.5)
    w.clone().log_normal_()
    w.clone().cauchy_()
    t.clone().bernoulli_()
    t.clone().normal_()
    t.clone().uniform_()
    t.clone().random_(5)
    t.clone().exponential_()
    t.clone().geometric_(.5)
    t.clone().log_normal_()
    t.clone().cauchy_()
    t.clone().bernoulli_(w*.5)
    m.zeros(3).normal_()
    m.empty(3).uniform_()
    F.gumbel_softmax(w)
    F.gumbel_softmax(t)
    F.fractional_max_pool2d(m.ones(1,4,4)*w[0],2,output_size=2)
    F.fractional_max_pool2d(m.ones(1,4,4)*t[0],2,output_size=2)
    m.native_dropout(t,.5,True)[0]
    m.nn.init.normal_(m.empty(3))
    F.dropout(w,0.)
    F.dropout(w,1.)
    F.dropout(t,0.)
    F.dropout2d(W[None],.5)
""".strip().splitlines()


def drawn(m, expression, randomness):
    m.manual_seed(0)
    names = {"m": m, "F": m.nn.functional, "w": m.ones(3), "W": m.ones(2, 3)}
    try:
        found = m.func.vmap(lambda t: eval(expression, {**names, "t": t}), randomness=randomness)(m.ones(2, 3))
    except RuntimeError as error:
        return str(error)
    if randomness == "same":                # which draws these are is not compared
        return tuple(found.shape), bool((found[0] == found[1]).all())
    return tuple(found.shape), [round(value, 4) for value in found.double().flatten().tolist()]


@pytest.mark.parametrize("randomness", ["error", "different", "same"])
@pytest.mark.parametrize("expression", [line.strip() for line in EXPRESSIONS])
def test_draws_inside_vmap(expression, randomness):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert drawn(cygrad, expression, randomness) == drawn(torch, expression, randomness)
