"""Tensors of inference mode, inside it and outside. Run by test_autograd.py; see transcript.py."""

import torch

# %% out= into an inference tensor
with torch.inference_mode():
    v = torch.ones(3)
torch.add(torch.ones(3), 1, out=v)

# %% out= into an inference tensor 2
with torch.inference_mode():
    v = torch.ones(3)
torch.mm(torch.ones(3, 3), torch.ones(3, 3), out=v)

# %% out= into an inference tensor 3
with torch.inference_mode():
    v = torch.ones(3)
torch.sum(torch.ones(3, 3), 0, out=v)

# %% out= into an inference tensor 4
with torch.inference_mode():
    v = torch.ones(3)
torch.cat([torch.ones(3)], out=v)

# %% out= into an inference tensor 5
with torch.inference_mode():
    v = torch.ones(3)
torch.exp(torch.ones(3), out=v)

# %% out= into an inference tensor 6
with torch.inference_mode():
    v = torch.ones(3)
torch.zeros(3, out=v)

# %% inference tensor used outside
with torch.inference_mode():
    v = torch.ones(3)
(v + 1).is_inference()
v[1:].is_inference()
v.detach().is_inference()
v.clone().is_inference()

# %% inference tensor used outside 2
with torch.inference_mode():
    v = torch.ones(3)
x = torch.ones(3, requires_grad=True)
x + v
x * v

# %% inference tensor used outside 3
with torch.inference_mode():
    v = torch.ones(3)
v.requires_grad_()

# %% inference tensor used outside 4
with torch.inference_mode():
    v = torch.ones(3)
v.add_(1)

# %% inference tensor used outside 5
with torch.inference_mode():
    v = torch.ones(3)
v._version

# %% inference tensor used outside 6
with torch.inference_mode():
    v = torch.ones(3)
v[0] = 2

# %% inference tensor used outside 7
with torch.inference_mode():
    v = torch.ones(3)
x = torch.ones(3)
x.copy_(v)
x
x.data = v
x.is_inference()

# %% inference tensor used outside 8
with torch.inference_mode():
    v = torch.ones(3)
v.resize_(4)

# %% inference tensor used outside 9
with torch.inference_mode():
    v = torch.ones(3)
w = v.view(3, 1)
w.is_inference()
w._is_view()
w.add_(1)

# %% inference tensor used outside 10
with torch.inference_mode():
    v = torch.ones(3)
x = torch.ones(3, requires_grad=True)
y = x * 1
y.copy_(v)
y

# %% inference tensor used outside 11
with torch.inference_mode():
    v = torch.ones(3)
x = torch.ones(3, requires_grad=True)
(x @ v).backward()

# %% inference tensor used outside 12
with torch.inference_mode():
    v = torch.ones(3)
x = torch.ones(3, requires_grad=True)
(x * 1).backward(v)
x.grad
x.grad.is_inference()

# %% inference tensor used outside 13
x = torch.ones(3)
with torch.inference_mode():
    x.add_(1)
    v = x[1:]
    v.add_(1)
x
x._version
v.is_inference()
v._is_view()
v.add_(1)

# %% set_ of an inference tensor
with torch.inference_mode():
    v = torch.ones(3)
v.set_(torch.ones(2))

# %% t_ of an inference tensor
with torch.inference_mode():
    v = torch.ones(3, 3)
v.t_()
