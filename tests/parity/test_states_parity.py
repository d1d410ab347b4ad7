"""If one of these fails, a statement leaves a tensor in another state than PyTorch does, or PyTorch refuses it.

After each statement the state of every tensor is compared: dtype, shape, strides, values, version, whether it is a view
and a leaf, its node, the nodes before that, its gradient's state. The first programs are those that showed a fault; the
others are drawn: tensors of any dtype and layout, changed in place, written to by `out=`, copied and differentiated.
`python tests/parity/test_states_parity.py COUNT SEED` lists what differs in others.
"""
import copy
import pickle
import random
import re
import sys
import warnings

import cygrad
import numpy as np
import pytest
import torch
from compare import close

PROGRAMS = """
    q = m.ones(1, 2, 3); a = m.nn.functional.scaled_dot_product_attention(q, q * m.nan, q)
    a = m.linspace(-.3, m.inf, 1, dtype=m.bool); b = m.linspace(1.5, m.nan, 1, dtype=m.int32)
    v = m.ones(2).requires_grad_(); a = m.func.linearize(lambda q: q.sin(), v)[1](v).sum(); a.backward()
    a = m.logsumexp(m.ones(2, 0), ())
    by = m.nn.utils.parametrizations.weight_norm(m.nn.Linear(2, 3)); a = by.weight; a.sum().backward(); \
        b = by.parametrizations.weight.original1.grad; c = by.parametrizations.weight.original0.grad
    x = m.full((3,), .5, dtype=m.half).requires_grad_(); y = x * 1; y.pow_(m.ones(3).double()); y.retain_grad(); \
        y.sum().backward()
    x = m.ones(2).half().requires_grad_(); y = x * 1; y.mul_(m.ones(2).double()); a, = m.autograd.grad(y.sum(), y)
    v = m.ones(3).requires_grad_(); w = m.complex(v, v); w.real.sum().backward(); w.imag.sum().backward()
    x = m.tensor([m.nan, 0., -0., m.inf]).requires_grad_(); x.prod().backward()
    x = m.ones(2).requires_grad_(); by = m.nn.functional.huber_loss(x, x.detach() * 2); \
        by, = m.autograd.grad(by, x, create_graph=True); a = m.autograd.grad(by.sum(), x)[0].tolist()
    x = m.zeros(2); a = m.func.jvp(lambda q: m.polar(q, q), (x,), (m.ones(2),))[1].tolist()
    x = m.zeros(2); a = m.func.jvp(lambda q: q.atan2(q), (x,), (m.ones(2),))[1].tolist()
    x = m.ones(3, 2); a = m.func.jvp(lambda q: q.scatter_add(0, m.zeros(1, 2).long(), q), (x,), (x,))[1].tolist()
    x = m.tensor([1e20, 1, 2]); a = m.func.jvp(lambda q: q.logcumsumexp(0), (x,), (m.arange(3.),))[1].tolist()
    x = m.zeros(2); a = m.func.jvp(lambda q: m.nn.functional.prelu(q, m.ones(1) / 2), (x,), (m.ones(2),))[1].tolist()
    a = m.nn.functional.group_norm(m.tensor([[[1e30, 1., 2.]]]), 1); b = m.ones(2, 3).norm(m.tensor(.5), 1)
    x = m.ones(2, 3).requires_grad_(); y = x.sort()[0]; y.grad_fn.register_prehook(lambda g: (g[0] * 3,)); \
        y.sum().backward()
    a = m.func.jacfwd(lambda q: q.relu())(m.tensor([1., -1.]))
    a = m.func.jacfwd(m.nn.functional.hardtanh)(m.ones(2) / 2)
    a = m.func.jacfwd(m.nn.functional.leaky_relu)(m.tensor([[1., -1.]]).half())
    x = m.tensor([1., m.nan, 3.]); a = m.func.jacfwd(lambda q: q.max())(x); b = m.func.jacfwd(lambda q: q.median())(x)
    x = m.tensor([1., m.nan, 3.]); a = m.func.jacfwd(lambda q: m.maximum(q, q.flip(0)))(x)
    a = m.func.jacfwd(lambda q: q.std(0))(m.zeros(2, 2)).tolist(); \
        b = m.func.jacfwd(lambda q: q.norm(3))(m.zeros(2)).tolist()
    a = m.func.jacfwd(lambda q: m.std_mean(q)[0])(m.zeros(2)).tolist()
    a = m.func.jacfwd(lambda q: q.norm(1.5, 0))(m.eye(2)).tolist()
    x = m.tensor([[1., m.nan], [2., m.inf]]); a = m.addmm(m.ones(2), x, m.ones(2, 2), beta=.5, alpha=0)
    x = m.tensor([[1., m.nan], [2., m.inf]]); a = m.addmv(m.ones(2), x, m.ones(2), alpha=0)
    x = m.tensor([[1., m.nan], [2., m.inf]]); a = m.ones(2, 2).addmm_(x, x, alpha=0)
    w = m.tensor([[1, m.nan], [m.nan, 2]]); i = m.tensor([[0, 1], [1, 0]]); \
        a = m.nn.functional.embedding_bag(i, w, mode="max")
    w = m.tensor([[1, m.nan], [m.nan, 2]]); i = m.tensor([0, 1, 1]); \
        a = m.nn.functional.embedding_bag(i, w, i, mode="max")
    x = m.ones(2, 16).requires_grad_(); a = m.stft(x, 8, window=m.ones(8), return_complex=True)
    m.autograd.forward_ad.enter_dual_level(); x = m.ones(3).requires_grad_(); \
        a = m.autograd.forward_ad.make_dual(x, m.ones(3)); m.autograd.forward_ad.exit_dual_level()
    a = m.ones(3, 1, 2, 4).to(memory_format=m.channels_last).dim_order()
    a = m.tensor([np.float32(2.5)], dtype=m.int64)
    a = m.tensor([m.tensor(.5), 0], dtype=m.bool)
    a = m.tensor([np.bool_(True), 1])
    a = m.tensor([np.array(2.5), 1])
    a = m.tensor([np.uint8(3)], dtype=m.uint64)
    a = m.tensor([np.complex64(1)], dtype=m.float32); b = m.tensor([1, np.array(2.5)])
    a = m.block_diag(m.tensor(2.).double(), m.ones(1, 1).half()); b = m.arange(np.bool_(True), 5)
    x = m.ones(2).bool(); a = x.add(np.float32(1.5), alpha=2); b = x.long().sub(np.float32(1.5), alpha=2.)
    x = m.ones(2); x **= np.array(2.5); a = np.int64(1) in x
    a = np.bool_(True) in m.ones(2)
    a = m.threshold(m.ones(2).half(), 1e30, 2); b = m.pairwise_distance(m.ones(2).int(), m.ones(2).int(), 2, 1)
    a = m.cholesky(m.zeros(0)); b = m.cholesky(m.zeros(3, 0)); c = m.cholesky(m.zeros(2, 2, 0, 2))
    a = m.autograd.functional.jacobian(lambda q: q.cumsum(0), m.ones(0))
    a = m.nn.functional.group_norm(m.arange(6.).view(1, 2, 3), 1, m.tensor([m.inf, 1.]), m.ones(2))
    a = m.distributions.Kumaraswamy(m.tensor(2.), m.tensor(3.)).mode
    q = m.ones(2).requires_grad_(); by = m.optim.LBFGS([q]); \
        by.step(lambda: (q.sum(), q.sin().sum().backward())[0]); a = list(by.state[q])
    x = m.zeros(4); y = x[1:]; y += np.float32(1.5); y *= np.int64(2)
    x = m.ones(2, requires_grad=True); y = m.softmax(input=x, dim=0, out=m.ones(2)); z = m.diag(input=x, out=y)
    x = m.ones(2, requires_grad=True); y = m.heaviside(input=x, values=m.ones(2), out=m.ones(2))
    x = m.eye(2, requires_grad=True); y = m.linalg.ldl_factor(input=x, out=(m.ones(2, 2), m.ones(2).int()))
    x = m.ones(2, 8); y = m.stft(x, 2.5, 2, return_complex=True); z = m.nn.functional.pad(x, (1, 1), mode='reflect')
    f = m.nn.functional.cross_entropy(m.ones(2, 3), m.tensor([0, 1]), label_smoothing=-1)
    f = m.nn.functional.binary_cross_entropy(m.full((2,), .5), m.ones(2), m.tensor([1, 3]))
    f = m.nn.functional.mse_loss(m.ones(2) * 1j, m.ones(2), weight=m.ones(2))
    p = m.nn.functional.lp_pool1d(m.ones(1, 4), 2, 2, stride=[]); n = m.nn.LayerNorm(2, elementwise_affine=None)(p)
    f = m.nn.functional.multi_margin_loss(m.ones(2, 3), m.tensor([0, 1]), p=m.tensor(1))
    z = m.arange(3); z //= np.int64(2); z *= np.float32(1.5)
    w = m.ones(2) * 1j; w.real = np.int64(2); w.imag = 1 + 2j
    x = m.ones(2); a = copy.copy(x); b = copy.deepcopy(x); c = pickle.loads(pickle.dumps(x)); x.mul_(2)
    i = m.nn.functional.one_hot(m.tensor([0, 2]), 3); a = m.isclose(i, i); b = m.isclose(i * 1., i * 1., equal_nan=True)
    a = m.quantile(m.arange(4.), .3); b = m.quantile(m.arange(4.), .3, interpolation='lower')
    a = m.arange(2.) @ m.ones(2, 3); b = m.ones(2, 3) @ m.arange(3.); c = m.isfinite(a * 1j); d = m.fill(a, 3)
    q = m.ones(3, requires_grad=True); a = m.add(2., q); b = m.mul(2., q); c = m.sub(2, q, alpha=3); d = m.fill(q, 3)
    q = m.ones(3, requires_grad=True); a = m.fill(q, m.tensor(2.)); b = (q * 1).fill_(2.); c = m.sub(1j, q)
    q = m.ones(2, dtype=m.cfloat, requires_grad=True); a = m.func.jvp(lambda x: x * x, (q,), (m.ones_like(q),))
    q = m.ones(2).byte(); a = m.addcmul(q, q, q, value=-1); b = m.addcmul(q, q, q, value=-255)
    v = m.ones(3, 3, requires_grad=True); m.trace(v).backward()
    v = m.ones(3, 3, requires_grad=True); v.max().backward()
    v = m.ones(3, 3, requires_grad=True); v[v > 0].sum().backward()
    v = m.ones(3, 3, requires_grad=True); v[[0, 0]].sum().backward()
    v = m.ones(3, 3, requires_grad=True); v.gather(0, m.tensor([[0]])).sum().backward()
    v = m.ones(3, 3, requires_grad=True); v.take(m.tensor([0])).sum().backward()
    v = m.ones(3, 3, requires_grad=True); v.sort()[0].sum().backward()
    v = m.ones(3, 3, requires_grad=True); v.index_select(0, m.tensor([0])).sum().backward()
    v = m.ones(3, 3, requires_grad=True); v.as_strided((2, 2), (1, 0)).sum().backward()
    x = m.ones(2, 3, 2, 2).to(memory_format=m.channels_last); y = m.kron(x, x); z = x.narrow_copy(0, -1, 1)
    x = m.arange(12).reshape(2, 6).t(); y = m.kron(x, m.ones(1, 1)); z = x.narrow_copy(0, 0, 2)
    x = m.zeros(1).expand(1, 3); x[0] = x[...]; x.copy_(x[...]); y = m.arange(3.); y[:2] = y[:2]
    x = m.arange(3., requires_grad=True) * 1; x.copy_(x); y = m.arange(3., requires_grad=True) * 1; y.copy_(y[...])
    x = m.ones(2, requires_grad=True); y = m.where(x > 0, 1j, x); z = m.where(x > 0, x, 1j)
    x = m.ones(1) > 0; y = x.masked_fill(x, 1j); x.masked_fill_(x, 2j); z = m.arange(3).scatter(0, m.zeros(0), 1)
    x = m.ones(2, requires_grad=True) * 1; x.bernoulli_(m.tensor([1.]))
    x = m.zeros(0, 0).index_fill(0, m.tensor([0]), 2)
    x = m.linalg.tensorinv(m.ones(1, 1, requires_grad=True), out=m.zeros(1, 1))
    v = m.ones(3, requires_grad=True); v.sum().backward()
    v = m.ones(1, requires_grad=True); v.sum().backward()
    v = m.ones(3, 3, requires_grad=True); (v * v).sum().backward()
    v = m.ones(2, 3, requires_grad=True); g = m.autograd.grad(v.sum(), v)[0]; h = m.autograd.grad(v.mean(), v)[0]
    v = m.ones(2, 3, requires_grad=True); w = m.ones(3, requires_grad=True); g = m.autograd.grad((v + w).sum(), w)[0]
    v = m.ones(2, 3, requires_grad=True); g = m.func.grad(lambda q: (q * q).sum())(v)
    q = m.ones(3, requires_grad=True); a = 5 % q; b = 5 // q; c = q // 5; d = m.rsub(m.ones(3), q)
    q = m.ones(3, requires_grad=True); p = q * 2; m.full((2,), 3, out=p); m.arange(3, out=p); m.eye(2, out=q)
    q = m.ones(3, requires_grad=True); a = m.ldexp(q, m.tensor(2)); b = m.mvlgamma(q + 5, 2); c = m.trapezoid(q)
    q = m.ones(3, requires_grad=True); a = m.celu_(q * 1); b = m.selu_(q * 1); c = (q * 1).polygamma_(1)
    q = m.ones(3, requires_grad=True); a = (q * 1).conj_physical_(); q.view(3).conj_physical_()
    q = m.ones(3, requires_grad=True); a = (q * 1).random_(); b = (q * 1).random_(5); c = m.histogram(q, 3)[0]
    q = m.ones(3, requires_grad=True); a = m.softmax(q, 0, dtype=m.float64); b = m.nn.functional.mse_loss(q, m.ones(1))
    q = m.ones(3, requires_grad=True); a = m.gradient(q)[0]; b = m.cumulative_trapezoid(q)
    q = m.ones(3, requires_grad=True); c = m.pairwise_distance(q, 2 * q)
    q = m.ones(3, requires_grad=True); y = q * 1; y[:] += y[[0, 1, 1]]; y[...] -= .5
    v = m.ones(2); v.set_(m.ones(4), 0, (2, 2), (2, 1)); w = v.view(4); v.set_()
    x = m.zeros(1).expand(3); x.fill_(m.tensor(1)); m.sqrt(m.ones(2), out=x); x.apply_(lambda q: 2)
    x = m.zeros(2); x[True] = m.ones(1).double(); x[...] = m.tensor(1 + 2j); x.apply_(lambda q: 2 * q)
    x = m.full((), 1e10, dtype=m.float16); y = m.full((2,), 1e10, dtype=m.float16)
    x = m.ones(()); m.add(m.ones(4), x, out=x)
    x = m.ones(3); m.dropout_(x, .5, False); m.alpha_dropout_(x, 0., True)
    x = m.ones(2, 3); x.scatter_reduce_(1, m.zeros(2, 3, dtype=m.int64), x * 1, 'mean')
    x = m.tensor([[m.nan, .5], [1., 1.], [2., 0.]]); a = x.mode(0); b = m.igamma(m.tensor(m.nan), m.tensor(0.))
    x = m.tensor([1., 0, 1, 0, 1.]); a = x.topk(3)[1]; b = x.kthvalue(2)[1]; c = x.median(0)[1]
    x = m.trapezoid(m.tensor([1e38, 3e38])); y = m.ldexp(m.tensor(1e30), m.tensor(-200))
    x = m.pow(2, m.zeros(3, 4).T); y = m.normal(m.ones(3), m.ones(3), out=m.zeros(3))
    a = m.func.jvp(lambda q: q * q, (m.ones(3).int(),), (m.ones(3).int(),))
    x = m.ones(4); y = x[1:3]; x.data = x.data.clone(); x.mul_(2); y.add_(1); z = x.view(4); z.mul_(2)
    x = m.ones(4); y = x[1:3]; z = m.arange(4.); y.set_(z.untyped_storage(), 0, (2,)); y.mul_(3); x.add_(1); w = y.data
    x = m.ones(4); y = x.detach(); x.data = m.zeros(2); x.data = m.zeros(3); x.add_(1); y.mul_(2); z = y.data; z.add_(1)
    x = m.ones(4); y = x.data; z = y[1:]; y.data = m.zeros(2); z.mul_(2); y.mul_(2); x.add_(1)
    q = m.ones(3, requires_grad=True); x = q * 2; y = x.detach(); z = x*x; x.data = m.ones(3); y.add_(2); z.backward(q)
    q = m.ones(3, requires_grad=True); x = q * 2; z = x * x; x.data = x.data.clone(); x.data.mul_(2); z.sum().backward()
    x = m.arange(1., 4).expand(3, 3); x.tril_(); y = m.arange(1., 5); y.unfold(0, 2, 1).triu_()
    z = m.ones(3, 3).t().tril_()
    x = m.lerp(m.tensor([1, 5]), m.tensor([3, 9]), m.tensor(.3)); y = m.lerp(m.ones(2) > 0, m.ones(2) > 1, m.tensor(.7))
    x = m.nn.functional.adaptive_avg_pool2d(m.ones(1, 3), 1); y = m.cummax(m.ones(0), 1)
    z = m.blackman_window(1, dtype=m.complex64)
    x = m.nn.functional.hardtanh_(m.ones(2), 7); y = m.isin(m.ones(2), np.float64(.5)); z = m.isin(3, m.ones(9))
    q = m.ones(3, 3, requires_grad=True); x = m.zeros(0); m.select_copy(q, 0, 0, out=x); y = q.sum(0)
    q = m.ones(3, 3, requires_grad=True); y = q * 1; m.t_copy(m.ones(3, 3), out=y)
    q = m.ones(3, requires_grad=True); x = q * 2; y = q * 3; x.set_(y); z = m.ones(3); z.set_(y)
    q = m.ones(3, requires_grad=True); w = q * 2; w.set_(m.ones(2))
    q = m.ones(3, requires_grad=True); x = q * 2; x.set_(m.ones(4)[1:], 1, (2,), (1,)); y = x.storage_offset()
    q = m.ones(6, requires_grad=True); m.set_grad_enabled(False); m.linspace(0, 1, 6, out=q); m.set_grad_enabled(True)
    x = m.vander(m.arange(3.), 3, True); q = m.ones(3, requires_grad=True); y = m.vander(q, None, increasing=True)
    x = m.fft.rfftfreq(4, out=m.zeros(2)); y = m.fft.rfftfreq(-1)
    z = m.poisson_nll_loss(m.ones(2), m.ones(2), True, True, 0., 0)
    x = m.max_pool1d(m.ones(1, 4), 2); y = m.max_pool1d(m.ones(1, 1, 4), 2); q = m.ones(3, 3, requires_grad=True)
    q = m.ones(3, 3, requires_grad=True); x = q[None, -9:]; y = q[..., -3:]; z = q * 1; z[-3:] = 2
    q = m.ones(3, 3, requires_grad=True); w = q * 1; w[:, -4:] = 2
    x = m.arange(12.).as_strided((3, 3), (3, 1), 1); y = x.select_scatter(x[0], 0, 1)
    x = m.arange(12.)[2:11].view(3, 3); z = x.t().diagonal_scatter(m.ones(3))
    x = m.stack([m.ones(2, 3, 4, 4).to(memory_format=m.channels_last)] * 2, 1, out=m.zeros(1))
    x = m.ones(2) > 0; a = m.dist(m.ones(2), x); b = m.norm(m.ones(3), axis=0); c = m.ones(3).norm(out=m.zeros(()))
    x = m.sort(m.ones(2), out=(m.zeros(0), m.zeros(0, dtype=m.int64))); t = type(x).__name__
    b = m.arange(8.); x = b.reshape(2, 4).requires_grad_(); y = x[0]; with m.no_grad(): x.mul_(2)
    x = m.arange(8.)[1:].requires_grad_(); y = x[0]; x.detach().mul_(2); z = m.autograd.grad(y, x, allow_unused=True)
    q = m.ones(3, requires_grad=True); y = q * 2; y.retain_grad(); m.autograd.grad(y, q.clone(), q, allow_unused=True)
    q = m.tensor(1., requires_grad=True); v = m.ones(2, 3); a = m.autograd.grad((q * v).sum(), q)[0]
    q = m.tensor(1., requires_grad=True); b = m.autograd.grad(q.unfold(-1, 1, 2).sum(), q)[0]
    q = m.ones(2, 3, requires_grad=True); b = m.autograd.grad(q.unfold(0, 2, 1).sum(), q)
    q = m.ones(2, 3, requires_grad=True); a = m.autograd.grad(q.expand(1, 2, 3), q, m.ones(1, 2, 3))[0]
    x = m.zeros(2, 3, 4, 4).to(memory_format=m.channels_last); y = m.renorm(x, 2, 0, 1.)
    q = m.ones(4, requires_grad=True); x = q * 1; y = x[1:]; with m.inference_mode(): y.detach_(); x.mul_(2)
    q = m.ones(3, requires_grad=True); a = m.view_copy(q, m.int32); b = m.view_copy(q, dtype=m.float32)
    a = m.lerp(m.tensor(1.), m.ones(3), m.tensor(1j, dtype=m.complex128))
    q = m.ones(2, 2, dtype=m.complex128, requires_grad=True); x = q * 1; y = m.view_as_real(x); z = x.imag; y.mul_(2)
    q = m.ones(2, 2, 2, requires_grad=True); x = q * 1; y = m.view_as_complex(x); x.mul_(2); y.mul_(2)
    v = m.ones(1, 3, 1).requires_grad_(); q = v[0, :, 0]; a = m.autograd.grad(v.squeeze(), v, q, None, True)
    v = m.ones(1, 3, 1).requires_grad_(); q = v[0, :, 0]; a = m.autograd.grad(v.squeeze(-1), v, q[None], None, True)
    v = m.ones(1, 3, 1).requires_grad_(); q = v[0]; a = m.autograd.grad(v.squeeze((0, 1)), v, q, None, True)
    v = m.ones(1, 3, 1).requires_grad_(); q = v[0]; a = m.autograd.grad((v * 1).squeeze_(0), v, q, None, True)
    v = m.ones(1, 3, 1).requires_grad_(); q = v[0]; a = m.autograd.grad(v.unsqueeze(0), v, q[None, None], None, True)
    q = m.ones(1, 4, 4, requires_grad=True); a = m.autograd.grad(m.nn.functional.relu(q).sum(), q, create_graph=True)
    q = m.ones(1, 4, 4).requires_grad_(); a = m.autograd.grad(m.nn.functional.leaky_relu(q).sum(), q, None, None, True)
    q = m.ones(1, 4, 4).requires_grad_(); a = m.autograd.grad(m.max_pool2d(q, 2).sum(), q, None, None, True)
    v = m.ones(2, 2, dtype=m.complex64, requires_grad=True); a = v.select_scatter(m.ones(2, dtype=m.complex64), 0, 0)
    with m.inference_mode(): x = m.ones(2, 3); a = x.half(); b = x.sum(0); c = x.mean(); d = x.clone(); e = x + c
    with m.inference_mode(): x = m.ones(2, 3); a = x.sort(); b = m.floor(x); c = m.floor(x.int()); d = x[0].new_zeros(2)
    with m.inference_mode(): x = m.ones(2, 3); a = m.linalg.inv(m.eye(2)); b = m.linalg.inv(x[:, :2] + x[:, 1:] * 0)
    with m.inference_mode(): x = m.ones(2, 3); a = x.max(); b = x.max(0); c = x.min(0); d = x.median(1); e = x.std(0)
    with m.inference_mode(): x = m.ones(2, 3); y = m.sort(x, out=(m.zeros(0), m.zeros(0, dtype=m.int64)))
    with m.inference_mode(): x = m.ones(2, 3); a = x.short(memory_format=m.contiguous_format)
    with m.inference_mode(): x = m.ones(2, 3); a = x.std(); b = m.nn.functional.mse_loss(x, x); c = x.aminmax(dim=0)
    v = m.ones(3, requires_grad=True); v.register_hook(lambda g: g * 2); (v * v).sum().backward()
    v = m.ones(3, requires_grad=True); v.view(-1).backward(m.ones(3)); w = m.ones((), requires_grad=True); w.backward()
    v = m.ones(2, 0, requires_grad=True); v.sum().backward()
    v = m.ones(1, requires_grad=True); v.sum().backward(); w = m.ones((), requires_grad=True); w.clone().backward()
    v = m.ones(3, requires_grad=True); v.mean().backward(create_graph=True); w = v.clone(); u = m.cat([v, v])
    v = m.ones(3, requires_grad=True); w = m.ones(2, requires_grad=True); m.cat([v, w]).backward(m.ones(5))
    x = m.all(m.ones(2), out=m.ones(2).byte()); y = m.linalg.vector_norm(m.ones(2).half(), 2, dtype=m.float32)
    q = m.ones(2, 2); x = m.nn.functional.scaled_dot_product_attention(q, q, q, dropout_p=-1.)
    x = m.ones(0); m.stack([x, x], -1, out=x); y = m.ones(1); m.eq(m.ones(3), y, out=y.view(1))
    q = m.ones(1, 2, 3, requires_grad=True); y = q * 2; with m.no_grad(): y[:1:1, :] += m.tensor(-1.)
    q = m.ones(2, requires_grad=True); y = q * 2; y[0] = y[::2]; z = m.ones(2, 3) * q[0]; z[0] = z[:1]
    a = m.trapezoid(m.ones(0)); b = m.trapezoid(m.ones(2, 0)); c = m.trapezoid(m.ones(2, 0), m.ones(2, 0))
    x = m.arange(6.).view(2, 3); m.permute_copy(x, (1, 0), out=x.t()); y = m.arange(6.); m.diff(y.view(2, 3), out=y[:4])
    x = m.arange(6.).view(2, 3); m.cumsum(x, 0, out=x[:1]); y = m.arange(6.).view(2, 3); m.msort(y, out=y.t())
    x = m.vmap(lambda q: m.special.i1e(q))(m.ones(0, 2)); y = m.vmap(lambda q: m.cdist(q, q))(m.ones(0, 2, 3))
    x = m.conv2d(m.ones(0, 2, 3, 3), m.ones(2, 2, 2, 2).double()) + 1; y = m.cholesky(m.ones(2, 0))
    x = m.det(m.ones(0, 0).half()); y = m.linalg.eigvalsh(m.ones(0, 0).int()); z = m.linalg.svdvals(m.ones(0, 3).half())
    x = m.conv_transpose2d(m.ones(1, 2, 3, 3).double(), m.ones(2, 2, 2, 2).double(), m.ones(2))
    x = m.nn.functional.soft_margin_loss(m.ones(3, 4), m.ones(4).double(), reduction='none')
    m.ones(0).index_select(0, m.tensor([0]))
    m.ones(0, 2).index_select(0, m.tensor([0]))
    m.ones(2, 3).hash_tensor(5, mode=-1)
    m.ones(2, 0).hash_tensor(1, mode=-1)
    q = m.ones(0, 3, requires_grad=True); q.unfold(1, 1, 2).sum().backward()
    p = m.nn.Parameter(m.full((3,), 3.)); a = m.ones(3) / p; b = p / m.ones(3); c = 1 / p; d = m.ones(3) - p
    v = m.ones(100, 100, requires_grad=True); v.mean().backward()
    w = m.ones(0, requires_grad=True); w.mean().backward()
    q = m.ones(3, requires_grad=True); z = m.zeros(3); m.softmax(q, 0, out=z); y = m.log_softmax(q, 0, out=m.zeros(5))
    q = m.ones(3, requires_grad=True); y = q * 2; m.softmax(m.ones(3), 0, out=y); m.heaviside(q, q, out=y)
    q = m.ones(3, requires_grad=True); m.softmax(m.ones(3), 0, out=q)
    y = m.randn(3, out=m.zeros(0)); z = m.rand(3, out=m.zeros(0))
    x = m.ones(1, 2, 3); a = m.nn.functional.pad(x, (1, 1), mode='circular')
    x = m.ones(1, 2, 3); b = m.nn.functional.pad(x, (-1, 1), mode='circular')
    x = m.ones(1, 2, 3, requires_grad=True); a = m.nn.functional.pad(x, (1, 1), 'circular'); (a * a).sum().backward()
    x = m.ones(3, requires_grad=True); a = (x * 1).bernoulli_(); b = (x * 1).bernoulli_(.5)
    x = m.ones(3, requires_grad=True); c = m.view_copy(x, (-1,), out=x * 1)
    x = m.ones(2, 3, requires_grad=True); a = m.func.jacrev(m.sin)(x); b = m.func.jacfwd(m.sin)(x)
    x = m.ones(3, requires_grad=True); c = m.func.vjp(m.sin, x)[0]
    x = m.tensor(2., requires_grad=True); a = m.func.hessian(m.sin)(x); b = m.func.grad_and_value(m.sin)(x)[1]
    x = m.ones(3, requires_grad=True) * 1; y = m.func.vjp(lambda q: q, x)[0]; z = m.func.vjp(lambda q: q[0], x)[0]
    x = m.ones(3, 2, requires_grad=True); y = m.nn.functional.group_norm(x.t()[None], 2)
    x = m.ones(2, 3, 4); a = m.zeros(3); b = m.ones(3); m.nn.functional.batch_norm(x, a, b, training=True)
    q = m.ones(3, requires_grad=True); g = m.autograd.grad(m.normal(q, 1.).sum(), q)[0]
    q = m.ones(3, requires_grad=True); h = m.autograd.grad(m.fft.irfft(q * 1j).sum(), q)[0]
    q = m.ones(2, 3, requires_grad=True); g = m.autograd.grad(q.sum(0, True).sum(0, True).sum(), q)[0]
    q = m.ones(1, 3, requires_grad=True); q.sum(0, True).backward(m.ones(1, 3))
    s = m.tensor([complex(1, m.inf), complex(m.nan, 1)]); a = m.view_as_real(1 + s); b = m.view_as_real(m.ones(2) - s)
    s = m.tensor([complex(1, m.inf)] * 2); a = m.view_as_real(s.cumsum(0)); b = m.view_as_real(s.cumprod(0))
    s = m.tensor([complex(1, m.inf)]); a = m.view_as_real((s * 0).scatter_add(0, m.tensor([0]), m.ones(1) * s))
    a = m.special.chebyshev_polynomial_t(.5, m.tensor([m.inf, m.nan, 1e20])); b = m.special.laguerre_polynomial_l(a, 3)
    x = m.tensor([[8., 1., 2.5], [0., 3., 0.]]).half(); a = x.log_softmax(1); b = x.log_softmax(0); c = x.softmax(0)
    x = m.tensor([[8., 1., 2.5], [0., 3., 0.]]).bfloat16(); a = x.log_softmax(-1); b = x.t().log_softmax(1)
    q = m.ones(0, 5, requires_grad=True); a = m.linalg.norm(q, 2); b = m.linalg.matrix_norm(q, m.inf)
    q = m.arange(3., requires_grad=True); a = m.histogram(m.ones(3), q); b = m.histogram(m.ones(3), 2, weight=q)
    q = m.ones(3, 2, requires_grad=True); a = m.histogramdd(q, [2, 2])
    q = m.linspace(-2, 2, 20).bfloat16().requires_grad_(); a = [m.autograd.grad(f(q), q, q.detach()) for f in SLOPES]
    q = m.linspace(-2, 2, 20).half().requires_grad_(); a = [m.autograd.grad(f(q), q, q.detach()) for f in SLOPES]
    q = m.linspace(-2, 2, 20).bfloat16().requires_grad_(); a = [recorded(m, f, q) for f in SLOPES]
    q = m.linspace(-2, 2, 20).bfloat16(); a = m.add(q, q.sin(), alpha=.3); b = m.xlogy(q, q.exp()); c = q.logsumexp(0)
    q = m.linspace(-2, 2, 20).bfloat16(); a = m.special.xlog1py(q, q.exp()); q.sub_(q.sin(), alpha=.3)
    x = m.tensor([complex(1, -0.)]).sum(); y = m.atan2(m.tensor([-0.]).sum(), m.tensor(-1.))
    g = m.ones(1, 1, 2, 2) * 5; x = 1 / m.nn.functional.grid_sample(-m.ones(1, 1, 3, 3), g, align_corners=False)
    a = m.gcd(m.tensor([-128, 7]).to(m.int8), m.tensor([7, -128]).to(m.int8))
    a = m.igamma(m.tensor([m.inf, m.nan]), m.tensor([m.nan, m.inf])); b = m.igammac(m.tensor(m.inf), m.tensor(m.nan))
    t = m.arange(6).reshape(3, 2).t(); a = m.unravel_index(t, (4, 5)); b = m.masked_scatter(t, m.ones(2, 3) > 0, t * 2)
    t = m.arange(6.).reshape(3, 2).t(); a = m.complex(t, m.tensor(1.)); b = m.polar(m.ones(3), t)
    t = m.ones(3, 2).t(); a = m.bernoulli(t, 1.)
    t = m.arange(9.).reshape(3, 3).t(); a = m.linalg.matrix_power(t, 0); b = m.linalg.matrix_power(t, 1)
    t = m.arange(6.).reshape(3, 2).t(); a = m.nn.functional.batch_norm(t, m.zeros(3), m.ones(3), eps=1.)
    t = m.ones(3, 2).t(); a = m.nn.functional.binary_cross_entropy_with_logits(t, m.ones(2, 3), reduction='none')
    t = m.arange(6).reshape(3, 2).t(); a = m.ldexp(m.ones(3), t)
    t = m.ones(2, 3) > 0; b = m.addr(t, m.ones(2).half(), m.ones(3) > 0, beta=3)
    a = m.linspace(-1, 0, 5, dtype=m.uint8); t = m.tensor([5., 1., 4., 2., 3., 9.]); b = t.topk(3, 0, False, False)
    q = m.ones(2, 2, 2, 2).to(memory_format=m.channels_last); a = m.nn.functional.adaptive_avg_pool2d(q, 1)
    x = m.arange(8.).half(); a = x.topk(8, sorted=False); b = x.flip(0)[::2].topk(3, sorted=False)
    q = m.ones(3, requires_grad=True); a = m.histogramdd(m.ones(3, 2), [2, 2], weight=q)
    g = m.tensor(4., requires_grad=True); x = m.zeros(3); x[0] = g; x.sum().backward(); x.sum().backward()
    g = m.ones(2, requires_grad=True); x = m.zeros(3); x[:2].add_(g); x.sum().backward(); y = x * 1; y.sum().backward()
    d = m.ones(3, 2, requires_grad=True); m.pairwise_distance(d, d).sum().backward()
    d = m.ones(3, 2).expand(2, 3, 2).requires_grad_(); (d * d).sum().backward()
    d = m.ones(3, 3, requires_grad=True); m.addmm(d, d, d).mean().backward(); e = m.addmm(d, d, m.ones(3, 3)).sum()
    d = m.ones(3, 3, requires_grad=True); m.addmm(d, d, d).mul(2).backward(m.ones(3, 3))
    d = m.ones(3, 3, requires_grad=True); m.addcmul(d, d, d).mean().backward()
    d = m.ones(3, 3, requires_grad=True); (d + d * 2).mean().backward()
    d = m.ones(3, 3, requires_grad=True); ((d - d.exp() - d.sin()) ** 2).mean().backward()
    e = m.ones(2, 1, requires_grad=True); c = e - e; (c * c).abs().sum().backward()
    e = m.ones(2, 1, requires_grad=True); c = e * 3; d = c - c; g = m.autograd.grad((d * d).sum(), [d, c, e])
    e = m.ones(2, 1, requires_grad=True); c = e * 3; d = c + c.exp(); g = m.autograd.grad((d * d).sum(), [d, c, e])
    c = m.eye(3); b = m.linalg.matrix_rank(c); d = m.linalg.matrix_rank(m.ones(0, 3)); e = m.linalg.matrix_rank(c, .1)
    b = m.ones(2, 3); c = m.kron(m.ones(0, 3), m.ones(2, 3), out=b); d = b.view(-1); d.add_(1)
    b = m.ones(4); c = m.ones(2); m.kron(c, c, out=b); d = b[1:]; b.add_(1); e = m.kron(c, c, out=b)
    e = m.arange(3., requires_grad=True); a = m.special.ndtr(-e); b = m.special.ndtr(e.detach()); a.sum().backward()
    e = m.ones(3, 4, requires_grad=True); a = m.bilinear(e, e, m.arange(32.).view(2, 4, 4)); a.sum().backward()
    e = m.ones(3, 4); w = m.ones(2, 4, 4).requires_grad_(); a = m.bilinear(e, e + 1, w, m.ones(2)); a.sum().backward()
    e = m.arange(9.).view(3, 3).requires_grad_(); g = m.max(e); (g * g).backward(create_graph=True); h = e.grad.detach()
    e = m.ones(3, 3).requires_grad_(); h = m.diagflat(e.t()); f = m.pdist(e.t())
    a = m.tensor([-1j, -2+0j, -1-2j, 2-1j, .5]).requires_grad_(); y = m.acosh(a); y.backward(m.ones_like(y))
    a = m.eye(3).requires_grad_(); y = m.linalg.lstsq(a, a)[0]; z = m.linalg.lstsq(a[None], a[None])[0]
    a = m.eye(3).requires_grad_(); b = m.nn.functional.cross_entropy(a, m.tensor([0, 1, 2]), label_smoothing=.1)
    f = m.ones(2, 3); f.view_as(f).eq_(f[:1])
    f = m.ones(2, 3); f.view_as(f).logical_and_(f[:1])
    f = m.ones(2, 3); f.view_as(f).clamp_(f[:1])
    f = m.ones(2, 3); f.view_as(f).addcmul_(f[:1], f[:1])
    f = m.ones(2, 3); f.view_as(f).sub_(f[:1], alpha=2)
    f = m.ones(2, 3, dtype=m.complex64); f.view_as(f).mul_(f[:1].conj()); m.cumsum(f.conj(), 1, out=f)
    h = m.ones(4); c = m.ones((), requires_grad=True) * 1; d = m.tensordot(h, h, 1, out=c)
    q = m.ones(4, requires_grad=True); c = q * 1; m.floor_divide(q, 2, out=c); d = m.zeros(()); m.quantile(q, .5, out=d)
    q = m.ones(2, 2, requires_grad=True); c = m.zeros(2); m.diag(q, out=c); d = m.zeros(()); m.linalg.cond(q, out=d)
    a = m.tensor(1.5); b = a.index_add(0, m.tensor([0, 0]), m.tensor(4.))
    a = m.tensor(1.5); b = a.index_reduce(0, m.tensor([0, 0]), m.tensor(4.), 'amin')
    a = m.tensor(1.5); b = m.take_along_dim(a, m.tensor(0), 0)
    a = m.nn.functional.linear(m.ones(1, 5, 0), m.ones(2, 0), m.zeros(2))
    a = m.linalg.cholesky_ex(m.tensor([[1., m.nan], [m.nan, 1.]]))[1]; b = m.linalg.cholesky(m.tensor([[m.nan]]))
    c = m.ones(2); with m.inference_mode(): d = m.func.grad(lambda q: (q * q).sum())(c)
    with m.inference_mode(): x = m.ones(2); a = m.func.grad(lambda q: (q * q).sum())(x)
    c = m.ones(2); with m.inference_mode(): d = m.func.jvp(lambda q: q * q, (c,), (c,))
    c = m.ones(2); with m.inference_mode(): a = m.func.jacfwd(m.sin)(c); b = m.func.hessian(lambda q: (q * q).sum())(c)
    d = m.ones(2, 3, 4, 4, requires_grad=True); a = d.mT.to(memory_format=m.channels_last); b = a.sum(); b.backward()
    d = m.ones(2, 3, 4, 4, requires_grad=True); a = d.to(m.float64, memory_format=m.channels_last)
    d = m.ones(2, 3, requires_grad=True); a = d.t().to(memory_format=m.contiguous_format, copy=True)
    h = m.ones(2, dtype=m.complex128, requires_grad=True); e = h.conj_physical(); e.abs().sum().backward()
    e = m.ones(2, dtype=m.complex64, requires_grad=True); m.bitwise_or(m.ones(2, dtype=m.complex64), m.ones(2), out=e)
    h = m.ones(2, 3, dtype=m.cfloat, requires_grad=True); f = h.mH; f.backward(m.ones(3, 2) * 1j); (f * f).abs().sum()
    h = m.ones(2, 3, dtype=m.cfloat, requires_grad=True); h.mH.backward(m.ones(3, 2)); h.mH.backward(m.ones(3, 2) * 1j)
    h = m.ones(3, requires_grad=True); e = m.func.grad(lambda q: (q * q).sum())(h); b = m.autograd.grad(e.sum(), h)[0]
    f = m.ones((1,), requires_grad=True); f.mean().backward(); g = m.ones(1, 2, requires_grad=True); g.mean().backward()
    d = m.ones(3, 2, 3).permute(2, 1, 0); f = m.nn.functional.linear(d, m.ones(2, 3), m.ones(2, requires_grad=True))
    c = m.zeros(3, 3, requires_grad=True); e = c[:, [0, 1]]; g = m.autograd.grad((e * e).sum(), c, None, None, True)[0]
    with m.inference_mode(): x = m.ones(2); x.mul_(3)
    with m.inference_mode(): x = m.ones(2); x += 1
    with m.inference_mode(): x = m.ones(2); x[0] = 5
    with m.inference_mode(): x = m.ones(2); m.cumsum(m.ones(3), 0, out=x)
    with m.inference_mode(): x = m.ones(2); x.uniform_()
    x = m.zeros(3); x.masked_scatter_(m.ones(3, dtype=m.bool), m.ones(2))
    x = m.zeros(9, dtype=m.int64); m.randn(3, out=x)
    x = m.zeros(9, dtype=m.cfloat); m.randperm(4, out=x)
    x = m.zeros(9, dtype=m.bool); m.arange(4, out=x)
    x = m.zeros(9); m.bitwise_or(m.ones(2, 3), m.ones(2, 3), out=x)
    x = m.zeros(9, dtype=m.int64); m.lerp(m.arange(2), m.arange(2), .5, out=x)
    x = m.zeros(9, dtype=m.cfloat); m.lt(m.ones(2, 3).t() * 1j, 2, out=x)
    x = m.zeros(9, dtype=m.int64); m.nansum(m.ones(2, 3), 1, out=x)
    x = m.zeros(9, dtype=m.int64); y = m.zeros(5, dtype=m.int64); m.kthvalue(m.ones(2, 3) > 0, 1, 0, out=(x > 0, y))
    x = m.zeros(9, dtype=m.cfloat); m.histc(m.ones(3) * 1j, 4, out=x)
    x = m.zeros(9, dtype=m.cfloat); m.nn.functional.softplus(m.ones(3) * 1j, out=x)
    x = m.zeros(9, dtype=m.int64); m.select_copy(m.ones(2, 3), 0, 0, out=x)
    x = m.zeros(9); m.dot(m.ones(2, 3), m.ones(2), out=x)
    x = m.zeros(9, dtype=m.int64); m.dot(m.ones(2), m.ones(2), out=x)
    x = m.zeros(9, dtype=m.int64); y = m.zeros(5); m.sort(m.ones(2, 3).long(), 0, out=(x, y))
    x = m.zeros(9, dtype=m.int64); y = m.zeros(5); m.kthvalue(m.ones(2, 3).long(), 1, 0, out=(x, y))
    x = m.zeros(9, dtype=m.int64); m.var(m.ones(2, 3), 0, out=x)
    x = m.zeros(9); m.gather(x[1:4], 0, m.tensor([0, 1, 2, 2]), out=x)
    x = m.zeros(9); m.stack([x[1:4], x[1:4]], out=x)
    x = m.zeros(9); m.scatter(x[1:4], 0, m.tensor([0]), 1., out=x)
    x = m.zeros(9); m.bernoulli(m.ones(3) * 2, out=x)
    x = m.ones(3, dtype=m.cfloat, requires_grad=True); m.bernoulli(x, out=m.zeros(3, dtype=m.cfloat))
    x = m.bernoulli(m.zeros(0, dtype=m.cfloat), out=m.zeros(0, dtype=m.cfloat))
    x = m.zeros(9, dtype=m.cfloat); m.nansum(m.ones(3) * 1j, 0, out=x)
    x = m.add(m.arange(3), 1, out=3); y = m.div(m.ones(2), 2, out=1j); z = m.sub(m.ones(2), 2, out=3)
    x = m.tensor(1.); x['x']
    x = m.ones(2); x[0, 'x']
    x = m.tensor(1., requires_grad=True); m.nn.functional.embedding(m.tensor([0, 0]), x)
    x = m.zeros(2, dtype=m.int64); x.fill_(m.tensor(2.5, requires_grad=True))
    x = m.zeros(2, dtype=m.bool); x[0:1] = m.tensor(2.5, requires_grad=True)
    x = m.zeros(2, requires_grad=True).exp(); m.randn(2, out=x)
    x = m.zeros(6).reshape(2, 3).requires_grad_(); with m.no_grad(): m.rand(2, 3, out=x)
    x = m.tensor(2j); m.lt(x, m.ones(1, 3), out=x)
    x = m.arange(3.).requires_grad_(); y = m.nn.functional.layer_norm(x, (3,)); y.mul_(2); y.sum().backward()
    x = m.eye(3).requires_grad_(); y = m.linalg.lstsq(x, x)[0]; y.detach().mul_(2); y.sum().backward()
    x = m.ones(2, 3, 4); y = m.zeros(30); m.matmul(x, x, out=y)
    x = m.ones(3); m.dot(x, x, out=x)
    with m.no_grad(): x = m.fft.ifft(m.ones(3)); y = m.fft.ihfft(m.ones(3)); z = x.is_conj(), y.is_conj()
    x = m.ones(2, dtype=m.cfloat, requires_grad=True); x.conj().backward(m.ones(2)); x.conj().backward(m.ones(2) * 1j)
    x = m.ones(1, 3, requires_grad=True); y = m.inner(x, x); z = m.tensordot(x, x.t(), 1)
    x = m.ones(3, requires_grad=True); y = m.special.log_ndtr(x); y += 2; y.backward(m.ones(3))
    x = m.tensor([[0., m.nan, 2.], [m.nan, 0., m.nan]]); y = m.mode(x, 0); z = m.mode(x, 1, True)
    x = m.nn.functional.group_norm(m.full((3, 3), -3.), 1)
    x = m.zeros(9, dtype=m.cfloat); m.special.xlog1py(m.ones(3) * 1j, m.ones(3), out=x)
    x = m.zeros(9, dtype=m.cfloat); m.bernoulli(m.ones(2, 3) * 1j, out=x)
    x = m.zeros(9); m.nanmean(m.ones(2, 3) > 0, 1, out=x)
    c = m.zeros(3, requires_grad=True); e = m.vmap(m.func.grad(lambda q: (q[m.tensor([0, 1])] ** 2).sum()))(c[None])
    c = m.zeros(5, 3, 3).kthvalue(2, 1); e = m.zeros(3, 2, 5, 3).double().kthvalue(2)
    c = m.fft.rfft2(m.zeros(3, 3, 2)); m.zeros((5, 3, 50), out=c); a = m.zeros(4); m.fft.fft(a); m.zeros(9, out=a)
    e = m.ones(2, 3, 3); with m.inference_mode(): f = m.linalg.lstsq(e + m.eye(3), e)[0]; f.unsqueeze_(0)
    g = m.ones(2, requires_grad=True); with m.inference_mode(): g.backward(m.ones(2)); g.sum().backward(inputs=[g])
    d = m.zeros(4); a = d[:2]; b = d[2:]; c = m.ones(2, requires_grad=True); a += c; b += 1; d.sum().backward()
    b = m.zeros(4).view(4); b[:] += m.ones(4, requires_grad=True)
    b = m.zeros(4).view(4); b[1:] += m.ones(3, requires_grad=True); b[:1] = 3
    b = m.rand((0, 2), requires_grad=True); a = b[0:-1, 0]; c = b * 1; c[:-1] -= 3
    c = m.ones(3, requires_grad=True); e = c * .3; m.nn.functional.relu(e, inplace=True); e.mul_(2); e.sum().backward()
    c = m.ones(3, requires_grad=True); e = c * .3; e.copysign_(1.5); e.mul_(2); e.sum().backward()
    c = m.ones(3, requires_grad=True); e = c * .3; e.hypot_(m.ones(3)); e.mul_(2); e.sum().backward()
    c = m.ones(3, requires_grad=True); e = c * .3; e.cumprod_(0); e.mul_(2); e.sum().backward()
    c = m.ones(3, requires_grad=True); e = c * .3; e[1:].cumprod_(0); e.sum().backward()
    c = m.ones(3, requires_grad=True); e = c * 1; a = m.fft.fft(e); e.mul_(2); a.abs().sum().backward()
    c = m.ones(3, requires_grad=True); e = c * 1; a = m.div(e, c, rounding_mode='floor'); e.mul_(2); a.sum().backward()
    c = m.ones(3).requires_grad_(); e = m.ones(3); a = m.div(c, e, rounding_mode='trunc'); e.add_(1); a.sum().backward()
    f = m.zeros(3, 2); b = m.ones(2, requires_grad=True); f.ne_(b); (f * f).sum().backward()
    f = m.zeros(0, 4).index_add(0, m.tensor([0]), m.ones(1, 4)); g = m.zeros(0).index_add(0, m.tensor([0]), m.ones(1))
    c = m.zeros(3, 0, dtype=m.cfloat).mode(0); d = m.tensor(1j).mode(-1)
    c = m.nn.functional.embedding_bag(m.tensor([[0, 1]]), m.ones(2, 0), mode='sum')
    c = m.zeros(0, dtype=m.cfloat).softmax(-1); d = m.zeros(0, 2, dtype=m.cfloat).log_softmax(0)
    c = m.nn.functional.cross_entropy(m.zeros(0, 0), m.zeros(0).long(), label_smoothing=.1)
    c = m.nn.functional.binary_cross_entropy(m.ones(2), m.tensor([1., m.nan]))
    c = m.nn.functional.adaptive_avg_pool1d(m.zeros(3, 1, 0), 1); d = m.nn.functional.adaptive_avg_pool2d(c, 1)
    c = m.addmv(m.ones(1), m.zeros(4, 0), m.zeros(0)); d = m.addmv(m.ones(()), m.zeros(0, 3), m.zeros(3), beta=2)
    a = m.addmv(m.tensor([2]), m.ones(4, 0).long(), m.ones(0).long(), beta=2.5)
    q = m.ones(1, requires_grad=True); b = m.addmv(q, m.ones(4, 0), m.ones(0))
    k = m.tensor([[[-float('inf'), 1.]]]); v = m.ones(1, 1, 2, requires_grad=True); q = v * 1; q.retain_grad(); \
m.nn.functional.scaled_dot_product_attention(q, k, v).sum().backward()
    c = m.bernoulli(m.zeros(0, dtype=m.cfloat, requires_grad=True))
    c = m.ones(2, dtype=m.cfloat, requires_grad=True) * 1; m.nn.functional.silu(c, True); c.abs().sum().backward()
    d = m.ones(2).requires_grad_(); h = m.func.jvp(lambda q: q * q, (d,), (d,))[1]; h.sum().backward(create_graph=True)
    g = m.zeros(3, 3, requires_grad=True); f = m.nn.functional.group_norm(g, 1); c = m.autograd.grad(f.sum(), g)[0]
    g = m.tensor([1 + 2j], requires_grad=True); f = g.real; f.retain_grad(); with m.no_grad(): g.mul_(2); f.backward(f)
    x = m.ones(3, 4).t().requires_grad_(); r = x * 2; r.retain_grad(); q = (r * r).sum(); q.backward()
    x = m.ones(5, requires_grad=True); y = m.inner(x, m.ones(10)[::2]); z = m.inner(x, x)
    x = m.ones(2, 2, requires_grad=True); y = m.tensordot(x, m.ones(2, 2), ([0, 1], [1, 0])); y.backward()
    x = m.ones(2, 2).requires_grad_(); y = m.addmm(x, x.detach(), x); y.sum().backward(); y.sum().backward(inputs=[x])
    x = m.ones(2, requires_grad=True); y = x.fmod(2 * x); y.sum().backward(); y.sum().backward(inputs=[x])
    x = m.ones(2, 2).requires_grad_(); y = m.t_copy(x); z = m.unbind_copy(x); y[0].sum().backward(); y.sum().backward()
    x = m.ones(2, requires_grad=True) * 1j; y = m.view_as_real_copy(x); y.sum().backward()
    x = m.eye(3, requires_grad=True); y = m.linalg.tensorsolve(x, m.ones(3), out=m.zeros(0)); y.sum().backward()
    x = m.eye(3, requires_grad=True); y = m.linalg.ldl_solve(x, m.tensor([1, 2, 3]).int(), m.eye(3), out=m.zeros(3, 3))
    x = m.eye(3, requires_grad=True); y = m.multinomial(x + 1, 2, out=m.zeros(0, dtype=m.int64)).shape
    x = m.view_as_complex(m.ones(6).as_strided((1, 2), (3, 1)))
    x = m.full((2,), .5, requires_grad=True); g = m.autograd.grad(x.logit().sum(), x, create_graph=True)[0]
    x = m.diff(m.ones(3, 0), dim=-1, out=m.zeros(0))
    x = m.ones(3, 0, requires_grad=True); y = m.nn.functional.batch_norm(x, m.zeros(0), m.ones(0))
    x = m.ones(1, 4, requires_grad=True); y = m.nn.functional.max_pool1d(x, 2); y.sum().backward(create_graph=True)
    x = m.ones(1, 4).requires_grad_(); y = m.max_pool1d(x, 2); m.autograd.grad(y, x, y, True, True)[0].sum().backward()
    x = m.ones(2, 3, dtype=m.cfloat).requires_grad_(); y = x.mH; with m.no_grad(): x.mul_(2); y.abs().sum().backward()
    x = m.zeros(0, 3); y = m.linalg.cond(x @ x.mT)
    z = m.ones(2, dtype=m.cfloat, requires_grad=True); m.dropout_(z, .5, True)
    with m.inference_mode(): x = m.ones(3, 3); b = x.mvlgamma(1); c = x.diag(); d = x.unique()
    e = m.ones(3, 2); with m.inference_mode(): h = e.unfold(0, 2, 1); h //= m.tensor([1., 2.], requires_grad=True)
    e = m.ones(3); with m.no_grad(): h = e[1:]; h.copysign_(m.tensor([1., 2.], requires_grad=True))
    a = m.tensor([[True, False]]); a.scatter_reduce_(0, m.tensor([[0, 0]]), m.tensor([[True, True]]), 'mean')
    h = m.zeros(3, dtype=m.complex128, requires_grad=True); with m.no_grad(): e = m.normal(h, 1.)
    with m.inference_mode(): x = m.ones(2); y = m.nn.Parameter(x, False); z = m.nn.Parameter(x)
    e = m.tensor(3., requires_grad=True); g = m.ones(3); with m.no_grad(): a = g[1:]; a[m.tensor([0, 1])] *= e
    e = m.tensor(3., requires_grad=True); g = m.ones(3); with m.no_grad(): a = g[1:]; a.copy_(e)
    x = m.nn.functional.l1_loss(m.tensor(2., dtype=m.float64), m.ones(2)); y = m.nn.functional.l1_loss(m.ones(2), x)
    e = m.tensor(3., requires_grad=True); g = m.ones(3); with m.no_grad(): a = g[1:]; a.masked_fill_(a > 0, e)
    x = m.all(m.ones(2).byte(), -1, out=m.ones(0) > 0); y = m.any(m.full((2,), .5), out=m.zeros(()).byte())
    x = m.ones(2) > 0; x ** -1
    x = m.ones(2); x.requires_grad = 1
    x = m.ones(2); x.size('N')
    x = m.ones(4, 1).t(); y = x.double().stride(); z = x.cfloat()[1:].storage_offset()
    x = m.ones(0, 2).t().half().stride()
    q = m.ones(3, requires_grad=True); x = m.zeros(3).scatter(0, m.tensor([0]), q); x.sum().backward()
    q = m.ones(3, requires_grad=True); x = m.zeros(3).scatter_reduce(0, m.tensor([0]), q, 'mean'); x.sum().backward()
    q = m.ones(3, 2).t().requires_grad_(); m.nn.functional.mse_loss(q, q * 2).backward()
    q = m.ones(3, 2).t().requires_grad_(); a = m.autograd.grad(m.nn.functional.huber_loss(q, q.detach() * 2), q)
    q = m.ones(3, 2).t().requires_grad_(); a = m.autograd.grad(m.nn.functional.smooth_l1_loss(q.detach(), q * 2), q)
    x = m.ones(2) * 1j; y = m.func.jvp(m.sin, (x,), (x,))[1]; z = m.func.jvp(m.abs, (x,), (x,))[1]
    q = m.ones(3, requires_grad=True); a = recorded(m, lambda v: v.pow(3), q)
    q = m.ones(3).requires_grad_(); a, = m.autograd.grad((q**3).sum(), q, None, None, True); (a**3).sum().backward(q)
    q = m.ones(3, requires_grad=True); x = m.lcm(q, q, out=m.ones(3))
    x = m.ones(2, 3); x.index_select(1, m.tensor([-4]))
    q = m.ones(2, requires_grad=True); x = q ** m.ones(2); x.mul_(2); x.sum().backward()
    q = m.ones(2, requires_grad=True); x = m.ldexp(q, m.ones(2)); x.mul_(2); x.sum().backward()
    q = m.ones(2, requires_grad=True); x = m.ones(2).copysign(q); x.mul_(2); x.sum().backward()
    q = m.eye(2).requires_grad_(); x = m.linalg.solve(m.eye(2), q); x.mul_(2); x.sum().backward()
    q = m.eye(2).requires_grad_(); x = m.linalg.solve_triangular(m.eye(2), q, upper=True); x.mul_(2); x.sum().backward()
    q = m.eye(2).requires_grad_(); x = m.cholesky_solve(q, m.eye(2)); x.mul_(2); x.sum().backward()
    q = m.ones(2, 3).requires_grad_(); r = q.frac(); v = r[0]; v.sin_(); a, = m.autograd.grad(r, q, q, None, True)
    q = m.ones(2, 3).t().requires_grad_(); r = q.frac(); v = r[0]; v.sin_(); a, = m.autograd.grad(r, q, q)
    q = m.ones(2).requires_grad_(); a, = m.autograd.grad((q / 2).erfinv(), q, q, create_graph=True)
    q = m.full((2,), .5).requires_grad_(); a, = m.autograd.grad(q.atanh(), q, q, create_graph=True)
    q = m.full((2,), .5).requires_grad_(); a = m.autograd.grad(m.autograd.grad(q.asin(), q, q, None, True), q, q)
    x = m.nn.functional.gaussian_nll_loss(m.ones(3), m.ones(3), m.ones(3), full=True, reduction='none')
    q = m.ones(2, 3, 4).requires_grad_(); x = m.fft.ihfft2(q); y = m.fft.ihfft(q); z = m.fft.hfft2(q)
    x = m.ones(2, 3); x.index_select(0, m.tensor([-4]))
    x = m.ones(2, 3); m.nn.functional.grid_sample(x, m.ones(()))
    x = inferred(m.ones(2, 3)); a = x.sum(); b = x * x; c = x[0]; d = m.cat([x, x]); e = x @ x.t(); f = x.relu()
    x = inferred(m.ones(2, 3)); a = x + m.ones(2, 3); b = x * 2; c = x ** 2; d = m.stack([x, x.clone()]); e = x.double()
    x = inferred(m.ones(3)); a = x.softmax(0); b = x.sort()[0]; c = x.prod(); d = x.view(3); e = x.detach()
    x = inferred(m.ones(3)); a = m.heaviside(x, x, out=m.ones(3)); b = x.clone(); c = x * m.ones(3)
    x = inferred(m.ones(3)); a = x.abs()
    x = inferred(m.ones(3)); a = x.mean()
    x = inferred(m.ones(3)); a = x.masked_fill(x > 0, 2)
    with m.inference_mode(): x = m.eye(3); a = m.linalg.inv_ex(x); b = m.linalg.eig(x); c = m.linalg.lu_factor(x)
    with m.inference_mode(): x = m.eye(3); d = m.linalg.cholesky_ex(x)
    with m.inference_mode(): x = m.eye(3); a = m.linalg.lu(x); b = m.linalg.eigh(x); c = m.linalg.qr(x, 'r')
    with m.inference_mode(): x = m.eye(3); d = m.linalg.solve_ex(x, x)
    with m.inference_mode(): x = m.ones(3, 4); a = m.fft.fft(x); b = m.fft.rfftn(x); c = m.fft.ihfft(x[0])
    with m.inference_mode(): x = m.ones(3, 4); d = m.linalg.ldl_factor(x[:, :3])
    with m.inference_mode(): x = m.ones(2, 2, 2, 2, 2); a = m.nn.functional.conv3d(x, x, x[0, 0, 0, 0])
    with m.inference_mode(): x = m.ones(2, 2, 2, 2, 2); b = m.histogram(x, 2)
    with m.inference_mode(): x = m.ones(2, 2, 2, 2, 2); c = m.block_diag(x[0, 0, 0], x[0, 0, 0])
    with m.inference_mode(): x = m.ones(2, 2) / 2; a = m.nn.functional.binary_cross_entropy(x, x)
    with m.inference_mode(): x = m.ones(2, 2) / 2; b = m.multinomial(x, 1); c = m.signbit(x > 0); d = m.isreal(x)
    x = m.arange(6.).view(2, 3); with m.inference_mode(): a = x.unsafe_chunk(2); b = x.unsafe_split(1)
    q = m.ones(1, 2, 4, dtype=m.cfloat, requires_grad=True); a = m.nn.functional.conv1d(q, q)
    q = m.ones(1, 2, 4, dtype=m.cfloat, requires_grad=True); b = m.nn.functional.conv_transpose1d(q, q, q[0, 0, :2])
    q = m.ones(3, requires_grad=True); a = m.autograd.grad(m.acosh(q + 1), q, q, create_graph=True)
    q = m.ones(3, requires_grad=True); b = m.autograd.grad(m.special.i1(q), q, q, create_graph=True)
    q = m.ones(3, requires_grad=True); a = m.autograd.grad(m.alias_copy(q), q, q, create_graph=True)
    q = m.ones(3, requires_grad=True); b = m.combinations(q, 1)
    q = m.ones(3, 3, requires_grad=True); x = q > 0; a = slopes(m.masked_scatter(q, x, q), q)
    q = m.ones(3, 3, requires_grad=True); b = slopes(m.masked_select(q, q > 0), q)
    q = m.ones(3, 3, requires_grad=True); c = m.autograd.grad(q.std(), q, create_graph=True)
    q = m.ones(3, 3, requires_grad=True); a = slopes(m.linalg.cholesky(q * 0 + m.eye(3)), q)
    q = m.ones(1, dtype=m.cfloat).expand(9).detach().requires_grad_(); q.as_strided((2,), (2,)).abs().sum().backward()
    with m.inference_mode(): x = m.ones(2, 3); a = x.max(0); b = x.max(0, True); c = m.max(x, x)
    with m.inference_mode(): x = m.ones(2, 3); a = x.diag(); b = x[0].diag(); c = x[:0].flip(0)
    with m.inference_mode(): x = m.ones(1, 3); a = m.nn.functional.pad(x, (1, 1), 'reflect'); c = x.var()
    with m.inference_mode(): x = m.ones(1, 2, 3); a = m.nn.functional.interpolate(x, scale_factor=2)
    with m.inference_mode(): x = m.tensor(2.); a = x.cumsum(0); b = x.topk(1); c = x.median(0); d = x.aminmax(dim=0)
    q = m.ones(3, requires_grad=True); w = m.ones(3, requires_grad=True); a = slopes(m.addcmul(q, w, q), w)
    q = m.ones(3, requires_grad=True); w = m.ones(3, requires_grad=True); a = slopes(m.addcdiv(q, w, q), w)
    q = m.ones(3, requires_grad=True); w = m.ones(3, requires_grad=True); a = slopes(m.lerp(q, m.zeros(3), w), q)
    q = m.full((3,), .3, requires_grad=True); a = slopes(m.logit(q, .2), q); b = slopes(m.special.erfcx(q), q)
    q = m.full((3,), -20., requires_grad=True); a = slopes(m.special.log_ndtr(q), q)
    q = m.ones(3, requires_grad=True); a = slopes(m.special.xlog1py(m.ones(3), q), q)
    q = m.ones(2, dtype=m.cfloat, requires_grad=True); a = slopes(q.sgn(), q); b = slopes(q.angle(), q)
    q = m.ones(3, requires_grad=True); a = slopes(m.nn.functional.poisson_nll_loss(q, m.ones(3), reduction='none'), q)
    q = m.ones(3, requires_grad=True); a = slopes(m.nn.functional.kl_div(m.ones(3), q, reduction='none'), q)
    q = m.eye(2, dtype=m.cfloat).requires_grad_(); a = slopes(m.addmm(q, q, q, alpha=2 + 3j), q); b = slopes(a[0], q)
    q = m.ones(2, 3, requires_grad=True); a = slopes(m.cdist(m.zeros(2, 3), q, p=1.), q); b = slopes(a[0], q)
    q = m.arange(6.).reshape(2, 3).requires_grad_(); a = slopes(m.pdist(q), q); b = slopes(a[0], q)
    q = m.ones(3, 2, requires_grad=True); a = slopes(m.nn.functional.embedding_bag(m.tensor([[0, 2]]), q), q)
    q = m.ones(3, requires_grad=True); a = slopes(m.nn.functional.layer_norm(m.ones(2, 3), (3,), q), q)
    a = m.ones(2, 3, requires_grad=True); g = m.ones(6); a.view(6).backward(g); a.grad.mul_(2); g.add_(1)
    a = m.ones(2, requires_grad=True); b = m.ones(2, requires_grad=True); m.cat([a, b]).sum().backward(); a.grad.mul_(2)
    a = m.ones(2, requires_grad=True); g = m.ones(1, 2); a[None].backward(g); a[None].backward(g); g.mul_(3)
    q = m.zeros(0, 8, requires_grad=True); a = slopes(m.nn.functional.glu(q), q); a[0].sum().backward()
    q = m.ones(3, requires_grad=True); a = slopes(m.nn.functional.gelu(q), q); a[0].sum().backward()
    q = m.ones(2, requires_grad=True); y = q * 1; m.nn.functional.elu_(y); y.mul_(2); y.sum().backward()
    q = m.ones(2, requires_grad=True); y = q - 2; m.nn.functional.celu_(y, .5); y.data.mul_(2); y.sum().backward()
    q = m.ones(2, requires_grad=True); y = q - 2; m.nn.functional.selu(y, inplace=True); a = slopes(y * y, q)
    q = m.ones(2, requires_grad=True); y = q * 1; m.nn.functional.leaky_relu_(y); y[0] = 3; y.sum().backward()
    q = m.ones(2, requires_grad=True); y = q * 1; m.nn.functional.leaky_relu_(y, -.5); y.sum().backward()
    q = m.ones(2, requires_grad=True); y = q * 1; m.nn.functional.rrelu_(y); y.add_(1); y.sum().backward()
    x = m.ones(1, 0, 3, requires_grad=True); w = m.ones(2, requires_grad=True); y = m.conv1d(x, m.ones(2, 0, 2), w)
    x = m.ones(1, 0, 3, requires_grad=True); y = m.conv1d(x, m.ones(2, 0, 2)); y.sum().backward()
    a = m.lu(m.eye(2) * 2, out=(m.zeros(2, 2), m.zeros(0, dtype=m.int32)))
    with m.inference_mode(): x = m.ones(2, 3); a = x.mode(); b = x.mode(0); c = x.mode(0, True)
    x = m.conv_transpose1d(m.ones(1, 1, 2), m.tensor([[[-m.inf, -.25]]]))
    x = m.conv_transpose2d(m.ones(1, 2, 2, 2), m.full((2, 1, 2, 2), m.nan), stride=3, output_padding=2, groups=2)
    x = m.ones(5, 5, 1, 5).topk(3); y = (m.arange(60.) // 4).reshape(4, 15).topk(5, 1); z = m.ones(60).topk(7)
    x = m.ones(2); F = type('F', (m.autograd.Function,), dict(forward=staticmethod(lambda c, a: a))); y = F.apply(x)
    w = m.unique_consecutive(m.ones(1), return_inverse=True); z = m.ones(()).unique_consecutive(False, True)
    q = m.arange(6.).reshape(2, 3).requires_grad_(); m.kron(q, q[:, ::2]).pow(2).sum().backward()
    q = m.ones(2, requires_grad=True); g = m.ones((), requires_grad=True); a, = m.autograd.grad(q.sum(), q, g)
    a = m.linalg.lu_solve(m.zeros(0, 3, 3) * 1j, m.ones(0, 3).int(), m.zeros(0, 1, 3) * 1j, left=False)
    a = m.histogram(m.ones(2).half(), m.tensor([0., 1]).half()); m.histogram(m.ones(2).int(), m.tensor([0, 1]).int())
    a = m.histogramdd(m.ones(2, 2).bfloat16(), [m.tensor([0., 1, 3]).bfloat16()] * 2)
    a = m.gradient(m.arange(4.).pow(2).requires_grad_())[0]; b = m.block_diag(m.tensor([True]), m.tensor(1.).half())
    x = m.complex(m.zeros(1, 0), m.zeros(1, 0)).conj(); x.cos_(); y = x.imag; y.exp_(); y.add_(y)
    x = m.zeros(2, 2, 0); a = m.take_along_dim(x, m.zeros(1, 2, 0)); m.take_along_dim(x, m.zeros(2, 2, 0).int(), 2)
    a = m.nn.utils.rnn.pad_sequence([m.ones(2), m.ones(1)]); x = m.rand(3, out=m.zeros(1).expand(3))
    z = m.round(m.ones(2).int()); y = m.special.round(m.ones(2).int())
    x = m.linalg.vander(m.ones(3).half())
    x = m.zeros(4).half(); x[:2] = 1e30; x[2] = 2 ** 40; x[3:] = m.inf; x.masked_fill_(x > 0, 2 ** 40)
    x = m.zeros(2).half(); x.clamp(0, 2 ** 40)
    x = m.zeros(2).half(); x.add(1, alpha=1e30)
    x = m.zeros(2).half(); x.index_fill_(0, m.tensor([0]), 1e30)
    x = m.ones(1, 1).half(); y = m.addmm(x, x, x, beta=1e30); x.fill_(2 ** 40); m.nn.functional.hardtanh(x, 0, 1e30)
    z = m.linspace(0, 1e39, 1); m.add(z, 1, alpha=1e39)
    x = m.linspace(0, 1e39, 3)
    x = m.logspace(0, 1e39, 3)
    x = m.nn.functional.threshold(m.ones(1), 0j, 1); m.nn.functional.threshold(x, 0, 1e39)
    x = m.ones(2, 3); m.grid_sampler(x, m.ones(3), 0, 9, True)
    x = m.ones(2, 3); m.affine_grid_generator(x.int(), (2, 3), True)
    q = m.ones(3, requires_grad=True); a = m.binomial(q, q / 2); b = m.binomial(q.detach(), q / 2)
    x = (m.ones(2) * 1j).conj(); x.new(2)
    q = m.ones(2, 4)[:, ::2].detach().requires_grad_(); (q * q).sum().backward(create_graph=True)
    q = m.ones(3, 0, requires_grad=True); a = q[0, 1:]; b = q[1:, 1:]; c = q[:, :3]
    q = m.ones(2, 3, requires_grad=True); a = m.norm_except_dim(q); b = m.frobenius_norm(q, [1])
    q = m.ones(2, 3, requires_grad=True); a = m.triplet_margin_loss(q, q, q + 1); a.backward(); b = m.special.round(q)
    q = m.ones(2, 3, 1, requires_grad=True); a = m.nn.functional.cross_entropy(q, m.zeros(2, 1).long())
    x = m.ones(3, 2); x.index_add_(1, m.tensor([0]), m.ones(3))
    x = m.ones(2, 2, 2, requires_grad=True); x.baddbmm_(x, m.ones(2))
    s, l = m.slogdet(m.ones(2, 2), out=(m.empty(0), m.empty(0))); a = m.ones(2).half().histogram(1, range=[.5, .5])
    x = m.ones(2); x[m.tensor([True, False])] = m.tensor(1j)
    x = m.ones(2).int(); x[m.tensor([True, False])] = m.tensor([1e30])
    with m.autocast('cpu'): a = m.cat([m.ones(1).int(), m.ones(1)]); b = m.cat([m.ones(1).half(), m.ones(1)])
    m.nn.utils.clip_grad_value_([m.ones(1)], .5)
    x = m.ones(2, 3, 4); m.lstm(x, [x], [x, x], False, 1, 0., True, False, False)
    x = m.ones(2, 3, 4); m.gru(x, x, [x], False, 1, 0., True, False, False)
    q = m.zeros(9); m.manual_seed(0); q.random_(-1, to=1); q.random_(5, to=None)
    q = m.ones(1, 2, 2); m.linalg.norm(q, 'fro')
    q = m.eye(2); m.eye(2, requires_grad=True).index_copy_(1, m.tensor([0, 1, 0]), m.ones(2, 2, 1))
    q = m.inference_mode()(lambda: m.arange(2.))(); m.func.jvp(lambda a: a.exp() * a, (q,), (m.ones(2),))[1] + 0
    f = m.ones(3, 3, 1).int().permute(2, 1, 0); a = .5 + f.swapdims(1, -1); b = m.fft.ifft(m.ones(3, 3, 1), dim=0)
    d = m.tensor([[[0]], [[2]]]).permute(2, 1, 0); e = d.where(d != .5, m.ones(1, 2).int()); \
        f = m.where(d > 0, 1., 2.); \
        a = m.where(m.ones(2, 3, 1).permute(2, 1, 0) > 0, m.ones(1, 3, 2), 3)
    c = m.ones(3, 3, 1); a = m.isclose(c, m.ones(1, 3).t()); b = m.ones(1, 3).expand(4, 3).dim_order()
    c = m.ones(0, 1); c[[]] = c
    b = m.arange(2.).reshape(1, 2); b[::2] -= b
    q = m.ones(3, 4, requires_grad=True); b = q * 1; c = b.gather(0, m.tensor([[0]])); b.add_(1); c.sum().backward()
    q = m.ones(3, requires_grad=True); b = q * 1; c = b.take(m.tensor([0])); b.add_(1); c.sum().backward()
    q = m.ones(3, requires_grad=True); b = q * 1; c = b.cummax(0)[0]; b.add_(1); c.sum().backward()
    q = m.ones(1, requires_grad=True); b = q * 1; c = b.index_add(0, m.tensor([0]), b); b.add_(1); c.sum().backward()
    q = m.ones(3, requires_grad=True); q.sum().backward(retain_graph=2.5)
    with m.no_grad(None): a = 3
    q = m.inference_mode()(lambda: m.arange(2.))(); m.func.vmap(m.func.jacfwd(lambda a: a.exp() * a))(q) + 0
""".strip().splitlines()

# Losses by q whose gradients are to be differentiated again.
LOSSES = """
    q = m.ones(2, 3); l = m.nn.functional.multi_margin_loss(q, m.tensor([0, 1]))
    q = m.ones(2, 3); l = m.nn.functional.multilabel_margin_loss(q, m.tensor([[0, -1, 0], [1, 0, -1]]))
    q = m.ones(1, 1, 3, 3); l = m.nn.functional.grid_sample(q, m.zeros(1, 2, 2, 2), align_corners=False)
    q = m.ones(2, 3); l = m.pdist(q, 0.)
    q = m.ones(2, 3); l = m.cdist(q, m.zeros(2, 3), 0.)
    q = m.ones(3); l = m.nn.functional.layer_norm(m.ones(2, 3), (3,), q)
    q = m.ones(1); l = m.nn.functional.prelu(m.ones(2, 2), q)
    q = m.ones(0); l = q.prod()
    q = m.ones(0, 3); l = q.prod(0)
    q = m.ones(1, 2); l = q.cumprod(0)
    q = m.ones(3, 1, 1); l = m.linalg.det(q)
    q = m.zeros(0, 2, 2); l = m.linalg.det(q)
    q = m.ones(1, 2, 3); l = m.nn.functional.affine_grid(q, (1, 1, 2, 2), align_corners=False)
    q = m.arange(5.); l = m.segment_reduce(q, 'sum', lengths=m.tensor([2, 3]))
    q = m.arange(5.); l = m.segment_reduce(q, 'max', lengths=m.tensor([2, 0, 3]), initial=1.)
    q = m.arange(5.); l = m.segment_reduce(q, 'min', offsets=m.tensor([0, 2, 5]), initial=2.)
    q = m.ones(8); l = m.view_as_real(m.stft(q, 4, return_complex=True))
""".strip().splitlines()


def state(value, depth=0):
    """What can be seen of a value without its library."""
    if isinstance(value, (torch.Tensor, cygrad.Tensor)):
        numbers = value.detach().resolve_conj().tolist()
        node = value.grad_fn
        version = None if value.is_inference() else value._version
        strides = [step for step, n in zip(value.stride(), value.shape) if n > 1] if value.numel() else []
        before = node and [n and n.name().split("::")[-1] for n, _ in node.next_functions]
        grad = state(value.grad, depth + 1) if value.is_leaf and depth == 0 else None
        return [str(value.dtype).split(".")[-1], tuple(value.shape), strides, version, value._is_view(), value.is_leaf,
                value.requires_grad, node and node.name(), before, grad], numbers
    if isinstance(value, (tuple, list)):
        return [state(each) for each in value], type(value).__name__
    return value


def alike(want, got):
    """Whether two states are one, floats but for their last digits."""
    if isinstance(want, (tuple, list)):
        return type(want) is type(got) and len(want) == len(got) and all(map(alike, want, got))
    if isinstance(want, (float, complex)):
        return type(want) is type(got) and bool(close(np.array(want), np.array(got), 2e-3, 1e-5))
    return want == got


def slopes_of(m):
    """Functions whose gradients round 16-bit floats once, or after each step."""
    return [m.sin, m.cos, m.tan, m.atan, m.sinh, m.cosh, m.tanh, m.sigmoid, m.erf, m.erfc, m.reciprocal, m.expm1, m.exp,
            m.nn.functional.silu, m.nn.functional.gelu, m.nn.functional.softsign]


def recorded(m, f, q):
    """A gradient that can be differentiated again, without its graph."""
    return m.autograd.grad(f(q), q, q.detach(), create_graph=True)[0].detach()


def slopes_that_are_recorded(m):
    return lambda result, *leaves: m.autograd.grad(result, leaves, m.ones_like(result), create_graph=True)


def inferred(m):
    """A function that gives a tensor made in inference mode, which requires a gradient."""
    @m.inference_mode()
    def copied(t):
        return t.clone().requires_grad_()
    return copied


def run(program):
    """The states of both libraries' tensors after each statement, up to the first that fails."""
    spaces = [{"m": m, "np": np, "copy": copy, "pickle": pickle, "SLOPES": slopes_of(m),
               "recorded": recorded, "slopes": slopes_that_are_recorded(m), "inferred": inferred(m)}
              for m in (torch, cygrad)]
    for m in (torch, cygrad):
        m.manual_seed(3)
    for statement in program:
        found = []
        for space in spaces:
            try:
                exec(statement, space)
                found.append([(name, state(value)) for name, value in space.items() if re.fullmatch("[a-ln-z]", name)])
            except Exception as error:
                found.append(next(k.__name__ for k in type(error).__mro__ if k.__module__ == "builtins"))
        yield statement, *found
        if isinstance(found[0], str):
            return


def first_difference(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement, want, got in run(program):
            if not alike(want, got):
                return f"{'; '.join(program)}\n  at {statement}\n  want {want}\n  got  {got}"
    return None


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_showed_a_fault(program):
    assert first_difference([part.strip() for part in program.split("; ")]) is None


@pytest.mark.parametrize("program", LOSSES)
def test_gradients_that_are_recorded(program):
    leaf, loss = program.strip().split("; ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for made in zip(*[list(run_recorded(m, leaf, loss)) for m in (torch, cygrad)]):
            assert made[0] == made[1]


def run_recorded(m, leaf, loss):
    """What a loss and its gradient are, but for the nodes behind."""
    space = {"m": m}
    exec(leaf, space)
    space["q"].requires_grad_()
    exec(loss, space)
    slope, = m.autograd.grad(space["l"].sum(), space["q"], create_graph=True)
    for t in (space["l"], slope):
        yield t.tolist(), tuple(t.shape), t.stride() if t.numel() else (), t.requires_grad, t._is_view(), t.is_leaf
    yield space["l"].grad_fn.name().split("::")[-1]


def test_a_gradient_has_its_leafs_dtype():
    leaves = [m.ones(2, requires_grad=True) for m in (torch, cygrad)]
    for m, leaf in zip((torch, cygrad), leaves):
        leaf.backward(m.ones(2, dtype=m.int64))
    assert len({str(leaf.grad.dtype).split(".")[1] for leaf in leaves}) == 1


MADE = ["m.arange(6.).reshape(2, 3)", "m.arange(6.).reshape(3, 2).t().clone()", "m.arange(6).reshape(2, 3)",
    "m.ones(2, 3).half()", "m.ones(())", "m.ones(2, 3, dtype=m.complex64)", "m.ones(2, 3) > 0",
    "m.ones(1, 3, dtype=m.uint8)", "m.full((3,), .5).double()"]
OTHERS = ["2", "1.5", "True", "np.float32(1.5)", "np.int64(2)", "m.tensor(2.)", "m.ones(3)",
    "m.ones(2, 1).double()", "x", "m.tensor([1, 2, 3])", "-1"]
SEEN = ["x.view(-1)", "x.t()", "x[0]", "x[..., :1]", "x.unsqueeze(0)", "x.detach()", "x.data",
    "x.reshape(-1)", "x[..., None]", "x.narrow(0, 0, 1)", "x.select(-1, 0)", "x.squeeze()", "x.diagonal()",
    "x * 1", "x.chunk(2)[0]", "x.unbind(0)[0]"]
STEPS = ["y = {seen}", "y = {seen}; y.mul_(2)", "x {op}= {other}", "y {op}= {other}", "x[0] = {other}",
    "x[..., 0] {op}= {other}", "z = x {op} {other}", "m.add(x, {other}, out=y)", "m.mul(y, 2, out=x)",
    "m.sum(x, 0, out=m.zeros(0))", "x.zero_()", "x.requires_grad_()", "y.sum().backward()",
    "(x * y).sum().backward()", "z = y.retains_grad", "z = copy.deepcopy(x)", "with m.no_grad(): y = {seen}",
    "with m.no_grad(): x {op}= {other}", "with m.no_grad(): x[:2, ...] {op}= {other}",
    "x[0] = x[:1]", "y.detach_()", "z = m.autograd.grad(y.sum(), x)",
    "z = m.autograd.grad((y * y).sum(), [x], allow_unused=True)", "x.copy_({other_tensor})",
    "z = m.stack([x, x])", "z = m.exp(x, out=y)", "x.clamp_(0, 1)", "y.t_()", "z = x.to(m.float64)",
    "z = m.where(x > 0, x, {other})", "x.neg_()", "x.masked_fill_(x > 0, 2)", "z = x.sum(0)", "z = x.mean()",
    "z = copy.copy(y)", "x.grad.mul_(2)", "z = x.cumsum(0)"]


def drawn(r):
    end = r.choice(["", "", ".clone().requires_grad_()", ".clone()"])
    program = [f"x = {r.choice(MADE)}{end}", f"y = {r.choice(SEEN)}"]
    for _ in range(r.randrange(2, 7)):
        program.append(r.choice(STEPS).format(seen=r.choice(SEEN), op=r.choice("+-*/"), other=r.choice(OTHERS),
                                              other_tensor=r.choice(OTHERS[5:-1])))
    return [part for statement in program for part in statement.split("; ")]


def test_drawn_programs():
    r = random.Random(0)
    found = [text for text in (first_difference(drawn(r)) for _ in range(400)) if text]
    assert not found, "\n".join(found[:10])


if __name__ == "__main__":
    r = random.Random(int(sys.argv[2]))
    for _ in range(int(sys.argv[1])):
        if text := first_difference(drawn(r)):
            print(text)
