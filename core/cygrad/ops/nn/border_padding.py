"""Padding with what is in a tensor already: its border mirrored or repeated, or its other end.

`_padded` copies the tensor into the middle of the result, then fills the borders axis after axis from there; `_folded`
adds borders to where they were taken from. They are each other's derivatives.
"""
import math
from functools import lru_cache

import cygrad
from cygrad.backend import BINARY
from cygrad.dispatch.allocation import laid_by_kernel
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.memory_formats import kept
from cygrad.dispatch.operands import binary_to
from cygrad.devices.device import of as device_of
from cygrad.dispatch.raw import clone_dense, copy_, gather_op
from cygrad.autograd.forward_levels import batch_depth, depth
from cygrad.autograd.modes import grad_mode
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.nn.padding import constant_pad_nd
from cygrad.ops.declare.operand_types import BOOL, refused

ADD = BINARY.index("add")
FEW = 4096              # elements
WORDS = {"reflect": "reflection_pad", "replicate": "replication_pad", "circular": "circular_pad"}


def borders(size, before, after, mode):
    """For both borders of a padded axis: (where it begins, its length, where what it shows begins, length of that)."""
    shown = {"reflect": (before + 1, size + before - 1 - after), "replicate": (before, before + size - 1),
             "circular": (size, before)}[mode]
    for begin, length, source in ((0, before, shown[0]), (before + size, after, shown[1])):
        if length:
            yield begin, length, source, 1 if mode == "replicate" else length


def parts(pad):
    """(what is added, what is cut off: negative numbers)."""
    return tuple(max(n, 0) for n in pad), tuple(min(n, 0) for n in pad)


def padded(self, pad, mode):
    """Negative numbers cut: where it is circular first, so that the other end of what is left is shown."""
    if min(pad) >= 0:
        return with_borders(self, pad, mode)
    more, less = parts(pad)
    if mode == "circular":
        return with_borders(constant_pad_nd(self, less), more, mode)
    found = constant_pad_nd(with_borders(self, more, mode), less)
    return laid_by_kernel(found, found)


def folded(grad, pad, mode):
    """The gradient of `padded`."""
    more, less = parts(pad)
    back = [-n for n in less]
    if not any(less):
        return borders_added(grad, pad, mode)
    if mode == "circular":
        return constant_pad_nd(borders_added(grad, more, mode), back)
    return borders_added(constant_pad_nd(grad, back), more, mode)


@lru_cache(64)
def places(size, before, after, mode, device):
    """Where along an axis what is shown at each place of the result lies."""
    found = cygrad.arange(-before, size + after)
    if mode == "reflect":
        found = found.abs()
        found = cygrad.where(found < size, found, 2 * (size - 1) - found)
    else:
        found = found.clamp(0, size - 1) if mode == "replicate" else found % size
    return found.to(device)


@lru_cache(64)
def places_of_planes(shape, pad, mode, backend, index):
    """(planes and their elements, the shape of the result, where in its plane what is shown at each place lies)."""
    device = device_of(backend, index)
    axes, step, seen = len(pad) // 2, 1, cygrad.zeros(1, dtype=cygrad.int64, device=device)
    for k in range(axes):                                       # from the last axis on
        along = places(shape[-1 - k], pad[2 * k], pad[2 * k + 1], mode, device)
        seen = (along.unsqueeze(1) * step + seen).reshape(-1)
        step *= shape[-1 - k]
    planes = math.prod(shape[:len(shape) - axes])
    return (planes, step), tuple(padded_shape(shape, pad)), seen.expand(planes, -1)


def with_borders(self, pad, mode):
    if self.numel() <= FEW:                                     # each copy of a border would be a call
        rows, made, seen = places_of_planes(self.shape, pad, mode, self._backend(), self._device_index())
        return gather_op(self.reshape(rows), seen, 1).view(made)
    axes, out = len(pad) // 2, empty_near(self, padded_shape(self.shape, pad))
    middle = out
    for k in range(axes):
        middle = middle.narrow(-1 - k, pad[2 * k], self.shape[-1 - k])
    copy_(middle, self)
    for k in range(axes):
        for begin, length, source, shown in borders(self.shape[-1 - k], pad[2 * k], pad[2 * k + 1], mode):
            place, seen = out.narrow(-1 - k, begin, length), out.narrow(-1 - k, source, shown)
            copy_(place, seen.flip(-1 - k) if mode == "reflect" and length > 1 else seen.expand(place.shape))
    return out


def borders_added(grad, pad, mode):
    """Borders added to what they show, the axis that was padded last first; then they are cut off."""
    whole = clone_dense(grad)
    for k in reversed(range(len(pad) // 2)):
        size = whole.shape[-1 - k] - pad[2 * k] - pad[2 * k + 1]
        for begin, length, source, shown in borders(size, pad[2 * k], pad[2 * k + 1], mode):
            border, seen = whole.narrow(-1 - k, begin, length), whole.narrow(-1 - k, source, shown)
            if mode == "replicate":
                border = border.sum(-1 - k, keepdim=True)
            binary_to(ADD, seen, border.flip(-1 - k) if mode == "reflect" and length > 1 else border, seen)
        whole = whole.narrow(-1 - k, pad[2 * k], size)
    return clone_dense(whole)


def padded_shape(shape, pad):
    shape = list(shape)
    for k in range(len(pad) // 2):
        shape[-1 - k] += pad[2 * k] + pad[2 * k + 1]
    return shape


def bordered(name, mode):
    if mode == "circular":              # row-major in any case, as PyTorch's
        return primitive(lambda self, pad: padded(self, pad, mode), name=name)
    return primitive(lambda self, pad: kept(padded(self, pad, mode), self), name=name)


_padded = {(mode, axes): bordered(f"{word}{axes}d", mode) for mode, word in WORDS.items() for axes in (1, 2, 3)}


@primitive(name="pad_fold")
def _folded(self, pad, mode):
    return folded(self, pad, mode)


# --------------------------------------------------------------------------------------- what is refused

SUPPORTED = """
Supported combinations for non-constant padding:
  - 2D or 3D input: padding size = 2 (pads last dimension)
  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)
  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"""


@lru_cache(256)
def check(shape, pad, mode):
    """PyTorch's refusals, in its order."""
    shape, axes = list(shape), len(pad) // 2
    if axes not in (1, 2, 3) or len(shape) not in (axes + 1, axes + 2):
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {len(shape)}D input tensor."
                                  f"{SUPPORTED}")
    made = padded_shape(shape, pad)
    if mode == "circular":
        if any(pad[i] > shape[-1 - i // 2] for i in range(len(pad))):
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if min(made) < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        return
    if 0 in shape[1 if len(shape) == axes + 2 else 0:]:
        raise RuntimeError(f"Expected {axes + 1}D or {axes + 2}D (batch mode) tensor with possibly 0 batch size and "
                           f"other non-zero dimensions for input, but got: {shape}")
    for k in range(axes if mode == "reflect" else 0):
        if max(pad[2 * k:2 * k + 2]) >= shape[-1 - k]:
            raise RuntimeError(f"Argument #{2 * k + 4}: Padding size should be less than the corresponding input "
                               f"dimension, but got: padding ({pad[2 * k]}, {pad[2 * k + 1]}) at dimension "
                               f"{len(shape) - 1 - k} of input {shape}")
    if max(made[-axes:]) < 1:
        given = {1: "W: {}", 2: "H: {}, W: {} " if mode == "replicate" else "H: {}, W: {}", 3: "D: {} H: {}, W: {}"}
        found = " ".join(f"{name}: {size}" for name, size in zip("DHW"[3 - axes:], made[-axes:]))
        raise RuntimeError(f"input ({given[axes].format(*shape[-axes:])}) is too small. Calculated output {found}")
    if min(made) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(made)}: {made}")


def pad_with_borders(input, pad, mode):
    """`input` padded in another mode than with a constant."""
    check(input.shape, pad, mode)
    if input.dtype is BOOL and mode != "circular":
        raise refused(f"{WORDS[mode]}{len(pad) // 2}d", BOOL)
    if mode == "circular" and not depth() and not batch_depth():
        if input.requires_grad and grad_mode():
            return wound(input, pad)
        found = _padded[mode, len(pad) // 2](input, pad)
        for _ in range(1 + sum(n > 0 for n in pad)):        # PyTorch's copies
            found._bump_version()
        return found
    return _padded[mode, len(pad) // 2](input, pad)


def wound(input, pad):
    """Circular padding by copies in place, whose nodes a user sees."""
    out = input.new_empty(padded_shape(input.shape, pad))
    middle, seen, ends = out, input, []
    for k in range(len(pad) // 2):
        before, after = pad[2 * k], pad[2 * k + 1]
        start, stop = max(before, 0), out.shape[-1 - k] - max(after, 0)
        middle = middle.narrow(-1 - k, start, stop - start)
        seen = seen.narrow(-1 - k, max(-before, 0), stop - start)
        if before > 0:
            ends.append((-1 - k, 0, stop - before, before))
        if after > 0:
            ends.append((-1 - k, stop, start, after))
    middle.copy_(seen)
    for dim, place, source, length in ends:
        out.narrow(dim, place, length).copy_(out.narrow(dim, source, length))
    return out
