"""Signs, and rounding to a number of decimals: `sgn`, `positive`, `heaviside`, `frac`, `round`."""
import math

from cygrad.backend import UNARY
from cygrad.dispatch.allocation import laid_by_kernel
from cygrad.dispatch.operands import select
from cygrad.dispatch.programs import program, where as where_
from cygrad.dispatch.raw import cast_to, clone_like, unary_op
from cygrad.dtype import WIDER
from cygrad.ops.declare.operand_types import BOOL, is_integral, need_float, need_tensors, refused
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import inplace_form, op


SIGN, ROUND = UNARY.index("sign"), UNARY.index("round")


@primitive(name="sgn")
def _sgn(self):
    if not self.is_complex():
        return unary_op(SIGN, self)
    wide = cast_to(self, WIDER.get(self.dtype, self.dtype))
    modulus = wide.abs()
    return cast_to(select(modulus == 0, 0, wide / modulus), self.dtype)


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
    scale = 10.0 ** abs(decimals) if abs(decimals) < 309 else math.inf
    return (ROUND_TENS if decimals < 0 else ROUND_DECIMALS)(self, scale)


@primitive(name="round")
def _round(self):
    return laid_by_kernel(clone_like(self), self) if is_integral(self) else unary_op(ROUND, self)


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


HEAVISIDE = program(lambda x, values: where_(x.eq(0), values, x > 0))


@primitive(name="heaviside")
def _heaviside(self, values):
    return HEAVISIDE(self, values)


def _check_heaviside(input, values):
    need_tensors("heaviside", input=input, values=values)
    if input.is_complex() or values.is_complex():
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if input.dtype is not values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


def _heaviside_(self, values):
    _check_heaviside(self, values)
    return _write_heaviside(self, values)


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
    >>> cygrad.heaviside(cygrad.tensor([-1., 0., 2.]), cygrad.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    _check_heaviside(input, values)
    return _heaviside(input, values)


_write_heaviside = inplace_form("heaviside", heaviside, pointwise=True)
op(heaviside, inplace=_heaviside_, out="exact")
