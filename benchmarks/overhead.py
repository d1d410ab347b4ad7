"""What an op costs before it computes anything: tensors of 1 to 100 elements, and autograd over them.

Sizes: one element, where all is overhead; 3, as in a tutorial; 100, where a kernel may begin to show.
"""

import sys

from harness import Row, main

SETUP = """
s = make(np.array(1.5, 'f4'))
a = make(np.array([1.5], 'f4'))
b = make(np.array([2.5], 'f4'))
v = make(np.array([3., 1., 2.], 'f4'))
x = make(rng.standard_normal(100, dtype='f4'))
y = make(rng.standard_normal(100, dtype='f4'))
k = make(rng.standard_normal((10, 10), dtype='f4'))
r = make(rng.standard_normal(10, dtype='f4'))
q = make(rng.standard_normal((2, 2), dtype='f4'))
i = make(np.arange(100))
mask = make(rng.standard_normal(100) > 0)
index = make(np.array([7, 3, 99]))
array = np.arange(10, dtype='f4')
"""
SEED = "if m is not np: m.manual_seed(0)"


def same(*statements):
    """Rows whose statement is NumPy's too."""
    return [Row(statement, SETUP, statement, numpy=True) for statement in statements]


def rows(*pairs):
    """Rows from (statement, NumPy's statement or False)."""
    return [Row(statement, SETUP, statement, numpy) for statement, numpy in pairs]


ARITHMETIC = same(
    "a + b", "a * b", "a / b", "a - 1.0", "2 * a", "-a", "a ** 2", "a > b", "x + y", "x * 2.0", "x > 0", "k + r",
    "i + 1", "i // 3", "x @ y", "q @ q", "k @ k", "a += 0.0", "x *= 1.0",
) + rows(
    ("a.add_(0)", False),
    ("m.add(x, y, out=x)", "np.add(x, y, out=x)"),
    ("m.exp(a)", "np.exp(a)"),
    ("x.exp()", "np.exp(x)"),
    ("x.tanh()", "np.tanh(x)"),
    ("m.where(mask, x, y)", "np.where(mask, x, y)"),
    ("x.clamp(0, 1)", "x.clip(0, 1)"),
    ("m.maximum(x, y)", "np.maximum(x, y)"),
)
VIEWS = same(
    "v[0]", "x[3:50]", "x[::2]", "k[1, 2]", "k[:, 0]", "x[None]", "k[..., -1]", "x[index]", "x[mask]", "k.reshape(-1)",
    "x[0] = 1.0", "x[3:50] = 1.0", "x[index] = 1.0", "k.squeeze()", "k.reshape(5, 20)",
) + rows(
    ("k.view(-1)", "k.reshape(-1)"),
    ("k.t()", "k.T"),
    ("k.transpose(0, 1)", "k.swapaxes(0, 1)"),
    ("k.permute(1, 0)", "k.transpose(1, 0)"),
    ("k.unsqueeze(0)", "k[None]"),
    ("r.expand(10, 10)", "np.broadcast_to(r, (10, 10))"),
    ("x.detach()", "x.view()"),
    ("k.unbind(0)", "tuple(k)"),
    ("x.split(10)", "np.split(x, 10)"),
)
READING = same("a.item()", "float(a[0])", "x.tolist()", "k.shape", "len(x)") + rows(
    ("s.item()", "s.item()"),
    ("bool(s > 1)", "bool(s > 1)"),
    ("x.numel()", "x.size"),
    ("k.size(0)", "k.shape[0]"),
    ("for e in r: pass", "for e in r: pass"),
) + [Row(text, SETUP, text, numpy=True, numpy_agrees=False) for text in ("repr(v)", "repr(k)", "str(s)")]
REDUCTIONS = same("a.sum()", "x.sum()", "x.mean()", "x.max()", "x.argmax()", "mask.any()", "x.prod()") + rows(
    ("k.sum(1)", "k.sum(1)"),
    ("k.mean(0, keepdim=True)", "k.mean(0, keepdims=True)"),
    ("k.amax(1)", "k.max(1)"),
    ("x.norm()", "np.linalg.norm(x)"),
    ("x.std()", "x.std(ddof=1)"),
    ("m.allclose(x, x)", "np.allclose(x, x)"),
    ("x.cumsum(0)", "x.cumsum(0)"),
    ("m.softmax(k, 1)", False),
    ("x.sort()", "np.sort(x), np.argsort(x, kind='stable')"),
)
CREATION = rows(
    ("m.tensor(1.0)", "np.array(1.0, 'f4')"),
    ("m.tensor([1., 2., 3.])", "np.array([1., 2., 3.], 'f4')"),
    ("m.tensor([[1, 2], [3, 4]])", "np.array([[1, 2], [3, 4]])"),
    ("m.zeros(3)", "np.zeros(3, 'f4')"),
    ("m.ones(10, 10)", "np.ones((10, 10), 'f4')"),
    ("m.full((3,), 2.0)", "np.full((3,), 2.0, 'f4')"),
    ("m.arange(10)", "np.arange(10)"),
    ("m.eye(3)", "np.eye(3, dtype='f4')"),
    ("m.zeros_like(x)", "np.zeros_like(x)"),
    ("m.from_numpy(array)", "np.asarray(array)"),
    ("x.numpy()", "np.asarray(x)"),
    ("m.from_dlpack(array)", "np.from_dlpack(array)"),
    ("x.clone()", "x.copy()"),
    ("x.to(m.float64)", "x.astype(np.float64)"),
    ("m.cat([x, y])", "np.concatenate([x, y])"),
    ("m.stack([x, y])", "np.stack([x, y])"),
) + [
    Row("m.empty(3)", SETUP, "m.empty(3)", "np.empty(3, 'f4')", tolerance=None),
    Row("m.rand(3)", SETUP + SEED, "m.rand(3)", "rng.random(3, dtype='f4')", numpy_agrees=False),
    Row("m.randn(100)", SETUP + SEED, "m.randn(100)", "rng.standard_normal(100, dtype='f4')", numpy_agrees=False),
]

GRAD_SETUP = """
u = m.tensor(0.5, requires_grad=True)
x = m.tensor([[0.5, -1.0, 2.0]], requires_grad=True)
w = m.tensor([[0.1], [0.2], [0.3]], requires_grad=True)
b = m.zeros(1, requires_grad=True)
z = make(rng.standard_normal((4, 3), dtype='f4'))
p = make(rng.standard_normal((32, 1), dtype='f4'))
target = p * 2 + 3
slope = m.rand(1, 1, requires_grad=True)
base = m.zeros(1, 1, requires_grad=True)

class Square(m.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 2 * x * grad
"""
REGRESSION = """
loss = (0.5 * (p.mm(slope) + base.expand_as(target) - target) ** 2).sum()
loss.backward()
slope.data.sub_(0.005 * slope.grad.data)
base.data.sub_(0.005 * base.grad.data)
slope.grad.data.zero_()
base.grad.data.zero_()
"""
BY_HAND = """
e = p.mm(v0) + v1.expand_as(target) - target
v0.sub_(0.005 * p.t().mm(e))
v1.sub_(0.005 * e.sum())
"""
CHAIN_OF_TEN = "y = u\nfor _ in range(10): y = y * 1.01\ny.backward()\nu.grad = None"

AUTOGRAD = [
    Row(name, GRAD_SETUP + extra, statement, tolerance=None)
    for name, extra, statement in [
        ("u * 2, forward only", "", "u * 2"),
        ("3 scalar ops forward", "", "(u * 2 + 1).exp()"),
        ("3 scalar ops, backward", "", "(u * 2 + 1).exp().backward()\nu.grad = None"),
        ("3 scalar ops, backward, grad kept", "", "(u * 2 + 1).exp().backward()"),
        ("3 scalar ops, autograd.grad", "", "m.autograd.grad((u * 2 + 1).exp(), u)"),
        ("chain of 10, backward", "", CHAIN_OF_TEN),
        ("second derivative of u ** 3", "",
         "g, = m.autograd.grad(u ** 3, u, create_graph=True)\nm.autograd.grad(g, u)"),
        ("linear layer 4x3, backward", "", "(z @ w + b).relu().sum().backward()\nw.grad = None\nb.grad = None"),
        ("broadcast add, sum, backward", "", "(x + w).sum().backward()\nx.grad = None\nw.grad = None"),
        ("regression step with autograd", "", REGRESSION),
        ("regression step by hand", "v0 = m.rand(1, 1)\nv1 = m.zeros(1, 1)", BY_HAND),
        ("custom Function, forward", "", "Square.apply(x)"),
        ("custom Function, backward", "", "Square.apply(x).sum().backward()\nx.grad = None"),
        ("with no_grad", "", "with m.no_grad(): u * 2"),
        ("detach().requires_grad_()", "", "u.detach().requires_grad_()"),
        ("getitem, backward", "", "x[0, 1].backward()\nx.grad = None"),
    ]
]

GROUPS = {"overhead": ARITHMETIC + VIEWS + READING + REDUCTIONS + CREATION, "autograd on small tensors": AUTOGRAD}

if __name__ == "__main__":
    sys.exit(main(GROUPS, __doc__))
