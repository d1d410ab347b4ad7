"""Resampling: signals, images and volumes made larger or smaller, one axis after the other.

Along an axis an output is a sum of a few places of the input times weights, which `taps` lists. `_resampled` sums them,
`_spread` adds outputs back to the places; they are each other's derivatives. An axis is described by
(kind, size, size of the result, scale or None, align_corners).
"""
import math
from functools import lru_cache

import cygrad
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import call
from cygrad.dispatch.memory_formats import kept
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.operand_types import DTYPES, FLOAT32, HALVES, need_tensors, refused

FLOAT64, UINT8 = DTYPES["float64"], DTYPES["uint8"]
REACH = {"linear": 1.0, "cubic": 2.0, "lanczos": 3.0}       # of the filters against aliasing


# ---------------------------------------------------------------------------- places and weights

def step_of(size, made, scale, align):
    """The distance of two outputs in the input."""
    if align:
        return (size - 1) / (made - 1) if made > 1 else 0.0
    return 1 / scale if scale is not None and scale > 0 else size / made


def cubic(x, a):
    """Keys's cubic convolution (1981), at distances x >= 0."""
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return cygrad.where(x <= 1, near, cygrad.where(x < 2, far, 0.0))


def smooth(kind, x):
    """The filters against aliasing, at distances x: a triangle, a cubic one (a = -0.5), Lanczos's."""
    if kind == "linear":
        return (1 - x.abs()).clamp(min=0)
    if kind == "cubic":
        return cubic(x.abs(), -0.5)
    return cygrad.where(x.abs() < 3, cygrad.sinc(x) * cygrad.sinc(x / 3), 0.0)


def smooth_taps(kind, size, made, step, dtype, device):
    """Filters as wide as the step, where that is larger than 1; their weights add up to 1."""
    wide = max(step, 1.0)
    support = REACH[kind] * wide
    centre = step * (cygrad.arange(made, dtype=dtype, device=device) + 0.5)
    first = (centre - support + 0.5).trunc().clamp(min=0)
    last = (centre + support + 0.5).trunc().clamp(max=size)
    places = first + cygrad.arange(2 * math.ceil(support) + 1, dtype=dtype, device=device).unsqueeze(1)
    weights = cygrad.where(places < last, smooth(kind, (places - centre + 0.5) / wide), 0.0)
    total = weights.sum(0)
    return places.long().clamp(max=size - 1), weights / cygrad.where(total == 0, 1.0, total)


@lru_cache(64)
def taps(axis, dtype, device):
    """((taps, outputs) of int64 places, their weights or None) along an axis."""
    kind, size, made, scale, align = axis
    if kind.startswith("nearest"):
        exact = kind == "nearest-exact"
        at = cygrad.arange(made, dtype=FLOAT32, device=device) + (0.5 if exact else 0)
        if not exact and made in (size, 2 * size):          # whatever the scale
            return (at / (made // size)).floor().long().unsqueeze(0), None
        return (at * step_of(size, made, scale, False)).floor().clamp(max=size - 1).long().unsqueeze(0), None
    step = step_of(size, made, scale, align)
    if kind.endswith("smooth"):
        return smooth_taps(kind.partition(" ")[0], size, made, step, dtype, device)
    at = cygrad.arange(made, dtype=dtype, device=device)
    at = step * at if align else step * (at + 0.5) - 0.5
    if kind == "linear":
        at = at.clamp(min=0)
    first = at.floor().clamp(max=size - 1)
    apart = (at - first).clamp(0, 1)
    if kind == "linear":
        places, weights = cygrad.stack([first, first + 1]), cygrad.stack([1 - apart, apart])
    else:
        places = cygrad.stack([first + k for k in (-1, 0, 1, 2)])
        weights = cygrad.stack([cubic(x, -0.75) for x in (apart + 1, apart, 1 - apart, 2 - apart)])
    return places.clamp(0, size - 1).long(), weights


@lru_cache(64)
def taps_back(axis, dtype, device):
    """The same the other way round: the outputs that see each place, and their weights, 0 for those that fill up."""
    places, weights = taps(axis, dtype, device)
    size, made = axis[1], places.shape[1]
    weights = cygrad.ones(places.shape, dtype=dtype, device=device) if weights is None else weights
    used = weights.reshape(-1).nonzero().view(-1)
    seen, order = places.reshape(-1)[used].sort(stable=True)
    used = used[order]
    counts = cygrad.bincount(seen, minlength=size)
    number = cygrad.arange(seen.numel(), device=device) - (counts.cumsum(0) - counts)[seen]
    shape = counts.max().item(), size
    back, shares = (cygrad.zeros(shape, dtype=t.dtype, device=device) for t in (seen, weights))
    back[number, seen] = used % made
    shares[number, seen] = weights.reshape(-1)[used]
    return back, shares


# ---------------------------------------------------------------------------- with their own nodes

def computed(t):
    """`t` in the dtype that sums are computed in."""
    return t.to(FLOAT64) if t.dtype is UINT8 else t.to(FLOAT32) if t.dtype in HALVES else t


@lru_cache(1024)
def order_of(axes):
    """Axes that get shorter first, of which the first ones are the fastest."""
    def work(axis):
        ratio = axes[axis][2] / axes[axis][1]
        return ratio, axis if ratio < 1 else -axis
    return sorted(range(-len(axes), 0), key=work)


def along(axes, t, in_order=False, table=taps):
    """(axis, its places, its weights) in the order of the least work; `in_order`: the last axis first. `table` is
    `taps` or `taps_back`."""
    dtype, device = FLOAT64 if t.dtype is FLOAT64 else FLOAT32, t.device
    for axis in range(-1, -1 - len(axes), -1) if in_order else order_of(axes):
        yield axis, *table(axes[axis], dtype, device)


def resampled(self, axes):
    nearest = axes[0][0].startswith("nearest")
    t = self if nearest else computed(self)
    for axis, places, weights in along(axes, t, self.dtype is UINT8):
        if self.dtype is UINT8 and not nearest:
            t = in_bytes(t, axis, places, weights)
        else:
            t = summed(t, axis, places, weights)
    t = t.to(self.dtype)
    return kept(t, self)


def summed(t, axis, places, weights):
    """Sums along an axis: of one place each without weights."""
    if weights is None:
        return t.index_select(axis, places[0])
    axis += t.dim()
    lead, rest, made = t.shape[:axis], t.shape[axis + 1:], places.shape[1]
    out = empty_near(t, (*lead, made, *rest))
    flat = math.prod(lead), math.prod(rest)
    if out.numel():
        planes = t.reshape(flat[0], t.shape[axis], flat[1])
        call(out, "resample", (planes, places, weights, out.view(flat[0], made, flat[1])), (3,))
    return out


def in_bytes(t, axis, places, weights):
    """Sums of bytes, rounded to bytes, with weights of 16 bits as Pillow and PyTorch have them."""
    weights = list(weights)
    for k in range(len(weights) - 1):           # weights of one place are added up first
        twice = places[k] == places[k + 1]
        weights[k + 1] = weights[k + 1] + cygrad.where(twice, weights[k], 0.0)
        weights[k] = cygrad.where(twice, 0.0, weights[k])
    weights = cygrad.stack(weights)
    largest, bits = weights.max().item(), 0
    while bits < 22 and int(0.5 + largest * 2**(bits + 1)) < 2**15:
        bits += 1
    whole = (weights * 2**bits + cygrad.where(weights < 0, -0.5, 0.5)).trunc()
    return ((summed(t, axis, places, whole) + 2**(bits - 1)) / 2**bits).floor().clamp(0, 255)


def spread(grad, axes):
    """The gradient of `resampled`."""
    t = computed(grad)
    for axis, places, weights in reversed(list(along(axes, t, table=taps_back))):
        t = summed(t, axis, places, weights)
    return t.to(grad.dtype)


def resampling(name):
    """The op of PyTorch's node of this name."""
    return primitive(lambda self, axes: resampled(self, axes), name=name)


LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}
NODES = {**{f"upsample_nearest{n}d": f"UpsampleNearest{n}DBackward0" for n in (1, 2, 3)},
         **{f"upsample_nearest_exact{n}d": f"UpsampleNearestExact{n}DBackward0" for n in (1, 2, 3)},
         **{f"upsample_{word}{n}d": f"Upsample{word.title()}{n}DBackward0" for n, word in LINEAR.items()},
         "upsample_bicubic2d": "UpsampleBicubic2DBackward0", "upsample_bilinear2d_aa": "UpsampleBilinear2DAaBackward0",
         "upsample_bicubic2d_aa": "UpsampleBicubic2DAaBackward0",
         "upsample_lanczos2d_aa": "UpsampleLanczos2DAaBackward0"}
_resampled = {name: resampling(name) for name in NODES}


@primitive(name="resample_spread")
def _spread(self, axes, name):
    return spread(self, axes)


# ------------------------------------------------------------------------------- what is refused

def check(input, sizes):
    """PyTorch's refusals of shapes."""
    shape = list(input.shape)
    if min(*shape[2:], *sizes) <= 0:
        given, made = (", ".join(f"{word}: {n}" for word, n in zip("DHW"[-len(sizes):], numbers))
                       for numbers in (shape[2:], sizes))
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({given}) output ({made})")
    if 0 in shape[1:]:
        raise RuntimeError(f"Non-empty {len(shape)}D data tensor expected but got a tensor with sizes {shape}")


def refused_by(name, dtype):
    """The function of PyTorch's that has no such dtype, or None."""
    nearest, aa = "nearest" in name, name.endswith("_aa")
    if dtype.name in ("float32", "float64") or dtype in HALVES and not aa:
        return None
    if dtype is UINT8 and (nearest or name.endswith("2d") or aa):
        return None
    if aa:
        return "compute_index_ranges_weights"
    if nearest:
        return f"upsample_nearest{name[-2:]}_channels_last" if name[-2] != "1" else "compute_indices_weights_nearest"
    if name == "upsample_bicubic2d":
        return "compute_indices_weights_cubic"
    return "upsample_bilinear2d_channels_last" if name == "upsample_bilinear2d" else "compute_indices_weights_linear"


def resample(input, name, kind, sizes, scales, align):
    """`input` with axes of these sizes, by the op of this name."""
    need_tensors(name, input=input)
    check(input, sizes)
    if function := refused_by(name, input.dtype):
        raise refused(function, input.dtype)
    axes = tuple((kind, n, made, scale, bool(align)) for n, made, scale in zip(input.shape[2:], sizes, scales))
    return _resampled[name](input, axes)
