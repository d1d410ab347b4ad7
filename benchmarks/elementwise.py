"""Pointwise ops where the work counts: contiguous of every dtype, awkward layouts, and chains of several ops.

Sizes: 1e3 fits the first-level cache, 1e5 the second, 1e6 is around the last one's share, 1e7 comes from memory. Bytes
are what must move at least: each input read once, the result written once.
"""

import sys

from harness import Row, main

SIZES = {"1e3": 10**3, "1e5": 10**5, "1e6": 10**6, "1e7": 10**7}
WIDTH = {"float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "uint8": 1, "bool": 1}


def operands(dtype, n):
    """Set-up of x, y (and mask) with n elements of a dtype."""
    if dtype == "bool":
        lines = "x = make(rng.random({n}) > .5)\ny = make(rng.random({n}) > .5)"
    elif dtype == "bfloat16":
        lines = "x, y = (make(rng.random({n}, dtype='f4') + 0.5).to(m.bfloat16) for _ in 'xy')"
    elif dtype.startswith("float"):
        lines = "x, y = (make((rng.random({n}) + 0.5).astype('{dtype}')) for _ in 'xy')"
    else:
        lines = "x, y = (make(rng.integers(1, 100, {n}).astype('{dtype}')) for _ in 'xy')"
    return lines.format(n=n, dtype=dtype)


def row(statement, dtype, size, moved, numpy=True, tolerance=1e-4, setup=""):
    """A row over x and y; `moved` is how many elements are read or written for one of the result."""
    n = SIZES[size]
    name = f"{statement}, {dtype}, {size}"
    if dtype == "bfloat16":
        numpy = False
    tolerance = 1e-2 if dtype in ("float16", "bfloat16") else tolerance
    return Row(name, operands(dtype, n) + "\n" + setup, statement, numpy, bytes=moved * n * WIDTH[dtype],
               tolerance=tolerance)


def of(dtype, *statements, sizes=SIZES):
    """Rows of (statement, elements moved, NumPy's statement) at every size."""
    return [row(statement, dtype, size, moved, numpy) for statement, moved, numpy in statements for size in sizes]


BASIC = [("x + y", 3, True), ("x * 2.5", 2, True), ("x.exp()", 2, "np.exp(x)")]
CONTIGUOUS = (
    of("float32", ("x + y", 3, True), ("x * y", 3, True), ("x / y", 3, True), ("-x", 2, True),
       ("x.mul_(1.0)", 2, "np.multiply(x, np.float32(1), out=x)"),
       ("x > y", 2.25, True), ("m.maximum(x, y)", 3, True), ("x.exp()", 2, "np.exp(x)"),
       ("x.log()", 2, "np.log(x)"), ("x.sqrt()", 2, "np.sqrt(x)"), ("x.tanh()", 2, "np.tanh(x)"),
       ("x.sin()", 2, "np.sin(x)"), ("x.sigmoid()", 2, False), ("x.relu()", 2, "np.maximum(x, 0)"),
       ("x.pow(2.5)", 2, "x ** np.float32(2.5)"), ("x.clamp(0.7, 1.2)", 2, "x.clip(0.7, 1.2)"),
       ("x.clone()", 2, "x.copy()"))
    + of("float64", ("x + y", 3, True), ("x / y", 3, True), ("x.exp()", 2, "np.exp(x)"), ("x.tanh()", 2, "np.tanh(x)"))
    + of("float16", *BASIC, sizes=["1e3", "1e6"])
    + of("bfloat16", *BASIC, sizes=["1e3", "1e6"])
    + of("int64", ("x + y", 3, True), ("x // y", 3, True), ("x % 7", 2, True), ("x == y", 2.125, True),
         sizes=["1e3", "1e6"])
    + of("int32", ("x + y", 3, True), ("x * 3", 2, True), ("x >> 1", 2, True), sizes=["1e3", "1e6"])
    + of("uint8", ("x + y", 3, True), ("x > y", 3, True), sizes=["1e3", "1e6"])
    + of("bool", ("x & y", 3, True), ("~x", 2, True), sizes=["1e3", "1e6"])
    + [Row(f"x.to({dtype}) of float32, {size}", operands("float32", SIZES[size]), f"x.to(m.{dtype})",
           dtype != "bfloat16" and f"x.astype(np.{dtype})", bytes=SIZES[size] * (4 + WIDTH[dtype]))
       for dtype in ("float64", "float16", "bfloat16", "int64") for size in ("1e3", "1e6")]
)

# Matrices whose rows don't line up: transposed, every second column, broadcast rows and columns, mixed dtypes.
MATRICES = """
a = make(rng.standard_normal(({n}, {n}), dtype='f4'))
b = make(rng.standard_normal(({n}, {n}), dtype='f4'))
wide = make(rng.standard_normal(({n}, 2 * {n}), dtype='f4'))
line = make(rng.standard_normal({n}, dtype='f4'))
column = make(rng.standard_normal(({n}, 1), dtype='f4'))
integers = make(rng.integers(0, 100, ({n}, {n})))
doubles = make(rng.standard_normal(({n}, {n})))
cube = make(rng.standard_normal(({n} // 10, 10, {n}), dtype='f4'))
mask = make(rng.standard_normal(({n}, {n})) > 0)
"""
LAYOUTS = [
    ("a.t() + b", "a.T + b", 12), ("a.t() + b.t()", "a.T + b.T", 12), ("a.t().contiguous()", "a.T.copy()", 8),
    ("a.t().exp()", "np.exp(a.T)", 8), ("wide[:, ::2] + b", True, 16), ("wide[:, ::2] * wide[:, 1::2]", True, 20),
    ("a[::2] + b[::2]", True, 6), ("a + line", True, 8), ("a * column", True, 8), ("line + column", True, 4),
    ("cube.transpose(0, 2) * 2.0", "cube.swapaxes(0, 2) * np.float32(2)", 8),
    ("cube.permute(1, 0, 2).contiguous()", "cube.transpose(1, 0, 2).copy()", 8),
    ("a + integers", "a + integers", 16), ("a * doubles", "a * doubles", 20), ("a * mask", True, 9),
    ("a.t().abs()", "np.abs(a.T)", 8),
    ("b[:, 1:-1].mul_(1.0)", "np.multiply(b[:, 1:-1], np.float32(1), out=b[:, 1:-1])", 8),
    ("a[:, :500].clone()", "a[:, :500].copy()", 0), ("b.flip(1)", "np.flip(b, 1).copy()", 8),
]
STRIDED = [Row(f"{statement}, {n}x{n}", MATRICES.format(n=n), statement, numpy, bytes=each * n * n)
           for statement, numpy, each in LAYOUTS for n in (100, 1000, 3000)
           if not (n == 100 and "500" in statement)]

# What PyTorch runs op by op, each through memory; bytes count the inputs and the result only.
ADAM = """mean.mul_(0.9).add_(x, alpha=0.1)
square.mul_(0.999).addcmul_(x, x, value=0.001)
y.addcdiv_(mean, square.sqrt().add_(1e-8), value=-0.001)"""
CHAIN_SETUP = """
z = x * 0.5
mean = x * 0
square = x * 0 + 1
w = x.reshape(-1, 100)
F = m.nn.functional if hasattr(m, "nn") else getattr(m, "functional", None)
leaf = x.clone().requires_grad_() if hasattr(x, "requires_grad_") else None
"""
JAX_ADAM = """
def adam(x, y, mean, square):
    mean, square = mean * 0.9 + x * 0.1, square * 0.999 + x * x * 0.001
    return y - 0.001 * mean / (m.sqrt(square) + 1e-8), mean, square
adam = jax.jit(adam, donate_argnums=(1, 2, 3))
state = [y, mean, square]
"""


def under_jit(statement, setup):
    """Set-up and statement of a chain for JAX: all of it in one compiled function, to which x and y are arguments."""
    if statement == ADAM:
        return setup + JAX_ADAM, "state[:] = jax.block_until_ready(adam(x, *state))"
    function = f"\nf = jax.jit(lambda x, y, z, w: {statement})"
    return setup + function, "f(x, y, z, w).block_until_ready()"


# Name; statement; NumPy's, True where it is the same; JAX's, None where it is the same; elements moved; tolerance.
CHAIN_FORMS = [
    ("x * y + z", "x * y + z", True, None, 4, 1e-4),
    ("(x * y + z).tanh().sum()", "(x * y + z).tanh().sum()", "np.tanh(x * y + z).sum()", "m.tanh(x * y + z).sum()",
     3, 1e-3),
    ("1 / (1 + (-x).exp())", "1 / (1 + (-x).exp())", "1 / (1 + np.exp(-x))", "1 / (1 + m.exp(-x))", 2, 1e-4),
    ("((x - y) ** 2).mean()", "((x - y) ** 2).mean()", True, None, 2, 1e-3),
    ("mse_loss", "F.mse_loss(x, y)", "((x - y) ** 2).mean()", "((x - y) ** 2).mean()", 2, 1e-3),
    ("l1_loss", "F.l1_loss(x, y)", "np.abs(x - y).mean()", "m.abs(x - y).mean()", 2, 1e-3),
    ("gelu(x)", "F.gelu(x)", False, "jax.nn.gelu(x, False)", 2, 1e-4),
    ("silu(x)", "F.silu(x)", False, "jax.nn.silu(x)", 2, 1e-4),
    ("softplus(x)", "F.softplus(x)", False, "jax.nn.softplus(x)", 2, 1e-4),
    ("gradient of gelu", "m.autograd.grad(F.gelu(leaf), leaf, y)[0]", False,
     "jax.vjp(lambda x: jax.nn.gelu(x, False), x)[1](y)[0]", 3, 1e-4),
    ("gradient of silu", "m.autograd.grad(F.silu(leaf), leaf, y)[0]", False, "jax.vjp(jax.nn.silu, x)[1](y)[0]",
     3, 1e-4),
    ("gradient of tanh", "m.autograd.grad(leaf.tanh(), leaf, y)[0]", False, "jax.vjp(m.tanh, x)[1](y)[0]", 3, 1e-4),
    ("x.add(y, alpha=0.5)", "x.add(y, alpha=0.5)", "x + np.float32(0.5) * y", "x + 0.5 * y", 3, 1e-4),
    ("addcmul", "m.addcmul(z, x, y, value=0.5)", "z + 0.5 * x * y", "z + 0.5 * x * y", 4, 1e-4),
    ("lerp", "m.lerp(x, y, 0.3)", "x + 0.3 * (y - x)", "x + 0.3 * (y - x)", 3, 1e-4),
    ("normalise rows of 100", "(w - w.mean(1, keepdim=True)) / (w.std(1, keepdim=True) + 1e-5)", False,
     "(w - w.mean(1, keepdims=True)) / (w.std(1, ddof=1, keepdims=True) + 1e-5)", 2, 1e-3),
    ("Adam step", ADAM, False, ADAM, 7, None),
]
CHAINS = [
    Row(f"{name}, {size}", setup, statement, numpy, bytes=moved * 4 * SIZES[size], tolerance=tolerance,
        jax=under_jit(jax or statement, setup))
    for name, statement, numpy, jax, moved, tolerance in CHAIN_FORMS for size in ("1e3", "1e5", "1e7")
    for setup in [operands("float32", SIZES[size]) + "\n" + CHAIN_SETUP]
]

GROUPS = {"elementwise, contiguous": CONTIGUOUS, "elementwise, strided and mixed": STRIDED, "pointwise chains": CHAINS}

if __name__ == "__main__":
    sys.exit(main(GROUPS, __doc__))
