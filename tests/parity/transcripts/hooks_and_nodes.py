"""Order of hooks, and what nodes show and refuse.

Run by test_autograd.py; see transcript.py.
"""

import torch

# %% retain_grad, then in place
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
y.retain_grad()
y.mul_(3)
y.sum().backward()
y.grad
x.grad

# %% retain_grad, then in place hook
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
y.register_hook(lambda g: print("h", g))
y.retain_grad()
y.mul_(3)
y.register_hook(lambda g: print("h2", g))
y.sum().backward()
y.grad
x.grad

# %% retain_grad, then in place 2
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
y.retain_grad()
y.mul_(3)
y.mul_(2)
y.sum().backward()
y.grad
x.grad

# %% a result of grad and a retained grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2 + 1
y.retain_grad()
g, = torch.autograd.grad((y * y).sum(), [y])
g.mul_(0)
y.grad

# %% number * tensor
b = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
[(f and type(f).__name__, n) for f, n in (2 * b).grad_fn.next_functions]
[(f and type(f).__name__, n) for f, n in (b * 2).grad_fn.next_functions]

# %% number + tensor
b = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
[(f and type(f).__name__, n) for f, n in (2 + b).grad_fn.next_functions]
[(f and type(f).__name__, n) for f, n in (b + 2).grad_fn.next_functions]

# %% number - tensor
b = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
[(f and type(f).__name__, n) for f, n in (2 - b).grad_fn.next_functions]
[(f and type(f).__name__, n) for f, n in (b - 2).grad_fn.next_functions]
(2 - b).grad_fn

# %% number / tensor
b = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
[(f and type(f).__name__, n) for f, n in (2 / b).grad_fn.next_functions]
(2 / b).grad_fn

# %% number * tensor 2
b = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
(2 * b).grad_fn._saved_self
(2 * b).grad_fn._saved_other

# %% number * tensor 3
b = torch.tensor([1.0, 2.0, 5.0], requires_grad=True)
(b * 2).grad_fn._saved_self
(b * 2).grad_fn._saved_other

# %% order of hooks
x = torch.ones(1, requires_grad=True)
y = x * 2
y.register_hook(lambda g: print("t1"))
y.grad_fn.register_prehook(lambda g: print("pre"))
y.register_hook(lambda g: print("t2"))
y.grad_fn.register_hook(lambda a, b: print("post"))
y.retain_grad()
y.backward()

# %% hooks of a leaf
x = torch.ones(1, requires_grad=True)
y = x * 2
acc = y.grad_fn.next_functions[0][0]
x.register_hook(lambda g: print("t1"))
acc.register_prehook(lambda g: print("accpre"))
acc.register_hook(lambda a, b: print("accpost", a, b))
x.register_post_accumulate_grad_hook(lambda p: print("pa", p.grad))
x.register_hook(lambda g: print("t2"))
y.backward()

# %% hooks of a leaf 2
x = torch.ones(1, requires_grad=True)
y = x * 2
acc = y.grad_fn.next_functions[0][0]
acc.register_prehook(lambda g: (g[0] * 10,))
acc.register_prehook(lambda g: print("accpre", g))
x.register_hook(lambda g: g + 1)
y.backward()
x.grad

# %% hooks of a leaf 3
x = torch.ones(1, requires_grad=True)
y = x * 2
acc = y.grad_fn.next_functions[0][0]
acc.register_prehook(lambda g: print("accpre", g))
acc.register_hook(lambda a, b: print("accpost", a, b))
x.register_hook(lambda g: print("t", g))
x.register_post_accumulate_grad_hook(lambda p: print("pa", p.grad))
torch.autograd.grad(y, x)

# %% hooks of a leaf 4
x = torch.ones(1, requires_grad=True)
y = x * 2
acc = y.grad_fn.next_functions[0][0]
acc.register_prehook(lambda g: print("accpre", g))
acc.register_hook(lambda a, b: print("accpost", a, b))
x.register_hook(lambda g: print("t", g))
x.register_post_accumulate_grad_hook(lambda p: print("pa", p.grad))
y.backward(inputs=[x])

# %% hooks of an intermediate
x = torch.ones(1, requires_grad=True)
y = x * 2
z = y * 3
y.register_hook(lambda g: print("t", g))
y.grad_fn.register_prehook(lambda g: print("pre", g))
y.grad_fn.register_hook(lambda a, b: print("post"))
torch.autograd.grad(z, y)

# %% hooks of an intermediate 2
x = torch.ones(1, requires_grad=True)
y = x * 2
z = y * 3
y.register_hook(lambda g: g * 2)
y.grad_fn.register_prehook(lambda g: (g[0] * 5,))
y.grad_fn.register_hook(lambda a, b: print("post"))
torch.autograd.grad(z, [y, x])

# %% post-accumulate hook that returns something
x = torch.ones(1, requires_grad=True)
x.register_post_accumulate_grad_hook(lambda p: 3)
(x * 2).backward()
x.grad

# %% materialize_grads with create_graph
x = torch.ones(1, requires_grad=True)
z = torch.ones(1, requires_grad=True)
g = torch.autograd.grad(x * 2, [x, z], materialize_grads=True, create_graph=True)
g
g[1].requires_grad

# %% node called
x = torch.ones(1, requires_grad=True)
y = x * 2
y.grad_fn(torch.ones(1), torch.ones(1))

# %% node called 2
x = torch.ones(1, requires_grad=True)
y = x * 2
y.grad_fn(torch.ones(1))

# %% node called 3
x = torch.ones(1, requires_grad=True)
y = x * 2
y.grad_fn()

# %% node called 4
x = torch.ones(1, requires_grad=True)
y = x * 2
y.grad_fn(3)

# %% node called 7
x = torch.ones(1, requires_grad=True)
y = x * 2
y.grad_fn(None)

# %% dir
x = torch.rand(3, requires_grad=True)
y = x * x
[n for n in dir(y.grad_fn) if n.startswith("_saved")]
[n for n in dir(x.exp().grad_fn) if n.startswith("_saved")]
[n for n in dir(x.sum(0).grad_fn) if n.startswith("_saved")]
[n for n in dir(x[0].grad_fn) if n.startswith("_saved")]
[n for n in dir((x + 1).grad_fn) if n.startswith("_saved")]

# %% dir2
x = torch.rand(3, requires_grad=True)
y = x * 2
y.grad_fn._saved_self
y.grad_fn._saved_other
(x + 1).grad_fn._saved_alpha
x.sum(0).grad_fn._saved_dim
x.sum(0).grad_fn._saved_keepdim
x.sum(0).grad_fn._saved_self_sym_sizes
