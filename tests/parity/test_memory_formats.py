"""If one of these fails, a tensor whose channels lie side by side loses this order, or gets it, unlike PyTorch's."""
import cygrad
import pytest
import torch

IMAGES, VOLUMES = (2, 4, 6, 8), (2, 4, 4, 6, 4)


def images(m):
    return m.ones(IMAGES).contiguous(memory_format=m.channels_last)


def volumes(m):
    return m.ones(VOLUMES).contiguous(memory_format=m.channels_last_3d)


def taken(m, format, sizes, name):
    """What `name` makes of a row-major tensor for this format."""
    x = m.ones(sizes)
    if name == "empty":
        return m.empty(sizes, memory_format=getattr(m, format))
    if name.endswith("_like"):
        return getattr(m, name)(x, memory_format=getattr(m, format))
    return getattr(x, name)(memory_format=getattr(m, format))


def outcome(function):
    try:
        return function()
    except RuntimeError as error:
        return str(error)


@pytest.mark.parametrize("name", ["contiguous", "to", "clone", "is_contiguous", "empty", "empty_like", "zeros_like",
                                  "ones_like", "rand_like"])
def test_asked_for(name):
    for format in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d"):
        for sizes in (IMAGES, VOLUMES, (2, 3, 4), (2, 1, 4, 5), (2, 3, 1, 1), (0, 3, 2, 2), (1, 1, 1, 1)):
            want, got = (outcome(lambda m=m: taken(m, format, sizes, name)) for m in (torch, cygrad))
            if isinstance(want, torch.Tensor):
                want, got = want.stride(), got.stride()
                if 0 in sizes and name != "is_contiguous":
                    continue            # no element is anywhere
            assert want == got, (format, sizes)


KEPT = {
    "relu": lambda m, x: m.relu(x), "sum": lambda m, x: x + m.ones(x.shape), "double": lambda m, x: x.double(),
    "where": lambda m, x: m.where(x > 0, x, 0.0), "clone": lambda m, x: x.clone(),
    "row-major clone": lambda m, x: x.clone(memory_format=m.contiguous_format),
    "zeros_like": lambda m, x: m.zeros_like(x), "cat": lambda m, x: m.cat([x, x], 1),
    "cat of both": lambda m, x: m.cat([x, x.contiguous()], 1), "pad": lambda m, x: m.nn.functional.pad(x, (1, 1)),
    "reflect": lambda m, x: m.nn.functional.pad(x, (1, 1) * (x.dim() - 2), mode="reflect"),
    "batch_norm": lambda m, x: m.nn.functional.batch_norm(x, None, None, training=True),
    "group_norm": lambda m, x: m.nn.functional.group_norm(x, 2), "dropout": lambda m, x: m.nn.functional.dropout(x),
    "softmax": lambda m, x: x.softmax(1), "mean": lambda m, x: x.mean(1, keepdim=True),
    "interpolate": lambda m, x: m.nn.functional.interpolate(x, scale_factor=2),
    "circular": lambda m, x: m.nn.functional.pad(x, (1, 1) * (x.dim() - 2), mode="circular"),
    "stack": lambda m, x: m.stack([x, x]), "stack along a middle axis": lambda m, x: m.stack([x, x], 2),
    "stack along a last axis": lambda m, x: m.stack([x, x], -1), "complex": lambda m, x: m.complex(x, x),
    "polar": lambda m, x: m.polar(x, x),
    "adaptive_avg_pool to 1": lambda m, x: getattr(m.nn.functional, f"adaptive_avg_pool{x.dim() - 2}d")(x, 1),
    "addcmul": lambda m, x: m.addcmul(x, x, x), "clamp": lambda m, x: x.clamp(0, 1),
    "lerp": lambda m, x: x.lerp(x, 0.5), "rrelu": lambda m, x: m.rrelu(x),
    "copysign": lambda m, x: x.copysign(x), "erfinv": lambda m, x: x.erfinv(), "isnan": lambda m, x: x.isnan(),
    "frexp": lambda m, x: x.frexp()[0], "broadcast": lambda m, x: x * m.ones(x.shape[-1]),
}


@pytest.mark.parametrize("name", KEPT)
def test_kept(name):
    for make in (images, volumes):
        want, got = (KEPT[name](m, make(m)).stride() for m in (torch, cygrad))
        assert want == got


NETWORKS = {"conv{}d": ((3, 4), {}), "conv_transpose{}d": ((4, 3), {}), "max_pool{}d": (None, {"kernel_size": 2}),
            "avg_pool{}d": (None, {"kernel_size": 2}), "adaptive_avg_pool{}d": (None, {"output_size": 2}),
            "adaptive_max_pool{}d": (None, {"output_size": 2})}


@pytest.mark.parametrize("name", NETWORKS)
def test_kept_by_layers(name):
    channels, options = NETWORKS[name]
    for make, axes in ((images, 2), (volumes, 3)):
        found = []
        for m in (torch, cygrad):
            function, x = getattr(m.nn.functional, name.format(axes)), make(m).requires_grad_()
            weight = [] if channels is None else [m.ones(*channels, *(2,) * axes, requires_grad=True)]
            out = function(x, *weight, **options)
            out.sum().backward()
            found.append([out.stride(), x.grad.stride(), *(w.grad.stride() for w in weight)])
        assert found[0] == found[1]


def test_a_layer_moves():
    strides = []
    for m in (torch, cygrad):
        layer = m.nn.Conv2d(3, 4, 3).to(memory_format=m.channels_last)
        strides.append((layer.weight.stride(), layer.bias.stride(), layer(m.ones(2, 3, 5, 5)).stride()))
    assert strides[0] == strides[1]


def test_a_gradient_lies_as_its_leaf():
    found = []
    for m in (torch, cygrad):
        x = m.ones(3, 4).t().requires_grad_()
        (x.contiguous() * 2).sum().backward()
        found.append(x.grad.stride())
    assert found[0] == found[1] == (1, 4)


@pytest.mark.parametrize("name", ["max_pool2d", "max_pool3d", "avg_pool2d", "avg_pool3d", "adaptive_max_pool3d"])
@pytest.mark.parametrize("batched", [True, False])
def test_strides_of_pooled_images_and_volumes(name, batched):
    def strides(library):
        volume = "3d" in name
        x = library.arange(float(2 * 3 * 4 ** (3 if volume else 2))).reshape(2, 3, *[4] * (3 if volume else 2))
        x = (x if batched else x[:1]).contiguous(
            memory_format=library.channels_last_3d if volume else library.channels_last)
        x = x if batched else x.squeeze(0)
        found = getattr(library.nn.functional, name)(x.requires_grad_(), 2)
        found.sum().backward()
        return found.stride(), x.grad.stride(), found.detach().flatten().tolist()

    assert strides(cygrad) == strides(torch)
