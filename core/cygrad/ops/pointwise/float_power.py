"""Powers computed in float64: `float_power`."""
import cygrad
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.operand_types import DTYPES
from cygrad.ops.declare.op_forms import op
from cygrad.tensor import Tensor


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
