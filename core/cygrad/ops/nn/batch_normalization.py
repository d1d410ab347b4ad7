"""Normalisation of batches, and of instances: a mean and a variance for each channel of the input, or of each image."""
import math
from functools import cache

import cygrad
from cygrad.autograd.modes import grad_mode
from cygrad.devices.device import contiguous_format
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import call
from cygrad.dispatch.memory_formats import format_of
from cygrad.dispatch.programs import program
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import HALVES, need_tensors, refused, single
from cygrad.ops.declare.primitives import primitive, refuse_gradient
from cygrad.ops.nn.channel_statistics import (SCALED, gradients, moments, scale_and_shift, scaled, several_values,
                                              shaped, statistics)
from cygrad.ops.nn.normalization import check_parameter_dtypes
from cygrad.tensor import Tensor

FEW = 16                # places of a channel
AT_ONCE = 1024          # elements, up to which one kernel costs less than one more before it for the channels


def factors(mean, variance, eps, weight, bias):
    """(rstd, scale, shift)."""
    rstd = (variance + eps).rsqrt()
    return rstd, *scale_and_shift(mean, rstd, weight, bias)


def normal(x, mean, variance, eps, weight, bias):
    _, scale, shift = factors(mean, variance, eps, weight, bias)
    return x * scale + shift


FACTORS, EVALUATED = program(factors), program(normal)
RUNNING = program(lambda running, new, momentum, factor: running + (new * factor - running) * momentum)


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
    x = in_order(x)
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


def in_order(x):
    """`x`, as the result is to lie: row-major where it does already, whatever else it may be, or has no format."""
    if x.is_contiguous() == (format_of(x) is not None):
        return x.clone(memory_format=contiguous_format)
    return x


def evaluated(input, weight, bias, mean, variance, eps):
    """Raw: a batch normalised by given statistics."""
    shape = over_batch(input.dim())[1]
    x = in_order(input)
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
    if input.dtype not in HALVES:       # what is known already may be of another dtype, unlike in `batch_norm`
        mean, variance = (t if t is None else t.to(input.dtype) for t in (mean, variance))
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
