"""Convolutions and their gradients by the backend's entries, which know images only.

Rows are images of height 1. Volumes become images whose channels are those of all the depths that an output sees: a
copy of the input, once for each depth of the filters, of which the kernel then makes products as ever. Blocks of images
keep the copy small. A transposed convolution is the gradient of another one's input.
"""
from cygrad.backend import BINARY
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import call
from cygrad.dispatch.operands import binary_to
from cygrad.dispatch.raw import cast_to, copy_, fill_
from cygrad.ops.declare.operand_types import FLOAT32, HALVES

ADD = BINARY.index("add")
BLOCK = 1 << 20         # elements of a block's copy


def out_size(size, kernel, stride, padding, dilation):
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def planes(t):
    """Rows as images of height 1."""
    return None if t is None else t.unsqueeze(2) if t.dim() == 3 else t


def is_plain(weight, geometry):
    """Whether an output sees one place of the input, its own."""
    stride, padding, _, _ = geometry
    return not any(padding) and all(n == 1 for n in (*stride, *weight.shape[2:]))


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
        Volumes(input.shape, weight, geometry, out.shape).correlate(input, bias, out)
    elif out.numel():
        stride, padding, dilation, groups = geometry
        call(out, "conv2d", (planes(input), planes(weight), bias, pair(stride, 1), pair(padding, 0), pair(dilation, 1),
                             groups, planes(out)), (7,))


def add_bias(out, bias):
    if bias is not None and out.numel():
        binary_to(ADD, out, bias.reshape(-1, *[1] * (out.dim() - 2)).expand(out.shape), out)


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
            Volumes(input.shape, weight, geometry, grad.shape).slopes(grad, input, by_input, by_weight)
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
    seen, made : sequence of int
        Sizes of the input and of the output.
    weight : Tensor
        (O, C / groups, K, R, S).
    geometry : tuple
        (stride, padding, dilation, groups).
    """

    def __init__(self, seen, weight, geometry, made):
        (stride, *strides), (padding, *paddings), (dilation, *dilations), self.groups = geometry
        self.images, self.seen, self.made, self.depth = tuple(strides), tuple(seen), tuple(made), weight.shape[2]
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.geometry = tuple(strides), tuple(paddings), tuple(dilations), self.groups
        self.weight = weight.reshape(weight.shape[0], -1, *weight.shape[3:])

    def blocks(self):
        """Ranges of volumes whose copies are about BLOCK elements."""
        count = self.seen[0]
        step = max(1, BLOCK // (self.made[2] * self.seen[1] * self.depth * self.seen[3] * self.seen[4]))
        return [(n, min(n + step, count)) for n in range(0, count, step)]

    def places(self):
        """For each depth of the filters, which outputs see what of the input there: (k, outputs, inputs), slices."""
        for k in range(self.depth):
            move = k * self.dilation - self.padding
            first = max(0, -(move // self.stride))
            last = min(self.made[2], (self.seen[2] - 1 - move) // self.stride + 1)
            if first < last:
                begin = first * self.stride + move
                yield k, slice(first, last), slice(begin, begin + (last - first - 1) * self.stride + 1, self.stride)

    def unfolded(self, a):
        """(n * P, C * K, H, W): what the outputs of each depth see."""
        n, channels, _, *plane = a.shape
        found = empty_near(a, (n, self.made[2], channels, self.depth, *plane))
        seen = {k: (outs, ins) for k, outs, ins in self.places()}
        for k in range(self.depth):
            outs, ins = seen.get(k, (slice(0, 0), None))
            for hidden in (found[:, :outs.start, :, k], found[:, outs.stop:, :, k]):
                if hidden.numel():
                    fill_(hidden, 0)
            if ins is not None:
                copy_(found[:, outs, :, k], a[:, :, ins].transpose(1, 2))
        return found.view(n * self.made[2], channels * self.depth, *plane)

    def add_back(self, unfolded, target):
        """Sum a gradient of what `unfolded` gave into `target`, the volumes it was made from."""
        parts = unfolded.view(target.shape[0], self.made[2], target.shape[1], self.depth, *target.shape[3:])
        whole = target if target.dtype is parts.dtype else empty_near(target, tuple(target.shape), parts.dtype)
        fill_(whole, 0)
        for k, outs, ins in self.places():
            place = whole[:, :, ins]
            binary_to(ADD, place, parts[:, outs, :, k].transpose(1, 2), place)
        if whole is not target:
            copy_(target, whole)

    def images_of(self, t):
        """(n, channels, P, ...) as images (n * P, channels, ...): a copy, or a view where P is 1."""
        return t.transpose(1, 2).reshape(-1, t.shape[1], *t.shape[3:])

    def correlate(self, a, bias, out):
        for begin, end in self.blocks():
            seen = self.unfolded(a[begin:end])
            for n in range(begin, end):
                rows = slice((n - begin) * self.made[2], (n - begin + 1) * self.made[2])
                correlate(seen[rows], self.weight, bias, self.geometry, out[n].transpose(0, 1))

    def slopes(self, grad, a, by_input, by_weight):
        dtype = FLOAT32 if grad.dtype in HALVES else grad.dtype         # many are added up
        weight, total = cast_to(self.weight, dtype), None
        for begin, end in self.blocks():
            part = empty_near(grad, tuple(weight.shape), dtype) if by_weight is not None else None
            size = (end - begin) * self.made[2], self.seen[1] * self.depth, *self.seen[3:]
            back = empty_near(grad, size, dtype) if by_input is not None else None
            seen = back if by_weight is None else cast_to(self.unfolded(a[begin:end]), dtype)
            slopes(cast_to(self.images_of(grad[begin:end]), dtype), seen, weight, self.geometry, back, part)
            if back is not None:
                self.add_back(back, by_input[begin:end])
            if part is not None:
                total = part if total is None else binary_to(ADD, total, part, total)
        if total is not None:
            copy_(by_weight, total.view(tuple(by_weight.shape)))
