"""Convolutions and their gradients by the backend's entries, which know images only.

Rows are images of height 1. Volumes become images whose channels are those of all the depths that an output sees: a
copy of the input, once for each depth of the filters, of which the kernel then makes products as ever. Blocks of images
keep the copy small. A transposed convolution is the gradient of another one's input.
"""
import itertools
import math
from functools import lru_cache

from cygrad.backend import BINARY
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import call
from cygrad.dispatch.operands import binary_to
from cygrad.dispatch.raw import cast_to, clone_dense, copy_, fill_
from cygrad.ops.declare.operand_types import FLOAT32, HALVES
from cygrad.ops.nn.padding import constant_pad_nd

ADD = BINARY.index("add")
BLOCK = 1 << 20         # elements of a block's copy
WORTH_PART = 1_000_000    # multiplications of a depth that make it worth while not to multiply zeros


def out_size(size, kernel, stride, padding, dilation):
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def planes(t):
    """Rows as images of height 1."""
    return None if t is None else t.unsqueeze(2) if t.dim() == 3 else t


def is_plain(weight, geometry):
    """Whether an output sees one place of the input, its own."""
    stride, padding, _, _ = geometry
    return not any(padding) and {*stride, *weight.shape[2:]} == {1}


def plain_geometry(geometry):
    return (1, 1), (0, 0), (1, 1), geometry[3]


def in_planes(t):
    """Volumes as images, depths below one another."""
    return None if t is None else t.reshape(*t.shape[:2], -1, t.shape[4])


def pair(numbers, first):
    """Numbers for two axes from those of one, the missing one being `first`."""
    return tuple(numbers) if len(numbers) == 2 else (first, *numbers)


def correlate(input, weight, bias, geometry, out):
    """out = what the filters see, with bias; `geometry` is (stride, padding, dilation, groups)."""
    if not input.numel():                                               # sums of nothing
        fill_(out, 0)
        add_bias(out, bias)
    elif out.dim() == 5 and is_plain(weight, geometry):
        correlate(in_planes(input), in_planes(weight), bias, plain_geometry(geometry), in_planes(out))
    elif out.dim() == 5:
        volumes(input.shape, weight.shape, geometry, out.shape).correlate(input, weight, bias, out)
    elif out.numel():
        stride, padding, dilation, groups = geometry
        call(out, "conv2d", (planes(input), planes(weight), bias, pair(stride, 1), pair(padding, 0), pair(dilation, 1),
                             groups, planes(out)), (7,))


def add_bias(out, bias):
    if bias is not None and out.numel():
        binary_to(ADD, out, bias.reshape(-1, *[1] * (out.dim() - 2)).expand(out.shape), out)


def scatter_products(input, weight, geometry, out):
    """What a transposed convolution is, for weights that are not finite: the kernels multiply them by zeros, too."""
    stride, padding, dilation, groups = geometry
    whole = out.new_zeros(*out.shape[:2], *[n + 2 * p for n, p in zip(out.shape[2:], padding)])
    x = input.reshape(len(input), groups, weight.shape[0] // groups, -1)
    for place in itertools.product(*map(range, weight.shape[2:])):
        each = weight[(slice(None), slice(None), *place)].reshape(groups, -1, weight.shape[1])
        seen = whole[(..., *[slice(d * k, d * k + step * (n - 1) + 1, step)
                             for d, k, step, n in zip(dilation, place, stride, input.shape[2:])])]
        seen += (each.mT @ x).reshape(seen.shape)
    copy_(out, whole[(..., *[slice(p, p + n) for n, p in zip(out.shape[2:], padding)])])


def slopes(grad, input, weight, geometry, by_input, by_weight, by_bias=None):
    """The gradients of `correlate`, written into those that are not None. `input` is read for the weight's only."""
    if not (grad.numel() and input.numel()):
        for t in (by_input, by_weight, by_bias):
            if t is not None:
                fill_(t, 0)
    elif grad.dim() == 5 and is_plain(weight, geometry):
        slopes(in_planes(grad), in_planes(input), in_planes(weight), plain_geometry(geometry), in_planes(by_input),
               in_planes(by_weight), by_bias)
    elif grad.dim() == 5:
        if by_input is not None or by_weight is not None:
            volumes(input.shape, weight.shape, geometry, grad.shape).slopes(grad, input, weight, by_input, by_weight)
        if by_bias is not None:
            copy_(by_bias, summed_over_places(grad))
    else:
        stride, padding, dilation, groups = geometry
        call(grad, "conv2d_backward",
             (planes(grad), planes(input), planes(weight), pair(stride, 1), pair(padding, 0), pair(dilation, 1), groups,
              planes(by_input), planes(by_weight), by_bias), (7, 8, 9))


def summed_over_places(grad):
    """The gradient of a bias."""
    return grad.sum([i for i in range(grad.dim()) if i != 1])


class Volumes:
    """A convolution of volumes (N, C, D, H, W) as one of images (N * P, C * K, H, W), K being the filters' depth and P
    that of the output.

    Parameters
    ----------
    seen, weight, made : tuple of int
        Sizes of the input, of the filters (O, C / groups, K, R, S) and of the output.
    geometry : tuple
        (stride, padding, dilation, groups).
    """

    def __init__(self, seen, weight, geometry, made):
        (stride, *strides), (padding, *paddings), (dilation, *dilations), self.groups = geometry
        self.seen, self.made, self.depth = tuple(seen), tuple(made), weight[2]
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.geometry = tuple(strides), tuple(paddings), tuple(dilations), self.groups
        self.blocks, self.parts = self.found_blocks(), self.found_parts(math.prod(weight))

    def found_blocks(self):
        """Ranges of volumes whose copies are about BLOCK elements."""
        count = self.seen[0]
        step = max(1, BLOCK // (self.made[2] * self.seen[1] * self.depth * self.seen[3] * self.seen[4]))
        return [(n, min(n + step, count)) for n in range(0, count, step)]

    def found_parts(self, filters):
        """Ranges of outputs that see the same depths of the filters, and these; of small ones all see all, and zeros
        where the input ends."""
        if self.made[3] * self.made[4] * filters < WORTH_PART * self.depth:
            return [(slice(0, self.made[2]), slice(0, self.depth))]
        found = []
        for p in range(self.made[2]):
            move = p * self.stride - self.padding
            ks = [k for k in range(self.depth) if 0 <= move + k * self.dilation < self.seen[2]]
            seen = slice(ks[0], ks[-1] + 1) if ks else slice(0, 0)
            if found and found[-1][1] == seen:
                found[-1] = slice(found[-1][0].start, p + 1), seen
            else:
                found.append((slice(p, p + 1), seen))
        return found

    def places(self, made, depths):
        """For each of these depths of the filters, which of these outputs see what of the input there: (depth, outputs,
        inputs), the first two counted from the first one."""
        for k in range(depths.start, depths.stop):
            move = k * self.dilation - self.padding
            first = max(made.start, -(move // self.stride))
            last = min(made.stop, (self.seen[2] - 1 - move) // self.stride + 1)
            if first < last:
                begin = first * self.stride + move
                yield (k - depths.start, slice(first - made.start, last - made.start),
                       slice(begin, begin + (last - first - 1) * self.stride + 1, self.stride))

    def unfolded(self, a, made, depths):
        """(n * outputs, C * depths, H, W): what these outputs see with these depths of the filters."""
        images, channels, size, *plane = a.shape
        outs, count = made.stop - made.start, depths.stop - depths.start
        if not outs * count:
            return empty_near(a, (images * outs, channels * count, *plane))
        begin = made.start * self.stride - self.padding + depths.start * self.dilation
        beyond = begin + (outs - 1) * self.stride + (count - 1) * self.dilation + 1 - size
        if begin < 0 or beyond > 0:                         # zeros where the input ends
            before = max(-begin, 0)
            a, begin = constant_pad_nd(a, (0, 0, 0, 0, before, max(beyond, 0))), begin + before
        image, channel, depth, *steps = a.stride()
        found = clone_dense(a.as_strided(
            (images, outs, channels, count, *plane),
            (image, depth * self.stride, channel, depth * self.dilation, *steps), a.storage_offset() + begin * depth))
        return found.view(-1, channels * count, *plane)

    def add_back(self, unfolded, made, depths, target):
        """Add a gradient of what `unfolded` gave to `target`, the volumes it was made from."""
        count = made.stop - made.start
        parts = unfolded.view(-1, count, target.shape[1], depths.stop - depths.start, *target.shape[3:])
        for k, outs, ins in self.places(made, depths):
            place = target[:, :, ins]
            binary_to(ADD, place, parts[:, outs, :, k].transpose(1, 2), place)

    def images_of(self, t):
        """(n, channels, P, ...) as images (n * P, channels, ...): a copy, or a view where P is 1."""
        return t.transpose(1, 2).reshape(-1, t.shape[1], *t.shape[3:])

    def filters(self, weight, depths):
        """Filters of images."""
        seen = weight.narrow(2, depths.start, depths.stop - depths.start)
        return seen.reshape(seen.shape[0], seen.shape[1] * seen.shape[2], *seen.shape[3:])

    def correlate(self, a, weight, bias, out):
        parts = [(made, depths, self.filters(weight, depths)) for made, depths in self.parts]
        for begin, end in self.blocks:
            for made, depths, weight in parts:
                seen, count = self.unfolded(a.narrow(0, begin, end - begin), made, depths), made.stop - made.start
                for n in range(begin, end):
                    correlate(seen.narrow(0, (n - begin) * count, count), weight, bias, self.geometry,
                              out.select(0, n).narrow(1, made.start, count).transpose(0, 1))

    def slopes(self, grad, a, weight, by_input, by_weight):
        dtype = FLOAT32 if grad.dtype in HALVES else grad.dtype         # many are added up
        total, sums = (t if t is None or t.dtype is dtype else empty_near(t, tuple(t.shape), dtype)
                       for t in (by_input, by_weight))
        for t in (total, sums):
            if t is not None:
                fill_(t, 0)
        parts = [(made, depths, cast_to(self.filters(weight, depths), dtype)) for made, depths in self.parts
                 if depths.start < depths.stop]
        for begin, end in self.blocks:
            for made, depths, weight in parts:
                images = cast_to(self.images_of(grad[begin:end, :, made]), dtype)
                size = images.shape[0], weight.shape[1] * self.groups, *self.seen[3:]
                part = empty_near(grad, tuple(weight.shape), dtype) if sums is not None else None
                back = empty_near(grad, size, dtype) if total is not None else None
                seen = back if sums is None else cast_to(self.unfolded(a[begin:end], made, depths), dtype)
                slopes(images, seen, weight, self.geometry, back, part)
                if back is not None:
                    self.add_back(back, made, depths, total[begin:end])
                if part is not None:
                    place = sums[:, :, depths]
                    binary_to(ADD, place, part.view(place.shape), place)
        for made, target in ((total, by_input), (sums, by_weight)):
            if made is not target:
                copy_(target, made)


volumes = lru_cache(256)(Volumes)           # it takes longer than a small convolution
