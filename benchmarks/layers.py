"""Functions of layers: resampling, norms, pooling, losses, embeddings, convolutions, padding, recurrent layers.

Each row is one function, forward without a graph or backward through a graph that is kept. The shapes are those of
image networks' first and middle layers, where a layer is more than its call and less than memory.
"""

import sys

from harness import Row, main

SETUP = """
F = m.nn.functional
def random(*shape):
    return make(rng.standard_normal(shape, 'f4'))
{data}
def forward():
    with m.no_grad():
        return {call}
def graph():
    return {call}
out = graph()
grad = m.ones_like(out)
def backward():
    return m.autograd.grad(out, ({leaves},), grad, retain_graph=True)
"""


def rows(name, data, call, leaves, tolerance=1e-4, **more):
    """The forward and the backward row of a call; `leaves` are what gradients are wanted of."""
    setup = SETUP.format(data=data, call=call, leaves=leaves)
    return [Row(f"{name}, {step}", setup, f"{step}()", tolerance=tolerance, **more) for step in ("forward", "backward")]


GRIDS = """
x = random(4, {channels}, 64, 64).requires_grad_()
grid = (make(rng.random((4, 64, 64, 2), 'f4')) * 2.1 - 1.05).requires_grad_()
"""
THETA = """
x = random(4, {channels}, 64, 64).requires_grad_()
grid = F.affine_grid(make(np.array([[[0.9, 0.2, 0.1], [-0.2, 0.9, 0.0]]] * 4, 'f4')), (4, 1, 64, 64),
                     align_corners=False).requires_grad_()
"""
VOLUMES = """
x = random(2, 8, 16, 32, 32).requires_grad_()
grid = (make(rng.random((2, 16, 32, 32, 3), 'f4')) * 2.1 - 1.05).requires_grad_()
"""
RESAMPLING = [
    *rows("grid_sample, 3 channels, random points", GRIDS.format(channels=3),
          "F.grid_sample(x, grid, align_corners=False)", "x, grid"),
    *rows("grid_sample, 32 channels, random points", GRIDS.format(channels=32),
          "F.grid_sample(x, grid, align_corners=False)", "x, grid"),
    *rows("grid_sample, 3 channels, a rotation, reflection", THETA.format(channels=3),
          "F.grid_sample(x, grid, padding_mode='reflection', align_corners=False)", "x, grid"),
    *rows("grid_sample, 3 channels, a rotation, bicubic", THETA.format(channels=3),
          "F.grid_sample(x, grid, mode='bicubic', align_corners=False)", "x, grid"),
    *rows("grid_sample, 3 channels, a rotation, nearest", THETA.format(channels=3),
          "F.grid_sample(x, grid, mode='nearest', align_corners=False)", "x"),
    *rows("grid_sample of volumes, 8 channels", VOLUMES, "F.grid_sample(x, grid, align_corners=False)", "x, grid"),
    *[row for name, shape, call in [
        ("linear, 1-d, to twice the size", (8, 32, 512), "scale_factor=2, mode='linear'"),
        ("bilinear, to twice the size", (4, 16, 64, 64), "scale_factor=2, mode='bilinear'"),
        ("bilinear, to half the size", (4, 16, 128, 128), "scale_factor=0.5, mode='bilinear'"),
        ("bicubic, to twice the size", (4, 3, 64, 64), "scale_factor=2, mode='bicubic'"),
        ("nearest, to twice the size", (4, 16, 64, 64), "scale_factor=2, mode='nearest'"),
        ("trilinear, to twice the size", (1, 8, 16, 32, 32), "scale_factor=2, mode='trilinear'"),
        ("bilinear, antialiased, to 96x96", (2, 3, 256, 256), "size=(96, 96), mode='bilinear', antialias=True"),
        ("bicubic, antialiased, to 96x96", (2, 3, 256, 256), "size=(96, 96), mode='bicubic', antialias=True")]
      for row in rows(f"interpolate, {name}", f"x = random{shape}.requires_grad_()", f"F.interpolate(x, {call})", "x")],
]

PLANES = """
x = random(16, 64, 28, 28).requires_grad_()
w, b = random(64).requires_grad_(), random(64).requires_grad_()
"""
NORMS = [
    *rows("group_norm, 8 groups", PLANES, "F.group_norm(x, 8, w, b)", "x, w, b", 1e-3),
    *rows("group_norm, 8 groups, of 8x32x7x7", "x, w, b = [random(*s).requires_grad_() for s in "
          "((8, 32, 7, 7), (32,), (32,))]", "F.group_norm(x, 8, w, b)", "x, w, b", 1e-3),
    *rows("instance_norm", PLANES, "F.instance_norm(x, weight=w, bias=b)", "x, w, b", 1e-3),
    *rows("batch_norm, training", PLANES, "F.batch_norm(x, None, None, w, b, training=True)", "x, w, b", 1e-3),
    *rows("layer_norm, rows of 128", "x, w, b = [random(*s).requires_grad_() for s in ((8, 64, 128), (128,), (128,))]",
          "F.layer_norm(x, (128,), w, b)", "x, w, b", 1e-3),
]

CONVOLUTION = """
x = random({batch}, {channels}, {sizes}).requires_grad_()
w = (random({filters}, {channels} // {groups}, {kernel}) * 0.05).requires_grad_()
b = random({filters}).requires_grad_()
"""


def volumes(name, padding, **values):
    return rows(f"conv3d, {name}", CONVOLUTION.format(groups=1, **values), f"F.conv3d(x, w, b, padding={padding})",
                "x, w, b", 1e-3)


VOLUME_CONVOLUTIONS = [
    *volumes("1 to 8 channels, 3x3x3", 1, batch=2, channels=1, filters=8, sizes="16, 32, 32", kernel="3, 3, 3"),
    *volumes("8 to 16 channels, 3x3x3", 1, batch=2, channels=8, filters=16, sizes="16, 32, 32", kernel="3, 3, 3"),
    *volumes("32 channels, 3x3x3", 1, batch=2, channels=32, filters=32, sizes="8, 16, 16", kernel="3, 3, 3"),
    *volumes("16 channels, 3x1x1", (1, 0, 0), batch=2, channels=16, filters=16, sizes="16, 32, 32", kernel="3, 1, 1"),
    *volumes("16 channels, 1x3x3", (0, 1, 1), batch=2, channels=16, filters=16, sizes="16, 32, 32", kernel="1, 3, 3"),
]
LAST = """
x = random({batch}, {channels}, {size}, {size}).to(memory_format=m.channels_last).requires_grad_()
w = (random({filters}, {channels} // {groups}, {kernel}, {kernel}) * 0.05).to(
    memory_format=m.channels_last).requires_grad_()
b = random({filters}).requires_grad_()
"""
CHANNELS_LAST = [row for name, layer in [
    ("3 to 32 channels, 3x3, batch 16 of 32x32", dict(batch=16, channels=3, size=32, filters=32, kernel=3)),
    ("64 channels, 3x3, batch 8 of 32x32", dict(batch=8, channels=64, size=32, filters=64, kernel=3)),
    ("64 to 128 channels, 3x3, stride 2, batch 8 of 32x32",
     dict(batch=8, channels=64, size=32, filters=128, kernel=3, stride=2)),
    ("64 to 256 channels, 1x1, batch 8 of 32x32", dict(batch=8, channels=64, size=32, filters=256, kernel=1)),
    ("64 channels, depthwise 3x3, batch 8 of 32x32",
     dict(batch=8, channels=64, size=32, filters=64, kernel=3, groups=64)),
    ("64 channels, depthwise 5x5, batch 8 of 32x32",
     dict(batch=8, channels=64, size=32, filters=64, kernel=5, groups=64)),
    ("64 channels in 32 groups, 3x3, batch 8 of 32x32",
     dict(batch=8, channels=64, size=32, filters=64, kernel=3, groups=32)),
    ("256 channels in 32 groups, 3x3, batch 8 of 14x14",
     dict(batch=8, channels=256, size=14, filters=256, kernel=3, groups=32)),
    ("64 to 128 channels in 4 groups, 1x1, batch 8 of 32x32",
     dict(batch=8, channels=64, size=32, filters=128, kernel=1, groups=4)),
    ("16 to 3 channels, 3x3, batch 16 of 32x32", dict(batch=16, channels=16, size=32, filters=3, kernel=3))]
    for row in rows(f"channels_last, {name}", LAST.format(**{"groups": 1, **layer}),
                    f"F.conv2d(x, w, b, stride={layer.get('stride', 1)}, padding={layer['kernel'] // 2}, "
                    f"groups={layer.get('groups', 1)})", "x, w, b", 1e-3)]

def transposed(name, rank, options, **values):
    return rows(f"conv_transpose{rank}d, {name}", CONVOLUTION.format(groups=1, **values),
                f"F.conv_transpose{rank}d(x, w, b, {options})", "x, w, b", 1e-3)


# Weights of transposed convolutions are (channels, filters, ...).
TRANSPOSED = [
    *transposed("32 channels, 4, stride 2, 8 of 256", 1, "stride=2, padding=1", batch=8, channels=32, filters=32,
                sizes="256", kernel="4"),
    *transposed("64 channels, 4x4, stride 2, 8 of 16x16", 2, "stride=2, padding=1", batch=8, channels=64, filters=64,
                sizes="16, 16", kernel="4, 4"),
    *transposed("64 channels, 2x2, stride 2, 8 of 32x32", 2, "stride=2", batch=8, channels=64, filters=64,
                sizes="32, 32", kernel="2, 2"),
    *transposed("64 channels, 3x3, 8 of 32x32", 2, "padding=1", batch=8, channels=64, filters=64, sizes="32, 32",
                kernel="3, 3"),
    *transposed("16 channels, 2x2x2, stride 2, 2 of 8x16x16", 3, "stride=2", batch=2, channels=16, filters=16,
                sizes="8, 16, 16", kernel="2, 2, 2"),
    *transposed("16 channels, 3x3x3, 2 of 8x16x16", 3, "padding=1", batch=2, channels=16, filters=16,
                sizes="8, 16, 16", kernel="3, 3, 3"),
]

POOLING = [row for name, shape, call in [
    ("max_pool1d, 3, stride 2, 8x32x512", (8, 32, 512), "max_pool1d(x, 3, 2)"),
    ("max_pool2d, 2, 16x64x28x28", (16, 64, 28, 28), "max_pool2d(x, 2)"),
    ("max_pool2d, 3, stride 2, 16x64x28x28", (16, 64, 28, 28), "max_pool2d(x, 3, 2, 1)"),
    ("max_pool2d, 2, 2x3x8x8", (2, 3, 8, 8), "max_pool2d(x, 2)"),
    ("max_pool3d, 2, 2x16x16x32x32", (2, 16, 16, 32, 32), "max_pool3d(x, 2)"),
    ("avg_pool2d, 2, 16x64x28x28", (16, 64, 28, 28), "avg_pool2d(x, 2)"),
    ("avg_pool2d, 3, stride 1, 16x64x28x28", (16, 64, 28, 28), "avg_pool2d(x, 3, 1, 1)"),
    ("avg_pool3d, 2, 2x16x16x32x32", (2, 16, 16, 32, 32), "avg_pool3d(x, 2)"),
    ("adaptive_avg_pool2d, 1, 16x64x28x28", (16, 64, 28, 28), "adaptive_avg_pool2d(x, 1)"),
    ("adaptive_avg_pool2d, 7, 16x64x28x28", (16, 64, 28, 28), "adaptive_avg_pool2d(x, 7)"),
    ("adaptive_max_pool2d, 7, 16x64x28x28", (16, 64, 28, 28), "adaptive_max_pool2d(x, 7)"),
    ("lp_pool2d, 2, 16x64x28x28", (16, 64, 28, 28), "lp_pool2d(x, 2, 2)")]
    for row in rows(name, f"x = random{shape}.requires_grad_()", "F." + call, "x")]

TABLE = """
w = random({count}, {width}).requires_grad_()
i = make(rng.integers(0, {count}, {shape}))
"""
EMBEDDINGS = [row for name, values, call in [
    ("embedding, 10,000 x 128, 32x64", dict(count=10000, width=128, shape=(32, 64)), "embedding(i, w)"),
    ("embedding, 100 x 16, 8", dict(count=100, width=16, shape=(8,)), "embedding(i, w)"),
    ("embedding, padding_idx, 10,000 x 64, 2,000", dict(count=10000, width=64, shape=(2000,)),
     "embedding(i, w, padding_idx=0)"),
    ("embedding_bag, sum, 10,000 x 64, 128x20", dict(count=10000, width=64, shape=(128, 20)),
     "embedding_bag(i, w, mode='sum')"),
    ("embedding_bag, mean, 10,000 x 64, 128x20", dict(count=10000, width=64, shape=(128, 20)),
     "embedding_bag(i, w, mode='mean')"),
    ("embedding_bag, max, 10,000 x 64, 128x20", dict(count=10000, width=64, shape=(128, 20)),
     "embedding_bag(i, w, mode='max')")]
    for row in rows(name, TABLE.format(**values), "F." + call, "w")]

CLASSES = """
x = random({rows}, {classes}).requires_grad_()
t = make(rng.integers(0, {classes}, {rows}))
p = make(rng.random(({rows}, {classes}), 'f4'))
"""
PAIRS = """
x, y, z = [random(256, 128).requires_grad_() for _ in range(3)]
s = make(rng.integers(0, 2, 256) * 2 - 1)
"""
LOSSES = [
    *[row for rows_, classes in ((32, 10), (256, 1000)) for call in (
        "cross_entropy(x, t)", "cross_entropy(x, t, label_smoothing=0.1)", "cross_entropy(x, p)",
        "nll_loss(x, t)", "mse_loss(x, p)", "l1_loss(x, p)", "smooth_l1_loss(x, p)", "huber_loss(x, p)",
        "binary_cross_entropy_with_logits(x, p)", "kl_div(x, p, reduction='batchmean')", "poisson_nll_loss(x, p)",
        "soft_margin_loss(x, p)", "multi_margin_loss(x, t)", "multilabel_soft_margin_loss(x, p)")
      for row in rows(f"{call} of {rows_}x{classes}", CLASSES.format(rows=rows_, classes=classes), "F." + call, "x")],
    *[row for call, leaves in (
        ("cosine_embedding_loss(x, y, s)", "x, y"), ("triplet_margin_loss(x, y, z)", "x, y, z"),
        ("gaussian_nll_loss(x, y, z.exp())", "x, y"), ("hinge_embedding_loss(x, y.sign())", "x"))
      for row in rows(f"{call} of 256x128", PAIRS, "F." + call, leaves)],
    *rows("ctc_loss, 50 steps x 16 x 20 classes", "x = random(50, 16, 20).requires_grad_()\n"
          "t, n, k = make(rng.integers(1, 20, (16, 10))), make(np.full(16, 50)), make(np.full(16, 10))",
          "F.ctc_loss(x.log_softmax(2), t, n, k)", "x", 1e-3),
]

PADS = [row for name, shape, call in [
    ("constant, 16x3x32x32", (16, 3, 32, 32), "(1, 1, 1, 1)"),
    ("constant, 2x3x8x8", (2, 3, 8, 8), "(1, 1, 1, 1)"),
    ("reflect, 2x3x8x8", (2, 3, 8, 8), "(1, 1, 1, 1), mode='reflect'"),
    ("reflect, 16x16x32x32", (16, 16, 32, 32), "(1, 1, 1, 1), mode='reflect'"),
    ("replicate, 2x3x8x8", (2, 3, 8, 8), "(1, 1, 1, 1), mode='replicate'"),
    ("circular, 2x3x8x8", (2, 3, 8, 8), "(1, 1, 1, 1), mode='circular'"),
    ("circular, 16x16x32x32", (16, 16, 32, 32), "(1, 1, 1, 1), mode='circular'")]
    for row in rows(f"pad, {name}", f"x = random{shape}.requires_grad_()", f"F.pad(x, {call})", "x")]

LAYER = """
m.manual_seed(0)
layer, x = m.nn.{kind}(64, 128), m.rand(100, {batch}, 64)
def forward():
    with m.no_grad():
        return layer(x)[0]
def step():
    layer.zero_grad()
    layer(x)[0].sum().backward()
"""
RECURRENT = [
    Row(f"{kind}, 100 steps x {batch} x 64 to 128, {step}", LAYER.format(kind=kind, batch=batch), f"{step}()",
        tolerance=None) for kind in ("LSTM", "GRU", "RNN") for batch in (1, 64) for step in ("forward", "step")]

FOURIER = [Row(f"{name} of {count} x {n}, {dtype}",
               f"x = make(rng.standard_normal(({count}, {n})).astype('{dtype}'))", f"m.fft.{name}(x)", numpy=True,
               tolerance=1e-3)
           for name in ("rfft", "fft") for count, n in ((1, 64), (64, 256), (1000, 64), (1000, 1000), (1, 100000))
           for dtype in ("f4", "f8")]

GROUPS = {"resampling": RESAMPLING, "normalisation": NORMS, "convolutions of volumes": VOLUME_CONVOLUTIONS,
          "transposed convolutions": TRANSPOSED, "convolutions, channels_last": CHANNELS_LAST, "pooling": POOLING,
          "embeddings": EMBEDDINGS, "losses": LOSSES, "padding": PADS, "recurrent layers": RECURRENT,
          "fourier": FOURIER}

if __name__ == "__main__":
    sys.exit(main(GROUPS, __doc__))
