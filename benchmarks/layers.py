"""Functions of layers: resampling, norms, convolutions of volumes and in channels_last, padding, recurrent layers.

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
     dict(batch=8, channels=64, size=32, filters=64, kernel=3, groups=64))]
    for row in rows(f"channels_last, {name}", LAST.format(**{"groups": 1, **layer}),
                    f"F.conv2d(x, w, b, stride={layer.get('stride', 1)}, padding={layer['kernel'] // 2}, "
                    f"groups={layer.get('groups', 1)})", "x, w, b", 1e-3)]

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
          "convolutions, channels_last": CHANNELS_LAST, "padding": PADS, "recurrent layers": RECURRENT,
          "fourier": FOURIER}

if __name__ == "__main__":
    sys.exit(main(GROUPS, __doc__))
