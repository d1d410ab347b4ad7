"""What normalisations with a weight and a bias for each channel share: of batches, of instances, of groups.

All are (x - mean) * rstd * weight + bias, rstd = 1 / sqrt(variance + eps); they differ in the axes over which mean and
variance are taken. The statistics are one reduction after the other, the rest is one pass; so is the gradient.
"""
import math

import cygrad
from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.programs import program
from cygrad.dispatch.raw import cast_to
from cygrad.ops.declare.operand_types import FLOAT32, HALVES, single
from cygrad.ops.reduce.sums import SUM
from cygrad.ops.reduce.variance import variance as variance_and_mean

SCALED = program(lambda x, scale, shift: x * scale + shift)
SUMS = program(lambda grad, x, mean: ((x - mean) * grad, grad))
SLOPE = program(lambda grad, x, scale, factor, shift: grad * scale + x * factor + shift)


def scale_and_shift(mean, rstd, weight, bias):
    """x * scale + shift is (x - mean) * rstd * weight + bias. Without a weight it is 1, without a bias -0."""
    scale = rstd * weight
    return scale, bias - mean * scale


SCALE_AND_SHIFT = program(scale_and_shift)


def moments(x, axes):
    """(variance, mean) over `axes`, which keep size 1."""
    return variance_and_mean(x, axes, 0, True) if x.numel() else cygrad.var_mean(x, axes, correction=0, keepdim=True)


def statistics(x, axes, eps):
    """(mean, variance, rstd) over `axes`, which keep size 1."""
    variance, mean = moments(x, axes)
    return mean, variance, (variance + eps).rsqrt()


def scaled(x, mean, rstd, weight, bias, dtype):
    """(x - mean) * rstd * weight + bias; parameters broadcast."""
    scale, shift = SCALE_AND_SHIFT(mean, rstd, 1.0 if weight is None else weight, -0.0 if bias is None else bias)
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


def several_values(size):
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")
