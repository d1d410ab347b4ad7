"""What changes in place do to a graph: leaves, views, versions. Run by test_autograd.py; see transcript.py."""

import torch

# %% in place on a leaf
x = torch.ones(2, requires_grad=True)
x += 1
x.add_(1)
x.zero_()
x[0] = 5
x

# %% in place on a view of a leaf
x = torch.ones(2, 2, requires_grad=True)
x[0].add_(1)
x.t().mul_(2)
x.view(4).zero_()
x

# %% in place on a leaf under no_grad
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    x += 1
    x[0] = 7
x
x._version
x.is_leaf, x.requires_grad

# %% saved tensor changed in place
x = torch.ones(2, requires_grad=True)
y = x * 1
z = y * y
y.add_(1)
z.sum().backward()

# %% saved output changed in place
x = torch.ones(2, 3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()

# %% saved view changed through its base
x = torch.ones(4, requires_grad=True)
y = x * 1
z = y[:2] * y[2:]
y[0] = 3
z.sum().backward()

# %% saved leaf changed under no_grad
w = torch.ones(2, requires_grad=True)
y = (w * w).sum()
with torch.no_grad():
    w.add_(1)
y.backward()

# %% a change that does not matter
x = torch.ones(2, requires_grad=True)
y = x * 1
z = y + 2
y.add_(1)
z.sum().backward()
x.grad

# %% detach shares and its changes count
x = torch.ones(2, requires_grad=True)
y = x * 1
z = y * y
d = y.detach()
d.requires_grad, d._version, d.data_ptr() == y.data_ptr()
d.zero_()
y
z.sum().backward()

# %% data shares and its changes do not count
x = torch.ones(2, requires_grad=True)
y = x * 1
z = y * y
y.data.zero_()
y.data._version, y._version
z.sum().backward()
x.grad

# %% in place: the value is new and the gradient right
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
y.mul_(x)
y.grad_fn
y.sum().backward()
x.grad

# %% in place on a view changes the base's graph
x = torch.ones(2, 2, requires_grad=True)
y = x * 1
v = y[0]
v.mul_(5)
y
y.grad_fn
v.grad_fn
y.sum().backward()
x.grad

# %% the base changed, the view's graph is regenerated
x = torch.ones(2, 2, requires_grad=True)
y = x * 1
v = y[0]
y.mul_(3)
v.grad_fn
v.sum().backward()
x.grad

# %% chain of views in place
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
y = x.clone()
y.t()[1:].grad_fn
y.t()[1:].mul_(2)
y[0, 0] = 10
y.sum().backward()
x.grad

# %% setitem routes gradients
x = torch.zeros(3, requires_grad=True)
v = torch.tensor(2.0, requires_grad=True)
y = x * 1
y[1] = v
y.grad_fn
(y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
x.grad, v.grad

# %% a tensor without grad becomes part of the graph
x = torch.zeros(3)
w = torch.ones((), requires_grad=True)
x[0] = w
x.requires_grad, x.is_leaf
x.add_(w)
x.sum().backward()
w.grad

# %% in-place on a broadcast view
x = torch.ones(1, 3).expand(2, 3)
x.add_(1)
x.zero_()
x[0, 0] = 2

# %% in-place with grad into an integer or a smaller tensor
w = torch.ones(2, requires_grad=True)
torch.ones(2, dtype=torch.int64).add_(w)
torch.ones(1).add_(w)

# %% unbind and split outputs cannot be changed in place
x = torch.ones(2, 2, requires_grad=True)
y = x * 1
a, b = y.unbind()
a.mul_(2)
c, d = y.split(1)
c.mul_(2)

# %% view made in no_grad changed in place
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    v = x.view(2)
v.requires_grad
v.mul_(2)

# %% zero_ and fill_ cut the graph
x = torch.ones(2, requires_grad=True)
y = x * 2
y.zero_()
y.requires_grad, y.grad_fn.name()
y.sum().backward()
x.grad

# %% copy_ into a part
x = torch.ones(3, requires_grad=True)
y = torch.zeros(2, 3)
y[0].copy_(x)
y.requires_grad
y.grad_fn.name()
(y * torch.arange(6.0).reshape(2, 3)).sum().backward()
x.grad

# %% out= and grad
x = torch.ones(2, requires_grad=True)
out = torch.empty(2)
torch.add(x, 1, out=out)
with torch.no_grad():
    torch.add(x, 1, out=out)
torch.add(torch.ones(2), 1, out=torch.empty(2, requires_grad=True))

# %% in-place arithmetic sequences
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = w * 2
h += 1
h *= h.detach()
h -= w
h /= 2
h.sum().backward()
w.grad

# %% in-place relu and sigmoid save their results
x = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)
y = (x * 2).sigmoid_()
z = (y * 3).relu_()
z.sum().backward()
x.grad
y = (x * 2).exp_()
y.mul_(2)
y.sum().backward()

# %% setters keep leaf rules
x = torch.ones(2)
x.requires_grad = True
x.requires_grad, x.is_leaf
x.data = torch.zeros(3)
x
x.data = torch.zeros(3, dtype=torch.int64)
x.requires_grad

# %% version counter
x = torch.zeros(2)
x._version
x.add_(1)
x._version
x[0] = 1
x._version
v = x[:1]
v.zero_()
x._version, v._version
x.detach()._version
x.clone()._version

# %% a refused scatter changes nothing
z = torch.tensor([[1 + 2j, 3], [4, 5j]], requires_grad=True)
places = torch.zeros(2, 2, dtype=torch.int64)
z.scatter_reduce(0, places, z, "sum", include_self=False)
z
