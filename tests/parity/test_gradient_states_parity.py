"""If one of these fails, a gradient differs from PyTorch's by its version, by being a view, or by its nodes.

Each expression is differentiated by `grad`, by `backward`, and by `grad` with a graph of its own, whose nodes have the
names and edges of the ops that PyTorch's formulas call.
"""
import warnings

import cygrad
import pytest
import torch

EXPRESSIONS = """
    2**x
    F.adaptive_avg_pool1d(x,2)
    F.avg_pool1d(x,2)
    F.avg_pool2d(x[None,None],2)
    F.bilinear(x,x,m.ones(2,3,3)*s)
    F.binary_cross_entropy(m.sigmoid(w[0]),y/10)
    F.binary_cross_entropy(m.sigmoid(w[0]),y/10,reduction='none')
    F.binary_cross_entropy(m.sigmoid(w[0]),y/10,reduction='sum')
    F.binary_cross_entropy(m.sigmoid(w[0]),y/10,weight=w[1])
    F.binary_cross_entropy(w[0]/5,(y/10).detach().requires_grad_())
    F.binary_cross_entropy_with_logits(w[0],y)
    F.binary_cross_entropy_with_logits(w[0],y,pos_weight=w[1])
    F.binary_cross_entropy_with_logits(w[0],y,pos_weight=w[1],weight=w[1])
    F.binary_cross_entropy_with_logits(w[0],y,reduction='none')
    F.binary_cross_entropy_with_logits(w[0],y,reduction='sum')
    F.binary_cross_entropy_with_logits(w[0],y,weight=w[1])
    F.binary_cross_entropy_with_logits(y,m.ones(3)*.3)
    F.binary_cross_entropy_with_logits(y,m.ones(3)*.3,pos_weight=m.ones(3))
    F.binary_cross_entropy_with_logits(y,m.ones(3)*.3,reduction='none')
    F.binary_cross_entropy_with_logits(y,m.ones(3)*.3,reduction='sum')
    F.binary_cross_entropy_with_logits(y,w[0],pos_weight=w[1])
    F.binary_cross_entropy_with_logits(y,w[0],pos_weight=w[1],reduction='none')
    F.binary_cross_entropy_with_logits(y,w[0],reduction='none')
    F.binary_cross_entropy_with_logits(y,w[0],reduction='sum')
    F.binary_cross_entropy_with_logits(y,w[0],weight=w[1])
    F.binary_cross_entropy_with_logits(y,w[0],weight=w[1],pos_weight=w[1],reduction='none')
    F.binary_cross_entropy_with_logits(y,w[0],weight=w[1],reduction='none')
    F.binary_cross_entropy_with_logits(y,y*1)
    F.binary_cross_entropy_with_logits(y,y*1,weight=m.ones(3))
    F.conv1d(x[None],m.ones(1,2,2)*s)
    F.cosine_embedding_loss(x,w,m.ones(2))
    F.cosine_similarity(x,w)
    F.cross_entropy(x,m.tensor([0,1]))
    F.cross_entropy(x,m.tensor([0,1]),label_smoothing=.1)
    F.cross_entropy(x,w)
    F.dropout(x,0.)
    F.embedding(m.tensor([0,1]),x)
    F.gaussian_nll_loss(y,w[0],m.ones(3))
    F.group_norm(x.view(1,6,1),2)
    F.group_norm(x.view(1,6,1),2,m.ones(6)*s,m.ones(6)*s)
    F.hardshrink(x)
    F.hardsigmoid(x)
    F.hardsigmoid(x*2)
    F.hardtanh(x)
    F.hinge_embedding_loss(y,m.ones(3))
    F.instance_norm(x[None])
    F.interpolate(x[None,None],scale_factor=2,mode='bilinear')
    F.interpolate(x[None],scale_factor=2)
    F.kl_div(x,w)
    F.l1_loss(x,w)
    F.layer_norm(x,(3,),y)
    F.leaky_relu(x)
    F.linear(x,x)
    F.linear(x,x,s.view(1).expand(2))
    F.linear(x,y)
    F.local_response_norm(x[None],2)
    F.margin_ranking_loss(y,w[0],m.ones(3))
    F.max_pool1d(x,2)
    F.max_pool2d(x.view(1,2,3),2)
    F.max_pool2d(x[None,None],2)
    F.mish(x)
    F.multi_margin_loss(x,m.tensor([0,1]))
    F.multilabel_margin_loss(x,m.tensor([[0,1,-1],[1,-1,-1]]))
    F.nll_loss(x,m.tensor([0,1]))
    F.normalize(x)
    F.pad(x,(-1,1))
    F.pad(x,(0,0))
    F.pad(x,(1,1))
    F.pad(x[None],(1,1),mode='reflect')
    F.pairwise_distance(x,w)
    F.relu(x)
    F.relu6(x)
    F.rms_norm(x,(3,),y)
    F.rrelu(x)
    F.silu(x)
    F.softplus(x)
    F.softshrink(x)
    F.threshold(x,1,2)
    F.triplet_margin_loss(x,w,w*2)
    m.acos(x/10)
    m.acosh(x)
    m.add(x,y,alpha=2)
    m.addcdiv(x,y,s,value=2)
    m.addcmul(x,y,s)
    m.addcmul(x,y,s,value=2)
    m.addmm(q,q,q,alpha=2,beta=3)
    m.addmv(y[:2],q,y[:2],alpha=2,beta=3)
    m.aminmax(x)
    m.aminmax(x,dim=0)
    m.aminmax(x,dim=0)[0]
    m.asin(x/10)
    m.asinh(x)
    m.atan2(x,y)
    m.atanh(x/10)
    m.bmm(q[None],q[None])
    m.cdist(x,x*2)
    m.complex(x,w)
    m.copysign(x,y)
    m.copysign(y,2.)
    m.copysign(y,w)
    m.corrcoef(x)
    m.cov(x)
    m.cross(x,w)
    m.cumulative_trapezoid(x)
    m.deg2rad(x)
    m.det(q)
    m.diff(x)
    m.digamma(x)
    m.dist(x,y)
    m.dot(y,y)
    m.einsum('ij,kj->ik',x,w)
    m.fft.fft(x)
    m.fft.rfft(x)
    m.floor(x)
    m.fmax(x,y)
    m.fmod(x,y)
    m.frac(x)
    m.gradient(y)[0]
    m.hypot(x,y)
    m.i0(x)
    m.inverse(q)
    m.kron(x,y)
    m.ldexp(x,y)
    m.lerp(x,w,.3)
    m.lerp(x,x*2,w)
    m.lgamma(x)
    m.linalg.cholesky(q)
    m.linalg.eigh(q)
    m.linalg.matrix_power(q,-2)
    m.linalg.matrix_power(q,3)
    m.linalg.matrix_power(q,5)
    m.linalg.multi_dot([x,w.T,x])
    m.linalg.norm(x)
    m.linalg.pinv(q)
    m.linalg.qr(q)
    m.linalg.solve(q,m.ones(2,2))
    m.linalg.svdvals(q)
    m.linalg.vector_norm(x,3)
    m.logaddexp(x,y)
    m.logaddexp2(x,y)
    m.logdet(q)
    m.logit(x/10)
    m.logit(x/10,.1)
    m.maximum(x,y)
    m.maximum(y,y*1.)
    m.minimum(x,x+1)
    m.mv(x,y)
    m.mvlgamma(x+3,2)
    m.nan_to_num(x)
    m.nanmean(x)
    m.nansum(x)
    m.narrow(x,1,m.tensor(1),1)
    m.nextafter(x,y)
    m.nextafter(y,y*1)
    m.outer(y,y)
    m.polar(x,w)
    m.polygamma(1,x)
    m.reciprocal(x)
    m.remainder(x,y)
    m.rsqrt(x)
    m.rsub(x,y,alpha=2)
    m.sgn(x)
    m.sinc(x)
    m.slogdet(q)
    m.special.entr(x)
    m.special.i0e(x)
    m.special.i1(x)
    m.special.i1e(x)
    m.special.ndtri(x/10)
    m.special.xlog1py(x,y)
    m.sqrt(x)
    m.square(x)
    m.stack([x,w])
    m.stack([y,y*2])
    m.stack([y])
    m.std_mean(x)
    m.sub(x,y,alpha=2)
    m.tan(x)
    m.tensordot(x,w,2)
    m.trace(x)
    m.trapezoid(x)
    m.var_mean(x,0)
    m.where(w>1,x,y)
    m.xlogy(x,y)
    q@x
    s.cummax(0)[0]
    s.cummin(0)[0]
    s.expand(())
    s.expand(2)
    s.kthvalue(1)[0]
    s.max(0)[0]
    s.median(0)[0]
    s.mode()[0]
    s.prod()
    s.prod(0)
    s.repeat(())
    s.repeat(2)
    s.sort(0)[0]
    s.sum(-1,keepdim=True)
    s.sum(dim=-1)
    s.topk(1)[0]
    w.pow(x)
    x**.5
    x**2
    x**3
    x-y
    x.T@q
    x.abs()
    x.amax(0)
    x.as_strided((2,2),(1,1))
    x.atan()
    x.clamp(2,4)
    x.clamp(y,y+1)
    x.cumprod(0)
    x.cumsum(0)
    x.erf()
    x.erfc()
    x.exp2()
    x.expm1()
    x.flip(())
    x.gather(0,m.tensor([[0,1,0]]))
    x.index_fill(0,m.tensor([0]),s)
    x.index_reduce(0,m.tensor([0]),w[:1],'prod')
    x.log10()
    x.log1p()
    x.log2()
    x.logcumsumexp(0)
    x.logsumexp(0)
    x.mean()
    x.mean(0)
    x.norm()
    x.norm(1)
    x.norm(2,0)
    x.norm(3)
    x.norm(float('inf'))
    x.pow(y)
    x.prod()
    x.prod(0)
    x.repeat(0,1)
    x.repeat(2,1)
    x.scatter_reduce(0,m.tensor([[0,1,0]]),w,'amax')
    x.scatter_reduce(0,m.tensor([[0,1,0]]),w,'mean')
    x.scatter_reduce(0,m.tensor([[0,1,0]]),w,'prod')
    x.std()
    x.std(0)
    x.sum(dim=0)
    x.tile((2,))
    x.unfold(0,2,1)
    x.var()
    x.var(0)
    x/y
    x@y
    y.prod()
    y.repeat(1)
    y.repeat(2)
    s.sum(dim=-1)
""".strip().splitlines()


def node_of(t):
    """The name of a tensor's node, and of those before it."""
    node = t.grad_fn
    return node and [each and each.name().split("::")[-1] for each in (node, *(n for n, _ in node.next_functions))]


def states(m, expression, squared):
    """(version, whether it is a view, nodes) of the gradients of four leaves, three ways."""
    names = {"m": m, "F": m.nn.functional, "w": m.tensor([[1., 2., 3.], [0.5, 1., 2.]])}
    for name, values in (("x", [[1., 2., 3.], [4., 5., 6.]]), ("y", [3., 2., 1.]), ("s", 2.),
                         ("q", [[4., 1.], [1., 3.]])):
        names[name] = m.tensor(values, requires_grad=True)
    results = eval(expression, names)
    results = [t for t in (results if isinstance(results, (tuple, list)) else (results,)) if t.requires_grad]
    if squared:                                     # so that the gradient that arrives has a node
        results, weights = [(t * t).real.sum() if t.is_complex() else (t * t).sum() for t in results], None
    else:
        weights = [m.ones_like(t) * 2 for t in results]
    leaves = [names[name] for name in "xysq"]
    found = []
    for graph in (False, True):
        for t in m.autograd.grad(results, leaves, weights, retain_graph=True, create_graph=graph, allow_unused=True):
            found.append(t is not None and (t._version, t._is_view(), node_of(t)))
    m.autograd.backward(results, weights, retain_graph=True)
    return found + [leaf.grad is not None and (leaf.grad._version, leaf.grad._is_view()) for leaf in leaves]


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("expression", [line.strip() for line in EXPRESSIONS])
def test_states_of_gradients(expression, squared):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert states(cygrad, expression, squared) == states(torch, expression, squared)


@pytest.mark.parametrize("function", ["tanh", "sigmoid", "nn.functional.gelu", "nn.functional.softplus"])
def test_a_third_derivative_where_the_gradient_depends_on_the_result(function):
    found = []
    for m in (torch, cygrad):
        x = m.tensor([0.3, -0.7], dtype=m.float64, requires_grad=True)
        total = (eval("m." + function, {"m": m})(x) ** 3).sum()
        for _ in range(3):
            gradient, = m.autograd.grad(total, x, create_graph=True)
            total = (gradient * gradient).sum()
        found.append(gradient.tolist())
    assert found[1] == pytest.approx(found[0], rel=1e-9)
