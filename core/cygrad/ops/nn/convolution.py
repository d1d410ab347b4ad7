"""Convolutions (cross-correlations, as PyTorch means them) over one or two axes; the backend's `conv2d` computes both.

`_convolution` and `_convolution_backward` are each other's derivatives, so gradients exist to any order.
"""
import operator

from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import call
from cygrad.dispatch.promotion import C_TYPES
from cygrad.dispatch.raw import copy_, fill_
from cygrad.errors import warn
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.registry import op
from cygrad.ops.nn.padding import constant_pad_nd
from cygrad.ops.pointwise.several_operands import BOOL, need_tensors, refused
from cygrad.tensor import Tensor

# ---------------------------------------------------------------------- with its own node

def planes(t):
    """A tensor of three axes as images of height 1."""
    return t.unsqueeze(2) if t is not None and t.dim() == 3 else t


def pair(numbers, first):
    """Numbers for two axes from those of one, the missing one being `first`."""
    return tuple(numbers) if len(numbers) == 2 else (first, *numbers)


def out_size(size, kernel, stride, padding, dilation):
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def for_kernel(stride, padding, dilation, groups):
    """The numbers of a convolution as the backend's entries take them."""
    return pair(stride, 1), pair(padding, 0), pair(dilation, 1), groups


# The first argument of both lists the tensors that have gradients, so that one formula computes all three (see the
# table); `geometry` is (stride, padding, dilation, groups).
@primitive(name="convolution")
def _convolution(tensors, input, weight, bias, geometry):
    seen, kernel = tuple(input.shape), tuple(weight.shape)
    shape = (seen[0], kernel[0], *map(out_size, seen[2:], kernel[2:], *geometry[:3]))
    out = empty_near(input, shape)
    if input.numel() and out.numel():
        call(out, "conv2d", (planes(input), planes(weight), bias, *for_kernel(*geometry), planes(out)), (7,))
    elif out.numel():                                                   # sums of nothing
        fill_(out, 0)
        if bias is not None:
            copy_(out, bias.reshape(-1, *([1] * (out.dim() - 2))).expand(shape))
    return out


@primitive(name="convolution_backward")
def _convolution_backward(tensors, grad_output, input, weight, geometry, wanted):
    made = [empty_near(grad_output, size) if want else None
            for want, size in zip(wanted, (input.shape, weight.shape, weight.shape[:1]))]
    if input.numel() and grad_output.numel():
        operands = planes(grad_output), planes(input), planes(weight)
        call(grad_output, "conv2d_backward",
             (*operands, *for_kernel(*geometry), planes(made[0]), planes(made[1]), made[2]), (7, 8, 9))
        return tuple(made)
    for t in made[:2]:
        if t is not None:
            fill_(t, 0)
    if made[2] is not None:
        made[2] = grad_output.sum([i for i in range(grad_output.dim()) if i != 1])
    return tuple(made)


# ---------------------------------------------------------------------------- public ops

def numbers(name, value, axes):
    """`stride` and its kind as a tuple with one number for each axis."""
    if isinstance(value, int):
        return (value,) * axes
    value = tuple(value)
    if len(value) == 1:
        return value * axes
    if len(value) != axes:
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {axes} values to match the "
                           f"convolution dimensions, but got {name}={list(value)}")
    return value


def check(input, weight, bias, stride, padding, dilation, groups):
    """PyTorch's refusals of numbers and shapes, in its order."""
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) <= 0:
        raise RuntimeError("non-positive dilation is not supported")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    shape, given, k = list(weight.shape), tuple(input.shape), input.dim()
    if weight.dim() != k:
        raise RuntimeError(f"Expected {weight.dim()}-dimensional input for {weight.dim()}-dimensional weight {shape}, "
                           f"but got {k}-dimensional input of size {list(input.shape)} instead")
    if shape[0] < groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got "
                           f"weight of size {shape} instead")
    if shape[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
                           f"got weight of size [{shape}] instead")
    if given[1] != shape[1] * groups:
        raise RuntimeError(f"Given groups={groups}, weight of size {shape}, expected input{list(input.shape)} to have "
                           f"{shape[1] * groups} channels, but got {given[1]} channels instead")
    if bias is not None and (bias.dim() != 1 or bias.numel() != shape[0]):
        raise RuntimeError(f"Given weight of size {shape}, expected bias to be 1-dimensional with {shape[0]} elements, "
                           f"but got bias of size {list(bias.shape)} instead")
    padded = [size + 2 * n for size, n in zip(given[2:], padding)]
    reach = [d * (size - 1) + 1 for size, d in zip(shape[2:], dilation)]
    if any(map(operator.lt, padded, reach)):
        raise RuntimeError(f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
                           f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size")


def check_dtypes(input, weight, bias):
    if weight.dtype is not input.dtype:
        raise RuntimeError(f"Input type ({input.type()}) and weight type ({weight.type()}) should be the same or input "
                           "should be a MKLDNN tensor and weight is a dense tensor".replace("cygrad.", "torch."))
    if bias is not None and bias.dtype is not input.dtype:
        raise RuntimeError(f"Input type ({C_TYPES[input.dtype.code]}) and bias type ({C_TYPES[bias.dtype.code]}) "
                           "should be the same")
    if input.dtype is BOOL:
        raise refused("slow_conv2d_cpu", BOOL)


def same_padding(name, input, weight, stride, dilation):
    """(input, padding) such that the output has the input's size: padded here first where the two sides differ."""
    if any(n != 1 for n in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    whole = [d * (size - 1) for size, d in zip(weight.shape[2:], dilation)]
    extra = [n % 2 for n in whole]
    if any(extra):
        warn("Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy "
             "of the input be created")
        input = constant_pad_nd(input, [n for after in reversed(extra) for n in (0, after)])
    return input, tuple(n // 2 for n in whole)


def convolve(name, axes, input, weight, bias, stride, padding, dilation, groups):
    """A convolution over `axes` axes; the input may lack the axis of the batch."""
    need_tensors(name, input=input, weight=weight)
    if bias is not None and not isinstance(bias, Tensor):
        raise TypeError(f"{name}(): argument 'bias' (position 3) must be Tensor, not {type(bias).__name__}")
    batched = input.dim() == axes + 2
    if not batched:
        if input.dim() != axes + 1:
            raise RuntimeError(f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {name}, but got "
                               f"input of size: {list(input.shape)}")
        input = input.unsqueeze(0)
    spatial = weight.dim() - 2
    if spatial < 1:
        raise RuntimeError("weight should have at least three dimensions")
    stride, dilation = numbers("stride", stride, spatial), numbers("dilation", dilation, spatial)
    if padding == "same":
        input, padding = same_padding(name, input, weight, stride, dilation)
    elif padding == "valid":
        padding = (0,) * spatial
    elif isinstance(padding, str):
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    padding = numbers("padding", padding, spatial)
    check(input, weight, bias, stride, padding, dilation, groups)
    check_dtypes(input, weight, bias)
    out = _convolution((input, weight, bias), input, weight, bias, (stride, padding, dilation, groups))
    return out if batched else out.squeeze(0)


@op(method=False)
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Cross-correlation of images with filters.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W), or (C, H, W).
    weight : Tensor
        (O, C / groups, R, S): O filters.
    bias : Tensor, optional
        (O,).
    stride, dilation : int or pair of int
        Distance of two outputs in the input, and of two places that a filter sees.
    padding : int, pair of int, "valid" or "same"
        Zeros on both sides; "same" gives the output the input's size.
    groups : int
        The channels are split into so many groups, each seen by O / groups filters.

    Returns
    -------
    Tensor
        (N, O, P, Q), with P = (H + 2 * padding - dilation * (R - 1) - 1) // stride + 1.

    Examples
    --------
    >>> import cygrad
    >>> image = cygrad.arange(9.).view(1, 1, 3, 3)
    >>> cygrad.conv2d(image, cygrad.ones(1, 1, 2, 2))
    tensor([[[[ 8., 12.],
              [20., 24.]]]])
    """
    return convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@op(method=False)
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Cross-correlation of signals with filters.

    Parameters
    ----------
    input : Tensor
        (N, C, L), or (C, L).
    weight : Tensor
        (O, C / groups, R): O filters.
    bias, stride, padding, dilation, groups
        As in `conv2d`, for one axis.

    Returns
    -------
    Tensor
        (N, O, P).
    """
    return convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)
