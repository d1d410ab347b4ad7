"""What backward refuses or computes when saved values change, and gradients of odd places.

Run by test_autograd.py; see transcript.py.
"""

import torch

# %% changed after it was saved: sort
a = torch.tensor([3.0, 1.0, 2.0], requires_grad=True) * 1
L, i = torch.sort(a)
i.zero_()
L.sum().backward()

# %% changed after it was saved: max
a = torch.tensor([[3.0, 1.0, 2.0]], requires_grad=True) * 1
L, i = a.max(1)
i.zero_()
L.sum().backward()

# %% changed after it was saved: topk
a = torch.tensor([[3.0, 1.0, 2.0]], requires_grad=True) * 1
L, i = a.topk(2)
i.zero_()
L.sum().backward()

# %% changed after it was saved: cummax
a = torch.tensor([[3.0, 1.0, 2.0]], requires_grad=True) * 1
L, i = a.cummax(1)
i.zero_()
L.sum().backward()

# %% changed after it was saved: kth
a = torch.tensor([[3.0, 1.0, 2.0]], requires_grad=True) * 1
L, i = a.kthvalue(1)
i.zero_()
L.sum().backward()

# %% changed after it was saved: median
a = torch.tensor([[3.0, 1.0, 2.0]], requires_grad=True) * 1
L, i = a.median(1)
i.zero_()
L.sum().backward()

# %% changed after it was saved: chol
a = torch.eye(2, requires_grad=True) * 2
L = torch.linalg.cholesky(a)
L.mul_(2)
L.sum().backward()

# %% changed after it was saved: qr
a = torch.eye(2, requires_grad=True) * 2
Q, R = torch.linalg.qr(a)
R.detach().mul_(2)
Q.sum().backward()

# %% changed after it was saved: eigh
a = torch.diag(torch.tensor([1.0, 2.0])).requires_grad_() * 2
w, Q = torch.linalg.eigh(a)
Q.detach().mul_(2)
w.sum().backward()

# %% changed after it was saved: svd
a = torch.diag(torch.tensor([1.0, 2.0])).requires_grad_() * 2
U, S, V = torch.linalg.svd(a)
V.detach().mul_(2)
S.sum().backward()

# %% changed after it was saved: inv
a = torch.eye(2, requires_grad=True) * 2
L = torch.linalg.inv(a)
L.detach().mul_(2)
L.sum().backward()

# %% changed after it was saved: var_mean
a = torch.tensor([1.0, 2.0], requires_grad=True) * 1
v, m = torch.var_mean(a)
m.mul_(2)
(v + m).backward()
a

# %% changed after it was saved: var_mean2
x = torch.tensor([1.0, 2.0], requires_grad=True)
v, m = torch.var_mean(x)
m.mul_(2)
(v + m).backward()
x.grad

# %% changed after it was saved: std_mean2
x = torch.tensor([1.0, 2.0], requires_grad=True)
v, m = torch.std_mean(x)
m.mul_(2)
(v + m).backward()
x.grad

# %% changed after it was saved: std_mean3
x = torch.tensor([1.0, 2.0], requires_grad=True)
v, m = torch.std_mean(x)
v.mul_(2)
(v + m).backward()
x.grad

# %% changed after it was saved: aminmax
x = torch.tensor([1.0, 2.0], requires_grad=True)
v, m = torch.aminmax(x)
v.mul_(2)
(v + m).backward()
x.grad

# %% eq_
x = torch.tensor([4.0, 2.0], requires_grad=True)
y = x * 1
y.eq_(4.0)
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% lt_
x = torch.tensor([4.0, 2.0], requires_grad=True)
y = x * 1
y.lt_(x)
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% eq_leaf
x = torch.tensor([4.0, 2.0], requires_grad=True)
x.eq_(4.0)
x

# %% eq_view
x = torch.tensor([4.0, 2.0], requires_grad=True)
y = x * 1
v = y[:1]
v.eq_(4.0)
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% item of a bool tensor set to a leaf
b = torch.zeros(3, dtype=torch.bool)
w = torch.ones(3, requires_grad=True)
b[...] = w
b

# %% item of an int tensor set to a leaf
b = torch.zeros(3, dtype=torch.int64)
w = torch.ones(1, requires_grad=True)
b[0] = w[0]
b

# %% int tensor copied from a leaf
b = torch.zeros(3, dtype=torch.int64)
w = torch.ones(3, requires_grad=True)
b.copy_(w)
b

# %% item of an int tensor set to a leaf 2
b = torch.zeros(3, dtype=torch.int64)
w = torch.ones(3, requires_grad=True)
b[torch.tensor([0, 1, 2])] = w
b

# %% item of an int tensor set to a leaf 3
b = torch.zeros(3, dtype=torch.int64)
w = torch.ones(3, requires_grad=True)
b[b == 0] = w
b

# %% std_mean correction
x = torch.tensor([1.0, 2.0], requires_grad=True)
s, m = torch.std_mean(x, correction=2)
(s + m).backward()
s
m
x.grad

# %% std_mean correction 3
x = torch.tensor([1.0, 2.0], requires_grad=True)
s, m = torch.std_mean(x, correction=3)
(s + m).backward()
s
m
x.grad

# %% std_mean correction 3d
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
s, m = torch.std_mean(x, dim=1, correction=3)
(s + m).sum().backward()
s
m
x.grad

# %% var_mean correction 3
x = torch.tensor([1.0, 2.0], requires_grad=True)
s, m = torch.var_mean(x, correction=3)
(s + m).backward()
s
m
x.grad

# %% var_mean correction 2
x = torch.tensor([1.0, 2.0], requires_grad=True)
s, m = torch.var_mean(x, correction=2)
(s + m).backward()
s
m
x.grad

# %% var_mean correction 1
x = torch.tensor([1.0], requires_grad=True)
s, m = torch.var_mean(x)
(s + m).backward()
s
m
x.grad

# %% std correction 3
x = torch.tensor([1.0, 2.0], requires_grad=True)
s = torch.std(x, correction=3)
s.backward()
s
x.grad

# %% std correction 2
x = torch.tensor([1.0, 2.0], requires_grad=True)
s = torch.std(x, correction=2)
s.backward()
s
x.grad

# %% std correction 1
x = torch.tensor([1.0], requires_grad=True)
s = torch.std(x)
s.backward()
s
x.grad

# %% std correction 3d
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
s = torch.std(x, dim=1, correction=3)
s.sum().backward()
s
x.grad

# %% quantile in q
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
q = torch.tensor([0.3, 0.7], requires_grad=True)
r = torch.quantile(x, q)
r.requires_grad
r.sum().backward()
x.grad
q.grad

# %% quantile in q 2
x = torch.tensor([1.0, 2.0, 5.0])
q = torch.tensor([0.3, 0.7], requires_grad=True)
r = torch.quantile(x, q)
r.requires_grad
r.grad_fn
r.sum().backward()
q.grad

# %% nanquantile q2
x = torch.tensor([1.0, 2.0, 5.0])
q = torch.tensor([0.3, 0.7], requires_grad=True)
r = torch.nanquantile(x, q)
r.requires_grad
r.grad_fn
r.sum().backward()
q.grad

# %% digamma twice
x = torch.tensor([-1e-10, 1e-10, -1 + 1e-08, 0.0, -1.0, -0.999999, -2.5], dtype=torch.float64, requires_grad=True)
y = torch.digamma(x)
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
g
torch.autograd.grad(g.sum(), x)

# %% digamma twice f
x = torch.tensor([-1e-05, 1e-05, -1 + 1e-06, 0.0, -1.0, -2.5], requires_grad=True)
y = torch.digamma(x)
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
g
torch.autograd.grad(g.sum(), x)

# %% gather int32
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = torch.gather(x, 0, torch.tensor([0, 2], dtype=torch.int32))
y

# %% gather int32b
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = torch.gather(x, 0, torch.tensor([0, 2], dtype=torch.int32))
y.sum().backward()
x.grad

# %% gather int16
x = torch.tensor([1.0, 2.0, 5.0])
y = torch.gather(x, 0, torch.tensor([0, 2], dtype=torch.int16))
y

# %% nextafter
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = torch.nextafter(x, x * 2)
y.requires_grad
y.grad_fn
y.sum().backward()

# %% heaviside
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = torch.heaviside(x, x * 2)
y.requires_grad
y.grad_fn
y.sum().backward()

# %% heaviside leaf
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
x.heaviside_(x * 2)
x.requires_grad
x.grad_fn

# %% floor division
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = x // 2
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% floor division 2
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = torch.floor_divide(x, x)
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% floor division 3
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = x // x
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% floor division 4
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = 2 // x
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% floor division 5
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = x * 1
y //= 2
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% floor division 6
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = torch.div(x, 2, rounding_mode="floor")
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% floor division 7
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = torch.div(x, x, rounding_mode="trunc")
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% floor division 8
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = torch.div(x, x, rounding_mode=None)
y.requires_grad
y.grad_fn
y.sum().backward()
x.grad

# %% unique
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = torch.unique(x)
y
y.sum().backward()

# %% unique2
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y, i = torch.unique(x, return_inverse=True)
y
y.sum().backward()

# %% unique3
x = torch.tensor([[1.0, 2.0, 5.0]], requires_grad=True)
y = torch.unique(x, dim=0)
y
y.sum().backward()

# %% uniquec
x = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
y = torch.unique_consecutive(x)
y
y.sum().backward()

# %% erfinv
x = torch.tensor([0.5], requires_grad=True)
y = torch.erfinv(x)
y.mul_(2)
y.sum().backward()
x.grad

# %% erfinv2
x = torch.tensor([0.5], requires_grad=True)
y = x * 1
y.erfinv_()
y.sum().backward()
x.grad

# %% asinh
x = torch.tensor([0.5], requires_grad=True)
y = x * 1
z = y.asinh()
y.mul_(2)
z.sum().backward()
x.grad

# %% asinh_
x = torch.tensor([0.5], requires_grad=True)
y = x * 1
y.asinh_()
y.sum().backward()
x.grad

# %% asinh_2
x = torch.tensor([0.5], requires_grad=True)
y = x * 1
y.asinh_()
y.mul_(2)
y.sum().backward()
x.grad

# %% acosh_
x = torch.tensor([1.5], requires_grad=True)
y = x * 1
y.acosh_()
y.sum().backward()
x.grad

# %% atanh_
x = torch.tensor([0.5], requires_grad=True)
y = x * 1
y.atanh_()
y.sum().backward()
x.grad

# %% sin_
x = torch.tensor([0.5], requires_grad=True)
y = x * 1
y.sin_()
y.sum().backward()
x.grad

# %% elu, celu and selu twice at 0
x = torch.tensor([0., 1., -1.], dtype=torch.float64, requires_grad=True)
g, = torch.autograd.grad(torch.nn.functional.elu(x).sum(), x, create_graph=True)
g.detach(), torch.autograd.grad(g.sum(), x)
g, = torch.autograd.grad(torch.nn.functional.celu(x, 2.).sum(), x, create_graph=True)
g.detach(), torch.autograd.grad(g.sum(), x)
g, = torch.autograd.grad(torch.selu(x).sum(), x, create_graph=True)
g.detach(), torch.autograd.grad(g.sum(), x)
