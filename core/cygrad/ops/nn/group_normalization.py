"""Normalisation of groups of channels: a mean and a variance for each group of each image."""
import cygrad
from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import OF_OPS, call
from cygrad.dispatch.memory_formats import format_of
from cygrad.dispatch.raw import cast_to, copy_
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import FLOAT32, HALVES, need_tensors, refused, single
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.nn.channel_statistics import gradients, scaled, several_values, slopes, statistics
from cygrad.ops.nn.normalization import check_parameter_dtypes


def in_groups(x, groups):
    """(N, groups, channels of a group, places)."""
    return x.reshape(x.shape[0], groups, x.shape[1] // groups, -1)


def for_groups(t, groups):
    return t if t is None else single(t).reshape(1, groups, -1, 1)


@primitive(name="native_group_norm")
def _native_group_norm(tensors, input, weight, bias, groups, eps):
    shape, dtype = input.shape, input.dtype
    if input.numel() == 0:
        empty = empty_near(input, shape), *(cygrad.zeros(shape[0], groups, dtype=dtype) for _ in range(2))
        return empty
    x, kept = in_groups(input, groups), dtype
    if weight is not None and weight.dtype is not dtype or bias is not None and bias.dtype is not dtype:
        x, kept = single(x), FLOAT32
    rows, last = FLOAT32 if x.dtype in HALVES else x.dtype, format_of(input) is not None
    made = cygrad.empty_like(input, dtype=x.dtype) if last else empty_near(x, shape)
    out = in_groups(made, groups)
    mean, rstd = empty_near(x, (shape[0], groups), rows), empty_near(x, (shape[0], groups), rows)
    by_group = [t if t is None else cast_to(t, x.dtype).reshape(groups, -1) for t in (weight, bias)]
    if last:                                            # channels side by side are left where they are
        composed_norm(x, *by_group, eps, out, mean, rstd)
    else:
        call(x, "group_norm", (x, *by_group, float(eps), out, mean, rstd), (4, 5, 6))
    return cast_to(made, dtype), cast_to(mean, kept), cast_to(rstd, kept)


def composed_norm(a, weight, bias, eps, out, mean, rstd):
    """The backend's `group_norm` of others of its entries."""
    centre, _, scale = statistics(single(a), (2, 3), eps)
    parameters = [t if t is None else single(t).unsqueeze(0).unsqueeze(3) for t in (weight, bias)]
    copy_(out, scaled(single(a), centre, scale, *parameters, out.dtype))
    copy_(mean, centre.view(mean.shape))
    copy_(rstd, scale.view(rstd.shape))


def composed_norm_backward(grad, a, mean, rstd, weight, *outs):
    parameters = [t.unsqueeze(2).unsqueeze(3) for t in (mean, rstd)]
    scale = weight if weight is None else single(weight).unsqueeze(0).unsqueeze(3)
    found = slopes(single(grad), single(a), *parameters, scale, (2, 3), (0, 3), [t is not None for t in outs], False)
    for out, slope in zip(outs, found):
        if out is not None:
            copy_(out, slope.view(out.shape))


OF_OPS.update(group_norm=composed_norm, group_norm_backward=composed_norm_backward)


def group_norm_slopes(grads, input, weight, groups, eps, result, needs):
    """The gradients, those that come by the mean and rstd included."""
    grad = cygrad.zeros_like(input) if grads[0] is None else grads[0]
    if input.numel() == 0:
        like = input if weight is None else weight
        return [grad, *(like.new_zeros(input.shape[1]) for _ in range(2))]
    wide = FLOAT32 if input.dtype in HALVES else input.dtype
    x = in_groups(input, groups)
    mean, rstd = (t.reshape(len(x), groups, 1, 1).to(wide) for t in result[1:])
    shape, dtype = input.shape, input.dtype if weight is None else weight.dtype
    scale = weight if weight is None else weight.to(wide).reshape(1, groups, -1, 1)
    if grad_mode() or format_of(input) is not None:
        found = gradients(in_groups(grad, groups), x, mean, rstd, scale, (2, 3), (0, 3), needs, False, eps)
    else:
        own = [t if t is None else t.to(wide) for t in (in_groups(grad, groups), x)]
        sizes = x.shape, x.shape[1:3], x.shape[1:3]
        found = [empty_near(own[1], size) if need else None for size, need in zip(sizes, needs)]
        rows = [t.view(len(x), groups) for t in (mean, rstd)]
        call(x, "group_norm_backward", (*own, *rows, scale if scale is None else scale.view(groups, -1), *found),
             (5, 6, 7))
    if found[0] is not None:
        found[0] = plus_statistics(found[0], x.to(wide), mean, rstd, *grads[1:])
    return [t if t is None else t.reshape(shape if i == 0 else -1).to(dtype if i else grad.dtype)
            for i, t in enumerate(found)]


def plus_statistics(slope, x, mean, rstd, grad_mean, grad_rstd):
    """The gradient of x with what the gradients of its mean and rstd add, as far as there are any."""
    if grad_mean is not None or grad_rstd is not None:
        count = x.shape[2] * x.shape[3]
        if grad_mode():
            mean = x.mean((2, 3), keepdim=True)
        if grad_mean is not None:
            slope = slope + grad_mean.reshape(mean.shape) / count
        if grad_rstd is not None:
            slope = slope - grad_rstd.reshape(rstd.shape) * rstd ** 3 * (x - mean) / count
    return slope


@op(method=False)
def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    """`nn.functional.group_norm` of (N, C, HxW) numbers together with each group's mean and 1 / deviation.

    Parameters
    ----------
    input, weight, bias, eps
        As in `nn.functional.group_norm`.
    N, C, HxW, group : int
        The sizes of the input, and how many groups.

    Returns
    -------
    tuple of Tensor
        The result; mean and 1 / sqrt(variance + eps), of shape (N, group).

    Examples
    --------
    >>> cygrad.native_group_norm(cygrad.tensor([[[1., 3.]]]), None, None, 1, 1, 2, 1, 1e-5)[1]
    tensor([[2.]])
    """
    check_groups(input, C, weight, bias, group)
    if input.numel() != N * C * HxW:
        raise RuntimeError("Expected X.numel() == N * C * HxW to be true, but got false.  (Could this error message be "
                           "improved?  If so, please report an enhancement request to PyTorch.)")
    return _native_group_norm((input, weight, bias), input, weight, bias, group, eps)


def check_groups(input, channels, weight, bias, groups):
    """PyTorch's refusals, in its order."""
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if channels % groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got input of shape "
                           f"{list(input.shape)} and num_groups={groups}")
    given = [(name, value) for name, value in (("weight", weight), ("bias", bias)) if value is not None]
    for name, value in given:
        if value.dim() != 1 or value.numel() != channels:
            raise RuntimeError(f"Expected {name} to be a vector of size equal to the number of channels in input, but "
                               f"got {name} of shape {list(value.shape)} and input of shape {list(input.shape)}")
    check_parameter_dtypes(input, *[value for _, value in given])
    if not input.is_floating_point():
        raise refused("GroupNormKernelImpl", input.dtype)


@op(method=False, name="group_norm")
def group_norm_of(input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    """`nn.functional.group_norm`, which also takes groups of one value.

    Parameters
    ----------
    input, num_groups, weight, bias, eps
        As in `nn.functional.group_norm`.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.group_norm(cygrad.tensor([[1., 3.]]), 1)
    tensor([[-1.0000,  1.0000]])
    """
    need_tensors("group_norm", input=input)
    channels = input.size(1)
    check_groups(input, channels, weight, bias, num_groups)
    if format_of(input) is None:
        input = input.contiguous()
    return _native_group_norm((input, weight, bias), input, weight, bias, num_groups, eps)[0]


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * weight + bias, with a mean and a variance for each group of channels.

    Parameters
    ----------
    input : Tensor
        (N, C, ...), of a floating-point dtype.
    num_groups : int
        Divides C.
    weight, bias : Tensor, optional
        (C,), of input's dtype (or float32, for 16-bit floats).
    eps : float

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.nn.functional.group_norm(cygrad.tensor([[1., 3., 0., 10.]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    if input.numel() // num_groups == 1:
        several_values([input.size(0) * input.size(1) // num_groups, num_groups, *input.size()[2:]])
    return group_norm_of(input, num_groups, weight, bias, eps)
