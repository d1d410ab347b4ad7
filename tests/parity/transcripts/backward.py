"""What backward and grad do: graphs, leaves, higher derivatives. Run by test_autograd.py; see transcript.py."""

import torch

# %% a scalar chain
x = torch.tensor(3.0, requires_grad=True)
y = (x * x + 2 * x).sin()
y.backward()
x.grad
y.grad_fn
y.is_leaf, x.is_leaf, y.requires_grad

# %% gradients accumulate
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
(x * 3).sum().backward()
x.grad
x.grad.zero_()
(x * 3).sum().backward()
x.grad

# %% gradient argument
x = torch.ones(3, requires_grad=True)
(x * torch.tensor([1.0, 2.0, 3.0])).backward(torch.tensor([1.0, 0.1, 0.01]))
x.grad

# %% non-scalar backward
x = torch.ones(3, requires_grad=True)
(x * 2).backward()

# %% one element is a scalar
x = torch.ones(1, 1, requires_grad=True)
(x * 2).backward()
x.grad

# %% gradient of a wrong shape
x = torch.ones(3, requires_grad=True)
(x * 2).backward(torch.ones(2))
(x * 2).backward(torch.ones(3, 1))

# %% gradient of a wrong dtype is cast
x = torch.ones(3, requires_grad=True)
(x * 2).backward(torch.ones(3, dtype=torch.float64))
x.grad

# %% second backward
x = torch.ones(3, requires_grad=True)
y = (x * x).sum()
y.backward()
y.backward()

# %% second backward through a graph that saves nothing
x = torch.ones(3, requires_grad=True)
y = (x + 1).sum()
y.backward()
y.backward()
x.grad

# %% retain_graph
x = torch.ones(3, requires_grad=True)
y = (x * x).sum()
y.backward(retain_graph=True)
y.backward()
x.grad
y.backward()

# %% two outputs of one freed graph
x = torch.ones(3, requires_grad=True)
h = x.exp()
a, b = h.sum(), (h * 2).sum()
a.backward()
b.backward()

# %% backward without requires_grad
x = torch.ones(3)
x.sum().backward()
torch.ones(()).backward()

# %% a leaf itself
x = torch.ones((), requires_grad=True)
x.backward()
x.grad

# %% integers cannot require gradients
torch.ones(2, dtype=torch.int64, requires_grad=True)
torch.tensor([1, 2], requires_grad=True)
torch.ones(2, dtype=torch.int64).requires_grad_()
x = torch.ones(2, dtype=torch.bool)
x.requires_grad = True

# %% requires_grad of a non-leaf cannot be switched off
x = torch.ones(2, requires_grad=True)
y = x * 2
y.requires_grad = False
y.requires_grad_(False)
y.requires_grad_(True).requires_grad

# %% autograd.grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
torch.autograd.grad(y, x)
x.grad

# %% autograd.grad of several
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
torch.autograd.grad(a * b + a, [a, b])
torch.autograd.grad([a * b, a], [a, b])
torch.autograd.grad(a * b, (b,))

# %% autograd.grad with grad_outputs
x = torch.ones(3, requires_grad=True)
torch.autograd.grad(x * 2, x, torch.tensor([1.0, 2.0, 3.0]))
torch.autograd.grad([x * 2, x * 3], [x], [torch.ones(3), torch.ones(3)])
torch.autograd.grad([x * 2, x * 3], [x], [torch.ones(3)])
torch.autograd.grad(x * 2, x)

# %% unused inputs
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
torch.autograd.grad(a * 2, [a, b])
torch.autograd.grad(a * 2, [a, b], allow_unused=True)
torch.autograd.grad(a * 2, [a, b], materialize_grads=True)
torch.autograd.grad(a * 2, [b])
torch.autograd.grad(a * 2, [a, b], allow_unused=False, materialize_grads=True)

# %% inputs that do not require grad
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0)
torch.autograd.grad(a * b, [b])
torch.autograd.grad(b * 2, [b])

# %% grad with respect to an intermediate
x = torch.tensor(2.0, requires_grad=True)
h = x * 3
torch.autograd.grad(h * h, h)
torch.autograd.grad(h * h, [h, x])

# %% backward with inputs=
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
h = a * b
(h * h).backward(inputs=[a])
a.grad, b.grad
(a * b).backward(inputs=[])
h = a * b
h.retain_grad()
(h * h).backward(inputs=[h])
h.grad, b.grad

# %% torch.autograd.backward
a = torch.tensor(2.0, requires_grad=True)
torch.autograd.backward([a * 2, a * 3])
a.grad
torch.autograd.backward(a * 2, torch.tensor(0.5))
a.grad
torch.autograd.backward([a * 2, a * 3], [None, torch.tensor(2.0)])
a.grad

# %% double backward
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.requires_grad
g.sum().backward()
x.grad

# %% third derivative
x = torch.tensor(0.5, requires_grad=True)
y = x.sin()
for _ in range(4):
    (y,) = torch.autograd.grad(y, x, create_graph=True)
    print(y.item())

# %% backward with create_graph
x = torch.tensor(2.0, requires_grad=True)
(x**3).backward(create_graph=True)
x.grad.requires_grad
x.grad.grad_fn is not None
x.grad = None

# %% gradient penalty
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad((w * x).tanh().sum(), x, create_graph=True)
(g.norm() - 1).pow(2).backward()
w.grad

# %% retain_grad
x = torch.tensor(2.0, requires_grad=True)
y = x * 3
z = y * y
y.retain_grad()
y.retains_grad, x.retains_grad
z.backward()
y.grad, x.grad
y.retain_grad()
x.retain_grad()
torch.ones(2).retain_grad()

# %% grad of a non-leaf is None
x = torch.tensor(2.0, requires_grad=True)
y = x * 3
(y * y).backward()
y.grad

# %% assigning grad
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(2)
x.grad
x.grad = torch.ones(3)
x.grad = torch.ones(2, dtype=torch.float64)
x.grad = 5
x.grad = None
x.grad
del x.grad
x.grad

# %% grad_fn, next_functions, names
x = torch.ones(2, requires_grad=True)
w = torch.ones(2)
y = x * w
z = y.sum()
z.grad_fn.name(), y.grad_fn.name()
z.grad_fn.next_functions[0][0] is y.grad_fn
[(f and f.name(), i) for f, i in y.grad_fn.next_functions]
y.grad_fn.next_functions[0][0].variable is x
x.grad_fn
y.grad_fn is y.grad_fn
len(z.grad_fn.next_functions), len((x + w + x).grad_fn.next_functions)

# %% names of common nodes
x = torch.tensor([[2.0, 1.0], [0.5, 3.0]], requires_grad=True)
names = lambda *ts: [t.grad_fn.name() for t in ts]
names(x + 1, x - 1, x * 2, x / 2, x**2, x @ x, -x, x.t(), x[0], x.sum(), x.mean(), x.max(), x.max(dim=0)[0])
names(x.view(4), x.reshape(4), x.t().reshape(4), x.expand(3, 2, 2), x.permute(1, 0), x.squeeze(), x.unsqueeze(0))
names(x.flatten())
names(x.clone(), x.to(torch.float64), x.double(), x.contiguous() * 1, torch.cat([x, x]), torch.stack([x, x]))
names(x.relu(), x.sigmoid())
names(x.exp(), x.log(), x.sqrt(), x.abs(), x.clamp(0, 1), x.softmax(0), x.log_softmax(0), x.norm(), x.std(), x.var())
names(x.prod())
names(torch.where(x > 0, x, x), x.masked_fill(x > 0, 1), x.gather(0, torch.zeros(1, 1, dtype=torch.int64)))
names(x.cumsum(0), x.sort()[0])
names(x.addmm(x, x), x.mv(x[0]), x[0].dot(x[0]), x.unsqueeze(0).bmm(x.unsqueeze(0)), x.inverse(), x.det())
names(2 - x, 2 / x, 2**x, x.select(0, 0), x.narrow(0, 0, 1), x.transpose(0, 1), x.T, x[:, None])
names(x[torch.tensor([0])], x.diagonal())
names(*x.unbind(), *x.split(1), *x.chunk(2), x.repeat(2, 2), x.flip(0), x.roll(1), x.tril(), torch.outer(x[0], x[0]))

# %% broadcasting sums gradients
a = torch.ones(3, 1, requires_grad=True)
b = torch.ones(4, requires_grad=True)
c = torch.tensor(2.0, requires_grad=True)
(a * b * c).sum().backward()
a.grad, b.grad, c.grad

# %% mixed dtypes cast gradients back
a = torch.ones(2, dtype=torch.float32, requires_grad=True)
b = torch.ones(2, dtype=torch.float64, requires_grad=True)
(a * b).sum().backward()
a.grad, b.grad

# %% an integer operand
a = torch.ones(2, requires_grad=True)
(a * torch.tensor([2, 3])).sum().backward()
a.grad
(a * torch.tensor([2, 3])).dtype

# %% the same tensor twice
x = torch.tensor(3.0, requires_grad=True)
(x * x).backward()
x.grad
x.grad = None
torch.stack([x, x, x]).sum().backward()
x.grad

# %% ties in max share or choose
x = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
x.max().backward()
x.grad
x.grad = None
x.max(dim=0)[0].backward()
x.grad
x.grad = None
x.amax().backward()
x.grad
x.grad = None
x.sort()[0][2].backward()
x.grad

# %% clamp at its bounds
x = torch.tensor([0.0, 0.5, 1.0, 2.0], requires_grad=True)
x.clamp(0, 1).sum().backward()
x.grad

# %% kinks
x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
for f in (torch.abs, torch.relu, torch.sign, torch.floor, torch.sqrt, torch.norm, torch.reciprocal):
    (g,) = torch.autograd.grad(f(x).sum(), x)
    print(f.__name__, g.tolist())

# %% argmax, comparisons and integers have no graph
x = torch.ones(2, requires_grad=True)
x.argmax().requires_grad, (x > 0).requires_grad, x.long().requires_grad, x.bool().requires_grad
torch.ones_like(x).requires_grad
x.clone().requires_grad, x.new_ones(2).requires_grad, x.detach().requires_grad, x.data.requires_grad

# %% detach_
x = torch.ones(2, requires_grad=True)
y = x * 2
y.detach_() is y
y.requires_grad, y.is_leaf, y.grad_fn
x[0].detach_()

# %% requires_grad_ of a view
x = torch.ones(2, 2)
v = x[0]
v.requires_grad_()
v.is_leaf, x.requires_grad
(v * 2).sum().backward()
v.grad, x.grad

# %% numpy and item of a tensor that requires grad
x = torch.ones(2, requires_grad=True)
x.numpy()
x.detach().numpy().tolist()
x[0].item(), x.tolist()
x.__array__()

# %% copying and deep copies
import copy

x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
y = copy.deepcopy(x)
y.grad, y.requires_grad, y.is_leaf, y.data_ptr() == x.data_ptr()
copy.deepcopy(x * 2)
copy.copy(x).requires_grad

# %% copies of tensors that share memory
x = torch.arange(12.).view(3, 4)
x.label = ["a"]
several = copy.deepcopy([x, x[1:, ::2], x.t(), x])
several[0][1, 0] = 50
several, several[0] is several[3], x
[(y.stride(), y.storage_offset(), y._is_view()) for y in several]
several[0].label == x.label, several[0].label is x.label
y = copy.copy(x)
y[0, 0] = 60
x, y.data_ptr() == x.data_ptr(), y.label is x.label
copy.copy(x[:, 1:]).stride(), copy.deepcopy(torch.ones(1).expand(3)).stride()
y = copy.copy(torch.ones(2, requires_grad=True) * 3)
y, y.is_leaf
import pickle

pickle.loads(pickle.dumps(x)).label

# %% a gradient of another dtype
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(2, dtype=torch.int64)
x.grad = torch.ones(2, dtype=torch.half)

# %% an undefined gradient in part of a graph
x = torch.ones(2, 2, requires_grad=True)
values, indices = x.sort()
a, b = x.unbind()
a.sum().backward()
x.grad

# %% a long chain
x = torch.ones((), requires_grad=True)
y = x
for _ in range(20000):
    y = y + 0
y.backward()
x.grad
del y

# %% a wide graph
x = torch.ones((), requires_grad=True)
y = sum(x * i for i in range(500))
y.backward()
x.grad

# %% a deep diamond
x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
y = x
for _ in range(60):
    y = (y + y) / 2
y.backward()
x.grad

# %% functional jacobian and hessian
f = lambda x: x.exp() * x.sum()
x = torch.tensor([0.5, 1.0])
torch.autograd.functional.jacobian(f, x)
torch.autograd.functional.hessian(lambda x: (x**3).sum() + x[0] * x[1], x)
torch.autograd.functional.jacobian(lambda a, b: a * b, (x, x + 1))

# %% functional products
f = lambda x: (x**2).sum() * x
x, v = torch.tensor([1.0, 2.0]), torch.tensor([0.5, -1.0])
torch.autograd.functional.vjp(f, x, v)
torch.autograd.functional.jvp(f, x, v)
torch.autograd.functional.hvp(lambda x: (x**3).sum(), x, v)
torch.autograd.functional.vhp(lambda x: (x**3).sum(), x, v)
torch.autograd.functional.vjp(f, x)
torch.autograd.functional.vjp(f, x, torch.ones(3))

# %% functional errors
torch.autograd.functional.jacobian(lambda x: x.detach(), torch.ones(2))
torch.autograd.functional.jacobian(lambda x: x.detach(), torch.ones(2), strict=True)
torch.autograd.functional.hessian(lambda x: x, torch.ones(2))

# %% gradcheck
torch.autograd.gradcheck(lambda x: x.sin(), torch.ones(3, dtype=torch.float64, requires_grad=True))
torch.autograd.gradgradcheck(lambda x: x.sin(), torch.ones(3, dtype=torch.float64, requires_grad=True))
torch.autograd.gradcheck(lambda x: x.detach() * 1, torch.ones(3, dtype=torch.float64))

# %% complex numbers
x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
(x * x.conj()).real.sum().backward()
x.grad
(x * x).sum().backward()
x.grad = None
x.abs().sum().backward()
x.grad

# %% saved tensors of a node
x = torch.tensor([2.0], requires_grad=True)
y = x.exp()
y.grad_fn._saved_result
z = x * 3
z.grad_fn.next_functions[0][0].variable is x
y.backward()
y.grad_fn._saved_result

# %% a tensor of another shape has a node of its own
x = torch.tensor([1., -2.], requires_grad=True)
y = x.resize(2, 1)
type(y.grad_fn).__name__, torch.autograd.grad(y.exp().sum(), x)
