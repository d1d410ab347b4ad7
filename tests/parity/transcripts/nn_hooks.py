"""Hooks on calls and backward passes of modules. Run by test_nn_parity.py; see transcript.py."""

import torch

# %% forward hooks
nn = torch.nn
seen = []
class Double(nn.Module):
    def forward(self, x, *, times=1):
        return x * 2 * times
m = Double()
h = m.register_forward_hook(lambda module, args, output: seen.append((args, output)))
m(torch.ones(1))
seen
h2 = m.register_forward_hook(lambda module, args, output: output + 1)
m(torch.ones(1))
h3 = m.register_forward_hook(lambda module, args, kwargs, output: seen.append((args, kwargs, output)), with_kwargs=True)
m(torch.ones(1), times=3)
seen[-1]
h4 = m.register_forward_hook(lambda module, args, output: output * 10, prepend=True)
m(torch.ones(1))
h4.remove()
h2.remove()
h2.remove()
m(torch.ones(1))
len(m._forward_hooks), len(m._forward_hooks_with_kwargs)
h3.remove()
len(m._forward_hooks), len(m._forward_hooks_with_kwargs)
with m.register_forward_hook(lambda *a: 5):
    inside = m(torch.ones(1))
inside, m(torch.ones(1))

# %% forward pre-hooks
nn = torch.nn
class Sum(nn.Module):
    def forward(self, x, y=0):
        return x + y
m = Sum()
h = m.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
m(torch.ones(1))
h2 = m.register_forward_pre_hook(lambda module, args: args[0] + 1)
m(torch.ones(1))
h3 = m.register_forward_pre_hook(lambda module, args: args[0] * 100, prepend=True)
m(torch.ones(1))
[x.remove() for x in (h, h2, h3)]
h = m.register_forward_pre_hook(lambda module, args, kwargs: (args, {"y": 10}), with_kwargs=True)
m(torch.ones(1), y=3)
h.remove()
h = m.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)
m(torch.ones(1), y=3)
h.remove()
m(torch.ones(1), y=3)
len(m._forward_pre_hooks), len(m._forward_pre_hooks_with_kwargs)

# %% hooks that are always called
nn = torch.nn
seen = []
class Fails(nn.Module):
    def forward(self, x):
        raise RuntimeError("no")
m = Fails()
h1 = m.register_forward_hook(lambda module, args, output: seen.append(("always", output)), always_call=True)
h2 = m.register_forward_hook(lambda module, args, output: seen.append("not"))
m(torch.ones(1))
seen
class Fine(nn.Module):
    def forward(self, x):
        return x
m = Fine()
def bad(module, args, output):
    raise ValueError("bad hook")
h1 = m.register_forward_hook(lambda module, args, output: seen.append("first"), always_call=True)
h2 = m.register_forward_hook(bad)
def third(module, args, kwargs, output):
    seen.append(("third", kwargs))
h3 = m.register_forward_hook(third, always_call=True, with_kwargs=True)
h4 = m.register_forward_hook(bad, always_call=True)
m(torch.ones(1))
seen
h2.remove()
m(torch.ones(1))
len(m._forward_hooks_always_called)

# %% full backward hooks
nn = torch.nn
torch.manual_seed(0)
seen = []
m = nn.Linear(2, 1)
h = m.register_full_backward_hook(lambda module, gi, go: seen.append((gi, go)))
x = torch.ones(1, 2, requires_grad=True)
m(x).sum().backward()
seen
x.grad
h.remove()
h = m.register_full_backward_hook(lambda module, gi, go: (gi[0] * 0,))
x.grad = None
m(x).sum().backward()
x.grad
h2 = m.register_full_backward_hook(lambda module, gi, go: (gi[0] + 5,))
h3 = m.register_full_backward_hook(lambda module, gi, go: (gi[0] + 1,), prepend=True)
x.grad = None
m(x).sum().backward()
x.grad
[k.remove() for k in (h, h2, h3)]
h = m.register_full_backward_hook(lambda module, gi, go: (None, None))
m(x).sum().backward()
h.remove()
m.register_backward_hook(lambda *a: None)
type(m(x).grad_fn)

# %% backward pre-hooks
nn = torch.nn
torch.manual_seed(0)
m = nn.Linear(2, 1)
x = torch.ones(1, 2, requires_grad=True)
h = m.register_full_backward_pre_hook(lambda module, go: (go[0] * 10,))
m(x).sum().backward()
x.grad, m.weight.grad
h2 = m.register_full_backward_pre_hook(lambda module, go: (go[0] + 1,), prepend=True)
x.grad = None
m(x).sum().backward()
x.grad
h.remove(), h2.remove()
h = m.register_full_backward_pre_hook(lambda module, go: (1, 2))
m(x).sum().backward()
h.remove()
seen = []
h = m.register_full_backward_pre_hook(lambda module, go: seen.append(go))
h2 = m.register_full_backward_hook(lambda module, gi, go: seen.append((gi, go)))
m(torch.ones(1, 2)).sum().backward()
seen
h2.remove()
h2 = m.register_full_backward_hook(lambda module, gi, go: (torch.ones(1),))
m(torch.ones(1, 2)).sum().backward()

# %% several inputs and outputs
nn = torch.nn
seen = []
class Pair(nn.Module):
    def forward(self, x, y, factor):
        return x * factor, y * 2
m = Pair()
h = m.register_full_backward_hook(lambda module, gi, go: seen.append((gi, go)))
x, y = torch.ones(2, requires_grad=True), torch.ones(2)
a, b = m(x, y, 3)
(a.sum() + b.sum()).backward()
seen
y.requires_grad_()
a, b = m(x, y, 3)
a.sum().backward()
seen[-1]
with torch.no_grad():
    out = m(x, y, 3)
out
class Dict(nn.Module):
    def forward(self, x):
        return {"x": x}
m = Dict()
h = m.register_full_backward_hook(lambda module, gi, go: seen.append((gi, go)))
m(x)

# %% deprecated backward hooks
nn = torch.nn
torch.manual_seed(0)
seen = []
m = nn.Linear(2, 1)
h = m.register_backward_hook(lambda module, gi, go: seen.append((len(gi), go)))
x = torch.ones(1, 2, requires_grad=True)
m(x).sum().backward()
seen
m.register_full_backward_hook(lambda *a: None)

# %% hooks for all modules
nn = torch.nn
M = torch.nn.modules.module
seen = []
m = nn.Sequential(nn.Identity(), nn.Identity())
h = M.register_module_forward_hook(lambda module, args, output: seen.append(type(module).__name__))
h2 = M.register_module_forward_pre_hook(lambda module, args: seen.append("before " + type(module).__name__))
m(torch.ones(1))
seen
h.remove(), h2.remove()
h = M.register_module_forward_hook(lambda module, args, kwargs, output: seen.append(kwargs), with_kwargs=True)
m(input=torch.ones(1))
seen[-1]
h.remove()
seen.clear()
h = M.register_module_full_backward_hook(lambda module, gi, go: seen.append((type(module).__name__, gi, go)))
h2 = M.register_module_full_backward_pre_hook(lambda module, go: seen.append(go))
x = torch.ones(1, requires_grad=True)
m(x).backward()
seen
h.remove(), h2.remove()
seen.clear()
m(x).backward()
seen
M.register_module_backward_hook(lambda *a: None)

# %% hooks and copies
import copy
import pickle
nn = torch.nn
class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0
        self.handle = self.register_forward_hook(self.add)
    def add(self, module, args, output):
        self.count += 1
    def forward(self, x):
        return x
m = Counts()
c = copy.deepcopy(m)
m(1), c(1), c(1)
m.count, c.count
c.handle.remove()
c(1), m(1)
m.count, c.count

# %% dicts of hooks set by hand
from collections import OrderedDict
nn = torch.nn
seen = []
m = nn.Identity()
m._forward_hooks[0] = lambda module, args, output: seen.append("called")
m(1)
seen
m._forward_hooks.clear()
m(1)
seen
m._forward_hooks = OrderedDict()
m._forward_hooks["x"] = lambda module, args, output: 5
m(1)
m._forward_pre_hooks = OrderedDict({1: lambda module, args: (3,)})
m(1)
