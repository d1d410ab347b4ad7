"""Normalisation with a weight and a bias for each channel: of batches, of groups of channels, of instances.

All are (x - mean) * rstd * weight + bias, rstd = 1 / sqrt(variance + eps); they differ in the axes over which mean and
variance are taken. The statistics are one reduction after the other, the rest is one pass; so is the gradient.
"""
import math
from functools import cache

import cygrad
from cygrad.dispatch.allocation import empty_near
from cygrad.autograd.modes import grad_mode
from cygrad.ops.declare.primitives import primitive, refuse_gradient
from cygrad.ops.declare.operand_types import FLOAT32, HALVES, need_tensors, refused, single
from cygrad.ops.nn.normalization import check_parameter_dtypes
from cygrad.ops.reduce.sums import SUM
from cygrad.ops.reduce.variance import variance as variance_and_mean
from cygrad.ops.declare.op_forms import op
from cygrad.dispatch.fallback import OF_OPS, call
from cygrad.dispatch.memory_formats import format_of
from cygrad.dispatch.programs import program
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import cast_to, copy_
from cygrad.tensor import Tensor

FEW = 16                # places of a channel
AT_ONCE = 1024          # elements, up to which one kernel costs less than one more before it for the channels
SCALED = program(lambda x, scale, shift: x * scale + shift)
SUMS = program(lambda grad, x, mean: ((x - mean) * grad, grad))
SLOPE = program(lambda grad, x, scale, factor, shift: grad * scale + x * factor + shift)


def factors(mean, variance, eps, weight, bias):
    """(rstd, scale, shift): x * scale + shift is normal. Without a weight it is 1, without a bias -0."""
    rstd = (variance + eps).rsqrt()
    scale = rstd * weight
    return rstd, scale, bias - mean * scale


def normal(x, mean, variance, eps, weight, bias):
    _, scale, shift = factors(mean, variance, eps, weight, bias)
    return x * scale + shift


FACTORS, EVALUATED = program(factors), program(normal)
RUNNING = program(lambda running, new, momentum, factor: running + (new * factor - running) * momentum)


def moments(x, axes):
    """(variance, mean) over `axes`, which keep size 1."""
    return variance_and_mean(x, axes, 0, True) if x.numel() else cygrad.var_mean(x, axes, correction=0, keepdim=True)


def statistics(x, axes, eps):
    """(mean, variance, rstd) over `axes`, which keep size 1."""
    variance, mean = moments(x, axes)
    return mean, variance, (variance + eps).rsqrt()


def scaled(x, mean, rstd, weight, bias, dtype):
    """(x - mean) * rstd * weight + bias as x * scale + shift; parameters broadcast."""
    scale = rstd if weight is None else rstd * weight
    shift = -mean * scale if bias is None else bias - mean * scale
    return cast_to(SCALED(x, scale, shift), dtype)


def shaped(t, shape):
    """A parameter for each channel, in float32 if it has 16 bits; None stays None."""
    return t if t is None else single(t).reshape(shape)


def slopes(grad, x, mean, rstd, weight, axes, affine_axes, needs, fixed):
    """Raw gradients of x, the weight and the bias, where `needs` says so.

    Statistics are over `axes`, the parameters' gradients over `affine_axes`; `fixed`: mean and rstd don't depend on x.
    """
    inner = tuple(i for i in axes if i in affine_axes)
    rest = tuple(i for i in axes if i not in affine_axes)
    centred, total = SUMS.reduced((SUM, SUM), inner, True, None, (grad, x, mean))
    found = [None, None, None]
    if needs[0]:
        scale = rstd if weight is None else rstd * weight
        if fixed:
            found[0] = grad * scale
        else:
            parts = [t if weight is None else t * weight for t in (centred, total)]
            parts = [t.sum(rest, keepdim=True) if rest else t for t in parts]
            count = math.prod(x.shape[i] for i in axes)
            factor = parts[0] * (rstd * rstd * rstd) * (-1 / count)
            found[0] = SLOPE(grad, x, scale, factor, parts[1] * rstd * (-1 / count) - mean * factor)
    left = tuple(i for i in affine_axes if i not in axes)
    if needs[1]:
        found[1] = centred * rstd
        found[1] = found[1].sum(left, keepdim=True) if left else found[1]
    if needs[2]:
        found[2] = total.sum(left, keepdim=True) if left else total
    return found


def differentiable_slopes(grad, x, mean, rstd, weight, axes, affine_axes, needs, fixed, eps):
    """The same in ops that can be differentiated again."""
    if not fixed:
        mean = x.mean(axes, keepdim=True)
        rstd = ((x - mean).square().mean(axes, keepdim=True) + eps).rsqrt()
    normal, found = (x - mean) * rstd, [None, None, None]
    if needs[0]:
        g = grad if weight is None else grad * weight
        if not fixed:
            g = g - g.mean(axes, keepdim=True) - normal * (g * normal).mean(axes, keepdim=True)
        found[0] = g * rstd
    if needs[1]:
        found[1] = (grad * normal).sum(affine_axes, keepdim=True)
    if needs[2]:
        found[2] = grad.sum(affine_axes, keepdim=True)
    return found


def gradients(grad, x, mean, rstd, weight, axes, affine_axes, needs, fixed, eps):
    wide = [t if t is None or t.dtype not in HALVES else t.to(FLOAT32) for t in (grad, x)]
    if grad_mode():
        return differentiable_slopes(*wide, mean, rstd, weight, axes, affine_axes, needs, fixed, eps)
    return slopes(*wide, mean, rstd, weight, axes, affine_axes, needs, fixed)


# --------------------------------------------------------------------------------------- batches

@cache
def over_batch(rank):
    """(the axes but that of the channels, the shape of a parameter beside an input of so many axes)."""
    return tuple(i for i in range(rank) if i != 1), (1, -1, *[1] * (rank - 2))


# The first argument lists the tensors that have gradients, so that one formula computes all three; see the table.
# mean and rstd are given in evaluation, else computed; options are (training, eps).
@primitive(name="native_batch_norm")
def _native_batch_norm(tensors, input, weight, bias, mean, rstd, options):
    axes, shape = over_batch(input.dim())
    x, variance = single(input), None
    if not x.is_contiguous() and format_of(x) is None:          # the result is row-major, too
        x = x.contiguous()
    if options[0] and input.dtype not in HALVES:
        variance, mean = (t.reshape(-1) for t in moments(x, axes))
        rstd, scale, shift = FACTORS(mean, variance, options[1], 1.0 if weight is None else weight,
                                     -0.0 if bias is None else bias)
        return SCALED(x, scale.reshape(shape), shift.reshape(shape)), mean, rstd, variance
    if options[0]:
        mean, variance, rstd = statistics(x, axes, options[1])
    else:
        mean, rstd = shaped(mean, shape), shaped(rstd, shape)
    out = scaled(x, mean, rstd, shaped(weight, shape), shaped(bias, shape), input.dtype)
    if variance is None:
        return out, empty_near(out, (0,), mean.dtype), empty_near(out, (0,), mean.dtype)
    return out, mean.reshape(-1), rstd.reshape(-1), variance.reshape(-1)


def batch_norm_slopes(grad, input, weight, mean, rstd, options, result, needs):
    training, eps = options
    axes, shape = over_batch(input.dim())
    if training:
        mean, rstd = result[1], result[2]
    dtype = None if weight is None else weight.dtype
    if input.is_cpu and training and not grad_mode() and input.dtype not in HALVES and places_side_by_side(input):
        return batch_norm_kernel(grad, input, weight, mean, rstd, needs)
    found = gradients(grad, input, shaped(mean, shape), shaped(rstd, shape),
                      weight if weight is None else weight.to(mean.dtype).reshape(shape), axes, axes, needs,
                      not training, eps)
    return [found[0], *(t if t is None else t.reshape(-1).to(dtype or t.dtype) for t in found[1:])]


def places_side_by_side(x):
    """Whether each channel of an image is a run of memory, and long enough for a kernel of rows."""
    return x.is_contiguous() and x.numel() >= FEW * x.shape[0] * x.shape[1] > 0 and format_of(x) is None


def batch_norm_kernel(grad, input, weight, mean, rstd, needs):
    """The gradients by the backend's `group_norm_backward`: a channel is a group, of which each image has a part.

    Where that is composed it takes more reductions than `slopes`: so on the CPU alone.
    """
    batch, channels = input.shape[:2]

    def seen(t):
        return t.reshape(batch, channels, -1).transpose(0, 1).unsqueeze(0)

    by_part = channels, batch
    out = empty_near(input, input.shape) if needs[0] else None
    sums = [empty_near(input, by_part) if need else None for need in needs[1:]]
    factors = None if weight is None else weight.to(input.dtype).view(-1, 1).expand(by_part)
    call(input, "group_norm_backward", (
        seen(grad.contiguous()), seen(input), mean.view(1, -1), rstd.view(1, -1), factors,
        None if out is None else seen(out), *sums), (5, 6, 7))
    dtype = input.dtype if weight is None else weight.dtype
    return [out, *(t if t is None else t.sum(1).to(dtype) for t in sums)]


def evaluated(input, weight, bias, mean, variance, eps):
    """Raw: a batch normalised by given statistics."""
    shape = over_batch(input.dim())[1]
    x = input if input.is_contiguous() or format_of(input) is not None else input.contiguous()
    weight, bias = 1.0 if weight is None else weight, -0.0 if bias is None else bias
    if input.numel() <= AT_ONCE:
        mean, variance, weight, bias = (t if type(t) is float else t.reshape(shape)
                                        for t in (mean, variance, weight, bias))
        return EVALUATED(x, mean, variance, eps, weight, bias)
    _, scale, shift = FACTORS(mean, variance, eps, weight, bias)
    return SCALED(x, scale.reshape(shape), shift.reshape(shape))


def are_plain(input, others):
    """Whether the parameters for each channel are right, and nothing is recorded or computed in another dtype."""
    if type(input) is not Tensor or input._tracked() or input.dim() < 2 or not input.is_floating_point():
        return False
    dtype, channels = input.dtype, input.shape[1]
    for t in others:
        if t is not None and (t.dtype is not dtype or t.numel() != channels or t._tracked()):
            return False
    return dtype not in HALVES


def check_batch(input, weight, bias, running_mean, running_var, training):
    """PyTorch's refusals, in its order."""
    if not training and (running_mean is None or running_var is None):
        raise RuntimeError(f"running_{'mean' if running_mean is None else 'var'} must be defined in evaluation mode")
    if are_plain(input, (weight, bias, running_mean, running_var)):
        return
    parameters = [t for t in (weight, bias, running_mean, running_var) if t is not None]
    channels = 0 if parameters and input.dim() < 2 else input.size(1)
    for k, value in enumerate((running_mean, running_var, weight, bias)):
        if value is not None and value.numel() != channels:
            name = ("running_mean", "running_var", "weight", "bias")[k]
            raise RuntimeError(f"{name} should contain {channels} elements not {value.numel()}")
    refuse_gradient("native_batch_norm", "running_mean", running_mean)
    refuse_gradient("native_batch_norm", "running_var", running_var)
    if not input.is_floating_point():
        raise refused("batch_norm", input.dtype)
    others = [t for t in parameters if t.dtype is not input.dtype]
    if others:
        if (weight is None or weight.dtype is input.dtype) and input.dtype not in HALVES:
            raise RuntimeError(f"expected scalar type {SCALAR_NAMES[input.dtype.code]} but found "
                               f"{SCALAR_NAMES[others[0].dtype.code]}")
        check_parameter_dtypes(input, *others)


def batch_normalized(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """The results of the primitive, checked, the running statistics brought up to date."""
    need_tensors("batch_norm", input=input)
    check_batch(input, weight, bias, running_mean, running_var, training)
    inputs, options = (input, weight, bias), (bool(training), eps)
    if not training:
        rstd = (single(running_var.detach()) + eps).rsqrt()
        return _native_batch_norm(inputs, *inputs, single(running_mean.detach()), rstd, options)
    if running_mean is not None and running_var is None or running_mean is None and running_var is not None:
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    found = _native_batch_norm(inputs, *inputs, None, None, options)
    if running_mean is not None:
        count = input.numel() // input.size(1)
        unbiased, mean, variance = count / (count - 1) if count > 1 else math.nan, found[1], found[3]
        # (PyTorch does not count this change)
        if (type(momentum) is float and abs(momentum) < 0.5 and all(
                type(t) is Tensor and t.dtype is mean.dtype and t.is_contiguous() and not t.is_inference()
                for t in (running_mean, running_var))):
            RUNNING.into(running_mean, running_mean, mean, momentum, 1.0)
            RUNNING.into(running_var, running_var, variance, momentum, unbiased)
            return found
        with cygrad.no_grad():
            mean, variance = mean.detach(), variance.detach()
            running_mean.data.lerp_(mean.to(running_mean.dtype), momentum)
            running_var.data.lerp_((variance * unbiased).to(running_var.dtype), momentum)
    return found


@op(method=False, name="batch_norm")
def running_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    """`nn.functional.batch_norm` in the order of PyTorch's `torch.batch_norm`.

    Parameters
    ----------
    input, weight, bias, running_mean, running_var, training, momentum, eps
        As in `nn.functional.batch_norm`.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.batch_norm(cygrad.tensor([[1.], [3.]]), None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if (not training and running_mean is not None and running_var is not None and input.numel()
            and are_plain(input, (weight, bias, running_mean, running_var))):
        return evaluated(input, weight, bias, running_mean, running_var, eps)
    if input.dim() and input.numel() == 0:
        out = input.clone()
        if weight is not None:
            out = out * weight.select(0, 0)
        return out if bias is None else out + bias.select(0, 0)
    return batch_normalized(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@op(method=False)
def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """`nn.functional.batch_norm` together with the mean and 1 / deviation of what was normalised.

    Parameters
    ----------
    input, weight, bias, running_mean, running_var, training, momentum, eps
        As in `nn.functional.batch_norm`.

    Returns
    -------
    tuple of Tensor
        The result; mean and 1 / sqrt(variance + eps) of each channel, which are empty in evaluation.

    Examples
    --------
    >>> cygrad.native_batch_norm(cygrad.tensor([[1.], [3.]]), None, None, None, None, True, 0.1, 1e-5)[1]
    tensor([2.])
    """
    found = batch_normalized(input, weight, bias, running_mean, running_var, training, momentum, eps)
    given = next((t for t in (weight, bias, running_mean, running_var) if t is not None), input)
    return found[0], *(t.detach().to(given.dtype) for t in found[1:3])


def several_values(size):
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * weight + bias, with a mean and a variance for each channel.

    Parameters
    ----------
    input : Tensor
        (N, C, ...), of a floating-point dtype.
    running_mean, running_var : Tensor or None
        (C,): what the input is normalised by; with `training` they are changed instead.
    weight, bias : Tensor, optional
        (C,), of input's dtype (or float32, for 16-bit floats).
    training : bool
        Take mean and variance over all axes but that of the channels.
    momentum : float
        running = (1 - momentum) * running + momentum * new.
    eps : float

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Raises
    ------
    ValueError
        When training with one value for each channel.

    Examples
    --------
    >>> x = cygrad.tensor([[1., 0.], [3., 10.]])
    >>> cygrad.nn.functional.batch_norm(x, None, None, training=True)
    tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]])
    """
    if training:
        several_values(input.size())
        if eps <= 0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return running_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


# ------------------------------------------------------------------------------------- instances

@op(method=False, name="instance_norm")
def running_instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps,
                          cudnn_enabled):
    """`nn.functional.instance_norm` in the order of PyTorch's `torch.instance_norm`.

    Parameters
    ----------
    input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps
        As in `nn.functional.instance_norm`.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.instance_norm(cygrad.tensor([[[1., 3.]]]), None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[[-1.0000,  1.0000]]])
    """
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    batch, channels = input.size(0), input.size(1)
    weight, bias, mean, variance = (t if t is None else t.repeat(batch) for t in (weight, bias, running_mean,
                                                                                  running_var))
    out = running_batch_norm(input.contiguous().view(1, batch * channels, *input.shape[2:]), weight, bias, mean,
                             variance, use_input_stats, momentum, eps, cudnn_enabled)
    if use_input_stats:
        with cygrad.no_grad():
            for running, found in ((running_mean, mean), (running_var, variance)):
                if running is not None:
                    running.copy_(found.view(batch, channels).mean(0))
    return out.view(input.shape)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                  momentum=0.1, eps=1e-5):
    """`batch_norm` of each instance by itself: a mean and a variance for each channel of each instance.

    Parameters
    ----------
    input : Tensor
        (N, C, ...).
    running_mean, running_var, weight, bias : Tensor, optional
        (C,), as in `batch_norm`.
    use_input_stats : bool
        As `training` there.
    momentum, eps : float

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.nn.functional.instance_norm(cygrad.tensor([[[1., 3.], [0., 10.]]]))
    tensor([[[-1.0000,  1.0000],
             [-1.0000,  1.0000]]])
    """
    if use_input_stats and math.prod(input.size()[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    return running_instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)


# ---------------------------------------------------------------------------------------- groups

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
    out = in_groups(cygrad.empty_like(input, dtype=x.dtype), groups) if last else empty_near(x, x.shape)
    mean, rstd = empty_near(x, (shape[0], groups), rows), empty_near(x, (shape[0], groups), rows)
    by_group = [t if t is None else cast_to(t, x.dtype).reshape(groups, -1) for t in (weight, bias)]
    if last:                                            # channels side by side are left where they are
        composed_norm(x, *by_group, eps, out, mean, rstd)
    else:
        call(x, "group_norm", (x, *by_group, float(eps), out, mean, rstd), (4, 5, 6))
    return cast_to(out.view(shape), dtype), cast_to(mean, kept), cast_to(rstd, kept)


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
