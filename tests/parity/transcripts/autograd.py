"""What backward does: graphs, leaves, hooks, versions, modes. Run by test_autograd.py; see transcript.py."""

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

# %% a custom Function
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * ctx.scale * x**2, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Cube.apply(x, 2)
y
y.grad_fn.name(), type(y.grad_fn).__name__
y.sum().backward()
x.grad
y.sum().backward()

# %% Function: double backward
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


x = torch.tensor([3.0], requires_grad=True)
(g,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
torch.autograd.grad(g, x)

# %% Function: once_differentiable
once_differentiable = torch.autograd.function.once_differentiable


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


x = torch.tensor([3.0], requires_grad=True)
(g,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
torch.autograd.grad(g, x)

# %% Function: setup_context
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(x, k):
        return x * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.k = inputs[1]

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.k, None


x = torch.ones(2, requires_grad=True)
Scale.apply(x, 4).sum().backward()
x.grad

# %% Function: needs_input_grad
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        print(ctx.needs_input_grad)
        a, b = ctx.saved_tensors
        return grad * b, grad * a


a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0)
Product.apply(a, b).backward()
a.grad, b.grad

# %% Function: several outputs, non-differentiable, materialised grads
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        index = x.argmax()
        ctx.mark_non_differentiable(index)
        return x * 2, x * 3, index

    @staticmethod
    def backward(ctx, a, b, c):
        print([None if t is None else t.tolist() for t in (a, b)])
        return 2 * a + 3 * b


x = torch.tensor([1.0, 5.0], requires_grad=True)
a, b, i = Both.apply(x)
a.requires_grad, b.requires_grad, i.requires_grad, i
a.sum().backward()
x.grad

# %% Function: set_materialize_grads
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, a, b):
        print(a is None, b is None)
        return 2 * a


x = torch.tensor([1.0, 5.0], requires_grad=True)
Both.apply(x)[0].sum().backward()
x.grad

# %% Function: mark_dirty
class Fill(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


x = torch.ones(2, requires_grad=True)
y = x * 1
z = Fill.apply(y)
z is y
z.grad_fn.name()
z.sum().backward()
x.grad
Fill.apply(x)

# %% Function: an input returned as it is
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 7


x = torch.ones(2, requires_grad=True)
y = Same.apply(x)
y is x, y.requires_grad, y.data_ptr() == x.data_ptr()
y.sum().backward()
x.grad

# %% Function: grad mode inside
class Modes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(torch.is_grad_enabled(), x.requires_grad)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print(torch.is_grad_enabled())
        return grad * 2


x = torch.ones(2, requires_grad=True)
y = Modes.apply(x)
y.sum().backward(retain_graph=True)
y.sum().backward(create_graph=True)

# %% Function: wrong number of gradients [types]
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return grad


x = torch.ones(2, requires_grad=True)
Bad.apply(x, x).sum().backward()

# %% Function: gradient of a wrong shape or kind [types]
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, what):
        ctx.what = what
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return ctx.what, None


x = torch.ones(2, requires_grad=True)
Bad.apply(x, torch.ones(3)).sum().backward()
Bad.apply(x, "text").sum().backward()
Bad.apply(x, 3.0).sum().backward()
Bad.apply(x, None).sum().backward()
x.grad

# %% Function: a gradient for what is no tensor [types]
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k

    @staticmethod
    def backward(ctx, grad):
        return grad, torch.ones(())


Bad.apply(torch.ones(2, requires_grad=True), 2).sum().backward()

# %% Function: an exception in backward
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        raise KeyError("inside backward")


x = torch.ones(2, requires_grad=True)
Bad.apply(x).sum().backward()
x.grad

# %% Function: no backward, and instances are refused [types]
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x / 2


x = torch.ones(2, requires_grad=True)
Half.apply(x).sum().backward()
Half()(x)

# %% Function: without grad there is no graph
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x / 2

    @staticmethod
    def backward(ctx, grad):
        return grad / 2


y = Half.apply(torch.ones(2))
y.requires_grad, y.grad_fn
with torch.no_grad():
    y = Half.apply(torch.ones(2, requires_grad=True))
y.requires_grad

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

# %% saved tensors of a node
x = torch.tensor([2.0], requires_grad=True)
y = x.exp()
y.grad_fn._saved_result
z = x * 3
z.grad_fn.next_functions[0][0].variable is x
y.backward()
y.grad_fn._saved_result
