"""Comparisons of whole tensors, and predicates that no kernel has. None is differentiable."""
import math

import cygrad
from cygrad.backend import BINARY, REDUCE
from cygrad.dispatch.allocation import laid_by_kernel
from cygrad.dispatch.programs import program, same_floats
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import binary_op, in_steps
from cygrad.dtype import get_default_dtype
from cygrad.errors import on_two_devices
from cygrad.ops.declare.operand_types import BOOL, HALVES, is_integral, need_tensors
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.sort.host_loops import same_elements

COPYSIGN = BINARY.index("copysign")
ALL = REDUCE.index("all")


def _near(a, b, rtol, atol):
    distance = (a - b).abs()
    return a.eq(b) | (distance <= (b * rtol).abs() + atol) & distance.isfinite()


NEAR = program(_near)


def is_plain(input, other, equal_nan):
    """Whether `NEAR` serves: 16-bit floats round after each step, and integers compare in another dtype."""
    return same_floats(input, other) and input.dtype not in HALVES and not equal_nan


@primitive(name="isclose")
def _isclose(input, other, rtol, atol, equal_nan):
    if is_plain(input, other, equal_nan):
        return NEAR(input, other, rtol, atol)
    close = input == other
    if input.dtype is BOOL:
        input, other = input.to(get_default_dtype()), other.to(get_default_dtype())
    if equal_nan and not is_integral(input):
        close.logical_or_(input.isnan().logical_and(other.isnan()))
    if rtol == 0 and atol == 0:
        return close
    if is_integral(input):
        other = other.to(get_default_dtype())
    allowed = (other * rtol).abs() + atol
    distance = (input - other).abs()
    return close.logical_or_((distance <= allowed).logical_and(distance.isfinite()))


@op
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether abs(input - other) <= atol + rtol * abs(other), elementwise.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype; shapes broadcast.
    rtol, atol : float
        Not negative.
    equal_nan : bool
        Whether NaN is close to NaN.

    Returns
    -------
    Tensor
        Of dtype bool.

    Examples
    --------
    >>> cygrad.isclose(cygrad.tensor([1., 2.]), cygrad.tensor([1. + 1e-9, 2.1]))
    tensor([ True, False])
    """
    check_close(input, other, rtol, atol)
    steps = (not rtol == atol == 0) + bool(equal_nan and not is_integral(input))
    return in_steps(_isclose(input, other, rtol, atol, equal_nan), steps)


def check_close(input, other, rtol, atol):
    """PyTorch's refusals."""
    need_tensors("isclose", input=input, other=other)
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{SCALAR_NAMES[input.dtype.code]} did not match {SCALAR_NAMES[other.dtype.code]}")
    if not rtol >= 0:
        raise RuntimeError(f"rtol must be greater than or equal to zero, but got {rtol:g}")
    if not atol >= 0:
        raise RuntimeError(f"atol must be greater than or equal to zero, but got {atol:g}")


@op
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether `isclose` holds for all elements, as a Python bool.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype; their shapes broadcast.
    rtol, atol : float
        Tolerances: relative to `other`, and absolute.
    equal_nan : bool
        Whether two NaN count as equal.

    Returns
    -------
    bool
        True where abs(input - other) <= atol + rtol * abs(other) for all elements.

    Raises
    ------
    RuntimeError
        For tensors of different dtypes.

    Examples
    --------
    >>> cygrad.allclose(cygrad.tensor([1., 2.]), cygrad.tensor([1., 2. + 1e-7]))
    True
    """
    check_close(input, other, rtol, atol)
    if is_plain(input, other, equal_nan):
        return bool(NEAR.reduced((ALL,), None, False, BOOL, (input, other, rtol, atol)))
    return bool(_isclose(input, other, rtol, atol, equal_nan).all())


@op
def equal(input, other):
    """Whether two tensors have the same shape and elements, as a Python bool.

    Parameters
    ----------
    input, other : Tensor
        On one device.

    Returns
    -------
    bool
        False where shapes differ.

    Examples
    --------
    >>> cygrad.equal(cygrad.tensor([1, 2]), cygrad.tensor([1, 2]))
    True
    """
    same = same_elements(input, other)
    if same is not None:
        return same
    need_tensors("equal", input=input, other=other)
    if input._backend() is not other._backend() or input._device_index() != other._device_index():
        raise on_two_devices("equal", input, other, ("input", "other"))
    if input.shape != other.shape:
        return False
    return bool((input == other).all())


@op(out="exact")
def isposinf(input):
    """Whether each element is positive infinity.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype bool.

    Raises
    ------
    RuntimeError
        For a complex tensor.

    Examples
    --------
    >>> cygrad.isposinf(cygrad.tensor([-cygrad.inf, 0., cygrad.inf]))
    tensor([False, False,  True])
    """
    return is_infinity(input, math.inf, "isposinf")


@op(out="exact")
def isneginf(input):
    """Whether each element is negative infinity.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype bool.

    Raises
    ------
    RuntimeError
        For a complex tensor.

    Examples
    --------
    >>> cygrad.isneginf(cygrad.tensor([-cygrad.inf, 0., cygrad.inf]))
    tensor([ True, False, False])
    """
    return is_infinity(input, -math.inf, "isneginf")


def is_infinity(input, infinity, name):
    if input.is_complex():
        raise RuntimeError(f"{name} does not support complex inputs.")
    return laid_by_kernel(cygrad.zeros_like(input, dtype=BOOL) if is_integral(input) else input == infinity, input)


@op
def isreal(input):
    """Whether the imaginary part of each element is 0.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype bool.

    Examples
    --------
    >>> cygrad.isreal(cygrad.tensor([1 + 0j, 1 + 1j]))
    tensor([ True, False])
    """
    return input.imag == 0 if input.is_complex() else cygrad.ones_like(input, dtype=BOOL)


@op(out="exact")
def signbit(input):
    """Whether the sign bit of each element is set: negative numbers and -0.0.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype bool.

    Raises
    ------
    RuntimeError
        For a complex tensor.

    Examples
    --------
    >>> cygrad.signbit(cygrad.tensor([-1., -0., 0.]))
    tensor([ True,  True, False])
    """
    if input.is_complex():
        raise NotImplementedError("signbit is not implemented for complex tensors.")
    if is_integral(input):
        return laid_by_kernel(cygrad.zeros_like(input) if input.dtype is BOOL else input < 0, input)
    with cygrad.no_grad():
        return binary_op(COPYSIGN, cygrad.ones_like(input), input) < 0


@op
def is_nonzero(input):
    """Whether the only element of the tensor is not zero.

    Parameters
    ----------
    input : Tensor
        With one element.

    Returns
    -------
    bool
        Whether that element is not zero.

    Raises
    ------
    RuntimeError
        For a tensor with none or several elements.

    Examples
    --------
    >>> cygrad.is_nonzero(cygrad.tensor([0.5]))
    True
    """
    return bool(input)
