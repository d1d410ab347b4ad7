"""Windows as the backend's `pool` takes them, and pooling over them, raw and as ops with gradients.

A box has, for an axis, the first and the last place of each output as straight lines in the output's number, rounded
down: ((p, q, r), (p, q, r), step, margin) says that output i sees the places (p * i + q) // r, + step, ... below the
second line. So are windows of a fixed size, adaptive windows, and the outputs that see a place, which make the
gradient of a sum over boxes another sum over boxes.
"""
import math
from functools import cache, lru_cache

import cygrad
from cygrad.autograd.modes import grad_mode
from cygrad.devices.device import channels_last_3d
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.memory_formats import copied_in, kept
from cygrad.dispatch.raw import fill_
from cygrad.dispatch.fallback import OF_OPS, call
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.operand_types import DTYPES, FLOAT32, HALVES

INT64 = DTYPES["int64"]
MAX, SUM, MEAN = range(3)               # of backend.POOL
WHOLE = (0, 0, 1), (0, 1, 1), 1, 0      # of an axis that is not there


def window(kernel, stride, padding, dilation=1, margin=0):
    """`kernel` places, each output `stride` after the last; a mean divides by up to `margin` places of the padding."""
    return (stride, -padding, 1), (stride, dilation * (kernel - 1) + 1 - padding, 1), dilation, margin


def adaptive(size, outputs):
    """`outputs` windows that cover `size` places as evenly as they can."""
    if size % outputs == 0:
        return window(size // outputs, size // outputs, 0)
    return (size, 0, outputs), (size, size + outputs - 1, outputs), 1, 0


def seeing(box):
    """The outputs that see each place: from where the last place is beyond it to where the first one is.

    For lines without dilation: i sees d if (p i + q) // r <= d < (p' i + q') // r'.
    """
    (p, q, r), (last_p, last_q, last_r), _, _ = box
    return (last_r, last_r - last_q + last_p - 1, last_p), (r, r - 1 - q + p, p), 1, 0


@cache
def counts(box, size, outputs):
    """How many places each output sees, those of the margin included."""
    (p, q, r), (last_p, last_q, last_r), step, margin = box
    found = []
    for i in range(outputs):
        first, last = (p * i + q) // r, min((last_p * i + last_q) // last_r, size + margin)
        if first < -margin:
            first += -((first + margin) // step) * step
        found.append(max(0, -((first - last) // step)))
    return tuple(found)


def pooled(op, a, boxes, sizes, index=False, row_major=False):
    """Raw pooling of the last axes, as many as there are boxes: the result, and where in a plane the largest are.

    The result has the memory format of `a`, unless it is to be row-major; means over volumes are, as in PyTorch.
    """
    shape, planes, results, whole = in_planes(a.shape, boxes, sizes)
    out, places = empty_near(a, shape), empty_near(a, shape, INT64) if index else None
    if out.numel():
        call(out, "pool", (op, a.reshape(planes), whole, out.view(results), places.view(results) if index else None),
              (3, 4))
    if not row_major and (len(boxes) == 2 or op == MAX):
        if len(boxes) == 3 and a.dim() == 4:
            last = not a.is_contiguous() and a.unsqueeze(0).is_contiguous(memory_format=channels_last_3d)
            out, places = (copied_in(t.unsqueeze(0), channels_last_3d).squeeze(0) if last and t is not None else t
                           for t in (out, places))
        else:
            out, places = kept(out, a), kept(places, a) if index else None
    return (out, places) if index else out


@lru_cache(1024)
def in_planes(shape, boxes, sizes):
    """(shape of the result; shape of the input and of the result, and the boxes, as the backend's `pool` has them)."""
    axes, shape = len(boxes), tuple(shape)
    lead, ones = shape[:len(shape) - axes], (1,) * (3 - axes)
    planes = math.prod(lead)
    return ((*lead, *sizes), (planes, *ones, *shape[len(lead):]), (planes, *ones, *sizes),
            (WHOLE,) * (3 - axes) + boxes)


# -------------------------------------------------------------------------------------- the largest

def largest(name):
    """The op of PyTorch's node of this name: (largest of each box, its place in the plane)."""
    row_major = name == "adaptive_max_pool3d"
    return primitive(lambda self, boxes, sizes: pooled(MAX, self, boxes, sizes, True, row_major), name=name)


largest_of = {name: largest(name) for name in ("max_pool2d_with_indices", "max_pool3d_with_indices",
                                               "adaptive_max_pool2d", "adaptive_max_pool3d")}


def placed(grad, shape, places, axes):
    """Zeros of `shape`, a plane of the last axes for each of the others, with the gradient added up at places."""
    planes, lead = math.prod(shape[:len(shape) - axes]), len(shape) - axes
    rows, sizes = (planes, math.prod(places.shape[lead:])), (planes, math.prod(shape[lead:]))
    wide, places = (grad.to(FLOAT32) if grad.dtype in HALVES else grad).reshape(rows), places.reshape(rows)
    if grad_mode() or not wide.numel():
        out = wide.new_zeros(sizes).scatter_add(1, places, wide)
    else:
        out = empty_near(wide, sizes)
        call(wide, "pool_backward", (wide, places, out), (2,))
    return out.view(shape).to(grad.dtype)


def composed_pool_backward(grad, index, out):
    """The backend's `pool_backward` of others of its entries."""
    outside = (index < 0) | (index >= out.shape[1])
    fill_(out, 0)
    out.scatter_add_(1, cygrad.where(outside, 0, index), cygrad.where(outside, 0, grad))


OF_OPS["pool_backward"] = composed_pool_backward


# ------------------------------------------------------------------------------------ sums and means

def mean(name):
    """The op of PyTorch's node of this name: the mean of each box, or its sum divided by a number."""
    return primitive(lambda self, boxes, sizes, divisor: averaged(self, boxes, sizes, divisor), name=name)


def averaged(a, boxes, sizes, divisor):
    if divisor is None:
        return pooled(MEAN, a, boxes, sizes)
    total = pooled(SUM, a, boxes, sizes)
    return total / divisor if total.is_floating_point() else total.div(divisor, rounding_mode="trunc")


mean_of = {name: mean(name) for name in ("avg_pool2d", "avg_pool3d", "adaptive_avg_pool2d", "adaptive_avg_pool3d")}


@primitive(name="box_sum")
def _box_sum(self, boxes, sizes, back):
    """Sums over boxes; the gradient's are over those of `back`."""
    return pooled(SUM, self, boxes, sizes)


def spread(grad, shape, boxes, sizes, divisor):
    """The gradient of a mean: each place gets its share of all outputs that see it."""
    inner = tuple(shape[len(shape) - len(boxes):])
    if divisor is None:
        shares = [counts(*each) for each in zip(boxes, inner, sizes)]
        if all(len(set(share)) == 1 for share in shares):
            grad = grad / math.prod(share[0] for share in shares)
        else:
            for i, share in enumerate(shares):
                share = cygrad.tensor(share, dtype=grad.dtype, device=grad.device)
                grad = grad / share.view(-1, *[1] * (len(shares) - 1 - i))
    else:
        grad = grad / divisor
    return _box_sum(grad, tuple(map(seeing, boxes)), inner, boxes)


def of_outputs(grad, name):
    """The gradient of an adaptive pooling; PyTorch refuses one without elements."""
    for i in range(1, grad.dim()):
        if grad.shape[i] == 0:
            raise RuntimeError(
                f"{name}_backward(): Expected grad_output to have non-zero size for non-batch dimensions, but "
                f"grad_output has sizes {list(grad.shape)} with dimension {i} being empty")
    return grad


def box_sum_slope(grad, shape, boxes, back):
    return _box_sum(grad, back, tuple(shape[len(shape) - len(boxes):]), boxes)
