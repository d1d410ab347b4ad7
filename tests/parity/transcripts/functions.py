"""Custom Functions: contexts, modes, and what goes wrong in them. Run by test_autograd.py; see transcript.py."""

import torch


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

# %% Function: double backward, and once_differentiable
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

class Once(Square):
    backward = staticmethod(torch.autograd.function.once_differentiable(Square.backward))


(g,) = torch.autograd.grad(Once.apply(x), x, create_graph=True)
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

# %% Function: no backward, no graph without grad, and instances are refused [types]
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x / 2


x = torch.ones(2, requires_grad=True)
Half.apply(x).sum().backward()
Half()(x)
y = Half.apply(torch.ones(2))
y.requires_grad, y.grad_fn
with torch.no_grad():
    y = Half.apply(x)
y.requires_grad, y.grad_fn
