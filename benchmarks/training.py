"""Whole training steps: forward, backward and the optimiser, written with tensors and autograd alone.

The digits example's own network and batch; the classical 784-512-512-10 perceptron with 128 images; and a block of
four-headed attention over 8 sequences of 64 positions. Each step starts from the last one's weights, as training does.
Layers of image networks, which take most of their training, are a group of their own.
"""

import sys

from harness import Row, main

SETUP = """
m.manual_seed(0)
def weight(*shape):
    return (m.randn(*shape) / shape[0] ** 0.5).requires_grad_()
def zeros(*shape):
    return m.zeros(*shape, requires_grad=True)
"""
MLP = SETUP + """
sizes, batch = {sizes}, {batch}
parameters = [p for i, o in zip(sizes, sizes[1:]) for p in (weight(i, o), zeros(o))]
images = m.rand(batch, sizes[0])
labels = m.randint(0, sizes[-1], (batch,)).unsqueeze(1)
means = [m.zeros_like(p) for p in parameters]
squares = [m.zeros_like(p) for p in parameters]

def loss_of(images, labels):
    x = images
    for w, b in zip(parameters[:-2:2], parameters[1:-2:2]):
        x = m.relu(x @ w + b)
    return -m.log_softmax(x @ parameters[-2] + parameters[-1], dim=1).gather(1, labels).mean()

def sgd(rate=0.01):
    loss_of(images, labels).backward()
    with m.no_grad():
        for p in parameters:
            p.sub_(p.grad, alpha=rate)
            p.grad = None

def adam(rate=1e-3):
    loss_of(images, labels).backward()
    with m.no_grad():
        for p, mean, square in zip(parameters, means, squares):
            mean.mul_(0.9).add_(p.grad, alpha=0.1)
            square.mul_(0.999).addcmul_(p.grad, p.grad, value=0.001)
            p.addcdiv_(mean, square.sqrt().add_(1e-8), value=-rate)
            p.grad = None

def forward():
    with m.no_grad():
        return loss_of(images, labels)
"""
ATTENTION = SETUP + """
batch, length, width, heads = 8, 64, 128, 4
x = m.randn(batch, length, width)
query, key, value, out = (weight(width, width) for _ in range(4))
up, down = weight(width, 4 * width), weight(4 * width, width)
parameters = [query, key, value, out, up, down]

def split(x):
    return x.view(batch, length, heads, width // heads).transpose(1, 2)

def normalise(x):
    return (x - x.mean(-1, keepdim=True)) * (x.var(-1, keepdim=True, unbiased=False) + 1e-5).rsqrt()

def block(x):
    y = normalise(x)
    q, k, v = split(y @ query), split(y @ key), split(y @ value)
    scores = (q @ k.transpose(-1, -2) * (width // heads) ** -0.5).softmax(-1)
    x = x + (scores @ v).transpose(1, 2).reshape(batch, length, width) @ out
    return x + m.relu(normalise(x) @ up) @ down

def step(rate=1e-4):
    (block(x) ** 2).mean().backward()
    with m.no_grad():
        for p in parameters:
            p.sub_(p.grad, alpha=rate)
            p.grad = None
"""

JAX_SETUP = """
def weight(*shape):
    return make(rng.standard_normal(shape, 'f4') / np.float32(shape[0] ** 0.5))

def compiled(loss_of, update):
    # One function a step, given the state and the data; it gives the new state in the old one's memory.
    def step(state, *data):
        return update(state, jax.grad(loss_of)(state[0], *data))
    return jax.jit(step, donate_argnums=0)

def sgd_update(state, gradients, rate=0.01):
    return [[p - rate * g for p, g in zip(state[0], gradients)]]
"""
JAX_MLP = JAX_SETUP + """
sizes, batch = {sizes}, {batch}
parameters = [p for i, o in zip(sizes, sizes[1:]) for p in (weight(i, o), m.zeros(o))]
images = make(rng.random((batch, sizes[0]), 'f4'))
labels = make(rng.integers(0, sizes[-1], (batch, 1), 'i4'))

def loss_of(parameters, images, labels):
    x = images
    for w, b in zip(parameters[:-2:2], parameters[1:-2:2]):
        x = jax.nn.relu(x @ w + b)
    scores = jax.nn.log_softmax(x @ parameters[-2] + parameters[-1])
    return -m.take_along_axis(scores, labels, 1).mean()

def adam_update(state, gradients, rate=1e-3):
    means = [mean * 0.9 + g * 0.1 for mean, g in zip(state[1], gradients)]
    squares = [square * 0.999 + g * g * 0.001 for square, g in zip(state[2], gradients)]
    parameters = [p - rate * mean / (m.sqrt(square) + 1e-8) for p, mean, square in zip(state[0], means, squares)]
    return parameters, means, squares

forward = jax.jit(loss_of)
sgd, adam = compiled(loss_of, sgd_update), compiled(loss_of, adam_update)
zeros = lambda: [m.zeros_like(p) for p in parameters]
state = {state}
"""
JAX_ATTENTION = JAX_SETUP + """
batch, length, width, heads = 8, 64, 128, 4
x = make(rng.standard_normal((batch, length, width), 'f4'))
parameters = [weight(width, width) for _ in range(4)] + [weight(width, 4 * width), weight(4 * width, width)]

def split(x):
    return x.reshape(batch, length, heads, width // heads).swapaxes(1, 2)

def normalise(x):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

def block(parameters, x):
    query, key, value, out, up, down = parameters
    y = normalise(x)
    q, k, v = split(y @ query), split(y @ key), split(y @ value)
    scores = jax.nn.softmax(q @ k.swapaxes(-1, -2) * (width // heads) ** -0.5)
    x = x + (scores @ v).swapaxes(1, 2).reshape(batch, length, width) @ out
    return x + jax.nn.relu(normalise(x) @ up) @ down

forward = jax.jit(block)
step = compiled(lambda parameters, x: (block(parameters, x) ** 2).mean(), sgd_update)
state = [parameters]
"""
JAX_STEPS = {
    "forward()": ("None", "forward(parameters, images, labels).block_until_ready()"),
    "sgd()": ("[parameters]", "state[:] = jax.block_until_ready(sgd(state, images, labels))"),
    "adam()": ("[parameters, zeros(), zeros()]", "state[:] = jax.block_until_ready(adam(state, images, labels))"),
}

TRAINING = [
    Row(f"{name}, {statement[:-2]} step", MLP.format(sizes=sizes, batch=batch), statement, tolerance=None,
        flops=flops * batch * sum(i * o for i, o in zip(sizes, sizes[1:])),
        jax=(JAX_MLP.format(sizes=sizes, batch=batch, state=state), jax))
    for name, sizes, batch in [("digits MLP 64-128-64-10, batch 32", [64, 128, 64, 10], 32),
                               ("digits MLP 64-128-64-10, batch 256", [64, 128, 64, 10], 256),
                               ("MLP 784-512-512-10, batch 128", [784, 512, 512, 10], 128)]
    for statement, flops in (("forward()", 2), ("sgd()", 6), ("adam()", 6))
    for state, jax in [JAX_STEPS[statement]]
] + [
    Row("attention block, forward", ATTENTION, "with m.no_grad(): block(x)", tolerance=None,
        jax=(JAX_ATTENTION, "forward(parameters, x).block_until_ready()")),
    Row("attention block, training step", ATTENTION, "step()", tolerance=None,
        jax=(JAX_ATTENTION, "state[:] = jax.block_until_ready(step(state, x))")),
]

# Layers of image networks: batch, channels, size of the image, filters, size of the kernel, stride, groups.
CONVOLUTION = """
x = make(rng.standard_normal(({batch}, {channels}, {size}, {size}), 'f4')).requires_grad_()
w = make(rng.standard_normal(({filters}, {channels} // {groups}, {kernel}, {kernel}), 'f4') * 0.05).requires_grad_()
b = make(rng.standard_normal({filters}, 'f4')).requires_grad_()
F = m.nn.functional if hasattr(m, "nn") else m
def forward():
    with m.no_grad():
        return F.conv2d(x, w, b, stride={stride}, padding={kernel} // 2, groups={groups})
out = F.conv2d(x, w, b, stride={stride}, padding={kernel} // 2, groups={groups})
grad = m.ones_like(out)
def backward():
    return m.autograd.grad(out, (x, w, b), grad, retain_graph=True)
"""
LAYERS = [
    ("3 to 32 channels, 3x3, batch 16 of 32x32", dict(batch=16, channels=3, size=32, filters=32, kernel=3)),
    ("64 channels, 3x3, batch 8 of 32x32", dict(batch=8, channels=64, size=32, filters=64, kernel=3)),
    ("64 to 128 channels, 3x3, stride 2, batch 8 of 32x32",
     dict(batch=8, channels=64, size=32, filters=128, kernel=3, stride=2)),
    ("256 channels, 3x3, batch 4 of 8x8", dict(batch=4, channels=256, size=8, filters=256, kernel=3)),
    ("64 to 256 channels, 1x1, batch 8 of 32x32", dict(batch=8, channels=64, size=32, filters=256, kernel=1)),
    ("64 channels, depthwise 3x3, batch 8 of 32x32",
     dict(batch=8, channels=64, size=32, filters=64, kernel=3, groups=64)),
]
CONVOLUTIONS = [
    Row(f"{name}, {step}", CONVOLUTION.format(**{"stride": 1, "groups": 1, **layer}), f"{step}()", tolerance=1e-3,
        flops=passes * 2 * layer["batch"] * (layer["size"] // layer.get("stride", 1)) ** 2 * layer["filters"]
        * layer["channels"] // layer.get("groups", 1) * layer["kernel"] ** 2)
    for name, layer in LAYERS for step, passes in (("forward", 1), ("backward", 2))
]

GROUPS = {"training steps": TRAINING, "convolutions": CONVOLUTIONS}

if __name__ == "__main__":
    sys.exit(main(GROUPS, __doc__))
