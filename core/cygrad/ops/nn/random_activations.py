"""Activation functions with random numbers in them, drawn as PyTorch draws them."""
import math

import cygrad
from cygrad.errors import warn
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import functions, inplace_form, op
from cygrad.ops.nn.piecewise_activations import LEAKY_RELU
from cygrad.ops.declare.operand_types import HALVES, need_float, need_tensors, refused


@primitive(name="rrelu_with_noise")
def _rrelu_with_noise(self, noise):
    return self.contiguous() * noise


@primitive(name="rrelu_mean")
def _rrelu_mean(self, negative_slope):
    return LEAKY_RELU(self.contiguous(), negative_slope)


@op(method=False, name="rrelu")
def leaks_at_random(input, lower=0.125, upper=1 / 3, training=False, generator=None):
    """x where x > 0, else x times a number uniform between `lower` and `upper`; their mean if not `training`.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype; not float16 in training.
    lower, upper : float
    training : bool
    generator : Generator, optional
        Where the numbers come from.

    Returns
    -------
    Tensor
        Of the shape of input.

    Raises
    ------
    RuntimeError
        For bounds that are not finite, or in the wrong order.

    Examples
    --------
    >>> cygrad.rrelu(cygrad.tensor([-4., 4.]), 0.25, 0.75)
    tensor([-2.,  4.])
    """
    need_tensors("rrelu", input=input)
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not training:
        need_float(input, "leaky_relu_cpu")
        return _rrelu_mean(input, (lower + upper) / 2)
    if not input.is_floating_point() or input.dtype is HALVES[0]:
        raise refused("rrelu_with_noise_out_cpu", input.dtype)
    return _rrelu_with_noise(input, slopes(input.detach(), lower, upper, generator))


def slopes(x, lower, upper, generator):
    """1 where x > 0, elsewhere numbers that are drawn one after the other in row-major order, as float64."""
    below = x.contiguous() <= 0
    drawn = x.new_empty(int(below.sum()), dtype=cygrad.float64).uniform_(lower, upper, generator=generator)
    return cygrad.ones_like(below, dtype=x.dtype).masked_scatter_(below, drawn.to(x.dtype))


functions["rrelu_"] = inplace_form("rrelu", leaks_at_random)


def rrelu(input, lower=0.125, upper=1 / 3, training=False, inplace=False):
    """x where x > 0, else x times a number uniform between `lower` and `upper`; their mean if not `training`.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype; not float16 in training.
    lower, upper : float
    training : bool
    inplace : bool
        Write into the input.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.nn.functional.rrelu(cygrad.tensor([-4., 4.]), 0.25, 0.75)
    tensor([-2.,  4.])
    """
    return functions["rrelu_" if inplace else "rrelu"](input, lower, upper, training)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A sample from a discrete distribution that has a gradient.

    Parameters
    ----------
    logits : Tensor
        (..., classes), logarithms of chances, up to a constant.
    tau : float
        The lower, the nearer a sample is to one class.
    hard : bool
        1 for the class that is drawn and 0 for others, with the gradient of the soft sample.
    eps : float
        Means nothing; PyTorch deprecates it.
    dim : int
        The axis of the classes.

    Returns
    -------
    Tensor
        Of the shape of logits.

    Notes
    -----
    Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax" (2016).

    Examples
    --------
    >>> cygrad.nn.functional.gumbel_softmax(cygrad.zeros(2, 3), hard=True).sum(-1)
    tensor([1., 1.])
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    noise = -cygrad.empty_like(logits, memory_format=cygrad.contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    drawn = soft.max(dim, keepdim=True)[1]
    one = cygrad.zeros_like(logits, memory_format=cygrad.contiguous_format).scatter_(dim, drawn, 1.0)
    return one - soft.detach() + soft
