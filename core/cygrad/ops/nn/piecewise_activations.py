"""Activation functions of straight pieces, hardswish's parabola among them; the others are in `smooth_activations.py`.

Each is one node, and one pass over memory: a program (see `cygrad.dispatch.programs`).
"""
import math

from cygrad.dispatch.allocation import laid_like
from cygrad.dispatch.programs import program, where
from cygrad.dispatch.promotion import check_scalar
from cygrad.ops.declare.operand_types import BOOL, DTYPES, HALVES, need_float, refused
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import functions, inplace_form, op
from cygrad.ops.pointwise.clamping import CLAMP

LEAKY_RELU = program(lambda x, slope: where(x > 0, x, x * slope))
LEAKY_RELU_BELOW_1 = program(lambda x, slope: (x * slope).maximum(x))


@primitive(name="leaky_relu")
def _leaky_relu(self, negative_slope):
    return (LEAKY_RELU_BELOW_1 if 0 <= negative_slope <= 1 else LEAKY_RELU)(self, negative_slope)


def leaky_relu(input, negative_slope=0.01):
    """x where x > 0, else negative_slope * x.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    negative_slope : float
        The factor of negative elements.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.leaky_relu(cygrad.tensor([-1., 0., 1.]), 0.1)
    tensor([-0.1000,  0.0000,  1.0000])
    """
    need_float(input, "leaky_relu_cpu")
    return _leaky_relu(input, negative_slope)


@primitive(name="hardtanh")
def _hardtanh(self, min_val, max_val):
    if min_val != min_val or max_val != max_val:
        return self * math.nan
    return laid_like(CLAMP(self, min_val, max_val), self)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    """x, but not below min_val and not above max_val.

    Parameters
    ----------
    input : Tensor
        Of a real dtype other than bool.
    min_val, max_val : number
        The bounds.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.hardtanh(cygrad.tensor([-3., 0.5, 3.]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return within(input, min_val, max_val)


def within(input, min_val=-1.0, max_val=1.0):
    """`hardtanh` of bounds in any order: all elements are the upper one where it is the smaller."""
    if input.dtype is BOOL:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input.is_complex():
        raise NotImplementedError("clamp is not supported for complex types")
    if not input.is_floating_point():
        min_val, max_val = int(min_val), int(max_val)
        if input.dtype is DTYPES["uint8"] and (min_val < 0 or max_val < 0):
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    for number in (min_val, max_val):
        check_scalar(input.dtype, number)
    return _hardtanh(input, min_val, max_val)


def relu6(input):
    """`hardtanh` between 0 and 6.

    Parameters
    ----------
    input : Tensor
        Of a real dtype other than bool.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.relu6(cygrad.tensor([-3., 0.5, 9.]))
    tensor([0.0000, 0.5000, 6.0000])
    """
    return hardtanh(input, 0.0, 6.0)


HARDSIGMOID = program(lambda x: (x + 3).maximum(0).minimum(6) / 6)
HARDSWISH = program(lambda x: (x + 3).maximum(0).minimum(6) * x / 6)


@primitive(name="hardsigmoid")
def _hardsigmoid(self):
    return HARDSIGMOID(self)


def hardsigmoid(input):
    """relu6(x + 3) / 6.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.hardsigmoid(cygrad.tensor([-4., 0., 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """
    need_float(input, "hardsigmoid_cpu")
    return _hardsigmoid(input)


@primitive(name="hardswish")
def _hardswish(self):
    return HARDSWISH(self)


def hardswish(input):
    """x * relu6(x + 3) / 6.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.hardswish(cygrad.tensor([-4., 0., 1.]))
    tensor([-0.0000, 0.0000, 0.6667])
    """
    need_float(input, "hardswish_cpu")
    return _hardswish(input)


THRESHOLD = program(lambda x, threshold, value: where(x <= threshold, value, x))


@primitive(name="threshold")
def _threshold(self, threshold, value):
    return THRESHOLD(self, threshold, value)


@op(method=False, inplace=False, out=True)
def threshold(input, threshold, value):
    """x where x > threshold, else value.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    threshold, value : number
        The bound, and what replaces elements that are not above it.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.threshold(cygrad.tensor([-1., 0.5, 2.]), 0.5, 9)
    tensor([9., 9., 2.])
    """
    if input.is_complex() or input.dtype is BOOL:
        raise refused("threshold_cpu", input.dtype)
    check_scalar(DTYPES["float32"] if input.dtype in HALVES else input.dtype, threshold)
    check_scalar(input.dtype, value)
    threshold, value = threshold.real, value.real
    return _threshold(input, threshold, value if input.is_floating_point() else int(value))


HARDSHRINK = program(lambda x, lambd: where((x >= -lambd) & (x <= lambd), 0, x))
SOFTSHRINK = program(lambda x, lambd: where(x > lambd, x - lambd, where(x < -lambd, x + lambd, x * 0)))


@primitive(name="hardshrink")
def _hardshrink(self, lambd):
    return HARDSHRINK(self, lambd)


@op(out="found")
def hardshrink(input, lambd=0.5):
    """0 where abs(x) <= lambd, else x.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    lambd : float
        The bound.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.hardshrink(cygrad.tensor([-1., 0.2, 2.]))
    tensor([-1.,  0.,  2.])
    """
    need_float(input, "hardshrink_cpu")
    return _hardshrink(input, lambd)


@primitive(name="softshrink")
def _softshrink(self, lambd):
    return SOFTSHRINK(self, lambd)


def softshrink(input, lambd=0.5):
    """x moved towards 0 by lambd, not beyond it.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    lambd : float
        The step; not negative.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Raises
    ------
    RuntimeError
        For a negative `lambd`.

    Examples
    --------
    >>> cygrad.nn.functional.softshrink(cygrad.tensor([-1., 0.2, 2.]))
    tensor([-0.5000,  0.0000,  1.5000])
    """
    need_float(input, "softshrink_check")
    if not 0 <= lambd < math.inf:
        raise RuntimeError("lambda must be in range [0, 3.40282e+38] for input dtype Float, but found "
                           f"{lambd:g}")
    return _softshrink(input, lambd)


functions["threshold_"] = inplace_form("threshold", functions["threshold"])
