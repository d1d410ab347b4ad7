"""If one of these fails, a call is taken that PyTorch refuses, or one with two faults is told another of them.

Each is made by both libraries; the built-in type of the error has to be the same, and that there is one.
"""
import warnings

import cygrad
import pytest
import torch

CALLS = """
    m.addcmul(m.ones(2), m.ones(2), m.ones(2), value=1j)
    m.addcmul(m.ones(2).int(), m.ones(2).int(), m.ones(2).int(), value=m.inf)
    m.addcdiv(m.ones(2), m.ones(2), m.ones(2), value=1j)
    m.nn.functional.threshold(m.ones(2).int(), 1, m.inf)
    m.nn.functional.leaky_relu_(m.ones(2), 1j)
    m.nn.functional.hardshrink(m.ones(2), 1j)
    m.nn.functional.elu(m.ones(2), 1j)
    m.histc(m.ones(2), 1, 1j, 1)
    m.renorm(m.ones(2, 2), 2, 0, 1j)
    m.bitwise_not(m.ones(2), out=m.zeros(0).double())
    m.frac(m.ones(2).short(), out=m.zeros(0))
    m.abs(m.ones(2) > 0, out=m.zeros(0))
    m.special.round(m.ones(2) * 1j, decimals=2, out=m.zeros(0))
    m.special.i1(m.ones(2) * 1j, out=m.zeros(0).half())
    m.special.modified_bessel_k1(m.ones(2) * 1j, out=m.zeros(0))
    m.gcd(m.ones(2), m.ones(2) * 1j, out=m.zeros(0))
    m.logaddexp2(m.ones(2) * 1j, m.ones(2), out=m.zeros(0))
    m.floor_divide(m.ones(2) * 1j, 2, out=m.zeros(0))
    m.ones(2).short().clamp_max_(m.ones(2) * 1j)
    m.igamma(m.ones(2) * 1j, m.ones(3))
    m.igamma(m.ones(2) * 1j, m.ones(2))
    m.logcumsumexp(m.ones(2).byte(), 1)
    m.logcumsumexp(m.ones(2).byte(), 0, out=m.ones(2) > 0)
    m.cumsum(m.ones(2, 2), 1, dtype=m.bool, out=m.zeros(0).int())
    m.softmax(m.ones(2).char(), 0, out=m.zeros(0).long())
    m.aminmax(m.ones(2, 2) * 1j, dim=-6)
    m.aminmax(m.ones(2, 2) * 1j, dim=0)
    m.cat([m.ones(2, 2), m.ones(2)], out=m.zeros(0).long())
    m.cat([m.ones(()), m.ones(2)], out=m.zeros(0).long())
    m.cat([m.ones(2, 2), m.ones(2)], 5, out=m.zeros(0).long())
    m.cat([m.ones(2, 2), m.ones(2)], 5, out=m.zeros(0, requires_grad=True))
    m.stack([m.ones(2), m.ones(2)], 5, out=m.zeros(0, requires_grad=True))
    m.stack([m.ones(2), m.ones(2)], 5, out=m.zeros(0).long())
    m.fft.fft2(m.ones(2), out=m.zeros(0).int())
    m.fft.ihfft2(m.ones(()), out=m.zeros(0).int())
    m.addbmm(m.ones(2, 2), m.ones(()), m.ones(1, 2, 2))
    m.addbmm(m.ones(7, 7), m.ones(1, 2, 2), m.ones(2, 2, 2))
    m.bilinear(m.ones(2, 3), m.ones(2), m.ones(1, 3, 3).double())
    m.bilinear(m.ones(2, 3), m.ones(2, 3), m.ones(()), m.ones(1).int())
    m.chain_matmul([m.ones(2, 2), m.ones(2, 2)])
    m.histogramdd(m.ones(3, 3).int(), 2, [2., .5])
    m.histogramdd(m.ones(3, 3).int(), [m.ones(2), m.ones(2)])
    m.histogramdd(m.ones(3, 3).int(), [2, 2])
    m.histogram(m.ones(3).int(), 2, out=(m.ones(2), m.ones(3)))
    m.mm(m.ones(2, 2), m.ones(2, 2), m.float32)
    m.bmm(m.ones(2, 2, 2), m.ones(2, 2, 2), m.float32, out=m.zeros(0))
    m.autograd.grad(m.ones(2, requires_grad=True).sum(), [m.ones(2, requires_grad=True)], is_grads_batched=True)
    m.autograd.grad(m.ones(2).sum(), [m.ones(2, requires_grad=True)], is_grads_batched=True)
    x = m.ones(4); x[m.tensor([9])] = x[1:2]
    x = m.ones(4, requires_grad=True); x.view(2, 2)[m.tensor([9])] = m.ones(2, 2)
    x = m.ones(3, 2).unbind()[0]; x[m.tensor([9])] = m.ones(1)
    m.autograd.grad(m.ones(2, requires_grad=True) * 2, [m.ones(2, requires_grad=True)], is_grads_batched=True)
    m.ones(3, dtype=m.complex64).index_reduce(0, m.tensor([0, 0, 0]), m.ones(3, dtype=m.complex64), 'mean')
    (m.ones(3) > 0).index_reduce(0, m.tensor([0, 0, 0]), m.ones(3) > 0, 'amin')
    m.ones(2, 2).logsumexp(())
    m.zeros(2, 0).index_fill(1, m.tensor([0]), 0.)
    m.index_fill(m.ones(3), 0, m.tensor([0.]), m.ones(2))
    m.ones(4)[:3].pow_(m.ones(4)[1:].unsqueeze(0).expand(2, 3))
    m.func.grad(lambda q: (q * q).sum())(m.ones(2, dtype=m.complex64))
    m.ones(2).set_(m.ones(2, 3).t(), 0, (1,), (1,))
    m.bartlett_window(4, dtype=m.complex64)
    m.hann_window(1, dtype=m.int32)
    m.nextafter(m.zeros(2, 0).long(), m.zeros(2, 0).long())
    m.erf(m.zeros(0, dtype=m.complex64))
    m.lt(m.zeros(0), 1j)
    m.scatter_reduce(m.ones(2, dtype=m.cfloat, requires_grad=True), 0, m.tensor([0]), m.ones(1, dtype=m.cfloat), 'sum')
    m.mean(m.ones(2, 2) > 0, 0, out=m.zeros(2))
    m.nn.functional.sigmoid(m.ones(2), out=m.ones(2))
    m.nn.functional.threshold(m.ones(2), 1, 2, out=m.ones(2))
    m.unique(m.ones(2, 2), axis=0)
    m.nn.functional.adaptive_avg_pool2d(m.ones(3), 1)
    m.arange(3).__setitem__((-2, [-1, -1]), 1j)
    m.arange(3).__setitem__(("a", [0]), 0)
    m.arange(3).__setitem__((slice(0, 1.5), -2), 1)
    m.arange(3).__setitem__("a", 0)
    m.norm(m.ones(2, 2), 2, dtype=m.bfloat16)
    m.linalg.vector_norm(m.ones(2).half(), 2, dtype=m.bfloat16)
    m.norm(m.ones(2, 2), dim=1, keepdims=True)
    m.ones(2, 2).norm(axis=1)
    m.nn.functional.mse_loss(m.ones(2), m.ones(3), reduction=2)
    m.nn.functional.l1_loss(m.ones(2), m.ones(3), reduction=2)
    m.nn.functional.l1_loss(m.ones(2), m.ones(2), reduction=2)
    m.nn.functional.poisson_nll_loss(m.ones(2), m.ones(2), reduction=1)
    m.nn.functional.triplet_margin_loss(m.ones(2), m.ones(2), [])
    m.nn.functional.cosine_embedding_loss(m.ones(2), [], m.ones(2))
    m.nn.functional.kl_div(m.ones(2), [])
    m.kl_div(m.ones(2), m.ones(2).cfloat())
    m.nn.functional.rms_norm(m.ones(2), (1, 1))
    m.clamp_min(m.ones(2, 3).cfloat(), m.ones(2))
    m.clamp_min(m.ones(2, 3).cfloat(), m.ones(3))
    m.special.zeta(1+2j, m.ones(2), out=m.zeros(0))
    m.special.xlog1py(1j, m.ones(2), out=m.zeros(0))
    m.any(m.ones(2), 0, out=m.ones(()))
    m.scatter_reduce((m.ones(4) * 1j).requires_grad_(), 0, m.zeros(4).long(), m.ones(4) * 1j, 'amax')
    m.bitwise_or(m.ones(3, requires_grad=True), 3, out=m.ones(3))
""".strip().splitlines()


def refusal(m, call):
    """The built-in type of the error that a call raises; None if it is taken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(call, {"m": m})
        except Exception as error:
            return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
    return None


@pytest.mark.parametrize("call", [call.strip() for call in CALLS])
def test_the_same_fault_is_told(call):
    want = refusal(torch, call)
    assert want is not None
    assert refusal(cygrad, call) is want
