"""Grad modes, hooks and anomaly mode. Run by test_autograd.py; see transcript.py."""

import torch

# %% no_grad, enable_grad, set_grad_enabled
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    a = x * 2
    with torch.enable_grad():
        b = x * 2
    torch.is_grad_enabled()
a.requires_grad, b.requires_grad, torch.is_grad_enabled()
with torch.set_grad_enabled(False):
    c = x * 2
c.requires_grad
torch.set_grad_enabled(False)
torch.is_grad_enabled()
(x * 2).requires_grad
torch.set_grad_enabled(True)
torch.is_grad_enabled()

# %% grad modes as decorators
@torch.no_grad()
def double(x):
    return x * 2


@torch.no_grad
def triple(x):
    return x * 3


@torch.set_grad_enabled(False)
def quadruple(x):
    return x * 4


x = torch.ones(2, requires_grad=True)
double(x).requires_grad, triple(x).requires_grad, quadruple(x).requires_grad
double.__name__

# %% grad mode is restored after an exception
try:
    with torch.no_grad():
        raise ValueError("inside")
except ValueError:
    pass
torch.is_grad_enabled()

# %% a generator under no_grad
@torch.no_grad()
def numbers():
    yield torch.is_grad_enabled()
    yield torch.is_grad_enabled()


[(value, torch.is_grad_enabled()) for value in numbers()]

# %% new tensors in no_grad may require grad
with torch.no_grad():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
x.requires_grad, y.requires_grad

# %% inference_mode
x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    y = x * 2
    torch.is_inference_mode_enabled(), torch.is_grad_enabled()
y.requires_grad, y.is_inference()
y * x
y.add_(1)
y.requires_grad_()

# %% inference tensors have no version
with torch.inference_mode():
    y = torch.ones(2)
y._version

# %% tensor hooks
seen = []
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
handle = y.register_hook(lambda g: seen.append(g.tolist()))
other = y.register_hook(lambda g: g * 10)
(y * y).sum().backward()
seen
x.grad
handle.remove()
other.remove()
(x * 3).sum().backward()
seen
x.grad

# %% hook on a leaf
seen = []
x = torch.tensor([1.0, 2.0], requires_grad=True)
handle = x.register_hook(lambda g: g * 2)
(x * x).sum().backward()
x.grad
handle.remove()
(x * x).sum().backward()
x.grad

# %% hooks run once with the whole gradient
seen = []
x = torch.ones(2, requires_grad=True)
y = x * 2
handle = y.register_hook(lambda g: seen.append(g.tolist()))
(y * 3 + y * 4).sum().backward()
seen

# %% a hook on a tensor without grad
torch.ones(2).register_hook(lambda g: g)

# %% a hook that returns something wrong [types]
x = torch.ones(2, requires_grad=True)
handle = x.register_hook(lambda g: "text")
(x * 2).sum().backward()
handle.remove()
handle = x.register_hook(lambda g: torch.ones(5))
(x * 2).sum().backward()

# %% a hook that raises
x = torch.ones(2, requires_grad=True)
y = x * 2


def fail(g):
    raise ValueError("from the hook")


handle = y.register_hook(fail)
y.sum().backward()
x.grad
handle.remove()

# %% post-accumulate hook
seen = []
x = torch.ones(2, requires_grad=True)
handle = x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.tolist()))
(x * 2).sum().backward()
(x * 3).sum().backward()
seen
torch.ones(2).register_post_accumulate_grad_hook(lambda t: None)
(x * 2).register_post_accumulate_grad_hook(lambda t: None)

# %% node hooks
seen = []
x = torch.ones(2, requires_grad=True)
y = x.exp()
handle = y.grad_fn.register_hook(lambda gin, gout: seen.append([[g.tolist() for g in gin], [g.tolist() for g in gout]]))
(y * 2).sum().backward()
seen
pre = y.grad_fn.register_prehook(lambda gout: (gout[0] * 3,))

# %% anomaly mode names nothing new for good graphs
x = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    (x * 2).sum().backward()
x.grad
torch.is_anomaly_enabled()

# %% anomaly mode finds nan
x = torch.tensor(0.0, requires_grad=True)
with torch.autograd.detect_anomaly():
    y = (x * 0) / x
    y.backward()

# %% what hooks of nodes may return
def gradient(hook, before=True, op=lambda x: x * x, shape=(2,)):
    x = torch.ones(shape, requires_grad=True)
    y = op(x)
    (y.grad_fn.register_prehook if before else y.grad_fn.register_hook)(hook)
    y.sum().backward()
    return x.grad

class Hook:
    def __call__(self, *grads):
        return (torch.ones(7),)

wrong = [(torch.ones(5),), (torch.ones(2).double(),), (), (torch.ones(2),) * 3, 5, torch.ones(2), [torch.ones(2)], (3,)]
gradient(lambda g: wrong[0])
gradient(lambda g: wrong[1])
gradient(lambda g: wrong[2])
gradient(lambda g: wrong[3])
gradient(lambda g: wrong[4])
gradient(lambda g: wrong[5])
gradient(lambda g: wrong[6])
gradient(lambda g: wrong[7])
gradient(Hook())
gradient(lambda g: (None,))
gradient(lambda g: (g[0] * 3,))
gradient(lambda *g: wrong[0], before=False, op=lambda x: x.exp())
gradient(lambda *g: wrong[1], before=False, op=lambda x: x.exp())
gradient(lambda *g: wrong[2], before=False)
gradient(lambda *g: wrong[5], before=False)
gradient(lambda given, got: (given[0] * 2, None), before=False)
gradient(lambda given, got: (given[0],) * 2, before=False, op=lambda x: x * torch.ones(2))
shapes = lambda given, got: print(*(g.shape for g in given + got))
gradient(shapes, before=False, op=lambda x: x + torch.ones(3, 2).requires_grad_())
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: 3)
(x * 2).sum().backward()
