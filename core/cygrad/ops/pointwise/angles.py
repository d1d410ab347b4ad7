"""Degrees and radians."""
import math

from cygrad.dispatch.allocation import laid_like
from cygrad.ops.declare.operand_types import as_float
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op


@primitive(name="deg2rad")
def _deg2rad(self):
    return laid_like(as_float(self) * (math.pi / 180), self)


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
    >>> cygrad.deg2rad(cygrad.tensor([180., 90.]))
    tensor([3.1416, 1.5708])
    """
    if input.is_complex():
        raise RuntimeError("deg2rad is not supported for complex tensors.")
    return _deg2rad(input)


@primitive(name="rad2deg")
def _rad2deg(self):
    return laid_like(as_float(self) * (180 / math.pi), self)


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
    >>> cygrad.rad2deg(cygrad.tensor([3.14159265, 1.]))
    tensor([180.0000,  57.2958])
    """
    if input.is_complex():
        raise RuntimeError("rad2deg is not supported for complex tensors.")
    return _rad2deg(input)
