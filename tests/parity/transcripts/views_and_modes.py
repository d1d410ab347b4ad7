"""Views, in-place changes, versions and `out=` as autograd sees them.

Run by test_autograd.py; see transcript.py.
"""

import torch

# %% logical_not_
x = torch.tensor([4.0, 2.0], requires_grad=True)
y = x * 1
y.logical_not_()
y.requires_grad
y.grad_fn

# %% logical_and_
x = torch.tensor([4.0, 2.0], requires_grad=True)
y = x * 1
y.logical_and_(x)
y.requires_grad
y.grad_fn

# %% not_leaf
x = torch.tensor([4.0, 2.0], requires_grad=True)
x.logical_not_()
x

# %% and_leaf
x = torch.tensor([4.0, 2.0], requires_grad=True)
x.logical_and_(x)
x

# %% view made before requires_grad_
x = torch.ones(3)
v = x[1:]
x.requires_grad_()
v.requires_grad
v.is_leaf
v.grad_fn
v

# %% view made before requires_grad_ 2
x = torch.ones(3)
a, b, c = x.unbind(0)
x.requires_grad_()
a.requires_grad
a
(a * 2).requires_grad

# %% view made before requires_grad_ 3
x = torch.ones(3)
v = x[1:]
x.requires_grad_()
y = (x * 2).sum() + (v * 3).sum()
y.backward()
x.grad

# %% view made before requires_grad_ 4
x = torch.ones(3)
v = x[1:]
x.requires_grad_()
v.mul_(2)
x
v

# %% view made before requires_grad_ 5
x = torch.ones(3)
v = x[1:]
x.requires_grad_()
v.requires_grad_()
v

# %% view made before requires_grad_ 6
x = torch.ones(3)
v = x[1:]
w = torch.ones(3, requires_grad=True)
x.mul_(w)
v.requires_grad
v.grad_fn
x.grad_fn

# %% in place on a leaf that is a view
x = torch.ones(3)
v = x[1:].requires_grad_()
v.mul_(2)

# %% in place on a leaf that is a view 2
x = torch.ones(3)
v = x[1:].requires_grad_()
x.mul_(2)
v.requires_grad
v.is_leaf

# %% in place on a leaf that is a view 3
x = torch.ones(3)
v = x[1:].requires_grad_()
w = torch.ones(3, requires_grad=True)
x.mul_(w)
v.requires_grad
v.is_leaf

# %% in place on a leaf that is a view 4
x = torch.ones(3).detach()[1:].requires_grad_()
x.mul_(2)

# %% view made under no_grad, base changed 2
x = torch.ones(3, requires_grad=True)
y = x * 1
with torch.no_grad():
    v = y[1:]
y.mul_(2)
v.requires_grad
v.grad_fn
v

# %% view made under no_grad, base changed 3
x = torch.ones(3)
with torch.no_grad():
    v = x[1:]
w = torch.ones(3, requires_grad=True)
x.mul_(w)
v.requires_grad
v.grad_fn
v

# %% view made under no_grad, base changed 4
x = torch.ones(3)
with torch.inference_mode():
    v = x[1:]
w = torch.ones(3, requires_grad=True)
x.mul_(w)
v.requires_grad
v.grad_fn

# %% view made under no_grad, base changed 5
x = torch.ones(3)
with torch.no_grad():
    v = x[1:]
w = torch.ones(2, requires_grad=True)
v.mul_(w)
v.requires_grad
v.grad_fn

# %% view made under no_grad, base changed 6
x = torch.ones(3, requires_grad=True)
y = x * 1
with torch.inference_mode():
    v = y[1:]
y.mul_(2)
v.requires_grad
v.grad_fn

# %% view made under no_grad, base changed 7
x = torch.ones(3, requires_grad=True)
y = x * 1
with torch.inference_mode():
    v = y[1:]
v.requires_grad
v.is_leaf
v.grad_fn
v

# %% view made under no_grad, base changed 8
x = torch.ones(3, requires_grad=True)
y = x * 1
with torch.no_grad():
    v = y[1:]
v.requires_grad
v.is_leaf
v.grad_fn
v

# %% view made under no_grad, base changed 9
x = torch.ones(3, requires_grad=True)
with torch.no_grad():
    v = x[1:]
v.requires_grad
v.is_leaf
v.grad_fn
v
(v * 2).sum().backward()

# %% view made under no_grad, base changed 10
x = torch.ones(3, requires_grad=True)
y = x * 1
with torch.no_grad():
    a, b, c = y.unbind(0)
y.mul_(2)
a.requires_grad
a.grad_fn

# %% view made under no_grad, base changed 11
x = torch.ones(3)
with torch.no_grad():
    a, b, c = x.unbind(0)
w = torch.ones(3, requires_grad=True)
x.mul_(w)
a.requires_grad
a.grad_fn

# %% numpy() under no_grad
x = torch.ones(1, requires_grad=True)
with torch.no_grad():
    print(x.numpy())

# %% numpy() under no_grad 2
x = torch.ones(1, requires_grad=True)
y = x * 1
with torch.no_grad():
    print(y.numpy())

# %% numpy() under no_grad 3
x = torch.ones(1, requires_grad=True)
x.numpy()

# %% array of a leaf
import numpy as np
x = torch.ones(1, requires_grad=True)
np.asarray(x)

# %% array of a leaf nograd
import numpy as np
x = torch.ones(1, requires_grad=True)
with torch.no_grad():
    print(np.asarray(x))

# %% x.data and the version
x = torch.ones(3)
v = x._version
x.data = torch.zeros(2)
x._version
x.add_(1)
x._version

# %% x.data and the version 2
x = torch.ones(3)
x.add_(1)
y = torch.zeros(2)
y.add_(1)
y.add_(1)
x.data = y
x._version
y._version
x.add_(1)
x._version
y._version

# %% x.data and the version 3
x = torch.ones(3, requires_grad=True)
y = x * x
x.data = torch.zeros(3)
y.sum().backward()
x.grad

# %% x.data and the version 4
x = torch.ones(3, requires_grad=True)
y = x * x
x.data.add_(1)
y.sum().backward()
x.grad

# %% resize_ and the version
x = torch.ones(3)
x.resize_(4).shape
x._version
x.resize_(2).shape
x._version
x.resize_(2).shape
x._version

# %% copy_ and the version
x = torch.ones(3)
x._version
x.copy_(x)
x._version

# %% versions
x = torch.ones(3)
x.fill_(2)
x._version
x.zero_()
x._version
x.set_(torch.ones(2))
x._version
x.squeeze_()
x._version
x.unsqueeze_(0)
x._version
x.t_()
x._version
x.as_strided_((2,), (1,))
x._version
x.detach_()
x._version
x.requires_grad_()
x._version

# %% versions2
x = torch.ones(3)
x._version
x.scatter_(0, torch.tensor([0]), 1.0)
x._version
x.clamp_(0, 1)
x._version
x.add_(0)
x._version
torch.add(x, 1, out=x)
x._version
x.resize_as_(torch.ones(3))
x._version

# %% versions3
x = torch.ones(3)
x[...] = 1
x._version
x[:] = torch.ones(3)
x._version
x[0] = torch.tensor(2.0)
x._version
x[[0, 1]] = torch.ones(2)
x._version
x[torch.tensor([True, False, True])] = torch.ones(2)
x._version
x[None] = 1
x._version
x[0:0] = 1
x._version
x[torch.tensor([], dtype=torch.int64)] = 1.0
x._version

# %% versions4
x = torch.ones(0)
x.add_(1)
x._version
x.copy_(x.clone())
x._version
x.fill_(1)
x._version
x.zero_()
x._version
torch.nn.init.ones_(x)
x._version

# %% is_view
x = torch.ones(3)
x[1:]._is_view()
x.view(3)._is_view()
x.detach()._is_view()
x.data._is_view()
x.reshape(3)._is_view()
x.expand(2, 3)._is_view()
x.contiguous()._is_view()
x.real._is_view()
torch.view_as_real(torch.ones(2, dtype=torch.complex64))._is_view()
x.T._is_view()
x.unbind()[0]._is_view()
x.split(1)[0]._is_view()
x.alias()._is_view() if hasattr(x, "alias") else None

# %% is_view2
x = torch.ones(3)
x.detach()[1:]._base is x
x.detach()._base is x
x[1:].detach()._base is x
x[1:].detach()._is_view()
x[1:].data._is_view()
x[1:].data._base

# %% is_view3
x = torch.ones(3, requires_grad=True)
x.detach()._is_view()
x.detach()._base is x
x.detach()._base
d = x.detach()
d.add_(1)
x

# %% is_view4
with torch.no_grad():
    x = torch.ones(3)
    v = x[1:]
v._is_view()
v._base is x
with torch.inference_mode():
    v = x[1:]
v._is_view()
v._base is x

# %% eq out
x = torch.ones(3, requires_grad=True)
o = torch.zeros(3, dtype=torch.bool)
torch.eq(x, torch.ones(3), out=o)

# %% isnan out
x = torch.ones(3, requires_grad=True)
o = torch.zeros(3, dtype=torch.bool)
torch.logical_not(x, out=o)

# %% argmax out
x = torch.ones(3, requires_grad=True)
o = torch.zeros((), dtype=torch.int64)
torch.argmax(x, out=o)

# %% any out
x = torch.ones(3, requires_grad=True)
o = torch.zeros((), dtype=torch.bool)
torch.any(x, out=o)

# %% isposinf out
x = torch.ones(3, requires_grad=True)
o = torch.zeros(3, dtype=torch.bool)
torch.isposinf(x, out=o)
torch.signbit(x, out=o)

# %% bucketize out
x = torch.ones(3, requires_grad=True)
o = torch.zeros(3, dtype=torch.int64)
torch.bucketize(x, x.detach(), out=o)

# %% add out
x = torch.ones(3, requires_grad=True)
o = torch.zeros(3)
torch.add(x, 1, out=o)

# %% eq out float
x = torch.ones(3, requires_grad=True)
o = torch.zeros(3)
torch.eq(x, torch.ones(3), out=o)

# %% eq out rg
x = torch.ones(3)
o = torch.zeros(3, requires_grad=True)
torch.eq(x, torch.ones(3), out=o)

# %% add out rg
x = torch.ones(3)
o = torch.zeros(3, requires_grad=True)
torch.add(x, torch.ones(3), out=o)

# %% in place on an expanded tensor
x = torch.ones(1, 3).expand(3, 3)
x.add_(1)
x
