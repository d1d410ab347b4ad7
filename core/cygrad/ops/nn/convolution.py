"""Convolutions (cross-correlations, as PyTorch means them) over one axis to three, and transposed ones.

`_convolution` and `_convolution_backward` are each other's derivatives, so gradients exist to any order.
"""
import cmath
import math
import operator
from functools import lru_cache

import cygrad
from cygrad.autograd.forward_levels import batch_depth, depth
from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.allocation import empty_near
from cygrad.devices.device import channels_last
from cygrad.dispatch.memory_formats import empty_in, format_of, kept, kept_rows
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.errors import warn
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.nn.convolution_calls import (add_bias, correlate, is_plain, out_size, scatter_products, slopes,
                                              summed_over_places)
from cygrad.ops.nn.padding import constant_pad_nd
from cygrad.ops.reduce.integration import multiply_by_number
from cygrad.ops.declare.operand_types import BOOL, hashable, need_tensors, refused
from cygrad.tensor import Tensor

# ---------------------------------------------------------------------- with its own node

@lru_cache(1024)
def made_shape(seen, kernel, geometry):
    """The shape of the result of a convolution of such inputs with such weights."""
    stride, padding, dilation, groups, transposed, extra = geometry
    if not transposed:
        filters = kernel[0] if seen[1] else 0               # nor are there any without channels
        return seen[0], filters, *map(out_size, seen[2:], kernel[2:], stride, padding, dilation)
    sizes = [(n - 1) * step - 2 * p + d * (k - 1) + more + 1
             for n, k, step, p, d, more in zip(seen[2:], kernel[2:], stride, padding, dilation, extra)]
    return seen[0], kernel[1] * groups, *sizes


# The first argument of both lists the tensors that have gradients, so that one formula computes all three (see the
# table); `geometry` is (stride, padding, dilation, groups, transposed, output_padding).
@primitive(name="convolution")
def _convolution(tensors, input, weight, bias, geometry):
    sizes = made_shape(input.shape, weight.shape, geometry)
    row_major = format_of(input) is None and format_of(weight) is None or in_rows(input, weight, geometry)
    out = empty_near(input, sizes) if row_major else made_like(sizes, input, input, weight)
    if geometry[4]:
        if input.is_cpu and not cmath.isfinite(weight.sum().item()):
            scatter_products(input, weight, geometry[:4], out)
        else:
            slopes(input, out, weight, geometry[:4], out, None)
        add_bias(out, bias)
    elif input.shape[1]:
        correlate(input, weight, bias, geometry[:4], out)
    if row_major and (input.dim() != 3 or weight.is_contiguous()):
        return out
    return ordered(out, input, weight)


@primitive(name="convolution_backward")
def _convolution_backward(tensors, grad_output, input, weight, geometry, wanted):
    formats = () if in_rows(input, weight, geometry) else (input, weight)
    by_input, by_weight = (made_like(tuple(t.shape), grad_output, *formats) if want else None
                           for want, t in zip(wanted, (input, weight)))
    if not geometry[4] and not input.shape[1]:
        return by_input, by_weight, grad_output.new_zeros(weight.shape[:1]) if wanted[2] else None
    by_bias = empty_near(grad_output, tuple(grad_output.shape[1:2])) if wanted[2] else None
    if not geometry[4]:
        slopes(grad_output, input, weight, geometry[:4], by_input, by_weight, by_bias)
        return ordered(by_input, *formats), ordered(by_weight, *formats), by_bias
    if by_input is not None:
        correlate(grad_output, weight, None, geometry[:4], by_input)
    if by_weight is not None:
        slopes(input, grad_output, weight, geometry[:4], None, by_weight)
    by_bias = summed_over_places(grad_output) if wanted[2] else None
    return ordered(by_input, *formats), ordered(by_weight, *formats), by_bias


def in_rows(input, weight, geometry):
    """Whether PyTorch convolves volumes without oneDNN, which alone keeps the order of their axes."""
    if input.dim() != 5 or input.dtype.name != "float32":
        return input.dim() == 5 and input.dtype.name != "bfloat16"
    stride, _, dilation, groups, *_ = geometry
    batch, *sizes = input.shape[:4]
    kernel = weight.shape[3:]
    return not ((groups > 1 or min(kernel) > 3 or batch > 1 or batch * math.prod(sizes) > 20480)
                and (max(*stride, *dilation, *kernel) > 1 or batch >= 16))


def made_like(sizes, near, *inputs):
    """A new tensor for a result: of images in the memory format of what is convolved, else row-major."""
    return empty_in(near, sizes, channels_last) if channels_last in map(format_of, inputs) else empty_near(near, sizes)


def ordered(t, *formats):
    """A result in the memory format of what is convolved, input and weight, where there is one."""
    if t is None or format_of(t) is channels_last:
        return t
    return kept_rows(t, formats[1]) if t.dim() == 3 else kept(t, *formats)


# ---------------------------------------------------------------------------- public ops

def numbers(name, value, axes, spatial):
    """`stride` and its kind as a tuple for `spatial` axes; one number is as many as the op has axes, or is repeated."""
    value = (value,) * axes if isinstance(value, int) else tuple(value)
    if len(value) == 1:
        return value * spatial
    if len(value) != spatial:
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {spatial} values to match the "
                           f"convolution dimensions, but got {name}={list(value)}")
    return value


def check(seen, weight, bias, geometry):
    """PyTorch's refusals of numbers and of the shapes of input, weight and bias (or None), in its order."""
    stride, padding, dilation, groups, transposed, extra = geometry
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(extra) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) < 0:
        raise RuntimeError("dilation should be greater than zero")
    if min(dilation) == 0:
        raise RuntimeError("non-positive dilation is not supported")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    shape, k = list(weight), len(weight)
    if len(seen) != k:
        raise RuntimeError(f"Expected {k}-dimensional input for {k}-dimensional weight {shape}, but got "
                           f"{len(seen)}-dimensional input of size {list(seen)} instead")
    if shape[0] < groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got "
                           f"weight of size {shape} instead")
    if shape[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
                           f"got weight of size [{shape}] instead")
    channels, filters = (shape[0], shape[1] * groups) if transposed else (shape[1] * groups, shape[0])
    given = "Given transposed=1" if transposed else f"Given groups={groups}"
    if seen[1] != channels:
        raise RuntimeError(f"{given}, weight of size {shape}, expected input{list(seen)} to have {channels} "
                           f"channels, but got {seen[1]} channels instead")
    if bias is not None and tuple(bias) != (filters,):
        given = f"{given}, weight of size" if transposed else "Given weight of size"
        raise RuntimeError(f"{given} {shape}, expected bias to be 1-dimensional with {filters} elements, but got bias "
                           f"of size {list(bias)} instead")
    (check_output if transposed else check_reach)(seen, weight, geometry)
    if 0 in weight[1 if transposed else 2:] and seen[0]:
        raise RuntimeError(f"kernel size should be greater than zero, but got: {shape[2:]}")


def check_reach(seen, weight, geometry):
    """Filters are no larger than the input."""
    _, padding, dilation, *_ = geometry
    padded = [size + 2 * n for size, n in zip(seen[2:], padding)]
    reach = [d * (size - 1) + 1 for size, d in zip(weight[2:], dilation)]
    if any(map(operator.lt, padded, reach)):
        raise RuntimeError(f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
                           f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size")


def check_output(seen, weight, geometry):
    """The result has places, and none at the end that no filter reaches."""
    stride, _, dilation, _, _, extra = geometry
    if any(more >= step and more >= d for more, step, d in zip(extra, stride, dilation)):
        words = ("depth", "height", "width")[-max(len(extra), 2):]
        told = " ".join(f"{name}_{word}: {n}" for name, numbers, usual in (
            ("output_padding", extra, 0), ("stride", stride, 1), ("dilation", dilation, 1))
            for word, n in zip(words, (usual, *numbers)[-len(words):]))
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {told}")
    sizes = made_shape(seen, weight, geometry)[2:]
    if min(sizes) < 1:
        given, made = ((1, *n) if len(n) == 1 else n for n in (tuple(seen[2:]), sizes))
        raise RuntimeError(f"Given input size per channel: ({' x '.join(map(str, given))}). Calculated output size per "
                           f"channel: ({' x '.join(map(str, made))}). Output size is too small")


def refused_by(input, weight, geometry):
    """The function of PyTorch's that has no such dtype, or None: bool, and integers but int64 with a dilation or
    transposed."""
    _, _, dilation, _, transposed, _ = geometry
    axes, whole = max(input.dim() - 2, 2), not (input.is_floating_point() or input.is_complex())
    other = whole and input.dtype.name != "int64"
    if other and transposed:
        return f"slow_conv_transpose{axes}d_out_cpu"
    if other and any(n != 1 for n in dilation):
        return "slow_conv_dilated<>"
    if input.dtype is BOOL:
        if axes == 2:
            return "slow_conv2d_cpu"
        return "slow_conv3d_cpu" if is_plain(weight, geometry[:4]) else "compute_columns3d"
    return None


def in_one_dtype(input, weight, bias, geometry):
    """The operands, refused where their dtypes differ.

    But PyTorch adds a bias of another dtype to a transposed convolution of images that oneDNN does not compute, and of
    no image it promotes the dtypes as if the weight were a number.
    """
    whole = input.is_complex() or len(input) and (
        input.dim() == 5 or input.dtype.name == "float32" and (len(input) > 1 or geometry[3] > 1))
    transposed, mixed = geometry[4], bias is not None and bias.dtype is not input.dtype
    if mixed and not transposed:
        raise RuntimeError(f"Input type ({C_TYPES[input.dtype.code]}) and bias type ({C_TYPES[bias.dtype.code]}) "
                           "should be the same")
    if len(input) and (function := refused_by(input, weight, geometry)):
        raise refused(function, input.dtype)
    made = input.dtype
    if weight.dtype is not made:
        if len(input) or input.is_complex():
            refuse_mixed(input, weight, "weight")
        made = cygrad.result_type(input, weight.new_zeros(()))
        input, weight = input.to(made), weight.to(made)
    if mixed and whole:
        refuse_mixed(input, bias, "bias")
    if bias is not None and bias.dtype is not made:
        if not cygrad.can_cast(cygrad.result_type(input, bias), made):
            raise RuntimeError(f"result type {SCALAR_NAMES[bias.dtype.code]} can't be cast to the desired output type "
                               f"{SCALAR_NAMES[made.code]}")
        bias = bias.to(made)
    return input, weight, bias


def refuse_mixed(input, other, word):
    raise RuntimeError(f"Input type ({input.type()}) and {word} type ({other.type()}) should be the same or input "
                       f"should be a MKLDNN tensor and {word} is a dense tensor".replace("cygrad.", "torch."))


def same_padding(name, input, weight, stride, dilation):
    """(input, padding) such that the output has the input's size: padded here first where the two sides differ."""
    if input.dim() != weight.dim():
        k = weight.dim()
        raise RuntimeError(f"Expected {k}-dimensional input for {k}-dimensional weight{list(weight.shape)}, but got "
                           f"{input.dim()}-dimensional input of size {list(input.shape)} instead")
    if any(n != 1 for n in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    whole = [d * (size - 1) for size, d in zip(weight.shape[2:], dilation)]
    extra = [n % 2 for n in whole]
    if any(extra):
        warn("Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy "
             "of the input be created")
        input = constant_pad_nd(input, [n for after in reversed(extra) for n in (0, after)])
    return input, tuple(n // 2 for n in whole)


def is_batched(name, axes, seen):
    """Whether an input of this shape has the axis of the batch, which it may lack."""
    if len(seen) not in (axes + 1, axes + 2):
        raise RuntimeError(f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {name}, but got "
                           f"input of size: {list(seen)}")
    return len(seen) == axes + 2


# What depends on shapes and numbers alone is worked out once: it takes longer than a small convolution.
@lru_cache(1024, typed=True)
def plan(name, axes, seen, weight, bias, stride, padding, dilation, groups, output_padding):
    """(geometry, whether the input has the axis of the batch) of a call with tensors of these shapes, checked."""
    batched = is_batched(name, axes, seen)
    spatial, transposed = len(weight) - 2, output_padding is not None
    if spatial < 1:
        raise RuntimeError("weight should have at least three dimensions")
    stride, padding, dilation, extra = (numbers(name, value, axes, spatial) for name, value in (
        ("stride", stride), ("padding", padding), ("dilation", dilation),
        ("output_padding", output_padding if transposed else 0)))
    geometry = stride, padding, dilation, groups, transposed, extra
    check(seen if batched else (1, *seen), weight, bias, geometry)
    return geometry, batched


def convolve(name, axes, input, weight, bias, stride, padding, dilation, groups, output_padding=None):
    """A convolution over `axes` axes, transposed if there is an `output_padding`; the input may lack the axis of the
    batch."""
    need_tensors(name, input=input, weight=weight)
    if bias is not None and not isinstance(bias, Tensor):
        raise TypeError(f"{name}(): argument 'bias' (position 3) must be Tensor, not {type(bias).__name__}")
    if isinstance(padding, str):
        input, padding = padding_by_name(name, axes, input, weight, stride, padding, dilation, output_padding)
    geometry, batched = plan(name, axes, input.shape, weight.shape, None if bias is None else bias.shape,
                             hashable(stride), hashable(padding), hashable(dilation), groups, hashable(output_padding))
    out = checked_convolution(input if batched else input.unsqueeze(0), weight, bias, geometry)
    return out if batched else out.squeeze(0)


def padding_by_name(name, axes, input, weight, stride, padding, dilation, output_padding):
    """(input, padding) for a padding that is "same" or "valid"."""
    batched, spatial = is_batched(name, axes, input.shape), weight.dim() - 2
    if spatial < 1:
        raise RuntimeError("weight should have at least three dimensions")
    if output_padding is not None:
        raise TypeError(f"{name}(): argument 'padding' must be tuple of ints, not str")
    if padding not in ("same", "valid"):
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if padding == "valid":
        return input, 0
    input, padding = same_padding(name, input if batched else input.unsqueeze(0), weight,
                                  numbers("stride", stride, 1, spatial), numbers("dilation", dilation, 1, spatial))
    return input if batched else input.squeeze(0), padding


def checked_convolution(input, weight, bias, geometry):
    """A convolution whose shapes and numbers are right."""
    input, weight, bias = in_one_dtype(input, weight, bias, geometry)
    if not input.numel() and all(input.shape[:2]):
        shape = [*input.shape[:2], 1, 0] if input.dim() == 3 else list(input.shape)
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got input shape: {shape}")
    if max(geometry[0]) > FAR:
        geometry = (within_reach(input, weight, geometry), *geometry[1:])
    if (input.is_complex() and grad_mode() and not depth() and not batch_depth()
            and (input.requires_grad or weight.requires_grad or bias is not None and bias.requires_grad)):
        return of_parts(input, weight, bias, geometry)
    return _convolution((input, weight, bias), input, weight, bias, geometry)


def of_parts(input, weight, bias, geometry):
    """A complex convolution as PyTorch records it: three real ones, as three products make a complex one."""
    x, y, u, v, p, q = [None if t is None else cygrad.view_as_real(t.resolve_conj()).select(-1, k)
                        for t in (input, weight, bias) for k in (0, 1)]
    real = _convolution((x, u, p), x, u, p, geometry)
    other = _convolution((y, v, None), y, v, None, geometry)
    x, u, p = x + y, u + v, None if bias is None else p + q
    mixed = _convolution((x, u, p), x, u, p, geometry)
    return real - other + multiply_by_number(mixed - real - other, 1j)


FAR = 64        # strides up to here are left as they are


def within_reach(input, weight, geometry):
    """Strides that lead past the end, made just so long as to do that: backends add and multiply them."""
    stride, padding, dilation, _, transposed, _ = geometry
    if transposed:
        return tuple(1 if n == 1 else step for n, step in zip(input.shape[2:], stride))
    room = [n + 2 * p - d * (k - 1) for n, k, p, d in zip(input.shape[2:], weight.shape[2:], padding, dilation)]
    return tuple(map(min, stride, room))


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

    Examples
    --------
    >>> cygrad.conv1d(cygrad.tensor([[1., 2., 3.]]), cygrad.tensor([[[1., 10.]]]))
    tensor([[21., 32.]])
    """
    return convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@op(method=False)
def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Cross-correlation of volumes with filters.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W), or (C, D, H, W).
    weight : Tensor
        (O, C / groups, K, R, S): O filters.
    bias, stride, padding, dilation, groups
        As in `conv2d`, for three axes.

    Returns
    -------
    Tensor
        (N, O, P, Q, T).

    Examples
    --------
    >>> volume = cygrad.arange(8.).view(1, 1, 2, 2, 2)
    >>> cygrad.conv3d(volume, cygrad.ones(1, 1, 2, 2, 2))
    tensor([[[[[28.]]]]])
    """
    return convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@op(method=False)
def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transposed convolution of signals: the gradient of `conv1d` with respect to its input, as a function.

    Parameters
    ----------
    input : Tensor
        (N, C, L), or (C, L).
    weight : Tensor
        (C, O / groups, R).
    bias, stride, padding, output_padding, groups, dilation
        As in `conv_transpose2d`, for one axis.

    Returns
    -------
    Tensor
        (N, O, P).

    Examples
    --------
    >>> cygrad.conv_transpose1d(cygrad.tensor([[[1., 2.]]]), cygrad.tensor([[[1., 10., 100.]]]), stride=2)
    tensor([[[  1.,  10., 102.,  20., 200.]]])
    """
    return convolve("conv_transpose1d", 1, input, weight, bias, stride, padding, dilation, groups, output_padding)


@op(method=False)
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transposed convolution of images: the gradient of `conv2d` with respect to its input, as a function.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W), or (C, H, W).
    weight : Tensor
        (C, O / groups, R, S): what each element of the input adds to its surroundings.
    bias : Tensor, optional
        (O,).
    stride, dilation : int or pair of int
        Distance that two neighbours of the input have in the output, and that of two elements of a filter.
    padding : int or pair of int
        How much of the result is left away on both sides.
    output_padding : int or pair of int
        How much longer the result is at its end.
    groups : int
        The channels are split into so many groups.

    Returns
    -------
    Tensor
        (N, O, P, Q), with P = (H - 1) * stride - 2 * padding + dilation * (R - 1) + output_padding + 1.

    Raises
    ------
    RuntimeError
        If shapes or numbers don't fit, or `output_padding` is not less than `stride` or `dilation`.

    Examples
    --------
    >>> cygrad.conv_transpose2d(cygrad.tensor([[[1., 2.]]]), cygrad.ones(1, 1, 1, 2), stride=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    return convolve("conv_transpose2d", 2, input, weight, bias, stride, padding, dilation, groups, output_padding)


@op(method=False)
def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transposed convolution of volumes: the gradient of `conv3d` with respect to its input, as a function.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W), or (C, D, H, W).
    weight : Tensor
        (C, O / groups, K, R, S).
    bias, stride, padding, output_padding, groups, dilation
        As in `conv_transpose2d`, for three axes.

    Returns
    -------
    Tensor
        (N, O, P, Q, T).

    Examples
    --------
    >>> cygrad.conv_transpose3d(cygrad.ones(1, 2, 3, 4, 5), cygrad.ones(2, 6, 2, 2, 2)).shape
    cygrad.Size([1, 6, 4, 5, 6])
    """
    return convolve("conv_transpose3d", 3, input, weight, bias, stride, padding, dilation, groups, output_padding)


@op(method=False)
def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """A convolution over one axis to three, or a transposed one: what the others are by their names.

    Parameters
    ----------
    input, weight : Tensor
        As in `conv1d`, `conv2d` and `conv3d`, or as in the transposed ones, with the axis of the batch.
    bias : Tensor or None
    stride, padding, dilation, output_padding : sequence of int
        One number, or one for each axis.
    transposed : bool
    groups : int

    Returns
    -------
    Tensor
        As that convolution's.

    Examples
    --------
    >>> cygrad.convolution(cygrad.ones(1, 1, 4), cygrad.ones(1, 1, 2), None, [2], [0], [1], False, [0], 1)
    tensor([[[2., 2.]]])
    """
    need_tensors("convolution", input=input, weight=weight)
    axes = weight.dim() - 2
    if axes < 1:
        raise RuntimeError("weight should have at least three dimensions")
    given = (("stride", stride), ("padding", padding), ("dilation", dilation), ("output_padding", output_padding))
    stride, padding, dilation, extra = (numbers(name, value, axes, axes) for name, value in given)
    geometry = stride, padding, dilation, groups, bool(transposed), extra
    check(input.shape, weight.shape, None if bias is None else bias.shape, geometry)
    return checked_convolution(input, weight, bias, geometry)
