"""Pointwise ops with several operands or parameters: programs of other ops' kernels, but each has a node of its own.

A `@primitive` here is the op as autograd sees it: its forward runs unrecorded. Where it is no program but written with
operators and public ops, 16-bit floats are computed in float32 and rounded once (`widened`), as PyTorch does.
"""
import math

import cygrad
from cygrad.autograd.inplace import shadow
from cygrad.backend import UNARY
from cygrad.dispatch.operands import broadcast, select
from cygrad.dispatch.programs import program, same_floats, where as where_
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES, result_type
from cygrad.dispatch.raw import cast_to, clone_like, unary_op
from cygrad.dtype import finfo
from cygrad.errors import warn
from cygrad.ops.declare.operand_types import (BOOL, DTYPES, as_float, is_integral, need_float, need_tensors,
                                              refuse_complex_gradient, refused)
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.registry import inplace_form, op
from cygrad.ops.pointwise.single_kernel import check_writable, inplace_result
from cygrad.tensor import Tensor

SIGN, ROUND = UNARY.index("sign"), UNARY.index("round")


# ------------------------------------------------------------------------ selection

_where = primitive(select, name="where")


@op(method=False, out=True)
def where(condition, input=None, other=None):
    """`input` where `condition` holds, else `other`; with the condition alone, the indices where it holds.

    Parameters
    ----------
    condition : Tensor
        Of dtype bool; all three broadcast.
    input, other : Tensor or number
        Their dtypes promote.

    Returns
    -------
    Tensor, or tuple of Tensor
        The tuple has one index tensor for each axis, as `nonzero(as_tuple=True)`.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([-1., 2.])
    >>> cygrad.where(x > 0, x, 0.)
    tensor([0., 2.])
    """
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if (not isinstance(condition, Tensor) or not isinstance(input, (Tensor, int, float, complex))
            or not isinstance(other, (Tensor, int, float, complex))):
        given = ", ".join(type(x).__name__ for x in (condition, input, other) if x is not None)
        raise TypeError(f"where() received an invalid combination of arguments - got ({given}), but expected one of:\n"
                        " * (Tensor condition)\n * (Tensor condition, Tensor or Number input, Tensor or Number other)")
    return _where(condition if condition.dtype is BOOL else as_condition(condition), input, other)


@op(name="where", only_method=True)
def _where_method(self, condition, other):
    """`self` where `condition` holds, else `other`.

    Parameters
    ----------
    condition : Tensor
        bool; broadcasts with the others.
    other : Tensor or number
        Taken where the condition is false.

    Returns
    -------
    Tensor
        Of the broadcast shape and promoted dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([1, 2]).where(cygrad.tensor([True, False]), 0)
    tensor([1, 0])
    """
    return where(condition, self, other)


def as_condition(t):
    """A condition as bool; PyTorch still takes uint8, with a warning."""
    if t.dtype.name != "uint8":
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{SCALAR_NAMES[t.dtype.code]}")
    warn("where received a uint8 condition tensor. This behavior is deprecated and will be removed in a "
         "future version of PyTorch. Use a boolean condition instead.")
    return cast_to(t, BOOL)


# --------------------------------------------------------------- weighted sums

LERP_NEAR_START = program(lambda start, end, weight: start + (end - start) * weight)
LERP_NEAR_END = program(lambda start, end, weight: end + (end - start) * (weight - 1))
LERP = program(lambda start, end, weight: where_(weight.abs() < 0.5, start + weight * (end - start),
                                                 end - (end - start) * (1 - weight)))


def lerp_program(weight):
    return LERP_NEAR_START if abs(weight) < 0.5 else LERP_NEAR_END


@primitive(name="lerp")
def _lerp(self, end, weight):
    return lerp_program(weight)(self, end, weight)


@primitive(name="lerp")
def _lerp_into(self, end, weight):
    lerp_program(weight).into(self, self, end, weight)
    self._bump_version()


@primitive(name="lerp_tensor")
def _lerp_tensor(self, end, weight):
    if self.is_complex():
        step = end - self
        return select(weight.abs() < 0.5, self + weight * step, end - step * (1 - weight))
    return LERP(self, end, weight)


def tensor_weight(out, input, end, weight):
    """`out=` must be of the result's dtype where the weight is a tensor with axes."""
    return "exact" if isinstance(weight, Tensor) and weight.dim() else ""


def _lerp_(self, end, weight):
    if not isinstance(weight, (int, float)) or not same_floats(self, end):
        return general_lerp_(self, end, weight)
    return _lerp_into.inplace(self, end, weight)


@op(inplace=_lerp_, out=tensor_weight)
def lerp(input, end, weight):
    """input + weight * (end - input), exact at both ends.

    Parameters
    ----------
    input, end : Tensor
        Of one floating-point or complex dtype.
    weight : number or Tensor
        0 gives input, 1 gives end.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.lerp(cygrad.tensor([0., 10.]), cygrad.tensor([10., 20.]), 0.25)
    tensor([ 2.5000, 12.5000])
    """
    if isinstance(weight, float) and same_floats(input, end):
        return _lerp(input, end, weight)
    need_tensors("lerp", input=input, end=end)
    if input.shape != end.shape:
        broadcast(input, end)
    for name, value in (("end", end), ("weight", weight)):
        if isinstance(value, Tensor) and value.dtype is not input.dtype and (name == "end" or value.dim()):
            raise RuntimeError(f"expected dtype {C_TYPES[input.dtype.code]} for `{name}` but got dtype "
                               f"{C_TYPES[value.dtype.code]}")
    if isinstance(weight, Tensor):
        need_float(input, "lerp_kernel_tensor", complex_too=True)
        return _lerp_tensor(input, end, weight)
    need_float(input, "lerp_kernel_scalar", complex_too=True)
    if isinstance(weight, complex) and not input.is_complex():
        raise RuntimeError("value cannot be converted to type float without overflow")
    return _lerp(input, end, weight)


general_lerp_ = inplace_form("lerp", lerp, True)


ADD_MULTIPLE = program(lambda x, y, factor: y * factor + x)
ADD_PRODUCT = program(lambda x, a, b: a * b + x)
ADD_SCALED_PRODUCT = program(lambda x, a, b, value: a * b * value + x)
ADD_QUOTIENT = program(lambda x, a, b: a / b + x)
ADD_SCALED_QUOTIENT = program(lambda x, a, b, value: a / b * value + x)


@primitive(name="addcmul")
def _addcmul(self, tensor1, tensor2, value):
    if value == 1:
        return ADD_PRODUCT(self, tensor1, tensor2)
    return ADD_SCALED_PRODUCT(self, tensor1, tensor2, value)


@primitive(name="addcmul")
def _addcmul_into(self, tensor1, tensor2, value):
    if value == 1:
        ADD_PRODUCT.into(self, self, tensor1, tensor2)
    else:
        ADD_SCALED_PRODUCT.into(self, self, tensor1, tensor2, value)
    self._bump_version()


@primitive(name="addcdiv")
def _addcdiv(self, tensor1, tensor2, value):
    if value == 1:
        return ADD_QUOTIENT(self, tensor1, tensor2)
    return ADD_SCALED_QUOTIENT(self, tensor1, tensor2, value)


@primitive(name="addcdiv")
def _addcdiv_into(self, tensor1, tensor2, value):
    if value == 1:
        ADD_QUOTIENT.into(self, self, tensor1, tensor2)
    else:
        ADD_SCALED_QUOTIENT.into(self, self, tensor1, tensor2, value)
    self._bump_version()


def _addcmul_(self, tensor1, tensor2, *, value=1):
    if same_floats(self, tensor1, tensor2):
        return _addcmul_into.inplace(self, tensor1, tensor2, value)
    return general_addcmul_(self, tensor1, tensor2, value=value)


def _addcdiv_(self, tensor1, tensor2, *, value=1):
    if same_floats(self, tensor1, tensor2):
        return _addcdiv_into.inplace(self, tensor1, tensor2, value)
    return general_addcdiv_(self, tensor1, tensor2, value=value)


@op(inplace=_addcmul_, out=True)
def addcmul(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 * tensor2, elementwise.

    Parameters
    ----------
    input, tensor1, tensor2 : Tensor
        Shapes broadcast and dtypes promote.
    value : number
        An integer for integer tensors.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.addcmul(cygrad.tensor([1., 1.]), cygrad.tensor([1., 2.]), cygrad.tensor([2., 2.]), value=10)
    tensor([21., 41.])
    """
    if same_floats(input, tensor1, tensor2):
        return _addcmul(input, tensor1, tensor2, value)
    need_tensors("addcmul", input=input, tensor1=tensor1, tensor2=tensor2)
    if input.shape != tensor1.shape:
        broadcast(input, tensor1)
    dtype = result_type(input, tensor1, tensor2)
    if dtype is BOOL:
        raise refused("addcmul_cpu_out", dtype)
    if not (dtype.is_floating_point or dtype.is_complex):
        if value < 0 and dtype.name == "uint8":
            raise RuntimeError("value cannot be converted to type uint8_t without overflow")
        value = int(value)
    return _addcmul(input, tensor1, tensor2, value)


@op(inplace=_addcdiv_, out=True)
def addcdiv(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 / tensor2, elementwise.

    Parameters
    ----------
    input, tensor1, tensor2 : Tensor
        Shapes broadcast and dtypes promote; tensor1 and tensor2 not both of integers.
    value : number

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Raises
    ------
    RuntimeError
        If all are tensors of integers.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.addcdiv(cygrad.tensor([1., 1.]), cygrad.tensor([1., 2.]), cygrad.tensor([2., 2.]), value=10)
    tensor([ 6., 11.])
    """
    if same_floats(input, tensor1, tensor2):
        return _addcdiv(input, tensor1, tensor2, value)
    need_tensors("addcdiv", input=input, tensor1=tensor1, tensor2=tensor2)
    if input.shape != tensor1.shape:
        broadcast(input, tensor1)
    if is_integral(tensor1) and is_integral(tensor2):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value "
            "* torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
            "* tensor1 / tensor2), for all dtypes.")
    return _addcdiv(input, tensor1, tensor2, value)


general_addcmul_, general_addcdiv_ = inplace_form("addcmul", addcmul, True), inplace_form("addcdiv", addcdiv, True)


# ---------------------------------------------------------------- parts and rounding

@primitive(name="sgn")
def _sgn(self):
    if not self.is_complex():
        return unary_op(SIGN, self)
    modulus = self.abs()
    return select(modulus == 0, 0, self / modulus)


@op(inplace=True, out="exact")
def sgn(input):
    """The sign of each element: x / abs(x), or 0; for real numbers that is `sign`.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.sgn(cygrad.tensor([3 + 4j, 0j]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    """
    return _sgn(input)


FRAC = program(lambda x: x - x.trunc())


@primitive(name="frac")
def _frac(self):
    return FRAC(self)


@op(inplace=True, out="exact")
def frac(input):
    """The fractional part of each element, with its sign.

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
    >>> cygrad.frac(cygrad.tensor([1.5, -2.25]))
    tensor([ 0.5000, -0.2500])
    """
    need_float(input, "frac_cpu")
    return _frac(input)


@op
def positive(input):
    """`+input`: the tensor itself; bool is refused.

    Parameters
    ----------
    input : Tensor
        Of any dtype but bool.

    Returns
    -------
    Tensor
        `input`.

    Raises
    ------
    RuntimeError
        For a tensor of bools.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.positive(cygrad.tensor([1, -2]))
    tensor([ 1, -2])
    """
    if input.dtype is BOOL:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


ROUND_DECIMALS = program(lambda x, scale: (x * scale).round() / scale)
ROUND_TENS = program(lambda x, scale: (x / scale).round() * scale)


@primitive(name="round_decimals")
def _round_decimals(self, decimals):
    return (ROUND_TENS if decimals < 0 else ROUND_DECIMALS)(self, 10.0 ** abs(decimals))


@primitive(name="round")
def _round(self):
    return clone_like(self) if is_integral(self) else unary_op(ROUND, self)


@op(name="round", inplace=True, out="exact")
def round_(input, *, decimals=None):
    """The nearest integer, or multiple of 10 ** -decimals; halves go to the even neighbour.

    Parameters
    ----------
    input : Tensor
        Integers come back as they are.
    decimals : int, optional
        May be negative; for floating-point dtypes only. Without it: 0.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Raises
    ------
    RuntimeError
        For integers with `decimals`, and for complex tensors.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.round(cygrad.tensor([0.5, 1.5, 2.345]))
    tensor([0., 2., 2.])
    >>> cygrad.round(cygrad.tensor([0.5, 1.5, 2.345]), decimals=1)
    tensor([0.5000, 1.5000, 2.3000])
    """
    if decimals is None:
        if input.is_complex() or input.dtype is BOOL:
            raise refused("round_cpu", input.dtype)
        return _round(input)
    need_float(input, "round_cpu")
    return _round_decimals(input, decimals)


NAN_TO_NUM = program(lambda x, nan, posinf, neginf: where_(
    x.isnan(), nan, where_(x.eq(math.inf), posinf, where_(x.eq(-math.inf), neginf, x))))


@primitive(name="nan_to_num")
def _nan_to_num(self, nan, posinf, neginf):
    if self.is_complex():
        out = clone_like(self)
        parts = cygrad.view_as_real(out)
        parts.copy_(_nan_to_num.forward(parts, nan, posinf, neginf))
        return out.detach()
    if is_integral(self):
        return clone_like(self)
    limits = finfo(self.dtype)
    return NAN_TO_NUM(self, 0.0 if nan is None else nan, limits.max if posinf is None else posinf,
                      limits.min if neginf is None else neginf)


def _nan_to_num_(self, nan=None, posinf=None, neginf=None):
    if is_integral(self):
        self._bump_version()
        return self
    check_writable(self)
    return inplace_result(self, _nan_to_num(shadow(self), nan, posinf, neginf))


@op(inplace=_nan_to_num_, out="exact")
def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """Replace NaN by `nan` (0), and infinities by `posinf` and `neginf` (the dtype's largest and smallest numbers).

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    nan : number, optional
        In the place of NaN; 0 when omitted.
    posinf, neginf : number, optional
        In the place of the infinities; the dtype's largest and smallest numbers when omitted.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nan_to_num(cygrad.tensor([cygrad.nan, cygrad.inf, 1.]), posinf=9)
    tensor([0., 9., 1.])
    """
    refuse_complex_gradient(input, "nan_to_num")
    return _nan_to_num(input, nan, posinf, neginf)


HEAVISIDE = program(lambda x, values: where_(x.eq(0), values, x > 0))


@primitive(name="heaviside")
def _heaviside(self, values):
    return HEAVISIDE(self, values)


@op(inplace="pointwise", out="exact")
def heaviside(input, values):
    """0 for negative elements, 1 for positive ones, `values` where they are 0.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    values : Tensor
        Of input's dtype; broadcast with it.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Raises
    ------
    RuntimeError
        For complex tensors, or for two dtypes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.heaviside(cygrad.tensor([-1., 0., 2.]), cygrad.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    need_tensors("heaviside", input=input, values=values)
    if input.is_complex() or values.is_complex():
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if input.dtype is not values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return _heaviside(input, values)


# ------------------------------------------------------------- units and powers

@op(inplace=True, out=True)
def ldexp(input, other):
    """input * 2 ** other, elementwise.

    Parameters
    ----------
    input, other : Tensor
        Their shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape, of a floating-point or complex dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.ldexp(cygrad.tensor([1., 3.]), cygrad.tensor([2, -1]))
    tensor([4.0000, 1.5000])
    """
    return input * cygrad.pow(2.0, other)


@primitive(name="deg2rad")
def _deg2rad(self):
    return as_float(self) * (math.pi / 180)


@op(inplace=True, out=True)
def deg2rad(input):
    """Degrees as radians.

    Parameters
    ----------
    input : Tensor
        Any shape; integers give the default float dtype.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.deg2rad(cygrad.tensor([180., 90.]))
    tensor([3.1416, 1.5708])
    """
    if input.is_complex():
        raise RuntimeError("deg2rad is not supported for complex tensors.")
    return _deg2rad(input)


@primitive(name="rad2deg")
def _rad2deg(self):
    return as_float(self) * (180 / math.pi)


@op(inplace=True, out=True)
def rad2deg(input):
    """Radians as degrees.

    Parameters
    ----------
    input : Tensor
        Any shape; integers give the default float dtype.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.rad2deg(cygrad.tensor([3.14159265, 1.]))
    tensor([180.0000,  57.2958])
    """
    if input.is_complex():
        raise RuntimeError("rad2deg is not supported for complex tensors.")
    return _rad2deg(input)


def _float_power_(self, exponent):
    dtype = power_dtype(self, exponent)
    if self.dtype is not dtype:
        raise RuntimeError(f"the base given to float_power_ has dtype {SCALAR_NAMES[self.dtype.code]} but the "
                           f"operation's result requires dtype {SCALAR_NAMES[dtype.code]}")
    return self.pow_(exponent.to(dtype) if isinstance(exponent, Tensor) else exponent)


@op(inplace=_float_power_, out="exact")
def float_power(input, exponent):
    """input ** exponent computed in float64, or complex128.

    Parameters
    ----------
    input, exponent : Tensor or number
        At least one tensor.

    Returns
    -------
    Tensor
        Of the broadcast shape, float64 or complex128.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.float_power(cygrad.tensor([1, 2, 3]), 0.5)
    tensor([1.0000, 1.4142, 1.7321], dtype=cygrad.float64)
    """
    dtype = power_dtype(input, exponent)
    return cygrad.pow(input.to(dtype) if isinstance(input, Tensor) else input,
                      exponent.to(dtype) if isinstance(exponent, Tensor) else exponent)


def power_dtype(*operands):
    for x in operands:
        if x.is_complex() if isinstance(x, Tensor) else isinstance(x, complex):
            return DTYPES["complex128"]
    return DTYPES["float64"]
